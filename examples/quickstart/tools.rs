//! The tools: plain functions, each over one file of `examples/data`.

use std::fmt;

use serde::{Deserialize, Serialize};
use tool_runtime::{Part, RegisteredTool, ToolError, ToolResult, tool, tools};

use crate::weather::{self, Weather};

pub(crate) fn all() -> impl IntoIterator<Item = RegisteredTool> {
    tools![weather, build_log, fetch_page, translations, api_docs, screenshot, deploy]
}

/// Hourly weather at an airport of New York in early 2013.
#[tool(to_model_output = Weather::summary, max_result_size = 1000, read_only)]
fn weather(
    /// IATA code, for example "EWR".
    airport: &str,
    /// Only this month.
    #[schemars(range(min = 1, max = 12))]
    month: Option<u8>,
) -> Result<Weather, weather::Error> {
    weather::hours(include_str!("../data/weather.csv"), airport, month)
}

/// The log of a package's last build.
// External: a log quotes source code and paths that others wrote. That also takes the colour codes out.
#[tool(max_result_size = 1200, truncation = head_tail, external, read_only)]
fn build_log(package: &str) -> Result<&'static str, NotFound> {
    match package {
        "payload-probe" => Ok(include_str!("../data/build.log")),
        _ => Err(NotFound { what: "build of", name: package.to_owned() }),
    }
}

/// Fetches a web page.
#[tool(max_result_size = 1200, external, read_only, open_world)]
fn fetch_page(url: &str) -> Result<&'static str, NotFound> {
    match url {
        "https://docs.example/serde_json/enum.Value.html" => Ok(include_str!("../data/page.html")),
        _ => Err(NotFound { what: "page", name: url.to_owned() }),
    }
}

/// The Universal Declaration of Human Rights.
#[tool(max_result_size = 600, read_only)]
fn translations(
    /// Codes of languages, for example `["spa", "jpn"]`.
    languages: &[String],
) -> Result<String, NotFound> {
    let texts = languages.iter().map(|language| {
        translation(language).ok_or_else(|| NotFound { what: "translation into", name: language.clone() })
    });
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

fn translation(language: &str) -> Option<&'static str> {
    let all = include_str!("../data/declaration.txt");
    let (_, text) = all.split_once(&format!("=== {language} ===\n"))?;
    text.split("\n=== ").next()
}

/// Signatures and documentation of a type's methods.
#[tool(max_result_size = 1500, truncation = fields, read_only)]
fn api_docs(
    /// Path of the type, for example "serde_json::Value".
    item: &str,
    /// Only these methods.
    methods: Option<Vec<String>>,
) -> Result<Docs, ToolError> {
    let mut docs: Docs = serde_json::from_str(include_str!("../data/docs.json"))?;
    if docs.item != item {
        return Err(NotFound { what: "documentation of", name: item.to_owned() }.into());
    }
    if let Some(wanted) = methods {
        docs.methods.retain(|method| wanted.contains(&method.name));
    }
    Ok(docs)
}

#[derive(Serialize, Deserialize)]
struct Docs {
    item: String,
    kind: String,
    summary: String,
    methods: Vec<Method>,
}

#[derive(Serialize, Deserialize)]
struct Method {
    name: String,
    signature: String,
    docs: String,
}

pub(crate) const SCREENSHOT: &[u8] = include_bytes!("../data/screenshot.png");

/// A picture of the screen.
// The limit is for the texts; an image passes whole.
#[tool(max_result_size = 200, read_only)]
fn screenshot() -> ToolResult<Screenshot> {
    let parts = vec![
        Part::text(include_str!("../data/screenshot.txt")),
        Part::image(SCREENSHOT, "image/png"),
        Part::text("done"),
    ];
    ToolResult::new(Screenshot { width: 160, height: 120 }).content(parts)
}

#[derive(Serialize)]
struct Screenshot {
    width: u32,
    height: u32,
}

/// Deploys the current build.
#[tool(destructive)]
fn deploy(environment: &str) -> Result<(), String> {
    Err(format!("{environment} is frozen until Monday; deploy to staging, or ask the release manager"))
}

/// There is nothing of that name.
#[derive(Debug)]
pub(crate) struct NotFound {
    what: &'static str,
    name: String,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} `{}`", self.what, self.name)
    }
}

impl std::error::Error for NotFound {}
