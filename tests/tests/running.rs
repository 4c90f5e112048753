//! How calls run: deadlines, cancellation, the blocking pool, panics, and the places that a call is made from.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test")]

use std::{
    collections::HashMap,
    future::{Future, pending},
    marker::PhantomData,
    panic::panic_any,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use tool_runtime::{
    Approval, ApprovalRequest, CallContext, CancellationToken, DynTool, MemoryStore, ModelOutput, NoArgs, Outcome,
    Registry, Status, Tool, ToolCall, ToolError, ToolResult, ToolSpec, tool, tools,
};

fn call(name: &str) -> ToolCall {
    ToolCall::new("1", name, "{}")
}

/// Sets a flag when it goes.
struct Flag(Arc<AtomicUsize>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Panics when it goes, with a payload that panics when it goes.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(Box::new(Fuse));
    }
}

struct Fuse;

impl Drop for Fuse {
    fn drop(&mut self) {
        panic_any("the payload's own drop");
    }
}

/// A synchronous body behind the trait, for what `#[tool]` says with `blocking`, `timeout` and `approval`.
struct ByHand<F, T> {
    spec: ToolSpec,
    body: F,
    returns: PhantomData<fn() -> T>,
}

impl<F, T> Tool for ByHand<F, T>
where
    F: Fn(&CallContext) -> T + Send + Sync + 'static,
    T: Serialize + Send + Sync + 'static,
{
    type Args = NoArgs;
    type Output = T;
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }
    async fn run(&self, _: NoArgs, ctx: &CallContext) -> Result<ToolResult<T>, ToolError> {
        Ok((self.body)(ctx).into())
    }
}

fn by_hand<F, T>(spec: ToolSpec, body: F) -> ByHand<F, T>
where
    F: Fn(&CallContext) -> T + Send + Sync + 'static,
{
    ByHand { spec, body, returns: PhantomData }
}

fn spec(name: &'static str) -> ToolSpec {
    ToolSpec::new(name, "A tool.")
}

fn dynamic<F, R>(name: &'static str, body: F) -> DynTool
where
    F: Fn(CallContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<ToolResult<Value>, ToolError>> + Send + 'static,
{
    DynTool::new(spec(name), json!({ "type": "object" }), move |_, ctx| body(ctx))
}

// ---- panics -------------------------------------------------------------------------------------------------------

/// Panics.
#[tool]
fn panics_with_str() -> String {
    panic!("boom")
}

/// Panics.
#[tool]
fn panics_with_any() -> String {
    panic_any(7_i32)
}

/// Panics.
#[tool]
fn panics_with_a_bomb() -> String {
    panic_any(Bomb)
}

/// Panics after an await.
#[tool]
async fn panics_later() -> String {
    std::future::ready(()).await;
    panic_any(Bomb)
}

fn panics_apart() -> impl Tool {
    by_hand(spec("panics_apart").blocking(), |_| -> String { panic_any(Bomb) })
}

/// Works.
#[tool]
fn fine() -> &'static str {
    "ok"
}

fn panicking() -> Registry {
    Registry::builder()
        .tools(tools![panics_with_str, panics_with_any, panics_with_a_bomb, panics_later, fine])
        .tool(panics_apart())
        .build()
        .unwrap()
}

#[test]
fn args_panic_str() {
    let registry = panicking();
    let outcome = registry.call_blocking(call("panics_with_str"));
    assert_eq!(outcome.status(), Status::Panicked);
    assert_eq!(outcome.model_text(), "[Tool panicked]\nboom");
    assert_eq!(registry.call_blocking(call("fine")).model_text(), "ok");
}

#[test]
fn args_panic_any() {
    let outcome = panicking().call_blocking(call("panics_with_any"));
    assert_eq!(outcome.status(), Status::Panicked);
    assert!(outcome.model_text().starts_with("[Tool panicked]\n"), "{}", outcome.model_text());
}

#[tokio::test]
async fn args_panic_drop_bomb() {
    let registry = panicking();
    for name in ["panics_with_a_bomb", "panics_later", "panics_apart"] {
        assert_eq!(registry.call(call(name)).await.status(), Status::Panicked, "{name}");
        let other = registry.clone();
        let outcome = thread::spawn(move || other.call_blocking(call(name))).join().unwrap();
        assert_eq!(outcome.status(), Status::Panicked, "{name}");
    }
    assert_eq!(registry.call(call("fine")).await.model_text(), "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn k01_a_panic_in_one_tool_leaves_the_others_alone() {
    let registry = panicking();
    let calls: Vec<_> = (0..60)
        .map(|index| {
            let name = ["panics_with_str", "fine", "panics_later"][index % 3];
            (name, tokio::spawn(registry.call(call(name))))
        })
        .collect();
    for (name, outcome) in calls {
        let outcome = outcome.await.unwrap();
        assert_eq!(outcome.status(), if name == "fine" { Status::Ok } else { Status::Panicked });
    }
    assert_eq!(registry.call(call("fine")).await.model_text(), "ok");
}

/// A value that panics when it is written, cloned into JSON or dropped.
struct Trap {
    when_written: bool,
}

impl Serialize for Trap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.when_written {
            panic_any(Bomb);
        }
        serializer.serialize_str("written")
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        panic_any(Bomb);
    }
}

/// A value that panics when it is written.
#[tool]
fn written() -> Trap {
    Trap { when_written: true }
}

/// A value that panics when it is dropped.
#[tool]
async fn dropped() -> Trap {
    Trap { when_written: false }
}

#[test]
fn args_panic_in_serialize() {
    let registry = Registry::builder().tools(tools![written]).build().unwrap();
    let outcome = registry.call_blocking(call("written"));
    assert_eq!(outcome.status(), Status::Unserialisable);
    assert!(outcome.is_error() && outcome.model_text().starts_with("[Unserialisable: "), "{}", outcome.model_text());
    assert!(outcome.output().json().is_null());
    assert!(outcome.output().has_value());
}

#[test]
fn a_value_that_panics_when_dropped_hurts_nobody() {
    let registry = Registry::builder().tools(tools![dropped]).build().unwrap();
    let outcome = registry.call_blocking(call("dropped"));
    assert_eq!(outcome.model_text(), "\"written\"");
    let kept = outcome.output().clone();
    drop(outcome);
    assert!(kept.downcast_ref::<Trap>().is_some());
    drop(kept);
}

#[tokio::test]
async fn a_future_that_panics_when_dropped_hurts_nobody() {
    let tool = dynamic("bomb", |_| async {
        let _bomb = Bomb;
        pending().await
    });
    let registry = Registry::builder().tool(tool).build().unwrap();
    let token = CancellationToken::new();
    let running = tokio::spawn(registry.call(call("bomb").cancel(token.clone())));
    tokio::time::sleep(Duration::from_millis(10)).await;
    token.cancel();
    assert_eq!(running.await.unwrap().status(), Status::Cancelled);
    // And where the whole call is dropped.
    let mut dropped = Box::pin(registry.call(call("bomb")));
    assert!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(dropped);
}

struct Unprintable;

impl std::fmt::Display for Unprintable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("no text")
    }
}

/// Fails with an error that panics when it is printed.
#[tool]
fn unprintable() -> Result<String, Unprintable> {
    Err(Unprintable)
}

#[test]
fn an_error_that_panics_when_printed_is_a_panic() {
    let registry = Registry::builder().tools(tools![unprintable]).build().unwrap();
    assert_eq!(registry.call_blocking(call("unprintable")).status(), Status::Panicked);
}

/// A view that panics.
fn failing_view(_: &String) -> String {
    panic_any(Bomb)
}

/// Has a view that panics.
#[tool(to_model_output = failing_view)]
fn viewed() -> String {
    "all of it".into()
}

#[test]
fn args_panic_in_hook() {
    let registry = Registry::builder().tools(tools![viewed]).build().unwrap();
    let outcome = registry.call_blocking(call("viewed"));
    assert_eq!((outcome.status(), outcome.model_text()), (Status::Ok, "all of it"));
    assert!(outcome.receipt().notes.iter().any(|note| note.contains("`to_model_output` panicked")));
}

// ---- approval -----------------------------------------------------------------------------------------------------

/// Needs a yes.
fn approved() -> impl Tool {
    by_hand(spec("approved").approval(), |_| 1)
}

#[test]
fn an_approver_that_panics_has_not_approved() {
    struct Eager;
    impl tool_runtime::Approver for Eager {
        #[allow(clippy::manual_async_fn, reason = "panics before there is a future")]
        fn approve(&self, _: ApprovalRequest) -> impl Future<Output = Approval> + Send {
            if true {
                panic_any(Bomb);
            }
            async { Approval::Yes }
        }
    }
    let eager = Registry::builder().tool(approved()).approver(Eager).build().unwrap();
    let late = |_: ApprovalRequest| async {
        if true {
            panic_any(Bomb);
        }
        true
    };
    let late = Registry::builder().tool(approved()).approver(late).build().unwrap();
    for registry in [eager, late] {
        let outcome = registry.call_blocking(call("approved"));
        assert_eq!(outcome.status(), Status::Blocked, "{}", outcome.model_text());
        assert_eq!(outcome.model_text(), "[Not approved, and not run]\nthe approver panicked");
    }
}

#[tokio::test]
async fn waiting_for_approval_can_be_cancelled() {
    let asked = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&asked);
    let approver = move |_: ApprovalRequest| {
        seen.store(true, Ordering::SeqCst);
        pending::<bool>()
    };
    let registry = Registry::builder().tool(approved()).approver(approver).build().unwrap();
    let token = CancellationToken::new();
    let asking = call("approved").cancel(token.clone());
    let running = tokio::spawn(registry.call(asking));
    while !asked.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    token.cancel();
    let outcome = tokio::time::timeout(Duration::from_secs(10), running).await.unwrap().unwrap();
    assert_eq!(outcome.status(), Status::Cancelled);
}

// ---- time ---------------------------------------------------------------------------------------------------------

/// Sleeps in a task.
fn sleeps(gone: &Arc<AtomicUsize>) -> DynTool {
    let gone = Arc::clone(gone);
    let spec = spec("sleeps").timeout(Duration::from_millis(50));
    DynTool::new(spec, json!({ "type": "object" }), move |_, _| {
        let flag = Flag(Arc::clone(&gone));
        async move {
            let _flag = flag;
            pending::<()>().await;
            Ok(json!("late").into())
        }
    })
}

/// Sleeps on a thread.
fn sleeps_apart() -> impl Tool {
    by_hand(spec("sleeps_apart").blocking().timeout(Duration::from_millis(50)), |ctx| {
        while !ctx.cancellation().is_cancelled() {
            thread::sleep(Duration::from_millis(1));
        }
        "late"
    })
}

fn sleeping() -> (Registry, Arc<AtomicUsize>) {
    let gone = Arc::new(AtomicUsize::new(0));
    let builder = Registry::builder().tools(tools![fine]).tool(sleeps(&gone)).tool(sleeps_apart());
    (builder.build().unwrap(), gone)
}

fn timed_out(outcome: &Outcome) {
    assert_eq!(outcome.status(), Status::TimedOut);
    assert!(outcome.model_text().starts_with("[Timed out after 0.05 s]\n"), "{}", outcome.model_text());
    assert!(outcome.receipt().duration >= Duration::from_millis(50));
}

#[tokio::test]
async fn args_timeout_async() {
    let (registry, gone) = sleeping();
    let outcome = registry.call(call("sleeps")).await;
    timed_out(&outcome);
    assert!(!outcome.receipt().still_running);
    assert_eq!(gone.load(Ordering::SeqCst), 1, "the tool's future is dropped before the outcome is there");
    let other = registry.clone();
    let outcome = thread::spawn(move || other.call_blocking(call("sleeps"))).join().unwrap();
    timed_out(&outcome);
    assert_eq!(gone.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn args_timeout_blocking() {
    let (registry, _) = sleeping();
    let outcome = registry.call(call("sleeps_apart")).await;
    timed_out(&outcome);
    assert!(outcome.receipt().still_running);
    let outcome = thread::spawn(move || registry.call_blocking(call("sleeps_apart"))).join().unwrap();
    timed_out(&outcome);
    assert!(outcome.receipt().still_running);
}

#[tokio::test]
async fn a_timeout_of_one_call_does_not_cancel_the_others_of_its_token() {
    let (registry, _) = sleeping();
    let token = CancellationToken::new();
    assert_eq!(registry.call(call("sleeps_apart").cancel(token.clone())).await.status(), Status::TimedOut);
    assert!(!token.is_cancelled());
    assert_eq!(registry.call(call("fine").cancel(token)).await.status(), Status::Ok);
}

/// Blocks until it is let go.
fn stuck(gate: Opened) -> impl Tool {
    by_hand(spec("stuck").blocking().timeout(Duration::from_millis(30)), move |_| {
        gate.pass();
        "done"
    })
}

/// What blocking tools wait at, the test's own: it opens with the test's end, whatever that is, or a runtime would wait
/// for ever for threads that wait here.
#[derive(Default)]
struct Gate(Opened);

impl Drop for Gate {
    fn drop(&mut self) {
        self.0.open.store(true, Ordering::SeqCst);
    }
}

#[derive(Clone, Default)]
struct Opened {
    open: Arc<AtomicBool>,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Opened {
    /// Waits until it is open.
    fn pass(&self) {
        self.most.fetch_max(self.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        while !self.open.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Gate {
    fn open(&self) {
        self.0.open.store(true, Ordering::SeqCst);
    }

    /// How many are in there now.
    fn running(&self) -> usize {
        self.0.running.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn args_timeout_storm() {
    let gate = Gate::default();
    let registry = Registry::builder().tools(tools![fine]).tool(stuck(gate.0.clone())).max_blocking(8).build().unwrap();
    let calls: Vec<_> = (0..200).map(|_| tokio::spawn(registry.call(call("stuck")))).collect();
    let mut counts: HashMap<Status, usize> = HashMap::new();
    for outcome in calls {
        let outcome = outcome.await.unwrap();
        *counts.entry(outcome.status()).or_default() += 1;
        if outcome.status() == Status::Busy {
            assert!(outcome.model_text().starts_with("[Busy, not run]\n8 calls of "), "{}", outcome.model_text());
            assert!(!outcome.receipt().still_running);
        }
    }
    assert_eq!(counts, HashMap::from([(Status::TimedOut, 8), (Status::Busy, 192)]));
    assert_eq!(registry.call(call("stuck")).await.status(), Status::Busy, "it fails fast");
    assert_eq!(registry.call(call("fine")).await.status(), Status::Ok);
    // A call may have timed out before its thread had begun.
    while gate.running() < 8 {
        tokio::task::yield_now().await;
    }
    gate.open();
    // Each that ends makes room again.
    while registry.call(call("stuck")).await.status() != Status::Ok {
        tokio::task::yield_now().await;
    }
    assert_eq!(gate.0.most.load(Ordering::SeqCst), 8);
}

#[test]
fn a_runtime_without_timers_is_said_and_hooks_do_without() {
    struct Looks;
    impl tool_runtime::Hook for Looks {}
    let (registry, _) = sleeping();
    let hooked = Registry::builder().tools(tools![fine]).hook(Looks).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcome = runtime.block_on(registry.call(call("sleeps")));
    assert_eq!(outcome.status(), Status::Blocked);
    assert!(outcome.model_text().contains("timers"), "{}", outcome.model_text());
    assert_eq!(runtime.block_on(hooked.call(call("fine"))).model_text(), "ok");
}

// ---- cancellation -------------------------------------------------------------------------------------------------

/// Waits for ever.
struct Endless {
    gone: Arc<AtomicUsize>,
}

impl Tool for Endless {
    type Args = NoArgs;
    type Output = String;
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("endless", "Waits.")
    }
    async fn run(&self, _: NoArgs, _: &CallContext) -> Result<ToolResult<String>, ToolError> {
        let _flag = Flag(Arc::clone(&self.gone));
        pending::<()>().await;
        Ok("never".to_owned().into())
    }
}

#[tokio::test]
async fn k06_a_cancelled_call_has_one_outcome() {
    let gone = Arc::new(AtomicUsize::new(0));
    let store = MemoryStore::new(1 << 20);
    let registry = Registry::builder()
        .tool(Endless { gone: Arc::clone(&gone) })
        .tool(by_hand(spec("wordy"), |_| "word ".repeat(100)))
        .store(store.clone())
        .default_max_result_size(100)
        .build()
        .unwrap();
    // Cancelled at 50 ms.
    let token = CancellationToken::new();
    let other = token.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        other.cancel();
    });
    let outcome = registry.call(call("endless").cancel(token.clone())).await;
    assert_eq!((outcome.status(), outcome.call_id()), (Status::Cancelled, "1"));
    assert_eq!(gone.load(Ordering::SeqCst), 1);
    // Cancelled before it began: the tool is not run.
    assert_eq!(registry.call(call("endless").cancel(token.clone())).await.status(), Status::Cancelled);
    assert_eq!(gone.load(Ordering::SeqCst), 1);
    // Dropped.
    let mut dropped = Box::pin(registry.call(call("endless")));
    assert!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(dropped);
    assert_eq!(gone.load(Ordering::SeqCst), 2);
    // Cancelled after the end.
    let token = CancellationToken::new();
    let outcome = registry.call(call("wordy").cancel(token.clone())).await;
    token.cancel();
    assert_eq!(outcome.status(), Status::Ok);
    let saved = tool_runtime::ArtifactStore::list(&store).unwrap();
    assert_eq!(saved.len(), 1, "only the one that ended saved something: {saved:?}");
}

#[test]
fn a_blocking_call_can_be_cancelled_from_another_thread() {
    let gate = Gate::default();
    let opened = gate.0.clone();
    let blocks = by_hand(spec("blocks").blocking(), move |_| opened.pass());
    let registry = Registry::builder().tool(blocks).build().unwrap();
    let token = CancellationToken::new();
    let other = token.clone();
    thread::scope(|scope| {
        scope.spawn(|| {
            while gate.running() == 0 {
                thread::yield_now();
            }
            other.cancel();
        });
        let outcome = registry.call_blocking(call("blocks").cancel(token));
        assert_eq!(outcome.status(), Status::Cancelled);
        assert!(outcome.receipt().still_running);
    });
}

// ---- places -------------------------------------------------------------------------------------------------------

#[test]
fn k04_blocking_work_leaves_the_runtime_free() {
    /// Is slow.
    #[tool(blocking)]
    fn slow(#[inject] ctx: &CallContext) -> &'static str {
        // Without a gate it has nothing to wait for.
        ctx.extension::<Opened>().into_iter().for_each(Opened::pass);
        "slow"
    }
    /// Is quick.
    #[tool]
    async fn quick() -> &'static str {
        tokio::time::sleep(Duration::from_millis(5)).await;
        "quick"
    }
    let registry = Registry::builder().tools(tools![slow, quick]).build().unwrap();
    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let multi = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for runtime in [single, multi] {
        runtime.block_on(async {
            // The slow one can't end before the quick one has.
            let gate = Gate::default();
            let slow = tokio::spawn(registry.call(call("slow").extension(gate.0.clone())));
            while gate.running() == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(registry.call(call("quick")).await.model_text(), "quick");
            assert!(!slow.is_finished());
            gate.open();
            assert_eq!(slow.await.unwrap().model_text(), "slow");
        });
    }
    // And without any runtime.
    assert_eq!(registry.call_blocking(call("slow")).model_text(), "slow");
    assert_eq!(registry.call_blocking(call("quick")).model_text(), "quick");
}

#[test]
fn call_blocking_inside_a_runtime_runs_what_does_not_wait() {
    let (registry, _) = sleeping();
    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let multi = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for runtime in [single, multi] {
        runtime.block_on(async {
            assert_eq!(registry.call_blocking(call("fine")).model_text(), "ok");
            let outcome = registry.call_blocking(call("sleeps"));
            assert_eq!(outcome.status(), Status::Blocked);
            assert!(outcome.model_text().contains("`Registry::call`"), "{}", outcome.model_text());
        });
    }
}

#[test]
fn a_thread_of_the_blocking_pool_waits_for_the_other_method() {
    /// Waits.
    #[tool]
    async fn waits() -> &'static str {
        tokio::time::sleep(Duration::from_millis(1)).await;
        "waited"
    }
    let registry = Registry::builder().tools(tools![waits, fine]).build().unwrap();
    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let multi = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for runtime in [single, multi] {
        let registry = registry.clone();
        let apart = move || {
            // Inside, as far as tokio tells.
            assert_eq!(registry.call_blocking(call("waits")).status(), Status::Blocked);
            assert_eq!(registry.call_blocking(call("fine")).model_text(), "ok");
            tokio::runtime::Handle::current().block_on(registry.call(call("waits")))
        };
        let outcome = runtime.block_on(async { tokio::task::spawn_blocking(apart).await.unwrap() });
        assert_eq!(outcome.model_text(), "waited");
    }
}

#[test]
fn k03_calls_with_one_id_are_not_mixed_up() {
    /// Reads.
    #[tool]
    fn read(p: String) -> String {
        format!("content of {p}")
    }
    let registry = Registry::builder().tools(tools![read]).build().unwrap();
    let ids = ["read", "read", ""];
    let outcomes: Vec<Outcome> = ["a", "b", "c"]
        .iter()
        .zip(ids)
        .map(|(p, id)| registry.call_blocking(ToolCall::new(id, "read", json!({ "p": p }))))
        .collect();
    for ((outcome, id), p) in outcomes.iter().zip(ids).zip(["a", "b", "c"]) {
        assert_eq!((outcome.call_id(), outcome.tool_name()), (id, "read"));
        assert_eq!(outcome.model_text(), format!("content of {p}"));
    }
}

// ---- results ------------------------------------------------------------------------------------------------------

#[test]
fn args_result_nan() {
    /// Measures nothing.
    #[tool]
    fn measure() -> (f64, f64, f64) {
        (1.0, f64::NAN, f64::NEG_INFINITY)
    }
    let registry = Registry::builder().tools(tools![measure]).build().unwrap();
    let outcome = registry.call_blocking(call("measure"));
    assert_eq!(
        outcome.model_text(),
        "[1.0,null,null]\n\n[Notice: 2 numbers in the result are not finite and written as null]"
    );
    assert!(outcome.receipt().notes[0].contains("not finite"), "{:?}", outcome.receipt());
}

#[test]
fn args_result_deep() {
    let deep = |levels: usize| {
        let mut value = json!("bottom");
        for level in 0..levels {
            // Not `json!`, which copies by recursion.
            value = if level % 2 == 0 {
                vec![value].into()
            } else {
                Value::Object([("k".into(), value)].into_iter().collect())
            };
        }
        value
    };
    // Shown, viewed, blocked, replaced, and as a view: nowhere does it overflow the stack.
    let shown = dynamic("shown", move |_| std::future::ready(Ok(ToolResult::new(deep(100_000)))));
    let viewed =
        dynamic("viewed", move |_| std::future::ready(Ok(ToolResult::new(deep(100_000)).model_output("brief"))));
    let view = dynamic("view", move |_| std::future::ready(Ok(ToolResult::new(json!(1)).model_output(deep(100_000)))));
    let registry = Registry::builder().tool(shown).tool(viewed).tool(view).build().unwrap();
    let outcome = registry.call_blocking(call("shown"));
    assert_eq!(outcome.status(), Status::Unserialisable);
    assert!(outcome.model_text().contains("nested deeper than 512 levels"), "{}", outcome.model_text());
    assert_eq!(registry.call_blocking(call("viewed")).model_text(), "brief");
    assert_eq!(registry.call_blocking(call("view")).status(), Status::Unserialisable);

    struct Replaces(bool);
    impl tool_runtime::Hook for Replaces {
        async fn after(&self, _: &tool_runtime::AfterCall) -> tool_runtime::After {
            if self.0 { tool_runtime::After::Replace(json!("new")) } else { tool_runtime::After::Block("no".into()) }
        }
    }
    for (replaces, status) in [(true, Status::Ok), (false, Status::Blocked)] {
        let shown = dynamic("shown", move |_| std::future::ready(Ok(ToolResult::new(deep(100_000)))));
        let registry = Registry::builder().tool(shown).hook(Replaces(replaces)).build().unwrap();
        assert_eq!(registry.call_blocking(call("shown")).status(), status);
    }
}

#[test]
fn args_result_non_string_keys() {
    /// Has keys that JSON has not.
    #[tool]
    fn pairs() -> HashMap<(i32, i32), i32> {
        HashMap::from([((1, 2), 3)])
    }
    let registry = Registry::builder().tools(tools![pairs, fine]).build().unwrap();
    let outcome = registry.call_blocking(call("pairs"));
    assert_eq!(outcome.status(), Status::Unserialisable);
    assert!(outcome.is_error());
    assert_eq!(registry.call_blocking(call("fine")).status(), Status::Ok);
}

#[test]
fn an_empty_result_says_so() {
    /// Says nothing.
    #[tool]
    fn nothing() {}
    /// Says nothing.
    #[tool]
    fn empty() -> String {
        String::new()
    }
    let registry = Registry::builder().tools(tools![nothing, empty]).build().unwrap();
    for name in ["nothing", "empty"] {
        let outcome = registry.call_blocking(call(name));
        assert_eq!((outcome.model_text(), outcome.status()), ("(no output)", Status::Ok));
        assert_eq!(outcome.output().text(), "");
    }
}

#[test]
fn a_value_that_nobody_looks_at_is_never_serialised() {
    struct Counting(Arc<AtomicUsize>);
    impl Serialize for Counting {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.fetch_add(1, Ordering::SeqCst);
            serializer.serialize_str("value")
        }
    }
    struct Counts(Arc<AtomicUsize>);
    impl Tool for Counts {
        type Args = NoArgs;
        type Output = Counting;
        fn spec(&self) -> ToolSpec {
            spec("counts")
        }
        async fn run(&self, _: NoArgs, _: &CallContext) -> Result<ToolResult<Counting>, ToolError> {
            Ok(Counting(Arc::clone(&self.0)).into())
        }
        fn to_model_output(&self, _: &Counting) -> Option<ModelOutput> {
            Some("view".into())
        }
    }
    let count = Arc::new(AtomicUsize::new(0));
    let registry = Registry::builder().tool(Counts(Arc::clone(&count))).build().unwrap();
    let outcome = registry.call_blocking(call("counts"));
    assert_eq!((outcome.model_text(), outcome.receipt().full_chars), ("view", None));
    assert_eq!(count.load(Ordering::SeqCst), 0);
    assert_eq!(*outcome.output().json(), "value");
}

// ---- stores -------------------------------------------------------------------------------------------------------

/// A store that blocks, and that is as slow or as broken as it is told.
#[derive(Clone)]
struct Odd {
    inner: MemoryStore,
    finishes: Arc<Mutex<()>>,
    panics: Option<&'static str>,
}

struct OddWriter(Odd, Box<dyn tool_runtime::ArtifactWriter>);

impl Odd {
    fn at(&self, place: &str) {
        assert_ne!(self.panics, Some(place), "a store that panics");
    }
}

impl tool_runtime::ArtifactWriter for OddWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), tool_runtime::StoreError> {
        self.0.at("write");
        let _wait = self.0.finishes.lock();
        self.1.write(bytes)
    }
    fn finish(self: Box<Self>, chars: usize) -> Result<tool_runtime::ArtifactRef, tool_runtime::StoreError> {
        self.0.at("finish");
        self.1.finish(chars)
    }
    fn abort(self: Box<Self>) {
        self.0.at("abort");
        self.1.abort();
    }
}

impl tool_runtime::ArtifactStore for Odd {
    fn create(
        &self,
        meta: &tool_runtime::ArtifactMeta,
    ) -> Result<Box<dyn tool_runtime::ArtifactWriter>, tool_runtime::StoreError> {
        self.at("create");
        Ok(Box::new(OddWriter(self.clone(), self.inner.create(meta)?)))
    }
    fn read(&self, id: &str, range: std::ops::Range<u64>) -> Result<tool_runtime::Artifact, tool_runtime::StoreError> {
        self.inner.read(id, range)
    }
    fn list(&self) -> Result<Vec<tool_runtime::ArtifactEntry>, tool_runtime::StoreError> {
        self.inner.list()
    }
    fn delete(&self, id: &str) -> Result<(), tool_runtime::StoreError> {
        self.inner.delete(id)
    }
    fn sweep(&self, now: u64) -> Result<usize, tool_runtime::StoreError> {
        self.inner.sweep(now)
    }
    fn blocks(&self) -> bool {
        self.at("blocks");
        true
    }
}

/// Says a lot.
#[tool(max_result_size = 100)]
async fn long() -> String {
    "word ".repeat(1000)
}

/// A list of texts, too long.
#[tool(max_result_size = 100)]
async fn parts() -> Vec<tool_runtime::Part> {
    vec![tool_runtime::Part::text("word ".repeat(1000))]
}

fn with_store(panics: Option<&'static str>) -> (Registry, Odd) {
    let store = Odd { inner: MemoryStore::new(1 << 20), finishes: Arc::default(), panics };
    (Registry::builder().tools(tools![long, parts]).store(store.clone()).build().unwrap(), store)
}

#[tokio::test]
async fn a_store_that_panics_fails_no_call() {
    for place in ["blocks", "create", "write", "finish"] {
        let (registry, _) = with_store(Some(place));
        for name in ["long", "parts"] {
            let outcome = registry.call(call(name)).await;
            assert_eq!(outcome.status(), Status::Ok, "{place}: {}", outcome.model_text());
            assert!(outcome.model_text().contains("full output: not saved (store failed)]"), "{place} {name}");
            let other = registry.clone();
            let outcome = thread::spawn(move || other.call_blocking(call(name))).join().unwrap();
            // Off the runtime nobody asks whether the store blocks.
            assert_eq!(outcome.receipt().saved.as_deref() == Some("saved"), place == "blocks", "{place} {name}");
        }
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_while_it_saves_leaves_nothing() {
    let (registry, store) = with_store(None);
    let held = store.finishes.lock().unwrap();
    let mut dropped = Box::pin(registry.call(call("long")));
    assert!(matches!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
    thread::sleep(Duration::from_millis(20));
    drop(dropped);
    drop(held);
    drop(registry.call(call("parts")));
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(tool_runtime::ArtifactStore::list(&store.inner).unwrap().len(), 0);
    }
    assert_eq!(registry.call(call("long")).await.receipt().saved.as_deref(), Some("saved"));
}

#[test]
fn a_runtime_that_shuts_down_leaves_no_call_behind() {
    let (registry, store) = with_store(None);
    let held = store.finishes.lock().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let running = {
        let _inside = runtime.enter();
        let mut running = Box::pin(registry.call(call("long")));
        assert!(running.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        running
    };
    drop(held);
    runtime.shutdown_timeout(Duration::from_secs(5));
    let mut running = pin!(running);
    let began = Instant::now();
    loop {
        if let Poll::Ready(outcome) = running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            assert_eq!(outcome.status(), Status::Ok);
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(2));
    }
}

// ---- a thread that ends ----------------------------------------------------------------------------------------------

/// Makes calls when its thread has nothing else left.
struct AtTheEnd {
    registry: Registry,
    texts: std::sync::mpsc::Sender<String>,
}

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        for name in ["plain", "later", "few"] {
            let outcome = self.registry.call_blocking(call(name));
            self.texts.send(outcome.model_text().to_owned()).unwrap();
        }
    }
}

#[test]
fn a_thread_that_ends_can_still_make_calls() {
    thread_local!(static LAST: std::cell::RefCell<Option<AtTheEnd>> = const { std::cell::RefCell::new(None) });
    #[tool]
    fn plain() -> Vec<u8> {
        vec![1]
    }
    #[tool]
    async fn later() -> Vec<u8> {
        tokio::task::yield_now().await;
        vec![2]
    }
    #[tool(max_concurrent = 1)]
    fn few() -> Vec<u8> {
        vec![3]
    }
    let registry = Registry::builder().tools(tools![plain, later, few]).without_store().build().unwrap();
    let (texts, said) = std::sync::mpsc::channel();
    thread::spawn(move || {
        // Made before everything that a call keeps for its thread, and so the last to go.
        LAST.set(Some(AtTheEnd { registry: registry.clone(), texts }));
        for name in ["plain", "later", "few"] {
            assert_eq!(registry.call_blocking(call(name)).status(), Status::Ok);
        }
    })
    .join()
    .unwrap();
    assert_eq!(said.iter().collect::<Vec<_>>(), ["[1]", "[2]", "[3]"]);
}
