#!/usr/bin/env tclsh
# Tools for a garden.
package require Tcl 8.6
package provide garden 1.0

set limit 10
variable greeting "Grüße 🎉"

namespace eval garden {
    namespace export plant
    variable plants [list]

    # Plants something, "Gemüse".
    # It grows.
    proc plant {name {depth 3}} {
        variable plants
        lappend plants $name
        set local $depth
        return [llength $plants]
    }

    namespace eval inner {
        proc deep {} { return 1 }
    }
}

proc garden::water {args} {
    foreach plant $args {
        puts "wet: $plant"
    }
}

proc ::helper {} {
    return größe
}

# A bed.
oo::class create Bed {
    superclass Thing
    variable size

    constructor {s} {
        set size $s
    }

    method area {} {
        return [expr {$size * $size}]
    }

    destructor {
        puts gone
    }
}

if {$limit > 3} {
    proc conditional {x} {
        return $x
    }
}

interp alias {} w {} garden::water
puts [garden::plant rose]
