//! State with a default.

use tool_runtime::tool;

struct Db;

#[tool]
fn query(
    #[inject]
    #[serde(default)]
    db: Option<&Db>,
) -> bool {
    db.is_some()
}

fn main() {}
