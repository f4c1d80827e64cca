//! What actions do, remembered: agents read the same files and run the same commands again and
//! again.

use super::path_effects::PathEffects;
use governance::ActionType;
use governance::risk::RiskLevel;
use hashbrown::HashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Payloads that are remembered of one type of action; then they are forgotten all at once.
const KEPT: usize = 4096;
/// Bytes that those may have together.
const BYTES: usize = 512 << 10;
/// Bytes of the longest payload that is remembered. What is longer (a file) seldom comes again.
const LONGEST: usize = 1024;

/// What is found in a payload: its risk, and where it reaches if there is anything to say.
pub(super) type Look = (RiskLevel, Option<Arc<PathEffects>>);

/// Looks of one lane, by type of action and payload as written. The hash is keyed by chance, and
/// few are kept, so that a trace can't make them collide to any effect.
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
        let Some(known) = self.0.get(slot).filter(|_| payload.len() <= LONGEST) else {
            return find();
        };
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
                (RiskLevel::High, None)
            })
        };
        for _ in 0..3 {
            assert_eq!(ask(ActionType::ShellCmd, "a").0, RiskLevel::High);
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
                && known.bytes
                    == known
                        .looks
                        .keys()
                        .map(|payload| payload.len())
                        .sum::<usize>()
        };
        assert!(looks.0.iter().all(most));
    }
}
