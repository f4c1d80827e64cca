; C; C++ adds cpp.scm to it.

(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  (parenthesized_declarator . (identifier) @name)
]) @definition.function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.prototype
; A name that a macro completes: `int PREFIX(name)(int x)`.
(function_definition declarator: [
  (function_declarator declarator: (function_declarator
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name))))
  (pointer_declarator declarator: (function_declarator declarator: (function_declarator
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name)))))
]) @definition.function
(declaration declarator: [
  (function_declarator declarator: (function_declarator
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name))))
  (pointer_declarator declarator: (function_declarator declarator: (function_declarator
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name)))))
]) @definition.prototype
(declaration declarator: [
  (identifier) @name
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (init_declarator declarator: (array_declarator declarator: (identifier) @name))
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
]) @definition.variable
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro

(comment) @comment

(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (field_identifier) @reference.call)
  (call_expression arguments: (argument_list . (identifier) @reference.call))])
(type_identifier) @reference.type

; Marks.
((function_definition declarator: (function_declarator declarator: (identifier) @mark.entry))
  (#any-of? @mark.entry "main" "wmain" "WinMain" "DllMain" "LLVMFuzzerTestOneInput"))
((call_expression function: (_) @called)
  (#mark! "file" "fopen" "freopen" "open" "openat" "creat" "unlink" "unlinkat" "remove" "rename" "mkdir" "rmdir" "opendir" "mkstemp" "mkdtemp" "tmpfile"
    "symlink" "link" "chmod" "chown" "truncate" "ftruncate" "stat" "lstat" "mmap" "CreateFileA" "CreateFileW" "DeleteFileW")
  (#mark! "process" "system" "popen" "fork" "vfork" "execl" "execlp" "execle" "execv" "execvp" "execve" "posix_spawn" "kill" "exit" "_exit" "abort"
    "waitpid" "CreateProcessA" "CreateProcessW" "ShellExecuteW" "dlopen")
  (#mark! "network" "socket" "connect" "bind" "listen" "accept" "accept4" "recv" "recvfrom" "send" "sendto" "getaddrinfo" "gethostbyname"
    "WSAStartup" "curl_easy_perform")
  (#mark! "concurrency" "pthread_create" "pthread_join" "pthread_mutex_lock" "pthread_mutex_init" "pthread_rwlock_rdlock" "pthread_rwlock_wrlock"
    "pthread_cond_wait" "thrd_create" "mtx_lock" "CreateThread" "_beginthreadex" "EnterCriticalSection" "atomic_fetch_add" "atomic_store"
    "atomic_compare_exchange_strong" "sem_wait" "signal" "sigaction"))
(assignment_expression left: [
  (identifier) @write
  (field_expression argument: (identifier) @write)
  (subscript_expression argument: (identifier) @write)])
(update_expression argument: [
  (identifier) @write
  (field_expression argument: (identifier) @write)
  (subscript_expression argument: (identifier) @write)])
