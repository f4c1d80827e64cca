//! The pages of the rules that found something. Pages are our own text, in the little Markdown that
//! they use: headings, paragraphs, lists as lines, code in backticks.

use crate::diag::Finding;
use crate::rules::{self, Page};
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Debug, Serialize)]
pub(super) struct View {
    code: String,
    name: &'static str,
    severity: &'static str,
    address: String,
    blocks: Vec<Block>,
}

#[derive(Debug, Serialize)]
struct Block {
    heading: bool,
    text: String,
    spans: Vec<Span>,
}

#[derive(Debug, Serialize)]
struct Span {
    code: bool,
    text: String,
}

pub(super) fn views(findings: &[Finding]) -> Vec<View> {
    let codes: BTreeSet<_> = findings.iter().map(|f| f.code).collect();
    codes
        .into_iter()
        .filter_map(rules::by_code)
        .map(|rule| View {
            code: rule.code.to_string(),
            name: rule.name,
            severity: rule.severity.name(),
            address: rule.address(),
            blocks: blocks(
                Page::of(rule)
                    .markdown
                    .split("\n## Fails")
                    .next()
                    .unwrap_or_default(),
            ),
        })
        .collect()
}

/// A piece of a paragraph on one line; the stars of emphasis go, since a page is read without them.
fn plain(text: &str, code: bool) -> String {
    let line = text.replace('\n', " ");
    if code { line } else { line.replace('*', "") }
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut all = Vec::new();
    for paragraph in markdown
        .split("\n\n")
        .map(str::trim)
        .filter(|p| !p.is_empty())
    {
        let (heading, rest) = match paragraph.strip_prefix("## ") {
            Some(text) => text
                .split_once('\n')
                .map_or((Some(text), ""), |(heading, rest)| (Some(heading), rest)),
            None => (None, paragraph),
        };
        if let Some(text) = heading {
            all.push(Block {
                heading: true,
                text: text.to_owned(),
                spans: Vec::new(),
            });
        }
        if !rest.is_empty() {
            let parts = rest.split('`').enumerate();
            let spans = parts
                .map(|(n, text)| Span {
                    code: n % 2 == 1,
                    text: plain(text, n % 2 == 1),
                })
                .collect();
            all.push(Block {
                heading: false,
                text: String::new(),
                spans,
            });
        }
    }
    all
}
