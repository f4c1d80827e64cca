//! Effects of a call of a known tool, by the roles of its parameters.

use super::patch;
use super::{ClassifiedCall, Operation, ParamRole, Tool};
use crate::Context;
use crate::effect::{Analysis, Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;
use crate::tools::param::Param;
use crate::tools::param_scan::{Hook, file_url, url};
use crate::tools::tool::{clean, effects_by_name};
use crate::tools::tool_params::with_slashes;
use crate::tools::{tool_line, tool_params};
use std::borrow::Cow;

/// Returns the effects of a call of a known tool. Parts that the data doesn't explain are rated as
/// in a call of an unknown tool, and never lower the risk.
pub(crate) fn effects_of_known(
    tool: &Tool,
    name: &str,
    call: &Param<'_>,
    ctx: &Context<'_>,
) -> Analysis {
    let inputs = call.inputs();
    if tool.is_named() {
        let rest = tool.without_texts(&inputs.values);
        return effects_by_name(name, if inputs.unreadable { call } else { &rest }, ctx);
    }
    let classified = tool.classify(&inputs.values);
    if inputs.unreadable {
        return effects_by_name(name, call, ctx);
    }
    let mut e = Engine::for_call(ctx);
    e.step(name, &[], Span::default());
    known_call(&mut e, &classified);
    let known = e.finish();
    if classified.understood {
        return known;
    }
    let mut analysis = effects_by_name(name, call, ctx);
    if classified.operation == Operation::Unknown && analysis.risk == RiskLevel::High {
        return analysis;
    }
    add(&mut analysis, known);
    if !classified.unlisted.is_empty() {
        // With an additional parameter, a tool may seem to do less. The call without the unlisted
        // parameters is rated too.
        let listed = |(name, _): &&(Cow<'_, str>, _)| !classified.unlisted.contains(&&**name);
        let members = inputs.values.members().unwrap_or_default();
        let without = Param::Members(members.iter().filter(listed).cloned().collect());
        let without = effects_of_known(tool, name, &without, ctx);
        if without.risk > analysis.risk {
            add(&mut analysis, without);
        }
    }
    analysis
}

/// Adds the effects of another interpretation of the same call that aren't present yet.
fn add(analysis: &mut Analysis, other: Analysis) {
    analysis.risk = analysis.risk.max(other.risk);
    analysis.unparsed |= other.unparsed;
    analysis.truncated |= other.truncated;
    for effect in other.effects {
        let same = analysis
            .effects
            .iter()
            .any(|e| e.kind == effect.kind && e.target == effect.target && e.risk >= effect.risk);
        if !same {
            analysis.effects.push(effect);
        }
    }
}

/// The patch of an `apply_patch` command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandPatch<'p> {
    /// Where a `cd` before it goes.
    directory: Option<&'p str>,
    patch: &'p str,
}

/// Returns the patch of an `apply_patch` command: its only argument, or its only here-document, in
/// which a shell would expand nothing.
pub(super) fn command_patch<'p>(command: &'p Param<'_>) -> Option<CommandPatch<'p>> {
    let words: Vec<&str> = texts(command).collect();
    let line = match words.as_slice() {
        ["apply_patch" | "applypatch", patch] => {
            return Some(CommandPatch {
                directory: None,
                patch,
            });
        }
        [
            "bash" | "sh" | "zsh" | "/bin/bash" | "/bin/sh" | "/bin/zsh",
            "-lc" | "-c",
            line,
        ] => *line,
        [line] if command.as_str().is_some() => *line,
        _ => return None,
    };
    let line = line.trim();
    let (directory, line) = match line.strip_prefix("cd ").map(|cd| cd.split_once("&&")) {
        Some(cd) => {
            let (directory, line) = cd?;
            (Some(plain_word(directory.trim())?), line.trim_start())
        }
        None => (None, line),
    };
    let after = line
        .strip_prefix("apply_patch")
        .or_else(|| line.strip_prefix("applypatch"))?;
    let (start, body) = after.trim_start().strip_prefix("<<")?.split_once('\n')?;
    let start = start.trim();
    let quoted = |quote| start.strip_prefix(quote)?.strip_suffix(quote);
    let end = quoted('\'').or_else(|| quoted('"'));
    let inert = end.is_some() || !body.contains(['$', '`', '\\']);
    let end = end.unwrap_or(start);
    let plain = !end.is_empty() && end.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let patch = body.strip_suffix(end)?;
    // The document ends at the first such line, which must be the last.
    let whole = patch.ends_with('\n') && !patch.lines().any(|line| line == end);
    (plain && inert && whole).then_some(CommandPatch { directory, patch })
}

/// Returns a word of a command line in which there is nothing to expand, without its quotes.
fn plain_word(word: &str) -> Option<&str> {
    let quoted = |quote| word.strip_prefix(quote)?.strip_suffix(quote);
    let inner = quoted('\'').or_else(|| quoted('"')).unwrap_or(word);
    let inert = |c: char| c.is_ascii_alphanumeric() || "/._-@+".contains(c);
    let plain = !inner.is_empty() && !inner.starts_with('-') && inner.chars().all(inert);
    plain.then_some(inner)
}

/// Returns the texts of a value.
fn texts<'p>(value: &'p Param<'p>) -> impl Iterator<Item = &'p str> {
    let list = match value {
        Param::List(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    list.iter().filter_map(Param::as_str)
}

/// Returns the files of the patches of a call, below the directories that the call names.
pub(super) fn patched_files(classified: &ClassifiedCall<'_>) -> Vec<String> {
    let of = |role: ParamRole| {
        let values = classified.parts.iter().filter(move |(r, _)| *r == role);
        values.map(|(_, value)| *value)
    };
    let own = of(ParamRole::Directory).flat_map(texts).next();
    let patches = of(ParamRole::Patch)
        .flat_map(texts)
        .map(|patch| (None, patch));
    let commands = of(ParamRole::Command).filter(|_| classified.applies_patches);
    let commands = commands.filter_map(command_patch);
    let commands = commands.map(|found| (found.directory, found.patch));
    let mut files = Vec::new();
    for (entered, patch) in patches.chain(commands) {
        for file in patch::files(patch) {
            let mut path = String::new();
            for part in [own, entered, Some(file)].into_iter().flatten() {
                if part.starts_with('/') {
                    path.clear();
                } else if !path.is_empty() && !path.ends_with('/') {
                    path.push('/');
                }
                path.push_str(part);
            }
            files.push(path);
        }
    }
    files
}

/// Adds the effects of a tool with these parameters.
fn known_call(cx: &mut Engine<'_>, classified: &ClassifiedCall<'_>) {
    let (operation, parts) = (classified.operation, &classified.parts);
    let of = |role: ParamRole| {
        let values = parts.iter().filter(move |(r, _)| *r == role);
        values.flat_map(|(_, value)| texts(value))
    };
    let directory = of(ParamRole::Directory).next();
    let mut runs = false;
    for (_, value) in parts.iter().filter(|(role, _)| *role == ParamRole::Command) {
        let patch = classified
            .applies_patches
            .then(|| command_patch(value))
            .flatten();
        runs |= match patch {
            Some(CommandPatch {
                directory: entered,
                patch,
            }) => {
                tool_line::in_directory(cx, directory, |cx| {
                    tool_line::in_directory(cx, entered, |cx| patch::known_patch(cx, patch));
                });
                true
            }
            None => known_command(cx, value, directory),
        };
    }
    for text in of(ParamRole::Patch) {
        tool_line::in_directory(cx, directory, |cx| patch::known_patch(cx, text));
    }
    let mut fetches = false;
    for word in of(ParamRole::Url).flat_map(str::split_whitespace) {
        fetches |= known_address(cx, word);
    }
    // A parameter that isn't listed may name it.
    let mut named = !classified.unlisted.is_empty();
    for text in of(ParamRole::Directory) {
        if let Some(path) = known_path(cx, text) {
            match operation {
                Operation::Search => cx.tree_read(&*path),
                _ => cx.path_read(&*path),
            }
            named = true;
        }
    }
    for text in of(ParamRole::Path) {
        if let Some(path) = known_path(cx, text) {
            known_operation(cx, operation, &path);
            named = true;
        }
    }
    for text in of(ParamRole::Glob) {
        named = true;
        let Some(pattern) = known_path(cx, text) else {
            continue;
        };
        // Patterns are relative to the searched directory, unless they have a root of their
        // own.
        let places: Vec<&str> = of(ParamRole::Directory)
            .chain(of(ParamRole::Path))
            .collect();
        let rooted = pattern.starts_with(['/', '~', '$']);
        if rooted || places.is_empty() || pattern.contains('{') {
            tool_params::tool_glob(cx, &pattern, operation == Operation::List && !rooted);
        }
        if !rooted {
            for place in places {
                let joined = format!("{}/{pattern}", with_slashes(clean(place)));
                tool_params::tool_glob(cx, &joined, operation == Operation::List);
            }
        }
    }
    match operation {
        Operation::Input => {
            let text: String = of(ParamRole::Input).collect();
            known_input(cx, &text);
        }
        Operation::Command if runs => {}
        Operation::Fetch if fetches => {}
        Operation::Patch if of(ParamRole::Patch).next().is_some() => {}
        Operation::List
        | Operation::Search
        | Operation::Read
        | Operation::Write
        | Operation::Edit
        | Operation::Move
        | Operation::Delete
            if named => {}
        _ => known_unnamed(cx, operation),
    }
}

/// Handles a command line, or a program with its arguments. Returns false if there is none.
fn known_command(cx: &mut Engine<'_>, value: &Param<'_>, directory: Option<&str>) -> bool {
    let place = directory.map(|d| (Cow::Borrowed("cwd"), Param::Text(Cow::Borrowed(d))));
    let siblings = place.as_slice();
    match value {
        Param::List(_) => {
            let words: Vec<&str> = texts(value).collect();
            tool_line::tool_words(cx, &words, siblings);
            !words.is_empty()
        }
        _ => value.as_str().is_some_and(|text| {
            tool_line::tool_line(cx, text, siblings);
            !text.is_empty()
        }),
    }
}

/// Returns the path as it is written. If it can't be a followable path, an effect is added at
/// once, in addition to the effect on its target.
fn known_path<'t>(cx: &mut Engine<'_>, text: &'t str) -> Option<Cow<'t, str>> {
    // No system opens a longer path, but a tool that resolves it first may.
    const LONG: usize = 4096;
    const LONGEST: usize = 64 << 10;
    if text.len() > LONG || text.trim().contains(['\n', '\0']) {
        tool_params::tool_no_path(cx);
    }
    if text.len() > LONGEST {
        return None;
    }
    let text = match clean(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    if known_address(cx, &text) {
        return None;
    }
    (!text.is_empty()).then(|| with_slashes(text))
}

/// Handles a URL. Returns false if the text isn't one.
fn known_address(cx: &mut Engine<'_>, text: &str) -> bool {
    let text = clean(text);
    let Some((scheme, rest)) = url(&text) else {
        return false;
    };
    if !scheme.eq_ignore_ascii_case("file") {
        cx.network(&Arg::literal(text, Span::default()));
    } else if let Some(path) = file_url(rest) {
        cx.path_read(&*path);
    } else {
        tool_params::tool_no_path(cx);
    }
    true
}

/// Adds the effect of an operation on a path.
fn known_operation(cx: &mut Engine<'_>, operation: Operation, path: &str) {
    match operation {
        Operation::Write | Operation::Edit | Operation::Patch => cx.path_write(path),
        // Such tools delete directories as well.
        Operation::Delete => cx.path_delete(path, true),
        Operation::Move => {
            cx.path_move(path);
            cx.path_write(path);
        }
        Operation::Search => cx.tree_read(path),
        _ => cx.path_read(path),
    }
}

/// Handles text that is typed into a running command.
fn known_input(cx: &mut Engine<'_>, text: &str) {
    let signals = |c: char| matches!(c, '\u{3}' | '\u{4}' | '\u{1a}' | '\u{1c}');
    let (kind, risk, why) = if text.is_empty() {
        let why = "waits for what a running command prints";
        (EffectKind::Read, RiskLevel::Low, why)
    } else if text.chars().all(signals) {
        let why = "interrupts a command that the agent started";
        (EffectKind::Process, RiskLevel::Medium, why)
    } else {
        tool_line::tool_hook(cx, text, Hook::Step);
        let why = "types into a running command, which may do anything with it";
        (EffectKind::Dynamic, RiskLevel::High, why)
    };
    cx.emit_raw(kind, None, Certainty::Possible, Span::default(), risk, why);
}

/// Adds the effect of an operation whose parameters name no target.
fn known_unnamed(cx: &mut Engine<'_>, operation: Operation) {
    use EffectKind::{Delete, Dynamic, Execute, Network, Process, Read, Unknown, Write};
    use RiskLevel::{High, Low, Medium};
    let (kind, risk, why) = match operation {
        Operation::Note => (Read, Low, "touches only the agent's own notes"),
        Operation::Ask => (Read, Low, "asks the human"),
        Operation::List => (Read, Low, "lists files"),
        Operation::Search => (Read, Low, "searches the text of files"),
        Operation::Read => (Read, Low, "reads data that the agent already has"),
        Operation::Fetch => (Network, Medium, "uses the network"),
        Operation::Kill => (Process, Medium, "stops a command that the agent started"),
        Operation::Spawn => (Execute, Medium, "starts another agent"),
        Operation::Write | Operation::Edit => (Write, Medium, "writes a file that isn't named"),
        Operation::Patch => (Unknown, High, "applies a patch that isn't given"),
        Operation::Move => (Write, Medium, "moves files that aren't named"),
        Operation::Delete => (Delete, High, "deletes something that isn't named"),
        Operation::Command | Operation::Input => (Dynamic, High, "runs something that isn't named"),
        Operation::Named | Operation::Unknown => (Unknown, High, "does something that isn't known"),
    };
    cx.emit_raw(kind, None, Certainty::Possible, Span::default(), risk, why);
}
