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

; Marks.
((if condition: (binary left: (_) @mark.entry)) (#eq? @mark.entry "__FILE__"))
(assignment left: (global_variable) @mark.global)
(operator_assignment left: (global_variable) @mark.global)
(assignment left: (class_variable) @mark.global)
(operator_assignment left: (class_variable) @mark.global)
(assignment left: (element_reference object: (constant) @write))
((call receiver: (_) @parent method: (identifier) @called)
  (#mark! "file" "File.open" "File.read" "File.write" "File.readlines" "File.foreach" "File.delete" "File.rename" "File.new" "File.exist?"
    "IO.read" "IO.write" "IO.readlines" "Dir.mkdir" "Dir.glob" "Dir.children" "Dir.entries" "Dir.mktmpdir" "FileUtils.rm_rf" "FileUtils.rm"
    "FileUtils.mkdir_p" "FileUtils.cp" "FileUtils.cp_r" "FileUtils.mv" "Tempfile.create" "Tempfile.new")
  (#mark! "process" "Process.spawn" "Process.kill" "Process.fork" "Open3.capture2" "Open3.capture2e" "Open3.capture3" "Open3.popen3"
    "Kernel.system" "Kernel.exec" "IO.popen" "Kernel.exit")
  (#mark! "network" "Net::HTTP.get" "Net::HTTP.start" "Net::HTTP.post" "Net::HTTP.new" "Net::HTTP.get_response" "Net::SMTP.start" "HTTP.get"
    "HTTP.post" "URI.open" "TCPSocket.new" "TCPSocket.open" "TCPServer.new" "UDPSocket.new" "Socket.tcp" "Faraday.new" "Faraday.get"
    "HTTParty.get" "HTTParty.post" "Resolv.getaddress")
  (#mark! "concurrency" "Thread.new" "Thread.start" "Mutex.new" "Monitor.new" "Queue.new" "Ractor.new" "Fiber.new" "ConditionVariable.new"
    "synchronize" "Concurrent::Future.execute"))
((call !receiver method: (identifier) @called)
  (#mark! "process" "system" "exec" "spawn" "fork" "abort" "exit" "exit!" "popen")
  (#mark! "file" "open"))
(subshell) @mark.process
