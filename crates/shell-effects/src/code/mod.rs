//! Inline code of other languages: what its text says it does.
//!
//! Never clears code because nothing bad was found: what isn't made only of known
//! harmless names stays a possible `execute`, and what hides names is `dynamic`.

pub(crate) mod awk;
mod computed;
mod lex;
mod names;
mod redis;
mod safe_names;
pub(crate) mod sed;
mod small;
mod sql;
mod tree;
mod vim;

use super::chars::{UNKNOWN, has_hole};
use super::effect::{Certainty, EffectKind, RiskLevel, Span};
use super::engine::{Engine, Stream};
use super::expand::Arg;
use super::parse::Base;
use lex::Token;
use names::Action;
use rustc_hash::FxHashSet;

/// Deepest code inside of strings inside of code that is read.
const MAX_EMBEDDED: usize = 4;

impl Engine<'_> {
    /// Looks at inline code of a language.
    pub(crate) fn code(&mut self, lang: &str, arg: &Arg, stdin: &Stream) {
        self.burn(arg.text.len() / 2 + 8);
        if self.spent(arg.span) {
            return;
        }
        if arg.text.trim() == "\0" {
            self.dynamic(arg.span, "runs code that isn't known");
            return;
        }
        if arg.obfuscated && lang != "awk" && lang != "sed" {
            self.dynamic(arg.span, "runs decoded text");
        }
        match lang {
            "sh" => {
                let a = Arg {
                    obfuscated: false,
                    ..arg.clone()
                };
                self.shell_arg(&a, stdin, false);
            }
            "sed" => self.sed_code(arg),
            "awk" => self.awk_code(arg),
            "sql" | "psql" | "mysql" | "sqlite" | "tsql" | "duckdb" | "clickhouse" => {
                self.sql_code(lang, arg);
            }
            "redis" => self.redis_code(arg),
            "python" | "js" | "ruby" | "php" | "perl" | "lua" => self.inline_script(lang, arg, 0),
            "vim" => self.vim_code(arg),
            "r" | "tcl" => self.plain_code(arg),
            "gdb" | "lftp" | "rpm" | "nix" | "mongo" | "cypher"
                if small::harmless(lang, &arg.text) => {}
            "powershell" => self.emit_raw(
                EffectKind::Unknown,
                None,
                Certainty::Possible,
                arg.span,
                RiskLevel::High,
                "PowerShell, which isn't understood yet",
            ),
            other => self.emit_raw(
                EffectKind::Unknown,
                Some(other.to_owned()),
                Certainty::Possible,
                arg.span,
                RiskLevel::High,
                "code in a language that isn't understood",
            ),
        }
    }

    /// Code of a scripting language: what its calls do, as the lexer reads it, held against a
    /// second reading.
    fn inline_script(&mut self, lang: &str, arg: &Arg, depth: usize) {
        if depth > MAX_EMBEDDED {
            self.dynamic(arg.span, "runs code inside of strings inside of strings");
            return;
        }
        let text = arg.text.as_str();
        let tokens = lex::tokens(lang, text);
        self.burn(tokens.len() * 2 + text.len());
        if self.spent(arg.span) {
            return;
        }
        let table = names::table(lang);
        let mut all_known = true;
        let before = self.shell.place();
        self.code_assignments(lang, &tokens, arg.span);
        for (i, token) in tokens.iter().enumerate() {
            match token {
                Token::Shell(cmd) => {
                    let a = Arg { text: cmd.clone(), span: arg.span, ..Arg::default() };
                    if cmd.contains("#{") || cmd.contains("${") || (lang != "ruby" && cmd.contains('$')) {
                        self.dynamic(arg.span, "the code runs a command that it computes");
                    } else {
                        self.shell_arg(&a, &Stream::default(), false);
                    }
                }
                Token::Name(name) => match names::lookup(lang, table, name, &tokens, i) {
                    Some(Action::Safe) => {}
                    Some(a) => self.code_action(a, name, &tokens, i, arg),
                    None => all_known &= !names::matters(lang, &tokens, i),
                },
                Token::Hole
                    // A hole among the words of the code: any code at all, unless it is a mere
                    // value.
                    if names::hole_is_code(&tokens, i) => {
                        self.dynamic(arg.span, "a part of the code isn't known");
                    }
                _ => {}
            }
        }
        self.shell.set_place(before);
        if computed::computed_call(lang, &tokens) {
            self.dynamic(arg.span, "the code computes the names that it calls");
        }
        all_known &= self.second_reading(lang, &tokens, arg, depth);
        if !all_known {
            self.emit_raw(
                EffectKind::Execute,
                None,
                Certainty::Possible,
                arg.span,
                RiskLevel::Medium,
                "inline code that isn't provably harmless",
            );
        }
    }

    /// What code does by assigning: to the environment, and to the files that perl reads.
    fn code_assignments(&mut self, lang: &str, tokens: &[Token], span: Span) {
        let mut gives_files = false;
        for (i, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let behind = tokens.get(i + 1..).unwrap_or_default();
            match (lang, name.as_str(), behind) {
                (
                    "python",
                    "os.environ" | "environ",
                    [
                        Token::Punct('['),
                        Token::Str(key, _),
                        Token::Punct(']'),
                        Token::Punct('='),
                        rest @ ..,
                    ],
                )
                | (
                    "ruby",
                    "ENV",
                    [
                        Token::Punct('['),
                        Token::Str(key, _),
                        Token::Punct(']'),
                        Token::Punct('='),
                        rest @ ..,
                    ],
                ) if rest.first() != Some(&Token::Punct('=')) => {
                    self.set_by_code(key, rest, span);
                }
                (
                    "perl",
                    "$ENV",
                    [
                        Token::Punct('{'),
                        Token::Name(key) | Token::Str(key, _),
                        Token::Punct('}'),
                        Token::Punct('='),
                        rest @ ..,
                    ],
                ) if !matches!(rest.first(), Some(Token::Punct('=' | '~'))) => {
                    self.set_by_code(key, rest, span);
                }
                ("js", name, [Token::Punct('='), rest @ ..])
                    if rest.first() != Some(&Token::Punct('=')) =>
                {
                    if let Some(key) = name.strip_prefix("process.env.") {
                        self.set_by_code(key, rest, span);
                    }
                }
                ("perl", "@ARGV", [Token::Punct('='), ..])
                | ("perl", "push" | "unshift", [Token::Name(_) | Token::Punct('('), ..]) => {
                    gives_files = true;
                }
                _ => {}
            }
        }
        if gives_files {
            for token in tokens {
                if let Token::Str(text, _) = token
                    && (self.classify(text).secret)
                {
                    self.path_read(&Arg::literal(text.as_str(), span));
                }
            }
        }
    }

    fn set_by_code(&mut self, key: &str, value: &[Token], span: Span) {
        let text = match value.first() {
            Some(Token::Str(text, true)) => text.clone(),
            _ => UNKNOWN.to_string(),
        };
        self.env_effect(key, &text, span);
    }

    /// Reads the code once more, by its grammar where there is one, and looks into its strings.
    /// True if both readings agree on all of it.
    fn second_reading(&mut self, lang: &str, tokens: &[Token], arg: &Arg, depth: usize) -> bool {
        let text = arg.text.as_str();
        let lexed: FxHashSet<&str> = tokens
            .iter()
            .filter_map(Token::name)
            .flat_map(tree::words)
            .collect();
        let (embedded, sure) = match tree::read(lang, text) {
            Some(reading) => {
                let is_hole = |name: &str| has_hole(text) && name.bytes().all(|c| c == b'h');
                let unseen = |name: &&String| {
                    !is_hole(name) && tree::words(name).any(|word| !lexed.contains(word))
                };
                if !reading.broken && reading.names.iter().any(|name| unseen(&name)) {
                    self.dynamic(arg.span, "the code hides calls behind what looks like text");
                }
                (reading.embedded, !reading.broken)
            }
            None if lang == "perl" => {
                let strings = tokens.iter().filter_map(|t| {
                    if let Token::Str(s, false) = t {
                        Some(s)
                    } else {
                        None
                    }
                });
                (
                    strings
                        .filter_map(|s| tree::embedded_perl(s))
                        .map(str::to_owned)
                        .collect(),
                    !tree::doubtful(text, tokens),
                )
            }
            None => (Vec::new(), true),
        };
        for text in embedded {
            self.inline_script(
                lang,
                &Arg {
                    text,
                    span: arg.span,
                    ..Arg::default()
                },
                depth + 1,
            );
        }
        // Where a reader is lost, everything that reads like a call may be one.
        if !sure && tree::call_like(text).any(|w| !lexed.contains(w) && names::acts(lang, w)) {
            self.dynamic(arg.span, "text in the code reads like a call");
        }
        if !sure && lang != "python" && lang != "lua" && text.contains('`') {
            self.dynamic(arg.span, "text in the code reads like a command");
        }
        sure
    }

    fn code_action(&mut self, action: Action, name: &str, tokens: &[Token], i: usize, arg: &Arg) {
        let args = lex::call_args(tokens, i + 1);
        let spread = args.iter().any(|a| a.spread);
        let literal = |k: usize| {
            args.get(k)
                .filter(|a| !a.keyword && !spread)
                .and_then(|a| a.literal.clone())
        };
        let named = |keys: &[&str]| {
            args.iter()
                .find(|a| keys.contains(&a.key.as_str()))
                .map(|a| a.literal.clone())
        };
        let span = arg.span;
        let path = |t: String| Arg::literal(t, span);
        // What is put together from known and unknown pieces keeps its known pieces.
        let partial = args
            .first()
            .map(|a| a.partial.clone())
            .filter(|p| !p.is_empty())
            .unwrap_or_else(|| UNKNOWN.to_string());
        let unknown = || Arg::literal(partial.clone(), span);
        match action {
            Action::Safe => {}
            Action::Shell => {
                let before = self.shell.place();
                self.shell_settings(&args, span);
                self.code_shell(&args, span);
                self.shell.set_place(before);
            }
            Action::Dynamic => {
                self.emit_raw(
                    EffectKind::Dynamic,
                    Some(name.to_owned()),
                    Certainty::Possible,
                    span,
                    RiskLevel::High,
                    "the code runs other code",
                );
            }
            Action::Delete => {
                let target = literal(0).map_or_else(unknown, path);
                self.path_delete(&target, false);
            }
            Action::DeleteTree => {
                let target = literal(0).map_or_else(unknown, path);
                self.path_delete(&target, true);
            }
            Action::Write => {
                let target = literal(0).map_or_else(unknown, path);
                self.code_write(&target);
            }
            Action::Write2 => {
                let to = named(&["dst", "dest", "target", "destination"]).flatten();
                let target = literal(1)
                    .or(to)
                    .map_or_else(|| Arg::literal(UNKNOWN, span), path);
                self.path_write(&target);
            }
            Action::Move => {
                let (from, to) = (
                    named(&["src", "source"]).flatten(),
                    named(&["dst", "dest", "target", "destination"]).flatten(),
                );
                let (a, b) = (
                    literal(0).or(from).map_or_else(unknown, path),
                    literal(1).or(to).map_or_else(unknown, path),
                );
                self.path_move(&a);
                self.path_write(&b);
            }
            Action::Read => {
                let target = literal(0).map_or_else(unknown, path);
                if let (true, Some(cmd)) = (name.starts_with("IO."), target.text.strip_prefix('|'))
                {
                    let cmd = cmd.to_owned();
                    self.shell_arg(&path(cmd), &Stream::default(), false);
                } else if target.text.contains("://") {
                    self.network(&target);
                } else {
                    self.path_read(&target);
                }
            }
            Action::Open => {
                let file = named(&["file", "filename", "path", "name"]).flatten();
                let target = literal(0).or(file).map_or_else(unknown, path);
                if target.text.starts_with('|') || target.text.ends_with('|') {
                    let cmd = target.text.trim_matches('|').to_owned();
                    self.shell_arg(&path(cmd), &Stream::default(), false);
                    return;
                }
                let mode = args.iter().skip(1).find_map(|a| {
                    a.literal.clone().filter(|m| {
                        !m.is_empty() && m.len() <= 4 && m.bytes().all(|c| b"rwaxb+tU".contains(&c))
                    })
                });
                let mode =
                    mode.or_else(|| named(&["mode"]).map(|m| m.unwrap_or_else(|| "w".to_owned())));
                let mode = if spread { Some("w".to_owned()) } else { mode };
                let more = args.len() > 1
                    && args
                        .get(1)
                        .is_some_and(|a| a.literal.is_none() && !a.keyword);
                match mode {
                    Some(m) if m.contains(['w', 'a', 'x', '+']) => self.code_write(&target),
                    None if more => self.code_write(&target),
                    _ => self.path_read(&target),
                }
            }
            Action::PerlOpen => {
                // open(FH, "<", file), open(FH, "cmd|"), open FH, ">file"
                let all: Vec<String> = args.iter().filter_map(|a| a.literal.clone()).collect();
                let joined = all.join(" ");
                if joined.contains('|') {
                    let cmd = joined.replace(['|', '-'], " ");
                    let _ = cmd;
                    self.shell_arg(
                        &path(
                            all.join(" ")
                                .trim_matches(|c| c == '|' || c == '-' || c == ' ')
                                .to_owned(),
                        ),
                        &Stream::default(),
                        false,
                    );
                    self.dynamic(span, "the code opens a pipe to a command");
                } else if joined.contains('>') {
                    let f = joined.trim_start_matches(['>', '+', ' ']).to_owned();
                    self.path_write(&if f.is_empty() { unknown() } else { path(f) });
                } else if joined.contains('<') || all.len() == 1 {
                    let f = joined.trim_start_matches(['<', ' ']).to_owned();
                    self.path_read(&if f.is_empty() { unknown() } else { path(f) });
                } else {
                    self.path_write(&unknown());
                }
            }
            Action::Network => {
                let target = literal(0).filter(|t| t.contains("://") || t.contains('.'));
                match target {
                    Some(t) => self.network(&path(t)),
                    None => self.emit(EffectKind::Network, None, span, "the code uses the network"),
                }
            }
            Action::NetSend => {
                let target = literal(0).map(|t| super::hosts::host_of(&t).to_owned());
                self.emit_raw(
                    EffectKind::Network,
                    target,
                    Certainty::Possible,
                    span,
                    RiskLevel::High,
                    "the code sends data over the network",
                );
            }
            Action::Process => {
                self.emit_raw(
                    EffectKind::Process,
                    None,
                    Certainty::Possible,
                    span,
                    RiskLevel::High,
                    "the code signals processes",
                );
            }
            Action::PathMethodOpen => {
                let target = lex::receiver_literal(tokens, i)
                    .map_or_else(|| Arg::literal(UNKNOWN, span), path);
                let mode = literal(0)
                    .or_else(|| named(&["mode"]).map(|m| m.unwrap_or_else(|| "w".to_owned())));
                let mode = mode.unwrap_or_else(|| {
                    if args.iter().any(|a| !a.keyword) {
                        "w"
                    } else {
                        "r"
                    }
                    .to_owned()
                });
                if mode.len() <= 4 && mode.contains(['w', 'a', 'x', '+']) {
                    self.code_write(&target);
                } else {
                    self.path_read(&target);
                }
            }
            Action::PathMethodMove => {
                let from = lex::receiver_literal(tokens, i)
                    .map_or_else(|| Arg::literal(UNKNOWN, span), path);
                let to = literal(0)
                    .or(named(&["target"]).flatten())
                    .map_or_else(|| Arg::literal(UNKNOWN, span), path);
                self.path_move(&from);
                self.path_write(&to);
            }
            Action::Chdir => {
                let to = literal(0).unwrap_or_else(|| UNKNOWN.to_string());
                self.change_dir(&to);
            }
            Action::Setenv => {
                let texts: Vec<String> =
                    args.iter().flat_map(|a| a.texts.iter().cloned()).collect();
                self.code_environment(&texts, span);
            }
            Action::PathMethodDelete | Action::PathMethodWrite | Action::PathMethodRead => {
                // `Path("x").unlink()`: the path stands before.
                let target = lex::receiver_literal(tokens, i).map_or_else(unknown, path);
                match action {
                    Action::PathMethodDelete => self.path_delete(&target, false),
                    Action::PathMethodRead => self.path_read(&target),
                    _ => self.path_write(&target),
                }
            }
            Action::Sql => match literal(0) {
                Some(sql) => self.sql_code("sql", &path(sql)),
                None => self.emit_raw(
                    EffectKind::Execute,
                    None,
                    Certainty::Possible,
                    span,
                    RiskLevel::Medium,
                    "the code sends SQL",
                ),
            },
            Action::Execute => {
                self.emit_raw(
                    EffectKind::Execute,
                    Some(name.to_owned()),
                    Certainty::Possible,
                    span,
                    RiskLevel::Medium,
                    "the code uses a module that isn't known",
                );
            }
            Action::System => {
                self.emit_raw(
                    EffectKind::System,
                    Some(name.to_owned()),
                    Certainty::Possible,
                    span,
                    RiskLevel::High,
                    "the code reaches below the language",
                );
            }
        }
    }

    /// Code that runs a command: a line for a shell, or the words of a list.
    fn code_shell(&mut self, args: &[lex::CallArg], span: Span) {
        let literal = |k: usize| {
            args.get(k)
                .filter(|a| !a.keyword && !a.spread)
                .and_then(|a| a.literal.clone())
        };
        let path = |t: String| Arg::literal(t, span);
        match literal(0) {
            Some(cmd) if args.first().is_some_and(|a| a.words.is_empty()) => {
                self.shell_arg(&path(cmd), &Stream::default(), false);
                // Further arguments make it a list (perl, ruby: `system "rm", "-rf"`).
                if args.len() > 1 && args.iter().all(|a| a.literal.is_some()) {
                    let words: Vec<Arg> = args
                        .iter()
                        .filter_map(|a| a.literal.clone())
                        .map(path)
                        .collect();
                    self.wrapped(&words, &Stream::default(), false, span);
                }
                if let Some(more) = args.get(1).filter(|a| !a.words.is_empty()) {
                    let mut words: Vec<Arg> = literal(0).into_iter().map(path).collect();
                    words.extend(more.words.iter().cloned().map(path));
                    self.wrapped(&words, &Stream::default(), false, span);
                }
            }
            _ => match args.first() {
                Some(a) if !a.words.is_empty() && a.complete => {
                    let words: Vec<Arg> = a.words.iter().cloned().map(path).collect();
                    self.wrapped(&words, &Stream::default(), false, span);
                }
                _ => self.dynamic(span, "the code runs a command that it computes"),
            },
        }
    }

    /// What a call that runs a command sets for it by keyword: directory, environment, another
    /// program.
    fn shell_settings(&mut self, args: &[lex::CallArg], span: Span) {
        for a in args.iter().filter(|a| a.keyword) {
            match a.key.as_str() {
                "cwd" => self.change_dir(&a.literal.clone().unwrap_or_else(|| UNKNOWN.to_string())),
                "env" => self.code_environment(&a.texts, span),
                "executable" => {
                    let program = a.literal.clone().unwrap_or_else(|| UNKNOWN.to_string());
                    self.wrapped(
                        &[Arg::literal(program, span), Arg::literal(UNKNOWN, span)],
                        &Stream::default(),
                        false,
                        span,
                    );
                }
                _ => {}
            }
        }
    }

    /// Names and values of the environment, in turn.
    fn code_environment(&mut self, texts: &[String], span: Span) {
        for pair in texts.chunks(2) {
            if let [name, value] = pair {
                self.env_effect(name, value, span);
            }
        }
    }

    /// Code writes a file: running that file later is running what isn't seen here.
    pub(super) fn code_write(&mut self, target: &Arg) {
        self.path_write(target);
        if let Some(p) = super::path::normalise(&target.text, self.shell.cwd()) {
            self.files.insert(p, None);
        }
    }

    /// Languages without a reader of their own: harmless only if plainly so.
    fn plain_code(&mut self, arg: &Arg) {
        const BAD: &[&str] = &[
            "system",
            "exec",
            "eval",
            "spawn",
            "unlink",
            "file.remove",
            "remove(",
            "delete",
            "drop",
            "shell",
            "source(",
            "load(",
            "url(",
            "open(",
            "open ",
            "socket",
            "write",
            "rename",
            "insert",
            "update",
            "save",
            "kill",
            "parse(",
            "do.call",
            "install",
            "download",
            "glob",
            "socket",
            "interp",
            "shutdown",
            "runcommand",
            "admincommand",
            "create",
            "grant",
        ];
        let t = arg.text.to_ascii_lowercase();
        if BAD.iter().any(|b| t.contains(b)) || has_hole(&t) || t.contains('`') {
            self.emit_raw(
                EffectKind::Unknown,
                None,
                Certainty::Possible,
                arg.span,
                RiskLevel::High,
                "inline code that isn't understood",
            );
        } else {
            self.emit_raw(
                EffectKind::Execute,
                None,
                Certainty::Possible,
                arg.span,
                RiskLevel::Medium,
                "inline code that isn't provably harmless",
            );
        }
    }

    /// Code in a string that a shell would run, from within another language.
    pub(crate) fn run_inner_shell(&mut self, text: &str, span: Span) {
        if text.contains(UNKNOWN) && text.trim().starts_with(UNKNOWN) {
            self.dynamic(span, "runs text that isn't known");
            return;
        }
        self.run_text(
            text,
            Base::Fixed(span),
            super::effect::How::Code,
            &Stream::default(),
            false,
        );
    }
}
