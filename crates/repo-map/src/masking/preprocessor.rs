//! Finds calls of macros that C and C++ allow where their grammars expect none.
//!
//! A name is taken for a macro if it is in capital letters. It is hidden only in places where a
//! type or a function of that name can't be:
//!
//! - `class EXPORT Name {`: between the keyword and the name of a type
//! - `void f() LOCKS(mu) {`: after the parameters of a function
//! - `EXPORT int f();`: before a declaration that is complete without it
//! - `int CALL f();`: between a type and the name of a function
//! - `BEGIN_NAMESPACE`: alone on its line, before a declaration
//! - `PRIVATE_UNLESS_TESTED:`: a label alone on its line
//!
//! Comments within the lines of a `#define` are hidden too: they break the grammars.

use super::Mask;
use super::c_tokens::{Token, TokenKind, pair, tokens};
use super::conditionals;

/// Maximum number of tokens in the name of a type, with its qualifiers and template arguments.
const MAX_PATH: usize = 200;

/// Maximum number of tokens in the parameters of a template.
const MAX_PARAMETERS: usize = 1000;

/// Maximum number of macros in a row.
const MAX_MACROS: usize = 4;

/// Words that begin a declaration and that a type can't precede.
const BEGINNINGS: [&str; 38] = [
    "alignas",
    "auto",
    "bool",
    "char",
    "class",
    "const",
    "constexpr",
    "consteval",
    "constinit",
    "double",
    "enum",
    "explicit",
    "export",
    "extern",
    "float",
    "friend",
    "inline",
    "int",
    "long",
    "namespace",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "static",
    "struct",
    "template",
    "thread_local",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
];

/// Words that the parts of a declaration begin with, without being a type.
const SPECIFIERS: [&str; 11] = [
    "const",
    "constexpr",
    "consteval",
    "constinit",
    "explicit",
    "extern",
    "friend",
    "inline",
    "static",
    "typedef",
    "virtual",
];

/// Types of one word.
const TYPES: [&str; 11] = [
    "auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void",
];

/// Words that aren't names.
const KEYWORDS: [&str; 23] = [
    "break",
    "case",
    "catch",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "for",
    "goto",
    "if",
    "new",
    "operator",
    "return",
    "sizeof",
    "switch",
    "throw",
    "try",
    "while",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
];

/// Finds the macros to hide.
pub(super) fn mask(text: &str, is_cpp: bool) -> Mask {
    let mut tokens = tokens(text);
    let mut mask = Mask::default();
    conditionals::hide(text, &mut tokens, &mut mask);
    pair(&mut tokens);
    let mut finder = Finder {
        text,
        is_cpp,
        tokens: &tokens,
        mask,
        is_hidden: vec![false; tokens.len()],
        ends_template: vec![false; tokens.len()],
    };
    for at in 0..tokens.len() {
        finder.visit(at);
    }
    finder.mask
}

struct Finder<'a> {
    text: &'a str,
    is_cpp: bool,
    tokens: &'a [Token],
    mask: Mask,
    is_hidden: Vec<bool>,
    /// Whether a `>` ends `template<…>`.
    ends_template: Vec<bool>,
}

impl<'a> Finder<'a> {
    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|t| t.kind)
    }

    fn is(&self, at: usize, symbol: u8) -> bool {
        self.kind(at) == Some(TokenKind::Symbol(symbol))
    }

    /// Returns the word at a place, or an empty text.
    fn word(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .filter(|t| t.kind == TokenKind::Word)
            .and_then(|t| self.text.get(t.start..t.end))
            .unwrap_or_default()
    }

    fn was_hidden(&self, at: usize) -> bool {
        self.is_hidden.get(at).copied().unwrap_or_default()
    }

    fn is_first(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|t| t.is_first)
    }

    /// Returns whether a word is a name: neither a keyword nor a part of a type.
    fn is_name(&self, at: usize) -> bool {
        let word = self.word(at);
        !word.is_empty()
            && !KEYWORDS.contains(&word)
            && !BEGINNINGS.contains(&word)
            && !SPECIFIERS.contains(&word)
    }

    fn is_macro(&self, at: usize) -> bool {
        let word = self.word(at);
        word.len() > 2
            && word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && word.bytes().filter(u8::is_ascii_uppercase).count() > 1
            && word
                .bytes()
                .all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
    }

    /// Returns the place behind a name and its arguments in brackets.
    fn behind(&self, at: usize) -> usize {
        let next = at + 1;
        match self.tokens.get(next).and_then(|t| t.partner) {
            Some(close) if self.is(next, b'(') && close > next => close + 1,
            _ => next,
        }
    }

    /// Returns the place behind a row of macros, and whether there is any.
    fn behind_macros(&self, from: usize) -> (usize, bool) {
        let mut at = from;
        for _ in 0..MAX_MACROS {
            if !self.is_macro(at) {
                break;
            }
            at = self.behind(at);
        }
        (at, at > from)
    }

    /// Returns the place behind a template's arguments that begin with `<`.
    fn behind_arguments(&self, at: usize, limit: usize) -> Option<usize> {
        if !self.is(at, b'<') {
            return Some(at);
        }
        let mut depth = 0_usize;
        let mut at = at;
        for _ in 0..limit {
            match self.kind(at)? {
                TokenKind::Symbol(b'<') => depth += 1,
                TokenKind::Symbol(b'>') => depth = depth.saturating_sub(1),
                TokenKind::Symbol(b'(') => at = self.tokens.get(at)?.partner?,
                TokenKind::Symbol(b';' | b'{' | b'}' | b')') => return None,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Returns the place behind a name with qualifiers: `a::B<c>::d`.
    fn behind_path(&self, at: usize) -> Option<usize> {
        let mut at = if self.kind(at) == Some(TokenKind::Scope) {
            at + 1
        } else {
            at
        };
        let limit = at + MAX_PATH;
        while at < limit {
            if !self.is_name(at) {
                return None;
            }
            at = self.behind_arguments(at + 1, MAX_PATH)?;
            if self.kind(at) != Some(TokenKind::Scope) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    fn hide(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let behind = self.behind(at).min(to);
            if let (Some(first), Some(last)) = (self.tokens.get(at), self.tokens.get(behind - 1)) {
                self.mask.hidden.push(first.start..last.end);
                if behind > at + 1 {
                    self.mask.calls.push(first.start..first.end);
                }
            }
            at = behind;
        }
        if let Some(hidden) = self.is_hidden.get_mut(from..to) {
            hidden.fill(true);
        }
    }

    fn visit(&mut self, at: usize) {
        if self.was_hidden(at) {
            return;
        }
        if self.kind(at) == Some(TokenKind::Directive) {
            return self.comments(at);
        }
        match self.word(at) {
            "class" | "struct" | "union" | "enum" => self.type_macros(at),
            "template" => {
                let end = self.behind_arguments(at + 1, MAX_PARAMETERS);
                if let Some(ends) = end.and_then(|end| self.ends_template.get_mut(end - 1)) {
                    *ends = true;
                }
            }
            _ if !self.is_macro(at) => {}
            _ if self.follows_parameters(at) => self.function_macros(at),
            _ if self.starts_statement(at) => self.statement_macros(at),
            _ => self.middle_macro(at),
        }
    }

    /// Hides the block comments in a directive of several lines.
    fn comments(&mut self, at: usize) {
        let Some(token) = self.tokens.get(at) else {
            return;
        };
        let text = self.text.get(token.start..token.end).unwrap_or_default();
        if !text.contains('\n') {
            return;
        }
        let mut from = 0;
        while let Some(open) = text.get(from..).and_then(|rest| rest.find("/*")) {
            let open = from + open;
            let close = text.get(open + 2..).and_then(|rest| rest.find("*/"));
            let end = close.map_or(text.len(), |close| open + 2 + close + 2);
            self.comment(token.start + open, token.start + end);
            from = end;
        }
    }

    /// Hides a comment, but not the backslashes that continue its lines.
    fn comment(&mut self, start: usize, end: usize) {
        let comment = self.text.get(start..end).unwrap_or_default();
        let mut at = start;
        let mut hidden = Vec::new();
        let mut lines = comment.split('\n').peekable();
        while let Some(line) = lines.next() {
            let shown = line.trim_end_matches('\r');
            let continued = shown.strip_suffix('\\');
            if lines.peek().is_some() && continued.is_none() {
                // Without the comment, the directive would end here.
                return;
            }
            hidden.push(
                at..at
                    + continued
                        .filter(|_| lines.peek().is_some())
                        .unwrap_or(shown)
                        .len(),
            );
            at += line.len() + 1;
        }
        self.mask.hidden.extend(hidden);
    }

    /// `class EXPORT Name {`
    fn type_macros(&mut self, keyword: usize) {
        let from = keyword + 1;
        let (mut end, mut at) = (from, from);
        for _ in 0..MAX_MACROS {
            let next = self.behind(at);
            let is_name = !self.word(next).is_empty() && self.word(next) != "final";
            if !self.is_macro(at) || !is_name {
                break;
            }
            (end, at) = (next, next);
        }
        if end == from {
            return;
        }
        let Some(behind) = self.behind_path(end) else {
            return;
        };
        let is_bits = self.is(behind, b':') && self.kind(behind + 1) == Some(TokenKind::Literal);
        if self.word(behind) == "final"
            || self.is(behind, b'{')
            || self.is(behind, b':') && !is_bits
        {
            self.hide(from, end);
        }
    }

    /// Returns whether what precedes is the end of a function's parameters.
    fn follows_parameters(&self, at: usize) -> bool {
        let Some(mut before) = at.checked_sub(1) else {
            return false;
        };
        for _ in 0..MAX_MACROS {
            let is_qualifier = matches!(
                self.word(before),
                "const" | "noexcept" | "override" | "final" | "volatile"
            );
            if !is_qualifier && !self.is(before, b'&') {
                break;
            }
            before = before.saturating_sub(1);
        }
        let open = self.tokens.get(before).and_then(|t| t.partner);
        let Some(open) = open.filter(|_| self.is(before, b')')) else {
            return false;
        };
        let Some(name) = open.checked_sub(1) else {
            return false;
        };
        // `int (*f)(int) ATTRIBUTE;`
        let pointer = self.tokens.get(name).and_then(|t| t.partner);
        if pointer.is_some_and(|open| open < name && self.is(open + 1, b'*')) {
            return true;
        }
        let is_attribute = self.word(name).starts_with("__") || self.was_hidden(name);
        self.is_operator(name) || self.is_name(name) && !is_attribute
    }

    /// Returns whether a place is the end of the name of an operator.
    fn is_operator(&self, at: usize) -> bool {
        (0..3).any(|back| {
            at.checked_sub(back + 1)
                .is_some_and(|b| self.word(b) == "operator")
        })
    }

    /// `void f() LOCKS(mu) {`
    fn function_macros(&mut self, from: usize) {
        let (end, _) = self.behind_macros(from);
        let is_body = self.is(end, b'{') || self.is(end, b':') && self.is_lone_colon(end);
        let is_word = matches!(self.word(end), "const" | "noexcept" | "override" | "final");
        let is_arrow = self.is(end, b'-') && self.is(end + 1, b'>');
        let is_end = self.is(end, b';') || self.is(end, b'=');
        if is_body || is_word || is_arrow || is_end {
            self.hide(from, end);
        }
    }

    fn is_lone_colon(&self, at: usize) -> bool {
        !self.is(at + 1, b':')
    }

    /// Returns whether a statement or a declaration may begin here.
    fn starts_statement(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return true;
        };
        match self.kind(before) {
            Some(TokenKind::Symbol(b';' | b'{' | b'}' | b':') | TokenKind::Directive) => true,
            Some(TokenKind::Symbol(b'>')) => {
                self.ends_template.get(before).copied().unwrap_or_default()
            }
            Some(TokenKind::Word) => SPECIFIERS.contains(&self.word(before)),
            Some(TokenKind::Literal) => {
                // `extern "C"`
                before
                    .checked_sub(1)
                    .is_some_and(|b| self.word(b) == "extern")
            }
            _ => false,
        }
    }

    /// `EXPORT int f();`, `BEGIN_NAMESPACE`, `PRIVATE_UNLESS_TESTED:`
    fn statement_macros(&mut self, from: usize) {
        let next = self.behind(from);
        if self.is(next, b':')
            && next == from + 1
            && self.is_lone_colon(next)
            && self.is_first(from)
            && self.is_first(next + 1)
        {
            if let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens.get(next)) {
                self.mask.hidden.push(first.start..last.end);
            }
            return;
        }
        let (row, _) = self.behind_macros(from);
        if self.is_function(row) && !self.is(from + 1, b'(') {
            // `BOOL CALL f();`: one macro has to be the type.
            return self.hide(from + 1, row);
        }
        // Each macro of a row is checked alone: the last one may be a type.
        let mut end = from;
        for _ in 0..MAX_MACROS {
            if end >= row {
                break;
            }
            let next = self.behind(end);
            if !self.is_declaration(from, next) {
                break;
            }
            end = next;
        }
        self.hide(from, end);
    }

    /// Returns whether a declaration begins at a place that needs no type before it. `from` is the
    /// macro before it.
    fn is_declaration(&self, from: usize, at: usize) -> bool {
        let is_line = self.is_first(from) && self.is_first(at);
        // `EXPORT ATTRIBUTE(pure) int f();`
        let mut at = at;
        for _ in 0..MAX_MACROS {
            let is_qualifier = !is_line && matches!(self.word(at), "const" | "volatile");
            let is_call = self.is_macro(at) && self.is(at + 1, b'(');
            let is_alone = is_line && self.is_macro(at) && self.is_first(self.behind(at));
            if !is_qualifier && !is_call && !is_alone {
                break;
            }
            at = self.behind(at);
        }
        match self.kind(at) {
            None | Some(TokenKind::Directive) => is_line,
            Some(TokenKind::Symbol(b'}')) => {
                is_line
                    && !from
                        .checked_sub(1)
                        .is_some_and(|before| self.is(before, b'{'))
            }
            Some(TokenKind::Symbol(b'[')) => self.is(at + 1, b'['),
            Some(TokenKind::Symbol(b'~')) => true,
            Some(TokenKind::Word | TokenKind::Scope) => match self.word(at) {
                // A conversion. `BOOL operator==(…)` has a type.
                "operator" => self.is_name(at + 1) || TYPES.contains(&self.word(at + 1)),
                word if BEGINNINGS.contains(&word) => true,
                _ => self.behind_path(at).is_some_and(|behind| {
                    let is_word = !self.word(behind).is_empty();
                    is_word
                        || self.is(behind, b'*')
                        || self.is(behind, b'&')
                        || is_line && self.is_cpp && self.is_definition(at, behind)
                }),
            },
            _ => false,
        }
    }

    /// Returns whether a name is that of a function: `a::f(`.
    fn is_function(&self, at: usize) -> bool {
        self.behind_path(at)
            .is_some_and(|behind| self.is(behind, b'('))
    }

    /// Returns whether a constructor is declared: `Name(int x) : x(x) {}`.
    fn is_definition(&self, name: usize, parameters: usize) -> bool {
        let behind = self.behind(name);
        self.is(parameters, b'(')
            && behind > parameters
            && (self.is(behind, b'{')
                || self.is(behind, b';')
                || self.is(behind, b'=')
                || self.is(behind, b':') && self.is_lone_colon(behind)
                || self.word(behind) == "noexcept")
    }

    /// `int CALL f();`
    fn middle_macro(&mut self, at: usize) {
        let Some(before) = at.checked_sub(1) else {
            return;
        };
        let next = self.behind(at);
        let is_function = self.is_name(next) && self.is(next + 1, b'(');
        let is_type =
            self.is_name(before) || TYPES.contains(&self.word(before)) || self.is(before, b'*');
        if is_function && is_type {
            self.hide(at, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns what C++ code is parsed as, with single spaces.
    fn shown(text: &str) -> String {
        let masked = mask(text, true).apply(text);
        assert_eq!(masked.len(), text.len());
        masked.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn macros_are_hidden() {
        for (text, expected) in [
            ("class LIB_EXPORT Db {", "class Db {"),
            ("struct A_B(16) CD final : E {", "struct CD final : E {"),
            ("enum class LIB_API Mode : int {", "enum class Mode : int {"),
            (
                "class LIB_EXPORT Outer::Inner<int> {",
                "class Outer::Inner<int> {",
            ),
            ("void f() LOCKS(mu) {", "void f() {"),
            (
                "int f(int a) const LIB_PURE override;",
                "int f(int a) const override;",
            ),
            ("bool operator==(A a) LIB_PURE {", "bool operator==(A a) {"),
            ("int (*f)(int) LIB_ATTR;", "int (*f)(int) ;"),
            ("LIB_BEGIN\nnamespace a {", "namespace a {"),
            ("x; LIB_EXPORT int f();", "x; int f();"),
            (
                "LIB_EXPORT const std::map<int, B> &f();",
                "const std::map<int, B> &f();",
            ),
            (
                "template <class T> LIB_EXPORT Foo f();",
                "template <class T> Foo f();",
            ),
            ("static LIB_INLINE Foo f();", "static Foo f();"),
            ("int LIB_CALL f();", "int f();"),
            ("BOOL LIB_CALL f();", "BOOL f();"),
            ("LIB_NON_NULL(2)\nA(int x) : x(x) {}", "A(int x) : x(x) {}"),
            ("LIB_PRIVATE:\n int a;", "int a;"),
            ("f(a);\nCHECK(a)\nint b;", "f(a); int b;"),
            (
                "#define A /* b */ \\\n /* c \\\n d */ 1\n",
                "#define A \\ \\ 1",
            ),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn types_and_expressions_are_kept() {
        for text in [
            "struct FLAGS flags : 3;",
            "struct LIST list = {};",
            "struct stat FOO;",
            "BOOL f(int a) { return TRUE; }",
            "static const FLAG x = A | B;",
            "FILE *open(); DWORD a, *b;",
            "BOOL const x = 1;",
            "BOOL operator==(A a);",
            "BOOL Foo::bar() {}",
            "if (a) FOR_EACH(b) { c; }",
            "f(a); CHECK(a); return (B) CAST(c);",
            "struct __attribute__((packed)) ABC { int a; };",
            "case FIRST: x = SECOND;",
            "int a[] = { FIRST, SECOND };",
            "TEST(Suite, Name) { a; }",
            "#define A(x) B(x) /* c\n */\n",
            "// class LIB_EXPORT A {",
        ] {
            let text_with_spaces = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(shown(text), text_with_spaces);
        }
    }

    #[test]
    fn deep_and_long_texts_take_linear_time() {
        for piece in [
            "ABC A<",
            "AB:A<",
            ";ABC A<A<A<",
            "class ABC ",
            "ABC(",
            "template<",
            "const ABC ",
            "f() ABC ",
        ] {
            let text = piece.repeat(200_000 / piece.len());
            assert!(mask(&text, true).apply(&text).len() == text.len());
        }
    }

    proptest! {
        #[test]
        fn lines_and_characters_are_kept(text in "(class |LIB_A|\\(|\\)|\\{|\\}|;|:|<|>|int |x |\n|#define |/\\*|\\*/|\\\\|\"|ä){0,60}", is_cpp: bool) {
            let mask = mask(&text, is_cpp);
            let masked = mask.apply(&text);
            prop_assert_eq!(masked.len(), text.len());
            let lines = |text: &str| text.lines().map(str::len).collect::<Vec<_>>();
            prop_assert_eq!(lines(&masked), lines(&text));
            for call in &mask.calls {
                prop_assert!(text.get(call.clone()).is_some_and(|name| !name.is_empty()));
            }
            prop_assert!(mask.calls.windows(2).all(|pair| pair[0].start < pair[1].start));
        }
    }
}
