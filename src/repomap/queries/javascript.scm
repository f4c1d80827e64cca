; JavaScript, with JSX.

(class_declaration name: (identifier) @name) @definition.class
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(method_definition name: (_) @name) @definition.method
(field_definition property: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.method
(pair key: (property_identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.method
(variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)]) @definition.function
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)
(lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable)
(variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)

(comment) @comment
(decorator) @between
(export_statement) @outer
(lexical_declaration) @outer
(variable_declaration) @outer

(call_expression function: [
  (identifier) @reference.call
  (member_expression property: (property_identifier) @reference.call)])
(new_expression constructor: [
  (identifier) @reference.type
  (member_expression property: (property_identifier) @reference.type)])
(class_heritage [
  (identifier) @reference.type
  (member_expression property: (property_identifier) @reference.type)])
(decorator (identifier) @reference.call)
(import_specifier name: (identifier) @reference.import)
(import_clause (identifier) @reference.import)
(export_specifier name: (identifier) @reference.import)
