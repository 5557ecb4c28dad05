#!/usr/bin/env python3
"""weir(1) and replicatord(1) name every command and option that the programs know, and no others; the synopsis has of each
command what its help has."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

PAGES = pathlib.Path(__file__).resolve().parents[2] / "contrib/man"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

# In the list of the help: "-c, --config FILE", "--force". In the synopsis: "-c file", "--force".
LISTED = re.compile(r"^ +(?:(-\w), +)?(--[a-z-]+)( [A-Z]+)?", re.M)
WRITTEN = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)( [a-z]+)?")

# Every command that has them has them for the same; the synopsis is the shorter for it.
NOT_IN_SYNOPSIS = {"--help", "--version", "--log-level", "--log-format"}


def printed_by(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def page_text(name, *options):
    """The page as plain text, without its examples."""
    rendered = printed_by("mandoc", "-Tutf8", *options, PAGES / name)
    return re.sub(r"^ +\$ .*$", "", re.sub(r".\x08", "", rendered), flags=re.M)


def synopsis(program, command, page):
    """What stands behind the program's name, or the command's, in all forms of it."""
    section = re.search(r"^SYNOPSIS\n(.*?)^DESCRIPTION", page_text(page, "-Owidth=1000"), re.M | re.S)[1]
    words = " ".join(filter(None, (program.name, command)))
    return re.findall(rf"^ +{words}\b(.*)$", section, re.M)


def arguments_of(text):
    """What is no option: `[NAME ...]` and `[name ...]` are the same."""
    without = re.sub(r"\[(?:OPTION…|-[^][]*(?:\[[^][]*\])?)\]|-[-\w]+ \w+", "", text)
    return re.sub(r"\s", "", without).lower()


def complaints_about_synopsis(program, command, page, help_text):
    name = command or program.name
    forms = synopsis(program, command, page)
    listed = {}
    for letter, option, value in LISTED.findall(help_text.partition("Options:")[2]):
        if option not in NOT_IN_SYNOPSIS:
            listed[letter or option] = bool(value)
    written = {option: bool(value) for form in forms for option, value in WRITTEN.findall(form)}
    for option in sorted(listed.keys() | written.keys()):
        if option not in written:
            yield f"{page}: the synopsis of {name} lacks {option}"
        elif option not in listed:
            yield f"{page}: the synopsis of {name} has {option}, and its help has not"
        elif listed[option] != written[option]:
            yield f"{page}: whether {option} takes a value is not the same in the synopsis of {name} and in its help"
    usage = re.search(rf"^Usage: {program.name} ?{command or ''}\b(.*)$", help_text, re.M)[1]
    for form in forms:
        wanted, shown = arguments_of(usage), arguments_of(form)
        if shown != wanted:
            yield f"{page}: the synopsis of {name} takes `{shown}`, and its help says `{wanted}`"


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
    for command, help_text in zip(commands or [None], helps):
        yield from complaints_about_synopsis(program, command, page, help_text)
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
