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
}
