use super::*;
use crate::Action;
use crate::surroundings::Surroundings;
use serde_json::{Value, json};

fn texts(action: &Action) -> Vec<String> {
    let surroundings = Surroundings::new(Surroundings::CWD);
    let facts = Facts::new(action, None, &surroundings);
    let mut all: Vec<String> = requests(&facts).into_iter().map(|r| r.text).collect();
    all.dedup();
    all
}

fn shell(line: &str) -> Vec<String> {
    texts(&Action::shell(line))
}

#[test]
fn commands_show_their_requests() {
    for (line, request) in [
        ("curl https://a.test/x?y=1", "GET https://a.test:443 /x?y=1"),
        ("curl -sSfL https://A.test", "GET https://a.test:443 /"),
        ("curl http://a.test:8080/x", "GET http://a.test:8080 /x"),
        (
            "curl -X DELETE https://a.test/x",
            "DELETE https://a.test:443 /x",
        ),
        ("curl -sXput https://a.test/x", "PUT https://a.test:443 /x"),
        ("curl -d a=b https://a.test/x", "POST https://a.test:443 /x"),
        (
            "curl --json '{}' https://a.test/x",
            "POST https://a.test:443 /x",
        ),
        ("curl -I https://a.test/x", "HEAD https://a.test:443 /x"),
        (
            "curl -G -d a=b https://a.test/x",
            "GET https://a.test:443 ?",
        ),
        ("curl https://a.test/%61%62", "GET https://a.test:443 /ab"),
        ("curl https://a.test/a/../b", "GET https://a.test:443 ?"),
        ("curl https://a.test/a%2fb", "GET https://a.test:443 ?"),
        (
            "curl -H 'Accept: x' https://a.test/",
            "GET https://a.test:443 /",
        ),
        (
            "curl -H 'X-HTTP-Method-Override: PUT' https://a.test/",
            "? ?://a.test:? ?",
        ),
        ("curl --frobnicate https://a.test/", "? ?://a.test:? ?"),
        ("curl -X $M https://a.test/", "? ?://a.test:? ?"),
        ("wget -q https://a.test/x -O f", "GET https://a.test:443 /x"),
        (
            "wget --method=POST https://a.test/x",
            "POST https://a.test:443 /x",
        ),
        (
            "wget --post-data=a https://a.test/x",
            "POST https://a.test:443 /x",
        ),
        ("scp f a.test:", "? ?://a.test:? ?"),
        ("sh -c 'curl https://a.test/x'", "GET https://a.test:443 /x"),
    ] {
        assert_eq!(shell(line), [request], "{line}");
    }
    let two = shell("curl https://a.test/x; curl -X POST https://b.test/y");
    assert_eq!(
        two,
        ["GET https://a.test:443 /x", "POST https://b.test:443 /y"]
    );
    // What sends a file names it as well, so no rule that allows covers it.
    for (line, request) in [
        (
            "curl --data @f https://a.test/x",
            "POST https://a.test:443 /x",
        ),
        ("curl -T f https://a.test/x", "PUT https://a.test:443 /x"),
    ] {
        assert_eq!(shell(line), ["? ?://f:? ?", request], "{line}");
    }
    let redirected = shell("curl https://a.test/x > /dev/tcp/a.test/80");
    assert!(
        redirected.contains(&"? ?://a.test:? ?".to_owned()),
        "{redirected:?}"
    );
}

#[test]
fn tools_show_their_requests() {
    let call = |tool: &str, input: Value| texts(&Action::call(tool, input));
    for (input, request) in [
        (
            json!({"url": "https://a.test/x"}),
            "GET https://a.test:443 /x",
        ),
        (
            json!({"url": "https://a.test/x", "prompt": "p"}),
            "GET https://a.test:443 /x",
        ),
        (
            json!({"url": "https://a.test/x", "method": "post", "body": "b"}),
            "POST https://a.test:443 /x",
        ),
        (
            json!({"url": "https://a.test/x", "body": "b"}),
            "? https://a.test:443 /x",
        ),
        (
            json!({"url": "https://a.test/x", "verb": "PUT"}),
            "? https://a.test:443 ?",
        ),
        (
            json!({"url": "https://a.test/x", "method": 7}),
            "? ?://a.test:? ?",
        ),
    ] {
        let found = call("fetch", input.clone());
        assert!(found.contains(&request.to_owned()), "{input}: {found:?}");
    }
}

#[test]
fn patterns_cover_what_is_known_and_forbid_what_may_be() {
    let fits = |pattern: &str, text: &str, strict: bool| {
        let request = NetworkRequest {
            host: None,
            text: text.to_owned(),
            is_known: true,
            is_of_remote: false,
        };
        NetworkPattern::new(pattern).unwrap().fits(&request, strict)
    };
    for (pattern, request, allowed, forbidden) in [
        (
            "GET:https://a.test/*",
            "GET https://a.test:443 /x/y",
            true,
            true,
        ),
        (
            "GET:https://a.test/*",
            "GET https://a.test:443 ?",
            true,
            true,
        ),
        (
            "GET:https://a.test/*",
            "POST https://a.test:443 /x",
            false,
            false,
        ),
        (
            "GET:https://a.test/*",
            "? https://a.test:443 /x",
            false,
            true,
        ),
        ("GET:https://a.test/*", "? ?://a.test:? ?", false, true),
        (
            "GET:https://a.test/*",
            "GET http://a.test:80 /x",
            false,
            false,
        ),
        (
            "GET:https://a.test/*",
            "GET https://a.test:8443 /x",
            false,
            false,
        ),
        (
            "GET:https://a.test/*",
            "GET https://a.test.evil:443 /x",
            false,
            false,
        ),
        ("*:https://a.test/*", "? https://a.test:443 /x", true, true),
        (
            "*:https://a.test/*",
            "DELETE https://a.test:443 /x",
            true,
            true,
        ),
        (
            "https://a.test:8443/x",
            "GET https://a.test:8443 /x",
            true,
            true,
        ),
        (
            "https://a.test/x",
            "GET https://a.test:443 /x/y",
            false,
            true,
        ),
        (
            "https://a.test/x",
            "GET https://a.test:443 /x?y",
            false,
            true,
        ),
        (
            "https://a.test/x",
            "GET https://a.test:443 /xy",
            false,
            false,
        ),
        ("https://a.test/x", "GET https://a.test:443 ?", false, true),
        ("https://a.test", "GET https://a.test:443 /", true, true),
        ("https://a.test", "GET https://a.test:443 /x", false, true),
        ("*:*://a.test:*/*", "GET http://a.test:81 /x", true, true),
        (
            "https://*.a.test/*",
            "GET https://b.a.test:443 /x",
            true,
            true,
        ),
        (
            "https://*.a.test/*",
            "GET https://evil:443 /.a.test:443 /",
            false,
            false,
        ),
    ] {
        assert_eq!(fits(pattern, request, true), allowed, "{pattern} {request}");
        assert_eq!(
            fits(pattern, request, false),
            forbidden,
            "{pattern} {request}"
        );
    }
    for wrong in [
        "",
        "G T:https://a.test/",
        "GET:https:///x",
        "https://a.test:x/",
        "https://a b/",
    ] {
        assert!(NetworkPattern::new(wrong).is_err(), "{wrong}");
    }
}
