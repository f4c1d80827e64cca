//! The structure of the sources: which module of `src` may use which, what only the command line
//! may use, and limits for every file. The compiler enforces the dependencies between crates.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Which modules of `src` a module may use. ARCHITECTURE.md draws them.
const ARROWS: &[(&str, &[&str])] = &[
    ("diag", &[]),
    ("features", &[]),
    ("schema", &[]),
    ("source", &[]),
    ("trace", &["diag", "schema"]),
    ("replay", &["schema", "trace"]),
    ("rules", &["diag", "replay", "trace"]),
    (
        "verify",
        &["diag", "replay", "rules", "schema", "source", "trace"],
    ),
    ("report", &["diag", "replay", "rules", "verify"]),
    (
        "trajectory",
        &["diag", "features", "replay", "report", "trace", "verify"],
    ),
    ("attest", &["trace"]),
    (
        "corpus",
        &[
            "diag", "replay", "report", "rules", "source", "trace", "verify",
        ],
    ),
    (
        "config",
        &[
            "diag", "features", "replay", "report", "rules", "trace", "verify",
        ],
    ),
    ("detectors", &["diag", "replay", "rules", "verify"]),
    ("manifest", &["diag", "replay", "rules", "schema", "trace"]),
    ("redact", &["trace"]),
    (
        "knowledge",
        &[
            "diag", "features", "manifest", "rules", "source", "trace", "verify",
        ],
    ),
    (
        "cli",
        &[
            "attest",
            "config",
            "detectors",
            "diag",
            "features",
            "knowledge",
            "manifest",
            "redact",
            "replay",
            "report",
            "rules",
            "schema",
            "source",
            "trace",
            "trajectory",
            "verify",
        ],
    ),
];

/// The modules of `shell-effects` in layers, as its README lists them. A module may use those of
/// its own layer and of earlier ones.
const SHELL_EFFECTS: [&[&str]; 6] = [
    &["chars", "memo"],
    &["paths"],
    &["effect", "explain"],
    &["syntax", "rewrite", "table"],
    &["interpreter", "calls", "programs", "code"],
    &["tools"],
];

/// A source file: the path relative to the root of the repository, with `/`, and the text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// Parses the file without items that are compiled only for tests.
    fn shipped(&self) -> syn::File {
        let mut file = syn::parse_file(&self.text).unwrap_or_else(|e| panic!("{}: {e}", self.path));
        file.items.retain(|item| !is_for_tests(item));
        file
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn gather(directory: &Path, all: &mut Vec<Source>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy();
            all.push(Source {
                path: name.replace('\\', "/"),
                text: std::fs::read_to_string(&path).unwrap(),
            });
        }
    }
}

/// Returns the sources below some directories of the repository, sorted by path.
fn sources(directories: &[&str]) -> Vec<Source> {
    let mut all = Vec::new();
    for directory in directories {
        gather(&root().join(directory), &mut all);
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!all.is_empty(), "{directories:?} hold no sources");
    all
}

fn is_for_tests(item: &syn::Item) -> bool {
    let attributes = match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .meta
                .to_token_stream()
                .to_string()
                .replace(' ', "")
                == "cfg(test)"
    })
}

/// Collects the modules below the crate's root that tokens name: `crate::NAME`, `crate::{NAME, …}`,
/// and chains of `super` that reach the root. `depth` is the depth of the file's module.
fn named_modules(tokens: TokenStream, depth: usize, names: &mut BTreeSet<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is =
        |at: usize, word: &str| matches!(trees.get(at), Some(TokenTree::Ident(i)) if i == word);
    let colons = |at: usize| {
        (0..2).all(|n| matches!(trees.get(at + n), Some(TokenTree::Punct(p)) if p.as_char() == ':'))
    };
    for at in 0..trees.len() {
        if let TokenTree::Group(group) = &trees[at] {
            named_modules(group.stream(), depth, names);
        }
        let behind_path = at >= 2 && colons(at - 2);
        let mut next = at;
        if is(at, "crate") && colons(at + 1) {
            next = at + 3;
        } else if is(at, "super") && !behind_path {
            let mut climbed = 0;
            while is(next, "super") && colons(next + 1) {
                climbed += 1;
                next += 3;
            }
            if climbed < depth {
                continue;
            }
        }
        if next == at {
            continue;
        }
        match trees.get(next) {
            Some(TokenTree::Ident(name)) => {
                names.insert(name.to_string());
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let mut first = true;
                for tree in group.stream() {
                    match tree {
                        TokenTree::Ident(name) if first => {
                            names.insert(name.to_string());
                            first = false;
                        }
                        TokenTree::Punct(p) if p.as_char() == ',' => first = true,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the module of the crate with its sources in `root` that a file belongs to, and the depth
/// of the file's own module.
fn module_of(root: &str, path: &str) -> (String, usize) {
    let inner = path.strip_prefix(root).unwrap().trim_end_matches(".rs");
    let parts: Vec<&str> = inner.split('/').filter(|part| *part != "mod").collect();
    (parts[0].to_owned(), parts.len())
}

#[test]
fn modules_use_only_what_is_below_them() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> = ARROWS
        .iter()
        .map(|(module, targets)| (*module, targets.iter().copied().collect()))
        .collect();
    let mut used: BTreeSet<(String, String)> = BTreeSet::new();
    for source in sources(&["src"]).iter().filter(|s| !s.is_test()) {
        let (module, depth) = module_of("src/", &source.path);
        if module == "lib" || module == "main" {
            continue;
        }
        let below = allowed
            .get(module.as_str())
            .unwrap_or_else(|| panic!("the module `{module}` is not on the map"));
        let mut names = BTreeSet::new();
        named_modules(source.shipped().into_token_stream(), depth, &mut names);
        for name in names.into_iter().filter(|name| *name != module) {
            assert!(
                below.contains(name.as_str()),
                "{}: `{module}` must not use `{name}`",
                source.path
            );
            used.insert((module.clone(), name));
        }
    }
    for (module, uses) in ARROWS {
        for target in *uses {
            assert!(
                used.contains(&((*module).to_owned(), (*target).to_owned())),
                "`{module}` no longer uses `{target}`: take the arrow off the map"
            );
        }
    }
}

#[test]
fn modules_of_shell_effects_use_only_their_layer_and_earlier_ones() {
    let layer = |name: &str| SHELL_EFFECTS.iter().position(|l| l.contains(&name));
    let root = "crates/shell-effects/src/";
    for source in sources(&[root]).iter().filter(|s| !s.is_test()) {
        let (module, depth) = module_of(root, &source.path);
        if module == "lib" {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("`{module}` is in no layer"));
        let mut names = BTreeSet::new();
        named_modules(source.shipped().into_token_stream(), depth, &mut names);
        for name in names {
            assert!(
                layer(&name).is_none_or(|used| used <= own),
                "{}: `{module}` must not use `{name}`",
                source.path
            );
        }
    }
}

#[test]
fn the_map_has_no_cycle() {
    let mut placed: BTreeSet<&str> = BTreeSet::new();
    while placed.len() < ARROWS.len() {
        let before = placed.len();
        for (module, uses) in ARROWS {
            if uses.iter().all(|target| placed.contains(target)) {
                placed.insert(module);
            }
        }
        assert!(
            placed.len() > before,
            "a cycle among the modules that are not in {placed:?}"
        );
    }
}

#[test]
fn paths_are_found_however_they_are_written() {
    let found = |text: &str, depth: usize| {
        let mut names = BTreeSet::new();
        named_modules(text.parse().unwrap(), depth, &mut names);
        names.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        found("use crate::{rules::Rule, verify};", 1),
        "rules verify"
    );
    assert_eq!(found("fn f() { vec![crate::rules::ALL] }", 1), "rules");
    assert_eq!(found("use super::super::rules::ALL;", 2), "rules");
    assert_eq!(found("use super::rules::ALL;", 2), "");
    assert_eq!(
        found("mod m { fn f() -> crate::report::Run {} }", 1),
        "report"
    );
}

#[test]
fn only_the_command_line_touches_the_outside() {
    const FORBIDDEN: [&str; 6] = [
        "println!",
        "eprintln!",
        "env::var",
        "SystemTime::now",
        "Instant::now",
        "current_dir(",
    ];
    for source in sources(&["src", "crates"]).iter().filter(|s| !s.is_test()) {
        if source.path.starts_with("src/cli/") || source.path.starts_with("src/main.rs") {
            continue;
        }
        let suspect =
            |forbidden: &&str| source.text.contains(forbidden.trim_end_matches(['!', '(']));
        if !FORBIDDEN.iter().any(suspect) {
            continue;
        }
        let code = source
            .shipped()
            .into_token_stream()
            .to_string()
            .replace(' ', "");
        for forbidden in FORBIDDEN {
            assert!(
                !code.contains(forbidden),
                "{} uses {forbidden}",
                source.path
            );
        }
    }
}

/// A record with both names of a member would be refused by serde without a note about duplicates,
/// and what it contains would be lost.
#[test]
fn no_format_gives_a_member_two_names() {
    let formats = sources(&["src/trace"]);
    let formats: Vec<_> = formats
        .iter()
        .filter(|s| s.path.starts_with("src/trace/formats/"))
        .collect();
    assert!(formats.len() > 30, "{}", formats.len());
    for source in formats {
        assert!(!source.text.contains("alias = "), "{}", source.path);
    }
}

#[test]
fn files_stay_small() {
    for source in sources(&["src", "crates", "tests", "xtask"]) {
        let lines = source.text.lines().count();
        assert!(lines <= 800, "{} has {lines} lines", source.path);
    }
}

#[test]
fn comments_are_wrapped_at_100_columns() {
    let mut long = Vec::new();
    for source in sources(&["src", "crates", "tests/it", "benches", "fuzz/fuzz_targets"]) {
        for (number, line) in source.text.lines().enumerate() {
            let text = line.trim_start();
            // Words that can't be broken, such as addresses and rows of tables, may be longer.
            let breakable = text.split_whitespace().count() > 2 && !text.contains("| ");
            if text.starts_with("//") && breakable && line.chars().count() > 100 {
                long.push(format!("{}:{}", source.path, number + 1));
            }
        }
    }
    assert_eq!(long, Vec::<String>::new(), "comments of over 100 columns");
}

#[test]
fn each_format_has_a_fuzz_target() {
    let targets = sources(&["fuzz/fuzz_targets"]);
    for format in yuangs_verify::trace::Format::ALL {
        let file = format!("session_{}.rs", format.name().replace('-', "_"));
        let mut own = targets.iter().filter(|source| source.path.ends_with(&file));
        let reads = format!("read_session(\"{}\", bytes)", format.name());
        assert!(own.any(|source| source.text.contains(&reads)), "{file}");
    }
}

/// Collects the public items of a file without documentation.
struct Undocumented<'s> {
    path: &'s str,
    found: Vec<String>,
}

impl Undocumented<'_> {
    fn item(&mut self, visibility: &syn::Visibility, attributes: &[syn::Attribute], name: &str) {
        let is_public = matches!(visibility, syn::Visibility::Public(_));
        if is_public && !attributes.iter().any(|a| a.path().is_ident("doc")) {
            self.found.push(format!("{}: `{name}`", self.path));
        }
    }
}

impl<'ast> Visit<'ast> for Undocumented<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_for_tests(item) {
            return;
        }
        match item {
            syn::Item::Fn(i) => self.item(&i.vis, &i.attrs, &i.sig.ident.to_string()),
            syn::Item::Struct(i) => self.item(&i.vis, &i.attrs, &i.ident.to_string()),
            syn::Item::Enum(i) => self.item(&i.vis, &i.attrs, &i.ident.to_string()),
            syn::Item::Trait(i) => self.item(&i.vis, &i.attrs, &i.ident.to_string()),
            syn::Item::Type(i) => self.item(&i.vis, &i.attrs, &i.ident.to_string()),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.item(&item.vis, &item.attrs, &item.sig.ident.to_string());
    }
}

#[test]
fn public_types_and_functions_are_documented() {
    let mut found = Vec::new();
    for source in sources(&["src", "crates"]).iter().filter(|s| !s.is_test()) {
        let mut visitor = Undocumented {
            path: &source.path,
            found: Vec::new(),
        };
        visitor.visit_file(&source.shipped());
        found.extend(visitor.found);
    }
    assert!(
        found.is_empty(),
        "without documentation:\n{}",
        found.join("\n")
    );
}

/// Commands that replay inputs show progress. Others replay only what a command finds or samples.
#[test]
fn what_replays_inputs_shows_progress() {
    const EXCEPT: [&str; 2] = ["src/cli/config.rs", "src/cli/policy/compare.rs"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut without: Vec<String> = Vec::new();
    for entry in walkdir::WalkDir::new(root.join("src/cli")) {
        let path = entry.unwrap().into_path();
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let calls = [
            "verify(",
            "verify_one(",
            "verify_turns(",
            "visit(",
            "watch(",
        ];
        let replays = text.split(|c: char| c.is_whitespace() || "=&{.".contains(c));
        let mut replays = replays.filter(|word| calls.iter().any(|call| word.starts_with(call)));
        if replays.next().is_some() && !text.contains("Progress::of_inputs(") {
            let name = path.strip_prefix(root).unwrap().to_string_lossy();
            without.push(name.replace('\\', "/"));
        }
    }
    without.sort();
    assert_eq!(without, EXCEPT);
}
