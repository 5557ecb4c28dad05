#!/usr/bin/env python3
"""Git over ssh: keys, agents, known hosts, and servers that hang, drip and die."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile

from relays import Relay
from sourcetest import DEADLINE_S, SourceTest
from sshserver import SshServer, make_key
from weirtest import Site, document, main, wait_for

SSH = "/usr/bin/ssh"
server = None


class SshTest(SourceTest):
    def key(self, kind="ed25519", options="", passphrase=""):
        """One that the server lets in, to do what the options say."""
        key = make_key(self.folder / f"key-{kind}{len(list(self.folder.iterdir()))}", kind, passphrase)
        server.authorize(key, options)
        return key

    def probe(self, url=None, key=None, known_hosts=None, **more):
        key = key or self.key()
        url = url or server.url(self.bare)
        return super().probe(url, ssh_key=key, known_hosts=known_hosts or server.known_hosts, **more)

    def says(self, command):
        """A source at a server that runs this instead of git."""
        return self.probe(key=self.key(options=f'command="{command}"'))


class Keys(SshTest):
    def test_of_each_kind_read_and_write(self):
        for kind in ("ed25519", "rsa", "ecdsa"):
            with self.subTest(kind):
                probe = self.probe(key=self.key(kind))
                self.assertEqual(probe.fetch()[0], self.first)
                probe.ask("note", self.first, f"1 {kind}")
                self.assertIn(kind, self.git("notes", "--ref=weir/acme", "show", self.first, within=self.bare))
                probe.close()

    def test_followed_over_several_commits(self):
        probe = self.probe()
        probe.fetch()
        second = self.commit("b")
        self.assertEqual(probe.fetch(self.first)[:2], [second, "forward"])
        self.assertEqual(probe.ask("load", second), ["a", "b"])

    def agent(self, key):
        """An agent that has a key whose passphrase is "secret"; its socket."""
        socket = self.folder / "agent"
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
        self.addCleanup(agent.wait, DEADLINE_S)
        self.addCleanup(agent.terminate)
        ask = self.folder / "ask"
        ask.write_text("#!/bin/sh\necho secret\n")
        ask.chmod(0o700)
        environment = os.environ | {"SSH_AUTH_SOCK": str(socket), "SSH_ASKPASS": str(ask), "SSH_ASKPASS_REQUIRE": "force"}
        asks = ["ssh-add", "-l"]  # ends with 2 as long as nobody answers
        wait_for(lambda: subprocess.run(asks, env=environment, capture_output=True, check=False).returncode != 2,
                 DEADLINE_S, "the agent")
        words = ["ssh-add", "-q", key]
        subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, check=True, timeout=DEADLINE_S)
        return str(socket)

    def test_with_a_passphrase_from_an_agent(self):
        key = self.key(passphrase="secret")
        probe = self.probe(key=key, environment={"SSH_AUTH_SOCK": self.agent(key)})
        self.assertEqual(probe.fetch()[0], self.first)

    def test_with_a_passphrase_and_no_agent(self):
        ask = {"SSH_AUTH_SOCK": "", "DISPLAY": ":0", "SSH_ASKPASS": "/bin/false", "SSH_ASKPASS_REQUIRE": "force"}
        probe = self.probe(key=self.key(passphrase="secret"), environment=ask)
        self.fails("auth", "none of our keys .permission denied.*passphrase needs an ssh-agent", probe.fetch)

    def test_that_is_not_let_in(self):
        probe = self.probe(key=make_key(self.folder / "stranger", "ed25519"))
        self.fails("auth", r"none of our keys .*register the public key there.*source\.ssh_key", probe.fetch)

    def test_that_cannot_be_used(self):
        readable = self.key()
        readable.chmod(0o644)
        self.fails("auth", "may be read by others.*0600", self.probe(key=readable).fetch)

    def test_that_is_none(self):
        broken = self.folder / "broken"
        broken.write_text("no key\n")
        broken.chmod(0o600)
        self.fails("auth", f'Load key "{broken}".*check source.ssh_key', self.probe(key=broken).fetch)

    def test_that_is_missing_and_then_comes(self):
        key = self.key()
        kept = key.rename(self.folder / "kept")
        probe = self.probe(key=key)
        self.fails("auth", f"source.ssh_key: {key} cannot be read: No such file", probe.fetch)
        kept.rename(key)
        self.assertEqual(probe.fetch()[0], self.first)

    def test_in_a_folder_with_spaces(self):
        folder = self.folder / "a folder, of keys"
        folder.mkdir()
        key = make_key(folder / "its key", "ed25519")
        server.authorize(key)
        known = folder / "known hosts"
        known.write_text(server.known_hosts.read_text())
        self.assertEqual(self.probe(key=key, known_hosts=known).fetch()[0], self.first)


class HostKeys(SshTest):
    def test_unknown(self):
        known = self.folder / "known"
        known.touch()
        probe = self.probe(known_hosts=known)
        self.fails("auth", r"host key is not known; compare what ssh-keyscan prints.*source\.known_hosts", probe.fetch)
        self.assertEqual(known.read_text(), "")
        server.know(known, server.host_key)
        self.assertEqual(probe.fetch()[0], self.first)

    def test_changed(self):
        known = self.folder / "known"
        server.know(known, make_key(self.folder / "older", "ed25519"))
        self.fails("auth", "host key is not the one that is known.*ssh-keygen -R", self.probe(known_hosts=known).fetch)

    def test_of_other_kinds(self):
        for kind in ("rsa", "ecdsa"):
            with self.subTest(kind), SshServer(self.folder / kind, host_kind=kind) as other:
                key = make_key(self.folder / f"for-{kind}", "ed25519")
                other.authorize(key)
                probe = self.probe(other.url(self.bare), key=key, known_hosts=other.known_hosts)
                self.assertEqual(probe.fetch()[0], self.first)
                probe.close()


class Configuration(SshTest):
    """What ssh_config(5) says counts. OpenSSH looks for it where passwd(5) has the home, so a wrapper brings it."""

    def with_config(self, url, config, **more):
        file = self.folder / "config"
        file.write_text(config)
        wrapper = self.folder / "bin" / "ssh"
        wrapper.parent.mkdir()
        wrapper.write_text(f'#!/bin/sh\nexec {SSH} -F {file} "$@"\n')
        wrapper.chmod(0o700)
        environment = {"PATH": f"{wrapper.parent}:{os.environ['PATH']}"}
        return SourceTest.probe(self, url, environment=environment, **more)

    def host(self, *more):
        lines = [f"HostName 127.0.0.1\nPort {server.port}\nUser {server.user}", f"IdentityFile {self.key()}"]
        return "Host forge\n" + "\n".join([*lines, f"UserKnownHostsFile {server.known_hosts}", *more, ""])

    def test_of_a_user_is_what_ssh_knows(self):
        probe = self.with_config(f"forge:{self.bare}", self.host())
        self.assertEqual(probe.fetch()[0], self.first)
        probe.ask("note", self.first, "1 in sync")

    def test_that_would_disturb_is_overruled(self):
        disturbing = ("RemoteCommand echo hello", "RequestTTY force", "LogLevel QUIET", "ControlMaster auto")
        probe = self.with_config(f"ssh://forge{self.bare}", self.host(*disturbing, f"ControlPath {self.folder}/control"))
        self.assertEqual(probe.fetch()[0], self.first)
        self.assertFalse((self.folder / "control").exists())

    def test_that_names_a_command_to_connect_with_ends_with_it(self):
        pid = self.folder / "pid"
        command = f"ProxyCommand sh -c 'echo $$ >{pid}; exec sleep 1000'"
        self.fails_in_time("0 bytes", self.with_config(f"forge:{self.bare}", self.host(command), timeout_ms=1500), 1.5)
        wait_for(lambda: not pathlib.Path(f"/proc/{int(pid.read_text())}").exists(), DEADLINE_S, "its end")

    def test_that_is_broken_is_said(self):
        probe = self.with_config("forge:x", "Host forge\nNonsense yes\n")
        self.fails("config", "nonsense.*correct ssh_config", probe.fetch)

    def test_without_ssh(self):
        nothing = self.folder / "nothing"
        nothing.mkdir()
        probe = self.probe(environment={"PATH": str(nothing)})
        self.fails("config", "there is no ssh; install OpenSSH's client", probe.fetch)


class Repositories(SshTest):
    def test_in_scp_form(self):
        config = f"Port {server.port}\nIdentityFile {self.key()}\nUserKnownHostsFile {server.known_hosts}\n"
        probe = Configuration.with_config(self, f"{server.user}@127.0.0.1:{self.bare}", config)
        self.assertEqual(probe.fetch()[0], self.first)

    def test_with_a_path_that_a_shell_would_take_apart(self):
        odd = self.folder / "it's $HOME; `odd`!"
        self.bare.rename(odd)
        probe = self.probe(server.url(str(odd).replace("%", "%25")))
        self.assertEqual(probe.fetch()[0], self.first)

    def test_that_is_not_there(self):
        self.fails("not-found", "does not appear to be a git repository.*; check source.url", self.probe(server.url("/no.git")).fetch)

    def test_that_a_forge_does_not_show(self):
        for words in ("ERROR: Repository not found.", "Gitea: Cannot find repository: team/x", "could not be found or"):
            with self.subTest(words):
                probe = self.says(f"echo '{words}' >&2; exit 1")
                self.fails("not-found", "check source.url, and what the key may read", probe.fetch)
                probe.close()

    def test_that_may_not_be_written(self):
        command = "case $SSH_ORIGINAL_COMMAND in *receive*) echo 'ERROR: The key you are authenticating with has been"
        command += " marked as read only.' >&2; exit 1;; esac; eval \\\"$SSH_ORIGINAL_COMMAND\\\""
        probe = self.says(command)
        probe.fetch()
        self.fails("denied", "marked as read only.*let the key write", probe.ask, "note", self.first, "1 in sync")
        self.assertEqual(probe.fetch(self.first)[1], "same")

    def test_on_a_machine_without_git(self):
        self.fails("remote", "not found; install git there", self.says("git-that-is-missing").fetch)

    def test_behind_a_shell_that_talks(self):
        self.fails("remote", "not an answer of Git's, but: Welcome", self.says("echo Welcome; git-upload-pack x").fetch)

    def test_with_sha256(self):
        new = self.folder / "new.git"
        self.git("init", "--quiet", "--bare", "--object-format=sha256", new)
        commit = self.git("commit-tree", "-m", "first", self.git("mktree", within=new), within=new)
        self.git("update-ref", "refs/heads/main", commit, within=new)
        self.fails("remote", "SHA-256 repository; only SHA-1", self.probe(server.url(new)).fetch)


class Servers(SshTest):
    def test_that_is_not_there(self):
        self.fails("unavailable", "Connection refused.*; check source.url", self.probe(server.url("/x", 1)).fetch, retriable=True)

    def test_whose_name_is_not_known(self):
        probe = self.probe("ssh://git@no.such.host.invalid/x")
        self.fails("unavailable", "Could not resolve.*check the name", probe.fetch, retriable=True)

    def relayed(self, relay, **more):
        return self.probe(server.url(self.bare, relay.port), **more)

    def test_that_accepts_and_says_nothing(self):
        with Relay(server.port, then="hold") as relay:
            self.fails_in_time("0 bytes received", self.relayed(relay, timeout_ms=1000))

    def test_that_drips(self):
        with Relay(server.port, then="drip") as relay:
            self.fails_in_time("0 bytes received", self.relayed(relay, timeout_ms=2000), 2)

    def large(self):
        """So much that a pack does not come with what is said before it."""
        path = self.work / "replicators" / "noise"
        path.write_bytes(os.urandom(1 << 19))
        return self.commit("large")

    def test_that_drips_in_the_middle_of_the_pack(self):
        self.large()
        with Relay(server.port, free=60000, then="drip") as relay:
            self.fails_in_time("[1-9][0-9]* bytes received", self.relayed(relay, timeout_ms=6000), 6)

    def test_that_falls_silent_in_the_middle_of_the_pack(self):
        self.large()
        with Relay(server.port, free=60000) as relay:
            self.fails_in_time("[1-9][0-9]* bytes received", self.relayed(relay, timeout_ms=6000), 6)

    def test_that_dies(self):
        head = self.large()
        key = self.key()
        for free in (0, 500, 60000):
            with self.subTest(free), Relay(server.port, free=free, then="cut") as relay:
                probe = self.relayed(relay, key=key)
                words = "Connection.* (closed|reset)|breaks off after [0-9]+ bytes; see the server's log"
                self.fails("unavailable", words, probe.fetch, retriable=True)
                probe.close()
        probe = self.probe(key=key)
        self.assertEqual(probe.fetch()[0], head)

    def test_that_hangs_during_a_push(self):
        with contextlib.closing(self.probe()) as patient:
            patient.fetch()
        hook = self.bare / "hooks" / "pre-receive"
        hook.write_text("#!/bin/sh\nexec sleep 1000\n")
        hook.chmod(0o700)
        probe = self.probe(timeout_ms=10000)
        self.fails("timeout", "gave up after 10s", probe.ask, "note", self.first, "x", retriable=True)
        self.end_hook()
        hook.unlink()
        probe.ask("note", self.first, "1 in sync")

    def end_hook(self):
        for environment in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            try:
                if os.readlink(environment) == str(self.bare):
                    os.kill(int(environment.parts[2]), signal.SIGKILL)
            except OSError:
                pass  # it has ended, or is none of ours


def test_as_a_whole(self):
    """weir over ssh alone: statuses stand on the commits, and what goes wrong is in its log."""
    with Site() as s:
        key = make_key(s.folder / "key", "ed25519")
        server.authorize(key)
        source = {"url": server.url(s.repository.bare), "ssh_key": str(key), "known_hosts": str(s.folder / "known")}
        (s.folder / "known").touch()
        s.configure(source=source)
        s.start()
        sha = s.push({"orders.yaml": document("orders-dr")})
        s.wait_log("host key is not known")
        server.know(s.folder / "known", server.host_key)
        s.wake()
        s.wait_status(sha, "success", "^1 in sync")
        s.canaries.add(re.sub(r"-----.*?-----|\s", "", key.read_text())[-40:])


Servers.test_with_weir_as_a_whole = test_as_a_whole

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as shared, SshServer(shared + "/ssh") as server:
        main()
