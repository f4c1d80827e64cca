//! Output of programs, as far as it can be determined, so that decoded or assembled text can be
//! analysed when it runs.

use super::search;
use crate::chars::{SAFE_UNKNOWN, STAR, UNKNOWN, has_unknown};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use base64::Engine as _;

pub(crate) fn flag(rest: &[Arg], short: char, long: &str) -> bool {
    rest.iter().any(|a| {
        a.text == long
            || (a.text.starts_with('-') && !a.text.starts_with("--") && a.text.contains(short))
    })
}

pub(crate) fn operands(rest: &[Arg]) -> Vec<&Arg> {
    rest.iter()
        .filter(|a| !a.text.starts_with('-') || a.text == "-")
        .collect()
}

fn base64_decode(t: &str) -> Option<String> {
    let clean: String = t.chars().filter(|c| !c.is_whitespace()).collect();
    let cfg = base64::engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent);
    let e = base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, cfg);
    let bytes = e.decode(clean).ok()?;
    Some(String::from_utf8_lossy(&bytes).replace(['\0', '\u{1}', '\u{2}', '\u{3}'], "\u{fffd}"))
}

fn base32_decode(t: &str) -> Option<String> {
    let mut bits = 0u32;
    let mut n = 0;
    let mut out = Vec::new();
    for c in t.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=') {
        let v = match c {
            b'A'..=b'Z' => c - b'A',
            b'2'..=b'7' => c - b'2' + 26,
            _ => return None,
        };
        bits = (bits << 5 | u32::from(v)) & 0xffff;
        n += 5;
        if n >= 8 {
            n -= 8;
            out.push(u8::try_from(bits >> n & 0xff).ok()?);
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

fn hex_decode(t: &str) -> String {
    let digits: Vec<u8> = t
        .split(|c: char| c.is_whitespace())
        .filter(|w| !w.ends_with(':'))
        .flat_map(|w| w.trim_start_matches("0x").bytes().collect::<Vec<_>>())
        .filter(|c| c.is_ascii_hexdigit())
        .collect();
    let bytes: Vec<u8> = digits
        .chunks_exact(2)
        .filter_map(|p| {
            std::str::from_utf8(p)
                .ok()
                .and_then(|s| u8::from_str_radix(s, 16).ok())
        })
        .collect();
    String::from_utf8_lossy(&bytes).replace(['\0', '\u{1}', '\u{2}', '\u{3}'], "\u{fffd}")
}

/// Expands a `tr` set into its characters.
fn tr_set(s: &str) -> Option<Vec<char>> {
    let s = s
        .replace("[:upper:]", "A-Z")
        .replace("[:lower:]", "a-z")
        .replace("[:digit:]", "0-9")
        .replace("[:space:]", " \t\n");
    if s.contains("[:") || s.len() > 512 {
        return None;
    }
    let (s, _) = crate::syntax::escapes::echo(&s);
    let c: Vec<char> = s.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(&a) = c.get(i) {
        if let (Some('-'), Some(&b)) = (c.get(i + 1), c.get(i + 2)) {
            for x in u32::from(a)..=u32::from(b).min(u32::from(a) + 256) {
                out.extend(char::from_u32(x));
            }
            i += 3;
        } else {
            out.push(a);
            i += 1;
        }
    }
    Some(out)
}

fn tr(text: &str, rest: &[Arg]) -> Option<String> {
    let ops = operands(rest);
    let from = tr_set(&ops.first()?.text)?;
    if flag(rest, 'd', "--delete") {
        return Some(text.chars().filter(|c| !from.contains(c)).collect());
    }
    if flag(rest, 's', "--squeeze-repeats") || flag(rest, 'c', "--complement") {
        return None;
    }
    let to = tr_set(&ops.get(1)?.text)?;
    let last = to.last().copied()?;
    Some(
        text.chars()
            .map(|c| match from.iter().rposition(|f| *f == c) {
                Some(i) => to.get(i).copied().unwrap_or(last),
                None => c,
            })
            .collect(),
    )
}

/// Returns whether a call is `git grep -l` within the repository (also `-lz`, `-il`).
fn lists_names(rest: &[Arg]) -> bool {
    let cluster = |t: &str| {
        t.strip_prefix('-').is_some_and(|letters| {
            letters.contains('l') && letters.chars().all(|c| "lzinwvhEGFPIa".contains(c))
        })
    };
    let lists = |a: &Arg| {
        let t = a.text.as_str();
        cluster(t) || matches!(t, "--name-only" | "--files-with-matches")
    };
    rest.iter().any(lists)
        && !rest
            .iter()
            .any(|a| matches!(a.text.as_str(), "--no-index" | "-O") || a.text.contains(UNKNOWN))
}

/// Returns the output of a listed program, if its input determines it.
pub(crate) fn filter_output(
    cx: &mut Engine<'_>,
    name: &str,
    rest: &[Arg],
    stdin: &Stream,
    out: Stream,
) -> Stream {
    cx.burn(8 + stdin.text.as_deref().map_or(0, str::len) / 4);
    let input = || -> Option<String> {
        let ops = operands(rest);
        if ops.is_empty() || ops.iter().all(|a| a.text == "-") {
            return stdin.text.clone();
        }
        let mut all = String::new();
        for a in &ops {
            if a.text == "/dev/null" {
                continue;
            }
            all.push_str(&cx.file_text(&a.text)?);
        }
        Some(all)
    };
    let decoded = |t: Option<String>| Stream {
        text: t.filter(|t| !t.contains(UNKNOWN)),
        present: true,
        obfuscated: true,
        inline: false,
    };
    let kept = |t: Option<String>| Stream {
        text: t,
        present: true,
        obfuscated: stdin.obfuscated,
        inline: false,
    };
    let safe = || Stream {
        text: Some(format!("{SAFE_UNKNOWN}\n")),
        present: true,
        ..Stream::default()
    };
    let inside = |e: &Engine<'_>| {
        let base = e.cwd().unwrap_or_default().to_owned();
        if base.is_empty() {
            Stream::unknown()
        } else {
            Stream {
                text: Some(format!("./{STAR}\n")),
                present: true,
                ..Stream::default()
            }
        }
    };
    if let Some(out) = super::program_output::program_output(name, rest, stdin) {
        return out;
    }
    match name {
        "cat" | "tac" | "tee" | "pv" | "sort" | "uniq" | "less" | "more" => match name {
            "tee" => kept(stdin.text.clone()),
            "cat" => kept(input()),
            "tac" => decoded(input().map(|t| t.lines().rev().collect::<Vec<_>>().join("\n"))),
            _ => kept(input()),
        },
        "base64" | "gbase64" => {
            if flag(rest, 'd', "--decode") || flag(rest, 'D', "--decode") {
                decoded(input().and_then(|t| base64_decode(&t)))
            } else {
                Stream {
                    text: None,
                    present: true,
                    obfuscated: false,
                    inline: false,
                }
            }
        }
        "base32" => decoded(
            input()
                .filter(|_| flag(rest, 'd', "--decode"))
                .and_then(|t| base32_decode(&t)),
        ),
        "xxd" => {
            if flag(rest, 'r', "-revert") {
                decoded(input().map(|t| hex_decode(&t)))
            } else {
                Stream::unknown()
            }
        }
        "rev" => decoded(input().map(|t| {
            t.lines()
                .map(|l| l.chars().rev().collect::<String>())
                .collect::<Vec<_>>()
                .join("\n")
        })),
        "tr" => {
            // Cleaning up (`tr -d '\n'`) isn't decoding, but the result is marked as decoded in
            // case it runs.
            decoded(stdin.text.as_deref().and_then(|t| tr(t, rest)))
        }
        "openssl" | "gzip" | "gunzip" | "zcat" | "xz" | "bzip2" | "bunzip2" | "zstd"
        | "uudecode" | "basenc" | "od" | "hexdump" | "awk" | "sed" | "cut" | "perl" | "python"
        | "iconv" | "fold" | "paste" | "nl" => Stream {
            text: None,
            present: true,
            obfuscated: true,
            inline: false,
        },
        "head" | "tail" => {
            let whole = input().filter(|t| {
                (t.lines().count() <= 1 || search::is_listing(t))
                    && rest.iter().all(|a| !a.text.contains('c'))
            });
            kept(whole)
        }
        "seq"
            // An operand that isn't a number is the value of an option.
            if rest.iter().any(|a| {
                a.text.starts_with('-') && a.text != "-w"
                    || a.text.contains('%')
            }) =>
        {
            Stream::unknown()
        }
        "seq" => {
            let nums: Vec<i64> = operands(rest)
                .iter()
                .filter_map(|a| a.text.parse().ok())
                .collect();
            let (a, step, b) = match nums.as_slice() {
                [b] => (1, 1, *b),
                [a, b] => (*a, 1, *b),
                [a, s, b] => (*a, (*s).max(1), *b),
                _ => return safe(),
            };
            if b.saturating_sub(a) / step > 24 || rest.len() != nums.len() {
                return safe();
            }
            let mut text = String::new();
            let mut k = a;
            while k <= b {
                text.push_str(&format!("{k}\n"));
                k = k.saturating_add(step);
            }
            Stream::known(text)
        }
        "basename" => match operands(rest).first() {
            Some(a) if !a.text.contains(UNKNOWN) => {
                let mut b = a
                    .text
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or_default();
                if let Some(s) = operands(rest).get(1) {
                    b = b.strip_suffix(s.text.as_str()).unwrap_or(b);
                }
                Stream {
                    text: Some(b.to_owned()),
                    present: true,
                    ..Stream::default()
                }
            }
            _ => safe(),
        },
        "dirname" => match operands(rest).first() {
            Some(a) if !has_unknown(&a.text) => {
                let d = a
                    .text
                    .trim_end_matches('/')
                    .rsplit_once('/')
                    .map_or(".", |(d, _)| if d.is_empty() { "/" } else { d });
                Stream {
                    text: Some(d.to_owned()),
                    present: true,
                    ..Stream::default()
                }
            }
            _ => Stream::unknown(),
        },
        "mktemp" => Stream {
            text: Some(format!("/tmp/tmp.{SAFE_UNKNOWN}\n")),
            present: true,
            ..Stream::default()
        },
        "realpath" | "readlink" => match operands(rest).first() {
            Some(a) if !has_unknown(&a.text) => Stream {
                text: cx.resolve(&a.text),
                present: true,
                ..Stream::default()
            },
            _ => Stream::unknown(),
        },
        // `ls` prints the operands, or the names in them.
        "ls" if operands(rest).iter().any(|a| !a.text.contains(UNKNOWN)) => {
            let mut text = String::new();
            for a in operands(rest) {
                let name = a.text.trim_end_matches('/');
                text.push_str(name);
                text.push('\n');
                text.push_str(name);
                text.push('/');
                text.push(STAR);
                text.push('\n');
            }
            Stream::known(text)
        }
        "find" | "ls" | "fd" | "tree" | "locate" | "plocate" | "mlocate" | "mdfind" => {
            search::printed(cx, name, rest)
        }
        "git" => {
            let sub = operands(rest);
            let has = |w: &str| rest.iter().any(|a| a.text == w);
            if has("rev-parse") && has("--show-toplevel") {
                return Stream {
                    text: Some(cx.ctx().workdir.clone()),
                    present: true,
                    ..Stream::default()
                };
            }
            if has("rev-parse") && has("--git-dir") {
                return Stream {
                    text: Some(".git".to_owned()),
                    present: true,
                    ..Stream::default()
                };
            }
            match sub.first().map(|a| a.text.as_str()) {
                Some(
                    "rev-parse" | "describe" | "rev-list" | "merge-base" | "symbolic-ref"
                    | "config",
                ) if !has("config") => safe(),
                Some("ls-files") => match operands(rest).get(1) {
                    Some(pattern) => search::filtered(&format!("./{STAR}\n"), &pattern.text),
                    None => inside(cx),
                },
                Some("diff" | "show" | "diff-tree") if has("--name-only") => inside(cx),
                Some("grep") if lists_names(rest) => inside(cx),
                Some("branch") if has("--show-current") => safe(),
                _ => Stream::unknown(),
            }
        }
        "grep" | "rg" | "ag" => {
            let lists =
                flag(rest, 'l', "--files-with-matches") || rest.iter().any(|a| a.text == "--files");
            let changes = |a: &Arg| {
                a.text.starts_with('-') && a.text.contains(['o', 'c', 'l', 'L', 'n', 'r'])
            };
            let pattern = operands(rest).first().map_or("", |a| a.text.as_str());
            match &stdin.text {
                Some(text) if search::is_listing(text) && !rest.iter().any(changes) => {
                    search::filtered(text, pattern)
                }
                _ if lists && !stdin.present => search::printed(cx, "rg", rest),
                _ => Stream {
                    present: true,
                    obfuscated: stdin.obfuscated,
                    ..Stream::default()
                },
            }
        }
        _ => out,
    }
}
