//! Records as lines: chain of hashes and repeated lines.

use super::super::step_facts::{ChainBreak, StepFacts};
use super::Execution;
use hashbrown::HashSet;
use sha2::{Digest, Sha256};
use strict_json::Str;
use util::hex;

/// Chain of hashes that links each record to the one before.
#[derive(Debug, Clone, Default)]
pub(super) struct HashChain {
    declared: bool,
    last_hash: Option<[u8; 32]>,
    last_line: u64,
}

impl HashChain {
    /// Applies a start's declaration that records are chained.
    pub(super) const fn declare(&mut self, declared: bool) {
        self.declared |= declared;
    }

    pub(super) const fn is_used(&self) -> bool {
        self.declared
    }

    /// Adds a record. Returns the break in the chain that it shows.
    fn add(
        &mut self,
        line: u64,
        text: &str,
        prev: Option<Str<'_>>,
        declares: bool,
    ) -> Option<ChainBreak> {
        let first = self.last_line == 0;
        // A record with a `prev` is chained even if the start doesn't declare it: someone may have
        // rewritten the start without the declaration.
        let begins = !self.declared && !first && prev.is_some() && !declares;
        self.declared |= declares || prev.is_some();
        let mut found = None;
        if self.declared {
            let expected = if first {
                Some("0".repeat(64))
            } else {
                self.last_hash.map(|h| hex(&h))
            };
            if begins
                || expected
                    .as_deref()
                    .is_some_and(|expected| prev.is_none_or(|p| p != *expected))
            {
                found = Some(ChainBreak {
                    found: prev.map(|p| p.decode().into_owned()),
                    expected,
                    previous_line: self.last_line,
                });
            }
            self.last_hash = Some(Sha256::digest(text.as_bytes()).into());
        }
        self.last_line = line;
        found
    }
}

/// Hashes of lines that have been read.
#[derive(Debug, Default)]
pub(super) struct SeenLines {
    hashes: HashSet<[u8; 32]>,
    repeats: u64,
}

impl SeenLines {
    /// Adds a line. Returns whether it repeats an earlier one byte for byte.
    fn add(&mut self, text: &str) -> bool {
        let fresh = self.hashes.insert(Sha256::digest(text.as_bytes()).into());
        self.repeats += u64::from(!fresh);
        !fresh
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(super) const fn repeats(&self) -> u64 {
        self.repeats
    }
}

/// Records of an execution as lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) chain: HashChain,
    pub(super) seen: SeenLines,
    /// Line of the last known event.
    pub(super) last: u64,
}

impl Execution {
    /// Returns whether a line of an event log repeats an earlier one byte for byte; the runtime is
    /// known to write lines twice. The hash must resist collisions: a colliding second line would
    /// be hidden.
    pub fn is_repeat(&mut self, text: &str) -> bool {
        self.lines.seen.add(text)
    }

    /// Checks the position of a record in the chain.
    pub fn record(
        &mut self,
        line: u64,
        text: &str,
        prev: Option<Str<'_>>,
        declares_chain: bool,
        step_facts: &mut StepFacts,
    ) {
        if let Some(found) = self.lines.chain.add(line, text, prev, declares_chain) {
            step_facts.anomalies_mut().chain = Some(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_breaks_where_a_record_names_another_hash() {
        let mut chain = HashChain::default();
        let zeros = "0".repeat(64);
        assert!(
            chain
                .add(1, "one", Some(Str::plain(&zeros)), true)
                .is_none()
        );
        let hash = hex(&Sha256::digest("one"));
        assert!(
            chain
                .add(2, "two", Some(Str::plain(&hash)), false)
                .is_none()
        );
        let broken = chain.add(3, "three", Some(Str::plain(&hash)), false);
        assert_eq!(broken.map(|b| b.previous_line), Some(2));
        assert!(chain.add(4, "four", None, false).is_some());
    }

    #[test]
    fn a_chain_that_begins_late_is_broken() {
        let mut chain = HashChain::default();
        assert!(chain.add(1, "one", None, false).is_none());
        assert!(!chain.is_used());
        let hash = hex(&Sha256::digest("one"));
        assert!(
            chain
                .add(2, "two", Some(Str::plain(&hash)), false)
                .is_some()
        );
    }

    #[test]
    fn a_line_repeats_only_byte_for_byte() {
        let mut seen = SeenLines::default();
        assert!(!seen.add("a"));
        assert!(!seen.add("a "));
        assert!(seen.add("a"));
        assert_eq!((seen.len(), seen.repeats()), (2, 1));
    }
}
