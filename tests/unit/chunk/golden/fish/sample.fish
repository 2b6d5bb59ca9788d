#!/usr/bin/env fish
# Tools for a garden.

set -g limit 10
set -x greeting "Grüße 🎉"

# Plants something, "Gemüse".
# It grows.
function plant --description "Plants something" --argument-names name depth
    set -l local $depth
    if test -z "$local"
        set local 3
    end
    echo "$name: $local"
end

function water -a litres
    for p in $argv
        echo wet $p
    end
end

function 'quoted name'
    echo quoted
end

function on_exit --on-event fish_exit
    echo bye
end

function outer
    function inner
        echo inner
    end
    inner
end

alias w water

if status is-interactive
    function only_here
        echo größe
    end
end

switch $limit
    case 10
        plant rose
    case '*'
        water 1
end
