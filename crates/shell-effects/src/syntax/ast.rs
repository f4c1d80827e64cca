//! The syntax tree of a command line, as far as the effects need it.
//!
//! `&&`, `||`, `;` and `&` differ only in whether a command always runs. A list does at least what
//! its riskiest part does, so the tree keeps the parts.

use crate::effect::Span;
use std::cell::OnceCell;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(crate) struct List {
    pub items: Vec<Pipeline>,
}

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub commands: Vec<Command>,
    /// Whether it follows `&&` or `||`, so that it may not run.
    pub conditional: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) struct Command {
    pub kind: Kind,
    pub redirs: Vec<Redir>,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Simple {
        assigns: Vec<Assign>,
        words: Vec<Word>,
    },
    Subshell(List),
    Group(List),
    /// `if`: conditions and bodies in order.
    If(Vec<List>),
    /// `while` and `until`: condition and body.
    While(List, List),
    For {
        var: String,
        words: Option<Vec<Word>>,
        body: List,
    },
    /// `for ((…))`: the words of the head, and the body.
    ForArith(Word, List),
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, List)>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `[[ … ]]`: only the words that can contain substitutions.
    Cond(Vec<Word>),
    /// `(( … ))`
    Arith(Word),
    Coproc(Box<Command>),
}

#[derive(Debug)]
pub(crate) struct Assign {
    pub name: String,
    pub append: bool,
    pub index: Option<Word>,
    pub value: AssignValue,
    /// Given to `export`, `declare`, `local` or `readonly`.
    pub declared: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum AssignValue {
    Word(Word),
    Array(Vec<Word>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirOp {
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `>&`, `<&` with a descriptor or `-`
    Dup,
    HereString,
    HereDoc,
}

#[derive(Debug)]
pub(crate) struct Redir {
    pub op: RedirOp,
    pub fd: Option<u32>,
    /// The variable that bash sets to the number of a descriptor: `{name}>file`.
    pub variable: Option<String>,
    pub target: Word,
    /// Set when the parser reaches the body.
    pub body: Option<Rc<OnceCell<Word>>>,
    pub span: Span,
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    pub parts: Vec<Part>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Unquoted text: globs, tilde and braces are active.
    Lit(String),
    Quoted(String),
    /// Text from `$'…'`; true if letters were hidden behind numeric escapes.
    Ansi(String, bool),
    Param(Box<Param>, bool),
    Cmd(Rc<List>, bool, Span),
    /// `$((…))`: raw text with the substitutions in it.
    Arith(Rc<Word>),
    /// `<(…)` or `>(…)`; true for output.
    Proc(Rc<List>, bool, Span),
    /// An unknown value, carried over from an outer expansion.
    Unknown,
}

/// A parameter expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Param {
    pub name: String,
    /// `${!x}`
    pub indirect: bool,
    /// `${#x}`
    pub length: bool,
    pub index: Option<Word>,
    pub op: ParamOp,
    pub args: Vec<Word>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ParamOp {
    #[default]
    None,
    /// `:-` and `-`
    Default,
    /// `:=` and `=`
    Assign,
    /// `:+` and `+`
    Alternative,
    /// `:?` and `?`
    Error,
    /// `:offset:length`
    Substring,
    /// `#`, `##`
    TrimStart(bool),
    /// `%`, `%%`
    TrimEnd(bool),
    /// `/`, `//`
    Replace(bool),
    /// `^^`, `,,`, `^`, `,` (upper case, all characters)
    Case(bool, bool),
    /// `@Q` and similar operators
    Transform,
}

impl Word {
    /// Returns the text if the word is one unquoted literal, as a reserved word must be.
    pub fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Lit(s)] => Some(s),
            _ => None,
        }
    }
}
