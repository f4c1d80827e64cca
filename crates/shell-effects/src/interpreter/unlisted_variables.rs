//! Unlisted environment variables, rated by their names.

use super::engine::Engine;
use super::expand::Arg;
use crate::chars::{has_unknown, show};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};

/// The kind of value that the name of an unlisted variable suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A command line or a program.
    Command,
    /// Options of a program.
    Options,
    /// A file that a program writes.
    Output,
    /// A directory that a program fills. The user's own directories are filled routinely.
    Fills,
    /// A path from which programs, settings or code are loaded.
    Place,
}

/// Parts of names of variables whose value a program writes to.
const WRITTEN: [&str; 8] = [
    "TRACE",
    "_LOG",
    "OUTPUT",
    "COVERAGE",
    "REDIRECT",
    "PERLIO_DEBUG",
    "TAPE",
    "HISTFILE_",
];

/// Returns the kind of value that a name suggests, mostly by its last word.
pub(super) fn value_kind(name: &str) -> Option<ValueKind> {
    let mut words = name.rsplit('_');
    let last = words.next()?;
    if name.split('_').any(|w| matches!(w, "TMP" | "TEMP")) {
        return None;
    }
    let fills = name.split('_').any(|w| {
        matches!(
            w,
            "CACHE" | "OUT" | "TARGET" | "INSTALL" | "INDEX" | "GOBIN"
        )
    });
    if fills {
        return matches!(
            last,
            "DIR" | "FILE" | "TARGET" | "ROOT" | "PATH" | "GOBIN" | "OUT"
        )
        .then_some(ValueKind::Fills);
    }
    match last {
        _ if WRITTEN.iter().any(|word| name.contains(word)) => Some(ValueKind::Output),
        "EDITOR" | "PAGER" | "DIFF" | "SHELL" | "LAUNCHER" | "WRAPPER" | "RUNNER" => {
            (last != name).then_some(ValueKind::Command)
        }
        "OPTIONS" | "OPTS" | "FLAGS" | "ARGS" | "ADDOPTS" | "MANOPT" | "ZIPOPT" => {
            Some(ValueKind::Options)
        }
        "MODULES" | "GOENV" | "GOWORK" | "TOOLCHAIN" => Some(ValueKind::Place),
        "CONFIG" | "CONF" | "RC" | "HOME" | "PATH" | "PLUGIN" | "PLUGINS" | "PRELOAD"
        | "LOADER" | "GEMFILE" | "CLASSPATH" | "HGRCPATH" | "TEXMFCNF" | "RCPATH" | "CONFDIR"
        | "INIT" | "PROFILE" | "VAGRANTFILE" => Some(ValueKind::Place),
        "APP" if name == "FLASK_APP" => Some(ValueKind::Place),
        "FILE" | "DIR" | "CWD" => matches!(
            words.next(),
            Some(
                "COMPOSE"
                    | "CREDENTIALS"
                    | "CONFIG"
                    | "CONF"
                    | "RC"
                    | "PLUGIN"
                    | "PLUGINS"
                    | "INIT"
                    | "VAGRANT"
                    | "TOOL"
            )
        )
        .then_some(ValueKind::Place),
        _ => None,
    }
}

/// Returns whether a variable usually is set by the user's environment and holds directories of
/// programs and libraries.
pub(super) fn is_inherited(name: &str) -> bool {
    matches!(
        name,
        "PATH"
            | "MANPATH"
            | "JAVA_HOME"
            | "GOPATH"
            | "GOROOT"
            | "GOBIN"
            | "CARGO_HOME"
            | "VIRTUAL_ENV"
            | "CONDA_PREFIX"
            | "PYENV_ROOT"
            | "NVM_DIR"
            | "NVM_BIN"
            | "BUN_INSTALL"
            | "DENO_INSTALL"
            | "PNPM_HOME"
            | "VOLTA_HOME"
            | "HOMEBREW_PREFIX"
            | "ANDROID_HOME"
            | "FLUTTER_ROOT"
    ) || name.ends_with("PATH") && super::env::LOADS.contains(&name)
        || matches!(name, "PERL5LIB" | "RUBYLIB")
}

impl Engine<'_> {
    /// Adds the effects of setting an unlisted variable, by its name.
    pub(super) fn unlisted_variable(
        &mut self,
        what: ValueKind,
        name: &str,
        value: &str,
        span: Span,
    ) {
        use crate::paths::path::PathClass::{Outside, System, Temporary, Unknown};
        match what {
            ValueKind::Command => self.runs_value(name, value, span),
            ValueKind::Output => {
                let path = value.rsplit_once(':').map_or(value, |(_, path)| path);
                if path.starts_with(['/', '~']) {
                    self.path_write(&Arg::literal(path, span));
                }
            }
            ValueKind::Fills => {
                if value.starts_with('/') && matches!(self.classify(value).class, Outside | System)
                {
                    self.path_write(&Arg::literal(value, span));
                }
            }
            ValueKind::Options => {
                let acts = [
                    "eval", "exec", "system", "require", "agent", "plugin", "script", "-P", "-TT",
                ];
                let foreign = value
                    .split(|c: char| c.is_whitespace() || c == '=')
                    .any(|word| word.starts_with(['/', '~']));
                if foreign || has_unknown(value) || acts.iter().any(|word| value.contains(word)) {
                    self.dynamic(span, "options that may make a program run code");
                }
            }
            ValueKind::Place => {
                let foreign = value.split(':').any(|part| {
                    part.starts_with(['/', '~'])
                        && matches!(self.classify(part).class, Temporary | Outside | Unknown)
                        && !part.starts_with("/opt/")
                });
                if foreign {
                    let target = format!("{name}={}", show(value));
                    self.emit_raw(
                        EffectKind::Dynamic,
                        Some(target),
                        Certainty::Possible,
                        span,
                        RiskLevel::High,
                        "programs take settings or code from a place outside the work tree",
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of};

    #[test]
    fn variables_that_decide_what_runs() {
        for line in [
            "PATH=\"$x\" ls",
            "export PATH=\"$x:$PATH\"",
            "PATH=\"$PATH$x\" ls",
            "PATH=\"$JAVA_HOME/../$x\" ls",
            "env PATH=\"$x\" ls",
            "read -r PATH < f; ls",
            "printf -v PATH %s \"$x\"; ls",
            "mapfile -t PATH < f; ls",
            "for PATH in \"$x\"; do ls; done",
            ": \"${LD_PRELOAD:=/tmp/x.so}\"; ls",
            "PATH=(\"$x\"); ls",
            "PYTHONPATH=\"$x:src\" python3 a.py",
            "IFS=$x",
            "read -r IFS < f",
            "eval \"cd $d\"",
            "bash -c \"ls $x\"",
        ] {
            assert_eq!(risk_of(line), RiskLevel::High, "{line}");
        }
        for line in [
            "PATH=\"$PATH:$x\" ls",
            "PATH=\"$JAVA_HOME/bin:$PATH\" ls",
            "env PATH=\"$PATH\" ls",
            "old=$IFS; IFS=,; IFS=$old",
            "while IFS=, read -r a b; do echo \"$a\"; done < f.csv",
            "eval 'echo \"$x\"'",
            "bash -c 'ls \"$1\"' _ \"$x\"",
        ] {
            assert_eq!(risk_of(line), RiskLevel::Low, "{line}");
        }
    }
}
