//! The abstract object of a concrete action.
//!
//! It shows which kind of action a witness is. Tests compare what the engine says of the action
//! with what the formulas say of the object.

use super::encoding::{
    AGENT, ARGUMENTS, HOSTS, LINE, LINE_PARTS, MODE, NAME, PATHS, PAYLOAD, PAYLOAD_PARTS, REQUEST,
    STEPS, TOOLS, TURN, WORDS, WRITTEN,
};
use super::fact::Fact;
use super::formula::{FactId, Object};
use crate::action::type_bit;
use crate::condition::{CommandTest, Condition, Predicate, risk_bit};
use crate::effect::Tristate;
use crate::facts::Facts;
use crate::flags::{has_argument, may_have_argument};
use crate::grant_scope::first_outside;
use crate::model::Policy;
use crate::path::{PathGlob, TouchedPath};
use crate::request::Request;
use shell_effects::Step;
use std::collections::BTreeMap;

/// The globs and grants of policies, by the text that facts name them with.
#[derive(Debug, Default)]
pub(super) struct Vocabulary<'p> {
    globs: BTreeMap<String, &'p PathGlob>,
    grants: BTreeMap<String, &'p CommandTest>,
}

impl<'p> Vocabulary<'p> {
    pub(super) fn new(policies: impl IntoIterator<Item = &'p Policy>) -> Self {
        let mut all = Self::default();
        for policy in policies {
            for rule in policy.rules.iter() {
                rule.when.walk(true, &mut |when, _| all.add(when));
            }
        }
        all
    }

    /// The globs by their keys.
    pub(super) fn globs(&self) -> impl Iterator<Item = (&str, &'p PathGlob)> {
        let globs = self.globs.iter();
        globs.map(|(key, glob)| (key.as_str(), *glob))
    }

    fn add(&mut self, when: &'p Condition) {
        match when {
            Condition::Is(Predicate::Path(test), _) => {
                let protected = test.protected.iter().flat_map(|(_, globs)| globs);
                for glob in test.glob.iter().chain(&test.except).chain(protected) {
                    self.globs.insert(glob.key(), glob);
                }
            }
            Condition::Is(Predicate::Granted(grants), _) => {
                for grant in grants {
                    if let Condition::Is(Predicate::Command(test), _) = grant {
                        self.grants.insert(format!("{test:?}"), test);
                    }
                    self.add(grant);
                }
            }
            _ => {}
        }
    }

    /// The object of an action.
    pub(super) fn object(
        &self,
        of: &[(Fact, FactId)],
        facts: &Facts<'_>,
        request: &Request<'_>,
    ) -> Object {
        let mut object = Object::default();
        for (fact, id) in of {
            if holds(fact, facts, request) {
                object.facts.insert(*id);
            }
        }
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        object.texts.insert(AGENT, text(request.agent));
        object.texts.insert(MODE, text(request.mode));
        object.texts.insert(LINE, facts.line().to_owned());
        object.texts.insert(PAYLOAD, facts.compact().to_owned());
        let named = |name: &str| Object {
            texts: BTreeMap::from([(NAME, name.to_owned())]),
            ..Object::default()
        };
        let tools = [&facts.action.tool, &facts.action.other_tool];
        let tools = tools.into_iter().flatten().map(|tool| named(tool));
        object.parts.insert(TOOLS, tools.collect());
        let paths = facts.touched_paths().map(|place| {
            let mut part = named(place.absolute.unwrap_or_default());
            let own = of.iter().filter(|(fact, _)| self.of_path(fact, &place));
            part.facts.extend(own.map(|(_, id)| *id));
            part
        });
        object.parts.insert(PATHS, paths.collect());
        let hosts = facts.requests().iter().map(|request| {
            let mut part = named(request.host.as_deref().unwrap_or_default());
            part.texts.insert(REQUEST, request.text.clone());
            let own = of.iter().filter(|(fact, _)| match fact {
                Fact::Known => request.host.is_some(),
                Fact::KnownRequest => request.is_known,
                Fact::Remote => request.is_of_remote,
                _ => false,
            });
            part.facts.extend(own.map(|(_, id)| *id));
            part
        });
        object.parts.insert(HOSTS, hosts.collect());
        let steps = facts.steps().iter().enumerate().map(|(index, step)| {
            let mut part = named(&step.program);
            if let Some(text) = facts.command_texts().get(index) {
                part.texts.insert(WRITTEN, text.written.clone());
                part.texts.insert(WORDS, text.words.clone());
            }
            let own = of
                .iter()
                .filter(|(fact, _)| self.of_step(fact, index, step, facts));
            part.facts.extend(own.map(|(_, id)| *id));
            let arguments = step.args.iter().map(|a| named(a)).collect();
            part.parts.insert(ARGUMENTS, arguments);
            part
        });
        object.parts.insert(STEPS, steps.collect());
        if facts.parts().count > 1 {
            let lines = facts.parts().texts(facts.line()).map(named);
            object.parts.insert(LINE_PARTS, lines.collect());
            let payloads = facts.compact_parts();
            let payloads = payloads.iter().map(|part| named(part));
            object.parts.insert(PAYLOAD_PARTS, payloads.collect());
        }
        object
    }

    fn of_path(&self, fact: &Fact, place: &TouchedPath<'_>) -> bool {
        let site = &place.facts;
        match fact {
            Fact::Access(access) => site.access == *access,
            Fact::Inside => site.inside == Tristate::Yes,
            Fact::NotInside => site.inside == Tristate::No,
            Fact::Known => place.absolute.is_some(),
            Fact::Wild => site.is_wild(),
            Fact::Tree => site.is_tree(),
            // Formulas ask only about paths that mean several.
            Fact::MayMatch(glob) if site.is_wild() || site.is_tree() => self
                .globs
                .get(glob)
                .is_some_and(|glob| glob.matches(place, false) != Tristate::No),
            _ => false,
        }
    }

    fn of_step(&self, fact: &Fact, index: usize, step: &Step, facts: &Facts<'_>) -> bool {
        match fact {
            Fact::Inner => facts.command_texts().get(index).is_some_and(|t| t.inner),
            Fact::ManyArguments => step.args.len() >= 64,
            Fact::Argument(want, strict) => has_argument(&step.program, &step.args, want, *strict),
            Fact::PossibleArgument(want) => may_have_argument(&step.program, &step.args, want),
            Fact::Granted(test) => self
                .grants
                .get(test)
                .is_some_and(|test| test.grants(index, step, facts)),
            _ => false,
        }
    }
}

fn holds(fact: &Fact, facts: &Facts<'_>, request: &Request<'_>) -> bool {
    match fact {
        Fact::Kind(kind) => type_bit(facts.action.kind) == *kind,
        Fact::Production => request.production,
        Fact::HasAgent => request.agent.is_some(),
        Fact::HasMode => request.mode.is_some(),
        Fact::HasTurn => request.turn.is_some(),
        Fact::Risk(risk) => risk_bit(facts.risk()) == *risk,
        Fact::PartRisk(risk) => facts.risks().into_iter().any(|r| risk_bit(r) == *risk),
        Fact::Effect(effect) => facts.effects() & effect != 0,
        Fact::Cut => facts.analysis().truncated,
        Fact::Unparsed => facts.analysis().unparsed,
        Fact::Several => facts.parts().count > 1,
        Fact::HidesText => facts.hides_text(),
        Fact::OtherText => facts.has_other_text(),
        Fact::HasCommand => facts.action.command().is_some(),
        Fact::WithoutPath => facts.without_path().is_some(),
        Fact::WithoutHost => facts.without_host().is_some(),
        Fact::WithoutStep => facts.without_step().is_some(),
        Fact::Outside(set) => first_outside(*set, facts).is_some(),
        Fact::Grantable => {
            let mut effects = facts.analysis().effects.iter().enumerate();
            effects.all(|(index, effect)| facts.is_grantable(index, effect))
        }
        Fact::ApprovedBefore => facts
            .action
            .one_tool()
            .is_some_and(|tool| request.history.has_approved(tool, facts.risk())),
        Fact::UsedUp(family, most) => used_up(family, *most, request),
        Fact::Opaque(..) | Fact::Raised(_) => false,
        Fact::Access(_)
        | Fact::Inside
        | Fact::NotInside
        | Fact::Known
        | Fact::Wild
        | Fact::Tree
        | Fact::MayMatch(_)
        | Fact::Inner
        | Fact::ManyArguments
        | Fact::Argument(..)
        | Fact::PossibleArgument(_)
        | Fact::KnownRequest
        | Fact::Remote
        | Fact::Granted(_) => false,
    }
}

fn used_up(family: &str, most: u64, request: &Request<'_>) -> bool {
    use crate::limit::Limit;
    if family == TURN {
        return request.turn.is_some_and(|turn| turn >= most);
    }
    let limit = match family {
        "max_per_minute" => Limit::PerMinute(most),
        "max_per_hour" => Limit::PerHour(most),
        "max_per_execution" => Limit::PerExecution(most),
        "max_executions_per_hour" => Limit::AllPerHour(most),
        "max_cost_per_day" => Limit::Cost(f64::from_bits(most)),
        _ => Limit::Busy(most),
    };
    limit.used_up(request).is_some()
}
