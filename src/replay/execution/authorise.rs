//! Decisions and executed actions: signer, approval, token, changes.

use super::super::authority;
use super::super::changes::RecordedChange;
use super::super::evidence::{Evidence, OwnedAction, OwnedActionKind, OwnedDecision, Token};
use super::super::path_effects::{PathEffects, PathEscape};
use super::super::step_facts::{Approval, DecisionFacts, ExecutedFacts, StepFacts, TokenUse};
use super::super::verdict::Aspect;
use super::known::Known;
use super::proposal::understated;
use super::{Context, Execution};
use crate::trace::action;
use crate::trace::formats::Coverage;
use crate::trace::record::Capability;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, ActionKind, Decision, ExecutionFact, Part, Paths, Step};
use governance::{ActionType, DecidedBy};
use governance::{RiskLevel, Ruling};
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Execution {
    /// Handles the issue of a token.
    pub(super) fn issued(
        &mut self,
        line: u64,
        time: Option<Timestamp>,
        capability: &Capability<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_issuer(line, &capability.issuer.decode(), step_facts);
        let token = Token::of(capability, line, time);
        self.tokens
            .issue(line, &capability.id.decode(), token, step_facts);
        if let Some(proposal) = self.turn.proposal.as_ref().map(|p| p.what.clone()) {
            self.tokens.name_tool(&proposal.as_action());
        }
    }

    /// Records the time of a token's use, if the record has a date of its own. A turn has one date
    /// for all of its steps.
    fn date_use(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        executed: &ExecutionFact<'_, '_>,
        step_facts: &StepFacts,
    ) {
        let Some(time) = step.time.filter(|_| step.part == Part::WHOLE) else {
            return;
        };
        if step_facts
            .executed
            .as_ref()
            .is_none_or(|ran| ran.token != TokenUse::Fine)
        {
            return;
        }
        let named = executed.capability.map(|name| name.decode().into_owned());
        self.tokens.date_use(named, time, line);
    }

    /// Handles a decision, from whichever part of the record.
    pub(super) fn apply_decision(
        &mut self,
        line: u64,
        time: Option<Timestamp>,
        decision: &Decision<'_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.counts.decisions += 1;
        self.counts.rejections += u64::from(decision.ruling == Ruling::Rejected);
        let proposal = self.turn.proposal.as_ref();
        let mut facts = DecisionFacts {
            proposal_line: proposal.map(|p| p.line),
            ..DecisionFacts::default()
        };
        let proposal = proposal.map(|p| &p.what);
        let proposed_id = proposal.and_then(|p| p.id.as_deref());
        let modified_id = decision.modification().and_then(|m| m.id);
        if let (Some(named), Some(proposed)) = (decision.action, proposed_id)
            && named != *proposed
            && modified_id != Some(named)
        {
            facts.other_action = Some((named.decode().into_owned(), proposed.to_owned()));
        }
        let recorded = proposal.filter(|p| p.is_recorded());
        if self.session.hides_arguments(recorded) {
            self.verdict.doubt(Aspect::Authorised);
        } else {
            facts.risk = recorded.and_then(OwnedAction::effective_risk);
        }
        if self.turn.proposal.is_none() {
            // The thoughts are all that is known of what was decided about.
            facts.unproposed = true;
            let actions = self
                .turn
                .thoughts
                .iter()
                .filter_map(|thought| thought.what.action.as_ref());
            facts.thought_risk = actions
                .filter_map(|action| authority::analyse_owned(context, action).0.max(action.risk))
                .max();
        }
        facts.human_millis = authority::human_millis(&self.turn, decision, time);
        facts.approval_millis = authority::approval_millis(&self.turn, decision, time);
        let (found, reach) = decision
            .modification()
            .map(|m| authority::analyse_cached(context, &m))
            .unwrap_or_default();
        let comparable = recorded.filter(|_| !self.turn.proposal_unknown);
        authority::check_modification(
            comparable,
            decision,
            found,
            |id| self.known.by_id.contains_key(id),
            &mut facts,
        );
        if decision.ruling == Ruling::Rejected
            && facts.other_action.is_none()
            && let Some(known) = proposed_id.and_then(|id| self.known.by_id.get_mut(id))
        {
            (known.rejected, known.refused) = (true, true);
            known.frozen = proposal.cloned();
            self.session.reject(line, proposal);
        }
        if let Some(modified) = &decision.modification() {
            let risks = understated(context, modified, found, step_facts);
            self.propose_analysed(line, reach.as_deref(), risks, step_facts);
        }
        self.decide_diff(decision.ruling);
        self.check_signer(line, decision, &mut facts, step_facts);
        if let Some(id) = modified_id {
            self.known
                .by_id
                .entry(id.decode().into())
                .or_insert(Known::new(line));
        }
        // A second decision in a state that allows none doesn't replace the first.
        let late =
            step_facts.movement.is_some_and(|m| m.breach.is_some()) && self.turn.decision.is_some();
        if late {
            self.overrule(line, decision.action, decision);
            // The action has already been checked. Signature and reason are required of every
            // decision.
            step_facts.decided = Some(DecisionFacts {
                risk: facts.risk,
                ..DecisionFacts::default()
            });
            return;
        }
        self.turn.decision = Some(Evidence {
            what: OwnedDecision {
                ruling: decision.ruling,
                by: decision.by,
                action: decision.action.map(|a| a.decode().into()),
                modified: decision
                    .modification()
                    .as_ref()
                    .map(|m| OwnedAction::of(m).reaching(reach)),
                misdirected: facts.other_action.is_some(),
                own_time: decision.time,
            },
            line,
            time: decision.time.or(time),
        });
        step_facts.decided = Some(facts);
    }

    pub(super) fn executed(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        executed: &ExecutionFact<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        if executed.result.is_some_and(|r| !r.perhaps) {
            self.report_open_call(step_facts);
        }
        self.apply_execution(line, step.time, executed, context, step_facts);
        if self.tokens.ledger().is_used() {
            self.date_use(line, step, executed, step_facts);
        }
        self.apply(line, governance::Event::ExecutionFinished, step_facts);
    }

    /// Handles an executed action, from whichever part of the record.
    pub(super) fn apply_execution(
        &mut self,
        line: u64,
        time: Option<Timestamp>,
        executed: &ExecutionFact<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.counts.actions += 1;
        let unproposed = self.turn.decision.is_some() && self.is_unproposed();
        if unproposed {
            self.verdict.doubt(Aspect::Authorised);
            self.infer_proposal(context);
        }
        self.check_call(executed, context, step_facts);
        let id = executed.action_id.map(|id| id.decode().into_owned());
        let (repeat, allowed) = self.run_before(id.as_deref(), executed);
        let approved = authority::approved(&self.turn);
        let mut approval = self.approval(id.as_deref(), approved);
        let mut differs = false;
        if let (Some(id), Some(approved)) = (id.as_deref(), approved)
            && approval == Approval::Missing
            && self
                .turn
                .decision
                .as_ref()
                .is_some_and(|d| d.what.ruling == Ruling::Modified)
            && self
                .turn
                .proposal
                .as_ref()
                .is_some_and(|p| p.what.id.as_deref() == Some(id))
        {
            // The executed action is the proposed one, not the human's modification.
            differs = approved.id.as_deref() != Some(id);
            approval = Approval::Given;
        }
        if let (Some(action), Some(approved)) = (&executed.action, approved)
            && approval == Approval::Given
            && approved.same_as(action) == Some(false)
        {
            differs = true;
        }
        let unlike = |known: &OwnedAction, action: &Action<'_>| {
            known.same_as(action) != Some(true)
                || action.risk.is_some_and(|risk| known.risk != Some(risk))
        };
        let ran = executed
            .action
            .filter(|action| approved.is_none_or(|known| unlike(known, action)));
        let ran = ran.map(|action| analyse_shown(context, &action, step_facts));
        let high_by_policy = !differs
            && approval == Approval::Given
            && self.is_high_by_policy(ran.as_ref(), approved);
        // An action that may not have been executed isn't reported for lack of a decision.
        let perhaps = executed.result.is_some_and(|r| r.perhaps);
        if perhaps && matches!(approval, Approval::Missing | Approval::Rejected) {
            approval = Approval::Unknown;
        }
        let kept = self.compare_with_rejected(line, approved, approval, step_facts);
        let success = executed.result.is_none_or(|r| r.success || r.perhaps);
        let weighed = approved
            .filter(|known| known.is_recorded())
            .or(ran.as_ref());
        let seen = self.seen_to_change(executed, weighed, success);
        let named = executed.capability.map(|c| c.decode());
        // A revoked token is invalid even where tokens aren't required.
        let dead = named
            .as_deref()
            .is_some_and(|named| self.tokens.is_revoked(named));
        let in_force = self.tokens.are_in_force() || dead;
        if !in_force && let Some(named) = named.as_deref() {
            // The token hasn't been issued so far.
            self.verdict.doubt(Aspect::Authorised);
            self.tokens.use_unissued(named, line);
        }
        let token = if in_force {
            let action = executed
                .action
                .or_else(|| approved.map(OwnedAction::as_action));
            let changed = self.declared_and(&seen);
            // Only times of a single writer are compared.
            let time = time.filter(|_| self.origin.format.coverage() == Coverage::Complete);
            let covered = approved
                .filter(|_| executed.action.is_none())
                .and_then(OwnedAction::covered);
            let what = (id.as_deref(), action.as_ref(), covered);
            self.tokens
                .token_use(named.as_deref(), what, (&changed, time))
        } else {
            TokenUse::Fine
        };
        // If it isn't known which action was executed or which tokens exist, only a token that is
        // known to be invalid is reported.
        let unnamed = self.turn.proposal_unknown && (id.is_none() || executed.action.is_none());
        let vague = approval == Approval::Unknown || unnamed || self.tokens.are_unknown();
        let token_lost = token != TokenUse::Fine && self.tokens.are_unknown();
        let token = match token {
            TokenUse::None(_) | TokenUse::OutOfScope(_) if vague && !token_lost => TokenUse::Fine,
            token => token,
        };
        // Sessions declare no changes.
        let comparable =
            self.turn.proposal.is_some() && !self.turn.proposal_unknown && !self.is_session();
        let undeclared = executed
            .observed
            .filter(|_| comparable)
            .and_then(|observed| {
                authority::undeclared_changes(
                    self.turn.declared.as_deref().unwrap_or_default(),
                    observed,
                    success,
                )
            });
        let where_seen = PathEffects::default().with_observed(&seen, self.tree());
        let contribution = self.contribution(weighed, approval, success, &where_seen);
        let (leaves, protected, policies) = self.reach(
            executed.action,
            approved,
            (approval, success),
            where_seen,
            context,
        );
        let beyond_risk = self.beyond_risk(weighed, approval, success, &seen);
        let diff = self.executed_diff(executed, ran.as_ref(), approved, approval);
        let change = if context.keep_changes && success {
            self.change(line, executed, approved, context)
        } else {
            None
        };
        // The executed action must be the approved one. Without a record of it, that can't be
        // checked.
        let nameless = self.origin.format.coverage() == (Coverage::Movements { evidence: true })
            && executed.action.is_none()
            && id.is_none();
        let compared = |action: &Action<'_>| {
            approved.is_none_or(|approved| approved.same_as(action).is_some())
        };
        let unheld = approval == Approval::Given
            && executed
                .action
                .as_ref()
                .is_some_and(|action| !compared(action));
        let again = id.as_deref().is_some_and(|id| self.ran_before_the_end(id));
        if approval == Approval::Unknown || nameless || unheld || again {
            self.verdict.doubt(Aspect::Authorised);
        }
        if let Some((key, time, ran)) = kept {
            self.session.actions.run(key, time, ran);
        }
        self.turn
            .reported
            .extend(leaves.iter().map(|l| l.path.as_str().into()));
        self.turn.reported.extend(
            protected
                .iter()
                .chain(&policies)
                .chain(&beyond_risk)
                .map(|path| path.as_str().into()),
        );
        self.leftovers.take(contribution, &self.turn.reported);
        if !seen.is_empty() && success && approval == Approval::Given {
            let artifacts = executed.result.and_then(|r| r.artifacts);
            self.turn.compared_artifacts = artifacts.map(|artifacts| artifacts.as_written().into());
        }
        self.turn.on_token = (in_force && token == TokenUse::Fine && !vague)
            .then(|| named.as_deref().map(Into::into));
        self.leftovers
            .changes
            .extend(change.map(|change| RecordedChange {
                time: time.map(Timestamp::millis),
                ..change
            }));
        if let Some(id) = id.as_deref() {
            let known = self
                .known
                .by_id
                .entry(id.into())
                .or_insert(Known::new(line));
            known.ran = Some((line, success));
        }
        if allowed {
            self.turn.allowed_ran = Some((line, success));
        }
        self.turn.executed.push(id.as_deref().map(Into::into));
        self.turn.ran = Some((line, time));
        self.run_diff(diff, step_facts);
        let approval = self.if_too_late(approval, id.as_deref(), line, time);
        step_facts.executed = Some(ExecutedFacts {
            id,
            approval,
            repeat,
            differs,
            token,
            undeclared,
            leaves,
            protected,
            policies,
            beyond_risk,
            high_by_policy,
            decision_line: self.turn.decision.as_ref().map(|d| d.line),
            unproposed,
            decision_lost: self.turn.decision_lost && self.turn.decision.is_none(),
            token_lost,
        });
    }

    /// Handles changes that a turn declares without a proposal. They belong to the proposal in
    /// another record of the turn; without one, their meaning is uncertain.
    pub(super) fn declared_without_proposal(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        paths: Paths<'_, '_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        if self.turn.proposal.is_none() {
            self.doubt_all();
            return;
        }
        let paths = paths.iter().map(|path| path.distinct().into());
        self.turn.declared.get_or_insert_default().extend(paths);
    }

    /// Handles changes that a turn observed without a result. If a decision allows the turn's
    /// action, the result may be in a record of its own. Otherwise something was executed without
    /// approval.
    pub(super) fn changed(
        &mut self,
        line: u64,
        step: &Step<'_, '_>,
        changed: &ExecutionFact<'_, '_>,
        context: Context<'_>,
        step_facts: &mut StepFacts,
    ) {
        self.check_turn(line, step, false, step_facts);
        if changed.observed.is_none() || changed.capability.is_some() {
            // Whether the token covers the action can be determined only from a result.
            self.verdict.doubt(Aspect::Authorised);
        }
        let Some(observed) = changed.observed else {
            return;
        };
        let id = changed.action_id.map(|id| id.decode());
        let approved = authority::approved(&self.turn);
        let approval = self.approval(id.as_deref(), approved);
        if approval != Approval::Given {
            self.apply_execution(line, step.time, changed, context, step_facts);
            return;
        }
        if self.tokens.are_in_force() {
            self.verdict.doubt(Aspect::Authorised);
        }
        let approved = authority::approved(&self.turn);
        let seen = self.seen_to_change(changed, approved, true);
        let declared = self.turn.declared.as_deref().unwrap_or_default();
        let undeclared =
            authority::undeclared_changes(declared, observed, true).filter(|_| !self.is_session());
        let where_seen = PathEffects::default().with_observed(&seen, self.tree());
        let (leaves, protected, policies) =
            self.reach(None, approved, (approval, true), where_seen, context);
        let diff = self.executed_diff(changed, None, approved, approval);
        let facts = ExecutedFacts {
            undeclared,
            leaves,
            protected,
            policies,
            beyond_risk: self.beyond_risk(approved, approval, true, &seen),
            decision_line: self.turn.decision.as_ref().map(|d| d.line),
            ..ExecutedFacts::bare(id.map(Cow::into_owned), approval)
        };
        self.run_diff(diff, step_facts);
        step_facts.executed = Some(facts);
    }

    /// Returns whether no action was proposed in this turn, not even in an unreadable record.
    fn is_unproposed(&self) -> bool {
        self.turn.proposal.is_none() && !self.turn.proposal_unknown
    }

    /// Takes the turn's only thought for its missing proposal.
    fn infer_proposal(&mut self, context: Context<'_>) {
        let mut actions = self
            .turn
            .thoughts
            .iter()
            .filter_map(|thought| Some((thought, thought.what.action.as_ref()?)));
        let (Some((thought, action)), None) = (actions.next(), actions.next()) else {
            return;
        };
        let (found, reach) = authority::analyse_owned(context, action);
        let what = OwnedAction {
            found,
            ..action.clone()
        }
        .reaching(reach);
        self.turn.proposal = Some(Evidence {
            what,
            line: thought.line,
            time: thought.time,
        });
    }

    /// Returns whether an action that a policy approved turns out to be high-risk only when
    /// executed.
    pub(super) fn is_high_by_policy(
        &self,
        ran: Option<&OwnedAction>,
        approved: Option<&OwnedAction>,
    ) -> bool {
        let high = |action: &OwnedAction| action.effective_risk() == Some(RiskLevel::High);
        self.turn
            .decision
            .as_ref()
            .is_some_and(|d| d.what.by == DecidedBy::Policy)
            && ran.is_some_and(high)
            && !approved.is_some_and(high)
    }

    /// Returns the changes of an action that was executed and succeeded; `None` when no change is
    /// known.
    fn change(
        &self,
        line: u64,
        executed: &ExecutionFact<'_, '_>,
        approved: Option<&OwnedAction>,
        context: Context<'_>,
    ) -> Option<RecordedChange> {
        let known = approved
            .or(self.turn.proposal.as_ref().map(|p| &p.what))
            .filter(|k| k.is_recorded());
        let ran = executed
            .action
            .or_else(|| known.map(OwnedAction::as_action))?;
        let reach = match executed.action {
            Some(action) => authority::analyse_cached(context, &action).1,
            None => known.and_then(|k| k.reach.clone()),
        };
        let is_diff = ran.kind == ActionKind::Known(ActionType::CodeDiff);
        let diff = ran.payload.filter(|_| is_diff).and_then(action::diff);
        let made = ran
            .payload
            .filter(|_| ran.kind == ActionKind::Known(ActionType::ToolCall))
            .and_then(authority::content);
        let declared = self
            .turn
            .declared
            .as_ref()
            .map(|paths| paths.iter().map(|p| p.to_string()).collect());
        let observed: Option<Vec<String>> = executed
            .observed
            .map(|paths| paths.iter().map(|p| p.distinct().into_owned()).collect());
        let only_reads =
            observed.as_ref().is_some_and(|paths| !paths.is_empty()) && authority::only_reads(&ran);
        Some(RecordedChange::of(
            line,
            (diff, made),
            reach.as_deref(),
            declared,
            (observed, only_reads),
        ))
        .filter(|c| !c.is_empty())
    }

    /// Returns the paths that are known to have changed: observed ones, else declared ones if the
    /// action succeeded, and those that the result names.
    fn seen_to_change(
        &self,
        executed: &ExecutionFact<'_, '_>,
        known: Option<&OwnedAction>,
        success: bool,
    ) -> Vec<String> {
        let mut changed: Vec<String> = match (executed.observed, &self.turn.declared) {
            (Some(observed), _) => observed.iter().map(|p| p.distinct().into_owned()).collect(),
            (None, Some(declared)) if success => declared.iter().map(|p| p.to_string()).collect(),
            (None, _) => Vec::new(),
        };
        let known = known.or(self.turn.proposal.as_ref().map(|p| &p.what));
        changed.extend(Self::changed_files(
            known,
            executed.result.and_then(|r| r.artifacts),
        ));
        changed
    }

    /// Returns the files that this turn's action declared, and those that were `seen` to change.
    fn declared_and(&self, seen: &[String]) -> BTreeSet<String> {
        let declared = self.turn.declared.iter().flatten().map(|path| &**path);
        let all = seen.iter().map(String::as_str).chain(declared);
        all.map(|path| action::plain_path(path).into_owned())
            .filter(|path| !path.is_empty())
            .collect()
    }

    /// Returns paths outside of the work tree and protected paths to report for an executed action,
    /// from its payload and from the paths that were `seen` to change. If a human approved the
    /// action, only disguised paths are returned. If the approval isn't recorded, protected paths
    /// aren't reported. The third list has the policies that the action changed, whatever approved
    /// it.
    pub(super) fn reach(
        &self,
        ran: Option<Action<'_>>,
        approved: Option<&OwnedAction>,
        (approval, success): (Approval, bool),
        seen: PathEffects,
        context: Context<'_>,
    ) -> (Vec<PathEscape>, Vec<String>, Vec<String>) {
        let known = approved.or(self.turn.proposal.as_ref().map(|p| &p.what));
        let same = |action: &Action<'_>| known.is_some_and(|k| k.same_as(action) == Some(true));
        let payload = match &ran {
            Some(action) if !same(action) => authority::analyse_cached(context, action).1,
            _ => known.and_then(|k| k.reach.clone()),
        };
        let mut reach = payload
            .as_deref()
            .map(PathEffects::places)
            .unwrap_or_default()
            .merged_with(seen);
        let by_human = self
            .turn
            .decision
            .as_ref()
            .is_some_and(|d| d.what.by == DecidedBy::Human)
            && approval == Approval::Given;
        let mut leaves = std::mem::take(&mut reach.leaves);
        let mut protected = std::mem::take(&mut reach.protected);
        if by_human {
            leaves.retain(|l| l.disguised);
        }
        // A failed action has usually written nothing; a failed command may have.
        let is_shell = |kind: OwnedActionKind| kind == OwnedActionKind::Known(ActionType::ShellCmd);
        let kinds = [
            known.and_then(|k| k.kind.clone()),
            ran.map(|a| OwnedActionKind::of(a.kind)),
        ];
        let shell = kinds.into_iter().flatten().any(is_shell);
        let wrote = success || shell;
        if by_human || approval == Approval::Unknown || !wrote {
            protected.clear();
        }
        let mut policies = self.changed_policies(&reach.changed);
        if !wrote {
            policies.clear();
        }
        (leaves, protected, policies)
    }

    /// Returns the files that changed although a policy approved the action as low-risk. Considers
    /// paths that were `seen` to change or declared. A write that the action itself names is part
    /// of its risk. A failed action has changed what was observed and what its result names; a file
    /// that was only read isn't a change.
    fn beyond_risk(
        &self,
        approved: Option<&OwnedAction>,
        approval: Approval,
        success: bool,
        seen: &[String],
    ) -> Vec<String> {
        let by_policy = self
            .turn
            .decision
            .as_ref()
            .is_some_and(|d| d.what.by == DecidedBy::Policy);
        let only_reads = |known: &OwnedAction| {
            let writes = known
                .reach
                .as_ref()
                .is_some_and(|r| !r.written.is_empty() || r.opaque);
            known.effective_risk() == Some(RiskLevel::Low) && !writes
        };
        if !by_policy || approval != Approval::Given || !approved.is_some_and(only_reads) {
            return Vec::new();
        }
        let declared = self
            .turn
            .declared
            .iter()
            .flatten()
            .filter(|_| success)
            .map(|path| &**path);
        // An empty path is the work tree.
        let plain = |path: &str| match action::plain_path(path) {
            path if path.is_empty() => ".".to_owned(),
            path => path.into_owned(),
        };
        let changed: BTreeSet<String> = seen
            .iter()
            .map(String::as_str)
            .chain(declared)
            .map(plain)
            .collect();
        changed.into_iter().collect()
    }

    /// Determines the approval of the action with this id.
    fn approval(&self, id: Option<&str>, approved: Option<&OwnedAction>) -> Approval {
        let turn = &self.turn;
        let refused = |id: &str| {
            self.known.refused.ids.contains(id)
                && !self.known.by_id.get(id).is_some_and(|known| known.refused)
        };
        if id.is_some_and(refused) {
            return Approval::Rejected;
        }
        let Some(decision) = &turn.decision else {
            return if turn.decision_unknown || !self.session.records_decisions() {
                Approval::Unknown
            } else {
                Approval::Missing
            };
        };
        let known = |id: &str| self.known.by_id.get(id);
        if decision.what.misdirected {
            return Approval::Misdirected;
        }
        if turn.rejected_ran {
            // The transition to EXECUTING has been reported.
            return Approval::Misdirected;
        }
        if decision.what.ruling == Ruling::Rejected {
            let other = id.is_some_and(|id| !known(id).is_some_and(|k| k.rejected));
            return if other {
                Approval::Missing
            } else {
                Approval::Rejected
            };
        }
        if self.is_session()
            && decision.what.ruling == Ruling::Modified
            && decision.what.modified.is_none()
        {
            // The action that was allowed instead isn't on record.
            return Approval::Unknown;
        }
        // Without a recorded proposal, only the decision names the action.
        match (
            id,
            approved
                .and_then(|a| a.id.as_deref())
                .or(decision.what.action.as_deref()),
        ) {
            (Some(ran), Some(allowed)) if ran != allowed => {
                if known(ran).is_some_and(|k| k.rejected) {
                    Approval::Rejected
                } else {
                    Approval::Missing
                }
            }
            _ if turn.decision_unknown => Approval::Unknown,
            _ => Approval::Given,
        }
    }
}

/// Analyses an action that is shown where it was executed, like a proposal.
pub(super) fn analyse_shown(
    context: Context<'_>,
    action: &Action<'_>,
    step_facts: &mut StepFacts,
) -> OwnedAction {
    let (found, reach) = authority::analyse_cached(context, action);
    let risks = understated(context, action, found, step_facts);
    if !reach.as_ref().is_some_and(|r| r.unreadable) {
        step_facts.record_understated_risk(risks);
    }
    OwnedAction::proposed(action, found, &[]).reaching(reach)
}
