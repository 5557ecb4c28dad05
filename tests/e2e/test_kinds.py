#!/usr/bin/env python3
"""Defaults and KafkaClusters over real Git: what they say reaches the API, and what is wrong with them leaves it alone."""

import json
import signal
import unittest

import jsonschema

from weirtest import DEADLINE_S, ROOT, Site, document, line_of, main, wait_for


def defaults(sync=None, **spec):
    lines = ["apiVersion: weir/v1", "kind: Defaults", "spec:"]
    lines += [f"  {field}: {json.dumps(value)}" for field, value in spec.items()]
    lines += [f"sync: {json.dumps(sync)}"] if sync else []
    return "\n".join(lines) + "\n"


def cluster(name, **spec):
    return f"apiVersion: weir/v1\nkind: KafkaCluster\nmetadata: {{name: {name}}}\nspec: {json.dumps(spec)}\n"


FLEET = {
    "eu/defaults.yaml": defaults(lag_alert_threshold=10000),
    "eu/orders.yaml": document("orders-dr", topic_whitelist=["orders.*"]),
    "eu/payments.yaml": document("payments-dr", topic_whitelist=["payments.*"]),
    "us/clicks.yaml": document("clicks-dr", topic_whitelist=["clicks.*"]),
}


def threshold(s, name):
    return s.api.get(name)["lag_alert_threshold"]


class DefaultsTest(unittest.TestCase):
    def test_a_change_in_them_reaches_those_below_and_no_others(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(FLEET), "success", r"^3 in sync \(3 changed\)$")
            self.assertEqual([threshold(s, n) for n in ("orders-dr", "payments-dr")], [10000, 10000])
            sha = s.push({"eu/defaults.yaml": defaults(lag_alert_threshold=20000)})
            s.wait_status(sha, "success", r"^3 in sync \(2 changed\)$")
            self.assertEqual([threshold(s, n) for n in ("orders-dr", "payments-dr")], [20000, 20000])
            self.assertEqual(s.api.started("clicks-dr"), {1: 1})

    def test_a_plan_shows_the_line_in_them(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(FLEET), "success", "^3 in sync")
            changed = "# moved down\n" + defaults(lag_alert_threshold=5)
            s.repository.write({"eu/defaults.yaml": changed})
            plan = json.loads(s.cli("plan", "--path", s.repository.path, "-o", "json", status=2))
            changes = {item["name"]: item["changes"] for item in plan["items"]}
            self.assertEqual(changes["clicks-dr"], [])
            for name in ("orders-dr", "payments-dr"):
                self.assertEqual(len(changes[name]), 1)
                self.assertTrue(changes[name][0]["file"].endswith("eu/defaults.yaml"), changes[name])
                self.assertEqual(changes[name][0]["line"], line_of(changed, "lag_alert"))

    def test_broken_ones_leave_their_users_as_they_are_and_say_so(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(FLEET), "success", "^3 in sync")
            broken = defaults(lag_alert_threshold="many")
            clicks = document("clicks-dr", topic_whitelist=["clicks.*"], lag_alert_threshold=7)
            sha = s.push({"eu/defaults.yaml": broken, "us/clicks.yaml": clicks})
            line = line_of(broken, "many")
            s.wait_status(sha, "failure", rf"must be a whole number.*\(replicators/eu/defaults.yaml:{line}\) \+2 more$")
            s.wait_live("clicks-dr", lag_alert_threshold=7)
            for file in ("orders", "payments"):
                s.wait_log(rf"eu/{file}.yaml:3:\d+: uses Defaults in replicators/eu/defaults.yaml:1, which has errors")
            self.assertEqual([threshold(s, n) for n in ("orders-dr", "payments-dr")], [10000, 10000])
            self.assertIn("which has errors", s.cli("plan", status=1))
            s.wait_status(s.push({"eu/defaults.yaml": defaults(lag_alert_threshold=3)}), "success", "^3 in sync")
            self.assertEqual([threshold(s, n) for n in ("orders-dr", "payments-dr")], [3, 3])

    def test_without_those_that_do_not_parse_drift_is_healed_to_what_they_said(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(FLEET), "success", "^3 in sync")
            s.wait_status(s.push({"eu/defaults.yaml": "kind: Defaults\nspec: [\n"}), "failure", "defaults.yaml")
            s.kill()
            s.start()
            answer = s.api.patch("orders-dr", {"lag_alert_threshold": 1})
            self.assertEqual(answer.status, 200)
            s.wake()
            s.wait_live("orders-dr", lag_alert_threshold=10000)
            self.assertEqual(threshold(s, "payments-dr"), 10000)

    def test_what_leaves_them_is_reset(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(FLEET), "success", "^3 in sync")
            s.wait_status(s.push({"eu/defaults.yaml": None}), "success", r"^3 in sync \(2 changed\)$")
            self.assertEqual([threshold(s, n) for n in ("orders-dr", "payments-dr")], [None, None])

    def test_a_file_that_moves_from_one_folder_to_another_gets_other_ones(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(FLEET | {"us/defaults.yaml": defaults(lag_alert_threshold=50)}), "success", "^3 in")
            sha = s.push({"eu/orders.yaml": None, "us/orders.yaml": FLEET["eu/orders.yaml"]})
            s.wait_status(sha, "success", r"^3 in sync \(1 changed\)$")
            self.assertEqual([threshold(s, n) for n in ("orders-dr", "payments-dr", "clicks-dr")], [50, 10000, 50])


class ClusterTest(unittest.TestCase):
    def test_names_become_the_fields_of_the_api(self):
        with Site() as s:
            s.start()
            details = {"bootstrap_servers": "broker-1:9092"}
            files = {
                "clusters.yaml": cluster("prod", connection_details=details) + "---\n" + cluster("dr", kafka_id="dr-eu"),
                "orders.yaml": document(
                    "orders-dr", source_kafka_id=..., destination_kafka_id=..., source_cluster="prod",
                    destination_cluster="dr",
                ),
            }
            s.wait_status(s.push(files), "success", "^1 in sync")
            live = s.api.get("orders-dr")
            self.assertEqual(live["source_connection_details"], details)
            self.assertEqual(live["destination_kafka_id"], "dr-eu")
            self.assertNotIn("source_cluster", live)

    def test_one_that_is_not_declared_fails_its_users_only(self):
        with Site() as s:
            s.start()
            orders = document("orders-dr", source_kafka_id=..., source_cluster="prod-ue")
            files = {"clusters.yaml": cluster("prod-eu", kafka_id="prod-eu"), "orders.yaml": orders}
            sha = s.push(files | {"us/clicks.yaml": FLEET["us/clicks.yaml"]})
            s.wait_status(sha, "failure", r'no KafkaCluster is called "prod-ue"; did you mean prod-eu')
            s.wait_live("clicks-dr", status="Healthy")
            self.assertIsNone(s.api.get("orders-dr"))
            sha = s.push({"orders.yaml": orders.replace("prod-ue", "prod-eu")})
            s.wait_status(sha, "success", "^2 in sync")


class ExplainTest(unittest.TestCase):
    """weir plan --explain: nobody but the repository is asked."""

    FILES = FLEET | {
        "clusters.yaml": cluster("prod", kafka_id="prod-eu"),
        "us/clicks.yaml": document("clicks-dr", source_kafka_id=..., source_cluster="prod", lag_alert_threshold=3),
        "us/defaults.yaml": defaults({"timeout": "5m"}, lag_alert_threshold=5),
    }

    def explain(self, s, *arguments):
        s.api.stop()
        text = s.cli("plan", "--explain", "clicks-dr", *arguments)
        self.assertEqual(list((s.folder / "tmp").iterdir()), [])
        return text

    def test_each_setting_of_the_branch_has_its_place(self):
        with Site() as s:
            s.push(self.FILES)
            text = self.explain(s)
            place = "replicators/us/clicks.yaml"
            self.assertRegex(text, rf"(?m)\Aclicks-dr \({place}:3\)$")
            self.assertRegex(text, rf"(?m)^spec.provider +MirrorMaker2 +{place}:\d+$")
            self.assertRegex(text, r"(?m)^spec.source_kafka_id +prod-eu +replicators/clusters.yaml:4 \(KafkaCluster prod\)$")
            self.assertRegex(
                text,
                rf"(?m)^spec.lag_alert_threshold +3 +{place}:\d+\n +not 5 +replicators/us/defaults.yaml:4 \(Defaults\)$",
            )
            self.assertRegex(text, r"(?m)^sync.timeout +5m +replicators/us/defaults.yaml:5 \(Defaults\)$")

    def test_a_terminal_that_goes_away_ends_it(self):
        with Site(http=True, source={"timeout": "1h"}) as s:
            s.git_server.fault("hang", times=None)
            explaining = s.spawn("plan", "--explain", "clicks-dr", log="explain")
            wait_for(lambda: s.git_server.count(fault="hang"), DEADLINE_S, "the fetch")
            explaining.send_signal(signal.SIGHUP)
            self.assertEqual(explaining.wait(DEADLINE_S), 1)
            self.assertEqual(list((s.folder / "tmp").iterdir()), [])

    def test_a_folder_can_be_read_instead_and_shown_as_json(self):
        with Site() as s:
            s.repository.write(self.FILES)
            shown = json.loads(self.explain(s, "--path", s.repository.path, "-o", "json"))
            schema = json.loads((ROOT / "schema" / "settings.schema.json").read_text())
            jsonschema.Draft202012Validator(schema).validate(shown)
            settings = {setting["setting"]: setting for setting in shown["settings"]}
            threshold = settings["spec.lag_alert_threshold"]
            self.assertEqual((threshold["value"], threshold["kind"]), (3, "KafkaReplicator"))
            self.assertEqual([(low["value"], low["kind"], low["line"]) for low in threshold["instead_of"]], [(5, "Defaults", 4)])
            end = settings["spec.source_kafka_id"]
            self.assertEqual((end["value"], end["kind"], end["name"]), ("prod-eu", "KafkaCluster", "prod"))

    def test_what_has_errors_is_shown_and_said(self):
        with Site() as s:
            s.push(self.FILES | {"us/defaults.yaml": defaults(topics=["a"])})
            text = s.cli("plan", "--explain", "clicks-dr", status=1)
            self.assertIn("spec.lag_alert_threshold", text)
            self.assertIn("clicks-dr has errors: it is not used as shown here", text)
            self.assertEqual(text.count("us/defaults.yaml:4:3: "), 1)

    def test_a_name_that_nobody_has_is_an_error(self):
        with Site() as s:
            s.push(self.FILES)
            self.assertIn("did you mean clicks-dr?", s.cli("plan", "--explain", "click-dr", status=1))
            self.assertIn("text or json", s.cli("plan", "--explain", "clicks-dr", "-o", "markdown", status=64))

    def test_no_repository_is_an_error(self):
        with Site() as s:
            s.configure(source={"url": f"file://{s.folder}/nowhere"})
            self.assertIn("nowhere", s.cli("plan", "--explain", "clicks-dr", status=1))


class OrderTest(unittest.TestCase):
    def test_a_circle_is_told_with_the_way_round(self):
        with Site() as s:
            s.start()
            files = {
                "orders.yaml": document("orders-dr", {"depends_on": ["payments-dr"]}),
                "payments.yaml": document("payments-dr", {"depends_on": ["orders-dr"]}, topic_whitelist=["payments.*"]),
                "clicks.yaml": FLEET["us/clicks.yaml"],
            }
            sha = s.push(files)
            s.wait_status(sha, "failure", r"\+1 more$")
            s.wait_log("orders-dr -> payments-dr -> orders-dr")
            s.wait_log("payments-dr -> orders-dr -> payments-dr")
            s.wait_live("clicks-dr", status="Healthy")
            self.assertIsNone(s.api.get("orders-dr"))


if __name__ == "__main__":
    main()
