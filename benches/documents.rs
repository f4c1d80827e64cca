//! Writes short Markdown documents into a directory, to measure an index of knowledge.
//!
//! `cargo run --release --example generate-documents -- FOLDER [DOCUMENTS [FILES [CHANGED]]]`
//!
//! By default it writes 100,000 documents in 1,000 files. In the first `CHANGED` files, every
//! document has another text. The output is deterministic. Queries for the documents go to standard
//! output, one per line.

#[path = "support/documents.rs"]
mod documents;

use std::io::{self, Write};
use std::path::Path;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(folder) = arguments.get(1) else {
        return Err(io::Error::other("name a folder"));
    };
    let number = |at: usize, default: u64| {
        arguments
            .get(at)
            .and_then(|a| a.parse().ok())
            .unwrap_or(default)
    };
    let (count, files, changed) = (number(2, 100_000), number(3, 1_000).max(1), number(4, 0));
    std::fs::create_dir_all(folder)?;
    for file in 0..files {
        let text: String = (file * count / files..(file + 1) * count / files)
            .map(|n| documents::document(n, u64::from(file < changed)))
            .collect();
        std::fs::write(Path::new(folder).join(format!("{file:06}.md")), text)?;
    }
    let mut out = io::stdout().lock();
    (0..1_000).try_for_each(|n| writeln!(out, "{}", documents::question(n)))
}
