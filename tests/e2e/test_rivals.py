#!/usr/bin/env python3
"""Others write to the same API at the worst moments, and APIs tell much or little: nothing of theirs is overwritten or
started for them, nothing is done twice, and once they stop, all is as Git says or `weir status` says what holds it."""

import json
import signal
import unittest

from weirtest import DEADLINE_S, Site, document, main, wait_for

# Options of the fake.
APIS = {
    "full": [],
    "no_observed_generation": ["--without", "observed_generation"],
    "no_uid": ["--without", "uid"],
    "no_created_at": ["--without", "created_at"],
    "no_operation_state": ["--without", "operation.state,operation.error"],
    "no_if_match": ["--no-if-match"],
    "minimal": ["--minimal"],
}
# Which request it is that somebody meddles with, and whether before or after it has its effect.
MOMENTS = {
    "before_patch": ("PATCH", "/{}/$", False),
    "before_reconcile": ("POST", "/{}/reconcile/$", False),
    "after_reconcile": ("POST", "/{}/reconcile/$", True),
}
THEIRS = {"groups_whitelist": "theirs"}
MADE = {
    "provider": "MirrorMaker2",
    "source_kafka_id": "prod-eu",
    "destination_kafka_id": "dr-eu",
    "replication_mode": "active-passive",
    "topic_whitelist": "orders.*",
    "lag_alert_threshold": 2,
}
# What they do, one after the other.
ACTS = {
    "saves": [{"fields": THEIRS}],
    "saves-and-starts": [{"fields": THEIRS, "start": True}],
    "undoes": [{"fields": {"lag_alert_threshold": 7}}],
    "undoes-and-starts": [{"fields": {"lag_alert_threshold": 7}, "start": True}],
    "starts": [{"start": True}],
    "deletes": [{"remove": True}],
    "makes-another": [{"remove": True}, {"create": True, "fields": MADE | THEIRS, "provision": True}],
}
KEPT = ("saves", "saves-and-starts")  # where their field is there to stay


def slow_enough(options):
    """Where only the status tells, an operation is to be seen while it is under way."""
    return ["--delay", "1.5" if options else "0.3", *options]


def documents(threshold):
    return {f"{act}.yaml": document(act, lag_alert_threshold=threshold) for act in ACTS}


class MomentTest(unittest.TestCase):
    """One replicator for each act, all at the same moment."""

    def check(self, options, moment):
        method, path, after = MOMENTS[moment]
        with Site("fake", slow_enough(options)) as s:
            s.start()
            s.wait_status(s.push(documents(1)), "success", f"^{len(ACTS)} in sync")
            s.api.reset("requests")
            for act, edits in ACTS.items():
                edits = [{"identifier": act} | edit for edit in edits]
                s.api.rule("meddle", method, path.format(act), edits=edits, after=after)
            sha = s.push(documents(2))
            wait_for(lambda: len(s.api.requests(action="meddle")) == len(ACTS), DEADLINE_S, "their acts")
            for act in ACTS:
                wait_for(lambda a=act: self.has_ended(s, a), DEADLINE_S, f"{act} to be as Git says, or held")
            self.check_theirs(s)
            self.check_calls(s)
            wait_for(lambda: self.yield_to_git(s), DEADLINE_S, "all to be free")
            s.wait_status(sha, "success", f"^{len(ACTS)} in sync")

    def held(self, s):
        """Those that are held, and why."""
        shown = json.loads(s.cli("status", "-o", "json"))
        return {name: row["why"] for name, row in shown["replicators"].items() if row["standing"] in ("held", "failed")}

    def has_ended(self, s, act):
        live = s.api.state()["replicators"].get(act)
        if not live:
            return False
        provisioned = (live["provisioned"] or {}).get("spec", {})
        as_git_says = provisioned.get("lag_alert_threshold") == 2 and live["status"] == "Healthy"
        return (as_git_says and live["spec"]["lag_alert_threshold"] == 2) or self.held(s).get(act)

    def check_theirs(self, s):
        state = s.api.state()
        for act in KEPT:
            self.assertEqual(state["replicators"][act]["spec"]["groups_whitelist"], "theirs", act)
        started_by_us = [o for o in state["operations"] if o["key"]]
        for operation in started_by_us:
            if operation["identifier"] == "saves":
                self.assertIsNone(operation["spec"]["groups_whitelist"], "a draft of somebody else was started")
        about = [(o["uid"], o["generation"]) for o in started_by_us]
        self.assertEqual(len(about), len(set(about)), "an operation was started twice")

    def check_calls(self, s):
        for act in ACTS:
            patches = s.api.requests(method="PATCH", path=f"/{act}/$".removesuffix("$"))
            self.assertLess(len(patches), 8, f"a storm over {act}")

    def yield_to_git(self, s):
        """What they saved is undone and started, until that was seen. Whether nothing is held any more."""
        held = self.held(s)
        for act in held:
            if s.api.get(act)["status"] == "Healthy":
                s.api.edit(act, fields={"groups_whitelist": None, "lag_alert_threshold": 2}, start=True)
        return not held


for api_name, api_options in APIS.items():
    for moment_name in MOMENTS:

        def moment_test(self, options=api_options, moment=moment_name):
            self.check(options, moment)

        setattr(MomentTest, f"test_{api_name}_{moment_name}", moment_test)


class DeleteTest(unittest.TestCase):
    """What is gone from Git, and what they do to it just before weir looks at it for the last time."""

    ACTS = ("saves", "saves-and-starts", "starts", "deletes", "makes-another")

    def check(self, options):
        prune = {"enabled": True, "max": "100%", "grace": "1s"}
        with Site("fake", slow_enough(options), sync={"prune": prune}) as s:
            s.start()
            kept = {"kept.yaml": document("kept")}
            s.wait_status(s.push(kept | documents(1)), "success", f"^{len(ACTS) + 1} in sync")
            sha = s.push(documents(2))
            s.wait_status(sha, "success", f"^{len(ACTS) + 1} in sync")
            for act in self.ACTS:
                edits = [{"identifier": act} | edit for edit in ACTS[act]]
                s.api.rule("meddle", "GET", f"/{act}/$", edits=edits)
            sha = s.push({f"{act}.yaml": None for act in ACTS})
            wait_for(lambda: {*s.api.state()["replicators"]} == {"kept", "makes-another"}, DEADLINE_S, "deletes")
            s.wait_status(sha, "success", "^1 in sync")
            s.wait_pass(2)
            self.assertEqual(s.api.get("makes-another")["groups_whitelist"], "theirs")
            self.assertEqual(s.api.requests(method="DELETE", path="/makes-another/"), [])
            for act in ACTS:
                self.assertLess(len(s.api.requests(method="DELETE", path=f"/{act}/")), 3, act)


for api_name, api_options in APIS.items():

    def delete_test(self, options=api_options):
        self.check(options)

    setattr(DeleteTest, f"test_{api_name}", delete_test)


class TwinTest(unittest.TestCase):
    """Two daemons on one API by mistake, each with a state of its own: nothing is done twice."""

    def start_twin(self, s, name):
        config = json.loads(s.config_file.read_text())
        config |= {"name": name, "state": str(s.folder / "twin-state")}
        file = s.folder / "twin.yaml"
        file.write_text(json.dumps(config))
        mine, s.config_file = s.config_file, file
        twin = s.spawn("run", log="twin")
        s.config_file = mine
        s.stack.callback(self.end, twin)
        return twin

    def end(self, twin):
        twin.terminate()
        self.assertEqual(twin.wait(DEADLINE_S), 0)

    def wait_for_both(self, s, sha, words, name="twin"):
        s.wait_status(sha, "success", words)
        notes = f"refs/notes/weir/{name}"
        wait_for(
            lambda: s.repository.note(sha, notes).get(f"weir/{name}/sync", ("",))[0] == "success",
            DEADLINE_S,
            f"the status of {name}",
        )

    def check(self, options, name="twin"):
        with Site("fake", slow_enough(options)) as s:
            s.start()
            twin = self.start_twin(s, name)
            for generation in range(1, 4):
                files = {f"r{n}.yaml": document(f"r{n}-dr", lag_alert_threshold=generation) for n in range(4)}
                sha = s.push(files)
                twin.send_signal(signal.SIGHUP)
                self.wait_for_both(s, sha, "^4 in sync", name)
            for n in range(4):
                self.assertEqual(s.api.started(f"r{n}-dr"), {g: 1 for g in range(1, 4)})
            s.api.edit("r0-dr", fields={"lag_alert_threshold": 7}, provision=True)
            s.wait_live("r0-dr", lag_alert_threshold=3, generation=5, status="Healthy")
            s.wait_pass(2)
            self.assertEqual(s.api.started("r0-dr"), {1: 1, 2: 1, 3: 1, 4: 1, 5: 1})
            self.assertEqual(s.api.get("r0-dr")["generation"], 5)


for api_name, api_options in APIS.items():

    def twin_test(self, options=api_options):
        self.check(options)

    setattr(TwinTest, f"test_{api_name}", twin_test)


def same_name(self):
    self.check([], "acme")


TwinTest.test_of_the_same_name = same_name


class MinimalTest(unittest.TestCase):
    """The real server, with as little as it can be made to tell."""

    def test_life_goes_on(self):
        options = {"delay": "1500ms", "compat": ["minimal"], "fail": ["broken-*"]}
        with Site("replicatord", options) as s:
            s.start()
            first = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=1)})
            s.wait_status(first, "success", r"^1 in sync \(1 changed\)$")
            second = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)})
            s.wait_status(second, "success", r"^1 in sync \(1 changed\)$")
            self.assertEqual(s.api.get("orders-dr")["generation"], 2)
            s.api.patch("orders-dr", {"lag_alert_threshold": 3})
            s.wait_live("orders-dr", lag_alert_threshold=2, generation=4, status="Healthy")
            s.wait_status(second, "success", "^no drift$", "drift")
            third = s.push({"broken.yaml": document("broken-dr")})
            s.wait_status(third, "failure", "^broken-dr: ended in Error at generation 1")


if __name__ == "__main__":
    main()
