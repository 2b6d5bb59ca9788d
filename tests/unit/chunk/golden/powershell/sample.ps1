#Requires -Version 7.0
using namespace System.Text
Import-Module Pester

param(
    [string]$Path = ".",
    [switch]$Force
)

$script:Limit = 10
Set-StrictMode -Version Latest

<#
.SYNOPSIS
Counts the files of a folder, also in "Größen".
#>
function Get-FileCount {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)]
        [string]$Folder
    )
    begin { $n = 0 }
    process { $n += (Get-ChildItem $Folder).Count }
    end { return $n }
}

# Two numbers added.
function Add-Numbers($a, $b) {
    function Local-Helper { return 1 }
    return $a + $b
}

filter Select-Even { if ($_ % 2 -eq 0) { $_ } }

function script:Reset-All { $script:Limit = 0 }

# Colours of a lamp, "Grün".
enum Farbe {
    Rot
    Gelb = 2
}

enum Mode { Off = 0; On = 1 }

# A lamp with a colour.
class Lamp : IDisposable {
    [string]$Name
    hidden [int]$Level = 3
    static [int]$Count = 0

    # Makes a lamp.
    Lamp([string]$name) {
        $this.Name = $name
    }

    [string] Describe() {
        return "💡 $($this.Name)"
    }

    static [Lamp] Create([string]$name) { return [Lamp]::new($name) }

    [void] Dispose() { }
}

workflow Invoke-Flow { "flow" }

