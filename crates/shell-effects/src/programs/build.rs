//! Compilers, build tools and package managers.

use super::{Family, Invocation};
use super::{downloads, project_code};
use crate::calls::spec_eval::is_assignment;
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;

pub(super) const PROGRAMS: Family = &[
    (&["cmake"], cmake),
    (&["make", "gmake"], make),
    (
        &[
            "gcc", "cc", "g++", "clang", "clang++", "c++", "tcc", "rustc", "go", "javac",
        ],
        compiler,
    ),
    (
        &[
            "npm", "yarn", "pnpm", "npx", "bun", "bunx", "pip", "pip3", "pipx", "uv", "uvx",
        ],
        packages,
    ),
];

fn cmake(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        rest,
        stdin,
        want,
        span,
        ..
    } = *call;
    if rest.first().is_none_or(|a| a.text != "-E") {
        return None;
    }
    let words = rest.get(1..).unwrap_or_default();
    let (tool, args) = words.split_first()?;
    let run = |n: &str, extra: &[&str]| {
        let mut w: Vec<Arg> = std::iter::once(n)
            .chain(extra.iter().copied())
            .map(|t| Arg::literal(t, tool.span))
            .collect();
        w.extend(args.iter().cloned());
        w
    };
    let w = match tool.text.as_str() {
        "rm" => run("rm", &[]),
        "remove" => run("rm", &["-f"]),
        "remove_directory" => run("rm", &["-rf"]),
        "env" => run("env", &[]),
        "time" => args.to_vec(),
        "copy" | "copy_if_different" => run("cp", &[]),
        "copy_directory" => run("cp", &["-r"]),
        "rename" => run("mv", &[]),
        "make_directory" => run("mkdir", &["-p"]),
        "touch" => run("touch", &[]),
        "tar" => run("tar", &[]),
        "cat" => run("cat", &[]),
        "create_symlink" | "create_hardlink" => run("ln", &[]),
        "echo" | "sleep" | "capabilities" | "compare_files" | "md5sum" | "sha256sum" | "true"
        | "false" | "environment" | "help" => {
            return Some(Stream::unknown());
        }
        _ => return None,
    };
    if w.is_empty() {
        return Some(Stream::unknown());
    }
    Some(cx.wrapped(&w, stdin, want, span))
}

fn make(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    for (i, a) in rest.iter().enumerate() {
        let file = match a.text.as_str() {
            "-f" | "--file" | "--makefile" => rest.get(i + 1).map(|f| f.text.clone()),
            t => t
                .strip_prefix("--file=")
                .or_else(|| t.strip_prefix("--makefile="))
                .or_else(|| t.strip_prefix("-f"))
                .map(str::to_owned),
        };
        if file
            .as_deref()
            .is_some_and(|f| f == "-" || f == "/dev/stdin" || cx.has_written(f))
        {
            cx.dynamic(
                a.span,
                "make reads its rules from text that this line creates",
            );
        }
    }
    let installs = |a: &Arg| a.text.starts_with("install") || a.text.starts_with("uninstall");
    let installs = rest.iter().any(installs);
    for a in rest {
        let Some((k, v)) = is_assignment(&a.text) else {
            continue;
        };
        let directory = k.to_ascii_lowercase();
        if installs && (directory.ends_with("prefix") || directory.ends_with("dir")) {
            cx.path_write(&Arg::literal(v, a.span));
        }
        if matches!(k, "SHELL" | "MAKEFLAGS" | "MAKE") || v.contains("$(shell") || v.contains('`') {
            cx.dynamic(a.span, "a variable of make that runs commands");
        } else {
            let (k, v) = (k.to_owned(), v.to_owned());
            cx.env_effect(&k, &v, a.span);
        }
    }
    None
}

/// Returns whether a compiler argument neither changes the meaning of the source nor adds code.
fn only_builds(word: &Arg) -> bool {
    let text = word.text.as_str();
    let start = ["-O", "-g", "-std=", "--edition", "opt-level="];
    let warns = text.starts_with("-W") && !text.contains(',');
    let whole = [
        "-o",
        "-c",
        "-C",
        "-lm",
        "-pthread",
        "-lpthread",
        "--test",
        "-pedantic",
        "run",
        "build",
    ];
    let name = text
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+'));
    warns
        || whole.contains(&text)
        || start.iter().any(|s| text.starts_with(s))
        || name && !text.starts_with('-')
}

fn compiler(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        name,
        rest,
        stdin,
        span,
        ..
    } = *call;
    if let Some(a) = rest
        .iter()
        .find(|a| a.text.starts_with("-B") && name != "rustc" && name != "go")
    {
        cx.dynamic(
            a.span,
            "takes its compiler and linker from another directory",
        );
    }
    // A program compiled from text of this line is code of this line.
    if stdin.present || rest.iter().any(|a| cx.has_written(&a.text)) {
        // A program of harmless source is harmless.
        let known = |cx: &Engine<'_>, a: &Arg| {
            use crate::paths::path::PathClass::{Inside, Root};
            !a.text.contains(['/', '.'])
                || cx.has_written(&a.text)
                || matches!(cx.classify(&a.text).class, Inside | Root)
        };
        let target = rest
            .iter()
            .position(|a| a.text == "-o")
            .map(|i| i.saturating_add(1));
        let clean = !stdin.present
            && rest
                .iter()
                .enumerate()
                .all(|(i, a)| only_builds(a) && (Some(i) == target || known(cx, a)))
            && project_code::wrote_harmless_source(cx);
        let program = clean.then(String::new);
        let out = rest
            .iter()
            .position(|a| a.text == "-o")
            .and_then(|i| rest.get(i + 1))
            .map_or("a.out".to_owned(), |a| a.text.clone());
        if let Some(p) = cx.resolve(&out) {
            cx.history_mut().write(p, program.clone());
        }
        // Without `-o` the program is named after its source.
        for source in rest
            .iter()
            .filter(|a| cx.has_written(&a.text))
            .cloned()
            .collect::<Vec<_>>()
        {
            if let Some((stem, _)) = source.text.rsplit_once('.')
                && let Some(p) = cx.resolve(stem.rsplit('/').next().unwrap_or(stem))
            {
                cx.history_mut().write(p, program.clone());
            }
        }
        if !clean && rest.first().is_some_and(|a| a.text == "run") {
            cx.dynamic(span, "runs a program that this line wrote");
        }
    }
    None
}

fn packages(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { name, rest, .. } = *call;
    if rest
        .first()
        .is_some_and(|a| matches!(a.text.as_str(), "pkg" | "set-script"))
        && rest
            .iter()
            .any(|a| a.text.starts_with("scripts") || a.text == "set-script")
        && let Some(p) = cx.resolve("package.json")
    {
        cx.history_mut().write(p, None);
    }
    downloads::install_from_url(cx, name, rest);
    downloads::runs_package(cx, name, rest);
    None
}
