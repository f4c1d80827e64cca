//! Processes blocks of lines on all cores. Each thread takes a block, parses it, and then passes
//! its records, in input order, through the stages that depend on that order.

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

/// Number of workers among which the executions of an input are distributed. It is fixed, so that
/// no report depends on the machine.
const WORKERS: u16 = 16;

/// Above this size in bytes, a block is processed while no other is read: it contains an unusually
/// long record.
const LARGE: usize = 2 << 20;

/// The parsed lines of a block.
pub(super) struct ParsedBlock<'b> {
    pub(super) entries: Vec<Entry<'b>>,
    /// The route of each entry.
    pub(super) routes: Vec<Route>,
    /// Number of lines that end in the block.
    pub(super) lines: u64,
    /// Number of blank lines.
    pub(super) blank: u64,
    /// A line that was too long; then there are no entries.
    pub(super) overlong: Option<OversizedLine>,
}

impl<'b> ParsedBlock<'b> {
    /// Parses the lines of a block, numbered from 0. `first` tells whether the block begins the
    /// input.
    pub(super) fn new(block: &'b Block, first: bool, reading: &Reading<'_>) -> Self {
        let Lines {
            entries,
            ends,
            blank,
        } = parse(block, first, reading.grammar, reading.limits);
        let lines = ends + u64::from(block.overlong.is_some());
        Self {
            routes: reading.router.routes(&entries),
            entries,
            lines,
            blank,
            overlong: block.overlong,
        }
    }
}

/// How to read the blocks of an input.
#[derive(Debug, Clone)]
pub(super) struct Reading<'o> {
    pub(super) grammar: Grammar<'o>,
    pub(super) limits: Limits,
    pub(super) router: Router,
}

/// The destination of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// The worker with this number.
    To(u64),
    /// None, because it can't be attributed. It may explain a gap in any execution.
    Lost,
    /// None, because it belongs to no execution: the record of a command.
    Nowhere,
    /// None, because its execution is read with another piece of the input.
    Elsewhere,
}

/// Assigns the records of an input to workers.
#[derive(Debug, Clone)]
pub(super) struct Router {
    /// `None` if nothing is replayed.
    pub(super) format: Option<Format>,
    /// The execution id for formats whose records name none.
    pub(super) stem: Arc<str>,
}

impl Router {
    /// Returns the number of workers.
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

    /// Returns the route of each record.
    pub(super) fn routes(&self, entries: &[Entry<'_>]) -> Vec<Route> {
        entries.iter().map(|entry| self.route(entry)).collect()
    }

    fn route(&self, entry: &Entry<'_>) -> Route {
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

    /// Replays records on a group of workers, the first of which has the number `first`.
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
            policies: Some(&settings.policies),
            cache: Some(cache),
            tools: settings.tools.as_deref(),
            ..Context::default()
        };
        for (number, shard) in (first..).zip(shards) {
            for (entry, route) in entries.iter().zip(routes) {
                match route {
                    Route::Nowhere | Route::Elsewhere => {}
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

/// The numbered blocks of an input.
struct Queue<'b, R> {
    blocks: &'b mut Blocks<R>,
    /// The first block, which has been read already.
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

/// The state that the threads of an input share.
struct Pipeline<'l, 'o, R> {
    queue: Mutex<Queue<'l, R>>,
    run: TicketLock<&'l mut Run<'o>>,
    /// The workers, in groups. While one thread replays on the first group, another one can replay
    /// an earlier block on the next.
    groups: Vec<TicketLock<Vec<Shard>>>,
    /// The receiver of completed turns.
    turns: Option<TicketLock<OnTurn<'o>>>,
    settings: &'o Settings,
    reading: Reading<'o>,
    /// Whether the first block begins the input.
    from_start: bool,
}

/// Reads, parses and replays `first` and all blocks after it.
pub(super) fn run<R: Read + Send>(run: &mut Run<'_>, blocks: &mut Blocks<R>, first: Block) {
    let options = run.options();
    let threads = match options.threads {
        _ if first.last => 1,
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    // More threads than workers would only wait.
    let threads = threads.min(usize::from(WORKERS));
    let shared = Pipeline {
        queue: Mutex::new(Queue {
            blocks,
            first: Some(first),
            number: 0,
            ended: false,
        }),
        groups: grouped(run.create_shards(), threads),
        turns: run.turns.take().map(TicketLock::new),
        settings: &options.settings,
        reading: run.reading(),
        from_start: run.is_at_start(),
        run: TicketLock::new(run),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If no thread can be started, this one does all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || shared.process_blocks());
        }
        shared.process_blocks();
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

/// Splits the workers into at most `groups` groups.
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
    /// Processes blocks until there are no more.
    fn process_blocks(&self) {
        let _guard = PanicGuard(self);
        let cache = AnalysisCache::default();
        let mut spare = Vec::new();
        loop {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            let (number, next) = queue.next(spare);
            // Keeps the queue locked while processing a large block, so that only one is in memory.
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
                    if let Some(line) = self.run.pass(number, |run| run.report_read_error(&error)) {
                        self.lose(number, line);
                    }
                    return;
                }
            }
        }
    }

    /// Parses and replays a block. Returns `None` if another thread panicked.
    fn block(&self, number: u64, block: &Block, cache: &AnalysisCache) -> Option<()> {
        let mut parsed = ParsedBlock::new(block, self.from_start && number == 0, &self.reading);
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
        self.deliver_turns(number, complete)
    }

    /// Passes on the turns that a block completed, ordered by the lines that completed them.
    fn deliver_turns(&self, number: u64, mut complete: Vec<CompleteTurn>) -> Option<()> {
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

    /// Records in all workers that a line couldn't be read.
    fn lose(&self, number: u64, line: u64) -> Option<()> {
        self.groups.iter().try_for_each(|group| {
            group.pass(number, |shards| {
                for shard in shards.iter_mut() {
                    shard.lost(line);
                }
            })
        })?;
        self.deliver_turns(number, Vec::new())
    }
}

/// Releases the other threads when one panics, so that the panic is reported instead of a deadlock.
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
