; Python.

(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
((assignment left: (identifier) @name) @definition.constant
  (#match? @name "^_?[A-Z][A-Z0-9_]+$"))
(type_alias_statement left: (type (identifier) @name)) @definition.type

(block . (expression_statement . (string) @doc))
(module . (expression_statement . (string) @doc))
(module . (comment) . (expression_statement . (string) @doc))
(comment) @comment
(decorator) @between

(call function: [
  (identifier) @reference.call
  (attribute attribute: (identifier) @reference.call)])
(decorator [
  (identifier) @reference.call
  (attribute attribute: (identifier) @reference.call)])
(type [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)])
(generic_type (identifier) @reference.type)
(class_definition superclasses: (argument_list [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)]))
(except_clause value: (identifier) @reference.type)
(import_from_statement name: (dotted_name (identifier) @reference.import .))
(import_from_statement name: (aliased_import name: (dotted_name (identifier) @reference.import .)))
