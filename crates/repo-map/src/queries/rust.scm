; Rust. See grammar.rs for the meaning of the captures.

(mod_item name: (identifier) @name body: (_)) @definition.module
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.interface
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name ["{" "(" "["] @body) @definition.macro
(impl_item type: (_) @name) @definition.implementation

(line_comment) @comment
(block_comment) @comment
(attribute_item) @between

(call_expression function: [
  (identifier) @reference.call
  (scoped_identifier name: (identifier) @reference.call)
  (field_expression field: (field_identifier) @reference.call)
  (generic_function function: [
    (identifier) @reference.call
    (scoped_identifier name: (identifier) @reference.call)
    (field_expression field: (field_identifier) @reference.call)])])
(macro_invocation macro: [
  (identifier) @reference.call
  (scoped_identifier name: (identifier) @reference.call)])
(token_tree (identifier) @reference.call)
(type_identifier) @reference.type
(scoped_identifier path: (identifier) @reference.type)
(use_declaration argument: (scoped_identifier name: (identifier) @reference.import))
(use_list (identifier) @reference.import)
(use_list (scoped_identifier name: (identifier) @reference.import))
(use_as_clause path: (scoped_identifier name: (identifier) @reference.import))

; Marks.
((function_item name: (identifier) @mark.entry) (#eq? @mark.entry "main"))
(static_item (mutable_specifier) name: (identifier) @mark.global)
((static_item type: (_) @mark.global) (#match? @mark.global "\\b(Atomic\\w+|Mutex|RwLock|RefCell|Cell|UnsafeCell|OnceCell|OnceLock|LazyCell|LazyLock|Lazy)\\b"))
(function_modifiers "async" @mark.concurrency)
(async_block) @mark.concurrency
(await_expression) @mark.concurrency
((call_expression function: [
  (identifier) @called
  (scoped_identifier) @called
  (field_expression) @called
  (generic_function function: (_) @called)])
  (#mark! "file" "fs::read" "fs::read_to_string" "fs::write" "fs::copy" "fs::rename" "fs::remove_file" "fs::remove_dir"
    "fs::remove_dir_all" "fs::create_dir" "fs::create_dir_all" "fs::read_dir" "fs::hard_link" "fs::metadata"
    "fs::set_permissions" "fs::canonicalize" "File::open" "File::create" "File::create_new" "OpenOptions::new" "read_to_string"
    "create_dir_all" "remove_file" "remove_dir_all" "WalkDir::new" "tempfile::tempdir" "NamedTempFile::new" "unix::fs::symlink")
  (#mark! "process" "Command::new" "process::exit" "process::abort" "Command::cargo_bin" "libc::fork" "libc::kill" "libc::execve")
  (#mark! "network" "TcpListener::bind" "TcpStream::connect" "TcpStream::connect_timeout" "UdpSocket::bind" "UnixListener::bind"
    "UnixStream::connect" "reqwest::get" "blocking::get" "Client::new" "ureq::get" "ureq::post" "to_socket_addrs" "lookup_host"
    "Server::bind" "axum::serve")
  (#mark! "concurrency" "thread::spawn" "thread::scope" "thread::Builder::new" "tokio::spawn" "task::spawn" "spawn_blocking"
    "rayon::spawn" "rayon::join" "rayon::scope" "par_iter" "into_par_iter" "par_bridge" "par_iter_mut" "par_chunks" "mpsc::channel"
    "mpsc::sync_channel" "Mutex::new" "RwLock::new" "Condvar::new" "Barrier::new" "block_on" "fetch_add" "fetch_sub"
    "compare_exchange" "compare_exchange_weak"))
(assignment_expression left: [
  (identifier) @write
  (field_expression value: (identifier) @write)
  (index_expression . (identifier) @write)])
(compound_assignment_expr left: [
  (identifier) @write
  (field_expression value: (identifier) @write)
  (index_expression . (identifier) @write)])
