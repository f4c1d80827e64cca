//! Actions of names in Python.

use super::super::language::{Action, Capability, has_mild_verb};
use super::super::lex::{self, Token};
use super::super::scope::Import;
use super::NameContext;

/// Arguments that let data run code, and the values that don't.
const ALLOW: [(&str, &str); 5] = [
    ("trust_remote_code", "False"),
    ("allow_dangerous_deserialization", "False"),
    ("allow_pickle", "False"),
    ("weights_only", "True"),
    ("safe_mode", "True"),
];

pub(super) fn python(p: &NameContext<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    // `f(name=…)`
    if p.is_followed_by('=')
        && p.after(2) != Some(&Token::Punct('='))
        && p.head.is_none()
        && matches!(p.before(1), Some(Token::Punct('(' | ',')))
    {
        let allows = |(name, denies): &(&str, &str)| {
            *name == last && p.after(2).and_then(Token::name) != Some(*denies)
        };
        return Some(if ALLOW.iter().any(allows) {
            Action::Dynamic
        } else {
            Action::Safe
        });
    }
    match scope.imports.get(&p.at) {
        Some(Import::Name) => return Some(Action::Safe),
        Some(Import::Module(capability)) => {
            let listed = p.exact().or_else(|| p.act());
            return match (listed, capability) {
                (Some(action), Capability::Foreign) => Some(action),
                (_, Capability::Foreign) => Some(Action::Execute),
                (_, Capability::Dynamic) => Some(Action::Dynamic),
                (_, Capability::NetSend) => Some(Action::NetSend),
                _ => Some(Action::Safe),
            };
        }
        None => {}
    }
    // Attributes that give access to more than the value itself.
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
    // The first part is a name that the code defines.
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
    let of_value = p.member || head_reach == Some(Capability::Foreign) && !p.begins_with_import();
    match last {
        "run" | "call"
            if p.called && !p.member && p.head.is_none() && !scope.defined.contains(last) =>
        {
            return Some(Action::Shell);
        }
        "run" | "call" if p.called && p.mentions("subprocess") && of_value => {
            return Some(Action::Shell);
        }
        // A tree is written to a path; other values write text.
        "write" if p.member && (p.mentions("ElementTree") || p.mentions("etree")) => {
            let args = lex::call_args(p.tokens, p.at + 1);
            let path = args
                .first()
                .is_some_and(|a| a.texts.first() == Some(&a.partial));
            return Some(if path { Action::Write } else { Action::Safe });
        }
        "load" if p.called => return python_load(p),
        "query" | "eval" if p.called && (p.member || p.head.is_some()) && scope.mild => {
            return Some(Action::Query);
        }
        // Methods of a data frame by their names.
        "agg" | "aggregate" | "transform" | "apply" if p.called && scope.mild => {
            let args = lex::call_args(p.tokens, p.at + 1);
            let first = args.first().and_then(|a| a.literal.as_deref());
            let acts = first.is_some_and(|name| scope.language.act(name).is_some());
            return Some(if acts { Action::Dynamic } else { Action::Safe });
        }
        "open" if p.called && p.head.is_some() || p.member && last == "open" => {
            return Some(if of_value {
                Action::PathOpen
            } else {
                Action::Open
            });
        }
        // Replacing text takes two arguments; replacing a path takes only the destination.
        "replace" if p.called && of_value => {
            let args = lex::call_args(p.tokens, p.at + 1);
            let path = p.mentions("Path") || p.mentions("pathlib");
            let place =
                matches!(args.as_slice(), [one] if !one.keyword && (one.literal.is_some() || path));
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
                // Lists, dictionaries and similar values have these methods too.
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
        // A function with an ambiguous name, of a module without effects.
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
        let own = head_reach == Some(Capability::Pure)
            && p.head
                .is_some_and(|head| scope.language.exact_module(head) == Capability::Pure);
        return Some(if own && many { Action::Safe } else { action });
    }
    if !p.member && scope.language.exact_module(p.full) != Capability::Foreign {
        return Some(Action::Safe);
    }
    match head_reach {
        Some(Capability::Pure) => return Some(Action::Safe),
        Some(Capability::Mild) => {
            return (!has_mild_verb(scope.lang, last) || scope.language.is_safe(last))
                .then_some(Action::Safe);
        }
        Some(Capability::Foreign) | None => {}
        Some(Capability::Opaque) => {
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
    if p.begins_with_import() {
        return p.unknown(true);
    }
    if scope.language.is_safe(last) {
        return p.harmless();
    }
    if p.head.is_none() && !p.member {
        // A builtin, or a name that the code defines.
        return Some(Action::Safe);
    }
    if scope.foreign || scope.partial {
        return p.unknown(scope.foreign);
    }
    (!scope.mild || !has_mild_verb(scope.lang, last)).then_some(Action::Safe)
}

impl NameContext<'_> {
    /// Returns whether a name begins with an imported one.
    fn begins_with_import(&self) -> bool {
        let scope = self.scope;
        let Some(Token::Name(written)) = self.tokens.get(self.at) else {
            return false;
        };
        let first = written.split('.').next().unwrap_or(written);
        !self.member
            && (scope.aliases.contains_key(first)
                || scope.imports.iter().any(|(k, import)| {
                    let name = self.tokens.get(*k).and_then(Token::name);
                    matches!(import, Import::Module(_))
                        && name.is_some_and(|n| n.split('.').next() == Some(first))
                }))
    }
}

/// Returns the action of a name that is listed in full.
fn python_exact(p: &NameContext<'_>, action: Action) -> Option<Action> {
    let passed_on = !p.called && !p.member;
    match p.full {
        // Passed on as a value.
        "open" | "io.open" | "codecs.open"
            if passed_on
                && !matches!(
                    p.after(1),
                    Some(Token::Name(_) | Token::Punct('\n' | ';')) | None
                ) =>
        {
            Some(Action::Dynamic)
        }
        "open" | "io.open"
            if passed_on
                && matches!(p.before(1), Some(Token::Punct('=' | ':' | ',' | '(' | '['))) =>
        {
            Some(Action::Dynamic)
        }
        "open" if matches!(p.after(1), Some(Token::Name(n)) if n == "as") => Some(Action::Dynamic),
        "open" if p.member => Some(Action::PathOpen),
        // Methods of values.
        "remove" | "copy" | "move" | "link" | "code" | "compile" | "get" | "unlink" | "rmdir"
        | "touch" | "mkdir" | "chmod" | "rename" | "replace" | "run" | "load" | "post" | "put"
        | "patch" | "stream" | "request" | "interact" | "listen"
            if p.member =>
        {
            let inner = NameContext {
                head: Some(""),
                full: "",
                ..*p
            };
            python(&inner)
        }
        "eval" | "exec" | "getattr" if passed_on => Some(Action::Dynamic),
        // Listing the members of a module only gives names, unless something is called.
        _ if p.last == "getmembers" && !p.scope.calls_values => Some(Action::Safe),
        _ => Some(action),
    }
}

/// Returns the action of a `load` function. Loaded data can be code, unless the format has none.
fn python_load(p: &NameContext<'_>) -> Option<Action> {
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
        // The third argument is the same.
        Some("numpy")
            if p.mentions("allow_pickle") || lex::call_args(p.tokens, p.at + 1).len() > 2 =>
        {
            Some(Action::Dynamic)
        }
        Some("numpy") => Some(Action::Read),
        None if !p.member && (p.mentions("json") || p.mentions("tomllib")) => Some(Action::Safe),
        _ => None,
    }
}
