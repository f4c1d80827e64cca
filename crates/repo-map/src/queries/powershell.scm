; PowerShell.

(function_statement (function_name) @name (function_parameter_declaration) (script_block)? @body) @definition.function
(function_statement (function_name) @name . (script_block)? @body) @definition.function
(class_statement . (simple_name) @name "{" @body) @definition.class
(class_method_definition (simple_name) @name (script_block)? @body) @definition.method
(enum_statement . (simple_name) @name "{" @body) @definition.enum

(comment) @comment

(command command_name: (command_name) @reference.call)
(member_name (simple_name) @reference.call)
(type_identifier) @reference.type

; Marks.
((command command_name: (command_name) @called)
  (#mark! "file" "Get-Content" "Set-Content" "Add-Content" "Out-File" "New-Item" "Remove-Item" "Copy-Item" "Move-Item" "Rename-Item" "Get-ChildItem"
    "Export-Csv" "Import-Csv" "Compress-Archive" "Expand-Archive" "Test-Path")
  (#mark! "process" "Start-Process" "Stop-Process" "Invoke-Expression" "Start-Service" "Stop-Service" "Invoke-Command" "Restart-Computer" "cmd" "pwsh"
    "powershell")
  (#mark! "network" "Invoke-WebRequest" "Invoke-RestMethod" "Test-NetConnection" "Resolve-DnsName" "Send-MailMessage" "New-PSSession" "Start-BitsTransfer")
  (#mark! "concurrency" "Start-Job" "Start-ThreadJob" "Wait-Job" "Receive-Job" "Start-Sleep"))
((left_assignment_expression) @mark.global (#match? @mark.global "^\\$(global|script|env):"))
