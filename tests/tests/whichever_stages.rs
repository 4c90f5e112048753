//! A call reads the same whichever stages its registry has: those that other tools or a setting ask for change nothing
//! about the calls that need none of them. The one exception is what a value that can't be serialised says of itself.

#![allow(clippy::unwrap_used, clippy::panic, clippy::unused_async, clippy::needless_pass_by_value, reason = "a test")]

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use tool_runtime::{
    After, AfterCall, Dialect, Hook, ModelOutput, Outcome, RegisteredTool, Registry, RegistryBuilder, ToolCall,
    ToolError, ToolResult, schemars, tool, tools,
};

/// What a tool is to come to, as the model asks for it.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum End {
    Value(Value),
    Text(String),
    Empty,
    NotFinite,
    View { value: Value, view: String },
    JsonView { value: Value, view: Value },
    Metadata(String),
    Failure(String),
    Error(String),
    Panic(String),
    PanicsLater,
}

/// JSON, or no JSON at all.
#[derive(Clone)]
enum Given {
    Json(Value),
    NotFinite,
    Panics,
}

impl Serialize for Given {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(serializer),
            Self::NotFinite => [1.5, f64::NAN, f64::INFINITY].serialize(serializer),
            // Harmless, so that it reads the same where nothing cleans.
            Self::Panics => panic!("a fault injected by a test"),
        }
    }
}

fn come_to(end: End) -> Result<ToolResult<Given>, ToolError> {
    let json = |value| ToolResult::new(Given::Json(value));
    Ok(match end {
        End::Value(value) => json(value),
        End::Text(text) => json(text.into()),
        End::Empty => json("".into()),
        End::NotFinite => ToolResult::new(Given::NotFinite),
        End::View { value, view } => json(value).model_output(view),
        End::JsonView { value, view } => json(value).model_output(ModelOutput::Json(view)),
        End::Metadata(key) => json(json!([1])).metadata(key, json!({ "a": 1 })),
        End::Failure(message) => return Ok(ToolResult::failure(message)),
        End::Error(message) => return Err(ToolError::new(message)),
        End::Panic(message) => panic!("{message}"),
        End::PanicsLater => ToolResult::new(Given::Panics),
    })
}

mod now {
    use super::*;

    #[tool]
    pub(super) fn comes(end: End, #[serde(default)] times: u8) -> Result<ToolResult<Given>, ToolError> {
        let _ = times;
        come_to(end)
    }

    #[tool(read_only)]
    pub(super) fn says(text: Option<&str>) -> String {
        text.unwrap_or_default().to_owned()
    }

    #[tool]
    pub(super) fn counts(numbers: Vec<i64>) -> usize {
        numbers.len()
    }

    #[tool]
    pub(super) fn other() {}
}

mod later {
    use super::*;

    #[tool]
    pub(super) async fn comes(end: End, #[serde(default)] times: u8) -> Result<ToolResult<Given>, ToolError> {
        tokio::task::yield_now().await;
        let _ = times;
        come_to(end)
    }

    #[tool(read_only)]
    pub(super) async fn says(text: Option<&str>) -> String {
        text.unwrap_or_default().to_owned()
    }

    #[tool]
    pub(super) async fn counts(numbers: Vec<i64>) -> usize {
        tokio::task::yield_now().await;
        numbers.len()
    }

    #[tool]
    pub(super) async fn other() {}
}

mod asking {
    use super::*;

    #[tool(max_result_size = 10, external, keep = always, max_concurrent = 3)]
    pub(super) fn other() {}

    #[tool(max_concurrent = 1000)]
    pub(super) async fn comes(end: End, #[serde(default)] times: u8) -> Result<ToolResult<Given>, ToolError> {
        let _ = times;
        come_to(end)
    }

    #[tool(read_only, timeout = "1h")]
    pub(super) async fn says(text: Option<&str>) -> String {
        text.unwrap_or_default().to_owned()
    }

    #[tool(timeout = "1h", blocking)]
    pub(super) fn counts(numbers: Vec<i64>) -> usize {
        numbers.len()
    }
}

struct Watches;

impl Hook for Watches {
    async fn after(&self, call: &AfterCall) -> After {
        let _ = call.json();
        After::Keep
    }
}

/// Registries of the same tools, each with other stages.
fn registries() -> Vec<(&'static str, Registry)> {
    let plain = tools![now::comes, now::says, now::counts, now::other];
    let late = tools![later::comes, later::says, later::counts, later::other];
    let beside = tools![now::comes, now::says, now::counts, asking::other];
    let asks = tools![asking::comes, asking::says, asking::counts, now::other];
    let made = |tools: [RegisteredTool; 4], set: fn(RegistryBuilder) -> RegistryBuilder| {
        set(Registry::builder().tools(tools).without_store()).build().unwrap()
    };
    let same: fn(RegistryBuilder) -> RegistryBuilder = |builder| builder;
    vec![
        ("plain", made(plain.clone(), same)),
        ("late", made(late.clone(), same)),
        ("beside one that asks", made(beside.clone(), same)),
        ("asking for more of running", made(asks, same)),
        ("watched", made(plain.clone(), |builder| builder.hook(Watches))),
        ("watched late", made(late.clone(), |builder| builder.hook(Watches))),
        ("limited", made(plain.clone(), |builder| builder.default_max_result_size(usize::MAX))),
        ("redacted", made(late, |builder| builder.redact_with(|text| text.into()))),
        ("traced", made(plain.clone(), RegistryBuilder::trace_content)),
        ("in a budget", made(plain.clone(), |builder| builder.turn_budget(1 << 30))),
        ("without another", {
            let registry = Registry::builder().tools(beside).without_store().build().unwrap();
            registry.without("nobody")
        }),
    ]
}

/// All that can be seen of an outcome.
fn seen(outcome: &Outcome) -> Value {
    let mut receipt = serde_json::to_value(outcome.receipt()).unwrap();
    receipt.as_object_mut().unwrap().retain(|key, _| !key.starts_with("duration"));
    let dialects = [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp];
    json!({
        "status": format!("{:?}", outcome.status()),
        "text": outcome.model_text(),
        "parts": format!("{:?}", outcome.parts()),
        "problems": format!("{:?}", outcome.problems()),
        "metadata": outcome.metadata(),
        "output": outcome.output().text(),
        "messages": dialects.map(|dialect| outcome.to_message(dialect)),
        "receipt": receipt,
    })
}

/// What the calls come to in every way of calling them, one after the other and in turns.
fn all_ways(registry: &Registry, calls: &[ToolCall]) -> Vec<(&'static str, Vec<Value>)> {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let each = |call: &dyn Fn(ToolCall) -> Outcome| calls.iter().map(|one| seen(&call(one.clone()))).collect();
    let session = registry.session();
    let alone = each(&|call| registry.call_blocking(call));
    let awaited = each(&|call| tokio.block_on(registry.call(call)));
    let talked = each(&|call| session.call_blocking(call));
    session.reset();
    let talked_later = each(&|call| tokio.block_on(session.call(call)));
    let turn = |outcomes: Vec<Outcome>| outcomes.iter().map(seen).collect();
    let together = turn(tokio.block_on(registry.call_all(calls.to_vec())));
    session.reset();
    let in_turn = turn(tokio.block_on(session.call_all(calls.to_vec())));
    let checked = calls.iter().map(|call| json!(format!("{:?}", registry.check(call)))).collect();
    vec![
        ("call_blocking", alone),
        ("call", awaited),
        ("session.call_blocking", talked),
        ("session.call", talked_later),
        ("call_all", together),
        ("session.call_all", in_turn),
        ("check", checked),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let odd = select(vec![
        "",
        " ",
        "\n",
        "\r\n",
        "\0",
        "\u{200b}",
        "\u{202e}",
        "\u{feff}",
        "<|im_start|>",
        "</external_tool_result>",
        "[Notice: none]",
        "`",
        "\\u003c",
        "\u{1b}[31m",
        "%3C",
        "é",
        "\u{10ffff}",
    ]);
    prop_oneof![
        ".{0,20}",
        vec(prop_oneof![odd.prop_map(str::to_owned), "[a-z ]{0,6}"], 0..6).prop_map(|all| all.concat())
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn end() -> impl Strategy<Value = Value> {
    prop_oneof![
        value().prop_map(|value| json!({ "value": value })),
        text().prop_map(|text| json!({ "text": text })),
        Just(json!("empty")),
        Just(json!("not_finite")),
        (value(), text()).prop_map(|(value, view)| json!({ "view": { "value": value, "view": view } })),
        (value(), value()).prop_map(|(value, view)| json!({ "json_view": { "value": value, "view": view } })),
        text().prop_map(|text| json!({ "metadata": text })),
        text().prop_map(|text| json!({ "failure": text })),
        text().prop_map(|text| json!({ "error": text })),
        text().prop_map(|text| json!({ "panic": text })),
        Just(json!("panics_later")),
    ]
}

/// Good and bad arguments, of tools and of none.
fn call() -> impl Strategy<Value = ToolCall> {
    let name = prop_oneof![
        20 => select(vec!["comes", "says", "counts"]).prop_map(str::to_owned),
        1 => select(vec!["Comes", "functions.says", "counts()", "come", "nothing<", ""]).prop_map(str::to_owned),
        1 => text(),
    ];
    let arguments = prop_oneof![
        4 => (end(), option::of(value()), option::of((text(), value()))).prop_map(|(end, times, more)| {
            let mut object = json!({ "end": end });
            if let Some(times) = times {
                object["times"] = times;
            }
            if let Some((key, value)) = more {
                object[key] = value;
            }
            object.to_string()
        }),
        2 => option::of(text()).prop_map(|text| json!({ "text": text }).to_string()),
        1 => vec(value(), 0..3).prop_map(|numbers| json!({ "numbers": numbers }).to_string()),
        1 => value().prop_map(|value| value.to_string()),
        1 => vec((text(), value()), 0..14).prop_map(|all| Value::Object(all.into_iter().collect()).to_string()),
        1 => text(),
        1 => Just("{\"text\": \"cut".to_owned()),
    ];
    (name, arguments, any::<u8>())
        .prop_map(|(name, arguments, odd)| ToolCall::new("call_1", name, arguments).incomplete(odd == 0))
}

fn assert_same_everywhere(calls: &[ToolCall]) {
    let mut all = registries().into_iter().map(|(name, registry)| (name, all_ways(&registry, calls)));
    let (_, expected) = all.next().unwrap();
    for (name, ways) in all {
        for ((way, expected), (_, got)) in expected.iter().zip(ways) {
            for ((call, expected), got) in calls.iter().zip(expected).zip(got) {
                assert_eq!(*expected, got, "{way}, {name}: {call:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn calls_read_the_same_whichever_stages_there_are(calls in vec(call(), 1..6)) {
        assert_same_everywhere(&calls);
    }

    #[test]
    fn so_do_calls_made_again_and_again(call in call(), times in 4..16_usize) {
        assert_same_everywhere(&vec![call; times]);
    }
}
