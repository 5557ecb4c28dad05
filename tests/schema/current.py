#!/usr/bin/env python3
"""The schemas that editors use are what the tables say. With --write they are brought up to date."""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = {"schema": ROOT / "schema/replicator.schema.json", "config": ROOT / "schema/weir.schema.json"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("program", type=pathlib.Path, help="schema_gen")
    arguments = parser.parse_args()
    wrong = 0

    for of, path in SCHEMAS.items():
        printed = subprocess.run([arguments.program, of], check=True, capture_output=True, text=True).stdout
        if arguments.write:
            path.write_text(printed)
        elif not path.exists() or path.read_text() != printed:
            wrong = 1
            print(f"{path.relative_to(ROOT)}: not what the tables say; "
                  f"{sys.argv[0]} --write {arguments.program} mends it")
    return wrong


sys.exit(main())
