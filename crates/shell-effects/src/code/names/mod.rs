//! The action of a name in code, depending on its context.

mod js;
mod lua;
mod perl;
mod php;
mod python;
mod ruby;

use super::language::{Action, Capability, has_verb};
use super::lex::Token;
use super::scope::{Scope, is_member};

/// A name in code with its context.
struct NameContext<'a> {
    scope: &'a Scope<'a>,
    tokens: &'a [Token],
    at: usize,
    /// The name, with an imported first part replaced by what it refers to.
    full: &'a str,
    /// The last part of `full`.
    last: &'a str,
    /// The part of `full` before `last`.
    head: Option<&'a str>,
    called: bool,
    /// Whether it is a member of a value without a name.
    member: bool,
}

impl NameContext<'_> {
    fn before(&self, n: usize) -> Option<&Token> {
        self.at.checked_sub(n).and_then(|k| self.tokens.get(k))
    }

    fn after(&self, n: usize) -> Option<&Token> {
        self.tokens.get(self.at.saturating_add(n))
    }

    fn is_followed_by(&self, mark: char) -> bool {
        self.after(1) == Some(&Token::Punct(mark))
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

    /// Returns whether it is a member of a function that acts: `rmSync.call`, `os.system.x`.
    fn is_member_of_action(&self) -> bool {
        let language = self.scope.language;
        let acts = |part: &str| language.acts(part) && language.module(part) == Capability::Foreign;
        self.head
            .is_some_and(|head| head.split('.').skip(1).any(acts))
            || matches!(self.last, "call" | "apply" | "bind")
                && self.head.is_some_and(|head| head.split('.').any(acts))
    }

    /// Returns the action of an unlisted function. One from an unknown module may do what a verb in
    /// its name says.
    fn unknown(&self, of_foreign: bool) -> Option<Action> {
        (of_foreign && has_verb(self.scope.lang, self.full)).then_some(Action::Verb)
    }

    /// Returns the action of a method that is listed as harmless. On a value from an unknown module
    /// it counts as unlisted.
    fn harmless(&self) -> Option<Action> {
        let called = self.called || matches!(self.scope.lang, "ruby" | "perl");
        let foreign = self.scope.foreign && called && (self.member || self.head.is_some());
        self.unknown(foreign).or(Some(Action::Safe))
    }
}

/// Returns the action of the name at `at`; `None` if it isn't known.
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
    let context = NameContext {
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
        "python" => python::python(&context),
        "js" => js::js(&context),
        "ruby" => ruby::ruby(&context),
        "php" => php::php(&context),
        "perl" => perl::perl(&context),
        _ => lua::lua(&context),
    }
}

/// Returns whether an unknown name at `i` is called or used in a way that can have effects.
pub(super) fn matters(lang: &str, tokens: &[Token], i: usize) -> bool {
    match lang {
        // A bare word in Perl or Ruby is a call.
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

/// Returns whether an unknown part is in a position for code instead of a value.
pub(super) fn unknown_is_code(tokens: &[Token], i: usize) -> bool {
    let prev = i.checked_sub(1).and_then(|k| tokens.get(k));
    let next = tokens.get(i + 1);
    matches!(prev, None | Some(Token::Punct(';' | '\n' | '{' | '}')))
        || matches!(next, Some(Token::Punct('(')))
        || matches!(prev, Some(Token::Unknown(_)))
}
