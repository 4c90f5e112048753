#!/usr/bin/env python3
"""What 200 tools cost to compile, here and under rmcp and rig, in one run.

    python3 tests/compile_cost/compare.py [--tools 200] [--only ours,rmcp,rig] [--folder DIR]

The same tools of mixed shapes, half of them asynchronous, make a crate for each library. Of the leaf crate alone, with
everything it depends on built already, it measures: `cargo check`, an incremental check after the body of one tool was
edited, a release build, and the stripped binary. Times are the least of some runs, as wall time and as processor time of
all processes; the ratios are of processor time, which another user of the machine changes less. Crates and builds go
into DIR (default: a folder of the system's for temporary files), some 3 GB, and stay there.

The versions of rmcp and rig are those that build with rustc 1.95.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANIFEST = """[package]
name = "{name}"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
{dependencies}
[workspace]
"""

# Parameters, each with its type and what is said of it; and the body, which gives a `String`.
SHAPES = [
    ([("a", "i64", "A number."), ("b", "String", "A text."), ("c", "Option<bool>", "A flag.")],
     'format!("{{a}}{{b}}{{c:?}}{k}")'),
    ([("query", "String", "What to look for."), ("limit", "Option<u32>", "The most results.")],
     'format!("{{query}}{{limit:?}}{k}")'),
    ([("x", "f64", "From left to right."), ("y", "f64", "From top to bottom.")], 'format!("{{}}{k}", x + y)'),
    ([("names", "Vec<String>", "All names."), ("first", "u8", "Which comes first.")],
     'format!("{{}}{{first}}{k}", names.join(","))'),
    ([("id", "u64", "Which one.")], 'format!("{{id}}{k}")'),
]


def shape(k):
    parameters, body = SHAPES[k % len(SHAPES)]
    return parameters, body.format(k=k), "async " if k % 2 else ""


def ours(count):
    source = "use tool_runtime::{Registry, ToolCall, tool};\n"
    for k in range(count):
        parameters, body, asyncness = shape(k)
        listed = ", ".join(f"/** {doc} */ {name}: {ty}" for name, ty, doc in parameters)
        source += f"/// Tool {k}.\n#[tool]\n{asyncness}fn tool_{k}({listed}) -> Result<String, String> {{ Ok({body}) }}\n"
    source += """fn main() {
    let registry = Registry::builder().linked().build().expect("a registry");
    println!("{}", registry.tool_names().count());
    println!("{}", registry.call_blocking(ToolCall::new("1", "tool_4", r#"{"id":1}"#)).model_text());
}
"""
    path = ROOT / "tool-runtime"
    return f'tool-runtime = {{ path = "{path}" }}\n', source


def rmcp(count):
    source = ("use rmcp::{ServerHandler, handler::server::{router::tool::ToolRouter, wrapper::Parameters}, schemars, "
              "tool, tool_handler, tool_router};\n")
    methods = ""
    for k in range(count):
        parameters, body, asyncness = shape(k)
        fields = " ".join(f"/** {doc} */ {name}: {ty}," for name, ty, doc in parameters)
        names = ", ".join(name for name, _, _ in parameters)
        source += f"#[derive(serde::Deserialize, schemars::JsonSchema)]\nstruct Args{k} {{ {fields} }}\n"
        methods += (f'    #[tool(description = "Tool {k}.")]\n    {asyncness}fn tool_{k}(&self, Parameters(Args{k} {{ '
                    f"{names} }}): Parameters<Args{k}>) -> Result<String, String> {{ Ok({body}) }}\n")
    source += f"""#[derive(Clone)]
struct Server {{ tool_router: ToolRouter<Self> }}
#[tool_router]
impl Server {{
{methods}}}
#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {{}}
fn main() {{
    let server = Server {{ tool_router: Server::tool_router() }};
    println!("{{}}", server.tool_router.list_all().len());
    let handler: &dyn Fn(&Server) -> usize = &|server| std::mem::size_of_val(server);
    println!("{{}}", handler(&server));
}}
"""
    return 'rmcp = "=3.11.0"\nserde = { version = "1", features = ["derive"] }\nserde_json = "1"\n', source


def rig(count):
    source = "use rig_agent::{rig_tool, tool::{ToolContext, ToolSet}};\nuse rig_core::tool::ToolExecutionError;\n"
    for k in range(count):
        parameters, body, asyncness = shape(k)
        docs = ", ".join(f'{name} = "{doc}"' for name, _, doc in parameters)
        listed = ", ".join(f"{name}: {ty}" for name, ty, _ in parameters)
        source += (f'#[rig_tool(description = "Tool {k}.", params({docs}))]\n{asyncness}fn tool_{k}({listed}) -> '
                   f"Result<String, ToolExecutionError> {{ Ok({body}) }}\n")
    adds = "".join(f"    tools.add_tool(Tool{k});\n" for k in range(count))
    source += f"""fn main() {{
    let mut tools = ToolSet::default();
{adds}    let mut context = ToolContext::new();
    let result = futures::executor::block_on(tools.execute("tool_4", r#"{{"id":1}}"#, &mut context));
    println!("{{}} {{}}", result.output().render(), tools.tool_definitions().len());
}}
"""
    features = 'default-features = false, features = ["derive"]'
    return (f'rig-core = {{ version = "=0.44.0", {features} }}\nrig-agent = {{ version = "=0.44.0", {features} }}\n'
            'serde = { version = "1", features = ["derive"] }\nserde_json = "1"\nschemars = "1"\nfutures = "0.3"\n'), source


LIBRARIES = {"ours": ours, "rmcp": rmcp, "rig": rig}


def run(command, folder, environment):
    """Wall and processor seconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed in {folder}:\n{done.stderr[-4000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(runs, change, *command):
    times = []
    for index in range(runs):
        change(index)
        times.append(run(*command))
    return [round(min(column), 2) for column in zip(*times)]


def measure(name, count, work):
    dependencies, source = LIBRARIES[name](count)
    folder = work / name
    main = folder / "src/main.rs"
    main.parent.mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(MANIFEST.format(name=f"cost-{name}", dependencies=dependencies))
    main.write_text(source)
    environment = dict(os.environ, CARGO_TARGET_DIR=str(work / f"target-{name}"), CARGO_INCREMENTAL="0")
    environment.pop("RUSTFLAGS", None)
    incremental = dict(environment, CARGO_INCREMENTAL="1")
    check, release = ["cargo", "check"], ["cargo", "build", "--release"]
    for command in (check, release):
        run(command, folder, environment)

    def touch(_):
        os.utime(main)

    def edit(index):
        # The body of the last tool, to the same length.
        last = f"}}{count - 1}"
        edited, times = re.subn(re.escape(last) + r'(v\d)?"', f'{last}v{index}"', main.read_text())
        if times != 1:
            sys.exit(f"{main} has {times} bodies of tool {count - 1}")
        main.write_text(edited)

    row = {"check": least(4, touch, check, folder, environment)}
    edit(9)
    run(check, folder, incremental)
    row["incremental"] = least(6, edit, check, folder, incremental)
    row["release"] = least(2, touch, release, folder, environment)
    binary = work / f"target-{name}/release/cost-{name}"
    stripped = work / f"{name}.stripped"
    subprocess.run(["strip", "-o", stripped, binary], check=True)
    row["stripped MB"] = round(stripped.stat().st_size / 1e6, 2)
    print(json.dumps({"library": name, "output": subprocess.run([binary], capture_output=True, text=True, check=True).stdout.split(), **row}), flush=True)
    return row


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tools", type=int, default=200)
    arguments.add_argument("--only", default=",".join(LIBRARIES))
    arguments.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "compile-cost")
    given = arguments.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {given.tools} tools", flush=True)
    rows = {name: measure(name, given.tools, given.folder.resolve()) for name in given.only.split(",")}
    print(f"\n{'':12}" + "".join(f"{name:>22}" for name in rows))
    for what in ("check", "incremental", "release"):
        print(f"{what:12}" + "".join(f"{row[what][0]:10.2f} s ({row[what][1]:5.2f})" .rjust(22) for row in rows.values()))
    print(f"{'stripped':12}" + "".join(f"{row['stripped MB']:.2f} MB".rjust(22) for row in rows.values()))
    for name, row in rows.items():
        if name != "ours" and "ours" in rows:
            mine = rows["ours"]
            parts = [f"{what} {row[what][1] / mine[what][1]:.1f}" for what in ("check", "incremental", "release")]
            print(f"{name} takes, times ours: {', '.join(parts)}, size {row['stripped MB'] / mine['stripped MB']:.1f}")


if __name__ == "__main__":
    main()
