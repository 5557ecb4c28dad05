"""The replicators of one organization, as the Kafka Replicator API keeps them: saving and provisioning are two steps.

Nothing here knows HTTP. Each call gets the time, ends what is due by then, and returns (status, body) or raises
Refused. All state is one JSON document (`Replicators.data`), so it can be written to a file and read back.
"""

import copy
import datetime
import re
import uuid

IDENTIFIER = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
ENDS = ("source", "destination")
REQUIRED = ("identifier", "provider", "replication_mode", "topic_whitelist")
IMMUTABLE = ("identifier", "provider", "replication_mode") + tuple(
    f"{end}_{part}" for end in ENDS for part in ("kafka_id", "connection_details")
)
CHOICES = {
    "provider": ("MirrorMaker2", "ClusterLink"),
    "replication_mode": ("active-passive", "active-active"),
    "lag_alert_threshold_unit": ("messages", "bytes", "seconds"),
}
TYPES = {
    "source_connection_details": dict,
    "destination_connection_details": dict,
    "lag_alert_threshold": int,
    "advanced_configuration": dict,
}
FIELDS = (
    "identifier",
    "provider",
    "source_kafka_id",
    "source_connection_details",
    "source_secret_path",
    "destination_kafka_id",
    "destination_connection_details",
    "destination_secret_path",
    "replication_mode",
    "topic_whitelist",
    "topic_blacklist",
    "groups_whitelist",
    "groups_blacklist",
    "lag_alert_threshold",
    "lag_alert_threshold_unit",
    "advanced_configuration",
)


class Refused(Exception):
    def __init__(self, status, body):
        super().__init__(status, body)
        self.status = status
        self.body = {"detail": body} if isinstance(body, str) else body


def not_found():
    return Refused(404, "Not found.")


def rfc3339(at):
    moment = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def field_problem(name, value):
    """What is wrong with one value on its own, or None. null unsets every field that is not required."""
    if value is None:
        return "This field may not be null." if name in REQUIRED else None
    wanted = TYPES.get(name, str)
    if not isinstance(value, wanted) or isinstance(value, bool):
        return f"Not a valid {wanted.__name__}."
    if name in CHOICES and value not in CHOICES[name]:
        return f'"{value}" is not a valid choice.'
    if name == "identifier" and not IDENTIFIER.fullmatch(value):
        return "Enter a valid identifier: lower case letters, digits and hyphens."
    if name == "topic_whitelist" and not value.strip(", "):
        return "This field may not be blank."
    if name == "lag_alert_threshold" and not 0 <= value < 2**53:
        return "Ensure this value is between 0 and 9007199254740991."
    return None


def end_problem(spec, end):
    kafka_id, details = (spec.get(f"{end}_{part}") for part in ("kafka_id", "connection_details"))
    if bool(kafka_id) == bool(details):
        return {f"{end}_kafka_id": [f"Give either {end}_kafka_id or {end}_connection_details."]}
    return {}


def problems_of(spec, changed):
    """The problems of the changed fields, or else of what the fields say together."""
    found = {name: [problem] for name in changed if (problem := field_problem(name, spec.get(name)))}
    if found:
        return found
    for end in ENDS:
        found |= end_problem(spec, end)
    if spec.get("lag_alert_threshold_unit") and spec.get("lag_alert_threshold") is None:
        found["lag_alert_threshold_unit"] = ["A unit needs a lag_alert_threshold."]
    return found


class Replicators:
    def __init__(self, delay=0.2, fleet="dev", forget=(), data=None):
        self.delay = delay
        self.fleet = fleet
        self.forget = forget  # fields that are accepted and not kept
        self.writes = 0  # what callers changed; not what time did
        self.data = data or {"replicators": {}, "operations": [], "logs": []}
        self.by_id = {o["id"]: o for o in self.data["operations"]}
        self.running = {o["uid"]: o for o in self.data["operations"] if o["state"] == "Running"}
        self.deleting = {name for name, r in self.data["replicators"].items() if r["due"] is not None}

    # ---- the API ----

    def list(self, now):
        self.advance(now)
        return [self.show(r) for r in self.data["replicators"].values() if not r["hidden"]]

    def get(self, identifier, now):
        return 200, self.show(self.find(identifier, now))

    def create(self, body, now):
        self.advance(now)
        spec = {name: body.get(name) for name in FIELDS}
        # A null in the body and a field that is not there are the same here, so required fields are all checked.
        problems = problems_of(spec, REQUIRED + tuple(body.keys() & set(FIELDS)))
        if problems:
            raise Refused(400, problems)
        if spec["identifier"] in self.data["replicators"]:
            raise Refused(409, f'A Kafka replicator with the identifier "{spec["identifier"]}" exists already.')
        return 201, self.show(self.add(spec, now))

    def patch(self, identifier, body, if_match, now):
        replicator = self.find(identifier, now)
        if replicator["status"] == "Deleting":
            raise Refused(409, "The replicator is being deleted.")
        self.check_match(replicator, if_match)
        changes = {name: body[name] for name in FIELDS if name in body}
        problems = {
            name: ["This field cannot be changed."]
            for name in changes
            if name in IMMUTABLE and changes[name] != replicator["spec"][name]
        } or problems_of(replicator["spec"] | changes, tuple(changes))
        if problems:
            raise Refused(400, problems)
        self.change(replicator, changes)
        return 200, self.show(replicator)

    def reconcile(self, identifier, body, key, now, failure=None):
        """`failure`: the error with which the operation will end, if it is a new one."""
        replicator = self.find(identifier, now)
        generation = body.get("generation")
        if not isinstance(generation, int) or isinstance(generation, bool):
            raise Refused(400, {"generation": ["A valid integer is required."]})
        if key is not None and key in replicator["keys"]:
            known = replicator["keys"][key]
            if known["body"] != body:
                raise Refused(422, "The idempotency key was used with another body.")
            return 202, self.show_operation(self.by_id[known["operation"]])
        if replicator["status"] == "Deleting":
            raise Refused(409, "The replicator is being deleted.")
        if generation != replicator["generation"]:
            raise Refused(409, f'Generation {generation} is out of date: it is {replicator["generation"]}.')
        operation = self.start(replicator, now, key, failure)
        if key is not None:
            replicator["keys"][key] = {"body": body, "operation": operation["id"]}
        return 202, self.show_operation(operation)

    def delete(self, identifier, if_match, now):
        replicator = self.find(identifier, now)
        self.check_match(replicator, if_match)
        if not replicator["started"]:
            self.writes += 1
            self.remove(identifier)
            return 204, None
        if replicator["status"] != "Deleting":
            self.writes += 1
            self.supersede(replicator)
            replicator["status"] = "Deleting"
            replicator["status_message"] = "being removed from the fleet"
            replicator["due"] = now + self.delay
            self.deleting.add(identifier)
        return 202, self.show(replicator)

    # ---- behind everyone's back ----

    def edit(
        self,
        identifier,
        now,
        fields=None,  # new values, not validated
        new_generation=True,  # for them
        provision=False,  # the generation, at once; else they stay a draft
        start=False,  # an operation for it, which takes its time
        create=False,  # it if there is none
        remove=False,  # it at once
        status=None,
        status_message=None,
        hidden=None,  # True: from lists and reads, until False
    ):
        self.advance(now)
        replicator = self.data["replicators"].get(identifier)
        if replicator is None and create:
            replicator = self.add({name: None for name in FIELDS} | {"identifier": identifier} | (fields or {}), now)
            fields = None
        if replicator is None:
            raise not_found()
        if remove:
            self.remove(identifier)
            return None
        if fields:
            replicator["spec"].update(fields)
            replicator["generation"] += bool(new_generation)
        if provision:
            self.finish(self.start(replicator, now), now)
        if start:
            self.start(replicator, now)
        marks = {"status": status, "status_message": status_message, "hidden": hidden}
        replicator.update({name: mark for name, mark in marks.items() if mark is not None})
        return self.show(replicator)

    def started_operations(self, now):
        """How many different operations were started for each generation of each replicator that ever was."""
        self.advance(now)
        rows = {}
        for operation in self.data["operations"]:
            about = tuple(operation[name] for name in ("identifier", "uid", "generation"))
            rows.setdefault(about, []).append(operation)
        return [
            {
                "identifier": identifier,
                "uid": uid,
                "generation": generation,
                "started": len(operations),
                "operations": [{n: o[n] for n in ("id", "state", "error", "key")} for o in operations],
            }
            for (identifier, uid, generation), operations in rows.items()
        ]

    # ---- steps ----

    def find(self, identifier, now):
        self.advance(now)
        replicator = self.data["replicators"].get(identifier)
        if replicator is None or replicator["hidden"]:
            raise not_found()
        return replicator

    @staticmethod
    def check_match(replicator, if_match):
        if if_match not in (None, "*", f'"{replicator["generation"]}"'):
            raise Refused(412, f'The replicator is at generation {replicator["generation"]}.')

    def add(self, spec, now):
        replicator = {
            "spec": self.kept(spec),
            "uid": str(uuid.uuid4()),
            "created_at": rfc3339(now),
            "generation": 1,
            "observed_generation": 0,
            "status": "Pending",
            "status_message": "",
            "fleet": self.fleet,
            "provisioned": None,
            "started": False,
            "hidden": False,
            "due": None,
            "keys": {},
        }
        self.writes += 1
        self.data["replicators"][spec["identifier"]] = replicator
        return replicator

    def kept(self, values):
        return {name: None if name in self.forget else value for name, value in values.items()}

    def change(self, replicator, changes):
        new = replicator["spec"] | self.kept(changes)
        if new != replicator["spec"]:
            self.writes += 1
            replicator["spec"] = new
            replicator["generation"] += 1

    def start(self, replicator, now, key=None, failure=None):
        self.writes += 1
        self.supersede(replicator)
        operation = {
            "id": str(uuid.uuid4()),
            "generation": replicator["generation"],
            "state": "Running",
            "error": None,
            "created_at": rfc3339(now),
            "identifier": replicator["spec"]["identifier"],
            "uid": replicator["uid"],
            "key": key,
            "failure": failure,
            "due": now + self.delay,
            "spec": copy.deepcopy(replicator["spec"]),
        }
        self.data["operations"].append(operation)
        self.by_id[operation["id"]] = self.running[operation["uid"]] = operation
        replicator["status"] = "Updating" if replicator["provisioned"] else "Provisioning"
        replicator["status_message"] = ""
        replicator["started"] = True
        return operation

    def supersede(self, replicator):
        operation = self.running.pop(replicator["uid"], None)
        if operation:
            operation["state"] = "Superseded"

    def remove(self, identifier):
        self.supersede(self.data["replicators"].pop(identifier))
        self.deleting.discard(identifier)

    def finish(self, operation, now):
        replicator = self.data["replicators"][operation["identifier"]]
        failure = operation["failure"]
        del self.running[operation["uid"]]
        operation["state"] = "Failed" if failure else "Succeeded"
        operation["error"] = failure
        replicator["status"] = "Error" if failure else "Healthy"
        replicator["status_message"] = failure or "replicating"
        replicator["observed_generation"] = operation["generation"]
        if not failure:
            replicator["provisioned"] = {"generation": operation["generation"], "spec": operation["spec"]}
        self.data["logs"].append(
            {
                "at": now,
                "level": "error" if failure else "info",
                "replicator": operation["identifier"],
                "message": failure or f'generation {operation["generation"]} is provisioned',
            }
        )

    def advance(self, now):
        """Ends the operations and deletions that are due."""
        for operation in [o for o in self.running.values() if o["due"] <= now]:
            self.finish(operation, now)
        for identifier in [name for name in self.deleting if self.data["replicators"][name]["due"] <= now]:
            self.remove(identifier)

    # ---- as the API shows it ----

    @staticmethod
    def show(replicator):
        read_only = ("generation", "status", "uid", "created_at", "observed_generation", "status_message", "fleet")
        return replicator["spec"] | {name: replicator[name] for name in read_only} | {"endpoints": dict.fromkeys(ENDS)}

    @staticmethod
    def show_operation(operation):
        return {name: operation[name] for name in ("id", "generation", "state", "error", "created_at")}
