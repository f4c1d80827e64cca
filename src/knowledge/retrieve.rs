//! Answers in layers, each within a token budget.
//!
//! A real tokenizer counts everything that is printed, including escapes, markers and the last
//! line. If not everything fits, the answer contains as many whole lines as fit. The last line says
//! how many were left out.

use super::KnowledgeError;
use super::entry::{add, block, degraded_line, line, snippet};
use knowledge_index::rank::{Answers, Query, Ranker};
use knowledge_index::{Filter, Id, Store, Stored};
use serde_json::{Value, json};
use tokens::Encoding;

/// Smallest budget, in tokens, that always fits the last line.
pub const LEAST: usize = 100;

/// Budgets in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Everything that one command prints.
    pub total: usize,
    /// The layer `index`.
    pub index: usize,
    /// The layer `timeline`.
    pub timeline: usize,
    /// Each block of the layer `detail`.
    pub detail: usize,
    /// The layer `map`.
    pub map: usize,
    /// The entries from one source in the layer `index`.
    pub per_source: Option<usize>,
}

/// The query of a map.
#[derive(Debug, Clone, Copy)]
pub struct MapQuery<'a> {
    /// Words of interest; may be empty.
    pub query: &'a str,
    /// Files and directories of interest, relative to the directory of the configuration.
    pub focus: &'a [String],
    /// Whether to explain the rank of each file.
    pub explain: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            total: 4_000,
            index: 1_200,
            timeline: 800,
            detail: 1_500,
            map: 1_500,
            per_source: None,
        }
    }
}

impl Budget {
    /// Checks that each budget has its minimum size.
    ///
    /// # Errors
    /// When a budget is too small.
    pub fn check(&self) -> Result<(), KnowledgeError> {
        let all = [self.total, self.index, self.timeline, self.detail, self.map];
        all.into_iter()
            .chain(self.per_source)
            .find(|b| *b < LEAST)
            .map_or(Ok(()), |b| Err(KnowledgeError::Budget(b, LEAST)))
    }
}

/// The output format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Lines for a model or for people.
    Text,
    /// One JSON object.
    Json,
}

/// Makes hostile text safe to print. Injected to share the escaping of terminal reports.
pub type Escape = fn(&str) -> String;

/// Options for rendering an answer.
#[derive(Debug, Clone, Copy)]
pub struct Print {
    pub form: Form,
    /// Applied to every text of an observation in the text format.
    pub escape: Escape,
    /// Applied to JSON as a whole.
    pub safe_json: fn(&Value) -> String,
    /// Whether to show the scores of each ranking stage.
    pub explain: bool,
}

/// One entry of an answer.
pub(super) struct Item {
    pub(super) text: String,
    pub(super) json: Value,
    pub(super) source: String,
    pub(super) shape: Shape,
}

/// How much of an observation an entry shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// All that the layer shows.
    Whole,
    /// The first lines of a block, for want of budget.
    Cut,
    /// An index line in place of a block.
    Line,
    /// Only the id and the kind.
    Name,
}

impl Shape {
    /// The shapes of entries that show less than asked, and how they are called in text and JSON.
    const DEGRADED: [(Self, &'static str, &'static str); 3] = [
        (Self::Cut, "cut to the first lines", "cut"),
        (Self::Line, "as an index line", "indexLine"),
        (Self::Name, "by the id alone", "idOnly"),
    ];
}

/// A rendered answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The output text, without anything else.
    pub text: String,
    pub tokens: usize,
    /// Entries in the text.
    pub shown: usize,
    /// Entries that didn't fit.
    pub left_out: usize,
    /// Whether the entries are only the nearest observations, and no answers.
    pub is_refused: bool,
}

/// Renders the layer `index`: a line for each observation that matches a question, or for the
/// newest ones.
///
/// # Errors
/// When the budget is too small or the store can't be read.
pub fn index(
    store: &Store,
    question: Option<&Query<'_>>,
    filter: &Filter<'_>,
    budget: &Budget,
    print: Print,
) -> Result<Answer, KnowledgeError> {
    budget.check()?;
    // A line has ten tokens or more, so this is more than fits.
    let most = budget.index / 4;
    let (items, rest): (Vec<Item>, Omitted) = if let Some(query) = question {
        let mut answers = Ranker::new(store).answers(&Query {
            limit: most,
            ..query.clone()
        })?;
        keep_nearest(&mut answers);
        (
            answers
                .found
                .iter()
                .map(|f| line(&f.stored, Some(f), print))
                .collect(),
            Omitted::of(&answers),
        )
    } else {
        let newest = store.newest(filter, most)?;
        let count = store.count_among(filter)?.saturating_sub(newest.len());
        (
            newest.iter().map(|s| line(s, None, print)).collect(),
            Omitted {
                count,
                ..Omitted::default()
            },
        )
    };
    let (items, held_back) = per_source(items, budget.per_source, print);
    let rest = Omitted {
        count: rest.count + held_back,
        ..rest
    };
    Ok(fit(
        "index",
        &items,
        rest,
        budget.index.min(budget.total),
        print,
    ))
}

/// Renders search results, each with a snippet and its scores.
///
/// # Errors
/// When the budget is too small or the store can't be read.
pub fn search(
    store: &Store,
    query: &Query<'_>,
    budget: &Budget,
    print: Print,
) -> Result<Answer, KnowledgeError> {
    budget.check()?;
    let mut answers = Ranker::new(store).answers(query)?;
    keep_nearest(&mut answers);
    let items: Vec<Item> = answers
        .found
        .iter()
        .map(|f| snippet(f, query.text, print))
        .collect();
    Ok(fit(
        "search",
        &items,
        Omitted::of(&answers),
        budget.total,
        print,
    ))
}

/// Number of observations that are named when a question isn't answered.
const NEAREST: usize = 3;

/// Keeps only the nearest observations of a question that isn't answered.
fn keep_nearest(answers: &mut Answers) {
    if answers.is_refused {
        answers.found.truncate(NEAREST);
        answers.more = 0;
        answers.open = false;
    }
}

/// Renders the layer `timeline`: the events around an observation or in a task.
///
/// # Errors
/// When the id or the task is unknown, the budget is too small, or the store can't be read.
pub fn timeline(
    store: &Store,
    middle: &Anchor<'_>,
    count: usize,
    budget: &Budget,
    print: Print,
) -> Result<Answer, KnowledgeError> {
    budget.check()?;
    let limit = budget.timeline.min(budget.total);
    // An id has at least five tokens and a line eight, so more entries than this can't fit.
    let count = count.min(limit / 16);
    match middle {
        Anchor::Task(task) => {
            let all = store.of_task(task, limit)?;
            if all.is_empty() {
                return Err(KnowledgeError::UnknownTask((*task).to_owned()));
            }
            let filter = Filter {
                task: Some(task),
                ..Filter::default()
            };
            let more = store.count_among(&filter)?.saturating_sub(all.len());
            let items: Vec<Item> = all.iter().map(|s| line(s, None, print)).collect();
            Ok(fit(
                "timeline",
                &items,
                Omitted {
                    count: more,
                    ..Omitted::default()
                },
                limit,
                print,
            ))
        }
        Anchor::Id(id) => {
            let middle = store.by_id(id)?;
            let all = store.around(&middle, count)?;
            let items: Vec<Item> = all.iter().map(|s| line(s, None, print)).collect();
            let before = items
                .iter()
                .zip(&all)
                .take_while(|(_, s)| s.id != middle.id);
            let before = before
                .filter(|(item, _)| item.fits_alone(limit, print))
                .count();
            let layer = Layer {
                name: "timeline",
                rest: Omitted::default(),
                budget: limit,
                print,
                all: items.len(),
            };
            let items = layer.that_fit(&items);
            // When not everything fits, the farthest entries are dropped first.
            let window = |most: usize| {
                let from = before.saturating_sub(most / 2);
                items
                    .get(from..(from + most).min(items.len()))
                    .unwrap_or_default()
            };
            Ok(layer.most(items.len(), &window))
        }
    }
}

/// The anchor of a timeline.
#[derive(Debug, Clone)]
pub enum Anchor<'m> {
    /// Events before and after this observation.
    Id(Id),
    /// Events of this task.
    Task(&'m str),
}

/// Renders the layer `detail`: whole blocks of exactly these observations. An observation that
/// doesn't fit the total becomes an index line, or is only counted.
///
/// # Errors
/// When an id is unknown, the budget is too small, or the store can't be read.
pub fn detail(
    store: &Store,
    ids: &[Id],
    budget: &Budget,
    print: Print,
) -> Result<Answer, KnowledgeError> {
    budget.check()?;
    let all: Vec<Stored> = ids
        .iter()
        .map(|id| store.by_id(id))
        .collect::<Result<_, _>>()?;
    let blocks: Vec<Item> = all.iter().map(|s| block(s, budget.detail, print)).collect();
    let whole = fit("detail", &blocks, Omitted::default(), budget.total, print);
    if whole.left_out == 0 {
        return Ok(whole);
    }
    // Shows as many blocks as leave room for a line for each other observation, or else as many
    // blocks as fit.
    for kept in (0..whole.shown).rev() {
        let items = all.iter().enumerate().map(|(n, s)| {
            if n < kept {
                block(s, budget.detail, print)
            } else {
                degraded_line(s, print)
            }
        });
        let mixed = fit(
            "detail",
            &items.collect::<Vec<_>>(),
            Omitted::default(),
            budget.total,
            print,
        );
        if mixed.left_out == 0 {
            return Ok(mixed);
        }
    }
    Ok(whole)
}

/// Removes the entries that exceed the budget of their source. Returns the rest and the number
/// removed.
fn per_source(items: Vec<Item>, limit: Option<usize>, print: Print) -> (Vec<Item>, usize) {
    let Some(limit) = limit else {
        return (items, 0);
    };
    let mut spent: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let before = items.len();
    let kept: Vec<Item> = items
        .into_iter()
        .filter(|item| {
            let spent = spent.entry(item.source.clone()).or_default();
            // One more token for the separator.
            *spent += Encoding::default().count(&item.printed(print)) + 1;
            *spent <= limit
        })
        .collect();
    let held_back = before - kept.len();
    (kept, held_back)
}

/// Entries that were found but aren't shown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Omitted {
    /// The known number of them.
    pub(super) count: usize,
    /// Whether there may be more.
    pub(super) open: bool,
    /// Whether the entries are no answers.
    pub(super) is_refused: bool,
}

impl Omitted {
    pub(super) const fn of(answers: &Answers) -> Self {
        Self {
            count: answers.more,
            open: answers.open,
            is_refused: answers.is_refused,
        }
    }
}

/// Bytes that the first and the last lines of an answer may need.
const FRAME: usize = 320;

impl Item {
    /// Returns the entry as it is printed.
    pub(super) fn printed(&self, print: Print) -> String {
        match print.form {
            Form::Text => self.text.clone(),
            Form::Json => (print.safe_json)(&self.json),
        }
    }

    /// Whether the entry fits a budget when it is the only one.
    fn fits_alone(&self, budget: usize, print: Print) -> bool {
        // Comparing bytes is cheap and sufficient if it succeeds, since a token has one or more
        // bytes.
        let bytes = match print.form {
            Form::Text => self.text.len() + FRAME,
            // A byte becomes six at most. Member names and numbers are added to that.
            Form::Json => (self.text.len() + self.source.len())
                .saturating_mul(6)
                .saturating_add(4 * FRAME),
        };
        if bytes <= budget {
            return true;
        }
        let layer = Layer {
            name: "timeline",
            rest: Omitted {
                count: usize::MAX,
                open: true,
                is_refused: true,
            },
            budget,
            print,
            all: 1,
        };
        layer.printed(&[self]).is_some()
    }
}

/// The parts of an answer around its entries.
struct Layer<'n> {
    name: &'n str,
    rest: Omitted,
    budget: usize,
    print: Print,
    /// Number of entries, shown or not.
    all: usize,
}

impl Layer<'_> {
    /// Returns the entries that fit the budget alone. Without this, one oversized entry would
    /// exclude all others.
    fn that_fit<'i>(&self, items: &'i [Item]) -> Vec<&'i Item> {
        items
            .iter()
            .filter(|item| item.fits_alone(self.budget, self.print))
            .collect()
    }

    fn render(&self, shown: &[&Item]) -> String {
        let missing = self
            .rest
            .count
            .saturating_add(self.all.saturating_sub(shown.len()));
        let over = self.all.saturating_sub(shown.len());
        match self.print.form {
            Form::Text => {
                let mut text = String::new();
                if self.rest.is_refused && !shown.is_empty() {
                    text.push_str("(no answer; the nearest observations:)\n");
                }
                text.extend(shown.iter().map(|i| format!("{}\n", i.text)));
                if missing > 0 {
                    let least = if self.rest.open { "at least " } else { "" };
                    let over = if over == 0 {
                        String::new()
                    } else {
                        format!("{over} over the budget of {} tokens, in all ", self.budget)
                    };
                    text.push_str(&format!(
                        "({} shown, {over}{least}{missing} left out)\n",
                        shown.len()
                    ));
                } else if shown.is_empty() {
                    text.push_str("(nothing found)\n");
                }
                let degraded: Vec<String> = degraded(shown)
                    .map(|(count, words, _)| format!("{count} {words}"))
                    .collect();
                if !degraded.is_empty() {
                    text.push_str(&format!("(to fit the budget: {})\n", degraded.join(", ")));
                }
                text
            }
            Form::Json => {
                let all: Vec<&Value> = shown.iter().map(|i| &i.json).collect();
                let mut json = json!({ "layer": self.name, "items": all, "shown": shown.len(), "leftOut": missing });
                if self.rest.open && missing > 0 {
                    add(&mut json, "leftOutAtLeast", json!(true));
                }
                if over > 0 {
                    add(&mut json, "overBudget", json!(over));
                    add(&mut json, "budget", json!(self.budget));
                }
                for (count, _, name) in degraded(shown) {
                    let all = json.as_object_mut().and_then(|json| {
                        json.entry("degraded")
                            .or_insert_with(|| json!({}))
                            .as_object_mut()
                    });
                    if let Some(all) = all {
                        all.insert(name.to_owned(), json!(count));
                    }
                }
                if self.rest.is_refused {
                    add(&mut json, "answered", json!(false));
                }
                format!("{}\n", (self.print.safe_json)(&json))
            }
        }
    }

    /// Renders the answer with these entries, if it fits the budget.
    fn printed(&self, shown: &[&Item]) -> Option<Answer> {
        let text = self.render(shown);
        let tokens = Encoding::default().count_within(&text, self.budget)?;
        let left_out = self
            .rest
            .count
            .saturating_add(self.all.saturating_sub(shown.len()));
        Some(Answer {
            text,
            tokens,
            shown: shown.len(),
            left_out,
            is_refused: self.rest.is_refused,
        })
    }

    /// Renders the answer with the most entries that fit the budget, up to `count`. `window`
    /// chooses the entries for a number.
    fn most<'i>(&self, count: usize, window: &dyn Fn(usize) -> &'i [&'i Item]) -> Answer {
        // The token count grows with the number of entries, except for a few tokens at seams. So
        // this searches first and then steps down to a number that fits.
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if self.printed(window(middle)).is_some() {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        loop {
            if let Some(answer) = self.printed(window(low)) {
                return answer;
            }
            if low == 0 {
                let left_out = self.rest.count.saturating_add(self.all);
                return Answer {
                    text: String::new(),
                    tokens: 0,
                    shown: 0,
                    left_out,
                    is_refused: self.rest.is_refused,
                };
            }
            low -= 1;
        }
    }
}

/// Counts the entries of each shape that show less than asked.
fn degraded(shown: &[&Item]) -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    Shape::DEGRADED
        .map(|(shape, words, name)| {
            let count = shown.iter().filter(|item| item.shape == shape).count();
            (count, words, name)
        })
        .into_iter()
        .filter(|(count, ..)| *count > 0)
}

/// Renders the most entries from the front that fit the budget together with the rest of the
/// answer. Entries that don't fit alone are skipped. `rest` counts further entries.
pub(super) fn fit(
    name: &str,
    items: &[Item],
    rest: Omitted,
    budget: usize,
    print: Print,
) -> Answer {
    let layer = Layer {
        name,
        rest,
        budget,
        print,
        all: items.len(),
    };
    let items = layer.that_fit(items);
    layer.most(items.len(), &|count| items.get(..count).unwrap_or_default())
}
