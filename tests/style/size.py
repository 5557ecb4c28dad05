#!/usr/bin/env python3
"""Functions stay below 80 lines, files below 600 and lines below 100 columns: past that a reader loses the thread."""

import check

MOST_FUNCTION_LINES = 80
MOST_FILE_LINES = 600
MOST_COLUMNS = 100


def functions(lines):
    """Yields (first line, number of lines). A function's braces stand alone in the first column."""
    opened = None
    for number, line in enumerate(lines):
        if line == "{":
            opened = number
            while opened > 0 and lines[opened - 1] and not lines[opened - 1].endswith((";", "}", "*/")):
                opened -= 1
        elif line == "}" and opened is not None:
            yield opened + 1, number - opened + 1
            opened = None


complaints = []
checked = 0
for path in check.sources("src", "tests"):
    lines = path.read_text().splitlines()
    if len(lines) > MOST_FILE_LINES:
        complaints.append(f"{check.relative(path)}: {len(lines)} lines, at most {MOST_FILE_LINES}")
    complaints += [
        f"{check.relative(path)}:{number}: {len(line.expandtabs(8))} columns, at most {MOST_COLUMNS}"
        for number, line in enumerate(lines, 1)
        if len(line.expandtabs(8)) > MOST_COLUMNS
    ]
    for first, length in functions(lines):
        checked += 1
        if length > MOST_FUNCTION_LINES:
            complaints.append(
                f"{check.relative(path)}:{first}: a function of {length} lines, at most {MOST_FUNCTION_LINES}"
            )
check.finish(complaints, checked)
