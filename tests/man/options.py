#!/usr/bin/env python3
"""weir(1) and replicatord(1) name every command and option that the programs know, and no others."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

PAGES = pathlib.Path(__file__).resolve().parents[2] / "contrib/man"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def printed_by(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def page_text(name):
    """The page as plain text, without its examples."""
    rendered = printed_by("mandoc", "-Tutf8", PAGES / name)
    return re.sub(r"^ +\$ .*$", "", re.sub(r".\x08", "", rendered), flags=re.M)


def listed_commands(help_text):
    found = re.search(r"^Commands:\n((?:  .*\n)+)", help_text, re.M)
    return re.findall(r"^  ([a-z]+) ", found[1], re.M) if found else []


def complaints_about(program, page):
    text = page_text(page)
    commands = listed_commands(printed_by(program, "--help"))
    helps = [printed_by(program, command, "--help") for command in commands] or [printed_by(program, "--help")]
    known = {"--help", "--version"}
    for help_text in helps:
        known |= set(OPTION.findall(help_text.partition("Options:")[2]))
    written = set(OPTION.findall(text))
    for command in commands:
        if not re.search(rf"^     {command}\b", text, re.M):
            yield f"{page}: nothing about the command {command}"
    for option in sorted(known - written):
        yield f"{page}: nothing about {option}"
    for option in sorted(written - known):
        yield f"{page}: {option} is not known to {program.name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path, help="the folder of the programs")
    arguments = parser.parse_args()
    if not shutil.which("mandoc"):
        print("needs mandoc (Debian: mandoc)")
        return 77
    complaints = [c for name in ("weir", "replicatord") for c in complaints_about(arguments.bin / name, f"{name}.1")]
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
