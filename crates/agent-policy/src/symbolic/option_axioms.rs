//! How facts about options depend on each other.

use super::encoding::{ARGUMENTS, Encoder, NAME};
use super::fact::Fact;
use super::formula::FormulaId;
use super::options::possible_forms;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Encoder {
    /// What holds for the options of each program, by the table of programs.
    pub(super) fn options_imply(&mut self) -> FormulaId {
        let mut options = std::mem::take(&mut self.options);
        options.build_tables(&self.shared.options, |fact| self.states(fact));
        let known: Vec<_> = options
            .tables()
            .map(|(p, k)| (p.clone(), Arc::clone(k)))
            .collect();
        self.options = options;
        let mut all = Vec::new();
        for (program, known) in known {
            let mut own = vec![self.written_options_imply(known.options())];
            for (fact, sets) in known.implications() {
                let sets: Vec<FormulaId> =
                    sets.into_iter().map(|set| self.all_possibly(set)).collect();
                let (fact, either) = (self.fact(fact.clone()), self.any(sets));
                own.push(self.implies(fact, either));
            }
            let own = self.all(own);
            let named = self.exactly(&program);
            all.push(self.implies(named, own));
        }
        self.all(all)
    }

    /// All of some facts, or what makes them certain.
    fn all_possibly(&mut self, facts: &BTreeSet<Fact>) -> FormulaId {
        let mut all = Vec::new();
        for fact in facts {
            let stated: Vec<Fact> = possible_forms(fact)
                .into_iter()
                .filter(|f| self.states(f))
                .collect();
            let stated: Vec<FormulaId> = stated.into_iter().map(|fact| self.fact(fact)).collect();
            all.push(self.any(stated));
        }
        self.all(all)
    }

    /// An argument that is written like an option is that option.
    fn written_options_imply(&mut self, options: BTreeSet<&str>) -> FormulaId {
        let mut all = Vec::new();
        for option in options {
            let same = self.exactly(option);
            let written = self.formulas.some(ARGUMENTS, same);
            for strict in [false, true] {
                let fact = Fact::Argument(option.to_owned(), strict);
                if self.states(&fact) {
                    let fact = self.fact(fact);
                    all.push(self.implies(written, fact));
                }
            }
        }
        self.all(all)
    }

    /// The name of a part is this text, in any case.
    fn exactly(&mut self, text: &str) -> FormulaId {
        let language = self.languages.exactly(text, true);
        self.formulas.text(NAME, language)
    }
}
