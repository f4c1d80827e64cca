
; Only TypeScript.
(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(type_alias_declaration name: (type_identifier) @name) @definition.type
(function_signature name: (identifier) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(public_field_definition name: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.method
(construct_signature "new" @name) @definition.method
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module

(ambient_declaration) @outer

(type_identifier) @reference.type
(extends_clause value: [
  (identifier) @reference.type
  (member_expression property: (property_identifier) @reference.type)])
