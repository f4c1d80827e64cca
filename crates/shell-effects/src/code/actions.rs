//! Effects of calls in code on files, hosts and processes.

use super::Code;
use super::language::Action;
use super::lex::{self, CallArg, Token};
use super::{spawn, sql};
use crate::calls::shell_args;
use crate::chars::{UNKNOWN, has_unknown, is_placeholder};
use crate::code;
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::paths::path::PathClass;

/// A call with its arguments.
pub(super) struct CodeCall<'c> {
    pub(super) code: &'c Code<'c>,
    pub(super) name: &'c str,
    /// Index of the name's token.
    pub(super) at: usize,
    pub(super) args: Vec<CallArg>,
}

impl<'c> CodeCall<'c> {
    pub(super) fn new(code: &'c Code<'c>, name: &'c str, at: usize) -> Self {
        let tokens = code.tokens;
        // `require("x")(…)`
        let required = matches!(
            tokens.get(at..at.saturating_add(5)),
            Some([Token::Name(n), Token::Punct('('), Token::Str(..), Token::Punct(')'), Token::Punct('(')])
                if n == "require" && code.scope.lang == "js"
        );
        let after = at.saturating_add(if required { 4 } else { 1 });
        Self {
            code,
            name,
            at,
            args: lex::call_args(tokens, after),
        }
    }

    fn spread(&self) -> bool {
        self.args.iter().any(|a| a.spread)
    }

    /// Returns the argument at a position, if it is one text.
    pub(super) fn literal(&self, k: usize) -> Option<String> {
        self.args
            .get(k)
            .filter(|a| !a.keyword && !self.spread())
            .and_then(|a| a.literal.clone())
    }

    /// Returns the argument with one of these keywords.
    fn named(&self, keys: &[&str]) -> Option<&CallArg> {
        self.args.iter().find(|a| keys.contains(&a.key.as_str()))
    }

    /// Returns the text of the argument with one of these keywords.
    fn named_text(&self, keys: &[&str]) -> Option<String> {
        self.named(keys).and_then(|a| a.literal.clone())
    }

    /// Returns the mode given by keyword; an unknown one counts as writing.
    fn named_mode(&self) -> Option<String> {
        let mode = self.named(&["mode"])?;
        Some(mode.literal.clone().unwrap_or_else(|| "w".to_owned()))
    }

    fn path(&self, text: String) -> Arg {
        Arg::literal(text, self.code.span)
    }

    /// Returns an unknown path, with the known parts of the first argument.
    fn unknown(&self) -> Arg {
        let partial = self.args.first().map(|a| a.partial.clone());
        let partial = partial.filter(|p| !p.is_empty());
        self.path(partial.unwrap_or_else(|| UNKNOWN.to_string()))
    }

    /// Returns the first argument as a path.
    pub(super) fn target(&self) -> Arg {
        self.literal(0)
            .map_or_else(|| self.unknown(), |t| self.path(t))
    }

    /// Returns the path that the method is called on.
    pub(super) fn receiver(&self) -> Arg {
        let text = lex::receiver_literal(self.code.tokens, self.at);
        self.path(text.unwrap_or_else(|| UNKNOWN.to_string()))
    }

    /// Returns whether the call passes more than an address to a host.
    fn sends_payload(&self) -> bool {
        let scope = self.code.scope;
        let data = |a: &CallArg| {
            matches!(
                a.key.as_str(),
                "data" | "json" | "files" | "body" | "content"
            )
        };
        let computed = self.args.iter().any(|a| a.literal.is_none());
        let second = self.args.get(1).is_some_and(|a| {
            !a.keyword && a.literal.is_none() && !a.object && !a.function && !a.bare
        });
        let options = scope.lang == "js" && self.args.get(1).is_some_and(|a| a.bare && !a.function);
        scope.environment
            || scope.changes
            || computed && scope.reads
            || self.args.iter().any(data)
            || scope.lang == "python" && second
            || options
    }
}

/// Adds an effect for a link that leads outside, since later writes through it land there.
fn code_links(cx: &mut Engine<'_>, to: &Arg) {
    let class = cx.classify(&to.text).class;
    if to.text.starts_with(['/', '~', '.']) && !matches!(class, PathClass::Inside | PathClass::Root)
    {
        cx.dynamic(
            to.span,
            "the code makes a link that leads outside the work tree",
        );
    }
}

pub(super) fn code_action(
    cx: &mut Engine<'_>,
    code: &Code<'_>,
    action: Action,
    name: &str,
    at: usize,
) {
    let call = CodeCall::new(code, name, at);
    let span = code.span;
    match action {
        Action::Safe | Action::Environment | Action::Opaque => {}
        Action::Shell | Action::Program | Action::Piped | Action::Argv | Action::ModeArgv => {
            spawn::code_spawn(cx, &call, action);
        }
        Action::Code | Action::Timer => code_in_text(cx, &call, action),
        Action::Query => query(cx, &call),
        Action::Getattr
        | Action::Send
        | Action::Callback
        | Action::Callback2
        | Action::CallbackLast => {
            code_by_name(cx, &call, action);
        }
        Action::Dynamic => runs_code(cx, name, span),
        Action::Delete => cx.path_delete(&call.target(), false),
        Action::DeleteTree => cx.path_delete(&call.target(), true),
        Action::Empty => cx.path_empty(&call.target()),
        // Perl and Ruby name the files behind the mode.
        Action::Write if matches!(code.scope.lang, "perl" | "ruby") && name.ends_with("chmod") => {
            for k in 1..call.args.len().max(2) {
                let file = call.literal(k).unwrap_or_else(|| UNKNOWN.to_string());
                code_write(cx, &call.path(file));
            }
        }
        Action::Write => {
            code_write(cx, &call.target());
            // `py_compile.compile(file, cfile)`
            let second = || call.literal(1).filter(|_| name.ends_with("compile"));
            if let Some(to) = call.named_text(&["cfile"]).or_else(second) {
                code_write(cx, &call.path(to));
            }
        }
        Action::Write2 => {
            cx.path_read(&call.target());
            let to = call.named_text(&["dst", "dest", "target", "destination"]);
            let target = call
                .literal(1)
                .or(to)
                .unwrap_or_else(|| UNKNOWN.to_string());
            cx.path_write(&call.path(target));
            if name.to_ascii_lowercase().contains("symlink") {
                let to = call.target();
                code_links(cx, &to);
            }
        }
        Action::Move => {
            let from = call.literal(0).or(call.named_text(&["src", "source"]));
            let to = call.named_text(&["dst", "dest", "target", "destination"]);
            let to = call.literal(1).or(to);
            cx.path_move(&from.map_or_else(|| call.unknown(), |t| call.path(t)));
            cx.path_write(&call.path(to.unwrap_or_else(|| UNKNOWN.to_string())));
        }
        Action::Read => code_read(cx, &call),
        Action::Open => code_open(cx, &call),
        Action::PerlOpen => perl_open(cx, &call),
        Action::Inplace => {
            let target = call.target();
            if call.named(&["inplace"]).is_some() || call.spread() {
                code_write(cx, &target);
            }
            cx.path_read(&target);
        }
        Action::Network => code_network(cx, &call, call.literal(0), false),
        Action::Download => {
            code_network(cx, &call, call.literal(0), false);
            if call.args.len() > 1 {
                let to = call.named_text(&["filename", "out"]);
                let to = call
                    .literal(1)
                    .or(to)
                    .unwrap_or_else(|| UNKNOWN.to_string());
                code_write(cx, &call.path(to));
            }
        }
        Action::Request => {
            let plain = call.args.iter().all(|a| a.literal.is_some() || a.function)
                && !call.args.is_empty();
            code_network(cx, &call, call.literal(0), !plain);
        }
        Action::NetSend => {
            let target = call
                .literal(0)
                .map(|t| crate::interpreter::hosts::host_of(&t).to_owned());
            sends_data(cx, target, span);
        }
        Action::Process => cx.emit_raw(
            EffectKind::Process,
            None,
            Certainty::Possible,
            span,
            RiskLevel::High,
            "the code signals processes",
        ),
        Action::PathOpen => {
            let mode = call.literal(0).or_else(|| call.named_mode());
            let given = call.args.iter().any(|a| !a.keyword);
            let mode = mode.unwrap_or_else(|| if given { "w" } else { "r" }.to_owned());
            if mode.len() <= 4 && mode.contains(['w', 'a', 'x', '+']) {
                code_write(cx, &call.receiver());
            } else {
                cx.path_read(&call.receiver());
            }
        }
        Action::PathMove => {
            let to = call.literal(0).or(call.named_text(&["target"]));
            cx.path_move(&call.receiver());
            cx.path_write(&call.path(to.unwrap_or_else(|| UNKNOWN.to_string())));
        }
        Action::PathDelete => cx.path_delete(&call.receiver(), false),
        Action::PathWrite => {
            cx.path_write(&call.receiver());
            if name.contains("symlink_to") {
                let to = call.target();
                code_links(cx, &to);
            }
        }
        Action::PathRead => cx.path_read(&call.receiver()),
        Action::LoadPath => {
            let mut own = call.args.iter().filter_map(|a| a.literal.as_deref());
            let own = own
                .next_back()
                .is_some_and(|p| !p.starts_with(['/', '~']) && !p.contains(".."));
            if own {
                code_action(cx, code, Action::Execute, name, at);
            } else {
                runs_code(cx, name, span);
            }
        }
        Action::Chdir => {
            let to = call.literal(0).unwrap_or_else(|| UNKNOWN.to_string());
            cx.change_dir(&to);
        }
        Action::Setenv => {
            let pairs: Vec<_> = call.args.iter().flat_map(|a| &a.pairs).collect();
            for (name, value) in &pairs {
                code_variable(cx, name, value.as_deref(), span);
            }
            if pairs.is_empty() {
                let name = call
                    .args
                    .first()
                    .map(|a| a.partial.clone())
                    .unwrap_or_default();
                code_variable(cx, &name, call.literal(1).as_deref(), span);
            }
        }
        Action::Sql => match call.literal(0) {
            Some(sql) => sql::sql_code(cx, "sql", &call.path(sql)),
            None => code_sql(cx, &call),
        },
        Action::Credential => cx.emit_raw(
            EffectKind::Credential,
            Some(name.to_owned()),
            Certainty::Possible,
            span,
            RiskLevel::High,
            "the code reads a stored secret",
        ),
        Action::Verb => cx.emit_unknown(
            Some(name.to_owned()),
            span,
            "the code calls a function that isn't known, by a name that deletes, runs or sends",
        ),
        Action::Execute => {
            unknown_targets(cx, &call);
            cx.emit_raw(
                EffectKind::Execute,
                Some(name.to_owned()),
                Certainty::Possible,
                span,
                RiskLevel::Medium,
                "the code uses a module that isn't known",
            );
        }
        Action::System => cx.emit_raw(
            EffectKind::System,
            Some(name.to_owned()),
            Certainty::Possible,
            span,
            RiskLevel::High,
            "the code accesses memory or the runtime directly",
        ),
    }
}

/// Adds the possible effects of calling a function that isn't known.
pub(super) fn unknown_call(cx: &mut Engine<'_>, code: &Code<'_>, name: &str, at: usize) {
    unknown_targets(cx, &CodeCall::new(code, name, at));
}

/// A function that isn't known may write to the paths that it is given.
fn unknown_targets(cx: &mut Engine<'_>, call: &CodeCall<'_>) {
    // `Class->new("path", "w")`
    let tokens = call.code.tokens.get(call.at.saturating_add(1)..);
    let class = matches!(tokens, Some([Token::Punct('-'), Token::Punct('>'), ..]));
    for arg in &call.args {
        if class && arg.texts.iter().any(|t| matches!(t.as_str(), "r" | "<")) {
            continue;
        }
        let pairs = arg.pairs.iter().filter_map(|(_, value)| value.as_deref());
        let whole = class || arg.texts.len() == 1 && arg.texts.first() == Some(&arg.partial);
        let inner = arg.texts.iter().map(String::as_str).filter(|_| whole);
        let texts = arg.literal.as_deref().into_iter().chain(pairs);
        for text in texts.chain(inner) {
            let path = text.trim_start_matches(['>', '+', ' ']);
            let path = path.split_once("://").map_or(path, |(_, rest)| rest);
            if path.starts_with(UNKNOWN) {
                cx.path_write(&call.path(path.to_owned()));
            } else if looks_like_path(path) {
                let outside = match cx.classify(path).class {
                    PathClass::Home | PathClass::System | PathClass::GitInternal => true,
                    // `/users` may also be an address on a server.
                    PathClass::Outside => path.trim_start_matches('/').contains('/'),
                    _ => false,
                };
                if outside {
                    code_write(cx, &call.path(path.to_owned()));
                }
            }
        }
    }
}

/// Returns whether a text reads like a path from the root or the home directory.
fn looks_like_path(text: &str) -> bool {
    let rooted = text.starts_with(['/', '~']) || text.starts_with("../");
    let plain = |c: char| c.is_alphanumeric() || "/._-+@~ ".contains(c) || is_placeholder(c);
    rooted && !text.starts_with("//") && !text.ends_with('/') && text.chars().all(plain)
}

fn runs_code(cx: &mut Engine<'_>, name: &str, span: Span) {
    cx.emit_raw(
        EffectKind::Dynamic,
        Some(name.to_owned()),
        Certainty::Possible,
        span,
        RiskLevel::High,
        "the code runs other code",
    );
}

fn sends_data(cx: &mut Engine<'_>, target: Option<String>, span: Span) {
    cx.emit_raw(
        EffectKind::Network,
        target,
        Certainty::Possible,
        span,
        RiskLevel::High,
        "the code sends data over the network",
    );
}

pub(super) fn sends_environment(cx: &mut Engine<'_>, span: Span) {
    cx.emit_raw(
        EffectKind::Network,
        None,
        Certainty::Possible,
        span,
        RiskLevel::High,
        "the code may send its environment away",
    );
}

/// Adds the effects of contacting a host.
fn code_network(cx: &mut Engine<'_>, call: &CodeCall<'_>, address: Option<String>, asked: bool) {
    let span = call.code.span;
    if let Some(cmd) = address.as_deref().and_then(|t| t.strip_prefix('|')) {
        shell_args::shell_arg(cx, &call.path(cmd.to_owned()), &Stream::unknown(), false);
    }
    let address = address.filter(|t| t.contains("://") || t.contains('.'));
    if asked || call.sends_payload() {
        let host = address
            .as_deref()
            .map(|t| crate::interpreter::hosts::host_of(t).to_owned());
        sends_data(cx, host, span);
    }
    match address {
        Some(t) => cx.network(&call.path(t)),
        None => cx.emit(EffectKind::Network, None, span, "the code uses the network"),
    }
}

/// Adds the effects of SQL with unknown parts: its beginning gives the minimum.
fn code_sql(cx: &mut Engine<'_>, call: &CodeCall<'_>) {
    let texts = call.args.iter().flat_map(|a| &a.texts);
    let longest = texts.max_by_key(|t| t.len()).cloned();
    if let Some(sql) = longest.filter(|t| t.contains(' ')) {
        sql::sql_code(cx, "sql", &call.path(sql));
    }
    cx.emit_raw(
        EffectKind::Execute,
        None,
        Certainty::Possible,
        call.code.span,
        RiskLevel::High,
        "the code runs SQL that it computes",
    );
}

/// Returns the file in an address with a scheme of this machine: `compress.zlib://FILE`,
/// `php://filter/resource=FILE`.
fn wrapped_path(text: &str) -> Option<&str> {
    let (scheme, path) = text.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "file" | "glob" => Some(path),
        "phar" | "zip" | "rar" | "compress.zlib" | "compress.bzip2" => path.split('#').next(),
        "php" if path.contains("resource=") => path.rsplit("resource=").next(),
        // A stream of the program itself.
        "php" => Some("-"),
        _ => None,
    }
}

fn code_read(cx: &mut Engine<'_>, call: &CodeCall<'_>) {
    let target = call.target();
    let target = match wrapped_path(&target.text) {
        Some(path) => call.path(path.to_owned()),
        None => target,
    };
    if let (true, Some(cmd)) = (call.name.starts_with("IO."), target.text.strip_prefix('|')) {
        let cmd = call.path(cmd.to_owned());
        shell_args::shell_arg(cx, &cmd, &Stream::default(), false);
    } else if target.text.contains("://") {
        code_network(cx, call, Some(target.text), false);
    } else {
        cx.path_read(&target);
    }
}

fn code_open(cx: &mut Engine<'_>, call: &CodeCall<'_>) {
    let file = call.named_text(&["file", "filename", "path", "name"]);
    let target = call
        .literal(0)
        .or(file)
        .map_or_else(|| call.unknown(), |t| call.path(t));
    let target = match wrapped_path(&target.text) {
        Some(path) => call.path(path.to_owned()),
        None => target,
    };
    if target.text.starts_with('|') || target.text.ends_with('|') {
        let cmd = call.path(target.text.trim_matches('|').to_owned());
        shell_args::shell_arg(cx, &cmd, &Stream::unknown(), false);
        return;
    }
    let mode = call.args.iter().skip(1).find_map(|a| {
        a.literal.clone().filter(|m| {
            // `w:gz`
            let m = m.split([':', '|']).next().unwrap_or_default();
            !m.is_empty() && m.len() <= 4 && m.bytes().all(|c| b"rwaxb+tU".contains(&c))
        })
    });
    let mode = mode.or_else(|| call.named_mode());
    let mode = if call.spread() {
        Some("w".to_owned())
    } else {
        mode
    };
    let more = call.args.len() > 1
        && call
            .args
            .get(1)
            .is_some_and(|a| a.literal.is_none() && !a.keyword && !a.function);
    match mode {
        Some(m) if m.contains(['w', 'a', 'x', '+']) => code_write(cx, &target),
        None if more => code_write(cx, &target),
        _ if target.text.contains("://") => code_network(cx, call, Some(target.text), false),
        _ => cx.path_read(&target),
    }
}

/// Handles `open(FH, "<", file)`, `open(FH, "cmd|")`, `open FH, ">file"`.
fn perl_open(cx: &mut Engine<'_>, call: &CodeCall<'_>) {
    let all: Vec<String> = call.args.iter().filter_map(|a| a.literal.clone()).collect();
    let joined = all.join(" ");
    let or_unknown = |text: &str| {
        if text.is_empty() {
            call.unknown()
        } else {
            call.path(text.to_owned())
        }
    };
    if joined.contains('|') {
        let cmd = joined.trim_matches(['|', '-', ' ']).to_owned();
        shell_args::shell_arg(cx, &call.path(cmd), &Stream::unknown(), false);
        cx.dynamic(call.code.span, "the code opens a pipe to a command");
    } else if joined.contains('>') {
        cx.path_write(&or_unknown(joined.trim_start_matches(['>', '+', ' '])));
    } else if joined.contains('<') || all.len() == 1 {
        cx.path_read(&or_unknown(joined.trim_start_matches(['<', ' '])));
    } else {
        cx.path_write(&call.unknown());
    }
}

/// Analyses texts with code of the same language.
fn code_in_text(cx: &mut Engine<'_>, call: &CodeCall<'_>, action: Action) {
    let (code, span) = (call.code, call.code.span);
    let called = code.tokens.get(call.at.saturating_add(1)) == Some(&Token::Punct('('));
    let positional = call.args.iter().enumerate().filter(|(_, a)| {
        let setting = matches!(a.key.as_str(), "number" | "repeat" | "timer" | "globals");
        !(a.function || a.keyword && setting)
    });
    let mut any = false;
    for (k, arg) in positional {
        match &arg.literal {
            Some(text) => {
                any = true;
                let text = call.path(text.clone());
                code::inline_script(
                    cx,
                    code.scope.lang,
                    &text,
                    code.stdin,
                    code.depth.saturating_add(1),
                );
            }
            // `setTimeout(f, 10)`: a function that the code defines, and numbers.
            None if k == 0 && arg.bare && code.scope.lang == "js" && action == Action::Timer => {
                let own = arg.partial.is_empty() || is_own_function(call);
                if !own {
                    runs_code(cx, call.name, span);
                }
                return;
            }
            None if k > 0 && arg.bare => {}
            None => {
                runs_code(cx, call.name, span);
                return;
            }
        }
    }
    let lambda = call.args.first().is_some_and(|a| a.function);
    if !any && !lambda && (action == Action::Code || !called) {
        runs_code(cx, call.name, span);
    }
}

/// Analyses an expression over the columns of a table. Variables of the code begin with `@`.
fn query(cx: &mut Engine<'_>, call: &CodeCall<'_>) {
    let Some(first) = call
        .args
        .first()
        .filter(|arg| !arg.bare || arg.literal.is_some())
    else {
        return;
    };
    let Some(text) = &first.literal else {
        // A text with computed parts is mostly known.
        let start = call.code.tokens.get(call.at.saturating_add(2));
        if !matches!(start, Some(Token::Str(text, _)) if !has_unknown(text)) {
            runs_code(cx, call.name, call.code.span);
        }
        return;
    };
    // Only a call or a member reaches more than a value.
    let reaches = |name: &str| {
        let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        name.get(end.unwrap_or(name.len())..)
            .is_some_and(|rest| rest.starts_with(['.', '(', '[']))
    };
    if text.split('@').skip(1).any(reaches) {
        runs_code(cx, call.name, call.code.span);
    }
    let depth = call.code.depth.saturating_add(1);
    let text = call.path(text.replace('@', ""));
    code::inline_script(cx, call.code.scope.lang, &text, call.code.stdin, depth);
}

/// Returns whether the first argument names a function that the code defines.
fn is_own_function(call: &CodeCall<'_>) -> bool {
    let first = call
        .code
        .tokens
        .get(call.at.saturating_add(2))
        .and_then(Token::name);
    first.is_some_and(|n| {
        call.code.scope.defined.contains(n)
            || matches!(
                n,
                "resolve" | "reject" | "r" | "res" | "done" | "cb" | "console.log"
            )
    })
}

/// Handles a function, a method or an attribute given by its name.
fn code_by_name(cx: &mut Engine<'_>, call: &CodeCall<'_>, action: Action) {
    let (scope, span) = (call.code.scope, call.code.span);
    let at = match action {
        Action::Send | Action::Callback => 0,
        Action::CallbackLast => call.args.len().saturating_sub(1),
        _ => 1,
    };
    let Some(arg) = call.args.get(at) else {
        // Without a function, `array_filter` tests the values.
        let optional = action == Action::Callback2 || call.name == "ob_start";
        if !optional {
            runs_code(cx, call.name, span);
        }
        return;
    };
    let known = match (&arg.literal, action) {
        (Some(name), Action::Getattr) => {
            !name.starts_with('_')
                && !scope.language.acts(name)
                && scope.language.act(name).is_none()
                || name.starts_with("__version")
        }
        (Some(name), Action::Callback | Action::Callback2 | Action::CallbackLast) => {
            let name = name.to_ascii_lowercase();
            scope.language.is_safe(&name) && !scope.language.acts(&name)
                || scope.defined.contains(name.as_str())
        }
        (Some(name), _) => scope.language.is_safe(name),
        // `send(:sum)`: the symbol is a name itself.
        (None, Action::Send) => {
            let first = call
                .code
                .tokens
                .iter()
                .skip(call.at)
                .position(|t| *t == Token::Punct(':'));
            first.is_some_and(|k| k <= 2)
        }
        (None, Action::Getattr) => false,
        (None, _) => arg.function || is_function_variable(call, at),
    };
    if !known {
        runs_code(cx, call.name, span);
    }
}

/// Returns whether the argument is a variable to which the code assigns a function.
fn is_function_variable(call: &CodeCall<'_>, at: usize) -> bool {
    let after = call
        .code
        .tokens
        .get(call.at.saturating_add(2)..)
        .unwrap_or_default();
    let arg = after.split(|t| *t == Token::Punct(',')).nth(at);
    let name = arg.and_then(|a| a.first()).and_then(Token::name);
    name.is_some_and(|n| call.code.scope.defined.contains(n))
}

/// Adds the effects of setting an environment variable. An unknown value counts as a dangerous
/// one.
pub(super) fn code_variable(cx: &mut Engine<'_>, name: &str, value: Option<&str>, span: Span) {
    if name.contains(UNKNOWN) {
        cx.dynamic(span, "the code sets a variable that isn't known");
        return;
    }
    if let Some(value) = value.filter(|v| !v.contains(UNKNOWN)) {
        cx.env_effect(name, value, span);
    } else {
        cx.env_effect(name, UNKNOWN.encode_utf8(&mut [0; 4]), span);
        cx.env_effect(name, "/tmp/unknown", span);
    }
}

/// Adds the effects of writing a file, and marks its content as unknown: running it later runs
/// unknown code.
pub(super) fn code_write(cx: &mut Engine<'_>, target: &Arg) {
    if let Some(path) = wrapped_path(&target.text) {
        cx.path_write(&Arg::literal(path, target.span));
        return;
    }
    cx.path_write(target);
    if let Some(p) = cx.resolve(&target.text) {
        cx.history_mut().write(p, None);
    }
}
