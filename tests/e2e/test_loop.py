#!/usr/bin/env python3
"""The loop over the real servers: pushes become Healthy replicators and statuses on their commits."""

import unittest

from weirtest import DEADLINE_S, Site, document, line_of, main, wait_for

TWO = {"orders.yaml": document("orders-dr", lag_alert_threshold=10000), "payments.yaml": document("payments-dr")}


def site(**more):
    return Site(**{"server": "replicatord"} | more)


def provision(s, generation):
    """As somebody else does; weir may have healed it before that, which is a conflict."""
    answer = s.api.reconcile("orders-dr", generation, f"somebody-else-{generation}")
    if answer.status not in (202, 409):
        raise AssertionError(answer.raw.decode())


class PushTest(unittest.TestCase):
    def test_a_push_creates_replicators_and_says_so_on_its_commit(self):
        with site() as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", r"^2 in sync \(2 changed\)$")
            s.wait_status(sha, "success", "^no drift$", "drift")
            for name in ("orders-dr", "payments-dr"):
                live = s.api.get(name)
                self.assertEqual((live["generation"], live["status"]), (1, "Healthy"))
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 10000)
            self.assertEqual(s.metric("weir_api_calls_total", verb="create"), 2)
            self.assertEqual(s.metric("weir_api_calls_total", verb="reconcile"), 2)

    def test_polling_alone_finds_a_push(self):
        with site() as s:
            s.start()
            sha = s.repository.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            sha = s.repository.push({"orders.yaml": document("orders-dr", lag_alert_threshold=5)})
            s.wait_status(sha, "success", r"^2 in sync \(1 changed\)$")

    def test_a_repository_that_was_there_before_is_taken_up(self):
        with site() as s:
            sha = s.push(TWO)
            s.start()
            s.wait_status(sha, "success", r"^2 in sync \(2 changed\)$")

    def test_a_change_is_one_patch_and_one_reconcile(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=20000)})
            s.wait_status(sha, "success", r"^2 in sync \(1 changed\)$")
            live = s.api.get("orders-dr")
            self.assertEqual((live["generation"], live["lag_alert_threshold"]), (2, 20000))
            self.assertEqual(s.api.get("payments-dr")["generation"], 1)
            self.assertEqual(s.metric("weir_api_calls_total", verb="patch"), 1)
            self.assertEqual(s.metric("weir_api_calls_total", verb="reconcile"), 3)

    def test_a_field_that_is_gone_from_its_file_is_reset(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.wait_status(s.push({"orders.yaml": document("orders-dr")}), "success", "1 changed")
            self.assertIsNone(s.api.get("orders-dr")["lag_alert_threshold"])

    def test_a_unit_goes_with_its_threshold_whatever_it_says(self):
        """The API refuses a unit without a threshold, also the one that it takes for granted."""
        whole = {"lag_alert_threshold": 100, "lag_alert_threshold_unit": "messages", "topic_blacklist": "secret"}
        left_out, null = document("orders-dr"), document("orders-dr") + "  lag_alert_threshold: null\n"
        with site() as s:
            s.start()
            for without in (left_out, null):
                s.wait_status(s.push({"orders.yaml": document("orders-dr", **whole)}), "success", "^1 in sync")
                s.wait_status(s.push({"orders.yaml": without}), "success", "1 changed")
                live = s.api.get("orders-dr")
                self.assertIsNone(live["lag_alert_threshold"])
                self.assertFalse(live["topic_blacklist"])

    def test_a_unit_that_somebody_else_chose_goes_with_the_threshold(self):
        with site() as s:
            s.start()
            s.wait_status(s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=100)}), "success", "^1 in")
            generation = s.api.patch("orders-dr", {"lag_alert_threshold_unit": "seconds"}).json["generation"]
            self.assertEqual(s.api.reconcile("orders-dr", generation, "somebody-else").status, 202)
            s.wait_live("orders-dr", status="Healthy", observed_generation=generation)
            s.wait_status(s.push({"orders.yaml": document("orders-dr")}), "success", "1 changed")
            self.assertIsNone(s.api.get("orders-dr")["lag_alert_threshold_unit"])

    def test_a_broken_file_fails_its_commit_and_nothing_else(self):
        with site() as s:
            s.start()
            first = s.push(TWO)
            s.wait_status(first, "success", "^2 in sync")
            broken = document("orders-dr", lag_alert_threshold="many")
            sha = s.push({"orders.yaml": broken, "payments.yaml": document("payments-dr", lag_alert_threshold=7)})
            line = line_of(broken, "many")
            s.wait_status(sha, "failure", rf"lag_alert_threshold.*\(replicators/orders.yaml:{line}\)$")
            s.wait_live("payments-dr", lag_alert_threshold=7)
            live = s.api.get("orders-dr")
            self.assertEqual((live["generation"], live["lag_alert_threshold"]), (1, 10000))
            self.assertEqual(s.status(first)[0], "success")
            s.wait_status(s.push({"orders.yaml": TWO["orders.yaml"]}), "success", "^2 in sync")

    def test_a_file_that_breaks_is_healed_to_what_it_said_last(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.wait_status(s.push({"orders.yaml": "spec: ["}), "failure", "orders.yaml:")
            provision(s, s.api.patch("orders-dr", {"lag_alert_threshold": 1}).json["generation"])
            s.wait_live("orders-dr", lag_alert_threshold=10000)

    def test_a_failing_replicator_is_named_with_the_reason(self):
        with site(server_options={"fail": ["bad-*"]}) as s:
            s.start()
            sha = s.push(TWO | {"bad.yaml": document("bad-dr")})
            s.wait_status(sha, "failure", "^bad-dr: ended in Error at generation 1: ")
            self.assertEqual(s.api.get("orders-dr")["status"], "Healthy")
            self.assertEqual(s.api.get("bad-dr")["status"], "Error")

    def test_what_the_api_refuses_is_named_with_its_words(self):
        with site() as s:
            s.start()
            sha = s.push(TWO | {"far.yaml": document("far-dr", source_kafka_id="elsewhere")})
            s.wait_status(sha, "failure", "^far-dr: .*source_kafka_id")
            s.wait_live("orders-dr", status="Healthy")
            self.assertIsNone(s.api.get("far-dr"))
            s.wait_pass(3)
            self.assertEqual(s.metric("weir_api_calls_total", verb="create"), 3)

    def test_a_newer_commit_ends_an_unfinished_one(self):
        with site(server_options={"delay": "4s"}) as s:
            s.start()
            first = s.push(TWO)
            s.wait_seen(first, "pending", "^waiting for Healthy 0/2$")
            second = s.push({"third.yaml": document("third-dr")})
            s.wait_status(first, "error", f"^superseded by {second[:7]}")
            s.wait_status(second, "success", "^3 in sync")

    def test_a_renamed_file_changes_nothing(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            sha = s.push({"orders.yaml": None, "team/o.yml": TWO["orders.yaml"] + "---\n" + document("new-dr")})
            s.wait_status(sha, "success", r"^3 in sync \(1 changed\)$")
            self.assertEqual(s.api.get("orders-dr")["generation"], 1)
            self.assertEqual(s.metric("weir_api_calls_total", verb="patch"), 0)

    def test_a_removed_file_deletes_nothing(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            sha = s.push({"payments.yaml": None})
            s.wait_status(sha, "success", r"^1 in sync, 1 not in Git \(prune is off.*: payments-dr$")
            self.assertIn("payments-dr", s.cli("plan", status=2))
            s.wait_pass(2)
            self.assertEqual(s.api.get("payments-dr")["status"], "Healthy")
            self.assertEqual(s.metric("weir_api_calls_total", verb="delete"), 0)
            sha = s.push({"payments.yaml": TWO["payments.yaml"]})
            s.wait_status(sha, "success", "^2 in sync$")


    def test_what_cannot_change_is_held(self):
        with site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            sha = s.push({"orders.yaml": document("orders-dr", replication_mode="active-active")})
            s.wait_status(sha, "failure", "^orders-dr: cannot be changed after it was created: replication_mode")
            s.wait_pass(2)
            self.assertEqual(s.metric("weir_api_calls_total", verb="patch"), 0)
            self.assertEqual(s.api.get("orders-dr")["replication_mode"], "active-passive")

    def test_a_branch_can_have_slashes(self):
        with site(source={"branch": "team/replication"}) as s:
            s.start()
            s.wait_status(s.push(TWO, branch="team/replication"), "success", "^2 in sync")

    def test_many_are_applied_together(self):
        with site(source={"timeout": "30s"}) as s:
            s.start()
            many = [document(f"r{n}-dr", topic_whitelist=[f"t{n}"]) for n in range(200)]
            sha = s.push({"many.yaml": "---\n".join(many)})
            s.wait_status(sha, "success", r"^200 in sync \(200 changed\)$")
            self.assertEqual(s.metric("weir_api_calls_total", verb="create"), 200)
            self.assertLess(s.metric("weir_status_posts_total"), 100)  # one a second or so, not one a replicator


class OverHttpTest(unittest.TestCase):
    def test_a_push_comes_and_its_status_goes_with_the_token(self):
        with site(http=True) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", r"^2 in sync \(2 changed\)$")
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=1)})
            s.wait_status(sha, "success", r"^2 in sync \(1 changed\)$")
            self.assertGreaterEqual(s.git_server.count("POST", "/git-receive-pack$", status=200), 2)

    def test_nothing_is_fetched_or_pushed_when_nothing_is_new(self):
        with site(http=True) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            s.wait_status(sha, "success", "^no drift$", "drift")
            s.wait_pass()
            before = s.git_server.count("POST")
            s.wait_pass(3)
            self.assertEqual(s.git_server.count("POST"), before)

    def test_a_token_that_is_refused_is_trouble_until_it_is_right(self):
        with site(http=True, source={"token": "file:token"}) as s:
            token = s.folder / "token"
            s.configure(source={"token": f"file:{token}"})
            token.write_text("wrong\n")
            sha = s.push(TWO)
            s.start()
            s.wait_log("the repository cannot be read.*token")
            self.assertEqual(s.get("/readyz")[0], 503)
            token.write_text("git-token-that-nobody-may-see\n")
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.get("/readyz")[0], 200)


class DriftTest(unittest.TestCase):
    def change_behind_the_back(self, s, **fields):
        generation = s.api.patch("orders-dr", fields).json["generation"]
        provision(s, generation)
        return generation

    def test_drift_is_healed_and_shown(self):
        with site(server_options={"delay": "1500ms"}) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            self.change_behind_the_back(s, lag_alert_threshold=1)
            s.wait_seen(sha, "failure", "orders-dr: .*lag_alert_threshold", "drift")
            s.wait_status(sha, "success", "^no drift$", "drift")
            live = s.api.get("orders-dr")
            self.assertEqual((live["lag_alert_threshold"], live["status"]), (10000, "Healthy"))
            self.assertEqual(s.status(sha)[0], "success")

    def test_what_git_does_not_say_is_left_alone(self):
        with site() as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            self.change_behind_the_back(s, topic_blacklist="secret.*")
            s.wait_pass(3)
            self.assertEqual(s.api.get("orders-dr")["topic_blacklist"], "secret.*")
            self.assertEqual(s.metric("weir_api_calls_total", verb="patch"), 0)
            self.assertEqual(s.status(sha, "drift"), ("success", "no drift"))

    def test_mode_report_tells_drift_and_applies_changes(self):
        with site(sync={"mode": "report"}) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            generation = self.change_behind_the_back(s, lag_alert_threshold=1)
            s.wait_status(sha, "failure", r"^orders-dr: drift, .*report \(lag_alert_threshold\)", "drift")
            sha = s.push({"payments.yaml": document("payments-dr", lag_alert_threshold=2)})
            s.wait_status(sha, "success", r"^1 in sync \(1 changed\), 1 drifted \(sync.mode is report\): orders-dr$")
            live = s.api.get("orders-dr")
            self.assertEqual((live["generation"], live["lag_alert_threshold"]), (generation, 1))
            self.assertEqual(s.api.get("payments-dr")["lag_alert_threshold"], 2)

    def test_a_replicator_can_be_in_mode_report_by_itself(self):
        with site() as s:
            s.start()
            told = document("orders-dr", {"mode": "report"}, lag_alert_threshold=10000)
            sha = s.push({"orders.yaml": told, "payments.yaml": document("payments-dr", lag_alert_threshold=3)})
            s.wait_status(sha, "success", "^2 in sync")
            self.change_behind_the_back(s, lag_alert_threshold=1)
            self.assertEqual(s.api.patch("payments-dr", {"lag_alert_threshold": 1}).status, 200)
            s.wait_status(sha, "failure", "^orders-dr: ", "drift")
            s.wait_live("payments-dr", lag_alert_threshold=3)
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 1)

    def test_mode_plan_writes_nothing(self):
        with site(sync={"mode": "plan"}) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", r"2 to change \(sync.mode is plan\)")
            s.wait_pass(2)
            self.assertEqual(s.metric("weir_api_calls_total", verb="create"), 0)
            self.assertIsNone(s.api.get("orders-dr"))

    def test_a_draft_of_somebody_else_is_left_to_them(self):
        with site() as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.api.patch("orders-dr", {"topic_blacklist": "x.*"}).json["generation"], 2)
            s.wait_pass(3)
            self.assertEqual(s.api.get("orders-dr")["observed_generation"], 1)
            self.assertEqual(s.status(sha)[0], "success")
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=5)})
            s.wait_status(sha, "failure", "^orders-dr: a draft of somebody else")
            self.assertRegex(s.cli("plan", status=2), "also provision.* topic_blacklist")
            self.assertEqual(s.api.get("orders-dr")["observed_generation"], 1)


class AdoptionTest(unittest.TestCase):
    def create(self, s, **fields):
        self.assertEqual(s.api.create("orders-dr", **fields).status, 201)
        provision(s, 1)
        s.wait_live("orders-dr", status="Healthy")

    def test_what_is_as_git_says_is_adopted_and_not_written(self):
        with site() as s:
            self.create(s, lag_alert_threshold=10000)
            s.start()
            sha = s.push({"orders.yaml": TWO["orders.yaml"]})
            s.wait_status(sha, "success", r"^1 in sync \(new state: nothing is pruned\)$")
            self.assertEqual(s.api.get("orders-dr")["generation"], 1)
            self.assertEqual(s.metric("weir_api_calls_total", verb="reconcile"), 0)
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=1)})
            s.wait_status(sha, "success", r"^1 in sync \(1 changed\)$")
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 1)

    def test_what_differs_is_held_until_git_says_the_same(self):
        with site() as s:
            self.create(s, lag_alert_threshold=1)
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "failure", r"^orders-dr: exists already and is not as Git says \(lag_alert")
            s.wait_live("payments-dr", status="Healthy")
            self.assertEqual(s.api.get("orders-dr")["generation"], 1)
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=1)})
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.api.get("orders-dr")["generation"], 1)

    def test_adopt_never_holds_even_what_is_the_same(self):
        with site(sync={"adopt": "never"}) as s:
            self.create(s, lag_alert_threshold=10000)
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "failure", "^orders-dr: exists already, and sync.adopt is never")

    def test_a_store_that_was_lost_adopts_what_it_made(self):
        with site() as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            s.stop()
            s.state.rename(s.folder / "lost")
            s.start()
            wait_for(lambda: s.get("/readyz")[0] == 200, DEADLINE_S)
            s.wait_status(sha, "success", r"^2 in sync \(new state: nothing is pruned\)$")
            self.assertEqual([s.api.get(n)["generation"] for n in ("orders-dr", "payments-dr")], [1, 1])
            self.assertEqual(s.metric("weir_api_calls_total", verb="reconcile"), 0)


class HistoryTest(unittest.TestCase):
    def test_a_rewound_branch_is_held_until_history_goes_on(self):
        with site() as s:
            s.start()
            first = s.push(TWO)
            s.wait_status(first, "success", "^2 in sync")
            second = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)})
            s.wait_status(second, "success", "^2 in sync")
            s.repository.rewind(first)
            s.wake()
            s.wait_status(first, "failure", f"rewound from {second[:7]}: nothing of it is applied; .*weir approve --rewind")
            s.wait_pass(2)
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 2)
            s.repository.rewind(second)
            third = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=3)})
            s.wait_status(third, "success", r"^2 in sync \(1 changed\)$")
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 3)

    def test_a_rewound_branch_is_still_held_after_a_restart(self):
        with site() as s:
            s.start()
            first = s.push(TWO)
            s.wait_status(first, "success", "^2 in sync")
            second = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)})
            s.wait_status(second, "success", "^2 in sync")
            s.stop()
            s.repository.rewind(first)
            s.start()
            s.wait_status(first, "failure", f"rewound from {second[:7]}")
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 2)

    def test_a_rewound_branch_is_followed_where_that_is_wanted(self):
        with site(source={"rewind": "follow"}) as s:
            s.start()
            first = s.push(TWO)
            s.wait_status(first, "success", "^2 in sync")
            s.wait_status(s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)}), "success", "^2 in")
            s.repository.rewind(first)
            s.wake()
            s.wait_live("orders-dr", lag_alert_threshold=10000)
            s.wait_status(first, "success", "^2 in sync")

    def test_a_rewritten_commit_is_held(self):
        with site() as s:
            s.start()
            first = s.push(TWO)
            s.wait_status(first, "success", "^2 in sync")
            s.repository.write({"orders.yaml": document("orders-dr", lag_alert_threshold=2)})
            s.repository.git("commit", "--quiet", "--all", "--amend", "--message", "rewritten")
            s.repository.git("push", "--quiet", "--force", "origin", "HEAD:refs/heads/main")
            s.wake()
            s.wait_status(s.repository.git("rev-parse", "HEAD"), "failure", f"rewound from {first[:7]}")
            s.wait_pass()
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 10000)


if __name__ == "__main__":
    main()
