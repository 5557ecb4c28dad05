#!/usr/bin/env python3
"""Webhooks over HTTP: what wakes weir, what does not, and what is refused before it costs anything."""

import hashlib
import hmac
import http.client
import json
import socket
import time
import unittest
import urllib.parse

from weirtest import DEADLINE_S, Site, document, main, wait_for

SECRET = "webhook-secret-that-nobody-may-see"
ONE = {"orders.yaml": document("orders-dr")}
BODY_MOST = 3 << 20


def site():
    made = Site(
        source={"interval": "1h"},
        sync={"interval": "1h"},
        environment={"HOOK_SECRET": SECRET},
    )
    made.configure(http={"webhook_secret": "env:HOOK_SECRET"})
    made.canaries.add(SECRET)
    return made


def sign(body):
    return hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def push_of(ref="refs/heads/main"):
    return json.dumps({"ref": ref, "before": "0" * 40, "after": "1" * 40}).encode()


def headers_of(body, event="push", delivery=None):
    found = {"Content-Type": "application/json", "X-GitHub-Event": event, "X-Hub-Signature-256": f"sha256={sign(body)}"}
    return found | ({"X-GitHub-Delivery": delivery} if delivery else {})


def send(s, body, headers, path="/hooks/acme", method="POST"):
    """(status, text, seconds)"""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(s.url).netloc, timeout=DEADLINE_S)
    started = time.monotonic()
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    took = time.monotonic() - started
    connection.close()
    return answer.status, text, took


class HookTest(unittest.TestCase):
    def test_a_push_is_seen_at_once(self):
        with site() as s:
            s.start()
            wait_for(lambda: s.metric("weir_source_reads_total") >= 1, DEADLINE_S)
            sha = s.repository.push(ONE)
            body = push_of()
            status, text, _ = send(s, body, headers_of(body))
            self.assertEqual((status, text), (202, "looking at once\n"))
            s.wait_status(sha, "success", "^1 in sync")
            self.assertEqual(s.metric("weir_webhooks_total", outcome="push"), 1)

    def test_what_is_not_our_branch_wakes_nobody(self):
        with site() as s:
            s.start()
            wait_for(lambda: s.metric("weir_passes_total") >= 1 or s.metric("weir_source_reads_total") >= 1, DEADLINE_S)
            before = s.metric("weir_source_reads_total")
            for ref in ("refs/heads/other", "refs/notes/weir/acme", "refs/tags/main", "main"):
                body = push_of(ref)
                self.assertEqual(send(s, body, headers_of(body))[0], 202)
            body = push_of()
            self.assertEqual(send(s, body, headers_of(body, "pull_request"))[0], 202)
            self.assertEqual(send(s, body, headers_of(body, "ping"))[:2], (200, "the signature is right\n"))
            self.assertEqual(s.metric("weir_source_reads_total"), before)
            self.assertEqual(s.metric("weir_webhooks_total", outcome="ignored"), 5)

    def test_without_a_right_signature_nothing_is_believed(self):
        with site() as s:
            s.start()
            body = push_of()
            good = headers_of(body)
            for wrong in (None, "", "sha256=", f"sha256={'0' * 64}", sign(body), f"sha256={sign(body)[:-1]}"):
                headers = {k: v for k, v in good.items() if k != "X-Hub-Signature-256"}
                headers |= {"X-Hub-Signature-256": wrong} if wrong is not None else {}
                with self.subTest(wrong):
                    status, text, _ = send(s, body, headers)
                    self.assertEqual(status, 401)
                    self.assertIn("http.webhook_secret", text)
            for i in range(0, len(body), 7):
                changed = body[:i] + bytes([body[i] ^ 1]) + body[i + 1 :]
                self.assertEqual(send(s, changed, good)[0], 401)
            self.assertEqual(s.metric("weir_webhooks_total", outcome="push"), 0)

    def test_a_delivery_that_comes_twice_counts_once(self):
        with site() as s:
            s.start()
            body = push_of()
            self.assertEqual(send(s, body, headers_of(body, delivery="d-1"))[1], "looking at once\n")
            self.assertEqual(send(s, body, headers_of(body, delivery="d-1"))[1], "this delivery was dealt with before\n")

    def test_bodies_over_the_cap_are_refused_before_they_are_read(self):
        with site() as s:
            s.start()
            address = urllib.parse.urlsplit(s.url)
            with socket.create_connection((address.hostname, address.port), timeout=DEADLINE_S) as client:
                client.sendall(
                    b"POST /hooks/acme HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n" % (BODY_MOST + 1)
                )
                self.assertIn(b" 413 ", client.recv(100))

    def test_a_body_that_drips_is_given_up_and_others_are_served(self):
        with site() as s:
            s.start()
            address = urllib.parse.urlsplit(s.url)
            body = push_of()
            with socket.create_connection((address.hostname, address.port), timeout=DEADLINE_S) as client:
                client.sendall(b"POST /hooks/acme HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
                self.assertEqual(send(s, body, headers_of(body))[0], 202)
                client.settimeout(30)
                try:
                    self.assertNotIn(b" 202 ", client.recv(100))
                except ConnectionResetError:
                    pass

    def test_a_flood_is_limited_and_health_still_answers(self):
        with site() as s:
            s.start()
            body = push_of()
            answers = set()
            for _ in range(2000):  # enough of them in a row, however slow the machine
                answers.add(send(s, body, {"X-GitHub-Event": "push"})[0])
                if 429 in answers:
                    break
            self.assertEqual(answers, {401, 429})
            self.assertEqual(s.get("/healthz")[0], 200)

    def test_it_answers_at_once_while_work_is_under_way(self):
        with site() as s:
            s.start()
            s.repository.push({f"r{i}.yaml": document(f"r{i}") for i in range(50)})
            took = []
            for _ in range(20):
                body = push_of()
                status, _, seconds = send(s, body, headers_of(body))
                self.assertEqual(status, 202)
                took.append(seconds)
            self.assertLess(sorted(took)[len(took) // 4], 0.05)  # others have the machine at times

    def test_other_names_and_methods_are_refused(self):
        with site() as s:
            s.start()
            body = push_of()
            self.assertEqual(send(s, body, headers_of(body), path="/hooks/other")[:2], (404, "webhooks go to /hooks/acme here\n"))
            self.assertEqual(send(s, None, {}, method="GET")[0], 405)

    def test_without_a_secret_there_are_none(self):
        with Site() as s:
            s.start()
            body = push_of()
            status, text, _ = send(s, body, headers_of(body))
            self.assertEqual((status, text), (404, "there are no webhooks without http.webhook_secret\n"))


if __name__ == "__main__":
    main()
