; Elixir. Definitions are calls of macros.

((call target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))])
  (do_block)? @body) @definition.function
  (#any-of? @_def "def" "defp" "defguard" "defguardp" "defdelegate"))
((call target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))])
  (do_block)? @body) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block)? @body) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block)? @body) @definition.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block)? @body) @definition.implementation
  (#eq? @_def "defimpl"))
((unary_operator "@" operand: (call target: (identifier) @_type
  (arguments . (binary_operator left: [
    (identifier) @name
    (call target: (identifier) @name)])))) @definition.type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator "@" operand: (call target: (identifier) @_type
  (arguments . (binary_operator left: (call target: (identifier) @name))))) @definition.prototype
  (#any-of? @_type "callback" "macrocallback"))
((unary_operator "@" operand: (call target: (identifier) @name (arguments))) @definition.constant
  (#not-any-of? @name "doc" "moduledoc" "typedoc" "type" "typep" "opaque" "spec" "impl" "callback" "macrocallback" "behaviour" "deprecated" "since"
    "derive" "dialyzer" "enforce_keys" "compile" "external_resource" "on_load" "before_compile" "after_compile" "on_definition" "optional_callbacks"
    "tag" "moduletag" "describetag" "vsn" "doctest"))

; `@doc` is the documentation of what follows.
((unary_operator "@" operand: (call target: (identifier) @_doc)) @comment
  (#any-of? @_doc "doc" "typedoc"))
((unary_operator "@" operand: (call target: (identifier) @_doc)) @doc
  (#eq? @_doc "moduledoc"))
((unary_operator "@" operand: (call target: (identifier) @_other)) @between
  (#any-of? @_other "spec" "impl" "deprecated" "since" "dialyzer"))
(comment) @comment

((call target: (identifier) @reference.call)
  (#not-any-of? @reference.call "def" "defp" "defguard" "defguardp" "defdelegate" "defmacro" "defmacrop" "defmodule" "defprotocol" "defimpl"
    "defstruct" "use" "alias" "import" "require" "doc" "moduledoc" "typedoc" "spec" "type" "typep" "impl" "if" "unless" "case" "cond" "quote"
    "unquote" "with" "for" "raise" "is_nil" "is_binary" "is_list" "is_map" "is_atom" "is_integer"))
(call target: (dot right: (identifier) @reference.call))
(alias) @reference.type

; Marks.
((call target: (_) @called)
  (#mark! "file" "File.read" "File.read!" "File.write" "File.write!" "File.open" "File.stream!" "File.rm" "File.rm_rf" "File.mkdir_p" "File.cp" "File.ls")
  (#mark! "process" "System.cmd" "System.shell" "System.halt" "Port.open")
  (#mark! "network" "HTTPoison.get" "HTTPoison.post" "Req.get" "Req.post" "Finch.request" "Tesla.get" ":gen_tcp.connect" ":gen_tcp.listen" ":httpc.request")
  (#mark! "concurrency" "spawn" "spawn_link" "Task.async" "Task.start" "Task.async_stream" "GenServer.start_link" "GenServer.call" "GenServer.cast" "Agent.start_link"
    "Agent.update" "Supervisor.start_link" "Process.send_after" "send"))
