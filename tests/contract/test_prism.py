#!/usr/bin/env python3
"""The end-to-end suite with Prism between weir and the API: what they say to each other is as described.

All that weir asks has to be, and every answer but those that the fake gives wrongly because a test told it to; it marks
them. A server that could not be asked is a failure, which is what some tests are about, and no violation. Arguments are
names of files to run instead of all.
"""

import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import urllib.request

import contract

# Tests that cannot be run so, and why. The ordinary run of the suite has them.
LEFT_OUT = {
    "api_faults": {
        "test_a_redirect_is_not_followed": "Prism follows it itself",
    },
    "rivals": {
        "test_life_goes_on": "replicatord --compat minimal tells less than is described",
    },
}
# What is run less often than elsewhere: each history makes the same kinds of calls as the others.
FEWER = {"WEIR_HISTORIES": "10"}
SHOWN = 20


def with_an_api():
    """Names of the files whose tests have a weir and an API between which something can stand."""
    tests = sorted((contract.ROOT / "tests/e2e").glob("test_*.py"))
    return [test.stem.removeprefix("test_") for test in tests if " Site(" in test.read_text(encoding="utf-8")]


def read_url(process):
    if not select.select([process.stdout], [], [], contract.DEADLINE_S)[0]:
        sys.exit("Prism does not start")
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        sys.exit(f"Prism ended instead of listening: {line}")
    return line.split()[-1]


def run_files(url, files):
    """How many of them fail. All are run, as what was said in between is told at the end."""
    failed = 0
    for file in files:
        print(f"== {file}", flush=True)
        test = contract.ROOT / f"tests/e2e/test_{file}.py"
        environment = os.environ | FEWER | {"WEIR_TEST_PROXY": url}
        left_out = [f"-{name}" for name in LEFT_OUT.get(file, {})]
        failed += bool(subprocess.run([sys.executable, "-B", test, *left_out], env=environment, check=False).returncode)
    return failed


def read_report(url):
    with urllib.request.urlopen(f"{url}/report", timeout=contract.DEADLINE_S) as answer:
        return json.load(answer)


tools = contract.node_tools("prism")
with contract.scratch() as folder:
    program = pathlib.Path(shutil.copy(contract.HERE / "prism/proxy.mjs", folder))
    (folder / "node_modules").symlink_to(tools / "node_modules")
    command = ["node", program, contract.OPENAPI]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as prism:
        try:
            url = read_url(prism)
            failed = run_files(url, sys.argv[1:] or with_an_api())
            report = read_report(url)
        finally:
            prism.kill()
for what in ("failures", "violations"):
    shown = sorted(set(report[what]))[:SHOWN]
    print("\n".join([f"== {what}", *shown]))
for file, tests in LEFT_OUT.items():
    print("\n".join(f"left out of {file}: {test}: {why}" for test, why in tests.items()))
print(f"{report['requests']} requests, {report['intended']} answers wrong on purpose", end=", ")
print(f"{len(report['violations'])} violations, {failed} files failed")
sys.exit(1 if failed or report["violations"] or not report["requests"] else 0)
