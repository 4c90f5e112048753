#!/usr/bin/env python3
"""What the parts of the runtime add to a program that asks for them.

    python3 tests/compile_cost/parts.py [--tools 200] [--folder DIR] [--bound MB]

A program contains the stages that its tools and its registry ask for (tool-runtime/src/stages.rs). The program of
`compare.py`, whose tools ask for none, is built as it is and with one thing more at a time, in release, and stripped.
With `--bound` it is built as it is alone, and that it is larger is an error.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

import compare

CALL = 'registry.call_blocking(ToolCall::new("1", "tool_4", r#"{"id":1}"#))'
HOOK = "struct Nothing;\nimpl tool_runtime::Hook for Nothing {}\n"
TIMED = '#[tool(timeout = "30s")]\nasync fn timed() {}\n'
# What it is, items beside the tools, what the builder gets, what `main` does with the registry.
PARTS = [
    ("nothing", "", "", ""),
    ("definitions", "", "", 'println!("{}", registry.definitions(tool_runtime::Dialect::OpenAiChat).len());'),
    ("a limit", "", ".default_max_result_size(2000)", ""),
    ("a timeout", TIMED, "", ""),
    ("a hook", HOOK, ".hook(Nothing)", ""),
    ("a session", "", "", f'println!("{{}}", {CALL.replace("registry", "registry.session()")}.model_text());'),
    (
        "all of these",
        HOOK + TIMED,
        ".default_max_result_size(2000).hook(Nothing)",
        'println!("{}", registry.definitions(tool_runtime::Dialect::OpenAiChat).len());\n'
        f'println!("{{}}", {CALL.replace("registry", "registry.session()")}.model_text());',
    ),
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tools", type=int, default=200)
    arguments.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "compile-cost")
    arguments.add_argument("--bound", type=float)
    given = arguments.parse_args()
    # cargo runs in a folder of its own, where a relative path would mean another place.
    root = given.folder.resolve()
    parts = PARTS if given.bound is None else PARTS[:1]
    folder = root / "parts"
    shutil.rmtree(folder / "src", ignore_errors=True)
    (folder / "src/bin").mkdir(parents=True)
    dependencies, source = compare.ours(given.tools)
    (folder / "Cargo.toml").write_text(compare.MANIFEST.format(name="cost-parts", dependencies=dependencies))
    for index, (_, items, settings, use) in enumerate(parts):
        text = source.replace("fn main() {", items + "fn main() {").replace(".linked()", ".linked()" + settings)
        body, end = text.rsplit("}", 1)
        (folder / f"src/bin/part{index}.rs").write_text(f"{body}{use}\n}}{end}")
    target = root / "target-parts"
    command = ["cargo", "build", "--release", "--quiet", "--target-dir", target]
    subprocess.run(command, cwd=folder, check=True)
    sizes = []
    for index, (name, *_) in enumerate(parts):
        stripped = folder / "stripped"
        subprocess.run(["strip", "-o", stripped, target / f"release/part{index}"], check=True)
        subprocess.run([stripped], check=True, capture_output=True)
        sizes.append((name, stripped.stat().st_size))
    for name, size in sizes:
        print(f"{name:14} {size / 1e6:5.2f} MB  {(size - sizes[0][1]) / 1e6:+.2f}")
    if given.bound is not None and sizes[0][1] > given.bound * 1e6:
        sys.exit(f"a program whose tools ask for nothing is larger than {given.bound} MB; what refers to a stage that it "
                 "did not ask for? (tool-runtime/src/stages.rs)")


if __name__ == "__main__":
    main()
