; Go.

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @parent
    (generic_type type: (type_identifier) @parent)
    (pointer_type (type_identifier) @parent)
    (pointer_type (generic_type type: (type_identifier) @parent))]))
  name: (field_identifier) @name) @definition.method
((type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
  (#set! prefix "type"))
((type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @definition.interface
  (#set! prefix "type"))
((type_spec name: (type_identifier) @name) @definition.type
  (#set! prefix "type"))
((type_alias name: (type_identifier) @name) @definition.type
  (#set! prefix "type"))
((const_spec name: (identifier) @name) @definition.constant
  (#set! prefix "const"))
((var_spec name: (identifier) @name) @definition.variable
  (#set! prefix "var"))
(method_elem name: (field_identifier) @name) @definition.method

(comment) @comment

(call_expression function: [
  (identifier) @reference.call
  (selector_expression field: (field_identifier) @reference.call)])
(type_identifier) @reference.type

; Marks.
((function_declaration name: (identifier) @mark.entry) (#any-of? @mark.entry "main" "init"))
(go_statement) @mark.concurrency
(select_statement) @mark.concurrency
(send_statement) @mark.concurrency
(channel_type) @mark.concurrency
((call_expression function: (_) @called)
  (#mark! "file" "os.Open" "os.OpenFile" "os.Create" "os.CreateTemp" "os.ReadFile" "os.WriteFile" "os.Remove" "os.RemoveAll" "os.Rename"
    "os.Mkdir" "os.MkdirAll" "os.MkdirTemp" "os.ReadDir" "os.Stat" "os.Symlink" "os.Chmod" "ioutil.ReadFile" "ioutil.WriteFile"
    "ioutil.ReadDir" "ioutil.TempDir" "filepath.Walk" "filepath.WalkDir")
  (#mark! "process" "exec.Command" "exec.CommandContext" "os.StartProcess" "os.Exit" "syscall.Exec" "syscall.Kill" "log.Fatal" "log.Fatalf")
  (#mark! "network" "http.Get" "http.Post" "http.NewRequest" "http.NewRequestWithContext" "http.ListenAndServe" "http.ListenAndServeTLS"
    "ListenAndServe" "http.HandleFunc" "net.Dial" "net.DialTimeout" "net.Listen" "net.LookupHost" "net.ResolveTCPAddr" "grpc.Dial"
    "grpc.NewServer" "sql.Open")
  (#mark! "concurrency" "errgroup.WithContext" "Lock" "RLock" "wg.Add" "wg.Wait" "atomic.AddInt32" "atomic.AddInt64" "atomic.StoreInt64"
    "atomic.CompareAndSwapInt32" "atomic.CompareAndSwapInt64" "context.WithTimeout" "context.WithCancel" "time.AfterFunc"))
(assignment_statement left: (expression_list [
  (identifier) @write
  (selector_expression operand: (identifier) @write)
  (index_expression operand: (identifier) @write)]))
(inc_statement (identifier) @write)
(dec_statement (identifier) @write)
