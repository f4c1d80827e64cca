function Get-Pure($x) { return $x }
function Step-Count { $global:count = 1 }
function Read-It { Get-Content a }
function Start-It { Start-Process a }
function Connect-It { Invoke-WebRequest a }
function Start-Later { Start-Job { Get-Pure 1 } }
