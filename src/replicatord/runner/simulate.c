/* The runner that moves no data: a queue of calls, each reported once the delay has passed. */
#include "runner/runner.h"

#include <stdio.h>
#include <sys/queue.h>

#include "base/alloc.h"
#include "base/text.h"

struct pending {
	STAILQ_ENTRY(pending) link;
	int64_t due_ms;
	struct runner_report report;
};

struct simulate {
	struct runner base;
	int64_t delay_ms;
	const struct node *fail;
	STAILQ_HEAD(, pending)
	queue; /* the delay is the same for all, so it is in the order of due_ms */
};

static const char *const providers[] = {"MirrorMaker2", "ClusterLink", NULL};

static struct simulate *simulate_of(struct runner *r)
{
	return (struct simulate *)r;
}

static struct runner *simulate_new(const struct simulate_config *config)
{
	struct simulate *s = xcalloc(1, sizeof(*s));

	s->base.type = &runner_simulate;
	s->delay_ms = config->delay_ms;
	s->fail = config->fail;
	STAILQ_INIT(&s->queue);
	return &s->base;
}

static struct pending *take_first(struct simulate *s)
{
	struct pending *p = STAILQ_FIRST(&s->queue);

	if (p)
		STAILQ_REMOVE_HEAD(&s->queue, link);
	return p;
}

static void simulate_forget(struct runner *r)
{
	struct simulate *s = simulate_of(r);
	struct pending *p;

	while ((p = take_first(s)))
		free(p);
}

static void simulate_free(struct runner *r)
{
	simulate_forget(r);
	free(simulate_of(r));
}

static struct runner_report *add_pending(
	struct simulate *s, const struct workload *w, enum runner_outcome outcome, int64_t now_ms)
{
	struct pending *p = xcalloc(1, sizeof(*p));

	p->due_ms = now_ms + s->delay_ms;
	p->report.ticket = w->ticket;
	p->report.outcome = outcome;
	STAILQ_INSERT_TAIL(&s->queue, p, link);
	return &p->report;
}

static const char *find_failure(const struct simulate *s, const char *identifier)
{
	for (size_t i = 0; s->fail && i < s->fail->u.seq.n; i++) {
		const char *pattern = s->fail->u.seq.at[i]->u.string.s;

		if (text_glob(pattern, identifier))
			return pattern;
	}
	return NULL;
}

static void simulate_run(struct runner *r, const struct workload *w, int64_t now_ms)
{
	struct simulate *s = simulate_of(r);
	const char *pattern = find_failure(s, w->identifier);
	struct runner_report *report =
		add_pending(s, w, pattern ? RUNNER_FAILED : RUNNER_RUNNING, now_ms);

	if (pattern)
		snprintf(report->message, sizeof(report->message),
			"simulated failure: the identifier matches \"%s\" in simulate.fail of its "
			"fleet",
			pattern);
	else
		snprintf(report->message, sizeof(report->message), "%s", runner_simulate.note);
}

static void simulate_stop(struct runner *r, const struct workload *w, int64_t now_ms)
{
	add_pending(simulate_of(r), w, RUNNER_GONE, now_ms);
}

static bool simulate_observe(struct runner *r, int64_t now_ms, struct runner_report *ret_report)
{
	struct simulate *s = simulate_of(r);
	struct pending *p = STAILQ_FIRST(&s->queue);

	if (!p || p->due_ms > now_ms)
		return false;
	take_first(s);
	*ret_report = p->report;
	free(p);
	return true;
}

static int64_t simulate_next_due(const struct runner *r)
{
	const struct pending *p = STAILQ_FIRST(&((const struct simulate *)r)->queue);

	return p ? p->due_ms : INT64_MAX;
}

const struct runner_type runner_simulate = {
	.name = "simulate",
	.note = "simulated: no data is moved",
	.providers = providers,
	.new = simulate_new,
	.free = simulate_free,
	.start = simulate_run,
	.update = simulate_run,
	.stop = simulate_stop,
	.observe = simulate_observe,
	.forget = simulate_forget,
	.next_due = simulate_next_due,
};
