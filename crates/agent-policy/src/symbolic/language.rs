//! Languages: the sets of texts that names, globs and regular expressions match.
//!
//! Each is a finite automaton over bytes. The shortest text that is in some languages and not in
//! others is found by walking their automata side by side; if there is none, that is a proof.
//!
//! Most languages of a large policy are only asked about texts that have nothing to do with them.
//! An automaton is built when a text contains what the language requires, or a search needs it.

use super::required_text::RequiredText;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Anchored, util::start};
use regex_syntax::hir::Hir;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, OnceCell};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes that one automaton may take.
const MAX_AUTOMATON: usize = 4 << 20;
/// Bytes that all automata of an analysis may take.
const MAX_AUTOMATA: usize = 512 << 20;
/// Bytes of a pattern that is analysed. Building an automaton takes time by its length.
const MAX_PATTERN: usize = 16 << 10;
/// Work of building an automaton, in steps for each of its bytes.
const BUILD_STEPS: u64 = 4;
/// States of automata side by side that one search may visit.
const MAX_VISITED: usize = 60_000;

/// A language of a [`Languages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LanguageId(u32);

/// How to read the text of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Pattern {
    /// A regular expression; it matches anywhere in a text unless it is anchored.
    pub(super) regex: String,
    pub(super) ignore_case: bool,
    /// Whether `.` and negated classes match characters and not bytes.
    pub(super) unicode: bool,
}

impl Pattern {
    /// The expression, with all that it means.
    fn expression(&self) -> String {
        let case = if self.ignore_case { "(?i)" } else { "" };
        let unicode = if self.unicode { "" } else { "(?-u)" };
        format!("{case}{unicode}{}", self.regex)
    }
}

type Dfa = dense::DFA<Vec<u32>>;

/// What is computed of a pattern when it is first needed.
#[derive(Debug, Default)]
struct Compiled {
    required: OnceLock<RequiredText>,
    /// `None` if the pattern can't be analysed.
    automaton: OnceLock<Option<Dfa>>,
}

/// Automata that several analyses share, by pattern.
#[derive(Debug, Default)]
pub(super) struct SharedAutomata(Mutex<FxHashMap<Pattern, Arc<Compiled>>>);

impl SharedAutomata {
    fn of(&self, pattern: &Pattern) -> Arc<Compiled> {
        // A panic elsewhere leaves whole entries.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(pattern) {
            return Arc::clone(known);
        }
        let new = Arc::<Compiled>::default();
        all.insert(pattern.clone(), Arc::clone(&new));
        new
    }
}

#[derive(Debug)]
struct Language {
    pattern: Pattern,
    compiled: Arc<Compiled>,
    /// Whether this analysis has an automaton for it. Without one, any text may be in it.
    is_known: OnceCell<bool>,
}

/// A text that is in some languages and not in others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    Text(String),
    /// No text is.
    None,
    /// The search reached its bound.
    Unknown,
}

/// All languages of an analysis.
#[derive(Debug, Default)]
pub(super) struct Languages {
    all: Vec<Language>,
    ids: FxHashMap<Pattern, LanguageId>,
    shared: Arc<SharedAutomata>,
    /// Valid texts.
    text: Option<LanguageId>,
    /// Bytes of all automata.
    bytes: Cell<usize>,
    /// Work so far, in steps of automata.
    steps: Cell<u64>,
    /// What was found, by the languages as wished.
    known: FxHashMap<Vec<(LanguageId, bool)>, Found>,
}

/// The state of one automaton: where it is, or that it has matched already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    At(StateID),
    Matched,
    Dead,
}

impl Languages {
    /// Without any language yet.
    pub(super) fn new(shared: Arc<SharedAutomata>) -> Self {
        Self {
            shared,
            ..Self::default()
        }
    }

    /// The language of a pattern.
    pub(super) fn of(&mut self, pattern: Pattern) -> LanguageId {
        if let Some(id) = self.ids.get(&pattern) {
            return *id;
        }
        let id = LanguageId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(Language {
            compiled: self.shared.of(&pattern),
            pattern: pattern.clone(),
            is_known: OnceCell::new(),
        });
        self.ids.insert(pattern, id);
        id
    }

    /// The language that has only this text.
    pub(super) fn exactly(&mut self, text: &str, ignore_case: bool) -> LanguageId {
        self.of(Pattern {
            regex: format!("^(?:{})$", regex_syntax::escape(text)),
            ignore_case,
            unicode: false,
        })
    }

    /// Whether the pattern can be analysed.
    pub(super) fn is_known(&self, id: LanguageId) -> bool {
        self.automaton(id).is_some()
    }

    /// Whether a pattern that was needed can't be analysed.
    pub(super) fn has_unknown(&self) -> bool {
        let mut all = self.all.iter();
        all.any(|one| one.is_known.get() == Some(&false))
    }

    /// Patterns that were needed and can't be analysed.
    pub(super) fn unknown(&self) -> impl Iterator<Item = String> {
        let unknown = |one: &&Language| one.is_known.get() == Some(&false);
        self.all
            .iter()
            .filter(unknown)
            .map(|one| one.pattern.expression())
    }

    /// Work so far, in steps of automata.
    pub(super) const fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Counts work that took about as long as some steps of automata.
    pub(super) fn count(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// Reaches the bound on the bytes of automata.
    #[cfg(test)]
    pub(super) fn fill(&self) {
        self.bytes.set(MAX_AUTOMATA);
    }

    /// Reaches the bound on steps.
    #[cfg(test)]
    pub(super) fn tire(&self) {
        self.count(u64::MAX / 2);
    }

    fn automaton(&self, id: LanguageId) -> Option<&Dfa> {
        let language = self.all.get(id.0 as usize)?;
        let built = || {
            let new = || automaton(&language.pattern);
            language.compiled.automaton.get_or_init(new).as_ref()
        };
        let is_known = language.is_known.get_or_init(|| {
            // Without an automaton any text may be in the language: that is inconclusive, never
            // wrong.
            let dfa = Some(self.bytes.get())
                .filter(|bytes| *bytes < MAX_AUTOMATA)
                .and_then(|_| built());
            let bytes = dfa.map_or(0, Dfa::memory_usage);
            self.bytes.set(self.bytes.get().saturating_add(bytes));
            // A pattern whose automaton grows too large takes the most work.
            let built = dfa.map_or(MAX_AUTOMATON, |_| bytes);
            self.count((built as u64).saturating_mul(BUILD_STEPS));
            dfa.is_some()
        });
        is_known.then(built).flatten()
    }

    /// What any text in a language contains.
    pub(super) fn required(&self, id: LanguageId) -> Option<&RequiredText> {
        let language = self.all.get(id.0 as usize)?;
        let new = || RequiredText::of(&language.pattern);
        Some(language.compiled.required.get_or_init(new))
    }

    /// Whether a text is in a language; `None` if that isn't known.
    pub(super) fn contains(&self, id: LanguageId, text: &str) -> Option<bool> {
        self.count(1);
        if !self.required(id)?.is_in(text) {
            return Some(false);
        }
        let dfa = self.automaton(id)?;
        self.count(text.len() as u64);
        let mut state = begin(dfa)?;
        for byte in text.bytes() {
            let State::At(at) = state else {
                break;
            };
            state = settle(dfa, dfa.next_state(at, byte));
        }
        Some(accepts(dfa, state))
    }

    /// The shortest text that is in each language as wished. Those that can't be analysed are left
    /// out.
    pub(super) fn shortest(&mut self, wanted: &[(LanguageId, bool)]) -> Found {
        if let Some(known) = self.known.get(wanted) {
            return known.clone();
        }
        let valid = *self.text.get_or_insert(LanguageId(u32::MAX));
        let valid = if valid == LanguageId(u32::MAX) {
            let id = self.of(Pattern {
                regex: "^(?s:.)*$".to_owned(),
                ignore_case: false,
                unicode: true,
            });
            self.text = Some(id);
            id
        } else {
            valid
        };
        let known: Vec<(&Dfa, bool)> = [(valid, true)]
            .iter()
            .chain(wanted)
            .filter_map(|(id, wish)| Some((self.automaton(*id)?, *wish)))
            .collect();
        let (found, steps) = search(&known);
        self.count(steps);
        self.known.insert(wanted.to_vec(), found.clone());
        found
    }
}

/// How patterns are read.
fn syntax(pattern: &Pattern) -> syntax::Config {
    syntax::Config::new()
        .case_insensitive(pattern.ignore_case)
        .unicode(pattern.unicode)
        .utf8(false)
        .nest_limit(96)
}

/// A pattern that was read; `None` if it can't be analysed.
pub(super) fn parse(pattern: &Pattern) -> Option<Hir> {
    if pattern.regex.len() > MAX_PATTERN {
        return None;
    }
    syntax::parse_with(&pattern.regex, &syntax(pattern)).ok()
}

fn automaton(pattern: &Pattern) -> Option<Dfa> {
    if pattern.regex.len() > MAX_PATTERN {
        return None;
    }
    dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(StartKind::Unanchored)
                .dfa_size_limit(Some(MAX_AUTOMATON))
                .determinize_size_limit(Some(MAX_AUTOMATON)),
        )
        .syntax(syntax(pattern))
        .build(&pattern.regex)
        .ok()
}

fn begin(dfa: &Dfa) -> Option<State> {
    dfa.start_state(&start::Config::new().anchored(Anchored::No))
        .ok()
        .map(|id| settle(dfa, id))
}

/// A match is reported one byte late, and stays one whatever follows.
fn settle(dfa: &Dfa, id: StateID) -> State {
    if !dfa.is_special_state(id) {
        State::At(id)
    } else if dfa.is_match_state(id) {
        State::Matched
    } else if dfa.is_dead_state(id) || dfa.is_quit_state(id) {
        State::Dead
    } else {
        State::At(id)
    }
}

fn step(dfa: &Dfa, state: State, byte: u8) -> State {
    match state {
        State::At(id) => settle(dfa, dfa.next_state(id, byte)),
        State::Matched | State::Dead => state,
    }
}

fn accepts(dfa: &Dfa, state: State) -> bool {
    match state {
        State::At(id) => dfa.is_match_state(dfa.next_eoi_state(id)),
        State::Matched => true,
        State::Dead => false,
    }
}

/// Bytes in the order in which people would choose them.
fn preferred() -> impl Iterator<Item = u8> {
    let first = (b'a'..=b'z')
        .chain(b'0'..=b'9')
        .chain(*b"-_./ =:,@+")
        .chain(b'A'..=b'Z');
    let rest = (0x21..=0x7e).chain([b'\t', b'\n']).chain(0..=0xff);
    first.chain(rest)
}

/// One byte of each class that the automata distinguish.
fn alphabet(automata: &[(&Dfa, bool)]) -> Vec<u8> {
    // Bytes have the same number while no automaton so far distinguishes them.
    let mut classes = [0_u16; 256];
    for (dfa, _) in automata {
        let mut finer: FxHashMap<(u16, u8), u16> = FxHashMap::default();
        for (byte, class) in (0..=u8::MAX).zip(&mut classes) {
            let next = u16::try_from(finer.len()).unwrap_or(u16::MAX);
            let own = (*class, dfa.byte_classes().get(byte));
            *class = *finer.entry(own).or_insert(next);
        }
    }
    let mut seen = FxHashSet::default();
    let class = |byte: u8| classes.get(usize::from(byte)).copied();
    preferred()
        .filter(|byte| seen.insert(class(*byte)))
        .collect()
}

/// Breadth-first search over the automata side by side; also counts the steps.
fn search(automata: &[(&Dfa, bool)]) -> (Found, u64) {
    let mut steps = 0;
    (counted_search(automata, &mut steps), steps)
}

fn counted_search(automata: &[(&Dfa, bool)], steps: &mut u64) -> Found {
    let Some(first) = automata
        .iter()
        .map(|(dfa, _)| begin(dfa))
        .collect::<Option<Vec<State>>>()
    else {
        return Found::Unknown;
    };
    let alphabet = alphabet(automata);
    let fits = |states: &[State]| {
        automata
            .iter()
            .zip(states)
            .all(|((dfa, wish), state)| accepts(dfa, *state) == *wish)
    };
    // No continuation changes these any more.
    let hopeless = |state: State, wish: bool| {
        matches!((state, wish), (State::Dead, true) | (State::Matched, false))
    };
    if fits(&first) {
        return Found::Text(String::new());
    }
    // Each visited state with the one before it and the byte between them.
    let mut visited: Vec<(Vec<State>, usize, u8)> = vec![(first.clone(), 0, 0)];
    let mut places: FxHashMap<Vec<State>, usize> = FxHashMap::default();
    places.insert(first, 0);
    let mut next = 0;
    // Most bytes lead nowhere: the states behind them are only kept where they are new.
    let mut after: Vec<State> = Vec::new();
    while let Some((states, _, _)) = visited.get(next).cloned() {
        *steps += (alphabet.len() * automata.len()) as u64;
        for byte in &alphabet {
            after.clear();
            for ((dfa, wish), state) in automata.iter().zip(&states) {
                let state = step(dfa, *state, *byte);
                if hopeless(state, *wish) {
                    break;
                }
                after.push(state);
            }
            if after.len() < automata.len() || places.contains_key(&after) {
                continue;
            }
            let found = fits(&after);
            places.insert(after.clone(), visited.len());
            visited.push((after.clone(), next, *byte));
            if found {
                return spell(&visited);
            }
            if visited.len() > MAX_VISITED {
                return Found::Unknown;
            }
        }
        next += 1;
    }
    Found::None
}

/// The text that leads to the last visited state.
fn spell(visited: &[(Vec<State>, usize, u8)]) -> Found {
    let mut bytes = Vec::new();
    let mut at = visited.len().saturating_sub(1);
    while let Some((_, before, byte)) = visited.get(at).filter(|_| at > 0) {
        bytes.push(*byte);
        at = *before;
    }
    bytes.reverse();
    String::from_utf8(bytes).map_or(Found::Unknown, Found::Text)
}
