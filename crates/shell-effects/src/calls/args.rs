//! Parses the arguments of a call by a program's entry: flags, their values, operands.

use crate::chars::{UNKNOWN, has_unknown};
use crate::effect::{EffectKind, Span};
use crate::interpreter::expand::Arg;
use crate::paths::name_globs::{glob, may_overlap};
use crate::table::schema::Style;
use crate::table::spec::{Flag, Role, Spec, When};

/// The parsed arguments of one call.
#[derive(Default)]
pub(crate) struct ParsedArgs<'s> {
    pub operands: Vec<Arg>,
    pub flags: Vec<FlagUse<'s>>,
    pub dashdash: bool,
    pub help: bool,
    pub dry: bool,
    pub recursive: bool,
    pub unknown_flag: Option<Arg>,
    /// An option that the table doesn't list, with a name that suggests an action.
    pub acting_flag: Option<Arg>,
    /// A completely unknown word, which may be one or more options.
    pub unknown_word: Option<Arg>,
    /// Positions of operands that are one quoted unknown word each, which may be an option.
    pub single_words: Vec<usize>,
    /// Whether `--no-…` or a value negates a dry-run option, so that the run may change
    /// something.
    pub dry_negated: bool,
    /// Words after a flag that ends the options.
    pub rest: Vec<Arg>,
    /// The remaining words belong to this program.
    pub as_program: Option<(String, Vec<Arg>)>,
    pub sub: Vec<String>,
    pub unlisted: Option<Arg>,
    /// Whether a long option is abbreviated or not listed, so that it may or may not take the next
    /// word.
    pub unsure: bool,
}

/// A flag that was given.
pub(crate) struct FlagUse<'s> {
    pub name: String,
    pub flag: Option<&'s Flag>,
    pub values: Vec<Arg>,
    /// The text after the `=` of an option that the table doesn't list.
    pub attached: Option<String>,
    /// The word after an option that the table doesn't list: its value, or an operand.
    pub next: Option<Arg>,
    pub span: Span,
}

/// Returns whether a word is unquoted and begins with an unknown part, so that it may become
/// several words. One with a path behind it (`$DIR/src`) most likely is a path.
pub(crate) fn is_unknown_word(arg: &Arg) -> bool {
    if arg.quoted || !arg.text.starts_with(UNKNOWN) {
        return false;
    }
    let known = arg.text.bytes().find(|c| *c > 1);
    known.is_none_or(|c| c.is_ascii_alphanumeric() || c == b'-')
}

/// Returns whether a word is quoted and completely unknown: one word, which may be an option.
pub(crate) fn is_single_unknown(arg: &Arg) -> bool {
    arg.quoted && !arg.text.is_empty() && arg.text.chars().all(|c| c == UNKNOWN)
}

/// Returns whether a word is unknown and may be an option.
pub(crate) fn may_be_option(arg: &Arg) -> bool {
    is_unknown_word(arg) || is_single_unknown(arg)
}

/// Returns whether a value may switch off the option it is given to. Unknown values may.
fn switches_off(value: &str) -> bool {
    let known = ["", "true", "yes", "on", "1", "all", "client", "server"];
    !known.iter().any(|k| value.eq_ignore_ascii_case(k))
}

/// Returns whether a value may mean "no", for an option whose other values select a dry run.
fn may_mean_no(value: &str) -> bool {
    let no = ["none", "false", "no", "off", "0"];
    has_unknown(value) || no.iter().any(|k| value.eq_ignore_ascii_case(k))
}

/// Verbs in option names that suggest an action of its own.
const ACTION_WORDS: [&str; 33] = [
    "delete",
    "remove",
    "rm",
    "destroy",
    "erase",
    "wipe",
    "purge",
    "drop",
    "kill",
    "exec",
    "execute",
    "eval",
    "command",
    "cmd",
    "shell",
    "install",
    "uninstall",
    "flash",
    "disable",
    "unlock",
    "overwrite",
    "upload",
    "send",
    "push",
    "publish",
    "deploy",
    "post",
    "javaagent",
    "agentpath",
    "truncate",
    "expunge",
    "obliterate",
    "shutdown",
];

/// Returns whether the name of an option suggests an action: `--delete-all`, `-deleteUser`. An
/// unknown name may.
fn suggests_action(name: &str) -> bool {
    if has_unknown(name) {
        return true;
    }
    let name = name.trim_start_matches('-');
    if name.starts_with("no-") || name.starts_with("skip-") || name.starts_with("show-") {
        return false;
    }
    let mut word = String::new();
    for c in name.chars().chain(std::iter::once('-')) {
        if c.is_ascii_lowercase() {
            word.push(c);
            continue;
        }
        if ACTION_WORDS.contains(&word.as_str()) {
            return true;
        }
        word.clear();
        word.extend(c.is_ascii_uppercase().then(|| c.to_ascii_lowercase()));
    }
    false
}

/// Returns whether an unlisted option negates a listed one that makes the run dry: `--no-dry-run`,
/// or an abbreviation of it.
fn negates_dry_run(chain: &[&Spec], name: &str) -> bool {
    let Some(back) = name.strip_prefix("--no").map(|n| n.trim_start_matches('-')) else {
        return false;
    };
    chain.iter().any(|spec| {
        let dry = |n: &str, i: &usize| {
            n.starts_with("dry") || spec.flag_list.get(*i).is_some_and(|f| f.dry)
        };
        spec.flags.iter().any(|(n, i)| {
            let n = n.trim_start_matches('-');
            dry(n, i) && (n.starts_with(back) || back.starts_with(n) && n.len() > 1)
        })
    })
}

/// Maximum length of a cluster that is searched for flags of several letters.
const MAX_CLUSTER: usize = 64;

/// Finds a flag in the innermost spec that knows it.
pub(super) fn find<'s>(chain: &[&'s Spec], name: &str) -> Option<&'s Flag> {
    chain
        .iter()
        .rev()
        .find_map(|s| s.flags.get(name).and_then(|i| s.flag_list.get(*i)))
}

/// Finds a long option, which may be abbreviated as long as it is unambiguous.
pub(super) fn find_long<'s>(chain: &[&'s Spec], name: &str) -> Option<(&'s str, &'s Flag)> {
    for s in chain.iter().rev() {
        if let Some((k, i)) = s.flags.get_key_value(name) {
            return s.flag_list.get(*i).map(|f| (k.as_str(), f));
        }
    }
    if name.len() < 4 {
        return None;
    }
    // A subcommand looks among its own options first.
    let hits_of = |s: &&'s Spec| -> Vec<(&'s str, &'s Flag)> {
        let begin_alike = s.flags.iter().filter(|(k, _)| k.starts_with(name));
        begin_alike
            .filter_map(|(k, i)| Some((k.as_str(), s.flag_list.get(*i)?)))
            .collect()
    };
    let mut all = chain.iter().rev().map(hits_of);
    let mut hits = all.find(|hits| !hits.is_empty())?;
    hits.sort_by_key(|(k, _)| *k);
    match hits.as_slice() {
        [one] => Some(*one),
        [a, rest @ ..] if rest.iter().all(|b| a.1 == b.1) => Some(*a),
        _ => None,
    }
}

impl<'s> ParsedArgs<'s> {
    /// Returns whether the run surely changes nothing. A completely unknown word may negate that.
    pub(crate) fn is_dry(&self) -> bool {
        self.dry && !self.dry_negated && self.unknown_word.is_none()
    }

    pub(super) fn record_flag(&mut self, name: &str, flag: Option<&'s Flag>, span: Span) {
        self.flags.push(FlagUse {
            name: name.to_owned(),
            flag,
            values: Vec::new(),
            attached: None,
            next: None,
            span,
        });
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|f| f.name == name)
    }
}

/// Parses arguments into flags and operands. Also returns the spec of the (sub)command.
pub(crate) fn parse_args<'s>(root: &'s Spec, args: &[Arg]) -> (ParsedArgs<'s>, &'s Spec) {
    parse_args_as(root, args, true)
}

/// Like [`parse_args`]. With `swallow`, an option matched only by its beginning takes the next
/// word.
pub(super) fn parse_args_as<'s>(
    root: &'s Spec,
    args: &[Arg],
    swallow: bool,
) -> (ParsedArgs<'s>, &'s Spec) {
    let mut call = ParsedArgs::default();
    let mut chain: Vec<&'s Spec> = vec![root];
    let mut ended = false;
    let mut i = 0;
    while let Some(arg) = args.get(i) {
        i += 1;
        let spec = chain.last().copied().unwrap_or(root);
        let style = chain.iter().rev().find_map(|s| s.style).unwrap_or_default();
        let text = arg.text.as_str();
        if !ended && is_unknown_word(arg) {
            call.unknown_word.get_or_insert_with(|| arg.clone());
        }
        if style == Style::Dd {
            parse_dd(&mut call, &chain, arg);
            continue;
        }
        let flag_like = !ended
            && style != Style::Raw
            && (text.len() > 1
                && (text.starts_with('-')
                    || text.starts_with('+') && find(&chain, text).is_some())
                || text.starts_with('/') && text.len() < 24 && find(&chain, text).is_some());
        if asks_another(spec, &call, text) {
            call.operands.push(arg.clone());
            continue;
        }
        if flag_like {
            if text == "--" {
                call.dashdash = true;
                // Before the subcommand it ends only the global options.
                ended = spec.subcommands.is_empty();
                continue;
            }
            if parse_flag(&mut call, &chain, style, arg, args, &mut i, spec, swallow) {
                return (call, spec);
            }
            continue;
        }
        if !spec.subcommands.is_empty() && call.operands.is_empty() {
            let hit = spec
                .subcommands
                .get(text)
                .and_then(|k| spec.sub_list.get(*k));
            if let Some(sub) = hit {
                call.sub.push(text.to_owned());
                chain.push(sub);
                continue;
            }
            if let Some(other) = spec.otherwise.as_deref() {
                if may_be_option(arg) {
                    call.unlisted = Some(arg.clone());
                }
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
            // The following words are still checked as operands.
            continue;
        }
        if !ended && style != Style::Raw && is_single_unknown(arg) {
            call.single_words.push(call.operands.len());
        }
        call.operands.push(arg.clone());
        if style == Style::Posix {
            // The first operand ends the options, unless it only precedes a command.
            ended = true;
        }
    }
    (call, chain.last().copied().unwrap_or(root))
}

/// Returns whether a question for help or a version is for a program or code that the words so far
/// name, and that gets the words behind it.
fn asks_another(spec: &Spec, call: &ParsedArgs<'_>, text: &str) -> bool {
    let long = match text {
        "--help" | "--version" | "-help" | "-version" => true,
        "-h" | "-v" | "-V" => false,
        _ => return false,
    };
    let runs = |kind| {
        matches!(
            kind,
            EffectKind::Execute | EffectKind::Dynamic | EffectKind::Unknown
        )
    };
    let is_program = |role: &Role| match role {
        Role::Script | Role::Code(_) | Role::CommandRest(_) | Role::ShellRest(_) => true,
        Role::Effect(kind) => runs(*kind),
        _ => false,
    };
    let operands = spec.operands.as_ref();
    let roles = operands.map_or(&[][..], |o| o.roles.as_slice());
    // Only where further operands are arguments.
    let passes = matches!(roles, [.., Role::Text]) && operands.is_some_and(|o| o.repeat.is_some());
    let given = roles.iter().take(call.operands.len());
    let loads = |seen: &FlagUse<'_>| {
        let role = seen.flag.and_then(|flag| flag.arg.as_ref());
        matches!(role, Some(Role::Script)) && matches!(roles, [Role::Script, ..])
    };
    let named = |a: &Arg| a.text.contains(['/', '.', UNKNOWN]);
    passes && given.clone().any(is_program)
        || call.flags.iter().any(loads)
        || long && call.operands.iter().any(named) && spec.effects.iter().any(|e| runs(e.kind))
}

pub(super) fn parse_dd<'s>(call: &mut ParsedArgs<'s>, chain: &[&'s Spec], arg: &Arg) {
    let (key, value) = arg.text.split_once('=').unwrap_or((arg.text.as_str(), ""));
    match find(chain, key) {
        Some(flag) => {
            let mut v = arg.clone();
            v.at = arg.at.map(|a| a + key.len() + 1);
            value.clone_into(&mut v.text);
            call.flags.push(FlagUse {
                name: key.to_owned(),
                flag: Some(flag),
                values: vec![v],
                attached: None,
                next: None,
                span: arg.span,
            });
        }
        None if matches!(key, "--help" | "--version") => call.help = true,
        None => call.operands.push(arg.clone()),
    }
}

/// Parses one flag. Returns true if the options end here for good.
#[expect(clippy::too_many_arguments, reason = "a flag needs its whole context")]
pub(super) fn parse_flag<'s>(
    call: &mut ParsedArgs<'s>,
    chain: &[&'s Spec],
    style: Style,
    arg: &Arg,
    args: &[Arg],
    i: &mut usize,
    spec: &'s Spec,
    swallow: bool,
) -> bool {
    let text = arg.text.as_str();
    let (name, attached) = match text.split_once('=') {
        Some((n, v)) => (n, Some(v)),
        None => (text, None),
    };
    let value_at = |v: &str| Arg {
        text: v.to_owned(),
        at: arg.at.map(|a| a + text.len() - v.len()),
        ..arg.clone()
    };
    let long = text.starts_with("--") || style == Style::Long;
    if long || (text.len() > 2 && find(chain, name).is_some()) {
        let root_help = chain.first().is_none_or(|s| !s.no_help);
        if root_help && matches!(name, "--help" | "--version") && find(chain, name).is_none() {
            call.help = true;
            return false;
        }
        let mut hit = find_long(chain, name);
        if hit.is_none() && style == Style::Long {
            let other = name
                .strip_prefix("--")
                .map_or_else(|| format!("-{name}"), |n| format!("-{n}"));
            hit = find_long(chain, &other);
        }
        let Some((full, flag)) = hit else {
            if root_help && style == Style::Long && matches!(name, "-help" | "-version") {
                call.help = true;
            } else {
                if spec.strict {
                    call.unknown_flag.get_or_insert_with(|| arg.clone());
                }
                call.dry_negated |= negates_dry_run(chain, name);
                if suggests_action(name) {
                    call.acting_flag.get_or_insert_with(|| arg.clone());
                }
                call.record_flag(name, None, arg.span);
                if let Some(seen) = call.flags.last_mut() {
                    seen.attached = attached.map(str::to_owned);
                    seen.next = args.get(*i).filter(|a| !a.text.starts_with('-')).cloned();
                }
            }
            return false;
        };
        call.record_flag(full, Some(flag), arg.span);
        let mut values = Vec::new();
        if let Some(v) = attached {
            values.push(value_at(v));
        }
        let short = full.trim_start_matches('-') != name.trim_start_matches('-');
        if short && values.is_empty() && flag.arg.is_some() && !flag.attached_only {
            call.unsure = true;
            if !swallow {
                return false;
            }
        }
        return finish_flag(call, flag, values, args, i);
    }
    // A cluster of short flags.
    let body = text.get(1..).unwrap_or_default();
    let (help, dry) = (call.help, call.dry);
    let stop = parse_cluster(call, chain, arg, args, i, spec);
    // An unlisted letter may take the rest as its value, or the whole is a long option with one
    // dash (`-method=x` isn't `-h`). Then the word must not reduce the program's effects.
    let mut letters = body.chars().map(|c| find(chain, &format!("-{c}")));
    let stray = letters
        .by_ref()
        .take_while(|f| f.is_none_or(|f| f.arg.is_none()))
        .any(|f| f.is_none());
    if stray {
        call.help = help;
        call.dry = dry;
        if suggests_action(text) {
            call.acting_flag.get_or_insert_with(|| arg.clone());
        }
    }
    stop
}

/// Finds a flag of several letters with a value (`-TT CMD`) at the start of the rest of a cluster.
fn find_joined<'s>(chain: &[&'s Spec], rest: &str) -> Option<(&'s str, &'s Flag)> {
    if rest.len() > MAX_CLUSTER {
        return None;
    }
    let flags = chain.iter().rev().flat_map(|spec| {
        let listed = spec.flags.iter();
        listed.filter_map(|(name, k)| Some((name.as_str(), spec.flag_list.get(*k)?)))
    });
    let joined = |name: &str| {
        let letters = name.strip_prefix('-').filter(|n| !n.starts_with('-'));
        letters.is_some_and(|n| n.len() > 1 && rest.starts_with(n))
    };
    flags
        .filter(|(name, flag)| flag.arg.is_some() && joined(name))
        .max_by_key(|(name, _)| name.len())
}

/// Parses `-abc` letter by letter. Returns true if the options end here for good.
fn parse_cluster<'s>(
    call: &mut ParsedArgs<'s>,
    chain: &[&'s Spec],
    arg: &Arg,
    args: &[Arg],
    i: &mut usize,
    spec: &'s Spec,
) -> bool {
    let text = arg.text.as_str();
    let value_at = |v: &str| Arg {
        text: v.to_owned(),
        at: arg.at.map(|a| a + text.len() - v.len()),
        ..arg.clone()
    };
    let body = text.get(1..).unwrap_or_default();
    let mut at = 0;
    for c in body.chars() {
        if let Some((name, flag)) = body.get(at..).and_then(|rest| find_joined(chain, rest)) {
            call.record_flag(name, Some(flag), arg.span);
            let rest = body.get(at + name.len() - 1..).unwrap_or_default();
            let values = (!rest.is_empty()).then(|| value_at(rest));
            return finish_flag(call, flag, values.into_iter().collect(), args, i);
        }
        let n = c.len_utf8();
        let name = format!("-{c}");
        at += n;
        let flag = find(chain, &name);
        call.record_flag(&name, flag, arg.span);
        let Some(flag) = flag else {
            if spec.strict {
                call.unknown_flag.get_or_insert_with(|| arg.clone());
            }
            if body.len() == at
                && let Some(seen) = call.flags.last_mut()
            {
                seen.next = args.get(*i).cloned();
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
        // `tool -v` prints the version, `tool subcommand -v` most likely is verbose.
        let is_own = chain.len() == 1 || spec.flags.contains_key(&name);
        if flag.help && matches!(c, 'v' | 'V') && !is_own {
            continue;
        }
        if finish_flag(call, flag, Vec::new(), args, i) {
            return true;
        }
    }
    false
}

pub(super) fn finish_flag<'s>(
    call: &mut ParsedArgs<'s>,
    flag: &'s Flag,
    mut values: Vec<Arg>,
    args: &[Arg],
    i: &mut usize,
) -> bool {
    if flag.arg.is_some() && !flag.attached_only {
        while values.len() < flag.args {
            let Some(v) = args.get(*i) else { break };
            values.push(v.clone());
            *i += 1;
        }
    }
    call.dry |= flag.dry;
    let is_switch = flag.arg.is_none() || flag.attached_only;
    let off = is_switch && values.first().is_some_and(|v| switches_off(&v.text));
    call.dry_negated |= off && flag.dry;
    call.help |= flag.help && !off;
    call.recursive |= flag.recursive;
    let mut stop = flag.stop;
    let may_be_dry = flag.values.iter().any(|(_, value)| value.dry);
    if let Some(v) = values.first() {
        let mut is_dry = false;
        for (globs, value) in &flag.values {
            if globs.iter().any(|g| glob(g, &v.text)) {
                call.help |= value.help;
                call.dry |= value.dry;
                is_dry = value.dry;
                if let Some(p) = &value.as_program {
                    let rest = args.get(*i..).unwrap_or_default().to_vec();
                    call.as_program = Some((p.clone(), rest));
                    stop = true;
                }
                break;
            }
        }
        call.dry_negated |= may_be_dry && !is_dry && may_mean_no(&v.text);
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

pub(super) fn matches_flag(call: &ParsedArgs<'_>, name: &str) -> bool {
    call.flags.iter().any(|f| f.name == name)
}

/// Returns the spellings of one flag that the table lists together (`-n, --dry-run`).
pub(super) fn synonyms(spec: &Spec, root: &Spec, name: &str) -> Vec<String> {
    for s in [spec, root] {
        if let Some(i) = s.flags.get(name) {
            let all: Vec<&String> = s
                .flags
                .iter()
                .filter(|(_, k)| *k == i)
                .map(|(n, _)| n)
                .collect();
            let long = all.iter().filter(|n| n.starts_with("--")).count();
            if long == 1 && all.len() <= 3 {
                return all.into_iter().cloned().collect();
            }
        }
    }
    vec![name.to_owned()]
}

pub(super) fn applies(w: &When, call: &ParsedArgs<'_>, spec: &Spec, root: &Spec) -> bool {
    (w.operand.is_empty()
        || w.operand
            .iter()
            .any(|g| call.operands.iter().any(|o| glob(g, &o.text))))
        && applies_otherwise(w, call, spec, root)
}

/// Returns whether the conditions are met that aren't about the operands' texts.
fn applies_otherwise(w: &When, call: &ParsedArgs<'_>, spec: &Spec, root: &Spec) -> bool {
    let given = |n: &String| {
        synonyms(spec, root, n)
            .iter()
            .any(|s| matches_flag(call, s))
    };
    w.flags.iter().all(given)
        && (w.any.is_empty() || w.any.iter().any(given))
        && !w.without.iter().any(given)
        && w.min.is_none_or(|m| call.operands.len() >= m)
        && w.max.is_none_or(|m| call.operands.len() <= m)
        && w.dashdash.is_none_or(|d| d == call.dashdash)
}

/// Returns the first operand if it isn't known and a condition on operands may be met with it.
pub(super) fn may_apply<'c>(
    w: &When,
    call: &'c ParsedArgs<'_>,
    spec: &Spec,
    root: &Spec,
) -> Option<&'c Arg> {
    let first = call
        .operands
        .first()
        .filter(|o| o.text.starts_with(UNKNOWN))?;
    // A word, or a statement whose verb isn't known. A file that is read is neither.
    let begins = may_be_option(first) || first.text.contains(' ');
    let is_file = matches!(
        spec.operands.as_ref().and_then(|roles| roles.role(0, 1)),
        Some(Role::Read | Role::Stat)
    );
    let is_verb = |g: &String| g.starts_with(|c: char| c.is_ascii_alphabetic());
    let meets = |g: &String| is_verb(g) && may_overlap(&first.text, g);
    let met = begins && !is_file && w.operand.iter().any(meets);
    (met && applies_otherwise(w, call, spec, root)).then_some(first)
}

/// Returns whether a glob may match a text whose end isn't known.
pub(super) fn may_match(glob: &str, text: &str) -> bool {
    let known = text.split(UNKNOWN).next().unwrap_or_default();
    let literal = glob.split(['*', '?']).next().unwrap_or_default();
    known.starts_with(literal) || literal.starts_with(known)
}
