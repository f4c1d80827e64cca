//! Reads a partial result whose hash is right: the frames are the input.

#![no_main]

use libfuzzer_sys::fuzz_target;
use yuangs_verify::verify::partial::inputs_of;

const MAGIC: &[u8] = b"yuangs-verify partial result 2\n";

fuzz_target!(|frames: &[u8]| {
    let hash = blake3::hash(frames);
    let partial = [MAGIC, frames, hash.as_bytes()].concat();
    let _ = inputs_of(&*partial);
});
