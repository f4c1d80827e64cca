//! Calls of cmdlets and programs, and what PowerShell does with their arguments.

use super::read::{Followed, Reader};
use super::{Cmdlet, Role, Slot, TABLE, Value, Word};
use crate::chars::{ANY, STAR, UNKNOWN, has_unknown};
use crate::code::actions::code_write;
use crate::effect::{Certainty, EffectKind, RiskLevel};
use crate::interpreter::engine::Stream;
use crate::interpreter::env::names_secret;
use crate::interpreter::expand::Arg;
use crate::paths::path::PathClass;
use crate::paths::private::is_above_private;
use crate::programs::printed_secrets::looks_for_secrets;
use crate::syntax::non_posix;

const UNBOUND: &str = "an argument of a cmdlet that isn't known";

/// Builtins of other shells that are names in PowerShell as well.
const SHARED: [&str; 9] = [
    "echo", "cd", "chdir", "pushd", "popd", "pwd", "type", "help", "write",
];

/// The role of some values, of which the first may be attached to the parameter's name.
struct Binding<'w> {
    role: Role,
    attached: Option<Value>,
    values: &'w [Value],
}

/// Arguments with the parameters that they fill.
struct Bound<'c, 'w> {
    cmdlet: &'c Cmdlet,
    values: Vec<Binding<'w>>,
    filled: Vec<bool>,
    recursive: bool,
    /// Whether the names of parameters belong to no other program.
    is_certain: bool,
}

impl<'w> Bound<'_, 'w> {
    /// Returns the values of the first parameter with one of these roles.
    fn texts(&self, roles: &[Role]) -> Vec<&str> {
        let of_role = self.values.iter().filter(|v| roles.contains(&v.role));
        of_role
            .flat_map(|v| v.attached.iter().chain(v.values))
            .map(|value| value.text.as_str())
            .collect()
    }

    fn add(&mut self, slot: Slot, values: &'w [Value], attached: Option<Value>) -> Followed<()> {
        let (group, role) = match slot {
            Slot::Group(group) => (Some(group), self.cmdlet.groups.get(group).copied()),
            Slot::Role(role, _) => (None, Some(role)),
        };
        let role = role.ok_or(UNBOUND)?;
        if let Some(group) = group {
            *self.filled.get_mut(group).ok_or(UNBOUND)? = true;
            if let Some(only) = self.cmdlet.only.get(&group) {
                let known = |v: &Value| v.is_literal && only.contains(&v.text.to_ascii_lowercase());
                if !attached.iter().chain(values).all(known) {
                    return Err("a value that isn't listed for its parameter");
                }
            }
        }
        self.recursive |= role == Role::Recurse;
        self.values.push(Binding {
            role,
            attached,
            values,
        });
        Ok(())
    }
}

fn bind<'c, 'w>(cmdlet: &'c Cmdlet, words: &'w [Word]) -> Followed<Bound<'c, 'w>> {
    let mut bound = Bound {
        cmdlet,
        values: Vec::new(),
        filled: vec![false; cmdlet.groups.len()],
        recursive: false,
        is_certain: false,
    };
    let mut positional: Vec<&Word> = Vec::new();
    let mut words = words.iter().peekable();
    let (mut longest, mut shortest) = (0, usize::MAX);
    while let Some(word) = words.next() {
        let Some(text) = word.parameter() else {
            positional.push(word);
            continue;
        };
        if word.values.first().is_some_and(|v| v.is_odd) {
            return Err(UNBOUND);
        }
        let (name, attached) = match text.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        if !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(UNBOUND);
        }
        let group = cmdlet.resolve(name).ok_or(UNBOUND)?;
        longest = longest.max(name.len());
        shortest = shortest.min(name.len());
        let is_switch = matches!(cmdlet.groups.get(group), Some(Role::Switch | Role::Recurse));
        let rest = word.values.get(1..).unwrap_or_default();
        match attached {
            Some("") if rest.is_empty() => {
                let next = words.next().filter(|w| w.parameter().is_none());
                bound.add(Slot::Group(group), &next.ok_or(UNBOUND)?.values, None)?;
            }
            Some(value) => {
                let first = word.values.first().ok_or(UNBOUND)?;
                let first = Value {
                    text: value.to_owned(),
                    ..first.clone()
                };
                bound.add(Slot::Group(group), rest, Some(first))?;
            }
            None if !rest.is_empty() => return Err(UNBOUND),
            None if is_switch => bound.add(Slot::Group(group), &[], None)?,
            None => {
                let next = words.next().filter(|w| w.parameter().is_none());
                bound.add(Slot::Group(group), &next.ok_or(UNBOUND)?.values, None)?;
            }
        }
    }
    bound.is_certain = longest > 0 && shortest > 2;
    let mut slots = cmdlet.slots.iter().peekable();
    for word in positional {
        loop {
            let slot = **slots.peek().ok_or(UNBOUND)?;
            let repeats = matches!(slot, Slot::Role(_, true));
            if !repeats {
                slots.next();
            }
            let filled = matches!(slot, Slot::Group(g) if bound.filled.get(g) == Some(&true));
            if !filled {
                bound.add(slot, &word.values, None)?;
                break;
            }
        }
    }
    Ok(bound)
}

/// Returns the text of a path with the characters for globs.
fn globs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut next = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '*' => out.push(STAR),
            '?' => out.push(ANY),
            '[' if next.contains(']') => {
                out.push(ANY);
                next = next.split_once(']').map_or("", |(_, after)| after);
            }
            c => out.push(c),
        }
        rest = next;
    }
    out
}

impl Reader<'_, '_, '_> {
    /// Adds an effect if a value shows a secret, and remembers what it names.
    pub(super) fn leak(&mut self, value: &Value) {
        self.leak_literal(value);
        if value.is_secret {
            self.secret("shows a variable that holds a secret");
        }
    }

    fn secret(&mut self, why: &'static str) {
        let kind = EffectKind::Credential;
        self.cx.emit_raw(
            kind,
            None,
            Certainty::Possible,
            self.span,
            RiskLevel::High,
            why,
        );
    }

    /// Remembers a text that names a secret or searches for one.
    pub(super) fn leak_literal(&mut self, value: &Value) {
        let text = value.text.as_str();
        if text.is_empty() || text.len() > 512 || text == "\0" {
            return;
        }
        self.cx.burn(text.len() / 2 + 2);
        self.notes.seeks_secrets |= looks_for_secrets(text);
        let text = globs(&text.replace('\\', "/"));
        let named = text.starts_with(['/', '~', '$']) || text.get(1..2) == Some(":");
        self.note_path(&text, named);
    }

    fn note_path(&mut self, text: &str, is_path: bool) {
        if self.notes.private.is_some() {
            return;
        }
        let info = self.cx.classify(text);
        let home = &self.cx.ctx().home;
        let above = matches!(
            info.class,
            PathClass::Home | PathClass::Outside | PathClass::System
        ) && is_above_private(&info.absolute, home);
        if info.secret || is_path && above {
            self.notes.private = Some(text.to_owned());
        }
    }

    /// Adds the effects of what was mentioned in different places.
    pub(super) fn finish(&mut self) {
        if let Some(path) = self
            .notes
            .private
            .take()
            .filter(|_| self.notes.reads_unknown)
        {
            self.cx.emit_raw(
                EffectKind::Credential,
                Some(crate::chars::show(&path)),
                Certainty::Possible,
                self.span,
                RiskLevel::High,
                "may read a file that holds secrets",
            );
        }
        if self.notes.lists_environment && self.notes.seeks_secrets {
            self.secret("selects secrets from the environment");
        }
    }

    /// Writes a redirected output.
    pub(super) fn write_to(&mut self, to: &Value) -> Followed<()> {
        self.leak(to);
        self.apply(Role::Write, to, false)
    }

    /// Adds the effects of a call.
    pub(super) fn call(&mut self, name: &Value, words: &[Word], piped: bool) -> Followed<Value> {
        let lower = name.text.to_ascii_lowercase();
        self.cx.burn(16 + words.len() * 8);
        if self.cx.is_spent(self.span) {
            return Err("too long to follow");
        }
        for value in words.iter().flat_map(|w| &w.values) {
            self.leak_literal(value);
        }
        let cmdlet = TABLE
            .cmdlet(&lower)
            .filter(|_| !name.quoted || lower.contains('-'));
        let Some(cmdlet) = cmdlet else {
            if TABLE.refused.contains(&lower) {
                return Err("a command that means something else in another shell");
            }
            let known = self.cx.table_name(&name.text).is_some();
            if non_posix::has_verb(&lower) && !known {
                return Err("a cmdlet that isn't listed");
            }
            return self.program(name, words, piped);
        };
        let known = self.cx.table_name(&lower).is_some() || SHARED.contains(&lower.as_str());
        self.is_certain |= lower.contains('-') || !known;
        let is_native = cmdlet.native.contains(&lower)
            || self.is_line && known && name.text == lower && !SHARED.contains(&lower.as_str());
        match bind(cmdlet, words) {
            Ok(bound) => {
                let is_capital = |w: &Word| {
                    let name = w.parameter().unwrap_or_default();
                    name.starts_with(|c: char| c.is_ascii_uppercase())
                };
                self.is_certain |= bound.is_certain && words.iter().any(is_capital);
                let value = self.effects(&bound, piped)?;
                if is_native && !bound.is_certain {
                    return self.program(name, words, piped);
                }
                Ok(value)
            }
            Err(_) if is_native => self.program(name, words, piped),
            Err(why) => Err(why),
        }
    }

    /// Runs a program.
    fn program(&mut self, name: &Value, words: &[Word], piped: bool) -> Followed<Value> {
        let starts = |text: &str| {
            let text = text.as_bytes();
            let is_drive = matches!(text, [d, b':', b'\\' | b'/', ..] if d.is_ascii_alphabetic());
            is_drive
                || text.starts_with(b".\\")
                || text.starts_with(b"..\\")
                || text.starts_with(b"~\\")
        };
        // `Module\Name` is a cmdlet.
        if name.text.contains(['\\', ':', '*', '?', '[']) && !starts(&name.text) {
            return Err("a command whose module or drive isn't known");
        }
        let separate = words.iter().any(|w| w.values.len() > 1);
        let escaped = self.is_line
            && (name.text.contains('\\')
                || words
                    .iter()
                    .flat_map(|w| &w.values)
                    .any(|v| v.text.contains('\\')));
        let span = self.span;
        let home = self.cx.ctx().home.clone();
        let arg = |value: &Value| {
            let mut text = if value.quoted {
                value.text.clone()
            } else {
                globs(&value.text)
            };
            if text == "~" || text.starts_with("~/") || text.starts_with("~\\") {
                text.replace_range(..1, &home);
            }
            Arg {
                text,
                span,
                quoted: value.quoted,
                secret: value.is_secret,
                computed: value.is_computed,
                ..Arg::default()
            }
        };
        let joined = |word: &Word| {
            let parts: Vec<Arg> = word.values.iter().map(arg).collect();
            let texts: Vec<&str> = parts.iter().map(|a| a.text.as_str()).collect();
            Arg {
                text: texts.join(","),
                secret: parts.iter().any(|a| a.secret),
                computed: parts.iter().any(|a| a.computed),
                quoted: parts.iter().any(|a| a.quoted),
                span,
                ..Arg::default()
            }
        };
        let mut first = arg(name);
        if starts(&name.text) {
            first.text = first.text.replace('\\', "/");
            if first.text.get(1..2) == Some(":") {
                first.text.replace_range(..2, "");
            }
        }
        let mut calls = vec![vec![first.clone()]];
        if let Some(call) = calls.first_mut() {
            call.extend(words.iter().map(joined));
        }
        if separate {
            let all = words.iter().flat_map(|w| &w.values).map(arg);
            calls.push(std::iter::once(first).chain(all).collect());
        }
        if escaped {
            let mut call: Vec<Arg> = std::iter::once(arg(name))
                .chain(words.iter().map(joined))
                .collect();
            for a in &mut call {
                a.text = a.text.replace('\\', "");
            }
            calls.push(call);
        }
        let is_unknown = |a: &Arg| has_unknown(&a.text);
        self.notes.reads_unknown |= piped || calls.iter().flatten().any(is_unknown);
        let stdin = if piped {
            Stream::unknown()
        } else {
            Stream::default()
        };
        for call in &calls {
            self.cx.run_args(call, &stdin, false, span);
        }
        Ok(Value::computed())
    }

    /// Adds the effects of a cmdlet.
    fn effects(&mut self, bound: &Bound<'_, '_>, piped: bool) -> Followed<Value> {
        let cmdlet = bound.cmdlet;
        if let Some((kind, risk)) = cmdlet.floor {
            let why = kind.reason();
            self.cx
                .emit_raw(kind, None, Certainty::Certain, self.span, risk, why);
        }
        for Binding {
            role,
            attached,
            values,
        } in &bound.values
        {
            for value in attached.iter().chain(*values) {
                if value.is_secret {
                    self.secret("shows a variable that holds a secret");
                }
                match role {
                    Role::Named => self.named(value, &bound.texts(&[Role::Write]))?,
                    Role::Sibling => {
                        let from = bound.texts(&[Role::Move]);
                        let dirs = from.iter().map(|from| {
                            let from = from.trim_end_matches(['/', '\\']);
                            from.rfind(['/', '\\'])
                                .map_or(".", |end| from.get(..=end).unwrap_or_default())
                        });
                        self.named(value, &dirs.collect::<Vec<_>>())?;
                    }
                    role => self.apply(*role, value, bound.recursive)?,
                }
            }
        }
        self.copies(bound);
        // Which of the files are read isn't known.
        let has = |role| bound.values.iter().any(|v| v.role == role);
        self.notes.reads_unknown |= has(Role::Read) && has(Role::Filter);
        let input = cmdlet.input.filter(|_| piped);
        if let Some(role) = input.filter(|role| bound.values.iter().all(|v| v.role != *role)) {
            self.apply(role, &Value::computed(), bound.recursive)?;
        }
        let first = cmdlet.slots.first();
        let is_free = !matches!(first, Some(Slot::Group(g)) if bound.filled.get(*g) == Some(&true));
        if is_free && matches!(first, Some(Slot::Group(_))) {
            match first {
                Some(Slot::Group(g)) if cmdlet.groups.get(*g) == Some(&Role::Stat) => {
                    self.note_path(".", true);
                }
                Some(Slot::Group(g)) if cmdlet.groups.get(*g) == Some(&Role::Chdir) => {
                    self.cx.set_cwd(None);
                }
                _ => {}
            }
        }
        if cmdlet.name == "Join-Path" {
            let parts = bound.texts(&[Role::Text]);
            let text = parts.join("/");
            let is_literal = !has_unknown(&text);
            let value = Value {
                is_literal,
                ..Value::literal(text)
            };
            self.leak_literal(&value);
            return Ok(value);
        }
        Ok(Value::computed())
    }

    /// Adds the effects of a copied file's name in the directory that it is copied to.
    fn copies(&mut self, bound: &Bound<'_, '_>) {
        let targets = bound.texts(&[Role::Write]);
        let sources = bound.texts(&[Role::Read, Role::Move]);
        for to in targets.iter().map(|to| to.replace('\\', "/")) {
            let to = Arg::literal(globs(&to), self.span);
            self.cx.path_fill(&to);
            for from in &sources {
                let from = from.replace('\\', "/");
                let name = from.trim_end_matches('/').rsplit('/').next();
                let name = globs(name.unwrap_or_default());
                let target = Arg::literal(format!("{}/{name}", to.text), self.span);
                self.cx.burn(target.text.len() / 4);
                self.cx.path_copy_target(&target);
            }
        }
    }

    /// Writes a name in each of some directories.
    fn named(&mut self, name: &Value, dirs: &[&str]) -> Followed<()> {
        for dir in dirs {
            let mut path = name.clone();
            let dir = dir.trim_end_matches(['/', '\\']);
            path.text = format!("{dir}/{}", name.text);
            self.cx.burn(path.text.len() / 4);
            self.apply(Role::Write, &path, false)?;
        }
        self.apply(Role::Write, name, false)
    }

    /// Adds the effects of a value in its role.
    fn apply(&mut self, role: Role, value: &Value, recursive: bool) -> Followed<()> {
        let mut arg = Arg::literal(value.text.clone(), self.span);
        arg.computed = value.is_computed || value.is_secret || value.has_unknown();
        match role {
            Role::Text | Role::Switch | Role::Recurse | Role::Filter => {}
            Role::Member => {
                let name = value.text.to_ascii_lowercase();
                if !value.is_block && !TABLE.properties.contains(&name) {
                    return Err("a member that isn't listed");
                }
            }
            Role::Data if !value.is_literal => {
                return Err("data that is sent and isn't known");
            }
            Role::Data => {}
            Role::Block if !value.is_block => return Err("a block that isn't known"),
            Role::Block => {}
            Role::Url | Role::Host => self.cx.network(&arg),
            Role::Read | Role::Stat | Role::Exists => {
                if value.has_unknown() {
                    self.notes.reads_unknown |= role == Role::Read;
                }
                let Some(path) = self.path(role, &value.text)? else {
                    return Ok(());
                };
                arg.text = path;
                if role == Role::Read {
                    self.cx.tree_read(&arg);
                } else {
                    self.note_path(&arg.text, true);
                    self.cx.path_stat(&arg);
                }
            }
            _ => {
                let path = self.path(role, &value.text)?;
                arg.text = path.ok_or("a path of a provider")?;
                match role {
                    Role::Delete => self.cx.path_delete(&arg, recursive),
                    Role::Move => self.cx.path_move(&arg),
                    Role::Chdir => {
                        self.note_path(&arg.text, true);
                        let there = self.cx.classify(&arg.text).absolute;
                        let is_unknown = has_unknown(&arg.text) || there.is_empty();
                        if is_unknown || matches!(arg.text.as_str(), "-" | "+") {
                            self.cx.set_cwd(None);
                        } else {
                            self.cx.change_dir(&there);
                        }
                    }
                    _ => code_write(self.cx, &arg),
                }
            }
        }
        Ok(())
    }

    /// Returns the path that a text names. `None` for an item of a provider without files.
    fn path(&mut self, role: Role, text: &str) -> Followed<Option<String>> {
        let text = text.replace('\\', "/");
        if text.starts_with("//") {
            return Err("a path on another machine");
        }
        let looks = matches!(role, Role::Read | Role::Stat | Role::Exists);
        let place = text
            .get(..5)
            .is_some_and(|t| t.eq_ignore_ascii_case("$env:"));
        let skip = if place { 5 } else { 0 };
        let colon = text.get(skip..).and_then(|t| t.find(':')).map(|i| i + skip);
        let Some(colon) = colon else {
            return Ok(Some(globs(&text)));
        };
        let (drive, rest) = text.split_at(colon);
        let rest = rest.get(1..).unwrap_or_default();
        if rest.contains("::") || rest.starts_with(':') {
            let (provider, inner) = text.rsplit_once("::").unwrap_or_default();
            if !looks {
                return Err("a path of a provider");
            }
            self.provider(role, &provider.to_ascii_lowercase(), inner);
            let has_drive = inner.get(1..2) == Some(":");
            return if inner.starts_with("//") || inner.contains(':') && !has_drive {
                Err("a path of a provider")
            } else {
                Ok(Some(globs(inner)))
            };
        }
        if drive.len() == 1 && drive.starts_with(|c: char| c.is_ascii_alphabetic()) {
            if rest.contains(':') || !rest.is_empty() && !rest.starts_with('/') {
                return Err("a stream of a file, or a directory that isn't known");
            }
            return Ok(Some(globs(&if rest.is_empty() {
                format!("{text}/")
            } else {
                text
            })));
        }
        let is_name = drive.bytes().all(|b| b.is_ascii_alphanumeric());
        if !is_name || drive.len() < 2 || !looks {
            return Err("a path of a provider, or a stream of a file");
        }
        if drive.eq_ignore_ascii_case("temp") {
            return Ok(Some(format!(
                "/tmp/{}",
                globs(rest.trim_start_matches('/'))
            )));
        }
        let (drive, rest) = (drive.to_ascii_lowercase(), rest.to_owned());
        self.provider(role, &drive, &rest);
        Ok(None)
    }

    /// Adds an effect for an item of the environment or the registry that holds a secret.
    fn provider(&mut self, role: Role, drive: &str, path: &str) {
        let name = path.trim_matches('/').to_ascii_uppercase();
        if role == Role::Exists {
            return;
        }
        if drive.ends_with("env") || drive.ends_with("environment") {
            let any = name.is_empty() || name.contains(['*', '?', '[', UNKNOWN]);
            self.notes.lists_environment |= any;
            if names_secret(&name) || any && looks_for_secrets(&name) {
                self.secret("shows a variable that holds a secret");
            }
        }
        let secret = ["SAM", "SECURITY", "WINLOGON", "LSA", "PUTTY", "SIMONTATHAM"];
        if name.split('/').any(|part| secret.contains(&part)) {
            self.secret("reads secrets of the registry");
        }
    }
}
