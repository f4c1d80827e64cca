#![doc = include_str!("../README.md")]

mod canonical;
mod de;
mod keys;
mod locate;
mod scan;
mod text;

pub use canonical::{canonical_eq, canonical_pieces, canonicalise, push_quoted, stringify};
pub use de::{Deserializer, from_text, from_text_clamped};
pub use keys::MOST_NAMES;
pub use locate::{Located, pointer_at, resolve, resolve_all};
pub use scan::{Error, ErrorKind, MOST_NOTES, Note, NoteKind, Scanner, ValueKind};
pub use text::{OPEN_OBJECT, Raw, Str, has_few_values};

/// The default limit for the nesting depth of a record.
pub const DEFAULT_MAX_DEPTH: u32 = 128;
