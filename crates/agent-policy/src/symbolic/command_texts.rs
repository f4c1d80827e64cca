//! Single commands as formulas: their texts, programs and arguments.

use super::encoding::{ARGUMENTS, Encoder, NAME, STEPS, Truth, WORDS, WRITTEN};
use super::fact::Fact;
use super::formula::{FormulaId, TRUE, TextSlot};
use super::language::Pattern;
use crate::action::type_bit;
use crate::command_text::{ASSIGNMENT, Directories, LAUNCHERS, PLAIN_TEXT, expression_of_program};
use crate::condition::CommandTest;
use crate::flags::{MAX_JOINED, single_options};
use crate::name::Name;
use governance::ActionType;
use std::collections::BTreeSet;

/// The texts that are a program, or begin with it and a space. A name may contain spaces.
fn begin_with(program: &str) -> String {
    format!("(?s)^(?:{})(?: .*)?$", regex_syntax::escape(program))
}

impl Encoder {
    /// The texts of the commands match one of the names.
    pub(super) fn command_texts(&mut self, names: &[Name], strict: bool) -> Truth {
        self.has_texts = true;
        let hides = self.fact(Fact::HidesText);
        if strict {
            let written = self.allowed_texts(names);
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
        let written = self.names_in(WRITTEN, names, false);
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

    /// A text that a name of a rule that allows matches, which shows the directory of its program.
    fn allowed_texts(&mut self, names: &[Name]) -> FormulaId {
        let mut fits = Vec::new();
        for name in names {
            let matches = self.names_in(WRITTEN, std::slice::from_ref(name), true);
            let others = Directories::shown_by(name).expression_of_others();
            let elsewhere = match others {
                Some(others) => self.matches(WRITTEN, others),
                None => self.any([]),
            };
            let shown = self.not(elsewhere);
            fits.push(self.all([matches, shown]));
        }
        self.any(fits)
    }

    /// Only launchers start others whose text is in their own, and plain text names its program,
    /// unless the line has other text.
    pub(super) fn texts_imply(&mut self) -> FormulaId {
        if !self.has_texts {
            return TRUE;
        }
        let list = format!("(?s)^(?:{})(?: .*)?$", LAUNCHERS.join("|"));
        let starts = self.matches(WRITTEN, list);
        let inner = self.fact(Fact::Inner);
        let own = self.not(inner);
        let starts = self.all([own, starts]);
        let (some_inner, some_launcher) = (
            self.formulas.some(STEPS, inner),
            self.formulas.some(STEPS, starts),
        );
        let started = self.implies(some_inner, some_launcher);
        let plain = self.matches(WRITTEN, PLAIN_TEXT.to_owned());
        let mut fit = Vec::new();
        for program in self.programs.clone() {
            let name = self.matches(NAME, begin_with(&program));
            let written = self.matches(WRITTEN, expression_of_program(&program));
            fit.push(self.implies(name, written));
        }
        let fits = self.all(fit);
        let fits = self.implies(plain, fits);
        let assigns = self.matches(WRITTEN, ASSIGNMENT.to_owned());
        let runs = self.not(assigns);
        let shows = self.all([runs, fits]);
        let shows = self.any([inner, shows]);
        let (other, shows) = (
            self.fact(Fact::OtherText),
            self.formulas.every(STEPS, shows),
        );
        let shows = self.any([other, shows]);
        self.all([started, shows])
    }

    fn matches(&mut self, slot: TextSlot, regex: String) -> FormulaId {
        let language = self.languages.of(Pattern {
            regex,
            ignore_case: true,
            unicode: false,
        });
        self.formulas.text(slot, language)
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
            let begin = begin_with(&program);
            let words = self.matches(WORDS, begin.clone());
            let name = self.matches(NAME, begin);
            all.push(self.implies(name, words));
            all.push(self.implies(words, name));
        }
        self.all(all)
    }

    /// One of the programs, with its arguments.
    pub(super) fn step(&mut self, test: &CommandTest, strict: bool) -> Truth {
        self.options.add(test, strict);
        let open = self.open();
        let uncertain = |me: &mut Self, yes: FormulaId, open: FormulaId| Truth {
            yes,
            possible: if strict { yes } else { me.any([yes, open]) },
        };
        let mut all = Vec::new();
        if !test.program.is_empty() {
            let exact = test.program.iter().filter_map(|name| match name {
                Name::Exact(name) => Some(name.to_ascii_lowercase()),
                _ => None,
            });
            self.programs.extend(exact);
            let fits = self.names(&test.program, strict);
            all.push(uncertain(self, fits, open));
        }
        let (open_argument, many) = (
            self.formulas.some(ARGUMENTS, open),
            self.fact(Fact::ManyArguments),
        );
        let missing = self.any([open_argument, many]);
        if !test.arg.is_empty() {
            let written = self.names(&test.arg, strict);
            let mut fits = vec![self.formulas.some(ARGUMENTS, written)];
            for option in test.options(strict) {
                fits.push(self.argument(option, false));
            }
            let fits = self.any(fits);
            let mut perhaps = vec![missing];
            for option in test.doubtful_options(strict) {
                perhaps.push(self.possible_argument(option));
            }
            let perhaps = self.any(perhaps);
            all.push(uncertain(self, fits, perhaps));
        }
        let (mut given, mut perhaps) = (Vec::new(), Vec::new());
        for want in &test.args {
            let fact = self.argument(want, strict);
            let possible = self.possible_argument(want);
            given.push(fact);
            perhaps.push(self.any([fact, possible]));
        }
        if !given.is_empty() {
            let (given, perhaps) = (self.all(given), self.all(perhaps));
            let perhaps = self.any([perhaps, missing]);
            all.push(uncertain(self, given, perhaps));
        }
        self.both(&all)
    }

    /// A step has this argument in some spelling; in a rule that allows, to the letter.
    fn argument(&mut self, want: &str, strict: bool) -> FormulaId {
        let each = single_options(want).into_iter();
        let each: Vec<FormulaId> = each
            .map(|one| self.fact(Fact::Argument(one, strict)))
            .collect();
        self.all(each)
    }

    /// A step may have this argument, in a spelling that the table doesn't know.
    fn possible_argument(&mut self, want: &str) -> FormulaId {
        let each = single_options(want);
        if each.len() > MAX_JOINED {
            return self.any([]);
        }
        let each: Vec<FormulaId> = each
            .into_iter()
            .map(|one| self.fact(Fact::PossibleArgument(one)))
            .collect();
        self.all(each)
    }
}
