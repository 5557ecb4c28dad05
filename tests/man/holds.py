#!/usr/bin/env python3
"""weir-holds(7) has every word that weir has for what is held and for how a replicator stands, and no others; of each hold it
says what releases it and whether it ends by itself. weir(1) has every symbol of a plan."""

import pathlib
import re
import subprocess
import sys

PAGES = pathlib.Path(__file__).resolve().parents[2] / "contrib/man"
PAGE = PAGES / "weir-holds.7"
SYMBOLS = re.compile(r"^\.It Cm plan$.*?^\.Bl (.*?)^\.El$", re.M | re.S)
ENTRY = re.compile(r"^\.It Sy (.*)$\n", re.M)


def words_of(program, kind):
    return subprocess.run([program, kind], check=True, capture_output=True, text=True).stdout.splitlines()


def entries_of(section):
    """Word and text of each."""
    parts = ENTRY.split(re.search(rf"^\.Sh {section}\n(.*?)(?=^\.Sh )", PAGE.read_text(), re.M | re.S)[1])
    return list(zip(parts[1::2], parts[2::2]))


def complaints_about_words(kind, words, entries):
    written = [word for word, _ in entries]
    for word in words:
        if written.count(word) != 1:
            yield f"{PAGE.name}: {kind}: {word} stands there {written.count(word)} times"
    for word in written:
        if word not in words:
            yield f"{PAGE.name}: {kind}: {word} is not known to weir"


def main():
    program = sys.argv[1]
    holds = entries_of("HOLDS")
    complaints = list(complaints_about_words("holds", words_of(program, "holds"), holds))
    complaints += complaints_about_words("standings", words_of(program, "standings"), entries_of("STANDINGS"))
    for word, text in holds:
        for part in ("release", "by itself"):
            if len(re.findall(rf"^\.It {part}\n[^.\n]|^\.It {part}\n\.(?:Ql|Va)", text, re.M)) != 1:
                complaints.append(f"{PAGE.name}: {word}: the part `{part}` is missing or empty")
    listed = re.findall(r"^\.It Li (?:\\&)?(\S+)$", SYMBOLS.search((PAGES / "weir.1").read_text())[1], re.M)
    if sorted(listed) != sorted(words_of(program, "symbols")):
        complaints.append(f"weir.1: the symbols of a plan are not {' '.join(listed)}")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
