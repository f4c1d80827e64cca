//! Packs a `.tiktoken` file, read from standard input, for `src/`.
//!
//! Each line of such a file is a base64 token and its rank; ranks start at 0 and are consecutive.
//! The output stores each token as its length in one byte, then its bytes. All of it is compressed.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use std::error::Error;
use std::io::{self, Write as _};

fn main() -> Result<(), Box<dyn Error>> {
    let mut packed = Vec::new();
    for (number, line) in io::stdin().lines().enumerate() {
        let line = line?;
        let (token, rank) = line.split_once(' ').ok_or("a line without a rank")?;
        if rank.parse() != Ok(number) {
            return Err(format!("line {}: rank {rank} is out of order", number + 1).into());
        }
        let token = BASE64_STANDARD.decode(token)?;
        packed.push(u8::try_from(token.len())?);
        packed.extend(token);
    }
    io::stdout().write_all(&zstd::encode_all(packed.as_slice(), 22)?)?;
    Ok(())
}
