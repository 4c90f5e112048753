//! Streams through the public API: memory, artifacts, ceilings, and that no cut into pieces changes what comes out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::{
    borrow::Cow,
    fmt, fs,
    io::{self, Write},
    ops::Range,
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tool_runtime::{
    After, AfterCall, Artifact, ArtifactEntry, ArtifactMeta, ArtifactRef, ArtifactStore, ArtifactWriter, CallContext,
    FenceStyle, Hook, LocalStore, MemoryStore, Outcome, OutputSink, Redactor, Registry, RegistryBuilder, Scope,
    Secrets, Status, StoreError, StoreReason, Streamed, ToolCall, ToolResult, tool, tools,
};

/// What the tools below write, piece by piece, and where they stop.
#[derive(Clone, Default)]
struct Script {
    pieces: Vec<Vec<u8>>,
    most: Option<u64>,
}

impl Script {
    /// The bytes in pieces of these lengths.
    fn cut(bytes: &[u8], lengths: &[usize]) -> Self {
        let mut rest = bytes;
        let mut pieces = Vec::new();
        for length in lengths.iter().cycle() {
            let (piece, behind) = rest.split_at((*length).min(rest.len()));
            pieces.push(piece.to_vec());
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        Self { pieces, most: None }
    }

    fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self::cut(bytes.as_ref(), &[usize::MAX])
    }

    fn sink(&self, ctx: &CallContext) -> OutputSink {
        match self.most {
            Some(most) => ctx.sink().max_bytes(most),
            None => ctx.sink(),
        }
    }

    fn play(&self, ctx: &CallContext) -> io::Result<Streamed> {
        let mut sink = self.sink(ctx);
        for piece in &self.pieces {
            match sink.write_all(piece) {
                Err(_) if sink.is_full() => break,
                written => written?,
            }
        }
        Ok(sink.finish())
    }
}

/// Streams trusted output.
#[tool(name = "trusted", max_result_size = 200)]
fn trusted(#[inject] ctx: &CallContext, #[inject] script: &Script) -> io::Result<Streamed> {
    script.play(ctx)
}

/// Streams output from outside.
#[tool(name = "external", max_result_size = 200, external)]
fn external(#[inject] ctx: &CallContext, #[inject] script: &Script) -> io::Result<Streamed> {
    script.play(ctx)
}

/// Streams in async code.
#[tool(name = "asynchronous", max_result_size = 200)]
async fn asynchronous(#[inject] ctx: &CallContext, #[inject] script: &Script) -> io::Result<Streamed> {
    let mut sink = script.sink(ctx);
    for piece in &script.pieces {
        tokio::io::AsyncWriteExt::write_all(&mut sink, piece).await?;
    }
    tokio::io::AsyncWriteExt::shutdown(&mut sink).await?;
    Ok(sink.finish())
}

/// Keeps all of it.
#[tool(name = "keeps", max_result_size = 200, keep = always)]
fn keeps(#[inject] ctx: &CallContext, #[inject] script: &Script) -> io::Result<Streamed> {
    script.play(ctx)
}

fn summary(streamed: &Streamed) -> String {
    format!("{} characters", streamed.chars())
}

/// Has a view.
#[tool(name = "viewed", max_result_size = 200, to_model_output = summary)]
fn viewed(#[inject] ctx: &CallContext, #[inject] script: &Script) -> io::Result<Streamed> {
    script.play(ctx)
}

/// Brings its view.
#[tool(name = "brings", max_result_size = 200)]
fn brings(#[inject] ctx: &CallContext, #[inject] script: &Script) -> io::Result<ToolResult<Streamed>> {
    Ok(ToolResult::new(script.play(ctx)?).model_output("three words only"))
}

/// Fails in the end.
#[tool(name = "fails")]
fn fails(#[inject] ctx: &CallContext, #[inject] script: &Script) -> Result<Streamed, io::Error> {
    let _ = script.play(ctx)?;
    Err(io::Error::other("the source broke off"))
}

/// The same results at once.
mod at_once {
    use super::{Script, tool};

    fn text(script: &Script) -> String {
        String::from_utf8(script.pieces.concat()).unwrap()
    }

    #[tool(name = "trusted", max_result_size = 200)]
    pub(super) fn trusted(#[inject] script: &Script) -> String {
        text(script)
    }

    #[tool(name = "external", max_result_size = 200, external)]
    pub(super) fn external(#[inject] script: &Script) -> String {
        text(script)
    }

    #[tool(name = "asynchronous", max_result_size = 200)]
    pub(super) fn asynchronous(#[inject] script: &Script) -> String {
        text(script)
    }
}

fn builder(script: Script) -> RegistryBuilder {
    settings(script).tools(tools![trusted, external, asynchronous, keeps, viewed, brings, fails])
}

fn settings(script: Script) -> RegistryBuilder {
    Registry::builder().state(script).deterministic(7).fence(FenceStyle::Plain)
}

fn run(registry: &Registry, name: &str) -> Outcome {
    registry.call_blocking(ToolCall::new("call_1", name, "{}"))
}

fn stored(store: &impl ArtifactStore, outcome: &Outcome) -> Vec<u8> {
    store.read(&outcome.artifact().unwrap().id, 0..u64::MAX).unwrap().bytes
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        fmt::Write::write_fmt(&mut text, format_args!("{byte:02x}")).unwrap();
        text
    })
}

fn numbers(to: usize) -> String {
    let lines: Vec<String> = (1..=to).map(|number| format!("line {number}\n")).collect();
    lines.concat()
}

#[test]
fn a_short_stream_is_any_text() {
    let store = MemoryStore::new(1 << 20);
    let registry = builder(Script::of("few words")).store(store.clone()).build().unwrap();
    let outcome = run(&registry, "trusted");
    assert_eq!(outcome.model_text(), "few words");
    assert_eq!(outcome.output().text(), "few words");
    assert_eq!(outcome.output().json()["chars"], 9);
    assert!(store.list().unwrap().is_empty());
    let registry = builder(Script::of("")).build().unwrap();
    assert_eq!(run(&registry, "trusted").model_text(), "(no output)");
}

#[test]
fn a_long_stream_is_cut_and_stored_like_any_text() {
    let text = numbers(100_000);
    let store = MemoryStore::new(10 << 20);
    let registry = builder(Script::cut(text.as_bytes(), &[1000, 1, 70_000])).store(store.clone()).build().unwrap();

    let outcome = run(&registry, "trusted");
    let (header, body) = outcome.model_text().split_once('\n').unwrap();
    let artifact = outcome.artifact().unwrap();
    assert_eq!(header, format!("[Truncated: {} chars -> 200 chars | full output: {}]", text.len(), artifact.id));
    assert!(body.starts_with("line 1\nline 2\n") && body.ends_with("line 99999\nline 100000\n"));
    assert!(body.contains(&format!("\n... (truncated {} chars) ...\n", text.len() - 200)));
    assert_eq!((artifact.chars, &*artifact.sha256), (text.len(), &*sha256(text.as_bytes())));
    assert_eq!(stored(&store, &outcome), text.as_bytes());
    assert_eq!(outcome.output().text(), text);
    let receipt = outcome.receipt();
    assert_eq!((receipt.full_chars, receipt.raw_chars), (Some(text.len()), Some(text.len())));
    assert_eq!((receipt.shown_chars, receipt.truncated, receipt.saved.as_deref()), (200, true, Some("saved")));

    // Without a store there are the ends.
    let registry = builder(Script::of(&text)).without_store().build().unwrap();
    let outcome = run(&registry, "trusted");
    assert!(outcome.model_text().starts_with(&format!("[Truncated: {} chars -> 200 chars]\nline 1\n", text.len())));
    assert_eq!(outcome.output().text(), body);
}

#[test]
fn a_limit_on_everything_holds_for_streams_too() {
    for length in [150, 201, 5000] {
        let store = MemoryStore::new(1 << 20);
        let text = "word ".repeat(length / 5);
        let registry = builder(Script::of(&text)).store(store.clone()).scope(Scope::Total).build().unwrap();
        for name in ["trusted", "external"] {
            let outcome = run(&registry, name);
            assert!(outcome.model_text().chars().count() <= 200, "{}", outcome.model_text());
            if outcome.receipt().truncated {
                assert_eq!(stored(&store, &outcome), text.as_bytes());
            }
        }
    }
}

#[tokio::test]
async fn a_turn_with_a_budget_shows_less_of_a_stream_that_it_keeps_whole() {
    for length in [150, 20_000] {
        let text = "word ".repeat(length / 5);
        let store = MemoryStore::new(1 << 20);
        let registry = builder(Script::of(&text)).store(store.clone()).turn_budget(700).build().unwrap();
        let calls = ["trusted", "asynchronous", "keeps", "viewed", "trusted", "trusted"];
        let calls = calls.iter().enumerate().map(|(id, name)| ToolCall::new(id.to_string(), *name, "{}"));
        let outcomes = registry.call_all(calls.collect()).await;
        assert!(outcomes.iter().map(|outcome| outcome.model_text().chars().count()).sum::<usize>() <= 700);
        for outcome in outcomes.iter().filter(|outcome| outcome.receipt().truncated) {
            assert_eq!(stored(&store, outcome), text.as_bytes(), "{}", outcome.tool_name());
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_stored_as_they_are() {
    for length in [40, 100_000] {
        let bytes: Vec<u8> = b"ok \xff\xe6\xbc \xf0\x9f\x98\n".iter().copied().cycle().take(length).collect();
        let store = MemoryStore::new(1 << 20);
        let registry = builder(Script::cut(&bytes, &[7])).store(store.clone()).build().unwrap();
        let outcome = run(&registry, "keeps");
        assert!(outcome.model_text().contains("ok \u{fffd}\u{fffd} \u{fffd}\n"), "{}", outcome.model_text());
        assert_eq!(stored(&store, &outcome), bytes);
        assert_eq!(outcome.artifact().unwrap().chars, String::from_utf8_lossy(&bytes).chars().count());
        assert_eq!(outcome.output().text(), String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_view_stands_for_the_stream_which_is_kept() {
    let text = numbers(10_000);
    let store = MemoryStore::new(1 << 20);
    let registry = builder(Script::of(&text)).store(store.clone()).build().unwrap();
    for (name, view) in [("viewed", format!("{} characters", text.len())), ("brings", "three words only".to_owned())] {
        let outcome = run(&registry, name);
        assert!(outcome.model_text().starts_with(&view), "{}", outcome.model_text());
        assert!(outcome.model_text().contains(&outcome.artifact().unwrap().id));
        assert_eq!(stored(&store, &outcome), text.as_bytes());
    }
}

#[test]
fn a_ceiling_keeps_what_came_before_it() {
    let text = numbers(50_000);
    for (name, most) in [("trusted", 100_000), ("external", 100_000), ("trusted", 64 * 1024), ("trusted", 10)] {
        let store = MemoryStore::new(10 << 20);
        let script = Script { most: Some(most), ..Script::cut(text.as_bytes(), &[30_000]) };
        let registry = builder(script).store(store.clone()).build().unwrap();
        let outcome = run(&registry, name);
        assert_eq!(outcome.status(), Status::Ok);
        let first = outcome.model_text().lines().next().unwrap();
        assert_eq!(first, format!("[Partial: the output was stopped at {most} bytes]"));
        assert!(outcome.output().downcast_ref::<Streamed>().unwrap().is_partial());
        let most = usize::try_from(most).unwrap();
        if most > 200 {
            assert_eq!(stored(&store, &outcome), &text.as_bytes()[..most]);
            assert_eq!(outcome.receipt().saved.as_deref(), Some("saved (partial)"));
        } else {
            assert!(outcome.model_text().ends_with(&text[..most]));
        }
    }
    // Just as much as is allowed is all of it.
    let script = Script { most: Some(text.len() as u64), ..Script::of(&text) };
    let outcome = run(&builder(script).store(MemoryStore::new(10 << 20)).build().unwrap(), "trusted");
    assert!(outcome.model_text().starts_with("[Truncated: "));
}

#[test]
fn a_stream_may_be_longer_than_the_store_allows_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalStore::at(folder.path().join("store")).max_artifact_bytes(50_000);
    let text = numbers(50_000);
    for (most, saved) in [(None, "not saved (artifact is too large)"), (Some(1 << 20), "saved")] {
        let registry = builder(Script { most, ..Script::of(&text) }).store(store.clone()).build().unwrap();
        let outcome = run(&registry, "trusted");
        assert_eq!(outcome.receipt().saved.as_deref(), Some(saved));
        assert_eq!(outcome.receipt().full_chars, Some(text.len()));
        assert!(outcome.model_text().ends_with("line 50000\n"));
    }
}

/// A store whose disk is full after so many bytes, or that panics there.
struct Failing {
    after: usize,
    panics: bool,
    aborted: Arc<Mutex<bool>>,
}

struct FailingWriter(usize, bool, Arc<Mutex<bool>>);

impl Drop for FailingWriter {
    fn drop(&mut self) {
        *self.2.lock().unwrap() = true;
    }
}

impl ArtifactWriter for FailingWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        assert!(!self.1 || bytes.len() <= self.0, "a fault injected by a test");
        self.0 = self.0.checked_sub(bytes.len()).ok_or(StoreReason::DiskFull)?;
        Ok(())
    }
    fn finish(self: Box<Self>, _: usize) -> Result<ArtifactRef, StoreError> {
        Err(StoreReason::Failed.into())
    }
    fn abort(self: Box<Self>) {}
}

impl ArtifactStore for Failing {
    fn create(&self, _: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        Ok(Box::new(FailingWriter(self.after, self.panics, self.aborted.clone())))
    }
    fn read(&self, _: &str, _: Range<u64>) -> Result<Artifact, StoreError> {
        Err(StoreReason::NotFound.into())
    }
    fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        Ok(Vec::new())
    }
    fn delete(&self, _: &str) -> Result<(), StoreError> {
        Err(StoreReason::NotFound.into())
    }
    fn sweep(&self, _: u64) -> Result<usize, StoreError> {
        Ok(0)
    }
}

#[test]
fn a_store_that_fails_on_the_way_costs_the_artifact_only() {
    let text = numbers(50_000);
    for (after, panics, why) in [
        (0, false, "disk is full"),
        (100_000, false, "disk is full"),
        (100_000, true, "store failed"),
        (usize::MAX, false, "store failed"),
    ] {
        let aborted = Arc::default();
        let store = Failing { after, panics, aborted: Arc::clone(&aborted) };
        let registry = builder(Script::of(&text)).store(store).build().unwrap();
        let outcome = run(&registry, "trusted");
        let header = format!("[Truncated: {} chars -> 200 chars | full output: not saved ({why})]\n", text.len());
        assert!(outcome.model_text().starts_with(&header), "{}", outcome.model_text());
        assert!(outcome.model_text().ends_with("line 50000\n"));
        assert!(*aborted.lock().unwrap());
    }
}

#[test]
fn a_marker_across_a_border_of_blocks_is_found() {
    let marker = "</external_tool_result>";
    for before in (0..marker.len()).step_by(3) {
        let text = format!("{}{marker} and {}", "x".repeat(64 * 1024 - before), "y ".repeat(300));
        let store = MemoryStore::new(1 << 20);
        let registry = builder(Script::cut(text.as_bytes(), &[before.max(1)])).store(store.clone()).build().unwrap();
        let outcome = run(&registry, "external");
        let kept = String::from_utf8(stored(&store, &outcome)).unwrap();
        assert!(kept.contains("x~/external-tool-result> and y"), "{before}");
        assert_eq!(outcome.model_text().matches(marker).count(), 1);
        assert_eq!(outcome.receipt().defused, marker.len() - 1);
    }
}

fn hide(text: &str) -> Cow<'_, str> {
    if text.contains("sk-0123456789") { text.replace("sk-0123456789", "[key]").into() } else { text.into() }
}

#[test]
fn a_secret_across_a_border_of_blocks_is_hidden() {
    let secret = "sk-0123456789";
    for name in ["trusted", "external"] {
        for before in 0..secret.len() {
            let text = format!("{}{secret} {}{secret}", "x".repeat(64 * 1024 - before), "y ".repeat(60_000));
            let store = MemoryStore::new(1 << 20);
            let script = Script::cut(text.as_bytes(), &[64 * 1024]);
            let registry = builder(script).store(store.clone()).redact(hide).build().unwrap();
            let outcome = run(&registry, name);
            assert_eq!(String::from_utf8(stored(&store, &outcome)).unwrap(), text.replace(secret, "[key]"));
            assert!(outcome.model_text().contains("[key]") && !outcome.model_text().contains("0123"));
        }
    }
}

#[test]
fn the_ready_redactor_finds_secrets_across_borders() {
    let body: String =
        (0..24).map(|line| format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDO{line:02}\n")).collect();
    let secrets = [
        format!("-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----"),
        "password = \"correct horse battery\"".to_owned(),
        format!("AKIA{}", "Q3EGRZ7WJ5MXNT2K"),
    ];
    for secret in &secrets {
        for before in (0..=secret.len()).step_by(1 + secret.len() / 9) {
            // The borders of blocks, and those of what the redactor has still to see.
            let filled = |bytes: usize| "some words\n".repeat(bytes / 11 + 1)[..bytes - 1].to_owned() + "\n";
            let text = [64 * 1024 - before, 48 * 1024 - secret.len(), 16 * 1024 - secret.len(), 100_000]
                .map(|bytes| filled(bytes) + secret + "\n")
                .concat();
            let expected = Secrets::default().redact(&text).into_owned();
            assert!(!expected.contains(secret));
            let store = MemoryStore::new(1 << 20);
            let script = Script::cut(text.as_bytes(), &[10_000]);
            let registry = builder(script).store(store.clone()).redact(Secrets::default()).build().unwrap();
            let outcome = run(&registry, "trusted");
            assert_eq!(String::from_utf8(stored(&store, &outcome)).unwrap(), expected);
        }
    }
}

struct Whole;

impl Redactor for Whole {
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        hide(text)
    }
    fn window(&self) -> Option<usize> {
        None
    }
}

struct Panics;

impl Redactor for Panics {
    fn redact<'t>(&self, _: &'t str) -> Cow<'t, str> {
        panic!("a fault injected by a test")
    }
}

#[test]
fn a_redactor_that_cannot_see_all_of_it_keeps_it_from_being_shown_and_stored() {
    let store = MemoryStore::new(1 << 20);
    let short = format!("{}sk-0123456789", "word ".repeat(100));
    let registry = builder(Script::of(&short)).store(store.clone()).redact(Whole).build().unwrap();
    let outcome = run(&registry, "trusted");
    assert!(outcome.model_text().ends_with("word [key]"), "{}", outcome.model_text());
    assert!(stored(&store, &outcome).ends_with(b"word [key]"));

    let long = format!("{}sk-0123456789", "word ".repeat(100_000));
    let registry = builder(Script::of(&long)).store(store.clone()).redact(Whole).build().unwrap();
    let outcome = run(&registry, "trusted");
    assert_eq!(
        outcome.model_text(),
        format!(
            "[Truncated: {} chars -> 0 chars | full output: not saved (a redactor needs the whole text)]\n",
            long.len()
        )
    );
    assert_eq!(store.list().unwrap().len(), 1);

    let registry = builder(Script::of(&long)).store(store.clone()).redact(Panics).build().unwrap();
    let outcome = run(&registry, "trusted");
    assert_eq!(outcome.status(), Status::Withheld);
    assert!(!outcome.model_text().contains("word"));
    assert_eq!(store.list().unwrap().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_comes_out_is_what_the_whole_text_gives_however_it_is_written(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "plain words ", "漢字。", "\n", "\r", "\r\n", "<", "/", "external_tool_result", ">", "&lt;", "\\u003c",
                "\u{1b}[31m", "\u{1b}]0;", "\u{7}", "sk-0123456789", "sk-01234", "\u{200b}", "👩\u{200d}👧", "\"", " ",
            ]),
            50..400,
        ),
        times in 1_usize..60,
        lengths in prop::collection::vec(1_usize..5000, 1..6),
        name in prop::sample::select(vec!["trusted", "external", "asynchronous"]),
        redacted in any::<bool>(),
    ) {
        let text = pieces.concat().repeat(times);
        let outcome = |builder: RegistryBuilder| {
            let store = MemoryStore::new(100 << 20);
            let builder = builder.store(store.clone());
            let registry = if redacted { builder.redact(hide) } else { builder }.build().unwrap();
            let outcome = run(&registry, name);
            let bytes = outcome.artifact().map(|_| stored(&store, &outcome));
            (outcome.model_text().to_owned(), bytes)
        };
        let (shown, bytes) = outcome(builder(Script::of(&text)));
        prop_assert_eq!(outcome(builder(Script::cut(text.as_bytes(), &lengths))), (shown.clone(), bytes.clone()));
        let at_once = settings(Script::of(&text)).tools(tools![at_once::trusted, at_once::external, at_once::asynchronous]);
        prop_assert_eq!(outcome(at_once), (shown.clone(), bytes.clone()));
        if name == "external" {
            prop_assert_eq!(shown.matches("<external_tool_result>").count(), 1);
            prop_assert_eq!(shown.matches("</external_tool_result>").count(), 1);
        }
        if redacted {
            prop_assert!(!shown.contains("sk-0123456789"));
            prop_assert!(bytes.is_none_or(|bytes| !String::from_utf8(bytes).unwrap().contains("sk-0123456789")));
        }
    }
}

/// Blocks every result.
struct Blocks;

impl Hook for Blocks {
    async fn after(&self, _: &AfterCall) -> After {
        After::Block("not today".into())
    }
}

fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != ".lock" && !name.starts_with(".live-")).collect()
}

#[test]
fn a_call_that_comes_to_nothing_leaves_nothing() {
    let text = numbers(300_000);
    for (name, hook) in [("fails", None), ("trusted", Some(Blocks))] {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::at(folder.path().join("store"));
        let builder = builder(Script::of(&text)).store(store.clone());
        let registry = match hook {
            Some(hook) => builder.hook(hook),
            None => builder,
        };
        let registry = registry.build().unwrap();
        let outcome = run(&registry, name);
        assert!(outcome.is_error());
        assert!(store.list().unwrap().is_empty());
        assert_eq!(files(&folder.path().join("store")), Vec::<String>::new());
    }
}

/// Writes, and then waits for ever.
#[tool(name = "hangs", max_result_size = 200)]
async fn hangs(#[inject] ctx: &CallContext) -> io::Result<Streamed> {
    let mut sink = ctx.sink();
    for _ in 0..100 {
        tokio::io::AsyncWriteExt::write_all(&mut sink, numbers(10_000).as_bytes()).await?;
    }
    tokio::io::AsyncWriteExt::shutdown(&mut sink).await?;
    std::future::pending::<()>().await;
    Ok(sink.finish())
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let registry =
        Registry::builder().tools(tools![hangs]).store(LocalStore::at(folder.path().join("store"))).build().unwrap();
    for patience in [5, 50, 1500] {
        let call = registry.call(ToolCall::new("1", "hangs", "{}"));
        assert!(tokio::time::timeout(Duration::from_millis(patience), call).await.is_err());
        if patience > 1000 {
            // What was on the blocking pool comes to its end first.
            for _ in 0..1500 {
                tokio::time::sleep(Duration::from_millis(20)).await;
                if files(&folder.path().join("store")).is_empty() {
                    break;
                }
            }
            assert_eq!(files(&folder.path().join("store")), Vec::<String>::new());
        }
    }
}

#[tokio::test]
async fn an_async_tool_writes_to_a_store_that_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalStore::at(folder.path().join("store"));
    let text = numbers(200_000);
    let registry = builder(Script::cut(text.as_bytes(), &[3, 900_000])).store(store.clone()).build().unwrap();
    let outcome = registry.call(ToolCall::new("1", "asynchronous", "{}")).await;
    assert_eq!(outcome.artifact().unwrap().sha256, sha256(text.as_bytes()));
    assert_eq!(outcome.output().text(), text);
    assert_eq!(files(&folder.path().join("store")).len(), 2, "the artifact and its sidecar");
}

/// Two sources at once, which write whatever they please of their lines at a time.
#[tool(name = "interleaves", max_result_size = 200)]
fn interleaves(#[inject] ctx: &CallContext) -> io::Result<Streamed> {
    let mut sink = ctx.sink();
    std::thread::scope(|scope| {
        let sources = ["out", "err"].map(|source| {
            let mut sink = sink.clone();
            scope.spawn(move || -> io::Result<()> {
                for number in 0..20_000 {
                    write!(sink, "{source} {number}")?;
                    sink.write_all(b" end\n")?;
                }
                sink.write_all(source.as_bytes())
            })
        });
        sources.into_iter().try_for_each(|source| source.join().unwrap())
    })?;
    writeln!(sink, "exit status: 0")?;
    Ok(sink.finish())
}

#[test]
fn the_lines_of_two_writers_stay_whole() {
    let registry = Registry::builder().tools(tools![interleaves]).store(MemoryStore::new(1 << 20)).build().unwrap();
    let outcome = run(&registry, "interleaves");
    let text = outcome.output().text().into_owned();
    for source in ["out", "err"] {
        let begin = format!("{source} ");
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&begin)).collect();
        let expected: Vec<String> = (0..20_000).map(|number| format!("{source} {number} end")).collect();
        assert_eq!(lines, expected);
        assert!(text.lines().any(|line| line == source), "a last line without its end is a line too");
    }
    assert_eq!(text.lines().count(), 40_003);
    assert!(outcome.model_text().ends_with("\nexit status: 0\n"));
}

/// Streams so many bytes, and reports their hash.
#[tool(name = "floods", max_result_size = 10_000)]
fn floods(#[inject] ctx: &CallContext, bytes: u64, #[inject] hash: &Arc<Mutex<String>>) -> io::Result<Streamed> {
    let mut sink = ctx.sink().max_bytes(bytes);
    let mut line: Vec<u8> = (b'a'..=b'z').cycle().take(999).collect();
    line.push(b'\n');
    let mut digest = Sha256::new();
    let mut left = bytes;
    while left > 0 {
        let piece = &line[..line.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        sink.write_all(piece)?;
        digest.update(piece);
        left -= piece.len() as u64;
    }
    *hash.lock().unwrap() = hex(&digest.finalize());
    Ok(sink.finish())
}

/// The most memory that this process has had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

const FLOOD: &str = "TOOL_TEST_FLOOD_BYTES";

/// Runs only in a process of its own, started by the next test.
#[test]
fn flood() {
    let Ok(bytes) = std::env::var(FLOOD) else { return };
    let bytes: u64 = bytes.parse().unwrap();
    let hash = Arc::new(Mutex::new(String::new()));
    let store = LocalStore::session().max_store_bytes(8 << 30);
    let registry = Registry::builder().tools(tools![floods]).state(Arc::clone(&hash)).store(store).build().unwrap();
    let before = peak();
    let arguments = serde_json::json!({ "bytes": bytes });
    let outcome = registry.call_blocking(ToolCall::new("1", "floods", arguments));
    let after = peak();
    let artifact = outcome.artifact().unwrap_or_else(|| panic!("{}", outcome.model_text()));
    assert_eq!(fs::metadata(artifact.path.as_ref().unwrap()).unwrap().len(), bytes);
    assert_eq!(artifact.chars as u64, bytes);
    assert_eq!(artifact.sha256, *hash.lock().unwrap());
    println!("peak KiB: {before} {after}");
}

/// `TOOL_TEST_FLOOD_BYTES=2147483648 cargo test --release -p tool-tests --test streaming memory` for the full size.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_stream() {
    let bytes = std::env::var(FLOOD).unwrap_or_else(|_| {
        let mebibytes: u64 = if cfg!(debug_assertions) { 64 } else { 2048 };
        (mebibytes << 20).to_string()
    });
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "flood", "--nocapture"])
        .env(FLOOD, &bytes)
        .output()
        .unwrap();
    let text = String::from_utf8(child.stdout).unwrap();
    assert!(child.status.success(), "{text}\n{}", String::from_utf8_lossy(&child.stderr));
    let (_, peaks) = text.split_once("peak KiB: ").unwrap();
    let peaks: Vec<u64> = peaks.split_whitespace().map_while(|peak| peak.parse().ok()).collect();
    println!("{bytes} bytes: {peaks:?} KiB");
    assert!(peaks[1] - peaks[0] < 16 * 1024, "{peaks:?}");
}

// ---- whoever is woken ------------------------------------------------------------------------------------------------

/// Looks at its stream when it is rung.
struct Looks {
    sink: OutputSink,
    seen: std::sync::mpsc::Sender<bool>,
}

impl std::task::Wake for Looks {
    fn wake(self: Arc<Self>) {
        let _ = self.seen.send(self.sink.is_full());
    }
}

#[test]
fn whoever_is_woken_may_use_the_stream_on_the_spot() {
    use std::{pin::Pin, sync::mpsc::channel, task};

    #[tool]
    async fn writes(#[inject] ctx: &CallContext) -> bool {
        // The one thread of the pool is taken, so the stream fills up until somebody has to wait.
        let (release, released) = channel::<()>();
        drop(tokio::task::spawn_blocking(move || released.recv()));
        let mut sink = ctx.sink();
        let (seen, looked) = channel();
        let waker = Arc::new(Looks { sink: sink.clone(), seen }).into();
        let mut context = task::Context::from_waker(&waker);
        while tokio::io::AsyncWrite::poll_write(Pin::new(&mut sink), &mut context, &[b'x'; 1024]).is_ready() {}
        drop(release);
        looked.recv_timeout(Duration::from_secs(60)).is_ok_and(|is_full| !is_full)
    }
    let directory = tempfile::tempdir().unwrap();
    let store = LocalStore::at(directory.path());
    let registry = Registry::builder().tools(tools![writes]).default_max_result_size(100).store(store).build().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().max_blocking_threads(1).build().unwrap();
    let outcome = runtime.block_on(registry.call(ToolCall::new("1", "writes", "{}")));
    assert_eq!(outcome.model_text(), "true");
}
