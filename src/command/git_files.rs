//! Which files' contents git shows: secrets are secrets also when git prints them.

use super::chars::HOLE;
use super::effect::Span;
use super::engine::Engine;
use super::expand::Arg;
use super::path::PathClass;

/// Options with which git tells names and counts, and no contents.
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

/// True if the subcommand prints what is in the files that it is given.
fn shows(sub: &str, args: &[Arg]) -> bool {
    let given = |names: &[&str]| args.iter().any(|a| names.iter().any(|n| a.text == *n || a.text.starts_with(&format!("{n}="))));
    let short = |set: &[char]| args.iter().any(|a| a.text.starts_with('-') && !a.text.starts_with("--") && a.text.contains(set));
    match sub {
        "blame" | "annotate" => true,
        "diff" | "show" | "diff-index" | "diff-files" | "diff-tree" | "whatchanged" => !given(&NAMES_ONLY),
        "log" => {
            (given(&["-p", "-u", "--patch", "--unified", "--cc", "-c", "--patch-with-stat"]) || short(&['p', 'L', 'U']))
                && !given(&["--no-patch"])
        }
        "grep" => !given(&NAMES_ONLY) && !short(&['l', 'L', 'c', 'q']),
        _ => false,
    }
}

impl Engine<'_> {
    /// Paths whose contents a subcommand prints or takes over.
    pub(super) fn git_files(&mut self, sub: &str, args: &[Arg]) {
        if sub == "hash-object" {
            args.iter().filter(|a| !a.text.starts_with('-')).for_each(|a| self.path_read(a));
            return;
        }
        if !shows(sub, args) {
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
                        self.secret_of(file, a.span);
                    }
                }
                _ if std::mem::take(&mut pattern) => {}
                t => {
                    let excludes = t.starts_with(":!") || t.starts_with(":^") || t.starts_with(":(exclude");
                    let magic =
                        t.strip_prefix(":/").or_else(|| t.strip_prefix(":(").and_then(|t| t.split_once(')')).map(|(_, t)| t));
                    if !excludes {
                        let file = magic.unwrap_or(t).to_owned();
                        self.secret_of(&file, a.span);
                    }
                }
            }
        }
    }

    fn secret_of(&mut self, file: &str, span: Span) {
        if self.classify(file).secret {
            self.path_read(&Arg::literal(file, span));
        }
    }

    /// The repository lies elsewhere: its settings and hooks are whoever's made it.
    pub(super) fn git_elsewhere(&mut self, dir: &str, span: Span) {
        let strange = matches!(self.classify(dir).class, PathClass::Temporary | PathClass::Outside | PathClass::System);
        if strange && !dir.is_empty() && !dir.contains(HOLE) {
            self.dynamic(span, "git takes its settings and hooks from a repository outside the work tree");
        }
    }
}
