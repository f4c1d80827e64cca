//! The parser for inline code: the grammar of its language.
//!
//! The lexer of [`super::lex`] determines what code does, but an attacker can exploit a string
//! whose end it misses. A grammar knows where strings end. So the parser reports the names in the
//! code, the code in strings, and whether it understood everything. If the two disagree, the code
//! isn't cleared. Perl and Lua have no grammar here; [`may_be_misread`] recognises the Perl
//! constructs that the lexer may misread.

use super::lex::Token;
use crate::chars::{SAFE_UNKNOWN, UNKNOWN};
use bounded_parse::parse;
use std::ops::Range;
use tree_sitter::{Language, Node, Parser, Tree, TreeCursor};

/// Maximum length of parsed code, in bytes. Inline code written by people is far shorter.
pub(super) const MAX_TEXT: usize = 8 * 1024;

/// The result of parsing a piece of code.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedCode {
    /// The names outside of strings and comments.
    pub(super) names: Vec<String>,
    /// Code in strings: `f"{…}"`, `` `${…}` ``, `"#{…}"`. Only the outermost pieces.
    pub(super) embedded: Vec<String>,
    /// Whether there are syntax errors, or the code is too long to parse.
    pub(super) broken: bool,
    /// Whether parsing takes too much work: people don't write such code.
    pub(super) is_hostile: bool,
}

impl ParsedCode {
    fn unparsed(is_hostile: bool) -> Self {
        Self {
            broken: true,
            is_hostile,
            ..Self::default()
        }
    }
}

/// Returns the grammar of a language, and the text to put before a fragment of code.
fn grammar(lang: &str) -> Option<(Language, &'static str)> {
    Some(match lang {
        "python" => (tree_sitter_python::LANGUAGE.into(), ""),
        "js" => (tree_sitter_javascript::LANGUAGE.into(), ""),
        "ruby" => (tree_sitter_ruby::LANGUAGE.into(), ""),
        // `php -r` takes code, but the grammar expects a page.
        "php" => (tree_sitter_php::LANGUAGE_PHP.into(), "<?php "),
        _ => return None,
    })
}

/// A syntax tree with its text: code after the prefix of its grammar.
pub(super) struct SyntaxTree {
    pub(super) tree: Tree,
    pub(super) source: String,
}

/// Parses code after its prefix. `None` if there is no grammar, or the code is too long or takes
/// too much work.
pub(super) fn parsed(lang: &str, text: &str) -> Option<SyntaxTree> {
    let (language, before) = grammar(lang)?;
    let source = format!("{before}{text}");
    let short = text.len() <= MAX_TEXT;
    let tree = short.then(|| parse(&mut Parser::new(), &language, &source).ok())?;
    tree.map(|tree| SyntaxTree { tree, source })
}

/// Parses code by the grammar of its language, unless its tree is known. `None` if there is no
/// grammar.
pub(super) fn read(lang: &str, text: &str, known: Option<SyntaxTree>) -> Option<ParsedCode> {
    grammar(lang)?;
    // Most unknown parts are values, so a name replaces them.
    let parsed = known.or_else(|| parsed(lang, &text.replace([UNKNOWN, SAFE_UNKNOWN], "h")));
    let Some(SyntaxTree { tree, source }) = parsed else {
        return Some(ParsedCode::unparsed(text.len() <= MAX_TEXT));
    };
    let mut parsed_code = ParsedCode {
        broken: tree.root_node().has_error(),
        ..ParsedCode::default()
    };
    walk(&tree, &source, &mut parsed_code);
    Some(parsed_code)
}

/// Walks the tree without recursion, since it may be deep.
fn walk(tree: &Tree, text: &str, parsed_code: &mut ParsedCode) {
    let mut cursor = tree.walk();
    // The kinds of the node's ancestors: looking up a node's parent searches from the root.
    let mut ancestors: Vec<&str> = Vec::new();
    loop {
        let node = cursor.node();
        let code = embedded(&cursor, ancestors.last().copied().unwrap_or_default());
        if let Some(code) = code.clone() {
            parsed_code
                .embedded
                .extend(text.get(code).map(str::to_owned));
        } else if is_name(node) {
            parsed_code
                .names
                .extend(text.get(node.byte_range()).map(str::to_owned));
        }
        if code.is_none() && !is_text(node) && cursor.goto_first_child() {
            ancestors.push(node.kind());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            ancestors.pop();
        }
    }
}

/// Returns whether a node is literal text or a part of it.
fn is_text(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "comment"
            | "string_content"
            | "string_fragment"
            | "string_value"
            | "escape_sequence"
            | "heredoc_content"
            | "nowdoc_string"
            | "regex_pattern"
            | "regex_flags"
            | "text"
    )
}

pub(super) fn is_name(node: Node<'_>) -> bool {
    let kind = node.kind();
    // Where a grammar's scanner gives up, it leaves empty tokens.
    let is_there = !node.is_missing() && !node.byte_range().is_empty();
    node.child_count() == 0
        && is_there
        && (kind.ends_with("identifier") || matches!(kind, "constant" | "name"))
}

/// Returns the range of the code, if the cursor is on code in a string.
fn embedded(cursor: &TreeCursor<'_>, parent: &str) -> Option<Range<usize>> {
    let node = cursor.node();
    match node.kind() {
        // `${…}` and `#{…}`: the code between the delimiters.
        "template_substitution" | "interpolation" if node.child(0)?.kind() != "{" => {
            let last = node.child(node.child_count().checked_sub(1)?)?;
            let from = node.child(0)?.end_byte();
            Some(from..last.start_byte().max(from))
        }
        // `{…:{…}}` in Python: two expressions, with text between them.
        _ if matches!(parent, "interpolation" | "format_expression")
            && cursor.field_name() == Some("expression") =>
        {
            Some(node.byte_range())
        }
        // PHP has no node for it: anything in a string that is neither text nor a plain variable.
        kind if node.is_named()
            && matches!(
                parent,
                "encapsed_string" | "heredoc_body" | "shell_command_expression"
            )
            && !is_text(node)
            && kind != "variable_name" =>
        {
            Some(node.byte_range())
        }
        _ => None,
    }
}

/// Returns whether [`super::lex`] may misread where a text ends in Perl code. It may with
/// here-documents, the end of the program, documentation, code in regular expressions and the old
/// package separator (`main'x`). It may also with a slash after a bare word, which may divide or
/// begin an expression.
pub(super) fn may_be_misread(text: &str, tokens: &[Token]) -> bool {
    let marks = ["(?{", "(??{", "__END__", "__DATA__", "\n="];
    let here =
        |after: &str| after.starts_with(|c: char| c.is_alphabetic() || "\"'~_`\\".contains(c));
    let parts = |w: &[Token]| matches!(w, [Token::Name(n), Token::Punct('/')] if !n.starts_with(['$', '@']));
    let old = |[a, b, c]: [char; 3]| is_word(a) && b == '\'' && c.is_alphabetic();
    let three = text
        .chars()
        .zip(text.chars().skip(1))
        .zip(text.chars().skip(2))
        .map(|((a, b), c)| [a, b, c]);
    marks.iter().any(|mark| text.contains(mark))
        || text.split("<<").skip(1).any(here)
        || tokens.windows(2).any(parts)
        || three.into_iter().any(old)
}

/// Returns the code in a Perl string: after `@{` or `${`, if it isn't a plain name in braces.
pub(super) fn embedded_perl(text: &str) -> Option<&str> {
    let starts = text
        .match_indices(['@', '$'])
        .map(|(at, _)| text.get(at + 1..).unwrap_or_default());
    starts
        .filter_map(|rest| rest.strip_prefix('{'))
        .find(|code| {
            let name = code.split('}').next().unwrap_or_default();
            !name
                .chars()
                .all(|c| c.is_alphanumeric() || "_^:".contains(c))
        })
}

/// Returns the words of a text that may be calls: those before a bracket, a quote or a variable.
pub(super) fn call_like(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(is_word)?;
            let word = rest.get(start..)?;
            let (word, after) = word.split_at(word.find(|c| !is_word(c)).unwrap_or(word.len()));
            rest = after;
            if after
                .trim_start()
                .starts_with(['(', '"', '\'', '`', '$', '@', '{', '['])
            {
                return Some(word);
            }
        }
    })
}

/// Splits a name into its parts: `os.path` has two.
pub(super) fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(lang: &str, text: &str) -> Vec<String> {
        read(lang, text, None).unwrap().names
    }

    fn embedded_in(lang: &str, text: &str) -> Vec<String> {
        read(lang, text, None).unwrap().embedded
    }

    #[test]
    fn names_are_outside_of_text() {
        assert_eq!(
            names("python", "import os # eval\nos.path.join('a.b', x)"),
            ["os", "os", "path", "join", "x"]
        );
        assert_eq!(
            names("js", "a = b++ /2; fs.rmSync('c') /1"),
            ["a", "b", "fs", "rmSync"]
        );
        assert_eq!(
            names("ruby", "x = ?\"; File.delete('y') #\""),
            ["x", "File", "delete"]
        );
        assert_eq!(
            names("php", "echo 'a'; ?> unlink('x') <?php rename($b, 'c');"),
            ["rename", "b"]
        );
    }

    #[test]
    fn code_in_strings_is_returned() {
        assert_eq!(
            embedded_in("python", r#"print(f"{a(1)} {b:{c()}} {d!r:>10}")"#),
            ["a(1)", "b", "c()", "d"]
        );
        assert_eq!(
            embedded_in("js", "x = `a ${f(`${g()}`)} b`"),
            ["f(`${g()}`)"]
        );
        assert_eq!(
            embedded_in("ruby", r#"puts "a #{f("b")} c" + `ls #{x}`"#),
            [r#"f("b")"#, "x"]
        );
        assert_eq!(
            embedded_in("php", r#"echo "a $b {$c("d")}";"#),
            [r#"$c("d")"#]
        );
        assert_eq!(embedded_in("python", "print('{a(1)}')"), [""; 0]);
        assert_eq!(embedded_perl("a ${name} @{[ f() ]}"), Some("[ f() ]}"));
        assert_eq!(embedded_perl("a ${name} $b @{list}"), None);
    }

    #[test]
    fn code_that_does_not_parse_is_broken() {
        assert!(read("python", "print('a'", None).unwrap().broken);
        assert!(!read("python", "print('a')", None).unwrap().broken);
        assert!(read("js", &"[".repeat(MAX_TEXT + 1), None).unwrap().broken);
        assert_eq!(read("perl", "print 1", None), None);
        assert!(
            read("ruby", "\0{:(>//\n#\n", None)
                .unwrap()
                .names
                .iter()
                .all(|name| !name.is_empty())
        );
    }

    #[test]
    fn ambiguous_perl_is_recognised() {
        let may_be_misread =
            |text: &str| may_be_misread(text, &super::super::lex::tokens("perl", text));
        for text in [
            "print <<A;\n\"\nA\n`id`",
            "/(?{f()})/",
            "print time /2",
            "$main'x = 1",
            "f();\n__END__\n'",
        ] {
            assert!(may_be_misread(text), "{text}");
        }
        for text in [
            "print 1 << 2",
            "print $x / 2",
            "print 'a' if /b/",
            "$x =~ m{a}",
            "$\" = ','; print \"@ARGV\"",
        ] {
            assert!(!may_be_misread(text), "{text}");
        }
    }

    #[test]
    fn call_like_words_precede_arguments() {
        let called = call_like("system up, unlink( rename $b; exec \"(").collect::<Vec<_>>();
        assert_eq!(called, ["unlink", "rename", "exec"]);
    }

    proptest! {
        #[test]
        fn any_code_is_parsed(
            lang in prop::sample::select(vec!["python", "js", "ruby", "php"]),
            text in "[a-c\"'`#$@%{}()\\[\\]<>/?:\\\\ \n\u{0}]{0,200}"
        ) {
            let parsed_code = read(lang, &text, None).unwrap();
            prop_assert!(parsed_code.names.iter().all(|name| !name.is_empty()));
            let _ = (embedded_perl(&text), call_like(&text).count());
            let _ = may_be_misread(&text, &super::super::lex::tokens("perl", &text));
        }

        #[test]
        fn strings_contain_no_names(
            lang in prop::sample::select(vec!["python", "js", "ruby", "php"]),
            text in "[a-z (){}.;]{0,40}"
        ) {
            let code = format!("f('{text}')") + if lang == "php" { ";" } else { "" };
            let parsed_code = read(lang, &code, None).unwrap();
            let expected = ParsedCode {
                names: vec!["f".to_owned()],
                ..ParsedCode::default()
            };
            prop_assert_eq!(parsed_code, expected);
        }
    }
}
