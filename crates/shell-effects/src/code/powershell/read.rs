//! Reads PowerShell and emits its effects on the way: a subset; whatever else is in the text isn't
//! followed.
//!
//! Precedence doesn't matter here, since operators have no effects. A line is recognised by its
//! text alone and may be one for bash, so what bash reads otherwise isn't followed either.

use super::expression::is_number;
use super::{TABLE, Value, Word};
use crate::chars::is_placeholder;
use crate::effect::Span;
use crate::interpreter::engine::Engine;
use text_safety::invisible_chars::is_ignorable;

/// What was read, or why it isn't followed.
pub(super) type Followed<T> = Result<T, &'static str>;

/// Maximum nesting of parentheses, blocks and operators.
const MAX_DEPTH: usize = 96;

pub(super) const UNFINISHED: &str = "PowerShell that ends early or isn't followed";
pub(super) const OTHER: &str = "syntax of PowerShell that isn't followed";

/// Environment variables that paths begin with. Their values aren't inserted.
pub(super) const PLACES: [&str; 14] = [
    "HOME",
    "USERPROFILE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "ONEDRIVE",
    "PUBLIC",
    "TEMP",
    "TMP",
    "PROGRAMFILES",
    "PROGRAMDATA",
    "WINDIR",
    "SYSTEMROOT",
    "ALLUSERSPROFILE",
];

/// What the code mentions somewhere, which together may have an effect.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// A path of a secret, or of a directory above one.
    pub(super) private: Option<String>,
    /// Whether a path that isn't known is read.
    pub(super) reads_unknown: bool,
    /// Whether the environment is listed.
    pub(super) lists_environment: bool,
    /// Whether a text searches for secrets.
    pub(super) seeks_secrets: bool,
}

pub(super) struct Reader<'t, 'e, 'c> {
    pub(super) cx: &'e mut Engine<'c>,
    text: &'t str,
    pub(super) at: usize,
    depth: usize,
    pub(super) span: Span,
    /// Whether the text is a line that may be one for bash.
    pub(super) is_line: bool,
    /// Whether something was read that only PowerShell has.
    pub(super) is_certain: bool,
    pub(super) notes: Notes,
}

impl<'t, 'e, 'c> Reader<'t, 'e, 'c> {
    pub(super) fn new(cx: &'e mut Engine<'c>, text: &'t str, span: Span, is_line: bool) -> Self {
        Self {
            cx,
            text,
            at: 0,
            depth: 0,
            span,
            is_line,
            is_certain: false,
            notes: Notes::default(),
        }
    }

    /// Reads all of the text.
    pub(super) fn run(&mut self) -> Followed<()> {
        self.cx.burn(self.text.len() / 2 + 8);
        let mut chars = self.text.chars().peekable();
        while let Some(c) = chars.next() {
            // PowerShell takes typographic characters for quotes, dashes and blanks.
            let is_odd = match c {
                '\r' => chars.peek() != Some(&'\n'),
                '\n' | '\t' => false,
                '`' => true,
                '\u{ab}' | '\u{bb}' => false,
                c if is_placeholder(c) || c.is_control() => true,
                '\u{2000}'..='\u{206f}' => c != '\u{2026}' && c != '\u{2022}',
                c => !c.is_ascii() && (c.is_whitespace() || is_ignorable(c)),
            };
            if is_odd {
                return Err("a character that shells read in different ways");
            }
        }
        let value = self.statements(None)?;
        self.leak(&value);
        self.finish();
        Ok(())
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Followed<()> {
        if self.eat(text) {
            Ok(())
        } else {
            Err(UNFINISHED)
        }
    }

    pub(super) fn take_while(&mut self, is: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !is(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    pub(super) fn enter(&mut self) -> Followed<()> {
        self.depth += 1;
        self.cx.burn(2);
        if self.depth > MAX_DEPTH || self.cx.is_spent(self.span) {
            return Err("nested too deeply or too long");
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Reads the name of a type, in lower case.
    pub(super) fn take_type(&mut self) -> String {
        let mut name = self.take_while(is_type).to_ascii_lowercase();
        if self.eat("[]") {
            name.push_str("[]");
        }
        name
    }

    /// Skips blanks and a comment, in a statement.
    pub(super) fn blanks(&mut self) -> Followed<()> {
        self.take_while(|c| matches!(c, ' ' | '\t' | '\r'));
        if self.peek() == Some('#') {
            let before = self.text.get(..self.at).and_then(|t| t.chars().next_back());
            if before.is_some_and(|c| !c.is_ascii_whitespace() && c != ';') {
                return Err(OTHER);
            }
            self.take_while(|c| c != '\n');
        }
        Ok(())
    }

    /// Skips blanks, comments and ends of lines.
    pub(super) fn lines(&mut self) -> Followed<()> {
        self.blanks()?;
        while self.eat("\n") {
            self.blanks()?;
        }
        Ok(())
    }

    /// Reads statements up to the end of the text or a closing character.
    pub(super) fn statements(&mut self, end: Option<char>) -> Followed<Value> {
        self.enter()?;
        let mut value: Option<Value> = None;
        loop {
            self.lines()?;
            if self.eat(";") {
                continue;
            }
            match (self.peek(), end) {
                (None, None) => break,
                (None, Some(_)) => return Err(UNFINISHED),
                (Some(c), Some(end)) if c == end => {
                    self.bump();
                    break;
                }
                _ => {}
            }
            let next = self.chain()?;
            value = Some(value.map_or(next.clone(), |v| v.with(&next)));
            self.blanks()?;
            match self.peek() {
                None | Some('\n' | ';') => {}
                c if c == end => {}
                _ => return Err(OTHER),
            }
        }
        self.leave();
        Ok(value.unwrap_or_else(Value::unknown))
    }

    /// Reads statements joined by `&&` and `||`.
    fn chain(&mut self) -> Followed<Value> {
        let mut value = self.statement()?;
        let before = self.cx.clone_cwd();
        let mut moved = false;
        loop {
            self.blanks()?;
            if !(self.eat("&&") || self.eat("||")) {
                break;
            }
            self.lines()?;
            let next = self.statement()?;
            value = value.with(&next);
            moved |= self.cx.clone_cwd() != before;
        }
        if moved {
            self.cx.set_cwd(None);
        }
        Ok(value)
    }

    /// Returns the lower-case word at the current position, if it may be a keyword.
    fn keyword(&self) -> String {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let ends = rest.get(end..).is_none_or(|r| {
            r.is_empty() || r.starts_with([' ', '\t', '\r', '\n', '(', '{', ';', '}', ')'])
        });
        let word = rest.get(..end).filter(|w| ends && w.len() < 10);
        word.unwrap_or_default().to_ascii_lowercase()
    }

    pub(super) fn statement(&mut self) -> Followed<Value> {
        self.enter()?;
        let word = self.keyword();
        let length = word.len();
        let value = match word.as_str() {
            "if" => {
                self.at += length;
                self.condition()?;
                self.block()?;
                loop {
                    let here = self.at;
                    self.lines()?;
                    match self.keyword().as_str() {
                        "elseif" => {
                            self.at += 6;
                            self.condition()?;
                            self.block()?;
                        }
                        "else" => {
                            self.at += 4;
                            self.block()?;
                            break;
                        }
                        _ => {
                            self.at = here;
                            break;
                        }
                    }
                }
                Value::computed()
            }
            "while" => {
                self.at += length;
                self.condition()?;
                self.block()?;
                Value::computed()
            }
            "foreach" => {
                self.at += length;
                self.blanks()?;
                self.expect("(")?;
                self.blanks()?;
                self.expect("$")?;
                let name = self.take_while(is_name);
                may_assign(name)?;
                self.blanks()?;
                if self.keyword() != "in" {
                    return Err(OTHER);
                }
                self.at += 2;
                let value = self.statements(Some(')'))?;
                self.leak(&value);
                self.is_certain = true;
                self.block()?;
                Value::computed()
            }
            "try" => {
                self.at += length;
                self.block()?;
                loop {
                    let here = self.at;
                    self.lines()?;
                    let word = self.keyword();
                    if !matches!(word.as_str(), "catch" | "finally") {
                        self.at = here;
                        break;
                    }
                    self.at += word.len();
                    self.blanks()?;
                    if self.eat("[") {
                        self.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
                        self.expect("]")?;
                    }
                    self.block()?;
                }
                Value::computed()
            }
            "exit" | "return" | "throw" => {
                self.at += length;
                self.blanks()?;
                if matches!(self.peek(), None | Some('\n' | ';' | '}' | ')')) {
                    Value::computed()
                } else {
                    self.pipeline()?
                }
            }
            "break" | "continue" => {
                self.at += length;
                Value::computed()
            }
            _ => match self.assignment()? {
                Some(value) => value,
                None => self.pipeline()?,
            },
        };
        self.leave();
        Ok(value)
    }

    /// Reads a condition, whose value nobody sees.
    fn condition(&mut self) -> Followed<()> {
        self.blanks()?;
        self.expect("(")?;
        self.statements(Some(')'))?;
        Ok(())
    }

    /// Reads a block of code. It may run any number of times, so it must not move elsewhere.
    pub(super) fn block(&mut self) -> Followed<Value> {
        self.lines()?;
        self.expect("{")?;
        let before = self.cx.clone_cwd();
        let value = self.statements(Some('}'))?;
        self.leak(&value);
        if self.cx.clone_cwd() != before {
            return Err("a block that changes the current directory");
        }
        Ok(Value {
            is_block: true,
            ..Value::computed()
        })
    }

    /// Reads an assignment to a variable. `None` if there is none.
    fn assignment(&mut self) -> Followed<Option<Value>> {
        let here = self.at;
        while self.eat("[") {
            let name = self.take_type();
            if !self.eat("]") || !TABLE.is_cast(&name) {
                self.at = here;
                return Ok(None);
            }
        }
        if !self.eat("$") {
            self.at = here;
            return Ok(None);
        }
        let mut name = self.take_while(is_name);
        let is_environment = name.eq_ignore_ascii_case("env") && self.eat(":");
        if is_environment {
            name = self.take_while(is_name);
        }
        self.blanks()?;
        let is_sum = ["+=", "-=", "*=", "/="].iter().any(|op| self.eat(op));
        if name.is_empty() || !is_sum && (self.rest().starts_with("==") || !self.eat("=")) {
            self.at = here;
            return Ok(None);
        }
        self.is_certain = true;
        if !is_environment {
            may_assign(name)?;
        }
        self.lines()?;
        let value = self.statement()?;
        self.leak(&value);
        if is_environment {
            let text = (!is_sum).then_some(value.text.as_str());
            self.set_environment(&name.to_ascii_uppercase(), text)?;
        }
        Ok(Some(Value::unknown()))
    }

    fn set_environment(&mut self, name: &str, value: Option<&str>) -> Followed<()> {
        let prefixes = ["PS", "COR", "COMPLUS", "PATH", "COMSPEC", "__"];
        if PLACES.contains(&name) || prefixes.iter().any(|p| name.starts_with(p)) {
            return Err("a variable that changes how programs or paths are found");
        }
        crate::code::actions::code_variable(self.cx, name, value, self.span);
        Ok(())
    }

    fn pipeline(&mut self) -> Followed<Value> {
        self.blanks()?;
        let mut value = if self.is_expression() {
            let value = self.expression()?;
            while self.redirection()? {}
            self.leak_literal(&value);
            value
        } else {
            self.command(false)?
        };
        loop {
            self.blanks()?;
            if self.rest().starts_with("||") || !self.eat("|") {
                return Ok(value);
            }
            self.leak(&value);
            self.lines()?;
            value = self.command(true)?;
        }
    }

    fn is_expression(&self) -> bool {
        match self.peek() {
            Some('$' | '(' | '@' | '\'' | '"' | '[' | '{' | '!' | ',' | '-') => true,
            Some(c) if c.is_ascii_digit() => {
                let rest = self.rest();
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
                let number = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                is_number(number) || number.split_once("..").is_some_and(|(a, _)| is_number(a))
            }
            _ => false,
        }
    }

    fn command(&mut self, piped: bool) -> Followed<Value> {
        self.enter()?;
        let called = !self.rest().starts_with("&&") && self.eat("&");
        self.blanks()?;
        let name = match self.peek() {
            Some('{') if called => {
                self.leave();
                return self.block();
            }
            Some(c @ ('%' | '?')) => {
                self.bump();
                Value::literal(c.to_string())
            }
            Some('\'' | '"') if called => {
                let name = self.string()?;
                self.end_of_token()?;
                name
            }
            Some(c) if c.is_ascii_alphanumeric() || "._/\\~".contains(c) => {
                let name = self.bareword(Value::literal(String::new()))?;
                if name.quoted {
                    return Err("a command whose name is quoted");
                }
                name
            }
            _ => return Err(OTHER),
        };
        if !name.is_literal || name.text.is_empty() || matches!(name.text.as_str(), "." | ":") {
            return Err("a command whose name is computed");
        }
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.blanks()?;
            match self.peek() {
                None | Some('\n' | ';' | '|' | ')' | '}') => break,
                Some('&') if self.peek_second() == Some('&') => break,
                Some('&') => return Err("a command in the background"),
                _ if self.redirection()? => {}
                _ => words.push(self.word()?),
            }
        }
        let value = self.call(&name, &words, piped)?;
        self.leave();
        Ok(value)
    }

    /// Reads a redirection, if there is one.
    fn redirection(&mut self) -> Followed<bool> {
        self.blanks()?;
        let here = self.at;
        let stream = self.take_while(|c| c.is_ascii_digit());
        if self.peek() != Some('>') {
            self.at = here;
            return Ok(false);
        }
        if stream.len() > 1 || matches!(stream, "0" | "7" | "8" | "9") {
            return Err(OTHER);
        }
        self.bump();
        if self.eat("&") {
            let ok = !stream.is_empty() && (self.eat("1") || self.eat("2"));
            return if ok {
                self.end_of_token().map(|()| true)
            } else {
                Err(OTHER)
            };
        }
        self.eat(">");
        self.blanks()?;
        if self
            .rest()
            .get(..5)
            .is_some_and(|t| t.eq_ignore_ascii_case("$null"))
        {
            self.at += 5;
            return self.end_of_token().map(|()| true);
        }
        let to = self.item()?;
        self.write_to(&to)?;
        Ok(true)
    }

    /// Reads an argument: items separated by commas.
    fn word(&mut self) -> Followed<Word> {
        let is_bare = !matches!(self.peek(), Some('\'' | '"' | '(' | '@' | '$' | '{'));
        let mut values = vec![self.item()?];
        loop {
            let here = self.at;
            self.blanks()?;
            if !self.eat(",") {
                self.at = here;
                break;
            }
            self.lines()?;
            values.push(self.item()?);
        }
        Ok(Word { values, is_bare })
    }

    fn item(&mut self) -> Followed<Value> {
        self.cx.burn(4);
        let value = match self.peek() {
            Some('\'' | '"') => self.string()?,
            Some('(' | '{' | '@') => {
                let value = self.primary()?;
                self.postfix(value)?
            }
            Some('$') => {
                let value = self.variable()?;
                let next = self.peek_second();
                let is_member = self.peek() == Some('.') && next.is_some_and(is_name_start);
                let value = if is_member || self.peek() == Some('[') {
                    self.postfix(value)?
                } else {
                    value
                };
                return self.bareword(value);
            }
            Some(',' | '<') | None => return Err(OTHER),
            _ => return self.bareword(Value::literal(String::new())),
        };
        self.end_of_token()?;
        Ok(value)
    }

    pub(super) fn end_of_token(&self) -> Followed<()> {
        match self.peek() {
            None | Some(' ' | '\t' | '\r' | '\n' | ';' | '|' | ')' | '}' | ',' | '&') => Ok(()),
            _ => Err(OTHER),
        }
    }

    /// Reads the rest of a word that doesn't begin with a quote.
    fn bareword(&mut self, start: Value) -> Followed<Value> {
        let mut word = start;
        let here = self.at;
        let is_new = word.text.is_empty();
        loop {
            match self.peek() {
                None | Some(' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | ')' | '}' | ',') => break,
                Some('>') => {
                    if word.text.bytes().all(|b| b.is_ascii_digit() || b == b'*') {
                        return Err(OTHER);
                    }
                    break;
                }
                Some('\'' | '"') => {
                    if word.text.starts_with('-') && !word.text.contains([':', '=']) {
                        word.is_odd = true;
                    }
                    let part = self.string()?;
                    word.push(&part);
                    word.quoted = true;
                }
                Some('$') => {
                    let part = self.variable()?;
                    word.push(&part);
                }
                Some('(' | '{' | '<') => return Err(OTHER),
                Some('\\') => {
                    let next = self.peek_second();
                    let is_plain = |c: char| c.is_alphanumeric() || "._-+\\/*?".contains(c);
                    if self.is_line && !next.is_some_and(is_plain) {
                        return Err("a backslash that bash reads in another way");
                    }
                    word.text.push('\\');
                    self.bump();
                }
                Some(c) => {
                    word.text.push(c);
                    self.bump();
                }
            }
        }
        self.cx.burn(word.text.len() / 8);
        let start = word.text.as_bytes();
        self.is_certain |= matches!(start, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
        if is_new && self.at == here {
            return Err(OTHER);
        }
        Ok(word)
    }
}

pub(super) fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

pub(super) fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_type(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '.'
}

/// Refuses assignments to variables that change how PowerShell works.
pub(super) fn may_assign(name: &str) -> Followed<()> {
    let name = name.to_ascii_lowercase();
    let own = [
        "home",
        "pwd",
        "_",
        "args",
        "input",
        "this",
        "true",
        "false",
        "executioncontext",
        "ofs",
        "profile",
        "host",
        "matches",
        "myinvocation",
        "stacktrace",
        "foreach",
        "switch",
    ];
    if name.is_empty() || name.starts_with("ps") || own.contains(&name.as_str()) {
        return Err("a variable that PowerShell itself follows");
    }
    Ok(())
}
