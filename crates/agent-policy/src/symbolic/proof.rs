//! Proves what a change of a policy allows.

use super::encoding::{EncodedRule, Encoder};
use super::formula::{FormulaId, Formulas, Object, TRUE};
use super::solver::{Answer, Solver};
use crate::effect::{Effect, Tristate};
use crate::model::{Combine, Policy};
use std::collections::BTreeSet;

/// Maximum number of pairs of deciding rules to list.
const MAX_PAIRS: usize = 400;

/// A pair of rules that decide differently on some abstract action.
#[derive(Debug, Clone)]
pub(crate) struct AbstractDifference {
    pub(crate) base: Effect,
    pub(crate) head: Effect,
    /// The rule of the base that decides; none when its default does.
    pub(crate) base_rule: Option<usize>,
    pub(crate) head_rule: Option<usize>,
}

/// What the analysis proves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proof {
    /// All pairs of rules by which an action becomes more permissive.
    pub(crate) permissive: Vec<AbstractDifference>,
    /// All pairs of rules by which an action becomes more restrictive.
    pub(crate) restrictive: Vec<AbstractDifference>,
    /// Whether the lists are complete: the analysis ended within its bounds.
    pub(crate) complete: bool,
    /// Patterns that can't be analysed.
    pub(crate) opaque: Vec<String>,
}

/// A policy as formulas.
pub(super) struct Encoded<'p> {
    policy: &'p Policy,
    rules: Vec<EncodedRule>,
    verdicts: Vec<Verdicts>,
}

/// Proves how the decisions of two policies differ.
pub(crate) fn prove(base: &Policy, head: &Policy) -> Proof {
    let mut encoder = Encoder::new();
    let [base, head] = [base, head].map(|policy| Encoded::new(policy, &mut encoder));
    let workdir = &base.policy.surroundings.context().workdir;
    // Each policy classifies paths by its own directory.
    if *workdir != head.policy.surroundings.context().workdir {
        return Proof::default();
    }
    let decisions = [&base, &head].map(|policy| policy.decisions(&mut encoder.formulas));
    let parts = encoder.part_axioms(workdir);
    let axioms = encoder.axioms();
    let [
        [base_allow, base_ask, base_deny],
        [head_allow, head_ask, head_deny],
    ] = decisions;
    let pairs = |encoder: &mut Encoder, some: [(FormulaId, FormulaId); 3]| {
        let both = some.map(|(one, other)| encoder.all([one, other]));
        encoder.any(both)
    };
    let permissive = pairs(
        &mut encoder,
        [
            (base_ask, head_allow),
            (base_deny, head_allow),
            (base_deny, head_ask),
        ],
    );
    let restrictive = pairs(
        &mut encoder,
        [
            (base_allow, head_ask),
            (base_allow, head_deny),
            (base_ask, head_deny),
        ],
    );
    let mut search = DifferenceSearch {
        opaque: encoder.opaque.iter().cloned().collect(),
        solver: Solver::new(encoder.formulas, encoder.languages),
        axioms,
        base,
        head,
    };
    for (collection, axiom) in parts {
        search.solver.assume(collection, axiom);
    }
    let (permissive, complete) = search.all(permissive);
    let (restrictive, also) = search.all(restrictive);
    Proof {
        permissive,
        restrictive,
        complete: complete && also,
        opaque: search.opaque,
    }
}

struct DifferenceSearch<'p> {
    solver: Solver,
    axioms: FormulaId,
    base: Encoded<'p>,
    head: Encoded<'p>,
    opaque: Vec<String>,
}

impl DifferenceSearch<'_> {
    /// All pairs of rules that decide on actions which meet a formula; whether these are all.
    fn all(&mut self, differs: FormulaId) -> (Vec<AbstractDifference>, bool) {
        let mut found = Vec::new();
        let mut wanted = self.solver.formulas.and([differs, self.axioms]);
        let mut seen = BTreeSet::new();
        while found.len() < MAX_PAIRS {
            let object = match self.solver.solve(wanted) {
                Answer::Object(object) => object,
                Answer::None => return (found, true),
                Answer::Unknown => return (found, false),
            };
            let (base, base_rule) = self.base.decide(&self.solver, &object);
            let (head, head_rule) = self.head.decide(&self.solver, &object);
            debug_assert!(base != head, "the formulas and their evaluation agree");
            if !seen.insert((base_rule, head_rule, base, head)) {
                return (found, false);
            }
            let both = [
                (self.base).decides(&mut self.solver.formulas, base_rule, base),
                (self.head).decides(&mut self.solver.formulas, head_rule, head),
            ];
            let both = self.solver.formulas.and(both);
            let others = self.solver.formulas.not(both);
            wanted = self.solver.formulas.and([wanted, others]);
            found.push(AbstractDifference {
                base,
                head,
                base_rule,
                head_rule,
            });
        }
        (found, false)
    }
}

/// When a rule decides, if nothing stricter does.
#[derive(Debug, Clone, Copy)]
struct Verdicts {
    /// It matches, and its effect is the one at the index.
    certain: [FormulaId; 3],
    /// It may match, so a human is asked.
    doubtful: FormulaId,
}

impl<'p> Encoded<'p> {
    pub(super) fn new(policy: &'p Policy, encoder: &mut Encoder) -> Self {
        let rules = encoder.rules(policy);
        let formulas = &mut encoder.formulas;
        let mut reached = TRUE;
        let mut verdicts = Vec::new();
        for rule in &rules {
            let free = formulas.not(rule.used_up);
            let matched = formulas.and([reached, rule.matches.yes]);
            let certain = Effect::ALL.map(|effect| {
                let when = match (effect, rule.effect) {
                    (Effect::Deny, Effect::Deny) => TRUE,
                    (Effect::Deny, _) => rule.used_up,
                    (effect, own) if effect == own => free,
                    _ => formulas.never(),
                };
                formulas.and([matched, when])
            });
            // A doubtful rule that allows says nothing, unless its limit is used up.
            let restricts = if rule.effect == Effect::Allow {
                rule.used_up
            } else {
                TRUE
            };
            let unsure = formulas.not(rule.matches.yes);
            let doubtful = formulas.and([reached, rule.matches.possible, unsure, restricts]);
            verdicts.push(Verdicts { certain, doubtful });
            let [_, _, denies] = certain;
            let ends = match policy.combine {
                Combine::FirstMatch => matched,
                Combine::DenyOverrides => denies,
            };
            let goes_on = formulas.not(ends);
            reached = formulas.and([reached, goes_on]);
        }
        Self {
            policy,
            rules,
            verdicts,
        }
    }

    /// When some rule certainly has this effect.
    fn some_certain(&self, formulas: &mut Formulas, effect: Effect) -> FormulaId {
        let all: Vec<FormulaId> = self.verdicts.iter().map(|v| v.of(effect)).collect();
        formulas.or(all)
    }

    fn some_doubtful(&self, formulas: &mut Formulas) -> FormulaId {
        formulas.or(self.verdicts.iter().map(|v| v.doubtful))
    }

    /// When the policy allows, asks and denies.
    pub(super) fn decisions(&self, formulas: &mut Formulas) -> [FormulaId; 3] {
        let certain = Effect::ALL.map(|effect| self.some_certain(formulas, effect));
        let settled = formulas.or(certain);
        let open = formulas.not(settled);
        let [_, mut ask, mut deny] = certain;
        // The default decides if nothing is settled; a doubtful rule only makes it stricter.
        match self.policy.default.effect {
            Effect::Allow => {}
            Effect::RequireApproval => ask = formulas.or([ask, open]),
            Effect::Deny => deny = formulas.or([deny, open]),
        }
        let doubtful = self.some_doubtful(formulas);
        let asked = formulas.or([ask, doubtful]);
        let strict = formulas.or([deny, asked]);
        let not_deny = formulas.not(deny);
        [formulas.not(strict), formulas.and([not_deny, asked]), deny]
    }

    /// When a rule, or the default, decides with this effect.
    fn decides(&self, formulas: &mut Formulas, rule: Option<usize>, effect: Effect) -> FormulaId {
        let mut all = Vec::new();
        let asks = Effect::RequireApproval;
        if rule.is_none() || effect < asks {
            // A doubtful rule decides before anything more permissive.
            let doubtful = self.some_doubtful(formulas);
            if effect <= asks {
                all.push(formulas.not(doubtful));
            }
        }
        for other in Effect::ALL {
            if rule.is_none() || other > effect {
                let some = self.some_certain(formulas, other);
                all.push(formulas.not(some));
            }
        }
        if let Some((index, own)) = rule.and_then(|at| Some((at, self.verdicts.get(at)?))) {
            let before = self.verdicts.get(..index).unwrap_or_default();
            let earlier = formulas.or(before.iter().map(|v| v.of(effect)));
            let first = formulas.not(earlier);
            let mut either = vec![formulas.and([own.of(effect), first])];
            if effect == asks {
                let earlier = formulas.or(before.iter().map(|v| v.doubtful));
                let certain = self.some_certain(formulas, effect);
                let (first, unsure) = (formulas.not(earlier), formulas.not(certain));
                either.push(formulas.and([own.doubtful, first, unsure]));
            }
            all.push(formulas.or(either));
        }
        formulas.and(all)
    }

    /// What the policy decides on an abstract action, and by which rule.
    pub(super) fn decide(&self, solver: &Solver, object: &Object) -> (Effect, Option<usize>) {
        let mut rules = self.rules.iter();
        let decision = self.policy.decide_by(0..self.rules.len(), |rule| {
            let Some(encoded) = rules.next() else {
                return (Tristate::No, None);
            };
            let holds = if solver.holds(encoded.matches.yes, object) {
                Tristate::Yes
            } else {
                let may = solver.holds(encoded.matches.possible, object);
                if may { Tristate::Maybe } else { Tristate::No }
            };
            let used_up = solver.holds(encoded.used_up, object);
            let limit = rule.limits.first().filter(|_| used_up);
            (holds, limit.map(|limit| (*limit, 0)))
        });
        (decision.effect, decision.index)
    }
}

impl Verdicts {
    fn of(&self, effect: Effect) -> FormulaId {
        let [allow, ask, deny] = self.certain;
        match effect {
            Effect::Allow => allow,
            Effect::RequireApproval => ask,
            Effect::Deny => deny,
        }
    }
}
