#!/usr/bin/env python3
"""`cmake --install` brings the programs, which run from there, and what people read and use with them."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

EXPECTED = (
    "bin/replicatord",
    "bin/weir",
    "share/doc/weir/LICENSE",
    "share/man/man1/replicatord.1",
    "share/man/man1/weir.1",
    "share/man/man5/replicatord.yaml.5",
    "share/man/man5/weir-replicators.5",
    "share/man/man5/weir.yaml.5",
    "share/man/man7/weir-holds.7",
    "share/weir/examples/quickstart/weir.yaml",
    "share/weir/schema/openapi.yaml",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cmake")
    parser.add_argument("build", help="the folder of the build")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="weir-install.") as prefix:
        subprocess.run([arguments.cmake, "--install", arguments.build, "--prefix", prefix], check=True, capture_output=True)
        installed = {p.relative_to(prefix).as_posix() for p in pathlib.Path(prefix).rglob("*") if p.is_file()}
        complaints = [f"{name} is not installed" for name in EXPECTED if name not in installed]
        complaints += [f"{name} is installed" for name in sorted(installed) if name.endswith((".a", ".h"))]
        for program in ("weir", "replicatord"):
            done = subprocess.run([f"{prefix}/bin/{program}", "--version"], capture_output=True, text=True)
            if done.returncode or not done.stdout.startswith(program + " "):
                complaints.append(f"{program} --version: {done.returncode}: {done.stdout}{done.stderr}")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
