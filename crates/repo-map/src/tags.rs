//! What a file defines and what it refers to.

use super::annotations::Marks;
use serde::{Deserialize, Serialize};

/// What is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A module, a namespace.
    Module,
    /// A class, a record.
    Class,
    /// A structure, a union.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface, a trait, a protocol.
    Interface,
    /// A block that gives a type its methods (Rust's `impl`). It is named after the type and
    /// defines no name.
    Implementation,
    /// A name for a type.
    Type,
    /// A function of its own.
    Function,
    /// A function of a type.
    Method,
    /// A function that is declared here and written elsewhere.
    Prototype,
    /// A macro with a body.
    Macro,
    /// A property with accessors.
    Property,
    /// A constant.
    Constant,
    /// A variable that outlives every call.
    Variable,
}

impl Kind {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Module => "module",
            Kind::Class => "class",
            Kind::Struct => "struct",
            Kind::Enum => "enum",
            Kind::Interface => "interface",
            Kind::Implementation => "implementation",
            Kind::Type => "type",
            Kind::Function => "function",
            Kind::Method => "method",
            Kind::Prototype => "prototype",
            Kind::Macro => "macro",
            Kind::Property => "property",
            Kind::Constant => "constant",
            Kind::Variable => "variable",
        }
    }

    /// Whether functions inside are methods.
    pub(super) const fn has_methods(self) -> bool {
        matches!(
            self,
            Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface | Kind::Implementation
        )
    }

    /// Whether it can be meant where a type, or what holds a name, is named.
    pub(super) const fn is_type(self) -> bool {
        matches!(
            self,
            Kind::Module | Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface | Kind::Type
        )
    }

    /// Whether what is inside is local to a call.
    pub(super) const fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Method)
    }

    /// Whether it is of no interest inside a function.
    pub(super) const fn is_only_global(self) -> bool {
        matches!(self, Kind::Prototype | Kind::Constant | Kind::Variable)
    }
}

/// How a name is referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// Called, or expanded.
    Call,
    /// As a type, or as what holds the name that is meant.
    Type,
    /// Brought in from elsewhere.
    Import,
}

impl Use {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Use::Call => "call",
            Use::Type => "type",
            Use::Import => "import",
        }
    }
}

/// A definition. Its texts are on one line each, and not escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The name, without what it is a part of.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The line of the name, from 1.
    pub line: u32,
    /// The last line.
    pub end: u32,
    /// As written, without comments, annotations and body; cut to [`super::signature::LIMIT`]
    /// characters.
    pub signature: String,
    /// The first line of the documentation.
    pub doc: Option<String>,
    /// The definition around it, as an index into [`Tags::definitions`]; always an earlier one.
    pub within: Option<u32>,
    /// The name of its parent where the parent isn't around it (`impl` in another file, a
    /// receiver).
    pub of: Option<String>,
    /// Whether other files can't, or by convention don't, refer to it.
    pub private: bool,
    /// What it does besides computing, as far as names tell.
    pub marks: Marks,
}

/// A reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name, as an index into [`Tags::names`].
    pub name: u32,
    /// How the name is referred to.
    pub kind: Use,
    /// The line, from 1.
    pub line: u32,
    /// The definition that contains it, as an index into [`Tags::definitions`].
    pub within: Option<u32>,
}

/// What was found in one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tags {
    /// In the order of the text.
    pub definitions: Vec<Definition>,
    /// In the order of the text.
    pub references: Vec<Reference>,
    /// The names referred to, each once, in the order of their first reference.
    pub names: Vec<String>,
    /// The first line of the file's own documentation.
    pub doc: Option<String>,
    /// Marks of what is outside of all definitions.
    pub marks: Marks,
    /// Whether parts of the file don't parse. What does is there all the same.
    pub has_errors: bool,
}

impl Tags {
    /// The parent's name of a definition: what the text says, or the definition around it.
    pub fn parent<'a>(&'a self, definition: &'a Definition) -> Option<&'a str> {
        let around = || {
            Some(
                self.definitions
                    .get(usize::try_from(definition.within?).ok()?)?
                    .name
                    .as_str(),
            )
        };
        definition.of.as_deref().or_else(around)
    }

    /// The name of a reference.
    pub fn name(&self, reference: &Reference) -> &str {
        usize::try_from(reference.name)
            .ok()
            .and_then(|n| self.names.get(n))
            .map_or("", String::as_str)
    }

    /// Whether every index is in range. Checked for what comes from a cache.
    pub(super) fn is_sound(&self) -> bool {
        let earlier = |(at, d): (usize, &Definition)| d.within.is_none_or(|w| (w as usize) < at);
        let known = |r: &Reference| {
            (r.name as usize) < self.names.len()
                && r.within
                    .is_none_or(|w| (w as usize) < self.definitions.len())
        };
        self.definitions.iter().enumerate().all(earlier) && self.references.iter().all(known)
    }
}
