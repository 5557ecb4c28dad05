#!/usr/bin/env python3
"""Shell scripts pass shellcheck, start with the same line, and stop at the first error."""

import os
import shutil
import subprocess

import check


def scripts():
    for folder in (".ci", "contrib", "tests", "examples"):
        for path in sorted((check.ROOT / folder).rglob("*")):
            if path.is_file() and path.open("rb").readline().startswith((b"#!/bin/bash", b"#!/bin/sh")):
                yield path


tool = shutil.which("shellcheck")
if not tool:
    check.skip("shellcheck (Debian: shellcheck)")
complaints = []
paths = list(scripts())
for path in paths:
    if "set -euo pipefail" not in path.read_text():
        complaints.append(f"{check.relative(path)}: wants `set -euo pipefail`")
    if not os.access(path, os.X_OK):
        complaints.append(f"{check.relative(path)}: is not executable")
done = subprocess.run([tool, "--format=gcc", "--external-sources", *paths], capture_output=True, text=True)
complaints += done.stdout.splitlines() + done.stderr.splitlines()
check.finish(complaints, len(paths))
