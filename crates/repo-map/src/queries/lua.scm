; Lua.

(function_declaration name: [
  (identifier) @name
  (dot_index_expression table: (_) @parent field: (identifier) @name)
  (method_index_expression table: (_) @parent method: (identifier) @name)]) @definition.function
(assignment_statement
  (variable_list . name: [
    (identifier) @name
    (dot_index_expression table: (_) @parent field: (identifier) @name)])
  (expression_list . value: (function_definition parameters: (_) body: (_)? @body))) @definition.function
(field name: (identifier) @name value: (function_definition parameters: (_) body: (_)? @body)) @definition.method
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)

((assignment_statement
  (variable_list . name: (identifier) @import)
  (expression_list . value: (function_call name: (identifier) @_require)))
  (#eq? @_require "require"))

(comment) @comment

(function_call name: [
  (identifier) @reference.call
  (dot_index_expression field: (identifier) @reference.call)
  (method_index_expression method: (identifier) @reference.call)])
((function_call name: [
  (dot_index_expression table: (identifier) @reference.type)
  (method_index_expression table: (identifier) @reference.type)])
  (#match? @reference.type "^[A-Z]"))

; Marks.
((function_call name: (_) @called)
  (#mark! "file" "io.open" "io.lines" "io.input" "io.output" "os.remove" "os.rename" "os.tmpname" "lfs.dir" "lfs.mkdir" "loadfile" "dofile")
  (#mark! "process" "os.execute" "io.popen" "os.exit")
  (#mark! "network" "socket.tcp" "socket.udp" "socket.connect" "socket.bind" "http.request" "ngx.socket.tcp")
  (#mark! "concurrency" "coroutine.create" "coroutine.wrap" "coroutine.resume" "ngx.thread.spawn" "ngx.timer.at"))
((assignment_statement (variable_list name: (dot_index_expression table: (identifier) @mark.global)))
  (#eq? @mark.global "_G"))
(assignment_statement (variable_list . name: [
  (identifier) @write
  (dot_index_expression table: (identifier) @write)
  (bracket_index_expression table: (identifier) @write)]))
