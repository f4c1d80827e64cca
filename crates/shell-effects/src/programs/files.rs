//! Programs that copy, fill, empty or read files.

use super::downloads;
use super::{Family, Invocation};
use crate::calls::spec_eval::parse_args;
use crate::effect::{Certainty, EffectKind, RiskLevel};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::table::spec::Spec;

pub(super) const PROGRAMS: Family = &[
    (&["cp", "gcp", "install", "ln"], copy),
    (&["dd"], dd),
    (&["mv"], move_files),
    (&["tee"], tee),
    (&["chmod"], chmod),
    (&["truncate"], truncate),
    (&["yq"], yq),
    (&["awk", "gawk", "mawk", "nawk", "original-awk"], awk),
    (&["sed", "gsed"], sed),
    (&["ssh-keygen"], keygen),
];

/// Handles a key that is created or changed at the path of `-f`. Other calls are left to the table.
fn keygen(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    const LOOKS: [&str; 9] = ["-l", "-B", "-L", "-F", "-Q", "-r", "-y", "-e", "-i"];
    let spec = cx.ctx().table.get("ssh-keygen")?;
    let (parsed, _) = parse_args(spec, call.rest);
    if !LOOKS.iter().any(|f| parsed.has(f)) {
        for file in parsed
            .flags
            .iter()
            .filter(|f| f.name == "-f")
            .flat_map(|f| &f.values)
        {
            cx.path_write(file);
        }
    }
    None
}

fn copy(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { name, rest, .. } = *call;
    if name != "ln" {
        copy_null(cx, rest);
    }
    copied(cx, rest);
    None
}

/// Handles SQL that changes the database in a file: the file is written.
pub(crate) fn write_database(cx: &mut Engine<'_>, spec: &Spec, rest: &[Arg]) {
    let (call, _) = parse_args(spec, rest);
    let in_memory = |file: &Arg| file.text.is_empty() || file.text == ":memory:";
    if let Some(file) = call.operands.first().filter(|file| !in_memory(file)) {
        cx.path_write(file);
    }
}

/// Handles `ln -s TARGET NAME`: using the name later uses the target.
pub(crate) fn link(cx: &mut Engine<'_>, rest: &[Arg]) {
    let ops: Vec<&Arg> = rest.iter().filter(|a| !a.text.starts_with('-')).collect();
    let (target, name) = match ops.as_slice() {
        [target] => (target, "."),
        [target, name] => (target, name.text.as_str()),
        _ => return,
    };
    let base = target.text.trim_end_matches('/').rsplit('/').next();
    // If the name is a directory, the link is created inside it.
    let inside = format!(
        "{}/{}",
        name.trim_end_matches('/'),
        base.unwrap_or_default()
    );
    for link in [name, inside.as_str()] {
        if let Some(link) = cx.resolve(link)
            && link != cx.ctx().workdir
        {
            cx.add_link(link, &target.text);
        }
    }
}

fn dd(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, stdin, .. } = *call;
    dd_target(cx, rest, stdin);
    None
}

fn move_files(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    if let Some(last) = rest.iter().find(|a| a.text.ends_with("/dev/null")) {
        cx.emit_raw(
            EffectKind::Delete,
            None,
            Certainty::Certain,
            last.span,
            RiskLevel::High,
            "moves files to /dev/null",
        );
    }
    copied(cx, rest);
    None
}

fn tee(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, stdin, .. } = *call;
    // `tee file < /dev/null` empties it.
    if stdin.text.as_deref() == Some("")
        && !rest
            .iter()
            .any(|a| a.text.starts_with("-a") || a.text == "--append")
    {
        for a in rest.iter().filter(|a| !a.text.starts_with('-')) {
            cx.path_empty(a);
        }
    }
    for a in rest.iter().filter(|a| !a.text.starts_with('-')) {
        if let Some(p) = cx.resolve(&a.text) {
            cx.history_mut().write(p, stdin.text.clone());
        }
    }
    None
}

fn chmod(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    downloads::chmod(cx, rest);
    None
}

fn truncate(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    truncated(cx, rest)
}

/// Values of variables may be file names, and a program that edits in place may print nothing.
fn awk(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let spec = cx.ctx().table.get("awk")?;
    let (parsed, _) = parse_args(spec, call.rest);
    let flags = |names: &'static [&str]| {
        let given = parsed
            .flags
            .iter()
            .filter(|f| names.contains(&f.name.as_str()));
        given.flat_map(|f| f.values.iter())
    };
    for a in flags(&["-v", "--assign"]).chain(&parsed.operands) {
        if let Some((_, value)) = crate::calls::spec_eval::is_assignment(&a.text)
            && cx.classify(value).secret
        {
            cx.path_read(&Arg::literal(value, a.span));
        }
    }
    let in_place = flags(&["-i", "--include"]).any(|v| v.text.starts_with("inplace"));
    let (named, other) = (flags(&["-e", "--source"]), flags(&["-f", "--file"]).count());
    let programs: Vec<&Arg> = named.collect();
    let skipped = usize::from(programs.is_empty());
    let program = programs.first().copied().or(parsed.operands.first());
    if in_place
        && other == 0
        && programs.len() < 2
        && program.is_some_and(|p| crate::code::awk::prints_nothing(&p.text))
    {
        for file in parsed.operands.iter().skip(skipped) {
            cx.path_empty(file);
        }
    }
    None
}

/// A script that edits in place may empty the file.
fn sed(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let spec = cx.ctx().table.get("sed")?;
    let (parsed, _) = parse_args(spec, call.rest);
    let has = |names: &[&str]| {
        parsed
            .flags
            .iter()
            .any(|f| names.contains(&f.name.as_str()))
    };
    cx.history_mut().set_edit_script(None);
    if !has(&["-i", "--in-place"]) || has(&["-f", "--file"]) {
        return None;
    }
    let scripts = parsed
        .flags
        .iter()
        .filter(|f| matches!(f.name.as_str(), "-e" | "--expression"));
    let mut scripts: Vec<&str> = scripts
        .flat_map(|f| f.values.iter().map(|v| v.text.as_str()))
        .collect();
    let skipped = usize::from(scripts.is_empty());
    if scripts.is_empty() {
        scripts.extend(parsed.operands.first().map(|a| a.text.as_str()));
    }
    if let [script] = scripts.as_slice() {
        cx.history_mut().set_edit_script(Some((*script).to_owned()));
    }
    let quiet = has(&["-n", "--quiet", "--silent"]);
    if crate::code::sed::leaves_nothing(&scripts.join("\n"), quiet) {
        for file in parsed.operands.iter().skip(skipped) {
            cx.path_empty(file);
        }
    }
    None
}

/// `load("file")` and `load_str("file")` read the named file.
fn yq(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { rest, .. } = *call;
    for a in rest.iter().filter(|a| a.text.contains("load")) {
        for file in a.text.split(['"', '\'']).skip(1).step_by(2) {
            if cx.classify(file).secret {
                cx.path_read(&Arg::literal(file, a.span));
            }
        }
    }
    None
}

fn dd_target(cx: &mut Engine<'_>, rest: &[Arg], stdin: &Stream) {
    let get = |k: &str| {
        rest.iter()
            .find_map(|a| a.text.strip_prefix(k).map(|v| (a, v)))
    };
    let Some((a, of)) = get("of=") else { return };
    let source = get("if=").map(|(_, v)| v);
    if matches!(
        source,
        Some("/dev/zero" | "/dev/null" | "/dev/urandom" | "/dev/random")
    ) || stdin.text.as_deref() == Some("")
    {
        let f = Arg {
            text: of.to_owned(),
            at: None,
            ..a.clone()
        };
        let inside = matches!(
            cx.classify(of).class,
            crate::paths::path::PathClass::Inside | crate::paths::path::PathClass::Temporary
        );
        // Creating a test file of zeros is routine; `/dev/null` empties the file.
        let sized = get("count=").is_some() && source != Some("/dev/null");
        if !(inside && sized) {
            cx.path_empty(&f);
        }
    }
}

/// Handles a copy of a program or of text of this line, which may run later under another name.
fn copied(cx: &mut Engine<'_>, rest: &[Arg]) {
    let ops: Vec<&Arg> = rest.iter().filter(|a| !a.text.starts_with('-')).collect();
    let [from, .., to] = ops.as_slice() else {
        return;
    };
    let text = cx.file_text(&from.text);
    let foreign = !matches!(
        cx.classify(&from.text).class,
        crate::paths::path::PathClass::Inside | crate::paths::path::PathClass::Root
    );
    if (foreign || cx.has_written(&from.text))
        && let Some(p) = cx.resolve(&to.text)
    {
        let base = from.text.rsplit('/').next().unwrap_or_default();
        cx.history_mut().write(format!("{p}/{base}"), text.clone());
        cx.history_mut().write(p, text);
    }
}

fn copy_null(cx: &mut Engine<'_>, rest: &[Arg]) {
    let ops: Vec<&Arg> = rest.iter().filter(|a| !a.text.starts_with('-')).collect();
    if let [first, .., last] = ops.as_slice()
        && matches!(
            first.text.as_str(),
            "/dev/null" | "/dev/zero" | "/dev/urandom"
        )
    {
        let last = (*last).clone();
        cx.path_empty(&last);
    }
}

/// A size other than zero only creates a file of that length.
fn truncated(cx: &mut Engine<'_>, rest: &[Arg]) -> Option<Stream> {
    let ctx = cx.ctx();
    let spec = ctx.table.get("truncate")?;
    let (call, _) = parse_args(spec, rest);
    let size = call
        .flags
        .iter()
        .rev()
        .find(|f| matches!(f.name.as_str(), "-s" | "--size"))
        .and_then(|f| f.values.first())?;
    let digits = size.text.trim_start_matches(['+', '>', '%', '/']);
    let grows = digits
        .bytes()
        .next()
        .is_some_and(|c| (b'1'..=b'9').contains(&c));
    if !grows {
        return None;
    }
    for a in &call.operands {
        cx.path_write(a);
    }
    Some(Stream::unknown())
}
