//! What barewire must reach as a JSON library, and what it is held against: `peerbench bars [ROUNDS]` prints a line for
//! each candidate of each question, tab separated: question, candidate, ns median, ns best.
//!
//! The candidates of a question are interleaved, and the time is the thread's, so that what counts is their ratio.
use crate::docs::BENCH;
use crate::floats::{formatters, sets};
use crate::peers::barewire::{read, replay, steps};
use crate::timing::{Candidate, measure};
use ::barewire::json::{Parser, Writer, parse};
use std::hint::black_box;

const DOCUMENTS: [&str; 3] = ["twitter", "citm_catalog", "canada"];
const BATCH_SECONDS: f64 = 0.03;

/// Measures the candidates of one question, each of which does its work `count` times.
fn answer(question: &str, rounds: usize, count: usize, candidates: &mut [Candidate]) {
    measure(candidates, rounds, BATCH_SECONDS);
    for it in candidates {
        let ns = |seconds: f64| seconds / count as f64 * 1e9;
        println!(
            "{question}\t{}\t{:.1}\t{:.1}",
            it.name,
            ns(it.median),
            ns(it.best)
        );
    }
}

pub fn run(rounds: usize) {
    let lines = std::fs::read(format!("{BENCH}/small/tools_call_lines.ndjson")).unwrap();
    let lines: Vec<&[u8]> = lines
        .split(|b| *b == b'\n')
        .filter(|l| !l.is_empty())
        .collect();
    reading("line", rounds, &lines);
    writing("line", rounds, &lines);
    for document in DOCUMENTS {
        let text = std::fs::read(format!("{BENCH}/{document}.json")).unwrap();
        reading(document, rounds, &[&text]);
        writing(document, rounds, &[&text]);
    }
    numbers(rounds);
}

fn reading(name: &str, rounds: usize, texts: &[&[u8]]) {
    let with_parser = |piece: usize| {
        let mut parser = Parser::new();
        move || {
            for text in texts {
                read(&mut parser, black_box(text), piece).unwrap();
            }
        }
    };
    let mut candidates = [
        Candidate::new("barewire", with_parser(usize::MAX)),
        Candidate::new("barewire, 64-byte pieces", with_parser(64)),
        Candidate::new("serde_json", || {
            for text in texts {
                drop(black_box(
                    serde_json::from_slice::<serde_json::Value>(black_box(text)).unwrap(),
                ));
            }
        }),
        Candidate::new("sonic-rs", || {
            for text in texts {
                drop(black_box(
                    sonic_rs::from_slice::<sonic_rs::Value>(black_box(text)).unwrap(),
                ));
            }
        }),
    ];
    answer(
        &format!("read {name}"),
        rounds,
        texts.len(),
        &mut candidates,
    );
}

fn writing(name: &str, rounds: usize, texts: &[&[u8]]) {
    let documents: Vec<_> = texts.iter().map(|text| parse(text).unwrap()).collect();
    let values: Vec<serde_json::Value> = texts
        .iter()
        .map(|text| serde_json::from_slice(text).unwrap())
        .collect();
    let buffer = || Vec::<u8>::with_capacity(4 << 20);
    let calls: Vec<_> = texts.iter().map(|text| steps(text).unwrap()).collect();
    let (mut copied, mut called, mut serde) = (buffer(), buffer(), buffer());
    let mut candidates = [
        Candidate::new("barewire", || {
            for document in &documents {
                copied.clear();
                Writer::new(&mut copied).value(black_box(document).root().unwrap());
                black_box(&copied);
            }
        }),
        Candidate::new("barewire, by calls", || {
            for calls in &calls {
                called.clear();
                replay(black_box(calls), &mut called);
                black_box(&called);
            }
        }),
        Candidate::new("serde_json", || {
            for value in &values {
                serde.clear();
                serde_json::to_writer(&mut serde, black_box(value)).unwrap();
                black_box(&serde);
            }
        }),
    ];
    answer(
        &format!("write {name}"),
        rounds,
        texts.len(),
        &mut candidates,
    );
}

fn numbers(rounds: usize) {
    for (set, values) in sets("")
        .iter()
        .filter(|set| ["small ints", "n/100", "random bits"].contains(&set.0))
    {
        let compared = formatters()
            .into_iter()
            .filter(|it| ["barewire", "ryu-js"].contains(&it.0));
        let mut candidates: Vec<Candidate> = compared
            .map(|(name, _, format)| {
                let mut out = Vec::with_capacity(400);
                Candidate::new(name, move || {
                    for value in values {
                        out.clear();
                        format(black_box(*value), &mut out);
                        black_box(&out);
                    }
                })
            })
            .collect();
        answer(
            &format!("number {set}"),
            rounds,
            values.len(),
            &mut candidates,
        );
    }
}
