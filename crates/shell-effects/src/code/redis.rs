//! Redis commands.

use crate::effect::{Certainty, EffectKind, RiskLevel};
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;

/// Maximum number of lines of one text.
const MAX_LINES: usize = 4096;

const READS: &str = " GET MGET KEYS SCAN INFO PING DBSIZE TTL PTTL TYPE EXISTS LLEN LRANGE LINDEX LPOS \
 SMEMBERS SCARD SISMEMBER SMISMEMBER SRANDMEMBER HGET HGETALL HKEYS HVALS HLEN HEXISTS HSTRLEN HMGET \
 HSCAN SSCAN ZSCAN ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZCARD ZSCORE ZMSCORE \
 ZCOUNT ZRANK ZREVRANK STRLEN TIME XLEN XRANGE XREVRANGE XINFO XPENDING GETRANGE SUBSTR ECHO \
 RANDOMKEY ROLE LASTSAVE COMMAND BITCOUNT BITPOS GETBIT PFCOUNT GEOPOS GEODIST GEOHASH SINTER SUNION \
 SDIFF EXPIRETIME PEXPIRETIME SELECT QUIT EXIT HELP JSON.GET ";

const WRITES: &str = " SET MSET SETNX SETEX PSETEX APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY HSET HMSET \
 HSETNX HINCRBY LPUSH RPUSH LPUSHX RPUSHX SADD ZADD ZINCRBY XADD PUBLISH PFADD GEOADD MULTI EXEC \
 DISCARD WATCH UNWATCH ";

/// Subcommands that only read, of commands that are otherwise of high risk.
const READING_SUBCOMMANDS: &str = " CONFIG:GET CLIENT:LIST CLIENT:INFO CLIENT:ID CLIENT:GETNAME MEMORY:USAGE \
 MEMORY:STATS MEMORY:DOCTOR SLOWLOG:GET SLOWLOG:LEN LATENCY:LATEST LATENCY:HISTORY LATENCY:DOCTOR \
 OBJECT:ENCODING OBJECT:FREQ OBJECT:IDLETIME OBJECT:REFCOUNT CLUSTER:INFO CLUSTER:NODES \
 CLUSTER:SLOTS CLUSTER:SHARDS MODULE:LIST FUNCTION:LIST SCRIPT:EXISTS PUBSUB:CHANNELS \
 PUBSUB:NUMSUB ACL:WHOAMI ACL:CAT ";

pub(super) fn redis_code(cx: &mut Engine<'_>, arg: &Arg) {
    for (n, line) in arg.text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace().map(plain);
        let Some(word) = words.next() else { continue };
        let second = words.next().unwrap_or_default();
        let listed = |list: &str, w: &str| list.split_ascii_whitespace().any(|x| x == w);
        let looks = listed(READING_SUBCOMMANDS, &format!("{word}:{second}"));
        let (kind, risk) = if n >= MAX_LINES {
            (EffectKind::Unknown, RiskLevel::High)
        } else if looks || listed(READS, &word) {
            (EffectKind::Read, RiskLevel::Low)
        } else if listed(WRITES, &word) {
            (EffectKind::Write, RiskLevel::Medium)
        } else {
            (EffectKind::Delete, RiskLevel::High)
        };
        cx.burn(64);
        cx.emit_raw(
            kind,
            Some(word),
            Certainty::Certain,
            arg.span,
            risk,
            "a Redis command",
        );
        if n >= MAX_LINES {
            break;
        }
    }
}

/// Returns a word as the client reads it: without quotes, in upper case.
fn plain(word: &str) -> String {
    word.trim_matches(['"', '\'']).to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of as risk};

    #[test]
    fn each_line_counts() {
        for cmd in [
            "redis-cli <<< $'get a\\nflushall'",
            "redis-cli <<< $'get a\\n\"FlushAll\"'",
            "redis-cli <<< $'get a\\n3 flushall'",
            "redis-cli <<< 'client kill 1'",
            "redis-cli <<< \"config set dir /x\"",
            "echo shutdown | redis-cli",
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
        assert_eq!(
            risk("redis-cli <<< $'get a\\nconfig get dir'"),
            RiskLevel::Low
        );
        assert_eq!(risk("redis-cli <<< $'get a\\nset a 1'"), RiskLevel::Medium);
        assert_eq!(
            risk("redis-cli -h cache.example <<< 'get a'"),
            RiskLevel::Medium
        );
    }
}
