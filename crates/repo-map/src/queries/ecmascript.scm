; Common to JavaScript and TypeScript; see javascript.scm and typescript.scm for the differences.

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(method_definition name: (_) @name) @definition.method
(pair key: [(property_identifier) (string)] @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.method
(variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(return_statement (function_expression name: (identifier) @name) @definition.function)
(arguments (function_expression name: (identifier) @name) @definition.function)
(arrow_function body: (function_expression name: (identifier) @name) @definition.function)
(arguments (class name: (_) @name body: (_)) @definition.class)
(return_statement (class name: (_) @name body: (_)) @definition.class)
(parenthesized_expression (function_expression name: (identifier) @name) @definition.function)

; `app.use = function`, `App.prototype.use = function`, `exports.use = function`, `this.use = function`
((assignment_expression
  left: (member_expression object: (identifier) @parent property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)]) @definition.function
  (#not-any-of? @name "exports" "prototype"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @parent property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)]) @definition.function
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)]) @definition.function
  (#not-any-of? @name "exports" "prototype"))
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression !name body: (_) @body)]) @definition.function
((assignment_expression
  left: (identifier) @name
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)]) @definition.function
  (#not-any-of? @name "exports"))
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: (class body: (_) @body)) @definition.class
(assignment_expression left: (identifier) @name right: (class body: (_) @body)) @definition.class

; What a CommonJS module exports.
((assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name)) @definition.constant
  (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier))
    property: (property_identifier) @name)) @definition.constant
  (#eq? @_module "module"))
((assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (function_expression name: (identifier) @name body: (_) @body)) @definition.function
  (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (class name: (_) @name body: (_) @body)) @definition.class
  (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (object (pair key: (property_identifier) @name) @definition.constant))
  (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (object (shorthand_property_identifier) @reference.import))
  (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @import)
  right: (call_expression function: (identifier) @reference.call))
  (#eq? @_exports "exports")
  (#eq? @reference.call "require"))

; `require` binds a name, it defines none.
((variable_declarator name: (identifier) @import value: (call_expression function: (identifier) @_require))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @import value: (call_expression function: (call_expression function: (identifier) @_require)))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @import value: (member_expression object: (call_expression function: (identifier) @_require)))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @import value: (new_expression constructor: (call_expression function: (identifier) @_require)))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @import value: (call_expression function: (member_expression object: (call_expression function: (identifier) @_require))))
  (#eq? @_require "require"))
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)
(lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable)
(variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)

(comment) @comment
(decorator) @between
(export_statement) @outer
(lexical_declaration) @outer
(variable_declaration) @outer

(call_expression function: [
  (identifier) @reference.call
  (member_expression property: (property_identifier) @reference.call)])
(new_expression constructor: [
  (identifier) @reference.type
  (member_expression property: (property_identifier) @reference.type)])
(decorator (identifier) @reference.call)
(import_specifier name: (identifier) @reference.import)
(import_clause (identifier) @reference.import)
(export_specifier name: (identifier) @reference.import)

; Marks.
((call_expression function: (_) @called)
  (#mark! "entry" "http.createServer" "app.listen" "addEventListener")
  (#mark! "file" "readFile" "readFileSync" "writeFile" "writeFileSync" "appendFile" "appendFileSync" "copyFile" "copyFileSync"
    "createReadStream" "createWriteStream" "fs.open" "fs.openSync" "mkdir" "mkdirSync" "mkdtemp" "mkdtempSync" "readdir"
    "readdirSync" "rename" "renameSync" "fs.rm" "rmSync" "rmdir" "rmdirSync" "fs.stat" "statSync" "unlink" "unlinkSync"
    "symlinkSync" "chmodSync" "Deno.readTextFile" "Deno.writeTextFile" "Bun.file" "Bun.write")
  (#mark! "process" "execFile" "execFileSync" "execSync" "spawnSync" "child_process.exec" "child_process.spawn"
    "child_process.fork" "cp.exec" "cp.spawn" "cp.fork" "spawn" "execa" "process.exit" "process.kill" "Deno.run")
  (#mark! "network" "fetch" "axios" "axios.get" "axios.post" "http.get" "http.request" "https.get" "https.request"
    "http.createServer" "https.createServer" "net.connect" "net.createConnection" "net.createServer" "dgram.createSocket"
    "app.listen" "server.listen" "sendBeacon" "dns.lookup")
  (#mark! "concurrency" "setInterval" "setTimeout" "setImmediate" "queueMicrotask" "process.nextTick" "Promise.all"
    "Promise.race" "Promise.any" "Promise.allSettled" "Atomics.wait" "Atomics.store" "postMessage"))
((new_expression constructor: (_) @called)
  (#mark! "network" "XMLHttpRequest" "WebSocket" "EventSource" "net.Socket" "WebSocketServer")
  (#mark! "concurrency" "Worker" "SharedWorker" "SharedArrayBuffer" "MessageChannel" "Promise"))
(function_declaration "async" @mark.concurrency)
(method_definition "async" @mark.concurrency)
(arrow_function "async" @mark.concurrency)
(function_expression "async" @mark.concurrency)
(await_expression) @mark.concurrency
(assignment_expression left: [
  (identifier) @write
  (member_expression object: (identifier) @write)
  (subscript_expression object: (identifier) @write)])
(augmented_assignment_expression left: [
  (identifier) @write
  (member_expression object: (identifier) @write)
  (subscript_expression object: (identifier) @write)])
(update_expression argument: [
  (identifier) @write
  (member_expression object: (identifier) @write)])
((assignment_expression left: (member_expression object: (identifier) @mark.global))
  (#any-of? @mark.global "globalThis" "window" "global"))
