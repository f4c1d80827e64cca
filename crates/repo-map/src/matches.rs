//! Matches of a language's patterns in a text.

use super::annotations::{self, Mark};
use super::comment::Span;
use super::grammar::{Grammar, Role};
use super::masking::Parsed;
use super::pattern::Pattern;
use super::tags::{Kind, Use};
use super::walk::{self, Capture};

/// A match of a pattern for a definition. Places are byte offsets.
pub(super) struct DefinitionMatch {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) name: (usize, usize),
    /// The line of the name, from 1.
    pub(super) line: usize,
    /// The last line, from 1.
    pub(super) last: usize,
    pub(super) body: Option<usize>,
    pub(super) parent: Option<(usize, usize)>,
    pub(super) kind: Kind,
    pub(super) prefix: Option<&'static str>,
}

/// All matches in a text. Places are byte offsets.
#[derive(Default)]
pub(super) struct Matches {
    pub(super) definitions: Vec<DefinitionMatch>,
    /// Start, end and row of each reference; rows count from 0.
    pub(super) references: Vec<(usize, usize, usize, Use)>,
    pub(super) comments: Vec<Span>,
    pub(super) docs: Vec<(usize, usize)>,
    pub(super) outers: Vec<(usize, usize)>,
    /// Places of marks. A mark applies to the definition around its place.
    pub(super) marks: Vec<(usize, Mark)>,
    /// Ranges of names that are assigned to.
    pub(super) writes: Vec<(usize, usize)>,
    /// Ranges of names that imports bind.
    imports: Vec<(usize, usize)>,
}

impl Matches {
    /// Collects the matches of a grammar's patterns in a tree.
    pub(super) fn new(grammar: &'static Grammar, parsed: &Parsed, text: &str) -> Matches {
        let mut out = Matches::default();
        walk::search(grammar, &parsed.tree, text, &mut |pattern, captures| {
            out.take(grammar, pattern, captures, text);
        });
        let (mut row, mut last) = (0, 0);
        for call in &parsed.calls {
            let between = text.as_bytes().get(last..call.start).unwrap_or_default();
            row += memchr::memchr_iter(b'\n', between).count();
            last = call.start;
            out.references.push((call.start, call.end, row, Use::Call));
        }
        out.order();
        out
    }

    fn take(
        &mut self,
        grammar: &'static Grammar,
        pattern: &'static Pattern,
        captures: &[Capture<'_>],
        text: &str,
    ) {
        let (mut whole, mut name, mut body, mut parent) = (None, None, None, None);
        let of = captures
            .iter()
            .find(|(role, _)| *role == Role::Parent)
            .map(|(_, node)| node.byte_range());
        for (role, node) in captures {
            let (start, end) = (node.start_byte(), node.end_byte());
            match role {
                Role::Reference(kind) => {
                    self.references
                        .push((start, end, node.start_position().row, *kind));
                }
                Role::Definition(kind) => whole = Some((*node, *kind)),
                Role::Name => name = Some((start, end, node.start_position().row)),
                Role::Body => body = Some(start),
                Role::Parent => parent = Some((start, end)),
                Role::Comment => self.comments.push(Span {
                    start,
                    end,
                    is_comment: true,
                }),
                Role::Between => self.comments.push(Span {
                    start,
                    end,
                    is_comment: false,
                }),
                Role::Doc => self.docs.push((start, end)),
                Role::Outer => self.outers.push((start, end)),
                Role::Mark(mark) => self.marks.push((start, *mark)),
                Role::Called => {
                    let part = |range| text.get(range).unwrap_or_default();
                    let called = annotations::of_call(
                        &pattern.calls,
                        of.clone().map(part),
                        part(start..end),
                    );
                    self.marks.extend(called.map(|mark| (start, mark)));
                }
                Role::Write => self.writes.push((start, end)),
                Role::Import => self.imports.push((start, end)),
                Role::Condition => {}
            }
        }
        let (Some((node, kind)), Some((name_start, name_end, row))) = (whole, name) else {
            return;
        };
        // A tuple struct's fields are a part of its signature: users of the type need them.
        let body = body.or_else(|| {
            let body = node.child_by_field_id(grammar.body?)?;
            (body.kind() != "ordered_field_declaration_list").then(|| body.start_byte())
        });
        self.definitions.push(DefinitionMatch {
            start: node.start_byte(),
            end: node.end_byte(),
            name: (name_start, name_end),
            line: row + 1,
            // A node that includes its line break ends at column 0 of the next line.
            last: node.end_position().row + usize::from(node.end_position().column > 0),
            body,
            parent,
            kind,
            prefix: pattern.prefix.as_deref(),
        });
    }

    /// Sorts all matches in source order. If several patterns match one name, the kind that
    /// [`Kind`] declares first is kept.
    fn order(&mut self) {
        self.definitions.sort_by_key(|d| (d.name, d.kind));
        self.definitions.dedup_by_key(|d| d.name);
        self.imports.sort_unstable();
        let imports = std::mem::take(&mut self.imports);
        self.definitions
            .retain(|d| imports.binary_search(&d.name).is_err());
        let names: Vec<usize> = self.definitions.iter().map(|d| d.name.0).collect();
        self.definitions
            .sort_by_key(|d| (d.start, std::cmp::Reverse(d.end), d.name));
        self.references.sort_unstable();
        self.references.dedup_by_key(|r| r.0);
        // Both lists are in source order.
        let mut names = names.into_iter().peekable();
        self.references.retain(|r| {
            while names.next_if(|name| *name < r.0).is_some() {}
            names.peek() != Some(&r.0)
        });
        self.comments.sort_unstable();
        self.comments.dedup();
        self.docs.sort_unstable();
        self.outers
            .sort_unstable_by_key(|o| (o.0, std::cmp::Reverse(o.1)));
        self.marks.sort_unstable();
        self.writes.sort_unstable();
    }
}
