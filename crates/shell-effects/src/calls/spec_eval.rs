//! Evaluates a program's table entry for its arguments and collects the effects.

pub(crate) use super::args::{FlagUse, ParsedArgs, parse_args};
use super::args::{applies, may_apply, may_match, parse_args_as};
use super::{copies, shell_args, unlisted_options};
use crate::chars::{UNKNOWN, has_unknown, show};
use crate::code;
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::interpreter::hosts::{canonical, remote_of};
use crate::paths::name_globs::glob;
use crate::paths::path::PathClass;
use crate::programs::project_code;
use crate::table::spec::{EffectSpec, Operands, Role, Spec};

/// Applies an entry of the table to a call.
pub(crate) fn apply(
    cx: &mut Engine<'_>,
    name: &str,
    root: &Spec,
    args: &[Arg],
    stdin: &Stream,
    want: bool,
    span: Span,
) -> Stream {
    let (call, spec) = parse_args(root, args);
    cx.burn(args.len() * 4 + 8);
    let out = apply_call(cx, name, root, spec, &call, stdin, want, span);
    if call.unsure && !cx.is_spent(span) {
        // The alternative: the option is a switch, and the next word is separate.
        let (call, spec) = parse_args_as(root, args, false);
        cx.burn(args.len() * 4 + 8);
        apply_call(cx, name, root, spec, &call, stdin, want, span);
    }
    out
}

#[expect(clippy::too_many_arguments, reason = "a call needs its whole context")]
pub(crate) fn apply_call(
    cx: &mut Engine<'_>,
    name: &str,
    root: &Spec,
    spec: &Spec,
    call: &ParsedArgs<'_>,
    stdin: &Stream,
    want: bool,
    span: Span,
) -> Stream {
    let unknown_verb = call.unlisted.as_ref().is_some_and(|u| has_unknown(&u.text));
    if call.help && call.unknown_word.is_none() && !unknown_verb {
        return Stream::unknown();
    }
    if let Some(u) = &call.unlisted {
        let (kind, why) = if has_unknown(&u.text) {
            (EffectKind::Dynamic, "the subcommand isn't known")
        } else {
            (EffectKind::Unknown, "a subcommand that isn't in the table")
        };
        cx.emit_raw(
            kind,
            Some(format!("{name} {}", show(&u.text))),
            Certainty::Possible,
            u.span,
            RiskLevel::High,
            why,
        );
    }
    let mut recursive = call.recursive;
    let mut dry = call.is_dry() && !unknown_verb;
    let mut floor = spec.risk;
    let mut operands: Option<&Operands> = spec.operands.as_ref();
    let mut own: Vec<(&EffectSpec, Span)> = spec.effects.iter().map(|e| (e, span)).collect();
    // Effects of options are kept apart: an operand that clears the entry's own effects keeps
    // them.
    let mut added: Vec<(&EffectSpec, Span)> = Vec::new();
    let mut added_floor = RiskLevel::Low;
    for seen in &call.flags {
        let Some(f) = seen.flag else { continue };
        added.extend(f.effects.iter().map(|e| (e, seen.span)));
        added_floor = added_floor.max(f.risk);
        if let Some(o) = f.operands.as_ref().filter(|_| dry || !f.dry) {
            operands = Some(o);
        }
        if let Some(v) = seen.values.iter().find(|v| v.text.contains(UNKNOWN))
            && let Some(risk) = f
                .values
                .iter()
                .filter(|(globs, _)| globs.iter().any(|g| may_match(g, &v.text)))
                .map(|(_, value)| value.worst())
                .max()
                .filter(|risk| *risk > RiskLevel::Low)
        {
            cx.emit_raw(
                EffectKind::Dynamic,
                Some(show(&seen.name)),
                Certainty::Possible,
                v.span,
                risk,
                "a value that isn't known and may have an effect",
            );
        }
        if let Some(v) = seen.values.first()
            && let Some((_, value)) = f
                .values
                .iter()
                .find(|(g, _)| g.iter().any(|g| glob(g, &v.text)))
        {
            added.extend(value.effects.iter().map(|e| (e, seen.span)));
            added_floor = added_floor.max(value.risk);
            operands = value.operands.as_ref().or(operands);
        }
    }
    let mut verbs: Vec<(&Arg, RiskLevel)> = Vec::new();
    for w in &spec.when {
        let lowers = w.help || w.dry || w.clear;
        // `gh repo delete list`: after a verb the word is a name.
        let names = w.clear
            && !w.operand.is_empty()
            && call
                .sub
                .last()
                .is_some_and(|s| unlisted_options::VERBS.contains(&s.as_str()));
        let met = applies(w, call, spec, root);
        if let Some(verb) = may_apply(w, call, spec, root).filter(|_| !met && !lowers) {
            verbs.push((verb, w.worst()));
        }
        if !met || lowers && names || lowers && (call.unknown_word.is_some() || call.dry_negated) {
            continue;
        }
        if w.help {
            return Stream::unknown();
        }
        if w.clear {
            own.clear();
            floor = RiskLevel::Low;
        }
        own.extend(w.effects.iter().map(|e| (e, span)));
        floor = floor.max(w.risk);
        dry |= w.dry;
        recursive |= w.recursive;
        if let Some(o) = &w.operands {
            operands = Some(o);
        }
    }
    own.extend(added);
    floor = floor.max(added_floor);
    if let Some(f) = &call.unknown_flag {
        cx.emit_unknown(
            Some(show(&f.text)),
            f.span,
            "an option that isn't in the table",
        );
    }
    if let Some(f) = &call.acting_flag {
        cx.emit_unknown(
            Some(show(&f.text)),
            f.span,
            "an option that isn't in the table, whose name suggests an action",
        );
    }
    unlisted_options::unlisted_options(cx, call, spec, root);
    if !dry {
        unlisted_options::removes_by_pattern(cx, call);
        unlisted_options::acting_words(cx, call, spec, operands);
    }
    let runs_rest = operands.is_some_and(|o| {
        let mut roles = o.roles.iter();
        roles.any(|r| matches!(r, Role::CommandRest(_) | Role::ShellRest(_)))
    });
    if let Some(unknown_word) = call.unknown_word.as_ref().filter(|_| runs_rest) {
        cx.dynamic(
            unknown_word.span,
            "words that aren't known and may be the command",
        );
    }
    let risky = spec.risky || root.risky;
    // A program that only reads most likely reads a word that isn't known.
    let reads = floor == RiskLevel::Low
        && !call.dry
        && own
            .iter()
            .all(|(e, _)| e.kind.base_risk() == RiskLevel::Low || e.kind == EffectKind::Network);
    let most = if reads {
        RiskLevel::Medium
    } else {
        RiskLevel::High
    };
    let local = own.iter().all(|(e, _)| e.kind != EffectKind::Network);
    if let Some((word, slot)) = unlisted_options::possible_option(call, operands)
        && !(slot && reads && local)
    {
        // It may be `--no-dry-run`.
        dry &= slot;
        let most = if slot { RiskLevel::Medium } else { most };
        unlisted_options::may_be(
            cx,
            "option",
            word.span,
            most.min(unlisted_options::option_risk(name, spec, root)),
        );
    }
    let verb = verbs.iter().max_by_key(|(_, risk)| *risk);
    if let Some((verb, risk)) = verb.filter(|(_, risk)| *risk > RiskLevel::Low) {
        unlisted_options::may_be(
            cx,
            "action",
            verb.span, // A statement changes what its verb says.
            if verb.text.contains(' ') {
                *risk
            } else {
                most.min(*risk)
            },
        );
    }
    if let Some(unknown_word) = call.unknown_word.as_ref().filter(|_| risky) {
        project_code::may_have_edited(cx, name, &call.operands);
        unlisted_options::may_be(cx, "option", unknown_word.span, most);
    }
    let saved_cwd = cx.clone_cwd();
    let saved_dry = cx.drop_changes(dry);
    for seen in &call.flags {
        if matches!(seen.flag.and_then(|f| f.arg.as_ref()), Some(Role::Cwd))
            && let Some(v) = seen.values.first()
        {
            cx.change_dir(&v.text.clone());
        }
    }
    let first = cx.effect_count();
    let runs_project =
        |(e, _): &(&EffectSpec, Span)| e.kind == EffectKind::Execute && e.target.is_none();
    if own.iter().any(runs_project) && !runs_containers(name) {
        project_code::pointed_elsewhere(cx, call, operands);
    }
    if dry && own.iter().any(runs_project) {
        project_code::dry_run_elsewhere(cx, span);
    }
    project_code::own_settings(cx, name, span);
    // Installs the packages of the project in the current directory, with their scripts.
    let fills = |(e, _): &(&EffectSpec, Span)| {
        e.kind == EffectKind::Write && e.target.as_deref() == Some(".")
    };
    let fills_directory = own.iter().any(fills);
    let installs_project = fills_directory && !call.has("--ignore-scripts");
    for (e, span) in own {
        table_effect(cx, name, e, installs_project, span);
    }
    let mut code = false;
    let mut out = Stream::unknown();
    for seen in &call.flags {
        let Some(role) = seen.flag.and_then(|f| f.arg.as_ref()) else {
            continue;
        };
        // Some options act in a dry run too.
        let saved = (role.acts_when_dry() || *role == Role::Write && seen.name.contains("log"))
            .then(|| cx.keep_changes());
        for v in &seen.values {
            code |= apply_role(cx, role, v, recursive, name, stdin);
        }
        if let Some(saved) = saved {
            cx.restore_changes(saved);
        }
    }
    if let Some(ops) = operands {
        let (c, s) = apply_operands(cx, ops, &call.operands, recursive, name, stdin, want, dry);
        code |= c;
        if call.unknown_word.is_some() {
            shell_args::shifted_operands(cx, ops, call, recursive, name);
        }
        copies::copies(cx, name, call, ops);
        if fills_directory {
            copies::record_downloads(cx, call, ops);
        }
        if let Some(s) = s {
            out = s;
        }
    }
    if let Some((program, rest)) = &call.as_program {
        code = true;
        let mut words = vec![Arg::literal(program.clone(), span)];
        words.extend(rest.iter().cloned());
        out = cx.wrapped(&words, stdin, want, span);
    }
    if !dry {
        raise(cx, first, floor, name, span);
    }
    // After a flag that ends the options (`-c code`, `-m module`) input is data.
    let reads_on = call.has("-i") || call.has("--interactive");
    code |= call.flags.iter().any(|f| f.flag.is_some_and(|f| f.stop));
    code &= !reads_on;
    if let (Some(role), false, true) = (&spec.stdin, code, stdin.present) {
        stdin_role(cx, role, stdin, name, span);
    }
    cx.restore_changes(saved_dry);
    cx.set_cwd(saved_cwd);
    out
}

/// Raises the effects since `first` to the entry's minimum risk.
fn raise(cx: &mut Engine<'_>, first: usize, floor: RiskLevel, name: &str, span: Span) {
    if floor == RiskLevel::Low {
        return;
    }
    let why = || format!("`{name}` with these arguments is rated {}", floor.name());
    if !cx.raise_effects(first, floor, why) {
        let kind = if floor == RiskLevel::High {
            EffectKind::System
        } else {
            EffectKind::Execute
        };
        cx.emit_raw(
            kind,
            Some(name.to_owned()),
            Certainty::Certain,
            span,
            floor,
            "rated by the table",
        );
    }
}

fn table_effect(
    cx: &mut Engine<'_>,
    name: &str,
    e: &EffectSpec,
    installs_project: bool,
    span: Span,
) {
    let certainty = if e.possible {
        Certainty::Possible
    } else {
        Certainty::Certain
    };
    if let Some(t) = &e.target {
        let t = match t.as_str() {
            "<fetched>" => {
                cx.history_mut().mark_downloaded();
                "."
            }
            t => t,
        };
        let text = match t.strip_prefix('~') {
            Some(rest) => format!("{}{rest}", cx.ctx().home),
            None => t.to_owned(),
        };
        let arg = Arg::literal(text, span);
        let (risk, why) = match e.kind {
            // Also where the work tree is the home directory itself, or contains it.
            EffectKind::Write if t.starts_with('~') => (
                RiskLevel::High,
                "writes into the home directory, outside the work tree",
            ),
            EffectKind::Write if cx.machine().is_container() && !t.starts_with('/') => {
                (RiskLevel::Medium, "writes where it runs in the container")
            }
            EffectKind::Write => {
                cx.path_fill(&arg);
                return cx.path_put(&arg, t == "." && copies::adds_files(name));
            }
            EffectKind::Network if t == "." => return project_code::serves(cx, &arg),
            EffectKind::Network if t == "localhost" => return cx.server(&arg),
            EffectKind::Read => return cx.tree_read(&arg),
            EffectKind::Delete => return cx.path_delete(&arg, false),
            kind => (kind.base_risk(), kind.reason()),
        };
        return cx.emit_raw(e.kind, Some(t.to_owned()), certainty, span, risk, why);
    }
    match e.kind {
        EffectKind::Execute => project_code::project_code(cx, span),
        EffectKind::Install if installs_project => project_code::project_code(cx, span),
        EffectKind::Install => project_code::changed_code(cx, span),
        _ => {}
    }
    let risk = match (e.kind, e.possible) {
        (EffectKind::Process, true) => RiskLevel::Medium,
        (k, _) => k.base_risk(),
    };
    cx.emit_raw(e.kind, None, certainty, span, risk, e.kind.reason());
}

#[expect(clippy::too_many_arguments, reason = "a call needs its whole context")]
fn apply_operands(
    cx: &mut Engine<'_>,
    ops: &Operands,
    args: &[Arg],
    recursive: bool,
    name: &str,
    stdin: &Stream,
    want: bool,
    dry: bool,
) -> (bool, Option<Stream>) {
    let sequential = ops
        .roles
        .iter()
        .any(|r| matches!(r, Role::Assigns | Role::CommandRest(_) | Role::ShellRest(_)));
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
                        cx.env_effect(&n, &v, arg.span);
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
                    let saved = cx.enter_machine(*remote, runs_containers(name));
                    let s = cx.wrapped(&rest, stdin, want, span);
                    cx.leave_machine(saved);
                    return (true, Some(s));
                }
                Some(Role::ShellRest(remote)) => {
                    let j = if arg.text == "--" { j + 1 } else { j };
                    let rest = shell_args::line_words(cx, args.get(j..));
                    let saved = cx.enter_machine(*remote, runs_containers(name));
                    let s = shell_args::joined_shell(cx, rest, stdin, want);
                    cx.leave_machine(saved);
                    return (true, Some(s));
                }
                Some(role) => {
                    code |= apply_role(cx, role, arg, recursive, name, stdin);
                    j += 1;
                    if ops.repeat != Some(p) {
                        p += 1;
                    }
                }
            }
        }
        return (code, None);
    }
    for (j, arg) in args.iter().enumerate() {
        if let Some(role) = ops.role(j, args.len()) {
            code |= apply_role(cx, role, arg, recursive, name, stdin);
        }
    }
    (code, None)
}

/// Evaluates one word in a role. Returns true if it was code.
pub(crate) fn apply_role(
    cx: &mut Engine<'_>,
    role: &Role,
    arg: &Arg,
    recursive: bool,
    name: &str,
    stdin: &Stream,
) -> bool {
    match role {
        Role::Text
        | Role::Cwd
        | Role::Args
        | Role::Assigns
        | Role::CommandRest(_)
        | Role::ShellRest(_) => {}
        Role::Stat => cx.path_stat(arg),
        Role::Read => cx.tree_read(arg),
        Role::List => {
            cx.tree_read(arg);
            let own_input = matches!(arg.text.as_str(), "-" | "/dev/stdin");
            let list = if own_input {
                stdin.text.clone()
            } else {
                cx.file_text(&arg.text)
            };
            listed_files(cx, list.as_deref(), arg.span);
        }
        Role::Write => {
            if recursive {
                cx.path_mode(arg, true);
            } else {
                cx.path_put(arg, copies::adds_files(name));
                copies::overwrites(cx, name, arg);
                if copies::unpacks(name) {
                    cx.path_fill(arg);
                }
            }
        }
        Role::Edit => {
            cx.path_write(arg);
            project_code::record_edit(cx, name, &arg.text);
        }
        Role::Delete => cx.path_delete(arg, recursive),
        Role::Move => cx.path_move(arg),
        Role::Empty => cx.path_empty(arg),
        Role::Serve => project_code::serves(cx, arg),
        Role::Config if arg.text.contains("://") => {
            cx.network(arg);
            cx.dynamic(arg.span, "follows a configuration from the network");
        }
        Role::Config if arg.text.trim_start().starts_with(['{', '[']) => {
            cx.dynamic(arg.span, "a configuration that can run programs");
        }
        Role::Config if arg.text == "/dev/null" => {}
        Role::Config if matches!(arg.text.as_str(), "-" | "/dev/stdin") && stdin.present => {
            cx.dynamic(arg.span, "follows a configuration from its input");
        }
        Role::Config => {
            cx.tree_read(arg);
            let class = cx.classify(&arg.text).class;
            let own = matches!(class, PathClass::Inside | PathClass::Root);
            let risk = if own {
                RiskLevel::Medium
            } else {
                RiskLevel::High
            };
            cx.emit_raw(
                EffectKind::Execute,
                Some(show(&arg.text)),
                Certainty::Possible,
                arg.span,
                risk,
                "a configuration that can run programs",
            );
        }
        Role::Script => return cx.script(arg, name, stdin),
        Role::Command => {
            let input = match name {
                // Each command reads a part of the data.
                "tar" | "gtar" | "split" | "gsplit" | "enscript" => Stream::unknown(),
                "pee" => stdin.clone(),
                _ => Stream::default(),
            };
            if let (
                "concurrently" | "conc",
                Some((tool @ ("npm" | "yarn" | "pnpm" | "bun" | "node"), task)),
            ) = (name, arg.text.split_once(':'))
            {
                let text = format!("{tool} run {task}");
                shell_args::shell_arg(
                    cx,
                    &Arg {
                        text,
                        at: None,
                        ..arg.clone()
                    },
                    &input,
                    false,
                );
                return true;
            }
            shell_args::shell_arg(cx, arg, &input, false);
            return true;
        }
        Role::Program => {
            if arg.text.is_empty() {
                return false;
            }
            // The program gets arguments of its own, represented by an unknown word.
            let text = if arg.text.contains(UNKNOWN) {
                arg.text.clone()
            } else {
                format!("{} {UNKNOWN}", arg.text)
            };
            shell_args::shell_arg(
                cx,
                &Arg {
                    text,
                    at: None,
                    ..arg.clone()
                },
                &Stream::default(),
                false,
            );
        }
        Role::Code(lang) => {
            project_code::imports(cx, lang, arg);
            project_code::names_secrets(cx, lang, arg);
            code::code(cx, lang, arg, stdin);
            return true;
        }
        Role::Host
            if cx
                .ctx()
                .table
                .get(name)
                .is_some_and(Spec::talks_to_localhost) =>
        {
            cx.server(arg);
        }
        Role::Host => {
            if matches!(
                name,
                "host"
                    | "dig"
                    | "nslookup"
                    | "drill"
                    | "kdig"
                    | "delv"
                    | "ping"
                    | "getent"
                    | "resolvectl"
                    | "fping"
                    | "whois"
                    | "traceroute"
                    | "mtr"
            ) && arg.text.contains(UNKNOWN)
                && [".", "\0"]
                    .iter()
                    .any(|next| arg.text.contains(&format!("{UNKNOWN}{next}")))
            {
                cx.emit_raw(
                    EffectKind::Network,
                    Some(show(&arg.text)),
                    Certainty::Possible,
                    arg.span,
                    RiskLevel::High,
                    "sends unknown data in a host name that it looks up",
                );
            }
            cx.network(arg);
        }
        Role::Source if super::args::is_unknown_word(arg) => {
            cx.tree_read(arg);
            cx.network(arg);
        }
        Role::Source => match remote_of(&arg.text) {
            Some(host) => cx.network_at(host, arg),
            None => cx.tree_read(arg),
        },
        Role::Dest if cx.drops_changes() && remote_of(&arg.text).is_some() => {
            cx.network(arg);
        }
        // An rclone remote defined in the argument itself.
        Role::Dest if name == "rclone" && arg.text.starts_with(':') => cx.emit_raw(
            EffectKind::Network,
            Some(show(&arg.text)),
            Certainty::Certain,
            arg.span,
            RiskLevel::High,
            "sends files to another machine",
        ),
        Role::Dest => {
            let Some(host) = remote_of(&arg.text) else {
                cx.path_put(arg, copies::adds_files(name));
                copies::overwrites(cx, name, arg);
                return false;
            };
            cx.emit_raw(
                EffectKind::Network,
                Some(show(&canonical(host))),
                Certainty::Certain,
                arg.span,
                RiskLevel::High,
                "sends files to another machine",
            );
        }
        Role::Upload => cx.upload(arg, stdin),
        Role::Data => {
            let file = arg
                .text
                .strip_prefix('@')
                .or_else(|| arg.text.split_once("=@").map(|(_, f)| f))
                .or_else(|| arg.text.split_once("=<").map(|(_, f)| f))
                .map(|f| f.split(';').next().unwrap_or(f).to_owned());
            match file {
                Some(f) => cx.upload(
                    &Arg {
                        text: f,
                        ..arg.clone()
                    },
                    stdin,
                ),
                None if arg.text.contains(UNKNOWN) => cx.emit_raw(
                    EffectKind::Network,
                    None,
                    Certainty::Possible,
                    arg.span,
                    RiskLevel::High,
                    "sends away data that isn't known",
                ),
                None => cx.emit(EffectKind::Network, None, arg.span, "sends data"),
            }
        }
        Role::Mount => cx.mounted(arg),
        Role::Secret => {
            cx.emit_raw(
                EffectKind::Credential,
                Some(show(&arg.text)),
                Certainty::Certain,
                arg.span,
                RiskLevel::High,
                "reads a secret",
            );
        }
        Role::Key => {
            cx.emit_raw(
                EffectKind::Read,
                Some(show(&arg.text)),
                Certainty::Certain,
                arg.span,
                RiskLevel::Low,
                "uses a key",
            );
        }
        Role::Effect(kind) => {
            cx.emit_raw(
                *kind,
                Some(show(&arg.text)),
                Certainty::Certain,
                arg.span,
                kind.base_risk(),
                kind.reason(),
            );
        }
    }
    false
}

/// Reads the files that a known list names.
fn listed_files(cx: &mut Engine<'_>, list: Option<&str>, span: Span) {
    for path in list.unwrap_or_default().split(['\n', '\0', '\r']) {
        cx.tree_read(&Arg::literal(path, span));
    }
}

fn stdin_role(cx: &mut Engine<'_>, role: &Role, stdin: &Stream, name: &str, span: Span) {
    match role {
        Role::Code(lang) => {
            let arg = Arg {
                text: stdin.text.clone().unwrap_or_else(|| UNKNOWN.to_string()),
                span,
                obfuscated: stdin.obfuscated,
                ..Arg::default()
            };
            if stdin.text.is_some() || !stdin.inline {
                code::code(cx, lang, &arg, &Stream::default());
            } else {
                cx.dynamic(span, "runs text that isn't known");
            }
        }
        Role::Upload => {
            let arg = Arg::literal("-", span);
            cx.upload(&arg, stdin);
        }
        Role::List => listed_files(cx, stdin.text.as_deref(), span),
        other => {
            let arg = Arg::literal(
                stdin.text.clone().unwrap_or_else(|| UNKNOWN.to_string()),
                span,
            );
            apply_role(cx, other, &arg, false, name, &Stream::default());
        }
    }
}

/// Returns whether the program's remote commands run in a container on this machine.
fn runs_containers(name: &str) -> bool {
    matches!(
        name,
        "docker"
            | "podman"
            | "nerdctl"
            | "finch"
            | "docker-compose"
            | "podman-compose"
            | "devcontainer"
            | "distrobox"
            | "toolbox"
    )
}

/// Splits `NAME=value`.
pub(crate) fn is_assignment(text: &str) -> Option<(&str, &str)> {
    let (n, v) = text.split_once('=')?;
    let ok = n
        .bytes()
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == b'_')
        && n.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    ok.then_some((n, v))
}
