//! Reads which requests a command or tool makes, from its arguments or parameters.

use super::{UNKNOWN, default_port, plain_host};
use crate::facts::Facts;
use governance::ActionType;
use serde_json::Value;
use shell_effects::Step;

/// A URL in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    scheme: String,
    pub(super) host: String,
    port: u16,
    /// With its query; `?` if a server may read it otherwise.
    path: String,
}

/// The requests of a call: its method, and URLs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) method: Option<String>,
    pub(super) urls: Vec<Url>,
}

/// The call that causes an effect on the network; `None` if it isn't understood.
pub(super) fn call_of(facts: &Facts<'_>, index: usize) -> Option<Call> {
    let effect = facts.analysis().effects.get(index)?;
    match (facts.action.kind?, facts.steps()) {
        (ActionType::ToolCall, []) => tool_call(facts.action.parameters()),
        (ActionType::ToolCall, [step]) => Call::of_step(step),
        (ActionType::ShellCmd, _) if facts.is_of_program(index, effect) => {
            let owner = facts.parts().owner(index)?;
            Call::of_step(facts.steps().get(owner)?)
        }
        _ => None,
    }
}

/// Reads the parameters of a tool that makes a request.
fn tool_call(parameters: &Value) -> Option<Call> {
    /// Members that change nothing of the request but what its server answers.
    const HARMLESS: [&str; 12] = [
        "prompt",
        "description",
        "timeout",
        "timeout_ms",
        "max_length",
        "maxLength",
        "start_index",
        "startIndex",
        "raw",
        "format",
        "accept",
        "max_chars",
    ];
    let members = parameters.as_object()?;
    let mut call = Call::default();
    let (mut method, mut open) = (None, false);
    for (key, value) in members {
        match key.as_str() {
            "url" | "uri" => call.urls.push(Url::parse(value.as_str()?, None)?),
            "method" | "http_method" | "httpMethod" if value.is_null() => {}
            "method" | "http_method" | "httpMethod" => {
                let other = Some(method_name(value.as_str()?)?);
                if method.is_some() && method != other {
                    return None;
                }
                method = other;
            }
            "headers"
                if value
                    .as_object()
                    .is_some_and(|all| all.keys().all(|h| is_plain_header(h))) => {}
            "body" | "data" | "json" => {}
            _ if HARMLESS.contains(&key.as_str()) => {}
            _ => open = true,
        }
    }
    if open {
        // Another member may say anything of the request.
        call.urls
            .iter_mut()
            .for_each(|url| UNKNOWN.clone_into(&mut url.path));
        return Some(Call {
            method: None,
            ..call
        });
    }
    let posts = ["body", "data", "json"]
        .iter()
        .any(|key| members.contains_key(*key));
    call.method = method.or_else(|| (!posts).then(|| "GET".to_owned()));
    Some(call)
}

/// Whether a header changes neither the method nor the host of a request.
fn is_plain_header(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    !name.contains("method") && name != "host" && !name.starts_with(':')
}

fn method_name(text: &str) -> Option<String> {
    let is_name = !text.is_empty() && text.len() <= 32;
    (is_name && text.bytes().all(|b| b.is_ascii_alphabetic())).then(|| text.to_ascii_uppercase())
}

impl Call {
    /// Reads the arguments of a program that makes requests.
    fn of_step(step: &Step) -> Option<Self> {
        if step.args.iter().any(|word| word.contains("$…")) || step.args.len() >= 64 {
            return None;
        }
        match step.program.as_str() {
            "curl" => Self::of_curl(&step.args),
            "wget" => Self::of_wget(&step.args),
            _ => None,
        }
    }

    fn of_curl(args: &[String]) -> Option<Self> {
        let mut call = Self::default();
        let mut sends = Sends::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            if let Some(long) = word.strip_prefix("--") {
                match long {
                    "request" => sends.method = Some(method_name(words.next()?)?),
                    "url" => call.urls.push(Url::parse(words.next()?, Some("http"))?),
                    "head" => sends.head = true,
                    "get" => sends.get = true,
                    "data" | "data-raw" | "data-binary" | "data-ascii" | "data-urlencode"
                    | "json" | "form" | "form-string" => {
                        words.next()?;
                        sends.data = true;
                    }
                    "upload-file" => {
                        words.next()?;
                        sends.upload = true;
                    }
                    "header" => header(words.next()?)?,
                    "output" | "user-agent" | "referer" | "user" | "max-time"
                    | "connect-timeout" | "retry" | "retry-delay" | "write-out" | "cookie"
                    | "cookie-jar" | "max-redirs" | "range" | "oauth2-bearer" | "cacert" => {
                        words.next()?;
                    }
                    "silent" | "show-error" | "fail" | "fail-with-body" | "location"
                    | "include" | "verbose" | "insecure" | "compressed" | "progress-bar"
                    | "remote-name" | "no-buffer" | "ipv4" | "ipv6" | "http1.1" | "http2" => {}
                    _ => return None,
                }
            } else if let Some(cluster) = word.strip_prefix('-').filter(|c| !c.is_empty()) {
                curl_cluster(cluster, &mut words, &mut sends)?;
            } else {
                call.urls.push(Url::parse(word, Some("http"))?);
            }
        }
        call.method = Some(sends.method()?);
        if sends.get && sends.data {
            // The data becomes a part of the URL.
            call.urls
                .iter_mut()
                .for_each(|url| UNKNOWN.clone_into(&mut url.path));
        }
        Some(call)
    }

    fn of_wget(args: &[String]) -> Option<Self> {
        let mut call = Self::default();
        let mut method = "GET".to_owned();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word
                .split_once('=')
                .map_or((word.as_str(), None), |(k, v)| (k, Some(v)))
            {
                ("--method", Some(name)) => method = method_name(name)?,
                ("--post-data" | "--post-file", Some(_)) => "POST".clone_into(&mut method),
                ("--header", Some(value)) => header(value)?,
                ("--timeout" | "--tries" | "--output-document" | "--user-agent", Some(_)) => {}
                ("-O" | "-P" | "-T" | "-t" | "-U", None) => {
                    words.next()?;
                }
                ("-q" | "-nv" | "-v" | "-c" | "-S" | "-N" | "--quiet" | "--continue", None) => {}
                _ if word.starts_with('-') => return None,
                _ => call.urls.push(Url::parse(word, Some("http"))?),
            }
        }
        call.method = Some(method);
        Some(call)
    }
}

/// Reads short options that are written together: `-sSXPOST`.
fn curl_cluster<'a>(
    cluster: &'a str,
    words: &mut impl Iterator<Item = &'a String>,
    sends: &mut Sends,
) -> Option<()> {
    for (at, option) in cluster.char_indices() {
        let rest = cluster.get(at + option.len_utf8()..)?;
        let mut value = || {
            if rest.is_empty() {
                words.next().map(String::as_str)
            } else {
                Some(rest)
            }
        };
        match option {
            's' | 'S' | 'f' | 'L' | 'i' | 'v' | 'k' | '#' | 'O' | 'N' | '4' | '6' => continue,
            'I' => {
                sends.head = true;
                continue;
            }
            'G' => {
                sends.get = true;
                continue;
            }
            'X' => sends.method = Some(method_name(value()?)?),
            'd' | 'F' => {
                value()?;
                sends.data = true;
            }
            'T' => {
                value()?;
                sends.upload = true;
            }
            'H' => header(value()?)?,
            'o' | 'A' | 'e' | 'u' | 'm' | 'w' | 'b' | 'c' | 'r' => {
                value()?;
            }
            _ => return None,
        }
        break;
    }
    Some(())
}

/// What the options of `curl` say of the method.
#[derive(Debug, Default)]
struct Sends {
    method: Option<String>,
    head: bool,
    get: bool,
    data: bool,
    upload: bool,
}

impl Sends {
    /// The method; `None` if the options contradict each other.
    fn method(&self) -> Option<String> {
        let implied = match (self.head, self.get, self.data, self.upload) {
            (false, false, false, false) | (false, true, _, false) => "GET",
            (true, _, false, false) => "HEAD",
            (false, false, true, false) => "POST",
            (false, false, false, true) => "PUT",
            _ => return None,
        };
        Some(self.method.clone().unwrap_or_else(|| implied.to_owned()))
    }
}

/// Accepts a header that changes neither method nor host.
fn header(text: &str) -> Option<()> {
    let name = text.split([':', ';']).next().unwrap_or_default();
    (!text.starts_with('@') && is_plain_header(name)).then_some(())
}

impl Url {
    /// The text of a request with this method.
    pub(super) fn request(&self, method: &str) -> String {
        let Self {
            scheme,
            host,
            port,
            path,
        } = self;
        format!("{method} {scheme}://{host}:{port} {path}")
    }

    /// Parses a URL. `scheme` is the one of a URL without any. `None` for what readers of URLs may
    /// understand in different ways.
    fn parse(text: &str, scheme: Option<&str>) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_graphic() && !b"\\{}[]<>\"^`|".contains(&b);
        if text.is_empty() || !text.bytes().all(plain) {
            return None;
        }
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => {
                (scheme.to_ascii_lowercase(), rest)
            }
            Some(_) => return None,
            None => (scheme?.to_owned(), text),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = (rest.get(..end)?, rest.get(end..)?);
        if authority.contains('@') {
            return None;
        }
        let (host, port) = match authority.split_once(':') {
            Some((host, port)) => (host, port.parse().ok()?),
            None => (authority, default_port(&scheme)?.parse().ok()?),
        };
        if host.is_empty() {
            return None;
        }
        Some(Self {
            scheme,
            host: plain_host(host),
            port,
            path: plain_path(path),
        })
    }
}

/// A path with its query, without escapes of letters. `?` where a server may read another path.
fn plain_path(path: &str) -> String {
    let path = path.split('#').next().unwrap_or_default();
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path, None),
    };
    let mut plain = String::new();
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once('%') {
        plain.push_str(before);
        let code = behind
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => {
                plain.push(char::from(byte));
                rest = behind.get(2..).unwrap_or_default();
            }
            // An escaped separator, or half an escape.
            None | Some(0..=b' ' | b'/' | b'\\' | b'%') => return UNKNOWN.to_owned(),
            Some(_) => {
                plain.push('%');
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    let mut names = plain.split('/').skip(1).peekable();
    while let Some(name) = names.next() {
        let last = names.peek().is_none();
        if matches!(name, "." | "..") || name.is_empty() && !last {
            return UNKNOWN.to_owned();
        }
    }
    if plain.is_empty() {
        plain.push('/');
    }
    if let Some(query) = query {
        plain.push('?');
        plain.push_str(query);
    }
    plain
}
