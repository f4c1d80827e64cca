//! The command. Everything it does is in the library.

use std::process::ExitCode;

/// Records become many small pieces of memory on every core, which this allocator hands out and
/// takes back in less time than that of the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    yuangs_verify::cli::main()
}
