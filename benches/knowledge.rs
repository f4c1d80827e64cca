//! Measures an index of short documents: creating, updating and querying it.
//!
//! `YUANGS_BENCH_DOCUMENTS` sets the number of documents; the default is 100,000.

#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

#[path = "support/documents.rs"]
mod documents;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use knowledge_index::Store;
use knowledge_index::rank::{Query, Ranker, Stages};
use std::hint::black_box;
use std::path::Path;
use yuangs_verify::knowledge::reindex::{Settings, run};
use yuangs_verify::knowledge::{SCHEMA, SourceKind, Sources};

/// Number of documents in a file.
const EACH: u64 = 100;

fn count() -> u64 {
    std::env::var("YUANGS_BENCH_DOCUMENTS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100_000)
}

/// Writes one file of documents.
fn write(root: &Path, file: u64, version: u64) {
    let text: String = (file * EACH..(file + 1) * EACH)
        .map(|n| documents::document(n, version))
        .collect();
    std::fs::write(root.join(format!("docs/{file:06}.md")), text).unwrap();
}

fn folder() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("docs")).unwrap();
    (0..count().div_ceil(EACH)).for_each(|file| write(root.path(), file, 0));
    root
}

fn reindex(root: &Path, vectors: bool) -> u64 {
    let sources = Sources {
        root: root.to_path_buf(),
        paths: vec![(SourceKind::Documents, "docs".into())],
        ..Sources::default()
    };
    let mut store = Store::create(&root.join("index.db"), &SCHEMA).unwrap();
    run(&mut store, &sources, Settings { vectors }, &mut |_, _| {})
        .unwrap()
        .observations
}

fn remove(root: &Path) {
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        let _ = std::fs::remove_file(root.join(name));
    }
}

fn indexing(c: &mut Criterion) {
    let root = folder();
    let mut group = c.benchmark_group("reindex");
    group.sample_size(10);
    group.throughput(Throughput::Elements(count()));
    for (name, vectors) in [("all, without vectors", false), ("all, with vectors", true)] {
        group.bench_function(name, |b| {
            b.iter_batched(
                || remove(root.path()),
                |()| reindex(root.path(), vectors),
                BatchSize::PerIteration,
            );
        });
    }
    let mut version = 0;
    group.bench_function("one in a hundred changed, with vectors", |b| {
        let change = || {
            version += 1;
            (0..(count() / EACH).div_ceil(100)).for_each(|file| write(root.path(), file, version));
        };
        b.iter_batched(
            change,
            |()| reindex(root.path(), true),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("nothing changed", |b| b.iter(|| reindex(root.path(), true)));
    group.finish();
}

fn asking(c: &mut Criterion) {
    let root = folder();
    reindex(root.path(), true);
    let store = Store::open(&root.path().join("index.db"), &SCHEMA).unwrap();
    let questions: Vec<String> = (0..1_000).map(documents::question).collect();
    let mut group = c.benchmark_group("search");
    let ranker = Ranker::new(&store);
    for (name, stages) in [
        ("full text", Stages::Text),
        ("vectors", Stages::Vectors),
        ("both", Stages::Both),
    ] {
        let mut next = questions.iter().cycle();
        group.bench_function(name, |b| {
            b.iter(|| {
                let text = next.next().unwrap();
                let query = Query {
                    stages,
                    ..Query::new(text)
                };
                black_box(ranker.search(&query).unwrap().len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, indexing, asking);
criterion_main!(benches);
