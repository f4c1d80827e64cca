//! Checks that a zip archive has no bytes that nothing reads.
//!
//! The library reads what it needs of headers. Extra fields, a second name in front of an entry and
//! bytes around the directory can carry a record or a secret that is in no report.

/// Signatures of the headers and end records (APPNOTE.TXT 4.3).
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END64: &[u8] = b"PK\x06\x06";
const LOCATOR64: &[u8] = b"PK\x06\x07";
const END: &[u8] = b"PK\x05\x06";

/// Maximum size of the header in front of an entry's content.
pub(super) const MOST_LOCAL: u64 = 30 + 2 * u16::MAX as u64;

/// The extra fields that common programs write: sizes above 4 GiB, and times and owners of NTFS and
/// Unix.
const EXTRA_IDS: [u16; 6] = [0x0001, 0x000a, 0x5455, 0x5855, 0x7855, 0x7875];
/// Maximum number of bytes of an extra field: the times of NTFS.
const MOST_EXTRA: usize = 32;

/// Splits a header into its variable fields, whose lengths are at `lengths` in its fixed part of
/// `size` bytes, and what follows the header.
fn fields<'b, const N: usize>(
    bytes: &'b [u8],
    signature: &[u8],
    size: usize,
    lengths: [usize; N],
) -> Option<([&'b [u8]; N], &'b [u8])> {
    let (header, mut rest) = bytes.split_at_checked(size)?;
    if !header.starts_with(signature) {
        return None;
    }
    let mut found = [&[][..]; N];
    for (field, at) in found.iter_mut().zip(lengths) {
        let length = u16::from_le_bytes(*header.get(at..)?.first_chunk()?);
        (*field, rest) = rest.split_at_checked(usize::from(length))?;
    }
    Some((found, rest))
}

/// Returns true if extra fields are known, short, and different ones.
fn is_known(mut extra: &[u8]) -> bool {
    let mut seen = Vec::new();
    while let Some((&[a, b, c, d], rest)) = extra.split_first_chunk() {
        let id = u16::from_le_bytes([a, b]);
        let length = usize::from(u16::from_le_bytes([c, d]));
        let Some((_, rest)) = rest.split_at_checked(length) else {
            return false;
        };
        if length > MOST_EXTRA || !EXTRA_IDS.contains(&id) || seen.contains(&id) {
            return false;
        }
        seen.push(id);
        extra = rest;
    }
    extra.is_empty()
}

/// Checks the header in front of an entry's content. The error says what the entry has.
pub(super) fn check_local(header: &[u8], name: &[u8]) -> Result<(), &'static str> {
    match fields(header, LOCAL, 30, [26, 28]) {
        Some(([own, _], _)) if own != name => Err("has two names"),
        Some(([_, extra], _)) if !is_known(extra) => Err("has an extra field, which isn't checked"),
        Some((_, [])) => Ok(()),
        _ => Err("has a header that can't be read"),
    }
}

/// Checks the end of an archive, from its directory of `count` entries on.
pub(super) fn check_directory(bytes: &[u8], count: usize) -> Result<(), &'static str> {
    const UNCHECKED: &str = "contains bytes around its directory, which aren't checked";
    let mut rest = bytes;
    for _ in 0..count {
        let found = fields(rest, CENTRAL, 46, [28, 30, 32]);
        let ([_, extra, _], after) = found.ok_or(UNCHECKED)?;
        if !is_known(extra) {
            return Err("contains an extra field, which isn't checked");
        }
        rest = after;
    }
    if let Some(([], after)) = fields(rest, END64, 56, []) {
        ([], rest) = fields(after, LOCATOR64, 20, []).ok_or(UNCHECKED)?;
    }
    match fields(rest, END, 22, [20]) {
        Some(([[]], [])) => Ok(()),
        _ => Err(UNCHECKED),
    }
}
