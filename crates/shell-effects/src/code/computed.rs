//! Calls of computed functions: of a variable, of a text, of a table's element.

use super::language::language;
use super::lex::Token;
use super::scope::lists_members;

/// Returns whether Perl code calls a function by a name in a variable or an expression: `&$f(…)`,
/// `&{"f"}`, `"f"->(…)`.
fn symbolic_call(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(i, t)| {
        let amp = |k: usize| tokens.get(k) == Some(&Token::Punct('&'));
        let computed = match tokens.get(i + 1) {
            Some(Token::Name(n)) => n.starts_with('$'),
            Some(Token::Punct('{')) => true,
            _ => false,
        };
        if *t == Token::Punct('&') && computed {
            // `&&` joins conditions, and `&` between two values is an operator.
            let run = (0..=i).rev().take_while(|k| amp(*k)).count();
            let before = i.checked_sub(run).and_then(|k| tokens.get(k));
            let value = match before {
                Some(Token::Name(n)) => n.starts_with(['$', '@', '%']),
                Some(Token::Num | Token::Str(..) | Token::Punct(')' | ']' | '}')) => true,
                _ => false,
            };
            return run == 3 || run == 1 && !value;
        }
        match tokens.get(i..i + 3) {
            // `$f->(…)`, `$h{x}->(…)`: the value before the arrow determines the function.
            Some([Token::Punct('-'), Token::Punct('>'), Token::Punct('(')]) => {
                !calls_own_sub(tokens, i)
            }
            // Between subscripts the arrow is optional: `$h{x}(…)`, `$a[0](…)`.
            Some([Token::Punct(c @ ('}' | ']')), Token::Punct('('), _]) => subscript(tokens, i, *c),
            _ => false,
        }
    })
}

/// Returns whether the variable before the arrow at `at` is only assigned `sub {…}`.
fn calls_own_sub(tokens: &[Token], at: usize) -> bool {
    let Some(Token::Name(var)) = at.checked_sub(1).and_then(|k| tokens.get(k)) else {
        return false;
    };
    let given = |w: &[Token]| match w {
        [Token::Name(n), Token::Punct('='), value] if n == var => {
            Some(matches!(value, Token::Name(v) if v == "sub"))
        }
        _ => None,
    };
    let mut values = tokens.windows(3).filter_map(given).peekable();
    values.peek().is_some() && values.all(|own| own)
}

/// Returns whether the bracket that closes at `end` is a subscript of a variable: `$h{x}`,
/// `$r->[0]`.
fn subscript(tokens: &[Token], end: usize, close: char) -> bool {
    let open = if close == '}' { '{' } else { '[' };
    let mut depth = 0_usize;
    for k in (0..=end).rev() {
        match tokens.get(k) {
            Some(Token::Punct(c)) if *c == close => depth += 1,
            Some(Token::Punct(c)) if *c == open => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let before = k.checked_sub(1).and_then(|k| tokens.get(k));
            let arrow = k.checked_sub(2).and_then(|k| tokens.get(k)) == Some(&Token::Punct('-'));
            return match before {
                Some(Token::Name(n)) => n.starts_with('$'),
                Some(Token::Punct('>')) => arrow,
                Some(Token::Punct(']' | '}')) => true,
                _ => false,
            };
        }
    }
    false
}

/// Returns whether the bracket that closes at `end` contains a function.
fn closes_function(tokens: &[Token], end: usize) -> bool {
    let mut depth = 0_usize;
    for k in (0..=end).rev() {
        match tokens.get(k) {
            Some(Token::Punct(')')) => depth += 1,
            Some(Token::Punct('(')) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let first = tokens.get(k + 1).and_then(Token::name);
            return matches!(first, Some("function" | "fn" | "static"));
        }
    }
    false
}

/// Returns whether Ruby code looks up a method by a computed name: `method("sys" + "tem")`. In
/// `method(:puts)` the name is literal.
fn computed_method(tokens: &[Token]) -> bool {
    const LOOKUPS: [&str; 3] = ["method", "public_method", "singleton_method"];
    tokens.iter().enumerate().any(|(i, t)| {
        let member = t.name().and_then(|name| name.rsplit('.').next());
        let symbol = matches!(
            tokens.get(i + 2..i + 5),
            Some([Token::Punct(':'), Token::Name(_), Token::Punct(')')])
        );
        member.is_some_and(|name| LOOKUPS.contains(&name))
            && tokens.get(i + 1) == Some(&Token::Punct('('))
            && !symbol
    })
}

/// Returns whether the code calls a function that it looks up by a computed name:
/// `x["a" + "b"](…)`.
pub(crate) fn computed_call(lang: &str, tokens: &[Token]) -> bool {
    if lang == "perl" {
        return symbolic_call(tokens);
    }
    if lang == "ruby" {
        return computed_method(tokens);
    }
    // A member of a Lua library by its name as text: `os["execute"]`.
    let library = |n: &str| matches!(n, "os" | "io" | "_G" | "_ENV" | "package" | "debug");
    if lang == "lua"
        && tokens
            .windows(2)
            .any(|w| matches!(w, [Token::Name(n), Token::Punct('[')] if library(n)))
    {
        return true;
    }
    // `("sys" . "tem")(…)`, `"system"(…)`, but not `(function() {…})(…)`.
    let by_text = |(i, w): (usize, &[Token])| match w {
        [Token::Str(..), Token::Punct('(')] => true,
        [Token::Punct(')'), Token::Punct('(')] => !closes_function(tokens, i),
        _ => false,
    };
    if lang == "php" && tokens.windows(2).enumerate().any(by_text) {
        return true;
    }
    // `fs["rmSync"]`, `x["constructor"]`
    let by_name = |w: &[Token]| match w {
        [
            before,
            Token::Punct('['),
            Token::Str(name, _),
            Token::Punct(']'),
        ] => {
            !matches!(before, Token::Punct('(' | ',' | '=' | '[' | ':' | '?'))
                && language(lang).acts(name)
        }
        _ => false,
    };
    if lang == "js" && tokens.windows(4).any(by_name) {
        return true;
    }
    // Functions taken from a module by their index.
    let listed = |t: &Token| t.name().is_some_and(lists_members);
    if lang == "js"
        && tokens.iter().any(listed)
        && tokens
            .windows(2)
            .any(|w| matches!(w, [Token::Punct(']'), Token::Punct('(')]))
    {
        return true;
    }
    tokens.windows(3).enumerate().any(|(i, w)| {
        matches!(w, [Token::Punct(']'), Token::Punct('('), _]) && {
            // The subscript must contain a string or a name; a number is harmless.
            let head = tokens.get(..i).unwrap_or_default();
            head.iter()
                .rev()
                .take(8)
                .take_while(|t| **t != Token::Punct('['))
                .any(|t| matches!(t, Token::Str(..) | Token::Name(_)))
        }
    })
}
