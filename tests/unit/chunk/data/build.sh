#!/bin/bash
# doc
f() { echo; }
function g { echo; }
