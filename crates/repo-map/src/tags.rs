//! Tags: the definitions of a file and its references.

use super::annotations::Marks;
use serde::{Deserialize, Serialize};

/// The kind of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A module or namespace.
    Module,
    /// A class or record.
    Class,
    /// A structure or union.
    Struct,
    Enum,
    /// An interface, trait or protocol.
    Interface,
    /// A block that adds methods to a type (Rust's `impl`). It has the type's name but doesn't
    /// define it.
    Implementation,
    /// A name for a type, such as an alias.
    Type,
    /// A function that isn't a method.
    Function,
    /// A function of a type.
    Method,
    /// A function declared here and defined elsewhere.
    Prototype,
    /// A macro with a body.
    Macro,
    /// A property with accessors.
    Property,
    Constant,
    /// A variable that outlives every call.
    Variable,
}

impl Kind {
    /// Returns the name used in reports.
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

    /// Returns whether functions inside are methods.
    pub(super) const fn has_methods(self) -> bool {
        matches!(
            self,
            Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface | Kind::Implementation
        )
    }

    /// Returns whether a reference to a type, or to the qualifier of a name, can mean this kind.
    pub(super) const fn is_type(self) -> bool {
        matches!(
            self,
            Kind::Module | Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface | Kind::Type
        )
    }

    /// Returns whether definitions inside are local to a call.
    pub(super) const fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Method)
    }

    /// Returns whether it is a variable or a constant.
    pub(super) const fn is_value(self) -> bool {
        matches!(self, Kind::Variable | Kind::Constant)
    }

    /// Returns whether this kind is ignored inside a function.
    pub(super) const fn is_only_global(self) -> bool {
        matches!(self, Kind::Prototype | Kind::Constant | Kind::Variable)
    }
}

/// How a reference uses a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// A call, or an expansion of a macro.
    Call,
    /// A type, or a qualifier of another name.
    Type,
    /// An import.
    Import,
}

impl Use {
    /// Returns the name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Use::Call => "call",
            Use::Type => "type",
            Use::Import => "import",
        }
    }
}

/// A definition. Its texts are single lines from the source and not escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The name without qualifiers.
    pub name: String,
    pub kind: Kind,
    /// Line of the name, from 1.
    pub line: u32,
    /// The last line, from 1.
    pub end: u32,
    /// The source text without comments, annotations and body, at most [`super::signature::LIMIT`]
    /// characters.
    pub signature: String,
    /// The first line of the documentation.
    pub doc: Option<String>,
    /// Index of the enclosing definition in [`Tags::definitions`]. It is always an earlier one.
    pub within: Option<u32>,
    /// Name of the parent if the parent doesn't enclose the definition, as with a method's receiver
    /// or an `impl` in another file.
    pub of: Option<String>,
    /// Whether other files can't, or by convention don't, refer to it.
    pub private: bool,
    /// Side effects, as far as names show them.
    pub marks: Marks,
}

/// A use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Index of the name in [`Tags::names`].
    pub name: u32,
    pub kind: Use,
    /// Line, from 1.
    pub line: u32,
    /// Index of the enclosing definition in [`Tags::definitions`].
    pub within: Option<u32>,
}

/// The tags of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tags {
    /// In source order.
    pub definitions: Vec<Definition>,
    /// In source order.
    pub references: Vec<Reference>,
    /// The names that are referred to, each once, in the order of their first reference.
    pub names: Vec<String>,
    /// The first line of the file's own documentation.
    pub doc: Option<String>,
    /// Marks of code outside of all definitions.
    pub marks: Marks,
    /// Whether parts of the file don't parse. The tags of the other parts are present.
    pub has_errors: bool,
}

impl Tags {
    /// Returns the name of a definition's parent, from the text or from the enclosing definition.
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

    /// Returns the name of a reference.
    pub fn name(&self, reference: &Reference) -> &str {
        usize::try_from(reference.name)
            .ok()
            .and_then(|n| self.names.get(n))
            .map_or("", String::as_str)
    }

    /// Returns whether every index is in range. Call this for tags that come from a cache.
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
