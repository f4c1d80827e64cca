//! Agreement with `git apply --check` on generated diffs: valid, shifted and corrupted ones.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use util::random::SplitMix;
use worktree::diff::apply::apply;
use worktree::diff::tree::{Folder, Overlay};
use worktree::diff::{Fault, Limits, parse};

/// Number of diffs that both programs check.
const CASES: u64 = 1500;

/// Random numbers that are the same in every run.
struct Numbers(SplitMix);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Generates a file of few different lines, so that hunks nearly fit in several places.
fn file(n: &mut Numbers) -> Vec<String> {
    let end = if n.one_in(4) { "\r\n" } else { "\n" };
    let words = ["", "a", "b", "  c", "{", "}", "return", "x = 1", "\u{e4}"];
    let mut lines: Vec<String> = (0..n.below(40))
        .map(|_| format!("{}{end}", words[n.below(words.len())]))
        .collect();
    if n.one_in(4)
        && let Some(last) = lines.last_mut()
    {
        last.push('z');
        *last = last.replace(['\r', '\n'], "");
    }
    lines
}

/// Changes, removes and adds some lines of a file.
fn edited(n: &mut Numbers, old: &[String]) -> Vec<String> {
    let mut new = Vec::new();
    for line in old {
        match n.below(12) {
            0 => {}
            1 => new.push(format!("new {line}")),
            2 => new.extend([format!("added {}\n", n.below(9)), line.clone()]),
            _ => new.push(line.clone()),
        }
    }
    if n.one_in(6) {
        new.push("the end".to_owned() + if n.one_in(2) { "" } else { "\n" });
    }
    // Only the last line of a file may lack a line end.
    let last = new.len().saturating_sub(1);
    for line in new.iter_mut().take(last) {
        if !line.ends_with('\n') {
            line.push('\n');
        }
    }
    new
}

/// Generates a file, and a diff that may or may not apply to it.
fn case(n: &mut Numbers) -> (Vec<String>, String) {
    let old = file(n);
    let new = edited(n, &old);
    let context = [0, 1, 2, 3, 3, 3][n.below(6)];
    let (before, after) = (old.concat(), new.concat());
    let text = similar::TextDiff::from_lines(&before, &after);
    let mut diff = text
        .unified_diff()
        .context_radius(context)
        .missing_newline_hint(true)
        .header("a/f", "b/f")
        .to_string();
    if n.one_in(2) {
        diff = format!("diff --git a/f b/f\n{diff}");
    }
    let mut file = old;
    match n.below(5) {
        0 => {}
        // Shifted by lines added at the front or in the middle.
        1 => file
            .splice(0..0, (0..=n.below(5)).map(|i| format!("front {i}\n")))
            .for_each(drop),
        2 => {
            let at = n.below(file.len() + 1);
            file.insert(at, "a\n".to_owned());
        }
        // Shifted by the line number of its own header.
        3 => {
            let by = n.below(7);
            diff = diff.replacen("@@ -1", &format!("@@ -{}", 1 + by), 1);
        }
        _ => corrupt(n, &mut diff, &mut file),
    }
    let last = file.len().saturating_sub(1);
    for line in file.iter_mut().take(last) {
        if !line.ends_with('\n') {
            line.push('\n');
        }
    }
    (file, diff)
}

/// Changes one thing in the diff or in the file.
fn corrupt(n: &mut Numbers, diff: &mut String, file: &mut [String]) {
    let mut lines: Vec<String> = diff.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return;
    }
    let at = n.below(lines.len());
    match n.below(7) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => lines[at] = lines[at].replacen(' ', "-", 1),
        3 => {
            lines[at] =
                lines[at].replacen(|c: char| c.is_ascii_digit(), &n.below(9).to_string(), 1);
        }
        4 => lines[at] = lines[at].replacen("\r\n", "\n", 1),
        5 => lines.insert(at, "garbage\n".to_owned()),
        _ => {
            if let Some(line) = file.first_mut() {
                line.insert(0, ' ');
            }
        }
    }
    *diff = lines.concat();
}

/// Returns git's result for every case.
fn git_verdicts(folder: &Path, count: u64) -> Vec<bool> {
    let mut script = String::new();
    // Git must not find the repository around the directory.
    for n in 0..count {
        writeln!(
            script,
            "cd {n} && {{ git apply --check ../{n}.diff 2>/dev/null; echo $?; cd ..; }}"
        )
        .unwrap();
    }
    verdicts(folder, &script)
}

/// Runs a script that prints one exit code per line: one shell process for all cases.
fn verdicts(folder: &Path, script: &str) -> Vec<bool> {
    let mut shell = Command::new("sh");
    shell
        .current_dir(folder)
        .arg("-s")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    shell
        .env("GIT_CEILING_DIRECTORIES", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let mut child = shell.spawn().expect("a shell");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| line == "0")
        .collect()
}

#[test]
fn git_apply_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(SplitMix(20));
    let mut cases = Vec::new();
    while (cases.len() as u64) < CASES {
        let (file, diff) = case(&mut numbers);
        if diff.is_empty() {
            continue;
        }
        let n = cases.len();
        std::fs::create_dir(folder.path().join(n.to_string())).unwrap();
        std::fs::write(folder.path().join(format!("{n}/f")), file.concat()).unwrap();
        std::fs::write(folder.path().join(format!("{n}.diff")), &diff).unwrap();
        cases.push((file, diff));
    }
    let verdicts = git_verdicts(folder.path(), CASES);
    assert_eq!(verdicts.len(), cases.len(), "git has judged every case");
    let (mut agreed, mut stricter, mut applied) = (0, 0, 0);
    let mut other = Vec::new();
    for (n, ((_, diff), git)) in cases.iter().zip(&verdicts).enumerate() {
        let base = Folder::new(&folder.path().join(n.to_string()));
        let limits = Limits::default();
        let parsed = parse(diff.as_bytes(), &limits);
        let ours = parsed
            .as_ref()
            .is_ok_and(|d| apply(d, &mut Overlay::new(&base), &limits).applies());
        applied += usize::from(*git);
        // Git skips lines after a hunk as garbage, and prefers one header over a contradicting one.
        // We don't.
        let on_purpose = matches!(
            parsed.as_ref().map_err(|e| &e.fault),
            Err(Fault::Stray
                | Fault::Counts { .. }
                | Fault::OtherName { .. }
                | Fault::Header { .. }
                | Fault::NoNewline { .. })
        );
        // Git compares the last line of a hunk as a prefix, so a context line without a line feed
        // matches one with it.
        let prefix = |text: &str| {
            text.rsplit('\n')
                .next()
                .is_some_and(|line| line.starts_with(' '))
        };
        let on_purpose = on_purpose
            || diff
                .match_indices("\n\\ No newline")
                .any(|(n, _)| prefix(&diff[..n]));
        if ours == *git {
            agreed += 1;
        } else if *git && on_purpose {
            stricter += 1;
        } else {
            other.push(format!(
                "case {n}: git {git}, ours {ours}, {:?}\n{diff}",
                parsed.map(|_| ())
            ));
        }
    }
    assert!(
        other.is_empty(),
        "{} others\n{}",
        other.len(),
        other.first().unwrap()
    );
    assert!(
        applied > 300 && cases.len() - applied > 300,
        "{applied} apply, the rest doesn't"
    );
    assert!(
        agreed + stricter == cases.len() && stricter < cases.len() / 10,
        "{stricter} refused on purpose"
    );
}

/// Generates parts of a diff that move files, links and directories to each other's names. No name
/// is vacated or filled twice.
fn parts(n: &mut Numbers) -> String {
    const THERE: [(&str, &str, &str); 6] = [
        ("a", "100644", "a"),
        ("d/s", "100644", "s"),
        ("d/t", "100644", "t"),
        ("e/f/g", "100644", "g"),
        ("l", "120000", "d"),
        ("x", "100755", "x"),
    ];
    const NEW: [&str; 14] = [
        "a", "a/b", "d", "d/s", "d/s/u", "d/n", "e", "e/f", "e/f/h", "l", "l/s", "l/n", "m", "m/n",
    ];
    let (mut taken, mut filled, mut diff) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..=n.below(4) {
        let ((old, mode, content), new) = (THERE[n.below(THERE.len())], NEW[n.below(NEW.len())]);
        let kind = n.below(5);
        if (kind < 3 && taken.contains(&old)) || (kind > 1 && filled.contains(&new)) {
            continue;
        }
        let end = |mode: &str| {
            if mode == "120000" {
                "\n\\ No newline at end of file"
            } else {
                ""
            }
        };
        match kind {
            0 | 1 => {
                taken.push(old);
                let end = end(mode);
                writeln!(diff, "diff --git a/{old} b/{old}\ndeleted file mode {mode}\n--- a/{old}\n+++ /dev/null\n@@ -1 +0,0 @@\n-{content}{end}")
            }
            2 if old != new => {
                taken.push(old);
                filled.push(new);
                // Git recognises the removal of a link only by a mode in the header.
                let index = if mode == "120000" { "index 1..1 120000\n" } else { "" };
                write!(diff, "diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n{index}")
            }
            _ => {
                filled.push(new);
                let mode = ["100644", "120000"][n.below(2)];
                let end = end(mode);
                writeln!(diff, "diff --git a/{new} b/{new}\nnew file mode {mode}\n--- /dev/null\n+++ b/{new}\n@@ -0,0 +1 @@\n+d{end}")
            }
        }
        .unwrap();
    }
    diff
}

#[cfg(unix)]
#[test]
fn git_agrees_about_what_stands_in_whose_place() {
    const CASES: usize = 400;
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    std::fs::create_dir_all(tree.join("d")).unwrap();
    std::fs::create_dir_all(tree.join("e/f")).unwrap();
    for (path, content) in [
        ("a", "a\n"),
        ("d/s", "s\n"),
        ("d/t", "t\n"),
        ("e/f/g", "g\n"),
        ("x", "x\n"),
    ] {
        std::fs::write(tree.join(path), content).unwrap();
    }
    std::os::unix::fs::symlink("d", tree.join("l")).unwrap();
    let mut numbers = Numbers(SplitMix(7));
    let diffs: Vec<String> = std::iter::repeat_with(|| parts(&mut numbers))
        .filter(|d| !d.is_empty())
        .take(CASES)
        .collect();
    // Git can't always predict whether a diff applies, so it is applied.
    let mut script = String::from(
        "cd tree && chmod +x x && git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x >&2\n",
    );
    for (n, diff) in diffs.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{n}.diff")), diff).unwrap();
        writeln!(script, "git apply --index ../{n}.diff 2>/dev/null; echo $?; git reset -q --hard; git clean -qfdx").unwrap();
    }
    let verdicts = verdicts(folder.path(), &script);
    assert_eq!(verdicts.len(), diffs.len(), "git has judged every case");
    let base = Folder::new(&tree);
    let mut applied = 0;
    for (diff, git) in diffs.iter().zip(verdicts) {
        let limits = Limits::default();
        let outcome = apply(
            &parse(diff.as_bytes(), &limits).unwrap(),
            &mut Overlay::new(&base),
            &limits,
        );
        assert_eq!(outcome.applies(), git, "{outcome:#?}\n{diff}");
        applied += usize::from(git);
    }
    assert!(
        applied > CASES / 5 && applied < CASES * 4 / 5,
        "{applied} apply, the rest doesn't"
    );
}

#[test]
fn the_command_applies_diffs_without_line_numbers_at_the_only_place() {
    let folder = tempfile::tempdir().unwrap();
    let code = "export const add = (a, b) => {\n  return a - b;\n}";
    std::fs::write(folder.path().join("add.ts"), code).unwrap();
    let check = |diff: &str| {
        let path = folder.path().join("one.diff");
        std::fs::write(&path, diff).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
            .args(["patch", "check", "--repo"])
            .args([folder.path(), &path])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    };
    let hunk = "--- a/add.ts\n+++ b/add.ts\n@@\n-  return a - b;\n-}\n+  return a + b;\n+}\n";
    let block =
        "add.ts\n<<<<<<< SEARCH\n  return a - b;\n=======\n  return a + b;\n>>>>>>> REPLACE\n";
    for diff in [hunk, block] {
        let (exit, text) = check(diff);
        assert_eq!(exit, Some(0), "{text}");
        assert!(
            text.contains("hunk 1: says no line, applies at line 2"),
            "{text}"
        );
        let (exit, text) = check(&diff.replace("a - b", "a * b"));
        assert_eq!(exit, Some(1), "{text}");
        assert!(text.contains("conflicts"), "{text}");
    }
    std::fs::write(folder.path().join("add.ts"), format!("{code}\n{code}\n")).unwrap();
    for diff in [hunk, block] {
        let (exit, text) = check(diff);
        assert_eq!(exit, Some(1), "{text}");
        assert!(
            text.contains("it says no line, and it fits at 2 places"),
            "{text}"
        );
    }
}
