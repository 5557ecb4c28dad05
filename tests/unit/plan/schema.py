#!/usr/bin/env python3
"""Every plan.json of the cases is what schema/plan.schema.json says, and the schema lets nothing else through."""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("needs python3-jsonschema")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[3]
VALIDATOR = jsonschema.Draft202012Validator(json.loads((ROOT / "schema/plan.schema.json").read_text()))


def complaints():
    plans = sorted((ROOT / "tests/data/plan").glob("*/plan.json"))
    if len(plans) < 20:
        yield f"only {len(plans)} plans to look at"
    for path in plans:
        plan = json.loads(path.read_text())
        for error in VALIDATOR.iter_errors(plan):
            yield f"{path.relative_to(ROOT)}: {error.json_path}: {error.message}"
        yield from complaints_of_mutants(path, plan)


def complaints_of_mutants(path, plan):
    """A plan with a key too many or too few is refused, wherever that key is."""
    for where in places(plan):
        for change in (lambda d: d.update(surplus=1), lambda d: d.pop(next(iter(d)))):
            mutant = copy.deepcopy(plan)
            change(at(mutant, where))
            if VALIDATOR.is_valid(mutant):
                yield f"{path.relative_to(ROOT)}: a mutant at {where} passes"


def places(node, where=()):
    if isinstance(node, dict):
        yield where
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, where + (key,))


def at(node, where):
    for key in where:
        node = node[key]
    return node


VALIDATOR.check_schema(VALIDATOR.schema)
found = list(complaints())
print("\n".join(found[:50]))
sys.exit(1 if found else 0)
