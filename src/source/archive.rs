//! Reads a zip archive of JSON documents (`.eval` of Inspect) as lines, with one line per entry.
//!
//! Every entry is a record, and none is skipped: an archive with an entry that can't be read in
//! full is refused, and so is one with bytes that nothing reads. Names of entries are never used as
//! paths. The library only reads the directory; entries are unpacked here.

use super::archive_layout::{MOST_LOCAL, check_directory, check_local};
use super::compressed::{Zstd, refused};
use super::joined::JoinedReader;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

/// The first bytes of an archive's first entry.
pub(super) const ZIP_MAGIC: [u8; 4] = *b"PK\x03\x04";
/// Maximum number of entries.
const MOST_ENTRIES: usize = 100_000;
/// Maximum number of bytes read to find and read the directory of an archive.
const MOST_DIRECTORY: u64 = 32 << 20;
/// Maximum number of bytes after the content of an entry, which may repeat its sizes.
const DESCRIPTOR: u64 = 24;
/// The entries that describe the others. They are read first.
const FIRST: [&str; 2] = ["header.json", "_journal/start.json"];
/// Maximum number of characters shown of a name.
const SHOWN: usize = 80;

/// An entry as the archive's directory describes it.
struct Member {
    /// Name for messages, escaped.
    name: String,
    start: u64,
    packed: u64,
    size: u64,
    crc: u32,
    method: CompressionMethod,
}

/// Returns a reader of an archive's entries, one per line.
///
/// # Errors
/// When the file isn't a complete archive, or contains something that isn't supported.
pub(super) fn lines(file: File) -> io::Result<impl Read + Send> {
    let entries = members(&file)?.into_iter();
    Ok(JoinedReader::new(
        entries.map(move |member| Entry::new(&file, member)),
    ))
}

/// Returns the names of the entries in the order of their lines, escaped and truncated.
///
/// # Errors
/// Like those of [`lines`].
pub(super) fn names(file: &File) -> io::Result<Vec<String>> {
    let members = members(file)?.into_iter();
    Ok(members.map(|member| member.name).collect())
}

/// Returns the entries in the order of their lines.
fn members(file: &File) -> io::Result<Vec<Member>> {
    let left = Cell::new(MOST_DIRECTORY);
    let source = LimitedReader { file, left: &left };
    let incomplete = |error| refused(&format!("it isn't a complete zip archive: {error}"));
    let mut archive = ZipArchive::new(source).map_err(incomplete)?;
    left.set(u64::MAX);
    let count = archive.len();
    if count == 0 || count > MOST_ENTRIES {
        return Err(refused(&format!(
            "the zip archive has {count} entries; it may have 1 to {MOST_ENTRIES}"
        )));
    }
    if !archive.comment().is_empty() {
        return Err(refused(
            "the zip archive has a comment, which isn't checked",
        ));
    }
    let mut members = Vec::with_capacity(count);
    let mut places = Vec::with_capacity(count + 1);
    let mut names = Vec::with_capacity(count);
    for n in 0..count {
        let entry = archive.by_index_raw(n).map_err(incomplete)?;
        let member = member(&entry)?;
        let header = entry.header_start();
        names.push((header, entry.name_raw().to_vec()));
        let end = member.start.saturating_add(member.packed);
        places.push((header, end));
        members.push(member);
    }
    let directory = archive.central_directory_start();
    places.push((directory, directory));
    check_places(places)?;
    for (member, (start, name)) in members.iter().zip(names) {
        let header = read_range(file, start, member.start, MOST_LOCAL)?;
        check_local(&header, &name).map_err(|what| refused_entry(&member.name, what))?;
    }
    let end = read_range(file, directory, file.metadata()?.len(), MOST_DIRECTORY)?;
    check_directory(&end, count).map_err(|what| refused(&format!("the zip archive {what}")))?;
    let rank = |member: &Member| FIRST.iter().position(|name| *name == member.name);
    members.sort_by_key(|member| rank(member).unwrap_or(FIRST.len()));
    Ok(members)
}

/// Reads bytes of a file, at most a number of them.
fn read_range(mut file: &File, start: u64, end: u64, most: u64) -> io::Result<Vec<u8>> {
    let length = end.saturating_sub(start).min(most);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks that entries are adjacent from the start of the file to the directory. A hidden entry,
/// which the directory omits or lists twice, is longer than the allowed gaps.
fn check_places(mut places: Vec<(u64, u64)>) -> io::Result<()> {
    places.sort_unstable();
    let mut before = 0;
    for (start, end) in places {
        match start.checked_sub(before) {
            Some(0) => before = end,
            Some(1..=DESCRIPTOR) if before > 0 => before = end,
            Some(_) => {
                return Err(refused(
                    "the zip archive contains bytes between its entries, which aren't checked",
                ));
            }
            None => return Err(refused("entries of the zip archive overlap")),
        }
    }
    Ok(())
}

fn refused_entry(name: &str, what: &str) -> io::Error {
    refused(&format!("the entry `{name}` of the zip archive {what}"))
}

/// Reads the directory's data about an entry.
fn member<R: Read>(entry: &ZipFile<'_, R>) -> io::Result<Member> {
    let name: String = String::from_utf8_lossy(entry.name_raw())
        .chars()
        .take(SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    let says = |what: &str| refused_entry(&name, what);
    if entry.encrypted() {
        return Err(says("is encrypted"));
    }
    if !entry.comment().is_empty() {
        return Err(says("has a comment, which isn't checked"));
    }
    let method = entry.compression();
    let known = [
        CompressionMethod::STORE,
        CompressionMethod::DEFLATE,
        CompressionMethod::ZSTD,
    ];
    if !known.contains(&method) {
        return Err(says("is compressed in a way that isn't read"));
    }
    let start = entry
        .data_start()
        .ok_or_else(|| says("has no place in it"))?;
    Ok(Member {
        name,
        start,
        packed: entry.compressed_size(),
        size: entry.size(),
        crc: entry.crc32(),
        method,
    })
}

/// A reader that fails after a number of bytes.
struct LimitedReader<'f> {
    file: &'f File,
    left: &'f Cell<u64>,
}

impl Read for LimitedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        match self.left.get().checked_sub(read as u64) {
            Some(left) => self.left.set(left),
            None => return Err(refused("its directory is too long, or missing")),
        }
        Ok(read)
    }
}

impl Seek for LimitedReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// The content of an entry, which must match the directory.
struct Entry {
    member: Member,
    content: Content,
    crc: Crc,
    read: u64,
}

type Packed = BufReader<Take<File>>;

enum Content {
    Stored(Packed),
    Deflate(DeflateDecoder<Packed>),
    Zstd(Box<Zstd<Packed>>),
}

impl Entry {
    fn new(file: &File, member: Member) -> io::Result<Self> {
        let mut file = file.try_clone()?;
        file.seek(SeekFrom::Start(member.start))?;
        let packed = BufReader::new(file.take(member.packed));
        let content = match member.method {
            CompressionMethod::DEFLATE => Content::Deflate(DeflateDecoder::new(packed)),
            CompressionMethod::ZSTD => Content::Zstd(Box::new(Zstd::new(packed)?)),
            _ => Content::Stored(packed),
        };
        Ok(Self {
            member,
            content,
            crc: Crc::new(),
            read: 0,
        })
    }

    /// Reads more content and checks it against the directory.
    fn check(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.content {
            Content::Stored(content) => content.read(buffer)?,
            Content::Deflate(content) => content.read(buffer)?,
            Content::Zstd(content) => content.read(buffer)?,
        };
        self.read += read as u64;
        let bytes = buffer.get(..read).unwrap_or_default();
        self.crc.update(bytes);
        let unread = match &self.content {
            Content::Deflate(content) => content.total_in() != self.member.packed,
            Content::Stored(_) | Content::Zstd(_) => false,
        };
        let size = self.member.size;
        if self.read > size
            || read == 0
                && !buffer.is_empty()
                && (unread || self.read != size || self.crc.sum() != self.member.crc)
        {
            return Err(refused("its content doesn't match the archive's directory"));
        }
        Ok(read)
    }
}

impl Read for Entry {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check(buffer).map_err(|error| {
            let name = &self.member.name;
            refused(&format!("the entry `{name}` of the zip archive: {error}"))
        })
    }
}
