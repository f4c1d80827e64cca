; HCL: the blocks of Terraform.

((block . (identifier) @_kind . (string_lit (template_literal) @parent) . (string_lit (template_literal) @name) (block_start) @body) @definition.struct
  (#any-of? @_kind "resource" "data" "ephemeral"))
((block . (identifier) @_kind . (string_lit (template_literal) @name) (block_start) @body) @definition.module
  (#any-of? @_kind "module" "provider"))
((block . (identifier) @_kind . (string_lit (template_literal) @name) (block_start) @body) @definition.variable
  (#eq? @_kind "variable"))
((block . (identifier) @_kind . (string_lit (template_literal) @name) (block_start) @body) @definition.property
  (#eq? @_kind "output"))
((block . (identifier) @_kind (body (attribute . (identifier) @name) @definition.constant))
  (#eq? @_kind "locals"))

(comment) @comment

(function_call . (identifier) @reference.call)
(expression . (variable_expr) . (get_attr (identifier) @reference.call))
((expression . (variable_expr (identifier) @_data) . (get_attr) . (get_attr (identifier) @reference.call))
  (#eq? @_data "data"))

; Marks.
((function_call . (identifier) @mark.file) (#any-of? @mark.file "file" "templatefile" "filebase64" "fileset" "filemd5" "filesha256"))
((block . (identifier) @mark.process) (#eq? @mark.process "provisioner"))
