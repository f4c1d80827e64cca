//! Expands words as far as the text alone determines them; the rest stays unknown.

use super::engine::{Engine, Stream};
use crate::chars::{ANY, INHERITED, SAFE_UNKNOWN, STAR, UNKNOWN, has_unknown};
use crate::effect::Span;
use crate::paths::name_globs::glob;
use crate::paths::private;
use crate::syntax::ast::{Param, ParamOp, Part, Word};
use std::borrow::Cow;

/// Maximum length of a text that expansion builds; a longer one is unknown.
const MAX_TEXT: usize = 1 << 16;
/// Maximum number of fields that one word expands to.
const MAX_FIELDS: usize = 256;

/// A field after expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arg {
    /// The text, with the characters of `chars` for unknown parts and globs.
    pub text: String,
    /// The part of the original line that it comes from.
    pub span: Span,
    /// Whether part of it was decoded or computed; well-meant lines don't hide programs this way.
    pub obfuscated: bool,
    /// The text's position in the original line, if it occurs there unchanged.
    pub at: Option<usize>,
    /// Whether some part was quoted.
    pub quoted: bool,
    /// Whether it contains an environment variable whose name suggests a secret.
    pub secret: bool,
    /// Whether it contains the unknown output of a command.
    pub computed: bool,
}

impl Arg {
    pub(crate) fn literal(text: impl Into<String>, span: Span) -> Self {
        Self {
            text: text.into(),
            span,
            ..Self::default()
        }
    }
}

/// A known or unknown variable.
#[derive(Debug, Clone, Default)]
pub(crate) struct Var {
    pub text: String,
    pub array: Option<Vec<String>>,
    pub obfuscated: bool,
    /// Whether it contains the unknown output of a command.
    pub computed: bool,
}

struct Fields {
    done: Vec<Arg>,
    text: String,
    open: bool,
    obfuscated: bool,
    quoted: bool,
    secret: bool,
    computed: bool,
}

impl Fields {
    fn end_field(&mut self, span: Span) {
        if self.open && self.done.len() <= MAX_FIELDS {
            let mut text = std::mem::take(&mut self.text);
            // Stands for all further fields.
            if self.done.len() == MAX_FIELDS {
                text = UNKNOWN.to_string();
            }
            self.done.push(Arg {
                text,
                span,
                obfuscated: self.obfuscated,
                at: None,
                quoted: self.quoted,
                secret: self.secret,
                computed: self.computed,
            });
        }
        self.text.clear();
        self.open = false;
        self.obfuscated = false;
        self.quoted = false;
        self.secret = false;
        self.computed = false;
    }

    fn push(&mut self, s: &str) {
        self.open = true;
        if self.text.len().saturating_add(s.len()) > MAX_TEXT {
            self.text.push(UNKNOWN);
        } else {
            self.text.push_str(s);
        }
    }
}

/// Appends unquoted text, with its globs replaced by the characters of `chars`.
fn push_globbed(out: &mut String, s: &str) {
    if !s.bytes().any(|c| matches!(c, b'*' | b'?' | b'[')) {
        out.push_str(s);
        return;
    }
    let mut rest = s;
    while let Some(c) = rest.chars().next() {
        let mut n = c.len_utf8();
        match c {
            '*' => out.push(STAR),
            '?' => out.push(ANY),
            '[' => {
                let close = rest
                    .bytes()
                    .enumerate()
                    .skip(2)
                    .take(64)
                    .find(|(_, c)| *c == b']')
                    .map(|(i, _)| i);
                match close {
                    Some(i) => {
                        // A dot in brackets may match the leading dot of a hidden file, whatever
                        // the shell.
                        if rest.get(..i) == Some("[.") {
                            out.push('.');
                            out.push(STAR);
                        } else {
                            out.push(ANY);
                        }
                        n = i + 1;
                    }
                    None => out.push('['),
                }
            }
            c => out.push(c),
        }
        rest = rest.get(n..).unwrap_or_default();
    }
}

impl Engine<'_> {
    /// Expands a word into fields, with splitting and globs.
    pub(crate) fn fields(&mut self, word: &Word, out: &mut Vec<Arg>) {
        // Fast path: one literal.
        match word.parts.as_slice() {
            [Part::Lit(s)]
                if !s
                    .bytes()
                    .any(|c| matches!(c, b'{' | b'~' | b'*' | b'?' | b'[')) =>
            {
                let at = (word.span.to - word.span.from == s.len()).then_some(word.span.from);
                out.push(Arg {
                    text: s.clone(),
                    span: word.span,
                    at,
                    ..Arg::default()
                });
                return;
            }
            [Part::Quoted(s)] => {
                let at =
                    (word.span.to - word.span.from == s.len() + 2).then_some(word.span.from + 1);
                out.push(Arg {
                    text: s.clone(),
                    span: word.span,
                    at,
                    quoted: true,
                    ..Arg::default()
                });
                return;
            }
            _ => {}
        }
        let braces = word
            .parts
            .iter()
            .any(|p| matches!(p, Part::Lit(s) if s.contains('{')));
        if braces {
            for w in crate::syntax::braces::expand(word) {
                self.fields_plain(&w, out);
            }
        } else {
            self.fields_plain(word, out);
        }
    }

    fn fields_plain(&mut self, word: &Word, out: &mut Vec<Arg>) {
        let mut f = Fields {
            done: Vec::new(),
            text: String::new(),
            open: false,
            obfuscated: false,
            quoted: false,
            secret: false,
            computed: false,
        };
        let alone = word.parts.len() == 1;
        for (i, p) in word.parts.iter().enumerate() {
            self.burn(2);
            match p {
                Part::Lit(s) => {
                    f.open = true;
                    let mut s = s.as_str();
                    if i == 0
                        && s.starts_with('~')
                        && let Some(rest) = self.tilde(s, &mut f.text)
                    {
                        s = rest;
                    }
                    push_globbed(&mut f.text, s);
                }
                Part::Quoted(s) => {
                    f.quoted = true;
                    f.push(s);
                }
                Part::Ansi(s, hidden) => {
                    f.quoted = true;
                    f.obfuscated |= hidden;
                    f.push(s);
                }
                Part::Unknown => f.push("\0"),
                Part::Arith(w) => {
                    let t = self.arith_value(w);
                    f.push(&t);
                }
                Part::Proc(list, output, span) => {
                    let t = self.process_substitution(list, *output, *span);
                    f.push(&t);
                }
                Part::Param(p, quoted) => {
                    let (vals, obfuscated) = self.param(p, alone);
                    f.obfuscated |= obfuscated;
                    f.secret |= self.holds_secret(p);
                    f.computed |= self.shell.var(&p.name).is_some_and(|v| v.computed);
                    let n = vals.len();
                    for (k, v) in vals.into_iter().enumerate() {
                        if *quoted {
                            f.quoted = true;
                            f.push(&v);
                            if k + 1 < n {
                                f.end_field(word.span);
                            }
                        } else {
                            self.split(&v, &mut f, word.span);
                            if k + 1 < n {
                                f.end_field(word.span);
                            }
                        }
                    }
                }
                Part::Cmd(list, quoted, span) => {
                    let s = self.substitution(list, *span);
                    let text = s
                        .text
                        .as_deref()
                        .unwrap_or("\0")
                        .trim_end_matches('\n')
                        .to_owned();
                    f.obfuscated |= s.obfuscated;
                    f.computed |= text.contains(UNKNOWN);
                    if *quoted {
                        f.quoted = true;
                        f.push(&text);
                    } else {
                        self.split(&text, &mut f, word.span);
                    }
                }
            }
        }
        f.end_field(word.span);
        out.append(&mut f.done);
    }

    fn split(&mut self, v: &str, f: &mut Fields, span: Span) {
        let custom = self.shell.var("IFS").map(|v| v.text.clone());
        let is_sep = |c: char| match &custom {
            None => matches!(c, ' ' | '\t' | '\n'),
            Some(set) => set.contains(c),
        };
        let mut first = true;
        for piece in v.split(is_sep) {
            if !first {
                f.end_field(span);
            }
            first = false;
            if !piece.is_empty() {
                let obfuscated = f.obfuscated;
                f.open = true;
                if f.text.len().saturating_add(piece.len()) > MAX_TEXT {
                    f.text.push(UNKNOWN);
                } else {
                    push_globbed(&mut f.text, piece);
                }
                f.obfuscated = obfuscated;
            }
        }
    }

    /// Expands a leading tilde; returns the remaining text.
    fn tilde<'s>(&self, s: &'s str, out: &mut String) -> Option<&'s str> {
        let rest = s.get(1..)?;
        if rest.is_empty() || rest.starts_with('/') {
            out.push_str(self.ctx.home.as_str());
            return Some(rest);
        }
        if let Some(r) = rest.strip_prefix('+') {
            out.push_str(self.shell.cwd().unwrap_or("\0"));
            return Some(r);
        }
        if let Some(r) = rest
            .strip_prefix('-')
            .filter(|r| r.is_empty() || r.starts_with('/'))
        {
            // The previous directory isn't tracked.
            out.push(UNKNOWN);
            return Some(r);
        }
        None
    }

    /// Expands a word to one text, as in an assignment or between quotes. The flag is set when the
    /// text is obfuscated.
    pub fn text(&mut self, word: &Word) -> (String, bool) {
        let mut out = String::new();
        let mut obfuscated = false;
        for (i, p) in word.parts.iter().enumerate() {
            self.burn(1);
            match p {
                Part::Lit(s) => {
                    let mut s = s.as_str();
                    if i == 0
                        && s.starts_with('~')
                        && let Some(rest) = self.tilde(s, &mut out)
                    {
                        s = rest;
                    }
                    out.push_str(s);
                }
                Part::Quoted(s) => out.push_str(s),
                Part::Ansi(s, h) => {
                    obfuscated |= h;
                    out.push_str(s);
                }
                Part::Unknown => out.push(UNKNOWN),
                Part::Arith(w) => {
                    let t = self.arith_value(w);
                    out.push_str(&t);
                }
                Part::Proc(list, output, span) => {
                    let t = self.process_substitution(list, *output, *span);
                    out.push_str(&t);
                }
                Part::Param(p, _) => {
                    let (vals, o) = self.param(p, false);
                    obfuscated |= o;
                    for (k, v) in vals.iter().enumerate() {
                        if k > 0 {
                            out.push(' ');
                        }
                        out.push_str(v);
                    }
                }
                Part::Cmd(list, _, span) => {
                    let s = self.substitution(list, *span);
                    obfuscated |= s.obfuscated;
                    out.push_str(s.text.as_deref().unwrap_or("\0").trim_end_matches('\n'));
                }
            }
            if out.len() > MAX_TEXT {
                out.clear();
                out.push(UNKNOWN);
            }
        }
        (out, obfuscated)
    }

    /// Runs a command substitution and returns its output.
    fn substitution(&mut self, list: &crate::syntax::ast::List, span: Span) -> Stream {
        // `$(< file)` reads a file.
        let saved = self.enter_subshell();
        let s = self.run_list(list, &Stream::default(), true, Some(span));
        self.leave_subshell(saved);
        s
    }

    fn process_substitution(
        &mut self,
        list: &crate::syntax::ast::List,
        output: bool,
        span: Span,
    ) -> String {
        let saved = self.enter_subshell();
        let input = if output {
            Stream::unknown()
        } else {
            Stream::default()
        };
        let s = self.run_list(list, &input, !output, Some(span));
        self.leave_subshell(saved);
        let n = self.shell.add_stream(s);
        format!("/dev/fd/proc{n}")
    }

    /// Returns whether the expansion is the whole value of a variable that only the environment
    /// defines and whose name suggests a secret.
    fn holds_secret(&self, p: &Param) -> bool {
        // A few characters distinguish one value from another without revealing either.
        let few = p.op == ParamOp::Substring
            && p.args
                .get(1)
                .and_then(Word::plain)
                .and_then(|n| n.trim().parse::<u8>().ok())
                .is_some_and(|n| n <= 8);
        let whole = !p.indirect
            && !p.length
            && !matches!(p.op, ParamOp::Alternative | ParamOp::Assign)
            && !few;
        whole && super::env::names_secret(&p.name) && !self.shell.has_var(&p.name)
    }

    /// Returns the values of a parameter (several only for arrays and `$@`). The flag is set when
    /// the value was computed in a way that hides it.
    fn param(&mut self, p: &Param, alone: bool) -> (Vec<String>, bool) {
        self.burn(4);
        if let Some(ix) = &p.index {
            // The subscript itself may contain substitutions.
            let (text, _) = self.text(ix);
            self.arithmetic(&text, ix.span);
        }
        if p.indirect {
            let lists = p.op == ParamOp::Transform && p.args.iter().all(|w| w.parts.is_empty());
            if lists || p.index.is_some() {
                return (vec![SAFE_UNKNOWN.to_string()], false);
            }
            let name = self
                .shell
                .var(&p.name)
                .map(|v| v.text.clone())
                .unwrap_or_default();
            let inner = Param {
                name,
                indirect: false,
                ..p.clone()
            };
            let unknown = inner.name.is_empty() || has_unknown(&inner.name);
            self.subscript(&Arg::literal(inner.name.as_str(), Span::default()));
            if unknown {
                if p.op == ParamOp::Transform && p.args.iter().any(|w| w.plain() == Some("P")) {
                    self.prompt("\0", Span::default());
                }
                return (vec![UNKNOWN.to_string()], true);
            }
            return (self.param(&inner, alone).0, true);
        }
        let (vals, obfuscated) = self.raw_values(p, alone);
        if p.length {
            let n = match vals.as_slice() {
                [v] if !has_unknown(v) && p.index.is_none() => v.chars().count().to_string(),
                _ => SAFE_UNKNOWN.to_string(),
            };
            return (vec![n], false);
        }
        if p.op == ParamOp::None {
            return (vals, obfuscated);
        }
        self.param_op(p, vals, obfuscated)
    }

    fn param_op(&mut self, p: &Param, vals: Vec<String>, obfuscated: bool) -> (Vec<String>, bool) {
        let mut args: Vec<String> = Vec::with_capacity(p.args.len());
        let mut args_obf = false;
        let set = self.is_set(p);
        for w in &p.args {
            let (t, o) = self.text(w);
            args_obf |= o;
            args.push(t);
        }
        let at = p.args.first().map(|w| w.span).unwrap_or_default();
        match p.op {
            ParamOp::Substring => args.iter().for_each(|text| self.arithmetic(text, at)),
            ParamOp::Transform if args.first().is_some_and(|a| a == "P") => {
                for text in &*vals {
                    self.prompt(text, at);
                }
            }
            _ => {}
        }
        let a = args.first().cloned().unwrap_or_default();
        match p.op {
            ParamOp::None | ParamOp::Error => (vals, obfuscated),
            ParamOp::Default | ParamOp::Assign => {
                if set {
                    return (vals, obfuscated);
                }
                if p.op == ParamOp::Assign {
                    let var = Var {
                        text: a.clone(),
                        array: None,
                        obfuscated: args_obf,
                        computed: false,
                    };
                    let span = p.args.first().map(|w| w.span).unwrap_or_default();
                    self.store(p.name.clone(), var, span);
                }
                (vec![a], args_obf)
            }
            ParamOp::Alternative => {
                if set {
                    (vec![a], true)
                } else {
                    (
                        vec![if self.may_be_set(p) {
                            UNKNOWN.to_string()
                        } else {
                            String::new()
                        }],
                        false,
                    )
                }
            }
            ParamOp::Transform => {
                if vals.iter().all(|v| v.is_empty()) {
                    (vals, true)
                } else {
                    (vec![UNKNOWN.to_string()], true)
                }
            }
            _ => {
                let out = vals
                    .iter()
                    .map(|v| {
                        if has_unknown(v) {
                            // A part of a number or a name is still one.
                            return if v.contains(UNKNOWN) {
                                UNKNOWN.to_string()
                            } else {
                                SAFE_UNKNOWN.to_string()
                            };
                        }
                        apply_op(p.op, v, &args).into_owned()
                    })
                    .collect();
                (out, true)
            }
        }
    }

    fn is_set(&self, p: &Param) -> bool {
        self.shell
            .var(&p.name)
            .is_some_and(|v| !v.text.is_empty() || v.array.is_some())
            || p.name.bytes().all(|c| c.is_ascii_digit())
                && self.positional(&p.name).is_some_and(|s| !s.is_empty())
            || matches!(p.name.as_str(), "HOME" | "PWD" | "USER" | "PATH" | "SHELL")
            || private::variable(&p.name).is_some()
    }

    fn may_be_set(&self, p: &Param) -> bool {
        !self.shell.has_var(&p.name) && p.name.bytes().any(|c| c.is_ascii_alphabetic())
    }

    pub(crate) fn positional(&self, name: &str) -> Option<&String> {
        let i: usize = name.parse().ok()?;
        self.shell.params()?.get(i.checked_sub(1)?)
    }

    fn raw_values(&mut self, p: &Param, alone: bool) -> (Vec<String>, bool) {
        let name = p.name.as_str();
        let one = |s: &str| (vec![s.to_owned()], false);
        if let Some(v) = self.shell.var(name) {
            let obfuscated = v.obfuscated;
            if let Some(ix) = &p.index {
                let key = crate::syntax::word::literal(ix);
                let arr = v.array.clone().unwrap_or_else(|| vec![v.text.clone()]);
                return match key.as_str() {
                    "@" | "*" => (arr, obfuscated),
                    k => {
                        let i = match k.parse::<usize>() {
                            Ok(i) => Some(i),
                            Err(_) => match self.arith_value(ix).parse::<i64>() {
                                Ok(i) if i < 0 => arr.len().checked_sub(
                                    usize::try_from(i.unsigned_abs()).unwrap_or(usize::MAX),
                                ),
                                Ok(i) => usize::try_from(i).ok(),
                                Err(_) => None,
                            },
                        };
                        match i {
                            Some(i) => (vec![arr.get(i).cloned().unwrap_or_default()], true),
                            None => (vec![UNKNOWN.to_string()], true),
                        }
                    }
                };
            }
            if let Some(arr) = &v.array {
                return (vec![arr.first().cloned().unwrap_or_default()], obfuscated);
            }
            return (vec![v.text.clone()], obfuscated);
        }
        match name {
            "@" | "*" => match self.shell.params() {
                Some(ps) => (ps.clone(), false),
                None if alone => one("\0"),
                None => (Vec::new(), false),
            },
            "#" | "?" | "$" | "!" | "-" | "RANDOM" | "LINENO" | "SECONDS" | "UID" | "EUID"
            | "PPID" | "BASHPID" | "HOSTNAME" | "USER" | "LOGNAME" | "HOSTTYPE" | "OSTYPE"
            | "MACHTYPE" | "EPOCHSECONDS" | "COLUMNS" | "LINES" | "SHLVL" | "BASH_VERSION"
            | "LANG" | "NPROC" | "EPOCHREALTIME" | "SRANDOM" | "GITHUB_SHA" | "GITHUB_RUN_ID"
            | "CI" => (vec![SAFE_UNKNOWN.to_string()], false),
            "HOME" => one(&self.ctx.home),
            "PWD" => one(self.shell.cwd().unwrap_or("\0")),
            "IFS" => (vec![" \t\n".to_owned()], false),
            "TMPDIR" | "TMP" | "TEMP" => one("/tmp"),
            "GITHUB_WORKSPACE" | "PROJECT_ROOT" | "CI_PROJECT_DIR" | "WORKSPACE" => {
                one(&self.ctx.workdir)
            }
            "0" | "BASH" | "SHELL" => one("bash"),
            n if n.bytes().all(|c| c.is_ascii_digit()) => match self.shell.params() {
                Some(_) => (vec![self.positional(n).cloned().unwrap_or_default()], false),
                None if alone => one("\0"),
                None => one(""),
            },
            n if super::unlisted_variables::is_inherited(n) => one(INHERITED),
            n => match private::variable(n) {
                Some(path) => (vec![format!("{UNKNOWN}/{path}")], false),
                None => one("\0"),
            },
        }
    }

    /// Returns the value of an arithmetic expression; an unknown number is `SAFE_UNKNOWN`.
    pub(crate) fn arith_value(&mut self, word: &Word) -> String {
        let (text, _) = self.text(word);
        self.arithmetic(&text, word.span);
        if has_unknown(&text) {
            return SAFE_UNKNOWN.to_string();
        }
        match crate::syntax::arith::eval(&text, &|name| {
            self.shell
                .var(name)
                .and_then(|v| v.text.trim().parse().ok())
        }) {
            Some(n) => n.to_string(),
            None => SAFE_UNKNOWN.to_string(),
        }
    }
}

fn char_at(v: &str, n: i64) -> usize {
    let len = i64::try_from(v.chars().count()).unwrap_or(i64::MAX);
    let n = if n < 0 {
        len.saturating_add(n).max(0)
    } else {
        n
    };
    v.char_indices()
        .nth(usize::try_from(n).unwrap_or(usize::MAX))
        .map_or(v.len(), |(i, _)| i)
}

fn apply_op<'v>(op: ParamOp, v: &'v str, args: &[String]) -> Cow<'v, str> {
    let a = args.first().map(String::as_str).unwrap_or_default();
    match op {
        ParamOp::Substring => {
            let num = |s: &str| crate::syntax::arith::eval(s, &|_| None);
            let (Some(off), len) = (num(a), args.get(1).map(|s| num(s))) else {
                return Cow::Borrowed("\0");
            };
            let from = char_at(v, off);
            let rest = v.get(from..).unwrap_or_default();
            match len {
                None => Cow::Borrowed(rest),
                Some(Some(n)) => Cow::Borrowed(rest.get(..char_at(rest, n)).unwrap_or_default()),
                Some(None) => Cow::Borrowed("\0"),
            }
        }
        ParamOp::TrimStart(long) => {
            let mut ends: Vec<usize> = v
                .char_indices()
                .map(|(i, _)| i)
                .chain([v.len()])
                .take(4096)
                .collect();
            if long {
                ends.reverse();
            }
            if v.len() > 1024 && a.contains('*') {
                return Cow::Borrowed("\0");
            }
            match ends
                .into_iter()
                .find(|i| glob(a, v.get(..*i).unwrap_or_default()))
            {
                Some(i) => Cow::Borrowed(v.get(i..).unwrap_or_default()),
                None => Cow::Borrowed(v),
            }
        }
        ParamOp::TrimEnd(long) => {
            let mut starts: Vec<usize> = v
                .char_indices()
                .map(|(i, _)| i)
                .chain([v.len()])
                .take(4096)
                .collect();
            if !long {
                starts.reverse();
            }
            if v.len() > 1024 && a.contains('*') {
                return Cow::Borrowed("\0");
            }
            match starts
                .into_iter()
                .find(|i| glob(a, v.get(*i..).unwrap_or_default()))
            {
                Some(i) => Cow::Borrowed(v.get(..i).unwrap_or_default()),
                None => Cow::Borrowed(v),
            }
        }
        ParamOp::Replace(all) => {
            let to = args.get(1).map(String::as_str).unwrap_or_default();
            if a.is_empty() {
                return Cow::Borrowed(v);
            }
            if a.contains(['*', '?', '[', '#', '%'])
                || v.len().saturating_mul(to.len() + 1) > MAX_TEXT
            {
                return Cow::Borrowed("\0");
            }
            Cow::Owned(if all {
                v.replace(a, to)
            } else {
                v.replacen(a, to, 1)
            })
        }
        ParamOp::Case(upper, all) => {
            let conv = |s: &str| {
                if upper {
                    s.to_uppercase()
                } else {
                    s.to_lowercase()
                }
            };
            if all {
                return Cow::Owned(conv(v));
            }
            let n = v.chars().next().map_or(0, char::len_utf8);
            Cow::Owned(conv(v.get(..n).unwrap_or_default()) + v.get(n..).unwrap_or_default())
        }
        _ => Cow::Borrowed(v),
    }
}
