//! An approximate lexer for C-like and scripting languages alike.

/// A token of inline code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A dotted name (`os.path.join`, `File::open`, `$fh->print`).
    Name(String),
    /// A string; false if it has computed parts.
    Str(String, bool),
    /// A command in backticks, `qx` or `%x`.
    Shell(String),
    Num,
    Punct(char),
    /// An unknown part: any text (true), or one without blanks and slashes.
    Unknown(bool),
}

impl Token {
    /// Returns the name, if it is one.
    pub(crate) fn name(&self) -> Option<&str> {
        if let Self::Name(name) = self {
            Some(name)
        } else {
            None
        }
    }
}

/// An argument of a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallArg {
    /// The text if the argument is one plain string.
    pub literal: Option<String>,
    /// The elements of a list; unknown ones are `UNKNOWN`.
    pub words: Vec<String>,
    /// Whether the list contains only strings.
    pub complete: bool,
    /// Whether it is an object or a hash.
    pub object: bool,
    /// Whether it is a function.
    pub function: bool,
    /// Whether it is a single name or number: neither a text nor a function that the code defines.
    pub bare: bool,
    /// The joined strings; unknown parts are `UNKNOWN`.
    pub partial: String,
    /// Whether it is given by keyword (`encoding="utf8"`).
    pub keyword: bool,
    pub key: String,
    /// All texts in it, in order.
    pub texts: Vec<String>,
    /// Keys and values of an object; `None` for an unknown value.
    pub pairs: Vec<(String, Option<String>)>,
    /// Whether an unknown list is spread into arguments.
    pub spread: bool,
}

/// Maximum nesting of code in substitutions.
const MAX_SUBSTITUTIONS: usize = 4;

/// Splits code into tokens.
pub fn tokens(lang: &str, text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    tokenise(lang, text, 0, &mut out);
    out
}

fn tokenise(lang: &str, text: &str, depth: usize, out: &mut Vec<Token>) {
    let c: Vec<char> = text.chars().collect();
    let mut i = 0;
    let at = |i: usize| c.get(i).copied().unwrap_or('\n');
    while i < c.len() {
        let ch = at(i);
        match ch {
            '\0' | '\u{1}' => {
                out.push(Token::Unknown(ch == '\0'));
                i += 1;
            }
            _ if ch.is_whitespace() => {
                if ch == '\n' {
                    out.push(Token::Punct('\n'));
                }
                i += 1;
            }
            '#' if matches!(lang, "python" | "ruby" | "perl" | "php") => {
                while i < c.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '/' && matches!(lang, "js" | "php") => {
                while i < c.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' && matches!(lang, "js" | "php") => {
                i += 2;
                while i < c.len() && !(at(i) == '*' && at(i + 1) == '/') {
                    i += 1;
                }
                i += 2;
            }
            '-' if at(i + 1) == '-' && lang == "lua" => {
                if let Some((_, n)) = long_bracket(&c, i + 2) {
                    i = n;
                    continue;
                }
                while i < c.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '[' if lang == "lua"
                && let Some((s, n)) = long_bracket(&c, i) =>
            {
                out.push(Token::Str(s, true));
                i = n;
            }
            '`' if lang != "python" && lang != "lua" => {
                let (s, n) = quoted(&c, i + 1, '`');
                i = n;
                let tagged = matches!(out.last(), Some(Token::Name(n)) if n.ends_with('$'));
                out.push(if lang == "js" && !tagged {
                    let plain = !s.contains("${");
                    Token::Str(s, plain)
                } else {
                    Token::Shell(s)
                });
            }
            '"' | '\'' => {
                let triple = lang == "python" && at(i + 1) == ch && at(i + 2) == ch;
                let prefix = |n: &str| n.len() <= 2 && n.chars().all(|x| "rbfuRBFU".contains(x));
                let raw_prefix = lang == "python"
                    && out.last().and_then(Token::name).is_some_and(prefix)
                    && i > 0
                    && at(i - 1).is_alphabetic();
                let mut fstring = false;
                if raw_prefix && let Some(Token::Name(n)) = out.pop() {
                    fstring = n.contains(['f', 'F']);
                }
                let (s, n) = if triple {
                    let mut j = i + 3;
                    while j < c.len() && !(at(j) == ch && at(j + 1) == ch && at(j + 2) == ch) {
                        j += 1;
                    }
                    (
                        c.get(i + 3..j.min(c.len()))
                            .unwrap_or_default()
                            .iter()
                            .collect(),
                        j + 3,
                    )
                } else {
                    quoted(&c, i + 1, ch)
                };
                i = n;
                let interpolates = match lang {
                    "python" => fstring && s.contains('{'),
                    "ruby" => ch == '"' && s.contains("#{"),
                    "perl" | "php" => {
                        ch == '"' && (s.contains('$') || s.contains('@') && lang == "perl")
                    }
                    _ => false,
                };
                let decoded = if ch == '\'' && matches!(lang, "ruby" | "perl" | "php") {
                    s
                } else {
                    crate::syntax::escapes::ansi_c(&s).0
                };
                let plain = !interpolates && !decoded.contains('\0');
                out.push(Token::Str(decoded, plain));
            }
            '%' if matches!(lang, "ruby") && at(i + 1) == 'x' && !at(i + 2).is_alphanumeric() => {
                let (s, n) = between(&c, i + 3, at(i + 2));
                i = n;
                out.push(Token::Shell(s));
            }
            '%' if lang == "ruby"
                && matches!(at(i + 1), 'w' | 'i' | 'W' | 'I' | 'q' | 'Q')
                && "([{<|/!".contains(at(i + 2))
                && !matches!(
                    out.last(),
                    Some(Token::Num | Token::Str(..) | Token::Punct(')' | ']' | '}'))
                ) =>
            {
                let (s, n) = between(&c, i + 3, at(i + 2));
                let plain = at(i + 1).is_lowercase() || !s.contains("#{");
                if matches!(at(i + 1), 'q' | 'Q') || !plain {
                    out.push(Token::Str(s, plain));
                } else {
                    word_list(&s, out);
                }
                i = n;
            }
            '/' if matches!(lang, "perl" | "ruby" | "js") && regex_position(out) => {
                let (_, n) = quoted(&c, i + 1, '/');
                i = n;
                while at(i).is_ascii_lowercase() {
                    i += 1;
                }
                out.push(Token::Num);
            }
            // Punctuation variables: `$"` begins no string, `$#` no comment.
            '$' if matches!(lang, "perl" | "ruby") && matches!(at(i + 1), '"' | '\'' | '`') => {
                out.push(Token::Name(format!("${}", at(i + 1))));
                i += 2;
            }
            '$' if lang == "perl" && at(i + 1) == '#' => {
                out.push(Token::Name("$#".to_owned()));
                i += 2;
            }
            _ if ch.is_ascii_digit() => {
                // `10.digits` is a call, `1.5` isn't.
                while i < c.len()
                    && (at(i).is_ascii_alphanumeric()
                        || at(i) == '_'
                        || at(i) == '.' && at(i + 1).is_ascii_digit())
                {
                    i += 1;
                }
                out.push(Token::Num);
            }
            _ if ch.is_alphabetic()
                || ch == '_'
                || ch == '$'
                || (ch == '@' && lang != "python") =>
            {
                let from = i;
                i += 1;
                loop {
                    let x = at(i);
                    if i >= c.len() {
                        break;
                    }
                    let letter = x.is_alphanumeric()
                        || x == '_'
                        || matches!(x, '?' | '!') && lang == "ruby" && at(i + 1) != '='
                        || x == '$' && lang == "js";
                    // A member after a dot belongs to the name.
                    let dot = x == '.'
                        && (at(i + 1).is_alphabetic() || matches!(at(i + 1), '_' | '$'))
                        && lang != "perl"
                        && lang != "php";
                    if letter || dot {
                        i += 1;
                    } else if x == ':'
                        && at(i + 1) == ':'
                        && matches!(lang, "ruby" | "perl" | "php")
                    {
                        i += 2;
                    } else if x == ':' && lang == "lua" && at(i + 1).is_alphabetic() {
                        i += 1;
                    } else {
                        break;
                    }
                }
                let name: String = c.get(from..i).unwrap_or_default().iter().collect();
                // Perl's quote-like operators.
                if matches!(lang, "perl")
                    && matches!(
                        name.as_str(),
                        "q" | "qq" | "qx" | "qw" | "m" | "s" | "y" | "tr" | "qr"
                    )
                    && !at(i).is_alphanumeric()
                {
                    let mut j = i;
                    // After a blank, `#` begins a comment, and the text follows it.
                    while j < c.len() && (at(j).is_whitespace() || at(j) == '#' && j > i) {
                        if at(j) == '#' {
                            while j < c.len() && at(j) != '\n' {
                                j += 1;
                            }
                        }
                        j += 1;
                    }
                    let d = at(j);
                    // `$h{y}` is a member by its name, not an operator.
                    let before: Vec<&Token> = out.iter().rev().take(2).collect();
                    let member = d == '}'
                        && matches!(
                            before.as_slice(),
                            [Token::Punct('{'), ..] | [Token::Punct('-'), Token::Punct('{')]
                        );
                    if !(member
                        || d.is_alphanumeric()
                        || matches!(d, ' ' | '\n' | ',' | ';' | ')' | '='))
                    {
                        let (s, mut n) = between(&c, j + 1, d);
                        let mut replacement = String::new();
                        if matches!(name.as_str(), "s" | "y" | "tr") {
                            let mut k = n;
                            let mut second = d;
                            if closing(d) != d {
                                while at(k).is_whitespace() && k < c.len() {
                                    k += 1;
                                }
                                second = at(k);
                                k += 1;
                            }
                            let (text, m) = between(&c, k, second);
                            replacement = text;
                            n = m;
                        }
                        let mut evals = 0;
                        if !name.starts_with('q') || name == "qr" {
                            while at(n).is_ascii_lowercase() && n < c.len() {
                                evals += usize::from(at(n) == 'e' && name == "s");
                                n += 1;
                            }
                        }
                        i = n;
                        match name.as_str() {
                            "qx" => out.push(Token::Shell(s)),
                            "q" => out.push(Token::Str(s, true)),
                            "qq" => {
                                let plain = !s.contains(['$', '@']);
                                out.push(Token::Str(s, plain));
                            }
                            "qw" => word_list(&s, out),
                            // The replacement is code.
                            _ if evals == 1 && d != '\'' && depth < MAX_SUBSTITUTIONS => {
                                out.extend([Token::Num, Token::Punct(';')]);
                                tokenise(lang, &replacement, depth + 1, out);
                                out.push(Token::Punct(';'));
                            }
                            _ if evals > 0 => out.push(Token::Name("s///e".to_owned())),
                            _ => out.push(Token::Num),
                        }
                        continue;
                    }
                }
                out.push(Token::Name(name));
            }
            _ => {
                out.push(Token::Punct(ch));
                i += 1;
            }
        }
    }
}

/// Adds a list of the words of a text.
fn word_list(text: &str, out: &mut Vec<Token>) {
    out.push(Token::Punct('['));
    for (i, word) in text.split_whitespace().enumerate() {
        if i > 0 {
            out.push(Token::Punct(','));
        }
        out.push(Token::Str(word.to_owned(), true));
    }
    out.push(Token::Punct(']'));
}

/// Returns the text in Lua's long brackets (`[[…]]`, `[==[…]==]`) that begins at `from`, and its
/// end.
fn long_bracket(c: &[char], from: usize) -> Option<(String, usize)> {
    let level = c.get(from + 1..)?.iter().take_while(|x| **x == '=').count();
    if c.get(from) != Some(&'[') || c.get(from + 1 + level) != Some(&'[') {
        return None;
    }
    let inside = c.get(from + level + 2..)?;
    let mut closing = vec!['='; level + 2];
    if let [first, .., last] = closing.as_mut_slice() {
        (*first, *last) = (']', ']');
    }
    let length = inside
        .windows(closing.len())
        .position(|w| w == closing)
        .unwrap_or(inside.len());
    Some((
        inside.get(..length)?.iter().collect(),
        from + level + 2 + length + closing.len(),
    ))
}

fn closing(c: char) -> char {
    match c {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        c => c,
    }
}

/// Returns whether a regular expression can begin here: after an operator, not after a value.
fn regex_position(out: &[Token]) -> bool {
    match out.last() {
        None => true,
        // `$i++ / 2`
        Some(Token::Punct(sign @ ('+' | '-')))
            if out.iter().rev().nth(1) == Some(&Token::Punct(*sign))
                && matches!(
                    out.iter().rev().nth(2),
                    Some(Token::Name(_) | Token::Punct(')' | ']' | '}'))
                ) =>
        {
            false
        }
        Some(Token::Punct(p)) => !matches!(p, ')' | ']' | '}'),
        Some(Token::Name(n)) => {
            matches!(
                n.as_str(),
                "if" | "unless"
                    | "and"
                    | "or"
                    | "not"
                    | "return"
                    | "grep"
                    | "split"
                    | "while"
                    | "print"
            )
        }
        _ => false,
    }
}

/// Returns the text after the opening delimiter `open`, in which brackets may nest, and its end.
fn between(c: &[char], from: usize, open: char) -> (String, usize) {
    let close = closing(open);
    if open == close {
        return quoted(c, from, close);
    }
    let mut depth = 0_usize;
    let mut i = from;
    while let Some(&x) = c.get(i) {
        if x == '\\' {
            i += 2;
            continue;
        }
        if x == close && depth == 0 {
            break;
        }
        if x == open {
            depth += 1;
        } else if x == close {
            depth -= 1;
        }
        i += 1;
    }
    let end = i.min(c.len());
    let text = c.get(from..end).unwrap_or_default().iter().collect();
    (text, end + 1)
}

fn quoted(c: &[char], from: usize, close: char) -> (String, usize) {
    let mut s = String::new();
    let mut i = from;
    while let Some(&x) = c.get(i) {
        if x == '\\' {
            s.push(x);
            if let Some(&y) = c.get(i + 1) {
                s.push(y);
            }
            i += 2;
            continue;
        }
        if x == close {
            return (s, i + 1);
        }
        s.push(x);
        i += 1;
    }
    (s, i)
}

/// Returns the arguments of the call whose name is just before `i`.
pub(crate) fn call_args(tokens: &[Token], i: usize) -> Vec<CallArg> {
    let paren = tokens.get(i) == Some(&Token::Punct('('));
    let mut i = if paren { i + 1 } else { i };
    let mut out = Vec::new();
    let mut cur: Vec<&Token> = Vec::new();
    let mut depth = 0usize;
    while let Some(t) = tokens.get(i) {
        match t {
            Token::Punct('(' | '[' | '{') => {
                depth += 1;
                cur.push(t);
            }
            Token::Punct(')' | ']' | '}') => {
                if depth == 0 {
                    break;
                }
                depth -= 1;
                cur.push(t);
            }
            Token::Punct(',') if depth == 0 => out.push(arg_of(&std::mem::take(&mut cur))),
            Token::Punct(';' | '\n') if depth == 0 && !paren => break,
            Token::Punct('\n') => {}
            t => cur.push(t),
        }
        i += 1;
        if out.len() > 64 || cur.len() > 4096 {
            break;
        }
    }
    if !cur.is_empty() {
        out.push(arg_of(&cur));
    }
    out
}

fn arg_of(tokens: &[&Token]) -> CallArg {
    let mut a = CallArg {
        spread: matches!(tokens, [Token::Punct('*'), ..]),
        ..CallArg::default()
    };
    a.texts = tokens
        .iter()
        .filter_map(|t| {
            if let Token::Str(s, _) = t {
                Some(s.clone())
            } else {
                None
            }
        })
        .collect();
    let mut tokens = tokens;
    if let [Token::Name(key), Token::Punct('=' | ':'), value @ ..] = tokens
        && !matches!(value, [Token::Punct('=' | '>' | ':'), ..])
        && key != "lambda"
    {
        a.keyword = true;
        a.key.clone_from(key);
        tokens = value;
    }
    if let [
        Token::Name(join),
        Token::Punct('('),
        inner @ ..,
        Token::Punct(')'),
    ] = tokens
        && PATH_JOINS.contains(&join.as_str())
        && inner.iter().all(|t| !matches!(t, Token::Punct('(' | ')')))
    {
        return join_path(a, inner);
    }
    a.pairs = pairs(tokens);
    a.object = matches!(tokens, [Token::Punct('{'), .., Token::Punct('}')]);
    let arrow = |w: &[&Token]| matches!(w, [Token::Punct('='), Token::Punct('>')]);
    a.function = match tokens {
        [Token::Name(n), ..]
            if matches!(
                n.as_str(),
                "function" | "lambda" | "fn" | "sub" | "async" | "static"
            ) =>
        {
            true
        }
        [Token::Name(_) | Token::Punct('('), ..] => tokens.windows(2).any(arrow),
        _ => false,
    };
    a.bare = matches!(tokens, [Token::Name(_) | Token::Num]);
    // Strings that are adjacent, or joined by `+` or `.`, are one text.
    let mut text = String::new();
    let mut plain = !tokens.is_empty();
    for t in tokens {
        match t {
            Token::Str(s, true) => text.push_str(s),
            Token::Punct('+' | '.') => {}
            _ => plain = false,
        }
    }
    a.partial = partial(tokens);
    if plain {
        a.literal = Some(text);
    } else if let [Token::Punct('[' | '('), inner @ ..] = tokens {
        list(&mut a, inner);
        // `("a" + b)` isn't a list.
        if tokens.first() == Some(&&Token::Punct('(')) && a.words.len() == 1 {
            a.words.clear();
        }
    }
    a
}

/// Returns keys and values: `{"a": x}`, `{"a" => x}`, `dict(a=x)`.
fn pairs(tokens: &[&Token]) -> Vec<(String, Option<String>)> {
    let mut out = Vec::new();
    for (i, w) in tokens.windows(2).enumerate() {
        let (key, mark) = match w {
            [
                Token::Str(key, _) | Token::Name(key),
                Token::Punct(mark @ (':' | '=')),
            ] => (key, *mark),
            _ => continue,
        };
        let mut value = tokens.get(i + 2..).unwrap_or_default();
        match (mark, value) {
            ('=', [Token::Punct('>'), rest @ ..]) => value = rest,
            (_, [Token::Punct('=' | ':'), ..]) => continue,
            _ => {}
        }
        let text = match value {
            [Token::Str(text, true)]
            | [Token::Str(text, true), Token::Punct(',' | '}' | ')'), ..] => Some(text.clone()),
            _ => None,
        };
        out.push((key.clone(), text));
    }
    out
}

/// Joins the strings of an expression; other parts are `UNKNOWN`.
fn partial(tokens: &[&Token]) -> String {
    let mut out = String::new();
    for t in tokens {
        match t {
            Token::Str(s, true) => out.push_str(s),
            Token::Str(s, false) => out.push_str(&blank_interpolations(s)),
            // `Path("a") / "b"`
            Token::Punct('/') => out.push('/'),
            Token::Punct(_) => {}
            _ if !out.ends_with('\0') => out.push('\0'),
            _ => {}
        }
    }
    out
}

/// Replaces interpolations in a text by `UNKNOWN`: `{…}`, `${…}`, `#{…}`, `$name`, `@name`.
fn blank_interpolations(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let code = match c {
            '{' => true,
            '#' | '$' | '@' if chars.peek() == Some(&'{') => {
                chars.next();
                true
            }
            '$' | '@' => false,
            c => {
                out.push(c);
                continue;
            }
        };
        if code {
            while chars.next().is_some_and(|c| c != '}') {}
        } else {
            while chars
                .next_if(|c| c.is_alphanumeric() || *c == '_')
                .is_some()
            {}
        }
        if !out.ends_with('\0') {
            out.push('\0');
        }
    }
    out
}

/// Parses the elements of the list that begins here.
fn list(a: &mut CallArg, tokens: &[&Token]) {
    let mut depth = 0_usize;
    let mut element: Vec<&Token> = Vec::new();
    let mut rest = tokens.iter();
    a.complete = true;
    let mut add = |element: &mut Vec<&Token>, complete: &mut bool| {
        let literal = match element.as_slice() {
            [] => return,
            [Token::Str(s, true)] => Some(s.clone()),
            _ => None,
        };
        *complete &= literal.is_some();
        let spread = matches!(element.as_slice(), [Token::Punct('*' | '.'), ..]);
        let text = literal.unwrap_or_else(|| partial(element));
        a.words.push(if text.is_empty() || spread {
            "\0".to_owned()
        } else {
            text
        });
        element.clear();
    };
    let mut complete = true;
    for t in rest.by_ref() {
        match t {
            Token::Punct('(' | '[' | '{') => depth += 1,
            Token::Punct(')' | ']' | '}') if depth == 0 => break,
            Token::Punct(')' | ']' | '}') => depth -= 1,
            Token::Punct(',') if depth == 0 => {
                add(&mut element, &mut complete);
                continue;
            }
            _ => {}
        }
        element.push(t);
    }
    add(&mut element, &mut complete);
    // `["rm"] + more`
    if rest.next().is_some() {
        complete = false;
        a.words.push("\0".to_owned());
    }
    a.complete = complete;
}

/// Functions that join paths.
const PATH_JOINS: [&str; 9] = [
    "os.path.join",
    "posixpath.join",
    "path.join",
    "path.resolve",
    "Path",
    "pathlib.Path",
    "PurePath",
    "File.join",
    "join",
];

/// Evaluates a path that is joined from parts.
fn join_path(mut a: CallArg, inner: &[&Token]) -> CallArg {
    let mut known = true;
    for part in inner.split(|t| **t == Token::Punct(',')) {
        let text = if let [Token::Str(s, true)] = part {
            s.as_str()
        } else {
            known = false;
            "\0"
        };
        if text.starts_with('/') {
            a.partial.clear();
        } else if !a.partial.is_empty() && !a.partial.ends_with('/') {
            a.partial.push('/');
        }
        a.partial.push_str(text);
    }
    a.literal = known.then(|| a.partial.clone());
    a
}

/// Returns the literal in `Name("literal").method`, where the method's name is at `i`.
pub(crate) fn receiver_literal(tokens: &[Token], i: usize) -> Option<String> {
    let k = i.checked_sub(5)?;
    match tokens.get(k..i)? {
        [
            Token::Name(path),
            Token::Punct('('),
            Token::Str(s, true),
            Token::Punct(')'),
            Token::Punct('.'),
        ] if path.ends_with("Path") => receiver_path(s, tokens.get(i)?.name()?),
        _ => None,
    }
}

/// Returns the path that a method applies to: `write_text` to the path itself, `parent.mkdir` to
/// its parent.
fn receiver_path(path: &str, name: &str) -> Option<String> {
    let mut path = path;
    let (members, _method) = name.rsplit_once('.').unwrap_or(("", name));
    for member in members.split('.').filter(|m| !m.is_empty()) {
        if member != "parent" {
            return None;
        }
        path = match path.trim_end_matches('/').rsplit_once('/') {
            Some(("", _)) => "/",
            Some((above, _)) => above,
            None => ".",
        };
    }
    Some(path.to_owned())
}

/// Returns whether a name is spelled in a way that only the interpreter reads: with an escape
/// (JavaScript), or with characters that Python normalises to ASCII (NFKC).
pub(super) fn disguises_names(lang: &str, tokens: &[Token]) -> bool {
    let like_ascii = |c: char| {
        matches!(
            u32::from(c),
            // Full-width and mathematical letters, letters like `ℯ`, superscripts and subscripts.
            0xff21..=0xff5a
                | 0x1d400..=0x1d7ff
                | 0x2100..=0x214f
                | 0x2c7c..=0x2c7d
                | 0x1d2c..=0x1d6a
                | 0x2070..=0x209c
                | 0xaa
                | 0xba
                | 0x2b0..=0x2b8
                | 0x2e0..=0x2e4
                | 0xfb00..=0xfb06
        )
    };
    tokens.iter().any(|token| match (lang, token) {
        ("js", Token::Punct(sign)) => *sign == '\\',
        ("python", Token::Punct(sign)) => like_ascii(*sign),
        ("python", Token::Name(name)) => name.chars().any(like_ascii),
        _ => false,
    })
}
