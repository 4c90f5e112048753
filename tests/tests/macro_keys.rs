//! What the keys of `#[tool(..)]` that say how a tool is run do.
#![allow(missing_docs, clippy::unwrap_used, clippy::unused_async)]

use std::{future::Future, thread, time::Duration};

use tool_runtime::{
    Approval, ApprovalRequest, Approver, CallContext, RegisteredTool, Registry, Status, ToolCall, tool, tools,
};

fn registry(tools: impl IntoIterator<Item = RegisteredTool>) -> Registry {
    Registry::builder().tools(tools).without_store().build().unwrap()
}

fn call(name: &str) -> ToolCall {
    ToolCall::new("call_1", name, "{}")
}

#[tool(timeout = "20ms")]
async fn slow() {
    std::future::pending().await
}

#[tool(timeout = "20 ms", blocking)]
fn blocks(#[inject] ctx: &CallContext) -> String {
    // As long as nobody has given it up.
    while !ctx.cancellation().is_cancelled() {
        thread::sleep(Duration::from_millis(1));
    }
    "late".to_owned()
}

#[tool(blocking)]
fn elsewhere() -> String {
    format!("{:?}", thread::current().id())
}

#[tokio::test]
async fn a_timeout_stops_what_can_be_stopped() {
    let registry = registry(tools![slow, blocks, elsewhere]);
    let outcome = registry.call(call("slow")).await;
    assert_eq!(outcome.status(), Status::TimedOut);
    assert!(outcome.model_text().contains("0.02 s"), "{}", outcome.model_text());
    assert!(!outcome.receipt().still_running);
    let outcome = registry.call(call("blocks")).await;
    assert_eq!(outcome.status(), Status::TimedOut);
    assert!(outcome.receipt().still_running);
    let here = format!("{:?}", thread::current().id());
    assert_ne!(registry.call(call("elsewhere")).await.model_text(), here);
}

#[tool(approval, destructive)]
fn wipe() -> &'static str {
    "wiped"
}

struct Answer(Approval);

impl Approver for Answer {
    fn approve(&self, _request: ApprovalRequest) -> impl Future<Output = Approval> + Send {
        std::future::ready(self.0.clone())
    }
}

#[test]
fn a_tool_with_approval_asks_first() {
    let error = Registry::builder().tools(tools![wipe]).without_store().build().unwrap_err();
    assert!(error.is_missing_approver());
    for (answer, status) in [(Approval::Yes, Status::Ok), (Approval::No("not today".into()), Status::Blocked)] {
        let registry = Registry::builder().tools(tools![wipe]).approver(Answer(answer)).without_store();
        assert_eq!(registry.build().unwrap().call_blocking(call("wipe")).status(), status);
    }
}

#[tool(max_result_tokens = 3)]
fn long() -> String {
    "one two three four five six seven eight nine ten".repeat(20)
}

#[test]
fn a_limit_may_be_in_tokens() {
    let outcome = registry(tools![long]).call_blocking(call("long"));
    assert!(outcome.receipt().truncated, "{}", outcome.model_text());
}
