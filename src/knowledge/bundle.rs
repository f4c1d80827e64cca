//! Bundles: context for an agent that resumes a task, with a token budget for each part.

use super::KnowledgeError;
use super::entry::{block, line};
use super::retrieve::{Answer, Form, Item, Omitted, Print, fit};
use knowledge_index::rank::{Answers, Query, Ranker};
use knowledge_index::{Filter, Kind, Store, Stored};
use serde_json::{Value, json};
use tokens::Encoding;

/// Smallest budget of a part, in tokens. Less can't show anything.
pub const LEAST_PART: usize = 50;
/// Smallest total budget, in tokens. Below it there may not be room for the name of every part.
pub const LEAST_TOTAL: usize = 400;
/// Tokens reserved for each following part: its name and the number of omitted entries.
const RESERVE: usize = 40;

/// Budgets in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The context bank and the skills, which apply to every task.
    pub profile: usize,
    /// The state of the task.
    pub task: usize,
    /// The logs of work done.
    pub summary: usize,
    /// The latest events.
    pub events: usize,
    /// The answers to the question.
    pub chunks: usize,
    /// All parts together.
    pub total: usize,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            profile: 200,
            task: 300,
            summary: 400,
            events: 500,
            chunks: 800,
            total: 2_200,
        }
    }
}

impl Parts {
    /// Checks that each budget has its minimum size.
    ///
    /// # Errors
    /// When a budget is too small.
    pub fn check(&self) -> Result<(), KnowledgeError> {
        let parts = [
            self.profile,
            self.task,
            self.summary,
            self.events,
            self.chunks,
        ];
        let small = parts
            .into_iter()
            .find(|b| *b < LEAST_PART)
            .map(|b| (b, LEAST_PART));
        let small = small.or((self.total < LEAST_TOTAL).then_some((self.total, LEAST_TOTAL)));
        small.map_or(Ok(()), |(given, least)| {
            Err(KnowledgeError::Budget(given, least))
        })
    }
}

/// A part before it is cut to its budget.
struct Part {
    name: &'static str,
    title: &'static str,
    budget: usize,
    items: Vec<Item>,
    /// Entries that exist but aren't in `items`.
    rest: Omitted,
}

/// Builds a bundle for a task, or for the task with the newest event. Without words, the question
/// is the summary of the task's newest observation.
///
/// # Errors
/// When the task is unknown, a budget is too small, or the store can't be read.
pub fn bundle(
    store: &Store,
    query: &Query<'_>,
    parts: &Parts,
    print: Print,
) -> Result<Answer, KnowledgeError> {
    parts.check()?;
    // An entry has at least ten tokens, so a quarter of the budget is more than enough entries.
    let newest = |kinds: &[Kind], task: Option<&str>, budget: usize| {
        store.newest_of(kinds, task, budget / 4)
    };
    let lines =
        |all: &[Stored]| -> Vec<Item> { all.iter().map(|s| line(s, None, print)).collect() };
    let beyond =
        |kinds: &[Kind], task: Option<&str>, shown: usize| -> Result<Omitted, KnowledgeError> {
            Ok(Omitted {
                count: store.count_of(kinds, task)?.saturating_sub(shown),
                ..Omitted::default()
            })
        };
    let events = [
        Kind::Turn,
        Kind::Command,
        Kind::Message,
        Kind::Progress,
        Kind::Run,
    ];
    let of_task = Filter {
        task: query.filter.task,
        ..Filter::default()
    };
    let recent = newest(&events, of_task.task, parts.events)?;
    if let Some(task) = of_task.task
        && store.count_among(&of_task)? == 0
    {
        return Err(KnowledgeError::UnknownTask(task.to_owned()));
    }
    let task = of_task
        .task
        .or_else(|| recent.iter().find_map(|s| s.task.as_deref()));
    let (mut state, mut state_rest) = (Vec::new(), Omitted::default());
    if let Some(task) = task {
        let (whole, said) = ([Kind::Execution, Kind::Run], [Kind::Turn, Kind::Message]);
        state = newest(&whole, Some(task), parts.task)?;
        state.extend(newest(&said, Some(task), parts.task)?);
        state_rest = beyond(&[whole, said].concat(), Some(task), state.len())?;
    }
    let about = state.first().map(|s| s.summary.clone()).unwrap_or_default();
    let text = if query.text.trim().is_empty() {
        about.as_str()
    } else {
        query.text
    };
    // The answer may come from any task.
    let mut answers = Ranker::new(store).answers(&Query {
        text,
        filter: Filter::default(),
        ..query.clone()
    })?;
    // What is only near doesn't help an agent.
    if answers.is_refused {
        answers = Answers::default();
    }
    let chunks = answers
        .found
        .iter()
        .map(|f| block(&f.stored, parts.chunks / 2, print))
        .collect();
    let (standing, done) = ([Kind::Context, Kind::Skill], [Kind::Log, Kind::Progress]);
    let profile = newest(&standing, None, parts.profile)?;
    let summary = newest(&done, None, parts.summary)?;
    let part = |name, title, budget, items, rest| Part {
        name,
        title,
        budget,
        items,
        rest,
    };
    let all = [
        part(
            "profile",
            "Profile",
            parts.profile,
            lines(&profile),
            beyond(&standing, None, profile.len())?,
        ),
        part("task", "Task state", parts.task, lines(&state), state_rest),
        part(
            "summary",
            "Summary",
            parts.summary,
            lines(&summary),
            beyond(&done, None, summary.len())?,
        ),
        part(
            "events",
            "Recent events",
            parts.events,
            lines(&recent),
            beyond(&events, of_task.task, recent.len())?,
        ),
        part(
            "chunks",
            "Semantic chunks",
            parts.chunks,
            chunks,
            Omitted::of(&answers),
        ),
    ];
    let mut total = parts.total;
    loop {
        let answer = assemble(&all, total, print);
        // Joining two texts may take one token more than both have separately.
        let over = answer.tokens.saturating_sub(parts.total);
        if over == 0 {
            return Ok(answer);
        }
        total = total.saturating_sub(over);
    }
}

/// Joins the parts, each within its own budget and what is left of the total.
fn assemble(all: &[Part], total: usize, print: Print) -> Answer {
    let count = |text: &str| Encoding::default().count(text);
    let (mut text, mut sections) = (String::new(), Vec::<Value>::new());
    let (mut used, mut shown, mut left_out) = (RESERVE / 2, 0, 0);
    for (at, part) in all.iter().enumerate() {
        let heading = format!("## {}\n", part.title);
        let left = total.saturating_sub(used + (all.len() - at - 1) * RESERVE);
        let budget = part.budget.min(left).saturating_sub(count(&heading) + 1);
        let answer = fit(part.name, &part.items, part.rest, budget, print);
        shown += answer.shown;
        left_out += answer.left_out;
        match print.form {
            Form::Text => {
                text.push_str(&heading);
                text.push_str(&answer.text);
                used = count(&text) + RESERVE / 2;
            }
            Form::Json => {
                used += answer.tokens + 2;
                sections.extend(serde_json::from_str::<Value>(&answer.text));
            }
        }
    }
    if print.form == Form::Json {
        text = format!(
            "{}\n",
            (print.safe_json)(&json!({ "layer": "bundle", "sections": sections }))
        );
    }
    Answer {
        tokens: count(&text),
        text,
        shown,
        left_out,
        is_refused: false,
    }
}
