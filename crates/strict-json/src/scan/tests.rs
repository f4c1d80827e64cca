use super::*;
use proptest::prelude::*;

fn check(text: &str) -> Result<Vec<NoteKind>, Error> {
    let mut scanner = Scanner::new(text, 64);
    scanner.skip()?;
    scanner.end()?;
    Ok(scanner.notes().iter().map(|n| n.kind).collect())
}

#[test]
fn accepts_what_the_grammar_accepts() {
    for text in [
        "{}",
        "[]",
        " [ ] ",
        "[1,-0,0.5,1e9,1E-2]",
        r#"{"a":{"b":[null,true,false,"x"]}}"#,
        r#""\u00e9\n""#,
        "0",
    ] {
        assert_eq!(check(text), Ok(vec![]), "{text}");
    }
}

#[test]
fn refuses_with_the_offset() {
    let cases = [
        ("", 0, ErrorKind::Incomplete),
        ("{", 1, ErrorKind::Incomplete),
        (r#"{"a":1"#, 6, ErrorKind::Incomplete),
        (r#"{"a" 1}"#, 5, ErrorKind::Expected("`:`")),
        (
            r#"{"a":1,}"#,
            7,
            ErrorKind::Expected("a member name in quotes"),
        ),
        ("[1,]", 3, ErrorKind::Expected("a value")),
        ("[1 2]", 3, ErrorKind::Expected("`,` or `]`")),
        ("01", 1, ErrorKind::BadNumber),
        ("1.", 2, ErrorKind::Incomplete),
        ("-x", 1, ErrorKind::BadNumber),
        ("tru", 3, ErrorKind::Incomplete),
        ("trux", 0, ErrorKind::Expected("a value")),
        ("{} {}", 3, ErrorKind::TrailingText),
        ("\"a\u{1}\"", 2, ErrorKind::ControlCharacter(1)),
        (r#""\x""#, 1, ErrorKind::BadEscape),
        (r#""\u12g4""#, 1, ErrorKind::BadEscape),
    ];
    for (text, at, kind) in cases {
        assert_eq!(check(text), Err(Error { at, kind }), "{text}");
    }
}

#[test]
fn notes_duplicates_and_halves_of_pairs_wherever_they_stand() {
    assert_eq!(
        check(r#"[{"a":1,"b":{"a":1,"\u0061":2}}]"#),
        Ok(vec![NoteKind::DuplicateMember])
    );
    assert_eq!(check(r#""\ud83d\ude00""#), Ok(vec![]));
    assert_eq!(check(r#""\ud83d x""#), Ok(vec![NoteKind::LoneSurrogate]));
    assert_eq!(
        check(r#""\ude00\ud83d""#),
        Ok(vec![NoteKind::LoneSurrogate, NoteKind::LoneSurrogate])
    );
    assert_eq!(
        check(r#""\ud83d\ud83d\ude00""#),
        Ok(vec![NoteKind::LoneSurrogate])
    );
}

#[test]
fn depth_is_bounded_without_recursion() {
    let deep = "[".repeat(100_000);
    assert_eq!(
        check(&deep),
        Err(Error {
            at: 64,
            kind: ErrorKind::TooDeep(64)
        })
    );
    let fits = format!("{}{}", "[".repeat(64), "]".repeat(64));
    assert_eq!(check(&fits), Ok(vec![]));
}

proptest! {
    #[test]
    fn agrees_with_serde_json_on_validity(text in r#"[\[\]{}:,"a0-9.eE+ntruefals\\ \-]{0,24}"#) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        let ours = check(&text);
        // The only permitted differences: serde_json refuses lone surrogates and numbers outside
        // the range of a double.
        let out_of_range = theirs.as_ref().is_err_and(|e| e.to_string().contains("number out of range"));
        if !out_of_range {
            prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?} {:?}", ours, theirs);
        }
    }

    #[test]
    fn any_serialised_value_scans(words in proptest::collection::vec(".{0,40}", 0..6)) {
        let text = serde_json::to_string(&words).unwrap();
        prop_assert_eq!(check(&text), Ok(vec![]));
    }

    /// The result doesn't depend on the order of the positions.
    #[test]
    fn plain_until_finds_the_first_special_byte(text in "([a-zé]{0,70}[\\x00-\\x1f\"\\\\ ]){0,8}", starts in proptest::collection::vec(0usize..400, 1..8)) {
        let mut scanner = Scanner::new(&text, 64);
        for start in starts {
            let start = start.min(text.len());
            let special = |b: &u8| *b < 0x20 || *b == b'"' || *b == b'\\';
            let naive = text.as_bytes()[start..].iter().position(special).map_or(text.len(), |n| n + start);
            prop_assert_eq!(scanner.plain_until(start), naive);
        }
    }
}
