#!/usr/bin/env python3
"""Runs every command of README.md, in order, in one shell, as a reader would type them.

A ```sh block runs unless the comment above it begins with "not run here" and says why. A command ends with 0, or with N
where its comment begins with "exits N". Paths below /tmp/weir-quickstart and the two ports are replaced by ones of our own.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(?:<!-- (?P<comment>.*?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$", re.S | re.M)
LINK = re.compile(r"\]\(([^)#:]+)\)")
EXITS = re.compile(r"^(?P<command>.*?\S)\s+# exits (?P<status>\d+)\b.*$")

WAIT_FOR_PORTS = """
for port in {ports}; do
	for try in $(seq 300); do
		if (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; then break; fi
		[ $try -lt 300 ]
		sleep 0.1
	done
done
"""
WAIT_FOR_SUCCESS = """
head=$(git -C {repository} rev-parse main)
for try in $(seq 600); do
	if git -C {repository} notes --ref=weir/quickstart show $head | grep -q '^success weir/quickstart/sync '; then
		exit 0
	fi
	sleep 0.1
done
echo "the push did not become a success:"
git -C {repository} notes --ref=weir/quickstart show $head
exit 1
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def shell_line(line):
    exits = EXITS.match(line)
    if not exits:
        return line
    return f'status=0; {exits["command"]} || status=$?; [ "$status" -eq {exits["status"]} ]'


def script_of(readme, ports):
    """All blocks that run, as one script; and the complaints about others."""
    script = ["set -ex"]
    complaints = []
    for block in BLOCK.finditer(readme):
        comment = block["comment"] or ""
        if block["language"] != "sh":
            continue
        if comment.startswith("not run here"):
            if not re.fullmatch(r"not run here: \S.*", comment):
                complaints.append(f"a block that is not run does not say why: {block['text']!r}")
            continue
        script += [shell_line(line) for line in block["text"].splitlines()]
        if block["text"].rstrip().endswith("&"):
            script.append(WAIT_FOR_PORTS.format(ports=" ".join(map(str, ports))))
    return script, complaints


def end_group(group):
    """SIGTERM, and SIGKILL for what is still there ten seconds later."""
    for number, patience_s in ((signal.SIGTERM, 10), (signal.SIGKILL, 1)):
        deadline = time.monotonic() + patience_s
        try:
            os.killpg(group, number)
            while time.monotonic() < deadline:
                os.killpg(group, 0)
                time.sleep(0.05)
        except ProcessLookupError:
            return


def run(script, folder, bin_folder):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") and k != "STREAMTIME_TOKEN"}
    environment |= {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PAGER": "cat",
        "no_proxy": "127.0.0.1",
    }
    (folder / ".gitconfig").write_text("[user]\n\tname = reader\n\temail = reader@example.com\n")
    log = folder / "log"
    with log.open("wb") as out:
        shell = subprocess.Popen(
            ["bash"], cwd=folder / "checkout", env=environment, stdin=subprocess.PIPE, stdout=out, stderr=out,
            start_new_session=True,
        )
        try:
            shell.communicate("\n".join(script).encode(), timeout=240)
        except subprocess.TimeoutExpired:
            out.write(b"\nthe commands did not end within 240 s\n")
        finally:
            end_group(shell.pid)  # the programs that the README left running
            shell.wait()
    return shell.returncode, log.read_text(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", help="the folder of the programs")
    arguments = parser.parse_args()
    readme = (ROOT / "README.md").read_text()

    with tempfile.TemporaryDirectory(prefix="weir-readme.") as temporary:
        folder = pathlib.Path(temporary)
        ports = free_ports(2)
        ours = {"/tmp/weir-quickstart": str(folder / "quickstart"), "8480": str(ports[0]), "8481": str(ports[1])}

        def replaced(text):
            return re.sub("|".join(ours), lambda match: ours[match[0]], text)

        shutil.copytree(ROOT / "examples", folder / "checkout/examples")
        for path in (folder / "checkout/examples").rglob("*.yaml"):
            path.write_text(replaced(path.read_text()))
        script, complaints = script_of(replaced(readme), ports)
        complaints += [f"a link to {path}, which is not there" for path in LINK.findall(readme)
                       if not (ROOT / path).exists()]
        script.append(WAIT_FOR_SUCCESS.format(repository=folder / "quickstart/replication.git"))
        status, output = run(script, folder, arguments.bin)
        if status != 0:
            complaints.append(f"{output}\nthe commands ended with {status}")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
