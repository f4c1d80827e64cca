//! Effects of tool calls, answers and diffs.

pub mod agent_tools;
pub mod command_line;
pub(crate) mod content;
pub(crate) mod diff;
pub(crate) mod extra_members;
pub(crate) mod nested_json;
pub(crate) mod param;
pub(crate) mod param_scan;
pub(crate) mod tool;
pub(crate) mod tool_line;
pub(crate) mod tool_name;
pub(crate) mod tool_params;
