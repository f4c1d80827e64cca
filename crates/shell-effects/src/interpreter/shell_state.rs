//! The state of the shell that runs a line.

use super::engine::Stream;
use super::expand::Var;
use crate::syntax::ast::Command;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Names, parameters, directory and input of the shell, as far as they are known.
pub(crate) struct Shell<'a> {
    cwd: Option<Cow<'a, str>>,
    // Keyed hashing: the author of the line chooses these names.
    vars: HashMap<String, Var>,
    /// Names that stand for other variables, of `declare -n`.
    references: HashMap<String, String>,
    /// Variables declared as integers.
    numbers: HashSet<String>,
    functions: HashMap<String, Rc<Command>>,
    aliases: HashMap<String, String>,
    /// Positional parameters, those of the innermost call last.
    params: Vec<Vec<String>>,
    /// Outputs of process substitutions.
    streams: Vec<Stream>,
    /// Number of open branches that may not run.
    branches: usize,
    /// Whether the shells that this one starts inherit its functions.
    exports_functions: bool,
    /// Input of all later commands, set by `exec <`.
    input: Option<Stream>,
    is_fish: bool,
}

/// State that a subshell doesn't pass back to its parent.
pub(crate) struct ShellSnapshot<'a> {
    cwd: Option<Cow<'a, str>>,
    vars: HashMap<String, Var>,
}

impl<'a> Shell<'a> {
    pub(crate) fn new(cwd: &'a str) -> Self {
        Self {
            cwd: Some(Cow::Borrowed(cwd)),
            vars: HashMap::default(),
            references: HashMap::default(),
            numbers: HashSet::new(),
            functions: HashMap::default(),
            aliases: HashMap::default(),
            params: Vec::new(),
            streams: Vec::new(),
            branches: 0,
            exports_functions: false,
            input: None,
            is_fish: false,
        }
    }

    /// Saves the state that a subshell may change without effect on its parent.
    pub(crate) fn save(&self) -> ShellSnapshot<'a> {
        ShellSnapshot {
            cwd: self.cwd.clone(),
            vars: if self.vars.is_empty() {
                HashMap::default()
            } else {
                self.vars.clone()
            },
        }
    }

    pub(crate) fn restore(&mut self, saved: ShellSnapshot<'a>) {
        self.cwd = saved.cwd;
        self.vars = saved.vars;
    }

    pub(crate) fn export_functions(&mut self) {
        self.exports_functions = true;
    }

    /// Returns whether the shells that this one starts inherit its functions.
    pub(crate) fn exports_functions(&self) -> bool {
        self.exports_functions
    }

    /// The current directory; `None` if it isn't known.
    pub(crate) fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// Returns the current directory, to restore it with [`Shell::set_cwd`].
    pub(crate) fn clone_cwd(&self) -> Option<Cow<'a, str>> {
        self.cwd.clone()
    }

    pub(crate) fn set_cwd(&mut self, cwd: Option<Cow<'a, str>>) {
        self.cwd = cwd;
    }

    /// Returns the variable that a name stands for. References to references end somewhere.
    fn variable<'n>(&'n self, name: &'n str) -> &'n str {
        let next = |name: &&'n str| self.references.get(*name).map(String::as_str);
        std::iter::successors(Some(name), next)
            .take(8)
            .last()
            .unwrap_or(name)
    }

    /// Makes a name stand for another variable.
    pub(crate) fn refer(&mut self, name: String, target: String) {
        self.references.insert(name, target);
    }

    pub(crate) fn var(&self, name: &str) -> Option<&Var> {
        self.vars.get(self.variable(name))
    }

    pub(crate) fn var_mut(&mut self, name: &str) -> &mut Var {
        let name = self.variable(name).to_owned();
        self.vars.entry(name).or_default()
    }

    pub(crate) fn has_var(&self, name: &str) -> bool {
        self.vars.contains_key(self.variable(name))
    }

    pub(crate) fn set_var(&mut self, name: String, value: Var) -> Option<Var> {
        let name = if self.references.is_empty() {
            name
        } else {
            self.variable(&name).to_owned()
        };
        self.vars.insert(name, value)
    }

    pub(crate) fn remove_var(&mut self, name: &str) -> Option<Var> {
        let name = self.variable(name).to_owned();
        self.vars.remove(&name)
    }

    pub(crate) fn var_count(&self) -> usize {
        self.vars.len()
    }

    pub(crate) fn is_number(&self, name: &str) -> bool {
        self.numbers.contains(name)
    }

    pub(crate) fn declare_number(&mut self, name: String) {
        self.numbers.insert(name);
    }

    pub(crate) fn function(&self, name: &str) -> Option<Rc<Command>> {
        self.functions.get(name).cloned()
    }

    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    pub(crate) fn define(&mut self, name: String, body: Rc<Command>) {
        self.functions.insert(name, body);
    }

    pub(crate) fn undefine(&mut self, name: &str) {
        self.functions.remove(name);
    }

    /// Removes and returns the functions: another shell or program doesn't know them.
    pub(crate) fn take_functions(&mut self) -> HashMap<String, Rc<Command>> {
        std::mem::take(&mut self.functions)
    }

    pub(crate) fn restore_functions(&mut self, functions: HashMap<String, Rc<Command>>) {
        self.functions = functions;
    }

    pub(crate) fn alias(&self, name: &str) -> Option<String> {
        self.aliases.get(name).cloned()
    }

    pub(crate) fn set_alias(&mut self, name: String, body: String) {
        self.aliases.insert(name, body);
    }

    pub(crate) fn remove_alias(&mut self, name: &str) -> Option<String> {
        self.aliases.remove(name)
    }

    pub(crate) fn take_aliases(&mut self) -> HashMap<String, String> {
        std::mem::take(&mut self.aliases)
    }

    pub(crate) fn restore_aliases(&mut self, aliases: HashMap<String, String>) {
        self.aliases = aliases;
    }

    /// The positional parameters of the innermost call.
    pub(crate) fn params(&self) -> Option<&Vec<String>> {
        self.params.last()
    }

    pub(crate) fn params_mut(&mut self) -> Option<&mut Vec<String>> {
        self.params.last_mut()
    }

    pub(crate) fn push_params(&mut self, params: Vec<String>) {
        self.params.push(params);
    }

    pub(crate) fn pop_params(&mut self) {
        self.params.pop();
    }

    /// Stores the output of a process substitution; returns its number.
    pub(crate) fn add_stream(&mut self, stream: Stream) -> usize {
        self.streams.push(stream);
        self.streams.len() - 1
    }

    pub(crate) fn stream(&self, number: usize) -> Option<&Stream> {
        self.streams.get(number)
    }

    /// Enters code that may not run.
    pub(crate) fn enter_branch(&mut self) {
        self.branches += 1;
    }

    pub(crate) fn leave_branch(&mut self) {
        self.branches -= 1;
    }

    pub(crate) fn is_in_branch(&self) -> bool {
        self.branches > 0
    }

    pub(crate) fn is_fish(&self) -> bool {
        self.is_fish
    }

    /// Sets whether the shell is fish. Returns the value to restore.
    pub(crate) fn set_fish(&mut self, is_fish: bool) -> bool {
        std::mem::replace(&mut self.is_fish, is_fish)
    }

    pub(crate) fn input(&self) -> Option<&Stream> {
        self.input.as_ref()
    }

    pub(crate) fn set_input(&mut self, input: Stream) {
        self.input = Some(input);
    }
}
