//! Compares the cost of a repo map with that of the parse alone, and measures its memory.
//!
//! usage: `cargo run --release --example repomap-speed -- FOLDER…`
//!
//! The same files are alternately parsed with tree-sitter alone and turned into a map, so that
//! other load on the machine affects both. Times are processor times of all threads, as reported by
//! Linux.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement prints, and may panic"
)]

#[path = "support/grammar.rs"]
mod grammar;

use rayon::prelude::*;
use repo_map::{Cache, Language, Settings, build, of_folder};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tree_sitter::Parser;

/// Returns the processor time of this process in seconds.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks: f64 = fields
        .iter()
        .skip(11)
        .take(2)
        .map(|t| t.parse::<f64>().unwrap())
        .sum();
    ticks / 100.0
}

/// Returns the peak memory of this process in megabytes.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1000.0
}

/// Measures the processor time and the elapsed time of some work.
fn measured<T>(work: impl FnOnce() -> T) -> (f64, Duration, T) {
    let (before, start) = (cpu(), Instant::now());
    let out = work();
    (cpu() - before, start.elapsed(), out)
}

/// Returns the files of a snapshot in supported languages.
fn texts(folder: &Path) -> Vec<(Language, PathBuf)> {
    let snapshot = of_folder(folder, None).unwrap();
    snapshot
        .files
        .iter()
        .filter_map(|f| Some((f.language?, folder.join(&f.path))))
        .filter(|(language, _)| grammar::of(*language).is_some())
        .collect()
}

fn parse(files: &[(Language, PathBuf)]) -> usize {
    let one = |parser: &mut Parser, (language, path): &(Language, PathBuf)| {
        let text = std::fs::read_to_string(path).unwrap();
        let grammar = grammar::of(*language).unwrap();
        parser.set_language(&grammar).unwrap();
        black_box(parser.parse(&text, None));
        text.len()
    };
    files.par_iter().map_init(Parser::new, one).sum()
}

fn map(folder: &Path, cache: Option<&Cache>) -> usize {
    let snapshot = of_folder(folder, cache).unwrap();
    build(&snapshot, &Settings::default()).unwrap().tokens
}

fn main() {
    const ROUNDS: u32 = 3;
    for folder in std::env::args_os().skip(1).map(PathBuf::from) {
        // The whole map comes first, so that the peak memory is that of the map.
        let _ = map(&folder, None);
        let memory = peak();
        let files = texts(&folder);
        let (mut bytes, mut alone, mut whole, mut clock) = (0, 0.0, 0.0, Duration::ZERO);
        for _ in 0..ROUNDS {
            let (spent, _, read) = measured(|| parse(&files));
            alone += spent;
            bytes = read;
            let (spent, elapsed, _) = measured(|| map(&folder, None));
            whole += spent;
            clock += elapsed;
        }
        let kept = tempfile::tempdir().unwrap();
        let cache = Cache::open(kept.path(), SystemTime::now());
        let _ = map(&folder, Some(&cache));
        cache.save().unwrap();
        let (_, warm, usage) = measured(|| {
            let cache = Cache::open(kept.path(), SystemTime::now());
            let _ = map(&folder, Some(&cache));
            cache.usage()
        });
        assert_eq!(usage.parsed, 0, "a warm run parses nothing");
        let (rounds, megabytes) = (
            f64::from(ROUNDS),
            f64::from(u32::try_from(bytes).unwrap()) / 1e6,
        );
        println!(
            "{}: {} files, {megabytes:.1} MB",
            folder.display(),
            files.len()
        );
        println!(
            "  parse alone  {:.2} s of processor, {:.1} MB/s",
            alone / rounds,
            megabytes * rounds / alone
        );
        println!(
            "  map, cold    {:.2} s of processor, {:.1} MB/s",
            whole / rounds,
            megabytes * rounds / whole
        );
        println!("  ratio        {:.2}", whole / alone);
        println!(
            "  on the clock {:.2} s cold, {:.3} s warm",
            clock.as_secs_f64() / rounds,
            warm.as_secs_f64()
        );
        println!("  memory       {memory:.0} MB at most, cold");
    }
}
