const std = @import("std");
var count: u32 = 0;
pub fn main() void {}
fn pure(x: u32) u32 { return x; }
fn next() void { count += 1; }
fn load() void { _ = std.fs.cwd().openFile("a", .{}); }
fn start() void { std.process.exit(0); }
fn dial() void { _ = std.net.tcpConnectToHost(a, "b", 1); }
fn later() void { _ = std.Thread.spawn(.{}, pure, .{1}); }
