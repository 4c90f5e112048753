//! Tools as the providers see them: names, strictness, what can't be said, structured results. The schemas
//! themselves are tested beside the conversion; both go by `cases/dialect.json`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::many_single_char_names
)]

use std::{
    borrow::Cow,
    collections::HashMap,
    env,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use tool_runtime::{
    BuildError, CallContext, Dialect, DynTool, LintLevel, Registry, RegistryBuilder, Status, Strict, Tool, ToolCall,
    ToolError, ToolResult, ToolSpec, Trust, tool, tools,
};

const ALL: [Dialect; 4] = [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp];

fn rows() -> Vec<Value> {
    serde_json::from_str(include_str!("../cases/dialect.json")).unwrap()
}

fn row(id: &str) -> Value {
    rows().into_iter().find(|row| row["id"] == id).unwrap()
}

/// A tool that gives back its own name.
fn named(spec: ToolSpec, schema: Value) -> DynTool {
    let name = spec.name().to_owned();
    DynTool::new(spec, schema, move |_, _| {
        let name = name.clone();
        async move { Ok(ToolResult::new(name.into())) }
    })
}

fn nothing(name: &str) -> DynTool {
    named(ToolSpec::new(name.to_owned(), ""), json!({ "type": "object" }))
}

fn registry_of(names: &[&str]) -> Result<Registry, BuildError> {
    let builder = Registry::builder().without_store();
    names.iter().fold(builder, |builder, name| builder.tool(nothing(name))).build()
}

fn names_in(registry: &Registry, dialect: Dialect) -> Vec<String> {
    let definitions = registry.definitions(dialect);
    let each = if dialect == Dialect::Gemini {
        definitions[0]["functionDeclarations"].as_array().unwrap().clone()
    } else {
        definitions
    };
    each.iter().map(|tool| tool.get("function").unwrap_or(tool)["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn wire_01_03_05_06_a_definition_has_the_shape_of_its_provider() {
    let rows = rows();
    for (id, dialect) in [("wire-01", ALL[0]), ("wire-03", ALL[1]), ("wire-05", ALL[2]), ("wire-06", ALL[3])] {
        let row = rows.iter().find(|row| row["id"] == id).unwrap();
        let search = named(ToolSpec::new("search", "Search."), row["schema"].clone());
        let registry = Registry::builder().tool(search).without_store().build().unwrap();
        assert_eq!(registry.definitions(dialect), [row["expect"]["tool"].clone()], "{id}");
        assert_eq!(registry.definitions_json(dialect), json!([row["expect"]["tool"]]).to_string(), "{id}");
    }
}

#[test]
fn name_01_to_08() {
    for row in rows().iter().filter(|row| row["area"] == "tool-name") {
        let id = row["id"].as_str().unwrap();
        let name = row["schema"]["name"].as_str().unwrap();
        let expect = &row["expect"];
        let registry = match registry_of(&[name]) {
            Ok(registry) => registry,
            Err(error) => {
                assert!(error.is_invalid_name() && expect["reject"] == "empty", "{id}: {error}");
                continue;
            }
        };
        let dialect = match row["provider"].as_str().unwrap() {
            "openai" => Dialect::OpenAiChat,
            "anthropic" => Dialect::Anthropic,
            "gemini" => Dialect::Gemini,
            "mcp" => Dialect::Mcp,
            other => panic!("{id}: {other}"),
        };
        let shown = names_in(&registry, dialect).remove(0);
        if expect["ok"] == true || expect.get("warn").is_some() {
            assert_eq!(shown, name, "{id}");
        } else {
            assert_ne!(shown, name, "{id}");
        }
        if let Some(suggested) = expect["suggest"].as_str() {
            let fixed = suggested.split('<').next().unwrap();
            assert!(shown.starts_with(fixed) && shown.len() <= 64, "{id}: {shown}");
        }
        let warned = registry.lint(dialect).iter().any(|lint| lint.level == LintLevel::Warn);
        assert_eq!(warned, expect.get("warn").is_some(), "{id}");
        // And back.
        let outcome = registry.call_blocking(ToolCall::new("1", shown.as_str(), "{}"));
        assert_eq!((outcome.status(), outcome.tool_name()), (Status::Ok, name), "{id}");
        assert!(outcome.receipt().notes.is_empty(), "{id}: {:?}", outcome.receipt().notes);
    }
}

#[test]
fn every_shown_name_leads_back_to_its_tool() {
    let long = "a".repeat(100);
    let registered = ["a b", "a.b", "a_b", "a/b", "1st", ".1st", "über", "日本", "中国", &long, &format!("{long}b")];
    let registry = registry_of(&registered).unwrap();
    for registry in [registry.clone(), registry.without("a_b"), registry.without("a.b")] {
        for dialect in ALL {
            let shown = names_in(&registry, dialect);
            for (shown, tool) in shown.iter().zip(registry.tool_names()) {
                let outcome = registry.call_blocking(ToolCall::new("1", shown.as_str(), "{}"));
                assert_eq!(outcome.output().json().as_ref(), tool, "{dialect:?}");
                // A provider may put things round the name.
                let outcome = registry.call_blocking(ToolCall::new("1", format!("functions.{shown}()"), "{}"));
                assert_eq!(outcome.output().json().as_ref(), tool, "{dialect:?}");
            }
        }
    }
}

#[test]
fn a_gemini_response_has_the_name_that_gemini_was_told() {
    let registry = registry_of(&["1st"]).unwrap();
    let outcome = registry.call_blocking(ToolCall::new("1", "_1st", "{}"));
    assert_eq!(outcome.to_message(Dialect::Gemini)["functionResponse"]["name"], "_1st");
    assert_eq!(Dialect::Gemini.messages(&[outcome])[0]["parts"][0]["functionResponse"]["name"], "_1st");
    let outcome = registry.call_blocking(ToolCall::new("1", "of_nobody", "{}"));
    assert_eq!(outcome.to_message(Dialect::Gemini)["functionResponse"]["name"], "of_nobody");
    assert_eq!(outcome.to_message(Dialect::Gemini)["functionResponse"]["id"], "1");
    let without_id = registry.call_blocking(ToolCall::new("", "of_nobody", "{}"));
    assert_eq!(without_id.to_message(Dialect::Gemini)["functionResponse"].get("id"), None);
}

#[test]
fn names_that_break_lines_or_markers_are_refused() {
    for name in ["a\nb", "a\"b", "a`b", "<a>", "[a]", " ", "\u{202e}a", "a\u{200b}b", &"a".repeat(129)] {
        assert!(registry_of(&[name]).unwrap_err().is_invalid_name(), "{name:?}");
    }
}

#[test]
fn call_01_to_11() {
    for row in rows().iter().filter(|row| row["area"] == "tool-name-resolution") {
        let id = row["id"].as_str().unwrap();
        let registered: Vec<&str> =
            row["schema"]["registered"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let registry = registry_of(&registered).unwrap();
        let outcome = registry.call_blocking(ToolCall::new("1", row["arguments"]["name"].as_str().unwrap(), "{}"));
        if let Some(tool) = row["expect"]["dispatch"].as_str() {
            assert_eq!(outcome.tool_name(), tool, "{id}");
            assert_eq!(outcome.receipt().notes.is_empty(), row["expect"]["how"] == "exact", "{id}");
        } else {
            assert_eq!(outcome.status(), Status::UnknownTool, "{id}");
            let hint = outcome.model_text().split_once("Did you mean").map_or("", |(_, hint)| hint);
            let suggested: Vec<&str> = hint.split('`').skip(1).step_by(2).collect();
            assert_eq!(json!(suggested), row["expect"]["suggest"], "{id}");
        }
    }
}

/// Tallies.
#[tool(strict)]
fn tally(counts: HashMap<String, u8>) -> usize {
    counts.len()
}

/// Adds.
#[tool(strict)]
fn add(a: i32, b: Option<i32>) -> i32 {
    a + b.unwrap_or_default()
}

fn function(registry: &Registry) -> Value {
    registry.definitions(Dialect::OpenAiChat)[0]["function"].clone()
}

#[test]
fn a_strict_tool_says_so_where_that_is_known() {
    let registry = Registry::builder().tools(tools![add]).without_store().build().unwrap();
    assert_eq!(function(&registry)["strict"], true);
    assert_eq!(
        function(&registry)["parameters"],
        json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": ["integer", "null"] } },
            "required": ["a", "b"], "additionalProperties": false })
    );
    let anthropic = &registry.definitions(Dialect::Anthropic)[0];
    assert_eq!(anthropic["strict"], true);
    assert_eq!(anthropic["input_schema"]["required"], json!(["a"]));
    assert_eq!(anthropic["input_schema"]["additionalProperties"], false);
    for dialect in [Dialect::Gemini, Dialect::Mcp] {
        assert!(!registry.definitions_json(dialect).contains("strict"));
        assert!(!registry.definitions_json(dialect).contains("additionalProperties"));
        assert!(registry.lint(dialect).is_empty());
    }
    assert_eq!(registry.call_blocking(ToolCall::new("1", "add", r#"{"a":1,"b":null}"#)).model_text(), "1");
}

#[test]
fn mac_04_a_strict_tool_with_a_map_is_refused_where_it_is_declared() {
    let build = |builder: RegistryBuilder| builder.tools(tools![tally, add]).without_store().build();
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic] {
        let error = build(Registry::builder().dialect(dialect)).unwrap_err();
        assert!(error.is_inexpressible());
        let message = error.to_string();
        for part in ["`tally`", "`/properties/counts`", "list of entries", "drop `strict`", &format!("{dialect:?}")] {
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert!(build(Registry::builder().dialect(Dialect::Gemini).dialect(Dialect::Mcp)).is_ok());

    let registry = build(Registry::builder()).unwrap();
    let lints = registry.lint(Dialect::OpenAiChat);
    assert_eq!(lints.len(), 1, "{lints:?}");
    assert_eq!((lints[0].tool.as_str(), lints[0].path.as_str()), ("tally", "/properties/counts"));
    assert_eq!(lints[0].level, LintLevel::Deny);
    let definitions = registry.definitions(Dialect::OpenAiChat);
    assert_eq!(definitions[0]["function"]["strict"], true);
    assert_eq!(definitions[1]["function"].get("strict"), None);
    assert!(definitions[1]["function"]["parameters"]["properties"]["counts"]["additionalProperties"].is_object());
}

#[test]
fn where_lossless_is_strict_where_it_can_be() {
    /// Plain.
    #[tool]
    fn plain(a: u8) -> u8 {
        a
    }
    /// Wide.
    #[tool]
    fn wide(any: Value) -> Value {
        any
    }
    let builder = Registry::builder().tools(tools![plain, wide]).without_store();
    let registry = builder.strict(Strict::WhereLossless).dialect(Dialect::OpenAiChat).build().unwrap();
    let definitions = registry.definitions(Dialect::OpenAiChat);
    assert_eq!(definitions[0]["function"]["strict"], true);
    assert_eq!(definitions[1]["function"].get("strict"), None);
    assert!(registry.lint(Dialect::OpenAiChat).is_empty());
    // A view of the registry keeps the choice.
    assert_eq!(function(&registry.without("wide"))["strict"], true);
    let off = Registry::builder().tools(tools![plain]).without_store().build().unwrap();
    assert_eq!(function(&off).get("strict"), None);
}

#[test]
fn conv_41_43_a_declared_dialect_refuses_what_it_cannot_say() {
    let names =
        json!({ "type": "object", "properties": { "filter[id]": { "type": "integer" }, "ok": { "type": "string" } } });
    let never = json!({ "type": "object", "properties": { "arg": { "not": {} } }, "required": ["arg"] });
    let cases = [
        (names, vec![Dialect::Anthropic], "property name 'filter[id]' does not match ^[a-zA-Z0-9_.-]{1,64}$"),
        (never, ALL.to_vec(), "uninhabited type (`not: {}`)"),
    ];
    for (schema, refusing, reason) in cases {
        for dialect in ALL {
            let builder = || Registry::builder().tool(named(ToolSpec::new("t", ""), schema.clone())).without_store();
            let registry = builder().build().unwrap();
            let denied = registry.lint(dialect).iter().any(|lint| lint.level == LintLevel::Deny);
            assert_eq!(denied, refusing.contains(&dialect), "{dialect:?} {reason}");
            match builder().dialect(dialect).build() {
                Ok(_) => assert!(!denied),
                Err(error) => assert!(denied && error.to_string().contains(reason), "{error}"),
            }
        }
    }
}

#[test]
fn a_parameter_that_is_told_in_words_can_be_given() {
    #[derive(Deserialize, JsonSchema)]
    struct Args {
        #[serde(rename = "filter[id]")]
        id: u8,
    }
    struct List;
    impl Tool for List {
        type Args = Args;
        type Output = u8;
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("list", "Lists.")
        }
        async fn run(&self, args: Args, _: &CallContext) -> Result<ToolResult<u8>, ToolError> {
            Ok(args.id.into())
        }
    }
    let registry = Registry::builder().tool(List).without_store().build().unwrap();
    assert_eq!(registry.call_blocking(ToolCall::new("1", "list", r#"{"filter[id]":7}"#)).model_text(), "7");
}

#[test]
fn arg_71_null_is_what_a_strict_model_writes_for_nothing() {
    fn ten() -> u32 {
        10
    }
    #[tool(strict)]
    fn defaults(
        #[serde(default)] a: u32,
        #[serde(default = "ten")] b: u32,
        #[serde(default)] c: Vec<String>,
        d: Option<String>,
        e: Option<u8>,
        #[serde(default)] f: bool,
    ) -> Value {
        json!({ "a": a, "b": b, "c": c, "d": d, "e": e, "f": f })
    }
    let row = row("arg-71");
    let registry = Registry::builder().tools(tools![defaults]).without_store().build().unwrap();
    assert_eq!(function(&registry)["strict"], true);
    let outcome = registry.call_blocking(ToolCall::new("1", "defaults", row["arguments"].as_str().unwrap()));
    assert_eq!(outcome.output().json().as_ref(), &row["expect"]["serde_result"], "{}", outcome.model_text());
}

#[test]
fn null_for_nothing_is_taken_inside_and_in_a_choice() {
    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Inner {
        #[serde(default)]
        n: u32,
        o: Option<u8>,
    }
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Kind {
        A,
        B { x: i32, y: Option<String> },
        C { x: String },
    }
    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Args {
        q: Inner,
        #[serde(flatten)]
        kind: Kind,
    }
    struct Echo;
    impl Tool for Echo {
        type Args = Args;
        type Output = Args;
        fn spec(&self) -> ToolSpec {
            ToolSpec::new("echo", "Echoes.").strict()
        }
        async fn run(&self, args: Args, _: &CallContext) -> Result<ToolResult<Args>, ToolError> {
            Ok(args.into())
        }
    }
    let registry = Registry::builder().tool(Echo).dialect(Dialect::OpenAiChat).without_store().build().unwrap();
    let parameters = &function(&registry)["parameters"];
    assert_eq!(parameters["required"], json!(["q", "kind", "x", "y"]));
    assert_eq!(parameters["properties"]["q"]["properties"]["n"]["type"], json!(["integer", "null"]));
    for (arguments, expected) in [
        (
            r#"{"q":{"n":null,"o":null},"kind":"A","x":null,"y":null}"#,
            json!({ "q": { "n": 0, "o": null }, "kind": "A" }),
        ),
        (
            r#"{"q":{"n":1,"o":2},"kind":"B","x":3,"y":null}"#,
            json!({ "q": { "n": 1, "o": 2 }, "kind": "B", "x": 3, "y": null }),
        ),
        (
            r#"{"q":{"n":null,"o":2},"kind":"C","x":"z","y":null}"#,
            json!({ "q": { "n": 0, "o": 2 }, "kind": "C", "x": "z" }),
        ),
    ] {
        let outcome = registry.call_blocking(ToolCall::new("1", "echo", arguments));
        assert_eq!(outcome.output().json().as_ref(), &expected, "{}", outcome.model_text());
    }
}

#[test]
fn s01_a_tool_without_parameters_takes_an_object() {
    /// Liveness check
    #[tool]
    fn ping() -> String {
        "pong".into()
    }
    let registry = Registry::builder().tools(tools![ping]).without_store().build().unwrap();
    assert_eq!(registry.definitions(Dialect::Mcp)[0]["inputSchema"], json!({ "type": "object", "properties": {} }));
    assert_eq!(
        registry.definitions(Dialect::Anthropic)[0]["input_schema"],
        json!({ "type": "object", "properties": {} })
    );
}

#[test]
fn s02_nested_types_are_in_the_schema() {
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    enum Side {
        Buy,
        Sell,
    }
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Line {
        side: Side,
        qty: u32,
    }
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Order {
        lines: Vec<Line>,
        note: Option<String>,
    }
    #[tool]
    fn place(order: Order) -> String {
        order.lines.len().to_string()
    }
    let registry = Registry::builder().tools(tools![place]).without_store().build().unwrap();
    for dialect in ALL {
        assert!(!registry.definitions_json(dialect).contains("$ref"));
        assert!(registry.definitions_json(dialect).contains(r#""enum":["Buy","Sell"]"#));
        assert!(registry.definitions_json(dialect).contains("qty"));
    }
}

#[test]
fn s06_no_schema_is_a_bare_boolean_and_any_value_arrives() {
    #[tool]
    fn store(key: String, payload: Value) -> Value {
        json!([key, payload])
    }
    let registry = Registry::builder().tools(tools![store]).without_store().build().unwrap();
    for dialect in ALL {
        assert!(registry.definitions_json(dialect).contains(r#""payload":{}"#));
    }
    for payload in [json!(1), json!("x"), json!([1]), json!({ "a": 1 }), Value::Null] {
        let arguments = json!({ "key": "k", "payload": payload }).to_string();
        let outcome = registry.call_blocking(ToolCall::new("1", "store", arguments));
        assert_eq!(outcome.output().json().as_ref(), &json!(["k", payload]));
    }
}

#[test]
fn s08_only_an_object_has_an_output_schema() {
    #[tool]
    fn sub(a: i64, b: i64) -> i64 {
        a - b
    }
    #[tool]
    fn names() -> Vec<String> {
        vec!["a".into()]
    }
    let registry = Registry::builder().tools(tools![sub, names]).without_store().build().unwrap();
    for (definition, arguments) in registry.definitions(Dialect::Mcp).iter().zip(["{}", r#"{"a":3,"b":1}"#]) {
        assert_eq!(definition.get("outputSchema"), None);
        let name = definition["name"].as_str().unwrap();
        let message = registry.call_blocking(ToolCall::new("1", name, arguments)).to_message(Dialect::Mcp);
        assert_eq!(message["isError"], false);
        assert_eq!((message.get("structuredContent"), message.get("_meta")), (None, None));
    }
}

#[derive(Clone, Serialize, JsonSchema)]
struct Table {
    title: String,
    rows: Vec<String>,
}

fn title(table: &Table) -> String {
    table.title.clone()
}

/// `rows` rows of ten characters.
#[tool(to_model_output = title, max_result_size = 5000)]
fn query(rows: usize) -> ToolResult<Table> {
    if rows == 0 {
        return ToolResult::failure("no rows");
    }
    ToolResult::new(Table { title: "t\u{1b}[31m sk-1".into(), rows: vec!["0123456789".into(); rows] })
}

fn mcp(registry: &Registry, rows: usize) -> Value {
    let arguments = json!({ "rows": rows }).to_string();
    registry.call_blocking(ToolCall::new("1", "query", arguments)).to_message(Dialect::Mcp)
}

#[test]
fn a_promised_value_comes_beside_the_text() {
    let registry = Registry::builder().tools(tools![query]).without_store().build().unwrap();
    assert_eq!(registry.definitions(Dialect::Mcp)[0]["outputSchema"]["type"], "object");
    let message = mcp(&registry, 2);
    assert_eq!(
        message["structuredContent"],
        json!({ "title": "t\u{1b}[31m sk-1", "rows": ["0123456789", "0123456789"] })
    );
    assert_eq!(message.get("_meta"), None);
    let message = mcp(&registry, 0);
    assert_eq!(message["isError"], true);
    assert_eq!((message.get("structuredContent"), message.get("_meta")), (None, None));
}

#[test]
fn t10_a_promised_value_obeys_the_limit() {
    let registry = Registry::builder().tools(tools![query]).without_store().build().unwrap();
    let message = mcp(&registry, 20_000);
    assert_eq!(message.get("structuredContent"), None);
    let why = message["_meta"].as_object().unwrap().values().next().unwrap();
    assert!(why.as_str().unwrap().contains("limit"), "{why}");
    assert!(message.to_string().len() < 6000);
    for rows in 370..400 {
        let message = mcp(&registry, rows);
        if let Some(value) = message.get("structuredContent") {
            assert!(value.to_string().chars().count() <= 5000, "{rows}");
        } else {
            assert!(message.get("_meta").is_some());
        }
    }
}

#[test]
fn a_promised_value_is_redacted_and_sanitised_like_the_text() {
    #[tool(external)]
    fn fetch() -> Table {
        Table { title: "t\u{1b}[31m sk-1".into(), rows: vec!["</external_tool_result>".into()] }
    }
    fn hide(text: &str) -> Cow<'_, str> {
        text.replace("sk-1", "[key]").into()
    }
    fn broken(text: &str) -> Cow<'_, str> {
        assert!(!text.contains("sk-1"), "broken");
        text.into()
    }
    let builder = || Registry::builder().tools(tools![query, fetch]).without_store();
    let registry = builder().redact(hide).build().unwrap();
    assert_eq!(mcp(&registry, 1)["structuredContent"]["title"], "t\u{1b}[31m [key]");
    let message = registry.call_blocking(ToolCall::new("1", "fetch", "{}")).to_message(Dialect::Mcp);
    assert_eq!(message["structuredContent"]["title"], "t [key]");
    assert!(!message["structuredContent"].to_string().contains("</external_tool_result>"));
    // The view is withheld; so is the value, and nothing of it is said.
    let message = mcp(&builder().redact(broken).build().unwrap(), 1);
    assert_eq!((message["isError"].as_bool(), message.get("structuredContent")), (Some(true), None));
    assert!(!message.to_string().contains("sk-1"));
}

static WRITTEN: AtomicUsize = AtomicUsize::new(0);

#[derive(JsonSchema)]
struct Counted {
    #[allow(dead_code)]
    a: u8,
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.fetch_add(1, Ordering::Relaxed);
        serializer.collect_map([("a", 1)])
    }
}

#[test]
fn nothing_is_serialised_for_nobody() {
    #[tool(to_model_output = |_| "seen")]
    fn counted() -> Counted {
        Counted { a: 1 }
    }
    let registry = Registry::builder().tools(tools![counted]).without_store().build().unwrap();
    let outcome = registry.call_blocking(ToolCall::new("1", "counted", "{}"));
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini] {
        let _ = outcome.to_message(dialect);
    }
    assert_eq!(WRITTEN.load(Ordering::Relaxed), 0);
    assert_eq!(outcome.to_message(Dialect::Mcp)["structuredContent"], json!({ "a": 1 }));
    assert_eq!(WRITTEN.load(Ordering::Relaxed), 1);
}

#[test]
fn a_turn_budget_bounds_the_promised_value_too() {
    let registry = Registry::builder().tools(tools![query]).turn_budget(600).without_store().build().unwrap();
    let calls = (0..2).map(|id| ToolCall::new(id.to_string(), "query", r#"{"rows":300}"#)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcomes = runtime.block_on(registry.call_all(calls));
    let messages = Dialect::Mcp.messages(&outcomes);
    let chars: usize = messages.iter().map(|message| message.to_string().chars().count()).sum();
    assert!(chars < 1200, "{chars}");
}

const PRINT: &str = "TOOL_TESTS_PRINT_DEFINITIONS";

fn many() -> Registry {
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Deep {
        zebra: Option<u8>,
        apple: HashMap<String, Vec<u16>>,
        mango: (u8, String),
    }
    #[tool(external, read_only)]
    fn zulu(deep: Deep, alpha: Option<String>) -> Table {
        let _ = (deep, alpha);
        Table { title: String::new(), rows: Vec::new() }
    }
    let spec = ToolSpec::new("a b", "").trust(Trust::External).strict();
    let builder = Registry::builder().tools(tools![zulu, add, query]).without_store();
    builder.tool(named(spec, json!({ "type": "object" }))).tool(nothing("a.b")).build().unwrap()
}

#[test]
fn mac_06_definitions_are_the_same_bytes_in_every_process() {
    let here: Vec<String> = ALL.iter().map(|dialect| many().definitions_json(*dialect).to_owned()).collect();
    if env::var_os(PRINT).is_some() {
        println!("{PRINT}{}", json!(here));
        return;
    }
    let name = "mac_06_definitions_are_the_same_bytes_in_every_process";
    for _ in 0..2 {
        let run =
            Command::new(env::current_exe().unwrap()).args([name, "--exact", "--nocapture"]).env(PRINT, "1").output();
        let text = String::from_utf8(run.unwrap().stdout).unwrap();
        let line = text.lines().find_map(|line| Some(line.split_once(PRINT)?.1)).unwrap();
        assert_eq!(line, json!(here).to_string());
    }
    let names: Vec<String> = many().tool_names().map(str::to_owned).collect();
    assert!(names.is_sorted());
    let zulu = many().definitions(Dialect::Mcp).pop().unwrap();
    let keys: Vec<&String> =
        zulu["inputSchema"]["properties"]["deep"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["zebra", "apple", "mango"]);
}

#[test]
fn a_call_reads_the_names_that_its_provider_was_told() {
    let wanting = named(
        ToolSpec::new("weather.get", ""),
        json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] }),
    );
    let registry = Registry::builder().tool(wanting).tool(nothing("1st")).without_store().build().unwrap();
    let read = |name: &str, dialect: Option<Dialect>| {
        let call = ToolCall::new("1", name, "{}");
        registry.call_blocking(dialect.map_or(call.clone(), |dialect| call.dialect(dialect))).model_text().to_owned()
    };
    for (dialect, weather, first) in [
        (None, "weather.get", "1st"),
        (Some(Dialect::OpenAiChat), "weather_get", "1st"),
        (Some(Dialect::Gemini), "weather.get", "_1st"),
        (Some(Dialect::Mcp), "weather.get", "1st"),
    ] {
        assert!(read("wether.get", dialect).ends_with(&format!("Did you mean `{weather}`?")), "{dialect:?}");
        assert!(read("other", dialect).ends_with(&format!("Tools: `{first}`, `{weather}`.")), "{dialect:?}");
        // Found by every name it has, whatever the provider.
        for name in ["weather.get", "weather_get"] {
            let text = read(name, dialect);
            assert!(text.starts_with(&format!("Invalid arguments for tool `{weather}`")), "{dialect:?}: {text}");
            assert!(
                text.ends_with(&format!("Call `{weather}` again with corrected arguments.")),
                "{dialect:?}: {text}"
            );
        }
    }
}
