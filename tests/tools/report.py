#!/usr/bin/env python3
"""Adds up what ctest wrote with --output-junit. The last line printed is "N passed, N failed"."""

import argparse
import os
import pathlib
import sys
import xml.etree.ElementTree


def read_results(path):
    """Yields (name, outcome, last line of output) of each test in one JUnit file."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        lines = (case.findtext("system-out") or "").strip().splitlines()
        skipped = case.find("skipped")
        if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
            outcome = "skipped"
        else:  # a test whose program is not there is "notrun", and no better than one that failed
            outcome = "passed" if case.get("status") == "run" else "failed"
        yield case.get("name"), outcome, lines[-1] if lines else "did not run"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broken", action="append", default=[], help="a step that failed as a whole")
    parser.add_argument("results", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    skips_fail = os.environ.get("CI") == "true"

    passed = 0
    failed = [f"the {step}" for step in arguments.broken]
    for path in arguments.results:
        for name, outcome, last_line in read_results(path):
            if outcome == "passed":
                passed += 1
            elif outcome == "failed":
                failed.append(f"{name} ({path.stem})")
            else:
                print(f"skipped: {name} ({path.stem}): {last_line}")
                if skips_fail:
                    failed.append(f"{name} ({path.stem}): skipped, and CI=true")
    for what in failed:
        print(f"failed: {what}")
    if not passed and not failed:
        failed.append("everything: no test ran")
        print("failed: no test ran")
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
