//! JSON as hostile input: one strict, non-recursive scanner under everything that reads a record.
//!
//! A general JSON library answers "what does this text mean". An auditor also has to answer "is
//! there only one thing that it can mean, and where does it stand". So this module keeps what
//! libraries drop: duplicate members (two readers would see two different records), halves of
//! surrogate pairs (real writers produce them; `serde_json` refuses them), the depth, and the byte
//! offset of everything. It builds no tree: [`Deserializer`] feeds serde's derived types, strings
//! stay borrowed and escaped until somebody looks ([`Str`]), and values that no rule reads are
//! skipped, checked but unbuilt ([`Raw`]).
//!
//! Grammar: RFC 8259. Nothing beyond it is accepted.

mod canonical;
mod de;
mod keys;
mod locate;
mod scan;
mod text;

pub use canonical::{canonical_eq, canonical_pieces, canonicalise, stringify};
pub use de::{Deserializer, from_text};
pub use keys::MOST_NAMES;
pub use locate::{Located, pointer_at, resolve, resolve_all};
pub use scan::{Error, ErrorKind, MOST_NOTES, Note, NoteKind, Scanner, ValueKind};
pub use text::{OPEN_OBJECT, Raw, Str, has_few_values};

/// Nesting that a record may have unless the caller says otherwise.
pub const DEFAULT_MAX_DEPTH: u32 = 128;
