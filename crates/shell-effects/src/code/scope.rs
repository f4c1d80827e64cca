//! The imports, definitions and uses of names in a piece of code.

use super::language::{Action, Capability, Language, language};
use super::lex::Token;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Properties of a whole piece of code.
#[derive(Debug)]
pub(super) struct Scope<'t> {
    pub(super) lang: &'t str,
    pub(super) language: &'static Language,
    /// Names of imports, with what they refer to.
    pub(super) aliases: FxHashMap<&'t str, String>,
    /// Functions, classes and variables that the code defines.
    pub(super) defined: FxHashSet<&'t str>,
    /// Tokens of import statements by their index.
    pub(super) imports: FxHashMap<usize, Import>,
    /// Uses an unknown module.
    pub(super) foreign: bool,
    /// Uses a module of which only some functions are listed.
    pub(super) partial: bool,
    /// Uses a large library for data processing.
    pub(super) mild: bool,
    /// Reads the environment.
    pub(super) environment: bool,
    /// Reads files.
    pub(super) reads: bool,
    /// Mentions an HTTP method that changes something, or a GraphQL mutation.
    pub(super) changes: bool,
    /// Can start programs.
    pub(super) spawns: bool,
    /// Writes to the input of a program that it starts.
    pub(super) writes_stdin: bool,
    /// Calls the value of a variable or an expression.
    pub(super) calls_values: bool,
    /// Accesses a member of an object by a computed name.
    pub(super) reflects: bool,
}

/// A token of an import statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Import {
    Module(Capability),
    /// A name from a module that is only called later; each call is looked up separately.
    Name,
}

impl<'t> Scope<'t> {
    pub(super) fn new(lang: &'t str, tokens: &'t [Token]) -> Self {
        let mut scope = Self {
            lang,
            language: language(lang),
            aliases: FxHashMap::default(),
            defined: FxHashSet::default(),
            imports: FxHashMap::default(),
            foreign: false,
            partial: false,
            mild: false,
            environment: false,
            reads: false,
            changes: false,
            spawns: false,
            writes_stdin: false,
            calls_values: false,
            reflects: false,
        };
        match lang {
            "python" => scope.python_imports(tokens),
            "js" => scope.js_imports(tokens),
            _ => {}
        }
        scope.definitions(tokens);
        for (i, token) in tokens.iter().enumerate() {
            match token {
                Token::Name(name) => scope.mention(name, tokens, i),
                Token::Str(text, false) => scope.environment |= names_environment(lang, text),
                Token::Str(text, true) => {
                    scope.writes_stdin |= lang == "js" && text == "stdin";
                    scope.spawns |= matches!(text.as_str(), "child_process" | "node:child_process");
                    let is = |method: &&str| text.eq_ignore_ascii_case(method);
                    scope.changes |= ["POST", "PUT", "PATCH", "DELETE"].iter().any(is);
                    scope.changes |= text.contains("mutation");
                }
                _ => {}
            }
        }
        // An unknown HTTP method.
        scope.changes |= tokens.windows(3).any(|w| match w {
            [Token::Name(name), Token::Punct(':' | '='), value] => {
                name == "method" && !matches!(value, Token::Str(_, true) | Token::Punct('='))
            }
            _ => false,
        });
        scope.calls_values |= tokens
            .windows(2)
            .any(|w| matches!(w, [Token::Punct(')' | ']'), Token::Punct('(')]));
        // `s[k].write(…)`: the key may select a program's input.
        scope.writes_stdin |= lang == "js"
            && tokens.windows(5).any(|w| match w {
                [
                    Token::Punct('['),
                    key,
                    Token::Punct(']'),
                    Token::Punct('.'),
                    Token::Name(m),
                ] => {
                    !matches!(key, Token::Str(_, true))
                        && matches!(m.as_str(), "write" | "end" | "pipe")
                }
                _ => false,
            });
        scope.reflects = lang == "js" && reflects(tokens);
        scope
    }

    /// Records that a module is used.
    fn uses(&mut self, capability: Capability) {
        match capability {
            Capability::Pure => {}
            Capability::Mild => self.mild = true,
            Capability::Partial | Capability::NetSend | Capability::Dynamic => self.partial = true,
            Capability::Opaque | Capability::Foreign => self.foreign = true,
        }
    }

    /// Parses `import a.b as c, d` and `from a import b as c`.
    fn python_imports(&mut self, tokens: &'t [Token]) {
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            let start = i
                .checked_sub(1)
                .and_then(|k| tokens.get(k))
                .is_none_or(|t| matches!(t, Token::Punct('\n' | ';' | ':')));
            i += 1;
            match token {
                Token::Name(word) if start && word == "import" => {
                    while let Some(Token::Name(module)) = tokens.get(i) {
                        let capability = self.language.module(module);
                        self.uses(capability);
                        self.imports.insert(i, Import::Module(capability));
                        i += 1;
                        if let [Token::Name(r#as), Token::Name(alias), ..] =
                            tokens.get(i..).unwrap_or_default()
                            && r#as == "as"
                        {
                            self.aliases.insert(alias, module.clone());
                            self.imports.insert(i + 1, Import::Name);
                            i += 2;
                        }
                        if tokens.get(i) != Some(&Token::Punct(',')) {
                            break;
                        }
                        i += 1;
                    }
                }
                Token::Name(word) if start && word == "from" => {
                    i = self.python_from(tokens, i);
                }
                _ => {}
            }
        }
    }

    /// Parses the rest of `from a import b as c, d`. Returns its end.
    fn python_from(&mut self, tokens: &'t [Token], from: usize) -> usize {
        let mut i = from;
        while tokens.get(i) == Some(&Token::Punct('.')) {
            i += 1;
        }
        let relative = i > from;
        let mut module = "";
        let mut capability = Capability::Foreign;
        if let Some(Token::Name(name)) = tokens.get(i)
            && name != "import"
        {
            module = name;
            if !relative {
                capability = self.language.module(name);
            }
            self.imports.insert(i, Import::Module(capability));
            i += 1;
        }
        if tokens.get(i).and_then(Token::name) != Some("import") {
            return i;
        }
        i += 1;
        let mut inner = Capability::Pure;
        loop {
            match tokens.get(i) {
                Some(Token::Punct('(' | ',')) => i += 1,
                Some(Token::Punct('*')) => {
                    inner = inner.max(capability);
                    i += 1;
                }
                Some(Token::Name(name)) => {
                    let full = format!("{module}.{name}");
                    // `from urllib import parse`
                    let own = self.language.exact_module(&full);
                    let known = own != Capability::Foreign || self.language.exact(&full).is_some();
                    let of = if own == Capability::Foreign {
                        capability
                    } else {
                        own
                    };
                    inner = inner.max(if known && own == Capability::Foreign {
                        Capability::Pure
                    } else {
                        of
                    });
                    let mut bound: &str = name;
                    let at = i;
                    i += 1;
                    if let [Token::Name(r#as), Token::Name(alias), ..] =
                        tokens.get(i..).unwrap_or_default()
                        && r#as == "as"
                    {
                        bound = alias;
                        self.imports.insert(i + 1, Import::Name);
                        i += 2;
                    }
                    self.aliases.insert(bound, full);
                    if only_called(tokens, i, bound) {
                        self.imports.insert(at, Import::Name);
                    }
                }
                _ => break,
            }
        }
        self.uses(inner);
        i
    }

    /// Parses `const a = require("b")`, `const {a, b: c} = require("d")` and `import a from "b"`.
    fn js_imports(&mut self, tokens: &'t [Token]) {
        // A pattern anywhere may take a member from an object that isn't tracked.
        for taken in tokens.windows(4) {
            if let [
                Token::Punct('{' | ','),
                Token::Name(name),
                Token::Punct(':'),
                Token::Name(alias),
            ] = taken
                && language("js").acts(name)
            {
                self.aliases.insert(alias, name.clone());
            }
        }
        // `const {rmSync: z} = fs`: `node -e` predefines its modules as names.
        for (i, taken) in tokens.windows(3).enumerate() {
            if let [Token::Punct('}'), Token::Punct('='), Token::Name(module)] = taken
                && !matches!(module.as_str(), "require" | "await" | "import")
            {
                self.js_members(tokens.get(..i).unwrap_or_default(), module);
            }
        }
        for (i, token) in tokens.iter().enumerate() {
            let Token::Str(module, _) = token else {
                continue;
            };
            let head = tokens.get(..i).unwrap_or_default();
            let head = match head {
                [rest @ .., Token::Name(call), Token::Punct('(')]
                    if matches!(call.as_str(), "require" | "import") =>
                {
                    match rest {
                        [rest @ .., Token::Name(word)] if word == "await" => rest,
                        rest => rest,
                    }
                }
                [rest @ .., Token::Name(word)] if matches!(word.as_str(), "from" | "import") => {
                    rest
                }
                _ => continue,
            };
            let module = module.strip_prefix("node:").unwrap_or(module);
            self.uses(self.js_module(module));
            let after = tokens.get(i + 1..).unwrap_or_default();
            if matches!(after, [Token::Punct(')'), Token::Punct('['), ..]) {
                continue;
            }
            let property = match after {
                [
                    Token::Punct(')'),
                    Token::Punct('.'),
                    Token::Name(property),
                    ..,
                ] => {
                    format!(".{property}")
                }
                _ => String::new(),
            };
            let bound = match head {
                [head @ .., Token::Punct('=')] => head,
                head => head,
            };
            match bound {
                [.., Token::Name(alias)] if !is_word_of_js(alias) => {
                    self.aliases.insert(alias, format!("{module}{property}"));
                }
                [inner @ .., Token::Punct('}')] => self.js_members(inner, module),
                _ => {}
            }
        }
    }

    /// Records the names that `{a, b: c}` takes from a module; `inner` ends before the bracket.
    fn js_members(&mut self, inner: &'t [Token], module: &str) {
        let open = inner.iter().rposition(|t| *t == Token::Punct('{'));
        let inner = inner.get(open.unwrap_or(0)..).unwrap_or_default();
        for pair in inner.windows(4) {
            if let [
                Token::Punct('{' | ','),
                Token::Name(name),
                Token::Punct(':'),
                Token::Name(alias),
            ] = pair
            {
                self.aliases.insert(alias, format!("{module}.{name}"));
            }
        }
        for one in inner.windows(2) {
            if let [Token::Punct('{' | ','), Token::Name(name)] = one {
                self.aliases
                    .entry(name)
                    .or_insert_with(|| format!("{module}.{name}"));
            }
        }
    }

    /// Returns the capabilities of a JavaScript module.
    pub(super) fn js_module(&self, name: &str) -> Capability {
        let name = name.strip_prefix("node:").unwrap_or(name);
        if name.contains("://") || name.starts_with("data:") {
            return Capability::Dynamic;
        }
        if name.starts_with(['/', '~']) || name.starts_with("..") {
            return Capability::Dynamic;
        }
        if name.starts_with('.') {
            // Data, or a file of the project.
            return if name.ends_with(".json") {
                Capability::Pure
            } else {
                Capability::Foreign
            };
        }
        match self.language.exact_module(name) {
            Capability::Foreign => name
                .split('/')
                .next()
                .filter(|scope| !scope.starts_with('@'))
                .map_or(Capability::Foreign, |first| {
                    self.language.exact_module(first)
                }),
            capability => capability,
        }
    }

    /// Records the names that the code itself defines.
    fn definitions(&mut self, tokens: &'t [Token]) {
        for (i, w) in tokens.windows(2).enumerate() {
            match w {
                [Token::Name(word), Token::Name(name)]
                    if matches!(
                        word.as_str(),
                        "def" | "class" | "function" | "sub" | "module" | "fn"
                    ) =>
                {
                    self.defined.insert(name);
                }
                // Parameters: `def f(a, b)`.
                [Token::Name(name), Token::Punct('(')]
                    if self.lang == "ruby"
                        && i.checked_sub(1)
                            .and_then(|k| tokens.get(k))
                            .and_then(Token::name)
                            == Some("def") =>
                {
                    self.defined.insert(name);
                    let parameters = tokens.iter().skip(i + 2);
                    for token in parameters.take_while(|t| **t != Token::Punct(')')) {
                        self.defined.extend(token.name());
                    }
                }
                // Ruby's variables are bare words.
                [Token::Name(name), Token::Punct('=')]
                    if self.lang == "ruby" && tokens.get(i + 2) != Some(&Token::Punct('=')) =>
                {
                    self.defined.insert(name);
                }
                [Token::Punct('|' | ','), Token::Name(name)] if self.lang == "ruby" => {
                    self.defined.insert(name);
                }
                [Token::Name(name), Token::Punct('=')] => {
                    let value = tokens.get(i + 2);
                    let plain = match value {
                        Some(Token::Name(v)) => {
                            matches!(
                                v.as_str(),
                                "function" | "lambda" | "fn" | "async" | "static"
                            ) || arrow_behind(tokens, i + 2)
                        }
                        Some(Token::Punct('(')) => arrow_behind(tokens, i + 2),
                        _ => false,
                    };
                    if plain {
                        self.defined.insert(name);
                    }
                }
                _ => {}
            }
        }
    }

    fn mention(&mut self, name: &str, tokens: &[Token], i: usize) {
        let next = tokens.get(i + 1);
        let called = next == Some(&Token::Punct('('));
        let full = self.resolve(name);
        let full: &str = &full;
        let mut head = full;
        loop {
            match self.language.exact(head) {
                Some(Action::Environment) => self.environment = true,
                Some(Action::Opaque) => self.foreign = true,
                Some(Action::Read | Action::PathRead | Action::Open) => self.reads = true,
                _ => {}
            }
            let Some(at) = head.rfind('.') else { break };
            head = head.get(..at).unwrap_or_default();
        }
        let first = full.split('.').next().unwrap_or(full);
        match self.lang {
            "js" => {
                self.spawns |= matches!(
                    first,
                    "child_process" | "Bun" | "Deno" | "execa" | "shelljs" | "cross-spawn" | "zx"
                );
                let own = name.contains("process.stdin")
                    || name.starts_with("Deno.")
                    || name.starts_with("Bun.");
                let after = tokens.get(i + 1..).unwrap_or_default();
                // `s.stdin`, `s.stdio[0]`, `stdio: [f, …]`: the code can write to the program's
                // input.
                let input = name.split('.').any(|part| part == "stdin")
                    && (name != "stdin" || is_member(tokens, i));
                let listed = match after {
                    [Token::Punct('['), ..] => name.ends_with("stdio"),
                    [Token::Punct(':'), Token::Punct('['), first, ..] => {
                        name == "stdio" && !matches!(first, Token::Str(..))
                    }
                    _ => false,
                };
                self.writes_stdin |= !own && (input || listed);
                if let (
                    "fs" | "http" | "https" | "net" | "dns" | "child_process" | "Deno" | "Bun",
                    true,
                ) = (first, full.contains('.'))
                {
                    self.partial = true;
                }
            }
            "python" => {
                let fed = name.ends_with("stdin.write") && !name.starts_with("sys.")
                    || name.ends_with(".communicate") && called;
                self.writes_stdin |=
                    fed || name == "communicate" && tokens.get(i + 2) != Some(&Token::Punct(')'));
            }
            "ruby" => {
                let constant = full.starts_with(|c: char| c.is_ascii_uppercase());
                if constant && self.language.exact(full).is_none() {
                    let class = full.split('.').next().unwrap_or(full);
                    let acts = self.language.exact(class).is_some();
                    if !acts && !self.defined.contains(class) {
                        self.uses(self.language.constant(class));
                    }
                }
                if name == "require"
                    && let Some(Token::Str(library, _)) = tokens.get(i + 1 + usize::from(called))
                {
                    self.uses(self.language.module(library));
                }
            }
            "perl" if full.contains("::") && self.language.exact(full).is_none() => {
                self.uses(self.language.exact_module(full));
            }
            "php" => {
                let new = i
                    .checked_sub(1)
                    .and_then(|k| tokens.get(k))
                    .and_then(Token::name)
                    == Some("new");
                let of_class = full.split_once("::").map(|(class, _)| class);
                if let Some(class) = of_class.or(new.then_some(full))
                    && !self.defined.contains(class)
                    && !matches!(class, "class" | "self" | "static" | "parent")
                    && !class.starts_with('$')
                {
                    match self.language.exact(class) {
                        Some(Action::Opaque) => self.foreign = true,
                        Some(_) => {}
                        None => self.uses(self.language.exact_module(class)),
                    }
                }
            }
            _ => {}
        }
        let bare = !name.contains('.') && !is_member(tokens, i);
        if called
            && bare
            && !self.defined.contains(name)
            && !self.aliases.contains_key(name)
            && self.language.exact(name).is_none()
            && !matches!(
                name,
                "catch"
                    | "while"
                    | "if"
                    | "for"
                    | "switch"
                    | "print"
                    | "and"
                    | "or"
                    | "not"
                    | "in"
                    | "return"
                    | "function"
                    | "lambda"
                    | "await"
                    | "async"
                    | "with"
                    | "elif"
                    | "yield"
                    | "require"
                    | "import"
                    | "array"
                    | "list"
                    | "foreach"
            )
        {
            self.calls_values = true;
        }
    }

    /// Returns the name with an imported first part replaced by what it refers to.
    pub(super) fn resolve<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let (first, rest) = name
            .split_once('.')
            .map_or((name, None), |(a, b)| (a, Some(b)));
        match (self.aliases.get(first), rest) {
            (Some(full), Some(rest)) => Cow::Owned(format!("{full}.{rest}")),
            (Some(full), None) => Cow::Owned(full.clone()),
            (None, _) => Cow::Borrowed(name),
        }
    }
}

/// Returns whether the name at `i` is a member of the preceding value.
pub(super) fn is_member(tokens: &[Token], i: usize) -> bool {
    let before = |n: usize| i.checked_sub(n).and_then(|k| tokens.get(k));
    match before(1) {
        Some(Token::Punct('.')) => true,
        Some(Token::Punct('>')) => before(2) == Some(&Token::Punct('-')),
        _ => false,
    }
}

/// Returns whether the name is only called from there on. Each call is then looked up separately.
fn only_called(tokens: &[Token], from: usize, name: &str) -> bool {
    let rest = tokens.get(from..).unwrap_or_default();
    rest.iter().enumerate().all(|(k, t)| match t {
        Token::Name(n) if n == name => rest.get(k + 1) == Some(&Token::Punct('(')),
        _ => true,
    })
}

fn is_word_of_js(name: &str) -> bool {
    matches!(
        name,
        "const" | "let" | "var" | "return" | "await" | "import" | "of" | "in" | "new"
    )
}

/// Returns whether a function begins at `at`: `x => …`, `(x, y) => …`.
fn arrow_behind(tokens: &[Token], at: usize) -> bool {
    let mut depth = 0_usize;
    for (k, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Punct('(') => depth += 1,
            Token::Punct(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return matches!(
                tokens.get(k + 1..k + 3),
                Some([Token::Punct('='), Token::Punct('>')])
            );
        }
    }
    false
}

/// Returns whether a JavaScript name is a function that lists the members of an object.
pub(super) fn lists_members(name: &str) -> bool {
    name.starts_with("Object.values") || name.starts_with("Object.entries")
}

/// Returns whether JavaScript code accesses a member by a computed name: `x[a + b]`,
/// `{[a]: b} = x`.
fn reflects(tokens: &[Token]) -> bool {
    let listed = |t: &Token| t.name().is_some_and(lists_members);
    tokens.iter().enumerate().any(|(i, t)| {
        if listed(t) {
            return true;
        }
        if *t != Token::Punct('[') {
            return false;
        }
        let before = i.checked_sub(1).and_then(|k| tokens.get(k));
        let of_value = match before {
            Some(Token::Name(n)) => !is_word_of_js(n),
            Some(Token::Punct(')' | ']' | '{' | ',')) => true,
            Some(Token::Str(..)) => true,
            _ => false,
        };
        let key = tokens.get(i + 1..).unwrap_or_default();
        let plain = matches!(
            key,
            [Token::Num | Token::Str(_, true), Token::Punct(']'), ..]
                | [Token::Punct('-'), Token::Num, Token::Punct(']'), ..]
        );
        let of_list = matches!(before, Some(Token::Punct('{' | ',')))
            && !tokens
                .windows(2)
                .skip(i)
                .any(|w| matches!(w, [Token::Punct(']'), Token::Punct(':')]));
        of_value && !plain && !of_list
    })
}

/// Returns whether a text with interpolations reads the environment.
fn names_environment(lang: &str, text: &str) -> bool {
    let marks: &[&str] = match lang {
        "python" => &["environ", "getenv"],
        "js" => &["process.env", "Deno.env", "Bun.env"],
        "ruby" | "perl" => &["ENV"],
        "php" => &["$_ENV", "$_SERVER"],
        _ => &[],
    };
    marks.iter().any(|mark| text.contains(mark))
}
