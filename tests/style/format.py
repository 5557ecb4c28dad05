#!/usr/bin/env python3
"""The source is laid out as .clang-format says. Versions of clang-format differ, so it is Debian 12's."""

import shutil
import subprocess
import sys

import check

tool = shutil.which("clang-format-14")
if not tool:
    check.skip("clang-format-14 (Debian: clang-format-14)")
paths = check.sources("src", "tests")
done = subprocess.run([tool, "--dry-run", "-Werror", *paths], cwd=check.ROOT, capture_output=True, text=True)
if done.returncode:
    print(done.stderr.strip())
    print("clang-format-14 -i on these files mends them")
    sys.exit(1)
check.finish([], len(paths))
