#!/usr/bin/env python3
"""Schemathesis straight at replicatord, with bodies as described and malformed ones: every answer is as described."""

import os

import contract

CHECKS = ("not_a_server_error", "response_schema_conformance", "status_code_conformance", "content_type_conformance")
EXAMPLES = 20  # of each call, besides the edges of its description

tools = contract.python_tools("schemathesis")
with contract.scratch() as folder, contract.replicatord() as url:
    config = contract.HERE / "schemathesis/schemathesis.toml"
    server = ["--url", url, "--header", f"Authorization: Bearer {contract.TOKEN}"]
    bounds = ["--max-examples", str(EXAMPLES), "--generation-deterministic", "--no-shrink"]
    command = [tools / "schemathesis", "--config-file", config, "run", contract.OPENAPI, *server, *bounds]
    print(contract.run([*command, "--checks", ",".join(CHECKS)], cwd=folder, env=os.environ | {"COLUMNS": "100"}))
