//! Does a record account for a change? What its actions changed, applied to a revision and held
//! against another.

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

/// Paths that a sentence names; the rest is counted.
const SHOWN: usize = 10;

/// The answer to whether a record accounts for a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Accounted {
    /// Every file that the commit changes ends as the record says, and the record changes no other.
    Yes,
    /// Some file doesn't.
    No,
    /// Nothing contradicts it, but the content of some file isn't recorded.
    NotRecorded,
}

/// What a record's diffs give on a revision, and how that compares with another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The commit that the diffs were applied to.
    pub base: String,
    /// The commit that the outcome was compared with.
    pub head: Option<String>,
    /// Executed diffs that apply.
    pub applied: u64,
    /// Executed diffs that don't, or are none.
    pub failed: u64,
    /// Executed diffs of which it can't be told: a command wrote one of their files before, it is
    /// binary, or an earlier diff to it doesn't apply. What else they change counts.
    pub unjudged: u64,
    /// Actions that may have changed anything, with nothing recorded of what they did.
    pub opaque: u64,
    /// Files that the record changes: by what of its diffs applies.
    pub changed: Vec<String>,
    /// The answer, where there is a commit to compare with.
    pub accounts_for_head: Option<Accounted>,
    /// Files that the commit leaves as the record does.
    pub as_recorded: Vec<String>,
    /// Files that both change, to different content, or in the record by a diff that doesn't apply.
    pub other_content: Vec<String>,
    /// Files that both change, where the record doesn't hold the content.
    pub content_not_recorded: Vec<String>,
    /// Files that only the commit changes.
    pub only_in_head: Vec<String>,
    /// Files that only the record changes.
    pub only_in_record: Vec<String>,
}

/// Applies what the executions of a report have changed, in the order of the input, to `base`; adds
/// findings (YV702, YV704), the account, and sentences for people. `Options::settings.keep_changes`
/// must have been set.
///
/// # Errors
/// When a revision can't be read.
pub fn reconcile(
    report: &mut Report,
    base: (ObjectId, &Revision<'_>),
    head: Option<(ObjectId, &Revision<'_>)>,
) -> Result<(), TreeError> {
    reconcile_except(report, base, head, &BTreeSet::new())
}

/// As [`reconcile`], without some paths of the commit: those of the traces themselves, which no
/// action writes.
///
/// # Errors
/// When a revision can't be read.
pub fn reconcile_except(
    report: &mut Report,
    base: (ObjectId, &Revision<'_>),
    head: Option<(ObjectId, &Revision<'_>)>,
    but: &BTreeSet<String>,
) -> Result<(), TreeError> {
    let id = base.0.to_string();
    reconcile_on(
        report,
        (&id, base.1),
        head.map(|(id, tree)| Head {
            id,
            tree,
            base: base.1,
            but,
        }),
    )
}

/// The commit that an outcome is compared with.
pub(crate) struct Head<'h> {
    id: ObjectId,
    tree: &'h Revision<'h>,
    /// The base again, as a revision.
    base: &'h Revision<'h>,
    /// Paths that aren't compared.
    but: &'h BTreeSet<String>,
}

/// As [`reconcile`], on any tree, with a name for it.
pub(crate) fn reconcile_on(
    report: &mut Report,
    base: (&str, &dyn Tree),
    head: Option<Head<'_>>,
) -> Result<(), TreeError> {
    let limits = Limits::default();
    let mut teller = Teller {
        overlay: Overlay::new(base.1),
        limits,
        base: short(base.0),
        unknown: BTreeSet::new(),
        astray: BTreeSet::new(),
        left: BTreeMap::new(),
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
    // In the order in which they were made, whatever the files are called. Where that isn't
    // recorded of all, by file.
    let timed = changes.iter().all(|(.., change)| change.time.is_some());
    changes.sort_by_key(|(file, _, change)| (change.time.filter(|_| timed), *file, change.line));
    for (file, id, change) in changes {
        teller.change(file, id, change)?;
    }
    let differing = |(path, file): (&String, &Option<File>)| {
        let before = Overlay::new(base.1).file(path, limits.file_bytes);
        before
            .map(|before| (before != *file).then(|| path.clone()))
            .transpose()
    };
    teller.account.changed = teller
        .overlay
        .changes()
        .iter()
        .filter_map(differing)
        .collect::<Result<_, _>>()?;
    if let Some(head) = head {
        teller.compare(head.base, head.tree, head.but)?;
        let place = report
            .summaries
            .first()
            .map(|s| (s.file.clone(), s.line))
            .unwrap_or_default();
        teller.contradict(&place, &short(&head.id.to_string()));
    }
    let Teller {
        account, findings, ..
    } = teller;
    report.notices.extend(sentences(&account));
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

/// Whether what a part gives isn't for the record to hold: binary content, or what can't be read. A
/// search that takes too long is none of it: whoever wrote the diff has a say in how long it takes.
fn is_open(became: &FileOutcome) -> bool {
    matches!(
        became.refusal,
        Some(Refusal::Binary | Refusal::Unreadable(_))
    )
}

fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

struct Teller<'t> {
    overlay: Overlay<'t>,
    limits: Limits,
    base: String,
    /// Files that were written and whose content isn't recorded.
    unknown: BTreeSet<String>,
    /// Files of parts of diffs that should have applied and don't: what the record says of them
    /// can't be.
    astray: BTreeSet<String>,
    /// What the commit makes of files that it changes: who lets one change of a file pass lets no
    /// other one pass.
    left: BTreeMap<String, String>,
    account: Account,
    findings: Vec<Finding>,
}

impl Teller<'_> {
    fn change(
        &mut self,
        file: &Arc<str>,
        id: &Arc<str>,
        change: &RecordedChange,
    ) -> Result<(), TreeError> {
        let place = (file.clone(), change.line);
        if let Some(text) = &change.diff {
            match parse(text.as_bytes(), &self.limits) {
                // That it is none has been said where it was proposed.
                Err(_) => self.account.failed += 1,
                Ok(diff) => {
                    // A part that can't be judged takes nothing from what is known of the others.
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

    /// Takes in what a tool made of a file. What it doesn't say for certain isn't known.
    fn content(&mut self, path: &str, content: &Content) -> Result<(), TreeError> {
        let mode = match self.overlay.look(path)? {
            Found::File(mode) => Some(mode),
            Found::Nothing => None,
            Found::Folder => Some(Mode::Submodule),
        };
        let limit = self.limits.file_bytes;
        let after = match content {
            // Through a link, into a submodule or in the place of a folder something else is
            // written.
            _ if matches!(mode, Some(Mode::Link | Mode::Submodule)) || entry(path).is_err() => None,
            Content::Removed => Some(None),
            Content::Whole(text) => Some(Some(text.clone().into_bytes())),
            Content::Replaced { .. }
                if self.unknown.contains(path) || self.astray.contains(path) =>
            {
                None
            }
            Content::Replaced { old, new, all } => {
                // A file that is too large is one that nothing is known of.
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
        self.astray.remove(path);
        let file = after.map(|content| File {
            mode: mode.unwrap_or(Mode::File),
            content: content.into(),
        });
        self.overlay.take(BTreeMap::from([(path.to_owned(), file)]));
        Ok(())
    }

    /// Tells what became of a diff, and adds to its changes what is known of parts that can't be
    /// judged.
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
                // Whatever it held, under this name it is gone.
                if let Some(left) = left {
                    changes.entry(left).or_insert(None);
                }
                continue;
            }
            // What only follows from a diff that didn't apply isn't said again.
            if !(self.astray.contains(&part.old) || self.astray.contains(&part.new)) {
                broken.push(became);
            }
            self.astray.extend(made.into_iter().chain(left));
        }
        let Some(worst) = broken.first() else {
            self.account.unjudged += 1;
            return;
        };
        self.account.failed += 1;
        let why = match &worst.refusal {
            Some(refusal) => refusal.to_string(),
            // Neither the diff's words nor the file's: either may hold what a report must not.
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
            "the diff is said to have succeeded, and doesn't apply to `{}`: `{}`: {why}{more}{}",
            self.base,
            worst.path,
            if doubt {
                "; commands ran before of which it isn't recorded what they changed"
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

    /// Whether a part that doesn't apply may do so on what a command has written. What stands in
    /// its way is a matter of its new name alone.
    fn is_unknown(&self, part: &FileDiff<'_>, became: &FileOutcome) -> bool {
        let of_content = matches!(
            became.refusal,
            None | Some(Refusal::Missing | Refusal::Type { .. } | Refusal::Remains)
        );
        self.unknown.contains(part.path()) || (of_content && self.unknown.contains(&part.old))
    }

    /// What a diff changes is known: it must be what was declared, and what was observed.
    fn compare_with_declared(
        &mut self,
        place: &(Arc<str>, u64),
        id: &Arc<str>,
        diff: &Diff<'_>,
        change: &RecordedChange,
    ) {
        let (said, word) = match (&change.observed, &change.declared) {
            (Some(observed), _) => (observed, "observed"),
            (None, Some(declared)) => (declared, "declared"),
            (None, None) => return,
        };
        let said: BTreeSet<String> = said.iter().map(|p| plain_path(p).into_owned()).collect();
        // A list in a record can't hold names that are no UTF-8: they are compared as it has to
        // write them.
        let touched: BTreeSet<String> = diff
            .files
            .iter()
            .flat_map(|f| [&f.old, &f.new])
            .map(|n| name::lossy(n))
            .collect();
        // The old name of a file that moves, and the original of a copy, need no mention.
        let named = diff.files.iter().map(|f| name::lossy(f.path()));
        let unsaid: Vec<String> = named
            .collect::<BTreeSet<_>>()
            .difference(&said)
            .cloned()
            .collect();
        let untouched: Vec<String> = said.difference(&touched).cloned().collect();
        let mut parts = Vec::new();
        if !unsaid.is_empty() {
            parts.push(format!(
                "the diff changes {}, which isn't {word}",
                list(&unsaid)
            ));
        }
        if !untouched.is_empty() {
            parts.push(format!(
                "{} is {word}, and the diff doesn't change it",
                list(&untouched)
            ));
        }
        if !parts.is_empty() {
            let about = [&unsaid, &untouched].map(|paths| subject(paths.iter().map(|p| &**p)));
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

    /// Holds the outcome against a commit, in both directions.
    fn compare(
        &mut self,
        base: &Revision<'_>,
        head: &Revision<'_>,
        but: &BTreeSet<String>,
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
            .filter(|p| before.get(*p) != after.get(*p) && !but.contains(*p))
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
            } else if recorded.contains(*path) || self.astray.contains(*path) {
                &mut self.account.other_content
            } else {
                &mut self.account.only_in_head
            };
            list.push((*path).clone());
            let left = after.get(*path).map_or("gone".to_owned(), |(mode, id)| {
                format!("{} {id}", mode.digits())
            });
            self.left.insert((*path).clone(), left);
        }
        // Of files whose content isn't recorded it can't be told whether they changed at all.
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
            (true, _) => Accounted::No,
            (false, true) => Accounted::NotRecorded,
            (false, false) => Accounted::Yes,
        });
        Ok(())
    }

    fn contradict(&mut self, place: &(Arc<str>, u64), head: &str) {
        let Account {
            only_in_head,
            only_in_record,
            other_content,
            failed,
            ..
        } = &self.account;
        let nothing = Vec::new();
        let mut said = Vec::new();
        if !only_in_head.is_empty() {
            let message = format!(
                "`{head}` changes what no recorded action changes: {}",
                list(only_in_head)
            );
            said.push(("only in head", only_in_head, message));
        }
        if !other_content.is_empty() {
            let message = format!(
                "`{head}` leaves other content than the recorded actions: {}",
                list(other_content)
            );
            said.push(("other content", other_content, message));
        }
        if !only_in_record.is_empty() {
            let message = format!(
                "recorded actions change what `{head}` doesn't: {}",
                list(only_in_record)
            );
            said.push(("only in record", only_in_record, message));
        }
        // No is never said without a reason.
        if said.is_empty() && *failed > 0 {
            let diffs = if *failed == 1 {
                "1 recorded diff doesn't".to_owned()
            } else {
                format!("{failed} recorded diffs don't")
            };
            let message = format!(
                "how `{head}` came about can't be as recorded: {diffs} apply to `{}`",
                self.base
            );
            said.push(("failed diffs", &nothing, message));
        }
        let left = |path: &String| self.left.get(path).map(String::as_str).unwrap_or_default();
        let said: Vec<(Box<str>, String)> = said
            .into_iter()
            .map(|(what, paths, message)| {
                let each = paths.iter().flat_map(|path| [path.as_str(), left(path)]);
                (subject([what].into_iter().chain(each)), message)
            })
            .collect();
        for (about, message) in said {
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

/// The first few paths in backticks.
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

/// The account for people.
fn sentences(account: &Account) -> Vec<String> {
    let base = short(&account.base);
    let mut out = vec![format!(
        "of the diffs that ran, {} to {base}, {} not, {} can't be checked; they change {}",
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
        out.push(format!(
            "{what} ran of which it isn't recorded what they changed"
        ));
    }
    let (Some(answer), Some(head)) = (account.accounts_for_head, &account.head) else {
        return out;
    };
    let answer = match answer {
        Accounted::Yes => "yes",
        Accounted::No => "no",
        Accounted::NotRecorded => "not recorded",
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
        "does this record account for {base}..{}? {answer}: of {} that the commits change, {} as recorded, {} with other content, \
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
            "content that the record doesn't show, so nothing accounts for it: {}",
            list(content_not_recorded)
        ));
    }
    out
}
