//! The syntax of command lines, without their meaning.

pub(crate) mod arith;
pub(crate) mod ast;
pub(crate) mod braces;
pub(crate) mod escapes;
mod heredoc;
pub(crate) mod non_posix;
pub(crate) mod parse;
pub(crate) mod quote;
pub(crate) mod word;
