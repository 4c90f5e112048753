//! One function named twice is one tool; two functions of one name are an error, however alike they look.

use tool_runtime::{RegisteredTool, Registry, tool, tools};

/// One.
#[tool]
fn one() -> u8 {
    1
}

fn twins() -> Vec<RegisteredTool> {
    // On one line and in one module: only the functions' own types tell them apart.
    #[rustfmt::skip]
    fn left() -> RegisteredTool { /** A. */ #[tool] fn go() -> u8 { 1 } let [tool] = tools![go]; tool }
    fn right() -> RegisteredTool {
        /** B. */
        #[tool]
        fn go() -> u8 {
            2
        }
        let [tool] = tools![go];
        tool
    }
    vec![left(), right()]
}

#[test]
fn one_function_may_be_named_twice() {
    let registry = Registry::builder().tools(tools![one, one]).tools(tools![one]).build();
    assert_eq!(registry.map(|registry| registry.tool_names().count()).ok(), Some(1));
}

#[test]
fn two_functions_of_one_name_are_an_error_that_names_both_places() {
    let error = Registry::builder().tools(twins()).build().map(drop).unwrap_err();
    assert!(error.is_duplicate_tool());
    assert_eq!(error.to_string().matches("duplicates::").count(), 2, "{error}");
}

#[test]
fn two_tools_of_one_name_are_told_whatever_else_is_wrong_with_them() {
    /// Needs what nobody gives.
    #[tool(name = "one")]
    fn needy(#[inject] number: &u64) -> u64 {
        *number
    }
    for tools in [[tools![one], tools![needy]], [tools![needy], tools![one]]] {
        let error = Registry::builder().tools(tools.into_iter().flatten()).build().map(drop).unwrap_err();
        assert!(error.is_duplicate_tool(), "{error}");
    }
    let error = Registry::builder().tools(tools![needy, one]).build().map(drop).unwrap_err();
    assert!(error.is_missing_state() && error.is_duplicate_tool(), "{error}");
}

struct Counter(u8);

#[tool]
impl Counter {
    /// Counts.
    #[tool]
    fn count(&self) -> u8 {
        self.0
    }
}

#[test]
fn a_method_of_two_values_is_two_tools() {
    use tool_runtime::IntoTools as _;
    let error = Registry::builder().tools(Counter(1).into_tools()).tools(Counter(2).into_tools()).build();
    assert!(error.map(drop).unwrap_err().is_duplicate_tool());
}
