//! The texts of single commands as formulas.

use super::encoding::{Encoder, Fact, NAME, STEPS, Truth, WORDS, WRITTEN};
use super::formula::{FormulaId, TRUE, TextSlot};
use super::language::Pattern;
use crate::action::type_bit;
use crate::name::Name;
use governance::ActionType;
use std::collections::BTreeSet;

impl Encoder {
    /// The texts of the commands match one of the names.
    pub(super) fn command_texts(&mut self, names: &[Name], strict: bool) -> Truth {
        self.has_texts = true;
        let hides = self.fact(Fact::HidesText);
        let written = self.names_in(WRITTEN, names, strict);
        if strict {
            let inner = self.fact(Fact::Inner);
            let own = self.not(inner);
            let (some, fits) = (self.formulas.some(STEPS, own), self.any([inner, written]));
            let every = self.formulas.every(STEPS, fits);
            let without = self.fact(Fact::WithoutStep);
            let shell = self.kinds(type_bit(Some(ActionType::ShellCmd)));
            let other = self.fact(Fact::OtherText);
            let lacks = self.any([hides, without, other]);
            let whole = self.not(lacks);
            return Truth::known(self.all([some, every, shell, whole]));
        }
        let words = self.names_in(WORDS, names, false);
        let fits = self.any([written, words]);
        let mut may = vec![fits];
        for name in names {
            let language = self.languages.of(Pattern {
                regex: name.open_expression(),
                ignore_case: true,
                unicode: false,
            });
            may.push(self.text(WORDS, language));
        }
        let may = self.any(may);
        let (yes, may) = (
            self.formulas.some(STEPS, fits),
            self.formulas.some(STEPS, may),
        );
        let (steps, command) = (self.formulas.some(STEPS, TRUE), self.fact(Fact::HasCommand));
        let runs = self.any([steps, command]);
        let hidden = self.all([hides, runs]);
        Truth {
            yes,
            possible: self.any([may, hidden]),
        }
    }

    /// The words of a command begin with its program.
    pub(super) fn words_begin(&mut self) -> FormulaId {
        let programs = if self.has_texts {
            self.programs.clone()
        } else {
            BTreeSet::new()
        };
        let mut all = Vec::new();
        for program in programs {
            let escaped = regex_syntax::escape(&program);
            let mut language = |slot: TextSlot, regex: String| {
                let language = self.languages.of(Pattern {
                    regex,
                    ignore_case: true,
                    unicode: false,
                });
                self.formulas.text(slot, language)
            };
            let begins = language(WORDS, format!("(?s)^(?:{escaped})(?: .*)?$"));
            let exact = language(NAME, format!("(?s)^(?:{escaped})$"));
            // A name may contain spaces.
            let longer = language(NAME, format!("(?s)^(?:{escaped}) .*$"));
            let either = self.any([exact, longer]);
            all.push(self.implies(exact, begins));
            all.push(self.implies(begins, either));
        }
        self.all(all)
    }
}
