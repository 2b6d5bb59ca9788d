<?php
namespace A\B; use C\D as E;
/** doc */
class F { public function __construct() {} function m() {} }
function g() {}
