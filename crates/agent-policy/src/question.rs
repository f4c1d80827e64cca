//! A question to a policy that owns its data: action, context and past approvals.

use super::action::{Action, kind_name};
use super::request::{History, Past, Request};
use governance::RiskLevel;
use serde_json::{Map, Value, json};

/// An action in its context, after past approvals.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    pub action: Action,
    pub context: Context,
    /// The past approvals.
    pub past: Vec<Approvals>,
}

/// The context of an action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Context {
    /// The stated risk.
    pub risk: Option<RiskLevel>,
    /// The number of the turn, if it is recorded.
    pub turn: Option<u64>,
    /// The agent that proposes the action.
    pub agent: Option<String>,
    /// The mode of the runtime.
    pub mode: Option<String>,
    /// Whether this is a production environment.
    pub production: bool,
    /// The time in milliseconds since the epoch.
    pub time: Option<i64>,
}

impl Context {
    /// A request about an action in this context.
    #[must_use]
    pub fn request<'a>(&'a self, action: &'a Action, history: &'a History) -> Request<'a> {
        Request {
            action,
            risk: self.risk,
            turn: self.turn,
            agent: self.agent.as_deref(),
            mode: self.mode.as_deref(),
            production: self.production,
            time: self.time,
            history,
        }
    }
}

/// A number of equal approvals.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Approvals {
    pub each: Past,
    pub count: u64,
    /// Their total cost.
    pub cost: u32,
    /// Their total duration in milliseconds.
    pub busy: u64,
}

impl Approvals {
    pub(super) fn add_to(&self, history: &mut History) {
        history.approve_times(&self.each, self.count);
        history.spend(f64::from(self.cost), self.busy);
    }
}

impl Question {
    /// A question about an action without context.
    #[must_use]
    pub fn plain(action: Action) -> Self {
        Self {
            action,
            context: Context::default(),
            past: Vec::new(),
        }
    }

    /// The past approvals as a history.
    #[must_use]
    pub fn history(&self) -> History {
        let mut history = History::default();
        for approvals in &self.past {
            approvals.add_to(&mut history);
        }
        history
    }

    /// The length of the question for a reader; the smaller of two is the better witness.
    #[must_use]
    pub fn size(&self) -> usize {
        let past: usize = self
            .past
            .iter()
            .map(|a| 20 + a.count.to_string().len())
            .sum();
        let said = self.circumstances().map_or(0, |c| c.to_string().len());
        self.action.payload.to_string().len() + said + past
    }

    /// The context as test files write it; `None` if it is empty.
    #[must_use]
    pub fn circumstances(&self) -> Option<Value> {
        let context = &self.context;
        let mut said = Map::new();
        let mut say = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                said.insert(name.to_owned(), value);
            }
        };
        say("risk", context.risk.map(|r| r.name().into()));
        say("turn", context.turn.map(Value::from));
        say("agent", context.agent.clone().map(Value::from));
        say("mode", context.mode.clone().map(Value::from));
        say(
            "production",
            context.production.then_some(Value::Bool(true)),
        );
        say("time", context.time.map(Value::from));
        (!said.is_empty()).then_some(Value::Object(said))
    }

    /// The past approvals as test files write them; `None` if there are none.
    #[must_use]
    pub fn approved(&self) -> Option<Value> {
        let one = |approvals: &Approvals| {
            let mut row = json!({ "type": approvals.each.kind.map_or("answer", kind_name), "count": approvals.count });
            if let Some(members) = row.as_object_mut() {
                let mut say = |name: &str, value: Option<Value>| {
                    if let Some(value) = value {
                        members.insert(name.to_owned(), value);
                    }
                };
                say("tool", approvals.each.tool.clone().map(Value::from));
                say(
                    "risk",
                    (approvals.each.risk != RiskLevel::Low)
                        .then(|| approvals.each.risk.name().into()),
                );
                say("time", approvals.each.time.map(Value::from));
                say("by", approvals.each.by_human.then(|| "human".into()));
                say("cost", (approvals.cost > 0).then(|| approvals.cost.into()));
                say(
                    "durationMs",
                    (approvals.busy > 0).then(|| approvals.busy.into()),
                );
            }
            row
        };
        (!self.past.is_empty()).then(|| self.past.iter().map(one).collect())
    }

    /// A case with this question and an expectation, as test files write it.
    #[must_use]
    pub fn case(&self, expect: &Value) -> Value {
        let mut case =
            json!({ "name": self.summary(), "action": self.action.to_json(), "expect": expect });
        if let Some(members) = case.as_object_mut() {
            members.extend(self.circumstances().map(|c| ("context".to_owned(), c)));
            members.extend(self.approved().map(|h| ("history".to_owned(), h)));
        }
        case
    }

    /// Summarises the question in one line. May contain hostile text.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = self.action.summary();
        if let Some(Value::Object(said)) = self.circumstances() {
            for (name, value) in &said {
                let shown = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                text.push_str(&format!(", {name} {shown}"));
            }
        }
        for approvals in &self.past {
            text.push_str(&format!(", after {} approvals", approvals.count));
            if let (Some(then), Some(now)) = (approvals.each.time, self.context.time) {
                text.push_str(&format!(" {} s ago", now.saturating_sub(then) / 1000));
            }
            if approvals.cost > 0 || approvals.busy > 0 {
                text.push_str(&format!(
                    " (cost {}, {} ms)",
                    approvals.cost, approvals.busy
                ));
            }
        }
        text
    }
}
