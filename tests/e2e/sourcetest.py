"""What the tests of fetching and pushing share: a repository, a server of it, and a source at the end of a pipe, which is
tests/unit/source/source_probe.c as it was built.
"""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from githttp import GitServer
from weirtest import BIN

PROBE = BIN.parent / "tests" / "source_probe"
# For tests of memory: a sanitizer is to give it back at once.
FRUGAL = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"}
DEADLINE_S = 180
REPLICATOR = """\
apiVersion: weir/v1
kind: KafkaReplicator
metadata:
  name: {name}
spec:
  provider: MirrorMaker2
  source_kafka_id: prod-eu
  destination_kafka_id: dr-eu
  replication_mode: active-passive
  topic_whitelist: [{name}-orders]
"""


class Failure(Exception):
    def __init__(self, name, retriable, message):
        super().__init__(f"{name}: {message}")
        self.name = name
        self.retriable = retriable == "retriable"
        self.message = message


class Probe:
    """`options`: token_ref, ca_file, ssh_key, known_hosts."""

    def __init__(self, url, mirror, timeout_ms=600000, environment=None, **options):
        self.process = subprocess.Popen(
            [PROBE, url, str(mirror), str(timeout_ms), *(f"{name}={value}" for name, value in options.items())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            restore_signals=False,  # SIGXFSZ stays ignored: a limit is then an error, like a full disk
            env=os.environ | {"NO_PROXY": "127.0.0.1"} | (environment or {}),
        )

    def ask(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        status, *rest = self.process.stdout.readline().rstrip("\n").split("\t")
        if status != "ok":
            raise Failure(*rest)
        return rest

    def fetch(self, known=""):
        return self.ask("fetch", known)

    def close(self):
        self.process.stdin.close()
        self.process.wait(DEADLINE_S)
        self.process.stdout.close()
        if self.process.returncode:
            raise AssertionError(f"the probe ended with {self.process.returncode}")


class SourceTest(unittest.TestCase):
    token = None
    push = True

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.bare = self.folder / "served" / "team.git"
        self.work = self.folder / "work"
        self.git("init", "--quiet", "--bare", "--initial-branch=main", self.bare)
        self.git("init", "--quiet", "--initial-branch=main", self.work)
        self.first = self.commit("a")
        self.server = self.enterContext(self.serve())
        self.url = self.server.url + "/team.git"

    def serve(self, **more):
        return GitServer(self.folder / "served", self.token, self.push, **more)

    def git(self, *arguments, within=None):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{what}": "t@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        done = subprocess.run(
            ["git", *arguments],
            cwd=within or self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
        )
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode().strip()

    def commit(self, name):
        path = self.work / "replicators" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(REPLICATOR.format(name=name))
        self.git("add", "-A", within=self.work)
        self.git("commit", "--quiet", "-m", f"add {name}", within=self.work)
        self.git("push", "--quiet", "--force", self.bare, "main", within=self.work)
        return self.git("rev-parse", "HEAD", within=self.work)

    def probe(self, url=None, **more):
        probe = Probe(url or self.url, self.folder / "mirror", **more)
        self.addCleanup(probe.close)
        return probe

    def fails(self, name, words, run, *arguments, retriable=False):
        with self.assertRaises(Failure) as caught:
            run(*arguments)
        self.assertEqual(caught.exception.name, name, caught.exception.message)
        self.assertRegex(caught.exception.message, words)
        self.assertEqual(caught.exception.retriable, retriable)

    def fails_in_time(self, words, probe, seconds=1.0):
        begin = time.monotonic()
        self.fails("timeout", words, probe.fetch, retriable=True)
        took = time.monotonic() - begin
        self.assertGreater(took, seconds * 0.9)
        self.assertLess(took, seconds + 20)
