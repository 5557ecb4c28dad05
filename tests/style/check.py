"""What the style checks share: where the source is, and how a check ends."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
SKIPPED = 77


def sources(*folders, suffixes=(".c", ".h")):
    """The C files below the folders named, in order."""
    found = []
    for folder in folders:
        found += [p for p in (ROOT / folder).rglob("*") if p.suffix in suffixes]
    return sorted(found)


def relative(path):
    return path.relative_to(ROOT).as_posix()


def finish(complaints, checked):
    """Ends the program: 0 without complaints. A check that looked at nothing has checked nothing."""
    for complaint in complaints:
        print(complaint)
    if not checked:
        print("found nothing to check")
        sys.exit(1)
    sys.exit(1 if complaints else 0)


def skip(needs):
    print(f"needs {needs}")
    sys.exit(SKIPPED)
