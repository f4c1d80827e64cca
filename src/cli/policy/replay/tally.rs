//! What recorded decisions a policy would change, of one input or of many.

use super::super::counted::Uncounted;
use super::super::objection::Objections;
use super::policies::{PolicySet, ReplayedPolicy};
use crate::diag::{Code, Place, Related, Severity, digest as digest_of, subject};
use crate::rules;
use crate::trajectory::recorded_decisions::CountedEntries;
use agent_policy::{
    DecisionComparison, Drift, DriftedDecision, History, PendingDecision, PossibleMatches,
    RecordedDecision, Rule, Timeline,
};
use borsh::{BorshDeserialize, BorshSerialize};
use content_scan::mask::Mask;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Maximum number of actions listed for one rule, and of findings in total.
const LISTED: usize = 10;
pub(super) const KEPT: usize = 1000;

/// Maximum number of decisions that wait until all executions are known.
const MOST_PENDING: usize = 2_000_000;

/// Maximum size of the matches of these decisions, where equal ones count once.
const MOST_MATCHES: usize = 2_000_000;

/// What is known about the decisions of some inputs, in the order of reading.
#[derive(Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Tally {
    pub(super) decisions: u64,
    pub(super) changed: u64,
    pub(super) unjudged: u64,
    pub(super) groups: BTreeMap<(u16, String), Group>,
    /// Decisions that depend on a condition that traces don't record, by the rule with that
    /// condition.
    pub(super) unrecorded: BTreeMap<String, InconclusiveGroup>,
    /// The numbers of findings, by severity.
    severities: [u64; 3],
    /// The first findings.
    listed: Vec<Listed>,
    /// The first decision for each digest that no known policy has.
    missing: BTreeMap<String, Listed>,
    pending: Vec<Pending>,
    /// The matches of pending decisions.
    matches: MatchTable,
    timeline: Timeline,
    /// The number of approvals and costs.
    counted: u64,
    /// The number of executions whose approvals or costs have no time.
    undated: u64,
    /// Whether there were too many pending decisions.
    is_full: bool,
}

/// The actions for which one rule gives another decision than the recorded one.
#[derive(Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Group {
    pub(super) count: u64,
    /// The first of them.
    pub(super) actions: Vec<ChangedAction>,
}

impl Group {
    /// Returns the reason of the first decision.
    pub(super) fn reason(&self) -> &str {
        self.actions.first().map_or("", |first| &first.reason)
    }
}

/// An action with a different decision.
#[derive(Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct ChangedAction {
    pub(super) about: About,
    pub(super) reason: String,
}

/// Decisions that one rule would change under a condition that traces don't record.
#[derive(Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct InconclusiveGroup {
    pub(super) count: u64,
    pub(super) if_so: String,
    pub(super) first: About,
}

/// A decision, and what findings say about it.
#[derive(Debug, Clone, BorshSerialize, BorshDeserialize)]
pub(super) struct About {
    /// The number of the decision in the order of reading.
    number: u64,
    pub(super) file: Arc<str>,
    pub(super) line: u64,
    column: u64,
    pub(super) execution: Arc<str>,
    turn: Option<i64>,
    by_human: bool,
    /// The action in a few words, and its digest.
    pub(super) action: Box<str>,
    digest: Box<str>,
}

/// Where a decision is recorded.
#[derive(Debug, Clone)]
pub(super) struct DecisionPlace {
    pub(super) file: Arc<str>,
    pub(super) execution: Arc<str>,
    pub(super) line: u64,
    pub(super) column: u64,
}

/// A finding.
#[derive(Debug, BorshSerialize, BorshDeserialize)]
struct Listed {
    code: u16,
    severity: Severity,
    message: String,
    help: String,
    about: About,
    /// The place of the responsible rule.
    rule: Option<Related>,
    /// The subject besides the turn: rule and action, or the missing policy.
    subject: String,
}

/// A decision for which limits count what other executions have done.
#[derive(Debug, BorshSerialize, BorshDeserialize)]
struct Pending {
    /// The digest of its policy, unless all decisions have one policy.
    policy: Option<String>,
    /// Index of its matches.
    matches: u32,
    decision: PendingDecision,
    about: About,
}

/// The matches of pending decisions, each once.
#[derive(Debug, Default, BorshSerialize, BorshDeserialize)]
struct MatchTable {
    list: Vec<Arc<PossibleMatches>>,
    /// The indexes and the size of the list. They aren't written.
    #[borsh(skip)]
    indexes: BTreeMap<Arc<PossibleMatches>, u32>,
    #[borsh(skip)]
    size: usize,
}

impl MatchTable {
    /// Makes the indexes of a list that was read.
    fn restore(&mut self) {
        let numbered = (0..).zip(&self.list);
        self.indexes = numbered.map(|(n, one)| (Arc::clone(one), n)).collect();
        self.size = self.list.iter().map(|one| one.size()).sum();
    }

    /// Returns the index of matches; `None` if there are too many.
    fn index(&mut self, matches: Arc<PossibleMatches>) -> Option<u32> {
        if let Some(index) = self.indexes.get(&matches) {
            return Some(*index);
        }
        let size = self.size.saturating_add(matches.size());
        let index = u32::try_from(self.list.len()).ok();
        let index = index.filter(|_| size <= MOST_MATCHES)?;
        self.size = size;
        self.list.push(Arc::clone(&matches));
        self.indexes.insert(matches, index);
        Some(index)
    }
}

/// Something that is listed in the order of decisions.
trait Numbered {
    fn number(&self) -> u64;
}

impl Numbered for Listed {
    fn number(&self) -> u64 {
        self.about.number
    }
}

impl Numbered for ChangedAction {
    fn number(&self) -> u64 {
        self.about.number
    }
}

/// Inserts an item in the order of decisions, if it is among the first ones.
fn insert<T: Numbered>(list: &mut Vec<T>, item: T, most: usize) {
    let at = list.partition_point(|other| other.number() <= item.number());
    if at < most {
        list.insert(at, item);
        list.truncate(most);
    }
}

impl About {
    fn new(number: u64, place: DecisionPlace, decided: &RecordedDecision) -> Self {
        let DecisionPlace {
            file,
            execution,
            line,
            column,
        } = place;
        Self {
            number,
            file,
            line,
            column,
            execution,
            turn: decided.turn,
            by_human: decided.by_human,
            action: decided.action.summary().into(),
            digest: digest_of(decided.action.to_json().to_string()),
        }
    }

    fn hide(&mut self, secrets: &Mask) {
        if let Some(hidden) = secrets.hide(&self.execution) {
            self.execution = hidden.into();
        }
        if let Some(hidden) = secrets.hide(&self.action) {
            self.action = hidden.into();
        }
    }

    /// Moves it behind this number of decisions.
    fn shift(&mut self, decisions: u64) {
        self.number = self.number.saturating_add(decisions);
    }
}

/// Returns the place of a rule, unless it was generated from the form of its file.
fn place_of_rule(policy: &ReplayedPolicy, rule: &Rule) -> Option<Related> {
    let found = &policy.found;
    let message = || format!("the rule `{}`", rule.id);
    (rule.at.line > 0).then(|| {
        Related::new(
            &found.file_of(rule.at).into(),
            rule.at.line.into(),
            message(),
        )
    })
}

impl Tally {
    /// Asks the policies about the next decision of an execution.
    pub(super) fn ask(
        &mut self,
        policies: &PolicySet,
        decided: &RecordedDecision,
        (history, entry): (&History, u64),
        place: DecisionPlace,
    ) {
        let number = self.decisions;
        self.decisions += 1;
        let Some((digest, policy)) = policies.policy_of(decided) else {
            self.unjudged += 1;
            let digest = decided.digest.clone().unwrap_or_default();
            if let Entry::Vacant(entry) = self.missing.entry(digest) {
                let finding = not_found(entry.key(), About::new(number, place, decided));
                entry.insert(finding);
            }
            return;
        };
        let about = || About::new(number, place, decided);
        match policy
            .unrecorded
            .compare(&policy.found.policy, decided, (history, entry))
        {
            DecisionComparison::Same => {}
            DecisionComparison::Drifted(drifted) => self.add(policy, &drifted, about()),
            DecisionComparison::Pending(decision, matches) => {
                let has_room = self.pending.len() < MOST_PENDING;
                let matches = has_room.then(|| self.matches.index(matches.into()));
                match matches.flatten() {
                    Some(matches) => self.pending.push(Pending {
                        policy: digest.map(str::to_owned),
                        matches,
                        decision,
                        about: about(),
                    }),
                    None => self.is_full = true,
                }
            }
        }
    }

    /// Checks what was read from a partial result, as far as the rest relies on it.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let listed = self.listed.iter().chain(self.missing.values());
        let groups = self.groups.keys().map(|(code, _)| *code);
        let mut codes = listed.map(|finding| finding.code).chain(groups);
        if !codes.all(|code| (501..=505).contains(&code)) {
            return Err("it contains a finding of an unknown rule");
        }
        let mut counts = self.severities;
        for finding in &self.listed {
            match counts.get_mut(finding.severity as usize) {
                Some(count) if *count > 0 => *count -= 1,
                _ => return Err("it doesn't count its findings"),
            }
        }
        let mut matches = self.pending.iter().map(|pending| pending.matches as usize);
        if matches.all(|index| index < self.matches.list.len()) {
            Ok(())
        } else {
            Err("it contains a decision without the rules that match")
        }
    }

    /// Adds a decision that the policy would change.
    fn add(&mut self, policy: &ReplayedPolicy, drifted: &DriftedDecision<'_>, about: About) {
        let (drift, decision) = (drifted.drift, &drifted.decision);
        let rule = decision.rule_id().to_owned();
        if let Some(if_so) = &drifted.if_so {
            let group = InconclusiveGroup {
                count: 1,
                if_so: if_so.clone(),
                first: about,
            };
            self.add_inconclusive(rule, group);
            return;
        }
        self.changed = self.changed.saturating_add(1);
        let reason = decision.reason().into_owned();
        let who = if about.by_human { "a human" } else { "policy" };
        let message = match drift {
            Drift::NowDenies => format!("approved by {who}, and `{rule}` denies it: {reason}"),
            Drift::NowAsks => {
                format!("approved by policy, and `{rule}` asks for a human: {reason}")
            }
            Drift::NowAllows => format!("rejected by policy, and `{rule}` allows it: {reason}"),
            Drift::OverLimit => format!("approved by {who} beyond the limit of `{rule}`: {reason}"),
        };
        let code = drift.code();
        let severity = if policy.found.policy.monitor {
            Severity::Note
        } else {
            severity_of(code)
        };
        self.count(severity);
        let finding = Listed {
            code,
            severity,
            message,
            help: format!("the action: {}", about.action),
            rule: decision.rule.and_then(|rule| place_of_rule(policy, rule)),
            subject: subject([&*rule, &about.digest]).into(),
            about: about.clone(),
        };
        insert(&mut self.listed, finding, KEPT);
        let group = self.groups.entry((code, rule)).or_default();
        group.count = group.count.saturating_add(1);
        insert(&mut group.actions, ChangedAction { about, reason }, LISTED);
    }

    fn add_inconclusive(&mut self, rule: String, group: InconclusiveGroup) {
        match self.unrecorded.entry(rule) {
            Entry::Vacant(entry) => {
                entry.insert(group);
            }
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                known.count = known.count.saturating_add(group.count);
                if group.first.number < known.first.number {
                    (known.if_so, known.first) = (group.if_so, group.first);
                }
            }
        }
    }

    fn count(&mut self, severity: Severity) {
        if let Some(count) = self.severities.get_mut(severity as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Adds what limits per hour and day count of an input.
    pub(super) fn set_counted(&mut self, entries: CountedEntries) {
        self.timeline = entries.timeline.unwrap_or_default();
        self.counted = entries.number;
        self.undated = entries.undated;
    }

    /// Removes the secrets of the inputs. Rules and their reasons are the policy's own words.
    pub(super) fn hide(&mut self, secrets: &Mask) {
        if secrets.is_empty() {
            return;
        }
        let missing = std::mem::take(&mut self.missing);
        self.missing
            .extend(missing.into_iter().map(|(mut digest, finding)| {
                secrets.clean(&mut digest);
                (digest, finding)
            }));
        for finding in self.listed.iter_mut().chain(self.missing.values_mut()) {
            finding.about.hide(secrets);
            secrets.clean(&mut finding.message);
            secrets.clean(&mut finding.help);
            secrets.clean(&mut finding.subject);
        }
        let groups = self.groups.values_mut();
        for action in groups.flat_map(|group| &mut group.actions) {
            action.about.hide(secrets);
        }
        let groups = self.unrecorded.values_mut();
        groups.for_each(|group| group.first.hide(secrets));
        let pending = self.pending.iter_mut();
        pending.for_each(|pending| pending.about.hide(secrets));
    }

    /// Adds a number to all line numbers.
    pub(super) fn shift_lines(&mut self, lines: u64) {
        let shift = |about: &mut About| about.line = about.line.saturating_add(lines);
        let groups = self.groups.values_mut();
        let actions = groups.flat_map(|group| &mut group.actions);
        actions.for_each(|action| shift(&mut action.about));
        let findings = self.listed.iter_mut().chain(self.missing.values_mut());
        findings.for_each(|finding| shift(&mut finding.about));
        let groups = self.unrecorded.values_mut();
        groups.for_each(|group| shift(&mut group.first));
        let pending = self.pending.iter_mut();
        pending.for_each(|pending| shift(&mut pending.about));
    }

    /// Returns whether there was more than is kept of decisions that depend on other executions.
    pub(super) const fn is_full(&self) -> bool {
        self.is_full || self.timeline.is_full()
    }

    /// Adds what was read later.
    pub(super) fn absorb(&mut self, later: Self) {
        let (decisions, counted) = (self.decisions, self.counted);
        if decisions == 0 && counted == 0 {
            *self = later;
            self.matches.restore();
            return;
        }
        let add = |count: &mut u64, later: u64| *count = count.saturating_add(later);
        add(&mut self.decisions, later.decisions);
        add(&mut self.changed, later.changed);
        add(&mut self.unjudged, later.unjudged);
        add(&mut self.counted, later.counted);
        add(&mut self.undated, later.undated);
        self.is_full |= later.is_full;
        for (count, later) in self.severities.iter_mut().zip(later.severities) {
            add(count, later);
        }
        for (key, group) in later.groups {
            let known = self.groups.entry(key).or_default();
            add(&mut known.count, group.count);
            for mut action in group.actions {
                action.about.shift(decisions);
                insert(&mut known.actions, action, LISTED);
            }
        }
        for (rule, mut group) in later.unrecorded {
            group.first.shift(decisions);
            self.add_inconclusive(rule, group);
        }
        for mut finding in later.listed {
            finding.about.shift(decisions);
            insert(&mut self.listed, finding, KEPT);
        }
        for (digest, mut finding) in later.missing {
            finding.about.shift(decisions);
            self.missing.entry(digest).or_insert(finding);
        }
        let matches = later.matches.list.into_iter();
        let indexes: Vec<_> = matches.map(|one| self.matches.index(one)).collect();
        for mut pending in later.pending {
            let index = indexes.get(pending.matches as usize).copied().flatten();
            match index.filter(|_| self.pending.len() < MOST_PENDING) {
                Some(index) => {
                    pending.matches = index;
                    pending.about.shift(decisions);
                    pending.decision.shift(counted);
                    self.pending.push(pending);
                }
                None => self.is_full = true,
            }
        }
        self.timeline.absorb(later.timeline, counted);
    }

    /// Completes the tally of all inputs.
    pub(super) fn finish(mut self, policies: &PolicySet) -> Outcome {
        let is_full = self.is_full();
        let timeline = Arc::new(std::mem::take(&mut self.timeline).sorted());
        for pending in std::mem::take(&mut self.pending) {
            let matches = self.matches.list.get(pending.matches as usize).cloned();
            // A partial result may name a policy that isn't here.
            let policy = policies.by_digest(pending.policy.as_deref());
            let Some((matches, policy)) = matches.zip(policy) else {
                self.unjudged = self.unjudged.saturating_add(1);
                continue;
            };
            let drifted = pending
                .decision
                .drift(&policy.found.policy, &matches, &timeline);
            if let Some(drifted) = drifted {
                self.add(policy, &drifted, pending.about);
            }
        }
        for (_, finding) in std::mem::take(&mut self.missing) {
            self.count(finding.severity);
            insert(&mut self.listed, finding, KEPT);
        }
        let findings = self
            .severities
            .iter()
            .fold(0, |sum: u64, n| sum.saturating_add(*n));
        let counts = policies.count_across_executions();
        Outcome {
            left_out: findings.saturating_sub(self.listed.len() as u64),
            objections: objections(std::mem::take(&mut self.listed)),
            uncounted: Uncounted {
                undated: if counts { self.undated } else { 0 },
                is_full,
            },
            tally: self,
        }
    }

    /// Returns the number of findings of a severity.
    pub(super) fn findings(&self, severity: Severity) -> u64 {
        let count = self.severities.get(severity as usize);
        count.copied().unwrap_or_default()
    }
}

/// What recorded decisions the policies would change.
#[derive(Debug)]
pub(super) struct Outcome {
    /// What all inputs say, without pending decisions.
    pub(super) tally: Tally,
    /// Number of findings that aren't kept.
    pub(super) left_out: u64,
    pub(super) objections: Objections,
    pub(super) uncounted: Uncounted,
}

fn severity_of(code: u16) -> Severity {
    rules::by_code(Code(code)).map_or(Severity::Error, |rule| rule.severity)
}

fn not_found(digest: &str, about: About) -> Listed {
    let (message, help) = if digest.is_empty() {
        (
            "no policy is given, and the trace records none".to_owned(),
            "name one with --policy",
        )
    } else {
        (
            format!("no policy with the digest `{digest}` is to be found"),
            "add its folder with --policy-path or its repository with --policy-repo, or name a policy with --policy",
        )
    };
    Listed {
        code: 504,
        severity: severity_of(504),
        message,
        help: help.to_owned(),
        about,
        rule: None,
        subject: digest.to_owned(),
    }
}

fn objections(listed: Vec<Listed>) -> Objections {
    let mut objections = Objections::default();
    for one in listed {
        let place = Place {
            file: one.about.file,
            line: one.about.line,
            column: one.about.column,
            ..Place::default()
        };
        let finding = objections.add(one.code, place, one.message, Some(one.help));
        finding.severity = one.severity;
        finding.execution = Some(one.about.execution);
        finding.turn = one.about.turn.filter(|_| one.code != 504);
        finding.subject = Some(one.subject.into());
        finding.related.extend(one.rule);
    }
    objections
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::policy::find;
    use proptest::prelude::*;

    const POLICY: &str = "version: 1
id: p
default: deny
rules:
  - { id: ls, when: { production: true, type: shell_cmd, max_per_hour: 1 }, effect: allow, reason: r }
  - { id: cat, when: { command: { program: cat } }, effect: allow, reason: r }
";

    fn decided(command: &str, time: Option<i64>) -> RecordedDecision {
        RecordedDecision {
            action: agent_policy::Action::shell(command),
            risk: None,
            ruling: governance::Ruling::Approved,
            by_human: false,
            agent: None,
            turn: Some(1),
            time,
            digest: None,
            root: None,
        }
    }

    fn tally(policies: &PolicySet, times: &[Option<i64>]) -> Tally {
        let mut tally = Tally::default();
        let mut timeline = Timeline::default();
        for (number, time) in (0..).zip(times) {
            let decided = decided(if number % 2 == 0 { "ls" } else { "cat a" }, *time);
            let place = DecisionPlace {
                file: "f".into(),
                execution: "e".into(),
                line: number,
                column: 1,
            };
            tally.ask(policies, &decided, (&History::default(), number), place);
            if let Some(time) = time {
                timeline.approve(decided.action.kind, (*time, number));
            }
        }
        tally.set_counted(CountedEntries {
            timeline: Some(timeline),
            number: times.len() as u64,
            undated: 1,
        });
        tally
    }

    #[test]
    fn tallies_count_their_findings_and_have_the_matches_of_their_decisions() {
        let loaded = find::parse("p.yaml", POLICY.to_owned()).ok();
        let policies = PolicySet::of(loaded.unwrap());
        let read = || tally(&policies, &[Some(1), Some(2)]);
        assert!(!read().listed.is_empty() && !read().pending.is_empty());
        assert_eq!(read().check(), Ok(()));
        let mut forged = read();
        forged.severities = [0; 3];
        assert!(forged.check().is_err());
        let mut forged = read();
        forged.matches.list.clear();
        assert!(forged.check().is_err());
    }

    #[test]
    fn lines_of_a_tally_are_shifted() {
        let loaded = find::parse("p.yaml", POLICY.to_owned()).ok();
        let policies = PolicySet::of(loaded.unwrap());
        let mut shifted = tally(&policies, &[Some(1), Some(2), None]);
        let digits = |tally: &Tally| format!("{tally:?}").replace("line: 100", "line: ");
        let before = digits(&shifted);
        shifted.shift_lines(1000);
        assert_eq!(digits(&shifted), before);
    }

    proptest! {
        #[test]
        fn forged_tallies_do_no_harm(
            times in proptest::collection::vec(prop::option::of(any::<i64>()), 0..6),
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let loaded = find::parse("p.yaml", POLICY.to_owned()).ok();
            let policies = PolicySet::of(loaded.unwrap());
            let mut bytes = borsh::to_vec(&tally(&policies, &times)).unwrap();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Ok(forged) = borsh::from_slice::<Tally>(&bytes)
                && forged.check().is_ok()
            {
                let mut all = tally(&policies, &times);
                all.absorb(forged);
                all.absorb(tally(&policies, &times));
                let outcome = all.finish(&policies);
                prop_assert!(outcome.objections.findings.len() <= KEPT);
            }
        }

        #[test]
        fn tallies_of_parts_are_those_of_all(
            times in proptest::collection::vec(prop::option::of(0i64..9_000_000), 0..12),
            cut in any::<prop::sample::Index>(),
        ) {
            let loaded = find::parse("p.yaml", POLICY.to_owned()).ok();
            let policies = PolicySet::of(loaded.unwrap());
            // Even, so that both parts begin with the same command.
            let cut = cut.index(times.len() + 1) / 2 * 2;
            let (one, other) = times.split_at(cut);
            let mut parts = tally(&policies, one);
            let mut rest = tally(&policies, other);
            for listed in &mut rest.listed {
                listed.about.line += cut as u64;
            }
            for pending in &mut rest.pending {
                pending.about.line += cut as u64;
            }
            for action in rest.groups.values_mut().flat_map(|group| &mut group.actions) {
                action.about.line += cut as u64;
            }
            parts.absorb(rest);
            let (parts, whole) = (parts.finish(&policies), tally(&policies, &times).finish(&policies));
            prop_assert_eq!(format!("{:?}", parts.tally.groups), format!("{:?}", whole.tally.groups));
            prop_assert_eq!(
                format!("{:?}", parts.objections.findings),
                format!("{:?}", whole.objections.findings)
            );
            prop_assert_eq!(parts.tally.changed, whole.tally.changed);
        }
    }
}
