"""What is measured: a repository of many replicators, an API that has them all, and weir between the two."""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "e2e"), str(TESTS / "fake")]

# pylint: disable=wrong-import-position
from client import wait_for  # noqa: E402
from githttp import GitServer  # noqa: E402
from repository import Repository, clean_environment  # noqa: E402
from weirtest import wait_for_listening  # noqa: E402

DEADLINE_S = 600
TOKEN = "bench-token"
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Cost:
    """Of one run, or the mean of several."""

    cpu_s: float
    wall_s: float
    memory_mb: float = 0.0


def mean(costs):
    n = len(costs)
    return Cost(
        sum(c.cpu_s for c in costs) / n, sum(c.wall_s for c in costs) / n, max(c.memory_mb for c in costs)
    )


def memory_of(pid, name):
    """In MB; VmRSS: now, VmHWM: the most there ever was. 0 once the process has ended."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def file_name(i):
    return f"team-{i // 100:03}/flow-{i:05}.yaml"


def document(i, threshold=10000):
    return f"""\
apiVersion: weir/v1
kind: KafkaReplicator
metadata:
  name: flow-{i:05}
  labels: {{team: team-{i // 100:03}}}
spec:
  provider: MirrorMaker2
  source_kafka_id: prod-eu
  destination_kafka_id: dr-eu
  replication_mode: active-passive
  topic_whitelist:
    - orders-{i:05}.*
    - payments-{i:05}.*
    - customers-{i:05}
  groups_whitelist: [billing-{i:05}]
  lag_alert_threshold: {threshold}
  lag_alert_threshold_unit: messages
  advanced_configuration:
    producer.linger.ms: 50
    sync.group.offsets.enabled: true
"""


# For all of them; nothing of it reaches the API.
DEFAULTS = """\
apiVersion: weir/v1
kind: Defaults
metadata: {labels: {tier: gold}}
spec:
  provider: MirrorMaker2
  advanced_configuration: {producer.linger.ms: 5}
sync: {timeout: 5m}
"""


class Scene:
    def __init__(self, build, n, quick=False):
        self.bin = build / "bin"
        self.n = n
        self.quick = quick
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-bench-"))
        self.stack = contextlib.ExitStack()
        self.stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = clean_environment() | {"API_TOKEN": TOKEN, "TMPDIR": str(self.folder)}
        self.state = self.folder / "state"
        self.config_file = self.folder / "weir.yaml"
        self.changes = 0

    def __enter__(self):
        try:
            self.repository = Repository(self.folder)
            self.git = self.stack.enter_context(GitServer(self.repository.served))
            self.api_url = self.start_api()
            self.write_config()
            self.head = self.repository.push({file_name(i): document(i) for i in range(self.n)})
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_exception):
        self.stack.close()

    def times(self, n):
        """How often something is measured."""
        return 1 if self.quick else n

    # ---- around weir ----

    def start_api(self):
        config = {
            "listen": "127.0.0.1:0",
            "organizations": [
                {"name": "acme", "tokens": [{"name": "weir", "token": "env:API_TOKEN", "access": "write"}]}
            ],
            "fleets": [
                {"name": "dev", "runner": "simulate", "capacity": self.n, "simulate": {"delay": "10ms"}}
            ],
            "clusters": [{"id": name, "bootstrap_servers": f"{name}:9092"} for name in ("prod-eu", "dr-eu")],
        }
        file = self.folder / "replicatord.yaml"
        file.write_text(json.dumps(config))
        return self.start("replicatord", "--memory", "-c", file)[1]

    def write_config(self):
        """A pass comes when it is asked for, and not before."""
        config = {
            "name": "bench",
            "source": {"url": f"{self.git.url}/team.git", "path": "replicators", "interval": "1h"},
            "api": {"url": self.api_url, "organization": "acme", "token": "env:API_TOKEN"},
            "sync": {"interval": "1h", "timeout": "10m", "concurrency": 32},
            "http": {"listen": "127.0.0.1:0"},
            "state": str(self.state),
        }
        self.config_file.write_text(json.dumps(config))

    def start(self, program, *arguments):
        """A server: its process, which ends with the scene, and its URL."""
        log = self.folder / f"{program}.log"
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [self.bin / program, *arguments], env=self.environment, stdout=out, stderr=out
            )
        self.stack.callback(end, process)
        return process, wait_for_listening(process, log)

    def floors(self):
        """The floors by name."""
        program = self.bin.parent / "tests" / "floors"
        url = f"{self.api_url}/organizations/acme/kafka-replicator/?page_size=500"
        done = subprocess.run(
            [program, self.repository.bare, self.head, "replicators", url],
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        lines = map(str.split, done.stdout.splitlines())
        return {name: Cost(float(cpu), float(wall)) for name, cpu, wall in lines}

    # ---- commands ----

    def command(self, name):
        """Runs a command to its end, which must be a good one."""
        log = self.folder / f"{name}.log"
        started = time.monotonic()
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [self.bin / "weir", name, "-c", self.config_file], env=self.environment, stdout=out, stderr=out
            )
        try:
            status, usage, memory_mb = watch(process)
        except BaseException:
            end(process)
            raise
        wall_s = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise AssertionError(f"weir {name} ended with {process.returncode}:\n{log.read_text()[-2000:]}")
        return Cost(usage.ru_utime + usage.ru_stime, wall_s, memory_mb)

    def forget(self, keep_mirror=False):
        """An empty state, but perhaps with the mirror of the repository."""
        for path in self.state.iterdir() if self.state.exists() else ():
            if path.name != "mirror":
                path.unlink()
            elif not keep_mirror:
                shutil.rmtree(path)

    # ---- the daemon ----

    def start_daemon(self):
        self.daemon, self.url = self.start("weir", "run", "-c", self.config_file)
        self.stack.callback(self.check_alive)
        wait_for(lambda: self.metric("weir_passes_total") >= 1, DEADLINE_S, "the first pass")

    def check_alive(self):
        if self.daemon.poll() is not None:
            raise AssertionError(f"weir run ended:\n{(self.folder / 'weir.log').read_text()[-2000:]}")

    def metric(self, name):
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=DEADLINE_S) as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith(f"{name}{{"):
                    return float(line.rpartition(" ")[2])
        raise AssertionError(f"there is no metric {name}")

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.daemon.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK_S

    def measure_passes(self, n, one_pass):
        """The mean of n of them, by what the daemon used meanwhile."""
        one_pass()  # caches are warm, and what came before is over
        cpu_s, started = self.cpu_s(), time.monotonic()
        for _ in range(n):
            one_pass()
        return Cost((self.cpu_s() - cpu_s) / n, (time.monotonic() - started) / n, memory_of(self.daemon.pid, "VmRSS"))

    def pass_without_change(self):
        before = self.metric("weir_passes_total")
        self.daemon.send_signal(signal.SIGHUP)
        wait_for(lambda: self.metric("weir_passes_total") > before, DEADLINE_S, "a pass")

    def pass_with_a_change(self):
        """A push that changes one file, until its commit has its status."""
        self.changes += 1
        i = self.changes % self.n
        self.push({file_name(i): document(i, 10000 + self.changes)})

    def push(self, files):
        sha = self.repository.push(files)
        self.daemon.send_signal(signal.SIGHUP)
        wait_for(lambda: self.status(sha) == "success", DEADLINE_S, "the commit's status")

    def status(self, sha):
        return self.repository.note(sha, "refs/notes/weir/bench").get("weir/bench/sync", ("",))[0]


def watch(process):
    """Until it ends: its status, what it used, and the most memory. Not ru_maxrss: that begins with what we use."""
    memory_mb, ended = 0.0, 0
    while not ended:
        memory_mb = memory_of(process.pid, "VmHWM") or memory_mb
        time.sleep(0.005)
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    return status, usage, memory_mb


def end(process):
    process.terminate()
    process.wait(DEADLINE_S)
