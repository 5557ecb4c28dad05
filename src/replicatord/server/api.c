/* The routes of the API. */
#include "server/api.h"

#include <stddef.h>

#include "base/limits.h"

#define ORGANIZATION "/organizations/{org_identifier}"
#define REPLICATORS  ORGANIZATION "/kafka-replicator/"
#define REPLICATOR   REPLICATORS "{identifier}/"
#define FLEETS	     ORGANIZATION "/fleet/"
#define FLEET	     FLEETS "{fleet_id}/"

#define SMALL_BODY 4096

const struct httpd_route api_routes[] = {
	{"GET", REPLICATORS, api_replicator_list, 0},
	{"POST", REPLICATORS, api_replicator_create, LIMIT_HTTP_BODY_BYTES},
	{"GET", REPLICATOR, api_replicator_retrieve, 0},
	{"PATCH", REPLICATOR, api_replicator_update, LIMIT_HTTP_BODY_BYTES},
	{"DELETE", REPLICATOR, api_replicator_destroy, 0},
	{"POST", REPLICATOR "reconcile/", api_replicator_reconcile, SMALL_BODY},
	{"GET", FLEETS, api_fleet_list, 0},
	{"GET", FLEET "metrics/", api_fleet_metrics, 0},
	{"GET", FLEET "metrics/overview/", api_fleet_overview, 0},
	{"GET", FLEET "metrics/{name}/", api_fleet_metric, 0},
	{"GET", FLEET "alerts/", api_fleet_alerts, 0},
	{"GET", FLEET "logs/", api_fleet_logs, 0},
	{NULL, NULL, NULL, 0},
};
