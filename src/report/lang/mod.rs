//! The language of the fixed text in reports for people.
//!
//! Reporters identify a text by its English form, so English needs no catalogue. `zh.toml` contains
//! the Chinese; a test (`tests/it/languages.rs`) compares it with every text that a reporter uses.

use crate::rules::Rule;
use minijinja::Environment;
use minijinja::value::Rest;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::sync::LazyLock;

static ZH: LazyLock<Catalogue> =
    LazyLock::new(|| toml::from_str(include_str!("zh.toml")).unwrap_or_default());

/// The translations of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    /// Words and sentences, by their English text.
    words: BTreeMap<String, String>,
    /// Counts, by the English noun. `{0}` is the number.
    counts: BTreeMap<String, String>,
    /// Summaries of rules, by code.
    rules: BTreeMap<String, String>,
}

/// A language of reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// Returns the name of the language in English.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Zh => "Simplified Chinese",
        }
    }

    /// Returns the language with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.name() == name)
    }

    /// Returns the language tag (BCP 47) for HTML.
    pub(super) const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-Hans",
        }
    }

    const fn catalogue(self) -> Option<&'static LazyLock<Catalogue>> {
        match self {
            Self::En => None,
            Self::Zh => Some(&ZH),
        }
    }

    /// Translates a fixed word or sentence.
    #[must_use]
    pub fn say(self, english: &str) -> &str {
        let Some(catalogue) = self.catalogue() else {
            return english;
        };
        let found = catalogue.words.get(english);
        debug_assert!(found.is_some(), "zh.toml lacks the word `{english}`");
        found.map_or(english, String::as_str)
    }

    /// Translates a sentence if it is a fixed one.
    #[must_use]
    pub fn say_if_known(self, text: &str) -> &str {
        let found = self.catalogue().and_then(|c| c.words.get(text));
        found.map_or(text, String::as_str)
    }

    /// Translates a fixed sentence and fills `{0}`, `{1}` and so on. Values are inserted unchanged.
    #[must_use]
    pub fn fill(self, english: &str, values: &[&dyn Display]) -> String {
        filled(self.say(english), values)
    }

    /// Formats a count with its noun.
    #[must_use]
    pub fn plural(self, count: u64, noun: &str) -> String {
        let Some(catalogue) = self.catalogue() else {
            return super::words::plural(count, noun);
        };
        let found = catalogue.counts.get(noun);
        debug_assert!(found.is_some(), "zh.toml lacks the count `{noun}`");
        filled(found.map_or(noun, String::as_str), &[&count])
    }

    /// Joins the parts of a list on one line.
    #[must_use]
    pub fn list(self, parts: &[String]) -> String {
        parts.join(self.say(", "))
    }

    /// Returns the summary of a rule: when it fires, in one clause.
    #[must_use]
    pub fn summary(self, rule: &Rule) -> &'static str {
        let Some(catalogue) = self.catalogue() else {
            return rule.summary;
        };
        let found = catalogue.rules.get(&rule.code.to_string());
        debug_assert!(found.is_some(), "zh.toml lacks the rule {}", rule.code);
        found.map_or(rule.summary, String::as_str)
    }
}

/// Creates the environment of a page's template, which is called `page.html`. Its function
/// `say(text, …)` translates a text and fills in the values.
pub(super) fn environment(lang: Lang, template: &'static str) -> io::Result<Environment<'static>> {
    let mut environment = Environment::new();
    environment.add_function("say", move |english: &str, values: Rest<String>| {
        let values: Vec<&dyn Display> = values.iter().map(|v| v as &dyn Display).collect();
        lang.fill(english, &values)
    });
    environment
        .add_template("page.html", template)
        .map_err(io::Error::other)?;
    Ok(environment)
}

/// Fills `{0}`, `{1}` and so on in a text.
fn filled(template: &str, values: &[&dyn Display]) -> String {
    let mut rest = template;
    let mut text = String::with_capacity(rest.len() + 16);
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let hole = behind.split_once('}');
        let value = hole.and_then(|(number, _)| values.get(number.parse::<usize>().ok()?));
        debug_assert!(value.is_some(), "`{template}` lacks a value");
        if let Some(value) = value {
            text.push_str(&value.to_string());
        }
        rest = hole.map_or("", |(_, rest)| rest);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_inserted_once_and_as_they_are() {
        let text = Lang::En.fill("{1} of {0}: {1}", &[&"{1}", &"b"]);
        assert_eq!(text, "b of {1}: b");
    }

    #[test]
    fn english_needs_no_catalogue() {
        assert_eq!(Lang::En.say("whatever"), "whatever");
        assert_eq!(Lang::En.plural(2, "turn"), "2 turns");
        assert_eq!(Lang::Zh.plural(2, "turn"), "2 轮");
        assert_eq!(Lang::Zh.say_if_known("whatever"), "whatever");
    }
}
