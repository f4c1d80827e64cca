//! Small histories that are made by a script: a product in layers with its tests, and commits that
//! change a function, use another one and adapt a test. Equal seeds give equal histories.

use super::score::{self, Commit, Method, Score};
use repo_map::{File, Snapshot, Tags, of_file};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The languages of the made products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    Rust,
    Python,
    JavaScript,
}

impl Made {
    pub const ALL: [Made; 3] = [Made::Rust, Made::Python, Made::JavaScript];

    /// Returns the name used in the table.
    pub fn name(self) -> &'static str {
        match self {
            Made::Rust => "made, Rust",
            Made::Python => "made, Python",
            Made::JavaScript => "made, JavaScript",
        }
    }
}

/// Modules of the product, each with this many functions.
const MODULES: usize = 40;
const FUNCTIONS: usize = 8;

/// Helpers that all tests share, as in most products.
const HELPERS: usize = 24;

const VERBS: [&str; 8] = [
    "read", "write", "check", "merge", "split", "count", "find", "render",
];
const NOUNS: [&str; 10] = [
    "order", "customer", "invoice", "parcel", "route", "stock", "price", "refund", "label", "batch",
];

/// Repeatable random numbers (a linear congruential generator).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

/// A function: the functions that it calls, and how often it was changed.
#[derive(Debug, Clone, Default)]
struct Function {
    calls: Vec<usize>,
    version: usize,
}

/// A product, whose state is written as a tree.
struct Product {
    made: Made,
    functions: Vec<Function>,
    random: Random,
}

impl Product {
    fn new(made: Made, seed: u64) -> Product {
        let mut out = Product {
            made,
            functions: Vec::new(),
            random: Random(seed),
        };
        for at in 0..MODULES * FUNCTIONS {
            let count = out.random.below(4);
            let calls = (0..count).filter_map(|_| out.lower(at)).collect();
            out.functions.push(Function { calls, version: 0 });
        }
        out
    }

    /// Chooses a function of a lower module, as software does: what is used much is used again.
    fn lower(&mut self, at: usize) -> Option<usize> {
        let limit = at / FUNCTIONS * FUNCTIONS;
        if limit == 0 {
            return None;
        }
        let any = self.random.below(limit);
        if self.random.below(3) == 0 {
            return Some(any);
        }
        // What another function calls is chosen more often the more callers it has.
        let caller = self.random.below(self.functions.len());
        let calls = self.functions.get(caller)?.calls.clone();
        let chosen = calls.get(self.random.below(calls.len())).copied();
        chosen.filter(|c| *c < limit).or(Some(any))
    }

    fn name(at: usize) -> String {
        let (module, function) = (at / FUNCTIONS, at % FUNCTIONS);
        let noun = NOUNS.get(module % NOUNS.len()).copied().unwrap_or_default();
        let verb = VERBS.get(function).copied().unwrap_or_default();
        format!("{verb}_{noun}_{}", module / NOUNS.len())
    }

    /// Changes a function: it calls one more. Returns the subject of the commit.
    fn commit(&mut self) -> String {
        // Half of the work is on what others use, the rest anywhere.
        let any = self.random.below(self.functions.len());
        let at = if self.random.below(2) == 0 {
            any
        } else {
            self.lower(any).unwrap_or(any)
        };
        let called = self.lower(at);
        if let Some(function) = self.functions.get_mut(at) {
            function.version += 1;
            function.calls.extend(called);
        }
        format!(
            "{}: handle case {}",
            Self::name(at).replace('_', " "),
            self.random.below(90)
        )
    }

    fn tree(&self) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        for module in 0..MODULES {
            let mut text = String::new();
            let mut tests = String::new();
            for function in 0..FUNCTIONS {
                let at = module * FUNCTIONS + function;
                let Some(content) = self.functions.get(at) else {
                    continue;
                };
                text.push_str(&self.function(&Self::name(at), content));
                tests.push_str(&self.test(at, content.version));
            }
            let (path, tests_path) = self.paths(module);
            out.insert(path, text);
            out.insert(tests_path, tests);
        }
        let helpers: String = (0..HELPERS)
            .map(|n| self.function(&format!("support_value_{n}"), &Function::default()))
            .collect();
        let support = match self.made {
            Made::Rust => "tests/support.rs",
            Made::Python => "tests/support.py",
            Made::JavaScript => "test/support.js",
        };
        out.insert(support.into(), helpers);
        out.insert("README.md".into(), "A product.\n".into());
        out
    }

    fn paths(&self, module: usize) -> (String, String) {
        let noun = NOUNS.get(module % NOUNS.len()).copied().unwrap_or_default();
        let name = format!("{noun}_{}", module / NOUNS.len());
        match self.made {
            Made::Rust => (format!("src/{name}.rs"), format!("tests/{name}.rs")),
            Made::Python => (format!("shop/{name}.py"), format!("tests/test_{name}.py")),
            Made::JavaScript => (format!("lib/{name}.js"), format!("test/{name}.test.js")),
        }
    }

    fn function(&self, name: &str, content: &Function) -> String {
        let mut out = String::new();
        let (doc, head, version, end) = match self.made {
            Made::Rust => (
                format!("/// Does `{name}` with a value.\n"),
                format!("pub fn {name}(value: u32) -> u32 {{\n"),
                format!("    let value = value + {};\n", content.version),
                "    value\n}\n\n",
            ),
            Made::Python => (
                String::new(),
                format!("def {name}(value):\n    \"\"\"Does it with a value.\"\"\"\n"),
                format!("    value += {}\n", content.version),
                "    return value\n\n",
            ),
            Made::JavaScript => (
                format!("// Does {name} with a value.\n"),
                format!("function {name}(value) {{\n"),
                format!("  value += {};\n", content.version),
                "  return value;\n}\n\n",
            ),
        };
        let _ = write!(out, "{doc}{head}{version}");
        for call in &content.calls {
            let called = Self::name(*call);
            let _ = match self.made {
                Made::Rust => writeln!(out, "    let value = {called}(value);"),
                Made::Python => writeln!(out, "    value = {called}(value)"),
                Made::JavaScript => writeln!(out, "  value = {called}(value);"),
            };
        }
        out.push_str(end);
        out
    }

    fn test(&self, at: usize, version: usize) -> String {
        let name = Self::name(at);
        let helper = |n: usize| format!("support_value_{}", n % HELPERS);
        let (make, check) = (helper(at), helper(at / FUNCTIONS * 7));
        match self.made {
            Made::Rust => format!(
                "#[test]\nfn {name}_works() {{\n    let made = {make}({version});\n    \
                 assert_eq!({name}(made), {check}(made));\n}}\n\n"
            ),
            Made::Python => format!(
                "def test_{name}():\n    made = {make}({version})\n    {check}({name}(made))\n\n"
            ),
            Made::JavaScript => format!(
                "function {name}Works() {{\n  const made = {make}({version});\n  \
                 {check}({name}(made));\n}}\n\n"
            ),
        }
    }
}

fn snapshot(tree: &BTreeMap<String, String>) -> Snapshot {
    let files = tree.iter().map(|(path, text)| {
        let file = of_file(path, text.as_bytes()).ok().flatten();
        file.unwrap_or_else(|| File {
            path: path.clone(),
            language: None,
            tags: Tags::default(),
        })
    });
    Snapshot {
        files: files.collect(),
        ..Snapshot::default()
    }
}

/// Evaluates a made history of this many commits.
pub fn evaluate(made: Made, seed: u64, commits: usize, tokens: usize) -> Vec<(Method, Score)> {
    let mut product = Product::new(made, seed);
    let mut scores = score::empty();
    let mut old = product.tree();
    let mut before = snapshot(&old);
    for _ in 0..commits {
        let subject = product.commit();
        let new = product.tree();
        let after = snapshot(&new);
        let differs = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
            let all = one
                .iter()
                .filter(|(path, text)| other.get(*path) != Some(text));
            all.map(|(p, t)| (p.clone(), t.clone())).collect()
        };
        let (old_texts, new_texts) = (differs(&old, &new), differs(&new, &old));
        let commit = Commit {
            subject: &subject,
            before: &before,
            after: &after,
            old_texts: &old_texts,
            new_texts: &new_texts,
        };
        score::add(&mut scores, &commit, tokens);
        (old, before) = (new, after);
    }
    scores
}
