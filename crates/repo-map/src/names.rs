//! Names of definitions, and the visibility that they imply.

use super::language::Language;
use super::tags::{Definition, Kind};

/// The name of a definition, split into its parts.
pub(super) struct Name {
    pub(super) name: String,
    /// The qualifier in the text before the name (`A::B` for `A::B::f`).
    pub of: Option<String>,
}

/// Returns the last part of a path without generic arguments: `Foo` for `a::b::Foo<T>`.
pub(super) fn plain(text: &str) -> &str {
    let text = text.trim_start_matches(['&', '*', ' ']);
    let text = text.strip_prefix("dyn ").unwrap_or(text);
    let text = text.split(['<', '(', '[']).next().unwrap_or(text).trim();
    text.rsplit([':', '.', '\\']).next().unwrap_or(text)
}

/// Splits the text of a `name` capture.
pub fn of(language: Language, kind: Kind, text: &str) -> Name {
    let on_one_line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match (language, kind) {
        (Language::Elixir, Kind::Implementation) => Name {
            name: on_one_line,
            of: None,
        },
        (_, Kind::Implementation) => {
            let name = plain(&on_one_line);
            Name {
                name: if name.is_empty() {
                    on_one_line.clone()
                } else {
                    name.to_owned()
                },
                of: None,
            }
        }
        (Language::Cpp, Kind::Function | Kind::Prototype) => {
            match split_scope(without_parameters(&on_one_line)) {
                Some((of, name)) => Name {
                    name: name.to_owned(),
                    of: Some(plain(of).to_owned()),
                },
                None => Name {
                    name: without_parameters(&on_one_line).to_owned(),
                    of: None,
                },
            }
        }
        _ => Name {
            name: on_one_line.trim_matches(['"', '\'']).to_owned(),
            of: None,
        },
    }
}

/// Removes the parameters of a conversion operator: `operator bool() const` becomes `operator
/// bool`.
fn without_parameters(text: &str) -> &str {
    match (text.contains("operator "), text.split_once('(')) {
        (true, Some((name, _))) => name.trim_end(),
        _ => text,
    }
}

/// Splits `A<x::y>::f` at the last `::` outside of brackets.
fn split_scope(text: &str) -> Option<(&str, &str)> {
    let at = text.find("operator").unwrap_or(text.len());
    let (mut depth, mut cut) = (0_i32, None);
    let bytes = text.as_bytes();
    for (i, byte) in bytes.iter().enumerate().take(at) {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b':' if depth == 0 && bytes.get(i + 1) == Some(&b':') => cut = Some(i),
            _ => {}
        }
    }
    let cut = cut?;
    Some((text.get(..cut)?, text.get(cut + 2..)?))
}

/// Returns whether a name is a keyword. Where preprocessor directives break the syntax, the parser
/// of C reports functions called `if`.
pub(super) fn is_keyword(language: Language, name: &str) -> bool {
    matches!(language, Language::C | Language::Cpp)
        && matches!(
            name,
            "case" | "do" | "else" | "for" | "if" | "return" | "sizeof" | "switch" | "while"
        )
}

/// Returns whether other code can't, or by convention doesn't, refer to a definition inside
/// another.
pub(super) fn is_private(
    language: Language,
    kind: Kind,
    name: &str,
    signature: &str,
    around: Option<&Definition>,
) -> bool {
    let before = signature.split(['(', '=']).next().unwrap_or(signature);
    let says = |word: &str| {
        before
            .split(|c: char| !c.is_alphanumeric())
            .any(|w| w == word)
    };
    let has_methods = around.is_some_and(|d| d.kind.has_methods());
    match language {
        // Items of a trait are as visible as the trait.
        Language::Rust => match around {
            Some(d) if d.kind == Kind::Interface => d.private,
            Some(d) if d.kind == Kind::Implementation && d.signature.contains(" for ") => false,
            _ => {
                !signature.starts_with("pub") && !matches!(kind, Kind::Implementation | Kind::Macro)
            }
        },
        Language::Go => !name.starts_with(char::is_uppercase),
        Language::Java | Language::CSharp | Language::Php => says("private"),
        Language::C | Language::Cpp => says("static") && !has_methods && kind != Kind::Method,
        Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Svelte
        | Language::Vue => name.starts_with(['_', '#']) || says("private"),
        Language::Python => {
            name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"))
        }
        Language::Bash | Language::Ruby | Language::Dart => name.starts_with('_'),
        Language::Elixir => says("defp") || says("defmacrop") || says("defguardp"),
        Language::Kotlin => says("private"),
        Language::Lua => says("local"),
        Language::R => name.starts_with('.'),
        Language::Zig => !says("pub") && !says("export"),
        Language::Hcl | Language::PowerShell | Language::Protobuf | Language::Sql => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for (text, expected) in [
            ("a::b::Foo<T>", "Foo"),
            ("&'a Foo", "'a Foo"),
            ("dyn Display", "Display"),
            ("Foo", "Foo"),
            ("A\\B", "B"),
        ] {
            assert_eq!(plain(text), expected);
        }
        let name = of(
            Language::Cpp,
            Kind::Function,
            "ns::A<std::map<int, x::y>>::f",
        );
        assert_eq!((name.name.as_str(), name.of.as_deref()), ("f", Some("A")));
        let name = of(Language::Cpp, Kind::Function, "A::operator<<");
        assert_eq!(
            (name.name.as_str(), name.of.as_deref()),
            ("operator<<", Some("A"))
        );
        assert_eq!(
            of(Language::Cpp, Kind::Function, "operator std::string").name,
            "operator std::string"
        );
        assert_eq!(
            of(Language::Cpp, Kind::Function, "operator bool() const").name,
            "operator bool"
        );
        assert_eq!(
            of(Language::Cpp, Kind::Function, "operator()").name,
            "operator()"
        );
    }
}
