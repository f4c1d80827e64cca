//! Settings and options of git that run commands. The table describes the subcommands themselves.

use super::git_files;
use crate::calls::shell_args;
use crate::calls::spec_eval::parse_args;
use crate::chars::{UNKNOWN, has_unknown, show};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span, StepOrigin};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::parse::Base;

/// Returns whether git reads a value as false.
fn is_false(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "false" | "no" | "off" | "0" | ""
    )
}

/// Returns whether a setting makes pull rebase. `None` for other settings.
fn pull_rebases(key: &str, value: &str) -> Option<bool> {
    let key = key.to_ascii_lowercase();
    let says = key == "pull.rebase" || key.starts_with("branch.") && key.ends_with(".rebase");
    says.then(|| !is_false(value))
}

/// Adds the effects of settings given as options (`-c`, `--config-env`), which may run
/// programs.
pub(super) fn git_config(cx: &mut Engine<'_>, rest: &[Arg]) {
    let mut i = 0;
    let mut rebases = false;
    while let Some(a) = rest.get(i) {
        i += 1;
        let pair = if matches!(a.text.as_str(), "-c" | "--config" | "--config-env") {
            let v = rest.get(i);
            i += 1;
            v
        } else if a.text.starts_with("--config-env=")
            || (a.text.starts_with("-c") && a.text.contains('='))
        {
            Some(a)
        } else if matches!(
            a.text.as_str(),
            "-C" | "--git-dir" | "--work-tree" | "--namespace"
        ) {
            if let (true, Some(dir)) = (a.text == "--git-dir", rest.get(i)) {
                git_files::git_elsewhere(cx, &dir.text.clone(), dir.span);
            }
            i += 1;
            None
        } else if a.text.starts_with('-') {
            if let Some(dir) = a.text.strip_prefix("--exec-path=")
                && !dir.is_empty()
            {
                cx.dynamic(a.span, "git runs its programs from another directory");
            }
            if let Some(dir) = a.text.strip_prefix("--git-dir=") {
                git_files::git_elsewhere(cx, dir, a.span);
            }
            None
        } else {
            if a.text == "config" {
                git_config_command(cx, rest.get(i..).unwrap_or_default());
            }
            if a.text == "pull" {
                git_pull(cx, rest.get(i..).unwrap_or_default(), rebases, a.span);
            }
            return git_commands(cx, rest.get(i.saturating_sub(1)..).unwrap_or_default());
        };
        if let Some(p) = pair {
            // The setting's value is in an environment variable, which is only known if the
            // line has set it.
            let by_env = a.text.starts_with("--config-env");
            let t = p
                .text
                .strip_prefix("--config-env=")
                .or_else(|| p.text.strip_prefix("-c"))
                .unwrap_or(&p.text);
            let (k, v) = t.split_once('=').unwrap_or((t, ""));
            if by_env {
                let value = cx
                    .value_of(v)
                    .map_or_else(|| UNKNOWN.to_string(), str::to_owned);
                let k = k.to_owned();
                rebases = pull_rebases(&k, &value).unwrap_or(rebases);
                git_setting(cx, &k, &Arg::literal(value, p.span));
                continue;
            }
            let v = Arg {
                text: v.to_owned(),
                at: p.at.map(|o| o + p.text.len() - v.len()),
                ..p.clone()
            };
            let k = k.to_owned();
            // A setting without a value is true.
            rebases =
                pull_rebases(&k, if t.contains('=') { &v.text } else { "true" }).unwrap_or(rebases);
            git_setting(cx, &k, &v);
        }
    }
}

/// Rates `git pull` like `git rebase` if it rebases: it then rewrites the branch's own commits.
/// Otherwise the shorter command would evade the rule for the longer one.
fn git_pull(cx: &mut Engine<'_>, args: &[Arg], configured: bool, span: Span) {
    let mut rebases = configured;
    let dry = args.iter().any(|a| a.text == "--dry-run");
    let mut args = args
        .iter()
        .map(|a| a.text.as_str())
        .take_while(|t| *t != "--");
    while let Some(t) = args.next() {
        match t.split_once('=').unwrap_or((t, "")) {
            // git accepts any unambiguous abbreviation of an option.
            (name, value) if name.len() >= 5 && "--rebase".starts_with(name) => {
                rebases = !is_false(value) || !t.contains('=');
            }
            (name, _) if name.len() >= 8 && "--no-rebase".starts_with(name) => rebases = false,
            (
                "--strategy" | "--strategy-option" | "--depth" | "--jobs" | "--upload-pack" | "-s"
                | "-X" | "-j" | "-o",
                "",
            ) => {
                args.next();
            }
            (name, _) if name.starts_with('-') && !name.starts_with("--") => {
                rebases |= name
                    .chars()
                    .take_while(|c| !matches!(c, 's' | 'X' | 'j' | 'o' | 'S'))
                    .any(|c| c == 'r');
            }
            _ => {}
        }
    }
    if rebases && !dry {
        let why = "rebases local commits onto the fetched ones, which rewrites them";
        cx.emit(EffectKind::GitRewrite, None, span, why);
    }
}

/// Adds the effects of `git config`: a written value may run programs, and the written file may
/// not be the repository's own.
fn git_config_command(cx: &mut Engine<'_>, args: &[Arg]) {
    let mut words: Vec<&Arg> = Vec::new();
    let mut file = None;
    let (mut changes, mut reads) = (false, false);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value_after = |prefix: &str| Arg {
            text: arg.text.get(prefix.len()..).unwrap_or_default().to_owned(),
            at: arg.at.map(|at| at + prefix.len()),
            ..arg.clone()
        };
        match arg.text.as_str() {
            "-f" | "--file" => file = args.next().cloned(),
            text if text.starts_with("--file=") => file = Some(value_after("--file=")),
            text if text.starts_with("-f") => file = Some(value_after("-f")),
            "--blob" | "--type" | "--default" | "--comment" | "--value" | "--url" => {
                args.next();
            }
            "-e" | "--edit" | "--unset" | "--unset-all" | "--rename-section"
            | "--remove-section" => changes = true,
            "edit" | "unset" | "rename-section" | "remove-section" if words.is_empty() => {
                changes = true;
            }
            "-l" | "--list" => reads = true,
            text if text.starts_with("--get") => reads = true,
            "get" | "list" if words.is_empty() => reads = true,
            "set" if words.is_empty() => {}
            text if text.starts_with('-') => {}
            _ => words.push(arg),
        }
    }
    if reads {
        words.clear();
    }
    if let [key, value, ..] = words.as_slice() {
        let key = key.text.clone();
        git_setting(cx, &key, value);
        changes = true;
    }
    match file {
        Some(file) if changes => cx.path_write(&file),
        Some(file) => cx.path_read(&file),
        None => {}
    }
}

/// Adds the effects of a setting; git runs the values of some.
pub(crate) fn git_setting(cx: &mut Engine<'_>, key: &str, value: &Arg) {
    if has_unknown(key) {
        cx.dynamic(
            value.span,
            "a setting of git that isn't known may run programs",
        );
        return;
    }
    let k = key.to_ascii_lowercase();
    if let Some(_name) = k.strip_prefix("alias.") {
        if let Some(cmd) = value.text.strip_prefix('!') {
            let a = Arg {
                text: cmd.to_owned(),
                at: value.at.map(|o| o + 1),
                ..value.clone()
            };
            shell_args::shell_arg(cx, &a, &Stream::default(), false);
            cx.emit_raw(
                EffectKind::Execute,
                Some(key.to_owned()),
                Certainty::Certain,
                value.span,
                RiskLevel::Medium,
                "an alias of git that runs a command",
            );
        } else {
            let text = format!("git {}", crate::chars::source(&value.text));
            cx.run_text(
                &text,
                Base::Fixed(value.span),
                StepOrigin::Code,
                &Stream::default(),
                false,
            );
        }
        return;
    }
    let pager = k.starts_with("pager.") || k == "core.pager";
    let runs = pager
        || matches!(
            k.as_str(),
            "core.sshcommand"
                | "core.editor"
                | "sequence.editor"
                | "core.fsmonitor"
                | "core.askpass"
                | "core.gitproxy"
                | "diff.external"
                | "credential.helper"
                | "gpg.program"
                | "gpg.ssh.program"
                | "core.alternaterefscommand"
                | "uploadpack.packobjectshook"
                | "merge.tool"
                | "diff.tool"
                | "interactive.difffilter"
                | "remote.origin.uploadpack"
                | "remote.origin.receivepack"
                | "gpg.ssh.defaultkeycommand"
                | "trailer.command"
                | "ssh.variant_"
                | "web.browser"
                | "help.browser"
        )
        || (k.starts_with("diff.") && (k.ends_with(".command") || k.ends_with(".textconv")))
        || (k.starts_with("filter.")
            && (k.ends_with(".clean") || k.ends_with(".smudge") || k.ends_with(".process")))
        || (k.starts_with("merge.") && k.ends_with(".driver"))
        || ((k.starts_with("mergetool.")
            || k.starts_with("difftool.")
            || k.starts_with("browser.")
            || k.starts_with("man.")
            || k.starts_with("guitool.")
            || k.starts_with("trailer."))
            && (k.ends_with(".cmd") || k.ends_with(".command") || k.ends_with(".path")))
        || (k.starts_with("credential.") && k.ends_with(".helper"))
        || (k.starts_with("gpg.") && k.ends_with(".program"))
        || (k.starts_with("submodule.") && k.ends_with(".update"))
        || (k.starts_with("remote.")
            && (k.ends_with(".vcs") || k.ends_with("pack") || k.ends_with(".proxy_command")))
        || (k.starts_with("sendemail.") && k.ends_with("cmd"))
        || (k.starts_with("tar.") && k.ends_with(".command"));
    let t = value.text.trim();
    if k == "core.hookspath"
        || k == "include.path"
        || k.starts_with("includeif.")
        || k == "init.templatedir"
        || k == "core.attributesfile_"
    {
        let quiet = t == "/dev/null" || t.is_empty();
        if !quiet {
            cx.emit_raw(
                EffectKind::Dynamic,
                Some(key.to_owned()),
                Certainty::Possible,
                value.span,
                RiskLevel::High,
                "git uses hooks or settings from this path",
            );
        }
        return;
    }
    if k.starts_with("protocol.") && (t == "always" || has_unknown(t)) {
        cx.emit_raw(
            EffectKind::Dynamic,
            Some(key.to_owned()),
            Certainty::Possible,
            value.span,
            RiskLevel::High,
            "allows remotes that run commands",
        );
        return;
    }
    if !runs
        || t.is_empty()
        || matches!(
            t,
            "cat"
                | "less"
                | "true"
                | ":"
                | "false"
                | "vim"
                | "vi"
                | "nano"
                | "code --wait"
                | "store"
                | "cache"
                | "osxkeychain"
                | "manager"
                | "manager-core"
                | "less -R"
                | "less -FRX"
                | "delta"
                | "meld"
                | "vimdiff"
                | "kdiff3"
                | "vscode"
                | "nvimdiff"
                | "libsecret"
        )
    {
        return;
    }
    if k == "core.fsmonitor" && matches!(t, "true" | "false")
        || k == "core.sshcommand"
            && t.starts_with("ssh ")
            && !t.to_ascii_lowercase().contains("command")
            && !t.contains([';', '|', '&', '`', '$', '\0'])
    {
        return;
    }
    let a = Arg {
        text: t.trim_start_matches('!').to_owned(),
        at: None,
        ..value.clone()
    };
    shell_args::shell_arg(cx, &a, &Stream::default(), false);
    cx.emit_raw(
        EffectKind::Dynamic,
        Some(format!("{key}={}", show(t))),
        Certainty::Possible,
        value.span,
        RiskLevel::High,
        "a setting that makes git run this command",
    );
}

/// The values of options of a subcommand, however they are spelled.
fn option_values(cx: &Engine<'_>, words: &[Arg], names: &[&str]) -> Vec<Arg> {
    let Some(spec) = cx.ctx().table.get("git") else {
        return Vec::new();
    };
    let (call, _) = parse_args(spec, words);
    let options = call.flags.into_iter();
    let named = options.filter(|option| names.contains(&option.name.as_str()));
    named.flat_map(|option| option.values).collect()
}

/// Runs commands that are arguments of git subcommands.
fn git_commands(cx: &mut Engine<'_>, words: &[Arg]) {
    let Some((sub, args)) = words.split_first() else {
        return;
    };
    git_files::git_files(cx, &sub.text.clone(), args);
    match sub.text.as_str() {
        "show" | "cat-file" => {
            for a in args {
                if let Some((_, file)) = a.text.split_once(':')
                    && crate::paths::private::is_private(file, &cx.ctx().home)
                {
                    cx.emit_raw(
                        EffectKind::Credential,
                        Some(show(file)),
                        Certainty::Certain,
                        a.span,
                        RiskLevel::High,
                        "reads a file that holds secrets",
                    );
                }
            }
        }
        "rebase" => {
            for code in option_values(cx, words, &["-x", "--exec"]) {
                shell_args::shell_arg(cx, &code, &Stream::default(), false);
            }
        }
        "bisect" => {
            // Options may come before the word.
            let run = args.iter().position(|a| a.text == "run");
            let words = run.and_then(|at| args.get(at + 1..)).unwrap_or_default();
            let span = words.iter().fold(sub.span, |span, a| span.join(a.span));
            if !words.is_empty() {
                cx.wrapped(words, &Stream::default(), false, span);
            }
        }
        "submodule" if args.iter().any(|a| a.text == "foreach") => {
            let i = args
                .iter()
                .position(|a| a.text == "foreach")
                .map_or(0, |i| i + 1);
            let w: Vec<Arg> = args
                .iter()
                .skip(i)
                .skip_while(|a| a.text.starts_with('-'))
                .cloned()
                .collect();
            shell_args::joined_shell(cx, &w, &Stream::default(), false);
        }
        "difftool" | "mergetool" => {
            for code in option_values(cx, words, &["-x", "--extcmd"]) {
                let code = Arg {
                    text: format!("{} {UNKNOWN}", code.text),
                    at: None,
                    ..code
                };
                shell_args::shell_arg(cx, &code, &Stream::default(), false);
            }
        }
        "clone" | "fetch" | "pull" | "push" | "ls-remote" | "archive" | "remote" | "submodule"
        | "fetch-pack" | "send-pack" => {
            for a in args {
                if let Some(cmd) = a.text.strip_prefix("ext::") {
                    let c = Arg {
                        text: cmd.to_owned(),
                        at: None,
                        ..a.clone()
                    };
                    shell_args::shell_arg(cx, &c, &Stream::default(), false);
                    cx.dynamic(a.span, "a remote that runs a command");
                }
            }
            let programs = ["-u", "--upload-pack", "--receive-pack", "--exec"];
            for program in option_values(cx, words, &programs) {
                if !matches!(&*program.text, "git-upload-pack" | "git-receive-pack") {
                    cx.dynamic(program.span, "git runs this program for the transport");
                }
            }
            if sub.text == "clone" {
                for setting in option_values(cx, words, &["-c", "--config"]) {
                    if let Some((key, value)) = setting.text.split_once('=') {
                        let value = Arg {
                            text: value.to_owned(),
                            at: None,
                            ..setting.clone()
                        };
                        git_setting(cx, key, &value);
                    }
                }
            }
        }
        _ => {}
    }
}
