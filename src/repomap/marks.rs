//! Marks: what a reader who looks for risk wants to know of a definition before reading it.
//!
//! They are told by names: of the definition, and of what it calls. A mark says where to look, and its absence proves nothing.

use super::tags::{Kind, Tags, Use};
use serde::Serialize;

/// What a definition does besides computing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Something outside starts here.
    Entry,
    /// Data that outlives every call and can be written.
    Global,
    /// Files.
    File,
    /// Other programs.
    Process,
    /// The network.
    Network,
    /// Threads, tasks, locks.
    Concurrency,
}

impl Mark {
    /// The word in a map.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Entry => "entry",
            Mark::Global => "global",
            Mark::File => "file",
            Mark::Process => "process",
            Mark::Network => "network",
            Mark::Concurrency => "concurrency",
        }
    }
}

/// Names that are called, sorted, with what that does. A name that most programs use for something else isn't here.
const CALLS: &[(&str, Mark)] = &[
    ("AtomicBool", Mark::Concurrency),
    ("AtomicU64", Mark::Concurrency),
    ("AtomicUsize", Mark::Concurrency),
    ("CreateProcess", Mark::Process),
    ("HttpClient", Mark::Network),
    ("ListenAndServe", Mark::Network),
    ("Mutex", Mark::Concurrency),
    ("Popen", Mark::Process),
    ("ProcessBuilder", Mark::Process),
    ("ReadAllText", Mark::File),
    ("RwLock", Mark::Concurrency),
    ("TcpListener", Mark::Network),
    ("TcpStream", Mark::Network),
    ("ThreadPoolExecutor", Mark::Concurrency),
    ("UdpSocket", Mark::Network),
    ("WriteAllText", Mark::File),
    ("XMLHttpRequest", Mark::Network),
    ("accept", Mark::Network),
    ("check_call", Mark::Process),
    ("check_output", Mark::Process),
    ("copyFile", Mark::File),
    ("create_dir_all", Mark::File),
    ("create_task", Mark::Concurrency),
    ("curl", Mark::Network),
    ("curl_exec", Mark::Network),
    ("execFile", Mark::Process),
    ("execSync", Mark::Process),
    ("execve", Mark::Process),
    ("execvp", Mark::Process),
    ("fetch", Mark::Network),
    ("file_get_contents", Mark::File),
    ("file_put_contents", Mark::File),
    ("fopen", Mark::File),
    ("fork", Mark::Process),
    ("mkdir", Mark::File),
    ("mktemp", Mark::File),
    ("popen", Mark::Process),
    ("proc_open", Mark::Process),
    ("pthread_create", Mark::Concurrency),
    ("pthread_mutex_lock", Mark::Concurrency),
    ("readFile", Mark::File),
    ("readFileSync", Mark::File),
    ("read_to_end", Mark::File),
    ("read_to_string", Mark::File),
    ("recv", Mark::Network),
    ("remove_dir_all", Mark::File),
    ("remove_file", Mark::File),
    ("rmtree", Mark::File),
    ("run_in_executor", Mark::Concurrency),
    ("setInterval", Mark::Concurrency),
    ("shell_exec", Mark::Process),
    ("socket", Mark::Network),
    ("spawn", Mark::Concurrency),
    ("spawnSync", Mark::Process),
    ("spawn_blocking", Mark::Concurrency),
    ("ssh", Mark::Network),
    ("system", Mark::Process),
    ("unlink", Mark::File),
    ("urlopen", Mark::Network),
    ("wget", Mark::Network),
    ("writeFile", Mark::File),
    ("writeFileSync", Mark::File),
    ("write_text", Mark::File),
];

/// The marks of a definition, in the order of their kind.
pub(super) fn of(tags: &Tags, at: u32) -> Vec<Mark> {
    let Some(definition) = tags.definitions.get(at as usize) else { return Vec::new() };
    let mut out = Vec::new();
    let signature = definition.signature.as_str();
    match definition.kind {
        Kind::Function if matches!(definition.name.as_str(), "main" | "Main" | "__main__") => out.push(Mark::Entry),
        Kind::Method if definition.name == "main" && signature.contains("static") => out.push(Mark::Entry),
        Kind::Method if definition.name == "Main" && signature.contains("static") => out.push(Mark::Entry),
        Kind::Variable => {
            let is_fixed = signature.contains("const ")
                || (signature.starts_with("static ") || signature.contains(" static ")) && is_rust_constant(signature);
            if !is_fixed {
                out.push(Mark::Global);
            }
        }
        _ => {}
    }
    if signature.starts_with("async ") || signature.contains(" async ") {
        out.push(Mark::Concurrency);
    }
    if definition.kind.is_callable() {
        let end = definition.end;
        // References stand in the order of the text.
        let from = tags.references.partition_point(|r| r.line < definition.line);
        let inside = tags.references.iter().skip(from).take_while(|r| r.line <= end).filter(|r| r.within == Some(at));
        for reference in inside.filter(|r| r.kind != Use::Import) {
            let name = tags.name(reference);
            if let Ok(found) = CALLS.binary_search_by_key(&name, |c| c.0) {
                out.extend(CALLS.get(found).map(|c| c.1));
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Whether a `static` of Rust can't be written.
fn is_rust_constant(signature: &str) -> bool {
    let is_rust = signature.split_once(": ").is_some_and(|(before, _)| before.contains("static "));
    is_rust
        && !signature.contains("static mut ")
        && !["Atomic", "Mutex", "RwLock", "Cell", "Once", "Lazy"].iter().any(|w| signature.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repomap::{Language, extract};

    fn marks(language: Language, text: &str, name: &str) -> Vec<Mark> {
        let tags = extract(language, text).unwrap();
        let at = tags.definitions.iter().position(|d| d.name == name).unwrap();
        of(&tags, u32::try_from(at).unwrap())
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(CALLS.windows(2).all(|w| w[0].0 < w[1].0));
    }

    #[test]
    fn marks_are_told_by_what_is_called() {
        let rust =
            "static mut N: u8 = 0;\nstatic M: u8 = 0;\nfn main() { fs::read_to_string(p); thread::spawn(f); }\nfn pure() {}\n";
        assert_eq!(marks(Language::Rust, rust, "main"), [Mark::Entry, Mark::File, Mark::Concurrency]);
        assert_eq!(marks(Language::Rust, rust, "pure"), []);
        assert_eq!(marks(Language::Rust, rust, "N"), [Mark::Global]);
        assert_eq!(marks(Language::Rust, rust, "M"), []);
        let python = "async def f():\n    subprocess.check_output(x)\n";
        assert_eq!(marks(Language::Python, python, "f"), [Mark::Process, Mark::Concurrency]);
        assert_eq!(marks(Language::Bash, "get() { curl -s x; }\n", "get"), [Mark::Network]);
    }
}
