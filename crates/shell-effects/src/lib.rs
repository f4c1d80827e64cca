#![doc = include_str!("../README.md")]
#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    clippy::many_single_char_names,
    clippy::similar_names,
    reason = "git keys and names in code aren't file names; scanners call position, character and \
              text `i`, `c`, `t`"
)]

mod calls;
pub mod chars;
mod code;
mod effect;
pub mod explain;
mod interpreter;
mod memo;
mod paths;
mod programs;
pub mod rewrite;
mod syntax;
pub mod table;
mod tools;

pub use effect::{Analysis, Certainty, Effect, EffectKind, RiskLevel, Span, Step, StepOrigin};
pub use paths::links::Links;
pub use paths::{path, protected};
pub use table::{Table, TableError};
pub use tools::content::{Content, recorded_content};
pub use tools::diff::effects_of_diff;
pub use tools::edit_blocks::{EditBlocks, edit_blocks};
pub use tools::extra_members::{
    ANSWER_MEMBERS, DIFF_MEMBERS, effects_of_answer, effects_of_diff_extras,
};
pub use tools::param::{Param, WRAPPERS, json_in_text};
pub use tools::tool::{effects_of_call, effects_of_tool};
pub use tools::tool_name::is_listing;
pub use tools::{agent_tools, command_line};

/// The environment in which a command would run.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// Current directory, absolute.
    pub cwd: String,
    /// The work tree, absolute.
    pub workdir: String,
    /// The home directory, absolute.
    pub home: String,
    pub table: &'a Table,
    /// The symbolic links of the work tree. If they aren't available (empty), paths are classified
    /// by their text alone.
    pub links: Links,
}

impl<'a> Context<'a> {
    /// Creates a context with placeholder directories, for lines whose environment isn't known.
    #[must_use]
    pub fn new(table: &'a Table) -> Self {
        Self {
            cwd: "/home/dev/project".to_owned(),
            workdir: "/home/dev/project".to_owned(),
            home: "/home/dev".to_owned(),
            table,
            links: Links::default(),
        }
    }
}

/// Analyses what a command line does.
///
/// Total and without side effects: any text gets an answer. The work is proportional to its length.
#[must_use]
pub fn analyse(cmd: &str, ctx: &Context<'_>) -> Analysis {
    measured(cmd, ctx).0
}

/// Like [`analyse`], but also returns the units of work spent. Tests check the bounds on these
/// units instead of a clock.
#[doc(hidden)]
#[must_use]
pub fn measured(cmd: &str, ctx: &Context<'_>) -> (Analysis, usize) {
    let clean: std::borrow::Cow<'_, str> = if cmd.bytes().any(|c| c <= 3) {
        std::borrow::Cow::Owned(
            cmd.chars()
                .map(|c| if c <= '\u{3}' { '\u{1a}' } else { c })
                .collect(),
        )
    } else {
        std::borrow::Cow::Borrowed(cmd)
    };
    let fuel = clean.len().saturating_mul(60).saturating_add(20_000);
    let nul = "the line contains a NUL byte: some shells drop it, others stop there";
    if let Some(why) = cmd
        .contains('\0')
        .then_some(nul)
        .or_else(|| syntax::non_posix::recognise(&clean))
    {
        let mut engine = interpreter::engine::Engine::new(ctx, fuel);
        engine.refuse(Span::new(0, cmd.len()), why);
        return (engine.finish(), 0);
    }
    let (bash, left) = interpreter::other_shell::in_bash(&clean, ctx, fuel);
    let (analysis, left) = interpreter::other_shell::analyse(&clean, bash, ctx, left);
    (analysis, fuel - left)
}

/// Returns the risk of a line.
#[cfg(test)]
fn risk_of(line: &str) -> RiskLevel {
    let table = Table::builtin();
    analyse(line, &Context::new(&table)).risk
}

/// Returns the risk of a tool call.
#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "reads as a call")]
fn risk_of_call(name: &str, parameters: serde_json::Value) -> RiskLevel {
    let table = Table::builtin();
    effects_of_tool(name, &parameters, &Context::new(&table)).risk
}
