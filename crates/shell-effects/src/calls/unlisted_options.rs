//! Options and words that a table entry doesn't list, rated by their names.

use super::args::{FlagUse, ParsedArgs};
use crate::chars::{has_unknown, show};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;
use crate::paths::path::PathClass;
use crate::table::spec::{Operands, Role, Spec};

/// Words in the name of an option whose value is a path that is written.
const WRITES: [&str; 26] = [
    "xlog",
    "xloggc",
    "out",
    "output",
    "outfile",
    "outdir",
    "outputdir",
    "outputfile",
    "log",
    "logfile",
    "logdir",
    "logs",
    "dest",
    "destination",
    "save",
    "dump",
    "report",
    "record",
    "write",
    "cache",
    "cachedir",
    "pidfile",
    "backup",
    "artifacts",
    "results",
    "trace",
];

/// Words in the name of an option whose value is code, or names code.
const LOADS: [&str; 20] = [
    "script",
    "plugin",
    "plugins",
    "preload",
    "hook",
    "hooks",
    "pager",
    "editor",
    "browser",
    "load",
    "loader",
    "require",
    "wrapper",
    "launcher",
    "interpreter",
    "program",
    "rsh",
    "agentlib",
    "init",
    "rcfile",
];

/// Verbs of actions that lose something, publish it or grant access to it.
pub(super) const VERBS: [&str; 47] = [
    "eject",
    "evict",
    "delete",
    "del",
    "remove",
    "rm",
    "rmi",
    "destroy",
    "drop",
    "purge",
    "erase",
    "wipe",
    "nuke",
    "prune",
    "uninstall",
    "unregister",
    "unpublish",
    "yank",
    "revoke",
    "flush",
    "truncate",
    "reset",
    "restore",
    "rollback",
    "terminate",
    "kill",
    "shutdown",
    "reboot",
    "poweroff",
    "overwrite",
    "obliterate",
    "expunge",
    "discard",
    "factory-reset",
    "force-unlock",
    "disable",
    "unprotect",
    "upload",
    "publish",
    "push",
    "deploy",
    "release",
    "send",
    "transfer-ownership",
    "teardown",
    "decommission",
    "undeploy",
];

/// Words next to which another word is a name or a text instead of a command.
const QUERY_WORDS: [&str; 60] = [
    "stat",
    "top",
    "viz",
    "docs",
    "list",
    "ls",
    "show",
    "get",
    "info",
    "search",
    "find",
    "help",
    "man",
    "describe",
    "view",
    "logs",
    "log",
    "status",
    "explain",
    "inspect",
    "query",
    "run",
    "run-script",
    "test",
    "install",
    "add",
    "init",
    "new",
    "create",
    "i",
    "lint",
    "check",
    "diff",
    "plan",
    "why",
    "desc",
    "deps",
    "cat",
    "doc",
    "policy",
    "depends",
    "rdepends",
    "provides",
    "whatprovides",
    "repoquery",
    "which",
    "home",
    "versions",
    "tree",
    "graph",
    "tail",
    "events",
    "history",
    "read",
    "fetch",
    "watch",
    "outdated",
    "audit",
    "download",
    "whatis",
];

/// Splits an option's name into words: `--log-file`, `-logFile`, `--log_file`.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut out = vec![String::new()];
    for c in name.trim_start_matches('-').chars() {
        if c.is_ascii_uppercase() || !c.is_ascii_alphanumeric() {
            out.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.push(c.to_ascii_lowercase());
        }
    }
    out.into_iter().filter(|w| !w.is_empty())
}

/// Returns whether a word commands one of [`VERBS`]: `delete`, `apps:destroy`, `vm.destroy`,
/// `delete-bucket`.
pub(crate) fn is_action(word: &str) -> bool {
    VERBS.contains(&word)
        || word.rsplit_once([':', '.']).is_some_and(|(noun, verb)| {
            VERBS.contains(&verb) && noun.bytes().all(|c| c.is_ascii_lowercase() || c == b':')
        })
        || word.split_once('-').is_some_and(|(verb, noun)| {
            VERBS.contains(&verb) && noun.bytes().all(|c| c.is_ascii_lowercase() || c == b'-')
        })
        || word.rsplit_once('-').is_some_and(|(noun, verb)| {
            VERBS.contains(&verb) && noun.bytes().all(|c| c.is_ascii_lowercase())
        })
}

/// Returns whether a text is an SQL statement that loses data or changes rights.
fn is_statement(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut words = text.split_ascii_whitespace();
    let verb = words.next().unwrap_or_default();
    let noun = words.next().unwrap_or_default();
    match verb {
        "delete" => noun == "from",
        "drop" | "truncate" | "alter" => matches!(
            noun,
            "table"
                | "database"
                | "schema"
                | "user"
                | "role"
                | "index"
                | "view"
                | "keyspace"
                | "collection"
                | "bucket"
                | "column"
                | "function"
                | "tablespace"
                | "all"
        ),
        "grant" | "revoke" => text.contains(" on ") || text.contains(" to "),
        _ => false,
    }
}

/// Returns whether an address means every interface.
fn is_everywhere(value: &str) -> bool {
    let host = value.rsplit("//").next().unwrap_or_default();
    host.starts_with("0.0.0.0") && !host.contains('/') || host.starts_with("[::]") || host == "::"
}

/// Returns whether an option names a directory to fill: `--to-dir`, `--public_dir`, but not
/// `--include-dir`.
fn names_filled_directory(words: &[String]) -> bool {
    let reads = [
        "include",
        "source",
        "src",
        "input",
        "data",
        "work",
        "working",
        "base",
        "lib",
        "search",
        "project",
        "root",
        "config",
        "template",
        "templates",
        "from",
        "plugin",
        "test",
        "exclude",
    ];
    words.len() > 1
        && words
            .last()
            .is_some_and(|w| matches!(w.as_str(), "dir" | "directory" | "folder"))
        && !words.iter().any(|w| reads.contains(&w.as_str()))
}

/// Returns whether a word is the URL of a source file.
fn is_code_elsewhere(word: &str) -> bool {
    let ends = [
        ".sh", ".py", ".js", ".mjs", ".ts", ".tsx", ".rb", ".pl", ".php", ".lua", ".java", ".kts",
        ".scala", ".sc", ".groovy", ".R", ".jl", ".go", ".rs", ".exs", ".clj", ".ps1", ".jar",
    ];
    let file = word.split(['?', '#']).next().unwrap_or_default();
    word.contains("://") && ends.iter().any(|end| file.ends_with(end))
}

/// Rates the options that the entry doesn't list by their names and values.
pub(crate) fn unlisted_options(
    cx: &mut Engine<'_>,
    call: &ParsedArgs<'_>,
    spec: &Spec,
    root: &Spec,
) {
    let runs = [spec, root].iter().any(|s| {
        s.effects
            .iter()
            .any(|e| matches!(e.kind, EffectKind::Execute | EffectKind::Write))
    });
    for seen in call.flags.iter().filter(|seen| seen.flag.is_none()) {
        unlisted_option(cx, seen, runs);
    }
}

fn unlisted_option(cx: &mut Engine<'_>, seen: &FlagUse<'_>, runs: bool) {
    // `--log-file=x`, `-Xlog:gc:/x`
    let behind_colon = seen
        .name
        .split_once(":/")
        .map(|(_, path)| format!("/{path}"));
    let attached = seen.attached.clone().or(behind_colon).map(|text| Arg {
        text,
        span: seen.span,
        ..Arg::default()
    });
    let glued = attached.is_some();
    let Some(value) = attached.or_else(|| seen.next.clone()) else {
        return;
    };
    let code = value.text.contains(char::is_whitespace);
    if matches!(seen.name.as_str(), "-c" | "-e" | "-x" | "-E") && runs && code {
        return cx.dynamic(value.span, "an option that isn't listed, with code");
    }
    if is_everywhere(&value.text) {
        return cx.emit_raw(
            EffectKind::Network,
            Some(show(&value.text)),
            Certainty::Possible,
            value.span,
            RiskLevel::High,
            "listens on every interface",
        );
    }
    let words: Vec<String> = words(&seen.name).collect();
    let names = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let away = is_elsewhere(cx, &value.text);
    if names(&WRITES) && away && !words.iter().any(|w| w == "level") {
        // Without `=` the next word may be an operand instead.
        if glued
            || words
                .iter()
                .any(|w| w.starts_with("out") || w.starts_with("dest"))
        {
            cx.path_write(&value);
        }
    } else if runs && away && names_filled_directory(&words) {
        cx.path_write(&value);
    } else if names(&LOADS) && (away || code || value.text.contains("://")) {
        cx.emit_unknown(
            Some(show(&seen.name)),
            seen.span,
            "an option that isn't in the table, whose name suggests that it loads code",
        );
    }
}

/// Returns a quoted unknown word that stands where an option would: in front of a known word, or
/// where the program takes no operand. Elsewhere it is taken for an operand. The flag is set if
/// the position has a role of its own, such as that of a pattern, and there aren't more operands
/// than roles.
pub(crate) fn possible_option<'a>(
    call: &'a ParsedArgs<'_>,
    operands: Option<&Operands>,
) -> Option<(&'a Arg, bool)> {
    let runs = |r: &Role| matches!(r, Role::CommandRest(_) | Role::ShellRest(_));
    if operands.is_some_and(|o| o.roles.iter().any(runs)) {
        return None;
    }
    let count = call.operands.len();
    let surplus = operands.is_some_and(|o| o.repeat.is_none() && count > o.roles.len());
    let own = |at: usize| {
        !surplus && operands.is_some_and(|o| at < o.roles.len() && o.repeat != Some(at))
    };
    let found = call.single_words.iter().filter_map(|at| {
        let word = call.operands.get(*at)?;
        let role = operands.and_then(|o| o.role(*at, count));
        let mut later = call.operands.iter().skip(*at + 1);
        let is_file = matches!(
            role,
            Some(Role::Read | Role::Stat | Role::Edit | Role::Source)
        );
        let stands = later.any(|a| !has_unknown(&a.text))
            || operands.is_some() && role.is_none()
            || !is_file && call.flags.iter().any(|f| f.span.from > word.span.from);
        stands.then_some((word, own(*at)))
    });
    found.min_by_key(|(_, own)| *own)
}

/// Adds the effect of an unknown word that may be an option or an action.
pub(crate) fn may_be(cx: &mut Engine<'_>, what: &str, span: Span, risk: RiskLevel) {
    cx.emit_raw(
        EffectKind::Dynamic,
        None,
        Certainty::Possible,
        span,
        risk,
        format!("a word that isn't known and may be an {what}"),
    );
}

/// Returns the highest risk that an option adds. Options of git itself precede the subcommand.
pub(crate) fn option_risk(name: &str, spec: &Spec, root: &Spec) -> RiskLevel {
    let global = if name == "git" {
        RiskLevel::Low
    } else {
        root.option_risk
    };
    spec.option_risk.max(global)
}

/// Returns whether a path is outside the work tree and not temporary.
fn is_elsewhere(cx: &Engine<'_>, text: &str) -> bool {
    text.starts_with(['/', '~', '.'])
        && !text.starts_with("//")
        && matches!(
            cx.classify(text).class,
            PathClass::Outside | PathClass::Home | PathClass::System | PathClass::GitInternal
        )
}

/// Adds an effect if a verb such as `remove` gets a quoted pattern: it names any number of things.
pub(crate) fn removes_by_pattern(cx: &mut Engine<'_>, call: &ParsedArgs<'_>) {
    let verb = call.sub.last().is_some_and(|s| is_action(s))
        || call.operands.first().is_some_and(|w| is_action(&w.text));
    let pattern = call.operands.iter().find(|w| w.text.contains('*'));
    if let Some(pattern) = pattern.filter(|_| verb) {
        cx.emit_raw(
            EffectKind::Delete,
            Some(show(&pattern.text)),
            Certainty::Possible,
            pattern.span,
            RiskLevel::High,
            "removes whatever matches a pattern",
        );
    }
}

/// Rates the words of a program whose entry only lists broad effects: one may tell it to
/// delete, publish or the like.
pub(crate) fn acting_words(
    cx: &mut Engine<'_>,
    call: &ParsedArgs<'_>,
    spec: &Spec,
    operands: Option<&Operands>,
) {
    // A subcommand may appear where otherwise a script does.
    let plain = operands.is_none_or(|o| {
        let mut roles = o.roles.iter();
        roles.all(|r| matches!(r, Role::Text | Role::Script))
    });
    let acts = spec.effects.iter().any(|e| {
        matches!(
            e.kind,
            EffectKind::Network | EffectKind::Execute | EffectKind::Install | EffectKind::Write
        )
    });
    let helps = call.operands.last().is_some_and(|a| a.text == "help");
    if !plain || !acts || helps || call.sub.iter().any(|s| QUERY_WORDS.contains(&s.as_str())) {
        return;
    }
    let mut first = call.operands.iter().take(3);
    if let Some(word) = first.find(|w| is_code_elsewhere(&w.text)) {
        return cx.dynamic(word.span, "code from the network");
    }
    if let Some(word) = call.operands.iter().find(|w| is_statement(&w.text)) {
        return cx.dynamic(word.span, "a statement that changes a database");
    }
    // The first word of a client of a server is an address.
    let takes_verb = call.sub.is_empty() && !spec.talks_to_localhost();
    for (at, word) in call.operands.iter().take(3).enumerate() {
        if at < 2 && takes_verb && super::args::is_single_unknown(word) {
            return cx.dynamic(word.span, "a word that isn't known and may be an action");
        }
        if is_action(&word.text) {
            return cx.emit_unknown(
                Some(show(&word.text)),
                word.span,
                "a word that tells the program to delete, publish, or the like",
            );
        }
        if QUERY_WORDS.contains(&word.text.as_str()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of};

    #[test]
    fn options_and_words_that_no_entry_lists() {
        for line in [
            "antlr4 --to-dir /var/www a.g4",
            "flatc --log-file=/etc/x a.fbs",
            "java -Xlog:gc:/etc/x -version",
            "ng --preload /opt/x.js build",
            "cargo-nextest --hook https://h.example/x",
            "latexmk -x 'rm -rf src' a.tex",
            "typesense-server --api-address 0.0.0.0",
            "influx -Z 'drop database x'",
            "couchbase-cli server-eject -c h",
            "ionic apps:delete x",
            "amm run https://h.example/x.sc",
            "conan remove '*'",
            "nmcli connection delete 'wifi*'",
        ] {
            assert_eq!(risk_of(line), RiskLevel::High, "{line}");
        }
    }

    #[test]
    fn quoted_words_may_be_options_or_verbs() {
        for (line, risk) in [
            ("tar \"$x\" a.tar", RiskLevel::High),
            ("docker \"$x\" -v /:/host alpine ls", RiskLevel::High),
            ("docker compose --dry-run \"$x\" -v", RiskLevel::High),
            ("git clean -n \"$x\" -fdx", RiskLevel::High),
            ("db2 \"$x db sales\"", RiskLevel::High),
            ("make \"$x\"", RiskLevel::High),
            ("sort \"$x\" /etc/hosts", RiskLevel::Medium),
            ("find . \"$x\"", RiskLevel::Medium),
            ("mongosh \"$url\" --eval 'db.stats()'", RiskLevel::Medium),
            ("git checkout \"$b\"", RiskLevel::Medium),
            ("rsync -n \"$a\" \"$b\" -v", RiskLevel::Low),
            ("sort -u \"$f\"", RiskLevel::Low),
            ("find \"$d\" -name a", RiskLevel::Low),
            ("rg -n \"$p\" src", RiskLevel::Low),
            ("docker logs \"$c\"", RiskLevel::Low),
            ("tar tf \"$f\"", RiskLevel::Low),
        ] {
            assert_eq!(risk_of(line), risk, "{line}");
        }
    }

    #[test]
    fn similar_lines_stay_low() {
        for line in [
            "antlr4 --include-dir /var/www a.g4",
            "flatc --log-level=/etc/x a.fbs",
            "typesense-server --api-address 127.0.0.1",
            "aws ec2 terminate-instances help",
            "git checkout shutdown-feature",
            "npm view delete",
            "gh search repos delete",
            "linkerd viz stat deploy",
            "ng --plugin x build",
        ] {
            assert_ne!(risk_of(line), RiskLevel::High, "{line}");
        }
    }

    #[test]
    fn words_of_names() {
        let of = |name| super::words(name).collect::<Vec<_>>();
        assert_eq!(of("--log-file"), ["log", "file"]);
        assert_eq!(of("-XX:HeapDumpPath"), ["x", "x", "heap", "dump", "path"]);
    }
}
