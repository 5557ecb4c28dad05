/* What the API answers: replicators and operations. Whatever is odd in them is kept or passed over,
 * never fatal. */
#include "model/live.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/text.h"
#include "model/internal.h"

static const char *const status_names[LIVE__COUNT] = {
	[LIVE_PENDING] = "Pending",
	[LIVE_PROVISIONING] = "Provisioning",
	[LIVE_UPDATING] = "Updating",
	[LIVE_HEALTHY] = "Healthy",
	[LIVE_ERROR] = "Error",
	[LIVE_DELETING] = "Deleting",
	[LIVE_UNKNOWN] = "Unknown",
};

const char *live_status_name(enum live_status status)
{
	return status_names[status];
}

/* The same moment, however it is written: answers of one API differ in fractions. */
static bool is_same_second(const char *a, const char *b)
{
	int64_t left, right;

	if (!clock_parse(a, &left) || !clock_parse(b, &right))
		return strcmp(a, b) == 0;
	return left / 1000 == right / 1000;
}

bool live_is_same(const struct live *live, const char *uid, const char *created_at)
{
	if (uid && live->uid)
		return strcmp(uid, live->uid) == 0;
	return !created_at || !live->created_at || is_same_second(created_at, live->created_at);
}

static enum live_status find_status(const char *word)
{
	enum live_status status = 0;

	while (status < LIVE_UNKNOWN && strcmp(word, status_names[status]) != 0)
		status++;
	return status;
}

static const char *string_or(const struct node *object, const char *key, const char *otherwise)
{
	const char *s = node_get_string(object, key);

	return s ? s : otherwise;
}

/* Words of the API that people get to read, in statuses, logs and on terminals. */
static const char *words_or_none(struct arena *a, const struct node *object, const char *key)
{
	char words[LIMIT_API_WORDS_BYTES];

	text_escape_into(words, sizeof(words), string_or(object, key, ""));
	return arena_strdup(a, words);
}

/* Connection details without the keys that we do not know: an API may have more. */
static struct node *known_details(struct arena *a, struct node *value)
{
	struct node *known = node_map(a);

	if (value->type != NODE_MAP)
		return value;
	for (const struct field *f = details_fields; f->name; f++) {
		if (node_get(value, f->name))
			node_map_set(a, known, f->name, node_get(value, f->name));
	}
	return known;
}

static bool details_knows(const char *name)
{
	const struct field *f = details_fields;

	while (f->name && strcmp(f->name, name) != 0)
		f++;
	return f->name;
}

static void decode_spec(const struct node *object, struct arena *arena, struct spec *ret_spec)
{
	struct field_place place = {.arena = arena, .path = ""};
	struct problems ignored = PROBLEMS_INIT;

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		struct node *value = node_get(object, spec_fields[f].name);

		if (value && spec_fields[f].kind == SPEC_KIND_DETAILS)
			value = known_details(arena, value);
		if (value && !spec_decode_value(
				     f, 0, value, &place, false, &ret_spec->value[f], &ignored))
			ret_spec->value[f] = value;
	}
	problems_release(&ignored);
}

static const char *const read_only[] = {"generation", "status", "uid", "created_at",
	"observed_generation", "status_message", "endpoints", "fleet"};

/* Asked of each of thousands, so it counts instead of comparing names. */
static bool has_unknown(const struct node *object, const struct spec *spec)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(read_only); i++)
		n += node_get(object, read_only[i]) != NULL;
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct node *value = spec->value[f];

		n += value != NULL;
		if (value && spec_fields[f].kind == SPEC_KIND_DETAILS)
			return true; /* there are few of them: they are looked at one by one */
	}
	return n != object->u.map.n;
}

static bool is_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(read_only); i++)
		if (strcmp(name, read_only[i]) == 0)
			return true;
	return spec_field_find(name) != SPEC__COUNT;
}

static void note_unknown(struct arena *a, struct node **list, const char *prefix, const char *name)
{
	if (!*list)
		*list = node_seq(a);
	node_seq_add(a, *list, node_string(a, arena_printf(a, "%s%s", prefix, name)));
}

/* Also those inside of connection details. */
static const struct node *unknown_fields(const struct node *object, struct arena *a)
{
	struct node *list = NULL;

	for (size_t i = 0; i < object->u.map.n; i++)
		if (!is_known(object->u.map.at[i].key->u.string.s))
			note_unknown(a, &list, "", object->u.map.at[i].key->u.string.s);
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct node *details = node_get(object, spec_fields[f].name);

		if (spec_fields[f].kind != SPEC_KIND_DETAILS || !details ||
			details->type != NODE_MAP)
			continue;
		const char *prefix = arena_printf(a, "%s.", spec_fields[f].name);
		for (size_t i = 0; i < details->u.map.n; i++) {
			const char *name = details->u.map.at[i].key->u.string.s;
			if (!details_knows(name))
				note_unknown(a, &list, prefix, name);
		}
	}
	return list;
}

int live_decode(
	const struct node *object, struct arena *arena, struct live *ret_live, struct err *e)
{
	struct live live = {.identifier = node_get_string(object, "identifier")};

	if (object->type != NODE_MAP)
		return err_set(e, ERR_REMOTE, "a replicator is a %s and not an object",
			node_type_name(object->type));
	if (!live.identifier)
		return err_set(e, ERR_REMOTE, "a replicator without an identifier");
	if (!node_get_int(object, "generation", &live.generation))
		return err_set(
			e, ERR_REMOTE, "replicator \"%s\" has no generation", live.identifier);
	live.uid = node_get_string(object, "uid");
	live.created_at = node_get_string(object, "created_at");
	live.has_observed = node_get_int(object, "observed_generation", &live.observed_generation);
	live.status_word = words_or_none(arena, object, "status");
	live.status = find_status(live.status_word);
	live.status_message = words_or_none(arena, object, "status_message");
	live.fleet = node_get_string(object, "fleet");
	decode_spec(object, arena, &live.spec);
	if (has_unknown(object, &live.spec))
		live.unknown = unknown_fields(object, arena);
	*ret_live = live;
	return 0;
}

static const char *copy_opt(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

struct live live_copy(struct arena *a, const struct live *live)
{
	struct live copy = *live;

	copy.identifier = arena_strdup(a, live->identifier);
	copy.uid = copy_opt(a, live->uid);
	copy.created_at = copy_opt(a, live->created_at);
	copy.status_word = arena_strdup(a, live->status_word);
	copy.status_message = arena_strdup(a, live->status_message);
	copy.fleet = copy_opt(a, live->fleet);
	copy.spec = spec_copy(a, &live->spec);
	copy.unknown = live->unknown ? node_copy(a, live->unknown) : NULL;
	return copy;
}

static const char *const operation_names[] = {
	[OPERATION_RUNNING] = "Running",
	[OPERATION_SUCCEEDED] = "Succeeded",
	[OPERATION_FAILED] = "Failed",
	[OPERATION_SUPERSEDED] = "Superseded",
	[OPERATION_UNKNOWN] = "Unknown",
};

const char *operation_state_name(enum operation_state state)
{
	return operation_names[state];
}

int operation_decode(const struct node *object, struct arena *arena,
	struct operation *ret_operation, struct err *e)
{
	struct operation operation = {.id = string_or(object, "id", "")};
	const char *word = string_or(object, "state", "");

	if (object->type != NODE_MAP)
		return err_set(e, ERR_REMOTE, "an operation is a %s and not an object",
			node_type_name(object->type));
	node_get_int(object, "generation", &operation.generation);
	while (operation.state < OPERATION_UNKNOWN &&
		strcmp(word, operation_names[operation.state]) != 0)
		operation.state++;
	operation.error = words_or_none(arena, object, "error");
	*ret_operation = operation;
	return 0;
}
