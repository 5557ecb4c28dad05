#!/usr/bin/env python3
"""The end-to-end suite with Prism between weir and the API: what they say to each other is as described.

Not those files whose API answers what no API should. A server that could not be asked is a failure, which is what some
tests are about, and no violation. Arguments are names of files to run instead of all.
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

FILES = ("loop", "life", "cli", "bad_input", "source_faults")
SHOWN = 20


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
        environment = os.environ | {"WEIR_TEST_PROXY": url}
        failed += bool(subprocess.run([sys.executable, "-B", test], env=environment, check=False).returncode)
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
            failed = run_files(url, sys.argv[1:] or FILES)
            report = read_report(url)
        finally:
            prism.kill()
for what in ("failures", "violations"):
    shown = sorted(set(report[what]))[:SHOWN]
    print("\n".join([f"== {what}", *shown]))
print(f"{report['requests']} requests, {len(report['violations'])} violations, {failed} files failed")
sys.exit(1 if failed or report["violations"] or not report["requests"] else 0)
