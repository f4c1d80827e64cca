//! Grammars and the queries that look for definitions and references in their trees.
//!
//! A query is a data file in `queries/`. Its captures mean:
//!
//! | capture | on |
//! | --- | --- |
//! | `definition.KIND` | the whole of a definition |
//! | `name` | its name; required |
//! | `body` | where its signature ends; else the field `body` says it, else it ends with the definition |
//! | `parent` | the name of what it belongs to, where that doesn't stand around it |
//! | `reference.USE` | a name that is referred to |
//! | `comment` | a comment; left out of signatures, and documentation when it stands right above a definition |
//! | `between` | what may stand between the two, and is left out of signatures: attributes, annotations |
//! | `doc` | documentation inside: the first statement of a body, when it is a string |
//! | `outer` | what stands around one definition and belongs to it: `export`, `template<…>` |
//!
//! `(#set! prefix "type")` puts a word before signatures where one keyword stands for a list.

use super::language::Language;
use super::tags::{Kind, Use};
use std::num::NonZeroU16;
use std::sync::OnceLock;
use tree_sitter::Query;

/// The version of everything that turns bytes into [`super::Tags`]: queries, grammars and the code. It is a part
/// of the key of every cached entry, so it changes whenever the same bytes may give other tags.
pub(super) const VERSION: u32 = 1;

/// What a capture means.
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
}

impl Role {
    fn named(name: &str) -> Option<Role> {
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

/// A grammar with its query.
pub(super) struct Grammar {
    pub(super) language: tree_sitter::Language,
    pub(super) query: Query,
    /// What each capture of the query means.
    pub(super) roles: Vec<Role>,
    /// The word before the signature, by pattern.
    pub(super) prefixes: Vec<Option<String>>,
    /// The field of a definition that holds its body.
    pub(super) body: Option<NonZeroU16>,
}

impl Grammar {
    fn new(language: Language) -> Result<Grammar, String> {
        let (grammar, query) = parts(language);
        let query = Query::new(&grammar, &query).map_err(|e| format!("{}: {e:?}", language.name()))?;
        let role = |name: &&str| Role::named(name).ok_or_else(|| format!("{}: no capture is called {name}", language.name()));
        let roles = query.capture_names().iter().map(role).collect::<Result<_, _>>()?;
        let prefix = |pattern| {
            let settings: &[tree_sitter::QueryProperty] = query.property_settings(pattern);
            settings.iter().find(|p| &*p.key == "prefix").and_then(|p| p.value.as_deref().map(str::to_owned))
        };
        let prefixes = (0..query.pattern_count()).map(prefix).collect();
        let body = grammar.field_id_for_name("body");
        Ok(Grammar { language: grammar, query, roles, prefixes, body })
    }

    /// The grammar of a language; `None` when its query doesn't fit it, which a test rules out.
    pub(super) fn of(language: Language) -> Option<&'static Grammar> {
        static ALL: [OnceLock<Option<Grammar>>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];
        let at = Language::ALL.iter().position(|l| *l == language)?;
        ALL.get(at)?.get_or_init(|| Grammar::new(language).ok()).as_ref()
    }
}

fn parts(language: Language) -> (tree_sitter::Language, String) {
    let (grammar, queries): (tree_sitter::Language, &[&str]) = match language {
        Language::Bash => (tree_sitter_bash::LANGUAGE.into(), &[include_str!("queries/bash.scm")]),
        Language::C => (tree_sitter_c::LANGUAGE.into(), &[include_str!("queries/c.scm")]),
        Language::Cpp => (tree_sitter_cpp::LANGUAGE.into(), &[include_str!("queries/c.scm"), include_str!("queries/cpp.scm")]),
        Language::CSharp => (tree_sitter_c_sharp::LANGUAGE.into(), &[include_str!("queries/c-sharp.scm")]),
        Language::Go => (tree_sitter_go::LANGUAGE.into(), &[include_str!("queries/go.scm")]),
        Language::Java => (tree_sitter_java::LANGUAGE.into(), &[include_str!("queries/java.scm")]),
        Language::JavaScript => {
            (tree_sitter_javascript::LANGUAGE.into(), &[include_str!("queries/javascript.scm"), include_str!("queries/jsx.scm")])
        }
        Language::Php => (tree_sitter_php::LANGUAGE_PHP.into(), &[include_str!("queries/php.scm")]),
        Language::Python => (tree_sitter_python::LANGUAGE.into(), &[include_str!("queries/python.scm")]),
        Language::Ruby => (tree_sitter_ruby::LANGUAGE.into(), &[include_str!("queries/ruby.scm")]),
        Language::Rust => (tree_sitter_rust::LANGUAGE.into(), &[include_str!("queries/rust.scm")]),
        Language::TypeScript => (tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), &[include_str!("queries/typescript.scm")]),
        Language::Tsx => (
            tree_sitter_typescript::LANGUAGE_TSX.into(),
            &[include_str!("queries/typescript.scm"), include_str!("queries/jsx.scm")],
        ),
    };
    (grammar, queries.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in Language::ALL {
            if let Err(e) = Grammar::new(language) {
                panic!("{e}");
            }
            assert!(Grammar::of(language).is_some());
        }
    }
}
