; Bash and similar shells.

(function_definition name: (word) @name) @definition.function
((declaration_command ["readonly" "declare" "export" "typeset"] (variable_assignment name: (variable_name) @name)) @definition.constant)

(comment) @comment

(command name: (command_name (word) @reference.call))

(program (variable_assignment name: (variable_name) @name) @definition.variable)

; Marks.
((function_definition name: (word) @mark.entry) (#eq? @mark.entry "main"))
((command name: (command_name) @called)
  (#mark! "file" "rm" "mv" "cp" "mkdir" "rmdir" "touch" "ln" "install" "mktemp" "tee" "chmod" "chown" "dd" "truncate" "unlink" "tar" "unzip" "find" "cat"
    "rsync" "source")
  (#mark! "process" "exec" "eval" "kill" "pkill" "sudo" "su" "xargs" "bash" "sh" "docker" "systemctl" "exit" "trap" "nohup")
  (#mark! "network" "curl" "wget" "ssh" "scp" "rsync" "nc" "ncat" "ftp" "sftp" "ping" "dig" "nslookup" "openssl")
  (#mark! "concurrency" "wait" "parallel" "flock" "coproc" "nohup"))
((file_redirect destination: (_) @mark.file) (#match? @mark.file "^[\"']?(/[^d]|/d[^e]|[^/&0-9\"'])"))
(program "&" @mark.concurrency)
(compound_statement "&" @mark.concurrency)
(do_group "&" @mark.concurrency)
(variable_assignment name: (variable_name) @write)
