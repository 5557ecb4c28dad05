#!/usr/bin/env python3
"""The commands besides `run`: init, validate, plan, apply and status."""

import contextlib
import http.server
import json
import os
import re
import shutil
import socketserver
import subprocess
import threading
import unittest

import jsonschema
from repository import clean_environment
from weirtest import BIN, DEADLINE_S, ROOT, Site, document, line_of, main, wait_for

TWO = {"orders.yaml": document("orders-dr", lag_alert_threshold=1), "payments.yaml": document("payments-dr")}
CHANGED = document("orders-dr", lag_alert_threshold=2)


def in_sync(s, files=TWO):
    """A store that knows the files' replicators, and no daemon any more."""
    s.start()
    sha = s.push(files)
    s.wait_status(sha, "success", "in sync")
    s.wait_status(sha, "success", "no drift", "drift")
    s.stop()
    s.api.reset("requests")
    return sha


@contextlib.contextmanager
def stand_in(s, answers):
    """Answers on the daemon's socket, for each path what is next in its list, else 404; gives the paths that were asked for."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            known = answers.get(self.path)
            body = json.dumps(known.pop(0) if known else {"error": "there is no such path", "code": "not-found"}).encode()
            self.send_response(200 if known is not None else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

        def address_string(self):
            return "weir"

    s.state.mkdir(exist_ok=True)
    with socketserver.UnixStreamServer(str(s.state / "weir.sock"), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield asked
        finally:
            server.shutdown()
            thread.join()


class PlanTest(unittest.TestCase):
    def read_json(self, text):
        plan = json.loads(text)
        schema = json.loads((ROOT / "schema" / "plan.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(plan)
        return plan

    def test_what_is_new_is_shown_and_nothing_is_written(self):
        with Site() as s:
            sha = s.push(TWO)
            text = s.cli("plan", status=2)
            self.assertRegex(text, rf"(?m)^Plan for acme at {sha[:12]}: change$")
            self.assertRegex(text, r"(?m)^\+ orders-dr  create  replicators/orders.yaml:\d+$")
            self.assertRegex(text, r"(?m)^ +lag_alert_threshold +1 +replicators/orders.yaml:\d+$")
            self.assertRegex(text, r"(?m)^Plan: 2 to create\.")
            self.assertNotIn("\x1b", text)
            self.assertFalse(s.state.exists())
            self.assertEqual(s.api.requests(effect=True), [])
            self.assertEqual(list((s.folder / "tmp").iterdir()), [])

    def test_what_changed_is_shown_with_both_values_and_its_place(self):
        with Site() as s:
            in_sync(s)
            self.assertRegex(s.cli("plan"), r"(?m)^No changes\. 2 replicators are as Git says\.$")
            s.push({"orders.yaml": CHANGED})
            text = s.cli("plan", status=2)
            self.assertRegex(text, r"(?m)^~ orders-dr  update")
            line = line_of(CHANGED, "lag_alert_threshold")
            self.assertRegex(text, rf"(?m)^ +lag_alert_threshold +1 -> 2 +replicators/orders.yaml:{line}$")
            self.assertNotIn("payments-dr", text)
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 1)

    def test_as_json_it_is_what_the_schema_says(self):
        with Site() as s:
            sha = in_sync(s)
            plan = self.read_json(s.cli("plan", "-o", "json"))
            self.assertEqual((plan["source"]["name"], plan["source"]["sha"]), ("acme", sha))
            s.api.create("other-dr")
            s.api.create("held-dr", lag_alert_threshold=5)
            s.api.edit("orders-dr", fields={"lag_alert_threshold": 7}, provision=True)
            files = {"new.yaml": document("new-dr"), "bad.yaml": "a: [", "held.yaml": document("held-dr")}
            s.push(files | {"payments.yaml": document("payments-dr", topic_whitelist=["a", "b"])})
            plan = self.read_json(s.cli("plan", "-o", "json", status=None))
            actions = {item["name"]: item["action"] for item in plan["items"]}
            self.assertEqual((actions["new-dr"], actions["payments-dr"]), ("create", "update"))
            self.assertEqual((actions["orders-dr"], actions["held-dr"]), ("update", "hold"))
            self.assertEqual(plan["unmanaged"], ["other-dr"])
            self.assertEqual(plan["summary"]["errors"], 1)
            self.assertEqual(plan["problems"][0]["file"], "replicators/bad.yaml")

    def test_as_markdown_it_is_a_comment(self):
        with Site() as s:
            s.push(TWO)
            text = s.cli("plan", "-o", "markdown", status=2)
            self.assertIn("```diff", text)
            self.assertIn("orders-dr", text)
            self.assertIn("2 to create", text)

    def test_exit_codes(self):
        with Site() as s:
            s.push(TWO)
            for form in ("text", "markdown", "json"):
                s.cli("plan", "-o", form, status=2)
            in_sync(s)
            for form in ("text", "markdown", "json"):
                s.cli("plan", "-o", form, status=0)
            s.push({"bad.yaml": "a: ["})
            for form in ("text", "markdown", "json"):
                s.cli("plan", "-o", form, status=1)
            self.assertRegex(s.cli("plan", "-o", "xml", status=64), "must be text, markdown or json")
            self.assertRegex(s.cli("plan", "--nonsense", status=64), "--nonsense")
            s.push({"bad.yaml": None})
            s.configure(api={"url": s.api.url})  # a proxy would answer for it
            s.api.stop()
            self.assertRegex(s.cli("plan", status=1), "^weir plan: .*cannot be reached")
            s.configure(source={"branch": "release"})
            self.assertRegex(s.cli("plan", status=1), "there is no branch release; there are: main")
            s.api.start()

    def test_a_folder_can_be_planned_without_git(self):
        with Site() as s:
            in_sync(s)
            folder = s.folder / "tree"
            shutil.copytree(s.repository.path, folder)
            (folder / "orders.yaml").write_text(CHANGED)
            text = s.cli("plan", "--path", folder, status=2)
            self.assertRegex(text, r"(?m)^~ orders-dr  update")
            self.assertRegex(text, rf"{folder}/orders.yaml:\d+")
            s.cli("plan", "--path", folder / "payments.yaml", status=2)  # then the other is not in Git
            self.assertRegex(s.cli("plan", "--path", s.folder / "nowhere", status=1), "nowhere")

    def test_without_its_folder_there_is_no_plan(self):
        with Site() as s:
            in_sync(s)
            s.push({name: None for name in TWO} | {"../README": "nothing\n"})
            for command in ("plan", "apply"):
                text = s.cli(command, status=1)
                self.assertIn("there is no folder replicators in commit", text)
                self.assertNotIn("as Git says", text)

    def test_without_its_branch_there_is_no_plan(self):
        with Site() as s:
            in_sync(s)
            s.configure(source={"branch": "elsewhere"})
            text = s.cli("plan", status=1)
            self.assertIn("there is no branch elsewhere", text)
            self.assertNotIn("No changes", text)

    def test_beside_a_daemon_it_disturbs_nothing(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.repository.push({"orders.yaml": CHANGED})
            s.cli("plan", status=None)
            s.wake()
            s.wait_status(s.repository.git("rev-parse", "HEAD"), "success", r"^2 in sync \(1 changed\)$")
            s.cli("plan")


class ApplyTest(unittest.TestCase):
    def test_it_makes_it_so_and_waits_for_healthy(self):
        with Site("replicatord") as s:
            sha = s.push(TWO)
            text = s.cli("apply")
            self.assertRegex(text, r"(?m)^\+ orders-dr  create")
            self.assertRegex(text, "(?m)^orders-dr: created, generation 1$")
            self.assertRegex(text, "(?m)^orders-dr: Healthy at generation 1$")
            self.assertRegex(text, r"(?m)^success: 2 in sync \(2 changed\)$")
            self.assertEqual(s.status(sha), ("success", "2 in sync (2 changed)"))
            self.assertEqual(s.api.get("orders-dr")["status"], "Healthy")
            self.assertRegex(s.cli("apply"), "(?m)^success: 2 in sync")

    def test_what_fails_is_said_and_is_its_exit_status(self):
        with Site("replicatord", {"fail": ["bad-*"]}) as s:
            sha = s.push(TWO | {"bad.yaml": document("bad-dr")})
            text = s.cli("apply", status=1)
            self.assertRegex(text, "(?m)^failure: bad-dr: ended in Error at generation 1")
            self.assertEqual(s.api.get("orders-dr")["status"], "Healthy")
            self.assertEqual(s.status(sha)[0], "failure")

    def test_a_file_that_does_not_load_is_its_exit_status(self):
        with Site() as s:
            sha = s.push(TWO | {"bad.yaml": "a: ["})
            text = s.cli("apply", status=1)
            self.assertRegex(text, r"(?m)^failure: .*\(replicators/bad.yaml:2\)$")
            self.assertEqual(s.api.get("orders-dr")["status"], "Healthy")
            self.assertEqual(s.status(sha)[0], "failure")

    def test_beside_a_daemon_it_is_told_to_look_and_waited_for(self):
        with Site(source={"interval": "1h"}, sync={"interval": "1h"}) as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.repository.push({"orders.yaml": CHANGED}, "change")  # nobody is told
            text = s.cli("apply")
            self.assertRegex(text, "^a daemon works on this state: it is told to look now\n")
            self.assertRegex(text, r"(?m)^success: 2 in sync \(1 changed\)$")
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 2)
            self.assertEqual(s.api.get("orders-dr")["status"], "Healthy")
            self.assertRegex(s.cli("apply"), "(?m)^success: 2 in sync")
            s.repository.push({"bad.yaml": "a: ["}, "bad")
            self.assertRegex(s.cli("apply", status=1), r"(?m)^failure: .*\(replicators/bad.yaml:2\)$")

    def test_beside_a_daemon_that_cannot_it_is_an_error_after_its_time(self):
        with Site(sync={"timeout": "2s"}) as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.api.rule("status", "GET", times=None, status=503, body={"detail": "maintenance"})
            text = s.cli("apply", status=1)
            self.assertRegex(text, "(?m)^weir apply: .*maintenance")
            self.assertIn("did not come to the end of it within sync.timeout", text)

    def test_while_it_waits_it_asks_for_little(self):
        """A stand-in for the daemon, which is at it for a while."""
        progress = {"seen_head": "f" * 40, "text": "applying 1/2", "ready": True, "passes": 1, "reads": 1, "troubles": []}
        answers = [progress | {"state": "pending", "settled": False}] * 3
        answers += [progress | {"state": "success", "settled": True, "text": "2 in sync"}]
        with Site() as s, stand_in(s, {"/v1/sync": [{"passes": 1, "reads": 1}], "/v1/progress": answers}) as asked:
            self.assertRegex(s.cli("apply"), "(?m)^commit f{12}: applying 1/2\nsuccess: 2 in sync\n\\Z")
            self.assertEqual(asked, ["/v1/sync"] + ["/v1/progress"] * 4)

    def test_a_daemon_of_another_version_is_said(self):
        for answers in {"/v1/sync": [{}]}, {"/v1/sync": [{"passes": 1, "reads": 1}]}:
            with Site() as s, stand_in(s, answers):
                text = s.cli("apply", status=1)
                self.assertIn("weir apply: the daemon is of another version; restart it", text)

    def test_beside_a_daemon_a_folder_is_refused(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.api.reset("requests")
            text = s.cli("apply", "--path", s.repository.path, status=1)
            self.assertRegex(text, "a folder cannot be applied beside a daemon: another weir works on .*; stop it")
            self.assertRegex(text, "another weir works on .*/state")
            self.assertEqual(s.api.requests(method="POST"), [])

    def test_what_is_applied_from_a_folder_is_not_remembered(self):
        with Site() as s:
            s.repository.write(TWO)
            text = s.cli("apply", "--path", s.repository.path)
            self.assertRegex(text, "(?m)^orders-dr: Healthy at generation 1$")
            self.assertEqual(s.api.started("orders-dr"), {1: 1})
            # So it is adopted, or held where it differs, as if somebody else had made it.
            sha = s.push({"orders.yaml": CHANGED})
            s.start()
            s.wait_status(sha, "failure", "^orders-dr: exists already and is not as Git says")

    def test_what_people_ordered_holds_for_a_folder_too(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.cli("suspend", "orders-dr", "--reason", "broker upgrade")
            s.stop()
            s.repository.write({"orders.yaml": CHANGED})
            text = s.cli("apply", "--path", s.repository.path, status=None)
            self.assertIn("1 suspended", text)
            self.assertEqual(s.api.get("orders-dr")["generation"], 1)

    def test_apply_gives_up_on_a_repository_that_cannot_be_read(self):
        with Site(sync={"timeout": "1h"}, source={"url": "http://weir.invalid/team.git"}) as s:
            text = s.cli("apply", status=1)
            self.assertRegex(text, "weir apply: .*weir.invalid.*its name cannot be resolved")
            self.assertRegex(text, "(?m)^error: nothing could be read, and nothing was done$")
            self.assertEqual(s.api.requests(effect=True), [])

    def test_an_api_that_is_away_is_an_error_after_its_time(self):
        with Site(sync={"timeout": "2s"}) as s:
            s.push(TWO)
            s.api.stop()
            self.assertRegex(s.cli("apply", status=1), "(?m)^error: API unreachable since ")
            s.api.start()

    def test_a_refused_token_is_an_error_at_once(self):
        with Site(environment={"API_TOKEN": "another"}) as s:
            s.push(TWO)
            self.assertRegex(s.cli("apply", status=1), "(?m)^error: the API refused the token")


class StatusTest(unittest.TestCase):
    def test_how_things_stand_is_shown(self):
        with Site("replicatord", {"fail": ["bad-*"]}) as s:
            self.assertRegex(s.cli("status", status=1), "no store in .*/state yet: weir has not run")
            s.start()
            sha = s.push(TWO | {"bad.yaml": document("bad-dr")})
            s.wait_status(sha, "failure", "^bad-dr")
            wait_for(lambda: "not posted" not in s.cli("status"), DEADLINE_S)
            text = s.cli("status")
            self.assertRegex(text, rf"(?m)^{sha[:12]} +failure +weir/acme/sync +bad-dr: ended in Error")
            self.assertRegex(text, r"(?m)^bad-dr +failed +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
            self.assertRegex(text, "(?m)^ +why +ended in Error at generation 1")
            self.assertRegex(s.cli("status", "--all"), "(?m)^orders-dr +healthy$")
            wait_for(lambda: all(row["posted"] for row in json.loads(s.cli("status", "-o", "json"))["statuses"]), DEADLINE_S)
            shown = json.loads(s.cli("status", "-o", "json"))
            self.assertEqual((shown["name"], shown["head"]), ("acme", sha))
            self.assertEqual(shown["replicators"]["orders-dr"]["standing"], "healthy")
            self.assertEqual(shown["replicators"]["bad-dr"]["standing"], "failed")
            status = next(row for row in shown["statuses"] if row["context"] == "weir/acme/sync")
            self.assertEqual((status["commit"], status["state"]), (sha, "failure"))
            self.assertRegex(s.cli("status", "-o", "xml", status=64), "must be text or json")


class FileTest(unittest.TestCase):
    def test_init_writes_what_validate_takes(self):
        with Site() as s:
            folder = s.folder / "new"
            text = s.cli("init", folder, config=False)
            self.assertIn("Next: ", text)
            text = s.cli("validate", folder / "replicators", config=False)
            self.assertRegex(text, "^1 replicator in 1 file: all is well$")
            (folder / "weir.yaml").write_text("mine\n")
            self.assertIn("stays as it is", s.cli("init", folder, config=False))
            self.assertEqual((folder / "weir.yaml").read_text(), "mine\n")

    def test_what_init_writes_is_for_whoever_runs_it(self):
        with Site() as s:
            s.environment |= {"HOME": str(s.folder / "a home"), "XDG_STATE_HOME": ""}
            own = f"{s.folder}/a home/.local/state/weir"
            for environment, state in (
                ({}, "/var/lib/weir" if os.geteuid() == 0 else own),
                ({"XDG_STATE_HOME": "state"}, "/var/lib/weir" if os.geteuid() == 0 else own),
                ({"XDG_STATE_HOME": f"{s.folder}/some \"state\""}, f"{s.folder}/some \"state\"/weir"),
            ):
                s.environment |= environment
                file = s.folder / "fresh" / "weir.yaml"
                s.cli("init", file.parent, config=False)
                written = re.search("(?m)^state: (.*?) +#", file.read_text())[1]
                self.assertEqual(json.loads(written) if written[0] == '"' else written, state)
                if state != "/var/lib/weir":  # there may be a store
                    text = s.cli("status", "-c", file, config=False, status=1)
                    self.assertIn("no store in " + str(s.folder), text)
                file.unlink()

    def test_validate_prints_every_problem(self):
        with Site() as s:
            bad = document("bad-dr", lag_alert_threshold="many", topic_whitelst="x")
            s.repository.write(TWO | {"bad.yaml": bad, "worse.yml": "a: [", "notes.txt": "a: ["})
            text = s.cli("validate", s.repository.path, config=False, status=1)
            lines = [line_of(bad, "many"), line_of(bad, "whitelst")]
            for place in (f"bad.yaml:{lines[0]}", f"bad.yaml:{lines[1]}", "worse.yml:2"):
                self.assertRegex(text, rf"(?m)^{s.repository.path}/{place}:\d+: ")
            self.assertRegex(text, "(?m)^3 replicators in 4 files: 3 errors, 1 warning$")
            self.assertIn("all is well", s.cli("validate", s.repository.path / "orders.yaml", config=False))
            self.assertRegex(s.cli("validate", s.folder / "nowhere", config=False, status=1), "nowhere")
            self.assertEqual(s.api.requests(), [])

    def test_without_arguments_help_is_given(self):
        with Site() as s:
            for words in (("--help",), ("plan", "--help"), ("help", "run")):
                self.assertIn("Usage: weir", s.cli(*words, config=False))
            self.assertRegex(s.cli("--version", config=False), r"weir \d+\.\d+\.\d+")
            self.assertIn("no such command", s.cli("bogus", config=False, status=64))

    def test_what_does_not_arrive_is_an_error(self):
        with open("/dev/full", "w") as full:
            for words in ("--help", "--version", "help plan"):
                done = subprocess.run([BIN / "weir", *words.split()], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual((done.returncode, "did not arrive" in done.stderr), (1, True))

    def test_a_reader_who_has_seen_enough_is_told_nothing(self):
        with Site() as s:
            s.push(TWO)
            ours, theirs = os.pipe()
            os.close(ours)
            done = subprocess.run(
                [BIN / "weir", "plan", "-c", s.config_file],
                env=clean_environment() | s.environment,
                stdout=theirs,
                stderr=subprocess.PIPE,
                text=True,
            )
            os.close(theirs)
            self.assertEqual((done.returncode, done.stderr), (1, ""))

    def test_what_is_printed_goes_into_no_file_where_streams_are_closed(self):
        with Site() as s:
            words = f"exec {BIN}/weir run -c {s.config_file} <&- >&- 2>&-"
            with subprocess.Popen(["sh", "-c", words], env=clean_environment() | s.environment) as weir:
                sha = s.push(TWO)
                s.wait_status(sha, "success")
                weir.terminate()
            self.assertEqual((s.state / "lock").read_text(), f"{weir.pid}\n")


if __name__ == "__main__":
    main()
