//! `tar`: its old style of options, and the commands that it runs.

use super::{Family, Invocation};
use crate::calls::args::{is_single_unknown, may_be_option};
use crate::calls::copies::UNPACKERS;
use crate::calls::spec_eval::parse_args;
use crate::calls::{shell_args, spec_eval};
use crate::chars::UNKNOWN;
use crate::effect::{Certainty, EffectKind, RiskLevel};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;
use crate::table::spec::Role;

pub(super) const PROGRAMS: Family = &[(&["tar", "gtar", "bsdtar"], tar), (UNPACKERS, unpack)];

fn tar(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        rest,
        stdin,
        want,
        span,
        ..
    } = *call;
    let words = old_style(rest);
    if let Some(first) = rest.first().filter(|a| is_single_unknown(a)) {
        cx.dynamic(first.span, "the options of tar aren't known");
    }
    archived(cx, &words);
    // Files from an unpacked archive aren't the project's own.
    let foreign = words.iter().any(|a| {
        let archive = [
            ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".txz",
        ];
        archive.iter().any(|end| a.text.ends_with(end))
            && !matches!(
                cx.classify(&a.text).class,
                crate::paths::path::PathClass::Inside | crate::paths::path::PathClass::Root
            )
    });
    let fetched = stdin.present
        && stdin.text.is_none()
        && !stdin.inline
        && cx.has_effect(EffectKind::Network);
    if foreign || fetched || words.iter().any(may_be_option) {
        cx.history_mut().mark_downloaded();
    }
    let ctx = cx.ctx();
    let spec = ctx.table.get("tar")?;
    Some(spec_eval::apply(cx, "tar", spec, &words, stdin, want, span))
}

fn unpack(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    use crate::paths::path::PathClass::{Inside, Root};
    let ends = [
        "zip", "7z", "rar", "ace", "a", "jar", "cab", "exe", "deb", "lha", "lzh", "arj",
    ];
    let is_archive = |a: &Arg| {
        let extension = a.text.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| ends.contains(&extension)) || may_be_option(a)
    };
    // The first path, unless another one has the extension of an archive.
    let file = call.rest.iter().find(|a| is_archive(a));
    let file = file.or_else(|| call.rest.iter().find(|a| a.text.starts_with(['/', '~'])));
    if file.is_some_and(|a| !matches!(cx.classify(&a.text).class, Inside | Root)) {
        cx.history_mut().mark_downloaded();
    }
    None
}

fn archived(cx: &mut Engine<'_>, rest: &[Arg]) {
    let ctx = cx.ctx();
    if let Some(spec) = ctx.table.get("tar") {
        let (call, _) = parse_args(spec, rest);
        let creates = [
            "-c",
            "--create",
            "-r",
            "--append",
            "-u",
            "--update",
            "-A",
            "--catenate",
            "--concatenate",
        ]
        .iter()
        .any(|f| call.has(f));
        if let (true, Some(f)) = (
            creates,
            call.flags
                .iter()
                .rev()
                .find(|f| matches!(f.name.as_str(), "-f" | "--file"))
                .and_then(|f| f.values.first()),
        ) {
            let f = f.clone();
            // `host:file` is on another machine.
            spec_eval::apply_role(cx, &Role::Dest, &f, false, "tar", &Stream::default());
        }
    }
    for (i, a) in rest.iter().enumerate() {
        let t = a.text.as_str();
        let action = match t {
            "--checkpoint-action" => rest.get(i + 1).map(|v| v.text.clone()),
            _ => t.strip_prefix("--checkpoint-action=").map(str::to_owned),
        };
        if action.as_deref().is_some_and(|x| x.starts_with(UNKNOWN)) {
            cx.dynamic(a.span, "an action of tar that isn't known");
        }
        if let Some(cmd) = action.as_deref().and_then(|x| x.strip_prefix("exec=")) {
            let c = Arg {
                text: cmd.to_owned(),
                at: None,
                ..a.clone()
            };
            shell_args::shell_arg(cx, &c, &Stream::default(), false);
            cx.emit_raw(
                EffectKind::Execute,
                Some(cmd.to_owned()),
                Certainty::Certain,
                a.span,
                RiskLevel::High,
                "tar runs a command at each checkpoint",
            );
        }
    }
}

/// Converts `tar xzf a.tgz`: the first word is a cluster of flags without a dash, whose arguments
/// follow in order.
fn old_style(rest: &[Arg]) -> Vec<Arg> {
    let Some((first, tail)) = rest.split_first() else {
        return Vec::new();
    };
    let bundle = !first.text.starts_with('-')
        && first.text.bytes().all(|c| c.is_ascii_alphabetic())
        && first.text.contains(['c', 'x', 't', 'r', 'u', 'A']);
    if !bundle {
        return rest.to_vec();
    }
    let mut out = Vec::new();
    let mut tail = tail.iter();
    for c in first.text.chars() {
        out.push(Arg {
            text: format!("-{c}"),
            at: None,
            ..first.clone()
        });
        if matches!(
            c,
            'f' | 'C' | 'T' | 'X' | 'I' | 'b' | 'g' | 'F' | 'V' | 'L' | 'H' | 'K' | 'N'
        ) {
            out.extend(tail.next().cloned());
        }
    }
    out.extend(tail.cloned());
    out
}
