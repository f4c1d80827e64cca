; Bash and what is near to it.

(function_definition name: (word) @name) @definition.function
((declaration_command ["readonly" "declare" "export" "typeset"] (variable_assignment name: (variable_name) @name)) @definition.constant)

(comment) @comment

(command name: (command_name (word) @reference.call))
