/*
 * What the calls on one fleet share.
 */
#ifndef SERVER_FLEET_CALL_H
#define SERVER_FLEET_CALL_H

#include "server/call.h"
#include "server/fleets.h"

/* The one that the path names, else 404. */
struct fleet *fleet_requested(struct call *c);

#endif
