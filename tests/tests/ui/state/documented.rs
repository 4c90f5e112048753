//! The model is told of state that it never sees.

use tool_runtime::tool;

struct Db;

#[tool]
fn query(
    /// The database.
    #[inject]
    db: &Db,
) {
    let _ = db;
}

fn main() {}
