//! `policy`: evaluates, tests, compares and replays policies.

mod check;
mod compare;
mod counted;
mod eval;
mod export;
pub(super) mod find;
mod folder;
#[cfg_attr(not(feature = "policy-fuzz"), path = "fuzz_absent.rs")]
mod fuzz;
mod import;
#[cfg_attr(not(feature = "policy-fuzz"), path = "mutate_absent.rs")]
mod mutate;
mod objection;
mod prove;
mod replay;
mod revision;
mod settings;
mod test;

pub(super) use compare::compare_with_base;
pub(super) use find::policy_files;
pub(super) use replay::{MergedDecisions, OtherDecisions, compare_recorded, other_decisions};
pub(super) use test::run_cases;

use super::output::Failure;
use clap::Subcommand;

/// Subcommands of `policy`.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Ask a policy about an action, or about each of a file of actions.
    Eval(eval::EvalArgs),
    /// Run the cases and corpora of policies, and say what they exercise.
    Test(test::TestArgs),
    /// Prove that every rule of a policy can decide.
    Check(check::CheckArgs),
    /// Prove what a change of a policy allows, and show it.
    Compare(compare::CompareArgs),
    /// Prove properties of a policy for every action.
    Prove(prove::ProveArgs),
    /// Search for actions that break a property of a policy.
    Fuzz(fuzz::FuzzArgs),
    /// Change every rule for the worse, one thing at a time, and list the changes that no case
    /// notices.
    Mutate(mutate::MutateArgs),
    /// Ask a policy about every decision that traces record: what would change?
    Replay(replay::ReplayArgs),
    /// Write a pack from the settings of an agent.
    Import(import::ImportArgs),
    /// Write settings of an agent that are never more permissive than a policy.
    Export(export::ExportArgs),
    /// List the policies that are built in, or print one.
    Show(find::ShowArgs),
}

impl PolicyCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Self::Eval(args) => args.run(),
            Self::Test(args) => args.run(),
            Self::Check(args) => args.run(),
            Self::Compare(args) => args.run(),
            Self::Prove(args) => args.run(),
            Self::Fuzz(args) => args.run(),
            Self::Mutate(args) => args.run(),
            Self::Replay(args) => args.run(),
            Self::Import(args) => args.run(),
            Self::Export(args) => args.run(),
            Self::Show(args) => args.run(),
        }
    }
}
