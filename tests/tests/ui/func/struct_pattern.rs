//! A parameter that is taken apart.

use tool_runtime::tool;

struct Point {
    x: i64,
}

#[tool]
fn abscissa(
    /// The point.
    Point { x }: Point,
) -> i64 {
    x
}

fn main() {}
