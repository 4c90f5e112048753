//! The `#[tool]` attribute of `tool-runtime`.
