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
(method_reference "::" (identifier) @reference.call)
(type_identifier) @reference.type
(marker_annotation name: (identifier) @reference.type)
(annotation name: (identifier) @reference.type)
(import_declaration (scoped_identifier name: (identifier) @reference.import))

(field_declaration (modifiers "static") declarator: (variable_declarator name: (identifier) @name)) @definition.variable

; Marks.
((method_declaration (modifiers "static") type: (void_type) name: (identifier) @mark.entry) (#eq? @mark.entry "main"))
((method_declaration (modifiers [(marker_annotation name: (identifier) @mark.entry) (annotation name: (identifier) @mark.entry)]))
  (#any-of? @mark.entry "GetMapping" "PostMapping" "PutMapping" "DeleteMapping" "RequestMapping" "Path" "Scheduled" "EventListener"
    "KafkaListener"))
(modifiers "synchronized" @mark.concurrency)
(synchronized_statement) @mark.concurrency
((method_invocation object: (_) @parent name: (identifier) @called)
  (#mark! "file" "Files.readString" "Files.readAllBytes" "Files.readAllLines" "Files.lines" "Files.write" "Files.writeString" "Files.copy"
    "Files.move" "Files.delete" "Files.deleteIfExists" "Files.createDirectory" "Files.createDirectories" "Files.createTempFile"
    "Files.createTempDirectory" "Files.walk" "Files.list" "Files.newInputStream" "Files.newOutputStream" "Files.newBufferedReader"
    "Files.newBufferedWriter" "FileChannel.open")
  (#mark! "process" "getRuntime().exec" "Runtime.exec" "runtime.exec" "System.exit" "Runtime.getRuntime" "ProcessHandle.of")
  (#mark! "network" "HttpClient.newHttpClient" "HttpClient.newBuilder" "openConnection" "openStream" "DriverManager.getConnection"
    "InetAddress.getByName" "SocketChannel.open" "ServerSocketChannel.open")
  (#mark! "concurrency" "Executors.newFixedThreadPool" "Executors.newCachedThreadPool" "Executors.newSingleThreadExecutor"
    "Executors.newScheduledThreadPool" "Executors.newVirtualThreadPerTaskExecutor" "CompletableFuture.runAsync"
    "CompletableFuture.supplyAsync" "Thread.startVirtualThread" "Thread.ofVirtual" "Thread.sleep" "parallelStream" "lock.lock"
    "compareAndSet" "incrementAndGet"))
((object_creation_expression type: (_) @called)
  (#mark! "file" "FileInputStream" "FileOutputStream" "FileReader" "FileWriter" "RandomAccessFile" "PrintWriter")
  (#mark! "process" "ProcessBuilder")
  (#mark! "network" "Socket" "ServerSocket" "DatagramSocket" "URL")
  (#mark! "concurrency" "Thread" "ReentrantLock" "ReentrantReadWriteLock" "Semaphore" "CountDownLatch" "AtomicInteger" "AtomicLong"
    "AtomicBoolean" "AtomicReference"))
(assignment_expression left: [
  (identifier) @write
  (field_access field: (identifier) @write)
  (array_access array: (identifier) @write)])
(update_expression (identifier) @write)
