//! Agreement with `git apply --check` on generated diffs: valid, shifted and corrupted ones.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use yuangs_verify::random::SplitMix;
use yuangs_verify::workspace::diff::apply::apply;
use yuangs_verify::workspace::diff::tree::{Folder, Overlay};
use yuangs_verify::workspace::diff::{Fault, Limits, parse};

/// How many diffs are judged by both.
const CASES: u64 = 1500;

/// Numbers that are the same in every run.
struct Numbers(SplitMix);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A file of few different lines, so that hunks find several places that nearly fit.
fn file(n: &mut Numbers) -> Vec<String> {
    let end = if n.one_in(4) { "\r\n" } else { "\n" };
    let words = ["", "a", "b", "  c", "{", "}", "return", "x = 1", "\u{e4}"];
    let mut lines: Vec<String> = (0..n.below(40)).map(|_| format!("{}{end}", words[n.below(words.len())])).collect();
    if n.one_in(4)
        && let Some(last) = lines.last_mut()
    {
        last.push('z');
        *last = last.replace(['\r', '\n'], "");
    }
    lines
}

/// The file with some lines changed, removed and added.
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
    // Only the last line of a file may lack its end.
    let last = new.len().saturating_sub(1);
    for line in new.iter_mut().take(last) {
        if !line.ends_with('\n') {
            line.push('\n');
        }
    }
    new
}

/// One case: the file, and a diff that may or may not apply to it.
fn case(n: &mut Numbers) -> (Vec<String>, String) {
    let old = file(n);
    let new = edited(n, &old);
    let context = [0, 1, 2, 3, 3, 3][n.below(6)];
    let (before, after) = (old.concat(), new.concat());
    let text = similar::TextDiff::from_lines(&before, &after);
    let mut diff = text.unified_diff().context_radius(context).missing_newline_hint(true).header("a/f", "b/f").to_string();
    if n.one_in(2) {
        diff = format!("diff --git a/f b/f\n{diff}");
    }
    let mut file = old;
    match n.below(5) {
        0 => {}
        // Shifted: lines were put in front, or between.
        1 => file.splice(0..0, (0..=n.below(5)).map(|i| format!("front {i}\n"))).for_each(drop),
        2 => {
            let at = n.below(file.len() + 1);
            file.insert(at, "a\n".to_owned());
        }
        // Shifted by its own word.
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
        3 => lines[at] = lines[at].replacen(|c: char| c.is_ascii_digit(), &n.below(9).to_string(), 1),
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

/// What git says of every case: one process of a shell runs them all.
fn git_verdicts(folder: &Path, count: u64) -> Vec<bool> {
    let mut script = String::from("git init -q .\n");
    for n in 0..count {
        writeln!(script, "cd {n} && {{ git apply --check ../{n}.diff 2>/dev/null; echo $?; cd ..; }}").unwrap();
    }
    // Each folder stands alone, so that git doesn't look for a repository around it.
    let script = script.replace("git init -q .\n", "");
    let mut shell = Command::new("sh");
    shell.current_dir(folder).arg("-s").stdin(Stdio::piped()).stdout(Stdio::piped());
    shell.env("GIT_CEILING_DIRECTORIES", folder).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    let mut child = shell.spawn().expect("a shell");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line == "0").collect()
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
        let ours = parsed.as_ref().is_ok_and(|d| apply(d, &mut Overlay::new(&base), &limits).applies());
        applied += usize::from(*git);
        // Where git skips lines behind a hunk as garbage, or takes a header's word against another's, we don't.
        let on_purpose = matches!(
            parsed.as_ref().map_err(|e| &e.fault),
            Err(Fault::Stray | Fault::Counts { .. } | Fault::OtherName { .. } | Fault::Header { .. } | Fault::NoNewline { .. })
        );
        // Git compares the last line of a hunk as a prefix: a context line without a line feed matches one with it.
        let prefix = |text: &str| text.rsplit('\n').next().is_some_and(|line| line.starts_with(' '));
        let on_purpose = on_purpose || diff.match_indices("\n\\ No newline").any(|(n, _)| prefix(&diff[..n]));
        if ours == *git {
            agreed += 1;
        } else if *git && on_purpose {
            stricter += 1;
        } else {
            other.push(format!("case {n}: git {git}, ours {ours}, {:?}\n{diff}", parsed.map(|_| ())));
        }
    }
    assert!(other.is_empty(), "{} others\n{}", other.len(), other.first().unwrap());
    assert!(applied > 300 && cases.len() - applied > 300, "{applied} apply, the rest doesn't");
    assert!(agreed + stricter == cases.len() && stricter < cases.len() / 10, "{stricter} refused on purpose");
}
