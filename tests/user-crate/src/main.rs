//! Every name of the prelude means something else here, every lint is an error, and `tool_runtime` has another name.
#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    keyword_idents,
    let_underscore_drop,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_copy_implementations,
    missing_debug_implementations,
    non_ascii_idents,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unreachable_pub,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_macro_rules,
    unused_qualifications,
    unused_results,
    variant_size_differences,
    clippy::all,
    clippy::pedantic
)]
#![allow(dead_code, unused_macros, clippy::unused_async, reason = "what is shadowed is not used, and that is the test")]

mod shadows;
mod tools;

fn main() {
    tools::run();
}
