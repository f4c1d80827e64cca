//! An abstract action in the words of a policy, from which real actions are built.

use super::alternatives::TYPES;
use super::encoding::{
    AGENT, ARGUMENTS, Encoder, FactIndex, HOSTS, LINE, LINE_PARTS, MODE, NAME, PATHS, PAYLOAD,
    PAYLOAD_PARTS, REQUEST, STEPS, TOOLS, TURN, WORDS, WRITTEN,
};
use super::fact::Fact;
use super::formula::{CollectionId, FormulaId, Object, TextSlot};
use crate::action::{kind_name, type_bit};
use crate::condition::risk_bit;
use crate::flags::{first_letter, has_argument, may_have_argument};
use crate::network::host_of;
use crate::path::Access;
use governance::RiskLevel;
use shell_effects::Step;
use std::collections::BTreeSet;
use std::fmt;

/// Number of arguments beyond which some aren't kept.
pub(crate) const MANY: usize = 64;
/// Maximum number of ways to keep in which a program may have its options.
const MAX_SPELLINGS: usize = 8;
/// Maximum number of words of a program to show.
const MAX_SHOWN: usize = 12;

/// A program of an abstract action.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StepSketch {
    pub(crate) program: String,
    /// The arguments whose text is known.
    pub(crate) arguments: Vec<String>,
    /// The text of its command, if it matters.
    pub(crate) text: Option<String>,
    /// The options that it has, and whether for certain.
    pub(crate) options: Vec<(String, bool)>,
    /// Arguments that have them, the best first.
    pub(crate) spellings: Vec<Vec<String>>,
}

impl StepSketch {
    /// A program with the options of some facts.
    fn new(program: String, own: &BTreeSet<Fact>, stated: &FactIndex) -> Self {
        let is_certain = |want: &String| {
            [false, true]
                .into_iter()
                .any(|strict| own.contains(&Fact::Argument(want.clone(), strict)))
        };
        let option = |fact: &Fact| match fact {
            Fact::Argument(want, _) => Some((want.clone(), true)),
            Fact::PossibleArgument(want) => {
                Some((want.clone(), false)).filter(|_| !is_certain(want))
            }
            _ => None,
        };
        let mut options: Vec<(String, bool)> = own.iter().filter_map(option).collect();
        options.dedup();
        let known = stated.option_table(&program.to_ascii_lowercase());
        let of_table =
            |(want, _): &&(String, bool)| known.is_some_and(|known| known.is_about(want));
        let (listed, others): (Vec<_>, Vec<_>) = options.iter().partition(of_table);
        let mut spellings = vec![Vec::new()];
        if let Some(known) = known.filter(|_| !listed.is_empty()) {
            spellings = known.arguments_with(&program, own);
            spellings.truncate(MAX_SPELLINGS);
        }
        for spelling in &mut spellings {
            spelling.extend(others.iter().map(|option| unlisted_spelling(option)));
        }
        Self {
            program,
            arguments: Vec::new(),
            text: None,
            options,
            spellings,
        }
    }

    /// Arguments that stand for the options.
    pub(crate) fn spelled_options(&self) -> &[String] {
        self.spellings.first().map_or(&[], Vec::as_slice)
    }

    /// The arguments that are no option.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &str> {
        let is_option = |argument: &&String| self.options.iter().any(|(want, _)| want == *argument);
        let operands = self
            .arguments
            .iter()
            .filter(move |argument| !is_option(argument));
        operands.map(String::as_str)
    }

    /// Number of options that none of some real steps has.
    pub(crate) fn missing_options(&self, steps: &[Step]) -> usize {
        let has = |step: &Step, (want, certain): &(String, bool)| {
            let has = has_argument(&step.program, &step.args, want, false);
            has == *certain && (*certain || may_have_argument(&step.program, &step.args, want))
        };
        let missing = self.options.iter();
        missing
            .filter(|option| !steps.iter().any(|step| has(step, option)))
            .count()
    }
}

/// What an option may look like, of a program that isn't listed.
fn unlisted_spelling((option, certain): &(String, bool)) -> String {
    let letter = first_letter(option).unwrap_or('x');
    match (certain, option.starts_with("--")) {
        (true, _) => option.clone(),
        (false, true) => format!("-{letter}"),
        (false, false) => format!("--{letter}xyz"),
    }
}

/// What is known of an abstract action. What isn't listed doesn't matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sketch {
    /// The type, as a bit of the set of types.
    pub(crate) kind: u8,
    pub(crate) tools: Vec<String>,
    pub(crate) agent: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) production: bool,
    pub(crate) turn: Option<u64>,
    pub(crate) risk: Option<RiskLevel>,
    /// The text of the command line and of the payload, if it matters.
    pub(crate) line: String,
    pub(crate) payload: String,
    pub(crate) paths: Vec<(String, Access)>,
    pub(crate) hosts: Vec<String>,
    /// The texts of requests, where they matter.
    pub(crate) requests: Vec<String>,
    /// The texts of several commands of a line.
    pub(crate) parts: Vec<String>,
    /// Programs with their arguments.
    pub(crate) steps: Vec<StepSketch>,
    /// The texts of single commands.
    pub(crate) commands: Vec<String>,
    /// The kinds of effects, as bits.
    pub(crate) effects: u32,
    pub(crate) approved_before: bool,
    /// Whether the line has several commands.
    pub(crate) several: bool,
}

impl Sketch {
    /// What an object is, by what formulas state.
    pub(super) fn new(object: &Object, stated: &FactIndex) -> Self {
        let of = |object: &Object| -> BTreeSet<Fact> {
            let own = object.facts.iter().filter_map(|id| stated.get(*id));
            own.map(|(fact, _)| fact.clone()).collect()
        };
        let text = |object: &Object, slot: TextSlot| object.texts.get(&slot).cloned();
        let parts = |collection: CollectionId| {
            let all = object.parts.get(&collection).map(Vec::as_slice);
            all.unwrap_or_default().iter()
        };
        let names = |collection: CollectionId| {
            parts(collection)
                .filter_map(|part| text(part, NAME))
                .filter(|name| !name.is_empty())
                .collect()
        };
        // A variable shows nothing of a path or host.
        let known = |part: &Object, variable: &str| {
            text(part, NAME)
                .filter(|name| !name.is_empty() && of(part).contains(&Fact::Known))
                .unwrap_or_else(|| variable.to_owned())
        };
        let own = of(object);
        // A turn before all that policies name: 1, unless they name that.
        let first_named = stated.contains(&Fact::UsedUp(TURN, 1));
        let first_turn = u64::from(!first_named);
        let mut sketch = Self {
            kind: 16,
            tools: names(TOOLS),
            agent: text(object, AGENT).filter(|_| own.contains(&Fact::HasAgent)),
            mode: text(object, MODE).filter(|_| own.contains(&Fact::HasMode)),
            production: own.contains(&Fact::Production),
            turn: own.contains(&Fact::HasTurn).then_some(first_turn),
            line: text(object, LINE).unwrap_or_default(),
            payload: text(object, PAYLOAD).unwrap_or_default(),
            hosts: parts(HOSTS)
                .map(|host| {
                    let request = text(host, REQUEST);
                    let own = request.as_deref().and_then(host_of);
                    known(host, own.unwrap_or("$H"))
                })
                .collect(),
            requests: parts(HOSTS)
                .filter_map(|host| text(host, REQUEST))
                .filter(|request| !request.is_empty())
                .collect(),
            approved_before: own.contains(&Fact::ApprovedBefore),
            several: own.contains(&Fact::Several),
            ..Self::default()
        };
        for fact in own {
            match fact {
                Fact::Kind(kind) => sketch.kind = kind,
                Fact::Effect(effect) => sketch.effects |= effect,
                Fact::UsedUp(TURN, least) => {
                    sketch.turn = sketch.turn.map(|turn| turn.max(least));
                }
                Fact::Risk(bit) => {
                    sketch.risk = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High]
                        .into_iter()
                        .find(|level| risk_bit(*level) == bit);
                }
                _ => {}
            }
        }
        for part in parts(LINE_PARTS).chain(parts(PAYLOAD_PARTS)) {
            sketch.parts.extend(text(part, NAME));
        }
        for path in parts(PATHS) {
            let own = of(path);
            let access = own.iter().find_map(|fact| match fact {
                Fact::Access(access) => Some(*access),
                _ => None,
            });
            let name = known(path, "$F");
            sketch.paths.extend(access.map(|access| (name, access)));
        }
        for step in parts(STEPS) {
            let written = step.parts.get(&ARGUMENTS).into_iter().flatten();
            // What isn't known of an argument is shown as `$…`.
            let given = written.filter_map(|a| text(a, NAME));
            let mut arguments: Vec<String> = given.map(|a| a.replace("$…", "$X")).collect();
            // A name that isn't a program's may be that name and a blank.
            let program = text(step, NAME).unwrap_or_default().replace("$…", "$X");
            let program = program.trim_end().to_owned();
            let own = of(step);
            if own.contains(&Fact::ManyArguments) {
                arguments.resize(MANY, "x".to_owned());
            }
            let texts = [text(step, WRITTEN), text(step, WORDS)]
                .into_iter()
                .flatten();
            let texts = texts.map(|text| text.replace("$…", "$X"));
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            sketch.steps.push(StepSketch {
                arguments,
                text: texts.first().cloned(),
                ..StepSketch::new(program, &own, stated)
            });
            sketch.commands.extend(texts);
        }
        sketch
    }
}

impl fmt::Display for Sketch {
    /// May contain text of a policy.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = TYPES.into_iter().find(|kind| type_bit(*kind) == self.kind);
        let kind = kind.flatten().map_or("unknown type", kind_name);
        let mut said = vec![kind.to_owned()];
        let mut list = |what: &str, all: Vec<String>| {
            if !all.is_empty() {
                said.push(format!("{what} {}", all.join(", ")));
            }
        };
        let quoted = |text: &String| format!("`{text}`");
        list("tool", self.tools.iter().map(quoted).collect());
        list("agent", self.agent.iter().map(quoted).collect());
        list("mode", self.mode.iter().map(quoted).collect());
        list("turn", self.turn.iter().map(u64::to_string).collect());
        let steps = self.steps.iter().map(|step| {
            let mut words: Vec<&str> = std::iter::once(&step.program)
                .chain(step.spelled_options())
                .chain(&step.arguments)
                .map(String::as_str)
                .filter(|word| !word.is_empty())
                .collect();
            if words.len() > MAX_SHOWN {
                words.truncate(MAX_SHOWN);
                words.push("…");
            }
            format!("`{}`", words.join(" "))
        });
        list("program", steps.collect());
        let commands = self.commands.iter().filter(|text| !text.is_empty());
        list("command", commands.map(quoted).collect());
        let paths = self.paths.iter();
        list(
            "path",
            paths
                .map(|(path, access)| format!("{} `{path}`", access.name()))
                .collect(),
        );
        list("host", self.hosts.iter().map(quoted).collect());
        list("request", self.requests.iter().map(quoted).collect());
        for (what, text) in [("line", &self.line), ("payload", &self.payload)] {
            if !text.is_empty() {
                list(what, vec![quoted(text)]);
            }
        }
        list(
            "risk",
            self.risk.iter().map(|r| r.name().to_owned()).collect(),
        );
        f.write_str(&said.join("; "))
    }
}

impl Encoder {
    /// What simple actions have in common: one command, everything known.
    pub(super) fn plain(&mut self) -> FormulaId {
        let odd = [
            Fact::Cut,
            Fact::Unparsed,
            Fact::Several,
            Fact::WithoutPath,
            Fact::WithoutHost,
            Fact::WithoutStep,
            Fact::OtherText,
        ];
        let mut all = Vec::new();
        for fact in odd {
            let fact = self.fact(fact);
            all.push(self.not(fact));
        }
        let hides = self.hides();
        all.push(self.not(hides));
        let known = self.fact(Fact::Known);
        let (wild, tree) = (self.fact(Fact::Wild), self.fact(Fact::Tree));
        let spread = self.any([wild, tree]);
        let exact = self.not(spread);
        let path = self.all([known, exact]);
        all.push(self.formulas.every(PATHS, path));
        all.push(self.formulas.every(HOSTS, known));
        let hole = self.open();
        let (open, many) = (
            self.formulas.some(ARGUMENTS, hole),
            self.fact(Fact::ManyArguments),
        );
        let unknown = self.unknown_words();
        let unclear = self.any([hole, open, many, unknown]);
        let clear = self.not(unclear);
        all.push(self.formulas.every(STEPS, clear));
        self.all(all)
    }
}
