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
