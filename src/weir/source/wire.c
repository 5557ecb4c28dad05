/* What both transports do with each piece that arrives, and with what goes wrong. */
#include "source/wire.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/proc.h"

#define SAID_MAX  PROC_STDERR_MAX
#define DRAIN_MAX ((uint64_t)1 << 20)

void wire_init(struct wire *w, const struct source *source, bool pushing, int64_t deadline_mono_ms)
{
	*w = (struct wire){
		.source = source,
		.pushing = pushing,
		.deadline_mono_ms = deadline_mono_ms,
		.max_received = LIMIT_REFS_BYTES,
		.said = BUF_LIMIT(SAID_MAX),
	};
}

void wire_release(struct wire *w)
{
	buf_release(&w->said);
}

int wire_received(struct wire *w, const char *data, size_t len)
{
	size_t room = sizeof(w->greeting) - w->n_greeting;
	size_t keep = len < room ? len : room;

	memcpy(w->greeting + w->n_greeting, data, keep);
	w->n_greeting += keep;
	w->n_received += len;
	if (w->n_received <= w->max_received)
		return 0;
	err_set(&w->err, ERR_LIMIT, "%s: sends more than %llu bytes", w->source->location.url,
		(unsigned long long)w->max_received);
	return -1;
}

static void prefix_timeout(struct wire *w)
{
	char limit[CLOCK_TEXT_MAX];

	err_prefix(&w->err, "gave up after %s with %llu bytes received",
		duration_format(w->source->timeout_ms, limit), (unsigned long long)w->n_received);
}

int wire_fail(struct wire *w, const struct err *why)
{
	if (w->err.code != ERR_OK)
		return -1;
	w->err = *why;
	if (why->code == ERR_TIMEOUT)
		prefix_timeout(w);
	err_prefix(&w->err, "%s", w->source->location.url);
	return -1;
}

void wire_drain(struct wire *w, git_smart_subtransport_stream *stream)
{
	uint64_t end = w->n_received + DRAIN_MAX;
	size_t got = 1;
	char rest[4096];

	while (got > 0 && w->err.code == ERR_OK && w->n_received < end)
		if (stream->read(stream, rest, sizeof(rest), &got) < 0)
			return;
}

int64_t wire_ms_left(const struct wire *w)
{
	return w->deadline_mono_ms - clock_mono_ms(&clock_real);
}

int wire_check_deadline(struct wire *w)
{
	struct err late = ERR_INIT;

	if (wire_ms_left(w) > 0)
		return 0;
	err_retriable(&late, ERR_TIMEOUT, "not complete by then");
	return wire_fail(w, &late);
}

void wire_heard(struct wire *w, const char *text, size_t len)
{
	size_t room = SAID_MAX - w->said.len;

	buf_add(&w->said, text, len < room ? len : room);
}

bool wire_greeting_has(const struct wire *w, const char *text)
{
	return memmem(w->greeting, w->n_greeting, text, strlen(text)) != NULL;
}
