//! The cases of `corpora/gates`, each in a directory of its own (corpora/gates/README.md).

use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    why: String,
    #[serde(default)]
    git: bool,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// A directory of the case that is copied over the working directory first.
    overlay: Option<String>,
    /// Commit everything after the copy.
    #[serde(default)]
    commit: bool,
    /// Arguments of the tool.
    args: Option<Vec<String>>,
    /// The expected exit code.
    exit: Option<i32>,
    /// Check this file instead of the output.
    file: Option<PathBuf>,
    /// Texts that the output or the file must contain.
    #[serde(default)]
    contains: Vec<String>,
    /// Texts that it must not contain.
    #[serde(default)]
    absent: Vec<String>,
}

/// Copies a directory without the named top-level entries. Symbolic links stay links.
fn copy(from: &Path, to: &Path, without: &[&str]) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, target) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if without.iter().any(|name| *name == entry.file_name()) {
        } else if kind.is_dir() {
            copy(&entry.path(), &target, &[]);
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn commit(repository: &git2::Repository) {
    let mut index = repository.index().unwrap();
    index
        .add_all(["*"], git2::IndexAddOption::DEFAULT, None)
        .unwrap();
    index.update_all(["*"], None).unwrap();
    index.write().unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let author = git2::Signature::new("a", "a@example.org", &git2::Time::new(0, 0)).unwrap();
    let parent = repository
        .head()
        .ok()
        .map(|head| head.peel_to_commit().unwrap());
    let parents: Vec<_> = parent.iter().collect();
    repository
        .commit(Some("HEAD"), &author, &author, "case", &tree, &parents)
        .unwrap();
}

fn run(folder: &Path) -> Result<(), String> {
    let text = fs::read_to_string(folder.join("case.json")).unwrap();
    let case: Case = serde_json::from_str(&text).map_err(|e| format!("case.json: {e}"))?;
    assert!(
        !case.why.is_empty() && !case.steps.is_empty(),
        "{}",
        folder.display()
    );
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path();
    let overlays = case.steps.iter().filter_map(|s| s.overlay.as_deref());
    copy(
        folder,
        root,
        &overlays.chain(["case.json"]).collect::<Vec<_>>(),
    );
    let mut options = git2::RepositoryInitOptions::new();
    let repository = case
        .git
        .then(|| git2::Repository::init_opts(root, options.initial_head("main")).unwrap());
    repository.iter().for_each(commit);
    for (n, step) in case.steps.iter().enumerate() {
        let n = n + 1;
        if let Some(overlay) = &step.overlay {
            copy(&folder.join(overlay), root, &[]);
        }
        if step.commit {
            commit(repository.as_ref().ok_or("commit needs \"git\": true")?);
        }
        let mut shown = String::new();
        if let Some(args) = &step.args {
            let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
                .current_dir(root)
                .args(args)
                .output()
                .unwrap();
            shown = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            let expected = step.exit.ok_or("a step with args needs an exit code")?;
            if output.status.code() != Some(expected) {
                return Err(format!(
                    "step {n} ends with {}, not {expected}:\n{shown}",
                    output.status
                ));
            }
        }
        if let Some(file) = &step.file {
            shown = fs::read_to_string(root.join(file))
                .map_err(|e| format!("step {n}: {}: {e}", file.display()))?;
        }
        if let Some(lacking) = step.contains.iter().find(|part| !shown.contains(*part)) {
            return Err(format!("step {n} lacks {lacking:?}:\n{shown}"));
        }
        if let Some(there) = step.absent.iter().find(|part| shown.contains(*part)) {
            return Err(format!("step {n} contains {there:?}:\n{shown}"));
        }
    }
    Ok(())
}

#[test]
#[cfg_attr(not(feature = "knowledge"), ignore = "needs knowledge")]
fn every_case_ends_as_it_says() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/gates");
    let mut failed = Vec::new();
    let mut folders: Vec<_> = fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    assert!(!folders.is_empty());
    for folder in folders {
        if let Err(why) = run(&folder) {
            failed.push(format!("{}: {why}", folder.file_name().unwrap().display()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
