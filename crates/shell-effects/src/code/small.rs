//! Small languages of single programs: recognises only what is provably harmless.

/// Returns whether the text contains only commands that read.
pub(super) fn harmless(lang: &str, text: &str) -> bool {
    match lang {
        "mongo" => return mongo(text),
        "cypher" => return cypher(text),
        _ => {}
    }
    if text.contains(['\0', '`', '!', '|', '<', '>']) {
        return false;
    }
    match lang {
        "gdb" => !text.contains('(') && text.lines().all(|l| gdb(l.trim())),
        "lftp" => {
            !text.contains(['"', '\'', '\\', '&'])
                && text.split([';', '\n']).all(|l| lftp(l.trim()))
        }
        "rpm" => rpm(text),
        "nix" => {
            !text.contains(['/', '$'])
                && [
                    "import",
                    "builtins",
                    "fetch",
                    "derivation",
                    "readFile",
                    "readDir",
                    "Import",
                    "exec",
                    "getEnv",
                    "abort",
                    "throw",
                ]
                .iter()
                .all(|w| !text.contains(w))
        }
        _ => false,
    }
}

fn gdb(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let Some(first) = words.next() else {
        return true;
    };
    match first {
        "info" | "i" | "bt" | "backtrace" | "where" | "list" | "l" | "disassemble" | "disas"
        | "show" | "help" | "quit" | "q" | "frame" | "f" | "up" | "down" | "x" | "ptype"
        | "whatis" | "p" | "print" | "b" | "break" | "tbreak" => true,
        "thread" => match words.next() {
            Some("apply") => {
                words.all(|w| matches!(w, "all" | "bt" | "backtrace" | "full" | "-q" | "-s"))
            }
            _ => true,
        },
        "set" => matches!(
            words.next(),
            Some(
                "pagination"
                    | "confirm"
                    | "width"
                    | "height"
                    | "listsize"
                    | "print"
                    | "disassembly-flavor"
                    | "verbose"
            )
        ),
        _ => false,
    }
}

fn lftp(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        None => true,
        Some(
            "ls" | "cls" | "rels" | "dir" | "cd" | "pwd" | "bye" | "exit" | "quit" | "open"
            | "find" | "du" | "nlist" | "close" | "version",
        ) => true,
        Some("set") => words.next().is_some_and(|k| {
            ["ssl:", "net:", "ftp:ssl", "ftp:passive"]
                .iter()
                .any(|p| k.starts_with(p))
        }),
        _ => false,
    }
}

/// Accepts RPM macros by their bare names: no `%(…)`, no `%{lua:…}`, no arguments.
fn rpm(text: &str) -> bool {
    let mut rest = text;
    while let Some(i) = rest.find('%') {
        rest = rest.get(i + 1..).unwrap_or_default();
        if let Some(r) = rest.strip_prefix('%') {
            rest = r;
            continue;
        }
        let body = rest.strip_prefix('{').map_or_else(
            || rest.get(..1).unwrap_or_default(),
            |r| r.split('}').next().unwrap_or_default(),
        );
        if body.is_empty()
            || !body
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'?' | b'.'))
            || matches!(body, "load" | "include" | "dump" | "trace")
        {
            return false;
        }
    }
    true
}

/// Functions of mongosh that only read or compute.
const MONGO_CALLS: &str = " find findOne count countDocuments estimatedDocumentCount distinct aggregate \
 explain limit skip sort toArray pretty size hasNext next itcount map filter forEach some every print \
 printjson tojson EJSON.stringify JSON.stringify getCollectionNames getCollectionInfos getCollection \
 getSiblingDB getName getMongo stats dataSize storageSize totalSize totalIndexSize getIndexes \
 latencyStats version serverStatus hostInfo currentOp isMaster hello serverBuildInfo \
 listCommands getReplicationInfo printCollectionStats printReplicationInfo getProfilingStatus status \
 conf getDBNames getDBs projection project hint comment maxTimeMS batchSize collation min max quit exit join \
 includes slice toString toISOString toFixed ObjectId ISODate Date NumberLong NumberInt UUID \
 runCommand adminCommand if for while return switch typeof catch function ";

/// Commands of the `mongod` server that only read.
const MONGO_COMMANDS: &str = " ping listDatabases serverStatus buildInfo collStats dbStats hostInfo \
 listCollections listIndexes connectionStatus hello isMaster count distinct getParameter getCmdLineOpts \
 replSetGetStatus top ";

/// Names that act or run code even without being called.
const MONGO_ACTIONS: [&str; 47] = [
    "delete",
    "remove",
    "drop",
    "insert",
    "update",
    "replace",
    "save",
    "rename",
    "create",
    "bulk",
    "modify",
    "grant",
    "revoke",
    "shutdown",
    "kill",
    "eval",
    "load",
    "require",
    "import",
    "exec",
    "spawn",
    "process",
    "function",
    "constructor",
    "prototype",
    "proto",
    "this",
    "global",
    "reflect",
    "proxy",
    "$out",
    "$merge",
    "$where",
    "$accumulator",
    "fsync",
    "profiling",
    "compact",
    "reindex",
    "mapreduce",
    "capped",
    "balancer",
    "stepdown",
    "initiate",
    "reconfig",
    "freeze",
    "password",
    "logout",
];

#[derive(Debug, PartialEq, Eq)]
enum Js<'t> {
    Name(&'t str),
    Str(&'t str),
    Sign(char),
}

/// Splits mongosh code into tokens; `None` if it isn't plain.
fn js(text: &str) -> Option<Vec<Js<'_>>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let n = match c {
            '"' | '\'' => {
                let inner = rest.get(1..)?;
                let body = inner.get(..inner.find(c)?)?;
                if body.contains(['\\', '\n', '\0']) {
                    return None;
                }
                out.push(Js::Str(body));
                body.len() + 2
            }
            // Accepts only regular expressions of letters; others are ambiguous.
            '/' if matches!(out.last(), Some(Js::Sign('(' | ',' | ':'))) => {
                let inner = rest.get(1..)?;
                let body = inner.get(..inner.find('/')?)?;
                let plain = |c: char| c.is_ascii_alphanumeric() || " ^$._-@".contains(c);
                if body.is_empty() || !body.chars().all(plain) {
                    return None;
                }
                body.len() + 2
            }
            '/' | '`' | '\\' | '#' | '\0' => return None,
            _ if word(c) => {
                let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
                out.push(Js::Name(rest.get(..end)?));
                end
            }
            _ if c.is_ascii_whitespace() => 1,
            _ if c.is_ascii() => {
                out.push(Js::Sign(c));
                1
            }
            _ => return None,
        };
        rest = rest.get(n..)?;
    }
    Some(out)
}

fn mongo(text: &str) -> bool {
    let Some(toks) = js(text) else { return false };
    let listed = |list: &str, w: &str| list.split_ascii_whitespace().any(|x| x == w);
    let acts = |w: &str| {
        let w = w.to_ascii_lowercase();
        MONGO_ACTIONS.iter().any(|a| {
            // `deleted` and `createdAt` are fields.
            let field =
                w.starts_with(a) && w.get(a.len()..).is_some_and(|r| r.starts_with(['d', 'r']));
            w.contains(a) && (a.starts_with('$') || !field)
        })
    };
    toks.iter().enumerate().all(|(i, t)| {
        let at = |k: usize| toks.get(k);
        let before = i.checked_sub(1).and_then(at);
        match t {
            Js::Name(name) if at(i + 1) == Some(&Js::Sign('(')) => {
                if matches!(*name, "runCommand" | "adminCommand") {
                    let (Some(Js::Name(c) | Js::Str(c)), colon) = (at(i + 3), at(i + 4)) else {
                        return false;
                    };
                    return at(i + 2) == Some(&Js::Sign('{'))
                        && colon == Some(&Js::Sign(':'))
                        && listed(MONGO_COMMANDS, c);
                }
                let json = i.checked_sub(2).and_then(at);
                listed(MONGO_CALLS, name)
                    || *name == "stringify" && matches!(json, Some(Js::Name("JSON" | "EJSON")))
            }
            Js::Name(name) => {
                // A known name is assigned another function.
                let given = at(i + 1) == Some(&Js::Sign('='))
                    && !matches!(at(i + 2), Some(Js::Sign('=' | '>')));
                // A function that is passed on.
                let root = i.checked_sub(2).and_then(at);
                let handed =
                    matches!(root, Some(Js::Name("rs" | "sh"))) && before == Some(&Js::Sign('.'));
                if handed || given && listed(MONGO_CALLS, name) {
                    return false;
                }
                // A key, or a field of a document.
                let key = at(i + 1) == Some(&Js::Sign(':')) && !name.starts_with('$');
                key || !acts(name)
            }
            Js::Str(text) => {
                let key = at(i + 1) == Some(&Js::Sign(':'));
                let operator = ["$out", "$merge", "$where", "$accumulator", "$function"];
                // A name that is concatenated, or an empty key.
                let joined = at(i + 1) == Some(&Js::Sign('+')) || before == Some(&Js::Sign('+'));
                let nameless = key && text.is_empty();
                !(operator.contains(text) || nameless || joined)
            }
            Js::Sign('[') => match before {
                // A member by its name: only a literal one that isn't called.
                Some(Js::Name(_) | Js::Str(_) | Js::Sign(')' | ']' | '}')) => {
                    let plain = match at(i + 1) {
                        Some(Js::Name(n)) => n.bytes().all(|b| b.is_ascii_digit()),
                        Some(Js::Str(s)) => !acts(s),
                        _ => false,
                    };
                    plain && at(i + 2) == Some(&Js::Sign(']')) && at(i + 3) != Some(&Js::Sign('('))
                }
                _ => true,
            },
            Js::Sign(']') => at(i + 1) != Some(&Js::Sign('(')) && at(i + 1) != Some(&Js::Sign(':')),
            Js::Sign(')') => at(i + 1) != Some(&Js::Sign('(')),
            Js::Sign(_) => true,
        }
    })
}

/// Returns whether Cypher only reads: only known words outside of texts.
fn cypher(text: &str) -> bool {
    if text.contains(['\0', '`', '\\', '$']) || text.contains("//") || text.contains("/*") {
        return false;
    }
    let mut code = String::new();
    let mut rest = text;
    while let Some(i) = rest.find(['"', '\'']) {
        let (head, tail) = rest.split_at(i);
        code.push_str(head);
        code.push_str(" x ");
        let mut inner = tail.chars();
        let Some(quote) = inner.next() else { break };
        let Some((_, after)) = inner.as_str().split_once(quote) else {
            return false;
        };
        rest = after;
    }
    code.push_str(rest);
    let code = code.to_ascii_lowercase();
    code.split(';').all(|statement| {
        let mut words = statement
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
            .filter(|w| !w.is_empty());
        let first = words.next();
        let begins = matches!(
            first,
            None | Some("match" | "optional" | "unwind" | "with" | "return" | "show" | "explain")
        );
        let acts = |w: &str| {
            matches!(
                w,
                "create"
                    | "merge"
                    | "delete"
                    | "detach"
                    | "set"
                    | "remove"
                    | "drop"
                    | "load"
                    | "call"
                    | "foreach"
                    | "grant"
                    | "revoke"
                    | "deny"
                    | "alter"
                    | "start"
                    | "stop"
                    | "terminate"
                    | "use"
                    | "profile"
                    | "insert"
            ) || w.contains("apoc.")
                || w.contains("dbms.")
        };
        let looks = first == Some("call")
            && matches!(
                words.clone().next(),
                Some(
                    "db.labels"
                        | "db.relationshiptypes"
                        | "db.propertykeys"
                        | "db.indexes"
                        | "db.schema.visualization"
                )
            )
            && words.clone().count() == 1;
        !statement.trim_start().starts_with(':') && (looks || begins && !words.any(acts))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read() {
        for code in [
            "db.users.find({deleted: true}).limit(5)",
            "db.users.countDocuments({})",
            "show dbs",
            "db['users'].find().toArray()[0]",
            "db.users.find({name: /^a/}).sort({createdAt: -1})",
            "db.runCommand({ping: 1})",
            "db.users.aggregate([{$match: {a: 1}}, {$group: {_id: '$b', n: {$sum: 1}}}])",
            "db.users.find().forEach(u => printjson(u.name))",
            "db.getSiblingDB('app').users.find({\"update\": 1})",
            "JSON.stringify(rs.status())",
            "db.users.find().forEach(function(u) { if (u.age > 3) print(u.address) })",
        ] {
            assert!(harmless("mongo", code), "{code}");
        }
        for code in [
            "db.users.deleteMany({})",
            "db['users']['de'+'leteMany']({})",
            "db['dropDatabase']()",
            "db.users.aggregate([{$match:{}},{$out:'orders'}])",
            "db.users.aggregate([{'$merge':'orders'}])",
            "db.users.aggregate([{['$o'+'ut']:'orders'}])",
            "db.users.find().forEach(db.users.remove)",
            "db.users.find().forEach(u => db.users.remove(u))",
            "var f = db.users.drop; f()",
            "print = rs.stepDown; print()",
            "[1].map(rs.stepDown)",
            "[1].map(db.fsyncLock)",
            "Function('x')()",
            "load('/tmp/x.js')",
            "db.adminCommand({shutdown: 1})",
            "db.runCommand({drop: 'users'})",
            "db.users.find({$where: 'sleep(1)'})",
            "[].map.constructor('x')()",
            "db.users.find(/[/\"]/); db.dropDatabase() // \"",
            "db.users.find(`${db.dropDatabase()}`)",
            "db.getCollection('users').\\u0064rop()",
        ] {
            assert!(!harmless("mongo", code), "{code}");
        }
    }

    #[test]
    fn graphs_are_read() {
        for code in [
            "MATCH (n:User {name: 'DELETE'}) RETURN n LIMIT 5",
            "CALL db.labels()",
            "MATCH (a)-[r]->(b) WHERE a.x > 1 WITH a, count(r) AS c RETURN a, c;",
        ] {
            assert!(harmless("cypher", code), "{code}");
        }
        for code in [
            "MATCH (n) DETACH DELETE n",
            "CALL apoc.periodic.iterate('MATCH (n) RETURN n','DELETE n',{})",
            "MATCH (n) SET n.x = 1",
            "MATCH (n {a: '\\''}) DELETE n // '",
            ":source x.cypher",
            "MATCH (n) CALL { WITH n DELETE n }",
            "LOAD CSV FROM 'file:///x' AS l RETURN l",
            "MATCH (n) RETURN n; MATCH (m) DELETE m",
        ] {
            assert!(!harmless("cypher", code), "{code}");
        }
    }
}
