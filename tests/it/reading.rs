//! Parses reports with a real parser of each format and returns their structure without words.

use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::num::NonZeroU16;

/// Whether a CI runner takes a line for a workflow command: it begins with `::`, or contains `##[`.
/// With `ours`, commands that belong to the format are ignored.
pub fn runner_command(text: &str, ours: bool) -> bool {
    text.split(['\n', '\r']).any(|line| {
        let known = ours
            && ["::error ", "::warning ", "::notice "]
                .iter()
                .any(|c| line.starts_with(c));
        (line.trim_start().starts_with("::") && !known)
            || line.contains("##[")
            || line.to_ascii_lowercase().contains("##vso[")
    })
}

/// A terminal: it shows exactly the written lines, and nothing else has happened.
pub fn terminal(text: &str) -> Result<Vec<String>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let width = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0) * 2 + 10;
    let rows = u16::try_from(lines.len() + 2).map_err(|e| e.to_string())?;
    let columns = u16::try_from(width).map_err(|e| e.to_string())?;
    let size = (
        NonZeroU16::new(rows).ok_or("no rows")?,
        NonZeroU16::new(columns).ok_or("no columns")?,
    );
    let mut parser = vt100::Parser::new(size.0, size.1, 0);
    parser.process(text.replace('\n', "\r\n").as_bytes());
    let screen = parser.screen();
    if screen.alternate_screen() || screen.cursor_position() != (rows - 2, 0) {
        return Err(format!("the cursor is at {:?}", screen.cursor_position()));
    }
    let plain = anstream::adapter::strip_str(text).to_string();
    let shown = screen.contents();
    if shown
        .lines()
        .map(str::trim_end)
        .ne(plain.trim_end().lines().map(str::trim_end))
    {
        return Err("the screen shows something else than was written".into());
    }
    if let Some(c) = plain.chars().find(|c| c.is_control() && *c != '\n') {
        return Err(format!("the control character {c:?} is left"));
    }
    // The first word of each line identifies its kind.
    Ok(plain
        .lines()
        .map(|l| {
            l.split_whitespace()
                .next()
                .unwrap_or_default()
                .trim_end_matches(|c: char| !c.is_ascii_alphabetic())
                .to_owned()
        })
        .collect())
}

/// A GitHub Actions runner: the name and the property names of each command.
pub fn workflow_commands(text: &str) -> Result<Vec<String>, String> {
    let mut shape = Vec::new();
    for line in text.split(['\n', '\r']).filter(|l| !l.is_empty()) {
        let Some(rest) = line.strip_prefix("::") else {
            shape.push("line".into());
            continue;
        };
        let (head, _message) = rest.split_once("::").ok_or("a command without an end")?;
        let (name, properties) = head.split_once(' ').ok_or("a command without properties")?;
        let names: Vec<&str> = properties
            .split(',')
            .map(|p| p.split_once('=').map_or("", |(name, _)| name))
            .collect();
        shape.push(format!("{name} {}", names.join(" ")));
    }
    Ok(shape)
}

/// CommonMark with GitHub's extensions, and the resulting HTML.
pub fn markdown(text: &str) -> Result<Vec<String>, String> {
    let options = Options::ENABLE_GFM
        | Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let mut shape = Vec::new();
    let (mut cell, mut item) = (0, 0);
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(
                Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::FootnoteDefinition(_)
                | Tag::CodeBlock(_),
            ) => {
                return Err(format!("{event:?}"));
            }
            Event::Start(tag) => {
                cell += usize::from(tag == Tag::TableCell);
                item += usize::from(tag == Tag::Item);
                shape.push(format!("{:?}", std::mem::discriminant(&tag)));
            }
            // GitHub searches text for mentions, issues, addresses and emoji.
            Event::Text(free)
                if free.contains(['@', '#']) || free.contains("://") || free.contains("www.") =>
            {
                return Err(format!("free text: {free}"));
            }
            _ => {}
        }
    }
    shape.push(format!("{cell} cells, {item} items"));
    let mut rendered = String::new();
    pulldown_cmark::html::push_html(&mut rendered, Parser::new_ext(text, options));
    let mut elements = Vec::new();
    // Text may follow our closing tags or not, so only elements are compared.
    for (name, attributes) in html_elements(&rendered) {
        let known = [
            "html",
            "head",
            "body",
            "h2",
            "h3",
            "p",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "code",
            "details",
            "summary",
            "b",
            "ul",
            "li",
            "pre",
            "ins",
            "sub",
            "strong",
            "blockquote",
        ];
        if !known.contains(&&*name) || attributes.iter().any(|a| a != "open" && a != "style") {
            return Err(format!("<{name} {attributes:?}>"));
        }
        if name != "code" {
            elements.push(name);
        }
    }
    shape.extend(elements);
    Ok(shape)
}

/// Returns the elements that an HTML parser finds, with the names of their attributes.
pub fn html_elements(text: &str) -> Vec<(String, Vec<String>)> {
    let dom =
        html5ever::parse_document(RcDom::default(), html5ever::ParseOpts::default()).one(text);
    let mut all = Vec::new();
    let mut open: Vec<Handle> = vec![dom.document.clone()];
    while let Some(node) = open.pop() {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            all.push((
                name.local.to_string(),
                attrs
                    .borrow()
                    .iter()
                    .map(|a| a.name.local.to_string())
                    .collect(),
            ));
        }
        open.extend(node.children.borrow().iter().rev().cloned());
    }
    all
}

/// XML: elements with the names of their attributes.
pub fn xml(text: &str) -> Result<Vec<String>, String> {
    let document = roxmltree::Document::parse(text).map_err(|e| e.to_string())?;
    Ok(document
        .descendants()
        .filter(|n| n.is_element() || n.is_pi() || n.is_comment())
        .map(|n| {
            let names: Vec<&str> = n.attributes().map(|a| a.name()).collect();
            format!("{} {}", n.tag_name().name(), names.join(" "))
        })
        .collect())
}

/// JSON: names of members with the types of their values.
pub fn json(text: &str) -> Result<Vec<String>, String> {
    fn walk(value: &serde_json::Value, shape: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(members) => members.iter().for_each(|(name, value)| {
                shape.push(name.clone());
                walk(value, shape);
            }),
            serde_json::Value::Array(items) => items.iter().for_each(|value| walk(value, shape)),
            serde_json::Value::String(_) => shape.push("text".into()),
            serde_json::Value::Number(_) => shape.push("number".into()),
            serde_json::Value::Bool(_) | serde_json::Value::Null => shape.push(value.to_string()),
        }
    }
    if let Some(c) = text.chars().find(|c| c.is_control() && *c != '\n') {
        return Err(format!("the control character {c:?} is left"));
    }
    let value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let mut shape = Vec::new();
    walk(&value, &mut shape);
    Ok(shape)
}

/// A browser: the elements with the names of their attributes. There are no event handlers, no
/// external addresses, and no script except the one whose hash the policy contains.
pub fn html(text: &str) -> Result<Vec<String>, String> {
    use base64::Engine as _;
    use sha2::{Digest, Sha256};
    let elements = html_elements(text);
    let count = |wanted: &str| elements.iter().filter(|(name, _)| name == wanted).count();
    for (name, attributes) in &elements {
        let bad = [
            "src",
            "srcdoc",
            "style",
            "action",
            "xlink:href",
            "background",
        ];
        if let Some(bad) = attributes
            .iter()
            .find(|a| a.starts_with("on") || bad.contains(&&***a))
        {
            return Err(format!("<{name} {bad}>"));
        }
        if [
            "iframe",
            "img",
            "object",
            "embed",
            "base",
            "link",
            "foreignObject",
        ]
        .contains(&&**name)
        {
            return Err(format!("<{name}>"));
        }
    }
    if count("script") != 1 || count("style") != 1 || count("body") != 1 {
        return Err("another script, style or body".into());
    }
    let script = text
        .split_once("<script>")
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .ok_or("no script")?
        .0;
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script.as_bytes()));
    let policy = text
        .split_once("Content-Security-Policy\" content=\"")
        .and_then(|(_, rest)| rest.split_once('"'));
    // The template escapes quotes and slashes in the hash.
    let policy = policy
        .ok_or("no policy")?
        .0
        .replace("&#x2f;", "/")
        .replace("&#x27;", "'");
    if !policy.contains(&format!("'sha256-{hash}'")) {
        return Err(format!("the policy doesn't name the script: {policy}"));
    }
    let rule_page = |target: &str| {
        let target = target.replace("&#x2f;", "/");
        target
            .strip_prefix(concat!(env!("CARGO_PKG_HOMEPAGE"), "/rules/YV"))
            .and_then(|rest| rest.split_once(".html\""))
            .is_some_and(|(code, _)| code.len() == 3 && code.bytes().all(|b| b.is_ascii_digit()))
    };
    for target in text.split("href=\"").skip(1) {
        if !target.starts_with('#') && !rule_page(target) {
            return Err(format!(
                "a link that leaves the page: {}",
                target.chars().take(40).collect::<String>()
            ));
        }
    }
    // Whether a text is empty or cut doesn't affect safety.
    let kept = elements
        .into_iter()
        .filter(|(name, _)| name != "span" && name != "code");
    Ok(kept
        .map(|(name, attributes)| format!("{name} {}", attributes.join(" ")))
        .collect())
}
