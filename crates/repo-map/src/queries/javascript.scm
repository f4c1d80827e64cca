
; Only JavaScript.
(class_declaration name: (identifier) @name) @definition.class
(field_definition property: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @definition.method

(class_heritage [
  (identifier) @reference.type
  (member_expression property: (property_identifier) @reference.type)])
