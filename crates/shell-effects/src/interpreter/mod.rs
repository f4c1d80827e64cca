//! Interprets a command line: its state, its expansions, its redirections and its effects.

mod assign;
mod builtins;
mod echo_printf;
pub(crate) mod engine;
pub(crate) mod env;
pub(crate) mod expand;
mod fish;
mod history;
pub(crate) mod hosts;
mod location;
pub(crate) mod other_shell;
mod path_effects;
mod redirect;
mod reexpansion;
pub(crate) mod run;
mod shell_state;
mod sink;
mod unlisted_variables;
mod walk;
mod work;
