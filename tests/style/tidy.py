#!/usr/bin/env python3
"""The source passes clang-tidy with the checks of .clang-tidy. One process a file: in one process for several, some checks
of version 14 see what is not there."""

import argparse
import concurrent.futures
import os
import shutil
import subprocess

import check

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("build", help="the folder of compile_commands.json")
parser.add_argument("files", nargs="*", help="instead of everything below src")
arguments = parser.parse_args()
if not os.path.exists(f"{arguments.build}/compile_commands.json"):
    check.skip("CMAKE_EXPORT_COMPILE_COMMANDS, which the presets set")
tool = shutil.which("clang-tidy-14")
if not tool:
    check.skip("clang-tidy-14 (Debian: clang-tidy-14)")


def complaints_about(path):
    done = subprocess.run([tool, "-p", arguments.build, "--quiet", path], cwd=check.ROOT, capture_output=True, text=True)
    return [line.removeprefix(f"{check.ROOT}/") for line in done.stdout.splitlines() if ": error: " in line] or (
        done.stderr.splitlines() if done.returncode else [])


paths = arguments.files or check.sources("src", suffixes=(".c",))
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    found = [c for complaints in pool.map(complaints_about, paths) for c in complaints]
check.finish(sorted(set(found)), len(paths))
