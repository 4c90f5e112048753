//! A closure that looks for a field the result does not have.

use tool_runtime::tool;

#[derive(serde::Serialize)]
struct City {
    name: String,
}

/// Finds.
#[tool(to_model_output = |city| city.nam.clone())]
async fn find(name: String) -> Result<City, String> {
    Ok(City { name })
}

fn main() {
    drop(find(String::new()));
}
