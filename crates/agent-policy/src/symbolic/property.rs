//! Proves properties of a policy, or refutes them with an action.

use super::abstraction::Vocabulary;
use super::alternatives::TYPES;
use super::encoding::{EncodedRule, Encoder, PATHS, Truth};
use super::fact::Fact;
use super::formula::{FormulaId, TRUE};
use super::proof::Encoded;
use super::sketch::Sketch;
use super::solver::Answer;
use crate::action::type_bit;
use crate::condition::risk_bit;
use crate::effect::{Effect, Tristate};
use crate::facts::Facts;
use crate::fuzz::breaks_custom;
use crate::limit::Limit;
use crate::model::{Combine, Policy, Property};
use crate::path::Access;
use crate::question::Question;
use crate::witness_generation;
use governance::RiskLevel;

/// Maximum number of real actions to try as a witness.
const MAX_TRIED: usize = 4_000;

/// A property that the analysis can prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProvableProperty {
    /// Deny and ask carry a reason.
    Reasoned,
    /// No action of high risk is allowed.
    HumanForHigh,
    /// No write or delete outside of the work tree is allowed.
    NoEscape,
    /// A higher risk never gets a more permissive effect.
    RiskMonotone,
    /// Where the strictest rule decides, a further deny makes nothing more permissive.
    DenyAdds,
}

/// The result of proving a property.
#[derive(Debug, Clone)]
pub enum Proven {
    /// It holds for every action.
    Holds,
    /// It fails for this action, which the rule with the id decides.
    Fails {
        /// The action that refutes it, in its context.
        witness: Box<Question>,
        /// The effect on that action.
        found: Effect,
        /// The rule that decides, or `default`.
        rule: String,
    },
    /// It fails for an abstract action, and no real one is known.
    Inconclusive(String),
}

impl ProvableProperty {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Reasoned,
        Self::HumanForHigh,
        Self::NoEscape,
        Self::RiskMonotone,
        Self::DenyAdds,
    ];

    /// The id, the same as for `policy fuzz`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Reasoned => "reasoned",
            Self::HumanForHigh => "human-for-high",
            Self::NoEscape => "no-escape",
            Self::RiskMonotone => "risk-monotone",
            Self::DenyAdds => "deny-adds",
        }
    }

    /// Whether the property applies to a policy.
    #[must_use]
    pub fn concerns(self, policy: &Policy) -> bool {
        self != Self::DenyAdds || policy.combine == Combine::DenyOverrides
    }
}

impl Policy {
    /// Proves a built-in property.
    #[must_use]
    pub fn prove(&self, property: ProvableProperty) -> Proven {
        let mut encoder = Encoder::new();
        let mut symbolic = Encoded::new(self, &mut encoder);
        let [allow, ask, deny] = symbolic.decisions(&mut encoder.formulas);
        let breaks = match property {
            ProvableProperty::Reasoned => {
                let silent: Vec<FormulaId> = self
                    .silent()
                    .flat_map(|rule| {
                        let restricts = [Effect::RequireApproval, Effect::Deny];
                        restricts.map(|e| symbolic.decides(&mut encoder.formulas, rule, e))
                    })
                    .collect();
                let silent = encoder.any(silent);
                let restricts = encoder.any([ask, deny]);
                encoder.all([silent, restricts])
            }
            ProvableProperty::HumanForHigh => {
                let high = encoder.fact(Fact::Risk(risk_bit(RiskLevel::High)));
                encoder.all([high, allow])
            }
            ProvableProperty::NoEscape => {
                let outside = encoder.outside();
                encoder.all([outside, allow])
            }
            ProvableProperty::RiskMonotone => {
                let (raised, risks) = encoder.raise_risk(&[allow, ask, deny]);
                let [allow_after, ask_after, _] = raised;
                let from_deny = encoder.any([allow_after, ask_after]);
                let (one, other) = (
                    encoder.all([ask, allow_after]),
                    encoder.all([deny, from_deny]),
                );
                let differs = encoder.any([one, other]);
                encoder.all([differs, risks])
            }
            ProvableProperty::DenyAdds => {
                let before = [allow, ask, deny];
                let matches = Truth::known(encoder.fact(Fact::Opaque(0, "another rule".into())));
                let used_up = encoder.not(TRUE);
                let rule = EncodedRule {
                    matches,
                    used_up,
                    effect: Effect::Deny,
                };
                symbolic = Encoded::with(self, &mut encoder, rule);
                let [allow, ask, _] = symbolic.decisions(&mut encoder.formulas);
                let [_, old_ask, old_deny] = before;
                let from_deny = encoder.any([allow, ask]);
                let (one, other) = (
                    encoder.all([old_ask, allow]),
                    encoder.all([old_deny, from_deny]),
                );
                encoder.any([one, other])
            }
        };
        self.refute(encoder, breaks, &|question| {
            self.violates(property, question)
        })
    }

    /// Proves a property of the policy's own.
    #[must_use]
    pub fn prove_own(&self, property: &Property) -> Proven {
        let mut encoder = Encoder::new();
        let symbolic = Encoded::new(self, &mut encoder);
        let effects = symbolic.decisions(&mut encoder.formulas);
        let below = Effect::ALL.into_iter().zip(effects);
        let below: Vec<FormulaId> = below
            .filter(|(effect, _)| *effect < property.effect)
            .map(|(_, formula)| formula)
            .collect();
        let below = encoder.any(below);
        let concerned = encoder.condition(&property.for_all, false).yes;
        let breaks = encoder.all([concerned, below]);
        self.refute(encoder, breaks, &|question| {
            breaks_custom(property, self, question)
        })
    }

    /// Finds a real action for a formula; without any abstract one, the property is proved.
    fn refute(
        &self,
        mut encoder: Encoder,
        breaks: FormulaId,
        violates: &dyn Fn(&Question) -> bool,
    ) -> Proven {
        let plain = encoder.plain();
        let axioms = encoder.axioms();
        let parts = encoder.part_axioms(&self.surroundings.context().workdir);
        let globs = encoder.glob_order(&Vocabulary::new([self]));
        let types = TYPES.map(|kind| encoder.kinds(type_bit(kind)));
        let (mut solver, stated) = encoder.into_solver(parts, globs);
        let limits: Vec<Limit> = self.rules.iter().flat_map(|r| r.limits.clone()).collect();
        let whole = solver.formulas.and([breaks, axioms]);
        let mut doubt = match solver.solve(whole) {
            Answer::None => return Proven::Holds,
            Answer::Unknown => return Proven::Inconclusive("the work reached its bound".into()),
            Answer::Object(object) => Sketch::new(&object, &stated),
        };
        for object in solver.one_of_each(whole, &types, plain) {
            let sketch = Sketch::new(&object, &stated);
            let questions = witness_generation::questions_of(&sketch, &limits, MAX_TRIED, false);
            let shown = questions.into_iter().find(violates);
            if let Some(witness) = shown {
                let history = witness.history();
                let decision = self.decide(&witness.context.request(&witness.action, &history));
                return Proven::Fails {
                    found: decision.effect,
                    rule: decision.rule_id().to_owned(),
                    witness: Box::new(witness),
                };
            }
            doubt = sketch;
        }
        Proven::Inconclusive(doubt.to_string())
    }

    /// The rules that give no reason, and `None` for a default that gives none.
    fn silent(&self) -> impl Iterator<Item = Option<usize>> {
        let rules = self.rules.iter().enumerate().filter(|(_, rule)| {
            rule.reason
                .as_deref()
                .is_none_or(|reason| reason.trim().is_empty())
        });
        let default = self.default.reason.trim().is_empty().then_some(None);
        rules.map(|(index, _)| Some(index)).chain(default)
    }

    fn on(&self, question: &Question, holds: impl Fn(&Facts<'_>, Effect) -> bool) -> bool {
        let history = question.history();
        let request = question.context.request(&question.action, &history);
        let facts = Facts::new(&question.action, question.context.risk, &self.surroundings);
        holds(&facts, self.decide_on(&facts, &request).effect)
    }

    fn violates(&self, property: ProvableProperty, question: &Question) -> bool {
        match property {
            ProvableProperty::DenyAdds => false,
            ProvableProperty::Reasoned => {
                let history = question.history();
                let decision = self.decide(&question.context.request(&question.action, &history));
                decision.effect != Effect::Allow && self.silent().any(|rule| rule == decision.index)
            }
            ProvableProperty::HumanForHigh => self.on(question, |facts, effect| {
                facts.risk() == RiskLevel::High && effect == Effect::Allow
            }),
            ProvableProperty::NoEscape => self.on(question, |facts, effect| {
                let escapes = |place: crate::path::TouchedPath<'_>| {
                    place.facts.access != Access::Read && place.facts.inside == Tristate::No
                };
                effect == Effect::Allow && facts.touched_paths().any(escapes)
            }),
            ProvableProperty::RiskMonotone => {
                let effect = |risk| {
                    let mut raised = question.clone();
                    raised.context.risk = risk;
                    let history = raised.history();
                    self.decide(&raised.context.request(&raised.action, &history))
                        .effect
                };
                let levels = [None, Some(RiskLevel::Medium), Some(RiskLevel::High)];
                levels.windows(2).any(|pair| match pair {
                    [low, high] => effect(*high) < effect(*low),
                    _ => false,
                })
            }
        }
    }
}

impl Encoder {
    /// A path outside of the work tree is written or removed.
    fn outside(&mut self) -> FormulaId {
        let (write, delete, outside) = (
            self.fact(Fact::Access(Access::Write)),
            self.fact(Fact::Access(Access::Delete)),
            self.fact(Fact::NotInside),
        );
        let changes = self.any([write, delete]);
        let escapes = self.all([changes, outside]);
        self.formulas.some(PATHS, escapes)
    }

    /// Some formulas for the same action with a higher risk, and when that risk is higher.
    fn raise_risk<const N: usize>(&mut self, of: &[FormulaId; N]) -> ([FormulaId; N], FormulaId) {
        const LEVELS: [RiskLevel; 3] = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High];
        let mut renamed = std::collections::HashMap::new();
        let mut rename = |me: &mut Self, from: Fact| {
            let to = Fact::Raised(Box::new(from.clone()));
            let ids = (me.id(from), me.id(to));
            renamed.insert(ids.0, ids.1);
            (me.formulas.fact(ids.0), me.formulas.fact(ids.1))
        };
        let whole = LEVELS.map(|level| rename(self, Fact::Risk(risk_bit(level))));
        let parts = LEVELS.map(|level| rename(self, Fact::PartRisk(risk_bit(level))));
        let (approved, still) = rename(self, Fact::ApprovedBefore);
        let raised = of.map(|formula| self.formulas.rename(formula, &renamed));
        let mut all = Vec::new();
        // The stated risk applies to the whole and to each command.
        for pairs in [whole, parts] {
            let [(low, low_after), (_, medium_after), (high, high_after)] = pairs;
            let after = self.any([low_after, medium_after, high_after]);
            all.push(after);
            all.push(self.formulas.implies(low_after, low));
            all.push(self.formulas.implies(high, high_after));
        }
        let [(_, low), (_, medium), (_, high)] = whole;
        let [(_, part_low), (_, part_medium), (_, part_high)] = parts;
        for (one, other) in [(low, medium), (low, high), (medium, high)] {
            let both = self.all([one, other]);
            all.push(self.not(both));
        }
        // A command has at most the risk of the action.
        for (one, other) in [(low, part_medium), (low, part_high), (medium, part_high)] {
            let both = self.all([one, other]);
            all.push(self.not(both));
        }
        // The stated risk applies to each command too, so it may rise where the whole stays as it
        // is. Where the whole rises, the stated risk is the new one, and no command lies below it.
        let [(low_before, _), _, (high_before, _)] = whole;
        let raised_to_medium = self.all([low_before, medium]);
        let below = self.not(part_low);
        all.push(self.formulas.implies(raised_to_medium, below));
        let not_high = self.not(high_before);
        let raised_to_high = self.all([not_high, high]);
        let lower = self.any([part_low, part_medium]);
        let none = self.not(lower);
        all.push(self.formulas.implies(raised_to_high, none));
        all.push(self.formulas.implies(still, approved));
        let high_and_approved = self.all([high, still]);
        all.push(self.not(high_and_approved));
        (raised, self.all(all))
    }
}
