//! Actions of names in PHP.

use super::super::language::{Action, Capability};
use super::super::lex::{self, Token};
use super::NameContext;

pub(super) fn php(p: &NameContext<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    if p.full.starts_with('$') {
        // `$f(...)` calls the function that the variable names.
        let new = matches!(p.before(1), Some(Token::Name(n)) if n == "new");
        return Some(if new || p.called && !scope.defined.contains(p.full) {
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
            Capability::Pure => scope.language.act(method).or(Some(Action::Safe)),
            _ => scope.language.act(method).or_else(|| p.unknown(true)),
        };
    }
    if matches!(p.before(1), Some(Token::Name(n)) if n == "new") {
        let class = scope.language.exact_module(p.full);
        let known = class <= Capability::Partial || scope.defined.contains(p.full);
        return p.exact().or_else(|| known.then_some(Action::Safe));
    }
    let lower = p.full.to_ascii_lowercase();
    if lower == "preg_replace" && evaluates(&lex::call_args(p.tokens, p.at + 1)) {
        return Some(Action::Dynamic);
    }
    if let Some(action) = p.exact().or_else(|| scope.language.act(&lower)) {
        return Some(action);
    }
    if scope.defined.contains(p.full)
        || scope.language.is_safe(p.full)
        || scope.language.exact_module(p.full) == Capability::Pure
    {
        return Some(Action::Safe);
    }
    p.unknown(p.called)
}

/// Returns whether older PHP versions run the replacement as code: `preg_replace("/x/e", …)`.
fn evaluates(args: &[lex::CallArg]) -> bool {
    let pattern = args
        .first()
        .and_then(|a| a.literal.as_deref())
        .unwrap_or_default();
    let flags = pattern
        .rsplit(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default();
    flags.len() < pattern.len() && flags.contains('e')
}
