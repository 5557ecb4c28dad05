#!/usr/bin/env python3
"""Files that do not load, a configuration that cannot be, a store that is full or not ours, secrets that are away."""

import resource
import sqlite3
import time
import unittest

from weirtest import DEADLINE_S, Site, document, line_of, main, wait_for

GOOD = {"good.yaml": document("good-dr", lag_alert_threshold=1)}
HIDDEN = "a-password-in-a-file"
DETAILS = {"bootstrap_servers": "kafka:9093", "security_protocol": "SSL"}
SECRET = {
    "source_kafka_id": ...,
    "source_connection_details": DETAILS | {"security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN"},
    "source_secret_path": "kafka/orders",
}


def alias_bomb():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return "\n".join(lines) + "\n"


def two_documents():
    return document("bad-dr") + "---\n" + document("bad-dr")


# A file, what its commit's status says, and the word on whose line it is (or the line's number).
FILES = {
    "syntax": (document("bad-dr", lag_alert_threshold=1) + "  topic_blacklist: [a\n", "was expected here", 12),
    "tab": (document("bad-dr") + "\tsync: {}\n", "a tab cannot indent", "\tsync"),
    "wrong type": (document("bad-dr", lag_alert_threshold="many"), "must be a whole number", "many"),
    "wrong shape": (document("bad-dr", topic_whitelist={"a": 1}), "topic_whitelist: must be a list", "topic_whitelist"),
    "unknown field": (document("bad-dr", lag_alert_treshold=1), "did you mean lag_alert_threshold", "treshold"),
    "unknown key": (document("bad-dr") + "specs: {}\n", "specs: unknown key; did you mean spec", "specs"),
    "unknown kind": (document("bad-dr").replace("Replicator", "Replicatr"), "did you mean KafkaReplicator", "kind"),
    "other version": (document("bad-dr").replace("weir/v1", "weir/v9"), "must be weir/v1", "apiVersion"),
    "missing field": (document("bad-dr", provider=...), "provider: is required", 5),
    "bad name": (document("Bad_Name"), "is no name", "metadata"),
    "a key twice": (document("bad-dr") + "sync: {}\nsync: {}\n", "the same key stands at line 10", 11),
    "YAML 1.1": (document("bad-dr").replace('["orders.*"]', "[no]"), 'write "no"', "[no]"),
    "a name twice": (two_documents(), '"bad-dr" is declared here and in replicators/bad.yaml:13', "metadata"),
    "UTF-16": (document("bad-dr").encode("utf-16"), "it looks like UTF-16; save it as UTF-8", 1),
    "no UTF-8": (document("bad-dr").encode() + b"# \xff\n", "not UTF-8", 10),
    "NUL": (document("bad-dr").encode() + b"\0\n", "a NUL byte", 10),
    "alias bomb": (alias_bomb(), "too many values", None),
    "nested": ("a: " + "[" * 200 + "]" * 200 + "\n", "nested too deep", 1),
    "a list": ("- 1\n- 2\n", "a document must be a map", 1),
    "too large": ("# x\n" * 300_000, "is larger than 1 MiB", None),
    "LFS": ("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n", "is a Git LFS pointer", None),
    "a contradiction": (document("bad-dr", {"protect": True, "replace": True}), "replace: contradicts protect", "sync"),
    "a dependence on itself": (document("bad-dr", {"depends_on": ["bad-dr"]}), "is the replicator itself", "sync"),
    "a bad cluster": (
        "apiVersion: weir/v1\nkind: KafkaCluster\nmetadata: {name: a}\nspec: {kafka: x}\n",
        "spec.kafka_id: is required|kafka: unknown key",
        "spec",
    ),
    "a password": (
        document("bad-dr", advanced_configuration={"source.cluster.sasl.jaas.config": HIDDEN}),
        "credentials do not belong",
        "jaas",
    ),
    "a password in an unknown key": (
        document("bad-dr", destination_kafka_id=..., destination_connection_details=DETAILS | {"password": HIDDEN}),
        "destination_connection_details.password: does not belong here",
        "destination_connection_details",
    ),
}


class FileTest(unittest.TestCase):
    def check(self, names):
        with Site() as s:
            s.start()
            s.wait_status(s.push(GOOD), "success", "^1 in sync")
            for name in names:
                content, words, place = FILES[name]
                with self.subTest(name):
                    sha = s.push({"bad.yaml": content}, message=name)
                    text = s.wait_status(sha, "failure", words)
                    line = line_of(content, place) if isinstance(place, str) else place
                    self.assertIn(f"(replicators/bad.yaml:{line})" if line else "(replicators/bad.yaml", text)
            sha = s.push({"bad.yaml": document("bad-dr")})
            s.wait_status(sha, "success", r"^2 in sync \(1 changed\)$")
            self.assertEqual(s.api.get("good-dr")["generation"], 1)
            self.assertEqual(s.api.requests(method="DELETE"), [])
            self.assertNotIn(HIDDEN, s.log())
            s.stop()
            self.assertFalse([f for f in s.state.iterdir() if f.is_file() and HIDDEN.encode() in f.read_bytes()])
            self.assertFalse([t for sha in s.repository.noted for t in s.repository.note(sha[1]) if HIDDEN in str(t)])

    def test_files_that_do_not_load_are_named_with_their_place(self):
        self.check(list(FILES)[: len(FILES) // 2])

    def test_other_files_that_do_not_load_are_named_with_their_place(self):
        self.check(list(FILES)[len(FILES) // 2 :])

    def test_entries_that_are_not_files_are_named(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(GOOD), "success", "^1 in sync")
            (s.repository.path / "link.yaml").symlink_to("good.yaml")
            sha = s.push()
            s.wait_status(sha, "failure", r"is a symbolic link.*\(replicators/link.yaml\)$")
            (s.repository.path / "link.yaml").unlink()
            (s.repository.path / "link").symlink_to("good.yaml")
            entry = f"160000,{sha},replicators/module.yaml"
            s.repository.git("update-index", "--add", "--cacheinfo", entry)
            s.repository.git("commit", "--quiet", "--message", "module")
            s.repository.git("rm", "--quiet", "--cached", "replicators/link.yaml")
            s.repository.git("commit", "--quiet", "--message", "module")
            s.repository.git("push", "--quiet", "origin", "HEAD:main")
            s.wake()
            sha = s.repository.git("rev-parse", "HEAD")
            s.wait_status(sha, "failure", r"is a submodule.*\(replicators/module.yaml\)$")

    def test_a_plan_says_each_once(self):
        with Site() as s:
            s.push(GOOD | {"bad.yaml": "a: ["})
            self.assertEqual(s.cli("plan", status=1).count("replicators/bad.yaml:2:1: "), 1)

    def test_one_name_in_two_files_is_an_error_in_both(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(GOOD), "success", "^1 in sync")
            sha = s.push({"copy.yml": document("good-dr", lag_alert_threshold=2)})
            text = s.wait_status(sha, "failure", r"declared here and in replicators/.*\+1 more")
            self.assertIn("replicators/copy.yml", text)
            s.wait_pass(2)
            self.assertEqual(s.api.get("good-dr")["lag_alert_threshold"], 1)
            self.assertEqual(s.api.requests(method="PATCH"), [])
            s.wait_status(s.push({"copy.yml": None}), "success", "^1 in sync")

    def test_while_something_fails_nothing_is_reset(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(GOOD), "success", "^1 in sync")
            s.wait_status(s.push({"good.yaml": document("good-dr"), "bad.yaml": "a: ["}), "failure", "bad.yaml")
            s.wait_pass(2)
            self.assertEqual(s.api.get("good-dr")["lag_alert_threshold"], 1)
            s.wait_status(s.push({"bad.yaml": None}), "success", r"^1 in sync \(1 changed\)$")
            self.assertIsNone(s.api.get("good-dr")["lag_alert_threshold"])

    def test_strange_names_and_texts_are_escaped(self):
        with Site() as s:
            s.start()
            file = "a\x1b[31m\n`b`.yaml"
            sha = s.push({file: "x: ["}, message="\x1b[2J\u202esubject")
            text = s.wait_status(sha, "failure", "b")
            s.wait_log("does not load")
            for shown in (text, s.log(), s.cli("plan", status=1), s.cli("status")):
                self.assertNotIn("\x1b", shown)
                self.assertNotIn("\u202e", shown)
            lines = s.repository.git("notes", "--ref=weir/acme", "show", sha, within=s.repository.bare).splitlines()
            self.assertTrue(all("weir/acme/" in line for line in lines), lines)


class ConfigurationTest(unittest.TestCase):
    """weir.yaml: said with its place, at once, and nothing is begun."""

    CHANGES = {
        "bad name": ({"name": "Ac me"}, "name: "),
        "unknown key": ({"sync": {"intervall": "1s"}}, "did you mean interval"),
        "wrong type": ({"sync": {"concurrency": "eight"}}, "concurrency: must be a whole number"),
        "too many": ({"sync": {"concurrency": 10_000}}, "concurrency: "),
        "no duration": ({"sync": {"interval": "soon"}}, "interval: "),
        "no choice": ({"sync": {"mode": "heel"}}, "mode: .*heal"),
        "a contradiction": ({"sync": {"prune": {"enabled": True, "max": 0}}}, "prune.max: holds whatever would be deleted"),
        "no schedule": (
            {"sync": {"windows": [{"kind": "deny", "schedule": "0 24 * * *", "duration": "1h"}]}},
            r"windows\[0\].schedule: hour: \"24\" is out of range: write 0 to 23, such as 8-17",
        ),
        "no rule": ({"sync": {"adopt": "overwritte"}}, "adopt: .*did you mean overwrite"),
        "review": ({"review": {"enabled": True}}, "review.enabled: is not built yet"),
        "a forge": ({"forge": {"type": "gitlab"}}, "type: "),
        "no forge's token": ({"forge": {"type": "github"}}, "forge.type: needs forge.token"),
        "no forge's address": ({"forge": {"type": "gitea", "token": "env:X"}}, "not on a server; set forge.url"),
        "an unknown forge": ({"forge": {"token": "env:X"}}, "cannot be told from source.url; set forge.type"),
        "a token for notes": ({"forge": {"type": "notes", "token": "env:X"}}, "forge.token: is of no use with this forge.type"),
        "a forge's bad URL": (
            {"forge": {"type": "github", "token": "env:X", "url": "ftp://x", "repository": "a/b"}},
            "forge.url: .*must begin with https",
        ),
        "a bad repository": (
            {"forge": {"type": "github", "token": "env:X", "url": "https://x", "repository": "a"}},
            "forge.repository: must be owner/name",
        ),
        "a webhook's secret": ({"http": {"webhook_secret": HIDDEN}}, "webhook_secret: "),
        "a public URL": ({"http": {"public_url": "weir.example.com"}}, "public_url: .*must begin with https"),
        "a token": ({"api": {"token": HIDDEN}}, "token: "),
        "vault": ({"secrets": {"stores": [{"type": "vault"}]}}, "type: "),
        "ssh": ({"source": {"url": "ssh://git@example.com"}}, "source.url.*path"),
        "a relative key": ({"source": {"ssh_key": "key"}}, "source.ssh_key.*absolute"),
        "a key that is expanded": ({"source": {"known_hosts": "/etc/%u"}}, "source.known_hosts.*expand"),
        "a password for ssh": ({"source": {"url": f"ssh://git:{HIDDEN}@example.com/x"}}, "source.url.*password"),
        "credentials": ({"source": {"url": f"https://user:{HIDDEN}@example.com/x.git"}}, "source.url|credentials"),
        "no URL": ({"api": {"url": "example.com"}}, "url"),
        "no branch": ({"source": {"branch": "a..b"}}, "branch"),
        "listen": ({"http": {"listen": "nowhere"}}, r"weir\.yaml:\d+:\d+: http.listen: .*HOST:PORT"),
        "certificates for http": (
            {"api": {"ca_file": "/etc/ca.pem"}},
            r"weir\.yaml:\d+:\d+: api.ca_file: is for https, and api.url is not",
        ),
    }

    def test_what_is_wrong_is_said(self):
        with Site() as s:
            for name, (change, words) in self.CHANGES.items():
                sections = s.sections
                with self.subTest(name):
                    s.configure(**change)
                    for command in ("run", "plan"):
                        started = time.monotonic()
                        said = s.cli(command, status=1)
                        self.assertRegex(said, words)
                        self.assertNotIn(HIDDEN, said)
                        self.assertLess(time.monotonic() - started, 30)
                s.sections = {key: value for key, value in sections.items() if key not in change}
            self.assertEqual(s.api.requests(method="POST"), [])

    def test_its_place_is_said(self):
        places = {"name: acme\nsource: [": ":3:1", "name: acme\nnome: x\n": ":2:1", "name: acme\n": "", "": ""}
        with Site() as s:
            for content, place in places.items():
                s.config_file.write_text(content)
                self.assertIn(f"weir.yaml{place}", s.cli("run", status=1))
            s.config_file.unlink()
            self.assertIn("weir.yaml", s.cli("run", status=1))

    def test_a_token_that_is_not_there_is_trouble_that_passes(self):
        with Site() as s:
            token = s.folder / "token"
            s.configure(api={"token": f"file:{token}"})
            s.start()
            sha = s.push(GOOD)
            wait_for(lambda: (s.status(sha) or ("", ""))[1].count(str(token)), DEADLINE_S)
            token.write_text("test-token\n")
            s.wake()
            s.wait_status(sha, "success", "^1 in sync")


class StoreTest(unittest.TestCase):
    def test_a_store_of_a_newer_version_is_refused_and_left_alone(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(GOOD), "success", "^1 in sync")
            s.stop()
            with sqlite3.connect(s.state / "weir.db") as db:
                db.execute("PRAGMA user_version = 999")
            db.close()
            before = (s.state / "weir.db").read_bytes()
            for command in ("run", "apply", "plan", "status"):
                self.assertRegex(s.cli(command, status=1), "weir.db.*(newer|999)")
            self.assertEqual((s.state / "weir.db").read_bytes(), before)

    def test_a_store_that_is_none_is_refused_and_left_alone(self):
        for content in (b"this is no database, whatever its name says" * 100, b""):
            with self.subTest(len(content)), Site() as s:
                s.state.mkdir()
                (s.state / "weir.db").write_bytes(content)
                if not content:  # as good as none
                    s.start()
                    s.wait_status(s.push(GOOD), "success", "^1 in sync")
                    continue
                self.assertRegex(s.cli("run", status=1), "weir.db")
                self.assertEqual((s.state / "weir.db").read_bytes(), content)

    def test_a_state_that_cannot_be_a_folder_is_said(self):
        with Site() as s:
            s.state.write_text("a file")
            self.assertRegex(s.cli("run", status=1), "state")
            s.state.unlink()

    def test_a_full_disk_starts_nothing_and_loses_nothing(self):
        with Site() as s:
            s.start()
            first = s.push(GOOD)
            s.wait_status(first, "success", "^1 in sync")
            s.wait_status(first, "success", "^no drift$", "drift")
            s.wait_pass()
            # No file may grow beyond what the log of the store has now: as on a full disk, its next write fails.
            size = (s.state / "weir.db-wal").stat().st_size
            self.assertGreater(size, s.logs.joinpath("weir").stat().st_size + 20_000)
            _, hard = resource.prlimit(s.weir.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(s.weir.pid, resource.RLIMIT_FSIZE, (size, hard))
            second = s.push({"good.yaml": document("good-dr", lag_alert_threshold=2), "new.yaml": document("new-dr")})
            s.wait_status(second, "error", "store")
            self.assertEqual(s.get("/readyz")[0], 503)
            time_was = s.metric("weir_source_reads_total")
            s.wake()
            wait_for(lambda: s.metric("weir_source_reads_total") > time_was, DEADLINE_S)
            self.assertEqual(s.api.requests(method="PATCH"), [])
            self.assertIsNone(s.api.get("new-dr"))
            resource.prlimit(s.weir.pid, resource.RLIMIT_FSIZE, (hard, hard))
            s.wake()
            s.wait_status(second, "success", r"^2 in sync \(2 changed\)$")
            self.assertEqual(s.api.started("good-dr"), {1: 1, 2: 1})
            s.kill()
            s.start()
            s.wait_pass()
            self.assertEqual(s.status(second), ("success", "2 in sync (2 changed)"))


class SecretTest(unittest.TestCase):
    def site(self, **more):
        s = Site(**more)
        s.configure(secrets={"stores": [{"type": "directory", "prefix": "kafka", "root": str(s.folder / "secrets")}]})
        (s.folder / "secrets").mkdir(exist_ok=True)
        return s

    def test_a_secret_that_is_missing_holds_until_it_is_there(self):
        content = document("orders-dr", **SECRET)
        line = line_of(content, "source_secret_path")
        with self.site() as s:
            s.start()
            sha = s.push(GOOD | {"orders.yaml": content})
            place = f"^orders-dr: replicators/orders.yaml:{line}: source_secret_path: "
            s.wait_status(sha, "failure", place)
            s.wait_live("good-dr", status="Healthy")
            self.assertIsNone(s.api.get("orders-dr"))
            self.assertRegex(s.cli("plan", status=1), "source_secret_path: ")
            s.write_secrets({"orders": {"username": "a-user-name-in-a-store"}})
            s.wait_status(sha, "failure", f"{place}.*lacks.* password")
            s.write_secrets({"orders": {"password": "a-password-in-a-store"}})
            s.wait_status(sha, "success", r"^2 in sync \(2 changed\)$")
            self.assertEqual(s.api.get("orders-dr")["source_secret_path"], "kafka/orders")

    def test_a_secret_that_goes_is_told_and_nothing_is_undone(self):
        with self.site(secrets={"orders": {"username": "a-user-in-a-store", "password": "a-word-in-a-store"}}) as s:
            s.start()
            sha = s.push({"orders.yaml": document("orders-dr", **SECRET)})
            s.wait_status(sha, "success", "^1 in sync")
            (s.folder / "secrets/orders/password").unlink()
            s.wait_status(sha, "failure", "orders-dr: .*lacks.* password", "drift")
            s.wait_pass()
            self.assertEqual(s.api.get("orders-dr")["generation"], 1)
            self.assertEqual(s.status(sha)[0], "success")

    def test_secrets_can_be_in_the_environment(self):
        environment = {"KAFKA_ORDERS_USERNAME": "a-user-in-the-environment"}
        with Site(environment=environment) as s:
            s.configure(secrets={"stores": [{"type": "env", "variable_prefix": ""}]})
            s.canaries |= set(environment.values())
            s.start()
            sha = s.push({"orders.yaml": document("orders-dr", **SECRET)})
            s.wait_status(sha, "failure", "^orders-dr: .*lacks.* password")
            s.stop()
            s.environment["KAFKA_ORDERS_PASSWORD"] = "a-word-in-the-environment"
            s.canaries.add("a-word-in-the-environment")
            s.start()
            s.wait_status(sha, "success", "^1 in sync")

    def test_a_path_that_no_store_serves_is_passed_on(self):
        with self.site() as s:
            s.start()
            sha = s.push({"orders.yaml": document("orders-dr", **SECRET | {"source_secret_path": "vault/orders"})})
            s.wait_status(sha, "success", "^1 in sync")


if __name__ == "__main__":
    main()
