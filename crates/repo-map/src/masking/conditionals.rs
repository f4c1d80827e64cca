//! Hides `#if` where it cuts statements or functions into pieces.
//!
//! The grammars of C and C++ read branches of `#if` as complete statements. `if (a)` and
//! `int f(int a) {` in two variants aren't: there the directives and all branches but one are
//! hidden.

use super::Mask;
use super::c_tokens::{Token, TokenKind};
use std::ops::Range;

/// Maximum number of conditionals around a conditional. Deeper ones are left as they are.
const MAX_DEPTH: usize = 16;

/// Maximum number of hidden tokens that are skipped to find the one before a conditional.
const MAX_GONE: usize = 200;

/// Maximum number of tokens in a balanced branch that is hidden. Longer ones have definitions.
const MAX_HIDDEN: usize = 100;

/// Hides what isn't complete, and removes its tokens.
pub(super) fn hide(text: &str, tokens: &mut Vec<Token>, mask: &mut Mask) {
    let mut groups = Groups {
        text,
        tokens,
        is_gone: vec![false; tokens.len()],
        hidden: Vec::new(),
    };
    // For each open conditional, the places of its directives.
    let mut open: Vec<Vec<usize>> = Vec::new();
    for at in 0..groups.tokens.len() {
        match groups.directive(at) {
            "if" | "ifdef" | "ifndef" => open.push(vec![at]),
            "elif" | "elifdef" | "elifndef" | "else" => {
                if let Some(group) = open.last_mut() {
                    group.push(at);
                }
            }
            "endif" => {
                if let Some(mut group) = open.pop().filter(|_| open.len() < MAX_DEPTH) {
                    group.push(at);
                    groups.close(&group);
                }
            }
            _ => {}
        }
    }
    let Groups {
        is_gone, hidden, ..
    } = groups;
    mask.hidden.extend(hidden);
    let mut gone = is_gone.into_iter();
    tokens.retain(|_| !gone.next().unwrap_or_default());
}

struct Groups<'a> {
    text: &'a str,
    tokens: &'a [Token],
    is_gone: Vec<bool>,
    hidden: Vec<Range<usize>>,
}

/// What a branch leaves open.
struct Branch {
    is_balanced: bool,
    /// The place of its last token, if it has any.
    last: Option<usize>,
    count: usize,
}

impl<'a> Groups<'a> {
    fn text_of(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .and_then(|t| self.text.get(t.start..t.end))
            .unwrap_or_default()
    }

    /// Returns the name of a directive; empty if there is none.
    fn directive(&self, at: usize) -> &'a str {
        let is_directive = self
            .tokens
            .get(at)
            .is_some_and(|t| t.kind == TokenKind::Directive);
        if !is_directive {
            return "";
        }
        let text = self.text_of(at).trim_start_matches(['#', ' ', '\t']);
        text.split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default()
    }

    fn branch(&self, from: usize, to: usize) -> Branch {
        let mut out = Branch {
            is_balanced: true,
            last: None,
            count: 0,
        };
        let mut depth = [0_i32; 2];
        for at in (from + 1)..to {
            if self.is_gone.get(at).copied().unwrap_or_default() {
                continue;
            }
            let (which, step) = match self.tokens.get(at).map(|t| t.kind) {
                Some(TokenKind::Symbol(b'{')) => (0, 1),
                Some(TokenKind::Symbol(b'}')) => (0, -1),
                Some(TokenKind::Symbol(b'(')) => (1, 1),
                Some(TokenKind::Symbol(b')')) => (1, -1),
                _ => (0, 0),
            };
            if let Some(depth) = depth.get_mut(which) {
                *depth += step;
                out.is_balanced &= *depth >= 0;
            }
            out.last = Some(at);
            out.count += 1;
        }
        out.is_balanced &= depth == [0, 0];
        out
    }

    /// Returns whether a statement may end with a token. `next` is what follows.
    fn is_end(&self, at: usize, next: usize) -> bool {
        let is_body = matches!(self.text_of(next), "{" | "(");
        match self.tokens.get(at).map(|t| t.kind) {
            None | Some(TokenKind::Directive | TokenKind::Symbol(b';' | b'{' | b'}' | b':')) => {
                true
            }
            Some(TokenKind::Symbol(b')')) => !is_body,
            // A macro.
            Some(TokenKind::Word) => {
                let word = self.text_of(at);
                !is_body && word.len() > 2 && !word.bytes().any(|b| b.is_ascii_lowercase())
            }
            _ => false,
        }
    }

    /// Hides a conditional if it isn't made of complete statements.
    fn close(&mut self, directives: &[usize]) {
        let (Some(first), Some(last)) = (directives.first().copied(), directives.last().copied())
        else {
            return;
        };
        let next = last + 1;
        let branches: Vec<(usize, usize, Branch)> = directives
            .windows(2)
            .filter_map(|pair| match pair {
                [from, to] => Some((*from, *to, self.branch(*from, *to))),
                _ => None,
            })
            .collect();
        let is_balanced = branches.iter().all(|(_, _, branch)| branch.is_balanced);
        let before = (first.saturating_sub(MAX_GONE)..first)
            .rev()
            .find(|at| !self.is_gone.get(*at).copied().unwrap_or_default());
        let is_start = before.is_none_or(|before| self.is_end(before, next));
        let are_complete = branches
            .iter()
            .all(|(_, _, branch)| branch.last.is_none_or(|at| self.is_end(at, next)));
        if is_balanced && is_start && are_complete {
            return;
        }
        // `#ifdef __cplusplus extern "C" { #endif`
        let is_linkage = self.text_of(first).contains("__cplusplus")
            && branches.iter().all(|(_, _, branch)| branch.count <= 4);
        let is_off = self.text_of(first).ends_with(" 0") && branches.len() > 1;
        let keep = if is_linkage && !is_balanced {
            usize::MAX
        } else {
            usize::from(is_off)
        };
        let is_long = |(index, (_, _, branch)): (usize, &(usize, usize, Branch))| {
            index != keep && branch.count > MAX_HIDDEN
        };
        if is_balanced && branches.iter().enumerate().any(is_long) {
            return;
        }
        for (index, (from, to, _)) in branches.iter().enumerate() {
            self.remove(*from, if index == keep { *from + 1 } else { *to });
        }
        self.remove(last, last + 1);
    }

    fn remove(&mut self, from: usize, to: usize) {
        let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens.get(to - 1)) else {
            return;
        };
        self.hidden.push(first.start..last.end);
        if let Some(gone) = self.is_gone.get_mut(from..to) {
            gone.fill(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::c_tokens::tokens;
    use super::*;

    fn shown(text: &str) -> String {
        let mut mask = Mask::default();
        let mut all = tokens(text);
        hide(text, &mut all, &mut mask);
        let masked = mask.apply(text);
        assert_eq!(masked.len(), text.len());
        masked.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn incomplete_branches_are_hidden() {
        for (text, expected) in [
            (
                "#if A\nint f(int a) {\n#else\nint f() {\n#endif\n x; }",
                "int f(int a) { x; }",
            ),
            ("if (a)\n#if B\n&& c\n#endif\n{ }", "if (a) && c { }"),
            ("#if A\nif (a)\n#else\nif (b)\n#endif\n{ }", "if (a) { }"),
            (
                "#if 0\nint f(int a) {\n#elif B\nint f() {\n#endif\n}",
                "int f() { }",
            ),
            (
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif",
                "int a;",
            ),
            (
                "#if A\n#if B\n{\n#else\n{{\n#endif\n}\n#endif",
                "#if A { } #endif",
            ),
            ("a = {\n 1,\n#if A\n 2,\n#endif\n 3 };", "a = { 1, 2, 3 };"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn complete_branches_are_kept() {
        for text in [
            "#ifndef A_H\n#define A_H\nint a;\n#endif",
            "#if A\nint f(void) {\n}\n#else\nint g(void);\n#endif",
            "LIB_BEGIN\n#if A\nLIB_ITEM(x)\n#endif\nLIB_END",
            "#if A\n{",
            "#else\n#endif\n}",
        ] {
            let expected = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(shown(text), expected);
        }
        let text = "#if A\nf(\n#endif\n".repeat(20_000);
        assert_eq!(shown(&text), "f( ".repeat(20_000).trim());
        let text = "#if A\n(\n".repeat(20_000) + &"#endif\n".repeat(20_000);
        assert_eq!(shown(&text).matches("#if").count(), 20_000 - MAX_DEPTH);
    }
}
