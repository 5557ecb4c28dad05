/*
 * What the daemon answers on its Unix socket, `weir.sock` in the state: how things stand, the plan,
 * and people's orders. JSON both ways; an error is {error, code} under the HTTP status of its kind.
 * The file's mode is the permission, the kernel says who calls.
 *
 *	GET  /v1/status            see cli/view.h
 *	GET  /v1/progress          the little of it that changes while one waits
 *	GET  /v1/explain/{name}    ?limit=N events
 *	GET  /v1/plan              schema/plan.schema.json
 *	POST /v1/orders/{order}    see cli/desk.h
 *	POST /v1/sync              a pass comes now; {passes, reads}: what status counts once
 *	                           one that began after this is complete
 *
 *	curl --unix-socket /var/lib/weir/weir.sock http://weir/v1/status
 */
#ifndef CLI_CONTROL_H
#define CLI_CONTROL_H

#include "cli/host.h"

#define CONTROL_SOCKET "weir.sock"

struct control;

/* The host holds the store's lock: a socket that stands there is nobody's. */
int control_start(struct host *host, const struct config *config, struct control **ret_control,
	struct err *e);
void control_stop(struct control *c);

#endif
