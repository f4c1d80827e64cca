//! What actions do, remembered: agents read the same files and run the same commands again and again.

use super::reach::Reach;
use crate::governance::risk::Risk;
use crate::trace::record::ActionType;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// Payloads that are remembered of one type of action; then they are forgotten all at once.
const KEPT: usize = 4096;
/// Bytes that those may have together.
const BYTES: usize = 512 << 10;
/// Bytes of the longest payload that is remembered. What is longer (a file) seldom comes again.
const LONGEST: usize = 1024;

/// What is found in a payload: its risk, and where it reaches if there is anything to say.
pub(super) type Look = (Risk, Option<Arc<Reach>>);

/// Looks of one worker, by type of action and payload as written. Names in a trace can't make them collide: the standard
/// library's hash is keyed by chance.
#[derive(Debug, Default)]
pub struct Looks([RefCell<Known>; 3]);

#[derive(Debug, Default)]
struct Known {
    looks: HashMap<Box<str>, Look>,
    /// Bytes of the payloads.
    bytes: usize,
}

impl Looks {
    /// What was found in this payload before, or is found now.
    pub(super) fn get(&self, kind: ActionType, payload: &str, find: impl FnOnce() -> Look) -> Look {
        let slot = match kind {
            ActionType::ToolCall => 0,
            ActionType::ShellCmd => 1,
            ActionType::Answer => 2,
            // Hardly any diff comes again, and each would take the place of something that does.
            ActionType::CodeDiff => return find(),
        };
        let Some(known) = self.0.get(slot).filter(|_| payload.len() <= LONGEST) else { return find() };
        if let Some(look) = known.borrow().looks.get(payload) {
            return look.clone();
        }
        let look = find();
        let mut known = known.borrow_mut();
        if known.looks.len() >= KEPT || known.bytes + payload.len() > BYTES {
            known.looks.clear();
            known.bytes = 0;
        }
        known.bytes += payload.len();
        known.looks.insert(payload.into(), look.clone());
        look
    }
}

/// Looks that workers lend each other: what one has seen the next needn't look at. There are as many as work at once.
#[derive(Debug, Default)]
pub struct LooksPool(Mutex<Vec<Looks>>);

impl LooksPool {
    /// Lends one out, until it is dropped.
    pub fn borrow(&self) -> Lent<'_> {
        let looks = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent { pool: self, looks: looks.unwrap_or_default() }
    }
}

/// Looks of a pool.
#[derive(Debug)]
pub struct Lent<'p> {
    pool: &'p LooksPool,
    looks: Looks,
}

impl Deref for Lent<'_> {
    type Target = Looks;

    fn deref(&self) -> &Looks {
        &self.looks
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pool.0.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut self.looks));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_looked_at_once_for_each_type_and_not_for_ever() {
        let looks = Looks::default();
        let asked = RefCell::new(0);
        let ask = |kind, payload: &str| {
            looks.get(kind, payload, || {
                *asked.borrow_mut() += 1;
                (Risk::High, None)
            })
        };
        for _ in 0..3 {
            assert_eq!(ask(ActionType::ShellCmd, "a").0, Risk::High);
        }
        ask(ActionType::ToolCall, "a");
        assert_eq!(*asked.borrow(), 2);
        let long = "x".repeat(LONGEST + 1);
        ask(ActionType::ShellCmd, &long);
        ask(ActionType::ShellCmd, &long);
        assert_eq!(*asked.borrow(), 4, "what is long is not kept");
        for n in 0..2 * KEPT {
            ask(ActionType::ShellCmd, &n.to_string());
        }
        for n in 0..BYTES / LONGEST + 2 {
            ask(ActionType::ToolCall, &format!("{n:0>LONGEST$}"));
        }
        let most = |known: &RefCell<Known>| {
            let known = known.borrow();
            known.looks.len() <= KEPT
                && known.bytes <= BYTES
                && known.bytes == known.looks.keys().map(|payload| payload.len()).sum::<usize>()
        };
        assert!(looks.0.iter().all(most));
    }

    #[test]
    fn what_is_lent_comes_back_with_what_it_has_seen() {
        let pool = LooksPool::default();
        let look = |looks: &Looks, found| looks.get(ActionType::ShellCmd, "a", || (found, None)).0;
        {
            let (one, other) = (pool.borrow(), pool.borrow());
            assert_eq!((look(&one, Risk::High), look(&other, Risk::High)), (Risk::High, Risk::High));
        }
        assert_eq!(look(&pool.borrow(), Risk::Low), Risk::High);
        assert_eq!(pool.0.lock().unwrap().len(), 2);
    }
}
