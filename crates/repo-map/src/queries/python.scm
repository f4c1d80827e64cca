; Python.

(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
((assignment left: (identifier) @name) @definition.constant
  (#match? @name "^_?[A-Z][A-Z0-9_]+$"))
(type_alias_statement left: (type (identifier) @name)) @definition.type

(block . (expression_statement . (string) @doc))
(module . (expression_statement . (string) @doc))
(module . (comment) . (expression_statement . (string) @doc))
(comment) @comment
(decorator) @between

(call function: [
  (identifier) @reference.call
  (attribute attribute: (identifier) @reference.call)])
(decorator [
  (identifier) @reference.call
  (attribute attribute: (identifier) @reference.call)])
(type [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)])
(generic_type (identifier) @reference.type)
(class_definition superclasses: (argument_list [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)]))
(except_clause value: (identifier) @reference.type)
(import_from_statement name: (dotted_name (identifier) @reference.import))
(import_from_statement name: (aliased_import name: (dotted_name (identifier) @reference.import)))

; Marks.
((if_statement condition: (comparison_operator . (identifier) @mark.entry)) (#eq? @mark.entry "__name__"))
((decorator [
  (call function: (_) @mark.entry)
  (attribute) @mark.entry])
  (#match? @mark.entry "\\.(route|get|post|put|delete|patch|websocket|command|group|task|on_event)$"))
(global_statement) @mark.global
(function_definition "async" @mark.concurrency)
(await) @mark.concurrency
((call function: (_) @called)
  (#mark! "file" "open" "io.open" "os.open" "os.remove" "os.unlink" "os.rename" "os.replace" "os.mkdir" "os.makedirs" "os.rmdir"
    "os.listdir" "os.scandir" "os.walk" "os.chmod" "os.symlink" "os.stat" "read_text" "read_bytes" "write_text" "write_bytes" "shutil.copy"
    "shutil.copy2" "shutil.copyfile" "shutil.copytree" "shutil.move" "shutil.rmtree" "tempfile.mkstemp" "tempfile.mkdtemp"
    "TemporaryDirectory" "NamedTemporaryFile" "TemporaryFile")
  (#mark! "process" "subprocess.run" "subprocess.call" "subprocess.check_call" "subprocess.check_output" "subprocess.Popen" "Popen"
    "check_output" "check_call" "os.system" "os.popen" "os.fork" "os.kill" "os.execv" "os.execve" "os.execvp" "os.spawnv" "os._exit" "sys.exit"
    "create_subprocess_exec" "create_subprocess_shell" "pty.spawn")
  (#mark! "network" "socket.socket" "socket.create_connection" "socket.create_server" "socket.getaddrinfo" "urlopen" "urlretrieve"
    "requests.get" "requests.post" "requests.put" "requests.delete" "requests.request" "requests.Session" "httpx.get" "httpx.post" "httpx.Client"
    "httpx.AsyncClient" "aiohttp.ClientSession" "ClientSession" "HTTPConnection" "HTTPSConnection" "HTTPServer" "open_connection"
    "start_server" "smtplib.SMTP" "ftplib.FTP" "uvicorn.run" "app.run")
  (#mark! "concurrency" "threading.Thread" "Thread" "threading.Lock" "threading.RLock" "Lock" "RLock" "Condition" "Semaphore" "ThreadPoolExecutor"
    "ProcessPoolExecutor" "multiprocessing.Process" "multiprocessing.Pool" "asyncio.run" "asyncio.gather" "asyncio.create_task"
    "create_task" "ensure_future" "run_in_executor" "to_thread" "run_coroutine_threadsafe"))
(assignment left: (subscript value: (identifier) @write))
(assignment left: (attribute object: (identifier) @write))
(augmented_assignment left: (subscript value: (identifier) @write))
(delete_statement (subscript value: (identifier) @write))
