//! What a mistake looks like to the user: `ui/<stage>/one_mistake.rs` beside what rustc says about it.

#[test]
fn every_mistake_is_one_error_at_the_users_token() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
