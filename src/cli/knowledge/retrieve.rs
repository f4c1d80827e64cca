//! `knowledge index`, `timeline`, `detail`, `search`, `map` and `bundle`: answer from the index.

use super::place::{CommonPlaceArgs, ModelArgs, Place};
use super::{Format, clock, failure};
use crate::cli::output::{Color, Failure, print, warn};
use crate::cli::{EXIT_CLEAN, EXIT_NOTHING_VERIFIED};
use crate::config::day_end;
use crate::knowledge::bundle::bundle;
use crate::knowledge::map::map;
use crate::knowledge::retrieve::{
    Anchor, Answer, Budget, Form, MapQuery, Print, detail, index, search, timeline,
};
use crate::report::{safe_json, terminal};
use clap::Args;
use knowledge_index::rank::{Query, Stages};
use knowledge_index::{Filter, Id, Store};
use std::io::Write as _;
use tokens::Encoding;

/// Options for answers.
#[derive(Debug, Args)]
struct AnswerArgs {
    #[command(flatten)]
    place: CommonPlaceArgs,
    /// Use the budgets of the section `[knowledge.profiles.NAME]`.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Output format. The output contains only the payload.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Print on standard error the number of tokens, and the tokenizer.
    #[arg(long)]
    tokens: bool,
}

/// Options for ranking.
#[derive(Debug, Args)]
struct RankArgs {
    /// Compute ages as of this time, as 2027-01-31 or RFC 3339. The default is the newest
    /// observation that isn't in the future.
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<i64>,
    /// Use full text alone.
    #[arg(long)]
    no_vectors: bool,
    #[command(flatten)]
    model: ModelArgs,
    /// Show the scores of each stage.
    #[arg(long)]
    explain: bool,
}

pub(super) fn time(text: &str) -> Result<i64, String> {
    let day = day_end(text).map(|end| end - 86_400_000);
    day.or_else(|| util::time::parse_rfc3339(text))
        .ok_or_else(|| "expected 2027-01-31 or RFC 3339".to_owned())
}

impl AnswerArgs {
    fn open(&self) -> Result<(Place, Store, Budget), Failure> {
        let place = self.place.place()?;
        let budget = place.budget(self.profile.as_deref())?;
        let store = place.open()?;
        place.warn_of_age(&store);
        Ok((place, store, budget))
    }

    fn style(&self, explain: bool) -> Print {
        let form = if self.format == Format::Json {
            Form::Json
        } else {
            Form::Text
        };
        Print {
            form,
            escape: |text| terminal(text).into_owned(),
            safe_json,
            explain,
        }
    }

    /// Prints the payload.
    fn answer(&self, answer: &Answer) -> Result<u8, Failure> {
        // There are no colours to strip, and the token count is that of the exact output.
        print(Color::Always, |out| out.write_all(answer.text.as_bytes()))?;
        if self.tokens {
            warn(&format!(
                "{} tokens ({})",
                answer.tokens,
                Encoding::default().name()
            ));
        }
        Ok(if answer.shown == 0 || answer.is_refused {
            EXIT_NOTHING_VERIFIED
        } else {
            EXIT_CLEAN
        })
    }
}

impl RankArgs {
    fn query<'q>(
        &self,
        place: &Place,
        store: &mut Store,
        text: &'q str,
        filter: Filter<'q>,
        limit: usize,
    ) -> Result<Query<'q>, Failure> {
        store.use_model(self.model.folder(place)?.as_deref());
        let now = match self.now {
            Some(now) => Some(now),
            None => newest(store)?,
        };
        Ok(Query {
            text,
            filter,
            now,
            weights: place.weights(),
            half_life: place.half_life(),
            decay: place.decay(),
            limit,
            stages: if self.no_vectors {
                Stages::Text
            } else {
                Stages::Both
            },
        })
    }
}

/// Returns the time of the newest observation that isn't in the future, and warns about those that
/// are. A single wrong date would make everything else look too old.
fn newest(store: &Store) -> Result<Option<i64>, Failure> {
    let now = clock();
    let later = store.later_than(now).map_err(|e| failure(&e.into()))?;
    if later > 0 {
        let s = if later == 1 { " is" } else { "s are" };
        let mut out = anstream::stderr().lock();
        let _ = writeln!(
            out,
            "note: {later} observation{s} dated in the future; ages aren't counted from there (--now says from when)"
        );
    }
    store.newest_time(now).map_err(|e| failure(&e.into()))
}

/// Restricts an answer to some observations.
#[derive(Debug, Args)]
struct FilterArgs {
    /// Search only in this task, execution or session.
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Search only what has a time from this one on, as 2027-01-31 or RFC 3339.
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<i64>,
    /// Search only what has a time up to this one. A date includes its day.
    #[arg(long, value_name = "TIME", value_parser = until)]
    until: Option<i64>,
    /// Search only what these roles say, separated by commas: `user`, `assistant`, `tool`. Turns of
    /// an agent are `assistant`, commands are `tool`.
    #[arg(long, value_name = "ROLES")]
    role: Option<String>,
    /// Search only in this repository, of several.
    #[arg(long, value_name = "NAME")]
    repository: Option<String>,
}

/// Reads a time. A date is the end of its day.
fn until(text: &str) -> Result<i64, String> {
    day_end(text).map_or_else(|| time(text), |end| Ok(end - 1))
}

impl FilterArgs {
    fn filter(&self, place: &Place) -> Result<Filter<'_>, Failure> {
        let known = &place.sources.repositories;
        if let Some(name) = &self.repository
            && !known.contains_key(name)
        {
            let message = format!("no repository is called `{name}`");
            let known = known.keys().map(String::as_str);
            let remedy = "--root or --repositories says which there are";
            return Err(Failure::unknown(message, name, known, remedy));
        }
        Ok(Filter {
            task: self.task.as_deref(),
            since: self.since,
            until: self.until,
            roles: self.role.as_deref(),
            repository: self.repository.as_deref(),
        })
    }
}

/// Arguments of `knowledge index`.
#[derive(Debug, Args)]
pub struct IndexArgs {
    #[command(flatten)]
    answer: AnswerArgs,
    #[command(flatten)]
    rank: RankArgs,
    /// Search for these words. Without it, list the newest observations.
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
}

impl IndexArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (place, mut store, budget) = self.answer.open()?;
        let filter = self.filter.filter(&place)?;
        let query = self
            .query
            .as_deref()
            .map(|text| self.rank.query(&place, &mut store, text, filter, 0))
            .transpose()?;
        let answer = index(
            &store,
            query.as_ref(),
            &filter,
            &budget,
            self.answer.style(self.rank.explain),
        )
        .map_err(|e| failure(&e))?;
        self.answer.answer(&answer)
    }
}

/// Arguments of `knowledge timeline`.
#[derive(Debug, Args)]
pub struct TimelineArgs {
    #[command(flatten)]
    answer: AnswerArgs,
    /// Show the events around this observation.
    #[arg(
        long,
        value_name = "ID",
        required_unless_present = "task",
        conflicts_with = "task"
    )]
    ids: Option<String>,
    /// Show all of a task, execution or session.
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Show N lines before and after.
    #[arg(long, default_value_t = 5, value_name = "N")]
    around: usize,
}

impl TimelineArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (_, store, budget) = self.answer.open()?;
        let middle = match (&self.task, &self.ids) {
            (Some(task), _) => Anchor::Task(task),
            (None, id) => Anchor::Id(Id::typed(id.as_deref().unwrap_or_default())),
        };
        let answer = timeline(
            &store,
            &middle,
            self.around,
            &budget,
            self.answer.style(false),
        )
        .map_err(|e| failure(&e))?;
        self.answer.answer(&answer)
    }
}

/// Arguments of `knowledge map`.
#[derive(Debug, Args)]
pub struct MapArgs {
    #[command(flatten)]
    answer: AnswerArgs,
    /// Rank what these words name higher.
    #[arg(long, value_name = "WORDS", default_value = "")]
    query: String,
    /// Rank what these files or folders hold and use higher; may be given several times.
    #[arg(long, value_name = "PATH")]
    focus: Vec<String>,
    /// Explain the rank of each file.
    #[arg(long)]
    explain: bool,
}

impl MapArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (_, store, budget) = self.answer.open()?;
        let form = self.answer.style(false).form;
        let asked = MapQuery {
            query: &self.query,
            focus: &self.focus,
            explain: self.explain,
        };
        let answer =
            map(&store, asked, budget.map.min(budget.total), form).map_err(|e| failure(&e))?;
        self.answer.answer(&answer)
    }
}

/// Arguments of `knowledge bundle`.
#[derive(Debug, Args)]
pub struct BundleArgs {
    #[command(flatten)]
    answer: AnswerArgs,
    #[command(flatten)]
    rank: RankArgs,
    /// Search for these words. The default is the state of the task.
    #[arg(long, value_name = "WORDS", default_value = "")]
    query: String,
    /// Use this task, execution or session. The default is the one with the newest event.
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
}

impl BundleArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (place, mut store, _) = self.answer.open()?;
        let parts = place.parts(self.answer.profile.as_deref())?;
        let filter = Filter {
            task: self.task.as_deref(),
            ..Filter::default()
        };
        let query = self
            .rank
            .query(&place, &mut store, &self.query, filter, 10)?;
        let answer =
            bundle(&store, &query, &parts, self.answer.style(false)).map_err(|e| failure(&e))?;
        self.answer.answer(&answer)
    }
}

/// Arguments of `knowledge detail`.
#[derive(Debug, Args)]
pub struct DetailArgs {
    #[command(flatten)]
    answer: AnswerArgs,
    /// Print the observations with these ids, separated by commas.
    #[arg(long, value_name = "IDS", required = true, value_delimiter = ',')]
    ids: Vec<String>,
}

impl DetailArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (_, store, budget) = self.answer.open()?;
        let ids: Vec<Id> = self.ids.iter().map(|id| Id::typed(id)).collect();
        let answer =
            detail(&store, &ids, &budget, self.answer.style(false)).map_err(|e| failure(&e))?;
        self.answer.answer(&answer)
    }
}

/// Arguments of `knowledge search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    #[command(flatten)]
    answer: AnswerArgs,
    #[command(flatten)]
    rank: RankArgs,
    /// Search for these words.
    #[arg(long, value_name = "WORDS")]
    query: String,
    #[command(flatten)]
    filter: FilterArgs,
    /// Print at most N answers.
    #[arg(long, default_value_t = 10, value_name = "N")]
    limit: usize,
}

impl SearchArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (place, mut store, budget) = self.answer.open()?;
        let query = self.rank.query(
            &place,
            &mut store,
            &self.query,
            self.filter.filter(&place)?,
            self.limit,
        )?;
        let answer = search(
            &store,
            &query,
            &budget,
            self.answer.style(self.rank.explain),
        )
        .map_err(|e| failure(&e))?;
        self.answer.answer(&answer)
    }
}
