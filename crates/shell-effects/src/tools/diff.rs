//! Effects of a diff: files written, deleted or renamed, and changes of mode.
//!
//! Only the headers, and the names above SEARCH/REPLACE blocks, are read, and leniently: anything
//! that a tool may take for a file name counts as one. The diff itself is parsed and applied
//! elsewhere.

use super::edit_blocks::edit_blocks;
use crate::Context;
use crate::effect::{Analysis, Certainty, EffectKind, RiskLevel, Span};
use crate::interpreter::engine::Engine;
use crate::interpreter::expand::Arg;

/// Returns the file name of a diff header, without prefix, trailing time and quotes.
fn name(raw: &str) -> Option<String> {
    let raw = raw.trim_end_matches(['\r', '\n']);
    let text = match raw
        .strip_prefix('"')
        .and_then(|r| r.rfind('"').and_then(|i| r.get(..i)))
    {
        Some(q) => crate::syntax::escapes::ansi_c(q).0,
        None => raw.split('\t').next().unwrap_or(raw).to_owned(),
    };
    if text == "/dev/null" || text.is_empty() {
        return None;
    }
    let cut = ["a/", "b/", "i/", "w/", "c/", "o/"]
        .iter()
        .find_map(|p| text.strip_prefix(p));
    Some(cut.unwrap_or(&text).to_owned())
}

/// Returns the effects of applying a unified diff or SEARCH/REPLACE blocks. Spans are bytes of the
/// diff.
#[must_use]
pub fn effects_of_diff(diff: &str, ctx: &Context<'_>) -> Analysis {
    let mut e = Engine::for_diff(ctx, diff.len().saturating_mul(4).saturating_add(10_000));
    let mut old: Option<String> = None;
    let mut pos = 0usize;
    // Remaining lines of the hunk, so that its text is never taken for a header.
    let (mut minus, mut plus) = (0usize, 0usize);
    for line in diff.split_inclusive('\n') {
        let start = pos;
        pos += line.len();
        if minus > 0 || plus > 0 {
            match line.bytes().next() {
                Some(b'-') => minus = minus.saturating_sub(1),
                Some(b'+') => plus = plus.saturating_sub(1),
                Some(b'\\') => {}
                _ => {
                    minus = minus.saturating_sub(1);
                    plus = plus.saturating_sub(1);
                }
            }
            continue;
        }
        let span = Span::new(start, start + line.trim_end().len());
        let arg = |t: String| Arg::literal(t, span);
        if let Some(r) = line.strip_prefix("--- ") {
            old = name(r);
        } else if let Some(r) = line.strip_prefix("+++ ") {
            match (name(r), &old) {
                (Some(new), _) => e.path_write(&arg(new)),
                (None, Some(gone)) => e.path_delete(&arg(gone.clone()), false),
                (None, None) => {}
            }
        } else if let Some(r) = line.strip_prefix("rename from ") {
            if let Some(n) = name(r) {
                e.path_move(&arg(n));
            }
        } else if let Some(r) = line
            .strip_prefix("rename to ")
            .or_else(|| line.strip_prefix("copy to "))
        {
            if let Some(n) = name(r) {
                e.path_write(&arg(n));
            }
        } else if let Some(r) = line
            .strip_prefix("new mode ")
            .or_else(|| line.strip_prefix("new file mode "))
        {
            let mode = r.trim();
            if mode == "120000" {
                e.emit_raw(
                    EffectKind::Write,
                    Some(mode.to_owned()),
                    Certainty::Certain,
                    span,
                    RiskLevel::High,
                    "makes a symbolic link",
                );
            } else if mode == "160000" {
                e.emit_raw(
                    EffectKind::GitWrite,
                    Some(mode.to_owned()),
                    Certainty::Certain,
                    span,
                    RiskLevel::Medium,
                    "changes a submodule",
                );
            } else if mode.starts_with("104") || mode.starts_with("102") || mode.starts_with("106")
            {
                e.emit_raw(
                    EffectKind::Privilege,
                    Some(mode.to_owned()),
                    Certainty::Certain,
                    span,
                    RiskLevel::High,
                    "makes a program run with its owner's rights",
                );
            } else {
                e.emit_raw(
                    EffectKind::Write,
                    Some(mode.to_owned()),
                    Certainty::Certain,
                    span,
                    RiskLevel::Medium,
                    "sets the mode of a file",
                );
            }
        } else if let Some(r) = line.strip_prefix("diff --git ") {
            // Deletions and mode changes of empty files have no `---` line.
            if let Some((_, b)) = r.trim_end().rsplit_once(" b/") {
                e.path_write(&arg(b.to_owned()));
            }
        } else if line.starts_with("deleted file mode") {
            e.emit_raw(
                EffectKind::Delete,
                None,
                Certainty::Certain,
                span,
                RiskLevel::Medium,
                "deletes a file",
            );
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            e.emit_raw(
                EffectKind::Write,
                None,
                Certainty::Certain,
                span,
                RiskLevel::Medium,
                "changes a binary file",
            );
        } else if let Some(r) = line.strip_prefix("@@ ") {
            let count = |sign: char| {
                r.split_ascii_whitespace()
                    .find_map(|w| w.strip_prefix(sign))
                    .map_or(0, |w| {
                        w.split_once(',').map_or(1, |(_, n)| n.parse().unwrap_or(0))
                    })
            };
            minus = count('-');
            plus = count('+');
        }
    }
    let blocks = edit_blocks(diff);
    for (name, span) in blocks.names {
        e.path_write(&Arg::literal(name, span));
    }
    // Headers without a file name, such as two of `/dev/null`, have no effect.
    if e.effect_count() == 0 || blocks.unnamed > 0 {
        e.refuse(Span::new(0, diff.len()), "not understood as a diff");
    }
    e.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;

    fn of(diff: &str) -> Analysis {
        let t = Table::builtin();
        effects_of_diff(diff, &Context::new(&t))
    }

    #[test]
    fn changed_file() {
        let a = of(
            "--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,3 +1,3 @@\n x\n-return a - b\n+return a + b\n y\n",
        );
        assert_eq!(a.risk, RiskLevel::Medium);
        assert_eq!(a.effects[0].target.as_deref(), Some("src/add.ts"));
        assert_eq!(a.effects[0].span, Span::new(17, 33));
    }

    #[test]
    fn text_of_a_hunk_is_not_a_header() {
        let a = of(
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/etc\n-- /etc/passwd\n+++ /etc/passwd\n+y\n",
        );
        assert_eq!(a.risk, RiskLevel::Medium, "{:?}", a.effects);
    }

    #[test]
    fn outside_deleted_renamed_mode() {
        assert_eq!(
            of("--- a/x\n+++ ../../etc/passwd\n@@ -0,0 +1 @@\n+x\n").risk,
            RiskLevel::High
        );
        let a = of(
            "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
        );
        assert!(a.has(EffectKind::Delete));
        let a = of(
            "diff --git a/x b/.git/hooks/pre-commit\nrename from x\nrename to .git/hooks/pre-commit\n",
        );
        assert_eq!(a.risk, RiskLevel::High);
        assert_eq!(
            of("diff --git a/x b/x\nold mode 100644\nnew mode 120000\n").risk,
            RiskLevel::High
        );
        assert!(of("hello").unparsed);
    }

    #[test]
    fn diffs_without_line_numbers_name_their_files() {
        let body = "@@\n a\n-b\n+c\n";
        for header in [
            "--- a/.git/config\n+++ b/.git/config\n",
            "diff --git a/.git/config b/.git/config\n",
        ] {
            assert_eq!(
                of(&format!("{header}{body}")).risk,
                RiskLevel::High,
                "{header}"
            );
        }
        // A hunk without numbers hides no file behind it.
        let two = format!("--- a/x\n+++ b/x\n{body}--- a/y\n+++ ../../etc/passwd\n{body}");
        assert_eq!(of(&two).risk, RiskLevel::High);
        let block = "<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n";
        let one = of(&format!("src/add.ts\n{block}"));
        assert_eq!(one.risk, RiskLevel::Medium, "{one:?}");
        assert_eq!(one.effects[0].target.as_deref(), Some("src/add.ts"));
        assert_eq!(one.effects[0].span, Span::new(0, 10));
        assert_eq!(
            of(&format!("/etc/passwd\n```\n{block}```\n")).risk,
            RiskLevel::High
        );
        assert_eq!(
            of(&format!("x\n{block}\n.git/config\n{block}")).risk,
            RiskLevel::High
        );
        assert!(of(block).unparsed, "no file is named");
        // Neither form hides the other.
        let both = format!("x\n<<<<<<< SEARCH\n--- a/y\n+++ ../../etc/passwd\n{body}{block}");
        assert_eq!(of(&both).risk, RiskLevel::High);
    }

    #[test]
    fn headers_that_name_no_file_are_not_understood() {
        for diff in [
            "--- /dev/null\n+++ /dev/null\n",
            "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-x\n+y\n",
            "rename to \n",
            "--- \n+++ \n",
            "diff --git x y\n",
        ] {
            let analysis = of(diff);
            assert_eq!(analysis.risk, RiskLevel::High, "{diff}: {analysis:?}");
        }
    }

    /// Whatever the headers name, a diff changes something or isn't understood.
    #[test]
    fn a_diff_changes_something() {
        let table = Table::builtin();
        let context = Context::new(&table);
        let names = [
            "a/x",
            "b/.env",
            "/dev/null",
            "/dev/sda",
            "/dev/tcp/h/80",
            "h:x",
            "https://h/x",
            "~/.ssh/id_rsa",
            "*",
            "$X",
            "-",
            "",
            "/proc/self/mem",
            "\"a\\tb\"",
            "//h/share",
            "C:\\x",
            ".git/config",
        ];
        for old in names {
            for new in names {
                for diff in [
                    format!("--- {old}\n+++ {new}\n"),
                    format!("diff --git {old} {new}\n"),
                    format!("rename from {old}\nrename to {new}\n"),
                    format!("copy from {old}\ncopy to {new}\n"),
                    format!("--- {old}\nnew mode 100644\n+++ {new}\n"),
                ] {
                    let analysis = effects_of_diff(&diff, &context);
                    let harmless = |kind| {
                        matches!(
                            kind,
                            EffectKind::Read | EffectKind::Network | EffectKind::GitRead
                        )
                    };
                    let changes = analysis.effects.iter().any(|e| !harmless(e.kind));
                    assert!(changes, "{diff}: {analysis:?}");
                }
            }
        }
    }
}
