//! An attribute that has no meaning where the fields are parameters.

use tool_runtime::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    number: u32,
}

#[tool]
fn list(#[serde(flatten)] page: Page) -> u32 {
    page.number
}

fn main() {}
