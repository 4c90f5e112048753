//! `max_concurrent`: who waits, in which order, and who must not.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test")]

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tool_runtime::{
    Before, BeforeCall, CallContext, CancellationToken, DynTool, Hook, NoArgs, Outcome, Registry, Status, Tool,
    ToolCall, ToolError, ToolResult, ToolSpec, tool, tools,
};

fn call(name: &str) -> ToolCall {
    ToolCall::new("1", name, "{}")
}

/// How many run now, and how many did at most.
#[derive(Clone, Default)]
struct Counter(Arc<(AtomicUsize, AtomicUsize)>);

impl Counter {
    fn come(&self) -> Here {
        let (now, most) = &*self.0;
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        Here(self.clone())
    }

    fn most(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }
}

struct Here(Counter);

impl Drop for Here {
    fn drop(&mut self) {
        self.0.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn dynamic<F, R>(spec: ToolSpec, body: F) -> DynTool
where
    F: Fn(CallContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<ToolResult<Value>, ToolError>> + Send + 'static,
{
    DynTool::new(spec, json!({ "type": "object" }), move |_, ctx| body(ctx))
}

fn limited(most: usize) -> ToolSpec {
    ToolSpec::new("limited", "Runs a few at a time.").max_concurrent(most)
}

/// Runs until a door is opened, and says in which order calls came in.
#[derive(Clone, Default)]
struct Door {
    open: Arc<AtomicBool>,
    ids: Arc<Mutex<Vec<String>>>,
}

impl Door {
    fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
    }

    fn ids(&self) -> Vec<String> {
        self.ids.lock().unwrap().clone()
    }

    fn tool(&self, spec: ToolSpec) -> DynTool {
        let door = self.clone();
        dynamic(spec, move |ctx| {
            let door = door.clone();
            door.ids.lock().unwrap().push(ctx.call_id().to_owned());
            // Polled by hand, so nobody has to be woken.
            poll_fn(move |_| match door.open.load(Ordering::SeqCst) {
                true => Poll::Ready(Ok(json!("done").into())),
                false => Poll::Pending,
            })
        })
    }
}

/// For threads that wait at a door: a runtime would wait for them for ever where a test fails before it has opened.
struct OpensAtLast(Door);

impl Drop for OpensAtLast {
    fn drop(&mut self) {
        self.0.open();
    }
}

type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

fn poll(running: &mut Running) -> Option<Outcome> {
    match running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    }
}

fn start(registry: &Registry, call: ToolCall) -> Running {
    let mut running: Running = Box::pin(registry.call(call));
    assert!(poll(&mut running).is_none());
    running
}

fn named(id: &str) -> ToolCall {
    ToolCall::new(id, "limited", "{}")
}

// ---- who shares -----------------------------------------------------------------------------------------------------

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_holds_over_clones_sessions_batches_and_smaller_registries() {
    let counter = Counter::default();
    let counts = counter.clone();
    let tool = dynamic(limited(2).tag("kept"), move |_| {
        let here = counts.come();
        async move {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
            drop(here);
            Ok(json!("done").into())
        }
    });
    /// Is not in the way.
    #[tool]
    fn other() {}
    let registry = Registry::builder().tool(tool).tools(tools![other]).build().unwrap();
    let (fewer, tagged) = (registry.without("other"), registry.only(["kept"]));
    let (session, another) = (registry.session(), fewer.session());
    let mut calls: Vec<tokio::task::JoinHandle<Vec<Outcome>>> = Vec::new();
    for round in 0..20 {
        for registry in [&registry, &fewer, &tagged] {
            let running = registry.call(named(&round.to_string()));
            calls.push(tokio::spawn(async move { vec![running.await] }));
        }
        let batch = (0..4).map(|_| named("b")).collect();
        calls.push(tokio::spawn(registry.call_all(batch)));
    }
    for session in [session, another] {
        calls.push(tokio::spawn(session.call_all(vec![named("s1"), named("s2")])));
    }
    let mut ended = 0;
    for outcomes in calls {
        for outcome in outcomes.await.unwrap() {
            assert_eq!(outcome.model_text(), "\"done\"");
            ended += 1;
        }
    }
    assert_eq!((ended, counter.most()), (20 * 7 + 4, 2));
}

#[test]
fn threads_wait_for_each_other_without_a_runtime() {
    let counter = Counter::default();
    let counts = counter.clone();
    let tool = dynamic(limited(2), move |_| {
        let here = counts.come();
        thread::yield_now();
        drop(here);
        std::future::ready(Ok(json!("done").into()))
    });
    /// Is synchronous.
    #[tool(max_concurrent = 1)]
    fn alone(#[inject] counter: &Counter) {
        let _here = counter.come();
        thread::yield_now();
    }
    let single = Counter::default();
    let registry = Registry::builder().tool(tool).tools(tools![alone]).state(single.clone()).build().unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    assert_eq!(registry.call_blocking(call("limited")).status(), Status::Ok);
                    assert_eq!(registry.call_blocking(call("alone")).status(), Status::Ok);
                }
            });
        }
    });
    assert!(counter.most() <= 2);
    assert_eq!(single.most(), 1);
}

// ---- who waits, and how ---------------------------------------------------------------------------------------------

#[test]
fn calls_come_in_the_order_in_which_they_asked() {
    let door = Door::default();
    let registry = Registry::builder().tool(door.tool(limited(1))).build().unwrap();
    let mut running: Vec<Running> = ["a", "b", "c", "d"].map(|id| start(&registry, named(id))).into();
    assert_eq!(door.ids(), ["a"]);
    // Who goes away is in nobody's way.
    drop(running.remove(1));
    door.open();
    // The last is polled first, and does not overtake.
    assert!(poll(&mut running[2]).is_none());
    for running in &mut running {
        assert_eq!(poll(running).unwrap().status(), Status::Ok);
    }
    assert_eq!(door.ids(), ["a", "c", "d"]);
}

#[test]
fn a_call_that_waits_can_be_cancelled_and_was_never_begun() {
    let door = Door::default();
    let registry = Registry::builder().tool(door.tool(limited(1))).build().unwrap();
    let token = CancellationToken::new();
    let mut first = start(&registry, named("a"));
    let mut second = start(&registry, named("b").cancel(token.clone()));
    let mut third = start(&registry, named("c"));
    token.cancel();
    let outcome = poll(&mut second).unwrap();
    assert_eq!((outcome.status(), outcome.receipt().attempts), (Status::Cancelled, 0));
    door.open();
    assert_eq!(poll(&mut first).unwrap().receipt().attempts, 1);
    assert_eq!(poll(&mut third).unwrap().status(), Status::Ok);
    assert_eq!(door.ids(), ["a", "c"]);
}

#[tokio::test(start_paused = true)]
async fn the_wait_counts_towards_the_timeout() {
    let spec = limited(1).timeout(Duration::from_secs(10));
    let tool = dynamic(spec, |_| async {
        tokio::time::sleep(Duration::from_secs(6)).await;
        Ok(json!("done").into())
    });
    let registry = Registry::builder().tool(tool).build().unwrap();
    let began = tokio::time::Instant::now();
    let [first, second] = ["a", "b"].map(|id| tokio::spawn(registry.call(named(id))));
    assert_eq!(first.await.unwrap().status(), Status::Ok);
    assert_eq!(began.elapsed().as_secs(), 6);
    let second = second.await.unwrap();
    assert_eq!((second.status(), began.elapsed().as_secs()), (Status::TimedOut, 10));
    assert_eq!(second.model_text(), "[Timed out after 10 s]\n`limited` did not finish in time; try a smaller request");
    // The place is free again.
    assert_eq!(registry.call(named("c")).await.status(), Status::Ok);
}

/// Blocks its thread.
struct Stuck(Arc<AtomicBool>);

impl Tool for Stuck {
    type Args = NoArgs;
    type Output = ();
    fn spec(&self) -> ToolSpec {
        limited(1).blocking().timeout(Duration::from_millis(30))
    }
    async fn run(&self, _: NoArgs, _: &CallContext) -> Result<ToolResult<()>, ToolError> {
        while !self.0.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(().into())
    }
}

#[tokio::test]
async fn a_blocking_tool_that_is_still_running_keeps_its_place() {
    let door = Door::default();
    let _open = OpensAtLast(door.clone());
    let registry = Registry::builder().tool(Stuck(Arc::clone(&door.open))).build().unwrap();
    let stuck = registry.call(named("a")).await;
    assert_eq!((stuck.status(), stuck.receipt().still_running), (Status::TimedOut, true));
    let waited = registry.call(named("b")).await;
    assert_eq!((waited.status(), waited.receipt().still_running), (Status::TimedOut, false));
    assert_eq!(waited.receipt().attempts, 0);
    assert_eq!(
        waited.model_text(),
        "[Timed out after 0.03 s]\n`limited` was not run: its turn did not come in time; try again later"
    );
    let other = registry.clone();
    let waited = thread::spawn(move || other.call_blocking(named("c"))).join().unwrap();
    assert_eq!((waited.status(), waited.receipt().attempts), (Status::TimedOut, 0));
    door.open();
    while registry.call(named("d")).await.status() != Status::Ok {}
}

// ---- who does not wait ----------------------------------------------------------------------------------------------

/// Runs itself once more.
fn nests(most: usize) -> DynTool {
    dynamic(limited(most), |ctx| async move {
        let Some(registry) = ctx.extension::<Registry>() else { return Ok(json!("inner").into()) };
        let inner = registry.call(call("limited")).await;
        Ok(json!([inner.status() == Status::Busy, inner.model_text()]).into())
    })
}

#[tokio::test]
async fn a_call_inside_a_call_of_the_same_tool_does_not_wait_for_itself() {
    /// Runs itself once more, on its thread.
    #[tool(max_concurrent = 1)]
    fn recursive(#[inject] ctx: &CallContext) -> String {
        match ctx.extension::<Registry>() {
            Some(registry) => registry.call_blocking(call("recursive")).model_text().to_owned(),
            None => "inner".to_owned(),
        }
    }
    let registry = Registry::builder().tool(nests(1)).tools(tools![recursive]).build().unwrap();
    let busy = "[Busy, not run]\nno more than 1 of `limited` can run at the same time, and this call was made by one \
                that is running, which it would wait for";
    let outcome = registry.call(call("limited").extension(registry.clone())).await;
    assert_eq!(*outcome.output().json(), json!([true, busy]));
    let outcome = registry.call(call("recursive").extension(registry.clone())).await;
    assert_eq!(outcome.model_text(), busy.replace("limited", "recursive"));
    // Without a runtime as well.
    let other = registry.clone();
    let nested = move |name: &str| other.call_blocking(call(name).extension(other.clone()));
    let texts = thread::spawn(move || ["limited", "recursive"].map(|name| nested(name).output().text().into_owned()));
    let [limited, recursive] = texts.join().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&limited).unwrap(), json!([true, busy]));
    assert_eq!(recursive, busy.replace("limited", "recursive"));
    // Where there is a free place, it is taken.
    let registry = Registry::builder().tool(nests(2)).build().unwrap();
    let outcome = registry.call(call("limited").extension(registry.clone())).await;
    assert_eq!(*outcome.output().json(), json!([false, "\"inner\""]));
}

#[tokio::test]
async fn a_blocking_call_inside_a_runtime_is_busy_where_it_would_have_to_wait() {
    /// Waits on its thread.
    #[tool(max_concurrent = 1, blocking)]
    fn held(#[inject] door: &Door) {
        door.ids.lock().unwrap().push("in".into());
        while !door.open.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let door = Door::default();
    let _open = OpensAtLast(door.clone());
    let registry = Registry::builder().tools(tools![held]).state(door.clone()).build().unwrap();
    let running = tokio::spawn(registry.call(call("held")));
    while door.ids().is_empty() {
        tokio::task::yield_now().await;
    }
    let outcome = registry.call_blocking(call("held"));
    assert_eq!(outcome.status(), Status::Busy);
    assert!(outcome.model_text().ends_with("use `Registry::call`"), "{}", outcome.model_text());
    door.open();
    assert_eq!(running.await.unwrap().status(), Status::Ok);
    assert_eq!(registry.call_blocking(call("held")).status(), Status::Ok);
}

#[test]
fn only_the_running_tool_takes_a_place() {
    struct Counts(Arc<AtomicUsize>);
    impl Hook for Counts {
        async fn before(&self, _: &BeforeCall) -> Before {
            self.0.fetch_add(1, Ordering::SeqCst);
            Before::Go
        }
    }
    /// Takes a number.
    #[tool(max_concurrent = 1)]
    async fn strict(n: u8) -> u8 {
        poll_fn(|_| if n == 0 { Poll::Pending } else { Poll::Ready(n) }).await
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let registry = Registry::builder().tools(tools![strict]).hook(Counts(Arc::clone(&asked))).build().unwrap();
    let with = |arguments: &str| ToolCall::new("1", "strict", arguments.to_owned());
    let first = start(&registry, with(r#"{"n":0}"#));
    let second = start(&registry, with(r#"{"n":1}"#));
    assert_eq!(asked.load(Ordering::SeqCst), 2, "hooks are asked before the wait");
    // A call that can't run does not wait to hear of it.
    let mut wrong: Running = Box::pin(registry.call(with("{}")));
    assert_eq!(poll(&mut wrong).unwrap().status(), Status::InvalidArguments);
    drop(first);
    let mut second = second;
    assert_eq!(poll(&mut second).unwrap().model_text(), "1");
}

#[test]
fn a_limit_of_no_calls_is_refused() {
    const NONE: usize = 0;
    /// Never runs.
    #[tool(max_concurrent = NONE)]
    fn never() {}
    never();
    for builder in
        [Registry::builder().tools(tools![never]), Registry::builder().tool(Door::default().tool(limited(0)))]
    {
        let error = builder.build().unwrap_err();
        assert!(error.is_zero_limit());
        assert!(error.to_string().contains("`max_concurrent` of 0 would run no call; give at least 1"), "{error}");
    }
}
