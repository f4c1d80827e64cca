//! Interprets a command line: its state, its expansions, its redirections and its effects.

pub(crate) mod assign;
pub(crate) mod builtins;
pub(crate) mod echo_printf;
pub(crate) mod engine;
pub(crate) mod env;
pub(crate) mod expand;
pub(crate) mod history;
pub(crate) mod hosts;
pub(crate) mod location;
pub(crate) mod path_effects;
pub(crate) mod redirect;
pub(crate) mod reexpansion;
pub(crate) mod run;
pub(crate) mod shell_state;
pub(crate) mod sink;
pub(crate) mod unlisted_variables;
pub(crate) mod walk;
pub(crate) mod work;
