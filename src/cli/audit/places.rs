//! Where coding agents keep their sessions.

use sha2::{Digest as _, Sha256};
use std::env::home_dir;
use std::path::{Path, PathBuf};

/// The places that are looked at, for people.
pub(super) const NAMES: [&str; 6] = [
    "~/.claude/projects",
    "~/.codex/sessions",
    "~/.gemini/tmp",
    "the storage of Cline and Roo",
    "~/.openhands/sessions",
    "~/.copilot/session-state",
];

/// The folders that may hold sessions of the work tree with this root. What they hold says itself
/// where it was done.
pub(super) fn of(tree: &Path) -> Vec<PathBuf> {
    let Some(home) = home_dir() else {
        return Vec::new();
    };
    let mut folders = claude(&home, tree);
    folders.push(home.join(".codex/sessions"));
    folders.push(
        home.join(".gemini/tmp")
            .join(project_hash(tree))
            .join("chats"),
    );
    for base in [
        ".config/Code/User/globalStorage",
        ".config/Cursor/User/globalStorage",
        ".config/VSCodium/User/globalStorage",
        ".vscode-server/data/User/globalStorage",
        "Library/Application Support/Code/User/globalStorage",
        "Library/Application Support/Cursor/User/globalStorage",
    ] {
        for extension in ["saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline"] {
            folders.push(home.join(base).join(extension).join("tasks"));
        }
    }
    folders.push(home.join(".cline/data/tasks"));
    folders.push(home.join(".openhands/sessions"));
    folders.push(home.join(".copilot/session-state"));
    folders.retain(|folder| folder.is_dir());
    folders
}

/// Claude Code names a folder after the one that it works in, with `-` for whatever is no letter
/// and no digit. Folders below the root have their own.
fn claude(home: &Path, tree: &Path) -> Vec<PathBuf> {
    let name = claude_name(tree);
    let projects = home.join(".claude/projects");
    let Ok(folders) = std::fs::read_dir(&projects) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = folders
        .filter_map(|folder| folder.ok())
        .filter(|folder| {
            let folder = folder.file_name();
            let folder = folder.to_string_lossy();
            let below = |rest: &str| rest.is_empty() || rest.starts_with('-');
            folder.strip_prefix(&name).is_some_and(below)
        })
        .map(|folder| folder.path())
        .collect();
    found.sort();
    found
}

fn claude_name(tree: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    tree.to_string_lossy().chars().map(plain).collect()
}

/// Gemini CLI names a folder after a SHA-256 of the path that it works in.
fn project_hash(tree: &Path) -> String {
    let hash = Sha256::digest(tree.to_string_lossy().as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_claude_code_is_named_after_its_path() {
        let name = claude_name(Path::new("/home/ann/my_app.next"));
        assert_eq!(name, "-home-ann-my-app-next");
    }
}
