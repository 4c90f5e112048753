//! How each provider wants tools described and results returned.

mod convert;
mod lint;
mod media;
mod messages;
mod name;

use serde_json::{Map, Value, json};

use self::convert::{Converted, Form, Loss, Weight};
pub use self::lint::{Lint, LintLevel};
pub(crate) use self::name::{WireNames, wire_names};
use crate::{outcome::Outcome, request::ToolCall, schema, spec::ToolSpec};

/// A provider's form of tools, calls and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// `OpenAI` Chat Completions, and the many servers that speak it.
    OpenAiChat,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini, with `parametersJsonSchema`.
    Gemini,
    /// Model Context Protocol, `tools/list` and `tools/call`.
    Mcp,
}

/// Which tools are given to providers as `strict`, so that what the model writes keeps to the schema to the letter;
/// see [`RegistryBuilder::strict`](crate::RegistryBuilder::strict).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strict {
    /// Those that ask for it ([`ToolSpec::strict`]).
    #[default]
    Off,
    /// Those, and every tool whose schema can be strict, be it that a bound is said in words. A map, any JSON value
    /// and, for Anthropic, a recursive type can't.
    ///
    /// Providers limit how many and how large strict tools one request may have. Where there are many tools, let the
    /// ones that matter ask for it instead.
    WhereLossless,
}

/// Said of a tool that says nothing of itself.
const NO_DESCRIPTION: &str = "it has no description, the model knows its name alone; write a doc comment on the function, or \
                              `description = \"..\"`";

/// A tool as it is described.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Described<'t> {
    pub(crate) spec: &'t ToolSpec,
    pub(crate) wire_names: &'t WireNames,
    pub(crate) schema: &'t Value,
    pub(crate) output_schema: Option<&'t Value>,
    /// The registry's choice.
    pub(crate) strict: Strict,
}

impl<'t> Described<'t> {
    fn name(&self, dialect: Dialect) -> &'t str {
        self.wire_names.as_ref().map_or(self.spec.name(), |names| &names[dialect as usize])
    }

    /// What MCP is promised of the value. MCP 2025-06-18, "Output Schema": the root has to be an object.
    pub(crate) fn promised_schema(&self) -> Option<&'t Value> {
        self.output_schema.filter(|schema| schema["type"] == "object")
    }
}

/// The schema of a tool's arguments in one dialect.
struct Shaped {
    schema: Value,
    is_strict: bool,
    losses: Vec<Loss>,
}

impl Dialect {
    pub(crate) const ALL: [Self; 4] = [Self::OpenAiChat, Self::Anthropic, Self::Gemini, Self::Mcp];

    /// What to append to the conversation for these outcomes.
    ///
    /// - `OpenAiChat`: a `tool` message per outcome, then one `user` message with images, sound and files, if there are any
    ///   (a `tool` message can't hold them).
    /// - `Anthropic`: one `user` message with a `tool_result` block per outcome.
    /// - `Gemini`: one `user` content with a `functionResponse` per outcome, media as `inlineData` behind them.
    /// - `Mcp`: a `CallToolResult` per outcome.
    pub fn messages(&self, outcomes: &[Outcome]) -> Vec<Value> {
        messages::all(*self, outcomes)
    }

    /// One tool's definition.
    pub(crate) fn definition(self, tool: &Described<'_>) -> Value {
        let Shaped { schema, is_strict, .. } = self.shape(tool);
        let spec = tool.spec;
        let mut named = Map::new();
        named.insert("name".into(), tool.name(self).into());
        if !spec.description.is_empty() {
            named.insert("description".into(), spec.description.as_ref().into());
        }
        match self {
            Self::OpenAiChat => {
                named.insert("parameters".into(), schema);
                if is_strict {
                    named.insert("strict".into(), true.into());
                }
                json!({ "type": "function", "function": named })
            }
            Self::Anthropic => {
                named.insert("input_schema".into(), schema);
                if is_strict {
                    named.insert("strict".into(), true.into());
                }
                named.into()
            }
            Self::Gemini => {
                named.insert("parametersJsonSchema".into(), schema);
                named.into()
            }
            Self::Mcp => {
                named.insert("inputSchema".into(), schema);
                if let Some(schema) = tool.promised_schema() {
                    named.insert("outputSchema".into(), schema::tidy(schema.clone()));
                }
                annotate(&mut named, spec);
                named.into()
            }
        }
    }

    /// What gets lost of a tool.
    pub(crate) fn lint(self, tool: &Described<'_>) -> Vec<Lint> {
        let lint = |path, lost, level| Lint { tool: tool.spec.name().to_owned(), path, lost, level };
        let doubt = name::doubt(self, tool.spec.name()).map(|doubt| lint(String::new(), doubt, LintLevel::Warn));
        let is_silent = tool.spec.description_text().trim().is_empty();
        let silence = is_silent.then(|| lint(String::new(), NO_DESCRIPTION.to_owned(), LintLevel::Note));
        let losses = self.shape(tool).losses;
        let losses = losses.into_iter().map(|loss| lint(loss.path, loss.what, loss.weight.into()));
        doubt.into_iter().chain(losses).chain(silence).collect()
    }

    /// Why it can't express a tool, for the error of a registry that declares it.
    pub(crate) fn refusals(self, tool: &Described<'_>) -> Vec<String> {
        let lints = self.lint(tool).into_iter().filter(|lint| lint.level == LintLevel::Deny);
        lints.map(|lint| lint.refusal(self)).collect()
    }

    /// The schema of the arguments: strict where that is wanted and possible.
    fn shape(self, tool: &Described<'_>) -> Shaped {
        let wanted = tool.spec.strict || tool.strict == Strict::WhereLossless;
        let (open, strict) = match self {
            Self::OpenAiChat => (Form::Open, Some(Form::OpenAiStrict)),
            Self::Anthropic => (Form::OpenAnthropic, Some(Form::AnthropicStrict)),
            Self::Gemini | Self::Mcp => (Form::Open, None),
        };
        let mut refused = Vec::new();
        if let Some(form) = strict.filter(|_| wanted) {
            let Converted { schema, losses } = match convert::convert(tool.schema, form) {
                converted if converted.is_faithful() => {
                    return Shaped { schema: converted.schema, is_strict: true, losses: converted.losses };
                }
                converted => converted,
            };
            drop(schema);
            if tool.spec.strict {
                refused = losses;
                refused.retain(|loss| loss.weight == Weight::Inexpressible);
            }
        }
        let Converted { schema, losses } = convert::convert(tool.schema, open);
        for loss in losses {
            if !refused.contains(&loss) {
                refused.push(loss);
            }
        }
        Shaped { schema, is_strict: false, losses: refused }
    }

    /// The request's tools array from the definitions, which are in order.
    pub(crate) fn tools(self, definitions: Vec<Value>) -> Vec<Value> {
        match self {
            Self::Gemini if !definitions.is_empty() => vec![json!({ "functionDeclarations": definitions })],
            _ => definitions,
        }
    }
}

/// MCP's title and hints.
fn annotate(tool: &mut Map<String, Value>, spec: &ToolSpec) {
    if let Some(title) = &spec.title {
        tool.insert("title".into(), title.as_ref().into());
    }
    let hints = [
        ("readOnlyHint", spec.hints.read_only),
        ("destructiveHint", spec.hints.destructive),
        ("idempotentHint", spec.hints.idempotent),
        ("openWorldHint", spec.hints.open_world),
    ];
    let said: Map<String, Value> =
        hints.into_iter().filter_map(|(key, hint)| Some((key.to_owned(), hint?.into()))).collect();
    if !said.is_empty() {
        tool.insert("annotations".into(), said.into());
    }
}

impl Outcome {
    /// The outcome alone in this dialect's form: the `tool` message, the `tool_result` block, the
    /// `functionResponse` part or the `CallToolResult`.
    pub fn to_message(&self, dialect: Dialect) -> Value {
        messages::one(dialect, self)
    }
}

impl ToolCall {
    /// Says from which provider the call comes: what the model reads of it then has the names that this provider was
    /// told, also where they are not the registered ones. A tool is found by its name in every dialect in any case.
    ///
    /// ```
    /// use tool_runtime::{Dialect, Registry, ToolCall, tool, tools};
    ///
    /// /// Current weather.
    /// #[tool(name = "weather.get")]
    /// fn weather() -> &'static str {
    ///     "mild"
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![weather]).build()?;
    /// let call = ToolCall::new("1", "wether_get", "{}").dialect(Dialect::OpenAiChat);
    /// let text = registry.call_blocking(call).model_text().to_owned();
    /// assert_eq!(text, "Unknown tool `wether_get`; nothing was run. Did you mean `weather_get`?");
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect as usize);
        self
    }
}
