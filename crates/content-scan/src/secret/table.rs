//! The rules for secrets: `policies/secrets.yaml`, embedded in the program.

use super::check::Checksum;
use aho_corasick::automaton::Automaton as _;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, Input, Match, MatchKind};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

/// Why the rules can't be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The text isn't valid YAML, or has the wrong structure.
    #[error("the rules for secrets can't be read: {0}")]
    Yaml(String),
    /// A rule is invalid.
    #[error("rule `{rule}`: {message}")]
    Rule { rule: String, message: String },
}

/// A rule as written in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    id: String,
    about: String,
    source: String,
    starts: Vec<String>,
    pattern: String,
    #[serde(default)]
    back: usize,
    #[serde(default)]
    generic: bool,
    #[serde(default)]
    never: Vec<String>,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    checksum: Option<Checksum>,
    finds: Vec<String>,
    #[serde(default)]
    ignores: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTable {
    version: u32,
    assigned: RawAssigned,
    examples: Vec<String>,
    rules: Vec<RawRule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAssigned {
    about: String,
    source: String,
    names: Vec<String>,
    except: Vec<String>,
    finds: Vec<String>,
    ignores: Vec<String>,
}

/// A rule that finds one kind of secret.
#[derive(Debug)]
pub struct Rule {
    pub id: String,
    /// What the rule finds, as a noun.
    pub about: String,
    /// The documentation of the token format.
    pub source: String,
    /// Templates that the rule must find.
    pub finds: Vec<String>,
    /// Templates in which no rule may find anything.
    pub ignores: Vec<String>,
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
    /// Number of bytes before the literal that a match may include.
    pub(super) back: usize,
    /// Every other rule takes precedence, and only the first group of the pattern is secret.
    pub(super) generic: bool,
    /// The rule finds a block of lines: a private key.
    pub(super) block: bool,
    /// Common values, in lower case, that aren't secret.
    pub(super) never: Vec<String>,
    /// Minimum entropy of the secret in bits per character.
    pub(super) entropy: f64,
    pub(super) checksum: Option<Checksum>,
}

/// The rules, ready for use.
#[derive(Debug)]
pub struct Table {
    /// In the order of the file. The last one is the rule for assignments.
    pub rules: Vec<Rule>,
    /// Finds the literals that start a secret, and the words of secret names.
    literals: NFA,
    /// Rejects most texts without literals.
    trigrams: TrigramFilter,
    /// The meaning of each literal, by pattern number.
    announces: Vec<LiteralKind>,
    /// Ends of names that aren't secret although they contain such a word.
    pub(super) except: Vec<String>,
    /// SHA-256 in hexadecimal of example values from vendors' documentation.
    pub(super) examples: BTreeSet<String>,
}

/// A trigram Bloom filter in front of Aho-Corasick. It has a bit for the first three bytes of each
/// word, five bits of each byte. Unlike the steps of an automaton, its steps don't wait for each
/// other.
#[derive(Debug)]
struct TrigramFilter(Box<[u64; 512]>);

impl TrigramFilter {
    const LENGTH: usize = 3;

    fn of<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut bits = Box::new([0; 512]);
        for word in words {
            let last = word.bytes().take(Self::LENGTH).fold(0, Self::step);
            if let Some(word) = bits.get_mut(last as usize >> 6 & 511) {
                *word |= 1 << (last & 63);
            }
        }
        Self(bits)
    }

    /// Adds a byte. Its lowest five bits are the same for upper and lower case.
    #[inline]
    const fn step(last: u32, byte: u8) -> u32 {
        last << 5 | byte as u32 & 31
    }

    /// Returns the rests of a text, each from a place where a word may start.
    #[inline]
    fn candidates<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
        let mut last = 0;
        let ends = text.iter().enumerate().filter_map(move |(end, byte)| {
            last = Self::step(last, *byte);
            let word = self.0.get(last as usize >> 6 & 511)?;
            (word >> (last & 63) & 1 == 1).then_some(end)
        });
        ends.filter_map(|end| text.get((end + 1).checked_sub(Self::LENGTH)?..))
    }
}

/// The meaning of a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiteralKind {
    /// A secret found by the rule with this index.
    Rule(usize),
    /// A word in the name of a secret.
    Name,
}

/// The id of the rule for private keys.
const PRIVATE_KEY: &str = "private-key";

/// Maximum size in bytes of a compiled pattern, far more than any of them needs.
const PATTERN_BYTES: usize = 1 << 20;

impl Rule {
    /// Returns the pattern, which matches at its literal or around it. The first group is the
    /// secret. It is compiled on first use, which for most rules never happens. `None` for the rule
    /// of assignments.
    pub(super) fn pattern(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| self.compile().ok()).as_ref()
    }

    fn compile(&self) -> Result<Regex, TableError> {
        let anchor = if self.back == 0 { r"\A" } else { "" };
        let mut builder = RegexBuilder::new(&format!("{anchor}(?:{})", self.pattern));
        let built = builder.unicode(false).size_limit(PATTERN_BYTES).build();
        built.map_err(|e| TableError::Rule {
            rule: self.id.clone(),
            message: e.to_string(),
        })
    }
}

impl Table {
    /// Compiles every pattern. The tests do this for the shipped rules.
    ///
    /// # Errors
    /// Fails if a pattern doesn't compile.
    pub fn check(&self) -> Result<(), TableError> {
        self.rules
            .iter()
            .try_for_each(|rule| rule.compile().map(|_| ()))
    }

    /// Parses rules. Patterns are compiled when they are needed; see [`Table::check`].
    ///
    /// # Errors
    /// Fails if the text isn't valid YAML of the expected structure, or if a rule is invalid.
    pub fn parse(yaml: &str) -> Result<Self, TableError> {
        let raw: RawTable =
            serde_saphyr::from_str(yaml).map_err(|e| TableError::Yaml(e.to_string()))?;
        if raw.version != 1 {
            return Err(TableError::Yaml(format!(
                "version {} is unknown",
                raw.version
            )));
        }
        let mut rules: Vec<Rule> = Vec::new();
        let (mut words, mut announces) = (Vec::new(), Vec::new());
        for raw in raw.rules {
            let fail = |message: String| TableError::Rule {
                rule: raw.id.clone(),
                message,
            };
            if rules.iter().any(|r| r.id == raw.id) {
                return Err(fail("the id is taken".into()));
            }
            if raw.finds.is_empty() || raw.starts.iter().any(|s| s.len() < 3) {
                return Err(fail(
                    "it needs a test, and literals of three characters or more".into(),
                ));
            }
            for start in raw.starts {
                words.push(start);
                announces.push(LiteralKind::Rule(rules.len()));
            }
            let RawRule {
                id,
                about,
                source,
                pattern,
                back,
                generic,
                never,
                entropy,
                checksum,
                finds,
                ignores,
                ..
            } = raw;
            let (compiled, block) = (OnceLock::new(), id == PRIVATE_KEY);
            rules.push(Rule {
                id,
                about,
                source,
                finds,
                ignores,
                pattern,
                compiled,
                back,
                generic,
                block,
                never,
                entropy,
                checksum,
            });
        }
        if rules.first().is_none_or(|r| !r.block) {
            return Err(TableError::Yaml(
                "the first rule is that of private keys".into(),
            ));
        }
        let RawAssigned {
            about,
            source,
            names,
            except,
            finds,
            ignores,
        } = raw.assigned;
        announces.extend(names.iter().map(|_| LiteralKind::Name));
        words.extend(names);
        rules.push(Rule {
            id: "assigned-secret".into(),
            about,
            source,
            finds,
            ignores,
            pattern: String::new(),
            compiled: OnceLock::from(None),
            back: 0,
            generic: true,
            block: false,
            never: Vec::new(),
            entropy: 0.0,
            checksum: None,
        });
        if words.iter().any(|word| word.len() < TrigramFilter::LENGTH) {
            return Err(TableError::Yaml(
                "a name of a secret has three characters or more".into(),
            ));
        }
        let trigrams = TrigramFilter::of(words.iter().map(String::as_str));
        let literals = NFA::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .prefilter(false)
            .build(&words)
            .map_err(|e| TableError::Yaml(e.to_string()))?;
        Ok(Self {
            rules,
            literals,
            trigrams,
            announces,
            except,
            examples: raw.examples.into_iter().collect(),
        })
    }

    /// Returns whether a text contains a literal. It is called for every run, and few contain one.
    #[inline]
    pub(super) fn has_literal(&self, text: &[u8]) -> bool {
        self.trigrams
            .candidates(text)
            .any(|rest| self.starts_with_literal(rest))
    }

    fn starts_with_literal(&self, text: &[u8]) -> bool {
        let Ok(mut state) = self.literals.start_state(Anchored::Yes) else {
            return true;
        };
        // The state after a byte that continues no literal is special, too.
        let end = text.iter().position(|byte| {
            state = self.literals.next_state(Anchored::Yes, state, *byte);
            self.literals.is_special(state)
        });
        end.is_some() && self.literals.is_match(state)
    }

    /// Finds the literals in a text, with their meaning.
    pub(super) fn literals(&self, text: &[u8]) -> impl Iterator<Item = (Match, LiteralKind)> {
        let found = self
            .literals
            .try_find_iter(Input::new(text))
            .into_iter()
            .flatten();
        found.filter_map(|m| Some((m, *self.announces.get(m.pattern().as_usize())?)))
    }

    /// Returns the shipped rules.
    ///
    /// # Errors
    /// Fails if they can't be loaded, which a test excludes.
    pub fn shipped() -> Result<&'static Self, TableError> {
        static TABLE: LazyLock<Result<Table, TableError>> =
            LazyLock::new(|| Table::parse(include_str!("../../../../policies/secrets.yaml")));
        TABLE.as_ref().map_err(TableError::clone)
    }
}
