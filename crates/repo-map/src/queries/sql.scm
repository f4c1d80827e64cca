; SQL.

(create_table (object_reference name: (identifier) @name) (column_definitions) @body) @definition.struct
(create_table (object_reference name: (identifier) @name)) @definition.struct
(create_view (object_reference name: (identifier) @name) (create_query)? @body) @definition.struct
(create_materialized_view (object_reference name: (identifier) @name) (create_query)? @body) @definition.struct
(create_type . (keyword_create) . (keyword_type) . (object_reference name: (identifier) @name)) @definition.type
(create_function (object_reference name: (identifier) @name) (function_body)? @body) @definition.function
(create_trigger . (keyword_create) . (keyword_trigger) . (object_reference name: (identifier) @name)) @definition.function
(create_schema (identifier) @name) @definition.module

(comment) @comment
(marginalia) @comment

(relation (object_reference name: (identifier) @reference.type))
(insert (object_reference name: (identifier) @reference.type))
(column_definition (keyword_references) . (object_reference name: (identifier) @reference.type))
(column_definition type: (object_reference name: (identifier) @reference.type))
(create_index (object_reference name: (identifier) @reference.type))
(create_trigger (keyword_on) . (object_reference name: (identifier) @reference.type))
(create_trigger (keyword_execute) (object_reference name: (identifier) @reference.call))
(invocation . (object_reference name: (identifier) @reference.call))
