//! One situation of the model: where the machine stands and what is known of actions and tokens.

use super::ids::{ActionId, AgentId, TokenId};
use crate::lifecycle::Lifecycle;
use crate::risk::RiskLevel;
use crate::state::State;
use std::fmt;

/// Who has let an action run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Approval {
    /// A policy that names no rule.
    SilentPolicy,
    /// A policy that names the rule it used.
    Policy,
    /// A human.
    Human,
    /// An agent, which has no right to. Only a runtime that breaks its duty gets here.
    Agent(AgentId),
}

impl fmt::Display for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SilentPolicy => f.write_str("policy without a rule"),
            Self::Policy => f.write_str("policy by a named rule"),
            Self::Human => f.write_str("human"),
            Self::Agent(agent) => agent.fmt(f),
        }
    }
}

/// What is known of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Action {
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// Its risk, fixed by its first proposal.
    pub risk: Option<RiskLevel>,
    /// Who has let it run, while it is approved.
    pub approval: Option<Approval>,
    /// It has run at least once; taking its effect back doesn't undo that.
    pub has_run: bool,
}

impl Action {
    const DRAFT: Self = Self {
        lifecycle: Lifecycle::Draft,
        risk: None,
        approval: None,
        has_run: false,
    };

    /// Whether it declares changes. Low risk reads; everything else is taken to declare one.
    #[must_use]
    pub const fn declares_changes(&self) -> bool {
        match self.risk {
            Some(RiskLevel::Medium | RiskLevel::High) => true,
            Some(RiskLevel::Low) | None => false,
        }
    }
}

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cover {
    /// One action: it is the token's subject.
    Only(ActionId),
    /// Both: the token's scope is wide enough.
    Both,
}

impl Cover {
    /// Every cover there is.
    pub const ALL: [Self; 3] = [
        Self::Only(ActionId::First),
        Self::Only(ActionId::Second),
        Self::Both,
    ];

    /// Whether an action may run on it.
    #[must_use]
    pub fn covers(self, action: ActionId) -> bool {
        match self {
            Self::Only(subject) => subject == action,
            Self::Both => true,
        }
    }
}

impl fmt::Display for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Only(action) => action.fmt(f),
            Self::Both => f.write_str("both actions"),
        }
    }
}

/// What is known of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Token {
    /// Nobody has issued it.
    Unissued,
    /// It is in the set of the issued.
    Live(Cover),
    /// It is in the set of the revoked.
    Revoked,
    /// It is in both sets, which no honest ledger allows.
    Reissued(Cover),
}

impl Token {
    /// What it is good for, when it is in the set of the issued.
    #[must_use]
    pub const fn issued(self) -> Option<Cover> {
        match self {
            Self::Live(cover) | Self::Reissued(cover) => Some(cover),
            Self::Unissued | Self::Revoked => None,
        }
    }

    /// Whether it is in the set of the revoked.
    #[must_use]
    pub const fn is_revoked(self) -> bool {
        match self {
            Self::Revoked | Self::Reissued(_) => true,
            Self::Unissued | Self::Live(_) => false,
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unissued => f.write_str("unissued"),
            Self::Live(cover) => write!(f, "live for {cover}"),
            Self::Revoked => f.write_str("revoked"),
            Self::Reissued(cover) => write!(f, "revoked and live again for {cover}"),
        }
    }
}

/// The agents that have thought in the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thinkers {
    /// One agent thought alone.
    Only(AgentId),
    /// Both thought; the governor selects one.
    Both,
}

impl Thinkers {
    /// Every set of thinkers there is.
    pub const ALL: [Self; 3] = [
        Self::Only(AgentId::First),
        Self::Only(AgentId::Second),
        Self::Both,
    ];

    /// Whether the agent is among them.
    #[must_use]
    pub fn contains(self, agent: AgentId) -> bool {
        match self {
            Self::Only(thinker) => thinker == agent,
            Self::Both => true,
        }
    }
}

impl fmt::Display for Thinkers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Only(agent) => agent.fmt(f),
            Self::Both => f.write_str("agent-1 and agent-2"),
        }
    }
}

/// A situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct World {
    /// Where the machine stands.
    pub state: State,
    /// Capabilities are in force: declared at the start, or a token was issued since.
    pub in_force: bool,
    /// A governor has decided something.
    pub governed: bool,
    /// The first action.
    pub action_1: Action,
    /// The second action.
    pub action_2: Action,
    /// The first token.
    pub token_1: Token,
    /// The second token.
    pub token_2: Token,
    /// Who thought in this turn, until its evaluation.
    pub thinkers: Option<Thinkers>,
    /// Whose proposal it is that is being governed, run and observed.
    pub holder: Option<AgentId>,
    /// The action of this turn.
    pub current: Option<ActionId>,
}

impl World {
    /// Before the start of an execution that declares capabilities required, or doesn't.
    #[must_use]
    pub const fn initial(required: bool) -> Self {
        Self {
            state: State::Idle,
            in_force: required,
            governed: false,
            action_1: Action::DRAFT,
            action_2: Action::DRAFT,
            token_1: Token::Unissued,
            token_2: Token::Unissued,
            thinkers: None,
            holder: None,
            current: None,
        }
    }

    /// What is known of an action.
    #[must_use]
    pub const fn action(&self, id: ActionId) -> &Action {
        match id {
            ActionId::First => &self.action_1,
            ActionId::Second => &self.action_2,
        }
    }

    pub(super) const fn action_mut(&mut self, id: ActionId) -> &mut Action {
        match id {
            ActionId::First => &mut self.action_1,
            ActionId::Second => &mut self.action_2,
        }
    }

    /// What is known of the turn's action.
    #[must_use]
    pub fn current_action(&self) -> Option<(ActionId, &Action)> {
        self.current.map(|id| (id, self.action(id)))
    }

    /// What is known of a token.
    #[must_use]
    pub const fn token(&self, id: TokenId) -> Token {
        match id {
            TokenId::First => self.token_1,
            TokenId::Second => self.token_2,
        }
    }

    pub(super) const fn token_mut(&mut self, id: TokenId) -> &mut Token {
        match id {
            TokenId::First => &mut self.token_1,
            TokenId::Second => &mut self.token_2,
        }
    }

    /// What holds at the start, for a reader.
    #[must_use]
    pub fn given(&self) -> String {
        let capabilities = if self.in_force {
            "required"
        } else {
            "not required"
        };
        format!(
            "capabilities {capabilities}, two actions in {}, no token issued",
            Lifecycle::Draft
        )
    }

    /// What is different afterwards, besides the machine's state, for a reader.
    #[must_use]
    pub fn changes(&self, after: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        for id in ActionId::ALL {
            self.action_changes(after, id, &mut changes);
        }
        for id in TokenId::ALL {
            let (was, is) = (self.token(id), after.token(id));
            if was != is {
                changes.push(format!("{id}: {was} -> {is}"));
            }
        }
        if !self.in_force && after.in_force {
            changes.push("capabilities are in force".to_owned());
        }
        if self.thinkers != after.thinkers
            && let Some(thinkers) = after.thinkers
        {
            changes.push(format!("thought by {thinkers}"));
        }
        if self.holder != after.holder {
            changes.push(match after.holder {
                Some(agent) => format!("the turn belongs to {agent}"),
                None => "the turn belongs to nobody".to_owned(),
            });
        }
        changes
    }

    fn action_changes(&self, after: &Self, id: ActionId, changes: &mut Vec<String>) {
        let (was, is) = (self.action(id), after.action(id));
        if was.lifecycle != is.lifecycle {
            changes.push(format!("{id}: {} -> {}", was.lifecycle, is.lifecycle));
        }
        if was.risk != is.risk
            && let Some(risk) = is.risk
        {
            changes.push(format!("{id}: risk {risk}"));
        }
        if was.approval != is.approval
            && let Some(approval) = is.approval
        {
            changes.push(format!("{id}: approved by {approval}"));
        }
    }
}
