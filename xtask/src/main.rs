//! Tasks of the repository: `cargo xtask expect` compares the corpora with their expectations,
//! `cargo xtask book` writes the sources of the documentation site.

mod book;
mod expect;

use clap::Parser;
use std::path::Path;
use std::process::ExitCode;

/// Tasks of the repository.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Show where traces and their expectations differ, and write nothing without `--write`.
    Expect(expect::Args),
    /// Write the sources of the documentation site, for `mdbook build`.
    Book(book::Args),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Expect(args) => expect::run(&args, &mut std::io::stdout().lock()),
        Task::Book(args) => book::run(Path::new("."), &args).map(|_| 0),
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a task talks to its user")]
            {
                eprintln!("error: {error}");
            }
            ExitCode::from(2)
        }
    }
}
