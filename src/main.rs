//! The binary, a thin wrapper around the library.

use std::process::ExitCode;

/// Records need many small allocations on every core, for which this allocator is faster than the
/// system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    yuangs_verify::cli::main()
}
