//! The made-up places that actions are evaluated in, and the built-in table of programs.

use shell_effects::{Context, Table};
use std::sync::LazyLock;

/// The table of programs that is built in; loading it takes longer than a thousand decisions.
static TABLE: LazyLock<Table> = LazyLock::new(Table::builtin);

/// The table that tells which options mean the same.
pub(crate) fn table() -> &'static Table {
    &TABLE
}

/// Where actions are taken to run: made-up places, since a policy never looks at a file system.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    context: Context<'static>,
}

impl Surroundings {
    /// The directory that relative paths of actions count from.
    pub(crate) const CWD: &'static str = "/home/dev/project";
    /// The home directory.
    pub(crate) const HOME: &'static str = "/home/dev";

    /// Places and table.
    pub(crate) const fn context(&self) -> &Context<'static> {
        &self.context
    }

    pub(crate) fn new(workdir: &str) -> Self {
        let mut context = Context::new(&TABLE);
        workdir.clone_into(&mut context.workdir);
        Self { context }
    }
}
