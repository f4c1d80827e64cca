//! The made-up places that actions are evaluated in, and the built-in table of programs.

use shell_effects::{Context, Table};
use std::sync::LazyLock;

/// The built-in table of programs; loading it takes longer than a thousand decisions.
static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);

/// The built-in table of programs.
pub(crate) fn table() -> &'static Table {
    &TABLE
}

/// The assumed directories of actions. They are made up, since a policy never reads the file
/// system.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    context: Context<'static>,
}

impl Surroundings {
    /// The working directory.
    pub(crate) const CWD: &'static str = "/home/dev/project";
    /// The home directory.
    pub(crate) const HOME: &'static str = "/home/dev";

    /// The context for the analysis of commands.
    pub(crate) const fn context(&self) -> &Context<'static> {
        &self.context
    }

    pub(crate) fn new(workdir: &str) -> Self {
        let mut context = Context::new(&TABLE);
        workdir.clone_into(&mut context.workdir);
        Self { context }
    }
}
