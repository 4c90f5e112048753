//! Not a function.

use tool_runtime::tool;

#[tool]
struct Weather {
    city: String,
}

fn main() {
    let _ = Weather { city: String::new() }.city;
}
