; powershell
