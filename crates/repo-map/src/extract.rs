//! Extracts tags from a text: parses it, runs the patterns and combines their matches.

use super::annotations::{Mark, Marks};
use super::grammar::Grammar;
use super::language::Language;
use super::masking::parse_masked;
use super::matches::{DefinitionMatch, Matches};
use super::signature::{self, Hidden};
use super::tags::{Definition, Kind, Reference, Tags};
use super::{comment, names};
use bounded_parse::Unparsed;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use tree_sitter::Parser;

/// Why a file in a supported language has no tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// Parsing it, or searching its tree, takes more work than any ordinary file of its size.
    #[error("takes too much work to parse")]
    TooMuchWork,
    /// The grammar can't be used.
    #[error("the grammar of `{0}` can't be used")]
    NoGrammar(&'static str),
}

/// Extracts the tags of a text.
///
/// # Errors
/// Returns [`Unread`] if the text costs too much to parse.
pub fn extract(language: Language, text: &str) -> Result<Tags, Unread> {
    Extractor::default().extract(language, text)
}

/// Extracts tags of one text after another and reuses the parser's memory.
#[derive(Default)]
pub(super) struct Extractor {
    parser: Parser,
}

impl Extractor {
    /// Extracts the tags of a text.
    pub(super) fn extract(&mut self, language: Language, text: &str) -> Result<Tags, Unread> {
        let grammar = Grammar::for_language(language).ok_or(Unread::NoGrammar(language.name()))?;
        let parsed = parse_masked(&mut self.parser, &grammar.language, language, text);
        let parsed = parsed.map_err(|why| match why {
            Unparsed::Grammar => Unread::NoGrammar(language.name()),
            Unparsed::TooMuchWork => Unread::TooMuchWork,
        })?;
        let matches = Matches::new(grammar, &parsed, text);
        let has_errors = parsed.tree.root_node().has_error();
        // Drop the tree before the tags are allocated. Allocations between its nodes would fragment
        // the memory for the next tree.
        drop(parsed);
        Ok(assemble(language, text, &matches, has_errors))
    }
}

/// Returns the position of a keyword that directly precedes a definition, such as `type` in Go.
fn before(text: &str, at: usize, word: &str) -> Option<usize> {
    let line = text.get(..at)?.trim_end_matches([' ', '\t']);
    line.ends_with(word).then(|| line.len() - word.len())
}

/// Returns the text of a range, or nothing if the range splits a character.
fn slice(text: &str, (start, end): (usize, usize)) -> &str {
    text.get(start..end).unwrap_or_default()
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn assemble(language: Language, text: &str, matches: &Matches, has_errors: bool) -> Tags {
    let mut tags = Tags {
        has_errors,
        doc: comment::of_file(language, text, &matches.comments, &matches.docs),
        ..Tags::default()
    };
    let hidden = Hidden::new(&matches.comments);
    // The end and index of each open definition.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut outers = OuterSyntax {
        all: &matches.outers,
        next: 0,
        open: Vec::new(),
    };
    let mut seen = SeenNames::new(language, text, matches);
    for found in &matches.definitions {
        while open.last().is_some_and(|(end, _)| *end <= found.start) {
            open.pop();
        }
        let around = open
            .last()
            .and_then(|(_, at)| Some((*at, tags.definitions.get(*at)?.kind)));
        let start = outers.start_of(found);
        if found.kind.is_only_global() && around.is_some_and(|(_, kind)| kind.is_callable()) {
            continue;
        }
        let name = names::of(language, found.kind, slice(text, found.name));
        if names::is_keyword(language, &name.name) {
            continue;
        }
        if !seen.is_new(found.kind, &name.name) {
            continue;
        }
        let of = found
            .parent
            .map(|p| names::plain(slice(text, p)).to_owned())
            // `exports.f = function` defines a function of the module.
            .filter(|of| !matches!(of.as_str(), "exports" | "module"))
            .or(name.of);
        let kind = match found.kind {
            Kind::Function
                if of.is_some() || around.is_some_and(|(_, kind)| kind.has_methods()) =>
            {
                Kind::Method
            }
            Kind::Method if language == Language::Ruby && around.is_none() => Kind::Function,
            other => other,
        };
        let start = found
            .prefix
            .and_then(|word| before(text, found.start, word))
            .unwrap_or(start.min(found.start));
        let prefix = found.prefix.filter(|_| start == found.start);
        let mut signature = signature::of(
            text,
            start,
            found.body.unwrap_or(found.end),
            &hidden,
            prefix,
            kind,
            language,
        );
        if kind != Kind::Implementation
            && !signature.ends_with('…')
            && !signature.contains(&name.name)
        {
            // `typedef struct {…} name`
            signature.push(' ');
            signature.push_str(&signature::one_line(&name.name, signature::LIMIT));
        }
        let doc = comment::of(
            language,
            text,
            start,
            found.body,
            &matches.comments,
            &matches.docs,
        );
        let within = around.map(|(at, _)| number(at));
        if doc.is_none() && is_repeated(language, &tags, kind, &name.name, within) {
            // It belongs to the definition before it.
            if let (Some(last), Some(extent)) = (tags.definitions.last_mut(), ends.last_mut()) {
                last.end = number(found.last);
                extent.1 = found.end;
            }
            open.push((found.end, tags.definitions.len() - 1));
            continue;
        }
        let around_it = around.and_then(|(at, _)| tags.definitions.get(at));
        let private = names::is_private(language, kind, &name.name, &signature, around_it);
        open.push((found.end, tags.definitions.len()));
        ends.push((found.start, found.end));
        tags.definitions.push(Definition {
            marks: Marks::default(),
            name: name.name,
            kind,
            line: number(found.line),
            end: number(found.last),
            signature,
            doc,
            within,
            of,
            private,
        });
    }
    refer(text, matches, &ends, &mut tags);
    mark(text, matches, &ends, &mut tags);
    tags
}

/// Names that a script in JavaScript defines already: `var` may repeat, and an export is no second
/// definition of a function.
struct SeenNames<'t> {
    is_script: bool,
    names: HashSet<Cow<'t, str>>,
}

impl<'t> SeenNames<'t> {
    fn new(language: Language, text: &'t str, matches: &Matches) -> Self {
        let is_script = language.is_script();
        let main = matches.definitions.iter().filter(|d| {
            is_script && !matches!(d.kind, Kind::Variable | Kind::Constant | Kind::Method)
        });
        SeenNames {
            is_script,
            names: main.map(|d| Cow::Borrowed(slice(text, d.name))).collect(),
        }
    }

    /// Returns whether a variable or constant has a new name. Other definitions always are new.
    fn is_new(&mut self, kind: Kind, name: &str) -> bool {
        !self.is_script
            || !matches!(kind, Kind::Variable | Kind::Constant)
            || self.names.insert(Cow::Owned(name.to_owned()))
    }
}

/// Returns whether a definition only repeats the one before it: a further clause of a function in
/// Elixir.
fn is_repeated(
    language: Language,
    tags: &Tags,
    kind: Kind,
    name: &str,
    within: Option<u32>,
) -> bool {
    language == Language::Elixir
        && kind.is_callable()
        && tags
            .definitions
            .last()
            .is_some_and(|d| d.kind == kind && d.name == name && d.within == within)
}

/// Finds the innermost definition around a place. Places must be queried in source order.
struct EnclosingDefinitions<'a> {
    /// Start and end of each definition, in source order.
    extents: &'a [(usize, usize)],
    next: usize,
    /// The end and index of each definition that is open at the last place.
    open: Vec<(usize, usize)>,
}

impl<'a> EnclosingDefinitions<'a> {
    const fn new(extents: &'a [(usize, usize)]) -> Self {
        EnclosingDefinitions {
            extents,
            next: 0,
            open: Vec::new(),
        }
    }

    fn at(&mut self, place: usize) -> Option<usize> {
        while let Some((from, to)) = self
            .extents
            .get(self.next)
            .filter(|(from, _)| *from <= place)
        {
            while self.open.last().is_some_and(|(end, _)| end <= from) {
                self.open.pop();
            }
            self.open.push((*to, self.next));
            self.next += 1;
        }
        while self.open.last().is_some_and(|(end, _)| *end <= place) {
            self.open.pop();
        }
        self.open.last().map(|(_, at)| *at)
    }
}

/// Assigns the references to their enclosing definitions. `extents` must be in source order.
fn refer(text: &str, matches: &Matches, extents: &[(usize, usize)], tags: &mut Tags) {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut around = EnclosingDefinitions::new(extents);
    for (start, end, row, kind) in &matches.references {
        let within = around.at(*start).map(number);
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
            within,
        });
    }
}

/// Gives definitions their marks. A mark of a definition that is local to a call also applies to
/// the call, since maps don't show local definitions.
fn mark(text: &str, matches: &Matches, extents: &[(usize, usize)], tags: &mut Tags) {
    let mut around = EnclosingDefinitions::new(extents);
    for (place, mark) in &matches.marks {
        mark_at(tags, around.at(*place), *mark);
    }
    let data: HashMap<String, usize> = tags
        .definitions
        .iter()
        .enumerate()
        .filter(|(_, d)| matches!(d.kind, Kind::Variable | Kind::Constant))
        .map(|(at, d)| (d.name.clone(), at))
        .collect();
    let mut around = EnclosingDefinitions::new(extents);
    for place in &matches.writes {
        let is_call = |at: &usize| {
            tags.definitions
                .get(*at)
                .is_some_and(|d| d.kind.is_callable())
        };
        let Some(writer) = around.at(place.0).filter(is_call) else {
            continue;
        };
        if let Some(written) = data.get(slice(text, *place)) {
            mark_at(tags, Some(*written), Mark::Global);
            mark_at(tags, Some(writer), Mark::Global);
        }
    }
}

/// Marks a definition and the calls that it is local to, or the file if there is no definition.
fn mark_at(tags: &mut Tags, at: Option<usize>, mark: Mark) {
    let Some(mut at) = at else {
        return tags.marks.add(mark);
    };
    // A definition with the mark has already passed it on to the calls around it.
    while let Some(definition) = tags.definitions.get_mut(at).filter(|d| !d.marks.has(mark)) {
        definition.marks.add(mark);
        let Some(outer) = definition.within.map(|w| w as usize) else {
            break;
        };
        if !tags
            .definitions
            .get(outer)
            .is_some_and(|d| d.kind.is_callable())
        {
            break;
        }
        at = outer;
    }
}

/// Syntax around definitions, such as `export`, that belongs to the first definition inside.
struct OuterSyntax<'a> {
    all: &'a [(usize, usize)],
    next: usize,
    /// Start and end of those that aren't assigned to a definition yet.
    open: Vec<(usize, usize)>,
}

impl OuterSyntax<'_> {
    /// Returns the start of a definition, including the syntax around it. Call this in source
    /// order.
    fn start_of(&mut self, found: &DefinitionMatch) -> usize {
        while let Some(outer) = self.all.get(self.next).filter(|o| o.0 <= found.start) {
            self.open.retain(|o| o.1 > outer.0);
            self.open.push(*outer);
            self.next += 1;
        }
        let start = self
            .open
            .iter()
            .find(|o| o.1 >= found.end)
            .map_or(found.start, |o| o.0);
        self.open.clear();
        start
    }
}
