//! Effects of inline code in other languages, from its text.
//!
//! Code is never cleared because nothing bad was found. Code that isn't made only of known harmless
//! names stays a possible `execute`, and code that hides names is `dynamic`.

mod actions;
pub(crate) mod awk;
pub(crate) mod compiled;
mod computed;
mod constants;
mod language;
mod lex;
mod modes;
mod names;
mod plain;
pub(crate) mod powershell;
mod redis;
mod scope;
mod secrets;
pub(crate) mod sed;
mod small;
mod spawn;
mod sql;
#[cfg(test)]
mod tests;
mod tree;
mod vim;

use crate::calls::shell_args;
use crate::chars::{INHERITED, UNKNOWN, has_unknown};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::parse::Base;
use constants::Variant;
use language::{Action, Capability, language};
use lex::Token;
use rustc_hash::FxHashSet;
use scope::Scope;
use tree::SyntaxTree;

/// Maximum nesting of code in strings.
const MAX_EMBEDDED: usize = 4;

/// Maximum number of tokens: imports and calls are compared with all of the code.
const MAX_TOKENS: usize = 4096;

/// Code being analysed.
struct Code<'c> {
    scope: &'c Scope<'c>,
    tokens: &'c [Token],
    span: Span,
    /// Input of the program that runs the code.
    stdin: &'c Stream,
    /// Number of texts with code around it.
    depth: usize,
}

/// Returns whether a text contains no name of the language that acts, reads or communicates, and no
/// module that does.
pub(crate) fn is_inert_text(lang: &str, text: &str) -> bool {
    let language = language(lang);
    let plain = |word: &str| {
        let capability = language.exact_module(word);
        language.act(word).is_none()
            && matches!(
                capability,
                Capability::Pure | Capability::Mild | Capability::Foreign
            )
            && (!word.starts_with('_') || matches!(word, "__name__" | "__main__" | "__init__"))
    };
    !language.is_empty()
        && !text.contains(crate::chars::is_placeholder)
        && !text.contains(['`', '$'])
        && tree::words(text).all(plain)
}

/// Analyses inline code of a language.
pub(crate) fn code(cx: &mut Engine<'_>, lang: &str, arg: &Arg, stdin: &Stream) {
    cx.burn(arg.text.len() / 2 + 8);
    if cx.is_spent(arg.span) {
        return;
    }
    if arg.text.trim() == "\0" {
        cx.dynamic(arg.span, "runs code that isn't known");
        return;
    }
    if arg.obfuscated && lang != "awk" && lang != "sed" {
        cx.dynamic(arg.span, "runs decoded text");
    }
    match lang {
        "sh" => {
            let a = Arg {
                obfuscated: false,
                ..arg.clone()
            };
            shell_args::shell_arg(cx, &a, stdin, false);
        }
        "sed" => sed::sed_code(cx, arg),
        "awk" => awk::awk_code(cx, arg),
        "sql" | "psql" | "mysql" | "sqlite" | "tsql" | "duckdb" | "clickhouse" => {
            sql::sql_code(cx, lang, arg);
        }
        "redis" => redis::redis_code(cx, arg),
        "powershell" => powershell::code(cx, arg),
        "python" | "js" | "ruby" | "php" | "perl" | "lua" => {
            inline_script(cx, lang, arg, stdin, 0);
        }
        "vim" => vim::vim_code(cx, arg),
        "r" | "tcl" if !plain::harmless(lang, &arg.text) => plain_code(cx, arg),
        // `!` runs a command, but not in the comparisons `!<r`.
        "dc" if !has_unknown(&arg.text.replace(crate::chars::SAFE_UNKNOWN, ""))
            && arg
                .text
                .split('!')
                .skip(1)
                .all(|t| t.starts_with(['<', '=', '>'])) => {}
        "gdb" | "lftp" | "rpm" | "nix" | "mongo" | "cypher" if small::harmless(lang, &arg.text) => {
        }
        _ if !matches!(lang, "mongo" | "cypher") && plain::harmless(lang, &arg.text) => {}
        other => cx.dynamic(arg.span, format!("code in {other}, which isn't understood")),
    }
}

/// Analyses code of a scripting language, after constant propagation.
fn inline_script(cx: &mut Engine<'_>, lang: &str, arg: &Arg, stdin: &Stream, depth: usize) {
    if depth > MAX_EMBEDDED {
        cx.dynamic(arg.span, "runs code inside of strings inside of strings");
        return;
    }
    // A shell inserts text without regard to the quotes of the code. Elsewhere in the code, the
    // unknown part is judged by its place.
    if depth == 0 && arg.text.replace(INHERITED, "").contains(UNKNOWN) {
        cx.emit_raw(
            EffectKind::Dynamic,
            None,
            Certainty::Possible,
            arg.span,
            RiskLevel::Medium,
            "a string in the code isn't known, and may end early",
        );
    }
    for Variant { text, tree } in constants::propagate(lang, &arg.text) {
        let arg = Arg {
            text,
            ..arg.clone()
        };
        script_text(cx, lang, (&arg, tree), stdin, depth);
    }
}

/// Adds the effects of the calls that the lexer finds, and checks them with the parser. `tree` is
/// the tree of the text, if it was parsed.
fn script_text(
    cx: &mut Engine<'_>,
    lang: &str,
    (arg, tree): (&Arg, Option<SyntaxTree>),
    stdin: &Stream,
    depth: usize,
) {
    let text = arg.text.as_str();
    let tokens = lex::tokens(lang, text);
    cx.burn(tokens.len() * (2 + tokens.len() / 512) + text.len());
    if cx.is_spent(arg.span) {
        return;
    }
    if tokens.len() > MAX_TOKENS {
        cx.dynamic(arg.span, "code that is too long to follow");
        return;
    }
    if language(lang).is_empty() {
        cx.dynamic(arg.span, "code whose names aren't known");
        return;
    }
    let scope = Scope::new(lang, &tokens);
    let code = Code {
        scope: &scope,
        tokens: &tokens,
        span: arg.span,
        stdin,
        depth,
    };
    let mut all_known = true;
    if lex::disguises_names(lang, &tokens) {
        cx.dynamic(
            arg.span,
            "a name in the code is written with other characters",
        );
    }
    let before = cx.clone_cwd();
    code_assignments(cx, lang, &tokens, arg.span);
    for (i, token) in tokens.iter().enumerate() {
        if let Token::Name(name) = token
            && scope.language.is_output(name)
        {
            actions::unknown_call(cx, &code, name, i);
        }
        match token {
            Token::Shell(cmd) => {
                let a = Arg {
                    text: cmd.clone(),
                    span: arg.span,
                    ..Arg::default()
                };
                if cmd.contains("#{") || cmd.contains("${") || (lang != "ruby" && cmd.contains('$'))
                {
                    cx.dynamic(arg.span, "the code runs a command that it computes");
                } else {
                    shell_args::shell_arg(cx, &a, &Stream::default(), false);
                }
            }
            Token::Name(name) => match names::lookup(&scope, name, &tokens, i) {
                Some(Action::Safe | Action::Environment | Action::Opaque) => {}
                Some(a) => actions::code_action(cx, &code, a, name, i),
                None if names::matters(lang, &tokens, i) => {
                    actions::unknown_call(cx, &code, name, i);
                    all_known = false;
                }
                None => {}
            },
            // An unknown part of the code may be any code, unless it is only a value.
            Token::Unknown(any) if *any || names::unknown_is_code(&tokens, i) => {
                cx.dynamic(arg.span, "a part of the code isn't known");
            }
            _ => {}
        }
    }
    cx.set_cwd(before);
    secrets::computed_paths(cx, &code);
    if modes::may_weaken(text, &tokens) {
        cx.emit_raw(
            EffectKind::Privilege,
            None,
            Certainty::Possible,
            arg.span,
            RiskLevel::High,
            "the code may make a program run with its owner's rights, or let anyone write",
        );
    }
    if computed::computed_call(lang, &tokens) || scope.reflects && scope.calls_values {
        cx.dynamic(arg.span, "the code computes the names that it calls");
    }
    all_known &= check_with_grammar(cx, &code, (arg, tree));
    if !all_known
        && scope.environment
        && tokens
            .iter()
            .any(|t| matches!(t, Token::Str(s, _) if s.contains("://")))
    {
        actions::sends_environment(cx, arg.span);
    }
    if !all_known {
        cx.emit_raw(
            EffectKind::Execute,
            None,
            Certainty::Possible,
            arg.span,
            RiskLevel::Medium,
            "inline code that isn't provably harmless",
        );
    }
}

/// Adds the effects of assignments: to the environment, and to the files that Perl reads.
fn code_assignments(cx: &mut Engine<'_>, lang: &str, tokens: &[Token], span: Span) {
    let mut sets_inputs = false;
    for (i, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let after = tokens.get(i + 1..).unwrap_or_default();
        match (lang, name.as_str(), after) {
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
                set_by_code(cx, key, rest, span);
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
                set_by_code(cx, key, rest, span);
            }
            ("js", name, [Token::Punct('='), rest @ ..])
                if rest.first() != Some(&Token::Punct('=')) =>
            {
                if let Some(key) = name.strip_prefix("process.env.") {
                    set_by_code(cx, key, rest, span);
                }
            }
            ("perl", "@ARGV", [Token::Punct('='), ..])
            | ("perl", "push" | "unshift", [Token::Name(_) | Token::Punct('('), ..]) => {
                sets_inputs = true;
            }
            _ => {}
        }
    }
    if sets_inputs {
        for token in tokens {
            if let Token::Str(text, _) = token
                && let Some(cmd) = text.strip_suffix('|').or_else(|| text.strip_prefix('|'))
            {
                shell_args::shell_arg(cx, &Arg::literal(cmd, span), &Stream::default(), false);
            } else if let Token::Str(text, _) = token
                && (cx.classify(text).secret)
            {
                cx.path_read(&Arg::literal(text.as_str(), span));
            }
        }
    }
}

fn set_by_code(cx: &mut Engine<'_>, key: &str, value: &[Token], span: Span) {
    let text = match value.first() {
        Some(Token::Str(text, true)) => Some(text.as_str()),
        _ => None,
    };
    actions::code_variable(cx, key, text, span);
}

/// Parses the code with its grammar, if there is one, and analyses code in its strings. Returns
/// whether lexer and parser agree on all of it.
fn check_with_grammar(
    cx: &mut Engine<'_>,
    code: &Code<'_>,
    (arg, tree): (&Arg, Option<SyntaxTree>),
) -> bool {
    let (lang, tokens) = (code.scope.lang, code.tokens);
    let text = arg.text.as_str();
    let lexed: FxHashSet<&str> = tokens
        .iter()
        .filter_map(Token::name)
        .flat_map(tree::words)
        .collect();
    let (embedded, sure) = match tree::read(lang, text, tree) {
        Some(parsed_code) => {
            let is_unknown_word = |name: &str| has_unknown(text) && name.bytes().all(|c| c == b'h');
            let unseen = |name: &&String| {
                !is_unknown_word(name) && tree::words(name).any(|word| !lexed.contains(word))
            };
            if parsed_code.is_hostile {
                cx.dynamic(arg.span, "code that takes too much work to parse");
            }
            if !parsed_code.broken && parsed_code.names.iter().any(|name| unseen(&name)) {
                cx.dynamic(arg.span, "the code hides calls behind what looks like text");
            }
            (parsed_code.embedded, !parsed_code.broken)
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
                !tree::may_be_misread(text, tokens),
            )
        }
        None => (Vec::new(), true),
    };
    for text in embedded {
        inline_script(
            cx,
            lang,
            &Arg {
                text,
                span: arg.span,
                ..Arg::default()
            },
            code.stdin,
            code.depth + 1,
        );
    }
    // If the parser fails, everything that looks like a call may be one.
    if !sure && tree::call_like(text).any(|w| !lexed.contains(w) && language(lang).acts(w)) {
        cx.dynamic(arg.span, "text in the code reads like a call");
    }
    if !sure && lang != "python" && lang != "lua" && text.contains('`') {
        cx.dynamic(arg.span, "text in the code reads like a command");
    }
    sure
}

/// Rates languages without a lexer of their own: harmless only if obviously so.
fn plain_code(cx: &mut Engine<'_>, arg: &Arg) {
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
    if BAD.iter().any(|b| t.contains(b)) || has_unknown(&t) || t.contains('`') {
        cx.dynamic(arg.span, "inline code that isn't understood");
    } else {
        cx.emit_raw(
            EffectKind::Execute,
            None,
            Certainty::Possible,
            arg.span,
            RiskLevel::Medium,
            "inline code that isn't provably harmless",
        );
    }
}

/// Runs a shell command that code of another language contains as a string.
pub(crate) fn run_inner_shell(cx: &mut Engine<'_>, text: &str, span: Span) {
    if text.contains(UNKNOWN) && text.trim().starts_with(UNKNOWN) {
        cx.dynamic(span, "runs text that isn't known");
        return;
    }
    cx.run_text(
        text,
        Base::Fixed(span),
        crate::effect::StepOrigin::Code,
        &Stream::default(),
        false,
    );
}
