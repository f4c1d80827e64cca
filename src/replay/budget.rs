//! Token budget of an injected context.

use super::context::ContextBreak;
use crate::trace::injected::{SnapshotMetadata, injection};
use crate::trace::record::SnapshotItem;
use tokens::Encoding;

/// Limit of a context's tokens, and the encoding that counts them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Budget {
    limit: Option<u64>,
    encoding: Encoding,
}

impl Budget {
    /// Applies the budget that a snapshot records. It remains until another one is recorded.
    pub(super) fn stated(&mut self, metadata: Option<SnapshotMetadata<'_>>) {
        let Some(metadata) = metadata else { return };
        self.limit = metadata.token_budget().or(self.limit);
        if let Some(encoding) = metadata.tokenizer().and_then(|name| Encoding::named(&name)) {
            self.encoding = encoding;
        }
    }

    /// Compares a context with the budget. Uses the larger of the tokens recorded for its items and
    /// those counted in the messages' text. `given` is the caller's budget; the smaller budget
    /// applies.
    pub(super) fn check(
        self,
        given: Option<u64>,
        items: &[SnapshotItem<'_>],
        messages: impl Iterator<Item = String>,
    ) -> Option<ContextBreak> {
        let limit = [self.limit, given].into_iter().flatten().min()?;
        let recorded = items.iter().fold(0_u64, |sum, item| {
            sum.saturating_add(item.tokens.get().unsigned_abs())
        });
        let counted = messages
            .filter_map(|m| injection(&m).map(|part| self.encoding.count(part) as u64))
            .fold(0_u64, u64::saturating_add);
        (recorded.max(counted) > limit).then_some(ContextBreak::OverBudget {
            recorded,
            counted: (counted > 0).then_some(counted),
            limit,
            tokenizer: self.encoding.name(),
        })
    }
}
