; Java.

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(field_declaration (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(block_comment) @comment
(line_comment) @comment
(marker_annotation) @between
(annotation) @between

(method_invocation name: (identifier) @reference.call)
(method_invocation object: (identifier) @reference.type)
(method_reference (identifier) @reference.call .)
(type_identifier) @reference.type
(marker_annotation name: (identifier) @reference.type)
(annotation name: (identifier) @reference.type)
(import_declaration (scoped_identifier name: (identifier) @reference.import))
