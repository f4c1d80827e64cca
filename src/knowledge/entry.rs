//! Renders one observation: as an index line, a snippet or a block.

use super::retrieve::{Form, Item, Print, Shape};
use knowledge_index::rank::SearchHit;
use knowledge_index::{Stored, words};
use serde_json::{Value, json};
use std::borrow::Cow;
use tokens::Encoding;

/// Formats a time to the minute; empty without a time.
fn when(time: Option<i64>) -> String {
    time.map(util::time::format_minute).unwrap_or_default()
}

/// Maximum number of characters of a task's name that are shown.
const TASK: usize = 64;

/// Cuts the name of a task, which comes from a source, so that it can't displace everything else. A
/// cut is always marked.
fn short(task: &str) -> Cow<'_, str> {
    match task.char_indices().nth(TASK) {
        None => Cow::Borrowed(task),
        Some((at, _)) => {
            let (shown, rest) = task.split_at_checked(at).unwrap_or((task, ""));
            Cow::Owned(format!(
                "{shown}… ({} more characters)",
                rest.chars().count()
            ))
        }
    }
}

fn head(stored: &Stored, print: Print) -> String {
    let time = when(stored.time);
    let task = stored
        .task
        .as_deref()
        .map(|t| format!(" [{}]", (print.escape)(&short(t))))
        .unwrap_or_default();
    let time = if time.is_empty() {
        time
    } else {
        format!(" {time}")
    };
    format!("{}{time} {}{task}", stored.id, stored.kind.name())
}

/// Maximum number of references in an index line, and of characters of each.
const REFS: usize = 2;
const REF: usize = 60;

pub(super) fn line(stored: &Stored, found: Option<&SearchHit>, print: Print) -> Item {
    let mut text = format!(
        "{} {}",
        head(stored, print),
        (print.escape)(&stored.summary)
    );
    let mut json = entry(stored);
    if !stored.refs.is_empty() {
        let clipped = |text: &String| match text.char_indices().nth(REF) {
            Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
            None => text.clone(),
        };
        let refs: Vec<String> = stored.refs.iter().take(REFS).map(clipped).collect();
        let shown: Vec<String> = refs.iter().map(|text| (print.escape)(text)).collect();
        let more = if stored.refs.len() > REFS {
            ", …"
        } else {
            ""
        };
        text.push_str(&format!(" <{}{more}>", shown.join(", ")));
        add(&mut json, "refs", json!(refs));
    }
    if let Some(found) = found.filter(|_| print.explain) {
        text.push_str(&format!("\n  {}", figures(found)));
        add(&mut json, "scores", scores(found));
    }
    Item {
        text,
        json,
        source: stored.file.clone(),
        shape: Shape::Whole,
    }
}

pub(super) fn add(json: &mut Value, name: &str, value: Value) {
    if let Some(members) = json.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

fn entry(stored: &Stored) -> Value {
    json!({
        "id": stored.id.as_str(),
        "type": stored.kind.name(),
        "task": stored.task.as_deref().map(short),
        "time": stored.time,
        "file": stored.file,
        "lines": [stored.lines.0, stored.lines.1],
        "summary": stored.summary,
    })
}

fn place(stored: &Stored, print: Print) -> String {
    let (first, last) = stored.lines;
    let lines = if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    };
    format!("{}:{lines}", (print.escape)(&stored.file))
}

fn figures(found: &SearchHit) -> String {
    let (s, e) = (&found.scores, &found.scores.evidence);
    let raw = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
    format!(
        "full text {:.3} (bm25 {:.3}, coverage {:.3}, head {:.3}, phrase {:.3}), vectors {:.3} (cosine {}), merged {:.3}, decay {:.3}, score {:.3}, mmr {:.3}, duplicates {}",
        s.text,
        e.bm25,
        e.coverage,
        e.head,
        e.phrase,
        s.vector,
        raw(s.cosine),
        s.merged,
        s.decay,
        s.score,
        s.mmr,
        found.duplicates
    )
}

fn scores(found: &SearchHit) -> Value {
    let (s, e) = (&found.scores, &found.scores.evidence);
    let round = |v: f64| (v * 1000.0).round() / 1000.0;
    json!({
        "fullText": round(s.text), "bm25": round(e.bm25), "coverage": round(e.coverage), "head": round(e.head), "phrase": round(e.phrase),
        "vectors": round(s.vector), "cosine": s.cosine.map(round),
        "merged": round(s.merged), "decay": round(s.decay), "score": round(s.score), "mmr": round(s.mmr),
        "duplicates": found.duplicates,
    })
}

/// Lines of a snippet.
const SNIPPET: usize = 3;

/// Renders the lines of an observation that contain the most words of the question.
pub(super) fn snippet(found: &SearchHit, question: &str, print: Print) -> Item {
    let mut asked = std::collections::BTreeSet::new();
    words::each(question, &mut |word| {
        if !words::is_function_word(word) {
            asked.insert(word.to_owned());
        }
    });
    let lines: Vec<&str> = found.stored.detail.lines().collect();
    let hits = |line: &str| {
        let mut seen = std::collections::BTreeSet::new();
        words::each(line, &mut |word| {
            if asked.contains(word) {
                seen.insert(word.to_owned());
            }
        });
        seen.len()
    };
    let counts: Vec<usize> = lines.iter().map(|l| hits(l)).collect();
    let best = (0..lines.len()).max_by_key(|n| {
        let sum: usize = counts.iter().skip(*n).take(SNIPPET).sum();
        (sum, std::cmp::Reverse(*n))
    });
    let from = best.unwrap_or_default();
    let shown: Vec<&str> = lines
        .iter()
        .skip(from)
        .take(SNIPPET)
        .copied()
        .filter(|l| !l.trim().is_empty())
        .collect();
    let mut text = format!(
        "{} {}\n  {} score {:.3}",
        head(&found.stored, print),
        (print.escape)(&found.stored.summary),
        place(&found.stored, print),
        found.scores.score
    );
    if print.explain {
        text.push_str(&format!("\n  {}", figures(found)));
    }
    for line in &shown {
        text.push_str(&format!("\n  | {}", (print.escape)(line)));
    }
    let mut json = entry(&found.stored);
    add(&mut json, "snippet", json!(shown.join("\n")));
    add(&mut json, "scores", scores(found));
    Item {
        text,
        json,
        source: found.stored.file.clone(),
        shape: Shape::Whole,
    }
}

/// Renders an index line in place of a whole observation.
pub(super) fn degraded_line(stored: &Stored, print: Print) -> Item {
    let mut item = line(stored, None, print);
    add(&mut item.json, "degraded", json!(true));
    Item {
        shape: Shape::Line,
        ..item
    }
}

/// Renders a whole observation, with as many lines as its budget allows.
pub(super) fn block(stored: &Stored, budget: usize, print: Print) -> Item {
    let lines: Vec<&str> = stored.detail.lines().collect();
    let render = |count: usize| {
        let mut text = format!("{} {}", head(stored, print), place(stored, print));
        if !stored.refs.is_empty() {
            let refs: Vec<String> = stored.refs.iter().map(|r| (print.escape)(r)).collect();
            text.push_str(&format!("\nrefs: {}", refs.join(", ")));
        }
        for line in lines.iter().take(count) {
            // The bar prevents a line from beginning with something that a CI runner would execute
            // as a workflow command.
            text.push_str("\n| ");
            text.push_str(&(print.escape)(line));
        }
        if count < lines.len() {
            text.push_str(&format!("\n({} more lines)", lines.len() - count));
        }
        text
    };
    let json = |count: usize| {
        let mut json = entry(stored);
        add(&mut json, "refs", json!(stored.refs));
        let kept: Vec<&str> = lines.iter().take(count).copied().collect();
        add(&mut json, "detail", json!(kept.join("\n")));
        add(&mut json, "linesLeftOut", json!(lines.len() - count));
        json
    };
    let printed = |count: usize| match print.form {
        Form::Text => render(count),
        Form::Json => (print.safe_json)(&json(count)),
    };
    let fits = |count: usize| {
        Encoding::default()
            .count_within(&printed(count), budget)
            .is_some()
    };
    let mut count = lines.len();
    while count > 0 && !fits(count) {
        count -= 1;
    }
    if fits(count) {
        return Item {
            text: render(count),
            json: json(count),
            source: stored.file.clone(),
            shape: if count < lines.len() {
                Shape::Cut
            } else {
                Shape::Whole
            },
        };
    }
    // Not even the head fits, so the block is reduced to a line, or else to its place.
    let short = degraded_line(stored, print);
    if Encoding::default()
        .count_within(&short.printed(print), budget)
        .is_some()
    {
        return short;
    }
    let name = stored.kind.name();
    let text = format!("{} {name} (too long to be shown)", stored.id);
    let json = json!({ "id": stored.id.as_str(), "type": name, "tooLong": true });
    Item {
        text,
        json,
        source: stored.file.clone(),
        shape: Shape::Name,
    }
}
