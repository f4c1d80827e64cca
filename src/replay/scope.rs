//! Comparison of tokens with actions: by subject, scope and grants.

use super::authority::categories;
use super::digest::TokenInput;
use super::evidence::{Grants, Token};
use super::path_effects::places;
use super::step_facts::TokenUse;
use crate::trace::action;
use crate::trace::scalar::Timestamp;
use crate::trace::step::{Action, ActionKind};
use agent_policy::Category;
use governance::ActionType;
use governance::{Ledger, LedgerError};
use shell_effects::command_line::CommandLine;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use strict_json::Raw;
use worktree::diff;

/// An action to compare with tokens. Its payload is analysed at most once for all tokens.
struct TokenQuery<'a> {
    id: Option<&'a str>,
    action: Option<&'a Action<'a>>,
    /// Parts of the action kept in its digest, if its payload isn't kept.
    covered: Option<&'a TokenInput>,
    /// Files that the action declared or was observed to change.
    changed: &'a BTreeSet<String>,
    /// Time of its execution.
    time: Option<Timestamp>,
    targets: OnceCell<Option<Targets>>,
    /// Categories of all of its effects.
    categories: OnceCell<Option<u32>>,
    /// Remaining comparisons.
    work: Cell<u64>,
}

/// Maximum number of comparisons of globs with paths per execution. An agent with thousands of
/// tokens should name the one that it uses.
pub(super) const WORK: u64 = 2_000_000;

/// Targets that a scope has to cover completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Targets {
    All(BTreeSet<String>),
    /// A command line, which is covered by a glob only if it is a single command, and otherwise
    /// only by its exact text. Or the tool of a call that names no path.
    Line {
        text: String,
        single: bool,
    },
}

/// Determines the use of a token by an action, from the action's id and content, the files that it
/// `changed`, and the time of its execution.
pub(super) fn token_use(
    ledger: &Ledger<Token>,
    named: Option<&str>,
    (id, action, covered): (Option<&str>, Option<&Action<'_>>, Option<&TokenInput>),
    (changed, time): (&BTreeSet<String>, Option<Timestamp>),
    work: &mut u64,
) -> TokenUse {
    let (targets, categories) = (OnceCell::new(), OnceCell::new());
    let query = TokenQuery {
        id,
        action,
        covered,
        changed,
        time,
        targets,
        categories,
        work: Cell::new(*work),
    };
    let found = search(ledger, named, &query);
    *work = query.work.get();
    found
}

fn search(ledger: &Ledger<Token>, named: Option<&str>, query: &TokenQuery<'_>) -> TokenUse {
    let too_late = |token: &Token| {
        query
            .time
            .zip(token.issued)
            .is_some_and(|(used, issued)| used.is_before(issued))
    };
    if let Some(name) = named {
        return match ledger.live(name) {
            Err(LedgerError::Revoked) => TokenUse::Revoked(name.to_owned()),
            Err(LedgerError::Unknown | LedgerError::AlreadyIssued) => {
                TokenUse::NotIssued(name.to_owned())
            }
            Ok(token) if too_late(token) => TokenUse::IssuedLater(name.to_owned()),
            Ok(token) => match covers(token, query) {
                TokenMatch::Yes => TokenUse::Fine,
                TokenMatch::Scope => TokenUse::OutOfScope(name.to_owned()),
                TokenMatch::No => TokenUse::None(Some(name.to_owned())),
            },
        };
    }
    let mut best = TokenUse::None(None);
    for (name, token, revoked) in ledger.iter() {
        match (covers(token, query), revoked) {
            (TokenMatch::Yes, false) if too_late(token) => {
                best = TokenUse::IssuedLater(name.to_owned());
            }
            (TokenMatch::Yes, false) => return TokenUse::Fine,
            (TokenMatch::Yes, true) => best = TokenUse::Revoked(name.to_owned()),
            (TokenMatch::Scope, false)
                if !matches!(best, TokenUse::Revoked(_) | TokenUse::IssuedLater(_)) =>
            {
                best = TokenUse::OutOfScope(name.to_owned());
            }
            (TokenMatch::Scope | TokenMatch::No, _) => {}
        }
    }
    best
}

/// Result of comparing a token with an action.
enum TokenMatch {
    Yes,
    /// The token is for this action, but its scope or grants don't cover it.
    Scope,
    No,
}

/// Compares a token with an action by subject and scope; both must match if both are present. A
/// token with neither covers nothing, and one without grants covers only its subject.
fn covers(token: &Token, query: &TokenQuery<'_>) -> TokenMatch {
    match &token.subject {
        Some(subject) if query.id != Some(&**subject) => return TokenMatch::No,
        None if token.scope.is_none() => return TokenMatch::No,
        None if token.grants.none => return TokenMatch::Scope,
        _ => {}
    }
    if let Some(action) = query.action
        && !token.grants.none
        && !grants(&token.grants, action, query)
    {
        return TokenMatch::Scope;
    }
    let Some(scope) = &token.scope else {
        return TokenMatch::Yes;
    };
    let targets = match query.covered {
        Some(covered) => &covered.targets,
        None => query
            .targets
            .get_or_init(|| query.action.and_then(Targets::of)),
    };
    let number = if let Some(Targets::All(all)) = targets {
        all.len()
    } else {
        1
    };
    let Some(left) = query
        .work
        .get()
        .checked_sub((scope.len() * (number + query.changed.len())) as u64)
    else {
        query.work.set(0);
        return TokenMatch::Scope;
    };
    query.work.set(left);
    let within = |all: &BTreeSet<String>| {
        all.iter()
            .all(|path| scope.iter().any(|glob| glob.is_match(path)))
    };
    let reached = match targets {
        None => false,
        Some(Targets::All(all)) => {
            !all.is_empty() && within(all) && !climbs(query.changed) && within(query.changed)
        }
        Some(Targets::Line { text, single }) => {
            let covered = scope
                .iter()
                .any(|glob| glob.glob().glob() == text || *single && glob.is_match(text));
            // A scope of only commands or tools covers any change that they make. A scope that
            // contains paths restricts changes to those.
            let paths = || {
                scope
                    .iter()
                    .map(|glob| glob.glob().glob())
                    .any(|glob| glob != text && is_about_paths(glob))
            };
            covered
                && (query.changed.is_empty()
                    || !paths()
                    || !climbs(query.changed) && within(query.changed))
        }
    };
    if reached && !token.scope_unreadable {
        TokenMatch::Yes
    } else {
        TokenMatch::Scope
    }
}

/// Returns whether a glob of a scope matches paths, rather than a command with arguments or a plain
/// name of a program or tool.
fn is_about_paths(glob: &str) -> bool {
    !glob.contains(char::is_whitespace) && (glob.contains(['/', '.']) || glob.contains("**"))
}

/// Returns whether a path climbs out of its starting directory, which no scope covers.
fn climbs(paths: &BTreeSet<String>) -> bool {
    paths
        .iter()
        .any(|path| path.split(['/', '\\']).any(|part| part == ".."))
}

/// Returns whether one of the words grants an action: by its type, its tool, or the categories of
/// all of its effects.
fn grants(grants: &Grants, action: &Action<'_>, query: &TokenQuery<'_>) -> bool {
    let ActionKind::Known(kind) = action.kind else {
        return false;
    };
    if grants.types.contains(&kind) {
        return true;
    }
    let number = grants.tools.len() + grants.words.len();
    let Some(left) = query.work.get().checked_sub(number as u64) else {
        query.work.set(0);
        return false;
    };
    query.work.set(left);
    let does = || match query.covered {
        Some(covered) => covered.categories,
        None => *query.categories.get_or_init(|| categories(action)),
    };
    let read = Category::Read.bit();
    if kind == ActionType::ToolCall && number > 0 {
        let tool = match query.covered {
            Some(covered) => covered.tool.clone(),
            None => action.payload.and_then(action::tool),
        };
        let granted = |tool: &String| {
            grants.words.iter().any(|word| **word == **tool)
                || grants.tools.iter().any(|glob| glob.is_match(tool))
        };
        // A grant of a tool that reads covers only reading.
        let reads_alone = || does().is_some_and(|found| found != 0 && found & !read == 0);
        if tool.as_ref().is_some_and(granted) && (query.changed.is_empty() || !reads_alone()) {
            return true;
        }
    }
    let runs = kind == ActionType::ShellCmd && grants.categories & Category::Execute.bit() != 0;
    // A grant to execute commands covers their reads and writes.
    let granted = grants.categories
        | if runs {
            read | Category::Write.bit()
        } else {
            0
        };
    // An answer without effects is within every category.
    let changes = if query.changed.is_empty() {
        0
    } else {
        Category::Write.bit()
    };
    let within = |found: u32| {
        (found | changes != 0 || kind == ActionType::Answer) && (found | changes) & !granted == 0
    };
    grants.categories != 0 && does().is_some_and(within)
}

impl Targets {
    /// Returns the targets of an action. `None` if they are unknown or a path climbs out of its
    /// starting directory: no scope covers that.
    pub(super) fn of(action: &Action<'_>) -> Option<Self> {
        let payload = action.payload?;
        let paths: BTreeSet<String> = match action.kind {
            ActionKind::Known(ActionType::CodeDiff) => diff_files(payload)?,
            ActionKind::Known(ActionType::ToolCall) => tool_paths(payload)?,
            ActionKind::Known(ActionType::ShellCmd) => {
                let payload: serde_json::Value = payload.read_all()?;
                let line =
                    CommandLine::from_payload(&payload).filter(|line| line.unknown.is_none())?;
                let text = line.text.into_owned();
                let single = is_single(&text);
                return Some(Targets::Line { text, single });
            }
            ActionKind::Known(ActionType::Answer) | ActionKind::Other(_) => BTreeSet::new(),
        };
        if climbs(&paths) {
            return None;
        }
        if paths.is_empty() && action.kind == ActionKind::Known(ActionType::ToolCall) {
            return action::tool(payload).map(|text| Targets::Line {
                text: action::plain_path(&text).into_owned(),
                single: true,
            });
        }
        Some(Targets::All(
            paths
                .iter()
                .map(|p| action::plain_path(p).into_owned())
                .collect(),
        ))
    }

    /// Returns the total bytes of its names.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::All(paths) => paths.iter().map(String::len).sum(),
            Self::Line { text, .. } => text.len(),
        }
    }
}

/// Returns the files whose content, mode or name a `code_diff` changes. `None` if it can't be
/// parsed.
pub(super) fn diff_files(payload: Raw<'_>) -> Option<BTreeSet<String>> {
    let text = action::diff(payload)?;
    let diff = diff::parse(text.as_bytes(), &diff::Limits::default()).ok()?;
    Some(
        diff.files
            .into_iter()
            .flat_map(|file| [file.old, file.new])
            .collect(),
    )
}

/// Returns the paths among the parameters of a call, whatever their names. `None` when there may be
/// more.
fn tool_paths(payload: Raw<'_>) -> Option<BTreeSet<String>> {
    let call: shell_effects::Param<'_> = payload.read_all()?;
    let tool = call
        .get("tool")
        .or_else(|| call.get("tool_name"))
        .and_then(shell_effects::Param::as_str)?;
    let analysis = shell_effects::effects_of_call(tool, &call, places());
    if analysis.truncated || analysis.unparsed {
        return None;
    }
    let named = action::paths(ActionKind::Known(ActionType::ToolCall), payload);
    let placed = analysis
        .effects
        .into_iter()
        .filter(|e| e.path_info.is_some())
        .filter_map(|e| e.target);
    Some(named.into_iter().chain(placed).collect())
}

/// Returns whether a line is a single command without redirection, pipe or substitution, so that
/// its beginning determines what is executed.
fn is_single(line: &str) -> bool {
    let (mut single, mut double, mut escaped) = (false, false, false);
    for c in line.chars() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\'' if !double => single = !single,
            _ if single => {}
            '\\' => escaped = true,
            '"' => double = !double,
            '`' | '$' => return false,
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '\n' | '\r' if !double => return false,
            _ => {}
        }
    }
    !(single || double || escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_command_is_told_from_several() {
        for line in [
            "npm test",
            "git commit -m 'a; b'",
            "grep \"a|b\" x",
            "echo a\\;b",
        ] {
            assert!(is_single(line), "{line}");
        }
        for line in [
            "npm test; rm x",
            "a && b",
            "a > b",
            "echo $(b)",
            "a\nb",
            "echo \"`b`\"",
            "a 'b",
            "a $X",
        ] {
            assert!(!is_single(line), "{line}");
        }
    }

    #[test]
    fn who_has_too_many_tokens_is_not_searched_for_ever() {
        let glob = globset::Glob::new("src/**").unwrap().compile_matcher();
        let grants = Grants {
            types: vec![ActionType::ToolCall],
            ..Grants::default()
        };
        let token = Token {
            subject: None,
            scope: Some(vec![glob; 2]),
            scope_unreadable: false,
            grants,
            line: 1,
            issued: None,
            last_use: None,
        };
        let mut ledger = Ledger::new();
        ledger.issue("c", token).unwrap();
        let kind = ActionKind::Known(ActionType::ToolCall);
        let payload = Raw::trusted(r#"{"tool":"read_file","parameters":{"path":"src/a"}}"#);
        let action = Action {
            id: None,
            kind,
            payload: Some(payload),
            risk: None,
        };
        let (mut work, none) = (3, BTreeSet::new());
        assert_eq!(
            token_use(
                &ledger,
                None,
                (None, Some(&action), None),
                (&none, None),
                &mut work
            ),
            TokenUse::Fine
        );
        assert_eq!(work, 1);
        assert_eq!(
            token_use(
                &ledger,
                None,
                (None, Some(&action), None),
                (&none, None),
                &mut work
            ),
            TokenUse::OutOfScope("c".into())
        );
    }

    fn paths(text: &str) -> Option<BTreeSet<String>> {
        tool_paths(Raw::trusted(text))
    }

    #[test]
    fn paths_are_found_whatever_they_are_called() {
        let found =
            paths(r#"{"tool":"move_file","parameters":{"path":"src/a","new_path":"lib/b"}}"#)
                .unwrap();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["lib/b", "src/a"]);
        let found =
            paths(r#"{"tool":"edit","parameters":{"path":"src/a","edits":[{"path":"./lib/c"}]}}"#)
                .unwrap();
        assert!(found.contains("./lib/c"));
    }

    #[test]
    fn every_file_of_a_diff_counts() {
        let diff = "diff --git \"a/lib/x\" \"b/lib/x\"\nold mode 100644\nnew mode 100755\n\
            diff --git a/src/y b/src/y\n--- a/src/y\n+++ b/src/y\n@@ -1 +1 @@\n-a\n+b\n";
        let payload = serde_json::json!({ "diff": diff }).to_string();
        assert_eq!(
            diff_files(Raw::trusted(&payload))
                .unwrap()
                .into_iter()
                .collect::<Vec<_>>(),
            ["lib/x", "src/y"]
        );
        assert!(diff_files(Raw::trusted(r#"{"diff":"nothing"}"#)).is_none());
    }
}
