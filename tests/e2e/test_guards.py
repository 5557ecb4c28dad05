#!/usr/bin/env python3
"""What is gone from Git is deleted, what cannot be changed is replaced, in order, and guards hold both."""

import json
import shutil
import unittest

from weirtest import Site, document, main, wait_for, DEADLINE_S

PRUNE = {"prune": {"enabled": True, "max": 1, "grace": "0s"}}
KEEP = {"keep.yaml": document("keep-dr", topic_whitelist=["keep.*"])}


def other(name, sync=None, **spec):
    return {f"{name}.yaml": document(name, sync, topic_whitelist=[f"{name}.*"], **spec)}


def site(**sync):
    return Site(server="replicatord", sync={"interval": "1s"} | PRUNE | sync)


def listed(s):
    answer = s.api.api("GET", "/kafka-replicator/").json
    return answer["results"] if isinstance(answer, dict) else answer


def names(s):
    return sorted(one["identifier"] for one in listed(s))


def many(prefix, n):
    named = [f"{prefix}-{i:02}" for i in range(n)]
    return {"many.yaml": "---\n".join(document(name, topic_whitelist=[f"{name}.*"]) for name in named)}


class GuardsTest(unittest.TestCase):
    def test_of_a_commit_that_breaks_all_three_are_begun(self):
        with Site("replicatord", {"fail": ["bad-*"]}, sync={"interval": "1s", "concurrency": 32}) as s:
            s.start()
            sha = s.push(many("bad", 15))
            s.wait_status(sha, "failure", "nothing more of this commit.*weir approve --brake")
            s.wait_pass(3)
            self.assertEqual([one["status"] for one in listed(s)], ["Error"] * 3)
            self.assertEqual(s.metric("weir_api_calls_total", verb="create"), 3)
            s.stop()
            s.start()
            s.wait_pass(3)
            self.assertEqual(len(listed(s)), 3)

    def test_the_brake_is_released_for_one_or_for_all(self):
        with Site("replicatord", {"fail": ["bad-*"]}, sync={"interval": "1s"}) as s:
            s.start()
            sha = s.push(many("bad", 3) | {"good.yaml": many("good", 6)["many.yaml"]})
            s.wait_status(sha, "failure", "nothing more of this commit")
            s.wait_pass(2)
            self.assertEqual(names(s), ["bad-00", "bad-01", "bad-02"])
            said = s.cli("approve")
            self.assertIn("6 can be approved", said)
            self.assertIn("`weir approve --brake`", said)
            s.cli("approve", "--yes", "good-03")
            wait_for(lambda: "good-03" in names(s), DEADLINE_S)
            s.wait_pass(3)
            self.assertEqual(names(s), ["bad-00", "bad-01", "bad-02", "good-03"])
            said = s.cli("approve", "--yes", "--brake")
            self.assertRegex(said, "bad-0. and bad-0. ended in Error one after the other\n +5 wait for that")
            self.assertIn("the brake is approved", said)
            wait_for(lambda: len(names(s)) == 9, DEADLINE_S)
            self.assertIn("no commit is braked", s.cli("approve", "--yes", "--brake", status=1))

    def test_all_that_is_approved_has_the_brake_in_it(self):
        with Site("replicatord", {"fail": ["bad-*"]}, sync={"interval": "1s"}) as s:
            s.start()
            s.wait_status(s.push(many("bad", 8)), "failure", "nothing more of this commit")
            said = s.cli("approve", "--yes", "--all")
            self.assertIn("the brake is approved", said)
            self.assertNotIn("bad-07 is approved", said)
            wait_for(lambda: len(names(s)) == 6, DEADLINE_S)  # and then it bites again
            s.wait_pass(3)
            self.assertEqual(len(names(s)), 6)

    def test_a_commit_that_is_good_comes_through_all_the_same(self):
        with Site("replicatord", sync={"interval": "1s", "concurrency": 32}) as s:
            s.start()
            s.wait_status(s.push(many("good", 15)), "success", "^15 in sync")

    def test_what_is_gone_from_git_is_deleted(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(KEEP | other("gone-dr")), "success", "^2 in sync")
            sha = s.push({"gone-dr.yaml": None})
            s.wait_status(sha, "success", "^1 in sync")
            wait_for(lambda: names(s) == ["keep-dr"], DEADLINE_S)
            self.assertEqual(s.metric("weir_api_calls_total", verb="delete"), 1)

    def test_more_than_prune_max_are_held_until_each_is_approved(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(KEEP | other("a-dr") | other("b-dr")), "success", "^3 in sync")
            sha = s.push({"a-dr.yaml": None, "b-dr.yaml": None})
            s.wait_status(sha, "failure", "^a-dr: 2 would be deleted.*weir approve a-dr")
            s.wait_pass(2)
            self.assertEqual(names(s), ["a-dr", "b-dr", "keep-dr"])
            s.cli("approve", "--yes", "a-dr")
            wait_for(lambda: names(s) == ["b-dr", "keep-dr"], DEADLINE_S)
            s.wait_pass(2)
            self.assertEqual(names(s), ["b-dr", "keep-dr"])  # one that is left is no more than allowed, and was not
            s.cli("approve", "--yes", "b-dr")
            wait_for(lambda: names(s) == ["keep-dr"], DEADLINE_S)

    def test_an_approval_is_for_what_git_said_then(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(other("a-dr")), "success", "^1 in sync")
            s.stop()
            shutil.rmtree(s.state)
            sha = s.push(other("a-dr", lag_alert_threshold=2))
            s.start()
            s.wait_status(sha, "failure", "weir approve a-dr")
            s.stop()
            s.cli("approve", "--yes", "a-dr")
            sha = s.push(other("a-dr", lag_alert_threshold=3))
            s.start()
            s.wait_status(sha, "failure", "weir approve a-dr")
            s.wait_pass(2)
            self.assertEqual(s.api.get("a-dr")["generation"], 1)

    def test_what_was_protected_is_not_replaced_by_the_commit_that_says_otherwise(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(other("a-dr", {"protect": True})), "success", "^1 in sync")
            before = s.api.get("a-dr")["uid"]
            sha = s.push(other("a-dr", {"replace": True}, replication_mode="active-active"))
            s.wait_status(sha, "failure", "^a-dr: was protected")
            s.wait_status(s.push(other("a-dr", {"replace": True})), "success", "^1 in sync")
            self.assertEqual(s.api.get("a-dr")["uid"], before)
            s.wait_status(s.push(other("a-dr", {"replace": True}, replication_mode="active-active")), "success", "^1 in")
            self.assertNotEqual(s.api.get("a-dr")["uid"], before)

    def test_what_is_new_is_protected_at_once(self):
        with site() as s:
            s.push(other("a-dr", {"protect": True}))
            s.cli("apply")
            before = s.api.get("a-dr")["uid"]
            s.push(other("a-dr", {"replace": True}, replication_mode="active-active"))
            self.assertRegex(s.cli("apply", status=1), "a-dr: was protected")
            self.assertEqual(s.api.get("a-dr")["uid"], before)

    def test_what_was_protected_is_kept_and_what_was_to_be_let_go_is_let_go(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(KEEP | other("a-dr", {"protect": True}) | other("b-dr", {"on_remove": "orphan"})),
                          "success", "^3 in sync")
            sha = s.push({"a-dr.yaml": None, "b-dr.yaml": None})
            s.wait_status(sha, "failure", "^a-dr: not in Git any more, and protected")
            s.wait_pass(2)
            self.assertEqual(names(s), ["a-dr", "b-dr", "keep-dr"])
            self.assertEqual(s.metric("weir_api_calls_total", verb="delete"), 0)

    def test_nothing_is_deleted_once_git_declares_nothing(self):
        with site(prune=PRUNE["prune"] | {"max": 10}) as s:
            s.start()
            s.wait_status(s.push({"README.md": "flows"} | other("a-dr")), "success", "^1 in sync")
            sha = s.push({"a-dr.yaml": None})
            s.wait_status(sha, "failure", "^a-dr: Git declares no replicators")
            s.wait_pass(2)
            self.assertEqual(names(s), ["a-dr"])

    def test_an_immutable_change_replaces_where_it_may(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(other("a-dr", {"replace": True})), "success", "^1 in sync")
            before = s.api.get("a-dr")["uid"]
            sha = s.push(other("a-dr", {"replace": True}, replication_mode="active-active"))
            s.wait_status(sha, "success", "^1 in sync")
            after = s.api.get("a-dr")
            self.assertNotEqual(after["uid"], before)
            self.assertEqual(after["replication_mode"], "active-active")

    def test_of_a_replacement_that_is_refused_the_old_one_can_be_had_back(self):
        with Site(sync={"interval": "1s"} | PRUNE) as s:
            s.start()
            old, new = ({"replication_mode": mode} for mode in ("active-passive", "active-active"))
            s.wait_status(s.push(other("a-dr", {"replace": True}, **old)), "success", "^1 in sync")
            s.api.edit("a-dr", fields={"groups_whitelist": "only-here"}, provision=True)
            s.api.rule("status", "POST", "/kafka-replicator/$", status=400, body={"replication_mode": ["is not enabled"]})
            sha = s.push(other("a-dr", {"replace": True}, **new))
            s.wait_status(sha, "failure", "^a-dr: was deleted to be replaced, and the new one is not accepted; revert the commit")
            self.assertRegex(s.cli("status"), r"(?m)^a-dr +failed")
            said = s.cli("explain", "a-dr")
            self.assertIn("revert the commit to have it back", " ".join(said.split()))
            events = json.loads(s.cli("explain", "a-dr", "-o", "json"))["events"]
            kept = next(json.loads(one["detail"]) for one in events if one["what"] == "to be deleted")
            self.assertEqual((kept["replication_mode"], kept["groups_whitelist"]), ("active-passive", ["only-here"]))
            s.wait_status(s.push(other("a-dr", {"replace": True}, **old)), "success", "^1 in sync")
            sha = s.push(other("a-dr", {"replace": True}, lag_alert_threshold=1, **old) | {"README.md": "x"})
            s.wait_status(sha, "success", "^1 in sync")
            uid = s.api.get("a-dr")["uid"]
            s.wait_status(s.push(other("a-dr", {"replace": True}, **new)), "failure", "^a-dr: to change .* `weir approve a-dr`")
            s.wait_pass(2)
            self.assertEqual(s.api.get("a-dr")["uid"], uid)

    def test_what_is_depended_on_comes_first_and_goes_last(self):
        with site(prune=PRUNE["prune"] | {"max": 5}) as s:
            s.start()
            sha = s.push(KEEP | other("b-dr") | other("a-dr", {"depends_on": ["b-dr"]}))
            s.wait_status(sha, "success", "^3 in sync")
            server = s.log("replicatord")
            self.assertLess(server.index('identifier=b-dr event="generation 1 is Healthy'),
                            server.index("identifier=a-dr event=created"))
            s.push({"a-dr.yaml": None, "b-dr.yaml": None})
            s.wait_log("is deleted replicator=b-dr")
            self.assertEqual(names(s), ["keep-dr"])
            log = s.log()
            self.assertLess(log.index("is deleted replicator=a-dr"), log.index("is deleted replicator=b-dr"))


if __name__ == "__main__":
    main()
