//! SQL given to a database client.
//!
//! Each dialect that a client may use tokenises the text in its own way; the highest risk applies.
//! A statement that isn't known to only read counts as acting.

mod lex;
mod names;

use super::actions;
use crate::calls::shell_args;
use crate::chars::{ANY, STAR};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use lex::{Client, SqlPiece, Tok};
use names::{Function, function};

/// Maximum number of statements of one text.
const MAX_STATEMENTS: usize = 4096;

/// Words of statements that change something, wherever they appear.
const CHANGES: [&str; 16] = [
    "delete", "update", "insert", "drop", "truncate", "alter", "create", "grant", "revoke",
    "merge", "into", "exec", "execute", "replace", "outfile", "dumpfile",
];

/// Statements that T-SQL accepts without a preceding semicolon.
const CHANGES_TSQL: [&str; 21] = [
    "kill",
    "shutdown",
    "backup",
    "restore",
    "bulk",
    "deny",
    "dump",
    "load",
    "reconfigure",
    "checkpoint",
    "dbcc",
    "disable",
    "enable",
    "waitfor",
    "declare",
    "if",
    "while",
    "readtext",
    "writetext",
    "updatetext",
    "setuser",
];

pub(super) fn sql_code(cx: &mut Engine<'_>, lang: &str, arg: &Arg) {
    let text = crate::chars::source(&arg.text);
    let (client, rule_sets) = lex::dialect(lang);
    let chars: Vec<char> = text.chars().collect();
    let (mut closed, mut has_unknown, mut statements) = (false, false, 0);
    for rules in lex::distinct(rule_sets, &text) {
        cx.burn(8 + chars.len() / 8);
        if cx.is_spent(arg.span) {
            return;
        }
        let lexed = lex::lex(&chars, client, rules);
        closed |= lexed.closed;
        has_unknown |= lexed.unknown_in_text;
        statements += lexed.pieces.len();
        if statements > MAX_STATEMENTS {
            return sql_unclear(cx, "more SQL statements than are analysed", arg.span);
        }
        let before = cx.effect_count();
        for piece in lexed.pieces {
            match piece {
                SqlPiece::Statement(toks) => sql_statement(cx, lang, client, &toks, arg.span),
                SqlPiece::Command(line) => client_command(cx, lang, client, &line, arg.span),
            }
        }
        cx.burn((cx.effect_count() - before) * 4);
    }
    if !closed {
        sql_unclear(cx, "SQL with an unclosed string", arg.span);
    }
    if has_unknown {
        sql_emit(
            cx,
            EffectKind::Dynamic,
            RiskLevel::Medium,
            "a string in the SQL isn't known",
            arg.span,
        );
    }
}

fn sql_emit(cx: &mut Engine<'_>, kind: EffectKind, risk: RiskLevel, why: &'static str, span: Span) {
    cx.emit_raw(kind, None, Certainty::Possible, span, risk, why);
}

fn sql_unclear(cx: &mut Engine<'_>, why: &'static str, span: Span) {
    sql_emit(cx, EffectKind::Unknown, RiskLevel::High, why, span);
}

/// Handles a line for the client itself.
fn client_command(cx: &mut Engine<'_>, lang: &str, client: Client, line: &str, span: Span) {
    let head = line.split_whitespace().next().unwrap_or_default();
    let rest = line.get(head.len()..).unwrap_or_default().trim();
    let shell = match (client, head) {
        (Client::Mysql, "system") => Some(rest),
        (Client::Tsql | Client::Unknown, _) if line.starts_with("!!") => line.get(2..),
        (Client::Tsql | Client::Unknown, _) if line.starts_with(":!!") => line.get(3..),
        (_, _) if line.starts_with("\\!") => line.get(2..),
        _ => None,
    };
    if let Some(command) = shell {
        let command = Arg::literal(command.trim(), span);
        shell_args::shell_arg(cx, &command, &Stream::default(), false);
        cx.dynamic(span, "the client runs a command");
    } else if let Some(dot) = line.strip_prefix('.') {
        dot_command(cx, dot, span);
    } else if line.starts_with('\\') && client != Client::Mysql {
        psql_commands(cx, lang, line, span);
    } else {
        let harmless = matches!(head, "notee" | "nopager" | "rehash" | "print");
        if !(client == Client::Mysql && harmless) {
            cx.dynamic(span, "the client runs a command or writes a file");
        }
    }
}

/// Handles psql's own commands in a line, from its first backslash on.
fn psql_commands(cx: &mut Engine<'_>, lang: &str, line: &str, span: Span) {
    let word = |text: &str| -> usize {
        text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '?')))
            .unwrap_or(text.len())
    };
    for command in line.split('\\').skip(1).take(64) {
        let (name, rest) = command.split_at(word(command));
        let rest = rest.trim();
        let reads = match name {
            "" => rest.is_empty(),
            "copy" => {
                // The rest of the line belongs to it.
                let whole = line.split_once("copy").map_or("", |(_, rest)| rest);
                if whole.contains('\\') {
                    cx.dynamic(span, "an unknown form of the client's copy command");
                }
                return client_copy(cx, lang, whole, span);
            }
            "g" | "gx" => {
                rest.is_empty() || rest.starts_with('(') && rest.find(')') == Some(rest.len() - 1)
            }
            "o" | "out" => rest.is_empty(),
            "c" | "connect" => rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'),
            "l" | "l+" | "list" | "z" | "sf" | "sf+" | "sv" | "sv+" | "x" | "a" | "t"
            | "timing" | "pset" | "conninfo" | "encoding" | "echo" | "qecho" | "warn" | "q"
            | "r" | "p" | "C" | "f" | "H" | "T" | "errverbose" | "h" | "help" | "?"
            | "copyright" | "gdesc" | "crosstabview" | "watch" | "set" | "unset" | "if"
            | "elif" | "else" | "endif" | "lo_list" | "dconfig" => true,
            _ => name.starts_with('d') && name.len() < 6,
        };
        if !reads || rest.contains(['`', '|']) {
            cx.dynamic(span, "the client runs a command or writes a file");
        }
    }
}

/// Handles `\copy`, which reads and writes files on the client's machine instead of the
/// server's.
fn client_copy(cx: &mut Engine<'_>, lang: &str, rest: &str, span: Span) {
    let chars: Vec<char> = rest.chars().collect();
    let (client, rule_sets) = lex::dialect(lang);
    let lexed = lex::lex(
        &chars,
        client,
        rule_sets.first().copied().unwrap_or_default(),
    );
    let [SqlPiece::Statement(toks)] = lexed.pieces.as_slice() else {
        return cx.dynamic(span, "an unknown form of the client's copy command");
    };
    sql_copy(cx, lang, toks, true, span);
}

/// Handles a command of sqlite3 or duckdb, without its dot.
fn dot_command(cx: &mut Engine<'_>, dot: &str, span: Span) {
    let word = dot.split_whitespace().next().unwrap_or_default();
    let rest = dot.get(word.len()..).unwrap_or_default().trim();
    // Abbreviations are accepted: `.sh` is `.shell`.
    if word.len() > 1 && ["shell", "system"].iter().any(|n| n.starts_with(word)) {
        shell_args::shell_arg(cx, &Arg::literal(rest, span), &Stream::default(), false);
        return cx.dynamic(span, "the client runs a command");
    }
    let reads = matches!(
        word,
        "tables"
            | "schema"
            | "fullschema"
            | "indexes"
            | "indices"
            | "databases"
            | "dbinfo"
            | "dump"
            | "mode"
            | "headers"
            | "header"
            | "width"
            | "separator"
            | "nullvalue"
            | "timer"
            | "show"
            | "stats"
            | "changes"
            | "echo"
            | "bail"
            | "exit"
            | "quit"
            | "q"
            | "help"
            | "explain"
            | "eqp"
            | "print"
            | "prompt"
            | "version"
            | "vfsinfo"
            | "vfslist"
            | "vfsname"
            | "sha3sum"
            | "timeout"
            | "lint"
            | "expert"
            | "columns"
            | "rows"
            | "maxrows"
            | "maxwidth"
            | "highlight"
            | "ind"
            | "tab"
            | "sch"
            | "head"
    );
    if !reads {
        cx.emit_raw(
            EffectKind::Write,
            Some(word.to_owned()),
            Certainty::Possible,
            span,
            RiskLevel::High,
            "the client reads, writes or runs files",
        );
    }
}

fn sql_statement(cx: &mut Engine<'_>, lang: &str, client: Client, toks: &[Tok], span: Span) {
    cx.burn(8 + toks.len());
    // `(select 1) union …`
    let open = toks.iter().take_while(|t| **t == Tok::Punct('(')).count();
    let body = toks.get(open..).unwrap_or_default();
    let first = match body.first() {
        Some(Tok::Word(w)) => w.as_str(),
        Some(Tok::Unknown) => {
            let why = "SQL that isn't known";
            return sql_emit(cx, EffectKind::Dynamic, RiskLevel::High, why, span);
        }
        _ => return sql_unclear(cx, "SQL that isn't understood", span),
    };
    let words: Vec<&str> = body.iter().filter_map(word).collect();
    let rest = words.get(1..).unwrap_or_default();
    let (kind, risk, why) = match first {
        "copy" => return sql_copy(cx, lang, body.get(1..).unwrap_or_default(), false, span),
        "explain" if !rest.iter().any(|w| w.starts_with("analy")) && client != Client::Tsql => {
            (EffectKind::Read, RiskLevel::Low, "SQL that reads")
        }
        _ if changes(client, body) => (
            EffectKind::Delete,
            RiskLevel::High,
            "SQL that destroys or changes data",
        ),
        "select" | "show" | "describe" | "desc" | "values" | "table" | "help" | "list" | "with"
        | "explain" | "from" | "summarize" | "pivot" | "unpivot" | "print" | "use" | "exists" => {
            (EffectKind::Read, RiskLevel::Low, "SQL that reads")
        }
        "check" | "status" | "analyze" | "exit" | "quit" | "consistency" | "expand" | "paging"
        | "tracing" | "warnings" | "nowarning"
            if body.len() < 12 =>
        {
            (EffectKind::Read, RiskLevel::Low, "SQL that reads")
        }
        "begin" | "start" | "commit" | "rollback" | "end" | "abort" | "savepoint" | "release"
            if names::transaction(first, rest) =>
        {
            (EffectKind::Read, RiskLevel::Low, "SQL that reads")
        }
        "set" if names::setting(rest) => (
            EffectKind::Read,
            RiskLevel::Low,
            "SQL that changes its session",
        ),
        "pragma" => match names::pragma(body) {
            Some(RiskLevel::Low) => (EffectKind::Read, RiskLevel::Low, "SQL that reads"),
            Some(risk) => (EffectKind::Write, risk, "SQL that changes a setting"),
            None => return sql_unclear(cx, "a pragma that isn't known", span),
        },
        "insert" | "upsert" => (EffectKind::Write, RiskLevel::Medium, "SQL that adds data"),
        "replace" => (EffectKind::Write, RiskLevel::Medium, "SQL that adds data"),
        "create" if names::creates_code(rest) => (
            EffectKind::System,
            RiskLevel::High,
            "SQL that adds code or users",
        ),
        "create" => (EffectKind::Write, RiskLevel::Medium, "SQL that creates"),
        _ if names::destroys(first) => (
            EffectKind::Delete,
            RiskLevel::High,
            "SQL that destroys or changes data",
        ),
        _ => return sql_unclear(cx, "SQL that isn't understood", span),
    };
    cx.emit_raw(
        kind,
        Some(first.to_owned()),
        Certainty::Certain,
        span,
        risk,
        why,
    );
    sql_parts(cx, lang, body, risk, span);
}

/// Adds the effects of functions, files and unknown parts in a statement.
fn sql_parts(cx: &mut Engine<'_>, lang: &str, toks: &[Tok], risk: RiskLevel, span: Span) {
    for (i, t) in toks.iter().enumerate() {
        let after = toks.get(i + 1..).unwrap_or_default();
        match t {
            Tok::Unknown | Tok::Punct('\\') => {
                let why = "a part of the SQL isn't known";
                sql_emit(cx, EffectKind::Dynamic, RiskLevel::High, why, span);
            }
            Tok::Word(name) | Tok::Quoted(name) if after.first() == Some(&Tok::Punct('(')) => {
                let before = i.checked_sub(1).and_then(|k| toks.get(k));
                sql_call(cx, lang, name, before, after, risk, span);
            }
            Tok::Word(w) if lang == "duckdb" && names::opens(w) => {
                if let Some(Tok::Str(file) | Tok::Quoted(file)) = after.first() {
                    sql_file(cx, file, span);
                }
            }
            Tok::Str(text) | Tok::Quoted(text)
                if matches!(lang, "duckdb" | "clickhouse")
                    && (text.contains("://")
                        || text.contains(['/', '.']) && cx.classify(text).secret) =>
            {
                sql_file(cx, text, span);
            }
            _ => {}
        }
    }
}

fn sql_call(
    cx: &mut Engine<'_>,
    lang: &str,
    name: &str,
    before: Option<&Tok>,
    after: &[Tok],
    risk: RiskLevel,
    span: Span,
) {
    let name = name.to_ascii_lowercase();
    match function(lang, &name) {
        Function::Reads => {}
        // A sampling method.
        _ if matches!(before, Some(Tok::Word(w)) if w == "tablesample") => {}
        Function::ReadsFile => match after {
            [_, Tok::Str(file), Tok::Punct(',' | ')'), ..] => sql_file(cx, file, span),
            [_, Tok::Punct('['), list @ ..] => {
                for t in list.iter().take_while(|t| **t != Tok::Punct(']')) {
                    match t {
                        Tok::Str(file) => sql_file(cx, file, span),
                        Tok::Punct(',') => {}
                        _ => sql_unclear(cx, "SQL reads a file that it computes", span),
                    }
                }
            }
            _ => sql_unclear(cx, "SQL reads a file that it computes", span),
        },
        Function::Acts => cx.emit_raw(
            EffectKind::Write,
            Some(name),
            Certainty::Possible,
            span,
            RiskLevel::High,
            "SQL that accesses more than its tables",
        ),
        Function::Unknown => {
            // Names of tables, columns and common table expressions are followed by brackets
            // too.
            let names = ["with", "recursive", "pragma", "as", "table", "into"];
            let named = matches!(before, Some(Tok::Word(w)) if names.contains(&w.as_str()));
            if risk == RiskLevel::Low && !named {
                cx.emit_raw(
                    EffectKind::Execute,
                    Some(name),
                    Certainty::Possible,
                    span,
                    RiskLevel::Medium,
                    "SQL that calls a function that isn't known",
                );
            }
        }
    }
}

/// Adds the effects of a file that the database opens by its name.
fn sql_file(cx: &mut Engine<'_>, file: &str, span: Span) {
    if file.trim_end().ends_with('|') || file.trim_start().starts_with('|') {
        return cx.dynamic(span, "SQL that reads from a program");
    }
    let marks = |c: char| match c {
        '*' => STAR,
        '?' | '[' => ANY,
        c => c,
    };
    if file.contains("://") {
        cx.network(&Arg::literal(file, span));
    } else {
        let name: String = file.chars().map(marks).collect();
        cx.path_read(&Arg::literal(name, span));
    }
}

/// Handles `copy`, without the word itself. With `here`, the client opens the files.
fn sql_copy(cx: &mut Engine<'_>, lang: &str, toks: &[Tok], here: bool, span: Span) {
    // Brackets contain a query, or options.
    let mut depth = 0usize;
    let mut target = None;
    let mut program = changes(Client::Plain, toks);
    for (i, t) in toks.iter().enumerate() {
        match t {
            Tok::Punct('(') => depth += 1,
            Tok::Punct(')') => depth = depth.saturating_sub(1),
            Tok::Word(w) if w == "program" => program = true,
            Tok::Word(w) if depth == 0 && w == "from" => program = true,
            Tok::Word(w) if depth == 0 && w == "to" && target.is_none() => {
                target = toks.get(i + 1);
            }
            _ => {}
        }
    }
    sql_parts(cx, lang, toks, RiskLevel::Low, span);
    let local = here || lang == "duckdb";
    match target {
        Some(Tok::Word(w)) if !program && matches!(w.as_str(), "stdout" | "pstdout") => {
            sql_emit(cx, EffectKind::Read, RiskLevel::Low, "SQL that reads", span);
        }
        Some(Tok::Str(file)) if !program && local && !file.contains("://") => {
            actions::code_write(cx, &Arg::literal(file.as_str(), span));
        }
        _ => cx.emit_raw(
            EffectKind::Delete,
            Some("copy".to_owned()),
            Certainty::Certain,
            span,
            RiskLevel::High,
            "SQL that destroys or changes data",
        ),
    }
}

fn word(t: &Tok) -> Option<&str> {
    if let Tok::Word(w) = t {
        Some(w.as_str())
    } else {
        None
    }
}

/// Returns whether a statement contains words that change something, besides its own first word.
fn changes(client: Client, toks: &[Tok]) -> bool {
    let at = |i: usize| toks.get(i).and_then(word).unwrap_or_default();
    let first = at(0);
    toks.iter().enumerate().any(|(i, t)| {
        let Some(w) = word(t) else { return false };
        let before = i.checked_sub(1).map_or("", at);
        let more = matches!(client, Client::Tsql | Client::Unknown)
            && i > 0
            && CHANGES_TSQL.contains(&w)
            && !(matches!(w, "if") && matches!(first, "create" | "show"));
        if first == "insert" && matches!(w, "function" | "overwrite") {
            return true;
        }
        if !CHANGES.contains(&w) {
            return more;
        }
        let called = toks.get(i + 1) == Some(&Tok::Punct('('));
        // `1.drop` is a number and a statement.
        let column = matches!(
            i.checked_sub(2).and_then(|k| toks.get(k..i)),
            Some([Tok::Word(_) | Tok::Quoted(_), Tok::Punct('.')])
        );
        let allowed = match (first, w) {
            ("insert" | "create" | "replace", _) if i == 0 => true,
            (_, _) if column && client != Client::Tsql => true,
            ("select" | "from" | "with" | "insert", "replace") if called => true,
            (_, "truncate") if called && i > 0 => true,
            ("select" | "with", "update") => matches!(before, "for" | "key"),
            ("create", "delete" | "update") => before == "on",
            ("create", "replace") => before == "or" && at(i + 1) == "view",
            ("insert", "update") => matches!(before, "do" | "key"),
            ("insert", "replace") => before == "or",
            ("insert" | "replace" | "upsert", "into") => i < 4,
            ("show", "create" | "grant") => i == 1,
            ("unpivot", "into") => at(i + 1) == "name",
            _ => false,
        };
        !allowed
    })
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of as risk};

    #[test]
    fn each_dialect_reads_texts_in_its_own_way() {
        for cmd in [
            r#"psql app -c 'select $$'"'"'$$; drop table users; --'"'"''"#,
            r#"psql app -c "select \$a\$ ' \$a\$; drop table users; --'""#,
            r#"psql app -c "select E'\\''; drop table users; --'""#,
            r#"psql app -c "select 1 /* /* */ ' */; drop table users; --'""#,
            r#"mysql app -e "select '\\''; drop table users; -- '""#,
            r#"mysql app -e 'select `a"b`; drop table users; -- "'"#,
            r"mysql app -e 'select 5--1; drop table users'",
            r#"mysql app -e "select 1 # it's
; drop table users""#,
            r"mysql app -e 'select 1 /*! ; drop table users */'",
            r"mysql app -e 'select 1 /*M! ; drop table users */'",
            r#"mysql app -e "select /*!99999 ' */ 1; drop table users; -- '""#,
            r"mysql app -e 'select 1\G drop table users\G'",
            r"mysql app -e 'select 1\g drop table users'",
            r#"sqlite3 app.db "select 1 as [a'b]; drop table users; --'""#,
            r#"sqlite3 app.db 'select `a"b`; drop table users; --"'"#,
            r#"sqlcmd -Q "select 1 drop table users""#,
            r#"sqlcmd -Q "select 1drop table users""#,
            r#"snowsql -q 'select "a\", '"'\\''"'; drop table users; --'"#,
            r#"snowsql -q "select 1.drop table users""#,
            "mysql -e $'select 1 --\\x05\\'\\n; drop table users -- \\''",
            "mysql -e $'select 1 --\\x01\\'\\n; drop table users -- \\''",
            r"mysql --delimiter=x -e 'select 1 x flush logs'",
            r#"sqlite3 a.db 'pragma "writable_schema"=table_info'"#,
            r#"sqlcmd -Q "select * from t delete from t""#,
            r#"sqlcmd -Q "select 1 as [a'b] exec xp_cmdshell 'dir'""#,
            "sqlcmd -Q $'select 1\\nGO\\ntruncate table users\\nGO'",
            "sqlcmd -Q $'select 1\\n:!! rm -rf src'",
            "sqlcmd -Q $'select 1\\n:r /tmp/x.sql'",
            r#"snowsql -q "select '\\''; drop table users; -- '""#,
            r#"clickhouse-client -q "select '\\''; truncate table events; -- '""#,
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
    }

    #[test]
    fn commands_of_clients_act() {
        for cmd in [
            "sqlite3 a.db '.open /etc/x'",
            "sqlite3 a.db '.excel'",
            "sqlite3 a.db '.cd /'",
            "sqlite3 a.db '.param set :x 1'",
            "printf 'select 1\\n/\\n.read x.sql\\n' | sqlite3 a.db",
            "printf \"#'\\n.read x.sql\\n\" | sqlite3 a.db",
            r"mysql app -e '\. x.sql'",
            "mysql app -e 'tee x'",
            "mysql app -e 'source x.sql'",
            r"mysql app -e '\u app
system id'",
            r"psql app -c '\i x.sql'",
            r"psql app -c '\dt \! id'",
            r"psql app -c '\setenv PAGER x'",
            r"psql app -c '\echo `id`'",
            r"echo 'select :x' | psql -v x='1; drop table t' app",
            "duckdb -c '.open x'",
            "duckdb app.db '.read x.sql'",
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
    }

    #[test]
    fn functions_and_words_that_act_count_anywhere() {
        for cmd in [
            "psql -c \"select dblink_exec('x', 'drop table t')\"",
            "psql -c \"select pg_catalog.\\\"lo_export\\\"(1, '/x')\"",
            "psql -c \"select query_to_xml('delete from t', true, true, '')\"",
            "psql -c 'explain (analyze) delete from t'",
            "psql -c 'with d as (delete from t returning 1) select 1 from d'",
            "psql -c 'begin; declare c cursor for select 1'",
            "psql -c \"copy t from program 'id'\"",
            "psql -c \"copy t to '/x'\"",
            "mysql -e 'set global general_log = 1'",
            "mysql -e \"select load_file/**/('/etc/x')\"",
            "sqlite3 a.db \"select writefile('x', 1)\"",
            "sqlite3 a.db 'pragma writable_schema(1)'",
            "sqlite3 a.db \"select replace(a, 'x', 'y') from t; replace into t values (1); drop table t\"",
            "duckdb -c \"from read_text('.e'||'nv')\"",
            "duckdb -c \"select json_execute_serialized_sql(x) from t\"",
            "duckdb -c \"select getenv('API_KEY')\"",
            "duckdb -c \"from read_csv('id |')\"",
            "clickhouse-local -q \"insert into function url('https://h','CSV','a String') select 1\"",
            "clickhouse-client -q \"insert into function file('x.csv') select 1\"",
            "clickhouse-local -q \"select * from url('https://h/x')\"",
            "clickhouse-local -q \"select * from file('.env','LineAsString')\"",
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
    }

    #[test]
    fn reads_are_low_on_this_machine() {
        for cmd in [
            "psql app -c 'select count(*) from t where a in (1, 2)'",
            "psql app -c 'show work_mem'",
            r"psql app -c '\dt+ public.*'",
            "psql app -c 'copy (select id from t) to stdout with (format csv)'",
            r"psql app -c '\copy (select 1) to stdout'",
            "psql app -c 'explain delete from t'",
            "psql app -c 'begin read only; select 1; rollback'",
            "psql app -c 'with u (a) as (select 1) select u.a, max(b) from u group by 1'",
            "psql app -c \"select a -> 'b' ->> 'delete' from t where d > now() - interval '1 day'\"",
            "psql app -c 'select $$drop table t$$ as x'",
            "mysql app -e 'describe users; show create table users\\G'",
            "mysql app -e \"select 'it\\'s' from t # x\"",
            "sqlite3 app.db \"select [delete], \\\"drop\\\" from words\"",
            "sqlite3 app.db '.mode csv' '.headers on' 'select 1'",
            "sqlite3 app.db 'pragma table_info(users)'",
            "duckdb -c \"from 'data.parquet' limit 5\"",
            "duckdb -c \"summarize 'data.csv'\"",
            "duckdb -c \"unpivot 'a.csv' on columns(* exclude (id)) into name k value v\"",
            "psql app -c 'select * from t tablesample system (10)'",
            "sqlite3 app.db 'pragma foreign_key_list(users)'",
            "duckdb -c \"select k, count(*) from read_csv('data.csv') group by all\"",
            "duckdb -c \"pivot (from 'a.csv') on k using sum(v)\"",
            "clickhouse-local -q \"select count() from file('data.csv')\"",
            "cqlsh -e 'describe keyspaces'",
        ] {
            assert_eq!(risk(cmd), RiskLevel::Low, "{cmd}");
        }
    }

    #[test]
    fn many_statements_take_little_time() {
        let one = "select '$a$ [ ` \\\" /* ; ";
        let text = one.repeat(4000);
        assert_eq!(risk(&format!("snowsql -q \"{text}\"")), RiskLevel::High);
    }
}
