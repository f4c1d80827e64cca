//! Secrets that code reads by a path that it computes: `(Path.home() / ".ssh" / "id_rsa")`,
//! `glob.glob("/home/*/.ssh/*")`, `open(os.environ["KUBECONFIG"])`.

use super::Code;
use super::actions::CodeCall;
use super::language::Action;
use super::lex::Token;
use crate::chars::{ANY, STAR, has_unknown};
use crate::effect::{Certainty, EffectKind, RiskLevel};
use crate::interpreter::engine::Engine;
use crate::interpreter::env::names_secret;
use crate::paths::private;

/// Maximum number of texts that may form one path, and its maximum length.
const MAX_PARTS: usize = 4;
const MAX_PATH: usize = 256;

/// Last parts of the names of functions that list directories.
const LISTS: [&str; 18] = [
    "walk",
    "rglob",
    "glob",
    "iglob",
    "listdir",
    "scandir",
    "iterdir",
    "readdir",
    "readdirSync",
    "globSync",
    "children",
    "each_child",
    "find",
    "opendir",
    "entries",
    "RecursiveDirectoryIterator",
    "walkdir",
    "expandGlob",
];

/// Adds an effect if the code reads a file whose path isn't known, and its texts together name a
/// secret.
pub(super) fn computed_paths(cx: &mut Engine<'_>, code: &Code<'_>) {
    if let Some(name) = setting(code) {
        return emit(cx, code, name, "the code reads a secret from the settings");
    }
    let Some(path) = named(cx, code).or_else(|| searched(cx, code)) else {
        return;
    };
    if reads_unknown(code) || packs(code) {
        emit(
            cx,
            code,
            path,
            "the code may read a secret by a path that it computes",
        );
    }
}

fn emit(cx: &mut Engine<'_>, code: &Code<'_>, target: String, why: &'static str) {
    cx.emit_raw(
        EffectKind::Credential,
        Some(target),
        Certainty::Possible,
        code.span,
        RiskLevel::High,
        why,
    );
}

/// Returns a member of the settings whose name suggests a secret: `settings.SECRET_KEY`.
fn setting(code: &Code<'_>) -> Option<String> {
    let names = code.tokens.iter().filter_map(Token::name);
    names
        .filter_map(|name| Some((name, name.rsplit_once('.')?)))
        .find(|(_, (of, member))| {
            let of = of.rsplit('.').next().unwrap_or(of);
            matches!(of, "settings" | "config" | "conf")
                && member.contains('_')
                && names_secret(member)
        })
        .map(|(name, _)| name.to_owned())
}

/// Returns a path that texts of the code form together, if it is private.
fn named(cx: &Engine<'_>, code: &Code<'_>) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for token in code.tokens {
        match token {
            Token::Str(text, _) => {
                parts.push(text);
                let from = parts.len().saturating_sub(MAX_PARTS);
                for from in (from..parts.len()).rev() {
                    let path = parts.get(from..).unwrap_or_default().join("/");
                    if path.len() <= MAX_PATH && is_private(cx, &path) {
                        return Some(path);
                    }
                }
                let variable = code.scope.environment.then(|| private::variable(text));
                if let Some(path) = variable.flatten() {
                    return Some(path.to_owned());
                }
            }
            // Between the parts of a path.
            Token::Punct(',' | '/' | '+' | '.' | '(' | ')') => {}
            Token::Name(name) => {
                let last = name.rsplit(['.', '$']).next().unwrap_or(name);
                let variable = code.scope.environment.then(|| private::variable(last));
                if let Some(path) = variable.flatten() {
                    return Some(path.to_owned());
                }
            }
            _ => parts.clear(),
        }
    }
    None
}

fn is_private(cx: &Engine<'_>, path: &str) -> bool {
    let path = path.replace('*', STAR.encode_utf8(&mut [0; 4]));
    let path = path.replace('?', ANY.encode_utf8(&mut [0; 4]));
    !path.contains(['\n', '(']) && cx.classify(&path).secret
}

/// Returns the home directory, if the code looks for files in it that may be private.
fn searched(cx: &Engine<'_>, code: &Code<'_>) -> Option<String> {
    let last = |token: &Token| {
        token
            .name()
            .and_then(|name| name.rsplit(['.', ':']).next().map(str::to_owned))
    };
    let lists = |token: &Token| last(token).is_some_and(|name| LISTS.contains(&name.as_str()));
    let is_home = |token: &Token| match token {
        Token::Str(text, _) => {
            text == "~" || matches!(text.trim_end_matches('/'), "/home" | "/root" | "/Users")
        }
        other => last(other).is_some_and(|name| matches!(name.as_str(), "home" | "homedir")),
    };
    if !code.tokens.iter().any(lists) || !code.tokens.iter().any(is_home) {
        return None;
    }
    let texts = code.tokens.iter().filter_map(|token| match token {
        Token::Str(text, _) => Some(text.rsplit('/').next().unwrap_or(text)),
        _ => None,
    });
    let mut names = texts
        .filter(|text| text.starts_with('*') || text.starts_with('.') && text.len() > 1)
        .peekable();
    let home = cx.ctx().home.clone();
    let star = STAR.to_string();
    let may_be_private = |name: &str| {
        let name = format!("{star}{}", name.trim_start_matches('*'));
        private::searched(&home, &name, &home).is_some()
    };
    let all = names.peek().is_none();
    (all || names.any(may_be_private)).then_some(home.clone())
}

/// Returns whether the code puts files into an archive.
fn packs(code: &Code<'_>) -> bool {
    const ARCHIVES: [&str; 6] = [
        "zipfile",
        "tarfile",
        "AdmZip",
        "archiver",
        "ZipArchive",
        "PharData",
    ];
    let mut words = code.tokens.iter().filter_map(|token| match token {
        Token::Name(name) => name.split('.').next(),
        Token::Str(text, _) => Some(text.as_str()),
        _ => None,
    });
    words.any(|word| {
        ARCHIVES
            .iter()
            .any(|archive| word.eq_ignore_ascii_case(archive))
    })
}

/// Returns whether the code reads a file by a path that isn't known.
fn reads_unknown(code: &Code<'_>) -> bool {
    code.tokens.iter().enumerate().any(|(at, token)| {
        let Token::Name(name) = token else {
            return false;
        };
        let call = || CodeCall::new(code, name, at);
        match super::names::lookup(code.scope, name, code.tokens, at) {
            Some(
                Action::Read | Action::Open | Action::PerlOpen | Action::Inplace | Action::Write2,
            ) => has_unknown(&call().target().text),
            Some(Action::PathRead | Action::PathOpen) => has_unknown(&call().receiver().text),
            // `config.read(path)`. What a stream reads has no path.
            Some(Action::Safe) if name.ends_with(".read") => call()
                .args
                .first()
                .is_some_and(|arg| arg.literal.is_some() || !arg.bare),
            _ => false,
        }
    })
}
