use super::*;
use crate::verify::{Report, SubAgentCalls, finish, verify_one};
use proptest::prelude::*;
use std::fs;

/// The traces of a folder of the corpora that consist of execution records, each as lines without
/// their execution's id.
fn traces(folder: &str) -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces");
    let mut files: Vec<_> = fs::read_dir(root.join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let texts = files
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    texts
        .filter_map(|text| {
            let lines = text.lines().map(|line| {
                let mut record: serde_json::Value = serde_json::from_str(line).ok()?;
                record.get("record")?;
                let id = record.get_mut("executionId")?;
                *id = "THE-ID".into();
                Some(record.to_string())
            });
            lines.collect::<Option<Vec<_>>>()
        })
        .filter(|lines| !lines.is_empty())
        .collect()
}

/// Verifies a file in pieces that are cut near some places. Returns the result, and the number of
/// seams.
fn in_pieces(
    found: &Found,
    size: u64,
    (cuts, reach): (&[u64], u64),
    options: &Options,
) -> (Option<InputResult>, usize) {
    let format = Format::parse("execution-record").unwrap();
    let mut ends = vec![0];
    ends.extend(cuts.iter().map(|cut| cut * size / 1000));
    ends.push(size);
    ends.sort_unstable();
    let pieces = ends.windows(2).map(|ends| {
        let part = Part {
            input: 0,
            bytes: ends[0]..ends[1],
            size,
            reach,
        };
        let piece = piece(found, &part, format, options).unwrap();
        crate::verify::input::verify_piece((found, piece), format, options)
    });
    let pieces: Vec<InputResult> = pieces
        .map(|result| borsh::from_slice(&borsh::to_vec(&result).unwrap()).unwrap())
        .collect();
    let mut end = 0;
    for piece in pieces.iter().filter_map(|result| result.piece.as_ref()) {
        assert_eq!(piece.bytes.start, end, "each byte is in one piece");
        assert!(piece.bytes.end >= end, "{:?}", piece.bytes);
        end = piece.bytes.end;
    }
    assert_eq!(end, size);
    let mut seams = 0;
    let joined = join(pieces, options, &mut |seam| {
        seams += 1;
        Ok::<_, std::convert::Infallible>(crate::verify::input::verify_seam(
            (found, seam),
            format,
            options,
        ))
    });
    let mut joined = joined.unwrap();
    if let Some(joined) = &mut joined {
        assert!(joined.name_rules());
    }
    (joined, seams)
}

fn report_of(result: InputResult, options: &Options) -> Report {
    let mut report = Report::default();
    report.counts.files = 1;
    report.add(result, options);
    finish(report, options)
}

fn assert_same(one: &Report, other: &Report) {
    assert_eq!(one.counts, other.counts);
    assert_eq!(one.inputs, other.inputs);
    assert_eq!(one.summaries, other.summaries);
    assert_eq!(one.findings, other.findings);
    assert_eq!(one.dropped, other.dropped);
    assert_eq!(one.failed_unlisted, other.failed_unlisted);
    assert_eq!(one.timeline.turns, other.timeline.turns);
    assert_eq!(one.timeline.openings, other.timeline.openings);
    assert_eq!(one.timeline.left_out, other.timeline.left_out);
}

/// Writes executions into a file, one after the other or each beginning this number of lines after
/// the one before.
fn file(executions: &[&Vec<String>], apart: Option<usize>) -> (tempfile::TempDir, Found, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let mut lines = Vec::new();
    for (n, execution) in executions.iter().enumerate() {
        let numbered = execution.iter().enumerate();
        lines
            .extend(numbered.map(|(m, line)| (apart.map_or(0, |apart| apart * n + m), n, m, line)));
    }
    lines.sort();
    let text: String = lines
        .iter()
        .map(|(_, n, _, line)| line.replace("THE-ID", &format!("id-{n}")) + "\n")
        .collect();
    fs::write(&path, &text).unwrap();
    let found = Found {
        name: "t.jsonl".into(),
        input: Input::File(path),
    };
    (folder, found, text.len() as u64)
}

fn options(max_turns: usize) -> Options {
    Options {
        max_turns,
        max_findings: 1000,
        threads: 1,
        ..Options::default()
    }
}

fn assert_joined(joined: Option<InputResult>, found: Found, options: &Options) {
    let joined = report_of(joined.unwrap(), options);
    let whole = verify_one(&Ok(found), &mut SubAgentCalls::new(&[]), options);
    assert_same(&joined, &whole);
}

#[test]
fn whole_executions_are_joined() {
    let legal = traces("legal");
    assert!(legal.len() > 20, "{}", legal.len());
    let executions: Vec<_> = legal.iter().take(20).collect();
    let options = options(50);
    let (_folder, found, size) = file(&executions, None);
    let (joined, seams) = in_pieces(&found, size, (&[100, 400, 410, 900], 1000), &options);
    assert_eq!(seams, 0);
    assert_joined(joined, found, &options);
}

#[test]
fn executions_that_cross_pieces_are_read_at_the_seam() {
    let legal = traces("legal");
    let short = legal.iter().filter(|lines| lines.len() < 30);
    let executions: Vec<_> = short.cycle().take(100).collect();
    let options = options(50);
    let (_folder, found, size) = file(&executions, Some(4));
    let (joined, seams) = in_pieces(&found, size, (&[300, 700], size / 10), &options);
    assert_eq!(seams, 2);
    assert_joined(joined, found, &options);
}

#[test]
fn executions_that_are_longer_than_the_reach_are_not_joined() {
    let legal = traces("legal");
    let executions: Vec<_> = legal.iter().take(8).collect();
    let (_folder, found, size) = file(&executions, Some(0));
    let options = options(0);
    assert!(
        in_pieces(&found, size, (&[500], 1000), &options)
            .0
            .is_none()
    );
    let (joined, seams) = in_pieces(&found, size, (&[500], size), &options);
    assert_eq!(seams, 1);
    assert_joined(joined, found, &options);
}

/// A long line reaches beyond the bytes that are read at once, and blank lines belong to no
/// execution. Cuts in or near them keep their order.
#[test]
fn cuts_keep_the_order_of_the_places_near_which_they_are() {
    let legal = traces("legal");
    let short: Vec<_> = legal.iter().filter(|lines| lines.len() < 30).collect();
    let format = Format::parse("execution-record").unwrap();
    for spaces in [[700_000, 40_000, 0], [0, 600_000, 40_000]] {
        let mut long = short[0].clone();
        for (line, spaces) in long[1..4].iter_mut().zip(spaces) {
            line.push_str(&" ".repeat(spaces));
        }
        let blank = vec![" ".repeat(40_000); 3];
        let executions = [&short[..9], &[&long, &blank, &long], &short[9..20]].concat();
        let (_folder, found, size) = file(&executions, None);
        let ends: Vec<u64> = (0..=60).map(|n| n * size / 60).collect();
        let mut end = 0;
        for ends in ends.windows(2) {
            let part = Part {
                input: 0,
                bytes: ends[0]..ends[1],
                size,
                reach: 0,
            };
            let bytes = piece(&found, &part, format, &options(0)).unwrap().bytes;
            assert_eq!(bytes.start, end);
            assert!(bytes.end >= end, "{bytes:?} near {part:?}");
            end = bytes.end;
        }
    }
}

#[test]
fn what_concerns_the_whole_input_is_not_joined() {
    let legal = traces("legal");
    let executions: Vec<_> = legal.iter().take(8).collect();
    let options = options(0);
    let secret = format!("ghp_{}", "Xk29dLqR7vBzT4mWp8cY3nHs6jF1aEuG5oQi");
    for line in [
        "{".to_owned(),
        "[]".to_owned(),
        r#"{"record":"observed"}"#.to_owned(),
        executions[0][0].replace("THE-ID", &format!("x {secret}")),
    ] {
        let (_folder, found, _) = file(&executions, None);
        let Input::File(path) = &found.input else {
            unreachable!()
        };
        let text = fs::read_to_string(path).unwrap() + &line + "\n";
        fs::write(path, &text).unwrap();
        let size = text.len() as u64;
        assert!(
            in_pieces(&found, size, (&[500], 1000), &options)
                .0
                .is_none(),
            "{line}"
        );
    }
}

#[test]
fn a_worker_that_is_near_its_bounds_is_not_joined() {
    let legal = traces("legal");
    let executions: Vec<_> = legal.iter().cycle().take(200).collect();
    let (_folder, found, size) = file(&executions, None);
    let few = Options {
        limits: crate::source::Limits {
            executions: 20,
            ..crate::source::Limits::default()
        },
        ..options(0)
    };
    assert!(
        in_pieces(&found, size, (&[500], 1000), &options(0))
            .0
            .is_some()
    );
    assert!(in_pieces(&found, size, (&[500], 1000), &few).0.is_none());
}

/// Numbers of lines that overflow would be the numbers of lines of findings.
#[test]
fn forged_pieces_are_refused() {
    let crossing = |bytes, lines| Crossing {
        executions: ["e".into()].into(),
        bytes,
        lines,
    };
    let honest = Piece {
        bytes: 100..200,
        size: 300,
        lines: 10,
        at_start: crossing(50, 5),
        at_end: crossing(100, 10),
        ..Piece::default()
    };
    let is_plausible = |change: &dyn Fn(&mut Piece)| {
        let mut piece = honest.clone();
        change(&mut piece);
        let result = InputResult {
            piece: Some(piece),
            ..InputResult::default()
        };
        result.is_plausible()
    };
    assert!(is_plausible(&|_| {}));
    assert!(!is_plausible(&|piece| piece.lines = u64::MAX - 5));
    assert!(!is_plausible(&|piece| piece.lines = 9));
    assert!(!is_plausible(&|piece| piece.bytes.start = 201));
    assert!(!is_plausible(&|piece| piece.size = 199));
    assert!(!is_plausible(&|piece| piece.at_start = crossing(101, 5)));
    assert!(!is_plausible(&|piece| piece.at_end = crossing(50, u64::MAX)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Wherever a file is cut, its pieces give what the whole gives, or nothing.
    #[test]
    fn pieces_give_what_the_whole_gives(
        picks in proptest::collection::vec((any::<bool>(), 0usize..10_000), 1..24),
        cuts in proptest::collection::vec(0u64..=1000, 1..6),
        apart in prop::option::of(0usize..12),
        reach in 1u64..20_000,
        max_turns in 0usize..40,
    ) {
        let folders = [traces("legal"), traces("broken")];
        let executions: Vec<_> = picks
            .iter()
            .map(|(broken, n)| {
                let traces = &folders[usize::from(*broken)];
                &traces[n % traces.len()]
            })
            .collect();
        let options = options(max_turns);
        let (_folder, found, size) = file(&executions, apart);
        let joined = in_pieces(&found, size, (&cuts, reach), &options).0;
        if joined.is_some() {
            assert_joined(joined, found, &options);
        }
    }
}
