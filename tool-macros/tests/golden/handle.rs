/// Does nothing.
#[tool(handle = Nothing, name = "nothing", output_schema = false, tags("a", "b"))]
pub(crate) fn nothing() {}
