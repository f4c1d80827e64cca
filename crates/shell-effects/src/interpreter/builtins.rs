//! Builtins of the shell.

use super::engine::{Engine, Stream};
use super::expand::{Arg, Var};
use crate::calls::args::{is_single_unknown, is_unknown_word, may_be_option};
use crate::calls::{shell_args, unlisted_options};
use crate::chars::{UNKNOWN, has_unknown, show};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::paths::path::PathClass;
use std::borrow::Cow;

/// Maximum length in bytes of a current directory; a longer one isn't tracked.
const LONGEST_CWD: usize = 512;

/// Word separators of a line read by `read`. Other white space doesn't separate.
const BLANKS: [char; 3] = [' ', '\t', '\n'];

impl Engine<'_> {
    /// Runs a builtin. Returns `None` if the name isn't one.
    pub(crate) fn builtin(
        &mut self,
        name: &str,
        first: &Arg,
        rest: &[Arg],
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Option<Stream> {
        if self.shell.is_fish()
            && let Some(output) = self.fish_builtin(name, rest, stdin, span)
        {
            return Some(output);
        }
        let none = Some(Stream::known(""));
        let takes_names = matches!(
            name,
            "printf"
                | "read"
                | "mapfile"
                | "readarray"
                | "declare"
                | "typeset"
                | "local"
                | "let"
                | "unset"
                | "test"
                | "["
        );
        let names_itself = matches!(
            name,
            "mapfile" | "readarray" | "read" | "declare" | "typeset"
        );
        // After an option it most likely is the option's value.
        let single = |(at, a): (usize, &Arg)| {
            let before = at.checked_sub(1).and_then(|k| rest.get(k));
            // `-c1` has its value.
            let takes = |b: &Arg| {
                b.text.starts_with('-') && !b.text.ends_with(|c: char| c.is_ascii_digit())
            };
            is_single_unknown(a) && !before.is_some_and(takes)
        };
        if takes_names && rest.iter().any(is_unknown_word)
            || names_itself && rest.iter().enumerate().any(single)
        {
            // The unknown word may be the option that makes the next word a name, whose subscript
            // runs.
            for a in rest {
                self.subscript(a);
            }
            if matches!(
                name,
                "mapfile" | "readarray" | "read" | "let" | "declare" | "typeset"
            ) {
                self.dynamic(span, "a word that isn't known and may be an option");
            }
        }
        match name {
            ":" | "true" | "false" => none,
            "echo" => {
                self.prints_secret(rest);
                Some(Self::echo(rest))
            }
            "printf" => {
                if rest.len() > 1 && rest.first().is_some_and(is_unknown_word) {
                    unlisted_options::may_be(self, "option", span, RiskLevel::Medium);
                }
                self.prints_secret(rest);
                Some(self.printf(rest))
            }
            "cd" | "pushd" | "chdir" => {
                let target = rest
                    .iter()
                    .find(|a| !a.text.starts_with('-') || a.text == "-");
                match target {
                    None => self.shell.set_cwd(Some(Cow::Borrowed(&self.ctx.home))),
                    Some(a) if a.text == "-" => {
                        // The previous directory isn't tracked.
                        self.shell.set_cwd(None);
                    }
                    // Which directory of CDPATH contains it isn't known.
                    Some(a)
                        if !a.text.starts_with(['/', '.', '~'])
                            && self
                                .shell
                                .var("CDPATH")
                                .is_some_and(|v| !matches!(v.text.as_str(), "" | "." | ":")) =>
                    {
                        self.shell.set_cwd(None);
                    }
                    Some(a) => self.change_dir(&a.text.clone()),
                }
                none
            }
            "popd" => {
                self.shell.set_cwd(Some(Cow::Borrowed(&self.ctx.cwd)));
                none
            }
            "pwd" => Some(Stream {
                text: self.shell.cwd().map(str::to_owned),
                present: true,
                ..Stream::default()
            }),
            "eval" => {
                let rest: Vec<Arg> = rest
                    .iter()
                    .skip_while(|a| a.text == "--")
                    .cloned()
                    .collect();
                if rest.is_empty() {
                    return none;
                }
                if rest.iter().any(|a| a.text.contains(UNKNOWN)) {
                    self.dynamic(span, "evaluates text that isn't known");
                }
                let origin = self.sink.origin();
                let s = shell_args::joined_shell(self, &rest, stdin, want);
                self.sink.set_origin(origin);
                Some(s)
            }
            "source" | "." => {
                let Some(file) = rest.first() else {
                    return none;
                };
                self.source(file, stdin);
                none
            }
            "exec" => {
                let mut i = 0;
                while let Some(a) = rest.get(i) {
                    match a.text.as_str() {
                        "-a" => i += 2,
                        t if t.starts_with('-') && t.len() > 1 => i += 1,
                        _ => break,
                    }
                }
                let words = rest.get(i..).unwrap_or_default();
                if words.is_empty() {
                    none
                } else {
                    Some(self.wrapped(words, stdin, want, span))
                }
            }
            "command" | "builtin" => {
                let mut i = 0;
                let mut asks = false;
                while let Some(a) = rest.get(i) {
                    match a.text.as_str() {
                        t if t.starts_with('-') && t.len() > 1 => {
                            asks |= t.contains(['v', 'V']);
                            i += 1;
                        }
                        _ => break,
                    }
                }
                let words = rest.get(i..).unwrap_or_default();
                if asks {
                    return Some(Stream {
                        text: words.first().map(|a| a.text.clone()),
                        present: true,
                        ..Stream::default()
                    });
                }
                if words.is_empty() {
                    none
                } else {
                    Some(self.wrapped(words, stdin, want, span))
                }
            }
            "which" | "type" => Some(Stream {
                text: rest
                    .iter()
                    .rev()
                    .find(|a| !a.text.starts_with('-'))
                    .map(|a| installed(&a.text, self.ctx.table))
                    .filter(|_| name == "which"),
                present: true,
                ..Stream::default()
            }),
            "alias" | "enable" | "bind" | "history" | "hash" | "export"
                if rest.iter().any(may_be_option) =>
            {
                self.dynamic(span, "changes the shell in a way that isn't known");
                none
            }
            "alias" => {
                for a in rest {
                    if let Some((n, body)) = a.text.split_once('=') {
                        self.shell
                            .set_alias(n.to_owned(), crate::chars::source(body));
                    }
                }
                none
            }
            "unalias" => none,
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare_names(rest);
                let exports = |a: &Arg| {
                    a.text.starts_with('-')
                        && a.text.contains('f')
                        && (name == "export" || a.text.contains('x'))
                };
                if rest.iter().any(exports) {
                    self.shell.export_functions();
                }
                let refers = |a: &Arg| a.text.starts_with('-') && a.text.contains('n');
                if matches!(name, "declare" | "typeset" | "local") && rest.iter().any(refers) {
                    self.declare_references(rest);
                    return none;
                }
                for a in rest {
                    if a.text.starts_with('-') {
                        continue;
                    }
                    match a.text.split_once('=') {
                        Some((n, v)) => {
                            let (n, v) = (n.trim_end_matches('+').to_owned(), v.to_owned());
                            self.subscript(&Arg::literal(n.as_str(), a.span));
                            self.assign_integer(&n, &v, a.span);
                            let value = Var {
                                text: v,
                                array: None,
                                obfuscated: a.obfuscated,
                                computed: false,
                            };
                            self.store(n, value, a.span);
                        }
                        None => self.subscript(a),
                    }
                }
                none
            }
            "set" => {
                if rest.is_empty() {
                    return Some(Stream::unknown());
                }
                let options = rest.split(|a| a.text == "--").next().unwrap_or_default();
                let history = options.windows(2).find(|pair| {
                    let [off, name] = pair else { return false };
                    let switch = off.text.starts_with('+') && off.text.ends_with('o');
                    switch && (name.text == "history" || may_be_option(name))
                        || may_be_option(off) && name.text == "history"
                });
                if let Some([off, _]) = history {
                    self.emit_raw(
                        EffectKind::System,
                        Some("history".to_owned()),
                        Certainty::Certain,
                        off.span,
                        RiskLevel::High,
                        "disables the history of the shell",
                    );
                }
                let i = rest
                    .iter()
                    .position(|a| a.text == "--" || a.text == "-")
                    .map(|i| i + 1)
                    .or_else(|| {
                        rest.iter()
                            .position(|a| !a.text.starts_with(['-', '+']))
                            .filter(|i| {
                                i.checked_sub(1)
                                    .and_then(|k| rest.get(k))
                                    .is_none_or(|p| !p.text.ends_with('o'))
                            })
                    });
                if let Some(i) = i {
                    let list: Vec<String> = rest
                        .get(i..)
                        .unwrap_or_default()
                        .iter()
                        .map(|a| a.text.clone())
                        .collect();
                    match self.shell.params_mut() {
                        Some(p) => *p = list,
                        None => self.shell.push_params(list),
                    }
                }
                none
            }
            "shift" => {
                let n = rest
                    .first()
                    .and_then(|a| a.text.parse::<usize>().ok())
                    .unwrap_or(1);
                if let Some(p) = self.shell.params_mut() {
                    p.drain(..n.min(p.len()));
                }
                none
            }
            "read" => {
                self.read(rest, stdin);
                none
            }
            "mapfile" | "readarray" => {
                let mut i = 0;
                let mut var = "MAPFILE".to_owned();
                while let Some(a) = rest.get(i) {
                    match a.text.as_str() {
                        "-C" => {
                            // The callback gets a line of the input as its last argument.
                            if let Some(c) = rest.get(i + 1) {
                                let call = Arg {
                                    text: format!("{} {UNKNOWN}", c.text),
                                    at: None,
                                    ..c.clone()
                                };
                                shell_args::shell_arg(self, &call, &Stream::default(), false);
                            }
                            i += 2;
                        }
                        "-d" | "-n" | "-O" | "-s" | "-u" | "-c" => i += 2,
                        t if t.starts_with('-') => i += 1,
                        t => {
                            t.clone_into(&mut var);
                            i += 1;
                        }
                    }
                }
                let array = match &stdin.text {
                    Some(t) => t.lines().map(str::to_owned).collect(),
                    None => vec![UNKNOWN.to_string()],
                };
                let value = Var {
                    text: array.first().cloned().unwrap_or_default(),
                    array: Some(array),
                    obfuscated: stdin.obfuscated,
                    computed: false,
                };
                self.store(var, value, span);
                none
            }
            "unset" => {
                for a in rest {
                    self.subscript(a);
                    self.shell.set_var(a.text.clone(), Var::default());
                    self.shell.undefine(&a.text);
                }
                none
            }
            "test" | "[" => {
                // bash accepts only numbers here, other shells accept expressions.
                let words: Vec<(String, Span)> = rest
                    .iter()
                    .filter(|a| a.text.len() < 256)
                    .map(|a| (a.text.clone(), a.span))
                    .collect();
                self.arithmetic_test(&words);
                for (i, a) in rest.iter().enumerate() {
                    if i.checked_sub(1)
                        .and_then(|k| rest.get(k))
                        .is_some_and(|p| p.text == "-v")
                    {
                        self.subscript(a);
                    }
                }
                none
            }
            "let" => {
                for a in rest {
                    self.arithmetic(&a.text, a.span);
                }
                none
            }
            "trap" => {
                let words: Vec<&Arg> = rest.iter().filter(|a| a.text != "--").collect();
                if let [code, _, ..] = words.as_slice()
                    && code.text != "-"
                    && !code.text.is_empty()
                    && !code.text.starts_with("-l")
                    && !code.text.starts_with("-p")
                {
                    let c = (*code).clone();
                    let saved = self.enter_subshell();
                    shell_args::shell_arg(self, &c, &Stream::default(), false);
                    self.leave_subshell(saved);
                }
                none
            }
            "hash" => {
                if rest.iter().any(|a| a.text == "-p") {
                    self.dynamic(span, "changes which program a name means");
                }
                none
            }
            "enable" => {
                if rest.iter().any(|a| a.text.starts_with("-f")) {
                    self.dynamic(span, "loads a builtin from a file");
                }
                none
            }
            "history" => {
                if rest
                    .iter()
                    .any(|a| a.text.starts_with('-') && a.text.contains(['c', 'd', 'w', 'a']))
                {
                    self.emit_raw(
                        EffectKind::Delete,
                        Some("history".to_owned()),
                        Certainty::Certain,
                        span,
                        RiskLevel::High,
                        "changes the history of the shell",
                    );
                } else if rest.iter().any(|a| a.text == "-s" || a.text == "-p") {
                    self.dynamic(span, "puts commands into the history");
                }
                Some(Stream::unknown())
            }
            "fc" => {
                if !rest
                    .iter()
                    .any(|a| a.text.starts_with('-') && a.text.contains('l'))
                {
                    self.dynamic(span, "runs commands from the history");
                }
                Some(Stream::unknown())
            }
            "bind" => {
                if rest.iter().any(|a| a.text == "-x" || a.text == "-f") {
                    self.dynamic(span, "binds a key to a command");
                }
                none
            }
            "complete" | "compgen" => {
                if let Some(i) = rest
                    .iter()
                    .position(|a| a.text == "-C" || a.text == "-F" && name == "complete")
                    && let Some(c) = rest.get(i + 1)
                {
                    let c = c.clone();
                    shell_args::shell_arg(self, &c, &Stream::default(), false);
                }
                for a in rest {
                    // `compgen -W '$(cmd)'` expands its words.
                    self.subscript(a);
                }
                none
            }
            "kill"
                if !rest.is_empty()
                    && rest
                        .iter()
                        .filter(|a| !a.text.starts_with('-'))
                        .all(|a| a.text.starts_with('%'))
                    && rest.iter().any(|a| a.text.starts_with('%')) =>
            {
                self.emit_raw(
                    EffectKind::Process,
                    None,
                    Certainty::Certain,
                    span,
                    RiskLevel::Medium,
                    "stops a job of this shell",
                );
                none
            }
            "wait" | "jobs" | "fg" | "bg" | "disown" | "ulimit" | "umask" | "shopt" | "times"
            | "suspend" | "return" | "exit" | "break" | "continue" | "logout" | "caller"
            | "getopts" | "dirs" | "help" => {
                for a in rest.iter().filter(|_| matches!(name, "wait" | "getopts")) {
                    self.subscript(a);
                }
                if name == "getopts"
                    && let Some(v) = rest.get(1)
                {
                    // A letter, or `?`.
                    self.env_effect(&v.text, "a", v.span);
                    self.shell.set_var(
                        v.text.clone(),
                        Var {
                            text: crate::chars::SAFE_UNKNOWN.to_string(),
                            ..Var::default()
                        },
                    );
                }
                none
            }
            _ => {
                let _ = first;
                None
            }
        }
    }

    /// Changes the current directory.
    pub(crate) fn change_dir(&mut self, to: &str) {
        if to.is_empty() {
            return;
        }
        let there = if to.contains(UNKNOWN) {
            None
        } else {
            self.resolve(to)
        };
        // Every later path begins with it: if it could grow without limit, the work would grow
        // quadratically.
        self.shell.set_cwd(
            there
                .filter(|d| d.len() <= LONGEST_CWD.max(self.ctx.cwd.len() + 64))
                .map(Cow::Owned),
        );
        self.burn(self.shell.cwd().map_or(0, str::len) / 8);
    }

    fn source(&mut self, file: &Arg, stdin: &Stream) {
        let text = file.text.clone();
        let info = self.classify(&text);
        let known = text.starts_with("/dev/")
            || self
                .resolve(&text)
                .is_some_and(|p| self.history.has_written(&p));
        if !known && !has_unknown(&text) {
            // Every shell reads start-up files and files installed by package managers anyway.
            let usual = match info.class {
                PathClass::Home => info
                    .absolute
                    .strip_prefix(&*self.ctx.home)
                    .is_some_and(|rest| rest.starts_with("/.") || rest.ends_with("/bin/activate")),
                PathClass::System => ["/etc/", "/usr/", "/opt/"]
                    .iter()
                    .any(|p| info.absolute.starts_with(p)),
                _ => false,
            };
            if usual {
                self.emit_raw(
                    EffectKind::Execute,
                    Some(show(&text)),
                    Certainty::Certain,
                    file.span,
                    RiskLevel::Medium,
                    "reads a start-up file",
                );
                return;
            }
        }
        self.script(file, "sh", stdin);
    }

    fn read(&mut self, rest: &[Arg], stdin: &Stream) {
        let span = rest.last().map(|a| a.span).unwrap_or_default();
        let mut names = Vec::new();
        let mut array = None;
        let mut i = 0;
        while let Some(a) = rest.get(i) {
            let t = a.text.as_str();
            i += 1;
            if let Some(f) = t.strip_prefix('-') {
                let last = f.chars().last();
                if last == Some('a') {
                    array = rest.get(i).map(|a| a.text.clone());
                    i += 1;
                } else if f.len() == 1 && last.is_some_and(|c| "dinNptu".contains(c))
                    || f.len() > 1 && last.is_some_and(|c| "dinNptu".contains(c))
                {
                    i += 1;
                }
                continue;
            }
            self.subscript(a);
            names.push(t.to_owned());
        }
        if names.is_empty() && array.is_none() {
            names.push("REPLY".to_owned());
        }
        let line = stdin
            .text
            .as_deref()
            .map(|t| t.split('\n').next().unwrap_or_default().to_owned());
        let obfuscated = stdin.obfuscated;
        if let Some(a) = array {
            let list = line.as_deref().map_or_else(
                || vec![UNKNOWN.to_string()],
                |l| {
                    l.split(BLANKS)
                        .filter(|w| !w.is_empty())
                        .map(str::to_owned)
                        .collect()
                },
            );
            let value = Var {
                text: list.first().cloned().unwrap_or_default(),
                array: Some(list),
                obfuscated,
                computed: false,
            };
            self.store(a, value, span);
        }
        let n = names.len();
        let mut rest_line = line;
        for (k, name) in names.into_iter().enumerate() {
            let value = match &rest_line {
                None => UNKNOWN.to_string(),
                Some(l) if k + 1 == n => l.trim_matches(BLANKS).to_owned(),
                Some(l) => {
                    let l = l.trim_start_matches(BLANKS).to_owned();
                    let (w, r) = l
                        .split_once(BLANKS)
                        .map_or((l.clone(), String::new()), |(w, r)| {
                            (w.to_owned(), r.to_owned())
                        });
                    rest_line = Some(r);
                    w
                }
            };
            let value = Var {
                text: value,
                array: None,
                obfuscated,
                computed: false,
            };
            self.store(name, value, span);
        }
    }
}

/// Returns the path where a known program is assumed to be installed.
fn installed(name: &str, table: &crate::table::Table) -> String {
    if table.contains(name) && !name.contains('/') {
        format!("/usr/bin/{name}")
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Context, RiskLevel, Table, analyse, measured};

    #[test]
    fn a_growing_directory_becomes_unknown() {
        let table = Table::builtin();
        let ctx = Context::new(&table);
        let line = |n: usize| {
            (0..n)
                .map(|i| format!("cd d{i}; cat x; "))
                .collect::<String>()
        };
        // Twice the line takes at most a bit more than twice the work.
        let work = |n: usize| measured(&line(n), &ctx).1;
        assert!(
            work(4000) <= work(2000) * 5 / 2,
            "{} and {}",
            work(2000),
            work(4000)
        );
        assert_eq!(
            analyse(&(line(300) + "touch x"), &ctx).risk,
            RiskLevel::High,
            "where that is isn't known"
        );
        assert_eq!(
            analyse("cd src; cd command; cat x; cd ../..; touch x", &ctx).risk,
            RiskLevel::Medium
        );
    }

    #[test]
    fn the_target_of_cd_may_be_unknown() {
        let table = Table::builtin();
        let risk = |cmd: &str| analyse(cmd, &Context::new(&table)).risk;
        assert_eq!(risk("CDPATH=/ cd etc && rm hosts"), RiskLevel::High);
        assert_eq!(risk("CDPATH=. cd etc && rm hosts"), RiskLevel::Medium);
        assert_eq!(risk("rm ~-/x"), RiskLevel::High);
    }
}
