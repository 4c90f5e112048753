//! What the model reads when a call fails: enough to do better, and the program never panics.
//!
//! Notice that every problem with the arguments is named at once, that the tool was not run then, and that a
//! misspelt name is answered by a suggestion and never guessed.
//!
//! ```sh
//! cargo run --example errors
//! ```

use serde::Deserialize;
use tool_runtime::{BuildError, Registry, ToolCall, schemars::JsonSchema, tool, tools};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "tool_runtime::schemars")]
enum Size {
    Small,
    Large,
}

/// Orders pizzas.
#[tool]
#[expect(clippy::panic, reason = "to show what becomes of one")]
fn order_pizza(
    /// How many.
    #[schemars(range(min = 1, max = 20))]
    count: u8,
    size: Size,
    address: Option<String>,
) -> Result<String, String> {
    match (size, address) {
        (_, None) => Err("where to? give an address".to_owned()),
        (Size::Small, Some(address)) => Ok(format!("{count} small ones on their way to {address}")),
        (Size::Large, Some(_)) => panic!("the large oven is on fire"),
    }
}

fn main() -> Result<(), BuildError> {
    let registry = Registry::builder().tools(tools![order_pizza]).build()?;
    // The panic is still reported on standard error, as the program's panic hook does it.
    let calls = [
        ("a call that succeeds", "order_pizza", r#"{"count":2,"size":"small","address":"12 Rue Bleue"}"#),
        ("the tool returns an error", "order_pizza", r#"{"count":2,"size":"small"}"#),
        ("the tool panics", "order_pizza", r#"{"count":2,"size":"large","address":"12 Rue Bleue"}"#),
        ("wrong arguments", "order_pizza", r#"{"count":"many","size":"medium","adress":"12 Rue Bleue"}"#),
        ("a missing one", "order_pizza", r#"{"size":"small"}"#),
        ("text that ends in the middle", "order_pizza", r#"{"count":2,"size":"sm"#),
        ("no such tool", "order_piza", "{}"),
    ];
    for (what, name, arguments) in calls {
        let outcome = registry.call_blocking(ToolCall::new("call_1", name, arguments));
        println!("━━━ {what}: {:?}\n{}", outcome.status(), outcome.model_text());
        for problem in outcome.problems() {
            println!("    for the program: {:?} at \"{}\"", problem.kind, problem.path);
        }
        println!();
    }
    Ok(())
}
