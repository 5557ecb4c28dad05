/* /metrics, in Prometheus' text format: one row for each figure. */
#include <ctype.h>
#include <stddef.h>

#include "base/alloc.h"
#include "cli/http.h"

static const struct metric {
	const char *name;
	const char *type;
	const char *help;
	size_t offset;
	bool is_size; /* size_t, else uint64_t */
} metrics[] = {
	{"weir_passes_total", "counter", "Passes that were completed.",
		offsetof(struct engine_stats, passes), false},
	{"weir_source_reads_total", "counter", "Looks at the repository.",
		offsetof(struct engine_stats, reads), false},
	{"weir_status_posts_total", "counter", "Batches of commit statuses that were posted.",
		offsetof(struct engine_stats, posts), false},
	{"weir_status_post_failures_total", "counter", "Batches that did not arrive.",
		offsetof(struct engine_stats, post_failures), false},
	{"weir_load_problems", "gauge", "Errors in the files of the head.",
		offsetof(struct engine_stats, load_problems), true},
};

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static unsigned long long value_at(const struct engine_stats *stats, size_t offset, bool is_size)
{
	const char *at = (const char *)stats + offset;
	return is_size ? *(const size_t *)(const void *)at : *(const uint64_t *)(const void *)at;
}

static void write_calls(const char *name, const struct engine_stats *stats, struct buf *out)
{
	head(out, "weir_api_calls_total", "counter", "Calls to the API.");
	for (int v = 0; v < API__COUNT; v++)
		buf_addf(out, "weir_api_calls_total{name=\"%s\",verb=\"%s\"} %llu\n", name,
			api_verb_name(v), (unsigned long long)stats->calls[v]);
	head(out, "weir_api_answers_total", "counter", "Answers of the API, by what they mean.");
	for (int o = 0; o < API_OUTCOME__COUNT; o++)
		buf_addf(out, "weir_api_answers_total{name=\"%s\",outcome=\"%s\"} %llu\n", name,
			api_outcome_name(o), (unsigned long long)stats->outcomes[o]);
}

/* The word of weir-holds(7), in lower case and without blanks. */
static char *label_of(enum standing standing)
{
	char *label = xstrdup(standing_name(standing));
	for (char *p = label; *p; p++)
		*p = *p == ' ' ? '_' : (char)tolower((unsigned char)*p);
	return label;
}

void metrics_write(const struct config *config, const struct engine_stats *stats, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		const struct metric *m = &metrics[i];
		head(out, m->name, m->type, m->help);
		buf_addf(out, "%s{name=\"%s\"} %llu\n", m->name, config->name,
			value_at(stats, m->offset, m->is_size));
	}
	head(out, "weir_replicators", "gauge", "Replicators by how they stand.");
	for (int i = 0; i < STANDING__COUNT; i++) {
		auto_free char *label = label_of((enum standing)i);
		buf_addf(out, "weir_replicators{name=\"%s\",standing=\"%s\"} %zu\n", config->name,
			label, stats->standing[i]);
	}
	head(out, "weir_ready", "gauge", "1 if a pass was completed and nothing is in trouble.");
	buf_addf(out, "weir_ready{name=\"%s\"} %d\n", config->name, stats->ready);
	head(out, "weir_last_pass_timestamp_seconds", "gauge", "When the last pass was completed.");
	buf_addf(out, "weir_last_pass_timestamp_seconds{name=\"%s\"} %lld\n", config->name,
		(long long)(stats->last_pass_ms / 1000));
	write_calls(config->name, stats, out);
}

void metrics_write_hooks(const struct config *config, const struct hook *hook, struct buf *out)
{
	const uint64_t *counts = hook_counts(hook);
	head(out, "weir_webhooks_total", "counter", "Webhooks, by what became of them.");
	for (int o = 0; o < HOOK__COUNT; o++)
		buf_addf(out, "weir_webhooks_total{name=\"%s\",outcome=\"%s\"} %llu\n",
			config->name, hook_outcome_name(o), (unsigned long long)counts[o]);
}
