//! From text to tags: the parse, the query, and what its matches mean together.

use super::grammar::{Grammar, Role};
use super::language::Language;
use super::signature::{self, Hidden};
use super::tags::{Definition, Kind, Reference, Tags, Use};
use super::{comment, names};
use std::collections::HashMap;
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, Parser, QueryCursor, QueryCursorOptions, StreamingIterator, Tree};

/// Why a file has no tags although its language is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// Parsing it, or searching its tree, takes more work than any ordinary file of its size.
    #[error("takes too much work to parse")]
    TooMuchWork,
    /// The grammar can't be used.
    #[error("the grammar of `{0}` can't be used")]
    NoGrammar(&'static str),
}

/// Reports of progress that a text may cost, each after 100 steps of the parser: 25 steps for each byte and a start, far more
/// than text that people write needs. The bound is on work and not on time, so that every machine gives the same map.
const fn allowance(bytes: usize) -> usize {
    2_000 + bytes / 4
}

/// What a match says of a definition.
struct Found {
    start: usize,
    end: usize,
    name: (usize, usize),
    line: usize,
    last: usize,
    body: Option<usize>,
    parent: Option<(usize, usize)>,
    kind: Kind,
    prefix: Option<&'static str>,
}

/// All that the query gives, by place in the text.
#[derive(Default)]
struct Matches {
    definitions: Vec<Found>,
    references: Vec<(usize, usize, usize, Use)>,
    comments: Vec<comment::Span>,
    docs: Vec<(usize, usize)>,
    outers: Vec<(usize, usize)>,
}

/// The tags of a text.
///
/// # Errors
/// [`Unread`] when the text costs too much to parse.
pub fn extract(language: Language, text: &str) -> Result<Tags, Unread> {
    let grammar = Grammar::of(language).ok_or(Unread::NoGrammar(language.name()))?;
    let tree = parse(grammar, language, text)?;
    let mut matches = search(grammar, &tree, text)?;
    matches.order();
    Ok(assemble(language, text, &matches, tree.root_node().has_error()))
}

fn parse(grammar: &Grammar, language: Language, text: &str) -> Result<Tree, Unread> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).map_err(|_| Unread::NoGrammar(language.name()))?;
    let mut left = allowance(text.len());
    let mut progress = |_: &tree_sitter::ParseState| match left.checked_sub(1) {
        Some(less) => {
            left = less;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options)).ok_or(Unread::TooMuchWork)
}

fn search(grammar: &'static Grammar, tree: &Tree, text: &str) -> Result<Matches, Unread> {
    let mut out = Matches::default();
    let mut left = allowance(text.len());
    let mut progress = |_: &tree_sitter::QueryCursorState| match left.checked_sub(1) {
        Some(less) => {
            left = less;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let mut cursor = QueryCursor::new();
    // More matches in progress than this mean a tree that nobody wrote by hand; the oldest are dropped then.
    cursor.set_match_limit(4096);
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    {
        let mut matches = cursor.matches_with_options(&grammar.query, tree.root_node(), text.as_bytes(), options);
        while let Some(found) = matches.next() {
            out.take(grammar, found);
        }
    }
    if left == 0 { Err(Unread::TooMuchWork) } else { Ok(out) }
}

impl Matches {
    fn take(&mut self, grammar: &'static Grammar, found: &tree_sitter::QueryMatch<'_, '_>) {
        let (mut whole, mut name, mut body, mut parent) = (None, None, None, None);
        for capture in found.captures() {
            let node = capture.node;
            let (start, end) = (node.start_byte(), node.end_byte());
            let Some(role) = grammar.roles.get(capture.index as usize) else { continue };
            match role {
                Role::Reference(kind) => self.references.push((start, end, node.start_position().row, *kind)),
                Role::Definition(kind) => whole = Some((node, *kind)),
                Role::Name => name = Some((start, end, node.start_position().row)),
                Role::Body => body = Some(start),
                Role::Parent => parent = Some((start, end)),
                Role::Comment => self.comments.push(comment::Span { start, end, is_comment: true }),
                Role::Between => self.comments.push(comment::Span { start, end, is_comment: false }),
                Role::Doc => self.docs.push((start, end)),
                Role::Outer => self.outers.push((start, end)),
            }
        }
        let (Some((node, kind)), Some((name_start, name_end, row))) = (whole, name) else { return };
        // A tuple of fields is a part of how the type is written where it is used.
        let field = |id: std::num::NonZeroU16| node.child_by_field_id(id.get());
        let body = body.or_else(|| {
            let body = grammar.body.and_then(field)?;
            (body.kind() != "ordered_field_declaration_list").then(|| body.start_byte())
        });
        self.definitions.push(Found {
            start: node.start_byte(),
            end: node.end_byte(),
            name: (name_start, name_end),
            line: row + 1,
            // What ends with its line ends before the next one.
            last: node.end_position().row + usize::from(node.end_position().column > 0),
            body,
            parent,
            kind,
            prefix: grammar.prefixes.get(found.pattern_index).and_then(Option::as_deref),
        });
    }

    /// Puts everything in the order of the text, with one definition for each name: several patterns may match one,
    /// and the kind that says more stands.
    fn order(&mut self) {
        self.definitions.sort_by_key(|d| (d.name, d.kind));
        self.definitions.dedup_by_key(|d| d.name);
        self.definitions.sort_by_key(|d| (d.start, std::cmp::Reverse(d.end), d.name));
        let names: std::collections::HashSet<usize> = self.definitions.iter().map(|d| d.name.0).collect();
        self.references.retain(|r| !names.contains(&r.0));
        self.references.sort_unstable();
        self.references.dedup_by_key(|r| r.0);
        self.comments.sort_unstable();
        self.comments.dedup();
        self.docs.sort_unstable();
        self.outers.sort_unstable_by_key(|o| (o.0, std::cmp::Reverse(o.1)));
    }
}

/// Where a keyword that opens a list of one stands, right before its only member.
fn before(text: &str, at: usize, word: &str) -> Option<usize> {
    let line = text.get(..at)?.trim_end_matches([' ', '\t']);
    line.ends_with(word).then(|| line.len() - word.len())
}

/// The words of the text between two places; nothing where they don't fall on characters.
fn slice(text: &str, (start, end): (usize, usize)) -> &str {
    text.get(start..end).unwrap_or_default()
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn assemble(language: Language, text: &str, matches: &Matches, has_errors: bool) -> Tags {
    let mut tags =
        Tags { has_errors, doc: comment::of_file(language, text, &matches.comments, &matches.docs), ..Tags::default() };
    let hidden = Hidden::new(&matches.comments);
    // Ends of the definitions that are open, with their places in the list.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut outers = Outers { all: &matches.outers, next: 0, open: Vec::new() };
    for found in &matches.definitions {
        while open.last().is_some_and(|(end, _)| *end <= found.start) {
            open.pop();
        }
        let around = open.last().and_then(|(_, at)| Some((*at, tags.definitions.get(*at)?.kind)));
        let start = outers.start_of(found);
        if found.kind.is_only_global() && around.is_some_and(|(_, kind)| kind.is_callable()) {
            continue;
        }
        let name = names::of(language, found.kind, slice(text, found.name));
        let of = found.parent.map(|p| names::plain(slice(text, p)).to_owned()).or(name.of);
        let kind = match found.kind {
            Kind::Function if of.is_some() || around.is_some_and(|(_, kind)| kind.has_methods()) => Kind::Method,
            Kind::Method if language == Language::Ruby && around.is_none() => Kind::Function,
            other => other,
        };
        let start = found.prefix.and_then(|word| before(text, found.start, word)).unwrap_or(start.min(found.start));
        let prefix = found.prefix.filter(|_| start == found.start);
        let mut signature = signature::of(text, start, found.body.unwrap_or(found.end), &hidden, prefix, kind, language);
        if kind != Kind::Implementation && !signature.ends_with('…') && !signature.contains(&name.name) {
            // `typedef struct {…} name`
            signature.push(' ');
            signature.push_str(&signature::one_line(&name.name, signature::LIMIT));
        }
        let doc = comment::of(language, text, start, found.body, &matches.comments, &matches.docs);
        let around_it = around.and_then(|(at, _)| tags.definitions.get(at));
        let private = names::is_private(language, kind, &name.name, &signature, around_it);
        open.push((found.end, tags.definitions.len()));
        ends.push((found.start, found.end));
        tags.definitions.push(Definition {
            name: name.name,
            kind,
            line: number(found.line),
            end: number(found.last),
            signature,
            doc,
            within: around.map(|(at, _)| number(at)),
            of,
            private,
        });
    }
    refer(text, matches, &ends, &mut tags);
    tags
}

/// Places the references inside the definitions, whose extents are in the order of the text.
fn refer(text: &str, matches: &Matches, extents: &[(usize, usize)], tags: &mut Tags) {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut next = 0;
    for (start, end, row, kind) in &matches.references {
        while let Some((from, to)) = extents.get(next).filter(|(from, _)| from <= start) {
            while open.last().is_some_and(|(end, _)| end <= from) {
                open.pop();
            }
            open.push((*to, next));
            next += 1;
        }
        while open.last().is_some_and(|(end, _)| end <= start) {
            open.pop();
        }
        let name = slice(text, (*start, *end));
        let names = &mut tags.names;
        let name = *known.entry(name).or_insert_with(|| {
            names.push(name.to_owned());
            number(names.len() - 1)
        });
        tags.references.push(Reference {
            name,
            kind: *kind,
            line: number(row + 1),
            within: open.last().map(|(_, at)| number(*at)),
        });
    }
}

/// What stands around definitions and belongs to the first one inside.
struct Outers<'a> {
    all: &'a [(usize, usize)],
    next: usize,
    /// Start and end of those that no definition has taken yet.
    open: Vec<(usize, usize)>,
}

impl Outers<'_> {
    /// Where a definition starts, with what stands around it. Definitions come in the order of the text.
    fn start_of(&mut self, found: &Found) -> usize {
        while let Some(outer) = self.all.get(self.next).filter(|o| o.0 <= found.start) {
            self.open.retain(|o| o.1 > outer.0);
            self.open.push(*outer);
            self.next += 1;
        }
        let start = self.open.iter().find(|o| o.1 >= found.end).map_or(found.start, |o| o.0);
        self.open.clear();
        start
    }
}
