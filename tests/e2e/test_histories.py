#!/usr/bin/env python3
"""Random histories over the real programs, each from a seed: pushes, people at the API, faults of the API, of Git and of
the forge, kills and restarts. Once they stop, all is as Git says, and nothing was done that nobody asked for.

    WEIR_SEED=17 tests/e2e/test_histories.py     that history alone
    WEIR_FRESH=now tests/e2e/test_histories.py   as many of seeds that nobody tried before

tests/model plays many more of them, over the engine alone; here is what only whole programs have.
"""

import os
import random
import shutil
import time
import unittest

from weirtest import Site, document, main, wait_for

HISTORIES = int(os.environ.get("WEIR_HISTORIES", "100"))
NAMES = ("billing", "orders", "payments")
FIELDS = ("lag_alert_threshold", "groups_whitelist", "topic_blacklist", "producer.linger.ms", "tasks.max")
STRANGERS = "consumer.max.poll.records"  # a key that Git never has
LIST, ONE, RECONCILE = r"/kafka-replicator/$", r"/kafka-replicator/\w+/$", r"/reconcile/$"
CALLS = {"GET list": ("GET", LIST), "GET": ("GET", ONE), "POST": ("POST", LIST), "PATCH": ("PATCH", ONE)} | {
    "reconcile": ("POST", RECONCILE)
}
FAULTS = {
    "lost": ("drop_before_effect", {}),
    "unanswered": ("drop_after_effect", {}),
    "cut": ("truncate", {}),
    "503": ("status", {"status": 503}),
    "502 with effect": ("status", {"status": 502, "effect": True}),
    "429": ("status", {"status": 429, "headers": {"Retry-After": "1"}}),
    "html": ("html", {"effect": True}),
    "slow": ("delay", {"ms": 1500}),
}
DEADLINE_S = 300  # more than the longest wait after a call that failed


def is_key(field):
    return "." in field


def to_api(field, value):
    return value if value is None or field == "lag_alert_threshold" or is_key(field) else f"{field[:6]}-{value}"


class History:
    """What happened so far, as a list that can be read; and what there should be."""

    def __init__(self, site, seed):
        self.site = site
        self.dice = random.Random(seed)
        self.steps = []
        self.git = {}  # name to {field: value}
        self.broken = set()
        self.moved = set()
        self.written = {name: set() for name in NAMES}  # fields that Git ever had
        self.kept = {}  # name to the value of a stranger's key
        self.commits = []
        self.forgotten = 0  # those that a store knew of that was lost
        self.trees = []

    # ---- Git ----

    def text(self, name):
        fields = self.git[name]
        keys = {f: v for f, v in fields.items() if is_key(f)}
        plain = {f: to_api(f, v) for f, v in fields.items() if not is_key(f)}
        provider = {"provider": "Kafka"} if name in self.broken else {}
        return document(name, **plain, **({"advanced_configuration": keys} if keys else {}), **provider)

    def files(self):
        there = {f"{'moved/' if name in self.moved else ''}{name}.yaml": self.text(name) for name in self.git}
        gone = {f"{place}{name}.yaml": None for name in NAMES for place in ("", "moved/")}
        return {f: text for f, text in (gone | there).items() if text or (self.site.repository.path / f).exists()}

    def push(self):
        self.commits.append(self.site.push(self.files()))
        self.trees.append({name: dict(fields) for name, fields in self.git.items()})

    def change(self):
        for name in self.dice.sample(NAMES, self.dice.randint(1, 2)):
            field, value = self.dice.choice(FIELDS), self.dice.randint(1, 9)
            fields = self.git.setdefault(name, {"lag_alert_threshold": self.dice.randint(1, 9)})
            if self.dice.random() < 0.3 and field != "lag_alert_threshold":
                fields.pop(field, None)
                value = None
            else:
                fields[field] = value
                self.written[name].add(field)
            self.written[name].add("lag_alert_threshold")
            self.steps.append(f"write {name} {field} {value}")
        self.push()

    def shuffle(self):
        name = self.dice.choice(NAMES)
        if name not in self.git:
            return
        what = self.dice.choice(("remove", "move", "break", "mend"))
        self.steps.append(f"{what} {name}")
        if what == "remove" and len(self.git) > 1:
            del self.git[name]
        if what == "move":
            self.moved ^= {name}
        self.broken = self.broken | {name} if what == "break" else self.broken - {name}
        self.broken &= self.git.keys()
        self.push()

    def rewind(self):
        if len(self.commits) < 2:
            return
        back = self.dice.randrange(len(self.commits) - 1)
        self.steps.append(f"rewind to commit {back}")
        self.site.repository.rewind(self.commits[back])
        self.site.wake()
        self.git = {name: dict(fields) for name, fields in self.trees[back].items()}
        self.broken.clear()

    def hide_git(self):
        bare = self.site.repository.bare
        self.steps.append("Git is away for a while")
        bare.rename(bare.with_suffix(".away"))
        self.pass_time()
        bare.with_suffix(".away").rename(bare)

    def refuse_notes(self):
        hook = self.site.repository.bare / "hooks" / "update"
        self.steps.append("notes are refused for a while")
        hook.write_text('#!/bin/sh\ncase "$1" in refs/notes/*) exit 1;; esac\n')
        hook.chmod(0o755)
        self.pass_time()
        hook.unlink()

    # ---- people ----

    def live(self, name):
        """As it is, past all faults; None if there is none."""
        try:
            return self.site.api.edit(name)
        except AssertionError:
            return None

    def meddle(self):
        name = self.dice.choice(NAMES)
        if not self.live(name):
            return
        what = self.dice.choice(("saves", "edits", "adds a key", "starts", "deletes"))
        self.steps.append(f"somebody {what}: {name}")
        if what == "deletes":
            self.site.api.edit(name, remove=True)
            self.kept.pop(name, None)
        elif what == "starts":
            self.site.api.edit(name, start=True)
        elif what == "adds a key":
            config = self.live(name)["advanced_configuration"] or {}
            self.kept[name] = self.dice.randint(1, 99)
            self.site.api.edit(
                name, fields={"advanced_configuration": config | {STRANGERS: self.kept[name]}}, provision=True
            )
        else:
            value = self.dice.randint(100, 199)
            self.site.api.edit(name, fields={"lag_alert_threshold": value}, start=what == "edits")

    # ---- faults ----

    def fail_calls(self):
        call, fault = self.dice.choice(sorted(CALLS)), self.dice.choice(sorted(FAULTS))
        times = self.dice.randint(1, 2)
        self.steps.append(f"fault {call} {fault} {times}")
        (method, path), (do, parameters) = CALLS[call], FAULTS[fault]
        self.site.api.rule(do, method=method, path=path, times=times, **parameters)

    def restart(self):
        how = self.dice.choice(("kill", "kill", "stop"))
        self.steps.append(how)
        getattr(self.site, how)()
        if self.dice.random() < 0.1:
            self.steps.append("the store is lost")
            shutil.rmtree(self.site.state)
            self.forgotten = len(self.commits)
        self.site.start()

    def pass_time(self):
        """Until something more was asked of the API, or a moment; at whatever moment that leaves us."""
        more = self.dice.randint(0, 4)
        seen = len(self.site.api.requests())
        end = time.monotonic() + self.dice.random()
        wait_for(lambda: len(self.site.api.requests()) >= seen + more or time.monotonic() > end)

    def live_through(self):
        acts = [self.change] * 4 + [self.meddle] * 3 + [self.fail_calls] * 2 + [self.restart] * 2
        acts += [self.shuffle, self.rewind, self.hide_git, self.refuse_notes]
        self.change()
        for _ in range(self.dice.randint(5, 9)):
            self.pass_time()
            self.dice.choice(acts)()

    # ---- the end ----

    def calm(self):
        """The faults stop, people finish what they began, Git is mended and says something new of each."""
        self.steps.append("calm")
        self.site.api.reset("rules")
        self.broken.clear()
        self.git = self.git or {"orders": {}}
        for name, fields in self.git.items():
            fields["lag_alert_threshold"] = 1000 + self.dice.randint(1, 999)
            self.written[name].add("lag_alert_threshold")
            live = self.live(name)
            if live and live["observed_generation"] < live["generation"]:
                self.site.api.edit(name, start=True)
        self.push()

    def as_people_would(self):
        """What is held for a person is decided by one: what differs is made as Git says, drafts are started."""
        text = (self.site.status(self.commits[-1]) or ("", ""))[1]
        for name in self.git:
            live = self.live(name)
            if live and "exists already" in text:
                self.site.api.edit(name, fields=self.wanted(name, live), provision=True)
            elif live and "draft of somebody else" in text:
                self.site.api.edit(name, start=True)
        return self.site.matched(self.commits[-1], "success", "^[0-9]+ in sync", "sync")

    def wanted(self, name, live):
        fields = {f: to_api(f, v) for f, v in self.git[name].items() if not is_key(f)}
        keys = {f: v for f, v in self.git[name].items() if is_key(f)}
        return fields | {"advanced_configuration": (live["advanced_configuration"] or {}) | keys}


class HistoryTest(unittest.TestCase):
    def play(self, seed):
        with Site(source={"rewind": "follow"}) as s:
            h = History(s, seed)
            s.start()
            try:
                h.live_through()
                h.calm()
                wait_for(h.as_people_would, DEADLINE_S, "the last commit to be a success")
                self.check(s, h)
            except BaseException:
                print(f"seed {seed}:\n  " + "\n  ".join(h.steps), flush=True)
                raise

    def check(self, s, h):
        self.check_converged(s, h)
        self.check_once(s)
        self.check_owned(s, h)
        self.check_statuses(s, h)
        self.check_quiet(s)

    def check_converged(self, s, h):
        """All that Git says is live and Healthy; a stranger's key is still there."""
        for name in h.git:
            live = h.live(name)
            self.assertEqual((live["status"], live["observed_generation"]), ("Healthy", live["generation"]), name)
            keys = live["advanced_configuration"] or {}
            for field, value in h.git[name].items():
                shown = keys.get(field) if is_key(field) else live[field]
                self.assertEqual(shown, to_api(field, value), f"{name}: {field}")
            if name in h.kept:
                self.assertEqual(keys.get(STRANGERS), h.kept[name], f"{name}: a stranger's key")

    def check_once(self, s):
        """Each generation was reconciled by weir once, and again only after it failed or others took over."""
        for row in s.api.operations():
            ours = [o for o in row["operations"] if o["key"] and o["state"] in ("Running", "Succeeded")]
            self.assertLessEqual(len(ours), 1, row)

    def check_owned(self, s, h):
        """Nothing was deleted, and of each only what Git ever had was written."""
        for r in s.api.requests():
            self.assertNotEqual(r["method"], "DELETE")
            if r["method"] != "PATCH" or not r["body"]:
                continue
            name = r["path"].rstrip("/").rpartition("/")[2]
            plain = h.written[name] | {"advanced_configuration"}
            self.assertLessEqual(set(r["body"]), plain, f"a PATCH of {name}")

    def check_statuses(self, s, h):
        """Each commit that has a status has one that is final; what a lost store knew is gone with it."""
        for sha in h.commits[h.forgotten :]:
            found = s.status(sha)
            self.assertTrue(not found or found[0] != "pending", f"{sha}: {found}")
        s.wait_status(h.commits[-1], "success", "^no drift$", "drift")

    def check_quiet(self, s):
        """No call when nothing changed, but to look whether it did."""
        s.wait_pass(1)
        before = len(s.api.requests())
        s.wait_pass(2)
        calls = {(r["method"], r["path"].partition("?")[0]) for r in s.api.requests(after=before)}
        self.assertLessEqual(calls, {("GET", "/organizations/acme/kafka-replicator/")})


def history_case(seed):
    def test(self):
        self.play(seed)

    return test


def seeds():
    if "WEIR_SEED" in os.environ:
        return [int(os.environ["WEIR_SEED"])]
    if "WEIR_FRESH" in os.environ:
        fresh = int(time.time()) if os.environ["WEIR_FRESH"] == "now" else int(os.environ["WEIR_FRESH"])
        print(f"WEIR_FRESH={fresh}: seeds from {fresh} on", flush=True)
        return [*range(fresh, fresh + HISTORIES)]
    return [*range(1, HISTORIES + 1)]


for n in seeds():
    setattr(HistoryTest, f"test_history_{n}", history_case(n))


if __name__ == "__main__":
    main()
