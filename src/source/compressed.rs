//! Reads compressed inputs member by member, so that no byte is skipped.
//!
//! Both formats allow bytes that no decoder returns: skippable frames of zstd, and extra fields and
//! comments in the header of a gzip member. A record or secret in them would be in the file but in
//! no report. An input with any of them is therefore refused, and so are bytes after its end.

use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use text_safety::invisible_chars::is_ignorable;
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, Operation as _};

/// Maximum window of a zstd decoder as a power of two: 8 MiB. `zstd -19` needs that much, and RFC
/// 8878 requires every decoder to support it.
const ZSTD_WINDOW: u32 = 23;

/// The first bytes of a zstd frame.
pub(super) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of a gzip member.
pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The flags of a gzip header that are checked (RFC 1952).
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
/// Size of a gzip header before its optional fields, and the index of its flags.
const HEADER: u64 = 10;
const FLAGS: usize = 3;
/// Maximum number of bytes of a file name in a gzip header, as in file systems.
const MOST_NAME: usize = 255;

/// Returns true if an input with these first four bytes is a zstd frame. A skippable frame counts,
/// too, so that it is refused with the right message.
pub(super) fn is_zstd(head: &[u8]) -> bool {
    head == ZSTD_MAGIC || is_skippable(head)
}

fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

pub(super) fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A reader whose next bytes can be inspected before they are read.
struct PeekReader<R> {
    head: Cursor<Vec<u8>>,
    rest: BufReader<R>,
}

impl<R: Read> PeekReader<R> {
    fn new(reader: R) -> Self {
        Self {
            head: Cursor::default(),
            rest: BufReader::with_capacity(1 << 16, reader),
        }
    }

    /// Returns up to `bytes` of the next bytes without consuming them. Bytes from an earlier call
    /// must have been read.
    fn peek(&mut self, bytes: u64) -> io::Result<&mut Vec<u8>> {
        self.head.set_position(0);
        let head = self.head.get_mut();
        head.clear();
        self.rest.by_ref().take(bytes).read_to_end(head)?;
        Ok(head)
    }
}

impl<R: Read> Read for PeekReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.head.read(buffer)? {
            0 => self.rest.read(buffer),
            read => Ok(read),
        }
    }
}

impl<R: Read> BufRead for PeekReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.head.fill_buf()?.is_empty() {
            self.rest.fill_buf()
        } else {
            self.head.fill_buf()
        }
    }

    fn consume(&mut self, amount: usize) {
        if self.head.position() < self.head.get_ref().len() as u64 {
            self.head.consume(amount);
        } else {
            self.rest.consume(amount);
        }
    }
}

/// Reads a gzip file of any number of members.
pub(super) struct Gzip<R>(GzipState<R>);

enum GzipState<R> {
    /// At the start of a member, or at the end of the file.
    Between(PeekReader<R>),
    Inside(Box<GzDecoder<PeekReader<R>>>),
    Over,
    /// A header was refused.
    Failed,
}

impl<R: Read> Gzip<R> {
    pub(super) fn new(reader: R) -> Self {
        Self(GzipState::Between(PeekReader::new(reader)))
    }
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.0, GzipState::Failed) {
                GzipState::Between(mut source) => {
                    self.0 = if check_header(&mut source)? {
                        GzipState::Inside(Box::new(GzDecoder::new(source)))
                    } else {
                        GzipState::Over
                    };
                }
                GzipState::Inside(mut member) => match member.read(buffer) {
                    Ok(0) => self.0 = GzipState::Between(member.into_inner()),
                    read => {
                        self.0 = GzipState::Inside(member);
                        return read;
                    }
                },
                GzipState::Over => {
                    self.0 = GzipState::Over;
                    return Ok(0);
                }
                GzipState::Failed => return Err(refused("reading it has failed before")),
            }
        }
    }
}

/// Checks that the header of the next member contains nothing that no decoder returns. Returns
/// false at the end of the file.
fn check_header<R: Read>(source: &mut PeekReader<R>) -> io::Result<bool> {
    let head = source.peek(HEADER)?;
    if head.is_empty() {
        return Ok(false);
    }
    if !head.starts_with(&GZIP_MAGIC) {
        return Err(refused("the last gzip member is followed by other bytes"));
    }
    let flags = head.get(FLAGS).copied().unwrap_or_default();
    if flags & EXTRA != 0 {
        return Err(refused(
            "the gzip header has an extra field, whose content isn't checked",
        ));
    }
    if flags & COMMENT != 0 {
        return Err(refused(
            "the gzip header has a comment, which isn't checked",
        ));
    }
    if flags & NAME != 0 {
        let start = source.head.get_ref().len();
        let most = MOST_NAME as u64 + 1;
        source
            .rest
            .by_ref()
            .take(most)
            .read_until(0, source.head.get_mut())?;
        let name = source.head.get_ref().get(start..).unwrap_or_default();
        if !name
            .split_last()
            .is_some_and(|(end, name)| *end == 0 && is_file_name(name))
        {
            return Err(refused(
                "the file name in the gzip header isn't plain text of at most 255 bytes",
            ));
        }
    }
    Ok(true)
}

fn is_file_name(name: &[u8]) -> bool {
    std::str::from_utf8(name)
        .is_ok_and(|name| !name.chars().any(|c| c.is_control() || is_ignorable(c)))
}

/// Reads a zstd file of any number of frames.
pub(super) struct Zstd<R> {
    source: PeekReader<R>,
    decoder: ZstdDecoder<'static>,
    state: ZstdState,
}

#[derive(Clone, Copy)]
enum ZstdState {
    /// At the start of a frame, or at the end of the file.
    Between,
    Inside,
    Over,
    /// A frame was refused.
    Failed,
}

impl<R: Read> Zstd<R> {
    pub(super) fn new(reader: R) -> io::Result<Self> {
        let mut decoder = ZstdDecoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW))?;
        Ok(Self {
            source: PeekReader::new(reader),
            decoder,
            state: ZstdState::Between,
        })
    }

    /// Checks that the next frame isn't skippable. Returns false at the end of the file.
    fn check_magic(&mut self) -> io::Result<bool> {
        let head = self.source.peek(ZSTD_MAGIC.len() as u64)?;
        if head.is_empty() {
            return Ok(false);
        }
        if is_skippable(head) {
            return Err(refused(
                "it contains a skippable zstd frame, whose content isn't checked",
            ));
        }
        if *head == ZSTD_MAGIC {
            Ok(true)
        } else {
            Err(refused("the last zstd frame is followed by other bytes"))
        }
    }

    /// Decodes the next bytes of a frame.
    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.source.fill_buf()?;
            let at_end = input.is_empty();
            let status = self.decoder.run_on_buffers(input, buffer)?;
            self.source.consume(status.bytes_read);
            if status.remaining == 0 {
                self.state = ZstdState::Between;
                return Ok(status.bytes_written);
            }
            if status.bytes_written > 0 {
                return Ok(status.bytes_written);
            }
            if at_end {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "incomplete frame",
                ));
            }
        }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match self.state {
                ZstdState::Between => {
                    self.state = ZstdState::Failed;
                    self.state = if self.check_magic()? {
                        ZstdState::Inside
                    } else {
                        ZstdState::Over
                    };
                }
                ZstdState::Inside => match self.decode(buffer)? {
                    0 => {}
                    read => return Ok(read),
                },
                ZstdState::Over => return Ok(0),
                ZstdState::Failed => return Err(refused("reading it has failed before")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write as _;

    fn gzip(text: &[u8], builder: flate2::GzBuilder) -> Vec<u8> {
        let mut encoder = builder.write(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn plain(text: &[u8]) -> Vec<u8> {
        gzip(text, flate2::GzBuilder::new())
    }

    fn skippable(magic: u8, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).unwrap().to_le_bytes();
        [&[magic, 0x2a, 0x4d, 0x18], &length[..], content].concat()
    }

    /// Reads through a reader that returns three bytes at a time.
    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        struct Slow<'b>(&'b [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let most = buffer.len().min(3);
                self.0.read(&mut buffer[..most])
            }
        }
        let mut out = Vec::new();
        let done = if bytes.starts_with(&GZIP_MAGIC) {
            Gzip::new(Slow(bytes)).read_to_end(&mut out)
        } else {
            assert!(is_zstd(&bytes[..4]));
            Zstd::new(Slow(bytes)).unwrap().read_to_end(&mut out)
        };
        done.map(|_| out).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn assert_refused(bytes: &[u8], why: &str) {
        let error = read(bytes).unwrap_err();
        assert!(error.contains(why), "{error}");
    }

    #[test]
    fn members_and_frames_are_joined() {
        let named = gzip(
            b"one\n",
            flate2::GzBuilder::new()
                .filename("a trace é.jsonl")
                .mtime(7),
        );
        let joined = [named, plain(b""), plain(b"two\n")].concat();
        assert_eq!(read(&joined).unwrap(), b"one\ntwo\n");
        let frame = |text: &[u8]| zstd::encode_all(text, 1).unwrap();
        let joined = [frame(b"one\n"), frame(b""), frame(b"two\n")].concat();
        assert_eq!(read(&joined).unwrap(), b"one\ntwo\n");
    }

    #[test]
    fn skippable_frames_are_refused_wherever_they_stand() {
        let frame = zstd::encode_all(&b"{}\n"[..], 1).unwrap();
        for magic in 0x50..=0x5f {
            let skipped = skippable(magic, b"{\"record\":\"turn\"}");
            for parts in [
                [&skipped[..], &frame],
                [&frame, &skipped],
                [&frame, &skippable(magic, b"")],
            ] {
                assert_refused(&parts.concat(), "skippable");
            }
        }
    }

    #[test]
    fn extra_fields_and_comments_are_refused_in_any_member() {
        for builder in [
            || flate2::GzBuilder::new().extra(&b"AKIAQ3"[..]),
            || flate2::GzBuilder::new().extra(Vec::new()).filename("a"),
        ] {
            assert_refused(&gzip(b"x", builder()), "extra field");
            let second = [plain(b"x"), gzip(b"y", builder())].concat();
            assert_refused(&second, "extra field");
        }
        let commented = gzip(b"y", flate2::GzBuilder::new().filename("a").comment("{}"));
        assert_refused(&commented, "comment");
        assert_refused(&[plain(b""), commented].concat(), "comment");
    }

    #[test]
    fn file_names_are_short_and_plain() {
        let named = |name: &[u8]| gzip(b"x", flate2::GzBuilder::new().filename(name));
        assert!(read(&named(&[b'n'; MOST_NAME])).is_ok());
        for name in [
            &[b'n'; MOST_NAME + 1][..],
            &vec![b'n'; 100_000],
            b"a\nb",
            b"a\xff",
            "a\u{200b}b".as_bytes(),
            "a\u{e0041}".as_bytes(),
        ] {
            assert_refused(&named(name), "file name");
        }
    }

    #[test]
    fn bytes_behind_the_end_are_refused() {
        let frame = zstd::encode_all(&b"{}\n"[..], 1).unwrap();
        for behind in [
            &b"{}"[..],
            b"\0",
            b"\n",
            b"\x28\xb5\x2f",
            b"\x1f",
            b"\x1f\x8a\0\0",
        ] {
            assert_refused(&[plain(b"x"), behind.to_vec()].concat(), "");
            assert_refused(
                &[frame.clone(), behind.to_vec()].concat(),
                "is followed by other bytes",
            );
        }
        assert_refused(&plain(b"text")[..20], "");
        assert_refused(&frame[..frame.len() - 1], "incomplete");
    }

    proptest! {
        /// A text is read as a whole, whatever its division among members.
        #[test]
        fn any_division_is_read(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..5)) {
            let whole = parts.concat();
            let gz: Vec<u8> = parts.iter().flat_map(|part| plain(part)).collect();
            prop_assert_eq!(&read(&gz).unwrap(), &whole);
            let zst: Vec<u8> = parts.iter().flat_map(|part| zstd::encode_all(&part[..], 3).unwrap()).collect();
            prop_assert_eq!(&read(&zst).unwrap(), &whole);
        }
    }
}
