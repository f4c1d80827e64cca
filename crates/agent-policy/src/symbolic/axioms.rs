//! What holds for every action: how the facts about it depend on each other.
//!
//! Each line is true of all actions, so none hides a difference. What isn't stated here (that a
//! line with `rm` deletes something) the analysis doesn't know. Then it finds abstract actions that
//! can't be built.

use super::abstraction::Vocabulary;
use super::encoding::{
    Encoder, HOSTS, LINE, LINE_PARTS, PATHS, PAYLOAD_PARTS, REQUEST, STEPS, TOOLS,
};
use super::fact::Fact;
use super::formula::{CollectionId, FormulaId, TRUE};
use super::glob_order::GlobOrder;
use super::language::Pattern;
use crate::action::type_bit;
use crate::condition::risk_bit;
use crate::facts::bit;
use crate::path::Access;
use governance::{ActionType, RiskLevel};
use shell_effects::EffectKind;

/// The families of limits, each with those whose count is never lower.
const WIDER: [(&str, &[&str]); 3] = [
    (
        "max_per_minute",
        &[
            "max_per_hour",
            "max_per_execution",
            "max_executions_per_hour",
        ],
    ),
    // Approvals of an hour may be those of several executions.
    ("max_per_hour", &["max_executions_per_hour"]),
    ("max_per_execution", &[]),
];

impl Encoder {
    /// What holds for every action.
    pub(super) fn axioms(&mut self) -> FormulaId {
        let parts = [
            self.kinds_exclude(),
            self.risks_fit(),
            self.kinds_imply(),
            self.effects_imply(),
            self.outside_implies(),
            self.limits_imply(),
            self.texts_imply(),
        ];
        self.all(parts)
    }

    pub(super) fn implies(&mut self, one: FormulaId, other: FormulaId) -> FormulaId {
        self.formulas.implies(one, other)
    }

    /// At most one of some facts.
    fn at_most_one(&mut self, facts: &[FormulaId]) -> FormulaId {
        let mut all = Vec::new();
        for (n, one) in facts.iter().enumerate() {
            for other in facts.iter().skip(n + 1) {
                let both = self.all([*one, *other]);
                all.push(self.not(both));
            }
        }
        self.all(all)
    }

    fn one_kind(&mut self, kind: ActionType) -> FormulaId {
        self.fact(Fact::Kind(type_bit(Some(kind))))
    }

    fn kinds_exclude(&mut self) -> FormulaId {
        use ActionType::{Answer, CodeDiff, ShellCmd, ToolCall};
        let kinds = [ToolCall, ShellCmd, CodeDiff, Answer].map(|kind| self.one_kind(kind));
        self.at_most_one(&kinds)
    }

    /// The action has one risk, and each of its commands at most that.
    fn risks_fit(&mut self) -> FormulaId {
        const LEVELS: [RiskLevel; 3] = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High];
        let whole = LEVELS.map(|level| self.fact(Fact::Risk(risk_bit(level))));
        let parts = LEVELS.map(|level| self.fact(Fact::PartRisk(risk_bit(level))));
        let several = self.fact(Fact::Several);
        let [low, medium, _] = whole;
        let [_, part_medium, part_high] = parts;
        let mut all = vec![self.any(whole), self.at_most_one(&whole), self.any(parts)];
        let below_high = self.any([low, medium]);
        for (risk, part) in [(below_high, part_high), (low, part_medium)] {
            let both = self.all([risk, part]);
            all.push(self.not(both));
        }
        // A single command has the risk of the action.
        for (risk, part) in whole.into_iter().zip(parts) {
            let differs = self.not(several);
            let one = self.all([differs, part]);
            all.push(self.implies(one, risk));
        }
        self.all(all)
    }

    /// What only actions of one type have.
    fn kinds_imply(&mut self) -> FormulaId {
        let (shell, call) = (
            self.one_kind(ActionType::ShellCmd),
            self.one_kind(ActionType::ToolCall),
        );
        let unknown = self.kinds(type_bit(None));
        let mut all = Vec::new();
        for fact in [Fact::Several, Fact::HasCommand] {
            let fact = self.fact(fact);
            all.push(self.implies(fact, shell));
        }
        let several = self.fact(Fact::Several);
        for fact in [Fact::WithoutPath, Fact::WithoutHost, Fact::WithoutStep] {
            let fact = self.fact(fact);
            all.push(self.implies(fact, several));
        }
        for parts in [LINE_PARTS, PAYLOAD_PARTS] {
            let some = self.formulas.some(parts, TRUE);
            all.push(self.implies(some, several));
        }
        let approved = self.fact(Fact::ApprovedBefore);
        let high = self.fact(Fact::Risk(risk_bit(RiskLevel::High)));
        let tool = self.formulas.some(TOOLS, TRUE);
        let not_high = self.not(high);
        let unparsed = self.fact(Fact::Unparsed);
        all.push(self.implies(approved, not_high));
        all.push(self.implies(approved, tool));
        all.push(self.implies(tool, call));
        all.push(self.implies(unknown, unparsed));
        all.push(self.implies(unknown, high));
        // A diff changes something, whatever its other members do.
        let diff = self.one_kind(ActionType::CodeDiff);
        let harmless = bit(EffectKind::Read) | bit(EffectKind::Network) | bit(EffectKind::GitRead);
        let changes = self.effects(!harmless);
        all.push(self.implies(diff, changes));
        // Nothing is read into an action of an unknown type.
        let others = self.effects(!bit(EffectKind::Unknown));
        let parts = [PATHS, HOSTS, STEPS].map(|parts| self.formulas.some(parts, TRUE));
        let cut = self.fact(Fact::Cut);
        let any = self.any([others, cut].into_iter().chain(parts));
        let nothing = self.not(any);
        all.push(self.implies(unknown, nothing));
        // Only a command has a line.
        let empty = self.languages.of(Pattern {
            regex: "^$".into(),
            ignore_case: false,
            unicode: false,
        });
        let (empty, others) = (self.formulas.text(LINE, empty), self.not(shell));
        all.push(self.implies(others, empty));
        self.all(all)
    }

    /// Which effects go with which paths, hosts and programs.
    fn effects_imply(&mut self) -> FormulaId {
        use EffectKind::{Credential, Delete, Dynamic, Network, Read, System, Unknown, Write};
        let mut all = Vec::new();
        let (hides_text, hides) = (self.fact(Fact::HidesText), self.hides());
        let (cut, dynamic) = (self.fact(Fact::Cut), self.effects(bit(Dynamic)));
        all.push(self.implies(hides_text, hides));
        all.push(self.implies(cut, hides_text));
        all.push(self.implies(dynamic, hides_text));
        let unparsed = self.fact(Fact::Unparsed);
        let unknown = self.effects(bit(Unknown));
        all.push(self.implies(unparsed, unknown));
        // A program that isn't known may do anything.
        let (open, hides) = (self.open(), self.hides());
        let open = self.formulas.some(STEPS, open);
        all.push(self.implies(open, hides));
        all.push(self.implies(unparsed, hides_text));
        let (network, hosts) = (self.effects(bit(Network)), self.formulas.some(HOSTS, TRUE));
        all.push(self.implies(network, hosts));
        all.push(self.implies(hosts, network));
        for (access, kinds) in [
            (Access::Read, bit(Read) | bit(Credential)),
            (Access::Write, bit(Write) | bit(System)),
            (Access::Delete, bit(Delete)),
        ] {
            let fact = self.fact(Fact::Access(access));
            let (touched, effects) = (self.formulas.some(PATHS, fact), self.effects(kinds));
            all.push(self.implies(touched, effects));
            if access != Access::Read {
                all.push(self.implies(effects, touched));
            }
        }
        self.all(all)
    }

    /// How the effects outside of grants depend on each other.
    fn outside_implies(&mut self) -> FormulaId {
        use EffectKind::{Delete, Network, Read, Unknown, Write};
        let mut all = Vec::new();
        let (shell, call) = (
            self.one_kind(ActionType::ShellCmd),
            self.one_kind(ActionType::ToolCall),
        );
        let runs = self.any([shell, call]);
        let no_program = self.not(runs);
        let sets = 1..8u8;
        for set in sets.clone() {
            let outside = self.fact(Fact::Outside(set));
            for wider in sets
                .clone()
                .filter(|wider| wider & set == set && *wider != set)
            {
                let also = self.fact(Fact::Outside(wider));
                all.push(self.implies(also, outside));
            }
            // What a set grants besides the effects of programs.
            let mut granted = bit(Unknown);
            if set & 1 != 0 {
                granted |= bit(Read) | bit(Write) | bit(Delete);
            }
            if set & 2 != 0 {
                granted |= bit(Network);
            }
            let mut others = self.effects(!granted);
            if set & 4 != 0 {
                // Only the effects of commands and calls are those of a program.
                others = self.all([others, no_program]);
            }
            all.push(self.implies(others, outside));
            let some = self.effects(u32::MAX);
            all.push(self.implies(outside, some));
        }
        self.all(all)
    }

    /// A count that reaches a limit reaches all lower ones, and so do counts over longer times.
    fn limits_imply(&mut self) -> FormulaId {
        let families = self.limits().clone();
        let mut all = Vec::new();
        for (family, counts) in &families {
            for most in counts {
                let used = self.fact(Fact::UsedUp(family, *most));
                let wider = WIDER
                    .iter()
                    .filter(|(own, _)| own == family)
                    .flat_map(|(_, wider)| wider.iter().copied());
                for other in wider.chain([*family]) {
                    let lower = families
                        .get(other)
                        .into_iter()
                        .flatten()
                        .filter(|count| *count <= most);
                    for count in lower {
                        let also = self.fact(Fact::UsedUp(other, *count));
                        all.push(self.implies(used, also));
                    }
                }
            }
        }
        self.all(all)
    }

    /// The globs that may match what unexpanded paths stand for, by their facts.
    pub(super) fn glob_order(&mut self, vocabulary: &Vocabulary<'_>) -> GlobOrder {
        let mut order = GlobOrder::default();
        for (key, glob) in vocabulary.globs() {
            if let Some(regex) = glob.overlap_expression() {
                let language = self.languages.of(Pattern {
                    regex,
                    ignore_case: false,
                    unicode: false,
                });
                order.add(self.id(Fact::MayMatch(key.to_owned())), language);
            }
        }
        order
    }

    /// What holds for every part of a collection; `workdir` is absolute.
    pub(super) fn part_axioms(&mut self, workdir: &str) -> Vec<(CollectionId, FormulaId)> {
        let access = Access::ALL.map(|access| self.fact(Fact::Access(access)));
        let (known, inside, not_inside) = (
            self.fact(Fact::Known),
            self.fact(Fact::Inside),
            self.fact(Fact::NotInside),
        );
        let tree = self.fact(Fact::Tree);
        let workdir = workdir.trim_end_matches('/');
        let below = self.languages.of(Pattern {
            regex: format!("(?s)^(?:{})(?:/.*)?$", regex_syntax::escape(workdir)),
            ignore_case: false,
            unicode: false,
        });
        let clean = self.languages.of(Pattern {
            regex: "(?s)^(?:/|(?:/[^/]+)+|~.*)$".into(),
            ignore_case: false,
            unicode: false,
        });
        let (below, clean) = (self.formulas.text(0, below), self.formulas.text(0, clean));
        let placed = self.any([inside, not_inside]);
        let mut paths = vec![
            self.any(access),
            self.at_most_one(&access),
            self.at_most_one(&[inside, not_inside]),
            self.implies(inside, below),
            self.implies(known, clean),
            self.implies(known, placed),
            self.implies(placed, known),
        ];
        let [read, _, _] = access;
        let both = self.all([read, tree]);
        paths.push(self.not(both));
        let paths = self.all(paths);
        let mut hosts = Vec::new();
        if self.has_remotes {
            let (remote, unknown) = (self.fact(Fact::Remote), self.not(known));
            hosts.push(self.implies(remote, unknown));
        }
        if self.has_requests {
            let form = self.languages.of(Pattern {
                regex: concat!(
                    r"^(?:[A-Z]{1,32}|\?) (?:[a-z0-9]+|\?)://[^ /:]+:",
                    r"(?:0|[1-9][0-9]{0,4}|\?) (?:/[!-~]*|\?)$",
                )
                .into(),
                ignore_case: false,
                unicode: true,
            });
            hosts.push(self.formulas.text(REQUEST, form));
            let request = self.fact(Fact::KnownRequest);
            hosts.push(self.implies(known, request));
        }
        let hosts = self.all(hosts);
        let steps = [self.words_begin(), self.options_imply()];
        let steps = self.all(steps);
        vec![(PATHS, paths), (HOSTS, hosts), (STEPS, steps)]
    }
}
