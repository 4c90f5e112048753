use tool_runtime::tool;

#[tool(max_media_bytes = "1 MB")]
fn shot() -> String {
    String::new()
}

fn main() {}
