//! Walks a syntax tree once and finds all matches of the patterns.
//!
//! Moving in a tree is the most expensive operation. The children of a node are therefore listed
//! once, both for the patterns that start at it and for the walk. The work is bounded by the size
//! of the tree. In addition, each pattern lists the children of each node below its start once, as
//! deep as the pattern goes. Recursion is no deeper than that.
//!
//! Tree-sitter's own `QueryCursor` costs too much. We would use it if parse and query together took
//! at most 1.6 times as long as the parse alone. Times at `opt-level = 2`, relative to the parse:
//!
//! | text | parse and query | parse and walk |
//! | --- | --- | --- |
//! | samples of all languages | 1.76 | 1.30 |
//! | Rust code of this project, 4.8 MB | 1.81 | 1.26 |
//! | Python, 0.5 MB | 1.51 | 1.15 |
//! | C, 1.3 MB | 1.32 | 1.10 |
//!
//! To repeat the measurement for the samples and the code of this project:
//! `cargo test --release -p repo-map --lib -- --ignored --nocapture what_a_search_costs`

use super::grammar::{Grammar, Role};
use super::pattern::{Child, Pattern, Step, Test};
use tree_sitter::{Node, Tree, TreeCursor};

/// A captured node and its role.
pub(super) type Capture<'tree> = (Role, Node<'tree>);

/// Calls `found` for every match, with the pattern and its captures. The last child of a step
/// matches every node that fits; a child before it matches only the first.
pub(super) fn search<'tree>(
    grammar: &'static Grammar,
    tree: &'tree Tree,
    text: &str,
    found: &mut dyn FnMut(&'static Pattern, &[Capture<'tree>]),
) {
    let root = tree.root_node();
    let mut walk = Walk {
        grammar,
        text,
        cursor: tree.walk(),
        lists: Vec::new(),
        captures: Vec::new(),
        found,
    };
    let mut open = vec![(root, root.kind_id())];
    let mut candidates = Vec::new();
    while let Some((node, kind)) = open.pop() {
        let steps = || grammar.patterns_at(kind).map(|p| &p.step);
        walk.list(
            node,
            grammar.wants_tokens(kind),
            |kind| steps().any(|step| step.asks_for_field(kind)),
            &mut candidates,
        );
        walk.start(node, kind, &candidates);
        // Visits children with content in source order.
        let first = open.len();
        for child in candidates.drain(..).filter(|c| c.is_named) {
            if child.node.named_child_count() > 0 || grammar.wants_tokens(child.kind) {
                open.push((child.node, child.kind));
            } else {
                walk.start(child.node, child.kind, &[]);
            }
        }
        open.get_mut(first..).unwrap_or_default().reverse();
    }
}

/// A child with the data that patterns need.
#[derive(Debug, Clone, Copy)]
struct ChildNode<'tree> {
    node: Node<'tree>,
    kind: u16,
    /// The field of the child, or `None` if no pattern needs it.
    field: Option<u16>,
    is_named: bool,
}

struct Walk<'a, 'tree> {
    grammar: &'static Grammar,
    text: &'a str,
    cursor: TreeCursor<'tree>,
    /// Empty lists that are reused to save allocations.
    lists: Vec<Vec<ChildNode<'tree>>>,
    captures: Vec<Capture<'tree>>,
    found: &'a mut dyn FnMut(&'static Pattern, &[Capture<'tree>]),
}

impl<'tree> Walk<'_, 'tree> {
    /// Lists the children of a node. Anonymous children are included only if `tokens` is set.
    /// Asking for a field is about as expensive as a move, so it is done only where
    /// `asks_for_field` is true.
    fn list(
        &mut self,
        node: Node<'tree>,
        tokens: bool,
        asks_for_field: impl Fn(u16) -> bool,
        out: &mut Vec<ChildNode<'tree>>,
    ) {
        out.clear();
        let count = if tokens {
            node.child_count() as usize
        } else {
            node.named_child_count()
        };
        if count == 0 {
            return;
        }
        self.cursor.reset(node);
        let mut is_there = self.cursor.goto_first_child();
        while is_there {
            let node = self.cursor.node();
            let kind = node.kind_id();
            let is_named = self.grammar.is_named(kind);
            if is_named || tokens {
                let field = if asks_for_field(kind) {
                    self.cursor.field_id().map(Into::into)
                } else {
                    None
                };
                out.push(ChildNode {
                    node,
                    kind,
                    field,
                    is_named,
                });
            }
            // Counting is cheaper than looking for a sibling after the last child.
            is_there = out.len() < count && self.cursor.goto_next_sibling();
        }
    }

    /// Tries all patterns that start at a node.
    fn start(&mut self, node: Node<'tree>, kind: u16, candidates: &[ChildNode<'tree>]) {
        for pattern in self.grammar.patterns_at(kind) {
            self.captures.clear();
            self.step(pattern, &pattern.step, node, Some(candidates), true);
        }
    }

    /// Returns whether a node of the right kind matches a step. `candidates` are its children, if
    /// they are listed already. If `is_last`, the pattern has nothing to match after this step, and
    /// every alternative is reported as a match. Otherwise the first alternative stays in
    /// `captures`.
    fn step(
        &mut self,
        pattern: &'static Pattern,
        step: &'static Step,
        node: Node<'tree>,
        candidates: Option<&[ChildNode<'tree>]>,
        is_last: bool,
    ) -> bool {
        // The parser inserts missing nodes to recover from errors; they aren't in the text.
        if node.is_missing()
            || step
                .absent
                .iter()
                .any(|field| node.child_by_field_id(*field).is_some())
        {
            return false;
        }
        let mark = self.captures.len();
        if let Some(role) = step.capture {
            self.captures.push((role, node));
        }
        let fits = match candidates {
            Some(candidates) => self.children(pattern, &step.children, candidates, is_last),
            None if step.children.is_empty() => self.children(pattern, &[], &[], is_last),
            None => {
                let mut candidates = self.lists.pop().unwrap_or_default();
                self.list(
                    node,
                    step.tokens,
                    |kind| step.asks_for_field(kind),
                    &mut candidates,
                );
                let fits = self.children(pattern, &step.children, &candidates, is_last);
                self.lists.push(candidates);
                fits
            }
        };
        if is_last || !fits {
            self.captures.truncate(mark);
        }
        fits
    }

    fn children(
        &mut self,
        pattern: &'static Pattern,
        children: &'static [Child],
        candidates: &[ChildNode<'tree>],
        is_last: bool,
    ) -> bool {
        let Some((last, before)) = children.split_last() else {
            if is_last {
                self.report(pattern);
            }
            return true;
        };
        let mut before = before.iter().peekable();
        let mut fits = false;
        for candidate in candidates {
            let child = before.peek().copied().unwrap_or(last);
            let is_end = before.peek().is_none();
            let here = self.child(pattern, child, *candidate, is_last && is_end);
            if here && is_end {
                fits = true;
                if !is_last {
                    break;
                }
            } else if here {
                before.next();
            }
            if child.is_next && (is_end || !here) && candidate.is_named {
                break;
            }
        }
        if !fits && last.is_optional && before.peek().is_none() {
            fits = true;
            if is_last {
                self.report(pattern);
            }
        }
        fits
    }

    /// Returns whether a node matches a child of a step.
    fn child(
        &mut self,
        pattern: &'static Pattern,
        child: &'static Child,
        candidate: ChildNode<'tree>,
        is_last: bool,
    ) -> bool {
        if child.field.is_some() && child.field != candidate.field {
            return false;
        }
        let is_kind = |step: &Step| {
            step.symbol
                .map_or(candidate.is_named, |symbol| symbol == candidate.kind)
        };
        let mut fits = false;
        for step in child.any.iter().filter(|step| is_kind(step)) {
            fits |= self.step(pattern, step, candidate.node, None, is_last);
            if fits && !is_last {
                break;
            }
        }
        fits
    }

    /// Reports a match if the captured text fulfils the pattern's conditions.
    fn report(&mut self, pattern: &'static Pattern) {
        let text = |role: &Role| {
            let (_, node) = self.captures.iter().find(|(r, _)| r == role)?;
            self.text.get(node.byte_range())
        };
        let holds = pattern.tests.iter().all(|test| match test {
            Test::Match(role, regex) => text(role).is_some_and(|t| regex.is_match(t)),
            Test::AnyOf(role, words) => text(role).is_some_and(|t| words.iter().any(|w| w == t)),
            Test::NoMatch(role, regex) => text(role).is_some_and(|t| !regex.is_match(t)),
            Test::NoneOf(role, words) => text(role).is_some_and(|t| words.iter().all(|w| w != t)),
        });
        if holds {
            (self.found)(pattern, &self.captures);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::masking::parse_masked;
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    use std::collections::BTreeSet;
    use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator as _};

    /// Pattern, capture, start and end of each match.
    type MatchSet = BTreeSet<(usize, String, usize, usize)>;

    /// Returns whether a node, or one of its parents, has an earlier sibling in the same field.
    fn repeats_a_field(node: Node<'_>) -> bool {
        std::iter::successors(Some(node), Node::parent).any(|node| {
            let Some(parent) = node.parent() else {
                return false;
            };
            let mut cursor = parent.walk();
            let mut met = BTreeSet::new();
            let mut more = cursor.goto_first_child();
            while more && cursor.node() != node {
                met.extend(cursor.field_id());
                more = cursor.goto_next_sibling();
            }
            cursor.field_id().is_some_and(|field| met.contains(&field))
        })
    }

    /// Returns the matches of the walk. The second set contains those after an error among their
    /// siblings, and in `broken` text also those after another node of the same field.
    fn ours(grammar: &'static Grammar, tree: &Tree, text: &str, broken: bool) -> [MatchSet; 2] {
        let (mut out, mut behind) = (MatchSet::new(), MatchSet::new());
        search(grammar, tree, text, &mut |pattern, captures| {
            let at = grammar
                .patterns
                .iter()
                .position(|p| std::ptr::eq(p, pattern))
                .unwrap();
            for (role, node) in captures {
                let found = (at, format!("{role:?}"), node.start_byte(), node.end_byte());
                let mut before = std::iter::successors(node.prev_sibling(), |n| n.prev_sibling());
                if before.any(|sibling| sibling.is_error()) || broken && repeats_a_field(*node) {
                    behind.insert(found.clone());
                }
                out.insert(found);
            }
        });
        [out, behind]
    }

    /// Returns the matches of tree-sitter's engine, except for nodes that aren't in the text.
    fn theirs(query: &Query, tree: &Tree, text: &str) -> MatchSet {
        let mut out = MatchSet::new();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
        while let Some(found) = matches.next() {
            if found.captures().iter().any(|c| c.node.is_missing()) {
                continue;
            }
            for capture in found.captures() {
                let role = Role::named(query.capture_names()[capture.index as usize]).unwrap();
                let node = capture.node;
                out.insert((
                    found.pattern_index,
                    format!("{role:?}"),
                    node.start_byte(),
                    node.end_byte(),
                ));
            }
        }
        out
    }

    fn agree(language: Language, query: &Query, text: &str, broken: bool) {
        let grammar = Grammar::for_language(language).unwrap();
        let mut parser = Parser::new();
        let parsed = parse_masked(&mut parser, &grammar.language, language, text);
        let tree = parsed.unwrap().tree;
        let ([ours, behind], theirs) = (
            ours(grammar, &tree, text, broken),
            theirs(query, &tree, text),
        );
        // For several children of one field, the engine misses those after an error or after a node
        // that error recovery inserted: it considers the field as used. The walk finds them. It may
        // find no other additional matches.
        let more: MatchSet = &(&ours - &theirs) - &behind;
        let (name, less) = (language.name(), &theirs - &ours);
        assert!(
            more.is_empty() && less.is_empty(),
            "{name}: only here {more:?}, only there {less:?} in {text:?}"
        );
    }

    fn samples() -> Vec<(Language, String)> {
        let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .join("corpora/repomap/samples");
        let files = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path());
        let texts = files
            .filter(|p| p.extension().is_some_and(|e| e != "expect"))
            .filter_map(|path| {
                let text = std::fs::read_to_string(&path).unwrap();
                Some((Language::of(path.to_str()?, text.as_bytes())?, text))
            });
        texts.collect()
    }

    #[test]
    fn patterns_mean_what_they_mean_to_tree_sitter() {
        let samples = samples();
        for language in Language::ALL {
            let query = Query::new(
                &Grammar::for_language(language).unwrap().language,
                &super::super::grammar::parts(language).unwrap().1,
            )
            .unwrap();
            let mut seen = 0;
            for (_, text) in samples.iter().filter(|(l, _)| *l == language) {
                agree(language, &query, text, false);
                seen += text.len();
            }
            assert!(seen > 0, "{}", language.name());
        }
    }

    #[test]
    fn broken_text_changes_nothing_of_that() {
        let samples = samples();
        let queries: Vec<(Language, Query)> = Language::ALL
            .iter()
            .map(|l| {
                (
                    *l,
                    Query::new(
                        &Grammar::for_language(*l).unwrap().language,
                        &super::super::grammar::parts(*l).unwrap().1,
                    )
                    .unwrap(),
                )
            })
            .collect();
        let mut runner = TestRunner::new(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(256)
        });
        let cut = (
            any::<proptest::sample::Index>(),
            any::<proptest::sample::Index>(),
            any::<proptest::sample::Index>(),
        );
        runner
            .run(&cut, |(which, from, to)| {
                let (language, text) = &samples[which.index(samples.len())];
                let (from, to) = (from.index(text.len()), to.index(text.len()));
                let (from, to) = (
                    text.floor_char_boundary(from.min(to)),
                    text.floor_char_boundary(from.max(to)),
                );
                let query = &queries.iter().find(|(l, _)| l == language).unwrap().1;
                let (before, rest) = text.split_at(from);
                let (middle, after) = rest.split_at(to - from);
                agree(*language, query, middle, true);
                agree(*language, query, &[before, after].concat(), true);
                Ok(())
            })
            .unwrap();
    }

    /// Prints the time of a search relative to that of the parse.
    #[test]
    #[ignore = "a measurement"]
    #[expect(clippy::print_stdout, reason = "a measurement prints")]
    fn what_a_search_costs() {
        let mut texts = samples();
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let mut folders = vec![root.join("src"), root.join("crates")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    texts.push((Language::Rust, std::fs::read_to_string(path).unwrap()));
                }
            }
        }
        for language in Language::ALL {
            let grammar = Grammar::for_language(language).unwrap();
            let query = super::super::grammar::parts(language).unwrap().1;
            let query = Query::new(&grammar.language, &query).unwrap();
            let mut parser = Parser::new();
            parser.set_language(&grammar.language).unwrap();
            let mut cursor = QueryCursor::new();
            // The fastest of several rounds is the least disturbed one.
            let mut best = [f64::MAX; 3];
            for _ in 0..10 {
                for (kind, best) in best.iter_mut().enumerate() {
                    let start = std::time::Instant::now();
                    for (_, text) in texts.iter().filter(|(l, _)| *l == language) {
                        let tree = parser.parse(text, None).unwrap();
                        let mut captured = 0;
                        if kind == 1 {
                            let root = tree.root_node();
                            let mut matches = cursor.matches(&query, root, text.as_bytes());
                            while let Some(found) = matches.next() {
                                captured += found.captures().len();
                            }
                        } else if kind == 2 {
                            search(grammar, &tree, text, &mut |_, captures| {
                                captured += captures.len();
                            });
                        }
                        std::hint::black_box(captured);
                    }
                    *best = best.min(start.elapsed().as_secs_f64());
                }
            }
            let [parse, query, walk] = best;
            let name = language.name();
            println!(
                "{name:10} query {:.2}, walk {:.2}",
                query / parse,
                walk / parse
            );
        }
    }
}
