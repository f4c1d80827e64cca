//! Rules of Codex from a policy.

use super::clauses::{Clause, clauses};
use super::{Draft, Excess, Part};
use crate::effect::Effect;
use crate::model::{Policy, Rule};
use crate::name::Name;
use crate::vendor::codex::names;
use crate::vendor::pack::starlark_text;
use crate::vendor::{Translation, VendorFormat};
use crate::yaml::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// A rule of the file.
#[derive(Debug, Clone)]
struct Entry {
    effect: Effect,
    call: Call,
    rule: usize,
    active: bool,
}

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Call {
    /// The tokens that a command begins with, each with its alternatives.
    Prefix(Vec<Vec<String>>),
    Host(String),
}

/// A file of rules in the making.
pub(super) struct RuleFile<'p> {
    policy: &'p Policy,
    entries: Vec<Entry>,
    lost: BTreeMap<Option<usize>, Vec<String>>,
    left_out: BTreeSet<Part>,
    not_compared: bool,
}

impl<'p> RuleFile<'p> {
    pub(super) fn new(policy: &'p Policy) -> Self {
        let mut file = Self {
            policy,
            entries: Vec::new(),
            lost: BTreeMap::new(),
            left_out: BTreeSet::new(),
            not_compared: false,
        };
        for (index, rule) in policy.rules.iter().enumerate() {
            file.add(index, rule);
        }
        if policy.default.effect == Effect::Allow {
            let message = "what no rule is about is allowed; Codex asks about it";
            file.lost.insert(None, vec![message.to_owned()]);
        }
        file
    }

    fn lose(&mut self, rule: usize, message: &str) {
        let all = self.lost.entry(Some(rule)).or_default();
        if !all.iter().any(|one| one == message) {
            all.push(message.to_owned());
        }
    }

    fn add(&mut self, index: usize, rule: &Rule) {
        let allows = rule.effect == Effect::Allow;
        if allows && !rule.limits.is_empty() {
            self.lose(index, "left out: a limit can't be said");
            return;
        }
        let Some(clauses) = clauses(&rule.when) else {
            self.lose(index, "it has too many alternatives to be said");
            return;
        };
        for clause in clauses {
            let (calls, exact) = calls(&clause, allows);
            if !exact {
                let message = if allows {
                    "some of it can't be said, and is left out"
                } else {
                    "said more widely, or by leaving out what it forbids"
                };
                // Codex allows answers by itself.
                let answers = clause.types.contains(&8) || is_plan(&clause);
                if !(allows && answers) {
                    self.lose(index, message);
                }
            }
            for call in calls {
                let entry = Entry {
                    effect: rule.effect,
                    call,
                    rule: index,
                    active: allows || exact,
                };
                let same = |one: &Entry| one.effect == entry.effect && one.call == entry.call;
                if !self.entries.iter().any(same) {
                    self.entries.push(entry);
                }
            }
        }
    }
}

/// Whether it is only about the tool that Codex allows.
fn is_plan(clause: &Clause<'_>) -> bool {
    !clause.tools.is_empty() && clause.tools.iter().all(|name| name.text() == "update_plan")
}

/// The rules for an alternative, and whether they say it exactly.
fn calls(clause: &Clause<'_>, allows: bool) -> (Vec<Call>, bool) {
    // What the reader adds to each list of commands that are allowed.
    let narrowed = allows && clause.others.iter().eq(["not"].iter());
    let mut exact = clause.others.is_empty() || narrowed;
    if allows && !exact {
        return (Vec::new(), false);
    }
    let mut all = Vec::new();
    if let Some(test) = clause.command {
        exact &= test.program.is_empty() && test.raw.is_empty() && clause.path.is_none();
        exact &= test.arg.is_empty() && test.args.is_empty() && clause.hosts.is_empty();
        let texts: BTreeSet<&str> = test.text.iter().map(Name::text).collect();
        if allows && !exact && test.program.is_empty() {
            return (Vec::new(), false);
        }
        for name in &test.program {
            if let Name::Exact(program) = name {
                all.push(vec![vec![program.clone()]]);
            }
        }
        for name in &test.text {
            let text = name.text();
            match (name, text.strip_suffix(" *")) {
                (Name::Regex(..), _) => match tokens_of(text) {
                    Some(tokens) => all.push(tokens),
                    None => exact = false,
                },
                (Name::Star(_), Some(prefix)) => {
                    let whole = texts.contains(prefix);
                    exact &= whole && !prefix.contains('*');
                    if (whole || !allows) && !prefix.contains('*') {
                        all.push(words(prefix));
                    }
                }
                (Name::Exact(_), _) => {
                    // A prefix means longer commands as well.
                    if !texts.contains(format!("{text} *").as_str()) {
                        exact = false;
                        if !allows {
                            all.push(words(text));
                        }
                    }
                }
                _ => exact = false,
            }
        }
    } else if !allows && !clause.hosts.is_empty() && clause.path.is_none() {
        let exact_hosts = clause.hosts.iter().filter_map(|name| match name {
            Name::Exact(host) => Some(Call::Host(host.clone())),
            _ => None,
        });
        let calls: Vec<Call> = exact_hosts.collect();
        exact &= calls.len() == clause.hosts.len();
        return (calls, exact);
    } else {
        exact = false;
    }
    all.retain(|tokens| tokens.iter().flatten().all(|token| !token.is_empty()));
    (all.into_iter().map(Call::Prefix).collect(), exact)
}

fn words(text: &str) -> Vec<Vec<String>> {
    text.split(' ').map(|word| vec![word.to_owned()]).collect()
}

/// The tokens that the reader made an expression of.
fn tokens_of(expression: &str) -> Option<Vec<Vec<String>>> {
    let body = expression.strip_prefix("^(?:")?;
    let (body, _) = body.rsplit_once(")(?: ")?;
    let unescaped = |text: &str| {
        let mut out = String::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            out.push(if c == '\\' { chars.next()? } else { c });
        }
        Some(out)
    };
    let token = |part: &str| part.split('|').map(unescaped).collect::<Option<Vec<_>>>();
    let tokens = body.split(") (?:").map(token).collect::<Option<Vec<_>>>()?;
    let same = names(&tokens);
    let [one] = same.as_slice() else {
        return None;
    };
    let compiled = crate::pattern::compile(one, false).ok()?;
    (compiled.as_str() == expression).then_some(tokens)
}

impl Draft for RuleFile<'_> {
    fn text(&self) -> String {
        let mut out = String::new();
        for entry in self.entries.iter().filter(|entry| entry.active) {
            let decision = match (entry.effect, &entry.call) {
                (Effect::Allow, _) => "allow",
                (Effect::RequireApproval, _) => "prompt",
                (Effect::Deny, Call::Prefix(_)) => "forbidden",
                (Effect::Deny, Call::Host(_)) => "deny",
            };
            let reason = self.policy.rules.get(entry.rule);
            let reason = reason.and_then(|rule| rule.reason.as_deref());
            let reason = reason.filter(|reason| !reason.trim().is_empty());
            let why = match reason {
                Some(reason) if entry.effect != Effect::Allow => {
                    format!(", justification = {}", starlark_text(reason))
                }
                _ => String::new(),
            };
            match &entry.call {
                Call::Prefix(tokens) => {
                    let each = tokens.iter().map(|some| match some.as_slice() {
                        [one] => starlark_text(one),
                        some => {
                            let all: Vec<String> =
                                some.iter().map(|one| starlark_text(one)).collect();
                            format!("[{}]", all.join(", "))
                        }
                    });
                    let each: Vec<String> = each.collect();
                    out.push_str(&format!(
                        "prefix_rule(pattern = [{}], decision = \"{decision}\"{why})\n",
                        each.join(", ")
                    ));
                }
                Call::Host(host) => {
                    let host = starlark_text(host);
                    out.push_str(&format!(
                        "network_rule(host = {host}, protocol = \"https\", decision = \
                         \"{decision}\"{why})\n"
                    ));
                }
            }
        }
        out
    }

    fn translate(&self) -> Result<Translation, Vec<Problem>> {
        VendorFormat::Codex.translate("export", &self.text())
    }

    fn tighten(&mut self, excess: &[Excess<'_>]) -> bool {
        let mut found = false;
        for one in excess {
            for entry in &mut self.entries {
                if entry.effect != Effect::Allow && Some(entry.rule) == one.base_rule {
                    found |= !std::mem::replace(&mut entry.active, true);
                }
            }
        }
        if found {
            return true;
        }
        for one in excess.iter().filter(|one| one.head == Effect::Allow) {
            if one.head_rule == Some("no permission needed") {
                found |= !std::mem::replace(&mut self.not_compared, true);
                continue;
            }
            for entry in &mut self.entries {
                if entry.effect == Effect::Allow && entry.active {
                    entry.active = false;
                    found = true;
                    self.left_out.insert((entry.rule, ""));
                }
            }
        }
        found
    }

    fn left_out(&self) -> Vec<Part> {
        self.left_out.iter().copied().collect()
    }

    fn restore(&mut self, part: Part, kept: bool) {
        let (rule, _) = part;
        for entry in &mut self.entries {
            if entry.effect == Effect::Allow && entry.rule == rule {
                entry.active = kept;
            }
        }
        if kept {
            self.left_out.remove(&part);
        } else {
            self.left_out.insert(part);
        }
    }

    fn lost(&self) -> BTreeMap<Option<usize>, Vec<String>> {
        let mut all = self.lost.clone();
        for (rule, _) in &self.left_out {
            let message = "left out: these rules would allow more than the policy";
            all.entry(Some(*rule)).or_default().push(message.to_owned());
        }
        all
    }

    fn not_compared(&self) -> Option<&'static str> {
        self.not_compared
            .then_some("answers and plans, about which Codex never asks")
    }
}
