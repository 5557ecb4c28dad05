#!/usr/bin/env python3
"""schema/replicator.schema.json is what the tables say. With --write it is brought up to date."""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schema/replicator.schema.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("program", type=pathlib.Path, help="schema_gen")
    arguments = parser.parse_args()

    printed = subprocess.run([arguments.program, "schema"], check=True, capture_output=True, text=True).stdout
    if arguments.write:
        SCHEMA.write_text(printed)
    elif not SCHEMA.exists() or SCHEMA.read_text() != printed:
        print(f"{SCHEMA.relative_to(ROOT)}: not what the tables say; "
              f"{sys.argv[0]} --write {arguments.program} mends it")
        return 1
    return 0


sys.exit(main())
