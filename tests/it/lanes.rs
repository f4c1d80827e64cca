//! Long inputs are read in blocks, on as many workers as there are threads.

use crate::generate::{Layout, plan};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use std::io::{self, Read};
use yuangs_verify::source::Limits;
use yuangs_verify::verify::{Options, Report, verify_reader};

/// Generates three megabytes of interleaved executions, some of them malformed, with every
/// difficulty for a reader.
fn long() -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let mut open: Vec<Vec<String>> = Vec::new();
    let mut text = Vec::new();
    let mut number = 0_usize;
    while text.len() < 3 << 20 {
        while open.len() < 40 {
            let mut plan = plan().new_tree(&mut runner).unwrap().current();
            plan.id = format!("{}{number}", plan.id);
            let layout = if number.is_multiple_of(3) {
                Layout::Events
            } else {
                Layout::Turns
            };
            let mut lines = plan.lines(layout);
            if number.is_multiple_of(5) && lines.len() > 3 {
                lines.remove(2);
            }
            lines.reverse();
            open.push(lines);
            number += 1;
        }
        let from = text.len() % open.len();
        match open[from].pop() {
            Some(line) => {
                text.extend_from_slice(line.as_bytes());
                text.push(b'\n');
            }
            None => drop(open.swap_remove(from)),
        }
        match text.len() % 1999 {
            0 => text.extend_from_slice(b"{\"record\":\"turn\",\"executionId\":\n"),
            1 => text.extend_from_slice(b"\xff\n"),
            2 => text.extend_from_slice(format!("\"{}\"\n", "x".repeat(600 << 10)).as_bytes()),
            3 => text.extend_from_slice(b"\n\r\n"),
            _ => {}
        }
    }
    text
}

fn options(threads: usize) -> Options {
    Options {
        limits: Limits {
            record_bytes: 64 << 10,
            ..Limits::default()
        },
        threads,
        max_turns: 900,
        ..Options::default()
    }
}

fn lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

fn told(report: &Report) -> String {
    format!(
        "{:#?}\n{:#?}\n{:#?}\n{:#?}",
        report.counts, report.findings, report.summaries, report.timeline
    )
}

#[test]
fn any_number_of_lanes_tells_the_same_of_a_long_input() {
    let text = long();
    let replay = |threads| verify_reader("long.jsonl", text.as_slice(), &options(threads));
    let one = replay(1);
    assert!(
        one.summaries.len() > 100 && one.findings.iter().any(|f| f.code.to_string() == "YV107")
    );
    let lines = lines(&text);
    assert!(
        one.findings.iter().any(|f| f.place.line > lines / 2),
        "findings stand behind the first block as well"
    );
    assert!(one.findings.iter().all(|f| f.place.line <= lines));
    for threads in [2, 3, 16, 40] {
        assert_eq!(told(&replay(threads)), told(&one), "{threads}");
    }
}

/// Yields a text, and then the result of a function instead of its end.
struct Breaks<'t, F>(&'t [u8], F);

impl<F: FnMut() -> io::Error> Read for Breaks<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err((self.1)()),
            n => Ok(n),
        }
    }
}

#[test]
fn an_input_that_breaks_off_is_told_once_behind_what_could_be_read() {
    let text = long();
    let replay = |threads| {
        let reader = Breaks(&text, || io::Error::other("gone"));
        verify_reader("long.jsonl", reader, &options(threads))
    };
    let one = replay(1);
    let told_of: Vec<u64> = one
        .findings
        .iter()
        .filter(|f| f.message.contains("breaks off here: gone"))
        .map(|f| f.place.line)
        .collect();
    assert_eq!(told_of, [lines(&text) + 1]);
    for threads in [2, 5] {
        assert_eq!(told(&replay(threads)), told(&one), "{threads}");
    }
}

/// A panic in one worker ends the program, and doesn't leave the others waiting.
#[test]
fn a_lane_that_fails_lets_nobody_wait() {
    let text = long();
    for threads in [1, 2, 5] {
        let reader = Breaks(&text, || panic!("a reader that fails"));
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            verify_reader("long.jsonl", reader, &options(threads))
        }));
        assert!(ended.is_err(), "{threads}");
    }
}
