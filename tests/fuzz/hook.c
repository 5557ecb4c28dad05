/* Webhooks: content type, event and signature, a line each; the rest is the body. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "fuzz.h"
#include "hook/event.h"
#include "hook/hook.h"

static int64_t now;

/* A second later each time, so that there is no limit. */
static int64_t read_now(void *ctx)
{
	(void)ctx;
	return now += 1000;
}

static const struct clock fuzz_clock = {read_now, read_now, NULL};

static struct hook *open_hook(void)
{
	const struct hook_options options = {
		.branch = "main", .secret_ref = "env:FUZZ_SECRET", .clock = &fuzz_clock};
	setenv("FUZZ_SECRET", "a secret that is never sent", 1);
	log_setup(LOG__COUNT, LOG_TEXT);
	return hook_new(&options);
}

/* The next line, NULL if it is empty, as for a header that did not come. */
static char *take_line(const char **at, const char *end)
{
	const char *line = *at;
	const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
	stop = stop ? stop : end;
	*at = stop < end ? stop + 1 : end;
	return stop == line ? NULL : xmemdupz(line, (size_t)(stop - line));
}

static void read_both_forms(const struct hook_request *q)
{
	for (enum hook_form form = HOOK_JSON; form <= HOOK_URLENCODED; form++) {
		auto_free char *ref = NULL;
		struct err e = ERR_INIT;
		int rc = hook_read_ref(q, form, &ref, &e);
		if ((rc == 0) != (ref != NULL) || (rc < 0) != (e.code != ERR_OK))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hook *hook;
	const char *at = (const char *)data;
	const char *end = at + size;
	auto_free char *type = take_line(&at, end);
	auto_free char *event = take_line(&at, end);
	auto_free char *signature = take_line(&at, end);
	const struct hook_request q = {
		.content_type = type,
		.github_event = event,
		.github_signature = signature,
		.github_delivery = signature,
		.gitea_signature = event && event[0] == 'g' ? signature : NULL,
		.gitea_event = event && event[0] == 'g' ? event : NULL,
		.body = at,
		.len = (size_t)(end - at),
	};
	struct hook_answer answer;
	if (!hook)
		hook = open_hook();
	hook_take(hook, &q, &answer);
	/* Nobody knows the secret, so nobody gets further. */
	if (answer.outcome != HOOK_REFUSED || (answer.status != 401 && answer.status != 415))
		abort();
	for (const char *c = answer.text; *c; c++)
		if ((unsigned char)*c < ' ')
			abort();
	read_both_forms(&q);
	return 0;
}
