//! Measures a replay, compared with other ways of reading the same bytes.

#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

#[path = "support/trace.rs"]
mod trace;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde::Deserialize;
use shell_effects::{Context, Table, analyse};
use std::hint::black_box;
use strict_json::{Deserializer, Scanner};
use yuangs_verify::trace::record::Turn;
use yuangs_verify::verify::{Options, verify_reader};

fn reading(c: &mut Criterion) {
    let mut bytes = Vec::new();
    for number in 1..=100 {
        trace::execution(&mut bytes, number).unwrap();
    }
    let text = String::from_utf8(bytes).unwrap();
    let mut group = c.benchmark_group("turn records");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.sample_size(20);
    group.bench_function("scan", |b| {
        b.iter(|| {
            text.lines()
                .filter(|l| Scanner::new(l, 128).skip().is_ok())
                .count()
        });
    });
    group.bench_function("typed records", |b| {
        let mut scanner = Scanner::new("", 128);
        b.iter(|| {
            let turns = text
                .lines()
                .filter(|l| l.starts_with("{\"record\":\"turn\""));
            turns
                .map(|line| {
                    scanner.reset(line);
                    Turn::deserialize(&mut Deserializer::new(&mut scanner))
                        .unwrap()
                        .turn_id
                        .get()
                })
                .sum::<i64>()
        });
    });
    group.bench_function("replay, one thread", |b| {
        let options = Options {
            threads: 1,
            ..Options::default()
        };
        b.iter(|| black_box(verify_reader("t", text.as_bytes(), &options)).counts);
    });
    group.bench_function("serde_json, IgnoredAny", |b| {
        b.iter(|| {
            text.lines()
                .filter(|l| serde_json::from_str::<serde::de::IgnoredAny>(l).is_ok())
                .count()
        });
    });
    group.bench_function("serde_json, Value", |b| {
        b.iter(|| {
            text.lines()
                .filter(|l| serde_json::from_str::<serde_json::Value>(l).is_ok())
                .count()
        });
    });
    group.finish();
}

fn commands(c: &mut Criterion) {
    let table = Table::builtin();
    let context = Context::new(&table);
    let lines = [
        "ls -la",
        "git status --short && git diff | head -50",
        "rg -n 'TODO|FIXME' src | sort | uniq -c",
        "cargo test --quiet 2>&1 | tail -n 20",
    ];
    let mut group = c.benchmark_group("commands");
    group.throughput(Throughput::Elements(lines.len() as u64));
    group.bench_function("daily one-liners", |b| {
        b.iter(|| {
            lines
                .iter()
                .map(|l| analyse(black_box(l), &context).effects.len())
                .sum::<usize>()
        });
    });
    group.finish();
}

criterion_group!(benches, reading, commands);
criterion_main!(benches);
