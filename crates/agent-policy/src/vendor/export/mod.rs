//! Settings of a coding agent that are never more permissive than a policy.
//!
//! A draft holds what the vendor can say of the rules. It is read back like any file of the
//! vendor, and the proof lists what it would allow beyond the policy. The draft is made stricter
//! until nothing is left, or until the vendor has nothing stricter to say.

mod claude;
mod claude_specs;
mod clauses;
mod codex;

use super::{Translation, VendorFormat};
use crate::compare::compare;
use crate::difference::Comparison;
use crate::effect::Effect;
use crate::fuzz::Effort;
use crate::model::{Policy, Rule};
use crate::read::load_tree;
use crate::symbolic::prove;
use crate::yaml::{Position, Problem};
use std::collections::BTreeMap;

/// Maximum number of times that a draft is made stricter.
const MAX_ROUNDS: usize = 12;
/// Maximum number of rules to take in again one by one, after they were left out together.
const MAX_RESTORED: usize = 12;

/// A rule that the settings don't say as the policy does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The id of the rule; `default` for the policy's default. May contain hostile text.
    pub rule: String,
    /// The place in the policy.
    pub at: Position,
    /// What the settings say instead. May contain hostile text.
    pub message: String,
}

/// Settings of an agent that were made from a policy.
#[derive(Debug)]
pub struct Export {
    /// The text of the file.
    pub text: String,
    /// What isn't said, or more strictly, in the order of the policy.
    pub lost: Vec<Loss>,
    /// The policy compared with the settings as they are read back.
    pub comparison: Comparison,
    /// Actions that no settings of this agent are about, if the policy is stricter about them.
    /// They are left out of the comparison.
    pub not_compared: Option<&'static str>,
}

impl Export {
    /// Whether the settings are shown to be more permissive than the policy.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        let mut kinds = self.comparison.differences.keys();
        kinds.any(super::super::difference::DifferenceKind::is_more_permissive)
    }

    /// Whether it is proved that the settings are never more permissive than the policy.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        !self.is_refuted() && self.comparison.unproven.is_empty()
    }
}

/// Something that a draft allows or asks about, and the policy doesn't.
struct Excess<'h> {
    base: Effect,
    base_rule: Option<usize>,
    head: Effect,
    /// The id of the rule of the draft; none for its default.
    head_rule: Option<&'h str>,
}

/// A rule of the policy, by its index, and the rule of the draft that its permissions are part of.
type Part = (usize, &'static str);

/// Settings in the making.
trait Draft {
    fn text(&self) -> String;

    /// The settings as they are read back.
    fn translate(&self) -> Result<Translation, Vec<Problem>>;

    /// Makes the settings stricter; returns whether that was possible.
    fn tighten(&mut self, excess: &[Excess<'_>]) -> bool;

    /// The permissions that were left out.
    fn left_out(&self) -> Vec<Part>;

    /// Takes permissions in again, or leaves them out.
    fn restore(&mut self, part: Part, kept: bool);

    /// What isn't said of each rule, and of the default.
    fn lost(&self) -> BTreeMap<Option<usize>, Vec<String>>;

    /// Actions that no settings are about.
    fn not_compared(&self) -> Option<&'static str>;
}

/// Writes the settings of an agent that are nearest to a policy and never more permissive, and
/// compares them with it. `None` for an agent whose settings aren't written.
///
/// # Errors
/// If the settings can't be read back.
pub fn export(
    policy: &Policy,
    format: VendorFormat,
    effort: &Effort,
) -> Option<Result<Export, Vec<Problem>>> {
    match format {
        VendorFormat::Claude => Some(finish(policy, &mut claude::Settings::new(policy), effort)),
        VendorFormat::Codex => Some(finish(policy, &mut codex::RuleFile::new(policy), effort)),
        VendorFormat::Gemini => None,
    }
}

fn finish(policy: &Policy, draft: &mut dyn Draft, effort: &Effort) -> Result<Export, Vec<Problem>> {
    let mut fits = false;
    for _ in 0..MAX_ROUNDS {
        let head = read_back(draft)?;
        let excess = excess(policy, &head);
        fits = excess.is_empty();
        if fits || !draft.tighten(&excess) {
            break;
        }
    }
    if fits {
        for part in draft.left_out().into_iter().take(MAX_RESTORED) {
            draft.restore(part, true);
            let head = read_back(draft)?;
            if !excess(policy, &head).is_empty() {
                draft.restore(part, false);
            }
        }
    }
    let comparison = compare(policy, &read_back(draft)?, &[], effort);
    let mut lost = Vec::new();
    if !comparison.equivalent {
        for (rule, messages) in draft.lost() {
            let rule = rule.and_then(|rule| policy.rules.get(rule));
            let default = policy.default.at.unwrap_or_default();
            lost.extend(messages.into_iter().map(|message| Loss {
                rule: rule.map_or_else(|| "default".to_owned(), |rule| rule.id.clone()),
                at: rule.map_or(default, |rule| rule.at),
                message,
            }));
        }
    }
    lost.extend(besides_decisions(policy));
    Ok(Export {
        text: draft.text(),
        lost,
        comparison,
        not_compared: draft.not_compared(),
    })
}

/// What a policy says besides what it decides. No settings can say it.
fn besides_decisions(policy: &Policy) -> Vec<Loss> {
    let properties = policy.properties.iter().map(|property| Loss {
        rule: property.id.clone(),
        at: property.at,
        message: "settings have no properties: prove it for the policy".to_owned(),
    });
    let monitor = policy.monitor.then(|| Loss {
        rule: "mode".to_owned(),
        at: Position::START,
        message: "the policy only monitors, and the settings enforce it".to_owned(),
    });
    properties.chain(monitor).collect()
}

/// The draft as a policy. Actions that it can't be about count as denied.
fn read_back(draft: &dyn Draft) -> Result<Policy, Vec<Problem>> {
    let mut pack = draft.translate()?;
    if draft.not_compared().is_some() {
        pack.deny_unasked();
    }
    load_tree("export", &pack.tree())
}

/// What the draft may decide more permissively. Empty also where the proof ends too early, which
/// the comparison reports.
fn excess<'h>(policy: &Policy, head: &'h Policy) -> Vec<Excess<'h>> {
    let proof = prove(policy, head);
    let kinds = proof.kinds.iter().filter(|kind| kind.is_more_permissive());
    let all = kinds.map(|kind| Excess {
        base: kind.base,
        base_rule: kind.base_rule,
        head: kind.head,
        head_rule: kind
            .head_rule
            .and_then(|at| head.rules.get(at))
            .map(|rule| rule.id.as_str()),
    });
    all.collect()
}

/// What a rule decides about, to compare rules with.
fn meaning(rule: &Rule) -> (Effect, String) {
    (rule.effect, format!("{:?} {:?}", rule.limits, rule.when))
}

#[cfg(test)]
mod tests;
