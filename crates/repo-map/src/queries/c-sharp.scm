; C#.

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type
(namespace_declaration name: (_) @name) @definition.module
(file_scoped_namespace_declaration name: (_) @name) @definition.module
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(destructor_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(property_declaration name: (identifier) @name accessors: (_)? @body) @definition.property
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant

(comment) @comment
(attribute_list) @between

(invocation_expression function: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (member_access_expression name: (identifier) @reference.call)
  (member_access_expression name: (generic_name (identifier) @reference.call))])
(member_access_expression expression: (identifier) @reference.type)
(object_creation_expression type: (identifier) @reference.type)
(generic_name (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(base_list (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
(method_declaration returns: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(attribute name: (identifier) @reference.type)
(nullable_type type: (identifier) @reference.type)
(array_type type: (identifier) @reference.type)

((field_declaration (modifier "static") (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable)

; Marks.
((method_declaration (modifier "static") name: (identifier) @mark.entry) (#eq? @mark.entry "Main"))
((method_declaration (attribute_list (attribute name: (identifier) @mark.entry)))
  (#any-of? @mark.entry "HttpGet" "HttpPost" "HttpPut" "HttpDelete" "HttpPatch" "Route" "Function" "FunctionName"))
(modifier "async" @mark.concurrency)
(await_expression) @mark.concurrency
(lock_statement) @mark.concurrency
((invocation_expression function: (_) @called)
  (#mark! "file" "File.ReadAllText" "File.ReadAllBytes" "File.ReadAllLines" "File.ReadLines" "File.WriteAllText" "File.WriteAllBytes"
    "File.AppendAllText" "File.Open" "File.OpenRead" "File.OpenWrite" "File.Create" "File.Copy" "File.Move" "File.Delete" "File.Exists"
    "File.ReadAllTextAsync" "File.WriteAllTextAsync" "Directory.CreateDirectory" "Directory.Delete" "Directory.GetFiles"
    "Directory.EnumerateFiles" "Path.GetTempFileName")
  (#mark! "process" "Process.Start" "Environment.Exit" "Environment.FailFast" "process.Kill")
  (#mark! "network" "GetAsync" "PostAsync" "PutAsync" "DeleteAsync" "SendAsync" "GetStringAsync" "GetByteArrayAsync" "Dns.GetHostEntry"
    "WebRequest.Create" "ConnectAsync")
  (#mark! "concurrency" "Task.Run" "Task.WhenAll" "Task.WhenAny" "Task.Factory.StartNew" "Parallel.For" "Parallel.ForEach"
    "Parallel.ForEachAsync" "ThreadPool.QueueUserWorkItem" "Monitor.Enter" "Interlocked.Increment" "Interlocked.Decrement"
    "Interlocked.Exchange" "Interlocked.CompareExchange" "Thread.Sleep" "AsParallel"))
((object_creation_expression type: (_) @called)
  (#mark! "file" "FileStream" "StreamReader" "StreamWriter" "FileInfo" "DirectoryInfo" "FileSystemWatcher")
  (#mark! "process" "ProcessStartInfo" "Process")
  (#mark! "network" "HttpClient" "TcpClient" "TcpListener" "UdpClient" "Socket" "HttpListener" "ClientWebSocket" "SqlConnection")
  (#mark! "concurrency" "Thread" "SemaphoreSlim" "Mutex" "ManualResetEvent" "Timer" "CancellationTokenSource"))
(assignment_expression left: [
  (identifier) @write
  (member_access_expression name: (identifier) @write)
  (element_access_expression expression: (identifier) @write)])
(postfix_unary_expression (identifier) @write)
(prefix_unary_expression (identifier) @write)
