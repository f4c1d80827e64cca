//! Measures queries of an index of knowledge in one process that has opened it.
//!
//! `cargo run --release --example time-questions -- INDEX [text|vectors|both [QUESTIONS]]`
//!
//! The queries are those of `generate-documents`, 1,000 by default. The first one loads the index
//! and isn't counted.

#[path = "support/documents.rs"]
#[allow(dead_code, reason = "the documents are made by another program")]
mod documents;

use knowledge_index::Store;
use knowledge_index::rank::{Query, Ranker, Stages};
use std::io;
use std::path::Path;
use std::time::Instant;
use yuangs_verify::knowledge::SCHEMA;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(index) = arguments.get(1) else {
        return Err(io::Error::other("name an index").into());
    };
    let stages = match arguments.get(2).map(String::as_str) {
        None | Some("both") => Stages::Both,
        Some("text") => Stages::Text,
        Some("vectors") => Stages::Vectors,
        Some(_) => return Err(io::Error::other("ask by text, vectors or both").into()),
    };
    let count = arguments
        .get(3)
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000);
    let store = Store::open(Path::new(index), &SCHEMA)?;
    let ranker = Ranker::new(&store);
    let mut answers = 0;
    let mut times = Vec::new();
    for n in 0..=count {
        let text = documents::question(n);
        let began = Instant::now();
        answers += ranker
            .search(&Query {
                stages,
                ..Query::new(&text)
            })?
            .len();
        times.push(began.elapsed());
    }
    let loading = times.remove(0);
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(times.len() * share / 100)
            .or(times.last())
            .copied()
            .unwrap_or_default()
    };
    #[allow(clippy::print_stdout, reason = "a program of its own")]
    {
        println!("{count} questions, {answers} answers; loading {loading:.1?}");
        println!(
            "p50 {:.2?}, p90 {:.2?}, p99 {:.2?}, most {:.2?}",
            at(50),
            at(90),
            at(99),
            at(100)
        );
    }
    Ok(())
}
