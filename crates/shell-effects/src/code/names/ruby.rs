//! Actions of names in Ruby.

use super::super::language::{Action, Capability};
use super::super::lex::Token;
use super::NameContext;

pub(super) fn ruby(p: &NameContext<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    if let Some(action) = p
        .exact()
        .filter(|_| p.head.is_some() || p.full.contains("::"))
    {
        return Some(action);
    }
    // `x.to_proc.call`
    let runs = |part: &str| scope.language.act(part) == Some(Action::Dynamic);
    if p.full.split('.').any(runs) {
        return Some(Action::Dynamic);
    }
    // A class that runs code, whatever its method: `ERB.new`.
    let class = p.full.split(['.', ':']).next().unwrap_or_default();
    if scope
        .language
        .act(class)
        .is_some_and(|a| matches!(a, Action::Dynamic | Action::NetSend))
    {
        return scope.language.act(class);
    }
    // The class determines the action of its methods: `TCPSocket.new`.
    if p.full
        .split(['.', ':'])
        .any(|part| part.ends_with("Socket") || part == "TCPServer")
    {
        return Some(Action::NetSend);
    }
    if p.full == "require" {
        let what = if p.called { p.after(2) } else { p.after(1) };
        return match what {
            Some(Token::Str(library, true)) if !library.starts_with(['/', '.', '~']) => {
                Some(match scope.language.module(library) {
                    Capability::Foreign
                        if scope.language.constant(library) == Capability::Foreign =>
                    {
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
        if p.is_followed_by(':')
            && p.after(2) != Some(&Token::Punct(':'))
            && matches!(p.before(1), Some(Token::Punct('{' | ',' | '(')))
        {
            return Some(Action::Safe);
        }
        if class
            && scope.language.constant(head) >= Capability::Opaque
            && !scope.defined.contains(head)
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
        && (own || !class || scope.language.constant(head) <= Capability::Partial)
    {
        return p.harmless();
    }
    if constant {
        let class = p.full.split('.').next().unwrap_or(p.full);
        return match scope.language.constant(class) {
            Capability::Pure => Some(Action::Safe),
            _ if scope.defined.contains(class) => Some(Action::Safe),
            Capability::Partial if p.head.is_none() => Some(Action::Safe),
            Capability::Partial => None,
            _ => p.unknown(true),
        };
    }
    if own {
        if scope.foreign || scope.partial {
            return p.unknown(scope.foreign);
        }
        // Code loaded by `-r` isn't known: a bare word may come from there.
        let root = head.split('.').next().unwrap_or_default();
        let known = p.member
            || std
            || root.len() <= 1
            || root.starts_with(['$', '@'])
            || scope.defined.contains(root)
            || scope.language.is_safe(root);
        if !known {
            return p.unknown(true);
        }
        return Some(Action::Safe);
    }
    // A variable, a key of a hash, or a symbol.
    let key = p.is_followed_by(':') && p.after(2) != Some(&Token::Punct(':'))
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
