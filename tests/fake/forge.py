"""A forge that takes commit statuses as GitHub does, and refuses what GitHub refuses.

    with FakeForge({sha}) as forge:
        … run weir with forge.url = forge.url …
        wait_for(lambda: forge.latest(sha, "weir/acme/sync") == ("success", "1 in sync"))

What it answers is held to GitHub's own description by tests/contract/forge_github.py.
"""

import http.server
import json
import re
import threading

TOKEN = "forge-token-that-nobody-may-see"
STATES = ("error", "failure", "pending", "success")
PATH = re.compile(r"/repos/([^/]+/[^/]+)/statuses/([0-9a-f]{40})")
USER = {"login": "weir-bot", "id": 1, "node_id": "U_1", "type": "User", "site_admin": False} | {
    f"{name}_url": "https://api.github.com/users/weir-bot"
    for name in (
        "avatar events followers following gists html organizations received_events repos starred subscriptions"
    ).split()
}
USER |= {"url": "https://api.github.com/users/weir-bot", "gravatar_id": ""}


DOCUMENTED = {"documentation_url": "https://docs.github.com/rest"}


def refused(message, *errors):
    found = {"errors": [{"message": error, "code": "custom"} for error in errors]} if errors else {}
    return 422, {"message": message} | DOCUMENTED | found


class FakeForge:
    """`commits`: those there are; None: any. `most`: statuses of one context on one commit."""

    def __init__(self, commits=None, repository="acme/flows", most=1000, token=TOKEN):
        self.commits = commits
        self.repository = repository
        self.most = most
        self.token = token
        self.lock = threading.Lock()
        self.statuses = {}  # (sha, context) to [(state, description, target_url)]
        self.requests = []  # (path, body, status)
        self.failures = []  # (status, headers, body), each for one request
        self.server = None

    def __enter__(self):
        forge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers, answer = forge.take(self.path, self.headers, body)
                raw = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in ({"Content-Type": "application/json; charset=utf-8"} | headers).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_arguments):  # pylint: disable=arguments-differ
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_exception):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    # ---- what it does ----

    def take(self, path, headers, raw):
        with self.lock:
            if self.failures:
                status, more, answer = self.failures.pop(0)
            else:
                status, answer = self.judge(path, headers, raw)
                more = {"Location": answer["url"]} if status == 201 else {}
            self.requests.append((path, raw, status))
        return status, more, answer

    def judge(self, path, headers, raw):
        found = PATH.fullmatch(path)
        if headers["Authorization"] != f"Bearer {self.token}":
            return 401, {"message": "Bad credentials"} | DOCUMENTED
        if not headers["User-Agent"]:
            return 403, {"message": "Request forbidden by administrative rules"}
        if not found or found[1].lower() != self.repository:
            return 404, {"message": "Not Found"} | DOCUMENTED
        try:
            body = json.loads(raw)
        except ValueError:
            return 400, {"message": "Problems parsing JSON"}
        return self.judge_status(found[2], body)

    def judge_status(self, sha, body):
        context = body.get("context", "default").lower()
        description = body.get("description") or ""
        kept = self.statuses.setdefault((sha, context), [])
        if self.commits is not None and sha not in self.commits:
            return refused(f"No commit found for SHA: {sha}")
        if body.get("state") not in STATES:
            return refused("Validation Failed", "state is not included in the list")
        if len(description) > 140:
            return refused("Validation Failed", "description is too long (maximum is 140 characters)")
        if len(context) > 255:
            return refused("Validation Failed", "context is too long (maximum is 255 characters)")
        if max(description, default=" ") > "\uffff":
            return refused("Validation Failed", "description doesn't accept 4-byte Unicode")
        if len(kept) >= self.most:
            return refused(
                "Validation Failed", "This SHA and context has reached the maximum number of statuses."
            )
        kept.append((body["state"], description, body.get("target_url")))
        return 201, self.show(sha, body["context"], kept[-1])

    def show(self, sha, context, status):
        state, description, target_url = status
        return {
            "url": f"https://api.github.com/repos/{self.repository}/statuses/{sha}",
            "id": sum(map(len, self.statuses.values())),
            "node_id": "SC_1",
            "state": state,
            "description": description,
            "target_url": target_url,
            "context": context,
            "avatar_url": "https://avatars.githubusercontent.com/u/1",
            "created_at": "2026-11-30T16:44:23Z",
            "updated_at": "2026-11-30T16:44:23Z",
            "creator": USER,
        }

    # ---- what tests ask ----

    def fail(self, status, headers=None, body=None, times=1):
        """The next requests are answered so, whatever they are."""
        with self.lock:
            self.failures += [(status, headers or {}, body or {"message": "made to fail"})] * times

    def latest(self, sha, context):
        """(state, description), or None."""
        with self.lock:
            kept = self.statuses.get((sha, context))
            return kept[-1][:2] if kept else None

    def count(self, status=None):
        with self.lock:
            return sum(status in (None, answered) for _, _, answered in self.requests)
