//! The texts of the commands of a line, and what of the line is no command.

use super::name::Name;
use regex::Regex;
use regex_syntax::hir::Look;
use regex_syntax::hir::literal::{Extractor, Literal};
use shell_effects::{Span, Step, StepOrigin};
use std::sync::LazyLock;

/// The programs whose purpose it is to run others, or code: the text of these is in their own.
pub(crate) const LAUNCHERS: [&str; 81] = [
    "ash",
    "awk",
    "bash",
    "builtin",
    "bun",
    "bundle",
    "bunx",
    "busybox",
    "caffeinate",
    "chroot",
    "chrt",
    "command",
    "cross-env",
    "csh",
    "dash",
    "deno",
    "direnv",
    "doas",
    "docker",
    "dotenv",
    "entr",
    "env",
    "eval",
    "exec",
    "find",
    "fish",
    "flock",
    "gawk",
    "gtimeout",
    "hyperfine",
    "ionice",
    "ksh",
    "kubectl",
    "lua",
    "nice",
    "nix",
    "nix-shell",
    "node",
    "nohup",
    "npm",
    "npx",
    "osascript",
    "parallel",
    "perf",
    "perl",
    "php",
    "pipenv",
    "pnpm",
    "podman",
    "poetry",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "Rscript",
    "ruby",
    "runuser",
    "script",
    "setarch",
    "setsid",
    "sh",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "tcsh",
    "time",
    "timeout",
    "trap",
    "tsx",
    "unbuffer",
    "uv",
    "uvx",
    "watch",
    "xargs",
    "yarn",
    "zsh",
];

/// The text of one command of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CommandText {
    /// As it is written, without redirections behind it; empty in a tool call.
    pub(crate) written: String,
    /// Its program and arguments as the shell understands them, with single spaces between them.
    pub(crate) words: String,
    /// A launcher of the line starts it, whose text contains its text.
    pub(crate) inner: bool,
}

impl CommandText {
    /// The texts of the steps of a line.
    pub(crate) fn of_steps(steps: &[Step], line: &str) -> Vec<Self> {
        let mut texts: Vec<Self> = Vec::with_capacity(steps.len());
        for step in steps {
            let mut words = step.program.clone();
            for argument in &step.args {
                words.push(' ');
                words.push_str(argument);
            }
            let written = line.get(step.span.from..step.span.to).unwrap_or_default();
            let started = matches!(step.origin, StepOrigin::Wrapper | StepOrigin::Code);
            // Parents stand before their children.
            let parent = step.parent.and_then(|parent| texts.get(parent));
            let inner = started && parent.is_some_and(|text| text.inner || text.is_launcher());
            texts.push(Self {
                written: without_redirections(written).to_owned(),
                words,
                inner,
            });
        }
        texts
    }

    /// Whether one of the names of a rule that allows matches the text, and shows the directory of
    /// its program: `ls*` says nothing about `ls/../rm`, and `./tools/*` nothing about
    /// `./tools/../rm`.
    pub(crate) fn is_allowed_by(&self, names: &[Name]) -> bool {
        let first = self.first_word();
        let fits = |name: &Name| {
            name.fits(&self.written, true)
                && match Directories::shown_by(name) {
                    Directories::All => true,
                    Directories::None => !first.contains(SPECIAL) && !first.contains('/'),
                    Directories::Below(shown) => {
                        let mut others = first.split('/').skip(shown);
                        !first.contains(SPECIAL) && !others.any(|part| part == "..")
                    }
                }
        };
        names.iter().any(fits)
    }

    fn first_word(&self) -> &str {
        first_word(&self.written)
    }

    fn is_launcher(&self) -> bool {
        LAUNCHERS.contains(&self.first_word())
    }

    /// Whether the text begins with something else than the program that runs: an assignment, or
    /// an alias.
    fn is_misleading(&self, program: &str) -> bool {
        let assigns = ASSIGNMENTS
            .as_ref()
            .map(|regex| regex.is_match(&self.written));
        if assigns.unwrap_or(true) {
            return true;
        }
        let first = self.first_word();
        let plain = first.bytes().take_while(|byte| is_plain(*byte)).count();
        let (plain, rest) = first.split_at_checked(plain).unwrap_or_default();
        // What follows may name another directory.
        if plain.is_empty() || rest.contains('/') {
            return false;
        }
        // A program is named by its path if that matters.
        let name = plain.rsplit('/').next().unwrap_or_default();
        ![name, plain].into_iter().any(|word| {
            let begins = if rest.is_empty() || word.len() >= program.len() {
                after(word, program)
            } else {
                after(program, word)
            };
            begins.is_some_and(|rest| !rest.contains('/'))
        })
    }
}

/// The directories of programs that a name of a rule that allows can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directories {
    /// It shows all of the directory.
    All,
    /// Those below the first parts, whose number it shows.
    Below(usize),
    None,
}

impl Directories {
    pub(crate) fn shown_by(name: &Name) -> Self {
        let shown = match name {
            Name::Exact(_) => return Self::All,
            Name::Star(pattern) => {
                let known = first_word(pattern).split('*').next().unwrap_or_default();
                known.matches('/').count()
            }
            Name::Regex(exact, _) => directories_of(exact.as_str()).unwrap_or_default(),
        };
        match shown {
            0 => Self::None,
            shown => Self::Below(shown),
        }
    }

    /// The texts whose program is in another directory, or in one that the text doesn't show.
    pub(crate) fn expression_of_others(self) -> Option<String> {
        let special: String = SPECIAL.iter().flat_map(|c| ['\\', *c]).collect();
        let other = match self {
            Self::All => return None,
            Self::Below(shown) => {
                format!(r"(?:[^ /]*/){{{shown}}}(?:[^ ]*/)?\.\.(?:[/ ].*)?$")
            }
            Self::None => "[^ ]*/".to_owned(),
        };
        Some(format!("(?s)^(?:[^ ]*[{special}]|{other})"))
    }
}

/// Number of directories that all texts begin with which an expression matches.
fn directories_of(expression: &str) -> Option<usize> {
    let hir = regex_syntax::parse(expression).ok()?;
    let is_anchored = hir.properties().look_set_prefix().contains(Look::Start);
    let begins = Extractor::new().extract(&hir);
    let shown = |begin: &Literal| {
        let begin = std::str::from_utf8(begin.as_bytes()).unwrap_or_default();
        first_word(begin).matches('/').count()
    };
    begins
        .literals()
        .filter(|_| is_anchored)?
        .iter()
        .map(shown)
        .min()
}

/// Characters of a word that may stand for other text.
const SPECIAL: [char; 15] = [
    '\'', '"', '\\', '$', '`', '{', '}', '[', ']', '(', ')', '*', '?', '~', '!',
];

fn first_word(text: &str) -> &str {
    text.split_once(' ').map_or(text, |(first, _)| first)
}

/// What follows a prefix, whatever its case.
fn after<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (begin, rest) = text.split_at_checked(prefix.len())?;
    begin.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// A byte of words that mean what they say.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'+' | b'-')
}

/// A text whose first word begins with bytes that mean what they say, and names no other directory
/// behind them.
pub(crate) const PLAIN_TEXT: &str = r"(?s)^[A-Za-z0-9_./+-]+(?:[^A-Za-z0-9_./+ -][^/ ]*)?(?: .*)?$";

/// A text that begins with an assignment: `a=`, `a+=`, `a[1]=`.
pub(crate) const ASSIGNMENT: &str = r"(?s)^[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?\+?=";

static ASSIGNMENTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(ASSIGNMENT).ok());

/// The texts of [`PLAIN_TEXT`] whose first word may be that of a program, perhaps with a version
/// behind it.
pub(crate) fn expression_of_program(program: &str) -> String {
    let letters = || {
        program
            .chars()
            .map(|c| regex_syntax::escape(&c.to_string()))
    };
    let program: String = letters().collect();
    let begin = letters()
        .rev()
        .fold(String::new(), |rest, letter| format!("(?:{letter}{rest})?"));
    let (named, quoted) = (
        format!("{program}[A-Za-z0-9_.+-]*(?:[^A-Za-z0-9_./+-].*)?"),
        format!("{begin}[^A-Za-z0-9_./+ -].*"),
    );
    format!("(?s)^(?:[A-Za-z0-9_./+-]*/)?(?:{named}|{quoted})$")
}

/// Whether a line has text that says nothing of what it runs or hides it: assignments, groups,
/// keywords, here-documents, aliases, and commands that a program starts which isn't a launcher.
pub(crate) fn has_other_text(line: &str, steps: &[Step], texts: &[CommandText]) -> bool {
    let both = || steps.iter().zip(texts);
    if both().any(|(step, text)| {
        let started = matches!(step.origin, StepOrigin::Wrapper | StepOrigin::Code);
        !text.inner && (started || text.is_misleading(&step.program))
    }) {
        return true;
    }
    let own = steps.iter().filter(|step| step.parent.is_none());
    let mut spans: Vec<Span> = own.map(|step| step.span).collect();
    spans.sort_unstable_by_key(|span| span.from);
    let mut at = 0;
    let mut between = Vec::new();
    for span in spans {
        between.push(line.get(at..span.from.max(at)));
        at = at.max(span.to);
    }
    between.push(line.get(at..));
    let harmless = |word: &str| matches!(word, "time" | "!");
    let only_separates = |text: &str| {
        text.split('\n').all(|line| {
            let words = line.split([';', '&', '|', ' ', '\t', '\r']);
            let mut words = words.filter(|word| !word.is_empty());
            words
                .find(|word| !harmless(word))
                .is_none_or(|word| word.starts_with('#'))
        })
    };
    !between
        .into_iter()
        .all(|text| text.is_some_and(only_separates))
}

/// Redirections at the end of a command: `> a`, `2>&1`, `&>> a`, `< a`. They contain no quotes, so
/// they aren't inside quotes.
static REDIRECTIONS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let one = r"[ \t]*(?:[0-9]?|&)(?:>>?|<)[ \t]*(?:&[0-9]|[A-Za-z0-9_./~+@%-]+)";
    Regex::new(&format!("(?:{one})+$")).ok()
});

/// A command without white space around it and redirections at its end.
fn without_redirections(command: &str) -> &str {
    let command = command.trim();
    let found = REDIRECTIONS.as_ref().and_then(|regex| regex.find(command));
    let own = found.and_then(|found| command.get(..found.start()));
    own.unwrap_or(command).trim_end()
}
