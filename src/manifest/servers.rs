//! Warns about servers that run unreviewed code: packages without a version, shells, unencrypted
//! connections.

use super::fault::{Fault, both, step};
use serde_json::Value;

/// Programs that run a line of text.
const SHELLS: [&str; 12] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "ash",
    "ksh",
    "fish",
    "cmd",
    "cmd.exe",
    "powershell",
    "powershell.exe",
    "pwsh",
];
/// Version tags whose target changes over time.
const MOVING: [&str; 8] = [
    "latest", "next", "beta", "alpha", "canary", "main", "master", "*",
];

/// Creates a warning about a server.
fn warn(pointer: String, message: String) -> Fault {
    Fault {
        code: 915,
        severity: None,
        at: 0..0,
        pointer,
        message,
    }
}

/// Checks every server of the object at a pointer.
pub(super) fn look(at: &str, value: &Value, all: &mut Vec<Fault>) {
    let servers = value.pointer(at).and_then(Value::as_object);
    for (name, server) in servers.into_iter().flatten() {
        let pointer = format!("{at}/{}", step(name));
        both(&pointer, server, ["command", "url"], all);
        if server
            .get("args")
            .and_then(Value::as_array)
            .is_some_and(|args| args.len() > ARGUMENTS)
        {
            let message =
                format!("more than {ARGUMENTS} arguments: from here on they aren't checked");
            all.push(Fault::limit(format!("{pointer}/args/{ARGUMENTS}"), message));
        }
        if let Some(command) = server.get("command").and_then(Value::as_str) {
            let args: Vec<&str> = server
                .get("args")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            all.extend(
                program(command, &args)
                    .into_iter()
                    .map(|why| warn(format!("{pointer}/command"), why)),
            );
        }
        if let Some(url) = server.get("url").and_then(Value::as_str) {
            encrypted(&format!("{pointer}/url"), url, all);
        }
    }
}

/// Warns about a URL that isn't encrypted.
pub(super) fn encrypted(pointer: &str, url: &str, all: &mut Vec<Fault>) {
    if !is_safe(url) {
        all.push(warn(
            pointer.to_owned(),
            format!("`{url}` isn't encrypted: anybody on the network path can answer instead"),
        ));
    }
}

/// Whether a connection is encrypted or stays on this machine.
fn is_safe(url: &str) -> bool {
    let lower = url.to_lowercase();
    let Some(rest) = lower.strip_prefix("http://") else {
        return lower.starts_with("https://");
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // User information precedes `@`; the host follows it.
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.strip_prefix('[').map_or_else(
        || host.split(':').next().unwrap_or_default(),
        |h| h.split(']').next().unwrap_or_default(),
    );
    matches!(host, "localhost" | "127.0.0.1" | "::1")
}

/// Returns the name of a program without its directory and Windows extensions.
fn base(command: &str) -> String {
    let name = command
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(command)
        .to_lowercase();
    [".exe", ".cmd", ".bat"]
        .iter()
        .find_map(|e| name.strip_suffix(e))
        .map_or(name.clone(), str::to_owned)
}

/// Programs that start other programs.
const STARTERS: [&str; 14] = [
    "env",
    "sudo",
    "doas",
    "nice",
    "nohup",
    "timeout",
    "stdbuf",
    "time",
    "setsid",
    "exec",
    "xargs",
    "command",
    "busybox",
    "cross-env",
];
/// Maximum number of arguments that are checked.
pub(super) const ARGUMENTS: usize = 64;
/// Programs that run code from their arguments, the options that introduce it, and the options that
/// take another value.
const INTERPRETERS: [(&[&str], &[&str], &[&str]); 6] = [
    (
        &["python", "python2", "python3", "py", "pypy", "pypy3"],
        &["-c"],
        &["-W", "-X", "-Q", "--check-hash-based-pycs"],
    ),
    (
        &["node", "nodejs", "bun", "tsx", "ts-node"],
        &["-e", "--eval", "-p", "--print"],
        &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "-C",
            "--conditions",
            "--env-file",
        ],
    ),
    (&["ruby"], &["-e"], &["-I", "-r", "-C"]),
    (&["perl"], &["-e", "-E"], &["-I", "-M", "-m"]),
    (&["php"], &["-r"], &["-c", "-d"]),
    (
        &["Rscript", "rscript", "lua", "luajit", "julia", "elixir"],
        &["-e", "--eval"],
        &["-l", "-L"],
    ),
];

/// Returns the warning about a program with its arguments.
fn program(command: &str, args: &[&str]) -> Option<String> {
    let mut words = command.split_whitespace();
    let (first, more) = (words.next().unwrap_or_default(), words.next().is_some());
    // A directory may have a blank in its name; then the text before the blank isn't a known
    // program.
    if more && (!command.contains(['/', '\\']) || is_known(&base(first))) {
        return Some(format!(
            "`{command}` is a line for a shell: name the program alone, and its arguments in `args`"
        ));
    }
    let name = base(command);
    let args = args.get(..ARGUMENTS).unwrap_or(args);
    if !STARTERS.contains(&name.as_str()) {
        return alone(&name, args);
    }
    let split = split(args);
    // Which argument is the program depends on the options of the starter, so every argument is
    // tried.
    let rest = |n: usize| split.get(n + 1..).unwrap_or_default();
    split
        .iter()
        .enumerate()
        .find_map(|(n, arg)| alone(&base(arg), rest(n)))
}

/// Whether a program's name is one that can lead to a warning.
fn is_known(name: &str) -> bool {
    const RUNNERS: [&str; 15] = [
        "npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "uvx", "uv", "pipx", "deno", "go",
        "docker", "podman", "nerdctl",
    ];
    let names = INTERPRETERS.iter().flat_map(|(names, _, _)| names.iter());
    SHELLS.contains(&name)
        || STARTERS.contains(&name)
        || RUNNERS.contains(&name)
        || names.copied().any(|n| n == name)
}

/// Returns the arguments, with the line after `env -S` split into words.
fn split<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let mut all = Vec::new();
    let mut is_line = false;
    for arg in args {
        let line = ["--split-string=", "-S"]
            .iter()
            .find_map(|option| arg.strip_prefix(option))
            .filter(|line| !line.is_empty());
        match line {
            Some(line) => all.extend(line.split_whitespace()),
            None if is_line => all.extend(arg.split_whitespace()),
            None => all.push(*arg),
        }
        is_line = matches!(*arg, "-S" | "--split-string" | "-vS");
    }
    all
}

/// Returns the option that introduces code among the arguments of an interpreter.
fn inline<'a>(name: &str, args: &[&'a str]) -> Option<&'a str> {
    let (_, codes, takes) = INTERPRETERS
        .iter()
        .find(|(names, _, _)| names.contains(&name))?;
    let mut rest = args.iter();
    while let Some(arg) = rest
        .next()
        .filter(|arg| arg.starts_with('-') && arg.len() > 1)
    {
        if takes.contains(arg) {
            rest.next();
            continue;
        }
        // Short options may be combined, as in `-Ic`. The first one that takes a value ends them.
        let letters = arg
            .strip_prefix('-')
            .filter(|letters| !letters.starts_with('-'))
            .unwrap_or_default();
        let is_code = |c: char| {
            codes
                .iter()
                .any(|code| code.len() == 2 && code.ends_with(c))
        };
        let ends = |c: char| {
            c == 'm'
                || takes
                    .iter()
                    .any(|option| option.len() == 2 && option.ends_with(c))
        };
        let short = letters
            .chars()
            .find(|c| is_code(*c) || ends(*c))
            .is_some_and(is_code);
        let long = codes.iter().any(|code| {
            arg.strip_prefix(code)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        });
        if short || long {
            return Some(arg);
        }
        if *arg == "--" || letters.starts_with('m') {
            break;
        }
    }
    None
}

/// Returns the arguments from the subcommand on, skipping options and their possible values.
fn subcommand<'s, 'a>(args: &'s [&'a str], known: &[&str]) -> &'s [&'a str] {
    let mut option = false;
    for (n, arg) in args.iter().enumerate() {
        if known.contains(arg) {
            return args.get(n..).unwrap_or_default();
        }
        let is_option = arg.starts_with('-');
        if !is_option && !option {
            break;
        }
        option = is_option && !arg.contains('=');
    }
    args
}

/// Returns the warning about a program that starts no other.
fn alone(name: &str, args: &[&str]) -> Option<String> {
    if SHELLS.contains(&name) {
        return Some(format!(
            "`{name}` is a shell: what it runs is text, and text can be anything"
        ));
    }
    if let Some(option) = inline(name, args) {
        return Some(format!(
            "`{name} {option}` runs code that is in the manifest, and that can be anything"
        ));
    }
    package(name, args)
}

/// Returns the warning about an unpinned package that a program downloads and runs.
fn package(name: &str, args: &[&str]) -> Option<String> {
    const CALLS: [(&[&str], &[&str]); 6] = [
        (&["npm"], &["exec", "x"]),
        (&["pnpm", "yarn"], &["dlx"]),
        (&["bun"], &["x"]),
        (&["uv", "pipx"], &["tool", "run"]),
        (&["deno", "go"], &["run", "x", "eval"]),
        (&["docker", "podman", "nerdctl"], &["run", "container"]),
    ];
    let known = CALLS.iter().find(|(names, _)| names.contains(&name));
    let args = known.map_or(args, |(_, calls)| subcommand(args, calls));
    // `docker container run` is the long form of `docker run`.
    let args = if args.first() == Some(&"container") {
        args.get(1..).unwrap_or_default()
    } else {
        args
    };
    let first = args.first().copied().unwrap_or_default();
    let behind = args.get(1..).unwrap_or_default();
    let (runner, args, python) = match (name, first) {
        ("npx" | "bunx" | "pnpx", _) => (name.to_owned(), args, false),
        ("npm", "exec" | "x") | ("pnpm" | "yarn", "dlx") | ("bun", "x") => {
            (format!("{name} {first}"), behind, false)
        }
        ("uvx", _) => (name.to_owned(), args, true),
        ("uv", "tool") | ("pipx", "run") => {
            let skipped = if name == "uv" {
                behind.get(1..).unwrap_or_default()
            } else {
                behind
            };
            (format!("{name} {first}"), skipped, true)
        }
        ("deno", "eval") => {
            return Some(
                "`deno eval` runs code that is in the manifest, and that can be anything"
                    .to_owned(),
            );
        }
        ("deno", "run" | "x") => return deno(behind),
        ("go", "run") => return go(behind),
        ("docker" | "podman" | "nerdctl", "run") => return image(name, behind),
        _ => return None,
    };
    let line = |arg: &&&str| {
        matches!(**arg, "-c" | "--call" | "--shell-mode") || arg.starts_with("--call=")
    };
    if let Some(option) = args.iter().find(line).filter(|_| !python) {
        return Some(format!(
            "`{runner} {option}` runs a line for a shell, and text can be anything"
        ));
    }
    let named = packages(args, python);
    let loose: Vec<&str> = named
        .iter()
        .copied()
        .filter(|p| !pinned(p, python))
        .collect();
    match (named.is_empty(), loose.first()) {
        (true, _) => Some(format!(
            "`{runner}` names no package: what it runs can't be determined"
        )),
        (_, Some(package)) => Some(format!(
            "`{runner}` runs `{package}` without an exact version: another one may run tomorrow than today"
        )),
        _ => None,
    }
}

/// Returns the packages among the arguments of a runner: those that options name, or else the first
/// argument.
fn packages<'a>(args: &[&'a str], python: bool) -> Vec<&'a str> {
    let options: &[&str] = if python {
        &["--from", "--with", "--spec"]
    } else {
        &["-p", "--package"]
    };
    let takes: &[&str] = if python {
        &["--python", "-p", "--index-url", "-i", "--pip-args"]
    } else {
        &["-c", "--call", "--registry", "-w"]
    };
    let (mut named, mut from) = (Vec::new(), false);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if let Some((option, value)) = arg.split_once('=').filter(|(o, _)| options.contains(o)) {
            from |= option != "--with";
            named.push(value);
        } else if options.contains(arg) {
            from |= *arg != "--with";
            named.extend(rest.next());
        } else if takes.contains(arg) {
            rest.next();
        } else if !arg.starts_with('-') {
            // With such an option, the first argument is only a command of that package.
            if !from {
                named.push(arg);
            }
            break;
        }
    }
    named
}

/// Whether a package has an exact version: `name@1.2.3`, `name==1.2.3`, a commit, or a path inside
/// the project.
fn pinned(package: &str, python: bool) -> bool {
    if package.starts_with("./") {
        return true;
    }
    if let Some((_, reference)) = package
        .split_once("://")
        .and_then(|(_, rest)| rest.rsplit_once(['@', '#']))
    {
        return reference.len() == 40 && reference.bytes().all(|b| b.is_ascii_hexdigit());
    }
    let version = match package.split_once("==") {
        Some((_, version)) if python => version,
        // The `@` of a scope comes first.
        _ => match package.get(1..).and_then(|rest| rest.split_once('@')) {
            Some((_, version)) => version,
            None => return false,
        },
    };
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = numbers.split('.').collect();
    let exact = parts.len() >= if python { 2 } else { 3 };
    exact
        && !MOVING.contains(&version)
        && parts
            .iter()
            .all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
}

fn deno(args: &[&str]) -> Option<String> {
    let module = args.iter().find(|a| !a.starts_with('-'))?;
    let remote = ["npm:", "jsr:"].iter().find_map(|p| module.strip_prefix(p));
    let loose = match remote {
        Some(package) => !pinned(package.trim_start_matches('/'), false),
        None => module.starts_with("http"),
    };
    loose.then(|| format!("`deno run` fetches `{module}` without an exact version"))
}

/// Returns the warning about a package that `go run` downloads. Without `@`, `go.mod` pins the
/// version.
fn go(args: &[&str]) -> Option<String> {
    let (package, version) = args
        .iter()
        .find_map(|arg| Some((arg, arg.split_once('@')?.1)))?;
    let plain = version.strip_prefix('v').unwrap_or(version);
    let parts: Vec<&str> = plain
        .split(['-', '+'])
        .next()
        .unwrap_or_default()
        .split('.')
        .collect();
    let exact = parts.len() == 3 && parts.iter().all(|part| part.parse::<u64>().is_ok());
    let commit = version.len() == 40 && version.bytes().all(|b| b.is_ascii_hexdigit());
    (!exact && !commit).then(|| format!("`go run` fetches `{package}` without an exact version"))
}

/// Returns the warning about a container image without a digest.
fn image(name: &str, args: &[&str]) -> Option<String> {
    const TAKES: [&str; 20] = [
        "-e",
        "--env",
        "-v",
        "--volume",
        "--mount",
        "-p",
        "--publish",
        "--name",
        "--network",
        "--net",
        "-u",
        "--user",
        "-w",
        "--workdir",
        "--entrypoint",
        "--env-file",
        "--label",
        "-l",
        "--platform",
        "--memory",
    ];
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if TAKES.contains(arg) {
            rest.next();
        } else if !arg.starts_with('-') {
            let pinned = arg
                .split_once("@sha256:")
                .is_some_and(|(_, d)| d.len() == 64 && d.bytes().all(|b| b.is_ascii_hexdigit()));
            return (!pinned).then(|| {
                format!(
                    "`{name} run` takes the image `{arg}` without its digest: a tag can be moved"
                )
            });
        }
    }
    Some(format!(
        "`{name} run` names no image: what it runs can't be determined"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn objects(line: &str) -> bool {
        let words: Vec<&str> = line.split(' ').collect();
        program(words[0], &words[1..]).is_some()
    }

    #[test]
    fn what_is_pinned_and_what_is_not() {
        for loose in [
            "npx server",
            "npx -y @scope/server",
            "npx -y @scope/server@latest",
            "npx server@^1.2.3",
            "npx server@1",
            "npx server@1.2.x",
            "/usr/bin/npx server",
            "npx.cmd server",
            "npx -p server cmd@1.2.3",
            "npx --package=server cmd",
            "npx -y",
            "npm exec server",
            "pnpm dlx server",
            "bunx server",
            "env A=1 npx server",
            "sudo -n npx server",
            "uvx server",
            "uvx --from server cmd",
            "uvx --from git+https://example.com/x cmd",
            "uvx --from git+https://example.com/x@main cmd",
            "uvx --with other server==1.2",
            "uvx server>=1.2",
            "uv tool run server",
            "pipx run server",
            "docker run -i --rm -e A image",
            "docker run image:latest",
            "docker run image:1.2.3",
            "deno run npm:server",
            "deno run https://example.com/x.ts",
            "bash -c ls",
            "/bin/sh x.sh",
            "sudo -u bob npx server",
            "cmd.exe /c x",
            "pwsh",
            "go run example.com/x/y@latest",
            "go run -tags a example.com/x/y@v1.2",
            "env -S npx\u{a0}server",
            "env -Snpx\u{a0}server",
            "env --split-string=npx\u{a0}server",
            "npm --yes exec server",
            "npm --prefix dir exec server",
            "npm -C dir x server",
            "docker --context x run image",
            "docker --host=x container run image",
            "python3 -c code",
            "python -Ic code",
            "python -W ignore -ccode",
            "/usr/bin/env python3 -u -c code",
            "node -e code",
            "node --no-warnings --eval=code",
            "node -r x -pe code",
            "ruby -e code",
            "deno eval code",
            "npx --package=pkg@1.0.0 -c other",
            "npx --package pkg@1.0.0 --call=other",
            "npm exec --package=pkg@1.0.0 -c other",
        ] {
            assert!(objects(loose), "{loose}");
        }
        for fine in [
            "npx server@1.2.3",
            "npx -y @scope/server@1.2.3",
            "npx -y -p @scope/server@1.2.3-beta.1 cmd",
            "uvx server==1.2.3",
            "uvx server@1.2.3",
            "uvx --from git+https://example.com/x@0123456789abcdef0123456789abcdef01234567 cmd",
            "node ./server.js",
            "node --inspect ./server.js -e production",
            "node -r dotenv/config ./server.js",
            "python -u server.py -c config.toml",
            "python -m server -c config.toml",
            "python -X dev -m server",
            "npm --prefix dir start",
            "npm run exec",
            "docker --context x ps",
            "env -u A server -S bash.example",
            "python -m server",
            "deno run npm:server@1.2.3",
            "docker run -i image@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "server",
            "go run example.com/x/y@v1.2.3",
            "go run ./cmd/server",
        ] {
            assert!(!objects(fine), "{fine}");
        }
        for line in [
            "npx server@1.2.3",
            "/bin/sh -c evil",
            "/usr/bin/env node x",
            "/usr/local/bin/docker run x",
        ] {
            assert!(
                program(line, &[]).is_some(),
                "{line}: a line in the place of a program"
            );
        }
        for path in [
            "C:\\Program Files\\server.exe",
            "/opt/my tools/server",
            "./my server",
        ] {
            assert!(program(path, &[]).is_none(), "{path}");
        }
        for (url, safe) in [
            ("https://example.com", true),
            ("http://example.com", false),
            ("http://localhost:3000/x", true),
            ("http://[::1]:80/", true),
            ("http://localhost@example.com/", false),
            ("http://localhost.example.com/", false),
            ("ftp://localhost", false),
        ] {
            assert_eq!(is_safe(url), safe, "{url}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_looked_at(words in proptest::collection::vec("npx|uvx|-p|--from|env|docker|run|[a-z@=:./-]{0,12}|.*", 0..12)) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if let Some((first, rest)) = words.split_first() {
                let _ = program(first, rest);
            }
            for word in &words {
                let _ = (pinned(word, true), pinned(word, false), is_safe(word));
            }
        }
    }
}
