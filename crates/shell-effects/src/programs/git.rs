//! Git.

use super::git_settings;
use super::{Family, Invocation};
use crate::calls::args::is_unknown_word;
use crate::effect::{Certainty, EffectKind, RiskLevel};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;

pub(super) const PROGRAMS: Family = &[(&["git"], git), (&["patch", "gpatch"], patch)];

/// Subcommands with options that run programs or discard work.
const RUNS: [&str; 12] = [
    "ls-remote",
    "clone",
    "pull",
    "fetch",
    "push",
    "config",
    "difftool",
    "mergetool",
    "rebase",
    "bisect",
    "submodule",
    "reflog",
];

fn git(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    git_settings::git_config(cx, rest);
    // Every subcommand that prints changes accepts these.
    for a in rest {
        if let Some(file) = a.text.strip_prefix("--output=") {
            cx.path_write(&Arg::literal(file, a.span));
        }
        if a.text == "--ext-diff" {
            cx.emit_raw(
                EffectKind::Execute,
                None,
                Certainty::Possible,
                a.span,
                RiskLevel::Medium,
                "runs the diff program that the configuration names",
            );
        }
    }
    let applies = |a: &Arg| matches!(a.text.as_str(), "apply" | "am");
    let only_looks = |a: &Arg| matches!(a.text.as_str(), "--check" | "--stat" | "--numstat");
    let words: Vec<&Arg> = rest.iter().filter(|a| !a.text.starts_with('-')).collect();
    let unknown_word = rest.iter().find(|a| is_unknown_word(a));
    if let Some(unknown_word) =
        unknown_word.filter(|_| words.first().is_some_and(|verb| verb.text == "grep"))
    {
        // `-O` starts a program with the files.
        cx.emit_raw(
            EffectKind::Dynamic,
            None,
            Certainty::Possible,
            unknown_word.span,
            RiskLevel::Medium,
            "a word that isn't known and may be an option",
        );
    }
    if let Some(unknown_word) = unknown_word
        && words
            .first()
            .is_some_and(|verb| RUNS.contains(&verb.text.as_str()))
    {
        cx.dynamic(
            unknown_word.span,
            "a word that isn't known and may be an option",
        );
    }
    match words.as_slice() {
        [remote, verb, ..]
            if remote.text == "remote" && matches!(verb.text.as_str(), "add" | "set-url") =>
        {
            cx.history_mut().add_remote();
        }
        [push, to @ ..] if push.text == "push" => {
            let elsewhere = to.first().is_some_and(|a| {
                a.text.contains("://") || a.text.contains('@') && a.text.contains(':')
            });
            if elsewhere || cx.history().has_added_remote() {
                cx.emit_raw(
                    EffectKind::Network,
                    None,
                    Certainty::Certain,
                    call.span,
                    RiskLevel::High,
                    "sends commits to a repository that this line names",
                );
            }
        }
        _ => {}
    }
    if words.first().is_some_and(|a| applies(a)) && !rest.iter().any(only_looks) {
        cx.history_mut().mark_downloaded();
    }
    None
}

/// The line doesn't contain the changes of a patch.
fn patch(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let looks = |a: &Arg| matches!(a.text.as_str(), "--dry-run" | "--help" | "--version" | "-v");
    if !call.rest.iter().any(looks) {
        cx.history_mut().mark_downloaded();
    }
    None
}
