#!/usr/bin/env python3
"""contrib/demo --forge shows the loop with a Gitea, stays up if it is asked to, and leaves nothing behind."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import build_gitea

DEMO = pathlib.Path(__file__).resolve().parents[2] / "contrib/demo"
WANTED = ("success weir/acme/sync 2 in sync (2 changed)", "failure weir/acme/sync", "failure weir/acme/drift")

build_gitea.need()


def run(temporary, *options):
    """What it printed until it ended; with --keep it is told to end once it stays."""
    command = [DEMO, "--forge", "--bin", os.environ["WEIR_BIN"], *options]
    environment = os.environ | {"TMPDIR": temporary, "PYTHONUNBUFFERED": "1"}
    shown = ""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as demo:
        for line in demo.stdout:
            shown += line
            if "/metrics" in line:
                os.killpg(demo.pid, signal.SIGINT)
    return shown, demo.returncode


complaints = []
for arguments in ((), ("--keep",)):
    with tempfile.TemporaryDirectory(prefix="weir-demo-test.") as folder:
        text, status = run(folder, *arguments)
        complaints += [f"does not show {words!r}" for words in (*WANTED, "That was the loop") if words not in text]
        complaints += [f"ended with {status}"] if status else []
        complaints += [f"leaves {path.name} behind" for path in pathlib.Path(folder).iterdir()]
    if complaints:
        print(text)
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
