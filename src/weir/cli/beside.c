/* Waiting for the daemon to come to the end of the newest commit. */
#include "cli/beside.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/daemon.h"

#define LOOK_EVERY_MS 250

struct wait {
	int64_t passes, reads; /* that there must have been */
	char *shown; /* the last line */
	bool done;
	bool well;
};

static int fail_version(struct err *e)
{
	err_clear(e);
	return err_set(e, ERR_REMOTE, "the daemon is of another version; restart it");
}

static int begin(const struct config *c, struct wait *w, struct err *e)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = NULL;
	int rc = daemon_ask(c, "/v1/sync", node_map(&a), &a, &answer, e);
	if (rc < 0)
		return rc;
	if (!node_get_int(answer, "passes", &w->passes) ||
		!node_get_int(answer, "reads", &w->reads))
		return fail_version(e);
	return 0;
}

static void show(struct wait *w, const char *head, const char *text)
{
	auto_buf struct buf line = BUF_INIT;
	buf_addf(&line, "commit %.12s: ", head);
	text_escape(&line, text, strlen(text));
	if (!text[0] || (w->shown && !strcmp(w->shown, buf_str(&line))))
		return;
	str_replace(&w->shown, buf_take(&line));
	puts(w->shown);
	fflush(stdout);
}

static void tell_troubles(const struct node *status)
{
	const struct node *troubles = show_list(status, "troubles");
	for (size_t i = 0; i < troubles->u.seq.n; i++) {
		const char *message = show_get(troubles->u.seq.at[i], "message");
		auto_buf struct buf text = BUF_INIT;
		text_escape(&text, message, strlen(message));
		fprintf(stderr, "weir apply: %s\n", buf_str(&text));
	}
}

static void end(struct wait *w, const struct node *status)
{
	const char *text = show_get(status, "text");
	bool ready = false;
	auto_buf struct buf line = BUF_INIT;
	node_get_bool(status, "ready", &ready);
	text_escape(&line, text, strlen(text));
	tell_troubles(status);
	printf("%s: %s\n", show_get(status, "state"),
		line.len ? buf_str(&line) : "nothing was done");
	w->done = true;
	w->well = ready && !strcmp(show_get(status, "state"), "success");
}

static int look(const struct config *c, struct wait *w, bool last, struct err *e)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *status = NULL;
	int64_t passes = 0, reads = 0;
	bool settled = false;
	int rc = daemon_ask(c, "/v1/progress", NULL, &a, &status, e);
	if (rc == -ERR_NOT_FOUND)
		return fail_version(e);
	if (rc < 0)
		return rc;
	node_get_int(status, "passes", &passes);
	node_get_int(status, "reads", &reads);
	node_get_bool(status, "settled", &settled);
	if (reads < w->reads && !last)
		return 0;
	if ((passes >= w->passes && settled) || last)
		end(w, status);
	else
		show(w, show_get(status, "seen_head"), show_get(status, "text"));
	return 0;
}

static int wait_for_end(const struct config *c, struct wait *w, struct err *e)
{
	int64_t until = clock_mono_ms(&clock_real) + c->sync.timeout_ms;
	int rc = begin(c, w, e);
	while (rc == 0 && !w->done) {
		bool last = clock_mono_ms(&clock_real) >= until;
		rc = look(c, w, last, e);
		if (rc == 0 && last && !w->well)
			return err_set(e, ERR_TIMEOUT,
				"the daemon did not come to the end of it within sync.timeout; it "
				"goes on");
		if (rc == 0 && !w->done)
			poll(NULL, 0, LOOK_EVERY_MS);
	}
	return rc;
}

int beside_apply(const struct config *c)
{
	struct wait w = {.shown = NULL};
	struct err e = ERR_INIT;
	puts("a daemon works on this state: it is told to look now");
	fflush(stdout);
	int rc = wait_for_end(c, &w, &e);
	free(w.shown);
	if (rc < 0)
		return cli_fail("apply", &e);
	return w.well ? 0 : 1;
}
