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

/// Verifies a file in pieces that are cut near some places.
fn in_pieces(found: &Found, size: u64, cuts: &[u64], options: &Options) -> Option<InputResult> {
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
        };
        let piece = piece(found, &part, format, options).unwrap();
        crate::verify::input::verify_piece((found, piece), format, options)
    });
    let pieces: Vec<InputResult> = pieces.collect();
    let mut end = 0;
    for piece in pieces.iter().filter_map(|result| result.piece.as_ref()) {
        assert_eq!(piece.bytes.start, end, "each byte is in one piece");
        end = piece.bytes.end;
    }
    assert_eq!(end, size);
    join(pieces, options)
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

/// Writes executions into a file, one after the other or, with `interleaved`, line by line.
fn file(executions: &[&Vec<String>], interleaved: bool) -> (tempfile::TempDir, Found, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let mut lines = Vec::new();
    for (n, execution) in executions.iter().enumerate() {
        let numbered = execution.iter().enumerate();
        lines.extend(numbered.map(|(m, line)| (if interleaved { m } else { 0 }, n, m, line)));
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

#[test]
fn whole_executions_are_joined() {
    let legal = traces("legal");
    assert!(legal.len() > 20, "{}", legal.len());
    let executions: Vec<_> = legal.iter().take(20).collect();
    let options = options(50);
    let (_folder, found, size) = file(&executions, false);
    let joined = in_pieces(&found, size, &[100, 400, 410, 900], &options).unwrap();
    let joined = report_of(joined, &options);
    assert_eq!(joined.summaries.len(), 20);
    let found = Ok(found);
    let inputs = [];
    let whole = verify_one(&found, &mut SubAgentCalls::new(&inputs), &options);
    assert_same(&joined, &whole);
}

#[test]
fn executions_that_cross_pieces_are_not_joined() {
    let legal = traces("legal");
    let executions: Vec<_> = legal.iter().take(8).collect();
    let options = options(0);
    let (_folder, found, size) = file(&executions, true);
    assert!(in_pieces(&found, size, &[500], &options).is_none());
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
        let (_folder, found, _) = file(&executions, false);
        let Input::File(path) = &found.input else {
            unreachable!()
        };
        let text = fs::read_to_string(path).unwrap() + &line + "\n";
        fs::write(path, &text).unwrap();
        let size = text.len() as u64;
        assert!(
            in_pieces(&found, size, &[500], &options).is_none(),
            "{line}"
        );
    }
}

#[test]
fn a_worker_that_is_near_its_bounds_is_not_joined() {
    let legal = traces("legal");
    let executions: Vec<_> = legal.iter().cycle().take(200).collect();
    let (_folder, found, size) = file(&executions, false);
    let few = Options {
        limits: crate::source::Limits {
            executions: 20,
            ..crate::source::Limits::default()
        },
        ..options(0)
    };
    assert!(in_pieces(&found, size, &[500], &options(0)).is_some());
    assert!(in_pieces(&found, size, &[500], &few).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Wherever a file is cut, its pieces give what the whole gives, or nothing.
    #[test]
    fn pieces_give_what_the_whole_gives(
        picks in proptest::collection::vec((any::<bool>(), 0usize..10_000), 1..24),
        cuts in proptest::collection::vec(0u64..=1000, 1..6),
        interleaved in proptest::bool::weighted(0.2),
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
        let (_folder, found, size) = file(&executions, interleaved);
        let joined = in_pieces(&found, size, &cuts, &options);
        if let Some(joined) = joined {
            let joined = report_of(joined, &options);
            let found = Ok(found);
            let whole = verify_one(&found, &mut SubAgentCalls::new(&[]), &options);
            assert_same(&joined, &whole);
        }
    }
}
