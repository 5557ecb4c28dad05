"""What stands between: a relay that passes bytes on and then no longer does, and an HTTP proxy.

    with Relay(server.port, free=2000, then="drip") as relay: … 127.0.0.1, relay.port …
    with Proxy() as proxy: … http_proxy=proxy.url … proxy.asked == ["CONNECT 127.0.0.1:4433"]
"""

import re
import select
import socket
import threading

BLOCK = 65536


class Listener:
    """Each connection is served by a thread of its own, which ends when `stopping` is set."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.stopping = threading.Event()
        self.accepted = 0

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_exception):
        self.stopping.set()
        self.socket.close()

    def accept(self):
        while not self.stopping.is_set():
            try:
                if not select.select([self.socket], [], [], 0.05)[0]:
                    continue
                client = self.socket.accept()[0]
            except (OSError, ValueError):
                return
            self.accepted += 1
            threading.Thread(target=self.run, args=(client,), daemon=True).start()

    def run(self, client):
        with client:
            try:
                self.serve(client)
            except OSError:
                pass  # one of the two has gone

    def pass_on(self, client, server, answer=None):
        """Both ways until one ends; `answer` sends what comes from the server, and says whether to go on."""
        while not self.stopping.is_set():
            for one in select.select([client, server], [], [], 0.05)[0]:
                data = one.recv(BLOCK)
                if not data:
                    return
                if one is client:
                    server.sendall(data)
                elif not answer:
                    client.sendall(data)
                elif not answer(data):
                    return

    def hold(self, client):
        """Takes what comes and says nothing, until the client goes."""
        while not self.stopping.is_set():
            if select.select([client], [], [], 0.05)[0] and not client.recv(BLOCK):
                return


class Relay(Listener):
    """To a port of this machine. After `free` bytes of answer: "cut", "hold" or "drip", which is a byte each second."""

    def __init__(self, port, free=0, then="hold"):
        super().__init__()
        self.to = port
        self.free = free
        self.then = then

    def serve(self, client):
        left = self.free

        def answer(data):
            nonlocal left
            client.sendall(data[:left])
            rest = data[left:]
            left -= len(data) - len(rest)
            if rest and self.then == "drip":
                for byte in rest:
                    client.sendall(bytes([byte]))
                    if self.stopping.wait(1):
                        return False
            elif rest and self.then == "hold":
                self.hold(client)
            return not rest

        with socket.create_connection(("127.0.0.1", self.to)) as server:
            self.pass_on(client, server, answer)


class Proxy(Listener):
    """Takes CONNECT and absolute URLs. `answer`: the status line with which it refuses; `silent`: says nothing."""

    def __init__(self, answer=None, silent=False):
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}"
        self.answer = answer
        self.silent = silent
        self.asked = []  # first lines
        self.heads = b""  # all that it could read

    def serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            data = client.recv(BLOCK)
            if not data:
                return
            head += data
        self.heads += head
        line = head.decode("latin-1").partition(" HTTP/")[0]
        self.asked.append(line)
        if self.silent:
            self.hold(client)
        elif self.answer:
            client.sendall(f"HTTP/1.1 {self.answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        elif line.startswith("CONNECT "):
            self.tunnel(client, line.split()[1])
        else:
            self.forward(client, head)

    def tunnel(self, client, target):
        host, _, port = target.rpartition(":")
        with socket.create_connection((host, int(port))) as server:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self.pass_on(client, server)

    def forward(self, client, head):
        """One request and whatever belongs to it; the connection ends with the answer."""
        method, host, port, path = re.match(rb"(\w+) http://([^/:]+):(\d+)(\S*)", head).groups()
        rest = head.partition(b" HTTP/1.1\r\n")[2]
        with socket.create_connection((host.decode(), int(port))) as server:
            server.sendall(method + b" " + path + b" HTTP/1.1\r\nConnection: close\r\n" + rest)
            self.pass_on(client, server)
