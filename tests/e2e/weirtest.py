"""What end-to-end tests share. A site is all that one test has: a repository, an API, weir.yaml and a state.

    with Site() as site:
        site.start()                                       # weir run
        sha = site.push({"orders.yaml": document("orders-dr")})
        site.wait_status(sha, "success", "1 in sync")
        assert site.api.started("orders-dr") == {1: 1}

When the block ends without an error, weir is asked to stop and must do so with exit status 0, and no secret may stand
in anything it wrote; when it ends with one, all logs are printed. main() runs a file's tests side by side: they mostly
wait.
"""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fake"))

from client import TOKEN, Fake, wait_for
from githttp import GitServer
from repository import Repository, clean_environment

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("WEIR_BIN", ROOT / "build" / "dev" / "bin"))
PROXY = os.environ.get("WEIR_TEST_PROXY")  # starts a proxy that stands between a site's weir and its API
DEADLINE_S = 180  # for what a starved machine does too; some waits of weir alone are a minute
WORKERS = 8 * (os.cpu_count() or 1)
GIT_TOKEN = "git-token-that-nobody-may-see"
printing = threading.Lock()


def document(name, sync=None, **spec):
    """A replicator as YAML, each field on a line of its own. A field that is ... is left out."""
    fields = {
        "provider": "MirrorMaker2",
        "source_kafka_id": "prod-eu",
        "destination_kafka_id": "dr-eu",
        "replication_mode": "active-passive",
        "topic_whitelist": ["orders.*"],
    } | spec
    lines = ["apiVersion: weir/v1", "kind: KafkaReplicator", f"metadata: {{name: {name}}}", "spec:"]
    lines += [f"  {field}: {json.dumps(value)}" for field, value in fields.items() if value is not ...]
    lines += [f"sync: {json.dumps(sync)}"] if sync else []
    return "\n".join(lines) + "\n"


def line_of(text, words):
    """The number of the first line that has `words`."""
    return next(n for n, line in enumerate(text.splitlines(), 1) if words in line)


class Replicatord(Fake):
    """The real server, with a fleet that simulates. As a Fake to its client, without the fake's controls."""

    def __init__(self, folder, delay="100ms", fail=(), compat=(), listen_port=0):
        self.folder = folder
        self.file = folder / "replicatord.yaml"
        self.settings = {"delay": delay, "fail": list(fail)}
        self.compat = list(compat)
        self.port = listen_port
        super().__init__()

    def start(self):
        self.give_port()
        config = {
            "listen": f"127.0.0.1:{self.port}",
            "data": str(self.folder / "replicatord"),
            "organizations": [
                {
                    "name": "acme",
                    "tokens": [
                        {"name": "weir", "token": "env:API_TOKEN", "access": "write"},
                    ],
                }
            ],
            "fleets": [{"name": "dev", "runner": "simulate", "capacity": 1000, "simulate": self.settings}],
            "compat": self.compat,
            "clusters": [{"id": name, "bootstrap_servers": f"{name}:9092"} for name in ("prod-eu", "dr-eu")],
        }
        self.file.write_text(json.dumps(config, indent=1))
        log = self.folder / "logs" / "replicatord"
        command = [BIN / "replicatord", "-c", self.file]
        with open(log, "ab") as out:
            self.process = subprocess.Popen(
                command, env=clean_environment() | {"API_TOKEN": TOKEN}, stdout=out, stderr=out
            )
        self.url = wait_for_listening(self.process, log)
        self.port = int(self.url.rpartition(":")[2])

    def stop(self):
        self.process.terminate()
        self.process.wait(DEADLINE_S)
        self.keep_port()


def wait_for_listening(process, log, after=0):
    def look():
        found = re.search(rb"^listening on (\S+)$", log.read_bytes()[after:], re.MULTILINE)
        return found or process.poll() is not None

    found = wait_for(look, DEADLINE_S, "a server to listen")
    if found is True:
        raise AssertionError(f"it ended with {process.returncode} instead of listening: {log.read_text()}")
    return found[1].decode()


def start_proxy(upstream):
    """Its URL. It ends with the program that $WEIR_TEST_PROXY names."""
    with urllib.request.urlopen(f"{PROXY}/?upstream={upstream}", timeout=DEADLINE_S) as answer:
        return answer.read().decode()


class Site:
    """`server`: "fake" or "replicatord", with its options; `http`: Git over HTTP with a token; `secrets`: path to
    {key: value}; all others are sections of weir.yaml, which are merged into those that stand below."""

    def __init__(self, server="fake", server_options=None, http=False, environment=None, secrets=None, **sections):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-e2e-"))
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        self.stack = contextlib.ExitStack()
        self.repository = Repository(self.folder)
        self.git_server = self.serve_git() if http else None
        self.api = self.start_api(server, server_options)
        self.api_url = start_proxy(self.api.url) if PROXY else self.api.url
        self.canaries = {TOKEN, GIT_TOKEN}
        self.write_secrets(secrets or {})
        self.environment = {"API_TOKEN": TOKEN, "GIT_TOKEN": GIT_TOKEN, "TMPDIR": str(self.folder / "tmp")}
        self.environment |= environment or {}
        (self.folder / "tmp").mkdir()
        self.config_file = self.folder / "weir.yaml"
        self.state = self.folder / "state"
        self.sections = {}
        self.configure(**sections)
        self.weir = None
        self.url = None
        self.runs = 0

    def start_api(self, server, options):
        if server == "fake":
            started = Fake(*(options or ("--delay", "0.1")))
        else:
            started = Replicatord(self.folder, **(options or {}))
        self.stack.callback(started.stop)
        return started

    def serve_git(self):
        return self.stack.enter_context(GitServer(self.repository.served, token=GIT_TOKEN))

    # ---- files ----

    def configure(self, **sections):
        """Writes weir.yaml; sections are merged into those given before."""
        for name, keys in sections.items():
            self.sections[name] = self.sections.get(name, {}) | keys if isinstance(keys, dict) else keys
        url = f"{self.git_server.url}/team.git" if self.git_server else f"file://{self.repository.bare}"
        source = {"url": url, "branch": "main", "path": "replicators", "interval": "1s", "timeout": "10s"}
        source |= {"token": "env:GIT_TOKEN"} if self.git_server else {}
        api = {"url": self.api_url, "organization": "acme", "token": "env:API_TOKEN"}
        config = {
            "name": "acme",
            "source": source,
            "api": api | {"timeout": "5s"},
            "sync": {"interval": "1s", "timeout": "1m"},
            "http": {"listen": "127.0.0.1:0"},
            "state": str(self.state),
        }
        for name, keys in self.sections.items():
            config[name] = config.get(name, {}) | keys if isinstance(keys, dict) else keys
        self.config_file.write_text(json.dumps(config, indent=1))

    def write_secrets(self, secrets):
        """What the directory store below "secrets" has."""
        for path, keys in secrets.items():
            for key, value in keys.items():
                file = self.folder / "secrets" / path / key
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(value)
                self.canaries.add(value)

    # ---- weir ----

    def start(self, crash_at=None):
        """`weir run`, until it listens. With `crash_at` it may end before that."""
        log = self.logs / "weir"
        before = log.stat().st_size if log.exists() else 0
        self.weir = self.spawn("run", "--log-level", "debug", log="weir", crash_at=crash_at)
        self.url = None
        if not crash_at:
            self.url = wait_for_listening(self.weir, log, before)

    def spawn(self, *arguments, log, crash_at=None):
        environment = clean_environment() | self.environment | ({"WEIR_CRASH_AT": crash_at} if crash_at else {})
        command = [BIN / "weir", arguments[0], "-c", self.config_file, *arguments[1:]]
        with open(self.logs / log, "ab") as out:
            out.write(f"--- weir {' '.join(arguments)}, WEIR_CRASH_AT={crash_at}\n".encode())
            out.flush()
            # Python ignores SIGXFSZ and so does its child, to which a limit is then an error like a full disk.
            return subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=out, stderr=out, restore_signals=False
            )

    def stop(self, signum=signal.SIGTERM, status=0):
        self.weir.send_signal(signum)
        ended = self.weir.wait(DEADLINE_S)
        if ended != status:
            raise AssertionError(f"weir ended with {ended}, not {status}")
        self.weir = None

    def kill(self):
        self.stop(signal.SIGKILL, -signal.SIGKILL)

    def wake(self):
        if self.weir and self.url:
            self.weir.send_signal(signal.SIGHUP)

    def cli(self, command, *arguments, config=True, status=0):
        """Runs a command to its end; its standard output. `status`: what it has to end with; None: anything."""
        words = [command, *(("-c", self.config_file) if config else ()), *arguments]
        done = subprocess.run(
            [BIN / "weir", *words],
            cwd=self.folder,
            env=clean_environment() | self.environment,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        self.runs += 1
        shown = f"--- {' '.join(map(str, words))} = {done.returncode}\n{done.stdout}--- its errors\n{done.stderr}"
        (self.logs / f"command-{self.runs}-{command}").write_text(shown)
        if status not in (None, done.returncode):
            raise AssertionError(f"it ended with {done.returncode}, not {status}")
        return done.stdout + (done.stderr if status else "")

    def push(self, files=(), message="change", branch="main"):
        sha = self.repository.push(files, message, branch)
        self.wake()
        return sha

    # ---- what it shows ----

    def status(self, sha, kind="sync"):
        """(state, text) on the commit, or None."""
        return self.repository.note(sha).get(f"weir/acme/{kind}")

    def wait_status(self, sha, state, words="", kind="sync", deadline_s=DEADLINE_S):
        """The text, once there is a status of that state whose text matches."""
        try:
            return wait_for(lambda: self.matched(sha, state, words, kind), deadline_s)[1]
        except AssertionError:
            wanted = f"{kind} on {sha[:7]} to be {state}: {words}"
            raise AssertionError(f"waited for {wanted}; it is {self.status(sha, kind)}") from None

    def matched(self, sha, state, words, kind):
        found = self.status(sha, kind)
        return found if found and found[0] == state and re.search(words, found[1]) else None

    def wait_seen(self, sha, state, words, kind="sync"):
        """As wait_status, for a status that another may have replaced by the time somebody looks."""
        context = f"weir/acme/{kind}"

        def look():
            ever = self.repository.noted_ever(sha)
            return any(c == context and s == state and re.search(words, text) for c, (s, text) in ever)

        wait_for(look, DEADLINE_S, f"{kind} on {sha[:7]} to have been {state}: {words}")

    def wait_live(self, identifier, **fields):
        """The replicator, once the API shows one with these values."""

        def look():
            live = self.api.get(identifier)
            return live if live and all(live[name] == value for name, value in fields.items()) else None

        return wait_for(look, DEADLINE_S, f"{identifier} with {fields}")

    def get(self, page):
        """A page of the daemon: status and text."""
        try:
            with urllib.request.urlopen(self.url + page, timeout=DEADLINE_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name, **labels):
        """The value of one sample: metric("weir_api_calls_total", verb="patch")."""
        for line in self.get("/metrics")[1].splitlines():
            shown, _, value = line.rpartition(" ")
            if re.match(rf"{name}\W", shown) and all(f'{k}="{v}"' in shown for k, v in labels.items()):
                return float(value)
        raise AssertionError(f"there is no metric {name} {labels}")

    def wait_pass(self, n=1):
        """Until `n` more passes were completed."""
        before = self.metric("weir_passes_total")
        self.wake()
        wait_for(lambda: self.metric("weir_passes_total") >= before + n, DEADLINE_S, "a pass")

    def log(self, name="weir"):
        return (self.logs / name).read_text(errors="replace")

    def wait_log(self, words, name="weir"):
        return wait_for(lambda: re.search(words, self.log(name)), DEADLINE_S, f"'{words}' in the log")

    # ---- the end ----

    def __enter__(self):
        return self

    def __exit__(self, kind, _value, _trace):
        try:
            if kind is None:
                if self.weir:
                    self.stop()
                self.check_secrets()
        except BaseException:
            kind = AssertionError
            raise
        finally:
            self.end(kind is not None)

    def end(self, failed):
        if self.weir and self.weir.poll() is None:
            self.weir.kill()
            self.weir.wait()
        self.stack.close()
        if failed:
            self.print_logs()
        shutil.rmtree(self.folder, ignore_errors=True)

    def check_secrets(self):
        """No secret stands in a log, the store, the mirror's files, or the repository."""
        hidden = [canary.encode() for canary in self.canaries]
        for file in [*self.logs.iterdir(), *(f for f in self.state.rglob("*") if f.is_file())]:
            content = file.read_bytes()
            if any(canary in content for canary in hidden):
                raise AssertionError(f"a secret stands in {file.relative_to(self.folder)}")
        if any(canary in self.repository.everything() for canary in hidden):
            raise AssertionError("a secret stands in the repository")

    def print_logs(self):
        with printing:
            for log in sorted(self.logs.iterdir()):
                print(f"======== {log.name}\n{log.read_text(errors='replace')[-20000:]}", file=sys.stderr)


# ---- running tests side by side ----


def each_test(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each_test(test)
        else:
            yield test


def run_one(test):
    result = unittest.TestResult()
    started = time.monotonic()
    test.run(result)
    return test, result, time.monotonic() - started


def main():
    """unittest.main() with the tests side by side. Arguments are parts of the names of the tests to run, or, after a
    dash, the whole name of one not to."""
    if not (BIN / "weir").exists():
        sys.exit(f"there is no {BIN}/weir: set WEIR_BIN to the build's bin folder")
    loaded = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    left_out = {word[1:] for word in sys.argv[1:] if word.startswith("-")}
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    found = {test: test.id().rpartition(".")[2] for test in each_test(loaded)}
    if unknown := left_out - set(found.values()):
        sys.exit(f"there is no {', '.join(unknown)} to leave out")
    tests = [t for t, name in found.items() if name not in left_out and all(word in t.id() for word in words)]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run_one, test) for test in tests]):
            test, result, took_s = future.result()
            wrong = result.failures + result.errors + [(test, f"skipped: {why}") for _, why in result.skipped]
            bad += bool(wrong)
            with printing:
                print(f"{'FAILED' if wrong else 'ok':6} {took_s:5.1f} s  {test.id().removeprefix('__main__.')}")
                for failed, trace in wrong:
                    print(f"{failed}\n{trace}")
    print(f"{len(tests)} tests, {bad} failed")
    sys.exit(1 if bad or not tests else 0)
