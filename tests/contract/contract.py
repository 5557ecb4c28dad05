"""What the contract tests share: tools at pinned versions in a cache, a server to call, and how a test ends.

Tools come from their registries through their ordinary clients into $WEIR_TEST_CACHE, by default the folder weir-tests
of the user's cache. A folder there that is whole is used as it is, by every checkout.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/contract"
OPENAPI = ROOT / "schema/openapi.yaml"
SKIPPED = 77
DEADLINE_S = 180
TOOL_DEADLINE_S = 600
TOKEN = "contract-0123456789abcdef0123456789"

sys.path.insert(0, str(ROOT / "tests/e2e"))
from replicatord import read_until_listening  # noqa: E402  pylint: disable=wrong-import-position


def skip(needs):
    print(f"needs {needs}")
    sys.exit(SKIPPED)


def need(program, what, version=(), ask="--version"):
    """Ends the test as skipped unless there is such a program, in that version or a newer one."""
    if not shutil.which(program):
        skip(what)
    if version:
        done = subprocess.run([program, ask], capture_output=True, text=True, check=False)
        found = re.search(r"\d+(?:\.\d+)*", done.stdout + done.stderr)
        if not found or tuple(map(int, found[0].split("."))) < version:
            skip(f"{what}; here is {found[0] if found else 'another'}")


def run(command, deadline_s=TOOL_DEADLINE_S, **options):
    """Runs a program that has to end with 0; what it printed."""
    shown = " ".join(map(str, command))
    print(f"+ {shown}", flush=True)
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=deadline_s,
        check=False,
        **options,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{shown}: ended with {done.returncode}")
    return done.stdout


# ---- the cache ----


def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(os.environ.get("WEIR_TEST_CACHE") or pathlib.Path(home, "weir-tests")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def cached(name, inputs, fill):
    """The folder that fill(folder) made of these inputs, now or in another run."""
    digest = hashlib.sha256("\0".join(inputs).encode()).hexdigest()[:12]
    folder = cache_folder() / f"{name}-{digest}"
    with open(folder.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole = folder / "whole"
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            fill(folder)
            whole.touch()
    return folder


def python_tools(name):
    """The programs of tests/contract/NAME/requirements.txt: a folder to have on the PATH."""
    requirements = HERE / name / "requirements.txt"
    if sys.version_info < (3, 11):
        skip("Python 3.11 or newer")

    def fill(folder):
        run([sys.executable, "-m", "venv", folder])
        run([folder / "bin/pip", "install", "--quiet", "--no-deps", "--requirement", requirements])

    return cached(name, [requirements.read_text(), sys.version, sys.executable], fill) / "bin"


def node_tools(name):
    """The packages of tests/contract/NAME/package-lock.json: a folder with a node_modules."""
    need("node", "Node.js 20 or newer", (20,))
    need("npm", "npm")
    files = [HERE / name / file for file in ("package.json", "package-lock.json")]

    def fill(folder):
        for file in files:
            shutil.copy(file, folder)
        run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder)

    return cached(name, [file.read_text() for file in files], fill)


def jar(artifact):
    """GROUP:NAME:VERSION from Maven."""
    need("java", "a JDK, 17 or newer", (17,), "-version")
    need("mvn", "Maven")
    group, name, version = artifact.split(":")
    path = pathlib.Path(*group.split("."), name, version, f"{name}-{version}.jar")

    def fill(folder):
        get = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get"
        run(["mvn", "-q", "-B", f"-Dmaven.repo.local={folder}", get, f"-Dartifact={artifact}", "-Dtransitive=false"])

    return cached(name, [artifact], fill) / path


def go_environment():
    need("go", "Go 1.21 or newer", (1, 21), "version")
    folder = cache_folder() / "go"
    return os.environ | {
        "GOCACHE": str(folder / "build"),
        "GOMODCACHE": str(folder / "mod"),
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "GOFLAGS": "-modcacherw",
    }


# ---- a test ----


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory(prefix="weir-contract-") as folder:
        yield pathlib.Path(folder)


@contextlib.contextmanager
def replicatord():
    """`replicatord --memory`: its URL. It must still be there at the end, and end well."""
    program = pathlib.Path(os.environ["WEIR_BIN"]) / "replicatord"
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [program, "--memory", "--listen", "127.0.0.1:0"],
            env=os.environ | {"STREAMTIME_TOKEN": TOKEN},
            stdout=subprocess.PIPE,
            stderr=log,
        )
        try:
            lines = read_until_listening(process)
            if lines:
                yield lines[0].removeprefix("listening on ")
            process.send_signal(signal.SIGTERM)
            status = process.wait(DEADLINE_S)
            if status:
                log.seek(0)
                sys.exit(f"replicatord ended with {status}: {log.read()}")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def names(url):
    """What the flows take in place of the names that the product's pages leave open."""
    return {
        "API_URL": url,
        "STREAMTIME_TOKEN": TOKEN,
        "ORG": "demo",
        "FLEET": "dev",
        "SOURCE_CLUSTER": "prod-eu",
        "DESTINATION_CLUSTER": "dr-eu",
    }
