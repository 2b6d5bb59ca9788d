//! Rate limits.
const std = @import("std");
const Allocator = std.mem.Allocator;

/// How many.
pub const limit: usize = 100;
var counter: u32 = 0;
threadlocal var local_one: i32 = 1;
const @"größe" = "🎉";

/// An error.
pub const Error = error{ Closed, OutOfMemory };

/// A bucket
/// that leaks.
pub const Bucket = struct {
    /// How many fit.
    size: usize = limit,
    items: []const u8,

    const Self = @This();
    pub const empty: Bucket = .{};

    /// Makes one.
    pub fn init(allocator: Allocator, size: usize) !Self {
        const inner = 1;
        _ = inner;
        const Local = struct {
            fn helper(x: u32) u32 {
                return x;
            }
        };
        return Self{ .size = Local.helper(size), .items = allocator };
    }

    fn take(self: *Self, comptime T: type) ?T {
        _ = self;
        return null;
    }
};

const Level = enum(u8) {
    low,
    /// Not too high.
    high = 2,

    pub fn label(self: Level) []const u8 {
        return @tagName(self);
    }
};

pub const Value = union(enum) {
    int: i64,
    none,
};

const Opaque = opaque {};

/// A list.
pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        pub fn push(self: *@This(), item: T) void {
            _ = .{ self, item };
        }
    };
}

extern "c" fn malloc(size: usize) ?*anyopaque;
export fn exported(a: c_int) c_int {
    return a;
}
pub inline fn fast() void {}

pub fn main() !void {
    std.debug.print("é\n", .{});
}

test "takes one" {
    try std.testing.expect(true);
}

test Bucket {
    _ = Bucket.init;
}

comptime {
    _ = exported;
}
