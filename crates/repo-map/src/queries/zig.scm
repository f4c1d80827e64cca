; Zig. An assignment is a `variable_declaration` without `const` and `var`.

(function_declaration name: (identifier) @name) @definition.function
(variable_declaration "const" . (identifier) @name (struct_declaration "{" @body)) @definition.struct
(variable_declaration "const" . (identifier) @name (union_declaration "{" @body)) @definition.struct
(variable_declaration "const" . (identifier) @name (opaque_declaration "{" @body)) @definition.struct
(variable_declaration "const" . (identifier) @name (enum_declaration "{" @body)) @definition.enum
(variable_declaration "const" . (identifier) @name (error_set_declaration "{" @body)) @definition.enum
(variable_declaration "const" . (identifier) @name) @definition.constant
(variable_declaration "var" . (identifier) @name) @definition.variable

((variable_declaration "const" . (identifier) @import (builtin_function (builtin_identifier) @_import))
  (#any-of? @_import "@import" "@cImport"))

(comment) @comment

(call_expression function: [
  (identifier) @reference.call
  (field_expression member: (identifier) @reference.call)
  (error_union_type ok: (identifier) @reference.call)
  (error_union_type ok: (field_expression member: (identifier) @reference.call))])
((field_expression object: (identifier) @reference.type) (#match? @reference.type "^[A-Z]"))
(function_declaration type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
(container_field type: (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(pointer_type (identifier) @reference.type)
(slice_type (identifier) @reference.type)
(nullable_type (identifier) @reference.type)
(array_type (identifier) @reference.type)
(error_union_type error: (identifier) @reference.type)
(error_union_type ok: (identifier) @reference.type)

; Marks.
((source_file (function_declaration name: (identifier) @mark.entry)) (#eq? @mark.entry "main"))
(function_declaration "export" @mark.entry)
((call_expression function: (_) @called)
  (#mark! "file" "openFile" "createFile" "deleteFile" "makeDir" "makePath" "openDir" "deleteTree" "readFileAlloc" "writeFile" "rename")
  (#mark! "process" "process.exit" "process.Child.init" "process.Child.run" "posix.fork" "posix.execveZ" "os.exit")
  (#mark! "network" "net.tcpConnectToHost" "net.tcpConnectToAddress" "net.Address.listen" "posix.socket" "http.Client.fetch")
  (#mark! "concurrency" "Thread.spawn" "Thread.Pool.init" "lock" "tryLock" "async" "@atomicStore" "@atomicRmw"))
(variable_declaration . (identifier) @write)
