//! Records as a whole: their chain of hashes, and lines that are written twice.

use super::super::step_facts::{ChainBreak, StepFacts};
use super::Execution;
use crate::trace::action::hex;
use sha2::{Digest, Sha256};
use strict_json::Str;

impl Execution {
    /// Whether `text`, a line of an event log, has been read before, byte for byte. The runtime's
    /// flush is known to write lines twice. A hash that can't be forged: whoever makes two lines
    /// collide hides the second one.
    pub fn is_repeat(&mut self, text: &str) -> bool {
        let fresh = self
            .seen_lines
            .insert(Sha256::digest(text.as_bytes()).into());
        self.repeats += u64::from(!fresh);
        !fresh
    }

    /// Takes note of a record as a whole: its place in the chain.
    pub fn record(
        &mut self,
        line: u64,
        text: &str,
        prev: Option<Str<'_>>,
        declares_chain: bool,
        step_facts: &mut StepFacts,
    ) {
        let first = self.last_record_line == 0;
        // Who has a `prev` is chained, whatever the start says: it may have been written anew
        // without a word of the chain.
        let begins = !self.chain && !first && prev.is_some() && !declares_chain;
        self.chain |= declares_chain || prev.is_some();
        if self.chain {
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
                step_facts.anomalies_mut().chain = Some(ChainBreak {
                    found: prev.map(|p| p.decode().into_owned()),
                    expected,
                    previous_line: self.last_record_line,
                });
            }
            self.last_hash = Some(Sha256::digest(text.as_bytes()).into());
        }
        self.last_record_line = line;
    }
}
