//! Programs that talk to other machines.

use super::downloads;
use super::{Family, Invocation};
use crate::calls::shell_args;
use crate::calls::spec_eval::parse_args;
use crate::chars::{UNKNOWN, show};
use crate::effect::{Certainty, EffectKind, RiskLevel};
use crate::interpreter::engine::{Engine, Stream};
use crate::interpreter::expand::Arg;

pub(super) const PROGRAMS: Family = &[
    (
        &["ssh", "scp", "sftp", "autossh", "sshpass", "rsync", "mosh"],
        ssh,
    ),
    (&["curl", "wget"], download),
    (&["nc", "ncat", "netcat", "socat", "telnet"], netcat),
    (&["openssl"], openssl),
    (&["http", "https", "xh", "xhs"], http_items),
];

/// Adds the effects of the items of a request (`name=value`, `header:value`, `file@path`) that may
/// name a file to send: the text that isn't known begins the item or its value.
fn http_items(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let spec = cx.ctx().table.get("http")?;
    let (parsed, _) = parse_args(spec, call.rest);
    let is_method = |a: &Arg| a.text.len() > 2 && a.text.bytes().all(|c| c.is_ascii_alphabetic());
    let url = usize::from(parsed.operands.first().is_some_and(is_method));
    let unknown = parsed.operands.iter().skip(url + 1).find(|item| {
        let (before, rest) = item.text.split_once(UNKNOWN).unwrap_or((&item.text, ""));
        let begins = before.is_empty() || before.ends_with(['=', ':', '@']);
        begins && before.len() + rest.len() < item.text.len()
    });
    if let Some(item) = unknown {
        cx.emit_raw(
            EffectKind::Network,
            None,
            Certainty::Possible,
            item.span,
            RiskLevel::High,
            "sends away data that isn't known",
        );
    }
    None
}

fn ssh(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        name,
        rest,
        stdin,
        span,
        ..
    } = *call;
    ssh_options(cx, rest);
    if name == "ssh" && stdin.present && !stdin.inline && stdin.text.is_none() {
        cx.emit_raw(
            EffectKind::Network,
            None,
            Certainty::Certain,
            span,
            RiskLevel::High,
            "sends its input to another machine",
        );
    }
    None
}

fn download(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation { name, rest, .. } = *call;
    downloads::download(cx, name, rest);
    downloads::secret_in_url(cx, rest);
    None
}

fn netcat(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        name,
        rest,
        stdin,
        span,
        ..
    } = *call;
    downloads::netcat(cx, name, rest, stdin, span);
    None
}

fn openssl(call: &Invocation<'_>, cx: &mut Engine<'_>) -> Option<Stream> {
    let Invocation {
        rest, stdin, span, ..
    } = *call;
    if !(rest.first().is_some_and(|a| a.text == "s_client")
        && stdin.present
        && !stdin.inline
        && stdin.text.is_none())
    {
        return None;
    }
    cx.emit_raw(
        EffectKind::Network,
        None,
        Certainty::Possible,
        span,
        RiskLevel::High,
        "sends its input over the network",
    );
    None
}

/// The options of ssh and scp without a value.
const SWITCHES: [char; 31] = [
    '1', '2', '3', '4', '6', 'A', 'B', 'C', 'K', 'M', 'N', 'O', 'R', 'T', 'V', 'X', 'Y', 'a', 'f',
    'g', 'k', 'n', 'p', 'q', 'r', 's', 't', 'v', 'x', 'y', 'G',
];

fn ssh_options(cx: &mut Engine<'_>, rest: &[Arg]) {
    for (i, a) in rest.iter().enumerate() {
        let cluster = a.text.strip_prefix('-').unwrap_or_default();
        let option = cluster.trim_start_matches(SWITCHES).strip_prefix('o');
        let option = match option {
            Some("") => rest.get(i + 1).map(|v| v.text.clone()),
            _ => option.map(str::to_owned),
        };
        let Some(option) = option else { continue };
        if option.starts_with(UNKNOWN) {
            cx.dynamic(a.span, "an option of ssh that isn't known");
        }
        let (k, v) = option.split_once(['=', ' ']).unwrap_or((&option, ""));
        if matches!(
            k.to_ascii_lowercase().as_str(),
            "proxycommand"
                | "localcommand"
                | "knownhostscommand"
                | "remotecommand_"
                | "pkcs11provider"
                | "securitykeyprovider"
                | "proxyusefdpass_"
        ) && v != "none"
        {
            let c = Arg {
                text: v.to_owned(),
                at: None,
                ..a.clone()
            };
            shell_args::shell_arg(cx, &c, &Stream::default(), false);
            cx.emit_raw(
                EffectKind::Dynamic,
                Some(show(&option)),
                Certainty::Possible,
                a.span,
                RiskLevel::High,
                "an option that makes ssh run a command",
            );
        }
    }
}
