//! Blocks of lines worked on by all cores: each takes a block, parses it, and then passes with its
//! records through what needs the order of the input.

use super::input::{OnTurn, Run};
use super::parse::{Lines, parse};
use super::shard::Shard;
use super::ticket_lock::TicketLock;
use super::timeline::CompleteTurn;
use crate::replay::{AnalysisCache, Context};
use crate::rules::Settings;
use crate::source::{Block, Blocks, Limits, OversizedLine};
use crate::trace::entry::{Entry, Grammar, Record};
use crate::trace::formats::{Format, RecordClass, Routing};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Shares that the executions of an input are dealt out to. A fixed number, so that no report
/// depends on the machine.
const WORKERS: u16 = 16;

/// Bytes from which on a block is worked on alone: it holds a record that is longer than usual.
const LARGE: usize = 2 << 20;

/// What was read of a block.
pub(super) struct Parsed<'b> {
    pub(super) entries: Vec<Entry<'b>>,
    /// Where each of them goes.
    pub(super) routes: Vec<Route>,
    /// Lines that end in it.
    pub(super) lines: u64,
    /// Lines that hold nothing.
    pub(super) blank: u64,
    /// Instead of entries: a line that was too long.
    pub(super) overlong: Option<OversizedLine>,
}

impl<'b> Parsed<'b> {
    /// Parses the lines of a block, numbered from 0. `first`: it begins the input.
    pub(super) fn of(block: &'b Block, first: bool, reading: &Reading<'_>) -> Self {
        let Lines {
            entries,
            ends,
            blank,
        } = parse(block, first, reading.grammar, reading.limits);
        let lines = ends + u64::from(block.overlong.is_some());
        Self {
            routes: reading.router.all(&entries),
            entries,
            lines,
            blank,
            overlong: block.overlong,
        }
    }
}

/// How the blocks of an input are read.
#[derive(Debug, Clone)]
pub(super) struct Reading<'o> {
    pub(super) grammar: Grammar<'o>,
    pub(super) limits: Limits,
    pub(super) router: Router,
}

/// Where a record goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// To the worker with this number.
    To(u64),
    /// To nobody: it may be the one that is missing anywhere.
    Lost,
    /// To nobody, for it is no part of an execution: the record of a command.
    Nowhere,
}

/// How the records of an input find their executions.
#[derive(Debug, Clone)]
pub(super) struct Router {
    /// None when nothing is replayed.
    pub(super) format: Option<Format>,
    /// The execution of formats that name none.
    pub(super) stem: Arc<str>,
}

impl Router {
    /// How many workers there are.
    pub(super) fn workers(&self) -> u64 {
        match self.format {
            Some(_) if self.names_executions() => u64::from(WORKERS),
            Some(_) => 1,
            None => 0,
        }
    }

    fn names_executions(&self) -> bool {
        self.format
            .is_some_and(|f| f.routing() == Routing::ByRecord)
    }

    /// Which worker each record falls to.
    pub(super) fn all(&self, entries: &[Entry<'_>]) -> Vec<Route> {
        entries.iter().map(|entry| self.of(entry)).collect()
    }

    fn of(&self, entry: &Entry<'_>) -> Route {
        let Some(format) = self.format else {
            return Route::Lost;
        };
        match (&entry.record, format.routing()) {
            (record, _) if record.class() == Some(RecordClass::Command) => Route::Nowhere,
            (Record::Unreadable | Record::Foreign, _) | (_, Routing::Nowhere) => Route::Lost,
            (_, Routing::ByInput) => Route::To(0),
            (record, Routing::ByRecord) => match record.execution_id() {
                Some(id) => Route::To(share(&id.decode(), self.workers())),
                None => Route::Lost,
            },
        }
    }

    /// Walks through records with some of the workers, the first of which has the number `first`.
    pub(super) fn replay(
        &self,
        (first, shards): (u64, &mut [Shard]),
        (entries, routes): (&[Entry<'_>], &[Route]),
        settings: &Settings,
        cache: &AnalysisCache,
    ) {
        let context = Context {
            assessor: settings.assessor,
            keep_changes: settings.keep_changes,
            cache: Some(cache),
            ..Context::default()
        };
        for (number, shard) in (first..).zip(shards) {
            for (entry, route) in entries.iter().zip(routes) {
                match route {
                    Route::Nowhere => {}
                    Route::Lost => shard.lost(entry.line),
                    Route::To(worker) if *worker == number => {
                        shard.feed(&self.stem, entry, settings, context);
                    }
                    Route::To(_) => {}
                }
            }
        }
    }
}

fn share(id: &str, workers: u64) -> u64 {
    let mut hasher = FxHasher::default();
    id.hash(&mut hasher);
    hasher.finish() % workers.max(1)
}

/// The blocks of an input, numbered.
struct Queue<'b, R> {
    blocks: &'b mut Blocks<R>,
    /// Read already.
    first: Option<Block>,
    number: u64,
    ended: bool,
}

impl<R: Read> Queue<'_, R> {
    fn next(&mut self, spare: Vec<u8>) -> (u64, io::Result<Option<Block>>) {
        let next = match self.first.take() {
            _ if self.ended => Ok(None),
            Some(block) => Ok(Some(block)),
            None => self.blocks.next(spare),
        };
        self.ended = !matches!(next, Ok(Some(_)));
        let number = self.number;
        self.number += 1;
        (number, next)
    }
}

/// Everything that the lanes of an input share.
struct Pipeline<'l, 'o, R> {
    queue: Mutex<Queue<'l, R>>,
    run: TicketLock<&'l mut Run<'o>>,
    /// The workers, some together: while one lane replays with the first ones, another one can with
    /// the next.
    groups: Vec<TicketLock<Vec<Shard>>>,
    /// Who is handed the turns that a block completes.
    turns: Option<TicketLock<OnTurn<'o>>>,
    settings: &'o Settings,
    reading: Reading<'o>,
    /// The first block begins the input.
    from_start: bool,
}

/// Reads, parses and replays `first` and everything behind it.
pub(super) fn run<R: Read + Send>(run: &mut Run<'_>, blocks: &mut Blocks<R>, first: Block) {
    let options = run.options();
    let lanes = match options.threads {
        _ if first.last => 1,
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    // More than there are shares would only wait.
    let lanes = lanes.min(usize::from(WORKERS));
    let shared = Pipeline {
        queue: Mutex::new(Queue {
            blocks,
            first: Some(first),
            number: 0,
            ended: false,
        }),
        groups: grouped(run.create_shards(), lanes),
        turns: run.turns.take().map(TicketLock::new),
        settings: &options.settings,
        reading: run.reading(),
        from_start: run.is_at_start(),
        run: TicketLock::new(run),
    };
    std::thread::scope(|scope| {
        for _ in 1..lanes {
            // Without another lane it only takes longer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || shared.lane());
        }
        shared.lane();
    });
    let Pipeline {
        groups, run, turns, ..
    } = shared;
    let run = run.into_inner();
    run.turns = turns.map(TicketLock::into_inner);
    run.collect(
        groups
            .into_iter()
            .flat_map(TicketLock::into_inner)
            .collect(),
    );
}

/// The workers in so many groups, or in fewer.
fn grouped(mut shards: Vec<Shard>, groups: usize) -> Vec<TicketLock<Vec<Shard>>> {
    let size = shards.len().div_ceil(groups).max(1);
    let mut all = Vec::new();
    while !shards.is_empty() {
        let rest = shards.split_off(size.min(shards.len()));
        all.push(TicketLock::new(std::mem::replace(&mut shards, rest)));
    }
    all
}

impl<R: Read> Pipeline<'_, '_, R> {
    /// Works on one block after the other until there are no more.
    fn lane(&self) {
        let _watchman = PanicGuard(self);
        let cache = AnalysisCache::default();
        let mut spare = Vec::new();
        loop {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            let (number, next) = queue.next(spare);
            // Of blocks that are large, there is never more than one in memory.
            let alone =
                matches!(&next, Ok(Some(block)) if block.bytes.capacity() > LARGE).then_some(queue);
            match next {
                Ok(Some(block)) if self.block(number, &block, &cache).is_some() => {
                    spare = if alone.is_some() {
                        Vec::new()
                    } else {
                        block.bytes
                    };
                }
                Ok(_) => return,
                Err(error) => {
                    if let Some(line) = self.run.pass(number, |run| run.breaks_off(&error)) {
                        self.lose(number, line);
                    }
                    return;
                }
            }
        }
    }

    /// Parses and replays a block. `None` when another lane has given up.
    fn block(&self, number: u64, block: &Block, cache: &AnalysisCache) -> Option<()> {
        let mut parsed = Parsed::of(block, self.from_start && number == 0, &self.reading);
        if let Some(line) = self.run.pass(number, |run| run.account(&mut parsed))? {
            return self.lose(number, line);
        }
        let mut first = 0;
        let mut complete = Vec::new();
        for group in &self.groups {
            first += group.pass(number, |shards| {
                self.reading.router.replay(
                    (first, shards),
                    (&parsed.entries, &parsed.routes),
                    self.settings,
                    cache,
                );
                for shard in shards.iter_mut() {
                    shard.drain_turns(&mut complete);
                }
                shards.len() as u64
            })?;
        }
        self.hand_on(number, complete)
    }

    /// Hands on the turns that a block has completed, in the order of the lines that did.
    fn hand_on(&self, number: u64, mut complete: Vec<CompleteTurn>) -> Option<()> {
        let Some(turns) = &self.turns else {
            return Some(());
        };
        complete.sort_by_key(|(line, _)| *line);
        turns.pass(number, |on_turn| {
            for (_, turn) in complete {
                on_turn(turn);
            }
        })
    }

    /// Tells all workers that a line could not be read.
    fn lose(&self, number: u64, line: u64) -> Option<()> {
        self.groups.iter().try_for_each(|group| {
            group.pass(number, |shards| {
                for shard in shards.iter_mut() {
                    shard.lost(line);
                }
            })
        })?;
        self.hand_on(number, Vec::new())
    }
}

/// A lane that ends by a panic lets the others end as well, so that it is heard of.
struct PanicGuard<'w, 'l, 'o, R>(&'w Pipeline<'l, 'o, R>);

impl<R> Drop for PanicGuard<'_, '_, '_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.run.give_up();
            self.0.groups.iter().for_each(TicketLock::give_up);
            self.0.turns.iter().for_each(TicketLock::give_up);
        }
    }
}
