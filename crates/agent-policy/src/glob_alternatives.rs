//! Spells out the alternatives of a glob: `*.{pem,key}` is `*.pem` or `*.key`.
//!
//! Where a command leaves `*` to the shell, globs are compared with that text, character by
//! character. That needs globs without `{…}` and `[…]`.

/// Maximum number of globs that one is spelled out as.
const MAX_ALTERNATIVES: usize = 64;

/// The globs that match together what `glob` matches. Where that isn't sure, it stays as it is.
pub(crate) fn alternatives(glob: &str) -> Vec<String> {
    let whole = || vec![glob.to_owned()];
    if glob.contains('\\') {
        return whole();
    }
    let mut all = vec![String::new()];
    let mut rest = glob;
    while let Some(at) = rest.find(['{', '[']) {
        let (before, group) = rest.split_at(at);
        let Some((choices, after)) = choices(group) else {
            return whole();
        };
        if all.len().saturating_mul(choices.len()) > MAX_ALTERNATIVES {
            return whole();
        }
        all = all
            .iter()
            .flat_map(|head| {
                choices
                    .iter()
                    .map(move |one| format!("{head}{before}{one}"))
            })
            .collect();
        rest = after;
    }
    for one in &mut all {
        one.push_str(rest);
    }
    // Two stars that come together would mean something else.
    let stars = |text: &str| text.matches("**").count();
    if all.iter().any(|one| stars(one) != stars(glob)) {
        return whole();
    }
    all
}

/// The choices of a group at the start of a text, and the text behind it.
fn choices(group: &str) -> Option<(Vec<String>, &str)> {
    let close = if group.starts_with('{') { '}' } else { ']' };
    let (inner, after) = group.get(1..)?.split_once(close)?;
    if inner.contains(['{', '[', '}', ']', '/']) {
        return None;
    }
    let choices: Vec<String> = if close == '}' {
        inner.split(',').map(str::to_owned).collect()
    } else {
        inner.chars().map(String::from).collect()
    };
    let plain = |choice: &String| {
        let special = if close == '}' {
            choice.is_empty() || matches!(choice.as_str(), "." | "..") || choice.starts_with('~')
        } else {
            !choice.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        !special
    };
    (!choices.is_empty() && choices.iter().all(plain)).then_some((choices, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use globset::GlobBuilder;
    use proptest::prelude::*;

    #[test]
    fn groups_are_spelled_out_where_that_is_sure() {
        for (glob, expected) in [
            ("*.pem", &["*.pem"][..]),
            ("*.{pem,key}", &["*.pem", "*.key"]),
            ("{a,b}/[xy].rs", &["a/x.rs", "a/y.rs", "b/x.rs", "b/y.rs"]),
            ("**/{a,b*}", &["**/a", "**/b*"]),
            ("x{a}", &["xa"]),
        ] {
            assert_eq!(alternatives(glob), expected, "{glob}");
        }
        for glob in [
            "{a,b/c}",
            "{,a}",
            "{*,a}*",
            "[a-z]",
            "[!a]",
            "[]a]",
            "{a,{b,c}}",
            "a{b",
            "\\{a,b}",
            "{~,a}/x",
            "{..,a}/x",
            "[ab][ab][ab][ab][ab][ab][ab]",
        ] {
            assert_eq!(alternatives(glob), [glob], "{glob}");
        }
    }

    fn is_match(glob: &str, name: &str) -> Option<bool> {
        let glob = GlobBuilder::new(glob)
            .literal_separator(true)
            .build()
            .ok()?;
        Some(glob.compile_matcher().is_match(name))
    }

    proptest! {
        /// The alternatives match together what the glob matches.
        #[test]
        fn alternatives_match_the_same(glob in "[ab*?./{},\\[\\]!-]{1,9}", name in "[ab./]{0,5}") {
            if let Some(expected) = is_match(&glob, &name) {
                let any = alternatives(&glob)
                    .iter()
                    .any(|one| is_match(one, &name) == Some(true));
                prop_assert_eq!(any, expected);
            }
        }
    }
}
