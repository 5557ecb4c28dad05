/*
 * The calls of the API, one handler each, and the table of their routes. What they take and answer
 * is in schema/openapi.yaml.
 */
#ifndef SERVER_API_H
#define SERVER_API_H

#include "httpd/httpd.h"

/* Over a struct server; ended by a row without a method. */
extern const struct httpd_route api_routes[];

void api_replicator_create(
	void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_replicator_list(void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_replicator_retrieve(
	void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_replicator_update(
	void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_replicator_destroy(
	void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_replicator_reconcile(
	void *ctx, struct httpd_request *request, struct httpd_response *response);

void api_fleet_list(void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_fleet_overview(void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_fleet_metrics(void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_fleet_metric(void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_fleet_alerts(void *ctx, struct httpd_request *request, struct httpd_response *response);
void api_fleet_logs(void *ctx, struct httpd_request *request, struct httpd_response *response);

#endif
