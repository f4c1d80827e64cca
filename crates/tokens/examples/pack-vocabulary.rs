//! Packs a `.tiktoken` file, read from standard input, for `src/`.
//!
//! A line of such a file is a token in base64 and its rank, and the ranks are 0, 1, 2 and so on.
//! Packed, a token is a byte for its length and its bytes; all of it is compressed.

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
