//! Tools of every kind.

#[allow(unused_imports, clippy::wildcard_imports, reason = "shadows that nobody uses are the point")]
use crate::shadows::*;
use renamed::tool;

type Text = ::std::string::String;
type Perhaps<T> = ::std::option::Option<T>;
type Answer<T> = ::std::result::Result<T, Text>;

const LIMIT: usize = 100;

/// Says three.
fn three() -> u8 {
    3
}

/// Shouts.
fn shout(text: &Text) -> Perhaps<Text> {
    ::std::option::Option::Some(text.to_uppercase()).filter(|text| !text.is_empty())
}

/// Repeats a text.
///
/// # Arguments
/// * `text` - what to repeat
#[tool(
    crate = renamed,
    title = "Repeat",
    to_model_output = shout,
    max_result_size = LIMIT,
    truncation = head,
    keep = on_cut,
    read_only,
    idempotent,
    handle = Repeat
)]
pub(crate) fn repeat(
    text: &str,
    /// How often.
    #[serde(default = "three", rename = "count", alias = "n")]
    #[schemars(range(min = 1, max = 9), extend("x" = { "y": [1] }), example = 2u8)]
    times: u8,
    #[serde(default)] mut more: ::std::vec::Vec<Text>,
    last: Perhaps<Text>,
) -> Answer<Text> {
    more.extend(last);
    if times == 9 {
        return ::std::result::Result::Err("too often".to_owned());
    }
    ::std::result::Result::Ok(text.repeat(usize::from(times)) + &more.join(""))
}

/// Adds later.
#[tool(crate = renamed, external, open_world, max_result_size = none)]
pub(crate) async fn add(r#type: &[i64], other: i64) -> i64 {
    r#type.iter().sum::<i64>() + other
}

macro_rules! constant {
    ($rt:path, $name:ident: $ty:ty = $value:expr) => {
        /// A constant.
        #[tool(crate = $rt, destructive)]
        pub(crate) async fn $name(plus: $ty) -> $ty {
            $value + plus
        }
    };
}

constant!(renamed, forty: u16 = 40);

/// Shares, in a crate whose serde was not told to.
#[tool(crate = renamed)]
pub(crate) fn shared(text: ::std::sync::Arc<::core::primitive::str>) -> ::std::sync::Arc<::core::primitive::str> {
    text
}

macro_rules! passed_on {
    ($item:item $(#[$meta:meta])* $vis:vis fn $name:ident($($param:ident: $ty:ty),*) -> $output:ty $body:block) => {
        #[tool(crate = renamed)]
        $item
        $(#[$meta])*
        $vis fn $name($($param: $ty),*) -> $output $body
    };
}

passed_on! {
    /// A whole function.
    pub(crate) fn item(text: &str) -> usize {
        text.len()
    }
    /// The attribute among others, and types that borrow.
    #[tool(crate = renamed)]
    #[must_use]
    #[inline]
    pub(crate) fn pieces(text: &str, more: ::std::option::Option<&str>) -> Answer<usize> {
        ::std::result::Result::Ok(text.len() + more.map_or(0, ::core::primitive::str::len))
    }
}

/// The attribute inside another.
#[cfg_attr(all(), must_use, tool(crate = renamed, read_only))]
pub(crate) fn inner() -> u8 {
    1
}

/// Does nothing.
#[tool(crate = renamed)]
#[deprecated]
pub(crate) fn nothing() {}

/// Calls them all.
pub(crate) fn run() {
    /// Stands inside a function.
    #[tool(crate = "renamed")]
    fn inside() -> &'static str {
        "inside"
    }
    let registry = renamed::Registry::builder()
        .tools(renamed::tools![repeat, add, forty, inside, shared, item, pieces, inner])
        .linked_from(["nobody"])
        .without_store()
        .build()
        .expect("a registry");
    let handled = renamed::Registry::builder().tool(Repeat).without_store().build().expect("a registry");
    assert_eq!(handled.tool_names().count(), 1);

    for (name, arguments, expected) in [
        ("repeat", r#"{"text":"ab"}"#, "ABABAB"),
        ("repeat", r#"{"text":"ab","n":1,"more":["c"],"last":"d"}"#, "ABCD"),
        ("forty", r#"{"plus":2}"#, "42"),
        ("inside", "{}", "inside"),
        ("shared", r#"{"text":"a"}"#, "a"),
        ("item", r#"{"text":"abc"}"#, "3"),
        ("pieces", r#"{"text":"abc","more":"d"}"#, "4"),
        ("inner", "{}", "1"),
    ] {
        let outcome = registry.call_blocking(renamed::ToolCall::new("1", name, arguments));
        assert_eq!(outcome.model_text(), expected, "{name}");
    }
    let outcome = registry.call_blocking(renamed::ToolCall::new("1", "add", r#"{"type":[1,2],"other":3}"#));
    assert_eq!(outcome.output().json().to_string(), "6");
    let outcome = registry.call_blocking(renamed::ToolCall::new("1", "repeat", r#"{"text":"ab","count":9}"#));
    assert!(outcome.is_error() && outcome.model_text().contains("too often"));
    assert_eq!(repeat("a", 2, ::std::vec::Vec::new(), ::std::option::Option::None).as_deref(), ::std::result::Result::Ok("aa"));
    println!("all tools ran");
}
