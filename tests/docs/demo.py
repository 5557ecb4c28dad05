#!/usr/bin/env python3
"""contrib/demo ends by itself, cleans up however it ends, is plain text without a terminal, and says what is wrong."""

import argparse
import os
import pathlib
import pty
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time

DEMO = pathlib.Path(__file__).resolve().parents[2] / "contrib/demo"
FINISHED = "That was the loop."


class Demo:
    """One run, in a session and with a temporary folder of its own."""

    def __init__(self, temporary, *arguments, terminal=False):
        self.temporary = pathlib.Path(temporary)
        environment = os.environ | {"TMPDIR": temporary, "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        if terminal:
            self.fd, out = pty.openpty()
        else:
            self.fd, out = os.pipe()
        self.output = ""
        self.process = subprocess.Popen(
            [DEMO, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, start_new_session=True
        )
        os.close(out)

    def read_until(self, text):
        """Reads until the text was printed, or everything was."""
        while text not in self.output:
            try:
                chunk = os.read(self.fd, 65536)
            except OSError:  # a terminal whose other end is closed
                break
            if not chunk:
                break
            self.output += chunk.decode()
        return text in self.output

    def end(self):
        """The exit status, and what is wrong with the state it leaves."""
        self.read_until("\0")
        status = self.process.wait()
        os.close(self.fd)
        complaints = [f"leaves {p.name} behind" for p in self.temporary.iterdir()]
        deadline = time.monotonic() + 5
        while (left := processes_of(self.process.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        complaints += [f"leaves a process behind: {command}" for command in left]
        return status, complaints


def processes_of(session):
    """The command lines of the processes in a session, but for those that only wait to be reaped."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:
            pass
    return found


def check_whole(bin_folder, temporary):
    demo = Demo(temporary, "--bin", bin_folder)
    demo.read_until(FINISHED)
    status, complaints = demo.end()
    if status != 0 or FINISHED not in demo.output:
        complaints.append(f"ended with {status}:\n{demo.output}")
    if "\x1b" in demo.output:
        complaints.append("prints escape codes without a terminal")
    for wanted in (r"success weir/quickstart/sync", r"failure weir/quickstart/sync .*payments-dr\.yaml:\d+",
                   r"(failure|error) weir/quickstart/drift"):
        if not re.search(wanted, demo.output):
            complaints.append(f"does not show {wanted!r}:\n{demo.output}")
    return complaints


def check_kept(bin_folder, temporary):
    demo = Demo(temporary, "--bin", bin_folder, "--keep", terminal=True)
    stayed = demo.read_until("weir.log replicatord.log")
    os.killpg(demo.process.pid, signal.SIGINT)
    status, complaints = demo.end()
    if not stayed or status != 0:
        complaints.append(f"--keep ended with {status}:\n{demo.output}")
    if "\x1b[32msuccess" not in demo.output:
        complaints.append("has no colours on a terminal")
    return complaints


def check_stopped(bin_folder, temporary):
    demo = Demo(temporary, "--bin", bin_folder)
    demo.read_until("2. ")
    demo.process.send_signal(signal.SIGTERM)
    status, complaints = demo.end()
    if status != 128 + signal.SIGTERM:
        complaints.append(f"stopped by SIGTERM it ended with {status}:\n{demo.output}")
    return complaints


def check_broken(bin_folder, temporary):
    """A program that does not start: the end of its log is shown."""
    with tempfile.TemporaryDirectory() as programs:
        for name, text in (("weir", "exec true"), ("replicatord", "echo cannot bind; exit 1")):
            program = pathlib.Path(programs) / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        demo = Demo(temporary, "--bin", programs)
        status, complaints = demo.end()
    if status != 1 or "replicatord ended at once" not in demo.output or "cannot bind" not in demo.output:
        complaints.append(f"with a program that does not start it ended with {status}:\n{demo.output}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", help="the folder of the programs")
    arguments = parser.parse_args()
    complaints = []
    for check in (check_broken, check_stopped, check_whole, check_kept):
        with tempfile.TemporaryDirectory(prefix="weir-demo-test.") as temporary:
            complaints += [f"{check.__name__}: {c}" for c in check(arguments.bin, temporary)]
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
