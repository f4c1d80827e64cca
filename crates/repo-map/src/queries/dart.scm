; Dart. Documentation belongs to the member that follows.

(class_declaration name: (identifier) @name) @definition.class
(mixin_declaration name: (identifier) @name) @definition.class
(extension_declaration name: (identifier) @name) @definition.implementation
(extension_type_declaration name: (_) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.enum
(type_alias . (type_identifier) @name) @definition.type
(function_declaration signature: (function_signature name: (identifier) @name)) @definition.function
(getter_declaration signature: (getter_signature name: (identifier) @name)) @definition.property
(setter_declaration signature: (setter_signature name: (identifier) @name)) @definition.property
(method_declaration signature: (method_signature [
  (function_signature name: (identifier) @name)
  (operator_signature operator: (_) @name)
  (constructor_signature . name: (identifier) @name)
  (factory_constructor_signature name: (identifier) name: (identifier) @name)])) @definition.method
(method_declaration signature: (method_signature [
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)])) @definition.property
(declaration [
  (function_signature name: (identifier) @name)
  (operator_signature operator: (_) @name)
  (constructor_signature . name: (identifier) @name)
  (constant_constructor_signature . name: (identifier) @name)]) @definition.method
(declaration [
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)]) @definition.property
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.constant
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @definition.variable

(comment) @comment
(documentation_comment) @comment
(annotation) @between

(call_expression function: [
  (identifier) @reference.call
  (member_expression property: (identifier) @reference.call)
  (instantiation_expression function: (identifier) @reference.call)])
(cascade_call_expression property: (identifier) @reference.call)
((call_expression function: (member_expression object: (identifier) @reference.type))
  (#match? @reference.type "^[A-Z]"))
(type_identifier) @reference.type

; Marks.
((function_declaration signature: (function_signature name: (identifier) @mark.entry)) (#any-of? @mark.entry "main" "runApp"))
(function_body "async" @mark.concurrency)
(await_expression) @mark.concurrency
((call_expression function: (_) @called)
  (#mark! "file" "File" "Directory" "readAsString" "readAsStringSync" "writeAsString" "writeAsStringSync" "readAsBytes" "openRead" "openWrite" "deleteSync")
  (#mark! "process" "Process.run" "Process.start" "Process.runSync" "exit")
  (#mark! "network" "HttpClient" "HttpServer.bind" "Socket.connect" "ServerSocket.bind" "http.get" "http.post" "Dio" "WebSocket.connect")
  (#mark! "concurrency" "Isolate.spawn" "compute" "Future.wait" "Future.delayed" "Timer" "Timer.periodic" "scheduleMicrotask"))
(assignment_expression left: (assignable_expression . (identifier) @write))
