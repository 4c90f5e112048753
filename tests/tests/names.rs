//! The names that users type and their shapes: whoever breaks one of them breaks their code. What each does is tested
//! elsewhere; here it has to be there, to compile without a warning, and to do the least.
#![deny(warnings)]
#![allow(clippy::unwrap_used)]

use std::{
    borrow::Cow,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_runtime::{
    Approval, ApprovalRequest, Approver, Arguments, ArtifactRef, ArtifactStore, ArtifactTools, BuildError, CallContext,
    CancellationToken, Coercion, Dialect, DynTool, FenceStyle, Hook, IntoTools, Lint, LocalStore, MemoryStore,
    ModelOutput, NoArgs, Outcome, Output, Part, Problem, ProblemKind, Progress, Receipt, Redactor, RegisteredTool,
    Registry, RegistryBuilder, Scope, Session, Status, Strict, Tool, ToolArgs, ToolCall, ToolError, ToolResult,
    ToolSpec, TruncateOptions, TruncatedResult, TruncationStrategy, Trust, fence, resolve_model_output, tool, tools,
    truncate_result, wrap_if_external,
};

/// Echoes.
#[tool(read_only, approval)]
fn echo(text: String) -> String {
    text
}

/// A module of tools.
mod away {
    /// Lists, when there is something.
    #[tool_runtime::tool]
    pub async fn list(#[inject] state: &super::State) -> Vec<u32> {
        vec![state.0; 3]
    }
}

struct State(u32);

struct Shop;

#[tool(prefix = "shop")]
impl Shop {
    /// Opens.
    #[tool]
    fn open(&self) -> bool {
        true
    }
}

fn hide(text: &str) -> Cow<'_, str> {
    text.replace("hunter2", "[password]").into()
}

struct Watching;
impl Hook for Watching {}

struct Yes;
impl Approver for Yes {
    async fn approve(&self, request: ApprovalRequest) -> Approval {
        (&*request.tool == "echo").into()
    }
}

#[derive(Deserialize, JsonSchema)]
struct Sum {
    of: Vec<i64>,
}

struct Add;

impl Tool for Add {
    type Args = Sum;
    type Output = i64;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("add", "Adds.").read_only().idempotent()
    }

    async fn run(&self, args: Sum, ctx: &CallContext) -> Result<ToolResult<i64>, ToolError> {
        if ctx.call_id().is_empty() {
            return Err(ToolError::new("a call without an id"));
        }
        Ok(args.of.iter().sum::<i64>().into())
    }

    fn to_model_output(&self, output: &i64) -> Option<ModelOutput> {
        Some(format!("together {output}").into())
    }
}

struct Nothing;

impl Tool for Nothing {
    type Args = NoArgs;
    type Output = ();

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("nothing", "Does nothing.")
    }

    async fn run(&self, _: NoArgs, _: &CallContext) -> Result<ToolResult<()>, ToolError> {
        // `From<E: Error> for ToolError`.
        let _: u8 = "7".parse()?;
        Ok(ToolResult::new(()))
    }
}

fn every_setting() -> Result<Registry, BuildError> {
    let made: DynTool = DynTool::new(
        ToolSpec::new("made", "Made at run time.")
            .title("Made")
            .max_result_size(1000)
            .truncation(TruncationStrategy::Head)
            .trust(Trust::External)
            .destructive()
            .open_world(),
        json!({ "type": "object" }),
        |args: Value, _: CallContext| async move { Ok(ToolResult::new(args)) },
    );
    let builder: RegistryBuilder = Registry::builder();
    builder
        .tools(tools![echo, away::list])
        .tools(Shop.into_tools())
        .tool(Add)
        .tool(Nothing)
        .tool(made)
        .linked_from(["no-such-crate"])
        .state(State(7))
        .default_max_result_size(10_000)
        .truncation(TruncationStrategy::HeadTail)
        .field_limit(500)
        .scope(Scope::Content)
        .fence(FenceStyle::Keyed)
        .store(MemoryStore::new(1 << 20))
        .show_paths(false)
        .artifact_tools(ArtifactTools::WhenSaved)
        .hook(Watching)
        .redact(hide)
        .approver(Yes)
        .coercion(Coercion::Lossless)
        .max_arguments_bytes(1 << 16)
        .max_arguments_depth(32)
        .dialect(Dialect::OpenAiChat)
        .strict(Strict::WhereLossless)
        .trace_content()
        .deterministic(1)
        .build()
}

#[test]
fn a_registry_is_made() {
    let registry = every_setting().unwrap();
    let names: Vec<&str> = registry.tool_names().collect();
    assert_eq!(names, ["add", "echo", "list", "made", "nothing", "shop_open"]);
    let _: [RegisteredTool; 2] = tools![echo, away::list];
    let on_shared: Vec<RegisteredTool> = Arc::new(Shop).into_tools().into_iter().collect();
    assert_eq!(on_shared.len(), 1);
    let linked = Registry::builder().linked().state(State(1)).approver(Yes).without_store().build().unwrap();
    assert!(linked.tool_names().any(|name| name == "list"));
    let error: BuildError = Registry::builder().tools(tools![away::list]).build().unwrap_err();
    assert!(error.to_string().contains("State"), "{error}");
    let _: (TruncationStrategy, TruncationStrategy) = (TruncationStrategy::Fields, TruncationStrategy::Structure);
    let _ = (Scope::Total, Coercion::Strict, FenceStyle::Plain, ArtifactTools::Always, ArtifactTools::Never);
}

#[test]
fn a_registry_is_described() {
    let registry = every_setting().unwrap();
    for dialect in [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp] {
        let definitions: Vec<Value> = registry.definitions(dialect);
        let text: &str = registry.definitions_json(dialect);
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), Value::from(definitions));
        let _: Vec<Lint> = registry.lint(dialect);
    }
}

#[tokio::test]
async fn a_call_is_made() {
    let registry = every_setting().unwrap();
    let reports = Arc::new(AtomicUsize::new(0));
    let counted = reports.clone();
    let arguments: Arguments = json!({ "text": "hello" }).into();
    let call = ToolCall::new("call_1", "echo", arguments)
        .dialect(Dialect::Anthropic)
        .incomplete(false)
        .cancel(CancellationToken::new())
        .extension(State(1))
        .progress(move |_: Progress| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
    let problems: Result<(), Vec<Problem>> = registry.check(&call);
    problems.unwrap();
    let future = movable(registry.call(call));
    let outcome: Outcome = future.await;
    assert_eq!((outcome.call_id(), outcome.tool_name(), outcome.model_text()), ("call_1", "echo", "hello"));

    let calls = vec![ToolCall::new("1", "echo", r#"{"text":"a"}"#), ToolCall::new("2", "list", String::from("{}"))];
    let outcomes: Vec<Outcome> = registry.call_all(calls).await;
    assert_eq!([outcomes[0].model_text(), outcomes[1].model_text()], ["a", "[7,7,7]"]);
    assert_eq!(reports.load(Ordering::Relaxed), 0);
}

fn movable<F: Future<Output = Outcome> + Send + 'static>(future: F) -> F {
    future
}

#[test]
fn a_session_is_held() {
    let registry = every_setting().unwrap();
    let session: Session = registry.session();
    assert_eq!(session.definitions(Dialect::Mcp).len(), registry.tool_names().count());
    let call = ToolCall::new("1", "shop_open", "{}");
    let _ = session.check_loop(&call);
    assert_eq!(session.call_blocking(call).model_text(), "true");
    assert!(!session.halted());
    session.reset();
    assert_eq!(session.artifacts().len(), 0);
    drop((session.call(ToolCall::new("2", "nothing", "")), session.call_all(Vec::new())));
    let fewer: [Registry; 2] = [registry.without("add"), registry.only(["no-such-tag"])];
    assert_eq!(fewer.map(|registry| registry.tool_names().count()), [5, 0]);
}

#[test]
fn an_outcome_is_read() {
    let registry = every_setting().unwrap();
    let outcome: Outcome = registry.call_blocking(ToolCall::new("1", "add", r#"{"of":[1,2]}"#));
    assert!(outcome.status() == Status::Ok && !outcome.is_error());
    assert_eq!(outcome.model_text(), "together 3");
    assert_eq!(outcome.parts().len(), 1);
    let output: &Output = outcome.output();
    let (json, text): (Cow<'_, Value>, Cow<'_, str>) = (output.json(), output.text());
    assert_eq!((json.as_ref(), text.as_ref(), output.downcast_ref::<i64>()), (&json!(3), "3", Some(&3)));
    let artifact: Option<&ArtifactRef> = outcome.artifact();
    assert!(artifact.is_none());
    let message: Value = outcome.to_message(Dialect::OpenAiChat);
    assert_eq!(message["tool_call_id"], "1");

    let receipt: &Receipt = outcome.receipt();
    let _ = (&receipt.view_source, &receipt.full_chars, &receipt.raw_chars, &receipt.view_chars, &receipt.shown_chars);
    let _ = (&receipt.model_chars, &receipt.still_running, &receipt.truncated, &receipt.strategy, &receipt.artifact);
    let _ = (&receipt.saved, &receipt.fenced, &receipt.removed, &receipt.defused, &receipt.notes, &receipt.duration);
    assert!(serde_json::to_value(receipt).unwrap().is_object());
    let messages: Vec<Value> = Dialect::Mcp.messages(&[outcome]);
    assert_eq!(messages.len(), 1);

    let outcome = registry.call_blocking(ToolCall::new("1", "add", "{}"));
    let [Problem { path, kind, expected, got, .. }] = outcome.problems() else { panic!("one problem") };
    assert_eq!(
        (path.as_str(), *kind, expected.as_str(), got.as_str()),
        ("/of", ProblemKind::Missing, "array", "missing")
    );
}

#[test]
fn statuses_and_kinds_have_their_names() {
    let statuses = [
        Status::Ok,
        Status::ToolError,
        Status::InvalidArguments,
        Status::UnknownTool,
        Status::Blocked,
        Status::TimedOut,
        Status::Cancelled,
        Status::Panicked,
        Status::Withheld,
        Status::Busy,
        Status::Unserialisable,
    ];
    let kinds = [
        ProblemKind::InvalidJson,
        ProblemKind::CutOff,
        ProblemKind::TooDeep,
        ProblemKind::ArgumentsTooLarge,
        ProblemKind::NotAnObject,
        ProblemKind::DuplicateKey,
        ProblemKind::UnknownField,
        ProblemKind::Missing,
        ProblemKind::InvalidType,
        ProblemKind::NumberOutOfRange,
        ProblemKind::OutOfBounds,
    ];
    assert_eq!((statuses.len(), kinds.len()), (11, 11));
}

#[test]
fn the_pieces_stand_alone() {
    let result: ToolResult<u8> =
        ToolResult::new(7).model_output("seven").content(vec![Part::text("7".to_owned())]).metadata("source", "dice");
    assert_eq!(result.to_json().unwrap()["output"], 7);
    let view: Option<&ModelOutput> = resolve_model_output(&result);
    assert!(view.is_some());
    assert!(resolve_model_output(&ToolResult::<u8>::failure("no dice")).is_none());
    let _ = Part::image([1, 2, 3], "image/png");

    let store = MemoryStore::new(1 << 20);
    let on_shelf: &dyn ArtifactStore = &store;
    let options = TruncateOptions::new(40).strategy(TruncationStrategy::Head).tool_name("search").store(on_shelf);
    let TruncatedResult { content, original_size, truncated, full_path, .. } =
        truncate_result(&"x".repeat(99), &options);
    assert!(truncated && full_path.is_none() && original_size == 99 && content.chars().count() <= 40);
    assert_eq!(truncate_result("short", &options).to_string(), "short");

    let fenced: Cow<'_, str> = wrap_if_external(Trust::External, "text");
    assert_eq!(fenced, "<external_tool_result>\ntext\n</external_tool_result>");
    assert!(matches!(wrap_if_external(Trust::Trusted, "text"), Cow::Borrowed("text")));
    let clause: &'static str = fence::system_prompt();
    assert!(clause.contains("external_tool_result"));
    let directory = tempfile::tempdir().unwrap();
    let _: (LocalStore, LocalStore) = (LocalStore::session(), LocalStore::at(directory.path()));

    fn of_a_redactor(_: impl Redactor) {}
    of_a_redactor(hide);
    fn of_args<T: ToolArgs>() {}
    of_args::<Sum>();
    of_args::<NoArgs>();
    fn of_an_artifact(artifact: &ArtifactRef) -> [usize; 2] {
        let ArtifactRef { id, sha256, chars, path: _, .. } = artifact;
        [id.len() + sha256.len(), *chars]
    }
    let _ = of_an_artifact;
    #[derive(Serialize)]
    struct Plain;
    let _: ToolResult<Plain> = Plain.into();
}
