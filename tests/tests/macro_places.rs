//! Where a tool may stand, and how `tools!` and the linker find it.
#![allow(missing_docs, clippy::unwrap_used, clippy::unused_async, unreachable_pub)]

use tool_runtime::{Registry, ToolCall, tool, tools};

mod search {
    /// A module of the function's name is an ordinary layout.
    #[tool_runtime::tool]
    pub fn search(query: &str) -> usize {
        query.len()
    }

    pub mod deep {
        #[tool_runtime::tool(name = "deep_find")]
        pub async fn find() -> &'static str {
            "found"
        }
    }
}

use search::{deep::find as renamed, search as search_fn};

#[tool(handle = Adder)]
/// The attribute may come before the doc comment.
fn add(a: u8, b: u8) -> u8 {
    a + b
}

#[cfg(any())]
#[tool]
fn absent(missing: NoSuchType) {}

#[tool]
#[cfg(any())]
fn absent(missing: NoSuchType) {}

#[cfg(all())]
#[tool]
fn present() {}

/// The name of a primitive type, of a macro and of a local.
#[tool]
fn char(vec: char) -> char {
    vec
}

#[deprecated = "still a tool"]
#[tool]
fn old() {}

#[tool]
#[must_use]
const fn constant(a: u8) -> u8 {
    a
}

macro_rules! doubler {
    ($name:ident, $ty:ty, $doc:literal) => {
        #[doc = $doc]
        #[tool]
        fn $name(value: $ty, other: &$ty) -> $ty {
            value + *other
        }
    };
}

doubler!(double, u32, "Adds.");

fn plain() {}

#[test]
fn tools_are_found_by_value_through_any_name() {
    let registry = Registry::builder()
        .tools(tools![search_fn, renamed, add, self::present, char, constant, double,])
        .without_store()
        .build()
        .unwrap();
    let names: Vec<&str> = registry.tool_names().collect();
    assert_eq!(names.len(), 7);
    for name in ["search", "deep_find", "add", "present", "char", "constant", "double"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let call = |name: &str, args: &str| registry.call_blocking(ToolCall::new("1", name, args));
    assert_eq!(call("search", r#"{"query":"abc"}"#).model_text(), "3");
    assert_eq!(call("deep_find", "{}").model_text(), "found");
    assert_eq!(call("char", r#"{"vec":"x"}"#).model_text(), r#""x""#);
    assert_eq!(call("double", r#"{"value":1,"other":2}"#).model_text(), "3");
}

#[test]
fn a_handle_is_a_tool() {
    let registry = Registry::builder().tool(Adder).without_store().build().unwrap();
    assert_eq!(registry.call_blocking(ToolCall::new("1", "add", r#"{"a":1,"b":2}"#)).model_text(), "3");

    #[tool(handle = Inner)]
    fn inside() {}
    let registry = Registry::builder().tool(Inner).without_store().build().unwrap();
    assert_eq!(registry.tool_names().collect::<Vec<_>>(), ["inside"]);
    inside();
}

#[test]
fn what_is_no_tool_is_named_when_the_registry_is_built() {
    let error = Registry::builder().tools(tools![add, self::plain]).without_store().build().unwrap_err();
    assert!(error.is_not_a_tool());
    assert_eq!(error.to_string(), "`self::plain` is not a tool; add `#[tool]` to the function");
    plain();
}

#[test]
fn linked_tools_need_no_list() {
    let all = Registry::builder().linked().without_store().build().unwrap();
    assert!(all.tool_names().any(|name| name == "deep_find"));
    assert!(all.tool_names().any(|name| name == "old"));
    let ours = Registry::builder().linked_from(["macro-places"]).without_store().build().unwrap();
    assert_eq!(ours.tool_names().count(), all.tool_names().count());
}

#[test]
fn a_tool_in_a_generic_function_is_one_tool() {
    fn generic<T>(_: T) -> Registry {
        #[tool]
        fn within(a: u8) -> u8 {
            a
        }
        Registry::builder().tools(tools![within]).without_store().build().unwrap()
    }
    assert_eq!(generic(1_u8).tool_names().count(), 1);
    assert_eq!(generic("a").tool_names().count(), 1);
}

#[tokio::test]
async fn the_function_is_still_a_function() {
    assert_eq!(add(1, 2), 3);
    assert_eq!(search::deep::find().await, "found");
    assert_eq!(double(1, &2), 3);
    assert_eq!(constant(1), 1);
    present();
    assert_eq!(char('a'), 'a');
    #[expect(deprecated, reason = "that is what is tested")]
    old();
}
