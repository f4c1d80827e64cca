//! The branches of a condition.

use crate::condition::{CommandTest, Condition, PathTest, Predicate};
use crate::name::Name;
use std::collections::BTreeSet;

/// Maximum number of branches of one condition.
const MAX_CLAUSES: usize = 64;

/// A branch of a condition: what has to hold together.
#[derive(Debug, Clone, Default)]
pub(super) struct Clause<'c> {
    /// Types of action, as bits; empty for any.
    pub(super) types: Vec<u8>,
    pub(super) tools: Vec<&'c Name>,
    pub(super) command: Option<&'c CommandTest>,
    pub(super) path: Option<&'c PathTest>,
    pub(super) hosts: Vec<&'c Name>,
    /// The keys of what no vendor compares.
    pub(super) others: BTreeSet<&'static str>,
}

impl Clause<'_> {
    /// Whether the branch is about actions of a type.
    pub(super) fn has_type(&self, bit: u8) -> bool {
        self.types.iter().all(|bits| bits & bit != 0)
    }
}

/// The branches of a condition; `None` if there are too many.
pub(super) fn clauses(when: &Condition) -> Option<Vec<Clause<'_>>> {
    match when {
        Condition::All(all) => {
            let mut product = vec![Clause::default()];
            for condition in all {
                let own = clauses(condition)?;
                if product.len().saturating_mul(own.len()) > MAX_CLAUSES {
                    return None;
                }
                product = product
                    .iter()
                    .flat_map(|left| own.iter().map(|right| both(left, right)))
                    .collect();
            }
            Some(product)
        }
        Condition::Any(any) => {
            let mut sum = Vec::new();
            for condition in any {
                sum.extend(clauses(condition)?);
            }
            (sum.len() <= MAX_CLAUSES).then_some(sum)
        }
        Condition::Not(_) => {
            let mut clause = Clause::default();
            clause.others.insert("not");
            Some(vec![clause])
        }
        Condition::Is(predicate, _) => {
            let mut clause = Clause::default();
            match predicate {
                Predicate::Type(bits) => clause.types.push(*bits),
                Predicate::Tool(names) => clause.tools.extend(names),
                Predicate::Host(names) => clause.hosts.extend(names),
                Predicate::Command(test) => clause.command = Some(test),
                Predicate::Path(test) => clause.path = Some(test),
                other => {
                    clause.others.insert(other.key());
                }
            }
            Some(vec![clause])
        }
    }
}

/// Both branches together. A second test of the same kind is one that no vendor compares.
fn both<'c>(left: &Clause<'c>, right: &Clause<'c>) -> Clause<'c> {
    let mut clause = left.clone();
    clause.types.extend(&right.types);
    clause.others.extend(&right.others);
    for (own, more, key) in [
        (&mut clause.tools, &right.tools, "tool"),
        (&mut clause.hosts, &right.hosts, "host"),
    ] {
        if own.is_empty() {
            own.clone_from(more);
        } else if !more.is_empty() {
            clause.others.insert(key);
        }
    }
    match (clause.command, right.command) {
        (Some(_), Some(_)) => {
            clause.others.insert("command");
        }
        (own, more) => clause.command = own.or(more),
    }
    match (clause.path, right.path) {
        (Some(_), Some(_)) => {
            clause.others.insert("path");
        }
        (own, more) => clause.path = own.or(more),
    }
    clause
}
