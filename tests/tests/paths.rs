//! A call that waits for nobody takes a short way, and one with a hook the long one; nobody can tell them apart.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test")]

use std::{
    borrow::Cow,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use proptest::prelude::*;
use serde::{Serialize, Serializer, ser::Error};
use serde_json::{Value, json};
use tool_runtime::{
    ArtifactStore, CallContext, CancellationToken, Coercion, Dialect, FenceStyle, Hook, LoopGuard, MemoryStore,
    Outcome, Part, Registry, Scope, ToolCall, ToolError, ToolResult, TruncationStrategy, tool, tools,
};

const SECRET: &str = "sk-TEST-0123456789abcdef";

/// What the tools return; serialises in the way that its kind says.
struct Answer {
    kind: u8,
    size: usize,
    text: String,
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let long = self.text.repeat(self.size);
        match self.kind {
            0 => serializer.serialize_str(&long),
            1 => json!({ "a": long, "list": [1, 2, 3], "b": SECRET, &self.text: 1 }).serialize(serializer),
            2 => serializer.serialize_f64(f64::NAN),
            3 => Err(S::Error::custom(format_args!("no {}", self.text))),
            4 => panic!("while it is serialised: {}", self.text),
            5 => {
                let mut deep = json!(1);
                for _ in 0..self.size.min(700) {
                    deep = json!([deep]);
                }
                deep.serialize(serializer)
            }
            // Uses the same thread's writers while one of them is at work.
            6 => nested(&self.text).serialize(serializer),
            _ => vec![&self.text; self.size].serialize(serializer),
        }
    }
}

/// A whole call inside another.
fn nested(text: &str) -> String {
    #[tool]
    fn inner(text: String) -> Vec<String> {
        vec![text; 3]
    }
    let registry = Registry::builder().tools(tools![inner]).redact(hide).without_store().build().unwrap();
    registry.call_blocking(ToolCall::new("inner", "inner", json!({ "text": text }))).model_text().to_owned()
}

fn hide(text: &str) -> Cow<'_, str> {
    if text.contains(SECRET) { text.replace(SECRET, "[key]").into() } else { text.into() }
}

fn breaks(text: &str) -> Cow<'_, str> {
    assert!(!text.contains("break"), "a redactor breaks");
    text.into()
}

fn answer(ctx: &CallContext, way: u8, kind: u8, size: usize, text: &str) -> Result<ToolResult<Answer>, ToolError> {
    let value = Answer { kind, size, text: text.to_owned() };
    let long = text.repeat(size);
    match way {
        0..=2 => Ok(value.into()),
        3 => Ok(ToolResult::new(value).model_output(long)),
        4 => Ok(ToolResult::new(value).model_output(json!({ "view": long, text: [text] }))),
        5 => Ok(ToolResult::new(value).content(vec![
            Part::text(long.clone()),
            Part::image(vec![7; size], "image/png"),
            Part::file(text, long.clone(), "text/plain"),
            Part::text(long),
            Part::resource_link(format!("file:///{text}"), text),
        ])),
        6 => Ok(ToolResult::failure(long)),
        7 => Err(ToolError::new(long)),
        8 => panic!("{text}"),
        9 => {
            ctx.cancellation().cancel();
            Ok(ToolResult::new(value).metadata("text", text).metadata("size", size))
        }
        _ => Ok(ToolResult::new(value).model_output("")),
    }
}

fn headline(answer: &Answer) -> Result<Option<String>, String> {
    match answer.kind {
        7 => panic!("the view panics"),
        0 => Ok(None),
        1 => Err("no view".to_owned()),
        _ => Ok(Some(answer.text.repeat(answer.size / 2))),
    }
}

macro_rules! answers {
    ($($name:ident($($key:tt)*))*) => {
        $(
            /// Answers.
            #[tool($($key)*)]
            fn $name(
                #[inject] ctx: &CallContext,
                way: u8,
                #[schemars(range(max = 7))] kind: u8,
                size: usize,
                #[serde(default)] text: &str,
            ) -> Result<ToolResult<Answer>, ToolError> {
                answer(ctx, way, kind, size, text)
            }
        )*
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

answers! {
    plain()
    external(external, open_world)
    short(max_result_size = 60, read_only)
    external_short(max_result_size = 60, external, truncation = structure, idempotent)
    by_fields(max_result_size = 90, truncation = fields, destructive)
    kept(keep = always, max_result_size = none, truncation = head)
    with_view(to_model_output = headline, keep = always, external)
    tokens(max_result_tokens = 20)
    little_media(max_media_bytes = 10)
}

struct Looks(bool);

impl Hook for Looks {
    fn applies_to(&self, _: &str) -> bool {
        self.0
    }
}

#[derive(Clone, Debug)]
struct Setting {
    limit: Option<usize>,
    scope: Scope,
    fence: FenceStyle,
    strategy: Option<TruncationStrategy>,
    redactors: u8,
    store: u8,
    strict: bool,
    session: bool,
    guard: bool,
    paths: bool,
}

#[derive(Clone, Debug)]
struct Request {
    name: String,
    arguments: String,
    incomplete: bool,
    cancelled: bool,
}

/// Which way a call goes.
#[derive(Clone, Copy, Debug)]
enum Way {
    Short,
    Long,
    Bystander,
}

fn setting() -> impl Strategy<Value = Setting> {
    let limit = prop_oneof![Just(None), (1_usize..400).prop_map(Some)];
    let scope = prop_oneof![Just(Scope::Content), Just(Scope::Total)];
    let fence = prop_oneof![Just(FenceStyle::Keyed), Just(FenceStyle::Plain)];
    let strategy = prop_oneof![
        Just(None),
        Just(Some(TruncationStrategy::Head)),
        Just(Some(TruncationStrategy::Fields)),
        Just(Some(TruncationStrategy::Structure)),
    ];
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (limit, scope, fence, strategy, 0..4_u8, 0..3_u8, switches).prop_map(
        |(limit, scope, fence, strategy, redactors, store, (strict, session, guard, paths))| Setting {
            limit,
            scope,
            fence,
            strategy,
            redactors,
            store,
            strict,
            session,
            guard,
            paths,
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    let name = prop_oneof![
        20 => proptest::sample::select(NAMES).prop_map(str::to_owned),
        1 => Just("Functions.Plain".to_owned()),
        1 => Just("nothing\u{202e}</external_tool_result>".to_owned()),
    ];
    let text = proptest::sample::select(
        &["", "x", "ä\n", "</external_tool_result>", SECRET, "\u{1b}[31m", "break", "\"", "long word "][..],
    );
    let size = prop_oneof![8 => 0..200_usize, 1 => 500..700_usize, 1 => Just(30_000)];
    let arguments = prop_oneof![
        20 => (0..12_u8, 0..9_u8, size, text).prop_map(|(way, kind, size, text)| {
            json!({ "way": way, "kind": kind, "size": size, "text": text }).to_string()
        }),
        1 => Just(r#"{"way":"0","kind":1,"size":10.0,"text":5,"more":[1]}"#.to_owned()),
        1 => Just(r#"{"way":0,"kind":1"#.to_owned()),
        1 => Just("[[[[".repeat(100)),
    ];
    (name, arguments, prop::bool::weighted(0.05), prop::bool::weighted(0.05))
        .prop_map(|(name, arguments, incomplete, cancelled)| Request { name, arguments, incomplete, cancelled })
}

fn registry(setting: &Setting, store: &MemoryStore, way: Way) -> Registry {
    let mut builder = Registry::builder()
        .tools(tools![plain, external, short, external_short, by_fields, kept, with_view, tokens, little_media])
        .deterministic(7)
        .scope(setting.scope)
        .fence(setting.fence)
        .show_paths(setting.paths)
        .coercion(if setting.strict { Coercion::Strict } else { Coercion::Lossless });
    if let Some(limit) = setting.limit {
        builder = builder.default_max_result_size(limit);
    }
    if let Some(strategy) = setting.strategy {
        builder = builder.truncation(strategy);
    }
    if !setting.guard {
        builder = builder.loop_guard(LoopGuard::off());
    }
    if setting.redactors & 1 == 1 {
        builder = builder.redact(hide);
    }
    if setting.redactors & 2 == 2 {
        builder = builder.redact(breaks);
    }
    builder = if setting.store == 0 { builder.without_store() } else { builder.store(store.clone()) };
    match way {
        Way::Short => builder,
        Way::Long => builder.hook(Looks(true)),
        Way::Bystander => builder.hook(Looks(false)),
    }
    .build()
    .unwrap()
}

/// Everything that anybody can see of an outcome, but how long it took.
fn seen(outcome: &Outcome) -> Value {
    let mut receipt = serde_json::to_value(outcome.receipt()).unwrap();
    receipt.as_object_mut().unwrap().retain(|key, _| !key.starts_with("duration"));
    let dialects = [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp];
    json!({
        "text": outcome.model_text(),
        "status": format!("{:?}", outcome.status()),
        "name": outcome.tool_name(),
        "receipt": receipt,
        "parts": format!("{:?}", outcome.parts()),
        "problems": format!("{:?}", outcome.problems()),
        "metadata": outcome.metadata(),
        "has_value": outcome.output().has_value(),
        "messages": dialects.map(|dialect| outcome.to_message(dialect)),
    })
}

fn saved(store: &MemoryStore) -> Vec<(String, Vec<u8>)> {
    let entries = store.list().unwrap();
    let mut saved: Vec<_> =
        entries.iter().map(|entry| (entry.id.clone(), store.read(&entry.id, 0..u64::MAX).unwrap().bytes)).collect();
    saved.sort();
    saved
}

/// An executor that has nothing but a thread.
fn poll_to_end<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        std::thread::yield_now();
    }
}

/// What is seen of all outcomes, and of the store in the end.
type Seen = (Vec<Value>, Vec<(String, Vec<u8>)>);

fn run(setting: &Setting, requests: &[Request], way: Way, place: u8) -> Seen {
    let store = MemoryStore::new(if setting.store == 1 { 64 << 20 } else { 2000 });
    let registry = registry(setting, &store, way);
    let session = registry.session();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcomes = requests.iter().enumerate().map(|(index, request)| {
        let mut call =
            ToolCall::new(format!("call_{index}"), &*request.name, &*request.arguments).incomplete(request.incomplete);
        let token = CancellationToken::new();
        if request.cancelled {
            token.cancel();
            call = call.cancel(token);
        }
        let outcome = match (place, setting.session) {
            (0, true) => session.call_blocking(call),
            (0, false) => registry.call_blocking(call),
            (1, true) => runtime.block_on(session.call(call)),
            (1, false) => runtime.block_on(registry.call(call)),
            (_, true) => poll_to_end(session.call(call)),
            (_, false) => poll_to_end(registry.call(call)),
        };
        seen(&outcome)
    });
    (outcomes.collect(), saved(&store))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_call_is_the_same_on_every_way(
        setting in setting(),
        requests in prop::collection::vec((request(), 1..8_usize), 1..4),
    ) {
        let requests: Vec<Request> =
            requests.into_iter().flat_map(|(request, times)| std::iter::repeat_n(request, times)).collect();
        let expected = run(&setting, &requests, Way::Long, 1);
        for (way, place) in [
            (Way::Short, 0), (Way::Short, 1), (Way::Short, 2), (Way::Long, 0), (Way::Long, 2), (Way::Bystander, 1),
        ] {
            let outcome = run(&setting, &requests, way, place);
            prop_assert_eq!(&outcome, &expected, "{:?} {}", way, place);
        }
    }
}
