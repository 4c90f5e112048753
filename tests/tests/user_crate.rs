//! Builds and runs `tests/user-crate`, in each edition, as a user would: on its own, with its own lints.
#![allow(clippy::unwrap_used)]

use std::{env, fs, path::Path, process::Command};

#[test]
fn a_crate_that_shadows_everything_compiles_and_runs_in_each_edition() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("user-crate");
    let package = target.join("package");
    fs::create_dir_all(package.join("src")).unwrap();
    for entry in fs::read_dir(here.join("user-crate/src")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), package.join("src").join(entry.file_name())).unwrap();
    }
    // The versions that the workspace was tested with; resolving anew would ask the registry.
    fs::copy(here.join("../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let runtime = here.join("../tool-runtime").canonicalize().unwrap();
    let manifest = fs::read_to_string(here.join("user-crate/Cargo.toml")).unwrap();
    let manifest = manifest.replace("\"../../tool-runtime\"", &format!("{runtime:?}"));
    for edition in ["2018", "2021", "2024"] {
        let manifest = manifest.replace("edition = \"2021\"", &format!("edition = \"{edition}\""));
        assert!(manifest.contains(edition) && !manifest.contains("\"../"), "{manifest}");
        fs::write(package.join("Cargo.toml"), manifest).unwrap();
        let output = Command::new(env::var_os("CARGO").unwrap())
            .args(["run", "--offline", "--quiet", "--manifest-path"])
            .arg(package.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(target.join("target"))
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "edition {edition}:\n{errors}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "all tools ran\n", "edition {edition}:\n{errors}");
    }
    // What the macro adds is not in a user's documentation, and nothing of it is wrong there.
    let output = Command::new(env::var_os("CARGO").unwrap())
        .args(["doc", "--offline", "--quiet", "--no-deps", "--document-private-items", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target.join("target"))
        .env("RUSTDOCFLAGS", "-D warnings")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tools = fs::read_to_string(target.join("target/doc/user_crate/tools/all.html"))
        .or_else(|_| fs::read_to_string(target.join("target/doc/user_crate/all.html")))
        .unwrap();
    assert!(tools.contains("tools::repeat") && !tools.to_lowercase().contains("__tool"), "{tools}");
}

/// `M05`: what stands under these names among a user's own dependencies is not what the macro means.
#[test]
fn m05_another_schemars_of_the_users_changes_nothing() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("older-crate");
    let runtime = here.join("../tool-runtime").canonicalize().unwrap();
    let mut manifest = format!(
        "[package]\nname = \"older-crate\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         tool-runtime = {{ path = {runtime:?} }}\n"
    );
    for (name, version, source) in [
        ("schemars", "0.8.99", "pub trait JsonSchema {}\npub struct SchemaGenerator;\npub struct Schema;\n"),
        ("serde", "0.9.99", "pub trait Deserialize {}\npub trait Serialize {}\n"),
        ("serde_json", "0.9.99", "pub struct Value;\n"),
        ("inventory", "0.1.99", ""),
    ] {
        let older = package.join("older").join(name);
        fs::create_dir_all(older.join("src")).unwrap();
        fs::write(older.join("src/lib.rs"), source).unwrap();
        let text = format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2018\"\n");
        fs::write(older.join("Cargo.toml"), text).unwrap();
        manifest += &format!("{name} = {{ path = \"older/{name}\" }}\n");
    }
    fs::create_dir_all(package.join("src")).unwrap();
    fs::copy(here.join("../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    let source = r##"
        #![deny(warnings)]
        use tool_runtime::{Dialect, Registry, tool, tools};

        /// Echoes.
        #[tool(handle = Echo)]
        fn echo(s: String, #[serde(default)] #[schemars(range(max = 9))] n: Option<u8>) -> String {
            format!("{s}{n:?}")
        }

        struct Db;

        #[tool]
        impl Db {
            /// Asks.
            #[tool]
            async fn ask(&self, question: &str) -> usize {
                question.len()
            }
        }

        fn main() {
            use tool_runtime::IntoTools;
            let builder = Registry::builder().tools(tools![echo]).tools(Db.into_tools()).linked_from(["older-crate"]);
            println!("{}", builder.build().unwrap().definitions_json(Dialect::Anthropic));
        }
    "##;
    fs::write(package.join("src/main.rs"), source).unwrap();
    let output = Command::new(env::var_os("CARGO").unwrap())
        .args(["run", "--offline", "--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        // With that of the crate above: the same dependencies, built once.
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("user-crate/target"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        r##"[{"name":"ask","description":"Asks.","input_schema":{"type":"object","properties":{"question":{"type":"string"}},"required":["question"]}},{"name":"echo","description":"Echoes.","input_schema":{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"integer","minimum":0,"maximum":9}},"required":["s"]}}]"##
    );
}

/// Needs of a key that the runtime was built without.
#[test]
fn keys_that_need_a_feature_name_it() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bare-crate");
    fs::create_dir_all(package.join("src")).unwrap();
    fs::copy(here.join("../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let runtime = here.join("../tool-runtime").canonicalize().unwrap();
    let manifest = format!(
        "[package]\nname = \"bare-crate\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         tool-runtime = {{ path = {runtime:?}, default-features = false }}\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    let source = "use tool_runtime::tool;\n#[tool(timeout = \"1s\")]\npub async fn a() {}\n#[tool(blocking)]\npub fn b() {}\n\
                  #[tool(max_result_tokens = 9)]\npub fn c() {}\n#[tool]\npub fn d(#[garde(email)] _mail: String) {}\n";
    fs::write(package.join("src/lib.rs"), source).unwrap();
    let output = Command::new(env::var_os("CARGO").unwrap())
        .args(["check", "--offline", "--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(package.join("target"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    for (at, message) in [
        ("2:8", "`timeout` needs tokio's timer and threads; turn on feature `tokio` of `tool-runtime`"),
        ("4:8", "`blocking` needs tokio's timer and threads; turn on feature `tokio` of `tool-runtime`"),
        ("6:8", "`max_result_tokens` needs the vocabulary that counts tokens; turn on feature `tokens`"),
        ("9:18", "`#[garde(..)]` needs feature `garde` of `tool-runtime`; turn it on"),
    ] {
        assert!(errors.contains(message) && errors.contains(&format!("src/lib.rs:{at}")), "{message}\n{errors}");
    }
    assert_eq!(errors.lines().filter(|line| line.starts_with("error: `")).count(), 4, "{errors}");
}
