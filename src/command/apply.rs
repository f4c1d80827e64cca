//! Reads a program's arguments by its entry in the table and collects the effects.

use super::chars::{HOLE, has_hole, show};
use super::effect::{Certainty, EffectKind, How, Risk, Span};
use super::engine::{Engine, Stream};
use super::expand::Arg;
use super::parse::Base;
use super::table::schema::Style;
use super::table::spec::{EffectSpec, Flag, Operands, Role, Spec, When, glob};

/// The arguments of one call, sorted out.
#[derive(Default)]
pub(crate) struct Call<'s> {
    pub operands: Vec<Arg>,
    pub flags: Vec<Seen<'s>>,
    pub dashdash: bool,
    pub help: bool,
    pub dry: bool,
    pub recursive: bool,
    pub unknown_flag: Option<Arg>,
    /// Words after a flag that ends the options.
    pub rest: Vec<Arg>,
    /// The rest belongs to this program.
    pub as_program: Option<(String, Vec<Arg>)>,
    pub sub: Vec<String>,
    pub unlisted: Option<Arg>,
}

/// A flag that was given.
pub(crate) struct Seen<'s> {
    pub name: String,
    pub flag: Option<&'s Flag>,
    pub values: Vec<Arg>,
    pub span: Span,
}

/// Finds a flag in the innermost spec that knows it.
fn find<'s>(chain: &[&'s Spec], name: &str) -> Option<&'s Flag> {
    chain.iter().rev().find_map(|s| s.flags.get(name).and_then(|i| s.flag_list.get(*i)))
}

/// A long option may be cut short as long as it is clear.
fn find_long<'s>(chain: &[&'s Spec], name: &str) -> Option<(&'s str, &'s Flag)> {
    for s in chain.iter().rev() {
        if let Some((k, i)) = s.flags.get_key_value(name) {
            return s.flag_list.get(*i).map(|f| (k.as_str(), f));
        }
    }
    if name.len() < 4 {
        return None;
    }
    let mut hits: Vec<(&str, &Flag)> = chain
        .iter()
        .flat_map(|s| {
            s.flags.iter().filter(|(k, _)| k.starts_with(name)).filter_map(|(k, i)| Some((k.as_str(), s.flag_list.get(*i)?)))
        })
        .collect();
    hits.sort_by_key(|(k, _)| *k);
    match hits.as_slice() {
        [one] => Some(*one),
        [a, rest @ ..] if rest.iter().all(|b| std::ptr::eq(a.1, b.1)) => Some(*a),
        _ => None,
    }
}

impl<'s> Call<'s> {
    fn saw(&mut self, name: &str, flag: Option<&'s Flag>, span: Span) {
        self.flags.push(Seen { name: name.to_owned(), flag, values: Vec::new(), span });
    }

    pub fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|f| f.name == name)
    }
}

/// Sorts arguments into flags and operands; returns the spec of the (sub)command too.
pub(crate) fn read<'s>(root: &'s Spec, args: &[Arg]) -> (Call<'s>, &'s Spec) {
    let mut call = Call::default();
    let mut chain: Vec<&'s Spec> = vec![root];
    let mut ended = false;
    let mut i = 0;
    while let Some(arg) = args.get(i) {
        i += 1;
        let spec = chain.last().copied().unwrap_or(root);
        let style = chain.iter().rev().find_map(|s| s.style).unwrap_or_default();
        let text = arg.text.as_str();
        if style == Style::Dd {
            read_dd(&mut call, &chain, arg);
            continue;
        }
        let flag_like = !ended
            && style != Style::Raw
            && (text.len() > 1 && (text.starts_with('-') || text.starts_with('+') && find(&chain, text).is_some())
                || text.starts_with('/') && text.len() < 24 && find(&chain, text).is_some());
        if flag_like {
            if text == "--" {
                call.dashdash = true;
                // Before the subcommand it ends only the global options.
                ended = spec.subcommands.is_empty();
                continue;
            }
            if read_flag(&mut call, &chain, style, arg, args, &mut i, spec) {
                return (call, spec);
            }
            continue;
        }
        if !spec.subcommands.is_empty() && call.operands.is_empty() {
            let hit = spec.subcommands.get(text).and_then(|k| spec.sub_list.get(*k));
            if let Some(sub) = hit {
                call.sub.push(text.to_owned());
                chain.push(sub);
                continue;
            }
            if let Some(other) = spec.otherwise.as_deref() {
                chain.push(other);
                call.sub.push(text.to_owned());
                call.operands.push(arg.clone());
                continue;
            }
            if matches!(text, "help" | "version") && !root.no_help {
                call.help = true;
                continue;
            }
            call.unlisted = Some(arg.clone());
            call.operands.push(arg.clone());
            // What follows is still looked at as operands.
            continue;
        }
        call.operands.push(arg.clone());
        if style == Style::Posix {
            // The first operand ends the options, unless it only is in front of a command.
            ended = true;
        }
    }
    (call, chain.last().copied().unwrap_or(root))
}

fn read_dd<'s>(call: &mut Call<'s>, chain: &[&'s Spec], arg: &Arg) {
    let (key, value) = arg.text.split_once('=').unwrap_or((arg.text.as_str(), ""));
    match find(chain, key) {
        Some(flag) => {
            let mut v = arg.clone();
            v.at = arg.at.map(|a| a + key.len() + 1);
            v.text = value.to_owned();
            call.flags.push(Seen { name: key.to_owned(), flag: Some(flag), values: vec![v], span: arg.span });
        }
        None if matches!(key, "--help" | "--version") => call.help = true,
        None => call.operands.push(arg.clone()),
    }
}

/// Reads one flag; true if the options end here for good.
fn read_flag<'s>(
    call: &mut Call<'s>,
    chain: &[&'s Spec],
    style: Style,
    arg: &Arg,
    args: &[Arg],
    i: &mut usize,
    spec: &'s Spec,
) -> bool {
    let text = arg.text.as_str();
    let (name, attached) = match text.split_once('=') {
        Some((n, v)) => (n, Some(v)),
        None => (text, None),
    };
    let value_at = |v: &str| Arg { text: v.to_owned(), at: arg.at.map(|a| a + text.len() - v.len()), ..arg.clone() };
    let long = text.starts_with("--") || style == Style::Long;
    if long || (text.len() > 2 && find(chain, name).is_some()) {
        let mut hit = find_long(chain, name);
        if hit.is_none() && style == Style::Long {
            let other = name.strip_prefix("--").map_or_else(|| format!("-{name}"), |n| format!("-{n}"));
            hit = find_long(chain, &other);
        }
        let Some((full, flag)) = hit else {
            let root_help = chain.first().is_none_or(|s| !s.no_help);
            if root_help
                && (matches!(name, "--help" | "--version") || style == Style::Long && matches!(name, "-help" | "-version"))
            {
                call.help = true;
            } else {
                if spec.strict {
                    call.unknown_flag.get_or_insert_with(|| arg.clone());
                }
                call.saw(name, None, arg.span);
            }
            return false;
        };
        call.saw(full, Some(flag), arg.span);
        let mut values = Vec::new();
        if let Some(v) = attached {
            values.push(value_at(v));
        }
        return finish_flag(call, flag, values, args, i);
    }
    // A cluster of short flags.
    let body = text.get(1..).unwrap_or_default();
    let mut at = 0;
    for c in body.chars() {
        let n = c.len_utf8();
        let name = format!("-{c}");
        at += n;
        let flag = find(chain, &name);
        call.saw(&name, flag, arg.span);
        let Some(flag) = flag else {
            if spec.strict {
                call.unknown_flag.get_or_insert_with(|| arg.clone());
            }
            continue;
        };
        if flag.arg.is_some() {
            let rest = body.get(at..).unwrap_or_default();
            let mut values = Vec::new();
            if !rest.is_empty() {
                values.push(value_at(rest));
            }
            return finish_flag(call, flag, values, args, i);
        }
        if finish_flag(call, flag, Vec::new(), args, i) {
            return true;
        }
    }
    false
}

fn finish_flag<'s>(call: &mut Call<'s>, flag: &'s Flag, mut values: Vec<Arg>, args: &[Arg], i: &mut usize) -> bool {
    if flag.arg.is_some() && !flag.attached_only {
        while values.len() < flag.args {
            let Some(v) = args.get(*i) else { break };
            values.push(v.clone());
            *i += 1;
        }
    }
    call.help |= flag.help;
    call.dry |= flag.dry;
    call.recursive |= flag.recursive;
    let mut stop = flag.stop;
    if let Some(v) = values.first() {
        for (globs, value) in &flag.values {
            if globs.iter().any(|g| glob(g, &v.text)) {
                call.help |= value.help;
                call.dry |= value.dry;
                if let Some(p) = &value.as_program {
                    let rest = args.get(*i..).unwrap_or_default().to_vec();
                    call.as_program = Some((p.clone(), rest));
                    stop = true;
                }
                break;
            }
        }
    }
    if let Some(seen) = call.flags.last_mut() {
        seen.values = values;
    }
    if stop {
        call.rest = args.get(*i..).unwrap_or_default().to_vec();
        *i = args.len();
    }
    stop
}

fn matches_flag(call: &Call<'_>, name: &str) -> bool {
    call.flags.iter().any(|f| f.name == name)
}

/// Spellings of one flag that the table gives together (`-n, --dry-run`).
fn synonyms(spec: &Spec, root: &Spec, name: &str) -> Vec<String> {
    for s in [spec, root] {
        if let Some(i) = s.flags.get(name) {
            let all: Vec<&String> = s.flags.iter().filter(|(_, k)| *k == i).map(|(n, _)| n).collect();
            let long = all.iter().filter(|n| n.starts_with("--")).count();
            if long == 1 && all.len() <= 3 {
                return all.into_iter().cloned().collect();
            }
        }
    }
    vec![name.to_owned()]
}

fn holds(w: &When, call: &Call<'_>, spec: &Spec, root: &Spec) -> bool {
    let given = |n: &String| synonyms(spec, root, n).iter().any(|s| matches_flag(call, s));
    (w.operand.is_empty() || w.operand.iter().any(|g| call.operands.iter().any(|o| glob(g, &o.text))))
        && w.flags.iter().all(given)
        && (w.any.is_empty() || w.any.iter().any(given))
        && !w.without.iter().any(given)
        && w.min.is_none_or(|m| call.operands.len() >= m)
        && w.max.is_none_or(|m| call.operands.len() <= m)
        && w.dashdash.is_none_or(|d| d == call.dashdash)
}

impl Engine<'_> {
    /// Applies an entry of the table to a call.
    pub(crate) fn apply(&mut self, name: &str, root: &Spec, args: &[Arg], stdin: &Stream, want: bool, span: Span) -> Stream {
        let (call, spec) = read(root, args);
        self.burn(args.len() * 4 + 8);
        self.apply_call(name, root, spec, &call, stdin, want, span)
    }

    #[expect(clippy::too_many_arguments, reason = "one call has that many sides")]
    pub(crate) fn apply_call(
        &mut self,
        name: &str,
        root: &Spec,
        spec: &Spec,
        call: &Call<'_>,
        stdin: &Stream,
        want: bool,
        span: Span,
    ) -> Stream {
        if call.help {
            return Stream::unknown();
        }
        if let Some(u) = &call.unlisted {
            let (kind, why) = if has_hole(&u.text) {
                (EffectKind::Dynamic, "the subcommand isn't known")
            } else {
                (EffectKind::Unknown, "a subcommand that isn't in the table")
            };
            self.emit_raw(kind, Some(format!("{name} {}", show(&u.text))), Certainty::Possible, u.span, Risk::High, why);
        }
        let mut recursive = call.recursive;
        let mut dry = call.dry;
        let mut floor = spec.risk;
        let mut operands: Option<&Operands> = spec.operands.as_ref();
        let mut own: Vec<(&EffectSpec, Span)> = spec.effects.iter().map(|e| (e, span)).collect();
        for seen in &call.flags {
            let Some(f) = seen.flag else { continue };
            own.extend(f.effects.iter().map(|e| (e, seen.span)));
            floor = floor.max(f.risk);
            if let Some(o) = &f.operands {
                operands = Some(o);
            }
            if let Some(v) = seen.values.first()
                && let Some((_, value)) = f.values.iter().find(|(g, _)| g.iter().any(|g| glob(g, &v.text)))
            {
                own.extend(value.effects.iter().map(|e| (e, seen.span)));
                floor = floor.max(value.risk);
            }
        }
        for w in &spec.when {
            if !holds(w, call, spec, root) {
                continue;
            }
            if w.help {
                return Stream::unknown();
            }
            if w.clear {
                own.clear();
                floor = Risk::Low;
            }
            own.extend(w.effects.iter().map(|e| (e, span)));
            floor = floor.max(w.risk);
            dry |= w.dry;
            recursive |= w.recursive;
            if let Some(o) = &w.operands {
                operands = Some(o);
            }
        }
        if let Some(f) = &call.unknown_flag {
            self.emit_raw(
                EffectKind::Unknown,
                Some(show(&f.text)),
                Certainty::Possible,
                f.span,
                Risk::High,
                "an option that isn't in the table",
            );
        }
        let saved_cwd = self.cwd.clone();
        let saved_dry = self.dry;
        self.dry |= dry;
        for seen in &call.flags {
            if matches!(seen.flag.and_then(|f| f.arg.as_ref()), Some(Role::Cwd))
                && let Some(v) = seen.values.first()
            {
                self.change_dir(&v.text.clone());
            }
        }
        let first = self.effects.len();
        for (e, span) in own {
            self.table_effect(e, span);
        }
        let mut code = false;
        let mut out = Stream::unknown();
        for seen in &call.flags {
            let Some(role) = seen.flag.and_then(|f| f.arg.as_ref()) else { continue };
            for v in &seen.values {
                code |= self.role(role, v, recursive, name, stdin);
            }
        }
        if let Some(ops) = operands {
            let (c, s) = self.operands(ops, &call.operands, recursive, name, stdin, want, dry);
            code |= c;
            if let Some(s) = s {
                out = s;
            }
        }
        if let Some((program, rest)) = &call.as_program {
            code = true;
            let mut words = vec![Arg::literal(program.clone(), span)];
            words.extend(rest.iter().cloned());
            out = self.wrapped(&words, stdin, want, span);
        }
        if !dry {
            self.raise(first, floor, name, span);
        }
        // After a flag that ends the options (`-c code`, `-m module`) input is data.
        code |= call.flags.iter().any(|f| f.flag.is_some_and(|f| f.stop));
        if let (Some(role), false, true) = (&spec.stdin, code, stdin.present) {
            self.stdin_role(role, stdin, name, span);
        }
        self.dry = saved_dry;
        self.cwd = saved_cwd;
        out
    }

    /// Lifts the effects since `first` to the floor of the entry.
    fn raise(&mut self, first: usize, floor: Risk, name: &str, span: Span) {
        if floor == Risk::Low {
            return;
        }
        let worst = self.effects.iter().skip(first).map(|e| e.risk).max();
        if worst.is_some_and(|w| w >= floor) {
            return;
        }
        let target = self.effects.iter_mut().skip(first).max_by_key(|e| (e.kind.base_risk(), std::cmp::Reverse(e.span)));
        if let Some(e) = target {
            e.risk = floor;
            e.why = format!("`{name}` with these arguments is rated {}", floor.as_str());
        } else {
            let kind = if floor == Risk::High { EffectKind::System } else { EffectKind::Execute };
            self.emit_raw(kind, Some(name.to_owned()), Certainty::Certain, span, floor, "rated so by the table");
        }
    }

    fn table_effect(&mut self, e: &EffectSpec, span: Span) {
        let certainty = if e.possible { Certainty::Possible } else { Certainty::Certain };
        if let Some(t) = &e.target {
            let text = match t.strip_prefix('~') {
                Some(rest) => format!("{}{rest}", self.ctx.home),
                None => t.clone(),
            };
            let arg = Arg::literal(text, span);
            match e.kind {
                EffectKind::Write => return self.path_write(&arg, true),
                EffectKind::Read => return self.path_read(&arg),
                EffectKind::Delete => return self.path_delete(&arg, false),
                _ => {}
            }
            self.emit_raw(e.kind, Some(t.clone()), certainty, span, e.kind.base_risk(), why_of(e.kind));
            return;
        }
        let risk = match (e.kind, e.possible) {
            (EffectKind::Process, true) => Risk::Medium,
            (k, _) => k.base_risk(),
        };
        self.emit_raw(e.kind, None, certainty, span, risk, why_of(e.kind));
    }

    #[expect(clippy::too_many_arguments, reason = "one call has that many sides")]
    fn operands(
        &mut self,
        ops: &Operands,
        args: &[Arg],
        recursive: bool,
        name: &str,
        stdin: &Stream,
        want: bool,
        dry: bool,
    ) -> (bool, Option<Stream>) {
        let sequential = ops.roles.iter().any(|r| matches!(r, Role::Assigns | Role::CommandRest(_) | Role::ShellRest(_)));
        let mut code = false;
        if sequential {
            let mut p = 0;
            let mut j = 0;
            while let Some(arg) = args.get(j) {
                match ops.roles.get(p) {
                    None => break,
                    Some(Role::Assigns) => match is_assignment(&arg.text) {
                        Some((n, v)) => {
                            let (n, v) = (n.to_owned(), v.to_owned());
                            self.env_effect(&n, &v, arg.span);
                            j += 1;
                        }
                        None => p += 1,
                    },
                    Some(Role::CommandRest(remote)) => {
                        if dry {
                            return (true, None);
                        }
                        let j = if arg.text == "--" { j + 1 } else { j };
                        let rest = args.get(j..).unwrap_or_default().to_vec();
                        let span = rest.iter().fold(arg.span, |s, a| s.join(a.span));
                        let saved = self.remote;
                        self.remote |= *remote;
                        let s = self.wrapped(&rest, stdin, want, span);
                        self.remote = saved;
                        return (true, Some(s));
                    }
                    Some(Role::ShellRest(remote)) => {
                        let j = if arg.text == "--" { j + 1 } else { j };
                        let rest = args.get(j..).unwrap_or_default();
                        let saved = self.remote;
                        self.remote |= *remote;
                        let s = self.joined_shell(rest, stdin, want);
                        self.remote = saved;
                        return (true, Some(s));
                    }
                    Some(role) => {
                        code |= self.role(role, arg, recursive, name, stdin);
                        j += 1;
                        if ops.repeat != Some(p) {
                            p += 1;
                        }
                    }
                }
            }
            return (code, None);
        }
        let (n, k) = (args.len(), ops.roles.len());
        for (j, arg) in args.iter().enumerate() {
            let role = match ops.repeat {
                None => ops.roles.get(j),
                Some(r) => {
                    let tail = k - r - 1;
                    if j < r {
                        ops.roles.get(j)
                    } else if n - j <= tail {
                        ops.roles.get(k - (n - j))
                    } else {
                        ops.roles.get(r)
                    }
                }
            };
            if let Some(role) = role {
                code |= self.role(role, arg, recursive, name, stdin);
            }
        }
        (code, None)
    }

    /// Joins words and gives them to a shell.
    pub(crate) fn joined_shell(&mut self, rest: &[Arg], stdin: &Stream, want: bool) -> Stream {
        let Some(first) = rest.first() else { return Stream::unknown() };
        let span = rest.iter().fold(first.span, |s, a| s.join(a.span));
        if let [one] = rest {
            return self.shell_arg(one, stdin, want);
        }
        let text: Vec<String> = rest.iter().map(|a| super::chars::source(&a.text)).collect();
        if rest.iter().any(|a| a.obf) {
            self.dynamic(span, "decoded text is run as a command");
        }
        self.run_text(&text.join(" "), Base::Fixed(span), How::Code, stdin, want)
    }

    /// One argument holds shell code.
    pub(crate) fn shell_arg(&mut self, arg: &Arg, stdin: &Stream, want: bool) -> Stream {
        let t = arg.text.trim();
        if t == "\0" {
            self.dynamic(arg.span, "runs text that isn't known as a command");
            return Stream::unknown();
        }
        if arg.obf {
            self.dynamic(arg.span, "runs decoded text as a command");
        }
        let base = match arg.at {
            Some(o) if !has_hole(&arg.text) => Base::Offset(o),
            _ => Base::Fixed(arg.span),
        };
        self.run_text(&super::chars::source(&arg.text), base, How::Code, stdin, want)
    }

    /// One word in a role; true if it was code.
    pub(crate) fn role(&mut self, role: &Role, arg: &Arg, recursive: bool, name: &str, stdin: &Stream) -> bool {
        match role {
            Role::Text | Role::Cwd | Role::Args | Role::Assigns | Role::CommandRest(_) | Role::ShellRest(_) => {}
            Role::Stat => self.path_stat(arg),
            Role::Read => self.path_read(arg),
            Role::Write => {
                if recursive {
                    self.path_mode(arg, true);
                } else {
                    self.path_write(arg, false);
                }
            }
            Role::Edit => self.path_write(arg, false),
            Role::Delete => self.path_delete(arg, recursive),
            Role::Move => self.path_move(arg),
            Role::Empty => self.path_empty(arg),
            Role::Config => {
                self.path_read(arg);
                let class = self.classify(&arg.text).class;
                let risk = if class == super::path::PathClass::Inside { Risk::Medium } else { Risk::High };
                self.emit_raw(
                    EffectKind::Execute,
                    Some(show(&arg.text)),
                    Certainty::Possible,
                    arg.span,
                    risk,
                    "a configuration that can run programs",
                );
            }
            Role::Script => return self.script(arg, name, stdin),
            Role::Command => {
                // tar gives the command a member of the archive to read.
                let input = if name == "tar" { Stream::unknown() } else { Stream::default() };
                self.shell_arg(arg, &input, false);
                return true;
            }
            Role::Program => {
                if arg.text.is_empty() {
                    return false;
                }
                // The program gets arguments of its own: a hole stands for them.
                let text = if arg.text.contains(HOLE) { arg.text.clone() } else { format!("{} {HOLE}", arg.text) };
                self.shell_arg(&Arg { text, at: None, ..arg.clone() }, &Stream::default(), false);
            }
            Role::Code(lang) => {
                self.code(lang, arg, stdin);
                return true;
            }
            Role::Host => self.network(arg),
            Role::Source => match remote_of(&arg.text) {
                Some(_) => self.network(arg),
                None => self.path_read(arg),
            },
            Role::Dest => match remote_of(&arg.text) {
                Some(h) => {
                    let h = h.to_owned();
                    self.emit_raw(
                        EffectKind::Network,
                        Some(show(&h)),
                        Certainty::Certain,
                        arg.span,
                        Risk::High,
                        "sends files to another machine",
                    );
                }
                None => self.path_write(arg, false),
            },
            Role::Upload => self.upload(arg, stdin),
            Role::Data => {
                let file = arg
                    .text
                    .strip_prefix('@')
                    .or_else(|| arg.text.split_once("=@").map(|(_, f)| f))
                    .or_else(|| arg.text.split_once("=<").map(|(_, f)| f))
                    .map(|f| f.split(';').next().unwrap_or(f).to_owned());
                match file {
                    Some(f) => self.upload(&Arg { text: f, ..arg.clone() }, stdin),
                    None if arg.text.contains(HOLE) => self.emit_raw(
                        EffectKind::Network,
                        None,
                        Certainty::Possible,
                        arg.span,
                        Risk::High,
                        "sends away data that isn't known",
                    ),
                    None => self.emit(EffectKind::Network, None, arg.span, "sends data"),
                }
            }
            Role::Secret => {
                self.emit_raw(
                    EffectKind::Credential,
                    Some(show(&arg.text)),
                    Certainty::Certain,
                    arg.span,
                    Risk::High,
                    "reads a secret",
                );
            }
            Role::Key => {
                self.emit_raw(EffectKind::Read, Some(show(&arg.text)), Certainty::Certain, arg.span, Risk::Low, "uses a key");
            }
            Role::Effect(kind) => {
                self.emit_raw(*kind, Some(show(&arg.text)), Certainty::Certain, arg.span, kind.base_risk(), why_of(*kind));
            }
        }
        false
    }

    fn upload(&mut self, arg: &Arg, stdin: &Stream) {
        if arg.text == "-" && !stdin.present {
            self.emit(EffectKind::Network, None, arg.span, "sends data");
            return;
        }
        if arg.text == "-" && stdin.inline {
            self.emit(EffectKind::Network, None, arg.span, "sends data");
            return;
        }
        if let Some(t) = (arg.text == "-").then_some(stdin.text.as_deref()).flatten()
            && !has_hole(t)
        {
            self.emit(EffectKind::Network, None, arg.span, "sends data");
            return;
        }
        self.path_read(arg);
        self.emit_raw(EffectKind::Network, Some(show(&arg.text)), Certainty::Certain, arg.span, Risk::High, "sends a file away");
    }

    pub(crate) fn network(&mut self, arg: &Arg) {
        if arg.text.is_empty() {
            return;
        }
        if let Some(path) = arg.text.strip_prefix("file://") {
            let a = Arg { text: path.to_owned(), ..arg.clone() };
            self.path_read(&a);
            return;
        }
        let host = host_of(&arg.text);
        if matches!(host, "169.254.169.254" | "metadata.google.internal" | "100.100.100.200" | "fd00:ec2::254") {
            self.emit_raw(
                EffectKind::Credential,
                Some(show(host)),
                Certainty::Possible,
                arg.span,
                Risk::High,
                "asks the cloud for its credentials",
            );
        }
        self.emit_raw(EffectKind::Network, Some(show(host)), Certainty::Certain, arg.span, Risk::Medium, "contacts a host");
    }

    fn stdin_role(&mut self, role: &Role, stdin: &Stream, name: &str, span: Span) {
        match role {
            Role::Code(lang) => {
                let arg =
                    Arg { text: stdin.text.clone().unwrap_or_else(|| HOLE.to_string()), span, obf: stdin.obf, ..Arg::default() };
                if stdin.text.is_some() || !stdin.inline {
                    self.code(lang, &arg, &Stream::default());
                } else {
                    self.dynamic(span, "runs text that isn't known");
                }
            }
            Role::Upload => {
                let arg = Arg::literal("-", span);
                self.upload(&arg, stdin);
            }
            other => {
                let arg = Arg::literal(stdin.text.clone().unwrap_or_else(|| HOLE.to_string()), span);
                self.role(other, &arg, false, name, &Stream::default());
            }
        }
    }
}

/// `NAME=value`
pub(crate) fn is_assignment(text: &str) -> Option<(&str, &str)> {
    let (n, v) = text.split_once('=')?;
    let ok = n.bytes().next().is_some_and(|c| c.is_ascii_alphabetic() || c == b'_')
        && n.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    ok.then_some((n, v))
}

/// The machine in `host:path`, `scheme://…`.
fn remote_of(text: &str) -> Option<&str> {
    if text.contains("://") {
        return (!text.starts_with("file://")).then(|| host_of(text));
    }
    let (host, _) = text.split_once(':')?;
    (!host.is_empty() && !host.contains('/') && !(host.len() == 1 && text.get(1..3) == Some(":\\"))).then_some(host)
}

/// The host of a URL, of `user@host:path`, or the text itself.
pub(crate) fn host_of(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, r)| r);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, h)| h);
    if rest.starts_with('[') {
        return rest;
    }
    rest.split(':').next().unwrap_or(rest)
}

pub(crate) fn why_of(kind: EffectKind) -> &'static str {
    match kind {
        EffectKind::Read => "reads",
        EffectKind::Write => "writes",
        EffectKind::Delete => "removes",
        EffectKind::Execute => "runs the project's own code",
        EffectKind::Dynamic => "runs what can't be known from the text",
        EffectKind::Network => "uses the network",
        EffectKind::Privilege => "uses another user's rights",
        EffectKind::Process => "stops or signals processes",
        EffectKind::Install => "installs or removes packages",
        EffectKind::GitRead => "reads the repository",
        EffectKind::GitWrite => "changes the repository",
        EffectKind::GitRewrite => "rewrites history or throws work away",
        EffectKind::Credential => "reads or moves secrets",
        EffectKind::System => "changes the system",
        EffectKind::Unknown => "isn't in the table",
    }
}
