/*
 * `weir apply` where a daemon runs: it is told to look now, and what comes of it is waited for.
 */
#ifndef CLI_BESIDE_H
#define CLI_BESIDE_H

#include "config/config.h"

/* The exit status: 0 if all is well. */
int beside_apply(const struct config *c);

#endif
