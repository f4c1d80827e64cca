# Deploys a service.
function Get-Release {
    param([string] $Name)
    return "releases/$Name"
}

function Install-Release {
    param([string] $Name, [string] $Target)
    $release = Get-Release -Name $Name
    Copy-Item -Path $release -Destination $Target
}

function Test-Release {
    param([string] $Target)
    Test-Path -Path $Target
}
