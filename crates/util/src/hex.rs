//! Bytes as hexadecimal digits.

/// Encodes bytes in lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() * 2);
    digits.extend(
        bytes
            .iter()
            .flat_map(|b| [b >> 4, b & 0xf])
            .filter_map(|n| char::from_digit(u32::from(n), 16)),
    );
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_two_lower_case_digits() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa0, 0xff]), "000fa0ff");
        assert_eq!(hex(&[]), "");
    }
}
