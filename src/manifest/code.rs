//! Checks heuristically, without a grammar, whether a source file defines a function. A name in a
//! comment, a string or a call isn't a definition.

use std::collections::HashMap;
use std::ops::Range;

/// Keywords that can't be function names.
const RESERVED: [&str; 40] = [
    "if", "else", "for", "while", "do", "switch", "case", "return", "function", "class", "const",
    "let", "var", "new", "delete", "typeof", "void", "in", "of", "try", "catch", "finally",
    "throw", "with", "import", "export", "await", "yield", "def", "elif", "except", "lambda",
    "not", "and", "or", "this", "null", "true", "false", "default",
];
/// Keywords and modifiers that precede the name in a definition.
const DEFINE: [&str; 14] = [
    "function", "class", "def", "fn", "func", "fun", "sub", "const", "let", "var", "static", "as",
    "async", "void",
];
/// Longest return type, in characters, between a function's parameters and its body.
const TYPE: usize = 200;

/// Whether a text can be the name of a function. Each part of `Class.method` is checked.
pub(super) fn is_name(name: &str) -> bool {
    let part = |part: &str| {
        let first = part
            .chars()
            .next()
            .is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'));
        first && part.chars().all(is_word) && !RESERVED.contains(&part)
    };
    name.split('.').all(part)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Replaces comments and strings with blanks. `hash` says that `#` begins a comment.
fn code(text: &str, hash: bool) -> Vec<char> {
    let all: Vec<char> = text.chars().collect();
    let at = |n: usize| all.get(n).copied().unwrap_or('\n');
    let mut out = Vec::with_capacity(all.len());
    let mut n = 0;
    // The last character that isn't blank. After an operator a slash begins a regular expression,
    // after a value it divides.
    let mut last = '(';
    while n < all.len() {
        let c = at(n);
        let end = match c {
            '#' if hash => line_end(&all, n),
            '/' if !hash && at(n + 1) == '/' => line_end(&all, n),
            '/' if !hash && at(n + 1) == '*' => find(&all, n + 2, &['*', '/']),
            '/' if !hash && "(,=:[!&|?{};+".contains(last) => quoted(&all, n, '/', true),
            '"' | '\'' if hash && at(n + 1) == c && at(n + 2) == c => find(&all, n + 3, &[c, c, c]),
            '"' | '\'' => quoted(&all, n, c, true),
            '`' if !hash => quoted(&all, n, c, false),
            _ => n,
        };
        if end > n {
            let end = end.min(all.len());
            out.extend((n..end).map(|k| if at(k) == '\n' { '\n' } else { ' ' }));
            if matches!(c, '"' | '\'' | '`') {
                last = 'x';
            }
            n = end;
            continue;
        }
        if !c.is_whitespace() {
            last = c;
        }
        out.push(c);
        n += 1;
    }
    out
}

fn line_end(all: &[char], from: usize) -> usize {
    all.iter()
        .skip(from)
        .position(|c| *c == '\n')
        .map_or(all.len(), |n| from + n)
}

/// Returns the index after the next occurrence of `end`.
fn find(all: &[char], from: usize, end: &[char]) -> usize {
    let rest = all.get(from.min(all.len())..).unwrap_or_default();
    rest.windows(end.len())
        .position(|w| w == end)
        .map_or(all.len(), |n| from + n + end.len())
}

/// Returns the index after the string that begins at `from`. With `line`, the string ends at the
/// end of its line at the latest.
fn quoted(all: &[char], from: usize, quote: char, line: bool) -> usize {
    let mut n = from + 1;
    while let Some(c) = all.get(n) {
        match c {
            '\\' => n += 1,
            '\n' if line => return n,
            c if *c == quote => return n + 1,
            _ => {}
        }
        n += 1;
    }
    all.len()
}

/// Whether source text defines a function of this name. The extension of `file` determines how
/// comments begin.
pub(super) fn defines(file: &str, text: &str, name: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, e)| e).to_lowercase();
    let code = code(
        text,
        matches!(
            &*ending,
            "py" | "rb" | "sh" | "bash" | "zsh" | "pl" | "r" | "jl"
        ),
    );
    let name: Vec<char> = name.rsplit('.').next().unwrap_or(name).chars().collect();
    let closes = closing(&code);
    let mut open: Vec<char> = Vec::new();
    let mut n = 0;
    while let Some(c) = code.get(n).copied() {
        match c {
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => {
                open.pop();
            }
            c if is_word(c) => {
                let end = code
                    .iter()
                    .skip(n)
                    .position(|c| !is_word(*c))
                    .map_or(code.len(), |k| n + k);
                if code.get(n..end) == Some(&*name)
                    && is_definition(&code, &closes, n..end, open.last() == Some(&'{'))
                {
                    return true;
                }
                n = end;
                continue;
            }
            _ => {}
        }
        n += 1;
    }
    false
}

/// Maps the index of each `(` to that of its `)`. Unclosed parentheses are missing.
fn closing(code: &[char]) -> HashMap<usize, usize> {
    let (mut open, mut all) = (Vec::new(), HashMap::new());
    for (n, c) in code.iter().enumerate() {
        match c {
            '(' => open.push(n),
            ')' => all.extend(open.pop().map(|from| (from, n))),
            _ => {}
        }
    }
    all
}

/// Whether the name in this range is being defined. `in_braces` says that it's among the members of
/// an object or in a list of exports.
fn is_definition(
    code: &[char],
    closes: &HashMap<usize, usize>,
    Range { start: from, end }: Range<usize>,
    in_braces: bool,
) -> bool {
    let before: String = code
        .get(from.saturating_sub(64)..from)
        .unwrap_or_default()
        .iter()
        .collect();
    let before = before.trim_end().trim_end_matches('*').trim_end();
    let word = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let blanks = code
        .iter()
        .skip(end)
        .take_while(|c| c.is_whitespace())
        .count();
    let mut behind = code.get(end + blanks..).unwrap_or_default().iter().copied();
    let next = behind.next().unwrap_or('\n');
    let after = behind.clone().next().unwrap_or('\n');
    match next {
        _ if DEFINE.contains(&word) => true,
        '=' => after != '=',
        ':' => in_braces && after != ':',
        ',' | '}' => in_braces && before.ends_with(['{', ',']),
        // A method or a shell function: its parameters are followed by its body.
        '(' if !RESERVED.contains(&word) && !before.ends_with('.') => {
            let Some(close) = closes.get(&(end + blanks)) else {
                return false;
            };
            let mut body = code
                .get(close + 1..)
                .unwrap_or_default()
                .iter()
                .copied()
                .take(TYPE);
            body.find(|c| !(c.is_whitespace() || is_word(*c) || ":<>[]|.,&-".contains(*c)))
                == Some('{')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_definition_is_told_from_what_only_names_it() {
        for text in [
            "function run() {}",
            "export async function run(a, b) { return 1 }",
            "function* run() {}",
            "export const run = async () => 1",
            "exports.run = function () {}",
            "module.exports = { other, run }",
            "module.exports = { run: () => 1 }",
            "export { run }",
            "export { other as run };",
            "class A {\n  run(a: string): Promise<void> {\n }\n}",
            "const quote = /[\"'`]/;\nfunction run() {}",
            "const a = 1 / 2; const b = '/'; function run() {}",
            "// it's here\nfunction run() {}",
            "run = () => 1",
        ] {
            assert!(defines("h.js", text, "run"), "{text}");
        }
        for text in [
            "// function run() {}",
            "/* function run() {} */",
            "const a = 'function run() {}'",
            "const a = `\nfunction run() {}`",
            "run();",
            "other(x, run, y)",
            "x.run()",
            "if (run == 1) {}",
            "const a = b ? run : c",
            "function runner() {}",
            "",
        ] {
            assert!(!defines("h.js", text, "run"), "{text}");
        }
        for text in [
            "def run(a):\n  pass",
            "class run:\n  pass",
            "run = other",
            "async def run():\n pass",
        ] {
            assert!(defines("h.py", text, "run"), "{text}");
        }
        for text in [
            "# def run():",
            "'''\ndef run():\n'''",
            "run()",
            "print(\"def run()\")",
        ] {
            assert!(!defines("h.py", text, "run"), "{text}");
        }
        assert!(
            defines("h.sh", "run() {\n  ls\n}\n", "run")
                && !defines("h.sh", "# run() {\nrun\n", "run")
        );
        assert!(defines("h.js", "class A { run() {} }", "A.run"));
        assert!(defines(
            "h.js",
            "class A { run(a = f(g()), b = (1)) {} }",
            "run"
        ));
        // Each call is checked on its own without a scan to the end of the text, so this isn't
        // quadratic.
        assert!(!defines("h.js", &"run(".repeat(40_000), "run"));
        assert!(!defines(
            "h.js",
            &format!("{}{}", "run(".repeat(40_000), ")".repeat(40_000)),
            "run"
        ));
        for (name, fine) in [
            ("run", true),
            ("_a$1", true),
            ("A.run", true),
            ("run()", false),
            ("if", false),
            ("1a", false),
            ("", false),
        ] {
            assert_eq!(is_name(name), fine, "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_looked_at(text in "(run|function|[(){}'\"`/*#\\\\=:,. \n]|\\PC){0,60}") {
            for file in ["h.js", "h.py"] {
                prop_assert_eq!(code(&text, file == "h.py").len(), text.chars().count());
                let _ = defines(file, &text, "run");
            }
        }
    }
}
