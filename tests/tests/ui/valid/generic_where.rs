//! A generic parameter with its bound behind it.

use tool_runtime::tool;

#[tool]
fn show<T>(value: T) -> String
where
    T: ToString,
{
    value.to_string()
}

fn main() {}
