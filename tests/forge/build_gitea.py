"""Gitea, a forge that is not ours, built once from its Go module.

    with a Go tool chain: binary, static = build()

The result stays in $WEIR_TEST_CACHE, by default the folder weir-tests of the user's cache, outside the checkout; the first
time takes minutes.
"""

import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "1.26.0"
MODULE = "code.gitea.io/gitea"
TAGS = "sqlite sqlite_unlock_notify"
GO_LEAST = (1, 26)
SKIPPED = 77


def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("WEIR_TEST_CACHE") or pathlib.Path(home, "weir-tests")).absolute()


FOLDER = cache_folder() / f"gitea-{VERSION}"


def need():
    """Ends the test as skipped where there is no Go to build it with."""
    found = shutil.which("go") and re.search(r"go(\d+)\.(\d+)", go("version"))
    if not found or (int(found[1]), int(found[2])) < GO_LEAST:
        here = f"; here is {found[1]}.{found[2]}" if found else ""
        print(f"needs Go {'.'.join(map(str, GO_LEAST))} or newer, to build Gitea with{here}")
        sys.exit(SKIPPED)


def go(*arguments, within=None):
    done = subprocess.run(["nice", "-n", "10", "go", *arguments], cwd=within, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"go {' '.join(map(str, arguments))}: {done.stderr or done.stdout}")
    return done.stdout


def write_module(source):
    """A module of our own that requires Gitea. Gitea's requirements and replacements come with it: `replace` works in
    the main module only."""
    lines = (source / "go.mod").read_text().splitlines()
    lines[0] = "module weir-tests/gitea"
    (FOLDER / "go.mod").write_text("\n".join([*lines, f"require {MODULE} v{VERSION}", ""]))
    (FOLDER / "go.sum").write_bytes((source / "go.sum").read_bytes())
    (FOLDER / "tools.go").write_text(f'//go:build tools\n\npackage tools\n\nimport _ "{MODULE}"\n')


def build():
    """(the binary, the folder that is its STATIC_ROOT_PATH)"""
    FOLDER.mkdir(parents=True, exist_ok=True)
    binary = FOLDER / "gitea"
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        source = pathlib.Path(json.loads(go("mod", "download", "-json", f"{MODULE}@v{VERSION}", within=FOLDER.parent))["Dir"])
        if not binary.exists():
            print(f"building Gitea {VERSION}, once, in {FOLDER}", file=sys.stderr)
            write_module(source)
            made = FOLDER / "gitea.new"
            go("build", "-mod=mod", "-buildvcs=false", "-trimpath", "-p", "2", "-tags", TAGS, "-o", made, MODULE, within=FOLDER)
            made.rename(binary)
        return binary, source


if __name__ == "__main__":
    print(*build(), sep="\n")
