//! Checks whether a record accounts for a change: applies the recorded changes to a revision and
//! compares the result with another revision.

use super::Report;
use super::place::help;
use crate::diag::{Code, Finding, Place, Severity, subject};
use crate::replay::{Content, RecordedChange};
use crate::rules::{self, by_code, codes};
use crate::trace::action::plain_path;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use worktree::diff::apply::{FileOutcome, Outcome, Place as At, Refusal, attempt};
use worktree::diff::tree::{File, Found, Overlay, Revision, Tree, TreeError};
use worktree::diff::{Change, Diff, FileDiff, Limits, Mode, parse};
use worktree::git::ObjectId;
use worktree::name;
use worktree::path::entry;

/// Maximum number of paths that a sentence names; the rest is counted.
const SHOWN: usize = 10;

/// Whether a record accounts for a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Accounted")]
pub enum AccountAnswer {
    /// Every file that the commit changes ends as recorded, and the record changes no other file.
    Yes,
    /// The record and the commit differ, or a recorded diff doesn't apply.
    No,
    /// Nothing contradicts the record, but the content of some file isn't recorded.
    NotRecorded,
}

/// The result of applying recorded changes to a revision, and of comparing it with another
/// revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The commit to which the diffs were applied.
    pub base: String,
    /// The commit with which the result was compared.
    pub head: Option<String>,
    /// Number of executed diffs that apply.
    pub applied: u64,
    /// Number of executed diffs that don't apply or aren't valid diffs.
    pub failed: u64,
    /// Number of executed diffs that can't be checked, because an earlier command wrote one of
    /// their files, a file is binary, or an earlier diff to it doesn't apply. Their other files are
    /// still checked.
    pub unjudged: u64,
    /// Number of actions that may have changed any file, without a record of what they changed.
    pub opaque: u64,
    /// Files that the recorded changes change, as far as they apply.
    pub changed: Vec<String>,
    /// The answer; only present if there is a commit to compare with.
    pub accounts_for_head: Option<AccountAnswer>,
    /// Files that have the recorded content in the commit.
    pub as_recorded: Vec<String>,
    /// Files that both change, to different content, or that a recorded diff failed to change.
    pub other_content: Vec<String>,
    /// Files that both change, but whose content isn't recorded.
    pub content_not_recorded: Vec<String>,
    /// Files that only the commit changes.
    pub only_in_head: Vec<String>,
    /// Files that only the record changes.
    pub only_in_record: Vec<String>,
}

/// Applies the changes of a report's executions to `base`, in input order, and compares the result
/// with `head`. Adds findings (YV702, YV704), the account, and notices to the report.
/// `Options::settings.keep_changes` must have been set.
///
/// # Errors
/// Fails if a revision can't be read.
pub fn reconcile(
    report: &mut Report,
    base: (ObjectId, &Revision<'_>),
    head: Option<(ObjectId, &Revision<'_>)>,
) -> Result<(), TreeError> {
    reconcile_except(report, base, head, &BTreeSet::new())
}

/// Like [`reconcile`], but ignores some paths of the commit: those of the traces themselves, which
/// no recorded action writes.
///
/// # Errors
/// Fails if a revision can't be read.
pub fn reconcile_except(
    report: &mut Report,
    base: (ObjectId, &Revision<'_>),
    head: Option<(ObjectId, &Revision<'_>)>,
    excluded: &BTreeSet<String>,
) -> Result<(), TreeError> {
    let id = base.0.to_string();
    reconcile_on(
        report,
        (&id, base.1),
        head.map(|(id, tree)| Head {
            id,
            tree,
            base: base.1,
            excluded,
        }),
    )
}

/// The commit with which the result is compared.
pub(crate) struct Head<'h> {
    id: ObjectId,
    tree: &'h Revision<'h>,
    /// The base commit.
    base: &'h Revision<'h>,
    /// Paths that are not compared.
    excluded: &'h BTreeSet<String>,
}

/// Like [`reconcile`], for any kind of tree; `base` is its name and the tree.
pub(crate) fn reconcile_on(
    report: &mut Report,
    base: (&str, &dyn Tree),
    head: Option<Head<'_>>,
) -> Result<(), TreeError> {
    let limits = Limits::default();
    let mut reconciler = Reconciler {
        overlay: Overlay::new(base.1),
        limits,
        base: short(base.0),
        unknown: BTreeSet::new(),
        contradicted_files: BTreeSet::new(),
        in_head: BTreeMap::new(),
        account: Account {
            base: base.0.to_owned(),
            head: head.as_ref().map(|h| h.id.to_string()),
            applied: 0,
            failed: 0,
            unjudged: 0,
            opaque: 0,
            changed: Vec::new(),
            accounts_for_head: None,
            as_recorded: Vec::new(),
            other_content: Vec::new(),
            content_not_recorded: Vec::new(),
            only_in_head: Vec::new(),
            only_in_record: Vec::new(),
        },
        findings: Vec::new(),
    };
    let mut changes: Vec<(&Arc<str>, &Arc<str>, &RecordedChange)> = report
        .summaries
        .iter()
        .flat_map(|s| s.changes.iter().map(|c| (&s.file, &s.id, c)))
        .collect();
    // Sorted by time if every change has one, otherwise by file. Names of files say nothing about
    // the order.
    let timed = changes.iter().all(|(.., change)| change.time.is_some());
    changes.sort_by_key(|(file, _, change)| (change.time.filter(|_| timed), *file, change.line));
    for (file, id, change) in changes {
        reconciler.change(file, id, change)?;
    }
    let differing = |(path, file): (&String, &Option<File>)| {
        let before = Overlay::new(base.1).file(path, limits.file_bytes);
        before
            .map(|before| (before != *file).then(|| path.clone()))
            .transpose()
    };
    reconciler.account.changed = reconciler
        .overlay
        .changes()
        .iter()
        .filter_map(differing)
        .collect::<Result<_, _>>()?;
    if let Some(head) = head {
        reconciler.compare(head.base, head.tree, head.excluded)?;
        let place = report
            .summaries
            .first()
            .map(|s| (s.file.clone(), s.line))
            .unwrap_or_default();
        reconciler.report_contradictions(&place, &short(&head.id.to_string()));
    }
    let Reconciler {
        account, findings, ..
    } = reconciler;
    report.notices.extend(notices(&account));
    report.account = Some(account);
    report.counts.rules_run += u64::from(report.counts.rules_run > 0);
    for mut finding in findings {
        report.counts.count(finding.severity);
        report.secrets.clean(&mut finding.message);
        report.findings.push(finding);
    }
    for notice in &mut report.notices {
        report.secrets.clean(notice);
    }
    if let Some(account) = &mut report.account {
        let Account {
            changed,
            as_recorded,
            other_content,
            content_not_recorded,
            only_in_head,
            only_in_record,
            ..
        } = account;
        for path in [
            changed,
            as_recorded,
            other_content,
            content_not_recorded,
            only_in_head,
            only_in_record,
        ]
        .into_iter()
        .flatten()
        {
            report.secrets.clean(path);
        }
    }
    report.findings.sort_by_cached_key(Finding::order);
    crate::diag::assign_fingerprints(&mut report.findings);
    Ok(())
}

/// Returns whether it stays unknown what a part of a diff produces: its content is binary or can't
/// be read. An expensive search doesn't count, since the author of a diff can cause one.
fn is_open(became: &FileOutcome) -> bool {
    matches!(
        became.refusal,
        Some(Refusal::Binary | Refusal::Unreadable(_))
    )
}

fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

struct Reconciler<'t> {
    overlay: Overlay<'t>,
    limits: Limits,
    base: String,
    /// Files that were written with content that isn't recorded.
    unknown: BTreeSet<String>,
    /// Files of diff parts that should have applied but don't. What is recorded about them can't be
    /// true.
    contradicted_files: BTreeSet<String>,
    /// The mode and id of each file that the commit changes. They are part of a finding's subject,
    /// so suppressing it for one change doesn't suppress it for another change of the same file.
    in_head: BTreeMap<String, String>,
    account: Account,
    findings: Vec<Finding>,
}

impl Reconciler<'_> {
    fn change(
        &mut self,
        file: &Arc<str>,
        id: &Arc<str>,
        change: &RecordedChange,
    ) -> Result<(), TreeError> {
        let place = (file.clone(), change.line);
        if let Some(text) = &change.diff {
            match parse(text.as_bytes(), &self.limits) {
                // The proposal of this diff already has a finding (YV701).
                Err(_) => self.account.failed += 1,
                Ok(diff) => {
                    // Parts that can't be checked don't affect the other parts.
                    let (outcome, mut changes) = attempt(&diff, &self.overlay, &self.limits);
                    self.outcome(&place, id, &diff, &outcome, &mut changes);
                    self.overlay.take(changes);
                    self.compare_with_declared(&place, id, &diff, change);
                }
            }
        }
        if let Some((path, content)) = &change.content {
            self.content(&name::to_text(path.as_bytes()), content)?;
        }
        self.unknown.extend(
            change
                .written
                .iter()
                .map(|path| name::to_text(path.as_bytes())),
        );
        self.account.opaque += u64::from(change.opaque);
        Ok(())
    }

    /// Applies the content that a tool gave a file. If it isn't certain, the file becomes unknown.
    fn content(&mut self, path: &str, content: &Content) -> Result<(), TreeError> {
        let mode = match self.overlay.look(path)? {
            Found::File(mode) => Some(mode),
            Found::Nothing => None,
            Found::Folder => Some(Mode::Submodule),
        };
        let limit = self.limits.file_bytes;
        let after = match content {
            // Writing through a link, into a submodule or to the path of a directory changes
            // something else.
            _ if matches!(mode, Some(Mode::Link | Mode::Submodule)) || entry(path).is_err() => None,
            Content::Removed => Some(None),
            Content::Whole(text) => Some(Some(text.clone().into_bytes())),
            Content::Replaced { .. }
                if self.unknown.contains(path) || self.contradicted_files.contains(path) =>
            {
                None
            }
            Content::Replaced { old, new, all } => {
                // A file that is too large counts as unknown.
                let text = self
                    .overlay
                    .file(path, limit)
                    .ok()
                    .flatten()
                    .and_then(|f| String::from_utf8(f.content.to_vec()).ok());
                text.and_then(|text| {
                    let there = text.matches(old.as_str()).count();
                    let fits = there.saturating_mul(new.len()).saturating_add(text.len()) <= limit;
                    (fits && (there == 1 || *all && there > 1))
                        .then(|| Some(text.replace(old.as_str(), new).into_bytes()))
                })
            }
        };
        let Some(after) = after else {
            self.unknown.insert(path.to_owned());
            return Ok(());
        };
        self.unknown.remove(path);
        self.contradicted_files.remove(path);
        let file = after.map(|content| File {
            mode: mode.unwrap_or(Mode::File),
            content: content.into(),
        });
        self.overlay.take(BTreeMap::from([(path.to_owned(), file)]));
        Ok(())
    }

    /// Records whether a diff applied, and adds to `changes` what is known about parts that can't
    /// be checked.
    fn outcome(
        &mut self,
        place: &(Arc<str>, u64),
        id: &Arc<str>,
        diff: &Diff<'_>,
        outcome: &Outcome,
        changes: &mut BTreeMap<String, Option<File>>,
    ) {
        if outcome.applies() {
            self.account.applied += 1;
            return;
        }
        let mut broken = Vec::new();
        for (part, became) in diff
            .files
            .iter()
            .zip(&outcome.files)
            .filter(|(_, became)| !became.applies())
        {
            let made = (part.change != Change::Delete).then(|| part.new.clone());
            let left =
                matches!(part.change, Change::Delete | Change::Rename).then(|| part.old.clone());
            if is_open(became) || self.is_unknown(part, became) {
                self.unknown.extend(made);
                // Whatever the content, the old name no longer exists.
                if let Some(left) = left {
                    changes.entry(left).or_insert(None);
                }
                continue;
            }
            // Consequences of an earlier diff that didn't apply aren't reported again.
            if !(self.contradicted_files.contains(&part.old)
                || self.contradicted_files.contains(&part.new))
            {
                broken.push(became);
            }
            self.contradicted_files.extend(made.into_iter().chain(left));
        }
        let Some(worst) = broken.first() else {
            self.account.unjudged += 1;
            return;
        };
        self.account.failed += 1;
        let why = match &worst.refusal {
            Some(refusal) => refusal.to_string(),
            // Quotes neither the diff nor the file, since both may contain secrets.
            None => worst
                .hunks
                .iter()
                .find_map(|h| match &h.place {
                    At::Conflict(Some(nearest)) => Some(format!(
                        "the hunk at line {} of the diff conflicts; nearest is line {} of the file",
                        h.line, nearest.line
                    )),
                    At::Conflict(None) => Some(format!(
                        "the hunk at line {} of the diff conflicts; nothing of it is in the file",
                        h.line
                    )),
                    At::At(_) => None,
                })
                .unwrap_or_default(),
        };
        let more = if broken.len() > 1 {
            format!(" ({} more files likewise)", broken.len() - 1)
        } else {
            String::new()
        };
        let doubt = self.account.opaque > 0;
        let message = format!(
            "the diff is recorded as successful, but doesn't apply to `{}`: `{}`: {why}{more}{}",
            self.base,
            worst.path,
            if doubt {
                "; it isn't recorded what earlier commands changed"
            } else {
                ""
            }
        );
        let about = subject([if doubt { "doubtful" } else { "certain" }, &*worst.path]);
        self.find(
            codes::DIFF_DOES_NOT_APPLY,
            place,
            Some(id),
            message,
            about,
            doubt.then_some(Severity::Warning),
        );
    }

    /// Returns whether a part that doesn't apply may still apply to content that a command wrote.
    /// For refusals of its path, only the new name matters.
    fn is_unknown(&self, part: &FileDiff<'_>, became: &FileOutcome) -> bool {
        let of_content = matches!(
            became.refusal,
            None | Some(Refusal::Missing | Refusal::Type { .. } | Refusal::Remains)
        );
        self.unknown.contains(part.path()) || (of_content && self.unknown.contains(&part.old))
    }

    /// Compares the paths that a diff changes with those that were observed or declared.
    fn compare_with_declared(
        &mut self,
        place: &(Arc<str>, u64),
        id: &Arc<str>,
        diff: &Diff<'_>,
        change: &RecordedChange,
    ) {
        let (listed, word) = match (&change.observed, &change.declared) {
            (Some(observed), _) => (observed, "observed"),
            (None, Some(declared)) => (declared, "declared"),
            (None, None) => return,
        };
        let listed: BTreeSet<String> = listed.iter().map(|p| plain_path(p).into_owned()).collect();
        // A list in a record can't hold names that aren't valid UTF-8, so names are compared in
        // lossy form.
        let touched: BTreeSet<String> = diff
            .files
            .iter()
            .flat_map(|f| [&f.old, &f.new])
            .map(|n| name::lossy(n))
            .collect();
        // The old name of a renamed file and the original of a copy needn't be listed.
        let named = diff.files.iter().map(|f| name::lossy(f.path()));
        let unlisted: Vec<String> = named
            .collect::<BTreeSet<_>>()
            .difference(&listed)
            .cloned()
            .collect();
        let unchanged: Vec<String> = listed.difference(&touched).cloned().collect();
        let mut parts = Vec::new();
        if !unlisted.is_empty() {
            parts.push(format!(
                "the diff changes {}, which isn't {word}",
                list(&unlisted)
            ));
        }
        if !unchanged.is_empty() {
            parts.push(format!(
                "{} is {word}, and the diff doesn't change it",
                list(&unchanged)
            ));
        }
        if !parts.is_empty() {
            let about = [&unlisted, &unchanged].map(|paths| subject(paths.iter().map(|p| &**p)));
            self.find(
                codes::UNDECLARED_CHANGE,
                place,
                Some(id),
                parts.join("; "),
                subject(about.iter().map(|p| &**p)),
                None,
            );
        }
    }

    /// Compares the result with a commit, in both directions.
    fn compare(
        &mut self,
        base: &Revision<'_>,
        head: &Revision<'_>,
        excluded: &BTreeSet<String>,
    ) -> Result<(), TreeError> {
        let files = |revision: &Revision<'_>| -> BTreeMap<String, (Mode, ObjectId)> {
            revision
                .files()
                .map(|(path, mode, id)| (path.to_owned(), (mode, id)))
                .collect()
        };
        let (before, after) = (files(base), files(head));
        let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let committed: BTreeSet<&String> = paths
            .into_iter()
            .filter(|p| before.get(*p) != after.get(*p) && !excluded.contains(*p))
            .collect();
        let recorded: BTreeSet<String> = self.account.changed.iter().cloned().collect();
        let there = Overlay::new(head);
        for path in &committed {
            let list = if self.unknown.contains(*path) {
                &mut self.account.content_not_recorded
            } else if recorded.contains(*path)
                && there.file(path, self.limits.file_bytes)?
                    == self.overlay.file(path, self.limits.file_bytes)?
            {
                &mut self.account.as_recorded
            } else if recorded.contains(*path) || self.contradicted_files.contains(*path) {
                &mut self.account.other_content
            } else {
                &mut self.account.only_in_head
            };
            list.push((*path).clone());
            let state = after.get(*path).map_or("gone".to_owned(), |(mode, id)| {
                format!("{} {id}", mode.digits())
            });
            self.in_head.insert((*path).clone(), state);
        }
        // It is unknown whether files without recorded content changed at all.
        let only: Vec<String> = recorded
            .iter()
            .filter(|p| !committed.contains(p) && !self.unknown.contains(*p))
            .cloned()
            .collect();
        self.account.only_in_record = only;
        let account = &mut self.account;
        let contradicted = account.failed > 0
            || [
                &account.only_in_head,
                &account.only_in_record,
                &account.other_content,
            ]
            .iter()
            .any(|list| !list.is_empty());
        let open = !account.content_not_recorded.is_empty() || account.unjudged > 0;
        account.accounts_for_head = Some(match (contradicted, open) {
            (true, _) => AccountAnswer::No,
            (false, true) => AccountAnswer::NotRecorded,
            (false, false) => AccountAnswer::Yes,
        });
        Ok(())
    }

    fn report_contradictions(&mut self, place: &(Arc<str>, u64), head: &str) {
        let Account {
            only_in_head,
            only_in_record,
            other_content,
            failed,
            ..
        } = &self.account;
        let nothing = Vec::new();
        let mut reports = Vec::new();
        if !only_in_head.is_empty() {
            let message = format!(
                "`{head}` changes what no recorded action changes: {}",
                list(only_in_head)
            );
            reports.push(("only in head", only_in_head, message));
        }
        if !other_content.is_empty() {
            let message = format!(
                "`{head}` leaves other content than the recorded actions: {}",
                list(other_content)
            );
            reports.push(("other content", other_content, message));
        }
        if !only_in_record.is_empty() {
            let message = format!(
                "recorded actions change what `{head}` doesn't: {}",
                list(only_in_record)
            );
            reports.push(("only in record", only_in_record, message));
        }
        // The answer "no" always comes with a reason.
        if reports.is_empty() && *failed > 0 {
            let diffs = if *failed == 1 {
                "1 recorded diff doesn't".to_owned()
            } else {
                format!("{failed} recorded diffs don't")
            };
            let message = format!(
                "`{head}` can't have been created as recorded: {diffs} apply to `{}`",
                self.base
            );
            reports.push(("failed diffs", &nothing, message));
        }
        let state = |path: &String| {
            self.in_head
                .get(path)
                .map(String::as_str)
                .unwrap_or_default()
        };
        let reports: Vec<(Box<str>, String)> = reports
            .into_iter()
            .map(|(what, paths, message)| {
                let each = paths.iter().flat_map(|path| [path.as_str(), state(path)]);
                (subject([what].into_iter().chain(each)), message)
            })
            .collect();
        for (about, message) in reports {
            self.find(codes::UNDECLARED_CHANGE, place, None, message, about, None);
        }
    }

    fn find(
        &mut self,
        code: Code,
        place: &(Arc<str>, u64),
        id: Option<&Arc<str>>,
        message: String,
        about: Box<str>,
        severity: Option<Severity>,
    ) {
        let Some(rule) = by_code(code) else {
            return;
        };
        let place = Place {
            file: place.0.clone(),
            line: place.1,
            ..Place::default()
        };
        self.findings.push(Finding {
            execution: id.cloned(),
            help: Some(help(rule)),
            subject: Some(about),
            severity: severity.unwrap_or(rule.severity),
            ..rules::finding(rule.code, message, place)
        });
    }
}

/// Formats the first few paths, in backticks.
fn list(paths: &[String]) -> String {
    let mut shown: Vec<String> = paths.iter().take(SHOWN).map(|p| format!("`{p}`")).collect();
    if paths.len() > SHOWN {
        shown.push(format!("{} more", paths.len() - SHOWN));
    }
    shown.join(", ")
}

fn count(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// Formats the account for people.
fn notices(account: &Account) -> Vec<String> {
    let base = short(&account.base);
    let mut out = vec![format!(
        "of the executed diffs, {} to {base}, {} not, {} can't be checked; they change {}",
        if account.applied == 1 {
            "1 applies".to_owned()
        } else {
            format!("{} apply", account.applied)
        },
        account.failed,
        account.unjudged,
        count(account.changed.len(), "file")
    )];
    if account.opaque > 0 {
        let what = count(
            usize::try_from(account.opaque).unwrap_or(usize::MAX),
            "action",
        );
        out.push(format!("{what} executed without a record of the changes"));
    }
    let (Some(answer), Some(head)) = (account.accounts_for_head, &account.head) else {
        return out;
    };
    let answer = match answer {
        AccountAnswer::Yes => "yes",
        AccountAnswer::No => "no",
        AccountAnswer::NotRecorded => "not recorded",
    };
    let Account {
        as_recorded,
        other_content,
        content_not_recorded,
        only_in_head,
        only_in_record,
        ..
    } = account;
    let all =
        as_recorded.len() + other_content.len() + content_not_recorded.len() + only_in_head.len();
    out.push(format!(
        "does this record account for {base}..{}? {answer}: \
         of {} that the commits change, {} as recorded, {} with other content, \
         {} with content that isn't recorded, {} not in the record; {} only in the record",
        short(head),
        count(all, "file"),
        as_recorded.len(),
        other_content.len(),
        content_not_recorded.len(),
        only_in_head.len(),
        only_in_record.len()
    ));
    if !content_not_recorded.is_empty() {
        out.push(format!(
            "the content of these files isn't recorded, so the record doesn't account for it: {}",
            list(content_not_recorded)
        ));
    }
    out
}
