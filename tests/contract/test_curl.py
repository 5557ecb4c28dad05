#!/usr/bin/env python3
"""The product's flows with curl."""

import os

import contract

for program, package in (("curl", "curl"), ("jq", "jq"), ("uuidgen", "uuid-runtime")):
    contract.need(program, f"{program} (Debian: {package})")
with contract.replicatord() as url:
    print(contract.run([contract.HERE / "curl/flows.sh"], env=os.environ | contract.names(url)))
