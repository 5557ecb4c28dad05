/*
 * What a person approves: an action on an object whose values are as they were seen, and become
 * what Git said. Neither the commit nor a secret is part of it, so that a squash merge and a
 * rotation keep an approval.
 */
#include "plan/planner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "plan/render.h"

/* Another way of making digests needs another number: old approvals mean nothing to it. */
#define KIND "weir approval 1"

/* What is not ours is taken over by an update, and that is more than an update. */
static const char *word_of(const struct plan_item *it, enum plan_action action)
{
	bool takes_over = it->live && !it->ours;

	return takes_over && (action == PLAN_ADOPT || action == PLAN_UPDATE)
		       ? "overwrite"
		       : plan_action_name(action);
}

/* An API without uids has the second of the creation; answers differ in fractions. */
static void add_object(struct hash *h, const struct plan_item *it)
{
	const char *uid = it->live ? it->live->uid : it->record ? it->record->uid : NULL;
	const char *created = it->live	   ? it->live->created_at
			      : it->record ? it->record->created_at
					   : NULL;
	auto_buf struct buf second = BUF_INIT;
	int64_t ms = 0;

	if (!uid && created && clock_parse(created, &ms))
		buf_addf(&second, "%" PRId64, ms / 1000);
	else if (!uid && created)
		buf_adds(&second, created);
	hash_adds(h, uid ? uid : buf_str(&second));
}

static void add_value(
	struct strv *lines, const struct setting *s, const char *key, const struct node *value)
{
	auto_buf struct buf name = BUF_INIT, text = BUF_INIT;

	setting_name(s, &name);
	plan_value_text(&text, s->field, key, value);
	strv_pushf(lines, "%s.%s: %s", buf_str(&name), key ? key : "", buf_str(&text));
}

/* By the text that people see, in which secrets are masked; the order of keys means nothing. */
static void add_setting(struct strv *lines, const struct setting *s)
{
	const struct node *value = s->value[SIDE_LIVE];

	if (setting_equal(s, value, NULL))
		return;
	if (s->key || value->type != NODE_MAP) {
		add_value(lines, s, s->key ? s->key->u.string.s : NULL, value);
		return;
	}
	for (size_t i = 0; i < value->u.map.n; i++)
		add_value(lines, s, value->u.map.at[i].key->u.string.s, value->u.map.at[i].value);
}

static void add_values(struct hash *h, const struct spec *spec)
{
	const struct spec *sides[SIDE__COUNT] = {[SIDE_LIVE] = spec};
	struct settings settings = VEC_INIT;
	auto_strv struct strv lines = VEC_INIT;

	settings_collect(&settings, sides);
	vec_each (s, &settings)
		add_setting(&lines, s);
	strv_sort(&lines);
	vec_each (line, &lines)
		hash_adds(h, *line);
	vec_release(&settings);
}

const char *approval_digest(
	struct planner *p, const struct plan_item *it, enum plan_action action, const char *guard)
{
	unsigned char digest[HASH_BYTES];
	char hex[HASH_HEX_MAX];
	struct hash h;

	hash_begin(&h);
	hash_adds(&h, KIND);
	hash_adds(&h, it->name);
	hash_adds(&h, word_of(it, action));
	add_object(&h, it);
	if (it->live)
		add_values(&h, &it->live->spec);
	hash_adds(&h, "becomes");
	if (it->desired)
		add_values(&h, &it->desired->spec);
	if (guard)
		hash_adds(&h, guard);
	hash_end(&h, digest);
	return arena_strdup(&p->plan->arena, hash_hex(digest, hex));
}

static int compare_text(const void *text, const void *at)
{
	return strcmp(text, *(const char *const *)at);
}

bool approval_given(const struct plan_input *in, const char *digest)
{
	return digest && in->n_approvals > 0 &&
	       bsearch(digest, in->approvals, in->n_approvals, sizeof(*in->approvals),
		       compare_text);
}
