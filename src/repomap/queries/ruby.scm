; Ruby.

(class name: [
  (constant) @name
  (scope_resolution scope: (_) @parent name: (constant) @name)]) @definition.class
(module name: [
  (constant) @name
  (scope_resolution scope: (_) @parent name: (constant) @name)]) @definition.module
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant

(comment) @comment

(call method: (identifier) @reference.call)
(constant) @reference.type
