; PHP.

(namespace_definition name: (namespace_name) @name) @definition.module
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.interface
(enum_declaration name: (name) @name) @definition.enum
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element . (name) @name)) @definition.constant

(comment) @comment
(attribute_list) @between

(function_call_expression function: [
  (name) @reference.call
  (qualified_name (name) @reference.call)])
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(scoped_call_expression scope: (name) @reference.type)
(class_constant_access_expression . (name) @reference.type)
(object_creation_expression [
  (name) @reference.type
  (qualified_name (name) @reference.type)])
(named_type [
  (name) @reference.type
  (qualified_name (name) @reference.type)])
(base_clause (name) @reference.type)
(class_interface_clause (name) @reference.type)
(use_declaration (name) @reference.type)
(namespace_use_clause (qualified_name (name) @reference.import))

; Marks.
(global_declaration) @mark.global
(assignment_expression left: (scoped_property_access_expression) @mark.global)
(augmented_assignment_expression left: (scoped_property_access_expression) @mark.global)
((assignment_expression left: (subscript_expression . (variable_name) @mark.global))
  (#any-of? @mark.global "$GLOBALS" "$_SESSION"))
(function_static_declaration) @mark.global
((variable_name) @mark.entry (#any-of? @mark.entry "$_GET" "$_POST" "$_REQUEST" "$argv"))
((function_call_expression function: (_) @called)
  (#mark! "file" "fopen" "file" "file_get_contents" "file_put_contents" "readfile" "unlink" "rename" "copy" "mkdir" "rmdir" "scandir" "opendir" "glob"
    "tempnam" "tmpfile" "touch" "chmod" "move_uploaded_file")
  (#mark! "process" "exec" "shell_exec" "system" "passthru" "proc_open" "popen" "pcntl_exec" "pcntl_fork" "posix_kill")
  (#mark! "network" "curl_init" "curl_exec" "curl_multi_exec" "fsockopen" "stream_socket_client" "stream_socket_server" "socket_create"
    "socket_connect" "mail" "dns_get_record" "gethostbyname")
  (#mark! "concurrency" "pcntl_fork" "flock" "sem_acquire" "pcntl_signal" "parallel\\run"))
((object_creation_expression [(name) @called (qualified_name) @called])
  (#mark! "file" "SplFileObject" "DirectoryIterator" "RecursiveDirectoryIterator" "ZipArchive")
  (#mark! "network" "PDO" "mysqli" "SoapClient" "Client" "Redis")
  (#mark! "concurrency" "Fiber" "Thread"))
