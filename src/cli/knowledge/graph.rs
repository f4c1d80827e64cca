//! `knowledge graph`: queries and exports the knowledge graph.

use super::place::CommonPlaceArgs;
use super::{Format, failure};
use crate::cli::output::{Color, Failure, print};
use crate::cli::replay::FailOn;
use crate::cli::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::knowledge::graph::{Edge, Graph, Line, Node, Statement, check};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::trajectory::words::plural;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::io::{self, Write};
use util::time::format_minute;

/// Look into the knowledge graph as it is indexed. Every statement names the lines that it rests
/// on.
#[derive(Debug, Subcommand)]
pub enum GraphCommand {
    /// Name broken lines, and edges that lead to nothing that anybody knows (YV902).
    Check {
        #[command(flatten)]
        ask: AskArgs,
        /// Fail (exit 1) when there are findings this bad.
        #[arg(long, value_enum, default_value_t = FailOn::Warning, value_name = "SEVERITY")]
        fail_on: FailOn,
    },
    /// Show what an execution used, validated and led to.
    Trace {
        #[command(flatten)]
        ask: AskArgs,
        /// The execution, with or without `exec:`.
        #[arg(value_name = "EXECUTION")]
        execution: String,
    },
    /// Count how often each context was used, validated and promoted, and when last.
    Stats {
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Show where a skill comes from, and what speaks for it.
    Provenance {
        #[command(flatten)]
        ask: AskArgs,
        /// The skill, with or without `skill:`.
        #[arg(value_name = "SKILL")]
        skill: String,
    },
    /// Print the whole graph.
    Export {
        #[command(flatten)]
        place: CommonPlaceArgs,
        /// Output format.
        #[arg(long, value_enum, default_value_t = Drawing::Dot, value_name = "FORMAT")]
        format: Drawing,
    },
}

/// Options for queries of an index.
#[derive(Debug, Args)]
pub struct AskArgs {
    #[command(flatten)]
    place: CommonPlaceArgs,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Output formats of a whole graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Drawing {
    /// Graphviz.
    Dot,
    /// Mermaid.
    Mermaid,
    /// GraphML.
    Graphml,
    /// JSON: nodes, and edges with their places.
    Json,
}

impl GraphCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Self::Check { ask, fail_on } => {
                let store = ask.place.place()?.open()?;
                let findings = check(&store).map_err(|e| failure(&e))?;
                let edges = Graph::of(&store).map_err(|e| failure(&e))?.len();
                print(Color::Auto, |out| match ask.format {
                    Format::Text => {
                        write_findings(&findings, out)?;
                        let edges = plural(edges as u64, "edge");
                        let found = plural(findings.len() as u64, "finding");
                        writeln!(out, "{edges} read, {found}")
                    }
                    Format::Json => {
                        let json = json!({ "version": 1, "edges": edges, "findings": findings_json(&findings) });
                        writeln!(out, "{}", safe_json(&json))
                    }
                })?;
                Ok(match () {
                    () if fail_on.met_by(&findings) => EXIT_FINDINGS,
                    () if edges == 0 => EXIT_NOTHING_VERIFIED,
                    () => EXIT_CLEAN,
                })
            }
            Self::Trace { ask, execution } => ask.tell(|graph| graph.trace(&execution)),
            Self::Provenance { ask, skill } => ask.tell(|graph| graph.provenance(&skill)),
            Self::Stats { ask } => ask.stats(),
            Self::Export { place, format } => {
                let store = place.place()?.open()?;
                let graph = Graph::of(&store).map_err(|e| failure(&e))?;
                print(Color::Always, |out| draw(&graph, format, out))?;
                Ok(if graph.is_empty() {
                    EXIT_NOTHING_VERIFIED
                } else {
                    EXIT_CLEAN
                })
            }
        }
    }
}

fn places(lines: &[Line]) -> String {
    let all: Vec<String> = lines
        .iter()
        .map(|l| format!("{}:{}", terminal(&l.file), l.line))
        .collect();
    all.join(", ")
}

fn places_json(lines: &[Line]) -> Vec<Value> {
    lines
        .iter()
        .map(|l| json!({ "file": l.file, "line": l.line }))
        .collect()
}

impl AskArgs {
    fn graph(&self) -> Result<Graph, Failure> {
        let store = self.place.place()?.open()?;
        Graph::of(&store).map_err(|e| failure(&e))
    }

    fn tell(&self, ask: impl FnOnce(&Graph) -> Vec<Statement>) -> Result<u8, Failure> {
        let statements = ask(&self.graph()?);
        print(Color::Auto, |out| match self.format {
            Format::Text => {
                for s in &statements {
                    let note = if s.note.is_empty() {
                        String::new()
                    } else {
                        format!(" ({})", terminal(&s.note))
                    };
                    writeln!(
                        out,
                        "{:<13} {}{note}  [{}]",
                        s.what,
                        terminal(&s.node),
                        places(&s.lines)
                    )?;
                }
                if statements.is_empty() {
                    writeln!(out, "the graph says nothing about it")
                } else {
                    Ok(())
                }
            }
            Format::Json => {
                let all: Vec<Value> = statements
                    .iter()
                    .map(|s| json!({ "statement": s.what, "node": s.node, "note": s.note, "lines": places_json(&s.lines) }))
                    .collect();
                writeln!(
                    out,
                    "{}",
                    safe_json(&json!({ "version": 1, "statements": all }))
                )
            }
        })?;
        Ok(if statements.is_empty() {
            EXIT_NOTHING_VERIFIED
        } else {
            EXIT_CLEAN
        })
    }

    fn stats(&self) -> Result<u8, Failure> {
        let graph = self.graph()?;
        let stats = graph.stats();
        print(Color::Auto, |out| match self.format {
            Format::Text => {
                writeln!(
                    out,
                    "{:>5} {:>9} {:>8}  {:<16}  context",
                    "used", "validated", "promoted", "last used"
                )?;
                for (context, f) in &stats {
                    let last = f.last_used.map_or_else(|| "-".to_owned(), format_minute);
                    writeln!(
                        out,
                        "{:>5} {:>9} {:>8}  {last:<16}  {}  [{}]",
                        f.used,
                        f.validated,
                        f.promoted,
                        terminal(context),
                        places(&f.lines)
                    )?;
                }
                Ok(())
            }
            Format::Json => {
                let all: Vec<Value> = stats
                    .iter()
                    .map(|(context, f)| {
                        json!({ "context": context, "used": f.used, "validated": f.validated, "promoted": f.promoted,
                            "lastUsed": f.last_used, "lines": places_json(&f.lines) })
                    })
                    .collect();
                writeln!(
                    out,
                    "{}",
                    safe_json(&json!({ "version": 1, "contexts": all }))
                )
            }
        })?;
        Ok(if stats.is_empty() {
            EXIT_NOTHING_VERIFIED
        } else {
            EXIT_CLEAN
        })
    }
}

/// Quotes a name for Graphviz.
fn quoted(name: &str) -> String {
    format!(
        "\"{}\"",
        terminal(name).replace('\\', "\\\\").replace('"', "\\\"")
    )
}

/// Escapes a name in a Mermaid label: characters with a meaning in Mermaid become character
/// references.
fn mermaid(name: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | ':' | '/' | '@');
    terminal(name)
        .chars()
        .map(|c| {
            if plain(c) {
                c.to_string()
            } else {
                format!("#{};", u32::from(c))
            }
        })
        .collect()
}

/// How a kind of node is drawn: shape and colour in Graphviz, brackets in Mermaid.
fn shape(kind: Option<&str>) -> (&'static str, &'static str, [&'static str; 2]) {
    match kind {
        Some("context") => ("box", "#4ea1d3", ["[", "]"]),
        Some("execution") => ("hexagon", "#c5c5c5", ["{{", "}}"]),
        Some("skill") => ("ellipse", "#f4a261", ["([", "])"]),
        _ => ("plaintext", "#ffffff", ["[", "]"]),
    }
}

/// How a type of edge is drawn: style in Graphviz, arrow in Mermaid. Evidence is solid, support is
/// bold, and what merely refers to something is dashed.
fn arrow(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "supports" => ("bold", "==>"),
        "references" | "reinforces" | "acknowledged_by" => ("dashed", "-.->"),
        _ => ("solid", "-->"),
    }
}

/// Returns the text of an edge: its type, and its weight if there is one.
fn edge_text(edge: &Edge<'_>) -> String {
    match edge.weight {
        Some(weight) => format!("{} {weight}", edge.kind),
        None => edge.kind.to_owned(),
    }
}

fn draw(graph: &Graph, format: Drawing, out: &mut dyn Write) -> io::Result<()> {
    let (nodes, edges) = graph.parts();
    match format {
        Drawing::Dot => {
            writeln!(
                out,
                "digraph knowledge {{\n  rankdir=LR;\n  node [style=filled];"
            )?;
            for (n, node) in nodes.iter().enumerate() {
                let (shape, colour, _) = shape(node.kind);
                let name = quoted(node.name);
                writeln!(
                    out,
                    "  n{n} [label={name}, shape={shape}, fillcolor=\"{colour}\"];"
                )?;
            }
            for edge in &edges {
                let place = quoted(&format!("{}:{}", edge.line.file, edge.line.line));
                let (label, style) = (quoted(&edge_text(edge)), arrow(edge.kind).0);
                writeln!(
                    out,
                    "  n{} -> n{} [label={label}, style={style}, tooltip={place}];",
                    edge.from, edge.to
                )?;
            }
            writeln!(out, "}}")
        }
        Drawing::Mermaid => {
            writeln!(out, "flowchart LR")?;
            for (n, node) in nodes.iter().enumerate() {
                let (_, _, [open, close]) = shape(node.kind);
                writeln!(out, "  n{n}{open}\"{}\"{close}", mermaid(node.name))?;
            }
            for edge in &edges {
                let text = format!("{} {}:{}", edge_text(edge), edge.line.file, edge.line.line);
                writeln!(
                    out,
                    "  n{} {}|{}| n{}",
                    edge.from,
                    arrow(edge.kind).1,
                    mermaid(&text),
                    edge.to
                )?;
            }
            Ok(())
        }
        Drawing::Graphml => graphml(&nodes, &edges, out),
        Drawing::Json => {
            let name = |index: usize| nodes.get(index).map(|node| node.name);
            let drawn: Vec<Value> = edges
                .iter()
                .map(|e| {
                    json!({ "from": name(e.from), "to": name(e.to), "type": e.kind, "weight": e.weight,
                        "file": e.line.file, "line": e.line.line })
                })
                .collect();
            let named: Vec<Value> = nodes
                .iter()
                .map(|n| json!({ "id": n.name, "type": n.kind, "lines": places_json(&n.lines) }))
                .collect();
            writeln!(
                out,
                "{}",
                safe_json(&json!({ "version": 1, "nodes": named, "edges": drawn }))
            )
        }
    }
}

/// Writes GraphML 1.0.
fn graphml(nodes: &[Node<'_>], edges: &[Edge<'_>], out: &mut dyn Write) -> io::Result<()> {
    use quick_xml::events::{BytesDecl, Event};
    let mut xml = quick_xml::Writer::new_with_indent(&mut *out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = xml
        .create_element("graphml")
        .with_attribute(("xmlns", "http://graphml.graphdrawing.org/xmlns"));
    root.write_inner_content(|xml| {
        for (id, whose, name) in [
            ("name", "node", "name"),
            ("kind", "node", "kind"),
            ("type", "edge", "type"),
            ("weight", "edge", "weight"),
            ("place", "edge", "place"),
        ] {
            let key = [
                ("id", id),
                ("for", whose),
                ("attr.name", name),
                ("attr.type", "string"),
            ];
            xml.create_element("key")
                .with_attributes(key)
                .write_empty()?;
        }
        let drawn = xml
            .create_element("graph")
            .with_attributes([("id", "knowledge"), ("edgedefault", "directed")]);
        drawn.write_inner_content(|xml| {
            for (n, node) in nodes.iter().enumerate() {
                let drawn = xml
                    .create_element("node")
                    .with_attribute(("id", format!("n{n}").as_str()));
                drawn.write_inner_content(|xml| {
                    data(xml, "name", node.name)?;
                    node.kind.map_or(Ok(()), |kind| data(xml, "kind", kind))
                })?;
            }
            for edge in edges {
                let (source, target) = (format!("n{}", edge.from), format!("n{}", edge.to));
                let drawn = xml
                    .create_element("edge")
                    .with_attributes([("source", source.as_str()), ("target", target.as_str())]);
                drawn.write_inner_content(|xml| {
                    data(xml, "type", edge.kind)?;
                    if let Some(weight) = edge.weight {
                        data(xml, "weight", &weight.to_string())?;
                    }
                    data(
                        xml,
                        "place",
                        &format!("{}:{}", edge.line.file, edge.line.line),
                    )
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    writeln!(out)
}

/// Writes a value of a node or an edge.
fn data<W: Write>(xml: &mut quick_xml::Writer<W>, key: &str, text: &str) -> io::Result<()> {
    xml.create_element("data")
        .with_attribute(("key", key))
        .write_text_content(quick_xml::events::BytesText::new(&terminal(text)))?;
    Ok(())
}
