//! Short texts that a regular expression finds, one for each of its alternatives.

use super::pattern::IGNORE_CASE;
use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Maximum number of samples of one expression.
const MAX_SAMPLES: usize = 48;
/// Maximum length of a sample in bytes.
const MAX_BYTES: usize = 2_000;

/// Short texts that match the expression; empty if no simple one does.
pub(super) fn samples(regex: &Regex) -> Vec<String> {
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(64).build();
    let Ok(hir) = parser.parse(
        regex
            .as_str()
            .strip_prefix(IGNORE_CASE)
            .unwrap_or(regex.as_str()),
    ) else {
        return Vec::new();
    };
    let mut all = of(&hir);
    // A word boundary wants a word beside it, or none.
    let around = |text: &String| {
        [
            text.clone(),
            format!(" {text} "),
            format!("x{text}x"),
            format!("{text} x"),
        ]
    };
    all = all
        .iter()
        .filter_map(|text| around(text).into_iter().find(|t| regex.is_match(t)))
        .collect();
    all.sort_by_key(String::len);
    all.dedup();
    all
}

fn of(hir: &Hir) -> Vec<String> {
    let mut all = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => vec![String::from_utf8_lossy(&literal.0).into_owned()],
        HirKind::Class(class) => of_class(class),
        HirKind::Capture(capture) => of(&capture.sub),
        HirKind::Repetition(repetition) => {
            let least = usize::try_from(repetition.min).unwrap_or(usize::MAX);
            let parts = of(&repetition.sub);
            let repeated = |part: &String| {
                (least.saturating_mul(part.len()) <= MAX_BYTES).then(|| part.repeat(least))
            };
            let mut all: Vec<String> = parts.iter().filter_map(repeated).collect();
            if least == 0 && repetition.max != Some(0) {
                all.extend(parts);
            }
            all
        }
        HirKind::Concat(parts) => one_at_a_time(&parts.iter().map(of).collect::<Vec<_>>()),
        HirKind::Alternation(parts) => parts.iter().flat_map(of).collect(),
    };
    all.retain(|text| text.len() <= MAX_BYTES);
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|text| seen.insert(text.clone()));
    all.truncate(MAX_SAMPLES);
    all
}

/// All characters of a small class; a few of a large one: of its first, second and last range, a
/// letter or digit where there is one.
fn of_class(class: &Class) -> Vec<String> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|r| (r.start(), r.end())).collect(),
        Class::Bytes(class) => class
            .iter()
            .map(|r| (char::from(r.start()), char::from(r.end())))
            .collect(),
    };
    let all: Vec<char> = ranges
        .iter()
        .flat_map(|(from, to)| *from..=*to)
        .take(9)
        .collect();
    if all.len() < 9 {
        return all.into_iter().map(String::from).collect();
    }
    let pick = |(from, to): (char, char)| {
        ['x', 'X', '1', ' ']
            .into_iter()
            .find(|c| (from..=to).contains(c))
            .unwrap_or(from)
    };
    let plain = ['x', 'X', '1', ' ']
        .into_iter()
        .filter(|c| ranges.iter().any(|(from, to)| (from..=to).contains(&c)));
    let chosen = ranges
        .iter()
        .take(2)
        .chain(ranges.last())
        .map(|range| pick(*range));
    plain.chain(chosen).take(4).map(String::from).collect()
}

/// The first choice of each part, then each other choice of one part with the first of the rest.
fn one_at_a_time(parts: &[Vec<String>]) -> Vec<String> {
    if parts.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let with = |changed: usize, choice: usize| -> String {
        parts
            .iter()
            .enumerate()
            .filter_map(|(n, part)| part.get(if n == changed { choice } else { 0 }))
            .map(String::as_str)
            .collect()
    };
    let mut all = vec![with(usize::MAX, 0)];
    for (n, part) in parts.iter().enumerate() {
        all.extend((1..part.len()).map(|choice| with(n, choice)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile_pattern;
    use proptest::prelude::*;

    #[test]
    fn every_alternative_gets_a_text() {
        let found = |pattern: &str| samples(&compile_pattern(pattern, true).unwrap());
        let deletes = found("^mcp__(github|jira)__delete_.*$");
        assert!(
            deletes.contains(&"mcp__jira__delete_".to_owned())
                && deletes.contains(&"mcp__github__delete_".to_owned())
        );
        assert_eq!(found("xyzzy-[0-9]{4}-plugh")[0], "xyzzy-1111-plugh");
        assert_eq!(found(r"\bsudo\b"), ["sudo"]);
        assert!(found(r"rm\s+-rf\s+\/").contains(&"rm -rf /".to_owned()));
        assert_eq!(
            found("(b|c)__[a-z]{3}"),
            ["b__xxx", "c__xxx"].map(str::to_owned).to_vec()
        );
    }

    proptest! {
        #[test]
        fn a_sample_is_found_by_its_expression(pattern in r"(\^?(a|[b-d]|\.|\\w|\\bx|(e|f+))[*?+]?){1,6}\$?") {
            if let Ok(regex) = compile_pattern(&pattern, true) {
                for text in samples(&regex) {
                    prop_assert!(regex.is_match(&text), "{pattern}: {text}");
                }
            }
        }
    }
}
