#!/usr/bin/env python3
"""The references in the man pages are what the tables say: between a line `.\\" generated: PROGRAM ARGUMENT` and the end
of it stands what that program prints. Without --write the pages are compared, with it they are brought up to date."""

import argparse
import pathlib
import re
import subprocess
import sys

PAGES = pathlib.Path(__file__).resolve().parents[2] / "contrib/man"
REGION = re.compile(r'(^\.\\" generated: ([\w ]+)\n)(.*?)(^\.\\" end of what is generated\n)', re.S | re.M)

# In mdoc each sentence begins a line.
SENTENCE_END = re.compile(r"(?<=[.?!]) (?=[A-Z])")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("programs", type=pathlib.Path, help="the folder of the programs")
    arguments = parser.parse_args()

    def generate(match):
        program, *words = match[2].split()
        printed = subprocess.run([arguments.programs / program, *words], check=True, capture_output=True, text=True).stdout
        return match[1] + SENTENCE_END.sub("\\n", printed.rstrip("\n")) + "\n" + match[4]

    regions = 0
    stale = []
    for page in sorted(PAGES.glob("*.[1-8]")):
        before = page.read_text()
        after, count = REGION.subn(generate, before)
        regions += count
        if after != before:
            stale.append(page)
            if arguments.write:
                page.write_text(after)
    if arguments.write:
        return 0
    for page in stale:
        print(f"{page.relative_to(PAGES.parents[1])}: not what the tables say; "
              f"{sys.argv[0]} --write {arguments.programs} mends it")
    if not regions:
        print("no page has a generated region")
    return 1 if stale or not regions else 0


sys.exit(main())
