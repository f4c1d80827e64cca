//! Mutation testing of policies: drops, weakens, moves or loosens each rule, one change at a time.
//! A mutant that no case detects shows a rule that isn't tested.

use super::action::{kind_name, type_bit};
use super::compare::{FirstDifference, first_difference};
use super::condition::{CommandTest, Condition, PathTest, Predicate, TurnRange, risk_bit};
use super::difference::{Difference, DifferenceKind};
use super::effect::Effect;
use super::facts::{Category, bit};
use super::fuzz::Effort;
use super::model::{Combine, Policy, Rule};
use super::name::Name;
use super::network::NetworkPattern;
use super::question::Question;
use super::suite::Case;
use super::symbolic::Shared;
use governance::ActionType;
use governance::RiskLevel;
use shell_effects::EffectKind;
use std::sync::Arc;

/// A weakening change of a policy.
#[derive(Debug)]
pub struct Mutant {
    /// The changed rule; `None` for the policy's default.
    pub rule: Option<String>,
    /// The change.
    pub change: String,
    edit: Edit,
    /// What the mutants of the policy share, which have nearly all patterns in common.
    shared: Arc<Shared>,
}

/// How a mutant differs from its policy. Rules are named by their places.
#[derive(Debug)]
enum Edit {
    Drop(usize),
    Replace(usize, Box<Rule>),
    /// The rule changes places with the next one.
    Move(usize),
    Default(Effect),
}

impl Edit {
    fn apply(&self, policy: &Policy) -> Policy {
        let mut weak = policy.clone();
        match self {
            Self::Default(effect) => weak.default.effect = *effect,
            Self::Drop(at) => {
                weak.rules = policy.rules.with(|rules| {
                    rules.remove(*at);
                });
            }
            Self::Replace(at, new) => {
                weak.rules = policy.rules.with(|rules| {
                    if let Some(rule) = rules.get_mut(*at) {
                        rule.clone_from(new);
                    }
                });
            }
            Self::Move(at) => {
                weak.rules = policy.rules.with(|rules| rules.swap(*at, at + 1));
            }
        }
        weak
    }
}

/// The status of a mutant.
#[derive(Debug, Clone)]
pub enum MutantStatus {
    /// A case detects it.
    Killed,
    /// No case detects it, though this action shows the difference.
    Survived(DifferenceKind, Box<Difference>),
    /// No case detects it, and it is proved to make no action more permissive.
    Equivalent,
    /// No case detects it; no action with a difference is known, and none is excluded.
    Undecided,
}

impl Policy {
    /// All mutants of the policy, in the order of its rules.
    #[must_use]
    pub fn mutants(&self) -> Vec<Mutant> {
        let mut all = Vec::new();
        let shared: Arc<Shared> = Arc::default();
        let mut add = |rule: Option<&Rule>, change: String, edit: Edit| {
            all.push(Mutant {
                rule: rule.map(|r| r.id.clone()),
                change,
                edit,
                shared: Arc::clone(&shared),
            });
        };
        for (index, rule) in self.rules.iter().enumerate() {
            add(Some(rule), "dropped".into(), Edit::Drop(index));
            let mut replaced = |change: String, new: Rule| {
                add(Some(rule), change, Edit::Replace(index, Box::new(new)));
            };
            if let Some(effect) = more_permissive(rule.effect) {
                replaced(
                    format!("{effect} instead of {}", rule.effect),
                    Rule {
                        effect,
                        ..rule.clone()
                    },
                );
            }
            for (n, limit) in rule.limits.iter().enumerate() {
                let mut limits = rule.limits.clone();
                limits.remove(n);
                replaced(
                    format!("without `{}`", limit.key()),
                    Rule {
                        limits,
                        ..rule.clone()
                    },
                );
            }
            // A rule that allows gets worse when it takes more, any other when it takes less.
            let widen = rule.effect == Effect::Allow;
            for (change, when) in loosened(&rule.when, widen) {
                replaced(
                    change,
                    Rule {
                        when,
                        ..rule.clone()
                    },
                );
            }
            if let Some(next) = self.rules.get(index + 1)
                && self.combine == Combine::FirstMatch
                && next.effect != rule.effect
            {
                add(
                    Some(rule),
                    format!("moved behind `{}`", next.id),
                    Edit::Move(index),
                );
            }
        }
        if let Some(effect) = more_permissive(self.default.effect) {
            add(
                None,
                format!("{effect} instead of {}", self.default.effect),
                Edit::Default(effect),
            );
        }
        all
    }
}

impl Mutant {
    /// Runs the cases on the mutant of `policy`, which has to be the one that it was made from. If
    /// none detects it, searches for an action that shows the difference.
    #[must_use]
    pub fn status(&self, policy: &Policy, cases: &[Case], effort: &Effort) -> MutantStatus {
        let weak = self.edit.apply(policy);
        if cases.iter().any(|case| is_noticed(&weak, case)) {
            return MutantStatus::Killed;
        }
        let given: Vec<Question> = cases.iter().map(Case::question).collect();
        match first_difference(policy, &weak, &self.shared, &given, effort) {
            FirstDifference::Found(kind, shown) => MutantStatus::Survived(kind, shown),
            FirstDifference::Proven => MutantStatus::Equivalent,
            FirstDifference::Unknown => MutantStatus::Undecided,
        }
    }
}

/// Whether a case detects a mutant. Only decisions count: a case that merely names a removed rule
/// detects nothing.
fn is_noticed(mutant: &Policy, case: &Case) -> bool {
    let decision = mutant.decide(&case.request());
    decision.effect != case.expect.effect
        || case
            .expect
            .rule
            .as_deref()
            .is_some_and(|rule| rule != decision.rule_id())
}

fn more_permissive(effect: Effect) -> Option<Effect> {
    match effect {
        Effect::Allow => None,
        Effect::RequireApproval => Some(Effect::Allow),
        Effect::Deny => Some(Effect::RequireApproval),
    }
}

/// The description of a change, and the changed condition.
type ConditionMutation = (String, Condition);

/// The condition without one of its parts at a time, so that it matches more (`widen`) or less.
fn loosened(when: &Condition, widen: bool) -> Vec<ConditionMutation> {
    let mut all = Vec::new();
    match when {
        Condition::All(list) | Condition::Any(list) => {
            let is_all = matches!(when, Condition::All(_));
            let with = |list: Vec<Condition>| {
                if is_all {
                    Condition::All(list)
                } else {
                    Condition::Any(list)
                }
            };
            // The last alternative stays: without any, the rule would never match.
            if is_all == widen && (is_all || list.len() > 1) {
                for (n, part) in list.iter().enumerate() {
                    let mut rest = list.clone();
                    rest.remove(n);
                    all.push((format!("without {}", name(part)), with(rest)));
                }
            }
            for (n, part) in list.iter().enumerate() {
                for (change, new) in loosened(part, widen) {
                    let mut parts = list.clone();
                    if let Some(place) = parts.get_mut(n) {
                        *place = new;
                    }
                    all.push((change, with(parts)));
                }
            }
        }
        Condition::Not(inner) => {
            let inner = loosened(inner, !widen).into_iter();
            all.extend(inner.map(|(change, new)| {
                (format!("in `not`: {change}"), Condition::Not(Box::new(new)))
            }));
        }
        Condition::Is(predicate, text) => {
            let key = predicate.key();
            let parts = if widen {
                conditions(predicate)
            } else {
                alternatives(predicate)
            };
            all.extend(parts.into_iter().map(|(gone, new)| {
                (
                    format!("`{key}` without {gone}"),
                    Condition::Is(new, text.clone()),
                )
            }));
        }
    }
    all
}

fn name(part: &Condition) -> String {
    match part {
        Condition::Is(_, text) => format!("`{text}`"),
        Condition::Not(inner) => format!("`not` of {}", name(inner)),
        Condition::All(list) => format!("`all` of {} conditions", list.len()),
        Condition::Any(list) => format!("`any` of {} conditions", list.len()),
    }
}

/// The list without one of its elements at a time; none may become empty.
fn shorter<T: Clone>(list: &[T], show: impl Fn(&T) -> String) -> Vec<(String, Vec<T>)> {
    if list.len() < 2 {
        return Vec::new();
    }
    let without = |(n, gone): (usize, &T)| {
        let rest = list
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != n)
            .map(|(_, kept)| kept.clone())
            .collect();
        (show(gone), rest)
    };
    list.iter().enumerate().map(without).collect()
}

/// The set without one of its bits at a time; none may become empty.
fn fewer(bits: u32, all: impl Iterator<Item = (u32, &'static str)>) -> Vec<(String, u32)> {
    let less = |(bit, name): (u32, &str)| {
        (bits & bit != 0 && bits != bit).then(|| (format!("`{name}`"), bits & !bit))
    };
    all.filter_map(less).collect()
}

fn name_text(name: &Name) -> String {
    match name {
        Name::Exact(text) | Name::Star(text) => format!("`{text}`"),
        Name::Regex(regex, _) => format!("`{}`", regex.as_str()),
    }
}

/// The predicate without one of its alternatives at a time.
fn alternatives(predicate: &Predicate) -> Vec<(String, Predicate)> {
    fn each<T>(list: Vec<(String, T)>, make: impl Fn(T) -> Predicate) -> Vec<(String, Predicate)> {
        list.into_iter()
            .map(|(gone, rest)| (gone, make(rest)))
            .collect()
    }
    let regex = |r: &regex::Regex| format!("`{}`", r.as_str());
    let low = |bits: u32| u8::try_from(bits).unwrap_or(u8::MAX);
    match predicate {
        Predicate::Type(bits) => {
            let kinds = [
                ActionType::ToolCall,
                ActionType::ShellCmd,
                ActionType::CodeDiff,
                ActionType::Answer,
            ];
            let all = kinds
                .into_iter()
                .map(|k| (u32::from(type_bit(Some(k))), kind_name(k)));
            each(fewer(u32::from(*bits), all), |bits| {
                Predicate::Type(low(bits))
            })
        }
        Predicate::Risk(bits) => {
            let all = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High]
                .into_iter()
                .map(|r| (u32::from(risk_bit(r)), r.name()));
            each(fewer(u32::from(*bits), all), |bits| {
                Predicate::Risk(low(bits))
            })
        }
        Predicate::Category(bits) => each(
            fewer(*bits, Category::ALL.iter().map(|c| (c.bits(), c.name()))),
            Predicate::Category,
        ),
        Predicate::Effects(bits) => each(
            fewer(*bits, EffectKind::ALL.iter().map(|k| (bit(*k), k.as_str()))),
            Predicate::Effects,
        ),
        Predicate::Tool(names) => each(shorter(names, name_text), Predicate::Tool),
        Predicate::Agent(names) => each(shorter(names, name_text), Predicate::Agent),
        Predicate::Mode(names) => each(shorter(names, name_text), Predicate::Mode),
        Predicate::Host(names) => each(shorter(names, name_text), Predicate::Host),
        Predicate::Network(patterns) => {
            let show = |pattern: &NetworkPattern| format!("`{}`", pattern.text());
            each(shorter(patterns, show), Predicate::Network)
        }
        Predicate::Turn(ranges) => {
            let show = |range: &TurnRange| format!("`{}`", range.text());
            each(shorter(ranges, show), Predicate::Turn)
        }
        Predicate::Pattern(patterns) => each(shorter(patterns, regex), Predicate::Pattern),
        Predicate::Command(test) => {
            let program = each(shorter(&test.program, name_text), |program| {
                Predicate::Command(CommandTest {
                    program,
                    ..test.clone()
                })
            });
            let arg = each(shorter(&test.arg, name_text), |arg| {
                Predicate::Command(CommandTest {
                    arg,
                    ..test.clone()
                })
            });
            let raw = each(shorter(&test.raw, regex), |raw| {
                Predicate::Command(CommandTest {
                    raw,
                    ..test.clone()
                })
            });
            let own = each(shorter(&test.text, name_text), |text| {
                Predicate::Command(CommandTest {
                    text,
                    ..test.clone()
                })
            });
            [program, arg, raw, own].concat()
        }
        Predicate::Path(test) => {
            let show = |glob: &super::path::PathGlob| format!("`{}`", glob.text());
            let glob = each(shorter(&test.glob, show), |glob| {
                Predicate::Path(PathTest {
                    glob,
                    ..test.clone()
                })
            });
            let access = shorter(&test.access, |a| format!("`{}`", a.name()));
            let access = each(access, |access| {
                Predicate::Path(PathTest {
                    access,
                    ..test.clone()
                })
            });
            [glob, access].concat()
        }
        Predicate::Production(_)
        | Predicate::ApprovedBefore
        | Predicate::Granted(_)
        | Predicate::UsedUp(_) => Vec::new(),
    }
}

/// The predicate without one of its joint requirements at a time.
fn conditions(predicate: &Predicate) -> Vec<(String, Predicate)> {
    let mut all = Vec::new();
    match predicate {
        Predicate::Turn(ranges) => {
            if let [range] = ranges.as_slice()
                && range.least > 0
                && range.most < u64::MAX
            {
                let (earlier, later) = (
                    TurnRange { least: 0, ..*range },
                    TurnRange {
                        most: u64::MAX,
                        ..*range
                    },
                );
                for (gone, wider) in [("its start", earlier), ("its end", later)] {
                    all.push((gone.to_owned(), Predicate::Turn(vec![wider])));
                }
            }
        }
        Predicate::Command(test) => {
            let full = |t: &CommandTest| {
                !(t.program.is_empty()
                    && t.arg.is_empty()
                    && t.args.is_empty()
                    && t.raw.is_empty()
                    && t.text.is_empty())
            };
            let changed = [
                (
                    "`program`",
                    !test.program.is_empty(),
                    CommandTest {
                        program: Vec::new(),
                        ..test.clone()
                    },
                ),
                (
                    "`arg`",
                    !test.arg.is_empty(),
                    CommandTest {
                        arg: Vec::new(),
                        ..test.clone()
                    },
                ),
                (
                    "its arguments",
                    !test.args.is_empty(),
                    CommandTest {
                        args: Vec::new(),
                        ..test.clone()
                    },
                ),
                (
                    "`text`",
                    !test.text.is_empty(),
                    CommandTest {
                        text: Vec::new(),
                        ..test.clone()
                    },
                ),
                (
                    "`raw`",
                    !test.raw.is_empty(),
                    CommandTest {
                        raw: Vec::new(),
                        ..test.clone()
                    },
                ),
            ];
            let kept = changed
                .into_iter()
                .filter(|(_, stood, test)| *stood && full(test));
            all.extend(kept.map(|(gone, _, test)| (gone.to_owned(), Predicate::Command(test))));
        }
        Predicate::Path(test) => {
            let asks = |t: &PathTest| {
                !(t.glob.is_empty()
                    && t.except.is_empty()
                    && t.access.is_empty()
                    && t.outside.is_none()
                    && t.protected.is_none())
            };
            let changed = [
                (
                    "`glob`",
                    !test.glob.is_empty(),
                    PathTest {
                        glob: Vec::new(),
                        ..test.clone()
                    },
                ),
                (
                    "its exceptions",
                    !test.except.is_empty(),
                    PathTest {
                        except: Vec::new(),
                        ..test.clone()
                    },
                ),
                (
                    "`access`",
                    !test.access.is_empty(),
                    PathTest {
                        access: Vec::new(),
                        ..test.clone()
                    },
                ),
                (
                    "`outside_workdir`",
                    test.outside.is_some(),
                    PathTest {
                        outside: None,
                        ..test.clone()
                    },
                ),
                (
                    "`protected`",
                    test.protected.is_some(),
                    PathTest {
                        protected: None,
                        ..test.clone()
                    },
                ),
            ];
            let kept = changed
                .into_iter()
                .filter(|(_, stood, test)| *stood && asks(test));
            all.extend(kept.map(|(gone, _, test)| (gone.to_owned(), Predicate::Path(test))));
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::{load, load_cases};
    use super::*;

    const POLICY: &str = "version: 1
id: p
default: { effect: require_approval, reason: nothing matched }
rules:
  - id: no-remove
    when: { type: shell_cmd, command: { program: [rm, shred] } }
    effect: deny
    reason: removes
  - id: read
    when: { type: tool_call, tool: read_file }
    effect: allow
";

    fn survivors(cases: &str) -> Vec<String> {
        let policy = load("p", POLICY).unwrap();
        let cases = load_cases(cases).unwrap();
        let effort = Effort {
            seed: 1,
            cases: 600,
            only: Vec::new(),
        };
        let statuses = policy.mutants().into_iter().map(|m| {
            let survived = matches!(
                m.status(&policy, &cases, &effort),
                MutantStatus::Survived(..)
            );
            (
                survived,
                format!("{}: {}", m.rule.as_deref().unwrap_or("default"), m.change),
            )
        });
        statuses
            .filter(|(survived, _)| *survived)
            .map(|(_, name)| name)
            .collect()
    }

    const CASES: &str = "cases:
  - { name: rm, action: { type: shell_cmd, payload: { command: rm x } }, expect: { effect: deny, rule: no-remove } }
  - { name: read, action: { type: tool_call, payload: { tool: read_file, parameters: {} } }, expect: { effect: allow, rule: read } }
  - { name: write, action: { type: tool_call, payload: { tool: write_file, parameters: {} } }, expect: require_approval }
";

    #[test]
    fn every_kind_of_change_is_made() {
        let policy = load("p", POLICY).unwrap();
        let names: Vec<String> = policy
            .mutants()
            .iter()
            .map(|m| format!("{}: {}", m.rule.as_deref().unwrap_or("default"), m.change))
            .collect();
        let expected = [
            "no-remove: dropped",
            "no-remove: require_approval instead of deny",
            "no-remove: `command` without `rm`",
            "no-remove: `command` without `shred`",
            "no-remove: moved behind `read`",
            "read: dropped",
            "read: without `type: tool_call`",
            "read: without `tool: read_file`",
            "default: allow instead of require_approval",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn what_no_case_notices_survives_with_a_witness() {
        assert_eq!(survivors(CASES), ["no-remove: `command` without `shred`"]);
        let more = format!(
            "{CASES}  - {{ name: shred, action: {{ type: shell_cmd, payload: {{ command: shred x }} }}, expect: deny }}\n"
        );
        assert_eq!(survivors(&more), [""; 0]);
    }

    #[test]
    fn a_case_that_only_names_a_rule_kills_nothing() {
        let named = "cases:\n  - { name: w, action: { type: tool_call, payload: { tool: write_file, parameters: {} } }, expect: require_approval, near_miss: [read, no-remove] }\n";
        assert!(survivors(named).contains(&"no-remove: dropped".to_owned()));
    }
}
