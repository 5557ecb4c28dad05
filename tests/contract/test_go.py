#!/usr/bin/env python3
"""The product's flows in Go; its vet reads them."""

import contract

environment = contract.go_environment()
source = contract.HERE / "go"
with contract.scratch() as folder:
    program = folder / "flows"
    contract.run(["go", "vet", "./..."], cwd=source, env=environment)
    contract.run(["go", "build", "-buildvcs=false", "-o", program, "."], cwd=source, env=environment)
    with contract.replicatord() as url:
        print(contract.run([program], env=environment | contract.names(url)))
