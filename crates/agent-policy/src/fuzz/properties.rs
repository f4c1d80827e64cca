//! What must hold of every policy, and what a policy's own team says must hold of it.

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

/// Something to try a property on.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) action: Action,
    /// A second command, to be run along with the first.
    pub(super) second: String,
    pub(super) seed: u64,
    /// An agent and mode.
    pub(super) name: Option<String>,
    pub(super) production: bool,
    /// Approvals that stand in the history.
    pub(super) approvals: u64,
}

/// The properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "`meaning` says it")]
pub enum Property {
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
    Own,
}

/// A counterexample.
#[derive(Debug, Clone)]
pub struct Violation {
    /// What the property fails on.
    pub action: Action,
    /// What it should have been, at least.
    pub expected: Effect,
    /// What it is.
    pub found: Effect,
    /// The rule that said so.
    pub rule: String,
    /// How the two compare, in words. May hold hostile text.
    pub story: String,
    /// It comes from a rewriting of a command: the rule can be evaded.
    pub evasion: bool,
    /// The circumstances that it takes, as test files write them.
    pub context: Option<Value>,
}

/// What came of one try.
pub(super) enum Found {
    /// The property says nothing of this action.
    Nothing,
    Holds,
    Broken(Box<Violation>),
}

impl Property {
    /// Those that are built in.
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

    /// Its id.
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
            Self::Own => "own",
        }
    }

    /// What it says.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Deterministic => "the same request gets the same decision, and exactly one",
            Self::Reasoned => "deny and require_approval carry a reason",
            Self::RiskMonotone => "a higher risk never gets a milder effect",
            Self::RewriteStable => {
                "a rewriting that keeps a command's meaning never gets a milder effect"
            }
            Self::PathStable => "the spelling of a path doesn't matter",
            Self::Composition => {
                "commands together are at least as strict as the strictest of them"
            }
            Self::NoEscape => "no write or delete outside the work tree is allowed",
            Self::HumanForHigh => "no action of high risk is allowed",
            Self::HistoryFree => "without limits the history doesn't change a decision",
            Self::DenyAdds => {
                "where the strictest rule counts, a further deny makes nothing milder"
            }
            Self::Own => "a property of the policy's own",
        }
    }

    /// Whether the property says anything about a policy at all.
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
        subject: &Subject,
    ) -> Found {
        let try_ = Try {
            policy,
            subject,
            history: History::default(),
        };
        match self {
            Self::Deterministic => try_.deterministic(),
            Self::Reasoned => try_.reasoned(),
            Self::RiskMonotone => try_.risk_monotone(),
            Self::RewriteStable => try_.rewrite_stable(),
            Self::PathStable => try_.path_stable(),
            Self::Composition => try_.composition(),
            Self::NoEscape => try_.no_escape(),
            Self::HumanForHigh => try_.human_for_high(),
            Self::HistoryFree => try_.history_free(),
            Self::DenyAdds => try_.deny_adds(),
            Self::Own => own.map_or(Found::Nothing, |own| try_.own(own)),
        }
    }
}

/// One try of one property.
struct Try<'t> {
    policy: &'t Policy,
    subject: &'t Subject,
    history: History,
}

impl Try<'_> {
    fn request<'a>(&'a self, action: &'a Action, risk: Option<RiskLevel>) -> Request<'a> {
        let name = self.subject.name.as_deref();
        Request {
            risk,
            agent: name,
            mode: name,
            production: self.subject.production,
            ..Request::new(action, &self.history)
        }
    }

    fn effect(&self, action: &Action) -> Effect {
        self.policy.decide(&self.request(action, None)).effect
    }

    /// Holds if the action gets at least this effect.
    fn at_least(&self, expected: Effect, action: Action, story: String, evasion: bool) -> Found {
        let (found, rule) = {
            let request = self.request(&action, None);
            let decision = self.policy.decide(&request);
            (decision.effect, decision.rule_id().to_owned())
        };
        if found >= expected {
            return Found::Holds;
        }
        Found::Broken(Box::new(Violation {
            action,
            expected,
            found,
            rule,
            story,
            evasion,
            context: None,
        }))
    }

    fn deterministic(&self) -> Found {
        let first = self.effect(&self.subject.action);
        let copy = Action::recorded(
            &self.subject.action.kind_name,
            self.subject.action.payload.clone(),
        );
        if self.effect(&copy) == first {
            return Found::Holds;
        }
        self.at_least(
            Effect::Deny,
            copy,
            "asked twice, the policy says two things".into(),
            false,
        )
    }

    fn reasoned(&self) -> Found {
        let action = &self.subject.action;
        let request = self.request(action, None);
        let decision = self.policy.decide(&request);
        if decision.effect == Effect::Allow {
            return Found::Nothing;
        }
        if decision.rule.is_none_or(|r| r.reason.is_some()) && !decision.reason().trim().is_empty()
        {
            return Found::Holds;
        }
        let story = format!("the rule `{}` gives no reason", decision.rule_id());
        Found::Broken(Box::new(Violation {
            action: action.clone(),
            expected: decision.effect,
            found: decision.effect,
            rule: decision.rule_id().to_owned(),
            story,
            evasion: false,
            context: None,
        }))
    }

    fn risk_monotone(&self) -> Found {
        let action = &self.subject.action;
        let levels = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High];
        let effects =
            levels.map(|risk| self.policy.decide(&self.request(action, Some(risk))).effect);
        for (pair, level) in effects.windows(2).zip(levels.iter().skip(1)) {
            if let [lower, higher] = pair
                && higher < lower
            {
                let request = self.request(action, Some(*level));
                let rule = self.policy.decide(&request).rule_id().to_owned();
                let story =
                    format!("stated as {level} risk it gets {higher}, one level lower {lower}");
                let action = action.clone();
                return Found::Broken(Box::new(Violation {
                    action,
                    expected: *lower,
                    found: *higher,
                    rule,
                    story,
                    evasion: false,
                    context: None,
                }));
            }
        }
        Found::Holds
    }

    fn rewrite_stable(&self) -> Found {
        let Some(command) = self.subject.action.command().map(str::to_owned) else {
            return Found::Nothing;
        };
        let plain = self.effect(&Action::shell(&command));
        if plain == Effect::Allow {
            return Found::Nothing;
        }
        // Two here-documents with one delimiter end each other: that isn't the same command any
        // more.
        let documents = |rules: &[&str]| rules.iter().filter(|r| r.contains("document")).count();
        for line in respelled(&command) {
            let story = format!(
                "`{command}` gets {plain}; with an option written another way it gets less"
            );
            if let broken @ Found::Broken(_) =
                self.at_least(plain, Action::shell(&line), story, true)
            {
                return broken;
            }
        }
        for rewriting in rewritings(&command, self.subject.seed, 3)
            .into_iter()
            .filter(|r| documents(&r.rules) < 2)
        {
            let story = format!(
                "`{command}` gets {plain}; written another way ({}) it gets less",
                rewriting.rules.join(", ")
            );
            if let broken @ Found::Broken(_) =
                self.at_least(plain, Action::shell(&rewriting.text), story, true)
            {
                return broken;
            }
        }
        Found::Holds
    }

    fn path_stable(&self) -> Found {
        let action = &self.subject.action;
        let Some(path) = action
            .parameters()
            .get("path")
            .and_then(|p| p.as_str())
            .map(str::to_owned)
        else {
            return Found::Nothing;
        };
        // Only what names a place: `~`, variables and wildcards mean something at the start of a
        // word only.
        if action.tool.is_none() || path.starts_with(['~', '$', '*']) || path.is_empty() {
            return Found::Nothing;
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
                let story = format!("`{path}` gets {plain}, `{other}` gets {found}");
                let milder = if found < plain { same } else { action.clone() };
                return self.at_least(found.max(plain), milder, story, false);
            }
        }
        Found::Holds
    }

    fn composition(&self) -> Found {
        let Some(first) = self.subject.action.command() else {
            return Found::Nothing;
        };
        let second = &self.subject.second;
        // Behind a change of directory a path means another place: then the parts aren't what they
        // were.
        if [first, second].iter().any(|c| {
            c.split(|c: char| !c.is_alphanumeric())
                .any(|w| matches!(w, "cd" | "pushd"))
        }) {
            return Found::Nothing;
        }
        let strictest = self
            .effect(&Action::shell(first))
            .max(self.effect(&Action::shell(second)));
        if strictest == Effect::Allow {
            return Found::Nothing;
        }
        for separator in ["; ", " && ", " | "] {
            let story = format!("apart the strictest gets {strictest}; together they get less");
            let together = Action::shell(&format!("{first}{separator}{second}"));
            if let broken @ Found::Broken(_) = self.at_least(strictest, together, story, false) {
                return broken;
            }
        }
        Found::Holds
    }

    fn no_escape(&self) -> Found {
        let action = &self.subject.action;
        let facts = Facts::new(action, None, &self.policy.surroundings);
        let out = |p: &crate::path::Place<'_>| {
            p.site.access != Access::Read && p.site.inside != Tristate::Yes
        };
        let Some(place) = facts.places().find(out) else {
            return Found::Nothing;
        };
        let story = format!(
            "it changes `{}`, which isn't known to be inside the work tree",
            place.shown
        );
        self.at_least(Effect::RequireApproval, action.clone(), story, false)
    }

    fn human_for_high(&self) -> Found {
        let action = &self.subject.action;
        if self.policy.risk(&self.request(action, None)) != RiskLevel::High {
            return Found::Nothing;
        }
        self.at_least(
            Effect::RequireApproval,
            action.clone(),
            "its risk is high, and no human is asked".into(),
            false,
        )
    }

    fn history_free(&self) -> Found {
        let action = &self.subject.action;
        let plain = self.effect(action);
        let mut history = History::default();
        for _ in 0..self.subject.approvals {
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
            return Found::Holds;
        }
        let story = format!(
            "without a history it gets {plain}, after {} approvals {found}",
            self.subject.approvals
        );
        let (action, rule) = (
            action.clone(),
            self.policy.decide(&request).rule_id().to_owned(),
        );
        Found::Broken(Box::new(Violation {
            action,
            expected: plain,
            found,
            rule,
            story,
            evasion: false,
            context: None,
        }))
    }

    /// The further deny is one of the policy's own rules, anywhere among the others.
    fn deny_adds(&self) -> Found {
        let action = &self.subject.action;
        let rules = &self.policy.rules;
        let chosen = |shift: u32| {
            usize::try_from(self.subject.seed >> shift).unwrap_or(0) % rules.len().max(1)
        };
        let Some(rule) = rules.get(chosen(0)) else {
            return Found::Nothing;
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
            return Found::Holds;
        }
        let story = format!(
            "with a further deny on what `{}` is about it gets {found}, without {plain}",
            rule.id
        );
        let (action, rule) = (action.clone(), rule.id.clone());
        Found::Broken(Box::new(Violation {
            action,
            expected: plain,
            found,
            rule,
            story,
            evasion: false,
            context: None,
        }))
    }

    fn own(&self, own: &model::Property) -> Found {
        let name = self.subject.name.clone();
        let context = Context {
            turn: 1,
            agent: name.clone(),
            mode: name,
            production: self.subject.production,
            ..Context::default()
        };
        holds_of(
            own,
            self.policy,
            &Question {
                context,
                ..Question::plain(self.subject.action.clone())
            },
        )
    }
}

/// Whether a property of a policy's own holds of an action in its circumstances.
pub(super) fn holds_of(own: &model::Property, policy: &Policy, question: &Question) -> Found {
    let history = question.history();
    let request = question.context.request(&question.action, &history);
    let facts = Facts::new(
        &question.action,
        question.context.risk,
        &policy.surroundings,
    );
    if own.for_all.holds(&facts, &request, false) != Tristate::Yes {
        return Found::Nothing;
    }
    let decision = policy.decide_on(&facts, &request);
    if decision.effect >= own.effect {
        return Found::Holds;
    }
    Found::Broken(Box::new(Violation {
        action: question.action.clone(),
        expected: own.effect,
        found: decision.effect,
        rule: decision.rule_id().to_owned(),
        story: format!("the property asks for {} at least", own.effect),
        evasion: false,
        context: question.circumstances(),
    }))
}
