//! An arena for short texts.
const std = @import("std");
const Allocator = std.mem.Allocator;

/// Maximum number of bytes of a text.
pub const max_text = 256;

/// Why a text can't be stored.
pub const StoreError = error{ TooLong, Full };

pub const Kind = enum { short, long };

/// Holds texts until it is dropped.
pub const Arena = struct {
    allocator: Allocator,
    used: usize = 0,

    /// Creates an empty arena.
    pub fn init(allocator: Allocator) Arena {
        return .{ .allocator = allocator };
    }

    pub fn store(self: *Arena, text: []const u8) StoreError![]u8 {
        if (!fits(text)) return StoreError.TooLong;
        self.used += text.len;
        return self.allocator.dupe(u8, text) catch StoreError.Full;
    }

    fn fits(text: []const u8) bool {
        return text.len <= max_text;
    }
};

const Value = union(enum) {
    number: i64,
    text: []const u8,
};

var counter: u32 = 0;

// Not documentation.
export fn next_id() u32 {
    counter += 1;
    return counter;
}

pub fn main() !void {
    const file = try std.fs.cwd().openFile("texts", .{});
    defer file.close();
    const thread = try std.Thread.spawn(.{}, next_id, .{});
    thread.join();
}

test "a text fits" {
    try std.testing.expect(Arena.fits("a"));
}
