//! Splits SQL into tokens, by the rules of each dialect.

use crate::chars::UNKNOWN;

/// The lexical rules of a dialect: a set of the constants below.
pub(super) type LexRules = u16;

/// A backslash in a string escapes the next character.
const BACKSLASH: LexRules = 1;
/// `$tag$ … $tag$` is a string.
const DOLLAR: LexRules = 1 << 1;
/// `#` begins a comment.
const HASH: LexRules = 1 << 2;
/// `--` begins a comment only before a blank.
const DASH_BLANK: LexRules = 1 << 3;
/// `[…]` is a name.
const BRACKETS: LexRules = 1 << 4;
/// `]]` in such a name is a literal bracket.
const DOUBLE_BRACKET: LexRules = 1 << 5;
/// `` `…` `` is a name.
const BACKTICK: LexRules = 1 << 6;
/// Comments nest.
const NESTED: LexRules = 1 << 7;
/// The text in `/*! … */` is code.
const BANG: LexRules = 1 << 8;
/// A backslash in `E'…'` escapes the next character.
const E_STRING: LexRules = 1 << 9;
/// `//` begins a comment.
const SLASHES: LexRules = 1 << 10;
/// `'''…'''` is a string.
const TRIPLE: LexRules = 1 << 11;
/// `q'[…]'` is a string.
const Q_STRING: LexRules = 1 << 12;

/// A backslash in `"…"` is literal, even with `BACKSLASH`.
const PLAIN_QUOTED: LexRules = 1 << 13;

/// The client that processes the text first and extracts its own commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Client {
    Psql,
    Mysql,
    Sqlite,
    Tsql,
    /// Has no commands with a prefix of their own.
    Plain,
    Unknown,
}

const POSTGRES: LexRules = DOLLAR | NESTED | E_STRING;
const MYSQL: LexRules = BACKSLASH | HASH | DASH_BLANK | BACKTICK | BANG;
const SQLITE: LexRules = BRACKETS | BACKTICK;
const TSQL: LexRules = BRACKETS | DOUBLE_BRACKET | NESTED;

/// Returns the client of a language, and the lexical rules of its dialects.
pub(super) fn dialect(lang: &str) -> (Client, &'static [LexRules]) {
    match lang {
        "psql" => (Client::Psql, &[POSTGRES]),
        // A server can be configured to treat a backslash as literal, everywhere or in names.
        // Versions differ in the comments that they run.
        "mysql" => (
            Client::Mysql,
            &[
                MYSQL,
                MYSQL & !BACKSLASH,
                MYSQL & !BANG,
                MYSQL & !BANG & !BACKSLASH,
                MYSQL | PLAIN_QUOTED,
            ],
        ),
        "sqlite" => (Client::Sqlite, &[SQLITE]),
        "tsql" => (Client::Tsql, &[TSQL]),
        "duckdb" => (Client::Sqlite, &[POSTGRES, POSTGRES & !NESTED]),
        "clickhouse" => (
            Client::Plain,
            &[
                BACKSLASH | DOLLAR | HASH | BACKTICK,
                BACKSLASH | DOLLAR | HASH | BACKTICK | NESTED,
                BACKSLASH | DOLLAR | BACKTICK,
                BACKSLASH | DOLLAR | BACKTICK | NESTED,
            ],
        ),
        _ => (
            Client::Unknown,
            &[
                POSTGRES,
                MYSQL,
                MYSQL & !BANG,
                SQLITE,
                TSQL,
                SLASHES | DOLLAR,
                BACKSLASH | HASH | BACKTICK | TRIPLE,
                BACKSLASH | DOLLAR | SLASHES,
                BACKSLASH | DOLLAR | SLASHES | PLAIN_QUOTED,
                Q_STRING,
                0,
            ],
        ),
    }
}

/// Returns the rules reduced to those that matter for the text, without duplicates.
pub(super) fn distinct(rule_sets: &[LexRules], text: &str) -> Vec<LexRules> {
    let mut matters = 0;
    let has = |s: &str| text.contains(s);
    for (sign, flags) in [
        ("\\", BACKSLASH | E_STRING | PLAIN_QUOTED),
        ("$", DOLLAR),
        ("#", HASH),
        ("--", DASH_BLANK),
        ("[", BRACKETS | DOUBLE_BRACKET),
        ("`", BACKTICK),
        ("/*", NESTED | BANG),
        ("//", SLASHES),
        ("'''", TRIPLE),
        ("\"\"\"", TRIPLE),
        ("q'", Q_STRING),
        ("Q'", Q_STRING),
    ] {
        if has(sign) {
            matters |= flags;
        }
    }
    let mut out: Vec<LexRules> = Vec::new();
    for r in rule_sets {
        if !out.contains(&(r & matters)) {
            out.push(r & matters);
        }
    }
    out
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tok {
    /// In lower case.
    Word(String),
    /// A quoted name.
    Quoted(String),
    Str(String),
    Num,
    Punct(char),
    /// Unknown text, or a variable of the client.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SqlPiece {
    Statement(Vec<Tok>),
    /// A command of the client, up to the end of its line.
    Command(String),
}

/// The text tokenised by one set of rules.
pub(super) struct LexResult {
    pub pieces: Vec<SqlPiece>,
    /// Whether every string is closed.
    pub closed: bool,
    /// Whether there are unknown parts in strings or names.
    pub unknown_in_text: bool,
}

struct Lexer<'t> {
    c: &'t [char],
    i: usize,
    rules: LexRules,
    client: Client,
    out: LexResult,
    toks: Vec<Tok>,
}

/// First words of lines that the `mysql` client handles itself.
const MYSQL_WORDS: [&str; 17] = [
    "system",
    "source",
    "tee",
    "pager",
    "edit",
    "delimiter",
    "connect",
    "prompt",
    "rehash",
    "resetconnection",
    "notee",
    "nopager",
    "charset",
    "query_attributes",
    "ssl_session_data_print",
    "print",
    "bind",
];

pub(super) fn lex(text: &[char], client: Client, rules: LexRules) -> LexResult {
    let mut l = Lexer {
        c: text,
        i: 0,
        rules,
        client,
        out: LexResult {
            pieces: Vec::new(),
            closed: true,
            unknown_in_text: false,
        },
        toks: Vec::new(),
    };
    l.run();
    if !l.out.closed {
        l.toks.clear();
    }
    l.end_statement();
    l.out
}

fn blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\u{1}'
}

impl Lexer<'_> {
    fn at(&self, i: usize) -> char {
        self.c.get(i).copied().unwrap_or('\n')
    }

    fn can(&self, flag: LexRules) -> bool {
        self.rules & flag != 0
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.c.get(from..to).unwrap_or_default().iter().collect()
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = self.c.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|x| **x != '\n').count()
    }

    fn end_statement(&mut self) {
        if !self.toks.is_empty() {
            let toks = std::mem::take(&mut self.toks);
            self.out.pieces.push(SqlPiece::Statement(toks));
        }
    }

    fn command(&mut self, to: usize) {
        let text = self.text(self.i, to);
        self.out
            .pieces
            .push(SqlPiece::Command(text.trim().to_owned()));
        self.i = to;
    }

    fn run(&mut self) {
        let mut line_start = true;
        while self.i < self.c.len() {
            let c = self.at(self.i);
            if c.is_whitespace() {
                line_start |= c == '\n';
                self.i += 1;
                continue;
            }
            if std::mem::take(&mut line_start) && self.line_command() {
                line_start = true;
                continue;
            }
            self.token(c);
        }
    }

    /// Parses a line that the client handles itself.
    fn line_command(&mut self) -> bool {
        let (from, end) = (self.i, self.line_end(self.i));
        let mut head = self.c.get(from..end.min(from + 24)).unwrap_or_default();
        while let [rest @ .., last] = head
            && last.is_whitespace()
        {
            head = rest;
        }
        let head: String = head.iter().collect::<String>().to_ascii_lowercase();
        let go = head.strip_prefix("go").is_some_and(|rest| {
            rest.bytes()
                .all(|b| b.is_ascii_digit() || b.is_ascii_whitespace() || b == b';')
        });
        if end <= from + 24 && (go || matches!(head.as_str(), "/" | "ego")) {
            self.end_statement();
            self.i = end;
            return true;
        }
        let empty = self.toks.is_empty();
        let taken = match self.client {
            Client::Sqlite | Client::Unknown if empty && head.starts_with('.') => true,
            Client::Sqlite if empty && head.starts_with('#') => {
                self.i = end;
                return true;
            }
            Client::Tsql => head.starts_with(':') || head.starts_with("!!"),
            Client::Unknown => head.starts_with("!!") || empty && head.starts_with([':', '@', '!']),
            _ => false,
        };
        if taken {
            self.end_statement();
            self.command(end);
        }
        taken
    }

    fn token(&mut self, c: char) {
        let (i, next) = (self.i, self.at(self.i + 1));
        match c {
            '-' if next == '-' && (!self.can(DASH_BLANK) || blank(self.at(i + 2))) => {
                self.i = self.line_end(i);
            }
            '#' if self.can(HASH) => self.i = self.line_end(i),
            '/' if next == '/' && self.can(SLASHES) => self.i = self.line_end(i),
            '/' if next == '*' => self.comment(),
            '*' if next == '/' && self.can(BANG) => self.i += 2,
            '\'' | '"' => self.string(c),
            '`' if self.can(BACKTICK) => self.name('`', true),
            '[' if self.can(BRACKETS) => self.name(']', self.can(DOUBLE_BRACKET)),
            '$' if self.can(DOLLAR) && self.dollar() => {}
            '\\' => self.backslash(next),
            ';' => {
                self.end_statement();
                self.i += 1;
            }
            // A character that can't be shown may be a control character.
            UNKNOWN | '\u{fffd}' => {
                self.toks.push(Tok::Unknown);
                self.i += 1;
            }
            ':' if self.variable(next) => {
                self.toks.push(Tok::Unknown);
                self.i += 2;
            }
            '$' if next == '(' && matches!(self.client, Client::Tsql | Client::Unknown) => {
                self.toks.push(Tok::Unknown);
                self.i += 1;
            }
            '&' if self.client == Client::Unknown && (next.is_alphabetic() || next == '&') => {
                self.toks.push(Tok::Unknown);
                self.i += 1;
            }
            _ if c.is_ascii_digit() => {
                while self.at(self.i).is_ascii_digit() {
                    self.i += 1;
                }
                self.toks.push(Tok::Num);
            }
            _ if is_word(c) => self.word(),
            _ => {
                self.toks.push(Tok::Punct(c));
                self.i += 1;
            }
        }
    }

    /// Returns whether psql replaces a variable here: `:name`, `:'name'`, `:"name"`.
    fn variable(&self, next: char) -> bool {
        self.client == Client::Psql
            && (next.is_alphabetic() || matches!(next, '_' | '\'' | '"' | '{'))
            && self.toks.last() != Some(&Tok::Punct(':'))
    }

    fn word(&mut self) {
        let from = self.i;
        let dollar = self.can(DOLLAR);
        while self.i < self.c.len()
            && (is_word(self.at(self.i)) || dollar && self.at(self.i) == '$')
        {
            self.i += 1;
        }
        let word = self.text(from, self.i).to_lowercase();
        if self.at(self.i) == '\'' {
            if word == "e" && self.can(E_STRING) {
                let saved = self.rules;
                self.rules |= BACKSLASH;
                self.string('\'');
                self.rules = saved;
                return;
            }
            if matches!(word.as_str(), "q" | "nq") && self.can(Q_STRING) {
                self.q_string();
                return;
            }
        }
        if self.client == Client::Mysql
            && self.toks.is_empty()
            && MYSQL_WORDS.contains(&word.as_str())
        {
            self.i = from;
            let end = self.line_end(from);
            self.command(end);
            return;
        }
        self.toks.push(Tok::Word(word));
    }

    fn comment(&mut self) {
        let code = match (self.at(self.i + 2), self.at(self.i + 3)) {
            ('!', _) => 3,
            ('M', '!') => 4,
            _ => 0,
        };
        if self.can(BANG) && code > 0 {
            self.i += code;
            while self.at(self.i).is_ascii_digit() {
                self.i += 1;
            }
            return;
        }
        self.i += 2;
        let mut depth = 1usize;
        while self.i < self.c.len() && depth > 0 {
            match (self.at(self.i), self.at(self.i + 1)) {
                ('*', '/') => {
                    depth -= 1;
                    self.i += 2;
                }
                ('/', '*') if self.can(NESTED) => {
                    depth += 1;
                    self.i += 2;
                }
                _ => self.i += 1,
            }
        }
    }

    fn string(&mut self, quote: char) {
        let triple =
            self.can(TRIPLE) && self.at(self.i + 1) == quote && self.at(self.i + 2) == quote;
        self.i += if triple { 3 } else { 1 };
        let escapes = self.can(BACKSLASH) && !(quote == '"' && self.can(PLAIN_QUOTED));
        let mut text = String::new();
        let mut closed = false;
        while self.i < self.c.len() {
            let x = self.at(self.i);
            self.i += 1;
            if x == '\\' && escapes {
                text.push(self.at(self.i));
                self.i += 1;
            } else if x != quote {
                text.push(x);
            } else if triple {
                if self.at(self.i) == quote && self.at(self.i + 1) == quote {
                    self.i += 2;
                    closed = true;
                    break;
                }
                text.push(x);
            } else if self.at(self.i) == quote {
                text.push(quote);
                self.i += 1;
            } else {
                closed = true;
                break;
            }
        }
        self.close(closed);
        self.out.unknown_in_text |= text.contains(UNKNOWN);
        self.toks.push(if quote == '"' {
            Tok::Quoted(text)
        } else {
            Tok::Str(text)
        });
    }

    /// Parses `q'[…]'`.
    fn q_string(&mut self) {
        let open = self.at(self.i + 1);
        let end = match open {
            '[' => ']',
            '(' => ')',
            '{' => '}',
            '<' => '>',
            x => x,
        };
        self.i += 2;
        let rest = self.c.get(self.i..).unwrap_or_default();
        let n = rest.windows(2).position(|w| w == [end, '\'']);
        self.close(n.is_some());
        let to = self.i + n.unwrap_or(rest.len());
        let text = self.text(self.i, to);
        self.toks.push(Tok::Str(text));
        self.i = to + 2;
    }

    fn name(&mut self, end: char, doubles: bool) {
        self.i += 1;
        let escapes = self.can(BACKSLASH) && !self.can(DASH_BLANK) && end == '`';
        let mut text = String::new();
        let mut closed = false;
        while self.i < self.c.len() {
            let x = self.at(self.i);
            self.i += 1;
            if x == '\\' && escapes {
                text.push(self.at(self.i));
                self.i += 1;
            } else if x != end {
                text.push(x);
            } else if doubles && self.at(self.i) == end {
                text.push(end);
                self.i += 1;
            } else {
                closed = true;
                break;
            }
        }
        self.close(closed);
        self.out.unknown_in_text |= text.contains(UNKNOWN);
        self.toks.push(Tok::Quoted(text));
    }

    /// Parses `$tag$ … $tag$`. Returns false if it isn't one.
    fn dollar(&mut self) -> bool {
        let tag = self.c.get(self.i + 1..).unwrap_or_default();
        let n = tag.iter().take_while(|x| is_word(**x)).count();
        if tag.get(n) != Some(&'$') || tag.first().is_some_and(|x| x.is_ascii_digit()) {
            return false;
        }
        let mark = self.c.get(self.i..self.i + n + 2).unwrap_or_default();
        let from = self.i + n + 2;
        let rest = self.c.get(from..).unwrap_or_default();
        // A tag contains no dollar, so each dollar is tested once.
        let mut length = None;
        let mut k = 0;
        while let Some(x) = rest.get(k) {
            if *x == '$' && rest.get(k..k + mark.len()) == Some(mark) {
                length = Some(k);
                break;
            }
            k += 1;
        }
        self.close(length.is_some());
        let to = from + length.unwrap_or(rest.len());
        let text = self.text(from, to);
        self.out.unknown_in_text |= text.contains(UNKNOWN);
        self.toks.push(Tok::Str(text));
        self.i = to + mark.len();
        true
    }

    /// Records an unclosed text. It isn't a statement: the client waits for more, or the server
    /// rejects it.
    fn close(&mut self, closed: bool) {
        if !closed {
            self.out.closed = false;
        }
    }

    fn backslash(&mut self, next: char) {
        match (self.client, next) {
            (Client::Psql | Client::Unknown, ';') | (Client::Mysql | Client::Unknown, 'G') => {
                self.end_statement();
                self.i += 2;
            }
            (Client::Mysql, 'g' | 'c' | 'p' | 's' | 'h' | '?' | 'q' | 't' | 'n' | 'W' | 'w') => {
                self.end_statement();
                self.i += 2;
            }
            (Client::Psql | Client::Mysql | Client::Unknown, _) => {
                let end = self.line_end(self.i);
                self.command(end);
                // A psql command may or may not end the statement; assume the worse, that it does.
                self.end_statement();
            }
            _ => {
                self.toks.push(Tok::Punct('\\'));
                self.i += 1;
            }
        }
    }
}
