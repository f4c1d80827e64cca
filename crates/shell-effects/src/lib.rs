#![doc = include_str!("../README.md")]
#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    clippy::many_single_char_names,
    clippy::similar_names,
    reason = "git keys and names in code aren't file names; scanners call position, character and \
              text `i`, `c`, `t`"
)]

pub mod agent_tools;
mod arith;
mod assign;
mod ast;
mod braces;
mod builtins;
mod call;
pub mod chars;
mod code;
pub mod command_line;
mod content;
mod copies;
mod diff;
mod downloads;
mod echo_printf;
mod effect;
mod engine;
mod env;
mod escapes;
mod expand;
pub mod explain;
mod extra_members;
mod filters;
mod git;
mod git_files;
mod heredoc;
mod hosts;
mod links;
mod memo;
mod name_globs;
mod nested_json;
mod non_posix;
mod param;
mod param_scan;
mod parse;
pub mod path;
mod paths;
mod printed_secrets;
mod program_output;
mod programs;
mod project_code;
pub mod protected;
mod redirect;
mod reexpansion;
pub mod rewrite;
mod run;
mod shell_args;
mod shell_state;
mod sink;
mod spec_eval;
pub mod table;
mod tool;
mod tool_line;
mod tool_name;
mod tool_params;
mod unexpanded;
mod unlisted_options;
mod unlisted_variables;
mod word;
mod work;
mod wrappers;

pub use content::{Content, recorded_content};
pub use diff::effects_of_diff;
pub use effect::{Analysis, Certainty, Effect, EffectKind, RiskLevel, Span, Step, StepOrigin};
pub use extra_members::{ANSWER_MEMBERS, DIFF_MEMBERS, effects_of_answer, effects_of_diff_extras};
pub use links::Links;
pub use param::{Param, WRAPPERS, json_in_text};
pub use table::{Table, TableError};
pub use tool::{effects_of_call, effects_of_tool};
pub use tool_name::is_listing;

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
    let mut engine = engine::Engine::new(ctx, fuel);
    let nul = "the line contains a NUL byte: some shells drop it, others stop there";
    if let Some(why) = cmd
        .contains('\0')
        .then_some(nul)
        .or_else(|| non_posix::recognise(&clean))
    {
        engine.sink.mark_unparsed();
        engine.emit_raw(
            EffectKind::Unknown,
            None,
            Certainty::Possible,
            Span::new(0, cmd.len()),
            RiskLevel::High,
            why,
        );
    } else {
        engine.run_text(
            &clean,
            parse::Base::Offset(0),
            StepOrigin::Direct,
            &engine::Stream::default(),
            false,
        );
    }
    let left = engine.work.fuel();
    (engine.finish(), fuel - left)
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
