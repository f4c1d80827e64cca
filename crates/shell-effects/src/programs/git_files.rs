//! Files whose contents git prints, and files that it restores: a secret is a secret when git
//! prints it, and a restored file is written.

use crate::effect::Span;
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;
use crate::paths::path::PathClass;

/// Options with which git prints only names and counts, not contents.
const NAMES_ONLY: [&str; 14] = [
    "--stat",
    "--numstat",
    "--shortstat",
    "--dirstat",
    "--name-only",
    "--name-status",
    "--summary",
    "--quiet",
    "-s",
    "--no-patch",
    "--raw",
    "--count",
    "--files-with-matches",
    "--files-without-match",
];

/// Returns whether the subcommand prints the contents of the given files.
fn prints_contents(sub: &str, args: &[Arg]) -> bool {
    let given = |names: &[&str]| {
        args.iter().any(|a| {
            names
                .iter()
                .any(|n| a.text == *n || a.text.starts_with(&format!("{n}=")))
        })
    };
    let short = |set: &[char]| {
        args.iter()
            .any(|a| a.text.starts_with('-') && !a.text.starts_with("--") && a.text.contains(set))
    };
    match sub {
        "blame" | "annotate" => true,
        "diff" | "show" | "diff-index" | "diff-files" | "diff-tree" | "whatchanged" => {
            !given(&NAMES_ONLY)
        }
        "log" => {
            (given(&[
                "-p",
                "-u",
                "--patch",
                "--unified",
                "--cc",
                "-c",
                "--patch-with-stat",
            ]) || short(&['p', 'L', 'U']))
                && !given(&["--no-patch"])
        }
        "grep" => !given(&NAMES_ONLY) && !short(&['l', 'L', 'c', 'q']),
        _ => false,
    }
}

/// Returns the operands of `git checkout` and `git restore` that are paths of the work tree. A
/// single operand of `checkout` may be a branch. It is taken for one, as git does if the branch
/// exists.
fn restored_paths<'a>(sub: &str, args: &'a [Arg]) -> Vec<&'a Arg> {
    let given = |names: &[&str]| args.iter().any(|a| names.contains(&a.text.as_str()));
    let short = |set: &[char]| {
        args.iter()
            .any(|a| a.text.starts_with('-') && !a.text.starts_with("--") && a.text.contains(set))
    };
    let takes_value: &[&str] = match sub {
        // `--staged` alone restores only the index.
        "restore"
            if (given(&["--staged"]) || short(&['S']))
                && !given(&["--worktree"])
                && !short(&['W']) =>
        {
            return Vec::new();
        }
        "restore" => &["-s", "--source", "--conflict", "--pathspec-from-file"],
        "checkout"
            if given(&["--orphan", "--track", "--detach"]) || short(&['b', 'B', 't', 'd']) =>
        {
            return Vec::new();
        }
        "checkout" => &["--conflict", "--pathspec-from-file"],
        "checkout-index" => &["--prefix", "--stage"],
        _ => return Vec::new(),
    };
    let (mut operands, mut paths) = (Vec::new(), false);
    let mut at = args.iter();
    while let Some(a) = at.next() {
        match a.text.as_str() {
            "--" if !paths => {
                // The operands before it are revisions.
                operands.clear();
                paths = true;
            }
            t if !paths && t.starts_with('-') => {
                if takes_value.contains(&t) {
                    at.next();
                }
            }
            _ => operands.push(a),
        }
    }
    let whole = |a: &Arg| matches!(a.text.as_str(), "." | "./" | ":/");
    if sub == "checkout" && !paths && !operands.first().is_some_and(|a| whole(a)) {
        operands.drain(..1.min(operands.len()));
    }
    operands
}

/// Adds the effects of restoring paths.
fn git_writes(cx: &mut Engine<'_>, sub: &str, args: &[Arg]) {
    for a in restored_paths(sub, args) {
        let magic = a.text.strip_prefix(":/").or_else(|| {
            a.text
                .strip_prefix(":(")
                .and_then(|t| t.split_once(')'))
                .map(|(_, t)| t)
        });
        match magic {
            Some(path) if !path.is_empty() => cx.path_write(&Arg::literal(path, a.span)),
            // Everything except the named paths.
            Some(_) => cx.path_write(&Arg::literal(".", a.span)),
            None if a.text.starts_with(':') => cx.path_write(&Arg::literal(".", a.span)),
            None => cx.path_write(a),
        }
    }
}

/// Adds the effects of printing or copying file contents.
pub(super) fn git_files(cx: &mut Engine<'_>, sub: &str, args: &[Arg]) {
    git_writes(cx, sub, args);
    if sub == "hash-object" {
        args.iter()
            .filter(|a| !a.text.starts_with('-'))
            .for_each(|a| cx.path_read(a));
        return;
    }
    if !prints_contents(sub, args) {
        return;
    }
    // The first operand of grep is its pattern.
    let mut pattern = sub == "grep" && !args.iter().any(|a| matches!(a.text.as_str(), "-e" | "-f"));
    let mut skip = false;
    let mut paths = false;
    for a in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        match a.text.as_str() {
            "--" => (paths, pattern) = (true, false),
            "-e" if sub == "grep" => skip = true,
            t if !paths && t.starts_with('-') => {
                // `git log -L 1,5:.env`
                if let Some((_, file)) = t.strip_prefix("-L").and_then(|t| t.rsplit_once(':')) {
                    secret_of(cx, file, a.span);
                }
            }
            _ if std::mem::take(&mut pattern) => {}
            t => {
                let excludes =
                    t.starts_with(":!") || t.starts_with(":^") || t.starts_with(":(exclude");
                let magic = t.strip_prefix(":/").or_else(|| {
                    t.strip_prefix(":(")
                        .and_then(|t| t.split_once(')'))
                        .map(|(_, t)| t)
                });
                if !excludes {
                    let file = magic.unwrap_or(t).to_owned();
                    secret_of(cx, &file, a.span);
                }
            }
        }
    }
}

fn secret_of(cx: &mut Engine<'_>, file: &str, span: Span) {
    if cx.classify(file).secret {
        cx.path_read(&Arg::literal(file, span));
    }
}

/// Adds an effect for a repository outside the work tree, whose settings and hooks may be
/// anyone's.
pub(super) fn git_elsewhere(cx: &mut Engine<'_>, dir: &str, span: Span) {
    let strange = matches!(
        cx.classify(dir).class,
        PathClass::Temporary | PathClass::Outside | PathClass::System | PathClass::Unknown
    );
    if strange && !dir.is_empty() {
        cx.dynamic(
            span,
            "git takes its settings and hooks from a repository outside the work tree",
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::{Context, EffectKind, Table, analyse};

    fn written(line: &str) -> Vec<String> {
        let table = Table::builtin();
        let effects = analyse(line, &Context::new(&table)).effects;
        effects
            .into_iter()
            .filter(|e| e.kind == EffectKind::Write)
            .filter_map(|e| e.target)
            .collect()
    }

    #[test]
    fn restored_files_are_written() {
        for (line, paths) in [
            ("git checkout HEAD~1 -- src/a.rs b", &["src/a.rs", "b"][..]),
            ("git checkout HEAD~1 src/a.rs", &["src/a.rs"]),
            ("git checkout -q -- :/keys/a", &["keys/a"]),
            ("git checkout .", &["."]),
            ("git checkout -- ':!docs'", &["."]),
            ("git restore -s HEAD~2 keys/a", &["keys/a"]),
            (
                "git restore --source=HEAD~2 --worktree --staged keys/a",
                &["keys/a"],
            ),
            ("git -C sub restore -SW a", &["a"]),
            ("git checkout-index -f a", &["a"]),
            ("git restore --staged a", &[]),
            ("git checkout main", &[]),
            ("git checkout -b feature/login origin/main", &[]),
            ("git checkout --detach v1.0", &[]),
            ("git status", &[]),
        ] {
            assert_eq!(written(line), paths, "{line}");
        }
    }
}
