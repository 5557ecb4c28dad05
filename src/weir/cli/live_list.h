/*
 * The whole organization as the API reports it, once, for commands that have nothing else to do
 * meanwhile.
 */
#ifndef CLI_LIVE_LIST_H
#define CLI_LIVE_LIST_H

#include "api/api.h"
#include "config/config.h"

/* The caller releases the list, also after an error. */
int live_list_read(const struct config *c, struct api_list *ret_list, struct err *e);

#endif
