//! The built-in properties of policies, and the check of custom ones.

use crate::action::Action;
use crate::effect::{Effect, Tristate};
use crate::facts::Facts;
use crate::flags::respelled;
use crate::model::{self, Combine, Policy};
use crate::path::Access;
use crate::question::{Context, Question};
use crate::request::{History, Past, Request};
use governance::RiskLevel;
use serde_json::Value;
use shell_effects::rewrite::rewritings;

/// An input to check a property on.
#[derive(Debug, Clone)]
pub(super) struct TestInput {
    pub(super) action: Action,
    /// A second command, to combine with the first.
    pub(super) second: String,
    pub(super) seed: u64,
    /// The name of an agent and a mode.
    pub(super) name: Option<String>,
    pub(super) production: bool,
    pub(super) turn: Option<u64>,
    /// Number of approvals in the history.
    pub(super) approvals: u64,
}

/// A property of policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "`meaning` says it")]
pub enum PropertyKind {
    Deterministic,
    Reasoned,
    RiskMonotone,
    RewriteStable,
    PathStable,
    Composition,
    NoEscape,
    HumanForHigh,
    HistoryFree,
    DenyAdds,
    Custom,
}

/// A counterexample.
#[derive(Debug, Clone)]
pub struct Violation {
    pub action: Action,
    /// The least restrictive effect that is accepted.
    pub expected: Effect,
    /// The effect of the decision.
    pub found: Effect,
    /// The rule that decided.
    pub rule: String,
    /// How the two compare. May contain hostile text.
    pub explanation: String,
    /// Whether a rewritten command evades a rule.
    pub evasion: bool,
    /// The context, as test files write it.
    pub context: Option<Value>,
}

/// The result of checking a property on one input.
pub(super) enum CheckResult {
    /// The property doesn't apply to this action.
    NotApplicable,
    Holds,
    Violated(Box<Violation>),
}

impl PropertyKind {
    /// The built-in properties.
    pub const ALL: [Self; 10] = [
        Self::Deterministic,
        Self::Reasoned,
        Self::RiskMonotone,
        Self::RewriteStable,
        Self::PathStable,
        Self::Composition,
        Self::NoEscape,
        Self::HumanForHigh,
        Self::HistoryFree,
        Self::DenyAdds,
    ];

    /// The id in reports.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Deterministic => "deterministic",
            Self::Reasoned => "reasoned",
            Self::RiskMonotone => "risk-monotone",
            Self::RewriteStable => "rewrite-stable",
            Self::PathStable => "path-stable",
            Self::Composition => "composition",
            Self::NoEscape => "no-escape",
            Self::HumanForHigh => "human-for-high",
            Self::HistoryFree => "history-free",
            Self::DenyAdds => "deny-adds",
            Self::Custom => "own",
        }
    }

    /// The meaning of the property.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Deterministic => "the same request gets the same decision, and exactly one",
            Self::Reasoned => "deny and require_approval carry a reason",
            Self::RiskMonotone => "a higher risk never gets a more permissive effect",
            Self::RewriteStable => {
                "a rewriting that keeps a command's meaning never gets a more permissive effect"
            }
            Self::PathStable => "the spelling of a path doesn't matter",
            Self::Composition => {
                "commands together are at least as strict as the strictest of them"
            }
            Self::NoEscape => "no write or delete outside the work tree is allowed",
            Self::HumanForHigh => "no action of high risk is allowed",
            Self::HistoryFree => "without limits the history doesn't change a decision",
            Self::DenyAdds => {
                "where the strictest rule counts, a further deny makes nothing more permissive"
            }
            Self::Custom => "a property of the policy's own",
        }
    }

    /// Whether the property applies to a policy.
    #[must_use]
    pub fn concerns(self, policy: &Policy) -> bool {
        match self {
            Self::HistoryFree => !policy.uses_history(),
            Self::DenyAdds => policy.combine == Combine::DenyOverrides && !policy.rules.is_empty(),
            _ => true,
        }
    }

    pub(super) fn check(
        self,
        policy: &Policy,
        own: Option<&model::Property>,
        input: &TestInput,
    ) -> CheckResult {
        let check = PropertyCheck {
            policy,
            input,
            history: History::default(),
        };
        match self {
            Self::Deterministic => check.deterministic(),
            Self::Reasoned => check.reasoned(),
            Self::RiskMonotone => check.risk_monotone(),
            Self::RewriteStable => check.rewrite_stable(),
            Self::PathStable => check.path_stable(),
            Self::Composition => check.composition(),
            Self::NoEscape => check.no_escape(),
            Self::HumanForHigh => check.human_for_high(),
            Self::HistoryFree => check.history_free(),
            Self::DenyAdds => check.deny_adds(),
            Self::Custom => own.map_or(CheckResult::NotApplicable, |own| check.own(own)),
        }
    }
}

/// A check of one property on one input.
struct PropertyCheck<'t> {
    policy: &'t Policy,
    input: &'t TestInput,
    history: History,
}

impl PropertyCheck<'_> {
    fn request<'a>(&'a self, action: &'a Action, risk: Option<RiskLevel>) -> Request<'a> {
        let name = self.input.name.as_deref();
        Request {
            risk,
            agent: name,
            mode: name,
            production: self.input.production,
            turn: self.input.turn,
            ..Request::new(action, &self.history)
        }
    }

    fn effect(&self, action: &Action) -> Effect {
        self.policy.decide(&self.request(action, None)).effect
    }

    /// Checks that the action gets at least this effect.
    fn at_least(
        &self,
        expected: Effect,
        action: Action,
        explanation: String,
        evasion: bool,
    ) -> CheckResult {
        let (found, rule) = {
            let request = self.request(&action, None);
            let decision = self.policy.decide(&request);
            (decision.effect, decision.rule_id().to_owned())
        };
        if found >= expected {
            return CheckResult::Holds;
        }
        CheckResult::Violated(Box::new(Violation {
            action,
            expected,
            found,
            rule,
            explanation,
            evasion,
            context: None,
        }))
    }

    fn deterministic(&self) -> CheckResult {
        let first = self.effect(&self.input.action);
        let copy = Action::recorded(
            &self.input.action.kind_name,
            self.input.action.payload.clone(),
        );
        if self.effect(&copy) == first {
            return CheckResult::Holds;
        }
        self.at_least(
            Effect::Deny,
            copy,
            "asked twice, the policy says two things".into(),
            false,
        )
    }

    fn reasoned(&self) -> CheckResult {
        let action = &self.input.action;
        let request = self.request(action, None);
        let decision = self.policy.decide(&request);
        if decision.effect == Effect::Allow {
            return CheckResult::NotApplicable;
        }
        if decision.rule.is_none_or(|r| r.reason.is_some()) && !decision.reason().trim().is_empty()
        {
            return CheckResult::Holds;
        }
        let explanation = format!("the rule `{}` gives no reason", decision.rule_id());
        CheckResult::Violated(Box::new(Violation {
            action: action.clone(),
            expected: decision.effect,
            found: decision.effect,
            rule: decision.rule_id().to_owned(),
            explanation,
            evasion: false,
            context: None,
        }))
    }

    fn risk_monotone(&self) -> CheckResult {
        let action = &self.input.action;
        let levels = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High];
        let effects =
            levels.map(|risk| self.policy.decide(&self.request(action, Some(risk))).effect);
        for (pair, level) in effects.windows(2).zip(levels.iter().skip(1)) {
            if let [lower, higher] = pair
                && higher < lower
            {
                let request = self.request(action, Some(*level));
                let rule = self.policy.decide(&request).rule_id().to_owned();
                let explanation =
                    format!("stated as {level} risk it gets {higher}, one level lower {lower}");
                let action = action.clone();
                return CheckResult::Violated(Box::new(Violation {
                    action,
                    expected: *lower,
                    found: *higher,
                    rule,
                    explanation,
                    evasion: false,
                    context: None,
                }));
            }
        }
        CheckResult::Holds
    }

    fn rewrite_stable(&self) -> CheckResult {
        let Some(command) = self.input.action.command().map(str::to_owned) else {
            return CheckResult::NotApplicable;
        };
        let plain = self.effect(&Action::shell(&command));
        if plain == Effect::Allow {
            return CheckResult::NotApplicable;
        }
        // Two here-documents with the same delimiter end each other, which changes the command.
        let documents = |rules: &[&str]| rules.iter().filter(|r| r.contains("document")).count();
        for line in respelled(&command) {
            let explanation = format!(
                "`{command}` gets {plain}; with an option written another way it gets less"
            );
            if let violated @ CheckResult::Violated(_) =
                self.at_least(plain, Action::shell(&line), explanation, true)
            {
                return violated;
            }
        }
        for rewriting in rewritings(&command, self.input.seed, 3)
            .into_iter()
            .filter(|r| documents(&r.rules) < 2)
        {
            let explanation = format!(
                "`{command}` gets {plain}; written another way ({}) it gets less",
                rewriting.rules.join(", ")
            );
            if let violated @ CheckResult::Violated(_) =
                self.at_least(plain, Action::shell(&rewriting.text), explanation, true)
            {
                return violated;
            }
        }
        CheckResult::Holds
    }

    fn path_stable(&self) -> CheckResult {
        let action = &self.input.action;
        let Some(path) = action
            .parameters()
            .get("path")
            .and_then(|p| p.as_str())
            .map(str::to_owned)
        else {
            return CheckResult::NotApplicable;
        };
        // Only plain paths: `~`, variables and wildcards have a meaning only at the start of a
        // word.
        if action.tool.is_none() || path.starts_with(['~', '$', '*']) || path.is_empty() {
            return CheckResult::NotApplicable;
        }
        let plain = self.effect(action);
        let spelled = if path.starts_with('/') {
            vec![
                format!("/{path}"),
                format!("/x/..{path}"),
                format!("/.{path}"),
            ]
        } else {
            vec![
                format!("./{path}"),
                format!("x/../{path}"),
                format!(".//{path}"),
                format!("/home/dev/project/{path}"),
            ]
        };
        for other in spelled {
            let same = Action::call(
                action.tool.as_deref().unwrap_or_default(),
                serde_json::json!({ "path": other }),
            );
            let found = self.effect(&same);
            if found != plain {
                let explanation = format!("`{path}` gets {plain}, `{other}` gets {found}");
                let milder = if found < plain { same } else { action.clone() };
                return self.at_least(found.max(plain), milder, explanation, false);
            }
        }
        CheckResult::Holds
    }

    fn composition(&self) -> CheckResult {
        let Some(first) = self.input.action.command() else {
            return CheckResult::NotApplicable;
        };
        let second = &self.input.second;
        // After a change of directory, relative paths have another meaning.
        if [first, second].iter().any(|c| {
            c.split(|c: char| !c.is_alphanumeric())
                .any(|w| matches!(w, "cd" | "pushd"))
        }) {
            return CheckResult::NotApplicable;
        }
        let strictest = self
            .effect(&Action::shell(first))
            .max(self.effect(&Action::shell(second)));
        if strictest == Effect::Allow {
            return CheckResult::NotApplicable;
        }
        for separator in ["; ", " && ", " | "] {
            let explanation =
                format!("apart the strictest gets {strictest}; together they get less");
            let together = Action::shell(&format!("{first}{separator}{second}"));
            if let violated @ CheckResult::Violated(_) =
                self.at_least(strictest, together, explanation, false)
            {
                return violated;
            }
        }
        CheckResult::Holds
    }

    fn no_escape(&self) -> CheckResult {
        let action = &self.input.action;
        let facts = Facts::new(action, None, &self.policy.surroundings);
        let out = |p: &crate::path::TouchedPath<'_>| {
            p.facts.access != Access::Read && p.facts.inside != Tristate::Yes
        };
        let Some(place) = facts.touched_paths().find(out) else {
            return CheckResult::NotApplicable;
        };
        let explanation = format!(
            "it changes `{}`, which isn't known to be inside the work tree",
            place.shown
        );
        self.at_least(Effect::RequireApproval, action.clone(), explanation, false)
    }

    fn human_for_high(&self) -> CheckResult {
        let action = &self.input.action;
        if self.policy.risk(&self.request(action, None)) != RiskLevel::High {
            return CheckResult::NotApplicable;
        }
        self.at_least(
            Effect::RequireApproval,
            action.clone(),
            "its risk is high, and no human is asked".into(),
            false,
        )
    }

    fn history_free(&self) -> CheckResult {
        let action = &self.input.action;
        let plain = self.effect(action);
        let mut history = History::default();
        for _ in 0..self.input.approvals {
            history.approve(&Past {
                kind: action.kind,
                tool: action.tool.clone(),
                risk: RiskLevel::Medium,
                time: None,
                by_human: true,
            });
        }
        let request = Request {
            history: &history,
            ..self.request(action, None)
        };
        let found = self.policy.decide(&request).effect;
        if found == plain {
            return CheckResult::Holds;
        }
        let explanation = format!(
            "without a history it gets {plain}, after {} approvals {found}",
            self.input.approvals
        );
        let (action, rule) = (
            action.clone(),
            self.policy.decide(&request).rule_id().to_owned(),
        );
        CheckResult::Violated(Box::new(Violation {
            action,
            expected: plain,
            found,
            rule,
            explanation,
            evasion: false,
            context: None,
        }))
    }

    /// Adds a deny made from one of the policy's rules at any position.
    fn deny_adds(&self) -> CheckResult {
        let action = &self.input.action;
        let rules = &self.policy.rules;
        let chosen = |shift: u32| {
            usize::try_from(self.input.seed >> shift).unwrap_or(0) % rules.len().max(1)
        };
        let Some(rule) = rules.get(chosen(0)) else {
            return CheckResult::NotApplicable;
        };
        let plain = self.effect(action);
        let deny = model::Rule {
            effect: Effect::Deny,
            limits: Vec::new(),
            ..rule.clone()
        };
        let more = Policy {
            rules: rules.with(|rules| rules.insert(chosen(32), deny)),
            ..self.policy.clone()
        };
        let request = self.request(action, None);
        let found = more.decide(&request).effect;
        if found >= plain {
            return CheckResult::Holds;
        }
        let explanation = format!(
            "with a further deny on what `{}` is about it gets {found}, without {plain}",
            rule.id
        );
        let (action, rule) = (action.clone(), rule.id.clone());
        CheckResult::Violated(Box::new(Violation {
            action,
            expected: plain,
            found,
            rule,
            explanation,
            evasion: false,
            context: None,
        }))
    }

    fn own(&self, own: &model::Property) -> CheckResult {
        let name = self.input.name.clone();
        let context = Context {
            turn: self.input.turn,
            agent: name.clone(),
            mode: name,
            production: self.input.production,
            ..Context::default()
        };
        check_custom(
            own,
            self.policy,
            &Question {
                context,
                ..Question::plain(self.input.action.clone())
            },
        )
    }
}

/// Whether an action in its context breaks a custom property.
pub(crate) fn breaks_custom(own: &model::Property, policy: &Policy, question: &Question) -> bool {
    matches!(
        check_custom(own, policy, question),
        CheckResult::Violated(_)
    )
}

/// Checks a custom property on an action in its context.
pub(super) fn check_custom(
    own: &model::Property,
    policy: &Policy,
    question: &Question,
) -> CheckResult {
    let history = question.history();
    let request = question.context.request(&question.action, &history);
    let facts = Facts::new(
        &question.action,
        question.context.risk,
        &policy.surroundings,
    );
    if own.for_all.holds(&facts, &request, false) != Tristate::Yes {
        return CheckResult::NotApplicable;
    }
    let decision = policy.decide_on(&facts, &request);
    if decision.effect >= own.effect {
        return CheckResult::Holds;
    }
    CheckResult::Violated(Box::new(Violation {
        action: question.action.clone(),
        expected: own.effect,
        found: decision.effect,
        rule: decision.rule_id().to_owned(),
        explanation: format!("the property asks for {} at least", own.effect),
        evasion: false,
        context: question.circumstances(),
    }))
}
