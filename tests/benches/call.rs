//! What a call costs beyond reading its arguments and writing its result.
//!
//! ```text
//! cargo bench -p tool-tests --bench call
//! ```
//!
//! Every row is also given as a multiple of the floor, measured in the same run: `serde_json` reads the same
//! arguments into a derived struct and writes the same sum as text. The least of many rounds counts: whatever else the
//! machine does only adds.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a program")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use serde::Deserialize;
use tool_runtime::{Registry, ToolCall, TruncateOptions, tool, tools, truncate_result};

const ARGUMENTS: &str = r#"{"a":1,"b":2}"#;

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Adds, as a future.
#[tool]
async fn add_later(a: i64, b: i64) -> i64 {
    a + b
}

/// Adds in words.
#[tool]
fn add_in_words(a: i64, b: i64) -> String {
    format!("{a} and {b} are {}", a + b)
}

/// Adds somewhere else.
#[tool(external)]
fn add_outside(a: i64, b: i64) -> String {
    format!("{a} and {b} are {}", a + b)
}

#[derive(Deserialize)]
struct Args {
    a: i64,
    b: i64,
}

/// Nanoseconds of one `work`, of the fastest of 30 rounds of some 10 ms.
fn least(mut work: impl FnMut()) -> f64 {
    let mut times = 1_u32;
    loop {
        let began = Instant::now();
        (0..times).for_each(|_| work());
        if began.elapsed() > Duration::from_millis(10) {
            break;
        }
        times *= 2;
    }
    let rounds = (0..30).map(|_| {
        let began = Instant::now();
        (0..times).for_each(|_| work());
        began.elapsed().as_secs_f64() * 1e9 / f64::from(times)
    });
    rounds.fold(f64::INFINITY, f64::min)
}

fn main() {
    let registry = Registry::builder()
        .tools(tools![add, add_later, add_in_words, add_outside])
        .without_store()
        .build()
        .expect("the tools are well formed");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");

    let floor = least(|| {
        let args: Args = serde_json::from_str(black_box(ARGUMENTS)).expect("two numbers");
        black_box((args.a + args.b).to_string());
    });
    println!("{:28}{floor:9.0} ns", "floor");
    for name in ["add", "add_later", "add_in_words", "add_outside"] {
        let call = || ToolCall::new("call_1", name, black_box(ARGUMENTS));
        let time = least(|| {
            let outcome = runtime.block_on(registry.call(call()));
            black_box(outcome.model_text().len());
        });
        println!("{name:28}{time:9.0} ns{:8.1} floors", time / floor);
    }

    let text = "Grüße aus Zürich, 世界. 0123456789 abcdefghijklmnopqrstuvwxyz\n".repeat(1_500_000);
    let count = least(|| {
        black_box(black_box(&text).chars().count());
    });
    let cut = least(|| {
        black_box(truncate_result(black_box(&text), &TruncateOptions::new(4000)));
    });
    let (megabytes, times) = (text.len() / 1_000_000, cut / count);
    println!("{:28}{:9.1} ms", format!("std counts {megabytes} MB"), count / 1e6);
    println!("{:28}{:9.1} ms{times:8.1} counts", format!("cut {megabytes} MB"), cut / 1e6);
}
