//! What a user builds with the runtime: how many packages, and for which compiler.
#![allow(clippy::unwrap_used)]

use std::{collections::BTreeSet, env, process::Command};

use serde_json::Value;

/// The most packages that the core, without features, may be, itself and its macro included.
const MOST: usize = 45;
/// The oldest compiler that core and default features promise.
const OLDEST: [u64; 2] = [1, 85];

/// Not `--offline`: `metadata` wants every package of the lockfile, also those that nobody here has built.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env::var_os("CARGO").unwrap()).arg("--locked").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// `name version` of each package that a user's build takes, build dependencies left out.
fn packages(features: &[&str]) -> BTreeSet<String> {
    let tree = ["tree", "-p", "tool-runtime", "-e", "normal", "--prefix", "none", "--format", "{p}"];
    let tree = cargo(&[&tree[..], features].concat());
    tree.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_core_stays_small() {
    let core = packages(&["--no-default-features"]);
    assert!(core.len() <= MOST, "{} packages: {core:#?}", core.len());
}

#[test]
fn default_features_build_with_the_oldest_compiler() {
    let wanted = packages(&[]);
    assert!(wanted.len() > 10, "{wanted:?}");
    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--format-version", "1"])).unwrap();
    let too_new = metadata["packages"].as_array().unwrap().iter().filter_map(|package| {
        let name = format!("{} v{}", package["name"].as_str()?, package["version"].as_str()?);
        let needs = package["rust_version"].as_str()?;
        let version: Vec<u64> = needs.split('.').take(2).filter_map(|part| part.parse().ok()).collect();
        (wanted.contains(&name) && version.as_slice() > &OLDEST[..]).then(|| format!("{name} needs {needs}"))
    });
    let too_new: Vec<String> = too_new.collect();
    assert!(too_new.is_empty(), "{too_new:?}");
}
