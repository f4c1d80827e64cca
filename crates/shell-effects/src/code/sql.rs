//! SQL given to a database client.

use crate::chars::{UNKNOWN, has_hole};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::engine::{Engine, Stream};
use crate::expand::Arg;

/// A command of the client ends with its line, whatever stands below it.
fn statements(text: &str) -> Vec<&str> {
    let own = |line: &str| line.trim_start().starts_with(['.', '\\']);
    if text.lines().any(own) {
        text.lines().collect()
    } else {
        vec![text]
    }
}

impl Engine<'_> {
    pub(super) fn sql_code(&mut self, arg: &Arg) {
        let clean = strip(&arg.text);
        let span = arg.span;
        for raw in clean.split(';').flat_map(statements) {
            let s = raw.trim();
            self.burn(8 + s.len() / 8);
            if s.is_empty() {
                continue;
            }
            if let Some(dot) = s.strip_prefix('.') {
                self.sqlite_command(dot, span);
                continue;
            }
            // psql takes its own commands behind a statement too: `select 1 \g |sh`.
            let (sql, meta) = s
                .split_once('\\')
                .map_or((s, None), |(sql, meta)| (sql.trim(), Some(meta)));
            if let Some(meta) = meta {
                self.psql_command(meta, span);
            }
            if !sql.is_empty() {
                self.sql_statement(sql, span);
            }
        }
    }

    /// A command of psql without its backslash.
    fn psql_command(&mut self, meta: &str, span: Span) {
        if let Some(cmd) = meta.strip_prefix('!') {
            self.shell_arg(&Arg::literal(cmd.trim(), span), &Stream::default(), false);
            return;
        }
        let name: String = meta
            .chars()
            .take_while(|c| c.is_alphabetic() || *c == '_')
            .collect();
        let rest = meta.get(name.len()..).unwrap_or_default().trim();
        let acts = match name.as_str() {
            "copy" => rest.contains("program") || !rest.contains("stdout"),
            "o" | "out" | "s" | "w" | "write" => !rest.is_empty(),
            "g" | "gx" => !rest.is_empty() && !rest.starts_with('('),
            "e" | "edit" | "ef" | "ev" | "gexec" | "i" | "ir" | "include" | "include_relative"
            | "lo_export" | "lo_import" | "setenv" => true,
            _ => rest.contains('`'),
        };
        if acts {
            self.dynamic(span, "the client runs or writes what its input says");
        }
    }

    /// A command of sqlite3 without its dot. It takes any beginning of a name, so `.sh` is
    /// `.shell`.
    fn sqlite_command(&mut self, dot: &str, span: Span) {
        let word = dot.split_whitespace().next().unwrap_or_default();
        let rest = dot.get(word.len()..).unwrap_or_default();
        if matches!(
            word,
            "" | "show"
                | "dump"
                | "schema"
                | "tables"
                | "exit"
                | "explain"
                | "expert"
                | "echo"
                | "changes"
        ) {
            return;
        }
        let begins = |names: &[&str]| names.iter().any(|n| n.starts_with(word));
        if begins(&["shell", "system"]) {
            self.shell_arg(&Arg::literal(rest.trim(), span), &Stream::default(), false);
        } else if begins(&[
            "output", "once", "save", "backup", "import", "read", "load", "restore", "clone",
            "excel", "archive", "dump_to", "log", "cd", "trace", "www",
        ]) {
            self.emit_raw(
                EffectKind::Write,
                Some(word.to_owned()),
                Certainty::Possible,
                span,
                RiskLevel::High,
                "the client reads or writes files",
            );
        }
    }

    fn sql_statement(&mut self, s: &str, span: Span) {
        let lower = s.to_ascii_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == UNKNOWN))
            .filter(|w| !w.is_empty())
            .collect();
        let first = words.first().copied().unwrap_or_default();
        let has = |w: &str| words.contains(&w);
        let mut emit = |kind, risk, why: &str| {
            self.emit_raw(
                kind,
                Some(first.to_owned()),
                Certainty::Certain,
                span,
                risk,
                why.to_owned(),
            );
        };
        match first {
            "select" | "show" | "describe" | "desc" | "use" | "values" | "table" | "set"
            | "begin" | "commit" | "rollback" | "start" | "check" | "help" | "list" | "status" => {
                let acts = has("outfile")
                    || has("dumpfile")
                    || has("load_file")
                    || has("pg_read_file")
                    || has("lo_import")
                    || has("lo_export")
                    || has("pg_terminate_backend")
                    || has("dblink")
                    || has("xp_cmdshell")
                    || has("pg_reload_conf")
                    || (has("into") && first == "select" && !has("count"))
                    || has("load_extension")
                    || has("writefile")
                    || has("readfile")
                    || has("read_text")
                    || has("read_blob")
                    || (has("edit") && s.contains("edit("))
                    || has("sys_exec")
                    || has("pg_ls_dir")
                    || has("global")
                    || has("pg_cancel_backend")
                    || has("lo_unlink");
                if acts {
                    emit(
                        EffectKind::Write,
                        RiskLevel::High,
                        "SQL that reaches beyond its tables",
                    );
                } else {
                    emit(EffectKind::Read, RiskLevel::Low, "SQL that reads");
                }
            }
            "with" | "explain" | "analyze" => {
                let writes = has("delete")
                    || has("update")
                    || has("insert")
                    || has("drop")
                    || has("truncate")
                    || has("alter");
                let plain_explain = first == "explain" && !has("analyze");
                if writes && !plain_explain {
                    emit(EffectKind::Delete, RiskLevel::High, "SQL that changes data");
                } else {
                    emit(EffectKind::Read, RiskLevel::Low, "SQL that reads");
                }
            }
            "pragma" => {
                let sets = s.contains('=') || has("writable_schema");
                if sets {
                    emit(
                        EffectKind::Write,
                        RiskLevel::Medium,
                        "SQL that changes a setting",
                    );
                } else {
                    emit(EffectKind::Read, RiskLevel::Low, "SQL that reads");
                }
            }
            "insert" | "replace" | "merge" | "upsert" => {
                emit(EffectKind::Write, RiskLevel::Medium, "SQL that adds data");
            }
            "update" | "delete" | "drop" | "truncate" | "alter" | "grant" | "revoke" | "rename"
            | "kill" | "shutdown" | "vacuum" | "flush" | "reset" | "purge" | "detach" | "load"
            | "copy" | "call" | "do" | "exec" | "execute" | "attach" | "lock" => {
                emit(
                    EffectKind::Delete,
                    RiskLevel::High,
                    "SQL that destroys or changes data",
                );
            }
            "create" => {
                if has("function")
                    || has("extension")
                    || has("user")
                    || has("role")
                    || has("procedure")
                    || has("trigger")
                    || has("server")
                {
                    emit(
                        EffectKind::System,
                        RiskLevel::High,
                        "SQL that adds code or users",
                    );
                } else {
                    emit(EffectKind::Write, RiskLevel::Medium, "SQL that creates");
                }
            }
            _ if has_hole(s) => emit(EffectKind::Dynamic, RiskLevel::High, "SQL that isn't known"),
            _ => emit(
                EffectKind::Unknown,
                RiskLevel::High,
                "SQL that isn't understood",
            ),
        }
    }
}

/// Removes comments and the insides of strings.
fn strip(text: &str) -> String {
    let c: Vec<char> = text.chars().collect();
    let at = |i: usize| c.get(i).copied().unwrap_or('\n');
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < c.len() {
        match at(i) {
            '-' if at(i + 1) == '-' => {
                while i < c.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                // MySQL runs what stands in `/*! … */`.
                if at(i + 2) == '!' {
                    i += 3;
                    continue;
                }
                i += 2;
                while i < c.len() && !(at(i) == '*' && at(i + 1) == '/') {
                    i += 1;
                }
                i += 2;
                out.push(' ');
            }
            q @ ('\'' | '"') => {
                i += 1;
                while i < c.len() && at(i) != q {
                    i += 1;
                }
                i += 1;
                out.push_str("x ");
            }
            x => {
                out.push(x);
                i += 1;
            }
        }
    }
    out
}
