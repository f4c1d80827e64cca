//! `knowledge graph`: queries and exports the knowledge graph.

use super::place::PlaceArgs;
use super::{Format, failure};
use crate::cli::output::{Color, Failure, print};
use crate::cli::replay::FailOn;
use crate::cli::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::knowledge::graph::{Graph, Line, Statement, check};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
        place: PlaceArgs,
        /// Output format.
        #[arg(long, value_enum, default_value_t = Drawing::Dot, value_name = "FORMAT")]
        format: Drawing,
    },
}

/// Options for queries of an index.
#[derive(Debug, Args)]
pub struct AskArgs {
    #[command(flatten)]
    place: PlaceArgs,
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
                        writeln!(out, "{edges} edges read, {} findings", findings.len())
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

fn draw(graph: &Graph, format: Drawing, out: &mut dyn Write) -> io::Result<()> {
    let nodes = graph.nodes();
    let numbers: BTreeMap<&str, usize> = nodes
        .keys()
        .enumerate()
        .map(|(n, name)| (*name, n))
        .collect();
    let number = |name: &str| numbers.get(name).copied().unwrap_or_default();
    match format {
        Drawing::Dot => {
            writeln!(out, "digraph knowledge {{\n  rankdir=LR;")?;
            for (name, n) in &numbers {
                writeln!(out, "  n{n} [label={}];", quoted(name))?;
            }
            for (from, kind, to, line) in graph.edges() {
                let place = quoted(&format!("{}:{}", line.file, line.line));
                writeln!(
                    out,
                    "  n{} -> n{} [label={}, tooltip={place}];",
                    number(from),
                    number(to),
                    quoted(kind)
                )?;
            }
            writeln!(out, "}}")
        }
        Drawing::Mermaid => {
            writeln!(out, "flowchart LR")?;
            for (name, n) in &numbers {
                writeln!(out, "  n{n}[\"{}\"]", mermaid(name))?;
            }
            for (from, kind, to, line) in graph.edges() {
                let place = format!("{kind} {}:{}", line.file, line.line);
                writeln!(
                    out,
                    "  n{} -->|{}| n{}",
                    number(from),
                    mermaid(&place),
                    number(to)
                )?;
            }
            Ok(())
        }
        Drawing::Graphml => graphml(graph, &numbers, out),
        Drawing::Json => {
            let edges: Vec<Value> = graph
                .edges()
                .map(|(from, kind, to, line)| json!({ "from": from, "to": to, "type": kind, "file": line.file, "line": line.line }))
                .collect();
            let nodes: Vec<Value> = nodes
                .iter()
                .map(|(id, d)| json!({ "id": id, "type": d.kind, "lines": places_json(&d.lines) }))
                .collect();
            writeln!(
                out,
                "{}",
                safe_json(&json!({ "version": 1, "nodes": nodes, "edges": edges }))
            )
        }
    }
}

/// Writes GraphML 1.0.
fn graphml(graph: &Graph, numbers: &BTreeMap<&str, usize>, out: &mut dyn Write) -> io::Result<()> {
    use quick_xml::events::{BytesDecl, BytesText, Event};
    let mut xml = quick_xml::Writer::new_with_indent(&mut *out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = xml
        .create_element("graphml")
        .with_attribute(("xmlns", "http://graphml.graphdrawing.org/xmlns"));
    root.write_inner_content(|xml| {
        for (id, whose, name) in [
            ("name", "node", "name"),
            ("type", "edge", "type"),
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
            for (name, n) in numbers {
                let node = xml
                    .create_element("node")
                    .with_attribute(("id", format!("n{n}").as_str()));
                node.write_inner_content(|xml| {
                    xml.create_element("data")
                        .with_attribute(("key", "name"))
                        .write_text_content(BytesText::new(&terminal(name)))?;
                    Ok(())
                })?;
            }
            for (from, kind, to, line) in graph.edges() {
                let end =
                    |name: &str| format!("n{}", numbers.get(name).copied().unwrap_or_default());
                let (source, target) = (end(from), end(to));
                let edge = xml
                    .create_element("edge")
                    .with_attributes([("source", source.as_str()), ("target", target.as_str())]);
                edge.write_inner_content(|xml| {
                    let place = format!("{}:{}", terminal(&line.file), line.line);
                    for (key, text) in [("type", kind), ("place", &*place)] {
                        xml.create_element("data")
                            .with_attribute(("key", key))
                            .write_text_content(BytesText::new(&terminal(text)))?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    writeln!(out)
}
