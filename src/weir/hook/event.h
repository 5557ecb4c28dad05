/*
 * What a webhook says once its signature was found right. For this folder and its tests.
 */
#ifndef HOOK_EVENT_H
#define HOOK_EVENT_H

#include "hook/hook.h"

enum hook_form {
	HOOK_JSON,
	HOOK_URLENCODED /* payload=<the JSON> */
};

/* ERR_INVALID for any other, and for Gitea's forms: it signs what is in them, not what is sent. */
int hook_read_form(const struct hook_request *q, enum hook_form *ret_form, struct err *e);
/* The ref of a push, which the caller frees. ERR_INVALID if there is none. */
int hook_read_ref(const struct hook_request *q, enum hook_form form, char **ret_ref, struct err *e);

#endif
