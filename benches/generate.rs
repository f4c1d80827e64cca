//! Writes a legal trace of whole-turn records, 1.5 to 2.5 KB per line, for measurements.
//!
//! `cargo run --release --example generate-trace -- MEGABYTES > trace.jsonl`
//!
//! The output is deterministic: it only depends on the size.

#[path = "support/trace.rs"]
mod trace;

use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let megabytes: u64 = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(100);
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut written = 0;
    let mut number = 0;
    while written < megabytes * 1_000_000 {
        number += 1;
        written += trace::execution(&mut out, number)?;
    }
    out.flush()
}
