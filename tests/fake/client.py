"""What tests need to start the fake API, make it misbehave, and see what it was asked.

    with Fake("--delay", "0.05") as fake:
        fake.rule("drop_after_effect", method="POST", path="/reconcile/$")
        … run weir against fake.url …
        wait_for(lambda: fake.get("orders-dr")["status"] == "Healthy")
        assert fake.started("orders-dr") == {1: 1}
"""

import contextlib
import http.client
import json
import pathlib
import select
import socket
import subprocess
import sys
import time
import urllib.parse

API = pathlib.Path(__file__).resolve().with_name("api.py")
TOKEN = "test-token"
DEADLINE_S = 60


def wait_for(predicate, deadline_s=DEADLINE_S, what="it"):
    """Returns what `predicate` returns, once that is true. An AssertionError at the deadline."""
    deadline = time.monotonic() + deadline_s
    while not (found := predicate()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {deadline_s} s for {what}; at last: {found!r}")
        time.sleep(0.02)
    return found


def body(identifier, **fields):
    """What creates a replicator."""
    return {
        "identifier": identifier,
        "provider": "MirrorMaker2",
        "source_kafka_id": "prod-eu",
        "destination_kafka_id": "dr-eu",
        "replication_mode": "active-passive",
        "topic_whitelist": "orders.*",
    } | fields


class Answer:
    def __init__(self, status, headers, raw):
        self.status = status
        self.headers = headers
        self.raw = raw

    @property
    def json(self):
        return json.loads(self.raw)


class Fake:
    """A running fake. Its process ends with the test's, however that ends."""

    def __init__(self, *options, organization="acme"):
        self.options = options
        self.organization = organization
        self.process = None
        self.kept = None
        self.port = 0
        self.start()

    def keep_port(self):
        """Bound and not listened on: until give_port() nobody answers there, nor does another who is given that port."""
        self.kept = socket.socket()
        self.kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):  # somebody was faster
            self.kept.bind(("127.0.0.1", self.port))

    def give_port(self):
        if self.kept:
            self.kept.close()
        self.kept = None

    def start(self):
        """Again on the same port after stop() or kill(), so that the URL stays what it was."""
        self.give_port()
        command = [sys.executable, API, "--until-eof", "--port", str(self.port), "--organization", self.organization]
        self.process = subprocess.Popen(
            [*command, *self.options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if not select.select([self.process.stdout], [], [], DEADLINE_S)[0]:
            raise AssertionError("the fake API does not start")
        self.url = self.process.stdout.readline().strip().removeprefix("listening on ")
        self.port = urllib.parse.urlsplit(self.url).port

    def stop(self):
        self.process.stdin.close()
        self.process.wait(DEADLINE_S)
        self.process.stdout.close()
        self.keep_port()

    def kill(self):
        self.process.kill()
        self.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.stop()
        self.give_port()

    # ---- requests ----

    def request(self, method, path, body=None, headers=(), timeout_s=DEADLINE_S):
        """One request on a connection of its own. `body`: bytes as they are, anything else as JSON."""
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        with contextlib.closing(connection):
            connection.request(method, path, raw, {"Content-Type": "application/json"} | dict(headers))
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())

    def api(self, method, path, body=None, token=TOKEN, headers=(), timeout_s=DEADLINE_S):
        """A request to the organization: api("GET", "/fleet/")."""
        authorization = {"Authorization": f"Bearer {token}"} if token else {}
        return self.request(
            method, f"/organizations/{self.organization}{path}", body, authorization | dict(headers), timeout_s
        )

    def get(self, identifier):
        """The replicator as the API shows it, or None."""
        answer = self.api("GET", f"/kafka-replicator/{identifier}/")
        return answer.json if answer.status == 200 else None

    def create(self, identifier, **fields):
        return self.api("POST", "/kafka-replicator/", body(identifier, **fields))

    def patch(self, identifier, fields, headers=()):
        return self.api("PATCH", f"/kafka-replicator/{identifier}/", fields, headers=headers)

    def reconcile(self, identifier, generation, key=None):
        headers = {"Idempotency-Key": key} if key else {}
        path = f"/kafka-replicator/{identifier}/reconcile/"
        return self.api("POST", path, {"generation": generation}, headers=headers)

    def delete(self, identifier, headers=()):
        return self.api("DELETE", f"/kafka-replicator/{identifier}/", headers=headers)

    # ---- control ----

    def control(self, method, name, body=None):
        answer = self.request(method, f"/_fake/{name}", body)
        if answer.status != 200:
            raise AssertionError(f"{method} /_fake/{name}: {answer.raw.decode()}")
        return answer.json

    def rule(self, do, method=None, path="", nth=1, times=1, **parameters):
        """See faults.py."""
        match = {"path": path, "nth": nth} | ({"method": method} if method else {})
        self.control("POST", "rules", {"match": match, "times": times, "action": {"do": do} | parameters})

    def release(self):
        """Lets what is held go on; says how many requests that were."""
        return self.control("POST", "release")["released"]

    def edit(self, identifier, **what):
        """Changes a replicator past the API: see Replicators.edit."""
        return self.control("POST", "edit", {"identifier": identifier} | what)

    def requests(self, after=0, method=None, path="", **with_values):
        """The log without its first `after` entries; `with_values` as in requests(state="held", status=None)."""
        return [
            entry
            for entry in self.control("GET", f"requests?after={after}")
            if (not method or entry["method"] == method)
            and path in entry["path"]
            and all(entry[name] == value for name, value in with_values.items())
        ]

    def operations(self):
        return self.control("GET", "operations")

    def started(self, identifier):
        """{generation: number of different operations started for it}, over all replicators of this name."""
        counts = {}
        for row in self.operations():
            if row["identifier"] == identifier:
                counts[row["generation"]] = counts.get(row["generation"], 0) + row["started"]
        return counts

    def state(self):
        return self.control("GET", "state")

    def reset(self, *what):
        """`what`: rules, requests, replicators; nothing for all of them."""
        self.control("POST", "reset", {"what": what} if what else {})
