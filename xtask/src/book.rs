//! Writes the sources of the documentation site: `docs/`, and pages generated from the program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use yuangs_verify::{cli, rules};

/// The arguments of `cargo xtask book`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Directory for the book's sources. It is replaced.
    #[arg(long, default_value = "target/book")]
    out: PathBuf,
}

/// Pages at the top of the repository that are part of the book.
const TOP: &[(&str, &str)] = &[
    ("ARCHITECTURE.md", "architecture.md"),
    ("CHANGELOG.md", "changelog.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("SECURITY.md", "security.md"),
];

/// Writes the book's sources: pages, one page for each rule, and the JSON Schemas. Returns the
/// number of rule pages.
///
/// # Errors
/// Fails if a file can't be read or written.
pub(crate) fn run(root: &Path, args: &Args) -> io::Result<usize> {
    let out = root.join(&args.out);
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    copy(&root.join("docs"), &out)?;
    for (from, to) in TOP {
        fs::write(out.join(to), inside(&fs::read_to_string(root.join(from))?))?;
    }

    fs::create_dir_all(out.join("rules"))?;
    for rule in rules::ALL.iter() {
        let page = rules::Page::from_rule(rule).titled(rule);
        fs::write(out.join(format!("rules/{}.md", rule.code)), page)?;
    }
    let table = out.join("rules.md");
    fs::write(&table, linked(&fs::read_to_string(&table)?))?;
    let summary = out.join("SUMMARY.md");
    fs::write(&summary, with_rules(&fs::read_to_string(&summary)?))?;

    fs::create_dir_all(out.join("schemas"))?;
    for entry in cli::schemas().entries() {
        let text = format!("{}\n", cli::schema_text(&entry.schema));
        fs::write(
            out.join(format!("schemas/{}.schema.json", entry.name)),
            text,
        )?;
    }
    Ok(rules::ALL.len())
}

/// Copies a directory. Links to pages outside of `docs` are changed to the book's copies.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else if target.extension().is_some_and(|e| e == "md") {
            fs::write(target, inside(&fs::read_to_string(entry.path())?))?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Changes links between `docs/` and the root of the repository to links inside the book.
fn inside(text: &str) -> String {
    let text = text.replace("](docs/", "](");
    TOP.iter().fold(text, |text, (from, to)| {
        text.replace(&format!("](../../{from}"), &format!("](../{to}"))
            .replace(&format!("](../{from}"), &format!("]({to}"))
            .replace(&format!("]({from}"), &format!("]({to}"))
    })
}

/// Adds a link to each rule's page to the table of rules.
fn linked(table: &str) -> String {
    rules::ALL.iter().fold(table.to_owned(), |text, rule| {
        let code = rule.code;
        text.replace(
            &format!("\n| {code} |"),
            &format!("\n| [{code}](rules/{code}.md) |"),
        )
    })
}

/// Adds the pages of the rules to the table of contents, below the table of rules.
fn with_rules(summary: &str) -> String {
    let mut out = String::new();
    for line in summary.lines() {
        out.push_str(line);
        out.push('\n');
        if line.contains("](rules.md)") {
            for rule in rules::ALL.iter() {
                let (code, name) = (rule.code, rule.name);
                out.push_str(&format!("  - [{code} {name}](rules/{code}.md)\n"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_holds_a_page_for_each_rule_and_each_link_leads_to_a_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("book");
        let pages = run(root, &Args { out: out.clone() }).unwrap();
        assert_eq!(pages, rules::ALL.len());
        let summary = fs::read_to_string(out.join("SUMMARY.md")).unwrap();
        let targets: Vec<_> = summary
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .collect();
        assert!(targets.len() > pages);
        for target in targets {
            assert!(out.join(target).is_file(), "{target} isn't written");
        }
        let table = fs::read_to_string(out.join("rules.md")).unwrap();
        assert_eq!(table.matches("](rules/YV").count(), pages);
        let pages = walkdir::WalkDir::new(&out).into_iter().flatten();
        let pages = pages.filter(|p| p.path().extension().is_some_and(|e| e == "md"));
        for page in pages {
            let text = fs::read_to_string(page.path()).unwrap();
            let links = text.split("](").skip(1).filter_map(|t| t.split(')').next());
            for link in links.filter(|l| !l.contains("://") && !l.starts_with('#')) {
                let file = link.split('#').next().unwrap();
                let target = page.path().parent().unwrap().join(file);
                assert!(target.exists(), "{}: {link}", page.path().display());
            }
        }
    }
}
