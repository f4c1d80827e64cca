//! Decides on an action, and explains the decision.

use super::condition::{Condition, actual};
use super::effect::{Effect, Tristate};
use super::facts::Facts;
use super::grant_scope::uncovered_effect;
use super::limit::Limit;
use super::model::{Combine, Policy, Rule};
use super::request::Request;
use std::borrow::Cow;

/// The decision of a policy on an action.
#[derive(Debug, Clone)]
pub struct Decision<'p> {
    pub effect: Effect,
    /// The rule that decided; none when the policy's default did.
    pub rule: Option<&'p Rule>,
    /// The index of that rule in the policy.
    pub index: Option<usize>,
    /// Why the rule decided.
    pub cause: Cause<'p>,
}

/// Why a rule, or the default, decided.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause<'p> {
    /// The rule matches.
    Matches,
    /// It is unknown whether the rule matches, so a human is asked.
    MayMatch,
    /// A limit of the rule is used up, with the count.
    Limit(Limit, u64),
    /// No rule matched.
    Default(&'p str),
}

impl Decision<'_> {
    /// The reason for the decision. Never empty.
    #[must_use]
    pub fn reason(&self) -> Cow<'_, str> {
        let own = self.rule.and_then(|r| r.reason.as_deref());
        match (&self.cause, own, self.rule) {
            (Cause::Default(reason), _, _) => Cow::Borrowed(reason),
            (Cause::Matches, Some(reason), _) => Cow::Borrowed(reason),
            (Cause::Matches, None, Some(rule)) => Cow::Owned(format!("rule `{}` matches", rule.id)),
            (Cause::Matches, None, None) => Cow::Borrowed("no rule"),
            (Cause::MayMatch, Some(reason), _) => Cow::Owned(format!(
                "it can't be determined from the action whether it does this: {reason}"
            )),
            (Cause::MayMatch, None, rule) => Cow::Owned(format!(
                "it can't be determined from the action whether rule `{}` matches",
                rule.map_or("", |r| &r.id)
            )),
            (Cause::Limit(limit, count), _, _) => Cow::Owned(limit.exceeded(*count)),
        }
    }

    /// The id of the rule; `default` when no rule matched.
    #[must_use]
    pub fn rule_id(&self) -> &str {
        self.rule.map_or("default", |r| &r.id)
    }
}

/// How one rule evaluates an action.
#[derive(Debug, Clone)]
pub struct RuleExplanation<'p> {
    pub rule: &'p Rule,
    /// Whether it matches.
    pub holds: Tristate,
    /// The reason. May contain hostile text.
    pub why: String,
    /// Whether an earlier rule had already decided.
    pub too_late: bool,
}

impl Policy {
    /// Decides on a request. The same request always gets the same decision.
    #[must_use]
    pub fn decide(&self, request: &Request<'_>) -> Decision<'_> {
        let facts = Facts::new(request.action, request.risk, &self.surroundings);
        self.decide_on(&facts, request)
    }

    pub(crate) fn decide_on(&self, facts: &Facts<'_>, request: &Request<'_>) -> Decision<'_> {
        let candidates = self.rules.prefilter().candidates(facts);
        self.decide_by(candidates, |rule| {
            let holds = rule.matches(facts, request);
            let limits = rule.limits.iter().filter(|_| holds != Tristate::No);
            let used_up = |l: &Limit| l.used_up(request).map(|count| (*l, count));
            (holds, limits.into_iter().find_map(used_up))
        })
    }

    /// Combines what rules say: whether each matches, and which of its limits is used up.
    pub(crate) fn decide_by(
        &self,
        candidates: impl IntoIterator<Item = usize>,
        mut verdict: impl FnMut(&Rule) -> (Tristate, Option<(Limit, u64)>),
    ) -> Decision<'_> {
        // The strictest effect so far, with its rule.
        let mut best: Option<Verdict<'_>> = None;
        let mut settled = false;
        for index in candidates {
            let Some(rule) = self.rules.get(index) else {
                break;
            };
            let (holds, limit) = verdict(rule);
            if holds == Tristate::No {
                continue;
            }
            let (effect, cause) = match (limit, holds) {
                (Some((limit, count)), _) => (Effect::Deny, Cause::Limit(limit, count)),
                (None, Tristate::Yes) => (rule.effect, Cause::Matches),
                (None, _) => (rule.effect, Cause::MayMatch),
            };
            if holds == Tristate::Maybe {
                // Whatever later rules say, a human must approve.
                if effect != Effect::Allow {
                    best = Some(stricter(
                        best,
                        (Effect::RequireApproval, index, Cause::MayMatch),
                    ));
                }
                continue;
            }
            best = Some(stricter(best, (effect, index, cause)));
            settled = true;
            if self.combine == Combine::FirstMatch || effect == Effect::Deny {
                break;
            }
        }
        let (effect, index, cause) = match best {
            Some((effect, index, cause)) if settled || effect >= self.default.effect => {
                (effect, Some(index), cause)
            }
            _ => (
                self.default.effect,
                None,
                Cause::Default(&self.default.reason),
            ),
        };
        let rule = index.and_then(|i| self.rules.get(i));
        Decision {
            effect,
            rule,
            index,
            cause,
        }
    }

    /// The risk that the policy uses: the higher of the stated and the computed risk.
    #[must_use]
    pub fn risk(&self, request: &Request<'_>) -> governance::RiskLevel {
        Facts::new(request.action, request.risk, &self.surroundings).risk()
    }

    /// Evaluates every rule, and explains why it matches or doesn't.
    #[must_use]
    pub fn explain(&self, request: &Request<'_>) -> Vec<RuleExplanation<'_>> {
        let facts = Facts::new(request.action, request.risk, &self.surroundings);
        let decided = self.decide_on(&facts, request);
        let last = if decided.effect == Effect::Deny || self.combine == Combine::FirstMatch {
            self.rules
                .iter()
                .position(|r| r.matches(&facts, request) == Tristate::Yes)
        } else {
            None
        };
        let consulted =
            |(index, rule)| consult(rule, &facts, request, last.is_some_and(|last| index > last));
        self.rules.iter().enumerate().map(consulted).collect()
    }
}

impl Rule {
    /// Whether the rule matches. A rule that allows must also cover all effects of the action.
    pub(crate) fn matches(&self, facts: &Facts<'_>, request: &Request<'_>) -> Tristate {
        let allows = self.effect == Effect::Allow;
        let holds = self.when.holds(facts, request, allows);
        if allows
            && holds == Tristate::Yes
            && uncovered_effect(&self.when, facts, request).is_some()
        {
            Tristate::No
        } else {
            holds
        }
    }
}

/// Evaluates one rule, with the reason.
fn consult<'p>(
    rule: &'p Rule,
    facts: &Facts<'_>,
    request: &Request<'_>,
    too_late: bool,
) -> RuleExplanation<'p> {
    let strict = rule.effect == Effect::Allow;
    let holds = rule.when.holds(facts, request, strict);
    let gap = if strict && holds == Tristate::Yes {
        uncovered_effect(&rule.when, facts, request)
    } else {
        None
    };
    if let Some(gap) = gap {
        return RuleExplanation {
            rule,
            holds: Tristate::No,
            why: format!("every condition holds, but {gap}"),
            too_late,
        };
    }
    let mut why = match holds {
        Tristate::Yes => "every condition holds".to_owned(),
        Tristate::Maybe | Tristate::No => first_failure(&rule.when, facts, request, strict, holds)
            .unwrap_or_else(|| "none of its alternatives holds".to_owned()),
    };
    if let Some(limit) = rule
        .limits
        .iter()
        .find(|l| l.used_up(request).is_some())
        .filter(|_| holds == Tristate::Yes)
    {
        why.push_str(&format!("; `{}` is used up", limit.key()));
    }
    RuleExplanation {
        rule,
        holds,
        why,
        too_late,
    }
}

/// The stricter of two; between equals the certain one, then the earlier one.
fn stricter<'p>(best: Option<Verdict<'p>>, new: Verdict<'p>) -> Verdict<'p> {
    match best {
        Some(before) if before.0 > new.0 => before,
        Some(before)
            if before.0 == new.0 && (before.2 != Cause::MayMatch || new.2 == Cause::MayMatch) =>
        {
            before
        }
        _ => new,
    }
}

/// An effect, the index of its rule, and the cause.
type Verdict<'p> = (Effect, usize, Cause<'p>);

/// Describes the first key for which a condition fails.
fn first_failure(
    when: &Condition,
    facts: &Facts<'_>,
    request: &Request<'_>,
    strict: bool,
    found: Tristate,
) -> Option<String> {
    match when {
        Condition::All(list) => list
            .iter()
            .find(|c| c.holds(facts, request, strict) == found)
            .and_then(|c| first_failure(c, facts, request, strict, found)),
        Condition::Any(list) => list.first().and_then(|c| {
            first_failure(c, facts, request, strict, c.holds(facts, request, strict))
        }),
        Condition::Not(inner) => {
            let inner =
                first_failure(inner, facts, request, !strict, found.not()).or_else(
                    || match &**inner {
                        Condition::Is(predicate, text) => Some(format!(
                            "`{text}` holds: {}",
                            actual(predicate.key(), facts, request)
                        )),
                        _ => None,
                    },
                );
            inner.map(|text| format!("`not`: {text}"))
        }
        Condition::Is(predicate, text) => {
            let actual = actual(predicate.key(), facts, request);
            match found {
                Tristate::Yes => None,
                Tristate::Maybe => Some(format!(
                    "it can't be determined whether `{text}` holds: {actual}"
                )),
                Tristate::No
                    if strict
                        && matches!(
                            predicate.key(),
                            "path" | "host" | "network" | "effects" | "category" | "command"
                        ) =>
                {
                    let lacking = lacking(predicate.key(), facts).unwrap_or_default();
                    Some(format!(
                        "`{text}` doesn't cover all of it: {actual}{lacking}"
                    ))
                }
                Tristate::No => Some(format!("`{text}` doesn't hold: {actual}")),
            }
        }
    }
}

/// Names the first of several commands that has no item for the key. Each command must be covered
/// by itself.
fn lacking(key: &str, facts: &Facts<'_>) -> Option<String> {
    let (part, what) = match key {
        "path" => (facts.without_path()?, "touches no path"),
        "host" | "network" => (facts.without_host()?, "contacts no host"),
        "command" => (facts.without_step()?, "is no program"),
        _ => return None,
    };
    let text = facts
        .parts()
        .texts(facts.line())
        .nth(part)
        .filter(|text| !text.is_empty());
    Some(text.map_or_else(
        || format!("; something beside the commands {what}"),
        |text| format!("; `{text}` {what}"),
    ))
}
