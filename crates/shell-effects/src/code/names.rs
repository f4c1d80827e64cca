//! What a name in code does, where it stands.

use super::language::{Action, Reach, has_mild_verb, has_verb};
use super::lex::{self, Token};
use super::scope::{Import, Scope, is_member};

/// A name in code, with what stands around it.
struct Place<'a> {
    scope: &'a Scope<'a>,
    tokens: &'a [Token],
    at: usize,
    /// The name, with what its first part was imported as.
    full: &'a str,
    /// Its last part.
    last: &'a str,
    /// What stands before the last part.
    head: Option<&'a str>,
    called: bool,
    /// It belongs to a value that has no name.
    member: bool,
}

impl Place<'_> {
    fn before(&self, n: usize) -> Option<&Token> {
        self.at.checked_sub(n).and_then(|k| self.tokens.get(k))
    }

    fn behind(&self, n: usize) -> Option<&Token> {
        self.tokens.get(self.at.saturating_add(n))
    }

    fn is_behind(&self, mark: char) -> bool {
        self.behind(1) == Some(&Token::Punct(mark))
    }

    fn exact(&self) -> Option<Action> {
        self.scope.language.exact(self.full)
    }

    fn act(&self) -> Option<Action> {
        self.scope.language.act(self.last)
    }

    fn mentions(&self, word: &str) -> bool {
        let is = |t: &Token| matches!(t, Token::Name(n) if n.rsplit('.').next() == Some(word));
        self.tokens.iter().any(is)
    }

    /// An unknown function: of a module that isn't known, it may do what it says.
    fn unknown(&self, of_foreign: bool) -> Option<Action> {
        (of_foreign && has_verb(self.scope.lang, self.full)).then_some(Action::Verb)
    }

    /// A method that is listed as harmless is so only of values that are known.
    fn harmless(&self) -> Option<Action> {
        let called = self.called || matches!(self.scope.lang, "ruby" | "perl");
        let foreign = self.scope.foreign && called && (self.member || self.head.is_some());
        self.unknown(foreign).or(Some(Action::Safe))
    }
}

/// What the name at `at` does; nothing if it isn't known.
pub(super) fn lookup(scope: &Scope<'_>, name: &str, tokens: &[Token], at: usize) -> Option<Action> {
    let resolved = scope.resolve(name);
    // `require("x").name`
    let required = match at.checked_sub(5).and_then(|k| tokens.get(k..at)) {
        Some(
            [
                Token::Name(call),
                Token::Punct('('),
                Token::Str(module, true),
                Token::Punct(')'),
                Token::Punct('.'),
            ],
        ) if scope.lang == "js" && call == "require" => {
            let module = module.strip_prefix("node:").unwrap_or(module);
            Some(format!("{module}.{name}"))
        }
        _ => None,
    };
    let full: &str = required.as_deref().unwrap_or(&resolved);
    let sep: &[char] = if scope.lang == "lua" {
        &['.', ':']
    } else {
        &['.']
    };
    let (head, last) = full
        .rsplit_once(sep)
        .map_or((None, full), |(h, l)| (Some(h), l));
    let place = Place {
        scope,
        tokens,
        at,
        full,
        last: last.rsplit("::").next().unwrap_or(last),
        head,
        called: tokens.get(at.saturating_add(1)) == Some(&Token::Punct('(')),
        member: is_member(tokens, at) && required.is_none(),
    };
    match scope.lang {
        "python" => python(&place),
        "js" => js(&place),
        "ruby" => ruby(&place),
        "php" => php(&place),
        "perl" => perl(&place),
        _ => lua(&place),
    }
}

fn python(p: &Place<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    // `f(name=…)`
    if p.is_behind('=')
        && p.behind(2) != Some(&Token::Punct('='))
        && p.head.is_none()
        && matches!(p.before(1), Some(Token::Punct('(' | ',')))
    {
        return Some(Action::Safe);
    }
    match scope.imports.get(&p.at) {
        Some(Import::Name) => return Some(Action::Safe),
        Some(Import::Module(reach)) => {
            let listed = p.exact().or_else(|| p.act());
            return match (listed, reach) {
                (Some(action), Reach::Foreign) => Some(action),
                (_, Reach::Foreign) => Some(Action::Execute),
                (_, Reach::Dynamic) => Some(Action::Dynamic),
                (_, Reach::NetSend) => Some(Action::NetSend),
                _ => Some(Action::Safe),
            };
        }
        None => {}
    }
    // Attributes that lead out of what a value is for.
    let hidden = |part: &str| {
        part.starts_with('_')
            && part.len() > 1
            && !matches!(
                part,
                "__version__"
                    | "__name__"
                    | "__file__"
                    | "__doc__"
                    | "__all__"
                    | "__len__"
                    | "__init__"
                    | "__str__"
                    | "__repr__"
                    | "__path__"
                    | "__main__"
                    | "__annotations__"
                    | "__iter__"
                    | "__next__"
                    | "__enter__"
                    | "__exit__"
                    | "__call__"
                    | "__eq__"
                    | "__hash__"
                    | "__add__"
                    | "__debug__"
                    | "_asdict"
                    | "_replace"
                    | "_fields"
                    | "_make"
                    | "__future__"
            )
    };
    // The first part is a name of the code's own.
    let attributes = p
        .full
        .split('.')
        .enumerate()
        .filter(|(k, part)| *k > 0 || p.member || part.starts_with("__"));
    if p.full != "sys.modules.keys"
        && attributes
            .into_iter()
            .any(|(_, part)| hidden(part) || part == "modules")
    {
        return Some(Action::Dynamic);
    }
    if let Some(action) = p.exact().filter(|a| *a != Action::Safe || p.head.is_some()) {
        return python_exact(p, action);
    }
    let head_reach = p.head.map(|head| scope.language.module(head));
    let of_value = p.member || head_reach == Some(Reach::Foreign) && !p.rooted_in_import();
    match last {
        "run" | "call"
            if p.called && !p.member && p.head.is_none() && !scope.defined.contains(last) =>
        {
            return Some(Action::Shell);
        }
        "run" | "call" if p.called && p.mentions("subprocess") && of_value => {
            return Some(Action::Shell);
        }
        "load" if p.called => return python_load(p),
        "open" if p.called && p.head.is_some() || p.member && last == "open" => {
            return Some(if of_value {
                Action::PathOpen
            } else {
                Action::Open
            });
        }
        // Text is replaced by text; a path is replaced by nothing but one place.
        "replace" if p.called && of_value => {
            let args = lex::call_args(p.tokens, p.at + 1);
            let literal = p.member && lex::receiver_literal(p.tokens, p.at).is_some();
            let place = matches!(args.as_slice(), [one] if !one.keyword && (one.literal.is_some() || literal));
            return Some(if place {
                Action::PathMove
            } else {
                Action::Safe
            });
        }
        _ => {}
    }
    if let Some(action) = p.act() {
        if of_value {
            match last {
                "unlink" | "rmdir" => return Some(Action::PathDelete),
                "touch" | "mkdir" | "chmod" => return Some(Action::PathWrite),
                "rename" => return Some(Action::PathMove),
                // Lists, dictionaries and the like.
                "remove" | "copy" | "move" | "link" | "code" | "compile" | "get" | "interact"
                | "listen" => {
                    return p.harmless();
                }
                "post" | "put" | "patch" | "stream" | "request"
                    if !scope.partial && !scope.foreign =>
                {
                    return Some(Action::Safe);
                }
                _ => {}
            }
        }
        if last == "getmembers" && !scope.calls_values {
            return Some(Action::Safe);
        }
        // A function of a module that reaches nothing, by a name of many meanings.
        let many = matches!(
            last,
            "copy"
                | "move"
                | "remove"
                | "replace"
                | "link"
                | "get"
                | "call"
                | "run"
                | "post"
                | "put"
                | "patch"
                | "request"
                | "stream"
                | "kill"
                | "connect"
                | "listen"
                | "code"
                | "load"
                | "compile"
                | "interact"
                | "system"
                | "execute"
                | "exec"
                | "imp"
                | "touch"
                | "chmod"
                | "truncate"
        );
        let own = head_reach == Some(Reach::Pure)
            && p.head
                .is_some_and(|head| scope.language.exact_module(head) == Reach::Pure);
        return Some(if own && many { Action::Safe } else { action });
    }
    if scope.language.module(p.full) != Reach::Foreign
        && scope.language.exact_module(p.full) != Reach::Foreign
    {
        return Some(Action::Safe);
    }
    match head_reach {
        Some(Reach::Pure) => return Some(Action::Safe),
        Some(Reach::Mild) => {
            return (!has_mild_verb(scope.lang, last) || scope.language.is_safe(last))
                .then_some(Action::Safe);
        }
        Some(Reach::Foreign) | None => {}
        Some(Reach::Opaque) => {
            let verb = p.unknown(true);
            return verb
                .or_else(|| (!p.called || scope.language.is_safe(last)).then_some(Action::Safe));
        }
        Some(_) => {
            return scope
                .language
                .is_safe(last)
                .then_some(Action::Safe)
                .or_else(|| p.unknown(true));
        }
    }
    if p.rooted_in_import() {
        return p.unknown(true);
    }
    if scope.language.is_safe(last) {
        return p.harmless();
    }
    if p.head.is_none() && !p.member {
        // A builtin, or a name of the code's own.
        return Some(Action::Safe);
    }
    if scope.foreign || scope.partial {
        return p.unknown(scope.foreign);
    }
    (!scope.mild || !has_mild_verb(scope.lang, last)).then_some(Action::Safe)
}

impl Place<'_> {
    /// True for a name of Python that begins with an imported one.
    fn rooted_in_import(&self) -> bool {
        let scope = self.scope;
        let Some(Token::Name(written)) = self.tokens.get(self.at) else {
            return false;
        };
        let first = written.split('.').next().unwrap_or(written);
        !self.member
            && (scope.aliases.contains_key(first)
                || scope.imports.iter().any(|(k, import)| {
                    matches!(import, Import::Module(_))
                        && matches!(self.tokens.get(*k), Some(Token::Name(n)) if n.split('.').next() == Some(first))
                }))
    }
}

/// Names of Python that are listed in full.
fn python_exact(p: &Place<'_>, action: Action) -> Option<Action> {
    let handed_on = !p.called && !p.member;
    match p.full {
        // Handed on under another name.
        "open" | "io.open" | "codecs.open"
            if handed_on
                && !matches!(
                    p.behind(1),
                    Some(Token::Name(_) | Token::Punct('\n' | ';')) | None
                ) =>
        {
            Some(Action::Dynamic)
        }
        "open" | "io.open"
            if handed_on
                && matches!(p.before(1), Some(Token::Punct('=' | ':' | ',' | '(' | '['))) =>
        {
            Some(Action::Dynamic)
        }
        "open" if matches!(p.behind(1), Some(Token::Name(n)) if n == "as") => Some(Action::Dynamic),
        "open" if p.member => Some(Action::PathOpen),
        // Methods of values.
        "remove" | "copy" | "move" | "link" | "code" | "compile" | "get" | "unlink" | "rmdir"
        | "touch" | "mkdir" | "chmod" | "rename" | "replace" | "run" | "load" | "post" | "put"
        | "patch" | "stream" | "request" | "interact" | "listen"
            if p.member =>
        {
            let inner = Place {
                head: Some(""),
                full: "",
                ..*p
            };
            python(&inner)
        }
        "eval" | "exec" | "getattr" if handed_on => Some(Action::Dynamic),
        // What a program shows of its modules is no more than names, unless something is called.
        _ if p.last == "getmembers" && !p.scope.calls_values => Some(Action::Safe),
        _ => Some(action),
    }
}

/// What is loaded can be code, unless the format knows none.
fn python_load(p: &Place<'_>) -> Option<Action> {
    match p.head {
        Some(
            "json" | "tomllib" | "toml" | "simplejson" | "ujson" | "orjson" | "tomli" | "plistlib",
        ) => Some(Action::Safe),
        Some("yaml")
            if p.mentions("SafeLoader")
                || p.mentions("CSafeLoader")
                || p.mentions("BaseLoader") =>
        {
            Some(Action::Safe)
        }
        Some("yaml") => Some(Action::Dynamic),
        Some("numpy") if p.mentions("allow_pickle") => Some(Action::Dynamic),
        Some("numpy") => Some(Action::Read),
        None if !p.member && (p.mentions("json") || p.mentions("tomllib")) => Some(Action::Safe),
        _ => None,
    }
}

fn js(p: &Place<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    let written = p.tokens.get(p.at).and_then(Token::name).unwrap_or_default();
    if matches!(written, "require" | "import" | "from") && !p.member {
        let module = match (p.called, p.behind(1), p.behind(2)) {
            (false, Some(Token::Str(m, _)), _) | (true, _, Some(Token::Str(m, true))) => m,
            (true, ..) => return Some(Action::Dynamic),
            _ => return Some(Action::Safe),
        };
        let reach = scope.js_module(module);
        // `require("x")(…)`: the module is the function.
        let module = module.strip_prefix("node:").unwrap_or(module);
        if let (Some(Token::Punct(')')), Some(Token::Punct('('))) = (p.behind(3), p.behind(4))
            && let Some(action) = scope.language.act(module)
        {
            return Some(action);
        }
        return match reach {
            Reach::Foreign => Some(Action::Execute),
            Reach::Dynamic => Some(Action::Dynamic),
            Reach::NetSend => Some(Action::NetSend),
            _ => Some(Action::Safe),
        };
    }
    // `{name: …}`, but not `a ? name : b`.
    if p.is_behind(':') && matches!(p.before(1), Some(Token::Punct('{' | ','))) && p.head.is_none()
    {
        return Some(Action::Safe);
    }
    let leads_out = |part: &str| {
        matches!(
            part,
            "constructor"
                | "mainModule"
                | "__proto__"
                | "binding"
                | "Reflect"
                | "globalThis"
                | "getBuiltinModule"
        )
    };
    if p.full.split('.').any(leads_out) {
        return Some(Action::Dynamic);
    }
    if matches!(p.full, "global" | "window" | "self") && !p.member {
        return Some(Action::Dynamic);
    }
    if let Some(action) = p.exact().filter(|_| p.head.is_some()) {
        return Some(action);
    }
    if let Some(action) = p.act() {
        let own = p.head.is_some() || p.member;
        let of_regex = p.before(2) == Some(&Token::Num) && p.member;
        if matches!(p.before(1), Some(Token::Name(n)) if n == "typeof") {
            return Some(Action::Safe);
        }
        let shell = matches!(
            last,
            "exec" | "spawn" | "fork" | "execFile" | "execSync" | "spawnSync" | "execFileSync"
        );
        return match last {
            "exec" if of_regex => Some(Action::Safe),
            _ if shell && own && !scope.spawns => p.harmless(),
            "remove" | "register" | "open" | "connect" | "request" if !p.called => {
                Some(Action::Safe)
            }
            "post" | "put" | "patch" | "connect" | "open" | "move" | "link" | "raw" | "query"
            | "request" | "read" | "evaluate"
                if own && !scope.partial && !scope.foreign =>
            {
                Some(Action::Safe)
            }
            "net" | "tls" | "dgram" if own => Some(Action::Safe),
            "del" | "trash" | "remove" if own && p.scope.foreign => Some(Action::Verb),
            "eval" if !p.called => Some(Action::Dynamic),
            _ => Some(action),
        };
    }
    let first = p.full.split('.').next().unwrap_or(p.full);
    if !p.member
        && matches!(
            first,
            "fs" | "child_process" | "http" | "https" | "dns" | "Deno" | "Bun"
        )
        && p.head.is_some()
    {
        return (scope.language.is_safe(last) || !p.called).then_some(Action::Safe);
    }
    if scope.language.is_safe(last) {
        return p.harmless();
    }
    if scope.foreign && (p.head.is_some() || p.member || scope.aliases.contains_key(written)) {
        return p.unknown(true);
    }
    if p.head.is_none() && !p.member {
        let imported = scope.aliases.contains_key(written);
        return (!imported || !scope.partial && !scope.foreign).then_some(Action::Safe);
    }
    (!scope.partial && !scope.foreign).then_some(Action::Safe)
}

fn ruby(p: &Place<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    if let Some(action) = p
        .exact()
        .filter(|_| p.head.is_some() || p.full.contains("::"))
    {
        return Some(action);
    }
    // A class is named for what its methods are: `TCPSocket.new`.
    if p.full
        .split(['.', ':'])
        .any(|part| part.ends_with("Socket") || part == "TCPServer")
    {
        return Some(Action::NetSend);
    }
    if p.full == "require" {
        let what = if p.called { p.behind(2) } else { p.behind(1) };
        return match what {
            Some(Token::Str(library, true)) if !library.starts_with(['/', '.', '~']) => {
                Some(match scope.language.module(library) {
                    Reach::Foreign if scope.language.constant(library) == Reach::Foreign => {
                        Action::Execute
                    }
                    _ => Action::Safe,
                })
            }
            _ => Some(Action::Dynamic),
        };
    }
    let head = p.head.unwrap_or_default();
    let class = head.starts_with(|c: char| c.is_ascii_uppercase());
    let std = matches!(
        head,
        "STDIN" | "STDOUT" | "STDERR" | "$stdin" | "$stdout" | "$stderr" | "ARGF" | "ENV"
    );
    let own = std || !class && !head.is_empty() || p.member;
    if let Some(action) = p.act() {
        // `{delete: 1}`
        if p.is_behind(':')
            && p.behind(2) != Some(&Token::Punct(':'))
            && matches!(p.before(1), Some(Token::Punct('{' | ',' | '(')))
        {
            return Some(Action::Safe);
        }
        if class && scope.language.constant(head) >= Reach::Opaque && !scope.defined.contains(head)
        {
            return p.unknown(true).or(Some(action));
        }
        if own {
            let of_value = matches!(
                last,
                "read"
                    | "open"
                    | "write"
                    | "delete"
                    | "get"
                    | "start"
                    | "remove"
                    | "copy"
                    | "move"
                    | "rename"
                    | "install"
                    | "load"
                    | "link"
                    | "foreach"
                    | "rm"
                    | "cp"
                    | "mv"
                    | "unlink"
                    | "readlines"
                    | "touch"
                    | "put"
                    | "post"
                    | "patch"
                    | "truncate"
                    | "request"
                    | "ruby"
                    | "sh"
                    | "binding_"
            );
            let net = matches!(last, "put" | "post" | "patch" | "request") && scope.partial;
            if of_value && !net {
                return p.harmless();
            }
        }
        return Some(action);
    }
    let constant = p.full.starts_with(|c: char| c.is_ascii_uppercase());
    if scope.language.is_safe(last)
        && (own || !class || scope.language.constant(head) <= Reach::Partial)
    {
        return p.harmless();
    }
    if constant {
        let class = p.full.split('.').next().unwrap_or(p.full);
        return match scope.language.constant(class) {
            Reach::Pure => Some(Action::Safe),
            _ if scope.defined.contains(class) => Some(Action::Safe),
            Reach::Partial if p.head.is_none() => Some(Action::Safe),
            Reach::Partial => None,
            _ => p.unknown(true),
        };
    }
    if own {
        if scope.foreign || scope.partial {
            return p.unknown(scope.foreign);
        }
        return Some(Action::Safe);
    }
    // A variable, a key of a hash, or a symbol.
    let key = p.is_behind(':') && p.behind(2) != Some(&Token::Punct(':'))
        || p.before(1) == Some(&Token::Punct(':'))
        || p.full.starts_with(['$', '@']);
    if scope.defined.contains(last) || scope.language.is_safe(last) || key || last.len() == 1 {
        return Some(Action::Safe);
    }
    if p.head.is_some() {
        return Some(Action::Safe);
    }
    p.unknown(true)
}

fn php(p: &Place<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    if p.full.starts_with('$') {
        // `$f(...)` calls what the variable names.
        return Some(if p.called && !scope.defined.contains(p.full) {
            Action::Dynamic
        } else if p.exact() == Some(Action::Environment) {
            Action::Environment
        } else {
            Action::Safe
        });
    }
    if p.member {
        if last == "exec" || last == "query" {
            return Some(Action::Sql);
        }
        if scope.foreign || scope.partial {
            let known = scope.language.is_safe(last) && !scope.foreign;
            return known.then_some(Action::Safe).or_else(|| p.unknown(true));
        }
        return Some(Action::Safe);
    }
    if let Some((class, method)) = p.full.split_once("::") {
        return match scope.language.exact_module(class) {
            _ if scope.defined.contains(class) => Some(Action::Safe),
            Reach::Pure => Some(Action::Safe),
            _ => scope.language.act(method).or_else(|| p.unknown(true)),
        };
    }
    if matches!(p.before(1), Some(Token::Name(n)) if n == "new") {
        let class = scope.language.exact_module(p.full);
        let known = class <= Reach::Partial || scope.defined.contains(p.full);
        return p.exact().or_else(|| known.then_some(Action::Safe));
    }
    let lower = p.full.to_ascii_lowercase();
    if let Some(action) = p.exact().or_else(|| scope.language.act(&lower)) {
        return Some(action);
    }
    if scope.defined.contains(p.full)
        || scope.language.is_safe(p.full)
        || scope.language.exact_module(p.full) == Reach::Pure
    {
        return Some(Action::Safe);
    }
    p.unknown(p.called)
}

fn perl(p: &Place<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    if matches!(p.full, "do" | "eval") && p.is_behind('{') {
        return Some(Action::Safe);
    }
    if p.full.starts_with(['$', '@']) {
        return Some(
            p.exact()
                .filter(|a| *a == Action::Environment)
                .unwrap_or(Action::Safe),
        );
    }
    if matches!(p.before(1), Some(Token::Name(n)) if n == "use" || n == "no") {
        let listed = scope.language.exact_module(p.full) != Reach::Foreign;
        let safe = listed || scope.language.is_safe(p.full) || p.full.starts_with("v5");
        return Some(
            p.exact()
                .unwrap_or(if safe { Action::Safe } else { Action::Execute }),
        );
    }
    // `name => value`: a key.
    if let (Some(Token::Punct('=')), Some(Token::Punct('>'))) = (p.behind(1), p.behind(2)) {
        return Some(Action::Safe);
    }
    // A hash key or a method is no call of the builtin; a block that holds one is.
    let of_hash = match p.before(2) {
        Some(Token::Name(n)) => n.starts_with(['$', '@', '%']),
        Some(Token::Punct(c)) => matches!(c, '>' | ']'),
        _ => false,
    };
    if of_hash && p.before(1) == Some(&Token::Punct('{')) && p.is_behind('}') {
        return Some(Action::Safe);
    }
    if p.before(1) == Some(&Token::Punct('%')) && !p.called {
        return p
            .exact()
            .filter(|a| *a == Action::Environment)
            .or(Some(Action::Safe));
    }
    if let Some(action) = p.exact().or_else(|| p.act()) {
        if action == Action::Safe {
            return p.harmless();
        }
        // `$x->open` of a value, not of a class.
        return Some(action);
    }
    if scope.language.is_safe(last) && p.member {
        return p.harmless();
    }
    if scope.language.exact_module(p.full) == Reach::Pure || scope.defined.contains(last) {
        return Some(Action::Safe);
    }
    if p.member {
        if scope.foreign || scope.partial {
            return p.unknown(true);
        }
        return Some(Action::Safe);
    }
    // `-d`: a test of a file.
    if last.len() == 1 && p.before(1) == Some(&Token::Punct('-')) {
        return Some(Action::Safe);
    }
    // A handle of a file.
    if !p.called
        && !p.full.contains("::")
        && p.full
            .bytes()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_')
    {
        return Some(Action::Safe);
    }
    p.unknown(true)
}

fn lua(p: &Place<'_>) -> Option<Action> {
    let last = p.last;
    if let Some(action) = p.exact().filter(|_| p.head.is_some()) {
        return Some(action);
    }
    // A library as a value: what is taken out of it isn't seen.
    if matches!(p.full, "os" | "io" | "package" | "debug" | "_G" | "_ENV") {
        return Some(Action::Dynamic);
    }
    let library = matches!(p.head, Some("os" | "io" | "package" | "debug"));
    let own = p.head.is_some() && !library || p.member;
    if let Some(action) = p.act() {
        let of_value = matches!(
            last,
            "open" | "read" | "lines" | "input" | "output" | "rename" | "load"
        );
        return Some(if own && of_value {
            Action::Safe
        } else {
            action
        });
    }
    if library {
        return p.unknown(true);
    }
    Some(Action::Safe)
}

/// True if an unknown name at `i` is called or used in a way that can do something.
pub(super) fn matters(lang: &str, tokens: &[Token], i: usize) -> bool {
    match lang {
        // A bare word of perl or ruby is a call.
        "perl" | "ruby" => {
            !matches!(tokens.get(i), Some(Token::Name(n)) if n.starts_with(['$', '@']))
        }
        _ => {
            let before = i.checked_sub(1).and_then(|k| tokens.get(k));
            matches!(tokens.get(i + 1), Some(Token::Punct('(')))
                || matches!(before, Some(Token::Name(n)) if matches!(n.as_str(), "import" | "from" | "new"))
                // `run "…"`, `` tag`…` ``
                || matches!(tokens.get(i + 1), Some(Token::Str(..) | Token::Shell(_)))
        }
    }
}

/// True if a hole stands where code would, not where a value would.
pub(super) fn hole_is_code(tokens: &[Token], i: usize) -> bool {
    let prev = i.checked_sub(1).and_then(|k| tokens.get(k));
    let next = tokens.get(i + 1);
    matches!(prev, None | Some(Token::Punct(';' | '\n' | '{' | '}')))
        || matches!(next, Some(Token::Punct('(')))
        || matches!(prev, Some(Token::Hole))
}
