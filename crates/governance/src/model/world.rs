//! A situation of the model: the machine's state and what is known of actions and tokens.

use super::ids::{ActionId, AgentId, TokenId};
use crate::lifecycle::Lifecycle;
use crate::risk::RiskLevel;
use crate::state::State;
use std::fmt;

/// Who approved an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Approval {
    /// A policy that names no rule.
    SilentPolicy,
    /// A policy that names the rule that it applied.
    Policy,
    Human,
    /// An agent, which isn't allowed to. Only a runtime without that duty gets here.
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

/// The state of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Action {
    pub lifecycle: Lifecycle,
    /// The risk, fixed by the first proposal; `None` before it.
    pub risk: Option<RiskLevel>,
    /// Who approved the action. `None` if it isn't approved, or if no decision is recorded.
    pub approval: Option<Approval>,
    /// The action was executed at least once. A rollback doesn't reset this.
    pub has_run: bool,
}

impl Action {
    const DRAFT: Self = Self {
        lifecycle: Lifecycle::Draft,
        risk: None,
        approval: None,
        has_run: false,
    };

    /// Returns whether the action declares changes. In the model, every action above low risk does.
    #[must_use]
    pub const fn declares_changes(&self) -> bool {
        match self.risk {
            Some(RiskLevel::Medium | RiskLevel::High) => true,
            Some(RiskLevel::Low) | None => false,
        }
    }
}

/// The actions that a token covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cover {
    /// The action that is the token's subject.
    Only(ActionId),
    /// Both actions, since the token's scope is wide enough.
    Both,
}

impl Cover {
    pub const ALL: [Self; 3] = [
        Self::Only(ActionId::First),
        Self::Only(ActionId::Second),
        Self::Both,
    ];

    /// Returns whether the token covers an action.
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

/// The state of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Token {
    Unissued,
    /// Issued and not revoked.
    Live(Cover),
    /// Revoked. The actions that it covered aren't kept.
    Revoked,
    /// Issued again after its revocation, which no correct ledger allows.
    Reissued(Cover),
}

impl Token {
    /// Returns what the token covers if it counts as issued.
    #[must_use]
    pub const fn issued(self) -> Option<Cover> {
        match self {
            Self::Live(cover) | Self::Reissued(cover) => Some(cover),
            Self::Unissued | Self::Revoked => None,
        }
    }

    /// Returns whether the token was ever revoked.
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
    /// Both agents thought; the governor selects one.
    Both,
}

impl Thinkers {
    pub const ALL: [Self; 3] = [
        Self::Only(AgentId::First),
        Self::Only(AgentId::Second),
        Self::Both,
    ];

    /// Returns whether the agent is among the thinkers.
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

/// A situation: one state of the model, as opposed to a [`State`] of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct World {
    /// The state of the machine.
    pub state: State,
    /// Capabilities are in force: they were required at the start, or a token was issued since.
    pub in_force: bool,
    /// A governor has made at least one decision.
    pub governed: bool,
    pub action_1: Action,
    pub action_2: Action,
    pub token_1: Token,
    pub token_2: Token,
    /// The agents that thought in this turn; `None` before the thought and after the turn.
    pub thinkers: Option<Thinkers>,
    /// The agent whose proposal is being decided, executed and observed.
    pub holder: Option<AgentId>,
    /// The action of this turn.
    pub current: Option<ActionId>,
}

impl World {
    /// Returns the situation before the start. `required` says whether capabilities are required.
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

    /// Returns the state of an action.
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

    /// Returns the turn's action and its state.
    #[must_use]
    pub fn current_action(&self) -> Option<(ActionId, &Action)> {
        self.current.map(|id| (id, self.action(id)))
    }

    /// Returns the state of a token.
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

    /// Describes the assumptions at the start, for people.
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

    /// Describes for people what changed, except for the machine's state.
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
