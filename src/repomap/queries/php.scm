; PHP.

(namespace_definition name: (namespace_name) @name) @definition.module
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.interface
(enum_declaration name: (name) @name) @definition.enum
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element . (name) @name)) @definition.constant

(comment) @comment
(attribute_list) @between

(function_call_expression function: [
  (name) @reference.call
  (qualified_name (name) @reference.call)])
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(scoped_call_expression scope: (name) @reference.type)
(class_constant_access_expression . (name) @reference.type)
(object_creation_expression [
  (name) @reference.type
  (qualified_name (name) @reference.type)])
(named_type [
  (name) @reference.type
  (qualified_name (name) @reference.type)])
(base_clause (name) @reference.type)
(class_interface_clause (name) @reference.type)
(use_declaration (name) @reference.type)
(namespace_use_clause (qualified_name (name) @reference.import))
