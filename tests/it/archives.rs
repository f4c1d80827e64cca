//! Archives of Inspect (`.eval`): every entry is read, or the archive is refused.

use super::support::{codes, json_report, run};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use tempfile::TempDir;

const STORED: u16 = 0;
const DEFLATE: u16 = 8;
const ZSTD: u16 = 93;

/// An entry as it is written. Its headers may be wrong.
#[derive(Clone)]
struct Entry {
    name: Vec<u8>,
    method: u16,
    flags: u16,
    crc: u32,
    size: u32,
    packed: Vec<u8>,
    comment: &'static str,
    /// Extra fields of the header in front of the content, and of the one in the directory.
    extra: [&'static [u8]; 2],
    /// The name in front of the content, if it is another one.
    second_name: Option<&'static str>,
}

fn entry(name: &str, method: u16, text: &str) -> Entry {
    let bytes = text.as_bytes();
    let packed = match method {
        DEFLATE => {
            let level = flate2::Compression::fast();
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        ZSTD => zstd::encode_all(bytes, 1).unwrap(),
        _ => bytes.to_vec(),
    };
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    Entry {
        name: name.as_bytes().to_vec(),
        method,
        flags: 0,
        crc: crc.sum(),
        size: u32::try_from(bytes.len()).unwrap(),
        packed,
        comment: "",
        extra: [b"", b""],
        second_name: None,
    }
}

impl Entry {
    /// Returns the fields that both headers have in common.
    fn fields(&self, name: &[u8], extra: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for word in [20, self.flags, self.method, 0, 0x21] {
            out.extend(word.to_le_bytes());
        }
        out.extend(self.crc.to_le_bytes());
        let packed = u32::try_from(self.packed.len()).unwrap();
        out.extend(packed.to_le_bytes());
        out.extend(self.size.to_le_bytes());
        out.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        out.extend(u16::try_from(extra.len()).unwrap().to_le_bytes());
        out
    }

    fn local(&self) -> Vec<u8> {
        let name = self.second_name.map_or(&*self.name, str::as_bytes);
        let fields = self.fields(name, self.extra[0]);
        [b"PK\x03\x04", &*fields, name, self.extra[0], &*self.packed].concat()
    }

    fn central(&self, at: usize) -> Vec<u8> {
        let fields = self.fields(&self.name, self.extra[1]);
        let mut out = [b"PK\x01\x02\x14\x00", &*fields].concat();
        let comment = u16::try_from(self.comment.len()).unwrap();
        out.extend(comment.to_le_bytes());
        out.extend([0; 8]);
        out.extend(u32::try_from(at).unwrap().to_le_bytes());
        out.extend(&self.name);
        out.extend(self.extra[1]);
        out.extend(self.comment.as_bytes());
        out
    }
}

/// Builds an archive with `gap` bytes after each entry.
fn with_gaps(entries: &[Entry], gap: &[u8], comment: &str) -> Vec<u8> {
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        directory.extend(entry.central(body.len()));
        body.extend(entry.local());
        body.extend(gap);
    }
    finish(body, &directory, entries.len(), comment)
}

fn finish(mut body: Vec<u8>, directory: &[u8], count: usize, comment: &str) -> Vec<u8> {
    let at = u32::try_from(body.len()).unwrap();
    let count = u16::try_from(count).unwrap().to_le_bytes();
    body.extend(directory);
    body.extend(b"PK\x05\x06\0\0\0\0");
    body.extend(count);
    body.extend(count);
    body.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    body.extend(at.to_le_bytes());
    body.extend(u16::try_from(comment.len()).unwrap().to_le_bytes());
    body.extend(comment.as_bytes());
    body
}

fn archive(entries: &[Entry]) -> Vec<u8> {
    with_gaps(entries, b"", "")
}

fn header() -> String {
    json!({"version": 2, "status": "success", "eval": {"task": "t"}}).to_string()
}

fn sample(id: u64, command: &str) -> String {
    let call = json!({"id": "c", "function": "bash", "arguments": {"cmd": command}});
    let sample = json!({
        "id": id, "epoch": 1, "input": "Do it", "target": "",
        "messages": [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
        ],
        "events": [{"event": "tool", "id": "d", "function": "bash", "arguments": {"cmd": "id"}, "result": "root"}],
    });
    // Line ends within an entry aren't line ends of the input.
    format!("{sample:#}\r\n")
}

/// Builds the entries of a log in the order in which Inspect writes them.
fn log(method: u16) -> Vec<Entry> {
    let summaries = json!([{"id": 1, "epoch": 1}, {"id": 2, "epoch": 1}]).to_string();
    vec![
        entry("_journal/start.json", method, &header()),
        entry("samples/1_epoch_1.json", method, &sample(1, "ls")),
        entry("samples/2_epoch_1.json", method, &sample(2, "pwd")),
        entry("_journal/summaries/1.json", method, &summaries),
        entry("summaries.json", method, &summaries),
        entry("reductions.json", method, "[]"),
        entry("header.json", method, &header()),
    ]
}

fn folder(bytes: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("logs")).unwrap();
    fs::write(folder.path().join("logs/log.eval"), bytes).unwrap();
    folder
}

fn replay(bytes: &[u8]) -> (i32, Value) {
    json_report(folder(bytes).path(), &["replay", "logs"])
}

#[test]
fn every_entry_is_a_unit() {
    for method in [STORED, DEFLATE, ZSTD] {
        let mut entries = log(method);
        entries.push(entry("empty/", STORED, ""));
        let (code, report) = replay(&archive(&entries));
        assert_eq!(code, 0, "{report:#}");
        assert_eq!(
            report["inputs"],
            json!([{
                "path": "logs/log.eval", "format": "inspect", "units": 8, "blank": 1,
                "steps": 2, "noStep": 5, "findings": 0, "refused": 0,
            }])
        );
        let executions = report["executions"].as_array().unwrap().iter();
        let executions: Vec<_> = executions
            .map(|e| {
                (
                    e["executionId"].as_str().unwrap(),
                    e["turns"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(executions, [("log/1", 2), ("log/2", 2)], "{method}");
        assert_eq!(codes(&report), ["YV212", "YV212"]);
    }
}

/// Times and owners, as Info-ZIP writes them.
const TIMES: [&[u8]; 2] = [
    b"UT\x09\x00\x03\x01\x02\x03\x04\x05\x06\x07\x08ux\x0b\x00\x01\x04\0\0\0\0\x04\0\0\0\0",
    b"UT\x05\x00\x03\x01\x02\x03\x04ux\x0b\x00\x01\x04\0\0\0\0\x04\0\0\0\0",
];

#[test]
fn entries_may_have_times_and_owners() {
    let mut entries = log(DEFLATE);
    for entry in &mut entries {
        entry.extra = TIMES;
    }
    let (code, report) = replay(&archive(&entries));
    assert_eq!((code, codes(&report)), (0, vec!["YV212", "YV212"]));
}

#[test]
fn an_archive_with_bytes_that_nothing_reads_is_refused() {
    const SECRET: &[u8] = b"\x77\x77\x08\x00rm -rf /";
    const LONG: &[u8] = b"UT\x28\x000123456789012345678901234567890123456789";
    const CUT: &[u8] = b"rm";
    let good = log(DEFLATE);
    let whole = archive(&good);
    let change = |change: &dyn Fn(&mut Entry)| {
        let mut entries = good.clone();
        change(&mut entries[2]);
        archive(&entries)
    };
    let end = whole.len() - 22;
    let entry = "the entry `samples/2_epoch_1.json` of the zip archive has";
    let extra = format!("{entry} an extra field");
    let around = "contains bytes around its directory";
    let cases = [
        (change(&|e| e.extra = [SECRET, b""]), &*extra),
        (change(&|e| e.extra = [LONG, b""]), &extra),
        (change(&|e| e.extra = [CUT, b""]), &extra),
        (
            change(&|e| e.extra = [b"", SECRET]),
            "contains an extra field",
        ),
        (
            change(&|e| e.second_name = Some("rm -rf /")),
            &format!("{entry} two names"),
        ),
        ([&whole, &b"rm -rf /"[..]].concat(), around),
        ([&whole[..end], b"rm -rf /", &whole[end..]].concat(), around),
        ([b"PK\x03\x04rm", &*whole].concat(), "bytes between"),
    ];
    for (n, (bytes, message)) in cases.into_iter().enumerate() {
        let (code, report) = replay(&bytes);
        assert_eq!(
            (code, codes(&report)),
            (2, vec!["YV101"]),
            "{n}: {report:#}"
        );
        let said = report["findings"][0]["message"].as_str().unwrap();
        assert!(said.contains(message), "{n}: {said}");
    }
}

#[test]
fn what_happened_in_an_archive_is_found() {
    let mut entries = log(DEFLATE);
    entries[1] = entry(
        "samples/1.json",
        DEFLATE,
        &sample(1, "cat > /etc/passwd < x"),
    );
    let token = content_scan::secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
    entries[4] = entry(
        "summaries.json",
        DEFLATE,
        &json!([{ "note": token }]).to_string(),
    );
    let (code, report) = replay(&archive(&entries));
    let found = codes(&report);
    assert!(code == 1 && found.contains(&"YV803"), "{report:#}");
    let secret = report["findings"].as_array().unwrap().iter();
    let lines: Vec<_> = secret
        .filter(|f| f["code"] == "YV803")
        .map(|f| f["line"].as_u64().unwrap())
        .collect();
    // The header and the start come first, then the other entries in order.
    assert_eq!(lines, [6]);
    let config = "[traces]\npaths = ['logs']\n";
    let folder = folder(&archive(&entries));
    fs::write(folder.path().join("yuangs-verify.toml"), config).unwrap();
    let (code, report) = json_report(folder.path(), &["gate"]);
    assert!(code == 1 && codes(&report).contains(&"YV803"), "{report:#}");
}

#[test]
fn an_archive_that_is_not_read_whole_is_refused() {
    let good = log(DEFLATE);
    let change = |n: usize, change: &dyn Fn(&mut Entry)| {
        let mut entries = good.clone();
        change(&mut entries[n]);
        archive(&entries)
    };
    let whole = archive(&good);
    let mut twice = good.clone();
    twice.push(twice[1].clone());
    let hidden = entry("samples/3.json", STORED, &sample(3, "rm -rf /"));
    let mut overlapping = Vec::new();
    for entry in [&good[0], &good[1]] {
        overlapping.extend(
            Entry {
                packed: good[0].packed.clone(),
                ..entry.clone()
            }
            .central(0),
        );
    }
    let overlapping = finish(good[0].local(), &overlapping, 2, "");
    let hostile = "\u{1b}[31m\n::error::x\u{202e}";
    let cases = [
        (
            "cut",
            whole[..whole.len() - 30].to_vec(),
            "isn't a complete zip archive",
        ),
        (
            "half",
            whole[..whole.len() / 2].to_vec(),
            "isn't a complete zip archive",
        ),
        (
            "encrypted",
            change(1, &|e| e.flags = 1),
            "`samples/1_epoch_1.json` of the zip archive is encrypted",
        ),
        (
            "hostile name",
            change(1, &|e| {
                e.flags = 1;
                e.name = hostile.into();
            }),
            "is encrypted",
        ),
        (
            "method",
            change(2, &|e| e.method = 12),
            "compressed in a way that isn't read",
        ),
        (
            "entry's comment",
            change(2, &|e| e.comment = "rm -rf /"),
            "has a comment",
        ),
        (
            "comment",
            with_gaps(&good, b"", "rm -rf /"),
            "has a comment",
        ),
        (
            "bytes between",
            with_gaps(&good, &[b'x'; 40], ""),
            "bytes between",
        ),
        (
            "hidden entry",
            with_gaps(&good, &hidden.local(), ""),
            "bytes between",
        ),
        ("twice", archive(&twice), "bytes between"),
        ("overlap", overlapping, "overlap"),
    ];
    for (what, bytes, message) in cases {
        let folder = folder(&bytes);
        let (code, report) = json_report(folder.path(), &["replay", "logs"]);
        assert_eq!(
            (code, codes(&report)),
            (2, vec!["YV101"]),
            "{what}: {report:#}"
        );
        let said = report["findings"][0]["message"].as_str().unwrap();
        assert!(said.contains(message), "{what}: {said}");
        let text = run(folder.path(), &["replay", "logs"]);
        let shown = text.out + &text.err;
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{what}: {shown}");
        assert!(
            !shown.lines().any(|line| line.starts_with("::")),
            "{what}: {shown}"
        );
    }
}

/// A change of an entry's written form.
type Change = dyn Fn(&mut Entry);

#[test]
fn content_that_contradicts_the_directory_is_an_error() {
    let good = log(DEFLATE);
    let cases: [(&str, &Change); 6] = [
        ("checksum", &|e| e.crc ^= 1),
        ("more than it says", &|e| e.size -= 1),
        ("less than it says", &|e| e.size += 1),
        ("cut", &|e| e.packed.truncate(e.packed.len() - 9)),
        ("bytes behind the content", &|e| {
            e.packed.extend(b"rm -rf /");
        }),
        ("another method", &|e| e.method = ZSTD),
    ];
    for (what, change) in cases {
        let mut entries = good.clone();
        change(&mut entries[2]);
        let (code, report) = replay(&archive(&entries));
        assert_eq!(code, 1, "{what}: {report:#}");
        let findings = report["findings"].as_array().unwrap();
        let broken = findings.iter().find(|f| f["code"] == "YV101");
        let said = broken.unwrap()["message"].as_str().unwrap();
        assert!(said.contains("`samples/2_epoch_1.json`"), "{what}: {said}");
        let input = &report["inputs"][0];
        assert_eq!(input["refused"], 1, "{what}: {input:#}");
        assert_eq!(report["executions"][0]["executionId"], "log/1");
    }
}

#[test]
fn what_unpacks_to_too_much_is_not_held() {
    let mut entries = log(DEFLATE);
    let long = format!("{{\"id\":9,\"x\":\"{}\"}}", "0".repeat(1 << 20));
    entries.push(entry("samples/9.json", DEFLATE, &long));
    let folder = folder(&archive(&entries));
    for (limit, code, message) in [
        ("--max-record-bytes=65536", "YV107", "the record has"),
        ("--max-input-bytes=65536", "YV101", "longer than the limit"),
    ] {
        let (exit, report) = json_report(folder.path(), &["replay", limit, "logs"]);
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|f| f["code"] == code).unwrap();
        let said = found["message"].as_str().unwrap();
        assert!(exit == 1 && said.contains(message), "{report:#}");
        let input = &report["inputs"][0];
        assert_eq!((&input["steps"], &input["units"]), (&json!(2), &json!(8)));
    }
}

#[test]
fn an_archive_of_something_else_is_not_clean() {
    let other = archive(&[
        entry("a.txt", STORED, "hello"),
        entry("b.txt", DEFLATE, "x\ny\n"),
    ]);
    let (code, report) = replay(&other);
    assert!(code != 0 && !codes(&report).is_empty(), "{report:#}");
    let folder = folder(&other);
    let path = folder.path().join("logs/log.eval");
    let input = fs::File::open(path).unwrap();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .args(["replay", "-"])
        .stdin(input)
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("read from a file only"), "{said}");
}
