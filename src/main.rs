//! The command. Everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    yuangs_verify::cli::main()
}
