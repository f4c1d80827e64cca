//! Resolves the path arguments of a command to a sorted list of inputs.

use super::archive::{self, ZIP_MAGIC};
use super::compressed::{GZIP_MAGIC, Gzip, Zstd, is_zstd};
use super::series;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// File extensions that are read when a directory is walked. The extension of a compression may
/// follow.
pub const TRACE_ENDINGS: [&str; 6] = [".jsonl", ".ndjson", ".json", ".traj", ".cast", ".eval"];
/// Extensions of compressed files that are read.
pub const COMPRESSED: [&str; 2] = [".gz", ".zst"];
/// Extensions of compressions and archives that aren't supported.
const UNREAD: [&str; 12] = [
    ".xz", ".bz2", ".br", ".lz4", ".lzma", ".lz", ".zip", ".7z", ".tar", ".tgz", ".z", ".rar",
];

/// An input that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    File(PathBuf),
    /// Files of a directory with one event each, in the order of their numbers.
    Series(Vec<PathBuf>),
    Stdin,
}

/// An input with its name in reports: relative paths as given, with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Name in reports.
    pub name: String,
    pub input: Input,
}

impl Found {
    /// Returns the files of the input, each with its own name in reports.
    pub fn files(&self) -> Vec<(String, &Path)> {
        match &self.input {
            Input::File(path) => vec![(self.name.clone(), path)],
            Input::Series(paths) => paths.iter().map(|path| (shown(path), &**path)).collect(),
            Input::Stdin => Vec::new(),
        }
    }
}

/// A path that can't be accessed.
#[derive(Debug)]
pub struct Missing {
    /// Name in reports.
    pub name: String,
    pub error: io::Error,
}

/// The reason why most files are skipped.
pub const NO_ENDING: &str = "not the ending of a trace";

/// The reason why a file is skipped if a configuration lists the traces.
pub const NOT_INCLUDED: &str = "no `include` matches it";

/// Why a page of events is skipped.
pub const REPEATED: &str = "a copy of events that are read from their own files";

/// Why a file with the ending of a compression is skipped.
const COMPRESSED_OTHERWISE: &str = "compressed in a way that isn't read";

/// Why a file is skipped that is none.
const NOT_REGULAR: &str = "not a regular file";

/// Why a symbolic link is skipped.
const LINK: &str = "a symbolic link, which isn't followed";

/// All reasons for which a file is skipped.
pub const SKIP_REASONS: [&str; 6] = [
    NO_ENDING,
    NOT_INCLUDED,
    REPEATED,
    COMPRESSED_OTHERWISE,
    NOT_REGULAR,
    LINK,
];

/// A file under a given path that isn't read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Name in reports.
    pub name: String,
    /// Why the file is skipped.
    pub reason: &'static str,
    pub path: PathBuf,
}

/// The result of resolving paths. Every file under them is in one of the two lists, unless it was
/// excluded on purpose.
#[derive(Debug, Default)]
pub struct Discovery {
    /// Files to read, and paths that can't be accessed.
    pub inputs: Vec<Result<Found, Missing>>,
    /// Files that aren't read.
    pub skipped: Vec<Skipped>,
}

/// The decision about a file in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The file is an input.
    Read,
    /// The file is excluded on purpose and not reported.
    Leave,
    /// The file isn't read, for this reason.
    Skip(&'static str),
}

/// Resolves paths: files are taken as they are, directories are walked, and `-` is standard input.
/// The result is sorted by name, so it doesn't depend on the order of a directory.
#[must_use]
pub fn survey(paths: &[PathBuf]) -> Discovery {
    find(paths, &by_name, false)
}

/// Resolves paths like [`survey`], without the skipped files.
#[must_use]
pub fn discover(paths: &[PathBuf]) -> Vec<Result<Found, Missing>> {
    survey(paths).inputs
}

/// Resolves paths like [`survey`], with `choose` deciding about the files of directories. A path
/// that isn't a regular file is missing, because a pipe could block.
#[must_use]
pub fn survey_by(paths: &[PathBuf], choose: &dyn Fn(&Path) -> Choice) -> Discovery {
    find(paths, choose, true)
}

fn find(paths: &[PathBuf], choose: &dyn Fn(&Path) -> Choice, only_regular: bool) -> Discovery {
    let mut all = Discovery::default();
    for path in paths {
        if path.as_os_str() == "-" && !only_regular {
            all.inputs.push(Ok(Found {
                name: "<stdin>".into(),
                input: Input::Stdin,
            }));
        } else if path.is_dir() {
            walk(path, choose, &mut all);
        } else {
            all.inputs.push(match path.metadata() {
                Ok(meta) if only_regular && !meta.is_file() => Err(Missing {
                    name: shown(path),
                    error: io::Error::other("it is not a regular file"),
                }),
                Ok(_) => Ok(Found {
                    name: shown(path),
                    input: Input::File(path.clone()),
                }),
                Err(error) => Err(Missing {
                    name: shown(path),
                    error,
                }),
            });
        }
    }
    let Discovery { inputs, skipped } = &mut all;
    inputs.sort_by(|a, b| name(a).cmp(name(b)));
    inputs.dedup_by(|a, b| matches!((a, b), (Ok(a), Ok(b)) if a == b));
    // A file that one path skips may be an input of another.
    skipped.retain(|s| inputs.binary_search_by(|i| name(i).cmp(&s.name)).is_err());
    skipped.sort();
    skipped.dedup();
    all
}

fn name(entry: &Result<Found, Missing>) -> &str {
    match entry {
        Ok(found) => &found.name,
        Err(missing) => &missing.name,
    }
}

fn walk(root: &Path, choose: &dyn Fn(&Path) -> Choice, all: &mut Discovery) {
    let earlier = all.inputs.len();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) if entry.file_type().is_dir() => continue,
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(root).to_path_buf();
                all.inputs.push(Err(Missing {
                    name: shown(&path),
                    error: error.into(),
                }));
                continue;
            }
        };
        let (path, choice) = (entry.path(), choose(entry.path()));
        let skip = |reason| Skipped {
            name: shown(path),
            reason,
            path: path.to_path_buf(),
        };
        if choice == Choice::Leave {
            continue;
        }
        if entry.path_is_symlink() {
            match link(root, path, choose) {
                LinkTarget::Walked => {}
                LinkTarget::Unwalked => {
                    let error = io::Error::other(
                        "it is a symbolic link that leads out of the folder, and isn't followed",
                    );
                    all.inputs.push(Err(Missing {
                        name: shown(path),
                        error,
                    }));
                }
                LinkTarget::Other => all.skipped.push(skip(LINK)),
            }
        } else if !entry.file_type().is_file() {
            all.skipped.push(skip(NOT_REGULAR));
        } else if let Choice::Skip(reason) = choice {
            all.skipped.push(skip(reason));
        } else {
            all.inputs.push(Ok(Found {
                name: shown(path),
                input: Input::File(entry.into_path()),
            }));
        }
    }
    let mut walked = all.inputs.split_off(earlier);
    let events = series::join(&mut walked);
    let repeated = events.repeated.into_iter();
    all.skipped.extend(repeated.map(|path| Skipped {
        name: shown(&path),
        reason: REPEATED,
        path,
    }));
    for (folder, paths) in events.sessions {
        all.inputs.push(Ok(Found {
            name: shown(&folder),
            input: Input::Series(paths),
        }));
    }
    all.inputs.append(&mut walked);
}

/// The target of a symbolic link.
enum LinkTarget {
    /// A target that the walk reaches anyway.
    Walked,
    /// A trace or a directory that the walk doesn't reach, or reaches under a name that isn't a
    /// trace's.
    Unwalked,
    /// Any other target outside the directory, or none.
    Other,
}

fn link(root: &Path, link: &Path, choose: &dyn Fn(&Path) -> Choice) -> LinkTarget {
    let is_trace = |path: &Path| choose(path) == Choice::Read;
    let Ok(target) = link.canonicalize() else {
        return if is_trace(link) {
            LinkTarget::Unwalked
        } else {
            LinkTarget::Other
        };
    };
    // The target under the name that the walk gives it.
    let within = root
        .canonicalize()
        .ok()
        .and_then(|real| target.strip_prefix(real).ok().map(|below| root.join(below)));
    match within {
        Some(_) if target.is_dir() => LinkTarget::Walked,
        Some(met) if !is_trace(link) || is_trace(&met) => LinkTarget::Walked,
        None if !target.is_dir() && !is_trace(link) => LinkTarget::Other,
        _ => LinkTarget::Unwalked,
    }
}

/// Decides by extension whether a file is a trace, when no configuration does. The extension of a
/// compression may follow.
#[must_use]
pub fn by_name(path: &Path) -> Choice {
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let plain = COMPRESSED
        .iter()
        .find_map(|c| name.strip_suffix(c))
        .unwrap_or(&name);
    if TRACE_ENDINGS.iter().any(|e| plain.ends_with(e)) {
        Choice::Read
    } else if UNREAD.iter().any(|e| name.ends_with(e)) {
        Choice::Skip(COMPRESSED_OTHERWISE)
    } else {
        Choice::Skip(NO_ENDING)
    }
}

fn shown(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}

/// Opens an input. Compression is detected by the first bytes, not by name. The entries of a zip
/// archive become lines.
///
/// # Errors
/// When the input can't be opened, is a directory or a device, or its first bytes can't be read.
pub fn open(input: &Input) -> io::Result<Box<dyn Read + Send>> {
    open_counted(input, None)
}

/// Returns the names of an input's lines if each is a separate document: an entry of an archive, or
/// a file of a directory. Empty for any other input.
#[must_use]
pub fn line_names(input: &Input) -> Vec<String> {
    match input {
        Input::Series(paths) => {
            let names = paths.iter().filter_map(|path| path.file_name());
            let escaped = |name: String| name.chars().flat_map(char::escape_debug).collect();
            names
                .map(|name| escaped(name.to_string_lossy().into_owned()))
                .collect()
        }
        Input::File(path) => {
            let file = open_regular(path).ok();
            let archive = file.filter(|file| is_archive(file).unwrap_or(false));
            archive
                .and_then(|file| archive::names(&file).ok())
                .unwrap_or_default()
        }
        Input::Stdin => Vec::new(),
    }
}

/// Opens an input like [`open`], and adds the number of bytes read, before decompression, to a
/// counter.
///
/// # Errors
/// Like those of [`open`].
pub fn open_counted(
    input: &Input,
    counter: Option<Arc<AtomicU64>>,
) -> io::Result<Box<dyn Read + Send>> {
    let with_counter = |reader: Box<dyn Read + Send>| -> Box<dyn Read + Send> {
        match counter {
            Some(counter) => Box::new(CountingReader { reader, counter }),
            None => reader,
        }
    };
    match input {
        Input::Stdin => sniff(with_counter(Box::new(io::stdin()))),
        Input::Series(paths) => Ok(with_counter(Box::new(series::lines(paths.clone())))),
        Input::File(path) => {
            let file = File::open(path)?;
            let kind = file.metadata()?.file_type();
            if kind.is_dir() {
                return Err(io::Error::new(
                    io::ErrorKind::IsADirectory,
                    "it is a directory",
                ));
            }
            if is_device(kind) {
                return Err(io::Error::other(
                    "it is a device, which may never end; standard input is `-`",
                ));
            }
            if kind.is_file() && is_archive(&file)? {
                return Ok(with_counter(Box::new(archive::lines(file)?)));
            }
            sniff(with_counter(Box::new(file)))
        }
    }
}

/// Returns true if a file is a zip archive, by its first bytes. Rewinds the file.
fn is_archive(mut file: &File) -> io::Result<bool> {
    let mut head = Vec::with_capacity(ZIP_MAGIC.len());
    file.take(ZIP_MAGIC.len() as u64).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head == ZIP_MAGIC)
}

/// A reader that counts its bytes.
struct CountingReader {
    reader: Box<dyn Read + Send>,
    counter: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.counter.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Opens a regular file. A pipe could block, and a device may never end.
///
/// # Errors
/// When the path can't be opened, or isn't a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let about = path.metadata()?;
    let kind = match () {
        () if about.is_file() => return File::open(path),
        () if about.is_dir() => io::ErrorKind::IsADirectory,
        () => io::ErrorKind::InvalidInput,
    };
    Err(io::Error::new(kind, "it isn't a regular file"))
}

/// Opens some bytes of a regular file, without looking for compression, and adds the number of
/// bytes read to a counter.
///
/// # Errors
/// When the file can't be opened.
pub fn open_range(
    path: &Path,
    bytes: Range<u64>,
    counter: Option<Arc<AtomicU64>>,
) -> io::Result<Box<dyn Read + Send>> {
    let mut file = open_regular(path)?;
    file.seek(SeekFrom::Start(bytes.start))?;
    let reader = file.take(bytes.end.saturating_sub(bytes.start));
    Ok(match counter {
        Some(counter) => Box::new(CountingReader {
            reader: Box::new(reader),
            counter,
        }),
        None => Box::new(reader),
    })
}

/// Returns a hash of an input as it is stored, compressed or not, up to the first read error.
/// Standard input, pipes and devices aren't read.
#[must_use]
pub fn stored_hash(input: &Input) -> String {
    match input {
        Input::Stdin => String::new(),
        Input::File(path) => file_hash(path),
        Input::Series(paths) => {
            let mut hash = blake3::Hasher::new();
            for path in paths {
                hash.update(file_hash(path).as_bytes());
            }
            hash.finalize().to_hex().to_string()
        }
    }
}

/// Returns the hash of one file, like [`stored_hash`]. It includes the target of a symbolic link.
fn file_hash(path: &Path) -> String {
    let mut hash = blake3::Hasher::new();
    if let Ok(target) = std::fs::read_link(path) {
        hash.update(b"link")
            .update(target.as_os_str().as_encoded_bytes());
    }
    if let Ok(file) = open_regular(path) {
        // A read error ends the hash early.
        let _ = hash.update_reader(file);
    }
    hash.finalize().to_hex().to_string()
}

/// A symbolic link in a pull request may lead to a device.
#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: std::fs::FileType) -> bool {
    false
}

fn sniff<R: Read + Send + 'static>(mut reader: R) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::with_capacity(4);
    reader.by_ref().take(4).read_to_end(&mut head)?;
    if head == ZIP_MAGIC {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is a zip archive, which is read from a file only",
        ));
    }
    let (gzip, zstd) = (head.starts_with(&GZIP_MAGIC), is_zstd(&head));
    let whole = Cursor::new(head).chain(reader);
    Ok(if gzip {
        Box::new(Gzip::new(whole))
    } else if zstd {
        Box::new(Zstd::new(whole)?)
    } else {
        Box::new(whole)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn bytes_are_counted_as_they_are_stored() {
        let mut packed = Vec::new();
        let mut gzip = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
        gzip.write_all(&vec![b'x'; 100_000]).unwrap();
        gzip.finish().unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&packed).unwrap();
        let counter = Arc::new(AtomicU64::new(0));
        let input = Input::File(file.path().into());
        let mut reader = open_counted(&input, Some(Arc::clone(&counter))).unwrap();
        let mut text = Vec::new();
        reader.read_to_end(&mut text).unwrap();
        assert_eq!(text.len(), 100_000);
        assert_eq!(counter.load(Ordering::Relaxed), packed.len() as u64);
    }

    #[test]
    fn walks_sorted_and_only_what_may_be_a_trace() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "b.jsonl",
            "a.json.gz",
            "c.txt",
            "d.cast",
            "e.JSONL.zst",
            "f.yaml",
            "g.traj",
            "h.Traj.gz",
            "i.ndjson",
            "j.ndjson.zst",
            "k.ndjson.xz",
        ] {
            std::fs::write(dir.path().join(name), "{}").unwrap();
        }
        let found = survey(&[dir.path().to_path_buf()]);
        let skipped: Vec<_> = found
            .skipped
            .iter()
            .map(|s| (s.name.rsplit('/').next().unwrap(), s.reason))
            .collect();
        assert_eq!(
            skipped,
            [
                ("c.txt", "not the ending of a trace"),
                ("f.yaml", "not the ending of a trace"),
                ("k.ndjson.xz", "compressed in a way that isn't read"),
            ]
        );
        let found = found.inputs;
        let names: Vec<_> = found
            .iter()
            .map(|f| name(f).rsplit('/').next().unwrap().to_owned())
            .collect();
        let expected = [
            "a.json.gz",
            "b.jsonl",
            "d.cast",
            "e.JSONL.zst",
            "g.traj",
            "h.Traj.gz",
            "i.ndjson",
            "j.ndjson.zst",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_missing_path_is_said_and_the_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let there = dir.path().join("a.txt");
        std::fs::write(&there, "x").unwrap();
        let found = discover(&[there, dir.path().join("no.jsonl")]);
        assert_eq!(found.iter().filter(|f| f.is_ok()).count(), 1);
        assert_eq!(found.iter().filter(|f| f.is_err()).count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_device_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("a.jsonl");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        assert!(open(&Input::File(link)).is_err_and(|e| e.to_string().contains("device")));
    }

    #[test]
    fn compression_is_known_by_its_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let text = b"{\"a\":1}\n".repeat(100);
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(&text).unwrap();
        let zst = zstd::encode_all(&text[..], 1).unwrap();
        for (name, bytes) in [("a", text.clone()), ("b", gz.finish().unwrap()), ("c", zst)] {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let mut read = Vec::new();
            open(&Input::File(path))
                .unwrap()
                .read_to_end(&mut read)
                .unwrap();
            assert_eq!(read, text, "{name}");
        }
        assert!(open(&Input::File(dir.path().to_path_buf())).is_err());
    }
}
