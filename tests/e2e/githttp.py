#!/usr/bin/env python3
"""Serves bare Git repositories over smart HTTP with `git http-backend`, and misbehaves as it is told.

    with GitServer(folder, token="t0ken") as server:
        server.fault("cut", match="/git-upload-pack$", sent=500)
        … use server.url + "/team.git" …
        assert server.count("POST", "/git-receive-pack$") == 1

By hand: githttp.py FOLDER [--token TOKEN] [--fault MODE]
"""

import argparse
import base64
import hmac
import http.server
import os
import re
import select
import socket
import ssl
import subprocess
import sys
import threading
import urllib.parse

BLOCK = 65536
HTML = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Please sign in</h1></body></html>"


class Fault:
    def __init__(self, mode, times, match, parameters):
        self.mode = mode
        self.times = times  # None: until clear_faults()
        self.match = re.compile(match)
        self.parameters = parameters

    def acts_on(self, target):
        if self.times == 0 or not self.match.search(target):
            return False
        if self.times is not None:
            self.times -= 1
        return True


class Body:
    """The body of a request, read as it is asked for. At its end it is empty for ever."""

    def __init__(self, handler):
        self.rfile = handler.rfile
        self.chunked = "chunked" in handler.headers.get("Transfer-Encoding", "").lower()
        self.left = 0 if self.chunked else int(handler.headers.get("Content-Length") or 0)
        self.ended = not self.chunked and not self.left
        self.length = None if self.chunked else self.left
        self.received = 0

    def read(self):
        if self.chunked and not self.ended and not self.left:
            self.begin_chunk()
        if self.ended:
            return b""
        data = self.rfile.read1(min(self.left, BLOCK))
        if not data:
            raise ConnectionError("the request ended early")
        self.left -= len(data)
        self.received += len(data)
        if self.chunked and not self.left:
            self.rfile.readline()
        self.ended = not self.chunked and not self.left
        return data

    def begin_chunk(self):
        self.left = int(self.rfile.readline().partition(b";")[0], 16)
        if not self.left:
            while self.rfile.readline().strip():
                pass  # trailers
            self.ended = True

    def drain(self):
        while self.read():
            pass


class Backend:
    """One run of `git http-backend`: it is fed while its answer is read, as it may answer before it has read all."""

    def __init__(self, environment, body):
        self.process = subprocess.Popen(
            ["git", "http-backend"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.feeder = threading.Thread(target=self.feed, args=(body,), daemon=True)
        self.feeder.start()
        self.status = 200
        self.headers = {}
        self.read_headers()

    def feed(self, body):
        try:
            with self.process.stdin as stdin:
                while data := body.read():
                    stdin.write(data)
                    stdin.flush()
        except (OSError, ValueError):
            pass  # one of the two has gone; the other side of this exchange will notice

    def read_headers(self):
        while line := self.process.stdout.readline().strip():
            name, _, value = line.decode("latin-1").partition(":")
            if name.lower() == "status":
                self.status = int(value.split()[0])
            else:
                self.headers[name] = value.strip()

    def blocks(self):
        while data := self.process.stdout.read1(BLOCK):
            yield data

    def end(self):
        self.process.kill()
        self.process.stdout.close()
        self.process.wait()
        self.feeder.join()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def serve(self):
        self.body = Body(self)
        self.entry = self.server.begin_entry(self.command, self.path)
        fault = self.server.take_fault(self.path)
        try:
            if fault:
                self.entry["fault"] = fault.mode
                MODES[fault.mode](self, **fault.parameters)
            else:
                self.answer()
            self.body.drain()
        except OSError:
            self.close_connection = True  # whoever asked has gone
        finally:
            self.entry["received"] = self.body.received
            self.entry["ended"] = True

    do_GET = do_POST = serve

    # ---- as it should be ----

    def authorized(self):
        token = self.server.token
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            try:
                value = base64.b64decode(value).decode().partition(":")[2]
            except ValueError:
                return token is None
        return token is None or hmac.compare_digest(value, token)

    def environment(self, query):
        target = urllib.parse.urlsplit(self.path)
        found = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": self.server.root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "http.receivepack",
            "GIT_CONFIG_VALUE_0": "true" if self.server.push else "false",
            "GIT_CONFIG_KEY_1": "safe.directory",
            "GIT_CONFIG_VALUE_1": "*",
            "PATH_INFO": urllib.parse.unquote(target.path),
            "QUERY_STRING": target.query if query else "",
            "REQUEST_METHOD": self.command,
            "REMOTE_ADDR": self.client_address[0],
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        if self.body.length is not None:
            found["CONTENT_LENGTH"] = str(self.body.length)
        return found

    def answer(self, query=True, pace=None, limit=None):
        """Through the backend. `pace` cuts each block into what is sent at a time; `limit`: bytes sent, then a cut."""
        if not self.authorized():
            self.answer_plain(401, b"a token is needed\n", {"WWW-Authenticate": 'Basic realm="git"'})
            return
        backend = Backend(self.environment(query), self.body)
        try:
            chunked = "Content-Length" not in backend.headers
            self.begin(backend.status, backend.headers | ({"Transfer-Encoding": "chunked"} if chunked else {}))
            for block in backend.blocks():
                # What lies behind a cut is read all the same, so that the backend does what it was asked.
                kept = block if limit is None else block[: max(0, limit - self.entry["sent"])]
                for piece in pace(kept) if pace else filter(None, [kept]):
                    self.send_piece(piece, chunked)
            if limit is not None:
                self.cut()
            elif chunked:
                self.wfile.write(b"0\r\n\r\n")
                self.wfile.flush()
        finally:
            backend.end()

    def send_piece(self, piece, chunked):
        self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        self.wfile.flush()
        self.entry["sent"] += len(piece)

    def begin(self, status, headers):
        self.entry["status"] = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()

    def answer_plain(self, status, content=b"", headers=(), content_type="text/plain"):
        self.begin(status, {"Content-Type": content_type, "Content-Length": str(len(content))} | dict(headers))
        self.wfile.write(content)
        self.wfile.flush()

    # ---- as it is told ----

    def cut(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def wait_until_gone(self):
        while not self.server.stopping.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.05)
            if readable and not self.connection.recv(BLOCK):
                break
        self.close_connection = True
        self.body.ended = True

    def headers_only(self):
        self.begin(200, {"Content-Type": advertised_type(self.path), "Content-Length": "100000"})
        self.wait_until_gone()

    def slow(self, interval_s=1.0):
        def pace(block):
            for i in range(len(block)):
                yield block[i : i + 1]
                if self.server.stopping.wait(interval_s):
                    return

        self.answer(pace=pace)

    def status(self, code, headers=()):
        self.answer_plain(code, b"made to fail\n", headers)

    def redirect(self, url, code=302):
        self.answer_plain(code, headers={"Location": url + self.path})

    def cut_after(self, sent=0):
        self.answer(limit=sent)

    def dumb(self):
        self.answer(query=False)

    def html(self):
        self.answer_plain(200, HTML, content_type="text/html; charset=utf-8")

    def endless(self):
        """An advertisement of references that never ends."""
        self.begin(200, {"Content-Type": advertised_type(self.path), "Connection": "close"})
        self.close_connection = True
        line = b"%040x refs/heads/branch\n"
        self.wfile.write(b"001e# service=git-upload-pack\n0000")
        for i in range(1, 2**31):
            named = line.replace(b"branch", b"b%010d" % i) % i
            self.wfile.write(b"%04x%b" % (len(named) + 4, named))
            if self.server.stopping.is_set():
                break

    def hold(self):
        self.entry["held"] = True
        self.server.gate.wait()
        self.entry["held"] = False
        self.answer()

    def log_message(self, *_args):
        pass


def advertised_type(path):
    service = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query).get("service", ["git-upload-pack"])[0]
    return f"application/x-{service}-advertisement"


MODES = {
    "hang": Handler.wait_until_gone,
    "headers_only": Handler.headers_only,
    "slow": Handler.slow,  # interval_s
    "status": Handler.status,  # code, headers
    "redirect": Handler.redirect,  # url of the other origin, code
    "cut": Handler.cut_after,  # sent: bytes of the answer's body that still come; the request takes effect
    "dumb": Handler.dumb,
    "html": Handler.html,
    "endless": Handler.endless,
    "hold": Handler.hold,  # until release()
}


class GitServer(http.server.ThreadingHTTPServer):
    """`token`: wanted as the password of Basic or as Bearer; None for nobody's. `push`: whether pushing is allowed.
    `tls`: files of a certificate and its key."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, root, token=None, push=True, port=0, tls=None):
        super().__init__(("127.0.0.1", port), Handler)
        self.root = os.path.abspath(root)
        self.token = token
        self.push = push
        self.tls = None
        if tls:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*tls)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server_port}"
        self.lock = threading.Lock()
        self.faults = []
        self.entries = []
        self.gate = threading.Event()
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_exception):
        self.stopping.set()
        self.gate.set()
        self.shutdown()
        self.server_close()

    def fault(self, mode, times=1, match="", **parameters):
        """Makes the next `times` requests (None: all) whose path and query match misbehave: see MODES."""
        if mode not in MODES:
            raise ValueError(f"{mode} is none of {', '.join(MODES)}")
        if mode == "hold":
            self.gate.clear()
        with self.lock:
            self.faults.append(Fault(mode, times, match, parameters))

    def clear_faults(self):
        with self.lock:
            self.faults = []

    def release(self):
        self.gate.set()

    def take_fault(self, target):
        with self.lock:
            return next((fault for fault in self.faults if fault.acts_on(target)), None)

    def begin_entry(self, method, target):
        entry = {"method": method, "target": target, "status": None, "received": 0, "sent": 0}
        entry |= {"fault": None, "held": False, "ended": False}
        with self.lock:
            self.entries.append(entry)
        return entry

    def requests(self, method=None, match="", **with_values):
        """What was asked, oldest first: requests("POST", "/git-upload-pack$", status=200)."""
        with self.lock:
            return [
                dict(entry)
                for entry in self.entries
                if method in (None, entry["method"])
                and re.search(match, entry["target"])
                and all(entry[name] == value for name, value in with_values.items())
            ]

    def count(self, method=None, match="", **with_values):
        return len(self.requests(method, match, **with_values))

    def finish_request(self, request, client_address):
        if not self.tls:
            super().finish_request(request, client_address)
            return
        with self.tls.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)

    def handle_error(self, request, client_address):
        if not self.stopping.is_set() and not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", help="what the bare repositories are in")
    parser.add_argument("--token")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--fault", choices=sorted(MODES), help="for all requests")
    options = parser.parse_args()
    with GitServer(options.folder, options.token, port=options.port) as server:
        if options.fault:
            server.fault(options.fault, times=None)
        print(f"listening on {server.url}", flush=True)
        server.thread.join()


if __name__ == "__main__":
    main()
