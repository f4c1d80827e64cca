//! Cache of analyses: agents read the same files and run the same commands repeatedly.

use super::path_effects::PathEffects;
use governance::ActionType;
use governance::risk::RiskLevel;
use hashbrown::HashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Maximum number of payloads per type of action; beyond it, the cache is cleared.
const KEPT: usize = 4096;
/// Maximum total bytes of those payloads.
const BYTES: usize = 512 << 10;
/// Maximum bytes of one payload. Longer ones, such as files, seldom recur.
const LONGEST: usize = 1024;

/// Analysis of a payload: its risk, and its path effects if there are any.
pub(super) type CachedAnalysis = (RiskLevel, Option<Arc<PathEffects>>);

/// Analyses of one worker, by type of action and payload as written. The hash is randomly keyed and
/// the cache is small, so a trace can't slow it down by collisions.
#[derive(Debug, Default)]
pub struct AnalysisCache([RefCell<Known>; 3]);

#[derive(Debug, Default)]
struct Known {
    cache: HashMap<Box<str>, CachedAnalysis>,
    /// Total bytes of the payloads.
    bytes: usize,
}

impl AnalysisCache {
    /// Returns the cached analysis of this payload, or computes it.
    pub(super) fn get(
        &self,
        kind: ActionType,
        payload: &str,
        find: impl FnOnce() -> CachedAnalysis,
    ) -> CachedAnalysis {
        let slot = match kind {
            ActionType::ToolCall => 0,
            ActionType::ShellCmd => 1,
            ActionType::Answer => 2,
            // Diffs hardly ever recur and would displace payloads that do.
            ActionType::CodeDiff => return find(),
        };
        let Some(known) = self.0.get(slot).filter(|_| payload.len() <= LONGEST) else {
            return find();
        };
        if let Some(look) = known.borrow().cache.get(payload) {
            return look.clone();
        }
        let look = find();
        let mut known = known.borrow_mut();
        if known.cache.len() >= KEPT || known.bytes + payload.len() > BYTES {
            known.cache.clear();
            known.bytes = 0;
        }
        known.bytes += payload.len();
        known.cache.insert(payload.into(), look.clone());
        look
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_looked_at_once_for_each_type_and_not_for_ever() {
        let cache = AnalysisCache::default();
        let asked = RefCell::new(0);
        let ask = |kind, payload: &str| {
            cache.get(kind, payload, || {
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
            known.cache.len() <= KEPT
                && known.bytes <= BYTES
                && known.bytes
                    == known
                        .cache
                        .keys()
                        .map(|payload| payload.len())
                        .sum::<usize>()
        };
        assert!(cache.0.iter().all(most));
    }
}
