//! `retries`: what is tried again, when, and what everybody is told of it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test")]

use std::{
    future::Future,
    io::{self, Write},
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::Instant;
use tool_runtime::{
    After, AfterCall, ApprovalRequest, ArtifactStore, CallContext, CancellationToken, DynTool, Hook, IntoTools,
    MemoryStore, NoArgs, Outcome, Registry, Status, Streamed, Tool, ToolCall, ToolError, ToolResult, ToolSpec, tool,
    tools,
};

fn call(name: &str) -> ToolCall {
    ToolCall::new("1", name, "{}")
}

fn busy() -> ToolError {
    ToolError::new("busy").transient()
}

/// Fails until it is asked the `works`-th time; each time differently, where `errors` says how.
fn flaky(spec: ToolSpec, errors: impl Fn(u32) -> Option<ToolError> + Send + Sync + 'static) -> DynTool {
    DynTool::new(spec, json!({ "type": "object" }), move |_, ctx: CallContext| {
        let ended = match errors(ctx.attempt()) {
            Some(error) => Err(error),
            None => Ok(json!(ctx.attempt()).into()),
        };
        std::future::ready(ended)
    })
}

fn spec(retries: u32) -> ToolSpec {
    ToolSpec::new("flaky", "Fails now and then.").retries(retries)
}

fn failing_before(works: u32) -> impl Fn(u32) -> Option<ToolError> + Send + Sync + 'static {
    move |attempt| (attempt < works).then(busy)
}

fn registry(tool: DynTool) -> Registry {
    Registry::builder().tool(tool).build().unwrap()
}

/// The outcome, and how long it took by the paused clock.
async fn timed(registry: &Registry) -> (Outcome, Duration) {
    let began = Instant::now();
    let outcome = registry.call(call("flaky")).await;
    (outcome, began.elapsed())
}

// ---- what is tried again --------------------------------------------------------------------------------------------

#[tokio::test(start_paused = true)]
async fn a_transient_error_is_tried_again_until_it_works() {
    let (outcome, took) = timed(&registry(flaky(spec(3), failing_before(4)))).await;
    assert_eq!((outcome.status(), outcome.model_text(), outcome.receipt().attempts), (Status::Ok, "4", 4));
    // 200, 400 and 800 ms, less a quarter at most.
    assert!(took <= Duration::from_millis(1400 + 3) && took >= Duration::from_millis(1050), "{took:?}");
    let notes = &outcome.receipt().notes;
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(notes[0].starts_with("attempt 1 failed for the moment; paused for 1"), "{notes:?}");
    // The same call takes the same time.
    let (_, again) = timed(&registry(flaky(spec(3), failing_before(4)))).await;
    assert_eq!(took, again);
}

#[tokio::test(start_paused = true)]
async fn the_last_error_says_how_many_attempts_there_were() {
    let (outcome, _) = timed(&registry(flaky(spec(2), failing_before(9)))).await;
    assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::ToolError, 3));
    assert_eq!(outcome.model_text(), "[Tool error after 3 attempts]\nbusy");
    assert_eq!(outcome.output().text(), "busy");
    assert_eq!(serde_json::to_value(outcome.receipt()).unwrap()["attempts"], 3);
    // One that is final, in the second attempt.
    let errors = |attempt| Some(if attempt == 1 { busy() } else { ToolError::new("no such city") });
    let (outcome, _) = timed(&registry(flaky(spec(5), errors))).await;
    assert_eq!(outcome.model_text(), "[Tool error after 2 attempts]\nno such city");
}

#[tokio::test(start_paused = true)]
async fn nothing_else_is_tried_again() {
    let errors: [(u32, fn() -> ToolError); 2] = [(0, busy), (5, || ToolError::new("lasting"))];
    for (retries, error) in errors {
        let (outcome, took) = timed(&registry(flaky(spec(retries), move |_| Some(error())))).await;
        assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::ToolError, 1));
        assert!(outcome.model_text().starts_with("[Tool error]\n"), "{}", outcome.model_text());
        assert_eq!(took, Duration::ZERO);
    }
    let panics = flaky(spec(5), |_| panic!("boom"));
    let (outcome, _) = timed(&registry(panics)).await;
    assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::Panicked, 1));
    /// A failure that is no error.
    #[tool(retries = 5, name = "flaky")]
    fn fails() -> Result<ToolResult<u8>, ToolError> {
        Ok(ToolResult::failure("busy"))
    }
    let (outcome, _) = timed(&Registry::builder().tools(tools![fails]).build().unwrap()).await;
    assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::ToolError, 1));
    /// Takes a number.
    #[tool(retries = 5, name = "flaky")]
    fn takes(n: u8) -> Result<u8, ToolError> {
        Ok(n)
    }
    let (outcome, _) = timed(&Registry::builder().tools(tools![takes]).build().unwrap()).await;
    assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::InvalidArguments, 0));
    // And a panic in a later attempt ends it, and says where.
    let later = flaky(spec(5), |attempt| if attempt == 1 { Some(busy()) } else { panic!("boom") });
    let (outcome, _) = timed(&registry(later)).await;
    assert_eq!((outcome.model_text(), outcome.receipt().attempts), ("[Tool panicked, in attempt 2]\nboom", 2));
}

// ---- how long it waits ----------------------------------------------------------------------------------------------

#[tokio::test(start_paused = true)]
async fn an_error_may_say_how_long_to_wait() {
    let asks = |seconds| {
        move |attempt| (attempt == 1).then(|| ToolError::new("slow down").retry_after(Duration::from_secs(seconds)))
    };
    for seconds in [0, 7, 60] {
        let (outcome, took) = timed(&registry(flaky(spec(1), asks(seconds)))).await;
        assert_eq!(outcome.model_text(), "2");
        assert_eq!(took.as_secs(), seconds);
    }
    let (outcome, took) = timed(&registry(flaky(spec(1), asks(61)))).await;
    assert_eq!((outcome.model_text(), took), ("[Tool error]\nslow down", Duration::ZERO));
    let marked = ToolError::new("x").retry_after(Duration::from_secs(3)).transient();
    let marked = Mutex::new(Some(marked));
    let keeps = flaky(spec(1), move |_| marked.lock().unwrap().take());
    assert_eq!(timed(&registry(keeps)).await.1.as_secs(), 3, "`transient` forgets no pause");
}

#[tokio::test(start_paused = true)]
async fn all_attempts_and_pauses_share_the_timeout() {
    // The pause would be longer than what is left: the error is there at once.
    let asks = |_| Some(ToolError::new("slow down").retry_after(Duration::from_secs(5)));
    let (outcome, took) = timed(&registry(flaky(spec(9).timeout(Duration::from_secs(12)), asks))).await;
    assert_eq!(outcome.model_text(), "[Tool error after 3 attempts]\nslow down");
    assert_eq!(took.as_secs(), 10);
    // An attempt that hangs ends the whole.
    let hangs = DynTool::new(
        spec(9).timeout(Duration::from_secs(3)),
        json!({ "type": "object" }),
        |_, ctx: CallContext| async move {
            if ctx.attempt() == 1 {
                return Err(ToolError::new("slow down").retry_after(Duration::from_secs(1)));
            }
            std::future::pending().await
        },
    );
    let (outcome, took) = timed(&registry(hangs)).await;
    assert_eq!((outcome.status(), outcome.receipt().attempts, took.as_secs()), (Status::TimedOut, 2, 3));
    assert!(outcome.model_text().starts_with("[Timed out after 3 s, in attempt 2]\n"), "{}", outcome.model_text());
}

#[tokio::test(start_paused = true)]
async fn a_pause_can_be_cancelled() {
    let token = CancellationToken::new();
    let stops = token.clone();
    let asks = move |_| {
        stops.cancel();
        Some(ToolError::new("slow down").retry_after(Duration::from_secs(30)))
    };
    let began = Instant::now();
    let outcome = registry(flaky(spec(9), asks)).call(call("flaky").cancel(token)).await;
    assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::Cancelled, 1));
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_call_in_its_pause() {
    let asks = |attempt| (attempt == 1).then(|| ToolError::new("slow").retry_after(Duration::from_secs(30)));
    let registry = registry(flaky(spec(1).max_concurrent(1), asks));
    let began = Instant::now();
    let calls = (0..10).map(|_| call("flaky")).collect();
    for outcome in registry.call_all(calls).await {
        assert_eq!(outcome.model_text(), "2");
    }
    assert_eq!(began.elapsed().as_secs(), 30);
}

// ---- what an attempt gets -------------------------------------------------------------------------------------------

#[test]
fn every_attempt_gets_the_arguments_anew() {
    /// Takes its words apart.
    #[tool(retries = 2)]
    fn consumes(mut words: Vec<String>, extra: &str, #[inject] ctx: &CallContext) -> Result<Vec<String>, ToolError> {
        words.push(extra.to_owned());
        if ctx.attempt() < 3 {
            return Err(ToolError::new(words.remove(0)).retry_after(Duration::ZERO));
        }
        Ok(words)
    }
    let registry = Registry::builder().tools(tools![consumes]).build().unwrap();
    let given = r#"{"words":["a","b"],"extra":7}"#;
    let outcome = registry.call_blocking(ToolCall::new("1", "consumes", given));
    assert_eq!(outcome.model_text(), r#"["a","b","7"]"#);
    let repairs = outcome.receipt().notes.iter().filter(|note| note.contains("extra")).count();
    assert_eq!(repairs, 1, "a repair is told once: {:?}", outcome.receipt().notes);
}

#[test]
fn what_an_earlier_attempt_streamed_is_gone() {
    type Strays = Mutex<Vec<tool_runtime::OutputSink>>;
    /// Streams.
    #[tool(retries = 1, max_result_size = 100)]
    fn streams(#[inject] ctx: &CallContext, #[inject] strays: &Strays) -> Result<Streamed, ToolError> {
        let mut sink = ctx.sink();
        let attempt = ctx.attempt();
        for line in 0..50_000 {
            writeln!(sink, "attempt {attempt} line {line}").map_err(ToolError::new)?;
        }
        if attempt == 1 {
            strays.lock().unwrap().push(sink);
            return Err(ToolError::new("cut off").retry_after(Duration::ZERO));
        }
        // Somebody still writes for the first attempt.
        let mut first = strays.lock().unwrap().remove(0);
        writeln!(first, "attempt 1 again").map_err(ToolError::new)?;
        let stray = first.finish();
        drop(stray);
        Ok(sink.finish())
    }
    let store = MemoryStore::new(1 << 24);
    let registry =
        Registry::builder().tools(tools![streams]).state(Strays::default()).store(store.clone()).build().unwrap();
    let outcome = registry.call_blocking(call("streams"));
    assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::Ok, 2), "{}", outcome.model_text());
    let text = outcome.output().text().into_owned();
    assert_eq!(text.lines().count(), 50_000);
    assert!(text.lines().all(|line| line.starts_with("attempt 2 ")));
    assert_eq!(store.list().unwrap().len(), 1, "the first one left nothing");
    assert_eq!(outcome.receipt().raw_chars, Some(text.len()));
}

// ---- whose errors count ---------------------------------------------------------------------------------------------

type Alias<T> = Result<T, ToolError>;

/// A result.
#[tool(retries = 1)]
fn plain(#[inject] ctx: &CallContext) -> Result<u32, ToolError> {
    once(ctx)
}

/// An alias.
#[tool(retries = 1)]
async fn aliased(#[inject] ctx: &CallContext) -> Alias<u32> {
    once(ctx)
}

/// Both.
#[tool(retries = 1)]
async fn both(#[inject] ctx: &CallContext) -> Result<ToolResult<u32>, ToolError> {
    once(ctx).map(ToolResult::new)
}

/// Blocks.
#[tool(retries = 1, blocking)]
fn blocking(#[inject] ctx: &CallContext) -> Alias<u32> {
    once(ctx)
}

fn once(ctx: &CallContext) -> Result<u32, ToolError> {
    match ctx.attempt() {
        1 => Err(io::Error::from(io::ErrorKind::TimedOut)).map_err(|e| ToolError::from(e).retry_after(Duration::ZERO)),
        attempt => Ok(attempt),
    }
}

struct Methods;

#[tool]
impl Methods {
    /// A method.
    #[tool(retries = 1)]
    fn method(&self, #[inject] ctx: &CallContext) -> Alias<u32> {
        once(ctx)
    }
}

struct ByHand;

impl Tool for ByHand {
    type Args = NoArgs;
    type Output = u32;
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("by_hand", "By hand.").retries(1)
    }
    async fn run(&self, _: NoArgs, ctx: &CallContext) -> Result<ToolResult<u32>, ToolError> {
        once(ctx).map(ToolResult::new)
    }
}

fn all_kinds() -> Registry {
    Registry::builder()
        .tools(tools![plain, aliased, both, blocking])
        .tools(Methods.into_tools())
        .tool(ByHand)
        .build()
        .unwrap()
}

const KINDS: [&str; 6] = ["plain", "aliased", "both", "blocking", "method", "by_hand"];

#[tokio::test]
async fn every_kind_of_tool_is_tried_again() {
    let registry = all_kinds();
    for name in KINDS {
        let outcome = registry.call(call(name)).await;
        assert_eq!((outcome.model_text(), outcome.receipt().attempts), ("2", 2), "{name}");
    }
}

#[test]
fn a_thread_waits_by_itself() {
    let registry = all_kinds();
    for name in KINDS {
        let outcome = registry.call_blocking(call(name));
        assert_eq!((outcome.model_text(), outcome.receipt().attempts), ("2", 2), "{name}");
    }
    // With a pause that takes time, too.
    let asks = |attempt| (attempt == 1).then(|| ToolError::new("slow").retry_after(Duration::from_millis(5)));
    let outcome = self::registry(flaky(spec(1), asks)).call_blocking(call("flaky"));
    assert_eq!(outcome.model_text(), "2");
    assert!(outcome.receipt().duration >= Duration::from_millis(5));
}

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[test]
fn an_executor_without_timers_is_woken_all_the_same() {
    let asks = |attempt| (attempt == 1).then(|| ToolError::new("slow").retry_after(Duration::from_millis(5)));
    let mut running = pin!(registry(flaky(spec(1), asks)).call(call("flaky")));
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let outcome = loop {
        match running.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(outcome) => break outcome,
            Poll::Pending => thread::park(),
        }
    };
    assert_eq!((outcome.model_text(), outcome.receipt().attempts), ("2", 2));
}

#[tokio::test]
async fn an_attempt_that_finds_no_thread_leaves_the_last_error() {
    /// Takes a while when it is asked to.
    #[tool(blocking)]
    fn holds(#[inject] gate: &Arc<(Mutex<bool>, std::sync::Condvar)>) {
        let (open, changed) = &**gate;
        drop(changed.wait_while(open.lock().unwrap(), |open| !*open).unwrap());
    }
    /// Fails, and sees to it that no place is left.
    #[tool(blocking, retries = 1)]
    fn displaced(#[inject] displaces: &Displaces) -> Alias<u32> {
        displaces.0.lock().unwrap().take().map(|sender| sender.send(()));
        Err(ToolError::new("busy").retry_after(Duration::from_millis(1)))
    }
    struct Displaces(Mutex<Option<tokio::sync::oneshot::Sender<()>>>);
    // A place for one, which the other call takes in the pause: it is told when.
    let gate: Arc<(Mutex<bool>, std::sync::Condvar)> = Arc::default();
    let (sender, displaced_once) = tokio::sync::oneshot::channel();
    let registry = Registry::builder()
        .tools(tools![holds, displaced])
        .state(Displaces(Mutex::new(Some(sender))))
        .state(Arc::clone(&gate))
        .max_blocking(1)
        .build()
        .unwrap();
    let mut first = Box::pin(registry.call(call("displaced")));
    // Polled until its first attempt has failed, but not in its pause.
    assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    displaced_once.await.unwrap();
    // The place falls free when the attempt has ended; from then on it is taken.
    let other = loop {
        let mut other = Box::pin(registry.call(call("holds")));
        match other.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => break other,
            Poll::Ready(outcome) => assert_eq!(outcome.status(), Status::Busy),
        }
        tokio::task::yield_now().await;
    };
    let outcome = first.await;
    assert_eq!((outcome.model_text(), outcome.receipt().attempts), ("[Tool error]\nbusy", 1));
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    assert_eq!(other.await.status(), Status::Ok);
}

// ---- who sees one call ----------------------------------------------------------------------------------------------

#[tokio::test(start_paused = true)]
async fn hooks_approval_and_loop_guard_see_one_call() {
    struct Counts(Arc<AtomicUsize>);
    impl Hook for Counts {
        async fn after(&self, call: &AfterCall) -> After {
            assert_eq!(call.status, Status::ToolError);
            assert_eq!(call.output.text(), "busy");
            self.0.fetch_add(1, Ordering::SeqCst);
            After::Keep
        }
    }
    let (seen, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let asks = Arc::clone(&asked);
    let session = Registry::builder()
        .tool(flaky(spec(2).approval(), failing_before(9)))
        .hook(Counts(Arc::clone(&seen)))
        .approver(move |_: ApprovalRequest| {
            asks.fetch_add(1, Ordering::SeqCst);
            std::future::ready(true)
        })
        .build()
        .unwrap()
        .session();
    for round in 1..=3 {
        let outcome = session.call(call("flaky")).await;
        assert_eq!(outcome.receipt().attempts, 3);
        assert_eq!(outcome.model_text().contains("[Notice: this is call 3 in a row"), round == 3);
    }
    assert_eq!((seen.load(Ordering::SeqCst), asked.load(Ordering::SeqCst)), (3, 3));
}

/// An error that panics when it is dropped.
#[derive(Debug)]
struct Sharp;

impl std::fmt::Display for Sharp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("sharp")
    }
}

impl std::error::Error for Sharp {}

impl Drop for Sharp {
    fn drop(&mut self) {
        std::panic::panic_any("drop");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_that_panics_when_it_is_dropped_hurts_nobody() {
    for (retries, attempts) in [(0, 1), (1, 2)] {
        let sharp = flaky(spec(retries), |_| Some(ToolError::from(Sharp).transient()));
        let (outcome, _) = timed(&registry(sharp)).await;
        assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::ToolError, attempts));
        assert!(outcome.model_text().ends_with("]\nsharp"), "{}", outcome.model_text());
    }
    let works = flaky(spec(1), |attempt| (attempt == 1).then(|| ToolError::from(Sharp).transient()));
    assert_eq!(timed(&registry(works)).await.0.output().json().as_ref(), &Value::from(2));
}
