//! What the table of programs says about options: which of them are spellings of each other.
//!
//! Each argument makes some facts about options true. Where a fact is true, one word made it true,
//! and with it all that this word says for certain. So a fact implies that one of the words that
//! may make it true is there, at one place in the tree of subcommands. Only what is certain may
//! follow: another subcommand's name among the arguments may remove a doubt, but no certainty.

use super::fact::Fact;
use crate::condition::CommandTest;
use crate::flags::{
    first_letter, has_argument, may_have_argument, probe_arguments, single_options,
};
use crate::name::Name;
use crate::surroundings::table;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of facts about options of programs, each counted once for each subcommand, that
/// are looked up in the table. About options of further programs nothing is assumed.
const MAX_WORK: usize = 2_000;
/// Maximum number of programs with facts about their options to keep.
const MAX_KEPT: usize = 256;

/// The options that conditions ask about, by the names of programs.
#[derive(Debug, Default)]
pub(super) struct OptionVocabulary {
    of_program: BTreeMap<String, BTreeSet<String>>,
    of_any: BTreeSet<String>,
    /// What the table of programs says about them, for as many programs as the bound on work
    /// allows.
    tables: BTreeMap<String, Arc<OptionTable>>,
}

/// A program, and facts about its options.
type TableKey = (String, Vec<Fact>);

/// What several analyses share: what the table says about facts about the options of a program.
#[derive(Debug, Default)]
pub(super) struct SharedOptionTables(Mutex<BTreeMap<TableKey, Arc<OptionTable>>>);

/// What the table says about the options of a program.
#[derive(Debug)]
pub(super) struct OptionTable {
    /// The facts about them that formulas state.
    facts: Vec<Fact>,
    evidence: Vec<Evidence>,
    implications: Implications,
}

impl OptionTable {
    fn new(program: &str, facts: Vec<Fact>) -> Self {
        let evidence = collect_evidence(program, &facts);
        Self {
            implications: find_implications(program, &facts, &evidence),
            evidence,
            facts,
        }
    }
}

impl SharedOptionTables {
    fn get_or_build(&self, program: &str, facts: Vec<Fact>) -> Arc<OptionTable> {
        let key = (program.to_owned(), facts.clone());
        // A panic elsewhere leaves whole entries.
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return Arc::clone(known);
        }
        let new = Arc::new(OptionTable::new(program, facts));
        let mut all = lock();
        if all.len() < MAX_KEPT {
            all.insert(key, Arc::clone(&new));
        }
        new
    }
}

impl OptionVocabulary {
    /// Takes in the options of a condition.
    pub(super) fn add(&mut self, test: &CommandTest, strict: bool) {
        let options = test.options(strict).chain(&test.args);
        let options = options.flat_map(|option| single_options(option));
        let options: BTreeSet<String> = options.filter(|option| is_option(option)).collect();
        if options.is_empty() {
            return;
        }
        let listed = |name: &Name| match name {
            Name::Exact(name) => Some(name.to_ascii_lowercase()).filter(|n| is_listed_once(n)),
            _ => None,
        };
        let names: Vec<Option<String>> = test.program.iter().map(listed).collect();
        if names.is_empty() || names.contains(&None) {
            self.of_any.extend(options.iter().cloned());
        }
        for name in names.into_iter().flatten() {
            let own = self.of_program.entry(name).or_default();
            own.extend(options.iter().cloned());
        }
    }

    /// The facts that formulas state about the options of a listed program, and about options of
    /// any program with the same first letters.
    fn facts(&self, program: &str, states: &impl Fn(&Fact) -> bool) -> Vec<Fact> {
        let own = self.of_program.get(program).into_iter().flatten();
        let letters: BTreeSet<Option<char>> = own.clone().map(|o| first_letter(o)).collect();
        let others = self.of_any.iter();
        let others = others.filter(|option| letters.contains(&first_letter(option)));
        let options: BTreeSet<&String> = own.chain(others).collect();
        let about = options.into_iter().flat_map(|want| {
            let given = [false, true].map(|strict| Fact::Argument(want.clone(), strict));
            given
                .into_iter()
                .chain([Fact::PossibleArgument(want.clone())])
        });
        about.filter(states).collect()
    }

    /// Looks the options up, for as many programs as the bound on work allows. `states` says which
    /// facts formulas state.
    pub(super) fn build_tables(
        &mut self,
        shared: &SharedOptionTables,
        states: impl Fn(&Fact) -> bool,
    ) {
        let mut left = MAX_WORK;
        let programs: Vec<String> = self.of_program.keys().cloned().collect();
        for program in programs {
            let facts = self.facts(&program, &states);
            let work = facts.len() * table().subcommand_paths(&program).len();
            if let Some(rest) = left.checked_sub(work) {
                left = rest;
                let known = shared.get_or_build(&program, facts);
                self.tables.insert(program, known);
            }
        }
    }

    /// What was looked up, by program.
    pub(super) fn tables(&self) -> impl Iterator<Item = (&String, &Arc<OptionTable>)> {
        self.tables.iter()
    }

    /// What the table says about the options of a program, if that was looked up.
    pub(super) fn table(&self, program: &str) -> Option<&OptionTable> {
        self.tables.get(program).map(|known| &**known)
    }
}

/// Whether a name is listed, and in no other case: `R` isn't `r`.
fn is_listed_once(name: &str) -> bool {
    let first = name.get(..1).unwrap_or_default();
    let similar = BTreeSet::from([first.to_owned(), first.to_ascii_uppercase()]);
    let similar = similar
        .iter()
        .flat_map(|first| table().names_with_prefix(first));
    let mut listed = similar.filter(|other| other.eq_ignore_ascii_case(name));
    listed.next() == Some(name) && listed.next().is_none()
}

/// Whether the option is one letter or a long name.
fn is_option(option: &str) -> bool {
    option.len() == 2 && option.starts_with('-') || option.len() > 2 && option.starts_with("--")
}

/// Arguments of a program, and the facts about its options that they make true.
type Evidence = (Vec<String>, BTreeSet<Fact>);

/// What single words make of options at each place of a program.
fn collect_evidence(program: &str, facts: &[Fact]) -> Vec<Evidence> {
    let options: BTreeSet<&str> = facts.iter().filter_map(option_of).collect();
    let all = probe_arguments(program, &options).into_iter();
    all.map(|args| {
        let holds = |fact: &&Fact| match fact {
            Fact::Argument(want, strict) => has_argument(program, &args, want, *strict),
            Fact::PossibleArgument(want) => may_have_argument(program, &args, want),
            _ => false,
        };
        let given = facts.iter().filter(holds).cloned().collect();
        (args, given)
    })
    .collect()
}

/// The option that a fact is about.
fn option_of(fact: &Fact) -> Option<&str> {
    match fact {
        Fact::Argument(want, _) | Fact::PossibleArgument(want) => Some(want),
        _ => None,
    }
}

/// For each fact, the sets of facts of which one comes with it.
type Implications = BTreeMap<Fact, BTreeSet<BTreeSet<Fact>>>;

/// What comes with facts about the options of a program.
fn find_implications(program: &str, facts: &[Fact], evidence: &[Evidence]) -> Implications {
    let is_clear = |fact: &&Fact| match fact {
        Fact::Argument(..) => true,
        Fact::PossibleArgument(want) => has_uniform_doubt(program, want),
        _ => false,
    };
    let clear: BTreeSet<&Fact> = facts.iter().filter(is_clear).collect();
    let mut all = Implications::new();
    for (_, given) in evidence {
        let holds = |fact: &&&Fact| possible_forms(fact).iter().any(|fact| given.contains(fact));
        let certain: BTreeSet<Fact> = clear.iter().filter(holds).copied().cloned().collect();
        for fact in given {
            let mut with = certain.clone();
            with.remove(fact);
            all.entry(fact.clone()).or_default().insert(with);
        }
    }
    all
}

/// The facts of which one holds where a fact is said to follow: what is possible may be certain.
pub(super) fn possible_forms(fact: &Fact) -> Vec<Fact> {
    let mut all = vec![fact.clone()];
    if let Fact::PossibleArgument(want) = fact {
        all.extend([false, true].map(|strict| Fact::Argument(want.clone(), strict)));
    }
    all
}

/// Whether doubts about a long option are removed only by what removes others.
///
/// Either no place of the program lists a letter for it: then a letter that another option claims
/// there isn't this one. Or its first letter is listed with it or not at all: then that letter
/// always may be this option.
fn has_uniform_doubt(program: &str, long: &str) -> bool {
    let Some(letter) = first_letter(long).filter(|_| long.starts_with("--")) else {
        return false;
    };
    let letters = [letter, letter.to_ascii_uppercase()].map(|letter| format!("-{letter}"));
    let is_own = |name: &str| name == long || letters.iter().any(|letter| letter == name);
    let places = table().subcommand_paths(program);
    let groups = |option: &str| {
        let of_place = |place: &Vec<String>| table().option_groups(program, place, option);
        places.iter().flat_map(of_place).collect::<Vec<_>>()
    };
    let of_long = groups(long);
    let has_no_letter = of_long.iter().flatten().all(|name| name.starts_with("--"));
    let of_letters = letters.iter().flat_map(|letter| groups(letter));
    let has_its_letter = || {
        let mut all = of_long.iter().cloned().chain(of_letters);
        all.all(|group| group.contains(&long) && group.into_iter().all(is_own))
    };
    has_no_letter || has_its_letter()
}

impl OptionTable {
    /// The options that the facts are about.
    pub(super) fn options(&self) -> BTreeSet<&str> {
        self.facts.iter().filter_map(option_of).collect()
    }

    /// Whether a fact is about an option.
    pub(super) fn is_about(&self, option: &str) -> bool {
        self.facts
            .iter()
            .any(|fact| option_of(fact) == Some(option))
    }

    /// Arguments of the program that make exactly some of the facts true, or nearly so: the best
    /// ones first, at most one for each place in the tree of its subcommands.
    pub(super) fn arguments_with(&self, program: &str, own: &BTreeSet<Fact>) -> Vec<Vec<String>> {
        let asked = &self.facts;
        let wanted: BTreeSet<&Fact> = asked.iter().filter(|fact| own.contains(*fact)).collect();
        let mut of_place: BTreeMap<&[String], Vec<(&String, BTreeSet<&Fact>)>> = BTreeMap::new();
        for (args, given) in &self.evidence {
            if let Some((word, place)) = args.split_last() {
                let given = given.iter().collect();
                of_place.entry(place).or_default().push((word, given));
            }
        }
        let mut all: Vec<(usize, usize, Vec<String>)> = Vec::new();
        let has_subcommands = of_place.len() > 1;
        for (place, evidence) in of_place {
            // People write options behind a subcommand.
            let bare = usize::from(has_subcommands && place.is_empty());
            let (mut words, mut given) = (Vec::new(), BTreeSet::new());
            for fact in &wanted {
                let with = evidence.iter().filter(|(_, given)| given.contains(fact));
                let best = with.min_by_key(|(word, given)| {
                    let others = given.difference(&wanted).count();
                    (others, oddity(program, place, asked, word), word.len())
                });
                if let Some((word, of_word)) = best.filter(|_| !given.contains(fact)) {
                    words.push((*word).clone());
                    given.extend(of_word.iter().copied());
                }
            }
            let odd = words.iter().map(|word| oddity(program, place, asked, word));
            let odd = odd.sum::<usize>() + bare;
            let args = [place, &words].concat();
            let length = args.iter().map(String::len).sum::<usize>();
            let wrong = given.symmetric_difference(&wanted).count();
            all.push((wrong, 100 * odd + length, args));
        }
        all.sort();
        all.into_iter().map(|(_, _, args)| args).collect()
    }

    /// For each fact, the sets of facts of which one comes with it. Facts that come with none are
    /// left out.
    pub(super) fn implications(&self) -> impl Iterator<Item = (&Fact, Vec<&BTreeSet<Fact>>)> {
        let none = BTreeSet::new();
        let all = self.facts.iter().map(|fact| {
            let sets = self.implications.get(fact).into_iter().flatten();
            (fact, sets.collect::<Vec<_>>())
        });
        all.filter(move |(_, sets)| !sets.contains(&&none))
    }
}

/// How unlike what people write an option is, among options that are asked about.
fn oddity(program: &str, place: &[String], asked: &[Fact], word: &str) -> usize {
    let is_listed = || {
        table().options(program, place).any(|option| option == word)
            || asked.iter().any(|fact| option_of(fact) == Some(word))
    };
    let is_letter = word.len() == 2 && word.bytes().all(|b| !b.is_ascii_uppercase());
    match word {
        _ if is_listed() => 0,
        _ if is_letter => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PROGRAMS: [&str; 10] = [
        "git", "docker", "npm", "tar", "rm", "kubectl", "curl", "grep", "ssh", "ls",
    ];

    /// Arguments of a program: listed options and subcommands, other options, in any spelling.
    fn arguments(program: &'static str) -> impl Strategy<Value = Vec<String>> {
        let places = table().subcommand_paths(program);
        let mut words: BTreeSet<String> = places.iter().flatten().cloned().collect();
        for place in &places {
            let options = table().options(program, place);
            words.extend(options.map(str::to_owned));
        }
        words.extend(["+main", "--", "x", "push"].map(str::to_owned));
        let listed = prop::sample::select(Vec::from_iter(words));
        let cut = (listed.clone(), 0..12_usize).prop_map(|(word, end)| {
            let end = (end + 2).min(word.len());
            word.get(..end).unwrap_or(&word).to_owned()
        });
        let word = prop_oneof![
            6 => listed.clone(),
            1 => listed.prop_map(|word| word.to_ascii_uppercase()),
            2 => cut,
            2 => "-[a-zA-Z]{1,3}",
            1 => "--[a-z]{1,8}(=x)?",
            1 => "[a-z]{1,4}",
        ];
        prop::collection::vec(word, 0..6)
    }

    fn cases() -> impl Strategy<Value = (&'static str, Vec<String>, BTreeSet<String>)> {
        prop::sample::select(PROGRAMS.to_vec()).prop_flat_map(|program| {
            let asked = (arguments(program), 1..5_usize).prop_map(|(words, most)| {
                let options = words.into_iter().filter(|word| is_option(word));
                options
                    .chain(["-f".to_owned(), "--force".to_owned()])
                    .take(most)
                    .collect()
            });
            (Just(program), arguments(program), asked)
        })
    }

    #[test]
    fn names_in_another_case_may_be_other_programs() {
        assert!(is_listed_once("git") && is_listed_once("7z"));
        assert!(!is_listed_once("x") && !is_listed_once("vboxmanage") && !is_listed_once(""));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn what_is_said_of_options_holds_for_all_arguments((program, args, asked) in cases()) {
            let mut facts = Vec::new();
            for want in &asked {
                facts.extend([false, true].map(|strict| Fact::Argument(want.clone(), strict)));
                facts.push(Fact::PossibleArgument(want.clone()));
            }
            let implications = find_implications(program, &facts, &collect_evidence(program, &facts));
            let holds = |fact: &Fact| match fact {
                Fact::Argument(want, strict) => has_argument(program, &args, want, *strict),
                Fact::PossibleArgument(want) => may_have_argument(program, &args, want),
                _ => false,
            };
            for fact in facts.iter().filter(|fact| holds(fact)) {
                let with = implications.get(fact).into_iter().flatten();
                let one_holds = |fact: &Fact| possible_forms(fact).iter().any(holds);
                let mut supported = with.filter(|set| set.iter().all(one_holds));
                prop_assert!(supported.next().is_some(), "{program} {args:?}: {fact:?}");
            }
        }
    }
}
