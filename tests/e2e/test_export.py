#!/usr/bin/env python3
"""`weir export`: what is live, as documents that a plan finds nothing to change in."""

import json
import random
import unittest

from weirtest import Site, document, main

DETAILS = {"bootstrap_servers": "a:9092,b:9092", "security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512"}
ODD_WORDS = ("no", "NO", "yes", "on", "null", "true", "012", "0o14", "1e3", "1-30", "2026-11-30", "y", "n", "nan")
ODD_TEXTS = (
    *("no", "Yes", "off", "~", "null", "true", "012", "0x1f", "1:30", "1_000", "1e3", ".5", "-1", ".inf", "2026-11-30"),
    *("it's", 'say "x"', "back\\slash", "a: b", "a #b", "- a", "{a}", "[a]", "a,b", "&a", "*a", "!a", "|", ">", "%a", "@a"),
    *("ä ö", "日本", "😀", " padded ", "tab\tin", "line\nin", "trailing\n", "\u2028", "\ufeff", "", "$" + "{x}", "=", "<<"),
)
PATTERNS = (
    *("orders.*", "orders\\..*", ".*\\-internal", "(a|b)c", "[a-z]+", "a{2}", "x?", "no", "null", "012", "1e3", "\\d+", "2026-11-30"),
)
ODD_CONFIG = {
    "tasks.max": 4,
    "producer.linger.ms": "5",
    "sync.topic.acls.enabled": False,
    "refresh.topics.interval.seconds": 9007199254740993,
    "emit.heartbeats.interval.seconds": 0.5,
    "offset.lag.max": -1,
}


def planned(s, folder):
    """The items of a plan of this folder."""
    return json.loads(s.cli("plan", "--path", folder, "-o", "json", status=None))


class ExportTest(unittest.TestCase):
    def check(self, s, folder, names, left_out=()):
        """Nothing but adoption is planned, without a single change; then it is applied, and nothing at all is."""
        plan = planned(s, folder)
        self.assertEqual([p for p in plan["problems"] if p["level"] == "error"], [])
        self.assertEqual({i["name"]: (i["action"], i["changes"]) for i in plan["items"]}, {n: ("adopt", []) for n in names})
        self.assertEqual(set(plan["unmanaged"]), set(left_out))
        before = s.api.state()["replicators"]
        s.push({f"{file.name}": file.read_text() for file in folder.iterdir()})
        s.cli("apply")
        self.assertIn("No changes.", s.cli("plan"))
        after = s.api.state()["replicators"]
        for name in names:
            self.assertEqual(after[name]["spec"], before[name]["spec"])
            self.assertEqual(after[name]["generation"], before[name]["generation"])

    def make(self, s, name, **fields):
        """Live and Healthy, whatever the fields hold."""
        spec = {
            "provider": "MirrorMaker2",
            "source_kafka_id": "prod-eu",
            "destination_kafka_id": "dr-eu",
            "replication_mode": "active-passive",
            "topic_whitelist": "orders.*",
        }
        s.api.edit(name, create=True, fields=spec | fields, provision=True)

    def test_every_field_comes_back(self):
        with Site() as s:
            self.make(
                s,
                "full-dr",
                source_kafka_id=None,
                source_connection_details=DETAILS,
                source_secret_path="clusters/prod",
                topic_whitelist="b.*,a,orders\\..*",
                topic_blacklist="a\\-internal,no",
                groups_whitelist="team-.*",
                groups_blacklist="012",
                lag_alert_threshold=2**53 - 1,
                lag_alert_threshold_unit="bytes",
                advanced_configuration=ODD_CONFIG,
            )
            self.make(s, "link-dr", provider="ClusterLink", topic_whitelist="orders.*,exact", destination_kafka_id="other")
            self.make(s, "bare-dr", advanced_configuration={}, topic_blacklist="", lag_alert_threshold_unit="messages")
            folder = s.folder / "out"
            self.assertRegex(s.cli("export", "--out", folder), "(?m)^3 replicators in .*out$")
            self.assertEqual(sorted(f.name for f in folder.iterdir()), ["bare-dr.yaml", "full-dr.yaml", "link-dr.yaml"])
            self.assertNotIn("lag_alert", (folder / "bare-dr.yaml").read_text())
            s.write_secrets({})
            self.check(s, folder, ["bare-dr", "full-dr", "link-dr"])

    def test_odd_words_come_back_wherever_they_stand(self):
        with Site() as s:
            names = []
            for i, word in enumerate(ODD_WORDS):
                name = word.lower() if word.lower() not in names else f"x-{i}"
                names.append(name)
                self.make(s, name, source_kafka_id=f"{word}", destination_kafka_id=f"dr-{i}", topic_whitelist=word)
            folder = s.folder / "out"
            s.cli("export", "--out", folder)
            self.check(s, folder, names)

    def test_random_values_come_back_or_are_told(self):
        seed = random.randrange(10**6)
        print(f"seed {seed}")
        rng = random.Random(seed)
        with Site() as s:
            names = [f"r-{i}" for i in range(60)]
            for i, name in enumerate(names):
                fields = {"destination_kafka_id": f"dr-{i}"}
                for subject in ("topic", "groups"):  # a pattern in both lists is an error in Git
                    patterns = rng.sample(PATTERNS, rng.randint(3, 8))
                    fields[f"{subject}_whitelist"] = ",".join(patterns[:2])
                    fields[f"{subject}_blacklist"] = rng.choice((None, "", ",".join(patterns[2:])))
                fields["lag_alert_threshold"] = rng.choice((None, 0, 1, 2**53 - 1))
                config = {f"producer.x{k}": rng.choice((*ODD_TEXTS, 1, -1, 2**40, 0.1, True, False)) for k in range(rng.randint(0, 5))}
                fields["advanced_configuration"] = rng.choice((None, {}, config))
                self.make(s, name, **fields)
            folder = s.folder / "out"
            s.cli("export", "--out", folder, status=None)
            self.assertEqual([file for file in folder.iterdir() if file.stat().st_mode & 0o022], [])
            self.check(s, folder, names)

    def test_to_standard_output_it_is_one_stream(self):
        with Site() as s:
            self.make(s, "orders-dr")
            self.make(s, "payments-dr", topic_whitelist="payments.*")
            text = s.cli("export")
            self.assertRegex(text, "^# Exported by weir from http://.*, organization acme")
            self.assertEqual(text.count("\n---\n"), 2)
            folder = s.folder / "out"
            folder.mkdir()
            (folder / "all.yaml").write_text(text)
            self.check(s, folder, ["orders-dr", "payments-dr"])
            self.assertNotIn("payments-dr", s.cli("export", "orders-dr"))
            self.assertIn("the API has no order-dr; did you mean orders-dr?", s.cli("export", "order-dr", status=1))

    def test_what_the_api_masks_is_left_out_and_said(self):
        with Site() as s:
            config = {"tasks.max": 2, "producer.ssl.keystore.location": "***"}
            self.make(s, "orders-dr", advanced_configuration=config)
            text = s.cli("export")
            self.assertIn("# left out: advanced_configuration.producer.ssl.keystore.location: the API masks it\n", text)
            self.assertNotIn("***", text)
            folder = s.folder / "out"
            s.cli("export", "--out", folder)
            self.check(s, folder, ["orders-dr"])

    def test_credentials_are_never_written(self):
        with Site() as s:
            secret = "hunter2-that-nobody-may-see"
            s.canaries.add(secret)
            config = {"tasks.max": 2, "source.cluster.sasl.jaas.config": f'x required password="{secret}";'}
            self.make(s, "orders-dr", advanced_configuration=config)
            text = s.cli("export")
            self.assertIn("# left out: advanced_configuration.source.cluster.sasl.jaas.config: ", text)
            self.assertNotIn(secret, text)
            self.assertIn("tasks.max: 2", text)

    def test_fields_that_are_not_known_are_named(self):
        with Site() as s:
            self.make(s, "orders-dr")
            s.api.edit("orders-dr", fields={"priority": 5, "owner\nevil: x": "me"}, provision=True)
            text = s.cli("export")
            self.assertIn("# left out, since weir does not know it: priority, owner\\nevil: x\n", text)

    def test_what_cannot_be_declared_is_a_comment(self):
        with Site() as s:
            self.make(s, "orders-dr")
            self.make(s, "Bad_Name")
            self.make(s, "empty-dr", topic_whitelist="")
            folder = s.folder / "out"
            text = s.cli("export", "--out", folder, status=1)
            self.assertRegex(text, "(?m)^weir export: Bad_Name: cannot be declared in Git: metadata.name: ")
            self.assertRegex(text, "(?m)^weir export: empty-dr: cannot be declared in Git: spec")
            self.assertRegex((folder / "_left-out.yaml").read_text(), "(?m)^# Bad_Name cannot be declared in Git:$")
            self.check(s, folder, ["orders-dr"], ["Bad_Name", "empty-dr"])

    def test_no_file_is_written_over(self):
        with Site() as s:
            self.make(s, "orders-dr")
            self.make(s, "payments-dr")
            folder = s.folder / "out"
            folder.mkdir()
            (folder / "payments-dr.yaml").write_text("mine\n")
            self.assertRegex(s.cli("export", "--out", folder, status=1), "payments-dr.yaml is there already; .*--force")
            self.assertEqual([f.name for f in folder.iterdir()], ["payments-dr.yaml"])
            self.assertEqual((folder / "payments-dr.yaml").read_text(), "mine\n")
            s.cli("export", "--out", folder, "--force")
            self.check(s, folder, ["orders-dr", "payments-dr"])
            (folder / "orders-dr.yaml").unlink()
            (folder / "orders-dr.yaml").symlink_to("nowhere")
            self.assertIn("is there already", s.cli("export", "orders-dr", "--out", folder, status=1))

    def test_of_an_empty_organization_there_is_nothing(self):
        with Site() as s:
            folder = s.folder / "out"
            self.assertRegex(s.cli("export", "--out", folder), "^0 replicators in ")
            self.assertEqual(list(folder.iterdir()), [])

    def test_errors_of_the_api_are_told(self):
        with Site() as s:
            s.api.rule("status", "GET", status=401, times=None, body={"detail": "bad token"})
            self.assertRegex(s.cli("export", status=1), "^weir export: .*token")
            s.api.reset("rules")
            s.configure(api={"url": s.api.url})
            s.api.stop()
            self.assertRegex(s.cli("export", status=1), "^weir export: .*cannot be reached")
            s.api.start()


if __name__ == "__main__":
    main()
