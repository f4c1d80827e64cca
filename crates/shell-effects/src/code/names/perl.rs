//! Actions of names in Perl.

use super::super::language::{Action, Capability};
use super::super::lex::Token;
use super::NameContext;

pub(super) fn perl(p: &NameContext<'_>) -> Option<Action> {
    let (scope, last) = (p.scope, p.last);
    if matches!(p.full, "do" | "eval") && p.is_followed_by('{') {
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
        if p.full == "lib" {
            let inside = |d: &str| !d.starts_with(['/', '~']) && !d.contains("..");
            let outside = |t: &Token| !matches!(t, Token::Str(d, true) if inside(d));
            return Some(if p.after(1).is_none_or(outside) {
                Action::Dynamic
            } else {
                Action::Execute
            });
        }
        let listed = scope.language.exact_module(p.full) != Capability::Foreign;
        let safe = listed || scope.language.is_safe(p.full) || p.full.starts_with("v5");
        return Some(
            p.exact()
                .unwrap_or(if safe { Action::Safe } else { Action::Execute }),
        );
    }
    // `name => value`: a key.
    if let (Some(Token::Punct('=')), Some(Token::Punct('>'))) = (p.after(1), p.after(2)) {
        return Some(Action::Safe);
    }
    // A hash key or a method isn't a call of the builtin; a block that contains the name is.
    let of_hash = match p.before(2) {
        Some(Token::Name(n)) => n.starts_with(['$', '@', '%']),
        Some(Token::Punct(c)) => matches!(c, '>' | ']'),
        _ => false,
    };
    if of_hash && p.before(1) == Some(&Token::Punct('{')) && p.is_followed_by('}') {
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
        // `$x->open` on a value, not on a class.
        return Some(action);
    }
    if scope.language.is_safe(last) && p.member {
        return p.harmless();
    }
    if scope.language.exact_module(p.full) == Capability::Pure || scope.defined.contains(last) {
        return Some(Action::Safe);
    }
    if p.member {
        if scope.foreign || scope.partial {
            return p.unknown(true);
        }
        return Some(Action::Safe);
    }
    // `-d`: a file test.
    if last.len() == 1 && p.before(1) == Some(&Token::Punct('-')) {
        return Some(Action::Safe);
    }
    // A file handle.
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
