#!/usr/bin/env python3
"""Marks of unfinished work, and calls that the source does not make."""

import re

import check

# (pattern, folders, why)
REFUSED = (
    (r"\b(TODO|FIXME|XXX|HACK)\b", ("src", "tests"), "finish it, or file it"),
    (r"\b(u|nano)?sleep\s*\(", ("src",), "wait for an event with a deadline"),
    (r"\bclock_nanosleep\s*\(", ("src",), "wait for an event with a deadline"),
    (r"\b(strcpy|strcat|sprintf|vsprintf|gets|strtok)\s*\(", ("src",), "has no limit: use base/buf.h"),
    (r"\b(system|popen)\s*\(", ("src",), "goes through a shell: use base/proc.h"),
    (r"\b(atoi|atol|atoll)\s*\(", ("src",), "reads nonsense as 0: use base/text.h"),
    (r"\b(rand|random|srand)\s*\(", ("src",), "use base/rng.h"),
    (r"^\s*//", ("src",), "comments are /* … */"),
)

complaints = []
checked = 0
for pattern, folders, why in REFUSED:
    refused = re.compile(pattern)
    for path in check.sources(*folders):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            checked += 1
            found = refused.search(line)
            if found:
                complaints.append(f"{check.relative(path)}:{number}: {found.group().strip()}: {why}")
check.finish(complaints, checked)
