//! Patterns over syntax trees, in tree-sitter's query language.
//!
//! Tree-sitter's query engine follows every pattern through the whole tree at once. That costs up
//! to 80 % of the time of the parse (`walk.rs` has the figures). The patterns here are small, and
//! each starts at a node of a known kind. One walk finds the patterns by that kind and compares
//! children only there.
//!
//! Supported are nodes, `(_)`, anonymous nodes, fields, `!field`, `[…]`, captures, `?` on a last
//! child, `.` before a child, and the predicates that [`Test`] and [`Pattern`] name. Anything else
//! is an error. Supported syntax means the same as in tree-sitter; the tests compare results with
//! its engine.

use super::annotations::Mark;
use super::grammar::Role;
use regex::Regex;
use std::collections::HashMap;
use tree_sitter::Language;

/// Why a query can't be used. Queries are a part of this program, and the tests check all of them.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PatternError {
    #[error("the query ends too early")]
    End,
    #[error("`{0}` isn't expected here")]
    Unexpected(String),
    #[error("the grammar has no node `{0}`")]
    NoNode(String),
    #[error("the grammar has no field `{0}`")]
    NoField(String),
    #[error("no capture is called `{0}`")]
    NoCapture(String),
    #[error("this build doesn't contain the grammar")]
    NoGrammar,
}

/// A node to match, and the children to match below it.
#[derive(Debug, Default)]
pub(super) struct Step {
    /// Kind of the node; `None` matches any named node.
    pub(super) symbol: Option<u16>,
    pub(super) capture: Option<Role>,
    /// Fields that the node must not have.
    pub(super) absent: Vec<u16>,
    /// Whether `children` contains anonymous nodes.
    pub tokens: bool,
    /// Children to match, in this order.
    pub(super) children: Vec<Child>,
}

impl Step {
    /// Returns whether the field of a child must be known to match it, given the child's kind.
    pub(super) fn asks_for_field(&self, kind: u16) -> bool {
        let may_be = |step: &Step| step.symbol.is_none_or(|symbol| symbol == kind);
        self.children
            .iter()
            .any(|child| child.field.is_some() && child.any.iter().any(may_be))
    }
}

/// A child to match.
#[derive(Debug, Default)]
pub(super) struct Child {
    pub(super) field: Option<u16>,
    /// No named node may lie between this child and the previous one.
    pub(super) is_next: bool,
    pub(super) is_optional: bool,
    /// The alternatives for this child.
    pub(super) any: Vec<Step>,
}

/// A condition on the text of a capture.
#[derive(Debug)]
pub(super) enum Test {
    /// `(#match? @name "…")`
    Match(Role, Regex),
    /// `(#any-of? @name "…" "…")`, `(#eq? @name "…")`
    AnyOf(Role, Vec<String>),
    /// `(#not-match? @name "…")`
    NoMatch(Role, Regex),
    /// `(#not-any-of? @name "…" "…")`
    NoneOf(Role, Vec<String>),
}

/// A pattern with its predicates.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    pub(super) step: Step,
    pub(super) tests: Vec<Test>,
    /// `(#set! prefix "…")`: a word to put before signatures.
    pub(super) prefix: Option<String>,
    /// `(#mark! "file" "fs::read" …)`: the marks that calls of these names give, by the last part
    /// of each name.
    pub(super) calls: HashMap<String, Vec<(String, Mark)>>,
}

/// Parses all patterns of a query.
pub(super) fn read(text: &str, language: &Language) -> Result<Vec<Pattern>, PatternError> {
    let mut reader = Reader {
        tokens: tokens(text)?,
        at: 0,
        language,
    };
    let mut out = Vec::new();
    while reader.at < reader.tokens.len() {
        out.push(reader.pattern()?);
    }
    Ok(out)
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Symbol(char),
    Word(String),
    Field(String),
    Capture(String),
    Text(String),
}

fn tokens(text: &str) -> Result<Vec<Token>, PatternError> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let word = |from: &str| {
            from.split(|c| !is_word(c))
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        rest = match c {
            ';' => after.split_once('\n').map_or("", |(_, rest)| rest),
            '"' => {
                let (text, rest) = quoted(after).ok_or(PatternError::End)?;
                out.push(Token::Text(text));
                rest
            }
            '@' => {
                let name = word(after);
                let rest = after.get(name.len()..).unwrap_or_default();
                out.push(Token::Capture(name));
                rest
            }
            '#' => {
                let end = after.find(['?', '!']).map_or(after.len(), |at| at + 1);
                out.push(Token::Word(format!(
                    "#{}",
                    after.get(..end).unwrap_or_default()
                )));
                after.get(end..).unwrap_or_default()
            }
            '(' | ')' | '[' | ']' | '?' | '!' | '.' => {
                out.push(Token::Symbol(c));
                after
            }
            c if c.is_whitespace() => after,
            c if is_word(c) => {
                let word = word(rest);
                let rest = rest.get(word.len()..).unwrap_or_default();
                let after_colon = rest.strip_prefix(':');
                out.push(if after_colon.is_some() {
                    Token::Field(word)
                } else {
                    Token::Word(word)
                });
                after_colon.unwrap_or(rest)
            }
            c => return Err(PatternError::Unexpected(c.to_string())),
        };
    }
    Ok(out)
}

/// Parses a string up to its closing quotation mark. Returns the string and the rest of the text. A
/// backslash escapes the next character.
fn quoted(text: &str) -> Option<(String, &str)> {
    let (mut out, mut is_escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped => return Some((out, text.get(at + 1..)?)),
            c => {
                out.push(c);
                is_escaped = false;
            }
        }
    }
    None
}

struct Reader<'a> {
    tokens: Vec<Token>,
    at: usize,
    language: &'a Language,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Result<Token, PatternError> {
        let token = self.peek().cloned().ok_or(PatternError::End)?;
        self.at += 1;
        Ok(token)
    }

    /// Skips a symbol if it comes next.
    fn skip(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.at += usize::from(found);
        found
    }

    fn pattern(&mut self) -> Result<Pattern, PatternError> {
        let is_group = self.tokens.get(self.at..self.at + 2)
            == Some(&[Token::Symbol('('), Token::Symbol('(')]);
        self.at += usize::from(is_group);
        let mut child = self.child()?;
        let Some(step) = child
            .any
            .pop()
            .filter(|step| child.any.is_empty() && step.symbol.is_some())
        else {
            return Err(PatternError::Unexpected(
                "a pattern that starts with more than one kind of node".into(),
            ));
        };
        let mut out = Pattern {
            step,
            ..Pattern::default()
        };
        while is_group && !self.skip(')') {
            self.predicate(&mut out)?;
        }
        Ok(out)
    }

    fn predicate(&mut self, out: &mut Pattern) -> Result<(), PatternError> {
        if !self.skip('(') {
            return Err(PatternError::Unexpected(format!("{:?}", self.next()?)));
        }
        let name = self.next()?;
        let mut role = Err(PatternError::End);
        let mut words = Vec::new();
        loop {
            match self.next()? {
                Token::Capture(name) => {
                    role = Role::named(&name).ok_or(PatternError::NoCapture(name));
                }
                Token::Text(text) | Token::Word(text) => words.push(text),
                Token::Symbol(')') => break,
                other => return Err(PatternError::Unexpected(format!("{other:?}"))),
            }
        }
        let unexpected = || PatternError::Unexpected(format!("{name:?} {words:?}"));
        match (&name, words.as_slice()) {
            (Token::Word(name), [text]) if name == "#match?" || name == "#not-match?" => {
                let regex = Regex::new(text).map_err(|_| unexpected())?;
                out.tests.push(if name == "#match?" {
                    Test::Match(role?, regex)
                } else {
                    Test::NoMatch(role?, regex)
                });
            }
            (Token::Word(name), _) if name == "#not-any-of?" => {
                out.tests.push(Test::NoneOf(role?, words));
            }
            (Token::Word(name), _) if name == "#eq?" || name == "#any-of?" => {
                out.tests.push(Test::AnyOf(role?, words));
            }
            (Token::Word(name), [key, value]) if name == "#set!" && key == "prefix" => {
                out.prefix = Some(value.clone());
            }
            (Token::Word(name), [mark, calls @ ..]) if name == "#mark!" => {
                let mark = Mark::named(mark).ok_or_else(unexpected)?;
                for call in calls {
                    out.calls
                        .entry(super::annotations::last_part(call).to_owned())
                        .or_default()
                        .push((call.clone(), mark));
                }
            }
            _ => return Err(unexpected()),
        }
        Ok(())
    }

    /// Parses a node or a choice of nodes, with its quantifier and capture.
    fn child(&mut self) -> Result<Child, PatternError> {
        let mut out = Child::default();
        match self.next()? {
            Token::Symbol('[') => {
                while !self.skip(']') {
                    out.any.extend(self.child()?.any);
                }
            }
            Token::Symbol('(') => out.any.push(self.node()?),
            Token::Text(text) => {
                let symbol = self.language.id_for_node_kind(&text, false);
                out.any.push(Step {
                    symbol: Some(some(symbol).ok_or(PatternError::NoNode(text))?),
                    ..Step::default()
                });
            }
            other => return Err(PatternError::Unexpected(format!("{other:?}"))),
        }
        out.is_optional = self.skip('?');
        if let Some(Token::Capture(name)) = self.peek().cloned() {
            self.at += 1;
            let role = Role::named(&name).ok_or(PatternError::NoCapture(name))?;
            for step in &mut out.any {
                step.capture = Some(role);
            }
        }
        Ok(out)
    }

    fn node(&mut self) -> Result<Step, PatternError> {
        let kind = match self.next()? {
            Token::Word(kind) => kind,
            other => return Err(PatternError::Unexpected(format!("{other:?}"))),
        };
        let symbol = match kind.as_str() {
            "_" => None,
            _ => Some(
                some(self.language.id_for_node_kind(&kind, true))
                    .ok_or(PatternError::NoNode(kind))?,
            ),
        };
        let mut out = Step {
            symbol,
            ..Step::default()
        };
        while !self.skip(')') {
            if self.skip('!') {
                let Token::Word(field) = self.next()? else {
                    return Err(PatternError::Unexpected("!".into()));
                };
                out.absent.push(self.field(field)?);
                continue;
            }
            let is_next = self.skip('.');
            let field = match self.peek().cloned() {
                Some(Token::Field(name)) => {
                    self.at += 1;
                    Some(self.field(name)?)
                }
                _ => None,
            };
            if out.children.last().is_some_and(|c| c.is_optional) {
                return Err(PatternError::Unexpected(
                    "a child behind an optional one".into(),
                ));
            }
            let child = self.child()?;
            let is_token = |step: &Step| {
                step.symbol
                    .is_some_and(|symbol| !self.language.node_kind_is_named(symbol))
            };
            out.tokens |= child.any.iter().any(is_token);
            out.children.push(Child {
                field,
                is_next,
                ..child
            });
        }
        Ok(out)
    }

    fn field(&self, name: String) -> Result<u16, PatternError> {
        self.language
            .field_id_for_name(&name)
            .map(Into::into)
            .ok_or(PatternError::NoField(name))
    }
}

/// Returns `None` for zero, which the grammar returns for an unknown name.
const fn some(symbol: u16) -> Option<u16> {
    if symbol == 0 { None } else { Some(symbol) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rust(text: &str) -> Result<Vec<Pattern>, PatternError> {
        read(text, &tree_sitter_rust::LANGUAGE.into())
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert_eq!(rust("(function_item").unwrap_err(), PatternError::End);
        assert_eq!(
            rust("(no_such_item)").unwrap_err(),
            PatternError::NoNode("no_such_item".into())
        );
        assert_eq!(
            rust("(function_item nome: (_))").unwrap_err(),
            PatternError::NoField("nome".into())
        );
        assert_eq!(
            rust("(function_item) @name_").unwrap_err(),
            PatternError::NoCapture("name_".into())
        );
        for text in [
            "(_) @name",
            "[(line_comment) (block_comment)] @comment",
            "(function_item (_)? (_))",
            "(line_comment .)",
        ] {
            assert!(
                matches!(rust(text), Err(PatternError::Unexpected(_))),
                "{text}"
            );
        }
        for predicate in [
            "(#match? @name \"(\")",
            "(#set! other \"x\")",
            "(#mark! \"nothing\" \"f\")",
            "(#no? @name)",
        ] {
            let text = format!("((function_item name: (_) @name) {predicate})");
            assert!(
                matches!(rust(&text), Err(PatternError::Unexpected(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn everything_of_a_pattern_is_read() {
        let text = "; c\n((function_item !body . name: [(identifier) (metavariable)]? @name) (#eq? @name \"a\\\"b\"))";
        let [pattern] = rust(text).unwrap().try_into().unwrap();
        assert_eq!(
            (pattern.step.absent.len(), pattern.step.children.len()),
            (1, 1)
        );
        let child = &pattern.step.children[0];
        assert!(
            child.is_next && child.is_optional && child.any.len() == 2 && child.field.is_some()
        );
        assert!(child.any.iter().all(|s| s.capture == Some(Role::Name)));
        assert!(
            matches!(&pattern.tests[..], [Test::AnyOf(Role::Name, words)] if words == &["a\"b"])
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([()\\[\\]?!.@#\"; ]|function_item|name:|_|\\PC){0,40}") {
            let _ = rust(&text);
        }
    }
}
