//! What a mistake looks like to the user: `ui/<stage>/one_mistake.rs` beside what rustc says about it.

use std::{fs, path::Path};

#[test]
fn every_mistake_is_one_error_at_the_users_token() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

/// What only the macro writes is nobody's business; a name of it in a message is one more thing to wonder about.
#[test]
fn no_message_has_a_name_that_only_the_macro_writes() {
    const INTERNAL: [&str; 6] = ["__", "Probe", "Slots", "Given", "MacroTool", "private"];
    let stages = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")).expect("stages");
    let files = stages.flat_map(|stage| fs::read_dir(stage.expect("readable").path()).expect("fixtures"));
    let mut count = 0;
    for path in files.map(|file| file.expect("readable").path()) {
        let Some("stderr") = path.extension().and_then(|end| end.to_str()) else { continue };
        let text = fs::read_to_string(&path).expect("UTF-8");
        let named: Vec<&str> = INTERNAL.into_iter().filter(|name| text.contains(name)).collect();
        assert!(named.is_empty(), "{}: {named:?}", path.display());
        // Several mistakes are several errors; `several_at_once` is for that.
        let errors = text.lines().filter(|line| line.starts_with("error")).count();
        assert!(errors == 1 || path.ends_with("several_at_once.stderr"), "{}: {errors} errors", path.display());
        count += 1;
    }
    assert!(count >= 60, "{count}");
}
