"""A running Gitea with one user, for tests and the demo.

    with Gitea(folder) as gitea:
        gitea.make_repository("flows")
        gitea.make_hook("flows", "http://127.0.0.1:8481/hooks/acme", secret)
        … push to gitea.clone_url("flows") …
        gitea.statuses("flows", sha)      # {"weir/acme/sync": ("success", "1 in sync")}
"""

import getpass
import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.request

import build_gitea

USER = "team"
PASSWORD = "a-password-of-the-team"
DEADLINE_S = 180
CONFIG = """
APP_NAME = weir's tests
RUN_USER = {user}
RUN_MODE = prod
WORK_PATH = {folder}
[server]
PROTOCOL = http
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {port}
ROOT_URL = http://127.0.0.1:{port}/
STATIC_ROOT_PATH = {static}
OFFLINE_MODE = true
DISABLE_SSH = true
[database]
DB_TYPE = sqlite3
PATH = {folder}/gitea.db
[security]
INSTALL_LOCK = true
[service]
DISABLE_REGISTRATION = true
[webhook]
ALLOWED_HOST_LIST = loopback
[log]
MODE = console
LEVEL = Warn
[cron]
ENABLED = false
[indexer]
REPO_INDEXER_ENABLED = false
ISSUE_INDEXER_TYPE = db
[actions]
ENABLED = false
[packages]
ENABLED = false
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gitea:
    def __init__(self, folder, port=0):
        self.folder = pathlib.Path(folder)
        self.binary, static = build_gitea.build()
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.config = self.folder / "app.ini"
        self.log = self.folder / "gitea.log"
        self.process = None
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config.write_text(
            CONFIG.format(user=getpass.getuser(), folder=self.folder, port=self.port, static=static)
        )
        self.token = self.set_up()

    # ---- the program ----

    def environment(self):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "GITEA_")) and "proxy" not in k.lower()}
        return clean | {"GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT": "true", "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}

    def run(self, *arguments):
        command = [self.binary, "--config", self.config, *arguments]
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"gitea {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def set_up(self):
        self.run("migrate")
        account = ("--username", USER, "--password", PASSWORD, "--email", "team@example.com")
        self.run("admin", "user", "create", *account, "--admin", "--must-change-password=false")
        return self.make_token("all", "all")

    def make_token(self, name, scopes):
        words = ("--username", USER, "--token-name", name, "--scopes", scopes, "--raw")
        return self.run("admin", "user", "generate-access-token", *words).splitlines()[-1]

    def start(self):
        with open(self.log, "ab") as out:
            command = [self.binary, "--config", self.config, "web"]
            self.process = subprocess.Popen(command, env=self.environment(), stdout=out, stderr=out)
        deadline = time.monotonic() + DEADLINE_S
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"Gitea does not start: {self.log.read_text()[-5000:]}")
            time.sleep(0.05)

    def answers(self):
        try:
            return bool(self.api("GET", "/version"))
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_exception):
        self.stop()

    # ---- its API ----

    def api(self, method, path, body=None):
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}",
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"token {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=DEADLINE_S) as answer:
            raw = answer.read()
        return json.loads(raw) if raw else {}

    def make_repository(self, name):
        """With a first commit, which nobody pushed: no webhook tells of it."""
        first = {"auto_init": True, "default_branch": "main"}
        self.api("POST", "/user/repos", {"name": name, "private": True} | first)

    def make_hook(self, repository, url, secret, content_type="json"):
        config = {"url": url, "content_type": content_type, "secret": secret}
        hook = {"type": "gitea", "active": True, "events": ["push"], "config": config}
        return self.api("POST", f"/repos/{USER}/{repository}/hooks", hook)["id"]

    def clone_url(self, repository, token=None):
        credentials = f"{USER}:{token or self.token}@"
        return f"http://{credentials}127.0.0.1:{self.port}/{USER}/{repository}.git"

    def plain_url(self, repository):
        return f"{self.url}/{USER}/{repository}.git"

    def statuses(self, repository, sha):
        """{context: (state, description)}, the newest of each."""
        found = self.api("GET", f"/repos/{USER}/{repository}/commits/{sha}/status")
        return {row["context"]: (row["status"], row["description"]) for row in found.get("statuses") or []}

    def statuses_ever(self, repository, sha, context):
        """[(state, description)], the oldest first."""
        found = self.api("GET", f"/repos/{USER}/{repository}/commits/{sha}/statuses?limit=50")
        rows = sorted((row for row in found or [] if row["context"] == context), key=lambda row: row["id"])
        return [(row["status"], row["description"]) for row in rows]
