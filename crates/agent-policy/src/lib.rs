#![doc = include_str!("../README.md")]

mod action;
mod command_text;
mod compare;
mod condition;
mod coverage;
mod decide;
mod difference;
mod effect;
mod facts;
mod flags;
mod fuzz;
mod glob_alternatives;
mod grant_scope;
mod limit;
mod model;
mod mutate;
mod name;
mod network;
mod parts;
mod path;
mod pattern;
mod pending;
mod policy_diff;
mod prefilter;
mod question;
mod read;
mod recorded_decision;
mod request;
mod sample;
mod shipped;
mod suite;
mod surroundings;
mod symbolic;
mod timeline;
mod vendor;
mod witness_generation;
mod yaml;

pub use action::{Action, ActionError, kind_name, parse_kind};
pub use compare::compare;
pub use coverage::{Coverage, KeyCoverage, RuleCoverage};
pub use decide::{Cause, Decision, RuleExplanation};
pub use difference::{Comparison, Difference, DifferenceKind};
pub use effect::{Effect, Tristate};
pub use facts::Category;
pub use fuzz::{
    Effort, PropertyKind, PropertyResult, ReadOnlyAllowance, Violation, fuzz, property_ids,
    read_only_allowance,
};
pub use limit::Limit;
pub use model::{Combine, Fallback, Form, Policy, Property, Rule, Rules};
pub use mutate::{Mutant, MutantStatus};
pub use network::{NetworkPattern, NetworkRequest, network_requests};
pub use path::Access;
pub use pattern::{PatternError, compile as compile_pattern};
pub use pending::{DecisionComparison, PendingDecision, PossibleMatches};
pub use policy_diff::{RuleChange, UnprovenChange};
pub use question::{Approvals, Context, Question};
pub use read::load;
pub use recorded_decision::{Drift, DriftedDecision, RecordedDecision, UnrecordedContext};
pub use request::{History, Past, Request};
pub use shipped::{BuiltInPolicy, SHIPPED, built_in_policy};
pub use suite::{
    Case, Expect, Failure, json_context, json_once, json_question, load_cases, load_corpus,
    load_reasons, repeated,
};
pub use symbolic::{PolicyUse, ProvableProperty, Proven, RuleUse};
pub use timeline::{Moment, SortedTimeline, Timeline};
pub use vendor::{
    Export, Gap, Loss, SettingsFile, SettingsLevel, Translation, VendorFormat, export, load_file,
    translate_settings,
};
pub use yaml::{Position, Problem, YamlDocument};

#[cfg(test)]
mod tests;
