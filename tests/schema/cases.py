#!/usr/bin/env python3
"""The schema and weir agree on the cases in tests/data/model: what is valid is valid to both, and what is invalid is
refused by both, but for cases with a file `beyond-schema`, which says what no schema can."""

import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("needs jsonschema for Python (Debian: python3-jsonschema)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "tests/data/model"


def documents(program, folder):
    """All documents of a case, or None if a file does not parse."""
    found = []
    for path in sorted(folder.rglob("*.yaml")):
        printed = subprocess.run([program, "documents", path], check=True, capture_output=True, text=True).stdout
        parsed = json.loads(printed)
        if parsed is None:
            return None
        found += parsed
    return found


def main():
    program = sys.argv[1]
    schema = json.loads(subprocess.run([program, "schema"], check=True, capture_output=True, text=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    complaints = []
    checked = 0

    for folder in sorted(p for p in CASES.glob("*/*") if p.is_dir()):
        name = folder.relative_to(CASES)
        beyond = (folder / "beyond-schema").exists()
        found = documents(program, folder)
        if found is None:
            continue
        errors = [error for document in found for error in validator.iter_errors(document)]
        checked += 1
        if folder.parent.name == "valid":
            complaints += [f"{name}: {error.json_path}: {error.message}" for error in errors]
        elif beyond and errors:
            complaints.append(f"{name}: the schema does refuse it: take `beyond-schema` out")
        elif not beyond and not errors:
            complaints.append(f"{name}: the schema lets it pass")
    for complaint in complaints:
        print(complaint)
    if not checked:
        print("no cases")
    return 1 if complaints or not checked else 0


sys.exit(main())
