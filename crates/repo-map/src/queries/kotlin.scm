; Kotlin. The grammar has no field for bodies.

(class_declaration . "class" name: (identifier) @name (class_body)? @body) @definition.class
((class_declaration . (modifiers) @_modifiers "class" name: (identifier) @name (class_body)? @body) @definition.class
  (#not-match? @_modifiers "\\benum\\b"))
(class_declaration "class" name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @definition.interface
(object_declaration name: (identifier) @name (class_body)? @body) @definition.class
(companion_object name: (identifier) @name (class_body)? @body) @definition.class
(type_alias type: (identifier) @name) @definition.type
; `fun Type.name()` has a receiver.
(function_declaration (user_type . (identifier) @parent) name: (identifier) @name (function_body)? @body) @definition.function
(function_declaration name: (identifier) @name (function_body)? @body) @definition.function
((property_declaration (modifiers) @_modifiers (variable_declaration . (identifier) @name)) @definition.constant
  (#match? @_modifiers "\\bconst\\b"))
(property_declaration (variable_declaration . (identifier) @name) (getter) @body) @definition.property
(source_file (property_declaration "val" (variable_declaration . (identifier) @name)) @definition.constant)
(source_file (property_declaration "var" (variable_declaration . (identifier) @name)) @definition.variable)

(line_comment) @comment
(block_comment) @comment
(annotation) @between

(call_expression (identifier) @reference.call)
(call_expression (navigation_expression (identifier) @reference.call))
(unary_expression argument: (identifier) @reference.call)
(user_type (identifier) @reference.type)

; Marks.
((source_file (function_declaration name: (identifier) @mark.entry)) (#eq? @mark.entry "main"))
((annotation (user_type (identifier) @mark.entry))
  (#any-of? @mark.entry "GetMapping" "PostMapping" "PutMapping" "DeleteMapping" "RequestMapping" "Scheduled" "KafkaListener"
    "SpringBootApplication" "Composable"))
((modifiers (function_modifier) @mark.concurrency) (#eq? @mark.concurrency "suspend"))
((call_expression . (_) @called)
  (#mark! "file" "File" "readText" "writeText" "readBytes" "writeBytes" "readLines" "appendText" "bufferedReader" "bufferedWriter" "Files.write"
    "Files.copy" "Files.delete" "deleteRecursively" "createTempFile" "FileInputStream" "FileOutputStream")
  (#mark! "process" "ProcessBuilder" "Runtime.getRuntime" "exitProcess")
  (#mark! "network" "URL" "Socket" "ServerSocket" "HttpClient" "OkHttpClient" "embeddedServer")
  (#mark! "concurrency" "thread" "launch" "async" "runBlocking" "withContext" "coroutineScope" "synchronized" "withLock" "Mutex"
    "ReentrantLock" "AtomicInteger" "AtomicLong" "Thread"))
(assignment . (identifier) @write)
