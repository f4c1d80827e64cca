//! Expressions of PowerShell: strings, variables, operators and members.

use super::read::{
    Followed, OTHER, PLACES, Reader, UNFINISHED, is_name, is_name_start, may_assign,
};
use super::{TABLE, Value};
use crate::chars::UNKNOWN;
use crate::interpreter::env::names_secret;
use crate::paths::private;

impl Reader<'_, '_, '_> {
    pub(super) fn string(&mut self) -> Followed<Value> {
        let mut value = Value::literal(String::new());
        value.quoted = true;
        if self.eat("'") {
            loop {
                let part = self.take_while(|c| c != '\'');
                value.text.push_str(part);
                self.expect("'")?;
                if !self.eat("'") {
                    self.leak_literal(&value);
                    return Ok(value);
                }
                value.text.push('\'');
            }
        }
        self.expect("\"")?;
        loop {
            value
                .text
                .push_str(self.take_while(|c| !matches!(c, '"' | '$' | '\\')));
            match self.peek() {
                None => return Err(UNFINISHED),
                Some('"') => {
                    self.bump();
                    if !self.eat("\"") {
                        self.leak_literal(&value);
                        return Ok(value);
                    }
                    value.text.push('"');
                }
                Some('\\') => {
                    if self.is_line && self.peek_second() == Some('"') {
                        return Err("a backslash that bash reads in another way");
                    }
                    value.text.push('\\');
                    self.bump();
                }
                _ => match self.peek_second() {
                    Some(c) if is_name(c) || matches!(c, '(' | '?') => {
                        let part = self.variable()?;
                        value.push(&part);
                    }
                    Some('"' | ' ' | ')' | '|' | '/' | '.' | ',' | '%') => {
                        value.text.push('$');
                        self.bump();
                    }
                    _ => return Err(OTHER),
                },
            }
        }
    }

    /// Reads `$name`, `$env:NAME` or `$(…)`.
    pub(super) fn variable(&mut self) -> Followed<Value> {
        self.expect("$")?;
        if self.eat("(") {
            let mut value = self.statements(Some(')'))?;
            value.is_computed = true;
            return Ok(value);
        }
        if self.eat("?") {
            return Ok(Value::unknown());
        }
        let name = self.take_while(is_name);
        if name.is_empty() {
            return Err(OTHER);
        }
        self.is_certain |= name.eq_ignore_ascii_case("psversiontable");
        let mut value = Value::unknown();
        let mut place = match name.to_ascii_lowercase().as_str() {
            "home" => Some("~".to_owned()),
            "pwd" => Some(".".to_owned()),
            _ => None,
        };
        if self.peek() == Some(':') {
            self.bump();
            let variable = self.take_while(is_name).to_ascii_uppercase();
            if !name.eq_ignore_ascii_case("env") || variable.is_empty() {
                return Err("a variable of a provider");
            }
            self.is_certain = true;
            value.is_secret = names_secret(&variable);
            place = if PLACES.contains(&variable.as_str()) {
                Some(format!("$env:{variable}"))
            } else {
                private::variable(&variable).map(|path| format!("~/{path}"))
            };
        }
        if (self.eat("++") || self.eat("--")) && !name.is_empty() {
            may_assign(name)?;
        }
        // A path that begins with the variable. Behind other text, its value isn't known.
        let ends = match self.peek() {
            None => true,
            Some(c) => c.is_ascii_whitespace() || "/\\\"';|)},".contains(c),
        };
        if let Some(text) = place.filter(|_| ends) {
            value.text = text;
        }
        Ok(value)
    }

    pub(super) fn expression(&mut self) -> Followed<Value> {
        self.enter()?;
        let mut value = self.unary()?;
        loop {
            self.blanks()?;
            match self.peek() {
                Some(',') => {
                    self.bump();
                    self.lines()?;
                    value = value.with(&self.unary()?);
                }
                Some('.') if self.eat("..") => {
                    self.blanks()?;
                    value = value.with(&self.unary()?);
                }
                Some('+') => {
                    self.bump();
                    self.lines()?;
                    let next = self.unary()?;
                    value.push(&next);
                }
                Some('*' | '/' | '%') if self.peek_second() != Some('>') => {
                    self.bump();
                    self.lines()?;
                    value = value.with(&self.unary()?);
                }
                Some('-') => {
                    self.bump();
                    let name = self
                        .take_while(|c| c.is_ascii_alphabetic())
                        .to_ascii_lowercase();
                    let name = TABLE.operator(&name)?;
                    self.lines()?;
                    let next = if matches!(name, "is" | "isnot") {
                        self.type_name()?
                    } else {
                        self.unary()?
                    };
                    let builds = matches!(name, "f" | "join" | "replace" | "split");
                    if builds && value.is_literal && next.is_literal {
                        return Err("a text that is built to hide it");
                    }
                    value = value.with(&next);
                    value.is_secret &= !TABLE.is_test(name);
                }
                _ => break,
            }
        }
        self.leave();
        Ok(value)
    }

    /// Reads the type after `-is`.
    fn type_name(&mut self) -> Followed<Value> {
        if self.peek() != Some('[') {
            return self.unary();
        }
        self.bump();
        let name = self.take_type();
        self.expect("]")?;
        if !TABLE.is_cast(&name) {
            return Err("a type that isn't listed");
        }
        self.end_of_token()?;
        Ok(Value::unknown())
    }

    fn unary(&mut self) -> Followed<Value> {
        self.enter()?;
        self.blanks()?;
        let value = match self.peek() {
            Some('!') if matches!(self.peek_second(), Some('(' | '$')) => {
                self.bump();
                self.unary()?.tested()
            }
            Some(',') => {
                self.bump();
                self.unary()?
            }
            Some('-') => {
                self.bump();
                let name = self
                    .take_while(|c| c.is_ascii_alphabetic())
                    .to_ascii_lowercase();
                let value = match name.as_str() {
                    "" if self.peek().is_some_and(|c| c.is_ascii_digit()) => self.primary()?,
                    "not" | "bnot" => self.unary()?.tested(),
                    "join" | "split" => self.unary()?,
                    _ => return Err(OTHER),
                };
                if name == "join" && value.is_literal {
                    return Err("a text that is built to hide it");
                }
                value
            }
            Some('[') => {
                self.bump();
                let name = self.take_type();
                self.expect("]")?;
                if self.eat("::") {
                    let value = self.static_member(&name)?;
                    self.postfix(value)?
                } else if TABLE.is_cast(&name) {
                    self.unary()?
                } else {
                    return Err("a type that isn't listed");
                }
            }
            _ => {
                let value = self.primary()?;
                self.postfix(value)?
            }
        };
        self.leave();
        Ok(value)
    }

    fn static_member(&mut self, class: &str) -> Followed<Value> {
        let name = self.take_while(is_name).to_ascii_lowercase();
        if !TABLE.is_static(class, &name) {
            return Err("a member of a type that isn't listed");
        }
        self.is_certain = true;
        if self.peek() != Some('(') {
            let here = self.at;
            self.blanks()?;
            if name.ends_with("encoding") && self.peek() == Some('=') {
                self.bump();
                self.blanks()?;
                return self.unary();
            }
            self.at = here;
            return Ok(Value::unknown());
        }
        let mut value = self.arguments(if class.ends_with("path") { "/" } else { "" })?;
        if class == "string" {
            value = value.tested();
        }
        if !matches!(name.as_str(), "combine" | "join") {
            self.leak_literal(&value);
            value = Value {
                text: UNKNOWN.to_string(),
                is_literal: false,
                ..value
            };
        }
        Ok(value)
    }

    /// Reads the arguments of a method. Their texts are joined by `between`, if they are known.
    fn arguments(&mut self, between: &str) -> Followed<Value> {
        self.enter()?;
        self.expect("(")?;
        self.lines()?;
        let mut all: Option<Value> = None;
        while !self.eat(")") {
            if all.is_some() {
                self.expect(",")?;
                self.lines()?;
            }
            let next = self.operand()?;
            all = Some(match all {
                None => next,
                Some(mut value) => {
                    value.text.push_str(between);
                    value.push(&next);
                    value
                }
            });
            self.lines()?;
        }
        self.leave();
        Ok(all.unwrap_or_else(Value::unknown))
    }

    /// Reads an expression without commas.
    fn operand(&mut self) -> Followed<Value> {
        let mut value = self.unary()?;
        loop {
            self.blanks()?;
            match self.peek() {
                Some('+') => {
                    self.bump();
                    let next = self.unary()?;
                    value.push(&next);
                }
                Some('*' | '/' | '%' | '-') => {
                    self.bump();
                    value = value.with(&self.unary()?);
                }
                _ => return Ok(value),
            }
        }
    }

    pub(super) fn primary(&mut self) -> Followed<Value> {
        match self.peek() {
            Some('\'' | '"') => self.string(),
            Some('$') => self.variable(),
            Some('(') => {
                self.enter()?;
                self.bump();
                self.lines()?;
                let value = self.statement()?;
                self.lines()?;
                self.expect(")")?;
                self.leave();
                Ok(value)
            }
            Some('{') => self.block(),
            Some('@') if self.eat("@(") => self.statements(Some(')')),
            Some('@') if self.eat("@{") => self.pairs(),
            Some(c) if c.is_ascii_digit() => {
                let mut length = 0;
                for c in self.rest().chars() {
                    let after = self.rest().get(length..).unwrap_or_default();
                    if !(c.is_ascii_alphanumeric() || c == '.') || after.starts_with("..") {
                        break;
                    }
                    length += 1;
                }
                let number = self.rest().get(..length).unwrap_or_default();
                if !is_number(number) {
                    return Err(OTHER);
                }
                self.at += length;
                Ok(Value::literal(number.to_owned()))
            }
            _ => Err(OTHER),
        }
    }

    /// Reads `.Name`, `.Method(…)` and `[…]` after a value.
    pub(super) fn postfix(&mut self, start: Value) -> Followed<Value> {
        let mut value = start;
        loop {
            if self.peek() == Some('[') {
                self.bump();
                self.lines()?;
                let index = self.expression()?;
                self.lines()?;
                self.expect("]")?;
                self.leak_literal(&value);
                value = value.with(&index);
            } else if self.peek() == Some('.') && self.peek_second() != Some('.') {
                self.bump();
                if !self.peek().is_some_and(is_name_start) {
                    return Err("a member whose name is computed");
                }
                let name = self.take_while(is_name).to_ascii_lowercase();
                self.leak_literal(&value);
                if self.peek() == Some('(') {
                    if !TABLE.is_method(&name) {
                        return Err("a method that isn't listed");
                    }
                    let given = self.arguments("")?;
                    if value.is_literal && given.is_literal && name != "tostring" {
                        return Err("a text that is built to hide it");
                    }
                    value = value.with(&given);
                } else {
                    value = value.with(&Value::unknown());
                }
                let tests = [
                    "length",
                    "count",
                    "startswith",
                    "endswith",
                    "contains",
                    "containskey",
                    "equals",
                    "indexof",
                    "lastindexof",
                    "compareto",
                    "gettype",
                ];
                if tests.contains(&name.as_str()) {
                    value = value.tested();
                }
            } else {
                return Ok(value);
            }
        }
    }

    /// Reads the pairs of a hash table.
    fn pairs(&mut self) -> Followed<Value> {
        self.enter()?;
        let mut all = Value::literal(String::new());
        loop {
            self.lines()?;
            if self.eat(";") {
                continue;
            }
            if self.eat("}") {
                break;
            }
            let key = match self.peek() {
                Some('\'' | '"') => self.string()?,
                _ => Value::literal(self.take_while(is_name).to_owned()),
            };
            if key.text.is_empty() || !key.is_literal {
                return Err(OTHER);
            }
            self.blanks()?;
            self.expect("=")?;
            self.lines()?;
            let value = self.statement()?;
            self.leak_literal(&value);
            all.is_secret |= value.is_secret;
            all.is_literal &= value.is_literal;
            all.is_computed |= value.is_computed;
            self.blanks()?;
            if !matches!(self.peek(), Some('\n' | ';' | '}')) {
                return Err(OTHER);
            }
        }
        self.leave();
        all.text = UNKNOWN.to_string();
        Ok(all)
    }
}

/// Returns whether a text is a number: `12`, `1.5`, `0x1f`, `3kb`.
pub(super) fn is_number(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    }
    let digits = ["kb", "mb", "gb", "tb", "pb", "l", "d"]
        .iter()
        .find_map(|unit| text.strip_suffix(unit))
        .unwrap_or(&text);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.bytes().filter(|b| *b == b'.').count() < 2
}
