//! The conditions of rules: a closed set of predicates over finite sets, globs and regular
//! expressions.
//!
//! Everything here is decidable: no predicate computes, compares two fields or reads anything
//! outside the action. So two policies can be compared for all actions.
//!
//! A condition has two interpretations. In a rule that *allows*, it must cover all of an action:
//! every path, host, program and effect (`strict`). In a rule that *denies* or asks, any one of
//! them suffices, and an unknown one counts as [`Tristate::Maybe`]. `not` swaps the
//! interpretations.

use super::action::type_bit;
use super::command_text::CommandText;
use super::effect::Tristate;
use super::facts::{Category, Facts, bit};
use super::flags::{first_letter, has_argument, may_have_argument};
use super::limit::Limit;
use super::name::{Name, any_name};
use super::network::{NetworkPattern, NetworkRequest};
use super::path::{Access, PathGlob};
use super::request::Request;
use governance::{ActionType, RiskLevel};
use regex::Regex;
use shell_effects::{EffectKind, Step};

/// A condition.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// All of them hold.
    All(Vec<Condition>),
    /// One of them holds.
    Any(Vec<Condition>),
    /// It doesn't hold.
    Not(Box<Condition>),
    /// A key of `when`, with its text as written, for explanations.
    Is(Predicate, String),
}

/// One key of `when`.
#[derive(Debug, Clone)]
pub(crate) enum Predicate {
    /// Types of action, as bits in the order of [`type_bit`].
    Type(u8),
    /// Name of the tool.
    Tool(Vec<Name>),
    /// Categories, as bits.
    Category(u32),
    /// Levels of risk, as bits.
    Risk(u8),
    Agent(Vec<Name>),
    Mode(Vec<Name>),
    Production(bool),
    /// Ranges of the turn's number.
    Turn(Vec<TurnRange>),
    /// Regular expressions over the payload's JSON.
    Pattern(Vec<Regex>),
    Command(CommandTest),
    /// Kinds of effects, as bits.
    Effects(u32),
    Path(PathTest),
    Host(Vec<Name>),
    /// Requests over the network.
    Network(Vec<NetworkPattern>),
    /// A human has approved this tool before in the session, at the same or a higher risk.
    ApprovedBefore,
    /// The grants of a permission template.
    Granted(Vec<Condition>),
    /// A limit of the whole policy is used up.
    UsedUp(Limit),
}

/// A range of turns (`turn`), both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnRange {
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl TurnRange {
    /// The turns at its ends, and just outside of it.
    pub(crate) fn near(&self) -> impl Iterator<Item = u64> + use<> {
        let (before, after) = (self.least.saturating_sub(1), self.most.saturating_add(1));
        let all = [self.least, self.most, before, after].into_iter();
        all.filter(|turn| *turn < u64::MAX)
    }

    pub(crate) fn text(&self) -> String {
        match (self.least, self.most) {
            (least, most) if least == most => least.to_string(),
            (least, u64::MAX) => format!("{least} and later"),
            (least, most) => format!("{least} to {most}"),
        }
    }
}

/// A test of the commands of a line (`command`).
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandTest {
    pub(crate) program: Vec<Name>,
    /// Any of these arguments.
    pub(crate) arg: Vec<Name>,
    /// All of these arguments (the older dangerous-commands form).
    pub(crate) args: Vec<String>,
    pub(crate) raw: Vec<Regex>,
    /// The text of a command by itself: its program and arguments.
    pub(crate) text: Vec<Name>,
}

/// A test of the paths of an action (`path`).
#[derive(Debug, Clone, Default)]
pub(crate) struct PathTest {
    pub(crate) glob: Vec<PathGlob>,
    /// None of these.
    pub(crate) except: Vec<PathGlob>,
    pub(crate) access: Vec<Access>,
    pub(crate) outside: Option<bool>,
    /// Whether the path must match a list of protected paths, or must not.
    pub(crate) protected: Option<(bool, Vec<PathGlob>)>,
}

pub(crate) const fn risk_bit(risk: RiskLevel) -> u8 {
    match risk {
        RiskLevel::Low => 1,
        RiskLevel::Medium => 2,
        RiskLevel::High => 4,
    }
}

/// Combines the results for several items. If `strict`, all must hold, and at least one must exist;
/// otherwise any suffices. Strict callers also check that each command of a line has such an item.
fn over(strict: bool, items: impl Iterator<Item = Tristate>) -> Tristate {
    let mut some = false;
    let mut all = Tristate::Yes;
    let mut any = Tristate::No;
    for holds in items {
        some = true;
        all = all.min(holds);
        any = any.max(holds);
    }
    match (strict, some) {
        (true, false) => Tristate::No,
        (true, true) => all,
        (false, _) => any,
    }
}

impl Condition {
    /// Evaluates the condition; `strict` is the interpretation for rules that allow.
    pub(crate) fn holds(&self, facts: &Facts<'_>, request: &Request<'_>, strict: bool) -> Tristate {
        match self {
            Self::All(all) => {
                let mut result = Tristate::Yes;
                for condition in all {
                    result = result.min(condition.holds(facts, request, strict));
                    if result == Tristate::No {
                        break;
                    }
                }
                result
            }
            Self::Any(any) => {
                let mut result = Tristate::No;
                for condition in any {
                    result = result.max(condition.holds(facts, request, strict));
                    if result == Tristate::Yes {
                        break;
                    }
                }
                result
            }
            Self::Not(inner) => inner.holds(facts, request, !strict).not(),
            Self::Is(predicate, _) => predicate.holds(facts, request, strict),
        }
    }

    /// Visits this condition and all below it, each with its interpretation.
    pub(crate) fn walk<'c>(&'c self, strict: bool, visit: &mut dyn FnMut(&'c Self, bool)) {
        visit(self, strict);
        match self {
            Self::All(list) | Self::Any(list) => list.iter().for_each(|c| c.walk(strict, visit)),
            Self::Not(inner) => inner.walk(!strict, visit),
            Self::Is(..) => {}
        }
    }
}

impl Predicate {
    /// The key of `when` that it comes from.
    pub(crate) const fn key(&self) -> &'static str {
        match self {
            Self::Type(_) => "type",
            Self::Tool(_) => "tool",
            Self::Category(_) => "category",
            Self::Risk(_) => "risk",
            Self::Agent(_) => "agent",
            Self::Mode(_) => "mode",
            Self::Production(_) => "production",
            Self::Turn(_) => "turn",
            Self::Pattern(_) => "pattern",
            Self::Command(_) => "command",
            Self::Effects(_) => "effects",
            Self::Path(_) => "path",
            Self::Host(_) => "host",
            Self::Network(_) => "network",
            Self::ApprovedBefore => "approved_before",
            Self::Granted(_) => "grants",
            Self::UsedUp(limit) => limit.key(),
        }
    }

    fn holds(&self, facts: &Facts<'_>, request: &Request<'_>, strict: bool) -> Tristate {
        match self {
            Self::Type(bits) => Tristate::from_bool(bits & type_bit(facts.action.kind) != 0),
            Self::Tool(names) => {
                let mut called = [&facts.action.tool, &facts.action.other_tool]
                    .into_iter()
                    .flatten()
                    .peekable();
                let some = called.peek().is_some();
                let fits = |tool: &String| any_name(names, tool, strict);
                Tristate::from_bool(
                    some && if strict {
                        called.all(fits)
                    } else {
                        called.any(fits)
                    },
                )
            }
            Self::Category(bits) => bits_hold(*bits, facts.categories(), facts, strict, true),
            Self::Risk(bits) => {
                let among = |risk| bits & risk_bit(risk) != 0;
                // Levels without the ones below them: of several commands one may lie below.
                let gapped = strict && !matches!(bits, 1 | 3 | 7);
                Tristate::from_bool(
                    among(facts.risk()) && (!gapped || facts.risks().into_iter().all(among)),
                )
            }
            Self::Agent(names) => {
                Tristate::from_bool(request.agent.is_some_and(|a| any_name(names, a, strict)))
            }
            Self::Mode(names) => {
                Tristate::from_bool(request.mode.is_some_and(|m| any_name(names, m, strict)))
            }
            Self::Production(production) => Tristate::from_bool(request.production == *production),
            Self::Turn(ranges) => match request.turn {
                Some(turn) => {
                    Tristate::from_bool(ranges.iter().any(|r| (r.least..=r.most).contains(&turn)))
                }
                None => Tristate::Maybe,
            },
            Self::Pattern(regexes) => {
                let text = facts.compact();
                let fits = |text: &str| regexes.iter().any(|r| r.is_match(text));
                Tristate::from_bool(
                    fits(text) && (!strict || facts.compact_parts().iter().all(|part| fits(part))),
                )
            }
            Self::Command(test) => test.holds(facts, strict),
            Self::Effects(bits) => bits_hold(*bits, facts.effects(), facts, strict, false),
            Self::Path(test) => test.holds(facts, strict),
            Self::Host(names) => {
                let fits = |host: Option<&str>| match host {
                    Some(host) => Tristate::from_bool(any_name(names, host, strict)),
                    None if strict => Tristate::No,
                    None => Tristate::Maybe,
                };
                contacts(over(strict, facts.hosts().map(fits)), facts, strict)
            }
            Self::Network(patterns) => {
                let fits = |request: &NetworkRequest| {
                    if request.is_known {
                        Tristate::from_bool(patterns.iter().any(|p| p.fits(request, strict)))
                    } else if strict {
                        Tristate::No
                    } else {
                        Tristate::Maybe
                    }
                };
                contacts(
                    over(strict, facts.requests().iter().map(fits)),
                    facts,
                    strict,
                )
            }
            Self::ApprovedBefore => Tristate::from_bool(
                facts
                    .action
                    .one_tool()
                    .is_some_and(|tool| request.history.has_approved(tool, facts.risk())),
            ),
            Self::Granted(grants) => granted(grants, facts),
            Self::UsedUp(limit) => Tristate::from_bool(limit.used_up(request).is_some()),
        }
    }
}

/// What is known of the hosts that are contacted, where the action may contact others, or a command
/// contacts none.
fn contacts(known: Tristate, facts: &Facts<'_>, strict: bool) -> Tristate {
    if !strict {
        return known.max(facts.perhaps());
    }
    let lacks = facts.hides() || known != Tristate::No && facts.without_host().is_some();
    if lacks { Tristate::No } else { known }
}

/// Compares sets of bits: all of the action's bits must be in the rule's set, or any of them.
fn bits_hold(wanted: u32, found: u32, facts: &Facts<'_>, strict: bool, some: bool) -> Tristate {
    if strict {
        return Tristate::from_bool(
            found & !wanted == 0 && !(some && found == 0) && !facts.analysis().truncated,
        );
    }
    if wanted & found != 0 {
        Tristate::Yes
    } else {
        facts.perhaps()
    }
}

impl CommandTest {
    fn holds(&self, facts: &Facts<'_>, strict: bool) -> Tristate {
        let raw = if self.raw.is_empty() {
            Tristate::Yes
        } else {
            let fits = |text: &str| self.raw.iter().any(|r| r.is_match(text));
            let each = || facts.parts().count < 2 || facts.parts().texts(facts.line()).all(fits);
            Tristate::from_bool(fits(facts.line()) && (!strict || each()))
        };
        let written = if self.text.is_empty() || raw == Tristate::No {
            raw
        } else {
            raw.min(self.texts(facts, strict))
        };
        if written == Tristate::No || !self.names_programs() {
            return written;
        }
        let steps = facts.steps();
        let known = over(strict, steps.iter().map(|s| self.step(s, strict)));
        let unknown = facts.hides()
            && (!steps.is_empty() || facts.analysis().unparsed || facts.action.command().is_some());
        match (strict, unknown) {
            (true, true) => Tristate::No,
            (true, false) if known != Tristate::No && facts.without_step().is_some() => {
                Tristate::No
            }
            (false, true) => known.max(Tristate::Maybe).min(written),
            (_, false) => known.min(written),
        }
    }

    /// Tests the text of each command. A rule that allows compares what is written on the line; one
    /// that forbids also compares the words that it means, and those of the programs that are
    /// started by others.
    fn texts(&self, facts: &Facts<'_>, strict: bool) -> Tristate {
        if strict {
            if facts.hides_text() || facts.action.kind != Some(ActionType::ShellCmd) {
                return Tristate::No;
            }
            let own = facts.command_texts().iter().filter(|text| !text.inner);
            let fits = own.map(|text| Tristate::from_bool(text.is_allowed_by(&self.text)));
            let each = over(true, fits);
            return if facts.without_step().is_some() || facts.has_other_text() {
                Tristate::No
            } else {
                each
            };
        }
        let one = |text: &CommandText| {
            let fits = any_name(&self.text, &text.written, false)
                || any_name(&self.text, &text.words, false);
            if fits {
                Tristate::Yes
            } else if self.text.iter().any(|name| name.may_fit(&text.words)) {
                Tristate::Maybe
            } else {
                Tristate::No
            }
        };
        let known = over(false, facts.command_texts().iter().map(one));
        let runs = !facts.steps().is_empty() || facts.action.command().is_some();
        if facts.hides_text() && runs {
            known.max(Tristate::Maybe)
        } else {
            known
        }
    }

    /// Whether the test is about programs, whose effects a rule that allows covers.
    pub(crate) fn covers_programs(&self) -> bool {
        self.names_programs() || !self.text.is_empty()
    }

    /// Whether the test names programs or arguments.
    pub(crate) fn names_programs(&self) -> bool {
        !(self.program.is_empty() && self.arg.is_empty() && self.args.is_empty())
    }

    /// The options among the arguments that a rule which forbids also finds in other spellings:
    /// joined, abbreviated, long or short. A rule that allows takes them to the letter.
    pub(crate) fn options(&self, strict: bool) -> impl Iterator<Item = &String> {
        let options = self.arg.iter().filter_map(move |name| match name {
            Name::Exact(text) if !strict && text.len() > 1 && text.starts_with('-') => Some(text),
            _ => None,
        });
        options.filter(|text| *text != "--")
    }

    /// The options among them that may be given in spellings which the table doesn't know. A letter
    /// next to its long option, as in `['-f', '--force']`, is that option alone.
    pub(crate) fn doubtful_options(&self, strict: bool) -> impl Iterator<Item = &String> {
        self.options(strict).filter(move |option| {
            let is_its_long = |other: &String| {
                other.starts_with("--") && first_letter(other) == first_letter(option)
            };
            option.starts_with("--") || !self.options(strict).any(is_its_long)
        })
    }

    /// Whether the test, as a grant, covers a step. Either the step begins with its words, or its
    /// regular expression matches the whole command. Commands inside that command need their own
    /// grant.
    pub(crate) fn grants(&self, index: usize, step: &Step, facts: &Facts<'_>) -> bool {
        if self.raw.is_empty() {
            let begins = step
                .args
                .get(..self.args.len())
                .is_some_and(|words| *words == *self.args);
            return begins && any_name(&self.program, &step.program, true);
        }
        let written = facts.action.kind == Some(ActionType::ShellCmd) && step.parent.is_none();
        let text = facts
            .parts()
            .texts(facts.line())
            .nth(facts.parts().of_step(index))
            .filter(|text| written && !text.is_empty());
        let fits = |text: &str| {
            self.raw
                .iter()
                .any(|r| r.find(text).is_some_and(|found| found.len() == text.len()))
        };
        text.is_some_and(fits)
    }

    fn step(&self, step: &Step, strict: bool) -> Tristate {
        let open = |text: &str| text.contains("$…");
        let uncertain = if strict {
            Tristate::No
        } else {
            Tristate::Maybe
        };
        let program = if self.program.is_empty() || any_name(&self.program, &step.program, strict) {
            Tristate::Yes
        } else if open(&step.program) {
            uncertain
        } else {
            return Tristate::No;
        };
        let missing = if step.args.iter().any(|a| open(a)) || step.args.len() >= 64 {
            uncertain
        } else {
            Tristate::No
        };
        let written = || step.args.iter().any(|a| any_name(&self.arg, a, strict));
        let meant = || {
            self.options(strict)
                .any(|option| has_argument(&step.program, &step.args, option, false))
        };
        let perhaps = |option: &String| may_have_argument(&step.program, &step.args, option);
        let arg = if self.arg.is_empty() || written() || meant() {
            Tristate::Yes
        } else if self.doubtful_options(strict).any(perhaps) {
            Tristate::Maybe
        } else {
            missing
        };
        let given = |want: &String| has_argument(&step.program, &step.args, want, strict);
        let args = if self.args.iter().all(given) {
            Tristate::Yes
        } else if !strict && self.args.iter().all(|want| given(want) || perhaps(want)) {
            Tristate::Maybe
        } else {
            missing
        };
        program.min(arg).min(args)
    }
}

impl PathTest {
    fn holds(&self, facts: &Facts<'_>, strict: bool) -> Tristate {
        let one = |place: super::path::TouchedPath<'_>| {
            let mut result = Tristate::from_bool(
                self.access.is_empty() || self.access.contains(&place.facts.access),
            );
            if !self.glob.is_empty() {
                result = result.min(
                    self.glob
                        .iter()
                        .map(|g| g.matches(&place, strict))
                        .max()
                        .unwrap_or(Tristate::No),
                );
            }
            if !self.except.is_empty() {
                result = result.min(
                    self.except
                        .iter()
                        .map(|g| g.matches(&place, !strict))
                        .max()
                        .unwrap_or(Tristate::No)
                        .not(),
                );
            }
            if let Some(outside) = self.outside {
                result = result.min(if outside {
                    place.facts.inside.not()
                } else {
                    place.facts.inside
                });
            }
            if let Some((wanted, globs)) = &self.protected {
                let listed = |strict| {
                    globs
                        .iter()
                        .map(|g| g.matches(&place, strict))
                        .max()
                        .unwrap_or(Tristate::No)
                };
                result = result.min(if *wanted {
                    listed(strict)
                } else {
                    listed(!strict).not()
                });
            }
            result
        };
        let known = over(strict, facts.touched_paths().map(one));
        match (strict, facts.hides()) {
            (true, true) => Tristate::No,
            (true, false) if known != Tristate::No && facts.without_path().is_some() => {
                Tristate::No
            }
            (false, true) => known.max(Tristate::Maybe),
            (_, false) => known,
        }
    }
}

/// Whether the grants cover every path, host and program of an action, and nothing else happens.
fn granted(grants: &[Condition], facts: &Facts<'_>) -> Tristate {
    if facts.hides() {
        return Tristate::No;
    }
    let places = facts.touched_paths().all(|place| {
        grants.iter().any(|g| match g {
            Condition::Is(Predicate::Path(test), _) => {
                test.access.contains(&place.facts.access)
                    && test
                        .glob
                        .iter()
                        .any(|glob| glob.matches(&place, true) == Tristate::Yes)
            }
            _ => false,
        })
    });
    // A remote is granted with the command that contacts it, and each command needs a grant.
    let hosts = facts.requests().iter().all(|request| {
        let host = request.host.as_deref();
        request.is_of_remote
            || grants.iter().any(|g| match g {
                Condition::Is(Predicate::Host(names), _) => {
                    host.is_some_and(|h| any_name(names, h, true))
                }
                Condition::Is(Predicate::Network(patterns), _) => {
                    request.is_known && patterns.iter().any(|p| p.fits(request, true))
                }
                _ => false,
            })
    });
    let programs = facts.steps().iter().enumerate().all(|(index, step)| {
        grants.iter().any(|g| match g {
            Condition::Is(Predicate::Command(test), _) => test.grants(index, step, facts),
            _ => false,
        })
    });
    let effects = &facts.analysis().effects;
    let mut each = effects.iter().enumerate();
    let kinds = each.all(|(index, effect)| facts.is_grantable(index, effect));
    Tristate::from_bool(
        places && hosts && programs && kinds && !(effects.is_empty() && facts.steps().is_empty()),
    )
}

/// Describes the action's value for a key, for explanations. May contain hostile text.
pub(crate) fn actual(key: &str, facts: &Facts<'_>, request: &Request<'_>) -> String {
    let list = |items: Vec<String>, none: &str| {
        let more = items.len().saturating_sub(6);
        let mut text = if items.is_empty() {
            none.to_owned()
        } else {
            items.into_iter().take(6).collect::<Vec<_>>().join(", ")
        };
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
        text
    };
    match key {
        "type" => format!("the type is `{}`", facts.action.kind_name),
        "tool" => facts
            .action
            .tool
            .as_ref()
            .map_or("the action calls no tool".into(), |t| {
                format!("the tool is `{t}`")
            }),
        "category" => {
            let found = facts.categories();
            let names = Category::ALL
                .iter()
                .filter(|c| c.bit() & found != 0)
                .map(|c| c.name().to_owned())
                .collect();
            format!("it is {}", list(names, "of no category"))
        }
        "risk" => format!("the risk is {}", facts.risk()),
        "agent" => request.agent.map_or("no agent is named".into(), |a| {
            format!("the agent is `{a}`")
        }),
        "mode" => request
            .mode
            .map_or("no mode is named".into(), |m| format!("the mode is `{m}`")),
        "production" => format!("production is {}", request.production),
        "turn" => request
            .turn
            .map_or("the turn isn't recorded".into(), |turn| {
                format!("the turn is {turn}")
            }),
        "pattern" => "the payload".into(),
        "command" => {
            let names = facts
                .steps()
                .iter()
                .map(|s| format!("`{}`", s.program))
                .collect();
            format!("it runs {}", list(names, "no program"))
        }
        "effects" => {
            let found = facts.effects();
            let names = EffectKind::ALL
                .iter()
                .filter(|k| bit(**k) & found != 0)
                .map(|k| k.as_str().to_owned())
                .collect();
            format!("the effects are {}", list(names, "none"))
        }
        "path" => {
            let names = facts
                .touched_paths()
                .map(|p| format!("{} `{}`", p.facts.access.name(), p.shown))
                .collect();
            format!("the paths are {}", list(names, "none"))
        }
        "host" => {
            let names = facts
                .hosts()
                .map(|h| h.map_or("one that isn't known".into(), |h| format!("`{h}`")))
                .collect();
            format!("the hosts are {}", list(names, "none"))
        }
        "network" => {
            let texts = facts.requests().iter().map(|r| format!("`{}`", r.text));
            format!("the requests are {}", list(texts.collect(), "none"))
        }
        "approved_before" => "the recorded approvals of this session".into(),
        "grants" => "what is granted".into(),
        _ => "the recorded history".into(),
    }
}
