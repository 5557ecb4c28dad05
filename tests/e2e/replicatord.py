"""A replicatord of one's own: started on a free port, called over HTTP, ended or killed.

The programs are those of the folder $WEIR_BIN.
"""

import contextlib
import http.client
import json
import os
import pathlib
import selectors
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse

PATIENCE_S = 180
WRITER = "writer-0123456789abcdef0123456789"
READER = "reader-0123456789abcdef0123456789"
OTHER = "other-0123456789abcdef0123456789"

CONFIG = """\
listen: 127.0.0.1:0
data: {data}
organizations:
- name: acme
  tokens:
  - {{name: writer, token: "env:WRITER", access: write}}
  - {{name: reader, token: "env:READER"}}
- name: other
  tokens: [{{name: writer, token: "env:OTHER", access: write}}]
fleets:
- {{name: dev, runner: simulate, capacity: {capacity}, providers: [{providers}], simulate: {{delay: {delay}, fail: ["broken-*"]}}}}
clusters:
- {{id: prod-eu, bootstrap_servers: "prod-eu:9092"}}
- {{id: dr-eu, bootstrap_servers: "dr-eu:9092"}}
"""


def program():
    return str(pathlib.Path(os.environ["WEIR_BIN"]) / "replicatord")


def environment(**more):
    return os.environ | {"WRITER": WRITER, "READER": READER, "OTHER": OTHER} | more


def spec(identifier, **more):
    return {
        "identifier": identifier,
        "provider": "MirrorMaker2",
        "source_kafka_id": "prod-eu",
        "destination_kafka_id": "dr-eu",
        "replication_mode": "active-passive",
        "topic_whitelist": "orders.*",
    } | more


def wait_until(condition, what):
    """What the condition returned once it was true."""
    deadline = time.monotonic() + PATIENCE_S
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {PATIENCE_S} s: {what}")
        time.sleep(0.005)
    return result


class Answer:
    def __init__(self, status, headers, text):
        self.status = status
        self.headers = headers
        self.text = text
        self.body = json.loads(text) if text else None

    def __repr__(self):
        return f"{self.status} {self.text[:500]}"


class Replicatord:
    def __init__(self, folder, delay="50ms", capacity=1000, providers="MirrorMaker2, ClusterLink", arguments=()):
        self.folder = pathlib.Path(folder)
        self.config = self.folder / "replicatord.yaml"
        self.config.write_text(
            CONFIG.format(data=self.folder / "data", delay=delay, capacity=capacity, providers=providers)
        )
        self.arguments = ["-c", str(self.config), *arguments]
        self.log = ""
        self.process = None
        self.connection = None

    def start(self, **more_environment):
        self.process = subprocess.Popen(
            [program(), *self.arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(**more_environment),
            restore_signals=False,  # SIGXFSZ stays ignored, so that a limit on file sizes is a full disk
        )
        self.reader = threading.Thread(target=self.read_log)
        self.reader.start()
        self.lines = read_until_listening(self.process)
        if self.lines is None:
            self.reader.join()
            raise AssertionError(f"it did not start: {self.log}")
        self.url = self.lines[0].removeprefix("listening on ")
        return self

    def read_log(self):
        with self.process.stderr as log:
            for line in log:
                self.log += line.decode()

    def connect(self):
        return http.client.HTTPConnection(urllib.parse.urlsplit(self.url).netloc, timeout=PATIENCE_S)

    def call(self, method, path, body=None, token=WRITER, org="acme", headers=None):
        """`body`: bytes as they are, anything else as JSON."""
        if self.connection is None:
            self.connection = self.connect()
        all_headers = {"Authorization": f"Bearer {token}"} if token else {}
        all_headers |= {} if body is None else {"Content-Type": "application/json"}
        all_headers |= headers or {}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body)
        target = path if path.startswith("//") or path.startswith("/organizations") else f"/organizations/{org}{path}"
        try:
            self.connection.request(method, target.replace("//", "/", 1), data, all_headers)
            response = self.connection.getresponse()
            return Answer(response.status, response.headers, response.read().decode())
        except (http.client.HTTPException, OSError):
            self.disconnect()
            raise

    def create(self, identifier, **more):
        return self.call("POST", "/kafka-replicator/", spec(identifier, **more))

    def get(self, identifier):
        return self.call("GET", f"/kafka-replicator/{identifier}/")

    def patch(self, identifier, body, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.call("PATCH", f"/kafka-replicator/{identifier}/", body, headers=named)

    def reconcile(self, identifier, generation, key):
        return self.call(
            "POST",
            f"/kafka-replicator/{identifier}/reconcile/",
            {"generation": generation},
            headers={"Idempotency-Key": key},
        )

    def delete(self, identifier):
        return self.call("DELETE", f"/kafka-replicator/{identifier}/")

    def wait_for(self, identifier, status):
        return wait_until(
            lambda: (body := self.get(identifier).body)["status"] == status and body, f"{identifier} {status}"
        )

    def disconnect(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def kill(self):
        self.disconnect()
        self.process.kill()
        self.wait_for_death()

    def wait_for_death(self):
        self.disconnect()
        status = self.process.wait(PATIENCE_S)
        self.process.stdout.close()
        self.reader.join(PATIENCE_S)
        return status

    def end(self):
        """The exit status after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait_for_death()


def read_until_listening(process):
    """The lines up to the one that says where it listens; None if it ended before."""
    deadline = time.monotonic() + PATIENCE_S
    text = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while b"listening on" not in text or not text.endswith(b"\n"):
            if not selector.select(deadline - time.monotonic()):
                process.kill()
                raise AssertionError("it did not say where it listens")
            chunk = os.read(process.stdout.fileno(), 4096)
            if not chunk:
                process.wait(PATIENCE_S)
                process.stdout.close()
                return None
            text += chunk
    return text.decode().splitlines()


@contextlib.contextmanager
def running(**options):
    """One that is started, and must end well."""
    with tempfile.TemporaryDirectory() as folder:
        server = Replicatord(folder, **options).start()
        try:
            yield server
        finally:
            if server.process.poll() is None:
                status = server.end()
                assert status == 0, f"ended with {status}: {server.log}"
