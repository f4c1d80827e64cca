//! The pages of the rules that have findings.
//!
//! The pages are part of this program and use little Markdown: headings, paragraphs, lists as
//! lines, and code in backticks.

use crate::diag::{Code, Finding};
use crate::report::Lang;
use crate::rules::{self, Page};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Serialize)]
pub(super) struct View {
    code: String,
    name: &'static str,
    severity: &'static str,
    address: String,
    /// The rule's summary, if the page isn't in the language of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
    blocks: Vec<Block>,
}

#[derive(Debug, Serialize)]
struct Block {
    heading: bool,
    text: String,
    spans: Vec<Span>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Span {
    code: bool,
    text: String,
}

pub(super) fn views(findings: &[Finding], lang: Lang) -> Vec<View> {
    let codes: BTreeSet<_> = findings.iter().map(|f| f.code).collect();
    codes
        .into_iter()
        .filter_map(rules::by_code)
        .map(|rule| View {
            code: rule.code.to_string(),
            name: rule.name,
            severity: rule.severity.name(),
            address: rule.address(),
            summary: (lang != Lang::En).then(|| lang.summary(rule)),
            blocks: blocks(
                Page::from_rule(rule)
                    .markdown
                    .split("\n## Fails")
                    .next()
                    .unwrap_or_default(),
            ),
        })
        .collect()
}

/// Joins a piece of a paragraph to one line, and removes the asterisks of emphasis outside of code.
fn plain(text: &str, code: bool) -> String {
    let line = text.replace('\n', " ");
    if code { line } else { line.replace('*', "") }
}

fn spans(paragraph: &str) -> Vec<Span> {
    let parts = paragraph.split('`').enumerate();
    parts
        .map(|(n, text)| Span {
            code: n % 2 == 1,
            text: plain(text, n % 2 == 1),
        })
        .collect()
}

/// Cache of how to fix findings of a rule: the first paragraph of that section of its page.
#[derive(Debug, Default)]
pub(super) struct Fixes(BTreeMap<Code, Vec<Span>>);

impl Fixes {
    /// Returns the paragraph of a rule; empty if its page has none.
    pub(super) fn of(&mut self, code: Code) -> Vec<Span> {
        self.0.entry(code).or_insert_with(|| fix(code)).clone()
    }
}

fn fix(code: Code) -> Vec<Span> {
    let page = rules::by_code(code).map(|rule| Page::from_rule(rule).markdown);
    let section = page
        .as_deref()
        .and_then(|text| text.split_once("## How to fix it\n"));
    section
        .and_then(|(_, rest)| rest.trim_start().split("\n\n").next())
        .map(|paragraph| spans(paragraph.trim_end()))
        .unwrap_or_default()
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
            let spans = spans(rest);
            all.push(Block {
                heading: false,
                text: String::new(),
                spans,
            });
        }
    }
    all
}
