//! Tracing: one span for each call, with the names that OpenTelemetry's conventions give to tool execution.
//!
//! `cargo run --example tracing`
//!
//! Notice:
//! - a span has names, sizes and status; what was asked and answered is in it only with `trace_content()`, and then
//!   the redactor has been over it: the key that the second tool returns is nowhere;
//! - any `tracing` subscriber takes the spans; for OpenTelemetry itself it is the one of `tracing-opentelemetry`.

use tool_runtime::{Registry, Secrets, ToolCall, tool, tools};
use tracing_subscriber::fmt::format::FmtSpan;

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Shows how the service is configured.
#[tool]
async fn config() -> String {
    "region=eu-west-1 key=AKIAIOSFODNN7EXAMPLE".to_owned()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), tool_runtime::BuildError> {
    // The exporter: one line of JSON for each span that ends.
    tracing_subscriber::fmt()
        .json()
        .with_span_events(FmtSpan::CLOSE)
        .with_span_list(false)
        .with_target(false)
        .without_time()
        .init();

    println!("without content:");
    let registry = Registry::builder().tools(tools![add, config]).build()?;
    let _ = registry.call(ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#)).await;
    let _ = registry.call(ToolCall::new("call_2", "add", r#"{"a":1,"c":2}"#)).await;

    println!("\nwith content:");
    let registry = Registry::builder().tools(tools![config]).redact(Secrets::default()).trace_content().build()?;
    let _ = registry.call(ToolCall::new("call_3", "config", "{}")).await;
    Ok(())
}
