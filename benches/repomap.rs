//! Measures, in every language, the cost of extracting definitions and references relative to the
//! parse, and the cost of a map.

#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

#[path = "support/grammar.rs"]
mod grammar;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use repo_map::{Language, Settings, build, extract, of_folder};
use std::hint::black_box;
use std::path::Path;
use tree_sitter::Parser;

/// Returns about 200 kB of repeated samples in one language.
fn text(language: Language) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/repomap/samples");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    let texts = files
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e != "expect"))
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            (Language::of(path.to_str()?, text.as_bytes())? == language).then_some(text)
        });
    let once: String = texts.collect();
    once.repeat(200_000 / once.len())
}

fn tags(c: &mut Criterion) {
    let mut group = c.benchmark_group("repomap");
    group.sample_size(10);
    for language in Language::ALL {
        let Some(grammar) = grammar::of(language) else {
            continue;
        };
        let text = text(language);
        let mut parser = Parser::new();
        parser.set_language(&grammar).unwrap();
        assert!(!extract(language, &text).unwrap().definitions.is_empty());
        group.throughput(Throughput::Bytes(u64::try_from(text.len()).unwrap()));
        group.bench_function(BenchmarkId::new("parse alone", language.name()), |b| {
            b.iter(|| parser.parse(black_box(&text), None).unwrap());
        });
        group.bench_function(BenchmarkId::new("tags", language.name()), |b| {
            b.iter(|| extract(language, black_box(&text)).unwrap());
        });
    }
    group.finish();
}

fn maps(c: &mut Criterion) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let snapshot = of_folder(&sources, None).unwrap();
    assert!(snapshot.files.len() > 100);
    let settings = Settings::default();
    let mut group = c.benchmark_group("repomap");
    group.sample_size(10);
    group.bench_function("ranking and choosing, own sources", |b| {
        b.iter(|| build(black_box(&snapshot), &settings).unwrap());
    });
    group.finish();
}

criterion_group!(benches, tags, maps);
criterion_main!(benches);
