//! Words that documentation, help and messages must not contain (`tests/words.toml`).

use super::markdown_pages::{Page, all, root};
use proc_macro2::{TokenStream, TokenTree};
use serde::Deserialize;
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use yuangs_verify::rules;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    word: Vec<Word>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    avoid: Vec<String>,
    #[serde(rename = "use")]
    instead: String,
}

fn words() -> Words {
    let text = std::fs::read_to_string(root().join("tests/words.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

/// Returns the words to avoid in a text, with replacements.
fn found<'w>(words: &'w Words, text: &str) -> Vec<(&'w str, &'w str)> {
    let text = text.to_lowercase();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "-_/.`".contains(c));
    let mut all = Vec::new();
    for word in &words.word {
        for avoid in &word.avoid {
            for (at, _) in text.match_indices(avoid.as_str()) {
                let before = text[..at].chars().next_back();
                let mut after = text[at + avoid.len()..].chars();
                let next = after.next();
                // A full stop ends a sentence, unless it begins a file's extension.
                let ends = next == Some('.') && !after.next().is_some_and(char::is_alphanumeric);
                if !part(before) && (ends || !part(next)) {
                    all.push((avoid.as_str(), word.instead.as_str()));
                }
            }
        }
    }
    all
}

/// String literals of shipped code, and doc comments that become help.
#[derive(Default)]
struct Literals {
    help: bool,
    texts: Vec<String>,
}

impl Literals {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        self.texts.push(text.value());
                    }
                }
                _ => {}
            }
        }
    }

    fn docs(&mut self, attributes: &[syn::Attribute]) {
        let lines = attributes.iter().filter_map(|a| match &a.meta {
            syn::Meta::NameValue(m) if m.path.is_ident("doc") => match &m.value {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(text),
                    ..
                }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        });
        let text = lines.collect::<String>();
        if self.help && !text.is_empty() {
            self.texts.push(text);
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("cfg")
            && a.parse_args::<syn::Path>()
                .is_ok_and(|p| p.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Literals {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.texts.push(text.value());
    }
    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
    }
    /// Of attributes, only error messages are shown to users.
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta
            && list.path.is_ident("error")
        {
            self.tokens(list.tokens.clone());
        }
    }
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.docs(&item.attrs);
        visit::visit_item_struct(self, item);
    }
    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.docs(&item.attrs);
        visit::visit_item_enum(self, item);
    }
    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.docs(&field.attrs);
        visit::visit_field(self, field);
    }
    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.docs(&variant.attrs);
        visit::visit_variant(self, variant);
    }
}

fn sources(directory: &str) -> Vec<(String, Literals)> {
    let mut all = Vec::new();
    for entry in walkdir::WalkDir::new(root().join(directory)).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_test = name == "tests.rs" || path.components().any(|c| c.as_os_str() == "tests");
        if !name.ends_with(".rs") || is_test {
            continue;
        }
        let mut literals = Literals {
            help: path.starts_with(root().join("src/cli")),
            texts: Vec::new(),
        };
        literals.visit_file(&syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap());
        let path = path.strip_prefix(root()).unwrap();
        all.push((path.to_str().unwrap().to_owned(), literals));
    }
    all
}

#[test]
fn the_words_to_avoid_are_avoided() {
    let words = words();
    let mut by_area: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut note = |area: &str, place: String, text: &str| {
        for (avoid, instead) in found(&words, text) {
            let line = format!("{place}: `{avoid}`; write {instead}");
            by_area.entry(area.to_owned()).or_default().push(line);
        }
    };
    for path in all() {
        for (line, text) in &Page::read(&path).prose {
            note(&path, format!("{path}:{line}"), text);
        }
    }
    for rule in rules::ALL.iter() {
        let markdown = rules::Page::from_rule(rule).markdown;
        let page = Page::of("", &markdown);
        let texts = page.prose.iter().map(|(_, text)| text.as_str());
        for text in texts.chain([rule.summary]) {
            note("rules", rule.code.to_string(), text);
        }
    }
    for directory in ["src", "crates"] {
        for (path, literals) in sources(directory) {
            for text in &literals.texts {
                note(directory, format!("{path}: {text:?}"), text);
            }
        }
    }
    // `init` writes this text, which isn't a literal.
    let template = "src/cli/config/init.toml";
    let text = std::fs::read_to_string(root().join(template)).unwrap();
    note("src", template.to_owned(), &text);
    let wrong: Vec<String> = by_area
        .iter()
        .map(|(area, lines)| format!("{area}: {} words\n{}", lines.len(), lines.join("\n")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_word_is_found_whole_and_in_any_case() {
    let words = words();
    let hits = |text: &str| found(&words, text).len();
    assert_eq!(hits("Mend it. Then write it\nanew."), 2);
    assert_eq!(
        hits("amendment, `mend`, skills/mend, mend.rs, mend-build"),
        0
    );
    for word in &words.word {
        assert!(!word.instead.is_empty());
        for avoid in &word.avoid {
            assert_eq!(&avoid.to_lowercase(), avoid);
            assert_eq!(hits(&format!("It {avoid} x")), 1, "{avoid}");
        }
    }
    let source = "/// Mends.\nstruct A { /// Judged.\n a: u8 }\nfn f() { g(\"anew\"); h!(\"told {}\", 1); }\n#[error(\"stands\")] struct E;\n#[cfg(test)] mod tests { const A: &str = \"mended\"; }";
    let mut literals = Literals {
        help: true,
        texts: Vec::new(),
    };
    literals.visit_file(&syn::parse_file(source).unwrap());
    assert_eq!(
        literals.texts,
        [" Mends.", " Judged.", "anew", "told {}", "stands"]
    );
}
