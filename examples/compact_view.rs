//! Three ways to show the model less than the whole result.
//!
//! Notice that each tool returns a thousand orders, that the model reads one line, and that the program still has
//! every order: a view takes nothing away. Where a tool declares more than one view, the result's own wins.
//!
//! ```sh
//! cargo run --example compact_view
//! ```

use serde::Serialize;
use tool_runtime::{BuildError, CallContext, ModelOutput, NoArgs, Registry, Tool, ToolError, ToolResult, ToolSpec};
use tool_runtime::{ToolCall, tool, tools};

#[derive(Serialize)]
struct Order {
    id: usize,
    cents: usize,
}

fn orders() -> Vec<Order> {
    (1..=1000).map(|id| Order { id, cents: id * 37 % 9900 }).collect()
}

fn total(orders: &[Order]) -> String {
    format!("{} orders, {} cents", orders.len(), orders.iter().map(|order| order.cents).sum::<usize>())
}

/// 1. A hook, a path or a closure: the view follows from the value alone.
#[tool(to_model_output = |orders| total(orders))]
fn with_hook() -> Vec<Order> {
    orders()
}

/// 2. The result's own view: the function decides, call by call. JSON is fine too.
#[tool(to_model_output = |orders| total(orders))]
fn with_result(limit: usize) -> ToolResult<Vec<Order>> {
    let orders = orders();
    let view = serde_json::json!({ "orders": orders.len(), "first": orders[..limit.min(orders.len())] });
    ToolResult::new(orders).model_output(view)
}

/// 3. A tool written by hand: the method next to `run`.
struct ByHand;

impl Tool for ByHand {
    type Args = NoArgs;
    type Output = Vec<Order>;

    fn spec(&self) -> ToolSpec {
        ToolSpec::new("by_hand", "All orders.")
    }
    async fn run(&self, _args: NoArgs, _ctx: &CallContext) -> Result<ToolResult<Vec<Order>>, ToolError> {
        Ok(orders().into())
    }

    fn to_model_output(&self, orders: &Vec<Order>) -> Option<ModelOutput> {
        Some(total(orders).into())
    }
}

fn main() -> Result<(), BuildError> {
    let registry = Registry::builder().tools(tools![with_hook, with_result]).tool(ByHand).build()?;
    for (name, arguments) in [("with_hook", "{}"), ("with_result", r#"{"limit":3}"#), ("by_hand", "{}")] {
        let outcome = registry.call_blocking(ToolCall::new("call_1", name, arguments));
        let all = outcome.output().downcast_ref::<Vec<Order>>().map_or(0, Vec::len);
        println!("{name} ({:?}, all {all} orders kept)\n  {}", outcome.receipt().view_source, outcome.model_text());
    }
    Ok(())
}
