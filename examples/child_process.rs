//! A child process that prints more than anybody wants to read, in the memory of what the model reads.
//!
//! Notice that stdout and stderr stand in one stream, line by line as they came, and that the exit status is at its
//! end, where every cut keeps it. All of it is in the artifact. A child that prints more than the ceiling finds its
//! pipe closed.
//!
//! ```sh
//! cargo run --example child_process
//! ```

use std::{
    io::{self, Read, Write},
    process::{Command, Stdio},
    thread,
};

use tool_runtime::{CallContext, OutputSink, Registry, Streamed, ToolCall, tool, tools};

/// Runs a program and shows what it prints.
#[tool(max_result_size = 300, external, destructive, blocking)]
fn run(#[inject] ctx: &CallContext, program: &str, args: Vec<String>) -> io::Result<Streamed> {
    let mut command = Command::new(program);
    let mut child = command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut sink = ctx.sink().max_bytes(1 << 20);
    thread::scope(|scope| {
        // A clone for each, so that lines stay whole.
        let (out, err) = (sink.clone(), sink.clone());
        scope.spawn(|| copy(stdout, out));
        scope.spawn(|| copy(stderr, err));
    });
    let status = child.wait()?;
    // Fails where the ceiling was reached; then the view says that.
    let _ = write!(sink, "[{status}]");
    Ok(sink.finish())
}

/// To the end of the source or the ceiling of the sink.
fn copy(source: Option<impl Read>, mut sink: OutputSink) {
    if let Some(mut source) = source {
        let _ = io::copy(&mut source, &mut sink);
    }
}

const CHATTY: &str = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo out $i; echo err $i >&2; done; exit 3";

fn main() -> Result<(), tool_runtime::BuildError> {
    let registry = Registry::builder().tools(tools![run]).build()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let commands = [
        (cargo.as_str(), vec!["--version"]),
        ("sh", vec!["-c", CHATTY]),
        ("sh", vec!["-c", "yes and so on, for ever"]),
    ];
    for (index, (program, args)) in commands.into_iter().enumerate() {
        let arguments = serde_json::json!({ "program": program, "args": args });
        let outcome = registry.call_blocking(ToolCall::new(format!("call_{index}"), "run", arguments));
        println!("━━━ {}\n{}\n", args.join(" "), outcome.model_text());
        if let Some(artifact) = outcome.artifact() {
            println!("    kept: {} characters, {} lines\n", artifact.chars, outcome.output().text().lines().count());
        }
    }
    Ok(())
}
