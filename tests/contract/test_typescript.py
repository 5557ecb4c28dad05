#!/usr/bin/env python3
"""The product's flows with the TypeScript client that openapi-ts makes; the compiler reads both."""

import os
import shutil

import contract

tools = contract.node_tools("typescript")
programs = tools / "node_modules/.bin"
with contract.scratch() as folder:
    for file in ("flows.ts", "tsconfig.json", "package.json"):
        shutil.copy(contract.HERE / "typescript" / file, folder)
    (folder / "node_modules").symlink_to(tools / "node_modules")
    contract.run([programs / "openapi-ts", "-i", contract.OPENAPI, "-o", folder / "client"], cwd=folder)
    contract.run([programs / "tsc", "--noEmit", "-p", folder], cwd=folder)
    with contract.replicatord() as url:
        environment = os.environ | contract.names(url)
        print(contract.run([programs / "tsx", folder / "flows.ts"], cwd=folder, env=environment))
