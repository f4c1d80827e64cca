
; Additions of C++ to c.scm.
(function_definition declarator: [
  (function_declarator declarator: [
    (field_identifier) @name
    (destructor_name) @name
    (operator_name) @name
    (qualified_identifier) @name
    (template_function name: (identifier) @name)])
  (pointer_declarator declarator: (function_declarator declarator: [
    (field_identifier) @name (operator_name) @name (qualified_identifier) @name]))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [
    (field_identifier) @name (qualified_identifier) @name])))
  (reference_declarator (function_declarator declarator: [
    (identifier) @name (field_identifier) @name (operator_name) @name (qualified_identifier) @name]))
  (operator_cast) @name
]) @definition.function
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) @name (operator_name) @name])
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) @name (operator_name) @name]))
]) @definition.prototype
(declaration declarator: [
  (function_declarator declarator: [(destructor_name) @name (operator_name) @name])
  (reference_declarator (function_declarator declarator: (identifier) @name))
]) @definition.prototype
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
; `class Outer::Inner {…}`
(class_specifier name: (qualified_identifier scope: (_) @parent name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier name: (type_identifier) @name)]) body: (_)) @definition.class
(struct_specifier name: (qualified_identifier scope: (_) @parent name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier name: (type_identifier) @name)]) body: (_)) @definition.struct
(enum_specifier name: (qualified_identifier scope: (_) @parent name: (type_identifier) @name) body: (_)) @definition.enum
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.struct
(namespace_definition name: (_) @name) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(template_declaration) @outer
(field_initializer_list) @between

(call_expression function: [
  (qualified_identifier name: (identifier) @reference.call)
  (template_function name: (identifier) @reference.call)
  (field_expression field: (template_method name: (field_identifier) @reference.call))])
(qualified_identifier scope: (namespace_identifier) @reference.type)
(using_declaration (qualified_identifier name: (identifier) @reference.import))

; Marks.
((call_expression function: (_) @called)
  (#mark! "file" "filesystem::remove" "filesystem::remove_all" "filesystem::rename" "filesystem::copy" "filesystem::create_directory"
    "filesystem::create_directories" "fs::remove" "fs::remove_all" "fs::rename" "fs::copy" "fs::create_directories")
  (#mark! "process" "std::system" "std::exit" "std::abort" "std::terminate" "std::quick_exit")
  (#mark! "concurrency" "std::async" "std::thread" "std::jthread" "this_thread::sleep_for" "fetch_add" "compare_exchange_strong"
    "compare_exchange_weak"))
((declaration type: (_) @called)
  (#mark! "file" "std::ifstream" "std::ofstream" "std::fstream" "ifstream" "ofstream" "fstream")
  (#mark! "network" "tcp::socket" "tcp::acceptor" "io_context")
  (#mark! "concurrency" "std::thread" "std::jthread" "std::mutex"))
((template_type name: (type_identifier) @mark.concurrency)
  (#any-of? @mark.concurrency "lock_guard" "unique_lock" "scoped_lock" "shared_lock" "atomic" "future" "promise"))
((template_function name: (identifier) @mark.concurrency) (#any-of? @mark.concurrency "async"))
(co_await_expression) @mark.concurrency
