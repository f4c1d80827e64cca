; Protocol Buffers.

(message (message_name (identifier) @name) (message_body) @body) @definition.struct
(enum (enum_name (identifier) @name) (enum_body) @body) @definition.enum
(service (service_name (identifier) @name) "{" @body) @definition.interface
(rpc (rpc_name (identifier) @name)) @definition.method
(extend (full_ident (identifier) @name) (message_body) @body) @definition.implementation

(comment) @comment

(message_or_enum_type (identifier) @reference.type)
(extend (full_ident (identifier) @reference.type))
