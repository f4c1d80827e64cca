//! Backslash escapes of `$'…'`, `echo -e` and `printf`.

/// Decodes the inside of `$'…'`. Returns true if a printable letter was written as a number.
pub(crate) fn ansi_c(body: &str) -> (String, bool) {
    decode(body, false)
}

/// Decodes `echo -e` and `printf` escapes, in which octal may have a leading zero.
pub(crate) fn echo(body: &str) -> (String, bool) {
    decode(body, true)
}

fn decode(body: &str, zero_octal: bool) -> (String, bool) {
    if !body.contains('\\') {
        return (body.to_owned(), false);
    }
    let mut bytes: Vec<u8> = Vec::with_capacity(body.len());
    let mut hidden = false;
    let mut it = body.chars().peekable();
    while let Some(c) = it.next() {
        if c != '\\' {
            let mut buf = [0; 4];
            bytes.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
            continue;
        }
        let Some(e) = it.next() else {
            bytes.push(b'\\');
            break;
        };
        let mut digits = |max: usize, radix: u32, first: u32| {
            let mut v = first;
            let mut n = 0;
            while n < max {
                let Some(d) = it.peek().and_then(|c| c.to_digit(radix)) else {
                    break;
                };
                v = v.wrapping_mul(radix).wrapping_add(d);
                it.next();
                n += 1;
            }
            v
        };
        let code = match e {
            'n' => u32::from(b'\n'),
            't' => u32::from(b'\t'),
            'r' => u32::from(b'\r'),
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'v' => 11,
            '\\' => u32::from(b'\\'),
            '\'' => u32::from(b'\''),
            '"' => u32::from(b'"'),
            '?' if !zero_octal => u32::from(b'?'),
            'x' => numeric(digits(2, 16, 0), &mut hidden),
            'u' => numeric(digits(4, 16, 0), &mut hidden),
            'U' => numeric(digits(8, 16, 0), &mut hidden),
            'c' if !zero_octal => it.next().map_or(0, |c| u32::from(c) & 0x1f),
            '0' if zero_octal => numeric(digits(3, 8, 0) & 0xff, &mut hidden),
            '0'..='7' => numeric(digits(2, 8, e.to_digit(8).unwrap_or(0)) & 0xff, &mut hidden),
            other => {
                bytes.push(b'\\');
                let mut buf = [0; 4];
                bytes.extend_from_slice(other.encode_utf8(&mut buf).as_bytes());
                continue;
            }
        };
        if matches!(e, 'u' | 'U') || code < 0x80 {
            let c = char::from_u32(code).unwrap_or('\u{fffd}');
            // The reserved characters of `chars` can't be smuggled in.
            let c = if c <= '\u{3}' { '\u{fffd}' } else { c };
            let mut buf = [0; 4];
            bytes.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
        } else {
            bytes.push(u8::try_from(code & 0xff).unwrap_or(b'?'));
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), hidden)
}

fn numeric(code: u32, hidden: &mut bool) -> u32 {
    if (0x21..0x7f).contains(&code) {
        *hidden = true;
    }
    code
}
