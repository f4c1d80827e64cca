//! Contacted hosts, and the data sent to them.

use super::engine::{Engine, Stream};
use super::expand::Arg;
use crate::chars::{has_unknown, show};
use crate::effect::{Certainty, EffectKind, RiskLevel};
use std::borrow::Cow;

/// Variables that name the server to which a client sends a key and all that its user says.
pub(super) const KEY_SERVERS: [&str; 5] = [
    "ANTHROPIC_BASE_URL",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "GOOGLE_GEMINI_BASE_URL",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

impl Engine<'_> {
    pub(crate) fn upload(&mut self, arg: &Arg, stdin: &Stream) {
        if arg.text == "-" && !stdin.present {
            self.emit(EffectKind::Network, None, arg.span, "sends data");
            return;
        }
        if arg.text == "-" && stdin.inline {
            self.emit(EffectKind::Network, None, arg.span, "sends data");
            return;
        }
        if let Some(t) = (arg.text == "-").then_some(stdin.text.as_deref()).flatten()
            && !has_unknown(t)
        {
            self.emit(EffectKind::Network, None, arg.span, "sends data");
            return;
        }
        self.path_read(arg);
        self.emit_raw(
            EffectKind::Network,
            Some(show(&arg.text)),
            Certainty::Certain,
            arg.span,
            RiskLevel::High,
            "sends a file away",
        );
    }

    pub(crate) fn network(&mut self, arg: &Arg) {
        if arg.text.is_empty() {
            return;
        }
        let scheme = arg
            .text
            .get(..7)
            .filter(|s| s.eq_ignore_ascii_case("file://"));
        if let Some(path) = scheme.and_then(|s| arg.text.get(s.len()..)) {
            let a = Arg {
                text: path.to_owned(),
                ..arg.clone()
            };
            self.path_read(&a);
            return;
        }
        let host = canonical(host_of(&arg.text));
        if arg.computed {
            let why = "sends the output of a command in the URL";
            self.emit_raw(
                EffectKind::Network,
                Some(show(&host)),
                Certainty::Possible,
                arg.span,
                RiskLevel::High,
                why,
            );
        }
        if matches!(
            &*host,
            "169.254.169.254" | "metadata.google.internal" | "100.100.100.200" | "fd00:ec2::254"
        ) {
            self.emit_raw(
                EffectKind::Credential,
                Some(show(&host)),
                Certainty::Possible,
                arg.span,
                RiskLevel::High,
                "requests credentials from the cloud's metadata service",
            );
        }
        self.emit_raw(
            EffectKind::Network,
            Some(show(&host)),
            Certainty::Certain,
            arg.span,
            RiskLevel::Medium,
            "contacts a host",
        );
    }

    /// Like [`Engine::network`], for a host that an argument names among other things.
    pub(crate) fn network_at(&mut self, host: &str, arg: &Arg) {
        let text = host.to_owned();
        self.network(&Arg {
            text,
            ..arg.clone()
        });
    }

    /// Like [`Engine::network`], for a client that talks to this machine unless another host is
    /// given.
    pub(crate) fn server(&mut self, arg: &Arg) {
        if !is_this_machine(&arg.text) {
            return self.network(arg);
        }
        let (target, why) = (Some(show(&arg.text)), "talks to this machine");
        let (kind, certainty) = (EffectKind::Network, Certainty::Certain);
        self.emit_raw(kind, target, certainty, arg.span, RiskLevel::Low, why);
    }

    /// Like [`Engine::server`], for a client that sends a key to its server.
    pub(super) fn key_server(&mut self, arg: &Arg) {
        const OWN: [&str; 3] = [".anthropic.com", ".openai.com", ".googleapis.com"];
        self.server(arg);
        let host = canonical(host_of(&arg.text));
        let is_own = arg.text.starts_with("https://") && OWN.iter().any(|own| host.ends_with(own));
        if !is_own && !is_this_machine(&arg.text) {
            let (target, why) = (Some(show(&host)), "sends a key to another server");
            let (kind, certainty) = (EffectKind::Network, Certainty::Possible);
            self.emit_raw(kind, target, certainty, arg.span, RiskLevel::High, why);
        }
    }
}

/// Returns whether an address names this machine or a socket, without parts that can name another
/// host.
fn is_this_machine(text: &str) -> bool {
    if text.starts_with('/') || matches!(text, "." | "(local)") {
        return true;
    }
    let host = canonical(host_of(text));
    matches!(&*host, "localhost" | "127.0.0.1" | "::1" | "[::1]")
        && !text.contains([',', '?', '#', '\\', '\0'])
}

/// Returns a host as every client reads it: in lower case, without a trailing dot and escapes.
pub(crate) fn canonical(host: &str) -> Cow<'_, str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    if host
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b))
    {
        return Cow::Borrowed(host);
    }
    Cow::Owned(percent_decode(host).to_ascii_lowercase())
}

/// Decodes `%hh` escapes of visible ASCII characters in a part of a URL.
pub(crate) fn percent_decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let escaped = rest
            .get(1..3)
            .filter(|_| c == '%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let meant = escaped.filter(u8::is_ascii_graphic).map(char::from);
        rest = rest
            .get(if meant.is_some() { 3 } else { c.len_utf8() }..)
            .unwrap_or_default();
        out.push(meant.unwrap_or(c));
    }
    out
}

/// Returns the host in `host:path`, `user@host:path` or `scheme://…`.
pub(crate) fn remote_of(text: &str) -> Option<&str> {
    if text.contains("://") {
        return (!text.starts_with("file://")).then(|| host_of(text));
    }
    let (host, _) = text.split_once(':')?;
    let drive = host.len() == 1 && text.get(1..3) == Some(":\\");
    let is_remote = !host.is_empty() && !host.contains('/') && !drive;
    is_remote.then(|| host.rsplit_once('@').map_or(host, |(_, host)| host))
}

/// Returns the host of a URL or of `user@host:path`, or else the text itself.
pub(crate) fn host_of(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, r)| r);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, h)| h);
    if rest.starts_with('[') {
        return rest;
    }
    rest.split(':').next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_local() {
        for own in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "/var/run/postgresql",
            "postgres://u:p@localhost:5432/app",
        ] {
            assert!(is_this_machine(own), "{own}");
        }
        for other in [
            "db.example",
            "localhost.example",
            "localhost,db.example",
            "mongodb://localhost:27017,db.example/x",
            "postgres:///app?host=db.example",
            "postgres://localhost/app?host=db.example",
            "postgres://db.example/x@localhost",
            "\0",
        ] {
            assert!(!is_this_machine(other), "{other}");
        }
    }

    #[test]
    fn a_user_and_a_path_are_no_host() {
        for (text, host) in [
            ("bad.com:/x", Some("bad.com")),
            ("me@bad.com:/x", Some("bad.com")),
            ("bad.com:a@b", Some("bad.com")),
            ("bad.com::module/a@b", Some("bad.com")),
            ("rsync://me@bad.com/x", Some("bad.com")),
            ("./a@b:c", None),
            ("a", None),
        ] {
            assert_eq!(remote_of(text), host, "{text}");
        }
    }

    #[test]
    fn spellings_of_a_host_are_one_host() {
        for spelled in ["bad.com", "BAD.com", "bad.com.", "b%61d.com", "b%41D.COM."] {
            assert_eq!(canonical(spelled), "bad.com");
        }
        for odd in ["", ".", "%", "%z", "%6", "ü.example", "[::1]", "a%00b"] {
            let _ = canonical(odd);
        }
    }
}
