//! Constant propagation in inline code: `p = 'src/x.py'; open(p, 'w')`.
//!
//! The syntax tree shows every mention of a name. A name is constant if its first mention assigns
//! it a text at the top level. All others must read it where nothing can assign another value. Its
//! mentions are replaced by the text, and the code is rated in that form. A name with any other
//! mention stays unknown.

use super::tree::{self, SyntaxTree};
use crate::chars::{STAR, has_unknown};
use rustc_hash::FxHashMap;
use std::ops::Range;
use tree_sitter::Node;

/// Maximum length of a propagated value, in bytes.
const MAX_VALUE: usize = 200;
/// Maximum number of propagation rounds, for values that depend on others.
const MAX_ROUNDS: usize = 4;
/// Maximum number of variants, from the values of loops and the calls of functions.
const MAX_VARIANTS: usize = 16;
/// Maximum number of mentions of names.
const MAX_MENTIONS: usize = 512;

/// Returns whether code can access its own variables through a name.
fn accesses_variables(lang: &str, name: &str) -> bool {
    match lang {
        "python" => matches!(
            name,
            "exec"
                | "eval"
                | "locals"
                | "globals"
                | "vars"
                | "setattr"
                | "delattr"
                | "ctypes"
                | "gc"
                | "f_locals"
                | "f_globals"
                | "f_back"
                | "__dict__"
                | "__main__"
                | "__globals__"
                | "__setattr__"
        ),
        "js" => name == "eval",
        "ruby" => matches!(
            name,
            "eval"
                | "binding"
                | "instance_eval"
                | "class_eval"
                | "module_eval"
                | "local_variable_set"
                | "ObjectSpace"
                | "Binding"
                | "Fiddle"
        ),
        _ => matches!(
            name,
            "eval"
                | "extract"
                | "parse_str"
                | "mb_parse_str"
                | "assert"
                | "create_function"
                | "FFI"
        ),
    }
}

/// Returns whether a statement can assign names without mentioning them, or redefine functions.
fn redefines_names(lang: &str, kind: &str) -> bool {
    match lang {
        "python" => matches!(kind, "wildcard_import" | "case_clause" | "exec_statement"),
        "js" => kind == "with_statement",
        "ruby" => matches!(
            kind,
            "method" | "singleton_method" | "class" | "singleton_class" | "module" | "alias"
        ),
        _ => matches!(kind, "dynamic_variable_name" | "namespace_definition"),
    }
}

/// Code with its constants replaced.
pub(super) struct Variant {
    pub(super) text: String,
    /// The tree of `text`, if it was parsed.
    pub(super) tree: Option<SyntaxTree>,
}

/// Returns the code with its constants replaced, one variant for each value of a loop over texts.
pub(super) fn propagate(lang: &str, text: &str) -> Vec<Variant> {
    let mut variants = Vec::new();
    if !may_have_constants(text) || expand(lang, text.to_owned(), 0, &mut variants).is_none() {
        let text = text.to_owned();
        return vec![Variant { text, tree: None }];
    }
    variants
}

/// Returns quickly whether constants in a text may be replaced.
fn may_have_constants(text: &str) -> bool {
    text.contains(['"', '\''])
        && (text.contains('=') || text.contains("for "))
        && !has_unknown(text)
        && !text.contains("__main__")
}

/// Replaces constants until none is left. `None` if there are too many variants.
fn expand(lang: &str, text: String, rounds: usize, out: &mut Vec<Variant>) -> Option<()> {
    let tree = (rounds < MAX_ROUNDS)
        .then(|| tree::parsed(lang, &text))
        .flatten();
    let replaced = tree
        .as_ref()
        .and_then(|tree| propagate_once(lang, &text, tree));
    match replaced {
        Some(texts) => {
            drop(tree);
            for one in texts {
                expand(lang, one, rounds + 1, out)?;
            }
        }
        None => out.push(Variant { text, tree }),
    }
    (out.len() <= MAX_VARIANTS).then_some(())
}

/// The replacement of a mention.
type Edit = (Range<usize>, String);

/// Performs one round: replaces constants, or unrolls the first loop or function with all its
/// values.
fn propagate_once(
    lang: &str,
    text: &str,
    SyntaxTree { tree, source }: &SyntaxTree,
) -> Option<Vec<String>> {
    let before = source.len().checked_sub(text.len())?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let code = Source {
        lang,
        text: source,
        mentions: mentions(lang, root, source)?,
    };
    let mut edits: Vec<Edit> = Vec::new();
    let mut variants: Vec<Vec<Edit>> = Vec::new();
    let mut all: Vec<_> = code.mentions.values().collect();
    all.sort_by_key(|nodes| nodes.first().map(Node::start_byte));
    for nodes in all {
        let Some((first, others)) = nodes.split_first().filter(|(_, o)| !o.is_empty()) else {
            continue;
        };
        if let Some(value) = code.assigned_text(*first) {
            edits.extend(code.read_edits(others, value).into_iter().flatten());
        } else if variants.is_empty() {
            let values = code.loop_values(*first).and_then(|values| {
                let all = values.iter().map(|v| code.read_edits(others, v));
                all.collect::<Option<Vec<_>>>()
            });
            let found = values.or_else(|| code.call_edits(*first, others));
            variants = found.unwrap_or_default();
        }
    }
    let put = |more: &[Edit]| {
        let mut all: Vec<_> = edits.iter().chain(more).cloned().collect();
        all.sort_by_key(|(at, _)| at.start);
        let mut out = String::with_capacity(source.len());
        let mut from = before;
        for (at, value) in all {
            out.push_str(source.get(from..at.start)?);
            out.push_str(&value);
            from = at.end;
        }
        out.push_str(source.get(from..)?);
        (out.len() <= tree::MAX_TEXT).then_some(out)
    };
    if variants.is_empty() && edits.is_empty() {
        return None;
    }
    if variants.is_empty() {
        variants.push(Vec::new());
    }
    variants.iter().map(|v| put(v)).collect()
}

/// Code with its mentions of names.
struct Source<'t, 's> {
    lang: &'s str,
    text: &'s str,
    mentions: Mentions<'t, 's>,
}

type Mentions<'t, 's> = FxHashMap<&'s str, Vec<Node<'t>>>;

/// Collects all names of the code with their nodes. `None` if the code can access its own variables
/// in other ways.
fn mentions<'t, 's>(lang: &str, root: Node<'t>, source: &'s str) -> Option<Mentions<'t, 's>> {
    let mut out = Mentions::default();
    let mut cursor = root.walk();
    let mut count = 0_usize;
    loop {
        let node = cursor.node();
        if redefines_names(lang, node.kind()) {
            return None;
        }
        if tree::is_name(node) || node.kind().starts_with("shorthand_property_identifier") {
            let name = source.get(node.byte_range())?;
            if accesses_variables(lang, name) {
                return None;
            }
            count += 1;
            if count > MAX_MENTIONS {
                return None;
            }
            out.entry(name).or_default().push(node);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(out);
            }
        }
    }
}

impl<'t, 's> Source<'t, 's> {
    fn of(&self, node: Node<'_>) -> Option<&'s str> {
        self.text.get(node.byte_range())
    }

    /// Returns the expression that the mention assigns to the name, if it is a text.
    fn assigned_text(&self, node: Node<'t>) -> Option<&'s str> {
        let parent = node.parent()?;
        let (value, statement) = match (self.lang, parent.kind()) {
            ("python", "assignment") => {
                if parent.child_by_field_name("type").is_some() {
                    return None;
                }
                (
                    assigned_value(parent, node, "left", "right")?,
                    expression_statement(parent)?,
                )
            }
            ("ruby", "assignment") => (assigned_value(parent, node, "left", "right")?, parent),
            ("js", "variable_declarator") => {
                let statement = parent
                    .parent()
                    .filter(|s| s.kind() == "lexical_declaration")?;
                if self.of(statement.child(0)?)? != "const" {
                    return None;
                }
                (assigned_value(parent, node, "name", "value")?, statement)
            }
            // `$p`: the name is a child of the variable.
            ("php", "variable_name") => {
                let assignment = parent.parent();
                let assignment = assignment.filter(|a| a.kind() == "assignment_expression")?;
                let value = assigned_value(assignment, parent, "left", "right")?;
                (value, expression_statement(assignment)?)
            }
            _ => return None,
        };
        // In a function, a condition or a loop the assignment may run several times or never.
        let top = matches!(statement.parent()?.kind(), "module" | "program");
        let list = self.lang == "python" && texts_of(value).is_some();
        (top && (list || self.is_text(value))).then(|| self.of(value))?
    }

    /// Returns the values of a top-level loop variable: `for p in ['a', 'b']:`, or the files that a
    /// pattern matches.
    fn loop_values(&self, node: Node<'t>) -> Option<Vec<String>> {
        let parent = node.parent()?;
        if self.lang != "python" || parent.kind() != "for_statement" {
            return None;
        }
        let list = assigned_value(parent, node, "left", "right")?;
        if parent.parent()?.kind() != "module" {
            return None;
        }
        if list.kind() == "call" {
            return Some(vec![self.globbed_files(list)?]);
        }
        let texts = texts_of(list)?;
        texts
            .into_iter()
            .map(|v| self.of(v).map(str::to_owned))
            .collect()
    }

    /// Returns the files that a call finds by a pattern with an extension:
    /// `glob.glob('src/**/*.py')`, `Path('src').rglob('*.ts')`.
    fn globbed_files(&self, call: Node<'t>) -> Option<String> {
        let function = call.child_by_field_name("function")?;
        let arguments = call.child_by_field_name("arguments")?;
        let mut cursor = arguments.walk();
        let mut given = arguments.named_children(&mut cursor);
        let pattern = given.next().filter(|p| plain(*p))?;
        let only = given.all(|more| self.of(more).is_some_and(|t| t == "recursive=True"));
        let pattern = bare_text(self.of(pattern)?)?;
        let (stem, extension) = pattern.rsplit_once('.')?;
        let named = !extension.is_empty() && extension.chars().all(char::is_alphanumeric);
        if !only || !named || !stem.ends_with('*') || pattern.contains(['?', '[', '\\']) {
            return None;
        }
        let star = |text: &str| {
            let text = text.replace("**/*", "*").replace("**/", "*/");
            text.replace('*', STAR.encode_utf8(&mut [0; 4]))
        };
        let name = self.of(function)?;
        if matches!(name, "glob.glob" | "glob.iglob") && self.is_module("glob") {
            return Some(format!("'{}'", star(&pattern)));
        }
        let (of, method) = name.rsplit_once('.')?;
        let object = function
            .child_by_field_name("object")
            .filter(|o| o.kind() == "call")?;
        if !matches!(method, "glob" | "rglob") || !self.is_text(object) {
            return None;
        }
        let base = bare_text(of)?;
        let deep = if method == "rglob" && !pattern.starts_with('*') {
            "*/"
        } else {
            ""
        };
        Some(format!(
            "Path('{base}/{}')",
            star(&format!("{deep}{pattern}"))
        ))
    }

    /// Returns the replacements for the parameters of a top-level function, for each of its calls:
    /// `def edit(path, old, new)`. `node` is the function's name, `others` are all other mentions
    /// of it.
    fn call_edits(&self, node: Node<'t>, others: &[Node<'t>]) -> Option<Vec<Vec<Edit>>> {
        let function = node
            .parent()
            .filter(|f| f.kind() == "function_definition")?;
        let named = function.child_by_field_name("name") == Some(node);
        if !named || function.parent()?.kind() != "module" {
            return None;
        }
        let parameters = function.child_by_field_name("parameters")?;
        let mut cursor = parameters.walk();
        let parameters: Vec<Node<'t>> = parameters.named_children(&mut cursor).collect();
        if parameters.iter().any(|p| p.kind() != "identifier") {
            return None;
        }
        let mut calls: Vec<Vec<Node<'t>>> = Vec::new();
        for mention in others {
            let call = mention.parent().filter(|c| c.kind() == "call")?;
            if call.child_by_field_name("function") != Some(*mention) {
                return None;
            }
            let list = call.child_by_field_name("arguments")?;
            let mut cursor = list.walk();
            let given: Vec<Node<'t>> = list.named_children(&mut cursor).collect();
            let odd = |n: &Node<'_>| {
                matches!(
                    n.kind(),
                    "keyword_argument" | "list_splat" | "dictionary_splat"
                )
            };
            if given.len() != parameters.len() || given.iter().any(odd) {
                return None;
            }
            calls.push(given);
        }
        let mut out: Vec<Vec<Edit>> = vec![Vec::new(); calls.len()];
        for (k, parameter) in parameters.iter().enumerate() {
            let Some((first, reads)) = self.mentions.get(self.of(*parameter)?)?.split_first()
            else {
                continue;
            };
            let values: Option<Vec<Vec<Edit>>> = calls
                .iter()
                .map(|given| {
                    let value = given.get(k).filter(|v| plain(**v))?;
                    self.read_edits(reads, self.of(*value)?)
                })
                .collect();
            if first == parameter
                && let Some(values) = values
            {
                for (all, edits) in out.iter_mut().zip(values) {
                    all.extend(edits);
                }
            }
        }
        out.iter().all(|edits| !edits.is_empty()).then_some(out)
    }

    /// Returns whether the node is a text, a concatenation of texts, or a path built from texts.
    fn is_text(&self, node: Node<'t>) -> bool {
        if node.byte_range().len() > MAX_VALUE {
            return false;
        }
        let mut cursor = node.walk();
        match node.kind() {
            "binary_operator" if self.lang == "python" => {
                let operand = |field| {
                    node.child_by_field_name(field)
                        .is_some_and(|n| self.is_text(n) && n.kind() != "call")
                };
                let operator = node.child_by_field_name("operator");
                operator.is_some_and(|n| n.kind() == "+") && operand("left") && operand("right")
            }
            "call" if self.lang == "python" => {
                let function = node.child_by_field_name("function");
                let (Some(name), Some(args)) = (
                    function.and_then(|n| self.of(n)),
                    node.child_by_field_name("arguments"),
                ) else {
                    return false;
                };
                matches!(name, "Path" | "pathlib.Path" | "os.path.join")
                    && args.named_child_count() > 0
                    && args.named_children(&mut cursor).all(plain)
                    && self.is_module(name.split('.').next().unwrap_or(name))
            }
            _ => plain(node),
        }
    }

    /// Returns whether the name is only used as an import from the standard library.
    fn is_module(&self, name: &str) -> bool {
        let home = if name == "Path" { "pathlib" } else { name };
        let Some(nodes) = self.mentions.get(name) else {
            return false;
        };
        nodes.iter().all(|node| {
            let Some(parent) = node.parent() else {
                return false;
            };
            match parent.kind() {
                "call" => parent.child_by_field_name("function") == Some(*node),
                "attribute" => {
                    let object = parent.child_by_field_name("object") == Some(*node);
                    // `glob.glob`: the name of the function.
                    let member = parent.child_by_field_name("attribute") == Some(*node);
                    let used = outermost_member(parent).parent();
                    let read = |o: Node<'_>| matches!(o.kind(), "call" | "argument_list");
                    (object || member) && used.is_some_and(read)
                }
                "dotted_name" => parent.parent().is_some_and(|import| match import.kind() {
                    "import_statement" => parent.child(0) == Some(*node),
                    "import_from_statement" => import
                        .child_by_field_name("module_name")
                        .and_then(|m| self.of(m))
                        .is_some_and(|m| m == home || m.starts_with("os.")),
                    _ => false,
                }),
                _ => false,
            }
        })
    }

    /// Returns the replacements of all mentions. `None` if one of them may do more than read.
    fn read_edits(&self, mentions: &[Node<'t>], value: &str) -> Option<Vec<Edit>> {
        mentions.iter().map(|n| self.read_edit(*n, value)).collect()
    }

    /// Returns the replacement of a mention that reads the name. `None` if it may do something
    /// else.
    fn read_edit(&self, node: Node<'t>, value: &str) -> Option<Edit> {
        let node = if self.lang == "php" {
            node.parent().filter(|n| n.kind() == "variable_name")?
        } else {
            node
        };
        let parent = node.parent()?;
        let here = Some((node.byte_range(), value.to_owned()));
        // A list can be changed, unless it is only iterated over.
        if self.lang == "python" && value.starts_with(['[', '(']) {
            let over = parent.kind() == "for_statement"
                && parent.child_by_field_name("right") == Some(node);
            return here.filter(|_| over);
        }
        match (self.lang, parent.kind()) {
            ("python" | "ruby", "argument_list") | ("js", "arguments") => {
                here.filter(|_| self.leaves_text(parent))
            }
            ("php", "argument") if parent.child_count() == 1 => {
                here.filter(|_| parent.parent().is_some_and(|list| self.leaves_text(list)))
            }
            ("python", "keyword_argument") => {
                here.filter(|_| parent.child_by_field_name("value") == Some(node))
            }
            (
                "python",
                "binary_operator" | "comparison_operator" | "subscript" | "assert_statement",
            )
            | ("js", "binary_expression") => here,
            // `run(['cat', p])`: in an argument, the list isn't a pattern.
            ("python", "list" | "tuple") | ("js", "array") => here.filter(|_| {
                let list = parent.parent();
                list.is_some_and(|l| matches!(l.kind(), "argument_list" | "arguments"))
            }),
            // A member: `p.write_text(…)`, `p.parent.mkdir()`, `p.split("/")`.
            ("python", "attribute") | ("js", "member_expression") => {
                let object = parent.child_by_field_name("object") == Some(node);
                let whole = outermost_member(parent);
                let read = whole.parent().is_some_and(|o| {
                    let called = o.child_by_field_name("function") == Some(whole);
                    called || matches!(o.kind(), "argument_list" | "arguments" | "binary_operator")
                });
                here.filter(|_| object && read)
            }
            // In a string, insert the value without its quotes.
            ("python", "interpolation") | ("js", "template_substitution")
                if parent.child_count() == 3 =>
            {
                let inner = bare_text(value)?;
                let simple =
                    |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | STAR);
                let text = inner.chars().all(simple);
                text.then(|| (parent.byte_range(), inner))
            }
            _ => None,
        }
    }

    /// Returns whether the function with these arguments leaves the text unchanged: Ruby's strings
    /// are mutable, and PHP's functions may take a reference.
    fn leaves_text(&self, list: Node<'t>) -> bool {
        let Some(call) = list.parent() else {
            return false;
        };
        let field = |name: &str| call.child_by_field_name(name).and_then(|n| self.of(n));
        match self.lang {
            "ruby" => matches!(
                (field("receiver"), field("method")),
                (None, Some("puts" | "print" | "open"))
                    | (
                        Some("File" | "IO"),
                        Some(
                            "read"
                                | "write"
                                | "open"
                                | "exist?"
                                | "file?"
                                | "readlines"
                                | "binread"
                                | "binwrite"
                                | "foreach"
                                | "size"
                        )
                    )
                    | (Some("YAML" | "JSON"), Some("load_file" | "safe_load_file"))
            ),
            "php" => matches!(
                field("function"),
                Some(
                    "file_get_contents"
                        | "file_put_contents"
                        | "file"
                        | "file_exists"
                        | "is_file"
                        | "fopen"
                        | "json_decode"
                        | "filesize"
                        | "basename"
                        | "dirname"
                        | "copy"
                        | "rename"
                )
            ),
            _ => true,
        }
    }
}

/// Returns the value of an assignment, if the node is its target.
fn assigned_value<'t>(
    parent: Node<'t>,
    node: Node<'_>,
    name: &str,
    value: &str,
) -> Option<Node<'t>> {
    let is = parent.child_by_field_name(name)? == node;
    let value = parent.child_by_field_name(value)?;
    is.then_some(value)
}

/// Returns the statement that consists of the expression.
fn expression_statement(node: Node<'_>) -> Option<Node<'_>> {
    node.parent().filter(|s| s.kind() == "expression_statement")
}

/// Returns the outermost member expression.
fn outermost_member(node: Node<'_>) -> Node<'_> {
    let mut whole = node;
    while let Some(outer) = whole.parent().filter(|o| o.kind() == node.kind()) {
        whole = outer;
    }
    whole
}

/// Returns the elements of a list that contains only texts.
fn texts_of(list: Node<'_>) -> Option<Vec<Node<'_>>> {
    let mut cursor = list.walk();
    let elements: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
    let good = matches!(list.kind(), "list" | "tuple")
        && (1..=MAX_VARIANTS).contains(&elements.len())
        && elements.iter().all(|e| plain(*e));
    good.then_some(elements)
}

/// Returns whether the node is a text without computed parts.
fn plain(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    matches!(node.kind(), "string" | "encapsed_string")
        && node.byte_range().len() <= MAX_VALUE
        && node.named_children(&mut cursor).all(|part| {
            part.child_count() == 0
                && matches!(
                    part.kind(),
                    "string_start" | "string_end" | "string_content" | "string_fragment"
                )
        })
}

/// Returns the text of a value without quotes: of a text, or of a path built from texts.
fn bare_text(value: &str) -> Option<String> {
    let list = value
        .split_once('(')
        .map_or(value, |(_, list)| list.trim_end_matches(')'));
    let parts: Option<Vec<&str>> = list
        .split(',')
        .map(|part| {
            let part = part.trim();
            let mark = part.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            part.strip_prefix(mark)?.strip_suffix(mark)
        })
        .collect();
    Some(parts?.join("/"))
}
