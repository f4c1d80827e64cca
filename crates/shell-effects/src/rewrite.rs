//! Meaning-preserving rewritings of a command line.
//!
//! They imitate how a shell user can disguise a command. Property tests use them ("a rewriting
//! never lowers the risk"). The same seed gives the same rewritings. A rewriting keeps the effects,
//! but not always the output or the state of the calling shell.

use crate::syntax::ast::{Kind, Part};
use crate::syntax::parse::{self, Base};
use crate::syntax::quote::quote;
use base64::Engine as _;
use std::fmt::Write as _;
use util::random::SplitMix as Random;

/// A rewritten line with the applied rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewriting {
    /// The new command line.
    pub text: String,
    /// The rules, in the order of application.
    pub rules: Vec<&'static str>,
}

type Rule = (&'static str, fn(&str, &mut Random) -> Option<String>);

/// Rules for any line.
const WHOLE: &[Rule] = &[
    ("sh -c", |c, _| Some(format!("bash -c {}", quote(c)))),
    ("sh -c with flags", |c, _| {
        Some(format!("bash -e -o pipefail -c {}", quote(c)))
    }),
    ("eval", |c, _| Some(format!("eval {}", quote(c)))),
    ("eval in parts", |c, r| {
        let at = c.char_indices().nth(1 + r.below(c.chars().count()))?.0;
        let (a, b) = c.split_at_checked(at)?;
        Some(format!("a={}; b={}; eval \"$a$b\"", quote(a), quote(b)))
    }),
    ("base64", |c, _| {
        Some(format!(
            "echo {} | base64 -d | bash",
            base64::engine::general_purpose::STANDARD.encode(c)
        ))
    }),
    ("base64 here-string", |c, _| {
        Some(format!(
            "bash -c \"$(base64 -d <<< {})\"",
            base64::engine::general_purpose::STANDARD.encode(c)
        ))
    }),
    ("hex", |c, _| {
        Some(format!("echo {} | xxd -r -p | sh", hex(c)))
    }),
    ("printf escapes", |c, _| {
        Some(format!(
            "printf '{}' | bash",
            c.bytes().fold(String::new(), |mut s, b| {
                let _ = write!(s, "\\x{b:02x}");
                s
            })
        ))
    }),
    ("ansi-c quotes", |c, _| {
        Some(format!(
            "eval $'{}'",
            c.bytes().fold(String::new(), |mut s, b| {
                let _ = write!(s, "\\{b:03o}");
                s
            })
        ))
    }),
    ("reverse", |c, _| {
        (!c.contains('\n')).then(|| {
            format!(
                "echo {} | rev | bash",
                quote(&c.chars().rev().collect::<String>())
            )
        })
    }),
    ("rot13", |c, _| {
        Some(format!(
            "echo {} | tr 'A-Za-z' 'N-ZA-Mn-za-m' | bash",
            quote(&c.chars().map(rot13).collect::<String>())
        ))
    }),
    ("here-string", |c, _| Some(format!("bash <<< {}", quote(c)))),
    ("here-document", |c, _| {
        Some(format!("bash <<'END_OF_IT'\n{c}\nEND_OF_IT"))
    }),
    ("pipe", |c, _| Some(format!("echo {} | sh", quote(c)))),
    ("process substitution", |c, _| {
        Some(format!("source <(printf '%s\\n' {})", quote(c)))
    }),
    ("subshell", |c, _| Some(format!("( {c}\n)"))),
    ("group", |c, _| Some(format!("{{ {c}\n}}"))),
    ("function", |c, _| Some(format!("f() {{ {c}\n}}; f"))),
    ("if", |c, _| Some(format!("if true; then {c}\nfi"))),
    ("loop", |c, _| Some(format!("for i in 1; do {c}\ndone"))),
    ("case", |c, _| Some(format!("case x in x) {c}\n;; esac"))),
    ("substitution", |c, _| Some(format!("echo \"$({c}\n)\""))),
    ("arithmetic", |c, _| {
        Some(format!("echo $(( $({c}\n) + 1 ))"))
    }),
    ("document substitution", |c, _| {
        Some(format!("cat <<END_OF_IT\n$({c}\n)\nEND_OF_IT"))
    }),
    ("before", |c, _| Some(format!("echo start; {c}"))),
    ("after and", |c, _| Some(format!("true && {c}"))),
    ("newline", |c, _| Some(format!("cd .\n{c}"))),
    ("background", |c, _| Some(format!("( {c}\n) &"))),
    ("env", |c, _| Some(format!("env X=1 bash -c {}", quote(c)))),
    ("timeout", |c, _| {
        Some(format!("timeout 60 sh -c {}", quote(c)))
    }),
    ("nohup nice", |c, _| {
        Some(format!("nohup nice -n 5 sh -c {}", quote(c)))
    }),
    ("setsid", |c, _| {
        Some(format!("setsid -w bash -c {}", quote(c)))
    }),
    ("stdbuf", |c, _| {
        Some(format!("stdbuf -oL bash -c {}", quote(c)))
    }),
    ("exec", |c, _| {
        Some(format!("( exec bash -c {} )", quote(c)))
    }),
    ("command", |c, _| {
        Some(format!("command bash -c {}", quote(c)))
    }),
    ("busybox", |c, _| {
        Some(format!("busybox sh -c {}", quote(c)))
    }),
    ("xargs", |c, _| {
        (!c.contains('\n') && !c.contains("{}"))
            .then(|| format!("echo x | xargs -I{{}} sh -c {}", quote(c)))
    }),
    ("find -exec", |c, _| {
        (!c.contains("{}")).then(|| format!("find . -maxdepth 0 -exec sh -c {} \\;", quote(c)))
    }),
    ("trap", |c, _| Some(format!("( trap {} EXIT )", quote(c)))),
    ("script file", |c, r| {
        let n = r.below(1000);
        Some(format!(
            "printf '%s\\n' {} > /tmp/s{n}.sh; bash /tmp/s{n}.sh",
            quote(c)
        ))
    }),
    ("python", |c, _| {
        Some(format!(
            "python3 -c {}",
            quote(&format!("import os; os.system({})", python(c)))
        ))
    }),
    ("python list", |c, _| {
        Some(format!(
            "python3 -c {}",
            quote(&format!(
                "import subprocess as s; s.run([\"sh\", \"-c\", {}])",
                python(c)
            ))
        ))
    }),
    ("perl", |c, _| {
        Some(format!("perl -e {}", quote(&format!("system(q{{{c}}})"))))
            .filter(|_| !c.contains(['{', '}', '\\']))
    }),
    ("awk", |c, _| {
        (!c.contains(['"', '\\', '\n']))
            .then(|| format!("awk {}", quote(&format!("BEGIN{{system(\"{c}\")}}"))))
    }),
    ("variable", |c, _| {
        Some(format!("c={}; eval \"$c\"", quote(c)))
    }),
    ("variable to sh", |c, _| {
        Some(format!("c={}; sh -c \"$c\"", quote(c)))
    }),
    ("array", |c, _| {
        Some(format!("c=(bash -c {}); \"${{c[@]}}\"", quote(c)))
    }),
    ("printf -v", |c, _| {
        Some(format!("printf -v c %s {}; eval \"$c\"", quote(c)))
    }),
    ("read", |c, _| {
        (!c.contains(['\n', '\\'])).then(|| format!("read -r c <<< {}; eval \"$c\"", quote(c)))
    }),
];

/// Rules for the words of the first simple command.
const WORDS: &[Rule] = &[
    ("empty quotes", |c, r| {
        program(c, r, |p, k| {
            let (a, b) = p.split_at_checked(k)?;
            Some(format!("{a}''{b}"))
        })
    }),
    ("double quotes", |c, r| {
        program(c, r, |p, k| {
            let (a, b) = p.split_at_checked(k)?;
            Some(format!("{a}\"{b}\""))
        })
    }),
    ("single quotes", |c, r| {
        program(c, r, |p, _| Some(format!("'{p}'")))
    }),
    ("backslash", |c, r| {
        program(c, r, |p, k| {
            let (a, b) = p.split_at_checked(k)?;
            Some(format!("{a}\\{b}"))
        })
    }),
    ("ansi-c letter", |c, r| {
        program(c, r, |p, k| {
            let (a, b) = p.split_at_checked(k)?;
            let x = b.chars().next()?;
            Some(format!(
                "{a}$'\\x{:02x}'{}",
                u32::from(x),
                b.get(x.len_utf8()..)?
            ))
        })
    }),
    ("empty parameter", |c, r| {
        program(c, r, |p, k| {
            let (a, b) = p.split_at_checked(k)?;
            Some(format!("{a}$@{b}"))
        })
    }),
    ("variable program", |c, _| {
        let (p, a, b) = first(c)?;
        (a == 0).then(|| format!("p={p}; $p{}", c.get(b..).unwrap_or_default()))
    }),
    ("variable halves", |c, r| {
        let (p, a, b) = first(c)?;
        let k = 1 + r.below(p.len().saturating_sub(1));
        let (x, y) = p.split_at_checked(k)?;
        (a == 0).then(|| format!("p={x}; q={y}; $p$q{}", c.get(b..).unwrap_or_default()))
    }),
    ("substituted program", |c, r| {
        program(c, r, |p, _| Some(format!("$(echo {p})")))
    }),
    ("printed program", |c, r| {
        program(c, r, |p, k| {
            let (a, b) = p.split_at_checked(k)?;
            Some(format!("$(printf %s%s {a} {b})"))
        })
    }),
    ("backtick program", |c, r| {
        program(c, r, |p, _| Some(format!("`echo {p}`")))
    }),
    ("path", |c, r| {
        program(c, r, |p, _| {
            (!p.contains('/') && !is_builtin(p)).then(|| format!("/usr/bin/{p}"))
        })
    }),
    ("winding path", |c, r| {
        program(c, r, |p, _| {
            (!p.contains('/') && !is_builtin(p)).then(|| format!("/bin/../usr/./bin//{p}"))
        })
    }),
    ("command word", |c, r| {
        program(c, r, |p, _| {
            (!is_builtin(p)).then(|| format!("command {p}"))
        })
    }),
    ("env word", |c, r| {
        program(c, r, |p, _| (!is_builtin(p)).then(|| format!("env {p}")))
    }),
    ("nohup word", |c, r| {
        program(c, r, |p, _| {
            (!is_builtin(p)).then(|| format!("nohup -- {p}"))
        })
    }),
    ("brace expansion", |c, _| {
        all_plain(c)
            .map(|w| format!("{{{}}}", w.join(",")))
            .filter(|_| !c.contains([',', '{', '}']))
    }),
    ("IFS", |c, _| all_plain(c).map(|w| w.join("${IFS}"))),
    ("tabs", |c, _| all_plain(c).map(|w| w.join("\t"))),
    ("continued line", |c, _| {
        all_plain(c).map(|w| w.join(" \\\n  "))
    }),
    ("split flags", |c, _| {
        let w = all_plain(c)?;
        let mut done = false;
        let out: Vec<String> = w
            .iter()
            .map(|x| {
                let f = x.strip_prefix('-').unwrap_or_default();
                if !done
                    && matches!(w.first().map(String::as_str), Some("rm" | "ls" | "cp"))
                    && f.len() == 2
                    && f.bytes().all(|c| c.is_ascii_alphabetic())
                {
                    done = true;
                    f.chars()
                        .rev()
                        .map(|c| format!("-{c}"))
                        .collect::<Vec<_>>()
                        .join(" ")
                } else {
                    x.clone()
                }
            })
            .collect();
        done.then(|| out.join(" "))
    }),
    ("long flags", |c, _| {
        let w = all_plain(c)?;
        (w.first().map(String::as_str) == Some("rm") && w.iter().any(|x| x == "-rf" || x == "-fr"))
            .then(|| {
                w.iter()
                    .map(|x| {
                        if x == "-rf" || x == "-fr" {
                            "--recursive --force"
                        } else {
                            x
                        }
                    })
                    .collect::<Vec<_>>()
                    .join(" ")
            })
    }),
    ("quoted arguments", |c, _| {
        let w = all_plain(c)?;
        Some(
            w.iter()
                .enumerate()
                .map(|(i, x)| {
                    if i == 0 {
                        x.clone()
                    } else {
                        format!("\"{x}\"")
                    }
                })
                .collect::<Vec<_>>()
                .join(" "),
        )
    }),
    ("variable arguments", |c, _| {
        let w = all_plain(c)?;
        let (p, args) = w.split_first()?;
        (!args.is_empty()).then(|| format!("a='{}'; {p} $a", args.join(" ")))
    }),
    ("set arguments", |c, _| {
        let w = all_plain(c)?;
        Some(format!("set -- {}; \"$@\"", w.join(" ")))
    }),
    ("xargs words", |c, _| {
        let w = all_plain(c)?;
        let (p, args) = w.split_first()?;
        (args
            .first()
            .is_some_and(|a| !a.starts_with('-') || a.len() > 3)
            && !is_builtin(p)
            && !args.iter().any(|a| a.contains(['\'', '"', '\\'])))
        .then(|| format!("echo {} | xargs {p}", args.join(" ")))
    }),
    ("alias", |c, _| {
        let w = all_plain(c)?;
        let (p, args) = w.split_first()?;
        Some(format!(
            "shopt -s expand_aliases\nalias zz={p}\nzz {}",
            args.join(" ")
        ))
    }),
    ("function with arguments", |c, _| {
        let w = all_plain(c)?;
        Some(format!("f() {{ \"$@\"; }}; f {}", w.join(" ")))
    }),
];

fn is_builtin(p: &str) -> bool {
    matches!(
        p,
        "cd" | "eval"
            | "source"
            | "."
            | "exec"
            | "export"
            | "set"
            | "unset"
            | "read"
            | "alias"
            | "trap"
            | "history"
            | "declare"
            | "local"
            | "shift"
            | "return"
            | "exit"
            | ":"
            | "command"
            | "builtin"
            | "pushd"
            | "popd"
            | "umask"
            | "ulimit"
            | "wait"
            | "jobs"
            | "fg"
            | "bg"
            | "type"
            | "hash"
            | "let"
            | "test"
            | "["
            | "time"
            | "fc"
            | "enable"
            | "bind"
            | "readonly"
            | "typeset"
            | "mapfile"
    )
}

fn rot13(c: char) -> char {
    let shift =
        |base: u8| char::from((u8::try_from(u32::from(c)).unwrap_or(base) - base + 13) % 26 + base);
    match c {
        'a'..='z' => shift(b'a'),
        'A'..='Z' => shift(b'A'),
        c => c,
    }
}

fn hex(c: &str) -> String {
    c.bytes().fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

fn python(c: &str) -> String {
    format!(
        "\"{}\"",
        c.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    )
}

/// Returns the program of a line that is one simple command: its text and position.
fn first(c: &str) -> Option<(String, usize, usize)> {
    let mut fuel = c.len() * 40 + 400;
    let list = parse::parse(c, Base::Offset(0), 0, &mut fuel).ok()?;
    let p = list.items.first()?;
    let Kind::Simple { assigns, words } = &p.commands.first()?.kind else {
        return None;
    };
    if !assigns.is_empty() {
        return None;
    }
    let w = words.first()?;
    let text = w.plain()?;
    let ok = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_./+".contains(&b))
        && text.len() > 1;
    let keyword = matches!(
        text,
        "if" | "for" | "while" | "case" | "function" | "until" | "select" | "time" | "coproc"
    );
    (ok && !keyword && c.get(w.span.from..w.span.to) == Some(text))
        .then(|| (text.to_owned(), w.span.from, w.span.to))
}

fn program(c: &str, r: &mut Random, f: impl Fn(&str, usize) -> Option<String>) -> Option<String> {
    let (p, a, b) = first(c)?;
    let k = 1 + r.below(p.len().saturating_sub(1));
    let new = f(&p, k)?;
    Some(format!("{}{new}{}", c.get(..a)?, c.get(b..)?))
}

/// Returns the words of a line that is one simple command of plain words.
fn all_plain(c: &str) -> Option<Vec<String>> {
    let mut fuel = c.len() * 40 + 400;
    let list = parse::parse(c, Base::Offset(0), 0, &mut fuel).ok()?;
    let [p] = list.items.as_slice() else {
        return None;
    };
    let [cmd] = p.commands.as_slice() else {
        return None;
    };
    let Kind::Simple { assigns, words } = &cmd.kind else {
        return None;
    };
    if !assigns.is_empty()
        || !cmd.redirs.is_empty()
        || c.trim_end().ends_with('&')
        || c.contains('#')
    {
        return None;
    }
    words
        .iter()
        .map(|w| match w.parts.as_slice() {
            [Part::Lit(s)]
                if s.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&b)) =>
            {
                Some(s.clone())
            }
            _ => None,
        })
        .collect()
}

/// Returns whether the line uses parameters (`$1`, `$@`), which mean something else in another
/// shell.
fn has_parameters(cmd: &str) -> bool {
    let b = cmd.as_bytes();
    b.windows(2)
        .any(|w| matches!(w, [b'$', b'0'..=b'9' | b'@' | b'*' | b'#']))
}

/// Returns at most `count` rewritings of a command line, chosen by `seed`.
#[must_use]
pub fn rewritings(cmd: &str, seed: u64, count: usize) -> Vec<Rewriting> {
    let mut r = Random(seed);
    let mut out: Vec<Rewriting> = Vec::new();
    if has_parameters(cmd) {
        return out;
    }
    for _ in 0..count.saturating_mul(4) {
        if out.len() >= count {
            break;
        }
        let mut text = cmd.to_owned();
        let mut rules = Vec::new();
        let depth = 1 + r.below(3);
        for level in 0..depth {
            // Words first: later rules hide them.
            let list = if level == 0 && r.below(2) == 0 {
                WORDS
            } else {
                WHOLE
            };
            let Some((name, rule)) = list.get(r.below(list.len())) else {
                continue;
            };
            if let Some(t) = rule(&text, &mut r)
                && t.len() < 16_384
            {
                text = t;
                rules.push(*name);
            }
        }
        if !rules.is_empty() && text != cmd && !out.iter().any(|o| o.text == text) {
            out.push(Rewriting { text, rules });
        }
    }
    out
}

/// Applies every rule once, in the order of the rules.
#[must_use]
pub fn every_rule(cmd: &str, seed: u64) -> Vec<Rewriting> {
    let mut r = Random(seed);
    WORDS
        .iter()
        .chain(WHOLE)
        .filter(|_| !has_parameters(cmd))
        .filter_map(|(name, rule)| {
            Some(Rewriting {
                text: rule(cmd, &mut r)?,
                rules: vec![name],
            })
        })
        .collect()
}
