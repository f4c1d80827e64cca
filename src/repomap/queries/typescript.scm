; TypeScript; TSX adds jsx.scm.

(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(type_alias_declaration name: (type_identifier) @name) @definition.type
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(function_signature name: (identifier) @name) @definition.function
(method_definition name: (_) @name) @definition.method
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(public_field_definition name: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.method
(pair key: (property_identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.method
(variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.function
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)
(lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable)
(variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module

(comment) @comment
(decorator) @between
(export_statement) @outer
(ambient_declaration) @outer
(lexical_declaration) @outer
(variable_declaration) @outer

(call_expression function: [
  (identifier) @reference.call
  (member_expression property: (property_identifier) @reference.call)])
(new_expression constructor: [
  (identifier) @reference.type
  (member_expression property: (property_identifier) @reference.type)])
(type_identifier) @reference.type
(extends_clause value: [
  (identifier) @reference.type
  (member_expression property: (property_identifier) @reference.type)])
(decorator (identifier) @reference.call)
(import_specifier name: (identifier) @reference.import)
(import_clause (identifier) @reference.import)
(export_specifier name: (identifier) @reference.import)
