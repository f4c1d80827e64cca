//! Finds calls of Rust's macros that wrap items: `cfg_rt! { pub fn f() {} }`.
//!
//! To the grammar, the arguments of a macro are a tree of tokens. Where a call is in the place of
//! an item and its arguments parse as items, the call is hidden and they become visible.

use super::Mask;
use bounded_parse::parse;
use tree_sitter::{Node, Parser, Tree};

/// Maximum depth of macros in macros.
const MAX_DEPTH: usize = 6;

/// Finds the calls to hide. Each text is parsed once for each macro around it, at most
/// [`MAX_DEPTH`] times.
pub(super) fn mask(
    parser: &mut Parser,
    grammar: &tree_sitter::Language,
    text: &str,
    tree: &Tree,
) -> Mask {
    let mut mask = Mask::default();
    // A piece of the text by its place, its tree, and the number of macros around it.
    let mut open = vec![(0, tree.clone(), 0)];
    while let Some((offset, tree, depth)) = open.pop() {
        for (call, body) in calls(&tree) {
            let inner = body.start_byte() + 1..body.end_byte().saturating_sub(1);
            let place = offset + inner.start;
            let Some(content) = text.get(place..offset + inner.end) else {
                continue;
            };
            let Ok(inner_tree) = parse(parser, grammar, content) else {
                continue;
            };
            if !has_only_items(&inner_tree) {
                continue;
            }
            let name = call
                .child_by_field_name("macro")
                .map_or(call.start_byte()..call.start_byte(), |n| n.byte_range());
            let name_start = text
                .get(offset + name.start..offset + name.end)
                .and_then(|n| n.rfind(':'))
                .map_or(name.start, |at| name.start + at + 1);
            mask.calls.push(offset + name_start..offset + name.end);
            mask.hidden.push(offset + call.start_byte()..place);
            mask.hidden
                .push(offset + inner.end..offset + body.end_byte());
            if depth < MAX_DEPTH {
                open.push((place, inner_tree, depth + 1));
            }
        }
    }
    mask.calls.sort_unstable_by_key(|c| c.start);
    mask
}

/// Returns the calls of macros in the place of items, with their arguments in braces.
fn calls(tree: &Tree) -> Vec<(Node<'_>, Node<'_>)> {
    let mut out = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "mod_item" | "impl_item" | "trait_item" | "foreign_mod_item" => {
                    open.extend(child.child_by_field_name("body"));
                }
                "macro_invocation" | "expression_statement" => {
                    let call = if child.kind() == "macro_invocation" {
                        Some(child)
                    } else {
                        child
                            .named_child(0)
                            .filter(|c| c.kind() == "macro_invocation")
                    };
                    let tokens = call.and_then(|c| Some((c, c.named_child(1)?)));
                    let in_braces = |(_, tokens): &(Node<'_>, Node<'_>)| {
                        tokens.kind() == "token_tree"
                            && tokens.child(0).is_some_and(|c| c.kind() == "{")
                            && !tokens.has_error()
                    };
                    out.extend(tokens.filter(in_braces));
                }
                _ => {}
            }
        }
    }
    out
}

/// Returns whether a text consists of items.
fn has_only_items(tree: &Tree) -> bool {
    let root = tree.root_node();
    if root.has_error() || root.named_child_count() == 0 {
        return false;
    }
    let mut cursor = root.walk();
    root.named_children(&mut cursor).all(|child| {
        let kind = child.kind();
        let is_call = kind == "macro_invocation"
            || kind == "expression_statement"
                && child
                    .named_child(0)
                    .is_some_and(|c| c.kind() == "macro_invocation");
        is_call
            || kind.ends_with("_item")
            || matches!(
                kind,
                "line_comment"
                    | "block_comment"
                    | "use_declaration"
                    | "extern_crate_declaration"
                    | "macro_definition"
                    | "associated_type"
            )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let grammar = tree_sitter_rust::LANGUAGE.into();
        let mut parser = Parser::new();
        let tree = parse(&mut parser, &grammar, text).unwrap();
        let mask = mask(&mut parser, &grammar, text, &tree);
        let masked = mask.apply(text);
        assert_eq!(masked.len(), text.len());
        masked.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn items_in_macros_become_visible() {
        for (text, expected) in [
            ("cfg_rt! { fn f() {} }", "fn f() {}"),
            (
                "a::b! { cfg! { struct A; } use b::C; }",
                "struct A; use b::C;",
            ),
            (
                "impl A { cfg! { fn f(&self) {} } }",
                "impl A { fn f(&self) {} }",
            ),
            (
                "mod m { cfg! { const A: u8 = 1; } }",
                "mod m { const A: u8 = 1; }",
            ),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn other_macros_are_kept() {
        for text in [
            "map! { \"a\" => 1 }",
            "vec![fn f() {}];",
            "macro_rules! a { () => { fn f() {} }; }",
            "fn f() { cfg! { struct A; } }",
            "broken! { fn f( {} }",
            "empty! {}",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn depth_is_bounded() {
        let text = format!("{}fn f() {{}}{}", "a! { ".repeat(2000), " }".repeat(2000));
        assert!(shown(&text).starts_with("a! {"));
    }
}
