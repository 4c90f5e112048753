//! Tests of tool-runtime that need both crates; see `tests/tests`.
