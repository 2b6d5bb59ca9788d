const std = @import("std");
/// doc
pub fn f(a: u8) void { const l = 1; }
const S = struct { a: u8, fn m() void {} };
test "t" { }
