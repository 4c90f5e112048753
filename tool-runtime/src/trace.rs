//! One span for each call, with the names that OpenTelemetry's conventions for generative AI give to tool execution.
//!
//! Names, sizes and status (a span has its own timings); content only where the program asks for it, and then redacted. Without a
//! subscriber the span is disabled and nothing here is computed.

use tracing::{Span, Value, field::Empty};

use crate::{
    outcome::{Outcome, Status},
    present,
    registry::Inner,
    request::ToolCall,
};

/// Characters of content that a span carries.
const MAX_CONTENT: usize = 4096;

/// Characters of the name of no tool.
const MAX_NAME: usize = 64;

/// The span of one call.
pub(crate) struct Trace {
    span: Span,
    open: bool,
}

impl Trace {
    /// `None` where nobody listens.
    pub(crate) fn open(inner: &Inner, call: &ToolCall, session: Option<&str>) -> Option<Self> {
        let span = tracing::info_span!(
            target: "tool_runtime",
            "execute_tool",
            otel.name = Empty,
            otel.kind = "internal",
            otel.status_code = Empty,
            "error.type" = Empty,
            gen_ai.operation.name = "execute_tool",
            "gen_ai.tool.type" = "function",
            gen_ai.tool.name = Empty,
            gen_ai.tool.call.id = &*call.id,
            gen_ai.tool.call.arguments = Empty,
            gen_ai.tool.call.result = Empty,
            gen_ai.conversation.id = session,
            tool_runtime.status = Empty,
            tool_runtime.arguments_bytes = Empty,
            tool_runtime.full_chars = Empty,
            tool_runtime.view_chars = Empty,
            tool_runtime.model_chars = Empty,
            tool_runtime.truncated = Empty,
            tool_runtime.fenced = Empty,
            tool_runtime.saved = Empty,
            tool_runtime.attempts = Empty,
            tool_runtime.still_running = Empty,
            tool_runtime.notes = Empty,
        );
        if span.is_disabled() {
            return None;
        }
        let trace = Self { open: true, span };
        trace.begin(inner, call);
        Some(trace)
    }

    fn begin(&self, inner: &Inner, call: &ToolCall) {
        match inner.names.find(&call.name) {
            Some(found) => {
                let name = &*inner.tools[found.index].name;
                self.record("gen_ai.tool.name", &name);
                self.record("otel.name", &format!("execute_tool {name}"));
            }
            // The model's own words: content, and not for the span's name, of which there should be few.
            None => {
                self.record("otel.name", &"execute_tool");
                if inner.trace_content {
                    self.record("gen_ai.tool.name", &present::traced(inner, &call.name, MAX_NAME));
                }
            }
        }
        let arguments = call.arguments.text();
        self.record("tool_runtime.arguments_bytes", &arguments.len());
        if inner.trace_content {
            self.record("gen_ai.tool.call.arguments", &present::traced(inner, &arguments, MAX_CONTENT));
        }
    }

    /// To be entered whenever the call is worked on.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    pub(crate) fn close(mut self, inner: &Inner, outcome: &Outcome) {
        self.open = false;
        let receipt = outcome.receipt();
        self.fail(outcome.status());
        if let Some(chars) = receipt.full_chars {
            self.record("tool_runtime.full_chars", &chars);
        }
        self.record("tool_runtime.view_chars", &receipt.view_chars);
        self.record("tool_runtime.model_chars", &receipt.model_chars);
        self.record("tool_runtime.truncated", &receipt.truncated);
        self.record("tool_runtime.fenced", &receipt.fenced);
        self.record("tool_runtime.saved", &receipt.artifact.is_some());
        if receipt.attempts > 1 {
            self.record("tool_runtime.attempts", &receipt.attempts);
        }
        self.record("tool_runtime.still_running", &receipt.still_running);
        self.record("tool_runtime.notes", &receipt.notes.len());
        if inner.trace_content {
            // Redacted on its way to the model.
            let text = present::traced_clean(inner, outcome.model_text(), MAX_CONTENT);
            self.record("gen_ai.tool.call.result", &text);
            for note in &receipt.notes {
                let note = present::traced(inner, note, MAX_CONTENT);
                tracing::info!(target: "tool_runtime", parent: &self.span, note, "tool call note");
            }
        }
    }

    // Once for all fields: what `Span::record` makes of one is large.
    #[inline(never)]
    fn record(&self, field: &str, value: &dyn Value) {
        self.span.record(field, value);
    }

    fn fail(&self, status: Status) {
        self.record("tool_runtime.status", &status.name());
        if status != Status::Ok {
            self.record("error.type", &status.name());
            self.record("otel.status_code", &"ERROR");
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        // The caller went before there was an outcome.
        if self.open {
            self.fail(Status::Cancelled);
        }
    }
}
