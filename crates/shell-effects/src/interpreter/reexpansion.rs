//! Values that bash evaluates a second time: names and subscripts in arithmetic, prompts,
//! subscripts in names.
//!
//! `x='a[$(cmd)]'; echo $((x))` runs `cmd`: arithmetic evaluates the value of a name as another
//! expression, and expands the subscripts in it.

use super::engine::Engine;
use super::expand::{Arg, Var};
use crate::chars::{SAFE_UNKNOWN, UNKNOWN, has_unknown};
use crate::effect::Span;
use crate::syntax::parse::{Base, Parser};
use std::collections::HashSet;

/// Maximum number of names in one expression.
const MAX_NAMES: usize = 64;

/// Variables whose assigned values bash always evaluates as arithmetic.
const INTEGER_VARIABLES: [&str; 12] = [
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "OPTIND",
    "HISTCMD",
    "UID",
    "EUID",
    "PPID",
    "BASHPID",
    "EPOCHSECONDS",
    "MAILCHECK",
];

/// Returns whether `-n` of this builtin makes names stand for other variables.
fn has_references(args: &[Arg]) -> bool {
    args.first()
        .is_some_and(|a| matches!(a.text.as_str(), "declare" | "typeset" | "local"))
}

/// Returns whether the expansion of a text has effects.
fn has_expansion(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("${") || text.contains("$[")
}

/// Returns the names that arithmetic looks up.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|w| {
            w.bytes()
                .next()
                .is_some_and(|c| c.is_ascii_alphabetic() || c == b'_')
        })
}

/// Returns the names that arithmetic assigns.
fn assigned(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let start = at + rest.find(is_name)?;
            let rest = text.get(start..)?;
            let end = start + rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            at = end;
            let (name, before) = (text.get(start..end)?, text.get(..start)?.trim_end());
            let counted = before.ends_with("++") || before.ends_with("--");
            if counted || is_assignment(text.get(end..)?) {
                return Some(name).filter(|name| !name.is_empty());
            }
        }
    })
}

/// Returns whether what follows a name assigns to it, or to one of its elements.
fn is_assignment(rest: &str) -> bool {
    let mut rest = rest.trim_start();
    if rest.starts_with('[') {
        let mut depth = 0usize;
        let close = rest.find(|c| {
            match c {
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        rest = close
            .and_then(|at| rest.get(at + 1..))
            .unwrap_or_default()
            .trim_start();
    }
    if rest.starts_with("++") || rest.starts_with("--") {
        return true;
    }
    let operators = ["<<", ">>", "*", "/", "%", "+", "-", "&", "^", "|"];
    let operator = operators.iter().find_map(|one| rest.strip_prefix(one));
    let value = operator.unwrap_or(rest).strip_prefix('=');
    value.is_some_and(|value| !value.starts_with('='))
}

impl Engine<'_> {
    /// Expands text as if it were between double quotes.
    pub(super) fn reexpand(&mut self, text: &str, span: Span) {
        self.burn(text.len() / 4 + 8);
        if self.is_spent(span) {
            return;
        }
        if self.work.is_too_deep() {
            self.dynamic(span, "code nested too deeply");
            return;
        }
        let source = crate::chars::source(text);
        let fuel = self
            .work
            .fuel()
            .min(source.len().saturating_mul(40).saturating_add(400));
        let mut parser = Parser::new(&source, Base::Fixed(span), 0, fuel);
        let word = parser.double_quoted(None);
        self.burn((fuel - parser.fuel) / 4);
        match word {
            Ok(parts) => {
                self.work.enter();
                let _ = self.text(&crate::syntax::ast::Word { parts, span });
                self.work.leave();
            }
            Err(e) => {
                let why = format!("not understood as text that the shell expands: {e}");
                self.emit_unknown(None, span, why);
            }
        }
    }

    /// Evaluates an arithmetic expression whose substitutions are done. The values of its names are
    /// expressions too.
    pub(super) fn arithmetic(&mut self, text: &str, span: Span) {
        if text.bytes().all(|c| c.is_ascii_digit()) {
            return;
        }
        let mut seen: HashSet<String> = HashSet::new();
        let mut queue = vec![text.to_owned()];
        while let Some(text) = queue.pop() {
            self.burn(text.len() / 8 + 1);
            if self.is_spent(span) {
                return;
            }
            if has_expansion(&text) {
                self.reexpand(&text, span);
            }
            for name in assigned(&text) {
                self.assign_number(name, span);
            }
            for name in names(&text) {
                if seen.contains(name) || !self.shell.has_var(name) {
                    continue;
                }
                if seen.len() == MAX_NAMES {
                    self.dynamic(span, "arithmetic with more names than are followed");
                    return;
                }
                seen.insert(name.to_owned());
                if let Some(var) = self.shell.var(name) {
                    let values = std::iter::once(&var.text).chain(var.array.iter().flatten());
                    // Numbers have no names to follow.
                    queue.extend(
                        values
                            .filter(|v| {
                                v.bytes()
                                    .any(|c| c.is_ascii_alphabetic() || c == b'$' || c == b'`')
                            })
                            .cloned(),
                    );
                }
            }
        }
    }

    /// Sets a variable to a number that isn't followed.
    pub(super) fn assign_number(&mut self, name: &str, span: Span) {
        if name == "PATH" {
            self.dynamic(span, "a number decides which programs the line finds");
        }
        self.env_effect(name, "0", span);
        if self.shell.has_var(name) {
            let value = Var {
                text: SAFE_UNKNOWN.to_string(),
                ..Var::default()
            };
            self.shell.set_var(name.to_owned(), value);
        }
    }

    /// Evaluates both sides of `-eq` and similar operators as arithmetic.
    pub(super) fn arithmetic_test(&mut self, words: &[(String, Span)]) {
        for (i, (op, _)) in words.iter().enumerate() {
            if !matches!(op.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") {
                continue;
            }
            let before = i.checked_sub(1).and_then(|k| words.get(k));
            for (text, span) in before.into_iter().chain(words.get(i + 1)) {
                self.arithmetic(text, *span);
            }
        }
    }

    /// Evaluates a subscript in a name (`a[$(cmd)]`), which bash expands even if it is quoted.
    pub(crate) fn subscript(&mut self, a: &Arg) {
        if a.text.contains('[') || has_expansion(&a.text) {
            self.arithmetic(&a.text, a.span);
        }
    }

    /// Evaluates the subscripts of a list's elements: `a=([i]=x)`.
    pub(super) fn element_subscript(&mut self, item: &crate::syntax::ast::Word) {
        if matches!(item.parts.first(), Some(crate::syntax::ast::Part::Lit(s)) if s.starts_with('['))
        {
            let (text, _) = self.text(item);
            if let Some((index, _)) = text.get(1..).and_then(|t| t.split_once("]=")) {
                self.arithmetic(index, item.span);
            }
        }
    }

    /// Evaluates the assigned value of an integer variable as arithmetic.
    pub(super) fn assign_integer(&mut self, name: &str, text: &str, span: Span) {
        if INTEGER_VARIABLES.contains(&name) || self.shell.is_number(name) {
            self.arithmetic(text, span);
        }
    }

    /// Handles `declare -i a=… b=…`, whose assignments the parser keeps apart from the words with
    /// the flags. Returns whether they make names stand for other variables.
    pub(super) fn declare_assignments(
        &mut self,
        args: &[Arg],
        assigns: &[crate::syntax::ast::Assign],
    ) -> bool {
        let flag = |c: char| {
            args.iter()
                .any(|a| a.text.starts_with('-') && a.text.contains(c))
        };
        let (number, reference) = (flag('i'), flag('n') && has_references(args));
        for a in assigns.iter().filter(|a| a.declared) {
            if number {
                self.shell.declare_number(a.name.clone());
            }
            if reference && let crate::syntax::ast::AssignValue::Word(w) = &a.value {
                let (text, _) = self.text(w);
                self.arithmetic(&text, a.span);
                self.declare_reference(&a.name, &text, a.span);
            }
        }
        reference
    }

    /// Marks the names after the flags of `declare` and similar builtins as integers (`-i`) or
    /// references (`-n`).
    pub(super) fn declare_names(&mut self, args: &[Arg]) {
        let flag = |c: char| {
            args.iter()
                .any(|a| a.text.starts_with('-') && a.text.contains(c))
        };
        let (number, reference) = (flag('i'), flag('n'));
        for a in args.iter().filter(|a| !a.text.starts_with(['-', '+'])) {
            let (name, value) = a.text.split_once('=').unwrap_or((&a.text, ""));
            if number {
                self.shell
                    .declare_number(name.trim_end_matches('+').to_owned());
            }
            if number || reference {
                self.arithmetic(value, a.span);
            }
        }
    }

    /// Declares names that stand for other variables (`declare -n name=variable`).
    pub(super) fn declare_references(&mut self, args: &[Arg]) {
        for a in args.iter().filter(|a| !a.text.starts_with(['-', '+'])) {
            match a.text.split_once('=') {
                Some((name, target)) => self.declare_reference(name, target, a.span),
                None => self.declare_reference(&a.text, &UNKNOWN.to_string(), a.span),
            }
        }
    }

    fn declare_reference(&mut self, name: &str, target: &str, span: Span) {
        if has_unknown(name) || has_unknown(target) {
            return self.dynamic(span, "a name for a variable that isn't known");
        }
        // What the name is set to later, the variable is set to.
        self.env_effect(target, &UNKNOWN.to_string(), span);
        self.shell.refer(name.to_owned(), target.to_owned());
    }

    /// Evaluates `${x@P}`: the value is a prompt, with escapes and substitutions.
    pub(super) fn prompt(&mut self, text: &str, span: Span) {
        if text.contains(UNKNOWN) {
            self.dynamic(span, "a prompt that isn't known is expanded");
        } else if text
            .as_bytes()
            .windows(2)
            .any(|w| matches!(w, [b'\\', b'0'..=b'7' | b'\\']))
        {
            self.dynamic(span, "a prompt that may hide commands is expanded");
        } else if has_expansion(text) {
            self.reexpand(text, span);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{RiskLevel, risk_of as risk};

    #[test]
    fn values_evaluated_as_code_are_analysed() {
        for line in [
            "echo $((x))",
            "echo $(( 1 + $x ))",
            "echo $[x]",
            "((x>1))",
            "if ((x > 1)); then :; fi",
            "for ((i=0;i<x;i++)); do :; done",
            "[[ $x -eq 1 ]]",
            "[[ x -lt 1 ]]",
            "[[ -v $x ]]",
            "test -v \"$x\"",
            "declare -i y=$x",
            "declare -i y; y=$x",
            "typeset -i y; y=x",
            "declare -i \"y=$x\"",
            "let x",
            "let y=x+1",
            "echo ${arr[x]}",
            "arr=(1); echo ${arr[x]}",
            "echo ${#arr[x]}",
            "y=abc; echo ${y:x}",
            "y=abc; echo ${y:0:x}",
            "arr[x]=1",
            "arr[$x]=1",
            "arr=([x]=1)",
            "y=x; echo $((y))",
            "y='b[x]'; echo $((y))",
            "RANDOM=$x",
            "echo ${!x}",
            "unset \"$x\"",
            "read \"$x\" <<< 1",
            "printf -v \"$x\" 1",
            "declare -n r=$x; echo $r",
        ] {
            for value in [
                "a[$(rm -rf src)]",
                "a[`rm -rf src`]",
                "a[\"$(rm -rf \"src\")\"]",
            ] {
                assert_eq!(
                    risk(&format!("x='{value}'; {line}")),
                    RiskLevel::High,
                    "{value} {line}"
                );
            }
            assert_ne!(risk(&format!("x=7; {line}")), RiskLevel::High, "{line}");
        }
        for line in [
            "x='$(rm -rf src)'; echo ${x@P}",
            "x='`rm -rf src`'; echo \"${x@P}\"",
            "x='\\044(rm -rf src)'; y=x; echo ${!y@P}",
        ] {
            assert_eq!(risk(line), RiskLevel::High, "{line}");
        }
        for line in [
            "declare -n r=PATH; r=/tmp/x; ls",
            "typeset -n r=PROMPT_COMMAND; r='rm -rf src'",
            "c='rm -rf src'; declare -n r=c; $r",
            "c=ls; declare -n r=c; r='rm -rf src'; $c",
            "c=ls; declare -n a=b; declare -n b=c; a='rm -rf src'; $c",
            "declare -n r; r=PATH; r=/tmp/x; ls",
            "declare -n \"r=$x\"; r=/tmp/x",
            "declare \"$x=$y\"",
            "read -r \"$x\" < f",
        ] {
            assert_eq!(risk(line), RiskLevel::High, "{line}");
        }
        for line in [
            "f() { local -n list=$1; echo ${list[0]}; }; f names",
            "c=ls; declare -n r=c; $r",
            "declare -n r=r; echo $r",
            "export -n x; declare x=1",
            "x='a b'; echo ${x@Q}",
            "x='\\u@\\h'; echo \"${x@P}\"",
            "x='$(rm -rf src)'; echo \"$x\"",
            "n=3; for ((i=0;i<n;i++)); do echo $i; done",
            "a=(1 2 3); echo ${a[1]} ${a[@]:1:2} $(( ${#a[@]} - 1 ))",
            "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
            "echo ${!BASH@}",
        ] {
            assert_eq!(risk(line), RiskLevel::Low, "{line}");
        }
    }

    #[test]
    fn assignments_in_arithmetic_are_found() {
        for (text, expected) in [
            ("PATH=5", "PATH"),
            (" a = b += 1", "a b"),
            ("a++ + --b", "a b"),
            ("a[i[0]] <<= 1", "a"),
            ("a == b", ""),
            ("a <= b || c >= d && e != f", ""),
            ("a || b = 1", "b"),
            ("a[1", ""),
            ("1 + 2", ""),
        ] {
            let found: Vec<_> = super::assigned(text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn joined_options_and_qualifiers_are_followed() {
        for line in [
            "printf -vPATH /tmp/evil; ls",
            "echo *(+f)",
            "echo a*(.$x)",
            "echo a*(\"$x\")",
        ] {
            assert_eq!(risk(line), RiskLevel::High, "{line}");
        }
        assert_eq!(risk("echo *(a|b)"), RiskLevel::Low);
    }

    #[test]
    fn many_subscripts_cost_no_more_than_other_words() {
        let line = format!("ls {}", "{a[ ".repeat(20_000));
        assert_eq!(risk(&line), RiskLevel::High);
        assert_eq!(risk(&format!("ls {}", "{a[0] ".repeat(20))), RiskLevel::Low);
    }

    #[test]
    fn redirections_set_variables() {
        for line in [
            "exec {PATH}>&1; ls",
            "ls {LD_PRELOAD}<a.so; ls",
            "ls {PATH[0]}>&1; ls",
            "ls {a[$(date)]}>&1",
            "ls {a[\"x y\"]}<b",
        ] {
            assert_eq!(risk(line), RiskLevel::High, "{line}");
        }
        for line in [
            "exec {fd}<a",
            "ls {PATH} >/dev/null",
            "ls {a[0]} x",
            "ls {1}</dev/null",
        ] {
            assert_eq!(risk(line), RiskLevel::Low, "{line}");
        }
    }
}
