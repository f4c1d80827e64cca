; C#.

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type
(namespace_declaration name: (_) @name) @definition.module
(file_scoped_namespace_declaration name: (_) @name) @definition.module
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(destructor_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(property_declaration name: (identifier) @name accessors: (_)? @body) @definition.property
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant

(comment) @comment
(attribute_list) @between

(invocation_expression function: [
  (identifier) @reference.call
  (generic_name (identifier) @reference.call)
  (member_access_expression name: (identifier) @reference.call)
  (member_access_expression name: (generic_name (identifier) @reference.call))])
(member_access_expression expression: (identifier) @reference.type)
(object_creation_expression type: (identifier) @reference.type)
(generic_name (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(base_list (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
(method_declaration returns: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(attribute name: (identifier) @reference.type)
(nullable_type type: (identifier) @reference.type)
(array_type type: (identifier) @reference.type)
