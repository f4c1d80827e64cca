//! Documents in, answers out, by the public interface alone.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use knowledge_index::rank::{Query, Ranker, Stages, Vectors, update};
use knowledge_index::{
    Filter, Kind, NewSource, Observation, Prepared, Schema, Store, Writer, summarise,
};

const TEXTS: [&str; 10] = [
    "The gate fails when a finding is at or above its threshold.",
    "Signatures of records are checked with the keys of the trust file.",
    "A session of the editor is read line by line and split into turns.",
    "Budgets of tokens are counted with the encoding of the model.",
    "The index is rebuilt every night from all configured sources.",
    "Secrets are removed from texts before they are stored.",
    "A policy allows, asks or denies each action of an agent.",
    "Maps of a repository show its most important definitions.",
    "Approvals name a person, a time and the approved action.",
    "Reports are written as text, JSON, SARIF or HTML.",
];

fn add(writer: &mut Writer<'_>, path: &str, text: &str, time: i64) {
    let observation = Observation {
        kind: Kind::Document,
        task: Some("task-1".into()),
        time: Some(time),
        lines: (1, 1),
        summary: summarise(text),
        refs: Vec::new(),
        detail: text.into(),
    };
    let source = NewSource {
        kind: "documents",
        path,
        hash: text.as_bytes(),
        bytes: text.len() as u64,
        hidden: 0,
    };
    let prepared = Prepared::new(vec![observation], path);
    writer.index(writer.next(), &prepared.words()).unwrap();
    let open = writer.add(&source, &prepared).unwrap();
    writer.finish(open).unwrap();
}

fn store() -> Store {
    let mut store = Store::in_memory(&Schema::BARE).unwrap();
    let mut writer = store.write().unwrap();
    for (text, n) in TEXTS.iter().zip(0..) {
        add(&mut writer, &format!("docs/{n}.md"), text, n);
    }
    let vectors = update(&writer, true, None, true).unwrap();
    assert_eq!(vectors, Vectors::Learnt(TEXTS.len() as u64));
    writer.commit().unwrap();
    store
}

#[test]
fn a_question_finds_its_document() {
    let store = store();
    let ranker = Ranker::new(&store);
    for (question, file) in [
        ("When is the index rebuilt?", "docs/4.md"),
        ("which keys check signatures", "docs/1.md"),
        ("are secrets stored", "docs/5.md"),
    ] {
        for stages in [Stages::Both, Stages::Text] {
            let answers = ranker.answers(&Query {
                stages,
                ..Query::new(question)
            });
            let answers = answers.unwrap();
            assert!(!answers.is_refused, "{question}: {}", answers.confidence);
            assert_eq!(answers.found[0].stored.file, file, "{question}");
        }
    }
}

#[test]
fn a_question_that_nothing_answers_is_refused() {
    let store = store();
    for question in ["zzzqqqxxx", "how do I bake sourdough bread"] {
        let answers = Ranker::new(&store).answers(&Query::new(question)).unwrap();
        assert!(
            answers.is_refused || answers.found.is_empty(),
            "{question}: {}",
            answers.confidence
        );
    }
}

#[test]
fn filters_restrict_the_answers() {
    let store = store();
    let found = |filter| {
        let query = Query {
            filter,
            ..Query::new("index rebuilt")
        };
        let found = Ranker::new(&store).search(&query).unwrap();
        found.iter().any(|hit| hit.stored.file == "docs/4.md")
    };
    assert!(found(Filter::default()));
    assert!(found(Filter {
        since: Some(4),
        until: Some(4),
        ..Filter::default()
    }));
    assert!(!found(Filter {
        since: Some(5),
        ..Filter::default()
    }));
    assert!(!found(Filter {
        task: Some("task-2"),
        ..Filter::default()
    }));
}

#[test]
fn what_is_removed_is_no_answer() {
    let mut store = store();
    let sources = store.sources().unwrap();
    let source = sources.iter().find(|s| s.path == "docs/4.md").unwrap().id;
    let mut writer = store.write().unwrap();
    assert_eq!(writer.remove(source).unwrap(), 1);
    writer.commit().unwrap();
    assert!(store.words_agree().unwrap());
    let found = Ranker::new(&store).search(&Query::new("rebuilt")).unwrap();
    assert!(found.iter().all(|hit| hit.stored.file != "docs/4.md"));
}
