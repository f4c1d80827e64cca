//! Git.

use super::git_settings;
use super::{Family, Invocation};
use crate::calls::args::{is_single_unknown, is_unknown_word};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::paths::path::PathClass;

pub(super) const PROGRAMS: Family = &[(&["git"], git), (&["patch", "gpatch"], patch)];

/// Subcommands with options that run programs or discard work.
const RUNS: [&str; 13] = [
    "archive",
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

/// Subcommands that run hooks or programs of the repository's configuration.
const HOOKS: [&str; 19] = [
    "am",
    "bisect",
    "checkout",
    "cherry-pick",
    "commit",
    "difftool",
    "fetch",
    "gc",
    "hook",
    "ls-remote",
    "merge",
    "mergetool",
    "pull",
    "push",
    "rebase",
    "revert",
    "submodule",
    "switch",
    "worktree",
];

/// Adds an effect if git runs hooks of a repository that isn't known.
fn unknown_repository(cx: &mut Engine<'_>, rest: &[Arg], span: Span) {
    let mut words = rest.iter();
    let mut dir = ".";
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-C" => dir = words.next().map_or(dir, |d| d.text.as_str()),
            "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            verb if HOOKS.contains(&verb) => break,
            _ => return,
        }
    }
    if cx.classify(dir).class == PathClass::Unknown {
        cx.dynamic(span, "git runs the hooks of a repository that isn't known");
    }
}

/// Adds an effect for a fetch that overwrites a local branch, whose own commits are lost.
fn forced_fetch(cx: &mut Engine<'_>, words: &[&Arg], rest: &[Arg]) {
    let [verb, refs @ ..] = words else { return };
    if !matches!(verb.text.as_str(), "fetch" | "pull") {
        return;
    }
    let force = |a: &Arg| matches!(a.text.as_str(), "-f" | "--force");
    let all = rest.iter().any(force);
    let branch = |a: &&&Arg| {
        let (forced, refspec) = match a.text.strip_prefix('+') {
            Some(refspec) => (true, refspec),
            None => (all, a.text.as_str()),
        };
        let local = |to: &str| {
            let branch = to.strip_prefix("refs/").unwrap_or("heads/");
            branch.starts_with("heads/") && !to.is_empty()
        };
        let is_url = refspec.contains('@') || refspec.contains("://");
        let to = refspec.split_once(':').map(|(_, to)| to);
        forced && !is_url && to.is_some_and(local)
    };
    if let Some(refspec) = refs.iter().find(branch) {
        cx.emit_raw(
            EffectKind::GitRewrite,
            Some(crate::chars::show(&refspec.text)),
            Certainty::Possible,
            refspec.span,
            RiskLevel::High,
            "overwrites a local branch",
        );
    }
}

fn git(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    git_settings::git_config(cx, rest);
    unknown_repository(cx, rest, call.span);
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
    forced_fetch(cx, &words, rest);
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
    // A quoted one most likely is an operand if nothing follows.
    // The remote of a push receives data.
    let pushes = words.first().is_some_and(|verb| verb.text == "push");
    let first = rest.split_last().filter(|_| !pushes);
    let single = first
        .map_or(rest, |(_, first)| first)
        .iter()
        .find(|a| is_single_unknown(a))
        .filter(|_| words.first().is_some_and(|verb| verb.text != "clone"));
    if let Some(unknown_word) = unknown_word.or(single)
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

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of};

    #[test]
    fn hooks_of_unknown_repositories_and_forced_fetches() {
        for line in [
            "git -C \"$x\" commit -m a",
            "git -c a.b=c -C \"$x\" pull",
            "cd \"$x\" && git merge a",
            "git --git-dir \"$x\" status",
            "git push \"$x\"",
            "git fetch \"$x\" origin",
            "git fetch origin +main:main",
            "git fetch -f origin pull/3/head:pr3",
            "git pull --force origin a:refs/heads/b",
        ] {
            assert_eq!(risk_of(line), RiskLevel::High, "{line}");
        }
        for line in [
            "git -C \"$x\" status",
            "git -C \"$x\" log -1",
            "git -C sub diff",
        ] {
            assert_eq!(risk_of(line), RiskLevel::Low, "{line}");
        }
        for line in [
            "git -C sub commit -m a",
            "git fetch \"$x\"",
            "git fetch origin pull/3/head:pr3",
            "git fetch -f --tags origin",
            "git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
            "git fetch --force git@github.com:a/b.git",
        ] {
            assert_eq!(risk_of(line), RiskLevel::Medium, "{line}");
        }
    }
}
