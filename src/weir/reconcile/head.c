/* What was read of Git is taken: the head, its tree, the documents in it, and the secrets that are
 * missing. */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "reconcile/internal.h"

/* The very one that was accepted before. */
static bool is_accepted(const struct replicator *d, const struct replicator *before)
{
	return before && !before->failed && replicator_same(d, before);
}

static void accept(struct engine *en, const struct replicator *d)
{
	struct record *r = ledger_need(&en->ledger, d->name);
	contested_changed(en, r, d);
	if (ledger_accept(&en->ledger, r, d))
		found_forget(en, r);
}

/* Of what never was there, and is not wanted any more, nothing is remembered. */
static void forget_undeclared(struct engine *en, struct record *r)
{
	if (ledger_is_ours(r) || /* what protects it stays known */
		map_has(&en->catalog->by_name, r->name))
		return;
	ledger_unaccept(&en->ledger, r);
	if (r->row.failure || r->row.seen_generation)
		ledger_drop(&en->ledger, r);
}

/* `before` is the catalog of the last tree, NULL if none: most of it is in this one too. */
static void accept_documents(struct engine *en, const struct catalog *before)
{
	const struct catalog *c = en->catalog;
	for (size_t i = 0; i < map_size(&c->by_name); i++) {
		const struct replicator *d = map_value(&c->by_name, i);
		const struct replicator *old = before ? map_get(&before->by_name, d->name) : NULL;
		if (!d->failed && !is_accepted(d, old))
			accept(en, d);
	}
	if (!c->complete)
		return;
	for (size_t i = 0; i < map_size(&en->ledger.records); i++)
		forget_undeclared(en, map_value(&en->ledger.records, i));
}

/* Whoever only plans is shown them with the plan. */
static enum log_level level_of_errors(const struct engine *en)
{
	return en->options.dry ? LOG_INFO : LOG_ERROR;
}

static void log_problems(const struct engine *en)
{
	enum log_level level = level_of_errors(en);
	vec_each (p, &en->catalog->problems) {
		auto_buf struct buf line = BUF_INIT;
		problem_format(p, &line);
		if (p->level == PROBLEM_ERROR)
			log_line(level, "does not load", "commit", en->head.sha, "problem",
				buf_str(&line), NULL);
	}
}

/* Once: the same commit is read again and again. */
static void note_load_error(struct engine *en, const struct err *e)
{
	const struct err *before = &en->load_err;
	bool is_new = before->code == ERR_OK || strcmp(before->msg, e->msg) != 0;
	enum log_level level = level_of_errors(en);
	if (e->code != ERR_OK && is_new)
		log_line(level, "the commit cannot be read", "commit", en->head.sha, "error",
			e->msg, NULL);
	en->load_err = *e;
}

static void take_tree(struct engine *en, struct read_result *result)
{
	bool same = !result->catalog && (result->load_err.code == ERR_OK || !en->catalog);
	note_load_error(en, &result->load_err);
	if (same)
		return;
	pass_compare_now(en);
	pass_forget_plan(en);
	struct catalog *before = en->catalog;
	en->catalog = TAKE(result->catalog);
	en->catalog_new = true;
	snprintf(en->tree, sizeof(en->tree), "%s", en->catalog ? result->head.tree : "");
	if (en->catalog) {
		accept_documents(en, before);
		inputs_mark_gone(en);
		log_problems(en);
	}
	catalog_free(before);
}

/* It may have been head before. Of what cannot be read, nothing is taken to be known. */
static int load_past(struct engine *en, const char *sha, struct err *e)
{
	auto_strv struct strv begun = VEC_INIT;
	auto_strv struct strv changed = VEC_INIT;
	struct store *store = en->options.store;
	int rc = store ? store_load_changed(store, sha, &begun, &changed, e) : 0;
	if (rc == 0)
		rc = brake_load(en, sha, e);
	if (rc < 0)
		return err_prefix(e, "store");
	map_clear(&en->begun);
	map_clear(&en->changed);
	vec_each (name, &begun)
		map_put(&en->begun, *name, en);
	vec_each (name, &changed)
		map_put(&en->changed, *name, en);
	return 0;
}

static void take_new_head(struct engine *en, const struct source_head *head)
{
	en->head = *head;
	en->head_since = now_wall(en);
	en->compared = false;
	ledger_set(&en->ledger, "seen-head", head->sha);
	pass_compare_now(en);
	log_info("new commit", "commit", head->sha, "summary", head->summary, NULL);
	progress(en, "commit %.12s: %s", head->sha, head->summary);
	statuses_head(en);
}

/* For `weir status`, also while nobody runs. */
static void keep_rewind(struct engine *en)
{
	const char *digest = en->rewound ? en->rewind_approval : "";
	if (!strcmp(en->rewind_kept ? en->rewind_kept : "", digest))
		return;
	str_replace(&en->rewind_kept, xstrdup(digest));
	ledger_set(&en->ledger, "rewind", digest);
}

void head_take(struct engine *en, struct read_result *result)
{
	const struct source_head *head = &result->head;
	struct err e = ERR_INIT;
	bool is_new = strcmp(en->head.sha, head->sha) != 0;
	en->head_unread = is_new && load_past(en, head->sha, &e) < 0;
	if (en->head_unread) {
		trouble_starts(en, &en->store, &e,
			"the store cannot be read; no newer commit is taken until it can");
		en->read_at = en->store.until_mono;
		return;
	}
	bool rewound = rewind_is_held(en, head);
	if (rewound != en->rewound) { /* another tree counts, also where the head is the same */
		pass_forget_plan(en);
		pass_compare_now(en);
		en->compared = false;
	}
	en->rewound = rewound;
	keep_rewind(en);
	if (is_new)
		take_new_head(en, head);
	if (rewound && !en->options.dry)
		return; /* the head that was taken last stays the one that counts */
	if (strcmp(en->ledger.head, head->sha) != 0) {
		str_replace(&en->ledger.head, xstrdup(head->sha));
		ledger_set(&en->ledger, "head", head->sha);
		ledger_event(&en->ledger, now_wall(en), NULL, head->sha, "taken", head->summary);
	}
	take_tree(en, result);
}

static bool are_same(const struct secret_problems *a, const struct secret_problems *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->at[i].field != b->at[i].field || strcmp(a->at[i].name, b->at[i].name) != 0 ||
			strcmp(a->at[i].message, b->at[i].message) != 0)
			return false;
	return true;
}

void head_take_secrets(struct engine *en, struct read_result *result)
{
	if (!are_same(&en->secrets, &result->secrets))
		pass_compare_now(en);
	secret_problems_release(&en->secrets);
	en->secrets = result->secrets;
	result->secrets = (struct secret_problems)VEC_INIT;
}
