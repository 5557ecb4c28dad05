"""The paths of the API, with tokens, pages and the fleet that runs the replicators."""

import json
import os
import re
import threading

from replicators import Refused, Replicators, not_found, rfc3339


class Api:
    """The routes of one organization over its replicators. One lock: a request is carried out alone."""

    def __init__(self, options):
        self.options = options
        self.lock = threading.RLock()
        self.replicators = Replicators(options.delay, options.fleet, options.forget, self.load())

    def load(self):
        path = self.options.state
        return json.loads(path.read_text()) if path and path.exists() else None

    def save(self):
        if self.options.state:
            beside = self.options.state.with_suffix(".new")
            beside.write_text(json.dumps(self.replicators.data))
            os.replace(beside, self.options.state)

    def reset(self):
        with self.lock:
            self.replicators = Replicators(self.options.delay, self.options.fleet, self.options.forget)
            self.save()

    def perform(self, request, failure=None):
        """Carries the request out: status, body, and whether it changed anything."""
        with self.lock:
            writes = self.replicators.writes
            try:
                status, body = self.route(request, failure)
            except Refused as refused:
                status, body = refused.status, refused.body
            effect = self.replicators.writes != writes
            if effect:
                self.save()
            return status, body, effect

    def route(self, request, failure):
        if request.authorized == "no":
            raise Refused(401, "Authentication credentials were not provided or are wrong.")
        for pattern, methods in ROUTES:
            found = pattern.fullmatch(request.path)
            if found and found["org"] == self.options.organization:
                handler = methods.get(request.method)
                if not handler:
                    raise Refused(405, f'Method "{request.method}" not allowed.')
                if request.authorized == "read" and request.method != "GET":
                    raise Refused(403, "You do not have permission to perform this action.")
                request.failure = failure
                return handler(self, request, **{k: v for k, v in found.groupdict().items() if k != "org"})
        raise not_found()

    # ---- replicators ----

    def list_replicators(self, request):
        found = [self.without(r) for r in self.replicators.list(request.now)]
        return 200, found if self.options.bare_lists else self.page(request, found)

    def create_replicator(self, request):
        status, body = self.replicators.create(request.object(), request.now)
        return status, self.without(body)

    def get_replicator(self, request, identifier):
        status, body = self.replicators.get(identifier, request.now)
        return status, self.without(body)

    def if_match(self, request):
        return None if self.options.no_if_match else request.headers.get("If-Match")

    def patch_replicator(self, request, identifier):
        status, body = self.replicators.patch(identifier, request.object(), self.if_match(request), request.now)
        return status, self.without(body)

    def delete_replicator(self, request, identifier):
        status, body = self.replicators.delete(identifier, self.if_match(request), request.now)
        return status, body and self.without(body)

    def reconcile_replicator(self, request, identifier):
        key = request.headers.get("Idempotency-Key")
        status, body = self.replicators.reconcile(identifier, request.object(), key, request.now, request.failure)
        return status, self.without(body, "operation.")

    def without(self, body, prefix=""):
        return {name: value for name, value in body.items() if prefix + name not in self.options.without}

    def page(self, request, items):
        size = min(request.number("page_size", self.options.page_size), self.options.max_page_size)
        number = request.number("page", 1)
        first = (number - 1) * size
        if number > 1 and first >= len(items):
            raise Refused(404, "Invalid page.")
        return {
            "count": len(items),
            "next": request.url(page=number + 1) if first + size < len(items) else None,
            "previous": request.url(page=number - 1) if number > 1 else None,
            "results": items[first : first + size],
        }

    # ---- what runs them ----

    def run_by(self, fleet, request):
        if fleet != self.options.fleet:
            raise not_found()
        return [r for r in self.replicators.list(request.now) if r["fleet"] == fleet]

    def show_fleet(self, request):
        workloads = len(self.run_by(self.options.fleet, request))
        return {"identifier": self.options.fleet, "status": "Healthy", "capacity": 10000, "workloads": workloads}

    def list_fleets(self, request):
        return 200, self.page(request, [self.show_fleet(request)])

    def get_fleet(self, request, fleet):
        self.run_by(fleet, request)
        return 200, self.show_fleet(request)

    def overview(self, request, fleet):
        statuses = [r["status"] for r in self.run_by(fleet, request)]
        return 200, {"fleet": fleet, "replicators": len(statuses), "healthy": statuses.count("Healthy")}

    def alerts(self, request, fleet):
        ill = [r for r in self.run_by(fleet, request) if r["status"] == "Error"]
        found = [{"replicator": r["identifier"], "name": "Error", "message": r["status_message"]} for r in ill]
        return 200, self.page(request, found)

    def logs(self, request, fleet):
        self.run_by(fleet, request)
        since = request.now - 60 * request.number("since", 60)
        lines = [line for line in self.replicators.data["logs"] if line["at"] >= since]
        return 200, self.page(request, [line | {"at": rfc3339(line["at"])} for line in lines])

    def list_metrics(self, request, fleet):
        self.run_by(fleet, request)
        return 200, self.page(request, [{"name": "lag_messages", "unit": "messages"}])

    def get_metric(self, request, fleet, name):
        if name != "lag_messages":
            raise not_found()
        values = [{"replicator": r["identifier"], "value": 0} for r in self.run_by(fleet, request)]
        return 200, {"name": name, "unit": "messages", "values": values}


def compile_route(path):
    return re.compile(r"/organizations/(?P<org>[^/]+)" + re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path))


ROUTES = [
    (compile_route(path), methods)
    for path, methods in (
        ("/kafka-replicator/", {"GET": Api.list_replicators, "POST": Api.create_replicator}),
        (
            "/kafka-replicator/{identifier}/",
            {"GET": Api.get_replicator, "PATCH": Api.patch_replicator, "DELETE": Api.delete_replicator},
        ),
        ("/kafka-replicator/{identifier}/reconcile/", {"POST": Api.reconcile_replicator}),
        ("/fleet/", {"GET": Api.list_fleets}),
        ("/fleet/{fleet}/", {"GET": Api.get_fleet}),
        ("/fleet/{fleet}/metrics/overview/", {"GET": Api.overview}),
        ("/fleet/{fleet}/alerts/", {"GET": Api.alerts}),
        ("/fleet/{fleet}/logs/", {"GET": Api.logs}),
        ("/fleet/{fleet}/metrics/", {"GET": Api.list_metrics}),
        ("/fleet/{fleet}/metrics/{name}/", {"GET": Api.get_metric}),
    )
]
