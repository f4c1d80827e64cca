//! Writes a legal trace of whole-turn records, 1.5 to 2.5 KB per line, for measurements.
//!
//! `cargo run --release --example generate-trace -- MEGABYTES [FIRST] > trace.jsonl`
//!
//! The output is deterministic: it only depends on the size and the number of the first execution.

#[path = "support/trace.rs"]
mod trace;

use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let argument = |n| std::env::args().nth(n).and_then(|a| a.parse::<u64>().ok());
    let megabytes = argument(1).unwrap_or(100);
    let mut number = argument(2).unwrap_or(1);
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut written = 0;
    while written < megabytes * 1_000_000 {
        written += trace::execution(&mut out, number)?;
        number += 1;
    }
    out.flush()
}
