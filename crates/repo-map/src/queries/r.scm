; R.

(binary_operator lhs: [(identifier) (string)] @name ["<-" "=" "<<-"] rhs: (function_definition parameters: (_) body: (_) @body)) @definition.function
((binary_operator lhs: (identifier) @name rhs: (call function: [
  (identifier) @_class
  (namespace_operator rhs: (identifier) @_class)] arguments: (_) @body)) @definition.class
  (#any-of? @_class "R6Class" "setRefClass" "new_class"))
((call function: (identifier) @_class arguments: (arguments . argument: (argument value: (string content: (_) @name)))) @definition.class
  (#any-of? @_class "setClass" "setRefClass"))
((call function: (identifier) @_generic arguments: (arguments . argument: (argument value: (string content: (_) @name)))) @definition.function
  (#eq? @_generic "setGeneric"))
((call function: (identifier) @_method arguments: (arguments
  . argument: (argument value: (string content: (_) @name))
  argument: (argument value: (string content: (_) @parent)))) @definition.method
  (#eq? @_method "setMethod"))
((call function: (identifier) @_list arguments: (arguments
  argument: (argument name: (identifier) @name value: (function_definition parameters: (_) body: (_) @body)) @definition.method))
  (#eq? @_list "list"))
(program (binary_operator lhs: (identifier) @name ["<-" "=" "<<-"]) @definition.variable)

(comment) @comment

(call function: [
  (identifier) @reference.call
  (namespace_operator rhs: (identifier) @reference.call)
  (extract_operator rhs: (identifier) @reference.call)])

; Marks.
(binary_operator lhs: (identifier) "<<-" @mark.global)
((call function: (_) @called)
  (#mark! "file" "read.csv" "write.csv" "readRDS" "saveRDS" "readLines" "writeLines" "file" "unlink" "file.remove" "file.copy" "file.rename" "dir.create"
    "list.files" "read_csv" "write_csv" "fread" "fwrite" "load" "save" "source" "sink")
  (#mark! "process" "system" "system2" "shell" "quit" "processx::run" "callr::r")
  (#mark! "network" "download.file" "url" "socketConnection" "httr::GET" "httr::POST" "GET" "POST" "curl_fetch_memory" "req_perform")
  (#mark! "concurrency" "mclapply" "parLapply" "makeCluster" "future" "future_map" "foreach" "registerDoParallel"))
