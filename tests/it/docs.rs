//! The documentation is consistent: titles, table of contents, links, and both READMEs.

use super::markdown_pages::{Block, Page, all, below, root};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use yuangs_verify::rules;

#[test]
fn every_page_has_one_title_and_every_block_a_language() {
    for path in all() {
        let page = Page::read(&path);
        if path != "docs/SUMMARY.md" {
            let titles = page.headings.iter().filter(|(level, _)| *level as u8 == 1);
            assert_eq!(titles.count(), 1, "{path}: a page has one title");
            assert_eq!(page.headings[0].0 as u8, 1, "{path} begins with its title");
        }
        for block in &page.blocks {
            let (line, language) = (block.line, &block.language);
            assert!(
                !language.is_empty(),
                "{path}:{line}: name the language of the block (`text` for none)"
            );
            assert_ne!(
                language, "indented",
                "{path}:{line}: indented; use a fenced block"
            );
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let listed: Vec<String> = Page::read("docs/SUMMARY.md").links;
    let unique: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(
        unique.len(),
        listed.len(),
        "docs/SUMMARY.md lists a page twice"
    );
    for page in below("docs") {
        let name = page.strip_prefix("docs/").unwrap();
        assert!(
            name == "SUMMARY.md" || listed.iter().any(|l| l == name),
            "docs/SUMMARY.md doesn't list {name}"
        );
    }
}

/// Resolves `.` and `..` in a path.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Returns why a link of a page is broken, if it is.
fn broken(page: &Page, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let from = Path::new(&page.path);
    let target = if path.is_empty() {
        from.to_owned()
    } else {
        plain(&from.parent().unwrap().join(path))
    };
    let name = target.to_str().unwrap().replace('\\', "/");
    // Pages of the book that `cargo xtask book` copies or writes.
    let name = match name.strip_prefix("docs/") {
        Some(top @ ("architecture.md" | "changelog.md" | "contributing.md" | "security.md"))
            if page.path == "docs/SUMMARY.md" =>
        {
            format!("{}.md", top.trim_end_matches(".md").to_uppercase())
        }
        _ => name,
    };
    if !root().join(&name).exists() {
        return Some("no such file".to_owned());
    }
    if anchor.is_empty() || !name.ends_with(".md") {
        return None;
    }
    let anchors = Page::read(&name).anchors();
    (!anchors.iter().any(|a| a == anchor)).then(|| format!("no such heading; {anchors:?}"))
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for path in all() {
        let page = Page::read(&path);
        for link in &page.links {
            checked += 1;
            if let Some(why) = broken(&page, link) {
                wrong.push(format!("{path}: {link}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 100, "{checked} links");
    let page = Page::of("docs/x.md", "# X\n\n[a](gate.md#nowhere) [b](none.md)");
    assert!(page.links.iter().all(|link| broken(&page, link).is_some()));
}

#[test]
fn codes_that_the_documentation_names_are_rules() {
    let known: BTreeSet<String> = rules::ALL.iter().map(|r| r.code.to_string()).collect();
    for path in all() {
        let text = std::fs::read_to_string(root().join(&path)).unwrap();
        for (at, _) in text.match_indices("YV") {
            let code: String = text[at..].chars().take(5).collect();
            if code[2..].bytes().all(|b| b.is_ascii_digit()) && code.len() == 5 {
                assert!(
                    known.contains(&code) || code == "YV999",
                    "{path} names {code}"
                );
            }
        }
    }
}

/// Returns the commands of a block without comments.
fn commands(block: &Block) -> Vec<String> {
    block
        .text
        .lines()
        .map(|line| line.split("  #").next().unwrap_or_default().trim_end())
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_chinese_readme_says_the_same() {
    let english = Page::read("README.md");
    let chinese = Page::read("README.zh-CN.md");
    let levels = |page: &Page| -> Vec<u8> { page.headings.iter().map(|(l, _)| *l as u8).collect() };
    assert_eq!(
        levels(&english),
        levels(&chinese),
        "headings: number and level"
    );
    let blocks = |page: &Page| -> Vec<(String, Vec<String>)> {
        let block = |b: &Block| (b.language.clone(), commands(b));
        page.blocks.iter().map(block).collect()
    };
    assert_eq!(blocks(&english), blocks(&chinese), "commands and examples");
    let links = |page: &Page| -> BTreeSet<String> {
        let own = ["README.md", "README.zh-CN.md"];
        let links = page.links.iter().filter(|l| !own.contains(&l.as_str()));
        links
            .map(|l| l.split('#').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(links(&english), links(&chinese), "links");
    assert!(english.links.contains(&"README.zh-CN.md".to_owned()));
    assert!(chinese.links.contains(&"README.md".to_owned()));
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let length = text.lines().count();
    assert!(
        length <= 250,
        "README.md has {length} lines; the rest belongs to docs/"
    );
}
