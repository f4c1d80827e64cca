//! Actions of names in JavaScript.

use super::super::language::{Action, Capability};
use super::super::lex::Token;
use super::NameContext;

pub(super) fn js(p: &NameContext<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    let written = p.tokens.get(p.at).and_then(Token::name).unwrap_or_default();
    if matches!(written, "require" | "import" | "from") && !p.member {
        let module = match (p.called, p.after(1), p.after(2)) {
            (false, Some(Token::Str(m, _)), _) | (true, _, Some(Token::Str(m, true))) => m,
            (true, ..) => return Some(Action::Dynamic),
            _ => return Some(Action::Safe),
        };
        let capability = scope.js_module(module);
        // `require("x")(…)`: the module is the function.
        let module = module.strip_prefix("node:").unwrap_or(module);
        if let (Some(Token::Punct(')')), Some(Token::Punct('('))) = (p.after(3), p.after(4))
            && let Some(action) = scope.language.act(module)
        {
            return Some(action);
        }
        return match capability {
            Capability::Foreign => Some(Action::Execute),
            Capability::Dynamic => Some(Action::Dynamic),
            Capability::NetSend => Some(Action::NetSend),
            _ => Some(Action::Safe),
        };
    }
    if is_destructured(p, written) {
        return Some(Action::Safe);
    }
    // `{name: …}`, but not `a ? name : b`.
    if p.is_followed_by(':')
        && matches!(p.before(1), Some(Token::Punct('{' | ',')))
        && p.head.is_none()
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
    if p.full.split('.').any(leads_out) || p.is_member_of_action() {
        return Some(Action::Dynamic);
    }
    if matches!(p.before(1), Some(Token::Name(n)) if n == "typeof") && !p.called {
        return Some(Action::Safe);
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

/// Returns whether a name is destructured from a module:
/// `const {execSync} = require("child_process")`. Each call of it is looked up separately.
fn is_destructured(p: &NameContext<'_>, written: &str) -> bool {
    let Some(Token::Punct('{' | ',')) = p.before(1) else {
        return false;
    };
    if p.called || p.member || !p.scope.aliases.contains_key(written) {
        return false;
    }
    let inside = |t: &&Token| matches!(t, Token::Name(_) | Token::Punct(',' | '\n'));
    let rest = p.tokens.get(p.at..).unwrap_or_default();
    let end = rest.iter().take_while(inside).count();
    let import =
        |name: &Token| matches!(name, Token::Name(n) if matches!(n.as_str(), "require" | "await"));
    match rest.get(end..) {
        Some(
            [
                Token::Punct('}'),
                Token::Punct('='),
                source,
                Token::Punct('(') | Token::Name(_),
                ..,
            ],
        ) => import(source),
        Some([Token::Punct('}'), Token::Name(from), Token::Str(..), ..]) => from == "from",
        _ => false,
    }
}
