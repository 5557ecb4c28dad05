#!/usr/bin/env python3
"""The YAML that README.md, the man pages and examples/ show loads without a complaint."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
IN_MARKDOWN = re.compile(r"^```yaml\n(.*?)^```$", re.S | re.M)
IN_MAN = re.compile(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", re.S | re.M)
STATE = re.compile(r"^state: .*$", re.M)


def snippets():
    """Yields (where it stands, text)."""
    for pattern, paths in ((IN_MARKDOWN, [ROOT / "README.md"]), (IN_MAN, sorted(ROOT.glob("contrib/man/*.[1-8]")))):
        for path in paths:
            text = path.read_text()
            for found in pattern.finditer(text):
                yield f"{path.name}:{text.count(chr(10), 0, found.start()) + 2}", found[1]
    for path in sorted(ROOT.glob("examples/**/*.yaml")):
        if not in_folder(path):
            yield str(path.relative_to(ROOT)), path.read_text()


def in_folder(path):
    """The folder that the file is read with, if it is not read alone."""
    return next((p for p in path.parents if p.name == "replicators"), None)


def folders():
    """The folders of replicators: what stands in one of their files may need the others."""
    return sorted({in_folder(path) for path in ROOT.glob("examples/**/*.yaml")} - {None})


def complaint_of(programs, text, folder):
    """What the program that reads such a file says about it; None if it is content."""
    path = folder / "snippet.yaml"
    path.write_text(STATE.sub(f"state: {folder}/none", text))
    if "apiVersion:" in text:
        done = run(programs / "weir", "validate", path)
        return None if done.returncode == 0 else done.stdout + done.stderr
    if "fleets:" in text:
        done = run(programs / "replicatord", "--check", "-c", path)
        return None if done.returncode == 0 else done.stdout + done.stderr
    # The configuration is read before anything else: that there is no store is the next thing to be said.
    done = run(programs / "weir", "status", "-c", path)
    return None if "no store in" in done.stderr else done.stdout + done.stderr


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path, help="the folder of the programs")
    arguments = parser.parse_args()
    checked = failed = 0
    for folder in folders():
        done = run(arguments.bin / "weir", "validate", folder)
        checked += 1
        if done.returncode != 0 or "all is well" not in done.stdout:
            failed += 1
            print(done.stdout + done.stderr)
    with tempfile.TemporaryDirectory(prefix="weir-snippets.") as folder:
        for where, text in snippets():
            complaint = complaint_of(arguments.bin, text, pathlib.Path(folder))
            checked += 1
            if complaint is not None:
                failed += 1
                print(f"{where}: {complaint}")
    print(f"{checked} snippets")
    return 1 if failed or checked < 9 else 0


sys.exit(main())
