"""Rules that make the fake misbehave, and the log of what it was asked.

A rule: {"match": {"method": "PATCH", "path": REGEX, "nth": 2}, "times": 3, "action": ACTION}. It acts on the nth
request that matches (default 1) and on those after it, `times` in all (default 1; null: for ever). Of several rules the
oldest that acts wins. ACTION is a name, or {"do": NAME, …} with what the table below lists.
"""

import re
import threading
import time

# What an action takes, and what it is when it is left out. "effect": whether the request is carried out first.
ACTIONS = {
    "status": {"status": 503, "body": {"detail": "made to fail"}, "headers": {}, "effect": False},
    "delay": {"ms": 1000},
    "drop_before_effect": {"reset": False},
    "drop_after_effect": {"reset": False},
    "truncate": {"keep": 0.5},
    "html": {"status": 200, "effect": False},
    "huge": {"size": 10_000_000, "status": 200},
    "redirect": {"url": None, "status": 302},
    "hang": {"effect": False},
    "hold": {"effect": False},
    # What somebody else does when the request arrives, or once it is carried out: see Replicators.edit.
    "meddle": {"edits": None, "after": False},
    "fail_operation": {"error": "the fleet refused the change"},
    "slow_drip": {"interval_ms": 1000},
}


# Whose answers no API should give.
ANSWERS_WRONGLY = ("status", "html", "huge", "redirect")


class BadRule(ValueError):
    pass


class Rule:
    def __init__(self, rule):
        match = rule.get("match", {})
        action = rule.get("action")
        action = {"do": action} if isinstance(action, str) else dict(action or {})
        self.do = action.pop("do", None)
        if self.do not in ACTIONS:
            raise BadRule(f"action must be one of {', '.join(ACTIONS)}")
        unknown = (
            rule.keys() - {"match", "times", "action"}
            | match.keys() - {"method", "path", "nth"}
            | action.keys() - ACTIONS[self.do].keys()
        )
        if unknown:
            raise BadRule(f"unknown: {', '.join(sorted(unknown))}")
        self.parameters = ACTIONS[self.do] | action
        if None in self.parameters.values():
            raise BadRule(f"{self.do} needs {', '.join(k for k, v in self.parameters.items() if v is None)}")
        self.method = match.get("method")
        self.path = re.compile(match.get("path", ""))
        self.skip = match.get("nth", 1) - 1
        self.times = rule.get("times", 1)

    def acts_on(self, method, path):
        """Counts the request if it matches."""
        if self.times == 0 or (self.method and self.method != method) or not self.path.search(path):
            return False
        if self.skip:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True

    def show(self):
        return {"action": {"do": self.do} | self.parameters, "left": self.times, "path": self.path.pattern}


class Rules:
    def __init__(self):
        self.lock = threading.Lock()
        self.rules = []

    def push(self, rules):
        made = [Rule(rule) for rule in rules]
        with self.lock:
            self.rules += made

    def take(self, method, path):
        """The rule that acts on this request, or None."""
        with self.lock:
            return next((rule for rule in self.rules if rule.acts_on(method, path)), None)

    def clear(self):
        with self.lock:
            self.rules = []

    def show(self):
        with self.lock:
            return [rule.show() for rule in self.rules]


class Gate:
    """What held requests wait at. Opening lets those pass that wait, not those that come later."""

    def __init__(self):
        self.condition = threading.Condition()
        self.opened = 0
        self.waiting = 0

    def wait(self):
        with self.condition:
            opened = self.opened
            self.waiting += 1
            self.condition.wait_for(lambda: self.opened != opened)
            self.waiting -= 1

    def open(self):
        with self.condition:
            self.opened += 1
            self.condition.notify_all()
            return self.waiting


class RequestLog:
    """Each request from when it came; what became of it is filled in as it happens."""

    HEADERS = ("Idempotency-Key", "If-Match", "If-None-Match", "Content-Type", "User-Agent")

    def __init__(self):
        self.lock = threading.Lock()
        self.started = time.monotonic()
        self.entries = []

    def begin(self, method, path, query, headers, body, authorized):
        entry = {
            "method": method,
            "path": path,
            "query": query,
            "headers": {name.lower(): headers[name] for name in self.HEADERS if name in headers},
            "authorized": authorized,
            "body": body,
            "action": None,
            "state": "open",  # then answered, dropped; held or hanging while it is that
            "status": None,
            "effect": False,
        }
        with self.lock:
            entry["n"] = len(self.entries) + 1
            entry["at_ms"] = round((time.monotonic() - self.started) * 1000)
            self.entries.append(entry)
        return entry

    def show(self, after=0):
        with self.lock:
            return [dict(entry) for entry in self.entries[after:]]

    def clear(self):
        with self.lock:
            self.entries = []
