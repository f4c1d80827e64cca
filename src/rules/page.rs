//! Extracts a rule's page, the doc comment at the head of its file, with its examples.

use super::Rule;

/// The page of a rule, as Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The whole page.
    pub markdown: String,
    /// The failing example: a trace, or for rules about policies a policy, on which only this rule
    /// fires.
    pub failing: Option<String>,
    /// The passing example, on which no rule fires.
    pub passing: Option<String>,
}

impl Page {
    /// Extracts the page of a rule.
    #[must_use]
    pub fn from_rule(rule: &Rule) -> Self {
        let markdown = with_examples(rule);
        Self {
            failing: example(&markdown, "## Fails"),
            passing: example(&markdown, "## Passes"),
            markdown,
        }
    }

    /// Returns the page with a title.
    #[must_use]
    pub fn titled(&self, rule: &Rule) -> String {
        format!(
            "# {} {} ({})\n\n{}\n",
            rule.code, rule.name, rule.severity, self.markdown
        )
    }
}

/// Returns the content of the first fenced block under a heading.
fn example(markdown: &str, heading: &str) -> Option<String> {
    let section = markdown.split_once(&format!("\n{heading}\n"))?.1;
    let section = section
        .split_once("\n## ")
        .map_or(section, |(here, _)| here);
    let (_, fenced) = section.split_once("```")?;
    let (_, body) = fenced.split_once('\n')?;
    let (body, _) = body.split_once("```")?;
    Some(body.to_owned())
}

/// Returns the doc comment of a rule. Empty fenced blocks are filled with the example files.
fn with_examples(rule: &Rule) -> String {
    let mut examples = rule.examples.iter();
    let mut markdown = String::with_capacity(rule.source.len());
    let mut opened = false;
    let lines = rule
        .source
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line));
    for line in lines {
        if opened && line == "```" {
            let example = examples.next().copied().unwrap_or_default();
            markdown.push_str(example);
            if !example.is_empty() && !example.ends_with('\n') {
                markdown.push('\n');
            }
        }
        opened = !opened && line.starts_with("```") && line != "```";
        markdown.push_str(line);
        markdown.push('\n');
    }
    debug_assert!(
        examples.next().is_none(),
        "{}: an example without a block",
        rule.code
    );
    markdown.truncate(markdown.trim_end_matches('\n').len());
    markdown
}
