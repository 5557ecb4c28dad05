#!/usr/bin/env python3
"""openapi-generator finds our description valid, and the Go client that it makes of it compiles."""

import contract

environment = contract.go_environment()
generator = ["java", "-jar", contract.jar("org.openapitools:openapi-generator-cli:7.14.0")]
with contract.scratch() as folder:
    print(contract.run([*generator, "validate", "-i", contract.OPENAPI]))
    no_tests = "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
    files = ["-i", contract.OPENAPI, "-o", folder / "client"]
    contract.run([*generator, "generate", "-g", "go", *files, "--global-property", no_tests])
    contract.run(["go", "vet", "./..."], cwd=folder / "client", env=environment)
