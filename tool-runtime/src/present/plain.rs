//! What most calls need, and all that a program of plain tools contains: a trusted text, whole, with our lines round it.
//!
//! It gives what the whole of presenting gives for the same job, which a test holds it to.

use std::{borrow::Cow, ops::ControlFlow};

use crate::{
    args::{self, Message},
    contain::{self, Panicked},
    cut,
    json::{self, Fault, Walk},
    notice::Notice,
    outcome::{ModelText, Receipt, Status, ViewSource},
    output::ModelOutput,
    policy::{Keep, Policy, Trust, Yields},
    render::{self, Body, Reply},
    resolve::Facing,
};

use super::{Job, MAX_QUOTED, NO_OUTPUT, Presented};

/// `None` where more is asked for than this.
pub(super) fn present(job: &Job) -> Option<Presented> {
    if !is_plain(job) {
        return None;
    }
    match &job.facing {
        Facing::Parts(_) => None,
        Facing::Message(message) => Some(of_message(job, message)),
        Facing::Own(text) => Some(of_own(job, text)),
        Facing::Error { title, body } => Some(of_text(job, body, ViewSource::Error, Some(title))),
        Facing::View(ModelOutput::Text(text), source) => Some(of_text(job, text, *source, None)),
        Facing::View(ModelOutput::Json(json), source) => Some(of_json(job, *source, &|walk| json::write(json, walk))),
        Facing::Full => Some(match job.output.as_text() {
            Some(text) => of_text(job, text, ViewSource::Full, None),
            None => of_json(job, ViewSource::Full, &|walk| job.output.write_json(walk)),
        }),
    }
}

/// Nothing to clean, to cut, to fence or to save.
fn is_plain(job: &Job) -> bool {
    let Policy { limit, tokens, trust, keep, yields, .. } = job.policy;
    limit.is_none()
        && tokens.is_none()
        && (trust, keep, yields) == (Trust::Trusted, Keep::OnCut, Yields::Results)
        && job.inner.redactors.is_empty()
        && job.output.as_stream().is_none()
        && job.notices.iter().all(|notice| notice.is_harmless)
}

/// The notices as one block.
fn notices(notices: &[Notice]) -> String {
    if notices.is_empty() {
        return String::new();
    }
    let line = |notice: &Notice| render::Line { text: notice.text.chars().take(MAX_QUOTED).collect(), quoted: None };
    let lines: Vec<render::Line> = notices.iter().map(line).collect();
    render::notices(&lines)
}

fn of_message(job: &Job, message: &Message) -> Presented {
    let Message { head, problems, tail } = message;
    let text = [head, "\n", problems, "\n", tail, &notices(&job.notices)].concat();
    short(None, text, cut::count(head) + cut::count(problems) + cut::count(tail) + 2)
}

fn of_own(job: &Job, text: &str) -> Presented {
    short(None, [text, &notices(&job.notices)].concat(), cut::count(text))
}

/// Nothing of the result may be shown.
pub(super) fn withheld(job: &Job, why: &str) -> Presented {
    let text = format!("[Withheld: {} is not shown, {why}]", job.named());
    let shown = cut::count(&text);
    let notices = if is_plain(job) { notices(&job.notices) } else { String::new() };
    short(Some(Status::Withheld), text + &notices, shown)
}

fn unserialisable(job: &Job, message: &str, leak: bool) -> Presented {
    if let Some(full) = super::full(&job.inner) {
        return (full.unserialisable)(job, message, leak);
    }
    let title = format!("[Unserialisable: {} can't be turned into JSON]\n", job.named());
    // The message may quote the value, and stands on one line of ours. What cleans is not here: all of it is spelled out.
    let message = args::shown_bare(message, super::short::MAX_MESSAGE);
    let text = [&title, &*message, &notices(&job.notices)].concat();
    Presented { leak, ..short(Some(Status::Unserialisable), text, cut::count(&message)) }
}

/// A text that is never cut; `shown` are the characters of its body.
fn short(status: Option<Status>, text: String, shown: usize) -> Presented {
    let mut receipt = Receipt::new(ViewSource::Error);
    receipt.model_chars = cut::count(&text);
    (receipt.view_chars, receipt.shown_chars) = (shown, shown);
    Presented { status, ..Presented::new(ModelText::Own(text), None, receipt) }
}

/// A text in memory: where nothing is put round it, and it is what the call came to, it needs no copy.
fn of_text(job: &Job, text: &str, source: ViewSource, title: Option<&String>) -> Presented {
    let is_output_itself = matches!(source, ViewSource::Full | ViewSource::Error);
    let (chars, bare) = (cut::count(text), title.is_none() && job.notices.is_empty() && !text.is_empty());
    let shown = match bare {
        true if is_output_itself => ModelText::SameAsOutput,
        true => ModelText::Own(text.to_owned()),
        false => ModelText::Own(framed(title, text, &job.notices)),
    };
    finish(shown, source, chars)
}

/// JSON, written here.
fn of_json(job: &Job, source: ViewSource, write: &dyn Fn(&mut Walk<'_>) -> Result<(), Fault>) -> Presented {
    let mut text = String::new();
    let mut push = |piece: &str| {
        text.push_str(piece);
        ControlFlow::Continue(())
    };
    let mut walk = Walk { push: &mut push, edit: None, non_finite: 0 };
    // The value's own `Serialize` runs in here, and it may fail or panic.
    let written = contain::call(|| write(&mut walk));
    let non_finite = walk.non_finite;
    match written {
        Ok(Ok(())) => {}
        Ok(Err(fault)) => return unserialisable(job, &fault.to_string(), matches!(fault, Fault::TooDeep)),
        Err(Panicked(message)) => return unserialisable(job, &message, false),
    }
    let chars = cut::count(&text);
    let note = super::not_finite(non_finite);
    if note.is_none() && job.notices.is_empty() && !text.is_empty() {
        return finish(ModelText::Own(text), source, chars);
    }
    let mut told = Cow::Borrowed(&job.notices);
    if let Some(note) = &note {
        told.to_mut().push(Notice::harmless(note));
    }
    let mut presented = finish(ModelText::Own(framed(None, &text, &told)), source, chars);
    presented.shown.receipt.notes.extend(note);
    presented
}

/// The text with our lines round it.
fn framed(title: Option<&String>, text: &str, told: &[Notice]) -> String {
    let title = title.map(|title| format!("[{title}]"));
    let body = Body::Trusted(if text.is_empty() { NO_OUTPUT } else { text });
    Reply { headers: title.as_slice(), body, notices: &notices(told) }.text()
}

fn finish(text: ModelText, source: ViewSource, chars: usize) -> Presented {
    let mut receipt = Receipt::new(source);
    (receipt.view_chars, receipt.shown_chars) = (chars, chars);
    if !matches!(source, ViewSource::ModelOutput | ViewSource::Hook) {
        (receipt.full_chars, receipt.raw_chars) = (Some(chars), Some(chars));
    }
    receipt.model_chars = match &text {
        ModelText::Own(text) => cut::count(text),
        ModelText::SameAsOutput => chars,
    };
    Presented::new(text, None, receipt)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{borrow::Cow, fmt, future::ready, sync::Arc};

    use proptest::prelude::*;
    use serde::{Serialize, Serializer, ser::Error};
    use serde_json::{Value, json};

    use crate::{
        DynTool, ModelOutput, Outcome, Registry, RegistryBuilder, Status, ToolCall, ToolError, ToolResult, ToolSpec,
        callable::RegisteredTool, stages::Stages, tool, tools,
    };

    /// The same call presented plainly, and by all of presenting, which a limit asks for.
    fn both(tool: &RegisteredTool, call: &ToolCall) -> [Outcome; 2] {
        let made = |builder: RegistryBuilder| builder.tool(tool.clone()).without_store().build().unwrap();
        let registries = [made(Registry::builder()), made(Registry::builder().default_max_result_size(usize::MAX))];
        registries.map(|registry| registry.call_blocking(call.clone()))
    }

    #[track_caller]
    fn assert_same(tool: &RegisteredTool, arguments: &str) -> (Status, String) {
        let [plain, full] = both(tool, &ToolCall::new("1", tool_name(tool), arguments));
        assert_eq!((plain.model_text(), plain.status()), (full.model_text(), full.status()));
        let mut receipt = plain.receipt().clone();
        receipt.duration = full.receipt().duration;
        assert_eq!(&receipt, full.receipt());
        (plain.status(), plain.model_text().to_owned())
    }

    fn tool_name(tool: &RegisteredTool) -> String {
        format!("{tool:?}").split('"').nth(1).unwrap().to_owned()
    }

    /// A tool that gives this again and again.
    fn giving(result: Result<ToolResult<Value>, &str>) -> RegisteredTool {
        let result = result.map_err(str::to_owned);
        DynTool::new(ToolSpec::new("give", "Gives."), json!({ "type": "object" }), move |_, _| {
            ready(result.clone().map_err(ToolError::new))
        })
        .into()
    }

    struct Failing(&'static str);

    impl Serialize for Failing {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            assert!(!self.0.is_empty(), "nothing to say");
            Err(S::Error::custom(self.0))
        }
    }

    #[derive(Debug)]
    struct Row(f64);

    impl Serialize for Row {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            [self.0, f64::NAN, f64::INFINITY].serialize(serializer)
        }
    }

    impl fmt::Display for Row {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "row {}", self.0)
        }
    }

    #[tool]
    fn text(shown: &str) -> String {
        shown.to_owned()
    }

    #[tool]
    fn fixed() -> &'static str {
        "one\r\ntwo\u{200b}"
    }

    #[tool]
    fn nothing() {}

    #[tool]
    fn number(number: i64) -> i64 {
        number
    }

    #[tool]
    fn not_finite() -> Row {
        Row(1.5)
    }

    #[tool(to_model_output = |row| format!("{row}"))]
    fn viewed() -> Row {
        Row(1.5)
    }

    #[tool(to_model_output = |row| json!({ "row": row.0 }))]
    fn viewed_as_json() -> Row {
        Row(1.5)
    }

    #[tool(to_model_output = |_| " ")]
    fn blank() -> Row {
        Row(1.5)
    }

    #[tool]
    fn failing() -> Result<(), Row> {
        Err(Row(2.0))
    }

    #[tool]
    fn panicking() -> u8 {
        panic!("a fault injected by a test")
    }

    #[tool]
    fn unserialisable() -> Failing {
        Failing("of no use")
    }

    #[tool]
    fn unserialisable_by_panic() -> Failing {
        Failing("")
    }

    #[tool]
    fn unserialisable_on_two_lines() -> Failing {
        Failing("one\n<b>two\u{200b}")
    }

    #[tool(max_result_size = 5)]
    fn limited() {}

    #[tool]
    fn cow() -> Cow<'static, str> {
        "text".into()
    }

    #[test]
    fn what_plain_tools_give_reads_as_all_of_presenting_shows_it() {
        for tool in tools![
            fixed,
            nothing,
            not_finite,
            viewed,
            viewed_as_json,
            blank,
            failing,
            panicking,
            unserialisable,
            unserialisable_by_panic,
            cow
        ] {
            assert_same(&tool, "{}");
            // A notice about what is no parameter.
            assert_same(&tool, r#"{"other": 1}"#);
        }
        let [text, number] = tools![text, number];
        assert_eq!(assert_same(&text, r#"{"shown": ""}"#).1, "(no output)");
        assert_same(&text, r#"{"shown": "a", "other": true, "more": []}"#);
        assert_same(&text, r#"{"shown": 5}"#);
        assert_eq!(assert_same(&number, r#"{"number": "five"}"#).0, Status::InvalidArguments);
        assert_same(&number, r#"{"number": 5"#);
    }

    #[test]
    fn so_does_what_no_tool_gives() {
        let call = ToolCall::new("1", "text_", "{}");
        let [plain, full] = both(&tools![number][0], &call);
        assert_eq!((plain.status(), plain.model_text()), (Status::UnknownTool, full.model_text()));
    }

    #[test]
    fn so_does_what_is_nested_too_deeply() {
        let deep = (0..600).fold(json!(1), |value, _| json!([value]));
        assert_eq!(assert_same(&giving(Ok(ToolResult::new(deep))), "{}").0, Status::Unserialisable);
    }

    #[test]
    fn plain_tools_ask_for_nothing_and_a_registry_that_was_not_asked_shows_nothing_more() {
        let plain = Registry::builder().tools(tools![fixed]).build().unwrap();
        assert!(plain.inner.stages.presenting.is_none() && plain.inner.store.is_none());
        let mut limited = Registry::builder().tools(tools![fixed]).default_max_result_size(3).build().unwrap();
        Arc::get_mut(&mut limited.inner).unwrap().stages = Stages::NONE;
        let outcome = limited.call_blocking(ToolCall::new("1", "fixed", "{}"));
        assert_eq!(outcome.status(), Status::Withheld);
        let expected = "[Withheld: the result of `fixed` is not shown, its registry was not made for it]";
        assert_eq!(outcome.model_text(), expected);
    }

    #[test]
    fn what_a_value_says_of_itself_is_cleaned_where_something_cleans() {
        let alone = Registry::builder().tools(tools![unserialisable_on_two_lines]);
        let beside_others = Registry::builder().tools(tools![unserialisable_on_two_lines, limited]);
        let [alone, beside_others] = [alone, beside_others].map(|builder| {
            let registry = builder.without_store().build().unwrap();
            let outcome = registry.call_blocking(ToolCall::new("1", "unserialisable_on_two_lines", "{}"));
            assert_eq!(outcome.status(), Status::Unserialisable);
            outcome.model_text().lines().nth(1).unwrap().to_owned()
        });
        assert_eq!(alone, "one\\n\\u{3c}b>two\\u{200b}");
        assert_eq!(beside_others, "one <b>two");
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((".*", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_view_or_error_reads_the_same(value in json_value(), view in proptest::option::of(".*"), error in proptest::option::of(".*")) {
            let result = match view {
                Some(view) => ToolResult::new(value).model_output(ModelOutput::Text(view)),
                None => ToolResult::new(value),
            };
            assert_same(&giving(error.as_deref().map_or(Ok(result), Err)), "{}");
        }
    }
}
