//! Finds call signatures that follow a member without a semicolon in TypeScript.
//!
//! ```text
//! interface Call {
//!   (a: string): Set<string>
//!   <T>(a: T): Set<T>
//! }
//! ```
//!
//! The grammar takes the second `<` for a comparison. A semicolon in the blank before it ends the
//! member.

/// Maximum number of lines of comments between the two members.
const MAX_COMMENT: usize = 60;

/// Returns the places of the blanks that become semicolons.
pub(super) fn ends(text: &str) -> Vec<usize> {
    let mut out = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut at = 0;
    for line in text.split('\n') {
        let code = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - code.len();
        if indent > 0 && is_signature(code) && follows_member(&lines) {
            out.push(at + indent - 1);
        }
        lines.push(line);
        at += line.len() + 1;
    }
    out
}

/// Returns whether a line begins with type parameters, and not with a comparison or a tag.
fn is_signature(code: &str) -> bool {
    let Some(rest) = code.strip_prefix('<') else {
        return false;
    };
    let rest = rest.trim();
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    let name = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'));
    let after = name.map_or("", |at| rest.get(at..).unwrap_or_default());
    let is_parameter = name != Some(0)
        && [",", ">(", " extends ", " = "]
            .iter()
            .any(|s| after.starts_with(s));
    // `<` alone, with the parameters on the next lines.
    rest.is_empty() || is_parameter
}

/// Returns whether the code before ends like a member of a type.
fn follows_member(lines: &[&str]) -> bool {
    let code = lines.iter().rev().take(MAX_COMMENT).map(|line| {
        let line = line.split(" //").next().unwrap_or(line);
        line.trim()
    });
    let mut code = code.filter(|line| !line.is_empty() && !line.starts_with(['*', '/']));
    code.next().is_some_and(|line| {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        line.ends_with(['>', ']', ')', '}', '"', '\'']) && !line.ends_with("=>")
            || line.ends_with(is_word) && line.contains(':')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_end_before_call_signatures() {
        let text = "interface A {\n  (a: B): Set<B>\n  // More.\n  <T>(a: T): Set<T>\n\t<\n    T,\n  >(): T\n}";
        let places: Vec<&str> = ends(text)
            .into_iter()
            .filter_map(|at| text.get(at..at + 2))
            .collect();
        assert_eq!(places, [" <", "\t<"]);
        for other in [
            "type A =\n  <T>(a: T) => T",
            "type A =\n  | B\n  | <T>(a: T) => T",
            "if (a\n  < b) {}",
            "f(\n  <T>(a: T) => T)",
            "a = b +\n  <T>c",
            "<T>(a)",
        ] {
            assert_eq!(ends(other), Vec::<usize>::new(), "{other}");
        }
    }
}
