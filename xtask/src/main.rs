//! Tasks of the repository: `cargo xtask expect` compares the corpora with their expectations.

mod expect;

use clap::Parser;
use std::process::ExitCode;

/// Tasks of the repository.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Show where traces and their expectations differ; write nothing unless told.
    Expect(expect::Args),
}

fn main() -> ExitCode {
    let Task::Expect(args) = Task::parse();
    match expect::run(&args, &mut std::io::stdout().lock()) {
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
