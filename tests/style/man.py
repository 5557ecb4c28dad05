#!/usr/bin/env python3
"""The man pages pass mandoc's lint."""

import shutil
import subprocess

import check

tool = shutil.which("mandoc")
if not tool:
    check.skip("mandoc (Debian: mandoc)")
pages = sorted((check.ROOT / "contrib/man").glob("*.[1-8]"))
complaints = []
for page in pages:
    done = subprocess.run([tool, "-Tlint", "-Wwarning", page], cwd=check.ROOT, capture_output=True, text=True)
    complaints += done.stdout.splitlines() + done.stderr.splitlines()
check.finish(complaints, len(pages))
