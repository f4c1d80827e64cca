//! Finds the differences between two executions, and between two aligned turns.

use super::{Aspect, At, Difference, Sameness, same_action};
use crate::report::Lang;
use crate::trace::action::changed_lines;
use crate::trajectory::model::Trajectory;
use crate::trajectory::words::{self, first_line};
use crate::verify::timeline::{Context, Deed, Opening, Result, Shown, Text, Turn, Verdict};
use std::collections::BTreeSet;

/// Maximum number of characters of a text on one side of a difference.
const TEXT: usize = 200;
/// Maximum number of paths that one difference names.
const PATHS: usize = 8;

/// The differences found so far.
#[derive(Debug)]
pub(super) struct Differences {
    /// The language of the values.
    lang: Lang,
    pub(super) list: Vec<Difference>,
    pub(super) same: Sameness,
}

impl Differences {
    pub(super) const fn new(lang: Lang) -> Self {
        Self {
            lang,
            list: Vec::new(),
            same: Sameness::ALL,
        }
    }
}

/// Describes an action by what distinguishes it from others of its kind.
fn describe(action: &Shown, lang: Lang) -> String {
    match &action.deed {
        Deed::Tool { tool, payload } => format!("{tool} {}", first_line(payload, TEXT)),
        Deed::Answer(text) => format!("{} {}", lang.say("answer"), first_line(text, TEXT)),
        Deed::Other { word, payload } => format!("{word} {}", first_line(payload, TEXT)),
        Deed::Diff(text) => {
            let (added, removed) = changed_lines(&text.text);
            lang.fill(
                "{0} (+{1} -{2} lines)",
                &[&words::action(action, lang), &added, &removed],
            )
        }
        Deed::Command(_) => words::action(action, lang),
    }
}

/// Describes a decision: its ruling, its author, and its change of the action.
fn decided(decision: &Verdict, lang: Lang) -> String {
    let modified = decision
        .modified
        .as_ref()
        .map(|m| lang.fill(", to {0}", &[&describe(m, lang)]))
        .unwrap_or_default();
    format!("{}{modified}", words::decision(decision, lang))
}

fn result(result: &Result, lang: Lang) -> String {
    let code = result
        .exit_code
        .map(|c| lang.fill(", exit code {0}", &[&c]))
        .unwrap_or_default();
    let kind = result
        .error_type
        .as_ref()
        .map(|t| format!(", {t}"))
        .unwrap_or_default();
    let text = result
        .error
        .as_ref()
        .filter(|e| !e.text.is_empty())
        .unwrap_or(&result.output);
    let word = lang.say(if result.failed() { "failed" } else { "success" });
    format!("{word}{code}{kind}: {}", first_line(text, TEXT))
}

fn same_text(a: &Text, b: &Text) -> bool {
    a == b
}

fn same_result(a: &Result, b: &Result) -> bool {
    let errors = match (&a.error, &b.error) {
        (Some(a), Some(b)) => same_text(a, b),
        (None, None) => true,
        _ => false,
    };
    a.failed() == b.failed()
        && a.exit_code == b.exit_code
        && a.error_type == b.error_type
        && same_text(&a.output, &b.output)
        && errors
}

/// Marks two different texts whose first lines are equal, so that a reader sees the difference.
fn apart(base: String, new: String, lang: Lang) -> (String, String) {
    if base == new {
        let marked = lang.fill("{0} (the same at a glance, and not the same)", &[&new]);
        (base, marked)
    } else {
        (base, new)
    }
}

fn at(turn: &Turn) -> At {
    At {
        turn: turn.number,
        line: turn.line,
    }
}

impl Differences {
    fn add(
        &mut self,
        aspect: Aspect,
        places: (Option<At>, Option<At>),
        base: Option<String>,
        new: Option<String>,
    ) {
        self.list.push(Difference {
            aspect,
            base_at: places.0,
            new_at: places.1,
            base,
            new,
        });
    }

    fn if_differs(
        &mut self,
        aspect: Aspect,
        places: (Option<At>, Option<At>),
        base: Option<String>,
        new: Option<String>,
    ) -> bool {
        let differs = base != new;
        if differs {
            self.add(aspect, places, base, new);
        }
        differs
    }

    /// Adds the differences that concern the executions as a whole.
    pub(super) fn whole(&mut self, base: &Trajectory, new: &Trajectory) {
        let places = (
            Some(At {
                turn: None,
                line: base.line,
            }),
            Some(At {
                turn: None,
                line: new.line,
            }),
        );
        let intent = |t: &Trajectory| t.intent().map(str::to_owned);
        self.if_differs(Aspect::Intent, places, intent(base), intent(new));
        let policy = |t: &Trajectory| {
            let named = |o: &Opening| {
                let parts = [&o.policy_path, &o.policy_revision, &o.policy_digest];
                let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
                (!parts.is_empty()).then(|| parts.join(", "))
            };
            t.openings.iter().rev().find_map(named)
        };
        self.if_differs(Aspect::Policy, places, policy(base), policy(new));
        let ended = |t: &Trajectory| {
            let evaluation = t.turns.iter().rev().find_map(|t| t.evaluation.clone());
            let state = t.final_state.map(|s| s.name().to_owned());
            let parts: Vec<String> = [t.outcome.clone(), evaluation, state]
                .into_iter()
                .flatten()
                .collect();
            (!parts.is_empty()).then(|| parts.join(", "))
        };
        if self.if_differs(Aspect::Outcome, places, ended(base), ended(new)) {
            self.same.outcome = false;
        }
        let lang = self.lang;
        let verdict = |t: &Trajectory| {
            let v = t.verdict;
            Some(lang.fill(
                "legal path {0}, authorised {1}, governance complete {2}",
                &[
                    &lang.say(v.legal_path.name()),
                    &lang.say(v.authorised.name()),
                    &lang.say(v.governance_complete.name()),
                ],
            ))
        };
        self.if_differs(Aspect::Verdict, places, verdict(base), verdict(new));
    }

    /// Adds a turn without a counterpart on the other side.
    pub(super) fn alone(&mut self, base: Option<&Turn>, new: Option<&Turn>) {
        let lang = self.lang;
        let what = |turn: &Turn| match turn.proposed.as_ref().or(turn.ran.as_ref()) {
            Some(action) => describe(action, lang),
            None => lang.say("a turn without an action").to_owned(),
        };
        self.same.path = false;
        if base.or(new).is_some_and(|t| t.decision.is_some()) {
            self.same.decisions = false;
        }
        self.add(
            Aspect::Action,
            (base.map(at), new.map(at)),
            base.map(what),
            new.map(what),
        );
    }

    /// Adds the differences between two aligned turns.
    pub(super) fn pair(&mut self, base: &Turn, new: &Turn) {
        let (places, lang) = ((Some(at(base)), Some(at(new))), self.lang);
        self.actions(base, new, places);
        let states = |t: &Turn| {
            let path: Vec<&str> = t.path.iter().map(|s| s.state.name()).collect();
            (!path.is_empty()).then(|| path.join(", "))
        };
        if self.if_differs(Aspect::States, places, states(base), states(new)) {
            self.same.path = false;
        }
        let risk = |t: &Turn| words::risk(t).map(|r| lang.say(r.name()).to_owned());
        self.if_differs(Aspect::Risk, places, risk(base), risk(new));
        self.decisions(base, new, places);
        self.contexts(base, new, places);
        let models = |t: &Turn| {
            let all: Vec<String> = t.thoughts.iter().filter_map(|t| t.model.clone()).collect();
            (!all.is_empty()).then(|| all.join(", "))
        };
        self.if_differs(Aspect::Model, places, models(base), models(new));
        let skills = |t: &Turn| {
            let set: Option<BTreeSet<&str>> = t
                .used_skills
                .as_ref()
                .map(|s| s.iter().map(String::as_str).collect());
            set.map(|s| s.into_iter().collect::<Vec<_>>().join(", "))
        };
        self.if_differs(Aspect::Skills, places, skills(base), skills(new));
        match (&base.result, &new.result) {
            (Some(a), Some(b)) if same_result(a, b) => {}
            (None, None) => {}
            (Some(a), Some(b)) => {
                let (a, b) = apart(result(a, lang), result(b, lang), lang);
                self.add(Aspect::Result, places, Some(a), Some(b));
            }
            (a, b) => self.add(
                Aspect::Result,
                places,
                a.as_ref().map(|a| result(a, lang)),
                b.as_ref().map(|b| result(b, lang)),
            ),
        }
    }

    fn actions(&mut self, base: &Turn, new: &Turn, places: (Option<At>, Option<At>)) {
        let lang = self.lang;
        for (a, b) in [(&base.proposed, &new.proposed), (&base.ran, &new.ran)] {
            match (a, b) {
                (Some(a), Some(b)) if same_action(a, b) => continue,
                (None, None) => continue,
                (Some(a), Some(b)) => {
                    let (a, b) = apart(describe(a, lang), describe(b, lang), lang);
                    self.add(Aspect::Action, places, Some(a), Some(b));
                }
                (a, b) => self.add(
                    Aspect::Action,
                    places,
                    a.as_ref().map(|a| describe(a, lang)),
                    b.as_ref().map(|b| describe(b, lang)),
                ),
            }
            self.same.path = false;
        }
    }

    fn decisions(&mut self, base: &Turn, new: &Turn, places: (Option<At>, Option<At>)) {
        let lang = self.lang;
        let changed_alike = match (&base.decision, &new.decision) {
            (Some(a), Some(b)) => match (&a.modified, &b.modified) {
                (Some(a), Some(b)) => same_action(a, b),
                (None, None) => true,
                _ => false,
            },
            _ => true,
        };
        let (a, b) = (
            base.decision.as_ref().map(|d| decided(d, lang)),
            new.decision.as_ref().map(|d| decided(d, lang)),
        );
        if !changed_alike && a == b {
            self.same.decisions = false;
            let (a, b) = apart(a.unwrap_or_default(), b.unwrap_or_default(), lang);
            self.add(Aspect::Decision, places, Some(a), Some(b));
        } else if self.if_differs(Aspect::Decision, places, a, b) {
            self.same.decisions = false;
        }
    }

    fn contexts(&mut self, base: &Turn, new: &Turn, places: (Option<At>, Option<At>)) {
        fn member<'t>(turn: &'t Turn, of: fn(&'t Context) -> Option<&'t String>) -> Option<String> {
            turn.context.as_ref().and_then(of).cloned()
        }
        let lang = self.lang;
        self.if_differs(
            Aspect::Prompt,
            places,
            member(base, |c| c.prompt_version.as_ref()),
            member(new, |c| c.prompt_version.as_ref()),
        );
        self.if_differs(
            Aspect::Tools,
            places,
            member(base, |c| c.tool_set_version.as_ref()),
            member(new, |c| c.tool_set_version.as_ref()),
        );
        let items = |t: &Turn| -> Option<BTreeSet<(String, String)>> {
            let items = t.context.as_ref()?.items.as_ref()?;
            Some(
                items
                    .iter()
                    .map(|i| (i.path.clone(), i.hash.clone()))
                    .collect(),
            )
        };
        let (a, b) = (items(base), items(new));
        if a == b {
            return;
        }
        let other = |mine: &Option<BTreeSet<(String, String)>>,
                     theirs: &Option<BTreeSet<(String, String)>>| {
            let mine = mine.as_ref()?;
            let only: Vec<&str> = mine
                .iter()
                .filter(|item| theirs.as_ref().is_none_or(|t| !t.contains(item)))
                .map(|(path, _)| path.as_str())
                .collect();
            let mut shown = only
                .get(..PATHS.min(only.len()))
                .unwrap_or_default()
                .join(", ");
            if only.len() > PATHS {
                shown.push_str(", …");
            }
            Some(lang.fill(
                "{0} of its own: {1}",
                &[&lang.plural(only.len() as u64, "item"), &shown],
            ))
        };
        self.add(Aspect::Context, places, other(&a, &b), other(&b, &a));
    }
}
