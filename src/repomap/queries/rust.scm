; Rust. What the captures mean is written in grammar.rs.

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
