//! Grammars, and the queries that find definitions and references in their trees.
//!
//! A query is a data file in `queries/`, in a subset of tree-sitter's query language
//! (`pattern.rs`). Its captures mean:
//!
//! | capture | node |
//! | --- | --- |
//! | `definition.KIND` | a whole definition |
//! | `name` | the name of the definition; required |
//! | `body` | the end of the signature; else the field `body` or the definition's end |
//! | `parent` | the name of a parent that doesn't enclose the definition |
//! | `reference.USE` | a name that is referred to |
//! | `comment` | a comment: left out of signatures; documentation if directly above a definition |
//! | `between` | an attribute or annotation: may separate the two, and is left out of signatures |
//! | `doc` | documentation inside: a string as the first statement of a body |
//! | `outer` | syntax around one definition that belongs to it: `export`, `template<…>` |
//! | `mark.MARK` | gives the definition around it a mark |
//! | `called` | a called name as written; `(#mark! "MARK" "NAME" …)` lists names that give a mark |
//! | `import` | a name that an import binds: no definition, whatever other patterns find |
//! | `_…` | nothing: only for conditions |
//! | `write` | an assigned name: gives a mark if it is a variable of the file |
//!
//! `(#set! prefix "type")` puts a word before the signatures of a list with one shared keyword.

use super::annotations::Mark;
use super::language::Language;
use super::pattern::{self, Pattern, PatternError};
use super::tags::{Kind, Use};
use std::sync::OnceLock;

/// The version of everything that determines the [`super::Tags`] of a file, or whether it is left
/// out: queries, grammars and code. It is a part of every cache key. Increase it whenever the same
/// bytes may give another result; a build with more languages has another version.
pub(super) const VERSION: u32 = if cfg!(feature = "languages-extra") {
    9
} else {
    8
};

/// The meaning of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Definition(Kind),
    Reference(Use),
    Name,
    Body,
    Parent,
    Comment,
    Between,
    Doc,
    Outer,
    Mark(Mark),
    Called,
    Import,
    Condition,
    Write,
}

impl Role {
    pub(super) fn named(name: &str) -> Option<Role> {
        Some(match name {
            "name" => Role::Name,
            "body" => Role::Body,
            "parent" => Role::Parent,
            "comment" => Role::Comment,
            "between" => Role::Between,
            "doc" => Role::Doc,
            "outer" => Role::Outer,
            "reference.call" => Role::Reference(Use::Call),
            "reference.type" => Role::Reference(Use::Type),
            "reference.import" => Role::Reference(Use::Import),
            "called" => Role::Called,
            "import" => Role::Import,
            "write" => Role::Write,
            _ if name.starts_with('_') => Role::Condition,
            _ if name.starts_with("mark.") => Role::Mark(Mark::named(name.strip_prefix("mark.")?)?),
            _ => Role::Definition(match name.strip_prefix("definition.")? {
                "module" => Kind::Module,
                "class" => Kind::Class,
                "struct" => Kind::Struct,
                "enum" => Kind::Enum,
                "interface" => Kind::Interface,
                "implementation" => Kind::Implementation,
                "type" => Kind::Type,
                "function" => Kind::Function,
                "method" => Kind::Method,
                "prototype" => Kind::Prototype,
                "macro" => Kind::Macro,
                "property" => Kind::Property,
                "constant" => Kind::Constant,
                "variable" => Kind::Variable,
                _ => return None,
            }),
        })
    }
}

/// A grammar with its patterns.
pub(super) struct Grammar {
    pub(super) language: tree_sitter::Language,
    pub(super) patterns: Vec<Pattern>,
    /// Indices of the patterns that start at each kind of node.
    by_kind: Vec<Vec<u16>>,
    /// Whether any of these patterns matches anonymous children, by kind of node.
    tokens: Vec<bool>,
    /// Whether each kind of node is named. Anonymous nodes are leaves.
    is_named: Vec<bool>,
    /// The field that contains the body of a definition.
    pub(super) body: Option<u16>,
}

impl Grammar {
    fn new(language: Language) -> Result<Grammar, PatternError> {
        let (grammar, query) = parts(language).ok_or(PatternError::NoGrammar)?;
        let patterns = pattern::read(&query, &grammar)?;
        let mut by_kind = vec![Vec::new(); grammar.node_kind_count()];
        for (at, pattern) in (0..).zip(&patterns) {
            let here = pattern
                .step
                .symbol
                .and_then(|symbol| by_kind.get_mut(usize::from(symbol)));
            here.ok_or(PatternError::End)?.push(at);
        }
        let wants = |here: &Vec<u16>| {
            here.iter().any(|at| {
                patterns
                    .get(usize::from(*at))
                    .is_some_and(|p| p.step.tokens)
            })
        };
        let tokens = by_kind.iter().map(wants).collect();
        let kinds = 0..u16::try_from(by_kind.len()).unwrap_or(u16::MAX);
        let is_named = kinds.map(|kind| grammar.node_kind_is_named(kind)).collect();
        let body = grammar.field_id_for_name("body").map(Into::into);
        Ok(Grammar {
            language: grammar,
            patterns,
            by_kind,
            tokens,
            is_named,
            body,
        })
    }

    /// Returns the patterns that start at a kind of node.
    pub(super) fn patterns_at(&self, kind: u16) -> impl Iterator<Item = &Pattern> {
        let here = self
            .by_kind
            .get(usize::from(kind))
            .map_or(&[][..], Vec::as_slice);
        here.iter()
            .filter_map(|at| self.patterns.get(usize::from(*at)))
    }

    /// Returns whether a pattern that starts at a kind of node matches anonymous children.
    pub(super) fn wants_tokens(&self, kind: u16) -> bool {
        self.tokens.get(usize::from(kind)).copied().unwrap_or(false)
    }

    /// Returns whether a kind of node is named. Error nodes, whose kind is out of range, are.
    pub(super) fn is_named(&self, kind: u16) -> bool {
        self.is_named
            .get(usize::from(kind))
            .copied()
            .unwrap_or(true)
    }

    /// Returns the grammar of a language; `None` if its patterns don't fit, which a test excludes.
    pub(super) fn for_language(language: Language) -> Option<&'static Grammar> {
        static ALL: [OnceLock<Option<Grammar>>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        let at = Language::ALL.iter().position(|l| *l == language)?;
        ALL.get(at)?
            .get_or_init(|| Grammar::new(language).ok())
            .as_ref()
    }
}

/// Returns the grammar of a language and its query, if this build has them.
pub(super) fn parts(language: Language) -> Option<(tree_sitter::Language, String)> {
    const ECMASCRIPT: &str = include_str!("queries/ecmascript.scm");
    const JSX: &str = include_str!("queries/jsx.scm");
    const JAVASCRIPT: &str = include_str!("queries/javascript.scm");
    const TYPESCRIPT: &str = include_str!("queries/typescript.scm");
    const C: &str = include_str!("queries/c.scm");
    let (grammar, queries): (tree_sitter::Language, &[&str]) = match language {
        Language::Bash => (
            tree_sitter_bash::LANGUAGE.into(),
            &[include_str!("queries/bash.scm")],
        ),
        Language::C => (tree_sitter_c::LANGUAGE.into(), &[C]),
        Language::Cpp => (
            tree_sitter_cpp::LANGUAGE.into(),
            &[C, include_str!("queries/cpp.scm")],
        ),
        Language::CSharp => (
            tree_sitter_c_sharp::LANGUAGE.into(),
            &[include_str!("queries/c-sharp.scm")],
        ),
        Language::Go => (
            tree_sitter_go::LANGUAGE.into(),
            &[include_str!("queries/go.scm")],
        ),
        Language::Java => (
            tree_sitter_java::LANGUAGE.into(),
            &[include_str!("queries/java.scm")],
        ),
        Language::JavaScript => (
            tree_sitter_javascript::LANGUAGE.into(),
            &[ECMASCRIPT, JAVASCRIPT, JSX],
        ),
        Language::Php => (
            tree_sitter_php::LANGUAGE_PHP.into(),
            &[include_str!("queries/php.scm")],
        ),
        Language::Python => (
            tree_sitter_python::LANGUAGE.into(),
            &[include_str!("queries/python.scm")],
        ),
        Language::Ruby => (
            tree_sitter_ruby::LANGUAGE.into(),
            &[include_str!("queries/ruby.scm")],
        ),
        Language::Rust => (
            tree_sitter_rust::LANGUAGE.into(),
            &[include_str!("queries/rust.scm")],
        ),
        Language::TypeScript | Language::Svelte | Language::Vue => (
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            &[ECMASCRIPT, TYPESCRIPT],
        ),
        Language::Tsx => (
            tree_sitter_typescript::LANGUAGE_TSX.into(),
            &[ECMASCRIPT, TYPESCRIPT, JSX],
        ),
        _ => return extra(language),
    };
    Some((grammar, queries.concat()))
}

#[cfg(not(feature = "languages-extra"))]
const fn extra(_: Language) -> Option<(tree_sitter::Language, String)> {
    None
}

/// Returns the grammar and query of a language of the feature `languages-extra`.
#[cfg(feature = "languages-extra")]
fn extra(language: Language) -> Option<(tree_sitter::Language, String)> {
    let (grammar, query) = match language {
        Language::Dart => (tree_sitter_dart::LANGUAGE, include_str!("queries/dart.scm")),
        Language::Elixir => (
            tree_sitter_elixir::LANGUAGE,
            include_str!("queries/elixir.scm"),
        ),
        Language::Hcl => (tree_sitter_hcl::LANGUAGE, include_str!("queries/hcl.scm")),
        Language::Kotlin => (
            tree_sitter_kotlin_ng::LANGUAGE,
            include_str!("queries/kotlin.scm"),
        ),
        Language::Lua => (tree_sitter_lua::LANGUAGE, include_str!("queries/lua.scm")),
        Language::PowerShell => (
            tree_sitter_powershell::LANGUAGE,
            include_str!("queries/powershell.scm"),
        ),
        Language::Protobuf => (
            tree_sitter_proto::LANGUAGE,
            include_str!("queries/protobuf.scm"),
        ),
        Language::R => (tree_sitter_r::LANGUAGE, include_str!("queries/r.scm")),
        Language::Sql => (
            tree_sitter_sequel::LANGUAGE,
            include_str!("queries/sql.scm"),
        ),
        Language::Zig => (tree_sitter_zig::LANGUAGE, include_str!("queries/zig.scm")),
        _ => return None,
    };
    Some((grammar.into(), query.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in Language::ALL {
            if let Err(e) = Grammar::new(language) {
                panic!("{}: {e}", language.name());
            }
            assert!(Grammar::for_language(language).is_some());
        }
    }
}
