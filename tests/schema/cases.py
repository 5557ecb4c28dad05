#!/usr/bin/env python3
"""The schemas and weir agree on the cases in tests/data/model and tests/data/config: what is valid is valid to both, and
what is an invalid document is refused by both, but for cases with a file `beyond-schema`, which says what no schema can. Most
of what is wrong in a weir.yaml is beyond it: there, some kinds have to be refused."""

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
DATA = ROOT / "tests/data"
CONFIG_REFUSED = {"choices", "everything-missing", "numbers", "unknown-keys", "windows-keys", "wrong-types"}


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


def check(program, schema_of, cases):
    """Where schema and program do not agree; and how many cases there are."""
    schema = json.loads(subprocess.run([program, schema_of], check=True, capture_output=True, text=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    complaints = []
    checked = 0

    for folder in sorted(p for p in cases.glob("*/*") if p.is_dir()):
        name = folder.relative_to(DATA)
        is_config = cases.name == "config"
        beyond = (folder / "beyond-schema").exists()
        found = documents(program, folder)
        if found is None:
            continue
        errors = [error for document in found for error in validator.iter_errors(document)]
        checked += 1
        if folder.parent.name == "valid":
            complaints += [f"{name}: {error.json_path}: {error.message}" for error in errors]
        elif is_config and folder.name not in CONFIG_REFUSED:
            continue
        elif beyond and errors:
            complaints.append(f"{name}: the schema does refuse it: take `beyond-schema` out")
        elif not beyond and not errors:
            complaints.append(f"{name}: the schema lets it pass")
    return complaints, checked


def main():
    bad = False
    for schema_of, folder in ("schema", "model"), ("config", "config"):
        complaints, checked = check(sys.argv[1], schema_of, DATA / folder)
        for complaint in complaints:
            print(complaint)
        if not checked:
            print(f"no cases in {folder}")
        bad = bad or complaints or not checked
    return 1 if bad else 0


sys.exit(main())
