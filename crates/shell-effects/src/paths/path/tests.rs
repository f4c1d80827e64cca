use super::*;
use proptest::prelude::*;

#[test]
fn globs_that_may_match_secrets_are_secret() {
    let secret = |path: &str| {
        let path = path.replace('*', "\u{2}").replace('?', "\u{3}");
        classify(
            &path,
            Some("/home/dev/project"),
            "/home/dev/project",
            "/home/dev",
        )
        .secret
    };
    for path in [
        ".e?v",
        ".e*",
        ".*",
        ".en?.local",
        "*.p?m",
        "k/*.ke?",
        "x.p1?",
        "id_r?a",
        "a/id_*",
        "~/.s?h/x",
        "/home/dev/.a?s/x",
        "cred*.json",
        ".git-cred*",
        "/run/secre?s/x",
        "krb5cc_?",
        "/tmp/krb5*",
        "ssh_host_*",
        "*_key*",
        "/e?c/shadow",
        "/etc/sh?dow",
        "~/.config/g?loud/x",
    ] {
        assert!(secret(path), "{path}");
    }
    for path in [
        "*",
        "*.rs",
        "src/*.ts",
        "docs/*",
        "log*",
        "*.md",
        "?.txt",
        "test*",
        "*/x",
        ".gitig*",
        "*.*",
        "*.[ch]",
        "src/*/*.j?",
        "c*",
        "README.*",
        "*readme*",
        "*_note*",
        "*notes.txt",
        ".editor*",
        "*.p?",
    ] {
        assert!(!secret(path), "{path}");
    }
}

proptest! {
    /// The fast path for normalised paths gives the same result as the general one.
    #[test]
    fn clean_paths_are_walked_as_well(base in "(/|[a.]{0,3}){0,4}", path in "(/|[a.]{0,3}){0,4}") {
        let mut walked = String::new();
        if !path.starts_with('/') {
            append_normalised(&mut walked, &base);
        }
        append_normalised(&mut walked, &path);
        let walked = if walked.is_empty() { "/".to_owned() } else { walked };
        prop_assert_eq!(normalise(&path, Some(&base)), Some(walked));
    }
}
