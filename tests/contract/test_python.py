#!/usr/bin/env python3
"""The product's flows with the Python client that openapi-python-client makes; mypy reads both."""

import os

import contract

CONFIG = "package_name_override: streamtime_sdk\n"

tools = contract.python_tools("python")
with contract.scratch() as folder:
    config = folder / "config.yaml"
    config.write_text(CONFIG)
    generate = ["generate", "--meta", "none", "--overwrite", "--fail-on-warning"]
    files = ["--path", contract.OPENAPI, "--config", config, "--output-path", folder / "streamtime_sdk"]
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(folder)}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "MYPYPATH": str(folder)}
    contract.run([tools / "openapi-python-client", *generate, *files], env=environment)
    flows = contract.HERE / "python/flows.py"
    contract.run([tools / "mypy", "--strict", "--cache-dir", folder / "mypy", flows], env=environment, cwd=folder)
    with contract.replicatord() as url:
        print(contract.run([tools / "python", flows], env=environment | contract.names(url)))
