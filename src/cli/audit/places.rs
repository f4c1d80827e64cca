//! The directories in which coding agents store their sessions.

use memchr::memmem::Finder;
use sha2::{Digest as _, Sha256};
use std::env::{home_dir, var_os};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Descriptions of the searched directories, for people.
pub(super) const NAMES: [&str; 8] = [
    "~/.claude/projects (or CLAUDE_CONFIG_DIR)",
    "~/.codex/sessions (or CODEX_HOME)",
    "~/.gemini/tmp",
    "the storage of Cline and Roo in VS Code, VSCodium, Cursor and Windsurf",
    "~/.openhands/sessions and ~/.openhands/conversations",
    "~/.copilot/session-state and ~/.copilot/history-session-state",
    "~/.pi/agent/sessions",
    "~/.cline/data/tasks",
];

/// Directories of editor settings, relative to the home directory.
const EDITORS: [&str; 3] = [".config", "Library/Application Support", "AppData/Roaming"];
const EDITOR_NAMES: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
/// The same on remote machines.
const SERVERS: [&str; 5] = [
    ".vscode-server",
    ".vscode-server-insiders",
    ".vscodium-server",
    ".cursor-server",
    ".windsurf-server",
];
const EXTENSIONS: [&str; 2] = ["saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline"];

/// Directories that may contain sessions of a work tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Directories whose sessions belong to the tree unless another directory is recorded.
    pub(super) own: Vec<PathBuf>,
    /// Directories of other projects, whose sessions belong to the tree only if they record it.
    pub(super) others: Vec<PathBuf>,
}

impl Places {
    /// Finds the directories for a work tree.
    pub(super) fn new(tree: &Path) -> Self {
        let Some(home) = home_dir() else {
            return Self::default();
        };
        let set = |name: &str| var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let claude = set("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude"));
        let codex = set("CODEX_HOME").unwrap_or_else(|| home.join(".codex"));
        Self::below(&home, &claude, &codex, tree)
    }

    fn below(home: &Path, claude: &Path, codex: &Path, tree: &Path) -> Self {
        let name = claude_name(tree);
        let (mut own, others): (Vec<_>, Vec<_>) = folders(&claude.join("projects"))
            .into_iter()
            .partition(|folder| {
                let folder = folder.file_name().unwrap_or_default().to_string_lossy();
                let below = |rest: &str| rest.is_empty() || rest.starts_with('-');
                folder.strip_prefix(&name).is_some_and(below)
            });
        own.extend([codex.join("sessions"), codex.join("archived_sessions")]);
        let hash = project_hash(tree);
        let gemini = folders(&home.join(".gemini/tmp")).into_iter();
        own.extend(
            gemini
                .filter(|folder| folder.ends_with(&hash) || is_project_root(folder, tree))
                .map(|folder| folder.join("chats")),
        );
        let editors = EDITORS
            .iter()
            .flat_map(|base| EDITOR_NAMES.map(|name| home.join(base).join(name)));
        let servers = SERVERS.iter().map(|name| home.join(name).join("data"));
        for editor in editors.chain(servers) {
            let storage = editor.join("User/globalStorage");
            own.extend(EXTENSIONS.map(|extension| storage.join(extension).join("tasks")));
        }
        own.extend(
            [
                ".cline/data/tasks",
                ".openhands/sessions",
                ".openhands/conversations",
                ".copilot/session-state",
                ".copilot/history-session-state",
                ".pi/agent/sessions",
            ]
            .map(|folder| home.join(folder)),
        );
        own.retain(|folder| folder.is_dir());
        Self { own, others }
    }

    /// Whether no agent has such a directory.
    pub(super) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.others.is_empty()
    }
}

/// Returns the subdirectories of a directory in order.
fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(of).into_iter().flatten();
    let mut all: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    all.sort();
    all
}

/// Returns the name of Claude Code's directory for a work tree: its path with `-` for every
/// character that isn't an ASCII letter or digit. Subdirectories of the tree have directories of
/// their own.
fn claude_name(tree: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    tree.to_string_lossy().chars().map(plain).collect()
}

/// Returns the name of Gemini CLI's directory for a work tree: the SHA-256 of its path.
fn project_hash(tree: &Path) -> String {
    let hash = Sha256::digest(tree.to_string_lossy().as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a directory of a later version of Gemini CLI belongs to a work tree. It is named after
/// the project and contains a file with the path.
fn is_project_root(folder: &Path, tree: &Path) -> bool {
    let mut text = String::new();
    File::open(folder.join(".project_root"))
        .and_then(|file| file.take(1 << 16).read_to_string(&mut text))
        .is_ok_and(|_| Path::new(text.trim()) == tree)
}

/// A fast byte search that rules out files that can't be about a work tree, which avoids replaying
/// them.
pub(super) struct Mention {
    /// Finders for the path of the tree as it is written in JSON. `None` if JSON may write it in
    /// several ways.
    paths: Option<[Finder<'static>; 2]>,
    says_where: Finder<'static>,
}

/// Number of bytes read at a time.
const CHUNK: usize = 1 << 18;

impl Mention {
    /// Creates the search for a work tree.
    pub(super) fn new(tree: &Path) -> Self {
        // JSON may write other characters in several ways.
        let path = tree
            .to_str()
            .filter(|path| path.chars().all(|c| c.is_ascii_graphic() || c == ' '))
            .filter(|path| !path.contains(['"', '\\']));
        let finder = |path: String| Finder::new(path.as_bytes()).into_owned();
        Self {
            paths: path.map(|path| [path.to_owned(), path.replace('/', "\\/")].map(finder)),
            says_where: Finder::new("\"cwd\"").into_owned(),
        }
    }

    /// Whether a file may be about the tree. A file without its path can't be if it records another
    /// directory, or if it has to record the tree.
    pub(super) fn may_be_of(&self, file: &Path, must_say: bool) -> bool {
        let Some(paths) = &self.paths else {
            return true;
        };
        // The code that reads the file reports the error.
        self.search(paths, file, must_say).unwrap_or(true)
    }

    fn search(&self, paths: &[Finder<'_>], file: &Path, must_say: bool) -> io::Result<bool> {
        let mut file = File::open(file)?;
        let needles = paths.iter().chain([&self.says_where]);
        let longest = needles.map(|n| n.needle().len()).max().unwrap_or(0);
        let mut bytes = Vec::with_capacity(CHUNK + longest);
        let (mut first, mut says_where) = (true, must_say);
        loop {
            let kept = bytes.len();
            let read = file.by_ref().take(CHUNK as u64).read_to_end(&mut bytes)?;
            if read == 0 {
                return Ok(!says_where);
            }
            if first && is_compressed(&bytes) {
                return Ok(true);
            }
            if paths.iter().any(|path| path.find(&bytes).is_some()) {
                return Ok(true);
            }
            says_where |= self.says_where.find(&bytes).is_some();
            first = false;
            // A match across the boundary is found with the next chunk.
            bytes.drain(..(kept + read).saturating_sub(longest));
        }
    }
}

fn is_compressed(bytes: &[u8]) -> bool {
    // The magic numbers of gzip, Zstandard and zip. None of them is text.
    bytes.starts_with(&[0x1f, 0x8b])
        || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        || bytes.starts_with(b"PK\x03\x04")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_claude_code_is_named_after_its_path() {
        let name = claude_name(Path::new("/home/ann/my_app.next"));
        assert_eq!(name, "-home-ann-my-app-next");
    }

    #[test]
    fn each_agent_keeps_its_sessions_in_its_own_place() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let tree = Path::new("/srv/app");
        let hash = project_hash(tree);
        let own = [
            ".claude/projects/-srv-app".to_owned(),
            ".claude/projects/-srv-app-web".to_owned(),
            ".codex/sessions".to_owned(),
            ".gemini/tmp/app-1/chats".to_owned(),
            format!(".gemini/tmp/{hash}/chats"),
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks".to_owned(),
            ".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks".to_owned(),
            ".config/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/tasks".to_owned(),
            "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/tasks"
                .to_owned(),
            "AppData/Roaming/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks".to_owned(),
            ".vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks".to_owned(),
            ".cline/data/tasks".to_owned(),
            ".openhands/sessions".to_owned(),
            ".openhands/conversations".to_owned(),
            ".copilot/session-state".to_owned(),
            ".copilot/history-session-state".to_owned(),
            ".pi/agent/sessions".to_owned(),
        ];
        let others = [
            ".claude/projects/-srv-application",
            ".claude/projects/-srv-web",
        ];
        let foreign = ".gemini/tmp/app-2/chats".to_owned();
        for folder in own
            .iter()
            .map(String::as_str)
            .chain(others)
            .chain([&*foreign])
        {
            std::fs::create_dir_all(home.join(folder)).unwrap();
        }
        for (folder, root) in [("app-1", "/srv/app\n"), ("app-2", "/srv/application")] {
            let file = home.join(".gemini/tmp").join(folder).join(".project_root");
            std::fs::write(file, root).unwrap();
        }
        let places = Places::below(home, &home.join(".claude"), &home.join(".codex"), tree);
        let mut found = places.own.clone();
        found.sort();
        let mut expected: Vec<PathBuf> = own.iter().map(|folder| home.join(folder)).collect();
        expected.sort();
        assert_eq!(found, expected);
        assert_eq!(places.others, others.map(|folder| home.join(folder)));
        let moved = Places::below(home, &home.join("c"), &home.join("x"), tree);
        assert!(moved.others.is_empty());
        assert_eq!(moved.own.len(), own.len() - 3);
    }

    #[test]
    fn a_file_of_another_project_is_told_by_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.jsonl");
        let mention = Mention::new(Path::new("/srv/app"));
        let long = "x".repeat(CHUNK - 12);
        for (text, may, must_say) in [
            (r#"{"cwd":"/srv/web"}"#.to_owned(), false, false),
            (r#"{"cwd":"/srv/app"}"#.to_owned(), true, false),
            (r#"{"cwd":"\/srv\/app\/web"}"#.to_owned(), true, false),
            (r#"{"type":"user"}"#.to_owned(), true, false),
            (r#"{"type":"user"}"#.to_owned(), false, true),
            // A match across a chunk boundary.
            (format!(r#"{{"x":"{long}","cwd":"/srv/app"}}"#), true, true),
            (format!(r#"{{"x":"{long}/srv/app"}}"#), true, true),
        ] {
            std::fs::write(&file, &text).unwrap();
            let length = text.len();
            assert_eq!(
                mention.may_be_of(&file, must_say),
                may,
                "{length} {must_say}"
            );
        }
        std::fs::write(&file, [0x1f, 0x8b, 8, 0]).unwrap();
        assert!(mention.may_be_of(&file, true));
        let odd = Mention::new(Path::new("/srv/caf\u{e9}"));
        assert!(odd.may_be_of(&file, true));
    }
}
