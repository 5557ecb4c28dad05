"""A private sshd on a free port of the loopback, as whoever runs the tests: its host keys, its users' keys.

    with SshServer(folder) as server:
        key = make_key(folder / "key", "ed25519")
        server.authorize(key)                               # or with 'command="…"', to run only that
        … use server.url("/srv/team.git") with key and server.known_hosts …
"""

import getpass
import os
import pathlib
import socket
import subprocess
import time

SSHD = "/usr/sbin/sshd"
DEADLINE_S = 180
CONFIG = """\
ListenAddress 127.0.0.1
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 1000
LogLevel VERBOSE
"""


def make_key(file, kind, passphrase=""):
    """A private key; its public one stands beside it as .pub."""
    words = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", file]
    subprocess.run(words, stdin=subprocess.DEVNULL, check=True, timeout=DEADLINE_S)
    return pathlib.Path(file)


def public(key):
    return key.with_name(key.name + ".pub").read_text().strip()


class SshServer:
    def __init__(self, folder, host_kind="ed25519"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.user = getpass.getuser()
        self.host_key = make_key(self.folder / "host", host_kind)
        self.known_hosts = self.folder / "known_hosts"
        self.know(self.known_hosts, self.host_key)
        self.authorized = self.folder / "authorized_keys"
        self.authorized.touch()
        self.log = self.folder / "log"

    def know(self, file, host_key):
        """Whatever port it is at, so that a relay can stand between."""
        file.write_text(f"[127.0.0.1]:* {public(host_key)}\n")

    def authorize(self, key, options=""):
        """`options`: what stands before a key in authorized_keys(5)."""
        with open(self.authorized, "a") as file:
            file.write(f"{options} {public(key)}\n".lstrip())

    def url(self, path, port=None):
        return f"ssh://{self.user}@127.0.0.1:{port or self.port}{path}"

    # ---- as a process ----

    def __enter__(self):
        if os.geteuid() == 0:
            pathlib.Path("/run/sshd").mkdir(exist_ok=True)  # sshd wants it there when it is root's
        until = time.monotonic() + DEADLINE_S
        while not self.start() and time.monotonic() < until:
            pass
        return self

    def start(self):
        """False if somebody else took the port that was free."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        config = self.folder / "config"
        config.write_text(
            f"{CONFIG}Port {self.port}\nHostKey {self.host_key}\nAuthorizedKeysFile {self.authorized}\n"
        )
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", config], stdout=log, stderr=log)
        while self.process.poll() is None:
            if f"listening on 127.0.0.1 port {self.port}" in self.log.read_text():
                return True
            time.sleep(0.01)
        if "Address already in use" not in self.log.read_text():
            raise AssertionError(f"sshd ended: {self.log.read_text()}")
        return False

    def __exit__(self, *_exception):
        self.process.terminate()
        self.process.wait(DEADLINE_S)
