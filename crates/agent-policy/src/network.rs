//! Requests over the network: method, scheme, host, port and path, and patterns of them.
//!
//! A request is compared as one text: `GET https://api.test:443 /users`. What isn't known of it is
//! `?`. A rule that allows never covers a `?` that its pattern doesn't leave open; a rule that
//! forbids takes it for what it forbids.

mod call;

use super::action::Action;
use super::facts::Facts;
use super::surroundings::Surroundings;
use call::{Url, call_of};
use regex::Regex;
use shell_effects::Analysis;

/// What stands for an unknown part of a request.
const UNKNOWN: &str = "?";
/// The methods of the requests that people write, unsurprising ones first.
const USUAL_METHODS: [&str; 3] = ["GET", "POST", "DELETE"];

/// A request of an action. What isn't known of it is `?`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NetworkRequest {
    /// The host that the effect names; `None` if it isn't known.
    pub(crate) host: Option<String>,
    /// The whole request.
    pub(crate) text: String,
    /// Whether the text has a host.
    pub(crate) is_known: bool,
    /// `git` contacts a remote of the repository's configuration.
    pub(crate) is_of_remote: bool,
}

impl NetworkRequest {
    /// A request of which at most the host is known.
    #[must_use]
    pub fn to_host(host: Option<&str>) -> Self {
        let host = host.map(plain_host);
        let shown = host.as_deref().unwrap_or(UNKNOWN);
        Self {
            text: format!("{UNKNOWN} {UNKNOWN}://{shown}:{UNKNOWN} {UNKNOWN}"),
            is_known: host.is_some(),
            is_of_remote: false,
            host,
        }
    }

    /// Returns the host; `None` if it isn't known.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        // The text has it in the form in which it is compared.
        let (_, rest) = self.text.split_once("://")?;
        let (host, _) = rest.split_once(':')?;
        Some(host).filter(|host| *host != UNKNOWN)
    }

    /// Returns method and URL as far as they are known; `None` if only the host may be known.
    #[must_use]
    pub fn shown(&self) -> Option<String> {
        let [method, place, path] = *self.text.split(' ').collect::<Vec<_>>() else {
            return None;
        };
        let (scheme, authority) = place.split_once("://")?;
        let (host, port) = authority.rsplit_once(':')?;
        if [method, scheme, path] == [UNKNOWN; 3] {
            return None;
        }
        let port = if port == UNKNOWN || default_port(scheme) == Some(port) {
            String::new()
        } else {
            format!(":{port}")
        };
        let path = if path == UNKNOWN { "/?" } else { path };
        Some(format!("{method} {scheme}://{host}{port}{path}"))
    }
}

/// Returns the requests of an action over the network, given its analysis. There is at least one
/// for each contact with a host.
#[must_use]
pub fn network_requests(action: &Action, analysis: Analysis) -> Vec<NetworkRequest> {
    let surroundings = Surroundings::new(Surroundings::CWD);
    requests(&Facts::with_analysis(action, &surroundings, analysis))
}

/// A pattern of requests: `GET:https://api.test/*`.
#[derive(Debug, Clone)]
pub struct NetworkPattern {
    text: String,
    /// The requests that a rule which allows covers.
    allows: Regex,
    /// Those that a rule which forbids may be about.
    forbids: Regex,
    example: (String, String),
}

impl NetworkPattern {
    /// Compiles a pattern: `METHOD:SCHEME://HOST:PORT/PATH`. `*` stands for any method, scheme or
    /// port, and for any text in host and path.
    ///
    /// # Errors
    /// When a part has another form. The message says what is wrong.
    pub fn new(text: &str) -> Result<Self, String> {
        let (method, scheme, rest) = match text.split_once("://") {
            Some((head, rest)) => match head.split_once(':') {
                Some((method, scheme)) => (method, scheme, rest),
                None => ("*", head, rest),
            },
            None => ("*", "*", text),
        };
        let end = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = (
            rest.get(..end).unwrap_or_default(),
            rest.get(end..).unwrap_or_default(),
        );
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, port),
            None => (authority, default_port(scheme).unwrap_or("*")),
        };
        let (method, scheme, host) = (
            method.to_ascii_uppercase(),
            scheme.to_ascii_lowercase(),
            host.to_ascii_lowercase(),
        );
        let all = |part: &str, is: fn(u8) -> bool| !part.is_empty() && part.bytes().all(is);
        let name = |b: u8| b.is_ascii_alphanumeric() || b"-_.*".contains(&b);
        let visible = |b: u8| b.is_ascii_graphic();
        if method != "*" && !all(&method, |b| b.is_ascii_alphabetic()) {
            return Err(format!(
                "`{method}` isn't a method: write `GET`, or `*` for any"
            ));
        }
        if scheme != "*"
            && !all(&scheme, |b| {
                b.is_ascii_alphanumeric() || b"+-.".contains(&b)
            })
        {
            return Err(format!(
                "`{scheme}` isn't a scheme: write `https`, or `*` for any"
            ));
        }
        if !all(&host, name) {
            return Err(format!("`{host}` isn't a host"));
        }
        if port != "*" && port.parse::<u16>().is_err() {
            return Err(format!(
                "`{port}` isn't a port: write a number, or `*` for any"
            ));
        }
        if !path.is_empty() && !all(path, visible) {
            return Err("a path has no spaces, and is written in ASCII".into());
        }
        let any = |part: &str, open: &str| {
            if part == "*" {
                open.to_owned()
            } else {
                regex_syntax::escape(part)
            }
        };
        let stars = |part: &str, star: &str| {
            let parts: Vec<String> = part.split('*').map(regex_syntax::escape).collect();
            parts.join(star)
        };
        let host_expression = stars(&host, "[^ :/]*");
        let (own_path, below) = match path {
            "" => ("/".to_owned(), String::new()),
            "/*" => (".+".to_owned(), String::new()),
            path => (stars(path, ".*"), stars(path, ".*")),
        };
        let allows = format!(
            "^{} {}://{host_expression}:{} {own_path}$",
            any(&method, "[^ ]+"),
            any(&scheme, "[^ :]+"),
            any(port, "[^ ]+"),
        );
        let or_unknown = |part: &str| match part {
            "*" => "[^ ]+".to_owned(),
            known => format!(r"(?:{}|\?)", regex_syntax::escape(known)),
        };
        let path_expression = match path {
            "" | "/" | "/*" => ".*".to_owned(),
            path if path.ends_with('/') => format!(r"(?:\?|{below}.*)"),
            _ => format!(r"(?:\?|{below}(?:[/?;].*)?)"),
        };
        let forbids = format!(
            "(?i)^{} {}://{host_expression}:{} {path_expression}$",
            or_unknown(&method),
            or_unknown(&scheme),
            or_unknown(port),
        );
        let compile = |expression: &str| {
            let error = |_| "the pattern is too long".to_owned();
            Regex::new(expression).map_err(error)
        };
        let example_method = if method == "*" { "GET" } else { &method };
        let example_scheme = if scheme == "*" { "https" } else { &scheme };
        let example_port = if port == "*" || default_port(example_scheme) == Some(port) {
            String::new()
        } else {
            format!(":{port}")
        };
        let example = format!(
            "{example_scheme}://{}{example_port}{}",
            host.replace('*', "x"),
            path.replace('*', "x")
        );
        Ok(Self {
            text: text.to_owned(),
            allows: compile(&allows)?,
            forbids: compile(&forbids)?,
            example: (example_method.to_owned(), example),
        })
    }

    /// The expression that the text of a request has to match.
    pub(crate) const fn expression(&self, strict: bool) -> &Regex {
        if strict { &self.allows } else { &self.forbids }
    }

    /// Returns whether a request matches: for certain, or with `strict` false, possibly.
    #[must_use]
    pub fn fits(&self, request: &NetworkRequest, strict: bool) -> bool {
        self.expression(strict).is_match(&request.text)
    }

    /// The pattern as written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A command line that makes such a request.
    pub(crate) fn example(&self) -> String {
        let (method, url) = &self.example;
        if method == "GET" {
            format!("curl {url}")
        } else {
            format!("curl -X {method} {url}")
        }
    }
}

/// Command lines that make a request with this text, as far as it is known: as written, and as
/// people write them, since risk and effects depend on the method.
pub(crate) fn commands_of(text: &str) -> (Option<String>, Vec<String>) {
    let Some([method, scheme, host, port, path]) = parts_of(text) else {
        return (None, Vec::new());
    };
    let own_scheme = if scheme == UNKNOWN { "https" } else { scheme };
    let port = if port == UNKNOWN || default_port(own_scheme) == Some(port) {
        String::new()
    } else {
        format!(":{port}")
    };
    // A directory that leads nowhere makes a path that isn't known.
    let path = if path == UNKNOWN { "/a/../b" } else { path };
    let line = |method: &str, place: &str| {
        let url = quoted_url(&format!("{place}{path}"));
        match method {
            "GET" => format!("curl {url}"),
            UNKNOWN => format!("curl -X $M {url}"),
            method => format!("curl -X {method} {url}"),
        }
    };
    let usual = ["https", "http"].iter().flat_map(|scheme| {
        let place = format!("{scheme}://{host}");
        USUAL_METHODS.map(|method| line(method, &place))
    });
    let own = line(method, &format!("{own_scheme}://{host}{port}"));
    (Some(own), usual.collect())
}

/// The host that the text of a request names.
pub(crate) fn host_of(text: &str) -> Option<&str> {
    parts_of(text)
        .map(|[_, _, host, _, _]| host)
        .filter(|host| *host != UNKNOWN)
}

/// Method, scheme, host, port and path of a text.
fn parts_of(text: &str) -> Option<[&str; 5]> {
    let [method, place, path] = *text.split(' ').collect::<Vec<_>>() else {
        return None;
    };
    let (scheme, authority) = place.split_once("://")?;
    let (host, port) = authority.rsplit_once(':')?;
    Some([method, scheme, host, port, path])
}

/// Quotes what a shell would read as more than text.
fn quoted_url(url: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b":/._-%,=@+".contains(&b);
    if url.bytes().all(plain) {
        url.to_owned()
    } else {
        format!("'{}'", url.replace('\'', ""))
    }
}

/// The requests of an action, in the order of its effects.
pub(crate) fn requests(facts: &Facts<'_>) -> Vec<NetworkRequest> {
    let mut all = Vec::new();
    for (index, host) in facts.contacts() {
        let is_of_remote = facts.is_of_remote(index);
        let call = call_of(facts, index).unwrap_or_default();
        let method = call.method.as_deref().unwrap_or(UNKNOWN);
        // An effect without a host (data is sent) is one of all requests of the call.
        let plain = host.map(plain_host);
        let is_own = |url: &&Url| plain.as_ref().is_none_or(|host| url.host == *host);
        let own = call.urls.iter().filter(is_own);
        let mut texts: Vec<String> = own.map(|url| url.request(method)).collect();
        let is_known = !texts.is_empty() || plain.is_some();
        if texts.is_empty() {
            let host = plain.as_deref().unwrap_or(UNKNOWN);
            texts.push(format!("{UNKNOWN} {UNKNOWN}://{host}:{UNKNOWN} {UNKNOWN}"));
        }
        all.extend(texts.into_iter().map(|text| NetworkRequest {
            host: host.map(str::to_owned),
            text,
            is_known,
            is_of_remote,
        }));
    }
    all
}

/// A host as it is compared: names have no case, and may end with a dot.
fn plain_host(host: &str) -> String {
    let host = host.trim_end_matches('.');
    // A space would look like the end of the host.
    host.to_ascii_lowercase().replace([' ', '/', ':'], "_")
}

fn default_port(scheme: &str) -> Option<&'static str> {
    Some(match scheme {
        "http" | "ws" => "80",
        "https" | "wss" => "443",
        "ftp" => "21",
        "ftps" => "990",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
