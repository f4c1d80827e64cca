//! Facts about actions, of which formulas are made.

use super::formula::TextSlot;
use crate::grant_scope::GrantSet;
use crate::path::Access;

/// A fact about an action or one of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Fact {
    /// The action has this type; with no such fact it is of an unknown type.
    Kind(u8),
    Production,
    HasAgent,
    HasMode,
    HasTurn,
    /// The risk of the action, as a bit.
    Risk(u8),
    /// One of its commands has this risk.
    PartRisk(u8),
    /// It has this effect, as a bit.
    Effect(u32),
    /// The analysis left something out.
    Cut,
    /// The analysis doesn't understand the action.
    Unparsed,
    /// The line has several commands.
    Several,
    /// The action has a command line.
    HasCommand,
    /// One of several commands touches no path, contacts no host, runs no program.
    WithoutPath,
    WithoutHost,
    WithoutStep,
    /// An effect lies outside of what this set grants.
    Outside(GrantSet),
    /// All kinds of effects are ones that templates can grant.
    Grantable,
    ApprovedBefore,
    /// A limit is used up, or the turn reached: the family, and the count as bits.
    UsedUp(&'static str, u64),
    /// Of a path: how it is used.
    Access(Access),
    Inside,
    NotInside,
    /// The text of a path or host is known.
    Known,
    /// The text of a request is known.
    KnownRequest,
    /// It contains an unexpanded `*` or `?`.
    Wild,
    /// Everything below is affected too.
    Tree,
    /// The glob may match what an unexpanded path stands for.
    MayMatch(String),
    /// The action may run commands whose text isn't known.
    HidesText,
    /// The line has text beside its commands.
    OtherText,
    /// Of a host: a remote of the repository's configuration.
    Remote,
    /// Of a step: another one starts it, and contains its text.
    Inner,
    /// It has many arguments.
    ManyArguments,
    /// It has this argument in some spelling; in a rule that allows, to the letter.
    Argument(String, bool),
    /// A program may have such an argument, in a spelling that the table doesn't know.
    PossibleArgument(String),
    /// A template grants it.
    Granted(String),
    /// The fact about the same action with a higher stated risk.
    Raised(Box<Fact>),
    /// A text matches a pattern that can't be analysed.
    Opaque(TextSlot, String),
}
