use super::*;
use proptest::prelude::*;

fn table() -> &'static Table {
    Table::shipped().unwrap()
}

fn quick(text: &str) -> bool {
    may_hold(table(), text, Escapes::of(text))
}

#[test]
fn every_rule_keeps_its_own_tests() {
    assert!(table().rules.len() > 60);
    table().check().unwrap();
    let mut wrong = Vec::new();
    for rule in &table().rules {
        assert!(
            !rule.finds.is_empty() && !rule.source.is_empty(),
            "{}",
            rule.id
        );
        for template in &rule.finds {
            let text = sample::fill(template).unwrap();
            let found = find(table(), &text);
            if !found.iter().any(|s| s.rule.id == rule.id)
                || !quick(&serde_json::to_string(&text).unwrap())
            {
                wrong.push(format!(
                    "{} misses {text}: {:?}",
                    rule.id,
                    found.iter().map(|s| &s.rule.id).collect::<Vec<_>>()
                ));
            }
        }
        for template in &rule.ignores {
            let text = sample::fill(template).unwrap();
            wrong.extend(find(table(), &text).iter().map(|s| {
                format!(
                    "{} finds {} in {text}",
                    s.rule.id,
                    text.get(s.start..s.end).unwrap()
                )
            }));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The literals of the rules and the names of assigned secrets, as the file of rules has them.
static LITERALS: LazyLock<[Vec<String>; 2]> = LazyLock::new(|| {
    let text = include_str!("../../../../policies/secrets.yaml");
    let raw: serde_json::Value = serde_saphyr::from_str(text).unwrap();
    let strings = |list: &serde_json::Value| -> Vec<String> {
        let all = list.as_array().unwrap().iter();
        all.filter_map(|s| s.as_str()).map(str::to_owned).collect()
    };
    let rules = raw["rules"].as_array().unwrap().iter();
    let starts = rules.flat_map(|rule| strings(&rule["starts"])).collect();
    [starts, strings(&raw["assigned"]["names"])]
});

proptest! {
    /// A literal is found anywhere, in upper or lower case.
    #[test]
    fn no_literal_is_overlooked(
        rule in any::<proptest::sample::Index>(),
        start in any::<proptest::sample::Index>(),
        before in "[!-~]{0,5}",
        behind in "[!-~]{0,5}",
        capitals in any::<bool>(),
    ) {
        let [starts, names] = &*LITERALS;
        let all = if rule.index(3) == 0 { names } else { starts };
        let word = &all[start.index(all.len())];
        let word = if capitals { word.to_uppercase() } else { word.to_lowercase() };
        let text = [before, word, behind].concat();
        prop_assert!(table().has_literal(text.as_bytes()));
    }

    #[test]
    fn the_quick_search_for_literals_agrees_with_the_automaton(
        text in "((?i:pwd|sg\\.|tok|token|secret|akia|ghp_|xoxb-|sk-)|[a-d_.-]){0,12}"
    ) {
        let found = table().literals(text.as_bytes()).next().is_some();
        prop_assert_eq!(table().has_literal(text.as_bytes()), found);
    }
}

#[test]
fn what_is_said_of_a_secret_is_not_the_secret() {
    let text = sample::fill("TOKEN=ghp_⟦crc62:30⟧").unwrap();
    let found = find(table(), &text);
    let said = found[0].describe(&text);
    assert!(
        said.starts_with("a GitHub token is here: `ghp_…`, 40 characters, SHA-256 "),
        "{said}"
    );
    assert!(said.ends_with("… (github-token)"), "{said}");
    let doubtful = sample::fill("ghp_⟦b62:36⟧").unwrap();
    assert!(
        find(table(), &doubtful)[0]
            .describe(&doubtful)
            .ends_with("(github-token; its checksum doesn't fit)")
    );
}

/// Returns the private key in a text.
fn key_in(text: &str) -> Option<&str> {
    let found = find(table(), text).into_iter().find(|s| s.rule.block)?;
    assert!(quick(text));
    text.get(found.start..found.end)
}

#[test]
fn a_key_is_one_whatever_stands_behind_it() {
    let (begin, end) = (
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
    );
    let body = sample::fill("⟦pem:25⟧").unwrap();
    let prose = "some log line without a dash\n".repeat(800);
    let whole = format!("{begin}\n{body}\n{end}");
    assert_eq!(key_in(&format!("{whole}x")), Some(&*whole));
    // Without its last line, the key is still found. With it, nothing after it is a part of the
    // key.
    assert!(
        key_in(&format!("{begin}\n{body}\n{prose}"))
            .unwrap()
            .contains(&body)
    );
    assert_eq!(key_in(&format!("{whole}\n{prose}")), Some(&*whole));
    assert!(
        key_in(&format!(
            "{begin}\n{body}\nexample {}{end}",
            "x".repeat(9000)
        ))
        .unwrap()
        .contains(&body)
    );
    assert_eq!(key_in(&format!("{begin}\n{prose}")), None);
}

#[test]
fn a_key_may_be_of_any_length() {
    for lines in [240, 244, 245, 246, 247, 248, 249, 250, 251, 2000] {
        let body = sample::fill(&format!("⟦pem:{lines}⟧")).unwrap();
        let whole = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----");
        assert_eq!(key_in(&format!("a {whole}, b")), Some(&*whole), "{lines}");
        let open = format!("-----BEGIN PRIVATE KEY-----\n{body}");
        assert_eq!(key_in(&open), Some(&*open), "{lines}");
        if lines > 251 {
            assert_eq!(
                key_in(&format!("{open}\n{}", "and text\n".repeat(4000))),
                Some(&*open)
            );
        }
    }
    // The window may also end inside a token.
    let token = sample::fill(concat!(
        "eyJhbGciOiJIUzI1NiJ9.eyJ⟦url:2500⟧⟦url:2500⟧⟦url:2500⟧",
        ".⟦url:2500⟧⟦url:2500⟧⟦url:2500⟧⟦url:2500⟧"
    ))
    .unwrap();
    let found = find(table(), &token);
    assert_eq!(
        found.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>(),
        [(0, token.len())]
    );
}

#[test]
fn work_grows_with_the_length_alone() {
    // Each of these starts a pattern every few bytes. The bound is on the number of calls, not on
    // time.
    for hostile in [
        "eyJ",
        "ghp_",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "password=",
        "eyJaaaaaaaaaaaaa.",
        "token:",
        ":AAE",
        "xoxb-",
    ] {
        let text = hostile.repeat(200_000 / hostile.len());
        assert!(find(table(), &text).len() < text.len());
    }
}

#[test]
fn broken_tables_are_refused() {
    let shipped = include_str!("../../../../policies/secrets.yaml");
    assert!(matches!(
        Table::parse("no: table"),
        Err(TableError::Yaml(_))
    ));
    assert!(matches!(
        Table::parse(&shipped.replacen("version: 1", "version: 2", 1)),
        Err(TableError::Yaml(_))
    ));
    let twice = shipped.replacen("- id: npm-token", "- id: github-token", 1);
    assert!(matches!(Table::parse(&twice), Err(TableError::Rule { .. })));
    let bad = shipped.replacen("pattern: '", "pattern: '(", 1);
    assert!(matches!(
        Table::parse(&bad).unwrap().check(),
        Err(TableError::Rule { .. })
    ));
}

proptest! {
    #[test]
    fn findings_lie_in_the_text_and_apart(
        text in "(ghp_|AKIA|://|@|:|=|password|token|Bearer |\
                 [a-zA-Z0-9]{0,20}|[ -~]{0,4}|é|\"|\n){0,30}"
    ) {
        let found = find(table(), &text);
        let mut last = 0;
        for secret in &found {
            prop_assert!(secret.start >= last && text.get(secret.start..secret.end).is_some());
            last = secret.end;
        }
    }

    #[test]
    fn the_quick_look_is_generous(
        before in "[ -~\n]{0,30}",
        which in any::<prop::sample::Index>(),
        after in "[ -~\n]{0,30}",
        slashes in any::<bool>(),
    ) {
        let all: Vec<&String> = table().rules.iter().flat_map(|r| &r.finds).collect();
        let secret = sample::fill(all[which.index(all.len())]).unwrap();
        let text = format!("{before} {secret} {after}");
        let mut written = serde_json::to_string(&text).unwrap();
        if slashes {
            written = written.replace('/', "\\/");
        }
        if !find(table(), &text).is_empty() {
            prop_assert!(quick(&written), "{}", written);
        }
    }
}
