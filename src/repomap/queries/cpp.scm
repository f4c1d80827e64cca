
; What C++ has besides.
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
