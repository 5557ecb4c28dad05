/* What runs on the worker. */
#include "cli/jobs.h"

#include <string.h>

#include "base/alloc.h"

/* The two ends of a replicator that may name a secret. */
static const struct end {
	enum spec_field field;
	bool source;
} ends[] = {
	{SPEC_SOURCE_SECRET_PATH, true},
	{SPEC_DESTINATION_SECRET_PATH, false},
};

static void add_problem(struct read_result *out, const struct replicator *r, enum spec_field field,
	char *owned_message)
{
	vec_push(&out->secrets, (struct secret_problem){xstrdup(r->name), field, owned_message});
}

static void check_secret(const struct secret_stores *stores, const struct replicator *r,
	const struct end *end, struct read_result *out)
{
	const struct node *path = r->spec.value[end->field];
	if (!path || path->type != NODE_STRING)
		return;
	const char *const *keys = spec_secret_keys(&r->spec, end->source);
	size_t n_keys = 0;
	while (keys[n_keys])
		n_keys++;
	struct secret_status status = {0};
	struct err e = ERR_INIT;
	if (secret_check(stores, path->u.string.s, keys, n_keys, &status, &e) < 0) {
		add_problem(out, r, end->field, xstrdup(e.msg));
	} else if (status.missing.n) {
		auto_buf struct buf names = BUF_INIT;
		vec_each (key, &status.missing)
			buf_addf(&names, "%s%s", names.len ? ", " : "", *key);
		add_problem(out, r, end->field,
			xasprintf("the secret %s lacks %s; its connection needs it",
				path->u.string.s, buf_str(&names)));
	}
	secret_status_release(&status);
}

static void check_secrets(
	const struct secret_stores *stores, const struct catalog *c, struct read_result *out)
{
	for (size_t i = 0; i < map_size(&c->by_name); i++) {
		const struct replicator *r = map_value(&c->by_name, i);
		for (size_t k = 0; k < ARRAY_SIZE(ends) && !r->failed; k++)
			check_secret(stores, r, &ends[k], out);
	}
}

static void read_git(const struct read_job *job, struct read_result *out)
{
	const struct read_request *q = job->request;
	if (source_fetch(job->source, q->known, &out->head, &out->err) < 0)
		return;
	if (q->catalog && !strcmp(q->tree, out->head.tree))
		return;
	source_load(job->source, out->head.sha, &out->catalog, &out->load_err);
}

void *job_read(void *arg)
{
	struct read_job *job = arg;
	struct read_result *out = xcalloc(1, sizeof(*out));
	if (job->source)
		read_git(job, out);
	else
		source_load_paths(&job->folder, 1, &out->catalog, &out->err);
	const struct catalog *c = out->catalog ? out->catalog : job->request->catalog;
	if (c && job->stores)
		check_secrets(job->stores, c, out);
	free(job->request);
	free(job);
	struct job_result *result = xcalloc(1, sizeof(*result));
	result->read = out;
	return result;
}

void *job_post(void *arg)
{
	struct post_job *job = arg;
	struct post_batch *b = job->batch;
	job->forge->ops->post(job->forge, b->statuses.at, b->statuses.n, b->ends, &b->err);
	free(job);
	struct job_result *result = xcalloc(1, sizeof(*result));
	result->posted = b;
	return result;
}

void job_drop(void *(*fn)(void *), void *job)
{
	if (fn == job_read)
		free(((struct read_job *)job)->request);
	else
		post_batch_free(((struct post_job *)job)->batch);
	free(job);
}
