#!/usr/bin/env python3
"""The source is laid out as .clang-format says. Versions of clang-format differ, so it is Debian 12's."""

import pathlib
import re
import shutil
import subprocess

import check

tool = shutil.which("clang-format-14")
if not tool:
    check.skip("clang-format-14 (Debian: clang-format-14)")
paths = check.sources("src", "tests")
done = subprocess.run([tool, "--dry-run", "-Werror", *paths], cwd=check.ROOT, capture_output=True, text=True)
first_places = {}
for name, line in re.findall(r"^(.+?):(\d+):\d+: error:", done.stderr, re.M):
    first_places.setdefault(pathlib.Path(name).relative_to(check.ROOT).as_posix(), line)
complaints = [f"{name}:{line}: `clang-format-14 -i {name}` mends it" for name, line in first_places.items()]
if done.returncode and not complaints:
    complaints.append(done.stderr)
check.finish(complaints, len(paths))
