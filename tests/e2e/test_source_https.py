#!/usr/bin/env python3
"""Git over https from a private authority, over proxies, and from who should not be believed."""

import tempfile

from certificates import Authority
from githttp import GitServer
from relays import Proxy, Relay
from sourcetest import SourceTest
from weirtest import main

TOKEN = "token-that-goes-to-one-place"
PROXY_VARIABLES = ("NO_PROXY", "no_proxy", "http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")
NO_PROXY = {name: "" for name in PROXY_VARIABLES}

class HttpsTest(SourceTest):
    name = "IP:127.0.0.1"
    days = 2

    def serve(self, **more):
        return super().serve(tls=authority.issue(self.name, self.days), **more)

    def probe(self, url=None, ca_file=None, **more):
        return super().probe(url, ca_file=ca_file or authority.file, **more)

    def with_token(self, url=None, environment=None, **more):
        return self.probe(url, token_ref="env:GIT_TOKEN", environment={"GIT_TOKEN": TOKEN} | (environment or {}), **more)


class Certificates(HttpsTest):
    def test_of_a_private_authority(self):
        probe = self.probe()
        self.assertEqual(probe.fetch()[0], self.first)
        probe.ask("note", self.first, "1 in sync")
        self.assertIn("1 in sync", self.git("notes", "--ref=weir/acme", "show", self.first, within=self.bare))

    def test_of_an_authority_that_is_not_known(self):
        stranger = Authority(self.folder / "stranger")
        self.fails("auth", "certificate is refused: .*name a CA file", self.probe(ca_file=stranger.file).fetch)
        self.assertEqual(self.server.count(), 0)

    def test_when_the_file_of_the_authority_is_not_there(self):
        self.fails("config", "CA file cannot be used: .*check that it exists", self.probe(ca_file="/nowhere").fetch)

    def test_when_the_port_has_no_tls(self):
        with GitServer(self.folder / "served") as plain:
            probe = self.probe(plain.url.replace("http:", "https:") + "/team.git")
            self.fails("unavailable", "TLS failed.*check that the port speaks TLS", probe.fetch, retriable=True)

    def test_when_the_handshake_never_ends(self):
        with Relay(self.server.server_port, then="hold") as relay:
            self.fails_in_time("0 bytes", self.probe(f"https://127.0.0.1:{relay.port}/team.git", timeout_ms=1000))

    def test_when_the_handshake_drips(self):
        with Relay(self.server.server_port, free=10, then="drip") as relay:
            self.fails_in_time("0 bytes", self.probe(f"https://127.0.0.1:{relay.port}/team.git", timeout_ms=1000))

    def test_when_the_connection_dies_in_the_middle(self):
        for free in (0, 100, 2000):
            with self.subTest(free), Relay(self.server.server_port, free=free, then="cut") as relay:
                probe = self.probe(f"https://127.0.0.1:{relay.port}/team.git")
                self.fails("unavailable", "see the server's log|TLS", probe.fetch, retriable=True)
                probe.close()


class Expired(HttpsTest):
    days = -1

    def test_is_refused(self):
        self.fails("auth", "certificate is refused: .*expired.*correct it", self.probe().fetch)
        self.assertEqual(self.server.count(), 0)


class OfAnotherHost(HttpsTest):
    name = "DNS:other.example.com"

    def test_is_refused(self):
        self.fails("auth", "certificate is refused: .*(match|subject name).*correct it", self.probe().fetch)
        self.assertEqual(self.server.count(), 0)


class Tokens(HttpsTest):
    token = TOKEN

    def test_goes_to_the_server_that_it_is_for(self):
        self.assertEqual(self.with_token().fetch()[0], self.first)

    def test_is_wanted(self):
        self.fails("auth", r"wants a token; set source\.token", self.probe().fetch)

    def test_never_follows_a_redirect(self):
        with Proxy(answer="200 OK") as elsewhere:
            for code in (301, 302, 303, 307, 308):
                with self.subTest(code):
                    self.server.fault("redirect", url=elsewhere.url, code=code)
                    probe = self.with_token()
                    self.fails("remote", "redirects to .*not followed: set source.url", probe.fetch)
                    probe.close()
            self.assertEqual(elsewhere.accepted, 0)


class Proxies(HttpsTest):
    token = TOKEN

    def through(self, proxy, **more):
        return self.with_token(environment=NO_PROXY | {"https_proxy": proxy.url, "http_proxy": proxy.url}, **more)

    def test_a_tunnel_hides_the_token(self):
        with Proxy() as proxy:
            self.assertEqual(self.through(proxy).fetch()[0], self.first)
            self.assertEqual(set(proxy.asked), {f"CONNECT 127.0.0.1:{self.server.server_port}"})
            self.assertNotIn(b"uthorization", proxy.heads)

    def test_plain_http_is_forwarded(self):
        with Proxy() as proxy, GitServer(self.folder / "served", TOKEN) as plain:
            self.assertEqual(self.through(proxy, url=plain.url + "/team.git").fetch()[0], self.first)
            self.assertRegex(proxy.asked[0], f"^GET {plain.url}/team.git/info/refs")
            self.assertEqual(plain.count(), len(proxy.asked))

    def test_that_refuses(self):
        for answer in ("403 Forbidden", "407 Proxy Authentication Required", "502 Bad Gateway"):
            with self.subTest(answer), Proxy(answer=answer) as proxy:
                probe = self.through(proxy)
                self.fails("unavailable", f"{answer[:3]}.*proxy", probe.fetch, retriable=True)
                probe.close()

    def test_that_says_nothing(self):
        with Proxy(silent=True) as proxy:
            self.fails_in_time("0 bytes", self.through(proxy, timeout_ms=1000))

    def test_that_is_not_there(self):
        with Proxy() as proxy:
            pass
        self.fails("unavailable", "cannot be reached", self.through(proxy).fetch, retriable=True)

    def test_is_not_asked_for_hosts_that_are_excepted(self):
        with Proxy() as proxy:
            environment = NO_PROXY | {"https_proxy": proxy.url, "no_proxy": "127.0.0.1"}
            self.assertEqual(self.with_token(environment=environment).fetch()[0], self.first)
            self.assertEqual(proxy.asked, [])


class Answers(HttpsTest):
    def test_statuses_say_what_to_do(self):
        for code, name, words in (
            (401, "auth", "wants a token; set source.token"),
            (403, "denied", "forbids reading.*set source.token"),
            (404, "not-found", "no such repository.*set source.token"),
        ):
            with self.subTest(code):
                self.server.fault("status", code=code)
                probe = self.probe()
                self.fails(name, words, probe.fetch)
                probe.close()

    def test_a_server_of_files_and_a_web_page(self):
        self.server.fault("dumb")
        self.fails("remote", "'dumb' server", self.probe().fetch)

    def test_a_web_page(self):
        self.server.fault("html")
        self.fails("remote", "web page, not with Git: check source.url", self.probe().fetch)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as shared:
        authority = Authority(shared + "/authority")
        main()
