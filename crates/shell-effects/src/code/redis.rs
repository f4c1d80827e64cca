//! Commands of the store redis.

use super::super::effect::{Certainty, EffectKind, RiskLevel};
use super::super::engine::Engine;
use super::super::expand::Arg;

impl Engine<'_> {
    pub(super) fn redis_code(&mut self, arg: &Arg) {
        let word = arg
            .text
            .split_ascii_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        let high = [
            "FLUSHALL",
            "FLUSHDB",
            "DEL",
            "UNLINK",
            "SHUTDOWN",
            "CONFIG",
            "EVAL",
            "EVALSHA",
            "SCRIPT",
            "DEBUG",
            "SLAVEOF",
            "REPLICAOF",
            "MODULE",
            "MIGRATE",
            "RESTORE",
            "FUNCTION",
            "FAILOVER",
            "ACL",
            "RENAME",
            "SWAPDB",
        ];
        let read = [
            "GET",
            "MGET",
            "KEYS",
            "SCAN",
            "INFO",
            "PING",
            "DBSIZE",
            "TTL",
            "PTTL",
            "TYPE",
            "EXISTS",
            "LLEN",
            "LRANGE",
            "SMEMBERS",
            "SCARD",
            "HGET",
            "HGETALL",
            "HKEYS",
            "HLEN",
            "ZRANGE",
            "ZCARD",
            "ZSCORE",
            "STRLEN",
            "MONITOR",
            "TIME",
            "MEMORY",
            "OBJECT",
            "LATENCY",
            "SLOWLOG",
            "CLIENT",
            "COMMAND",
            "ROLE",
            "LASTSAVE",
            "XLEN",
            "XRANGE",
            "XINFO",
            "HMGET",
            "HSCAN",
            "SSCAN",
            "ZSCAN",
            "GETRANGE",
            "ECHO",
            "RANDOMKEY",
        ];
        let (kind, risk) = if high.contains(&word.as_str()) {
            (EffectKind::Delete, RiskLevel::High)
        } else if read.contains(&word.as_str()) {
            (EffectKind::Network, RiskLevel::Medium)
        } else {
            (EffectKind::Network, RiskLevel::High)
        };
        self.emit_raw(
            kind,
            Some(word),
            Certainty::Certain,
            arg.span,
            risk,
            "a command of the store",
        );
    }
}
