//! The alternatives of a rule: each element of each list in its condition. They separate the kinds
//! of actions that a rule decides on.

use super::encoding::Encoder;
use super::formula::FormulaId;
use crate::action::{kind_name, type_bit};
use crate::condition::{CommandTest, Condition, PathTest, Predicate};
use crate::facts::{Category, bit};
use crate::name::Name;
use crate::network::NetworkPattern;
use governance::ActionType;
use shell_effects::EffectKind;

/// Lists of alternatives, each with a label for reports.
pub(super) type Alternatives = Vec<Vec<(String, FormulaId)>>;

/// The types of actions, those first that people know best.
pub(super) const TYPES: [Option<ActionType>; 5] = [
    Some(ActionType::ShellCmd),
    Some(ActionType::ToolCall),
    Some(ActionType::CodeDiff),
    Some(ActionType::Answer),
    None,
];

impl Encoder {
    /// The alternatives of a condition. What `not` excludes is none.
    pub(super) fn alternatives(&mut self, when: &Condition) -> Alternatives {
        match when {
            Condition::All(list) => list
                .iter()
                .flat_map(|part| self.alternatives(part))
                .collect(),
            Condition::Any(list) => {
                let branches = list.iter().map(|part| {
                    let truth = self.condition(part, false);
                    (label(part), truth.possible)
                });
                let mut all = vec![branches.collect()];
                all.extend(list.iter().flat_map(|part| self.alternatives(part)));
                all
            }
            Condition::Not(_) => Vec::new(),
            Condition::Is(predicate, _) => self.elements(predicate),
        }
    }

    fn elements(&mut self, predicate: &Predicate) -> Alternatives {
        let key = predicate.key();
        let single =
            |names: &[Name], make: fn(Vec<Name>) -> Predicate| -> Vec<(String, Predicate)> {
                names
                    .iter()
                    .map(|name| (name.text().to_owned(), make(vec![name.clone()])))
                    .collect()
            };
        let lists: Vec<Vec<(String, Predicate)>> = match predicate {
            Predicate::Tool(names) => vec![single(names, Predicate::Tool)],
            Predicate::Agent(names) => vec![single(names, Predicate::Agent)],
            Predicate::Mode(names) => vec![single(names, Predicate::Mode)],
            Predicate::Host(names) => vec![single(names, Predicate::Host)],
            Predicate::Network(patterns) => {
                let one = |pattern: &NetworkPattern| {
                    let single = Predicate::Network(vec![pattern.clone()]);
                    (pattern.text().to_owned(), single)
                };
                vec![patterns.iter().map(one).collect()]
            }
            Predicate::Category(bits) => vec![
                Category::ALL
                    .into_iter()
                    .filter(|category| category.bits() & bits != 0)
                    .map(|one| {
                        let part = Predicate::Category(one.bits() & bits);
                        (one.name().to_owned(), part)
                    })
                    .collect(),
            ],
            Predicate::Effects(bits) => vec![
                EffectKind::ALL
                    .into_iter()
                    .filter(|kind| bit(*kind) & bits != 0)
                    .map(|kind| (kind.as_str().to_owned(), Predicate::Effects(bit(kind))))
                    .collect(),
            ],
            Predicate::Pattern(regexes) => vec![
                regexes
                    .iter()
                    .map(|regex| {
                        let one = Predicate::Pattern(vec![regex.clone()]);
                        (regex.as_str().to_owned(), one)
                    })
                    .collect(),
            ],
            Predicate::Command(test) => commands(test),
            Predicate::Path(test) => paths(test),
            Predicate::Granted(grants) => vec![
                grants
                    .iter()
                    .filter_map(|grant| match grant {
                        Condition::Is(one, text) => Some((text.clone(), one.clone())),
                        _ => None,
                    })
                    .collect(),
            ],
            Predicate::Type(bits) => vec![
                TYPES
                    .into_iter()
                    .filter(|kind| type_bit(*kind) & bits != 0)
                    .map(|kind| {
                        let name = kind.map_or("unknown", kind_name);
                        (name.to_owned(), Predicate::Type(type_bit(kind)))
                    })
                    .collect(),
            ],
            Predicate::Production(_)
            | Predicate::Risk(_)
            | Predicate::Turn(_)
            | Predicate::ApprovedBefore
            | Predicate::UsedUp(_) => Vec::new(),
        };
        lists
            .into_iter()
            .filter(|list| list.len() > 1)
            .map(|list| {
                list.into_iter()
                    .map(|(text, one)| {
                        let truth = self.predicate(&one, false);
                        (format!("{key} `{text}`"), truth.possible)
                    })
                    .collect()
            })
            .collect()
    }
}

/// A condition as its author wrote it, in short.
fn label(when: &Condition) -> String {
    match when {
        Condition::Is(_, text) => format!("`{text}`"),
        Condition::Not(inner) => format!("not {}", label(inner)),
        Condition::All(list) | Condition::Any(list) => {
            list.iter().map(label).collect::<Vec<_>>().join(" ")
        }
    }
}

fn commands(test: &CommandTest) -> Vec<Vec<(String, Predicate)>> {
    let one = |name: &Name, test: CommandTest| (name.text().to_owned(), Predicate::Command(test));
    let programs = test.program.iter().map(|name| {
        let program = vec![name.clone()];
        one(
            name,
            CommandTest {
                program,
                ..CommandTest::default()
            },
        )
    });
    let arguments = test.arg.iter().map(|name| {
        let arg = vec![name.clone()];
        one(
            name,
            CommandTest {
                arg,
                ..CommandTest::default()
            },
        )
    });
    let raw = test.raw.iter().map(|regex| {
        let raw = vec![regex.clone()];
        let test = CommandTest {
            raw,
            ..CommandTest::default()
        };
        (regex.as_str().to_owned(), Predicate::Command(test))
    });
    let texts = test.text.iter().map(|name| {
        let own = CommandTest {
            text: vec![name.clone()],
            ..CommandTest::default()
        };
        one(name, own)
    });
    vec![
        programs.collect(),
        arguments.collect(),
        raw.collect(),
        texts.collect(),
    ]
}

fn paths(test: &PathTest) -> Vec<Vec<(String, Predicate)>> {
    let globs = test.glob.iter().map(|glob| {
        let one = PathTest {
            glob: vec![glob.clone()],
            ..PathTest::default()
        };
        (glob.text().to_owned(), Predicate::Path(one))
    });
    let access = test.access.iter().map(|access| {
        let one = PathTest {
            access: vec![*access],
            ..PathTest::default()
        };
        (access.name().to_owned(), Predicate::Path(one))
    });
    vec![globs.collect(), access.collect()]
}
