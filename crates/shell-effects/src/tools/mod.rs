//! Effects of tool calls, answers and diffs.

pub mod agent_tools;
pub mod command_line;
pub(crate) mod content;
pub(crate) mod diff;
pub(crate) mod edit_blocks;
pub(crate) mod extra_members;
mod nested_json;
pub(crate) mod param;
mod param_scan;
pub(crate) mod tool;
mod tool_line;
pub(crate) mod tool_name;
mod tool_params;
