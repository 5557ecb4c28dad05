#!/usr/bin/env python3
"""A Kafka Replicator API that moves nothing and fails on demand, for tests. Python's standard library only.

Serves {url}/organizations/{org}/… and, for the test, {url}/_fake/…:
  POST rules       one rule or a list of them: see faults.py
  POST release     lets the requests go on that are held
  GET  requests    the log, ?after=N without the first N
  POST edit        {"identifier": …} changes a replicator past the API: see Replicators.edit
  GET  operations  the different operations started, by replicator and generation
  GET  state       everything
  POST reset       forgets the rules, the log and the replicators, or those of {"what": […]}
"""

import argparse
import http.server
import json
import pathlib
import re
import select
import signal
import socket
import struct
import sys
import threading
import time
import urllib.parse

from faults import ANSWERS_WRONGLY, Gate, RequestLog, Rules
from replicators import Refused
from routes import Api

HTML = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Please sign in</h1></body></html>"


class Request:
    """What the routes see of an HTTP request."""

    def __init__(self, handler, raw, tokens):
        target = urllib.parse.urlsplit(handler.path)
        self.method = handler.command
        self.path = urllib.parse.unquote(target.path)
        self.query = dict(urllib.parse.parse_qsl(target.query, keep_blank_values=True))
        self.headers = handler.headers
        self.raw = raw
        self.now = time.time()
        self.failure = None
        self.authorized = tokens.get(self.headers.get("Authorization"), "no")

    def object(self):
        """The body, which must be a JSON object."""
        try:
            body = json.loads(self.raw)
        except ValueError as error:
            raise Refused(400, f"JSON parse error - {error}") from None
        if not isinstance(body, dict):
            raise Refused(400, {"non_field_errors": ["Invalid data. Expected a dictionary."]})
        return body

    def number(self, name, default):
        text = self.query.get(name, str(default))
        if not re.fullmatch("[1-9][0-9]{0,8}", text):
            if name == "page":
                raise Refused(404, "Invalid page.")
            raise Refused(400, {name: ["A valid integer is required."]})
        return int(text)

    def url(self, **query):
        return f"http://{self.headers.get('Host')}{self.path}?{urllib.parse.urlencode(self.query | query)}"

    def shown_body(self):
        try:
            return json.loads(self.raw) if self.raw else None
        except ValueError:
            return self.raw.decode(errors="replace")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def serve(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self, raw, self.server.tokens)
        if request.path.startswith("/_fake/"):
            self.control(request)
            return
        log = self.server.log.begin(
            request.method, request.path, request.query, request.headers, request.shown_body(), request.authorized
        )
        self.entry = log
        rule = self.server.rules.take(request.method, request.path)
        if rule:
            log["action"] = rule.do
            BEHAVIOUR[rule.do](self, request, **rule.parameters)
        else:
            self.answer(*self.perform(request))

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = do_HEAD = do_OPTIONS = serve

    def perform(self, request, failure=None):
        """Carries it out: status and body as bytes."""
        status, body, effect = self.server.api.perform(request, failure)
        self.entry["effect"] = effect
        return status, b"" if body is None else json.dumps(body).encode()

    # ---- answers ----

    def why_it_may_be_wrong(self):
        """What tells a proxy that this answer need not be as described: a rule, or how the fake was started."""
        options = self.server.api.options
        if self.entry.get("action") in ANSWERS_WRONGLY:
            return self.entry["action"]
        return ",".join(sorted(options.without)) or ("bare lists" if options.bare_lists else None)

    def begin_answer(self, status, length, content_type="application/json", headers=()):
        self.entry["status"] = status
        self.send_response(status)
        if why := self.why_it_may_be_wrong():
            self.send_header("X-Fake-Fault", why)
        sent = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
        if status != 204:
            sent |= {"Content-Type": content_type, "Content-Length": length}
        for name, value in (sent | dict(headers)).items():
            self.send_header(name, str(value))
        self.end_headers()

    def answer(self, status, body, content_type="application/json", headers=()):
        # The test may look at the log as soon as it has the answer.
        self.entry["state"] = "answered"
        self.begin_answer(status, len(body), content_type, headers)
        self.wfile.write(body)
        self.wfile.flush()

    def drop(self, reset=False):
        """Ends the connection; with `reset`, as if the program behind it had died."""
        self.entry["state"] = "dropped"
        self.close_connection = True
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        else:
            self.connection.shutdown(socket.SHUT_RDWR)

    # ---- misbehaviour: what faults.ACTIONS lists ----

    def answer_instead(self, request, status, body, headers, effect):
        if effect:
            self.perform(request)
        as_json = not isinstance(body, str)
        self.answer(
            status,
            json.dumps(body).encode() if as_json else body.encode(),
            "application/json" if as_json else "text/plain",
            headers,
        )

    def delay(self, request, ms):
        self.server.stopping.wait(ms / 1000)
        self.answer(*self.perform(request))

    def drop_before(self, _request, reset):
        self.drop(reset)

    def drop_after(self, request, reset):
        self.perform(request)
        self.drop(reset)

    def truncate(self, request, keep):
        status, body = self.perform(request)
        self.begin_answer(status, len(body))
        self.wfile.write(body[: int(len(body) * keep)])
        self.wfile.flush()
        self.drop()

    def answer_html(self, request, status, effect):
        if effect:
            self.perform(request)
        self.answer(status, HTML.encode(), "text/html; charset=utf-8")

    def answer_huge(self, _request, size, status):
        self.answer(status, b'{"detail": "' + b"x" * (size - 14) + b'"}')

    def redirect(self, _request, url, status):
        self.answer(status, b"", headers={"Location": url})

    def hang(self, request, effect):
        if effect:
            self.perform(request)
        self.entry["state"] = "hanging"
        while not self.server.stopping.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.1)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                break
        self.drop()

    def hold(self, request, effect):
        done = self.perform(request) if effect else None
        self.entry["state"] = "held"
        self.server.gate.wait()
        self.answer(*(done or self.perform(request)))

    def meddle(self, request, edits, after):
        done = self.perform(request) if after else None
        with self.server.api.lock:
            for edit in edits:
                self.server.api.replicators.edit(now=request.now, **edit)
            self.server.api.save()
        self.answer(*(done or self.perform(request)))

    def fail_operation(self, request, error):
        self.answer(*self.perform(request, error))

    def slow_drip(self, request, interval_ms):
        status, body = self.perform(request)
        self.begin_answer(status, len(body))
        for i in range(len(body)):
            self.wfile.write(body[i : i + 1])
            self.wfile.flush()
            if self.server.stopping.wait(interval_ms / 1000):
                break
        self.entry["state"] = "answered"

    # ---- the test's own requests ----

    def control(self, request):
        self.entry = {}
        handler = CONTROL.get((request.method, request.path.removeprefix("/_fake/")))
        try:
            status, body = (200, handler(self.server, request)) if handler else (404, "there is no such control")
        except (ValueError, TypeError, KeyError, Refused) as error:
            status, body = 400, str(error)
        self.answer(status, json.dumps(body).encode())

    def log_message(self, *_args):
        pass


BEHAVIOUR = {
    "status": Handler.answer_instead,
    "delay": Handler.delay,
    "drop_before_effect": Handler.drop_before,
    "drop_after_effect": Handler.drop_after,
    "truncate": Handler.truncate,
    "html": Handler.answer_html,
    "huge": Handler.answer_huge,
    "redirect": Handler.redirect,
    "hang": Handler.hang,
    "hold": Handler.hold,
    "meddle": Handler.meddle,
    "fail_operation": Handler.fail_operation,
    "slow_drip": Handler.slow_drip,
}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, options):
        super().__init__(("127.0.0.1", options.port), Handler)
        self.api = Api(options)
        self.rules = Rules()
        self.gate = Gate()
        self.log = RequestLog()
        self.stopping = threading.Event()
        self.tokens = {f"Bearer {options.token}": "write", f"Bearer {options.read_token}": "read"}

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # which is: whoever asked has gone
            super().handle_error(request, client_address)

    def push_rules(self, request):
        rules = json.loads(request.raw)
        self.rules.push(rules if isinstance(rules, list) else [rules])

    def release(self, _request):
        return {"released": self.gate.open()}

    def show_requests(self, request):
        return self.log.show(int(request.query.get("after", "0")))

    def edit(self, request):
        with self.api.lock:
            shown = self.api.replicators.edit(now=request.now, **request.object())
            self.api.save()
            return shown

    def show_operations(self, request):
        with self.api.lock:
            return self.api.replicators.started_operations(request.now)

    def show_state(self, request):
        with self.api.lock:
            self.api.replicators.advance(request.now)
            return self.api.replicators.data | {"rules": self.rules.show()}

    def reset(self, request):
        parts = {"rules": self.rules.clear, "requests": self.log.clear, "replicators": self.api.reset}
        for name in json.loads(request.raw or b"{}").get("what", parts):
            parts[name]()
        self.gate.open()


CONTROL = {
    ("POST", "rules"): Server.push_rules,
    ("POST", "release"): Server.release,
    ("GET", "requests"): Server.show_requests,
    ("POST", "edit"): Server.edit,
    ("GET", "operations"): Server.show_operations,
    ("GET", "state"): Server.show_state,
    ("POST", "reset"): Server.reset,
}


MINIMAL_WITHOUT = "observed_generation,uid,created_at,operation.state,operation.error,operation.created_at"


def names(text):
    return frozenset(filter(None, text.split(",")))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="0: a free one, which is printed")
    parser.add_argument("--organization", default="acme")
    parser.add_argument("--token", default="test-token", help="may read and write")
    parser.add_argument("--read-token", default="read-token", help="may only read")
    parser.add_argument("--fleet", default="dev")
    parser.add_argument("--delay", type=float, default=0.2, help="seconds that provisioning and deleting take")
    parser.add_argument("--state", type=pathlib.Path, help="keep the replicators in this file over restarts")
    parser.add_argument("--page-size", type=int, default=100)
    parser.add_argument("--max-page-size", type=int, default=500)
    parser.add_argument("--bare-lists", action="store_true", help="lists are arrays, without pages")
    parser.add_argument("--no-if-match", action="store_true", help="ignore If-Match")
    parser.add_argument("--without", type=names, default=(), help="read-only fields left out: uid,operation.state,…")
    parser.add_argument("--minimal", action="store_true", help="leave out all that weir can do without")
    parser.add_argument("--forget", type=names, default=(), help="accept these fields and do not keep them")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends")
    options = parser.parse_args()
    if options.minimal:
        options.without = frozenset(options.without) | names(MINIMAL_WITHOUT)
        options.no_if_match = True
    return options


def stop_at_eof(server):
    while sys.stdin.buffer.read(4096):
        pass
    server.shutdown()


def main():
    options = parse_options()
    server = Server(options)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    if options.until_eof:
        threading.Thread(target=stop_at_eof, args=(server,), daemon=True).start()
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever(poll_interval=0.05)
    except KeyboardInterrupt:
        pass
    server.stopping.set()
    server.gate.open()


if __name__ == "__main__":
    main()
