//! Small languages of single programs: only what is provably harmless is told apart.

/// True if the text holds nothing but commands that only look.
pub(super) fn harmless(lang: &str, text: &str) -> bool {
    if text.contains(['\0', '`', '!', '|', '<', '>']) {
        return false;
    }
    match lang {
        "gdb" => !text.contains('(') && text.lines().all(|l| gdb(l.trim())),
        "lftp" => {
            !text.contains(['"', '\'', '\\', '&'])
                && text.split([';', '\n']).all(|l| lftp(l.trim()))
        }
        "rpm" => rpm(text),
        "nix" => {
            !text.contains(['/', '$'])
                && [
                    "import",
                    "builtins",
                    "fetch",
                    "derivation",
                    "readFile",
                    "readDir",
                    "Import",
                    "exec",
                    "getEnv",
                    "abort",
                    "throw",
                ]
                .iter()
                .all(|w| !text.contains(w))
        }
        _ => false,
    }
}

fn gdb(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let Some(first) = words.next() else {
        return true;
    };
    match first {
        "info" | "i" | "bt" | "backtrace" | "where" | "list" | "l" | "disassemble" | "disas"
        | "show" | "help" | "quit" | "q" | "frame" | "f" | "up" | "down" | "x" | "ptype"
        | "whatis" | "p" | "print" | "b" | "break" | "tbreak" => true,
        "thread" => match words.next() {
            Some("apply") => {
                words.all(|w| matches!(w, "all" | "bt" | "backtrace" | "full" | "-q" | "-s"))
            }
            _ => true,
        },
        "set" => matches!(
            words.next(),
            Some(
                "pagination"
                    | "confirm"
                    | "width"
                    | "height"
                    | "listsize"
                    | "print"
                    | "disassembly-flavor"
                    | "verbose"
            )
        ),
        _ => false,
    }
}

fn lftp(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        None => true,
        Some(
            "ls" | "cls" | "rels" | "dir" | "cd" | "pwd" | "bye" | "exit" | "quit" | "open"
            | "find" | "du" | "nlist" | "close" | "version",
        ) => true,
        Some("set") => words.next().is_some_and(|k| {
            ["ssl:", "net:", "ftp:ssl", "ftp:passive"]
                .iter()
                .any(|p| k.starts_with(p))
        }),
        _ => false,
    }
}

/// Macros by their bare names: no `%(…)`, no `%{lua:…}`, no arguments.
fn rpm(text: &str) -> bool {
    let mut rest = text;
    while let Some(i) = rest.find('%') {
        rest = rest.get(i + 1..).unwrap_or_default();
        if let Some(r) = rest.strip_prefix('%') {
            rest = r;
            continue;
        }
        let body = rest.strip_prefix('{').map_or_else(
            || rest.get(..1).unwrap_or_default(),
            |r| r.split('}').next().unwrap_or_default(),
        );
        if body.is_empty()
            || !body
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'?' | b'.'))
            || matches!(body, "load" | "include" | "dump" | "trace")
        {
            return false;
        }
    }
    true
}
