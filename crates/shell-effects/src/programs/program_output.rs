//! Output of programs that print parts of their arguments: `date +TEXT`, `stat -c TEXT`, `expr`,
//! `shuf -e`. A line can use them to spell the name of a program or option, so their output is
//! computed as far as possible.

use super::filters::{flag, operands};
use crate::chars::{SAFE_UNKNOWN, UNKNOWN, has_unknown};
use crate::interpreter::engine::Stream;
use crate::interpreter::expand::Arg;

/// The output of a format directive.
enum FormatPart {
    /// A number or other text without slash, blank or leading dash.
    Safe,
    Any,
    Char(char),
}

/// Replaces the directives of a format: `%`, flags and a width, a letter.
fn expand_format(format: &str, part_of: impl Fn(char) -> FormatPart) -> String {
    let mut out = String::with_capacity(format.len());
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        while chars
            .next_if(|c| matches!(c, '-' | '_' | '^' | '#' | '+' | ':' | '.' | '0'..='9'))
            .is_some()
        {}
        let letter = match chars.next() {
            // Modifiers of strftime.
            Some(c @ ('E' | 'O')) => chars.next_if(char::is_ascii_alphabetic).unwrap_or(c),
            Some(c) => c,
            None => break,
        };
        match part_of(letter) {
            FormatPart::Safe => out.push(SAFE_UNKNOWN),
            FormatPart::Any => out.push(UNKNOWN),
            FormatPart::Char(c) => out.push(c),
        }
    }
    out
}

/// Returns the output of strftime(3).
pub(crate) fn time(format: &str) -> String {
    expand_format(format, |letter| match letter {
        'n' => FormatPart::Char('\n'),
        't' => FormatPart::Char('\t'),
        '%' => FormatPart::Char('%'),
        // The name of the time zone comes from the environment; the others come from the locale.
        'Z' => FormatPart::Any,
        _ => FormatPart::Safe,
    })
}

fn date(rest: &[Arg]) -> Option<String> {
    if rest.iter().any(|a| a.text.starts_with(UNKNOWN)) {
        return None;
    }
    let format = rest.iter().find_map(|a| a.text.strip_prefix('+'));
    Some(format.map_or_else(|| SAFE_UNKNOWN.to_string(), time))
}

/// Returns the value of an option: attached, or the next word.
fn value<'a>(rest: &'a [Arg], names: &[&str]) -> Option<&'a str> {
    rest.iter().enumerate().find_map(|(i, a)| {
        names.iter().find_map(|name| {
            let after = a.text.strip_prefix(name)?;
            if after.is_empty() {
                return rest.get(i + 1).map(|v| v.text.as_str());
            }
            if name.starts_with("--") {
                after.strip_prefix('=')
            } else {
                Some(after)
            }
        })
    })
}

fn stat(rest: &[Arg]) -> Option<String> {
    let gnu = value(rest, &["-c", "--format", "--printf"]);
    let format = gnu.or_else(|| value(rest, &["-f"]).filter(|f| f.contains('%')))?;
    Some(expand_format(format, |letter| match letter {
        '%' => FormatPart::Char('%'),
        // Sizes, times and numeric ids are safe. Names of files, users and mount points are
        // arbitrary text, and a symbolic mode begins with a dash.
        'a' | 'b' | 'B' | 'd' | 'h' | 'i' | 'o' | 's' | 't' | 'T' | 'u' | 'g' | 'x' | 'X' | 'y'
        | 'Y' | 'z' | 'Z' | 'w' | 'W'
            if gnu.is_some() =>
        {
            FormatPart::Safe
        }
        'z' | 'm' | 'a' | 'c' | 'B' | 'i' | 'l' | 'u' | 'g' | 'p' | 'd' | 'b' if gnu.is_none() => {
            FormatPart::Safe
        }
        _ => FormatPart::Any,
    }))
}

/// Returns a number if all words are numbers and arithmetic operators. Otherwise `expr` may print
/// its arguments.
fn expr(rest: &[Arg]) -> Option<String> {
    let number = |t: &str| {
        let digits = t.strip_prefix('-').unwrap_or(t);
        !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
    };
    let reckons = |t: &str| {
        matches!(
            t,
            "+" | "-" | "*" | "/" | "%" | "<" | ">" | "=" | "!=" | "<=" | ">=" | "\u{2}"
        )
    };
    match rest {
        [one] => Some(one.text.clone()),
        [a, op, b] if reckons(&op.text) => {
            let operand = |a: &Arg| number(&a.text) || has_unknown(&a.text) && a.text.len() == 1;
            (operand(a) && operand(b)).then(|| SAFE_UNKNOWN.to_string())
        }
        _ => None,
    }
}

fn shuf(rest: &[Arg]) -> Option<String> {
    let range = rest
        .iter()
        .any(|a| a.text.starts_with("-i") || a.text.starts_with("--input-range"));
    if range {
        return Some(SAFE_UNKNOWN.to_string());
    }
    match operands(rest).as_slice() {
        // A single word can't be shuffled.
        [one] if flag(rest, 'e', "--echo") => Some(one.text.clone()),
        _ => None,
    }
}

/// `wc`: prints a number before each file name.
fn wc(rest: &[Arg]) -> Option<String> {
    if rest.iter().any(|a| a.text.starts_with("--files0")) {
        return None;
    }
    match operands(rest).as_slice() {
        [] => Some(SAFE_UNKNOWN.to_string()),
        [one] => Some(format!("{SAFE_UNKNOWN} {}", one.text)),
        _ => None,
    }
}

/// `docker ps -q -f name=web` and similar calls print container ids. Without a filter they print
/// the ids of all containers, so that the result isn't as narrow as one name.
fn container_ids(rest: &[Arg]) -> Option<String> {
    let mut words = rest.iter().map(|a| a.text.as_str());
    let mut kind = words.next()?;
    let composed = kind == "compose";
    if matches!(kind, "compose" | "container") {
        kind = words.next()?;
    }
    if !matches!(kind, "ps" | "ls") {
        return None;
    }
    let (mut quiet, mut one) = (false, false);
    let names_one = |filter: &str| {
        let value = ["name=", "id=", "ancestor=", "label="]
            .iter()
            .find_map(|key| filter.strip_prefix(key));
        value.is_some_and(|v| v.chars().filter(|c| c.is_ascii_alphanumeric()).count() > 1)
    };
    while let Some(word) = words.next() {
        match word {
            "-q" | "--quiet" | "-aq" | "-qa" => quiet = true,
            "-lq" | "-ql" => (quiet, one) = (true, true),
            "-l" | "--latest" => one = true,
            "-a" | "--all" | "--no-trunc" => {}
            "-f" | "--filter" => one |= names_one(words.next()?),
            word if word.starts_with("--filter=") => {
                one |= word.strip_prefix("--filter=").is_some_and(names_one);
            }
            // The name of a service.
            word if composed && !word.starts_with(['-', UNKNOWN]) => one = true,
            _ => return None,
        }
    }
    (quiet && one).then(|| SAFE_UNKNOWN.to_string())
}

/// Returns whether text for `bc` can only print numbers.
fn prints_only_numbers(text: Option<&str>) -> bool {
    text.is_some_and(|t| !t.contains([UNKNOWN, '"']) && !t.contains("print"))
}

/// Returns whether `ps` prints only numbers: `ps -o rss= -p 1`.
fn ps_columns_are_numbers(rest: &[Arg]) -> bool {
    const NUMBERS: [&str; 12] = [
        "pid=", "ppid=", "rss=", "vsz=", "pcpu=", "%cpu=", "pmem=", "%mem=", "uid=", "gid=",
        "nlwp=", "etimes=",
    ];
    !rest.iter().any(|a| has_unknown(&a.text))
        && rest.iter().enumerate().any(|(i, a)| {
            let columns = if a.text.starts_with('-') && a.text.ends_with('o') {
                rest.get(i + 1).map(|v| v.text.as_str())
            } else {
                a.text
                    .strip_prefix("-o")
                    .or_else(|| a.text.strip_prefix("--format="))
            };
            columns.is_some_and(|c| NUMBERS.contains(&c))
        })
        && rest.iter().filter(|a| a.text.contains('=')).count() == 1
}

/// Returns the output of such a program; `None` for other programs.
pub(crate) fn program_output(name: &str, rest: &[Arg], stdin: &Stream) -> Option<Stream> {
    let safe = || Some(SAFE_UNKNOWN.to_string());
    let known = |good: bool| good.then(|| SAFE_UNKNOWN.to_string());
    let text = match name {
        "date" | "gdate" => date(rest),
        "stat" | "gstat" => stat(rest),
        "expr" => expr(rest),
        "shuf" => shuf(rest),
        "wc" | "md5sum" | "sha256sum" | "sha1sum" | "cksum" => wc(rest),
        "du" if flag(rest, 's', "--summarize") => wc(rest),
        "du" => None,
        "bc" => known(prints_only_numbers(stdin.text.as_deref()) && operands(rest).is_empty()),
        "docker" | "podman" | "nerdctl" => container_ids(rest),
        "numfmt" => known(rest.iter().all(|a| {
            let t = a.text.as_str();
            t.starts_with("--to=")
                || t.starts_with("--from=")
                || t.bytes().all(|c| c.is_ascii_digit())
        })),
        "ps" => known(ps_columns_are_numbers(rest)),
        "pgrep" => known(!flag(rest, 'a', "--list-full") && !flag(rest, 'l', "--list-name")),
        "getconf" => {
            known(matches!(rest, [a] if !a.text.contains("PATH") && !has_unknown(&a.text)))
        }
        "nproc" | "id" | "whoami" | "hostname" | "uname" | "uuidgen" | "tty" | "arch" | "tput"
        | "lsb_release" | "logname" => safe(),
        _ => return None,
    };
    Some(text.map_or_else(Stream::unknown, |text| Stream::known(format!("{text}\n"))))
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of};

    #[test]
    fn printed_text_is_computed() {
        for line in [
            "$(date +rm) -rf ~",
            "$(date '+rm -rf ~')",
            "find . $(date +-delete)",
            "find . \"$(stat -c -delete .)\"",
            "sed \"$(date +'e rm -rf ~')\" f",
            "awk \"$(date +'BEGIN{system(\"rm -rf ~\")}')\"",
            "cat x > $(date +/etc/passwd)",
            "cp x $(stat -c /etc/passwd .)",
            "cp x $(stat --printf=/etc/passwd .)",
            "cp x $(TZ=/etc/x date +%Z)",
            "tar xf a.tar $(date +--to-command=sh)",
            "find . $(expr -delete : '\\(.*\\)')",
            "find . $(expr -- -delete)",
            "find . $(shuf -e -- -delete)",
            "find . $(seq -f -delete 1)",
            "find . $(printf '%(-delete)T')",
            "find . $(printf '%.7s' -deletexyz)",
            "find . $(basename /x/-delete)",
            "touch $(wc -l /etc/x)",
            "touch $(pgrep -a x)",
            "touch $(echo '\"/etc/x\"' | bc)",
            "touch $(numfmt --suffix=/../../../x 1)",
            "docker stop $(docker ps -q)",
            "docker stop $(docker ps -q -f status=running)",
            "docker stop $(docker ps -q -f name=.)",
            "docker stop $(docker ps -f name=web)",
            "docker stop $(docker -H x ps -q -f name=web)",
            "docker stop $(docker compose ps -q)",
        ] {
            assert_eq!(risk_of(line), RiskLevel::High, "{line}");
        }
    }

    #[test]
    fn numbers_and_dates_are_safe() {
        for line in [
            "touch build-$(date +%Y%m%d-%H%M%S).log",
            "touch $(date +%F).txt",
            "cp a.txt a.$(date +%s).bak",
            "touch out-$(stat -c %s a)",
            "touch n$(expr 1 + 2)",
            "touch n$(wc -l < a)",
            "touch x-$(uuidgen)",
            "touch x-$(shuf -i 1-9 -n 1)",
            "touch x-$(echo '1+2' | bc)",
            "touch $(printf '%(%F)T').txt",
            "docker stop $(docker ps -q -f name=web)",
            "docker exec $(docker compose ps -q web) ls",
        ] {
            assert_eq!(risk_of(line), RiskLevel::Medium, "{line}");
        }
    }
}
