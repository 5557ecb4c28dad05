/* Keys of a spec that are no fields: what to do instead. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/advanced.h"
#include "model/internal.h"

/* Keys that people write and that are no fields; `meant` is what is then not missing as well. */
static const struct {
	const char *name;
	enum spec_field meant;
	const char *remedy;
} other_words[] = {
	{"created_at", SPEC__COUNT, "is reported by the API: remove it"},
	{"destination", SPEC_DESTINATION_KAFKA_ID,
		"is no field: set destination_kafka_id or destination_connection_details"},
	{"destination_cluster", SPEC_DESTINATION_KAFKA_ID,
		"is no field of the API, but a word of weir's in YAML: set destination_kafka_id, "
		"or "
		"destination_connection_details and destination_secret_path"},
	{"endpoints", SPEC__COUNT, "is reported by the API: remove it"},
	{"fleet", SPEC__COUNT, "is reported by the API: remove it"},
	{"generation", SPEC__COUNT, "is reported by the API: remove it"},
	{"groups", SPEC__COUNT, "is no field: write groups_whitelist"},
	{"mode", SPEC_REPLICATION_MODE, "is no field: write replication_mode"},
	{"name", SPEC__COUNT,
		"is no field: the name is metadata.name in YAML and identifier in JSON"},
	{"observed_generation", SPEC__COUNT, "is reported by the API: remove it"},
	{"source", SPEC_SOURCE_KAFKA_ID,
		"is no field: set source_kafka_id or source_connection_details"},
	{"source_cluster", SPEC_SOURCE_KAFKA_ID,
		"is no field of the API, but a word of weir's in YAML: set source_kafka_id, or "
		"source_connection_details and source_secret_path"},
	{"status", SPEC__COUNT, "is reported by the API: remove it"},
	{"status_message", SPEC__COUNT, "is reported by the API: remove it"},
	{"topics", SPEC_TOPIC_WHITELIST, "is no field: write topic_whitelist"},
	{"uid", SPEC__COUNT, "is reported by the API: remove it"},
};

/* Index into other_words, or how many there are. */
static size_t find_word(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(other_words) && strcmp(other_words[i].name, name) != 0)
		i++;
	return i;
}

static const char *find_near(const char *name, bool from_yaml, const struct problems *problems)
{
	const char *names[SPEC__COUNT + END__COUNT];
	size_t n = 0;

	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		names[n++] = spec_fields[f].name;
	for (enum end end = 0; from_yaml && end < END__COUNT; end++)
		names[n++] = ends[end].cluster;
	return suggest(problems, name, names, n);
}

/* What is then not missing as well. */
static enum spec_field meant_by(const char *near)
{
	for (enum end end = 0; end < END__COUNT; end++) {
		if (strcmp(near, ends[end].cluster) == 0)
			return ends[end].kafka_id;
	}
	return spec_field_find(near);
}

enum spec_field spec_unknown_key(const struct node *key, const struct field_place *place,
	bool from_yaml, struct problems *problems)
{
	const char *name = key->u.string.s, *near;
	size_t word = find_word(name);

	if (word < ARRAY_SIZE(other_words)) {
		problem_at(
			problems, PROBLEM_ERROR, place, name, key, "%s", other_words[word].remedy);
		return other_words[word].meant;
	}
	near = find_near(name, from_yaml, problems);
	if (near) {
		problem_at(problems, PROBLEM_ERROR, place, name, key,
			"unknown field; did you mean %s?", near);
		return meant_by(near);
	}
	if (advanced_is_credential(name))
		problem_at(problems, PROBLEM_ERROR, place, name, key,
			"does not belong here: put credentials behind source_secret_path or "
			"destination_secret_path, and remove this");
	else
		problem_at(problems, PROBLEM_ERROR, place, name, key,
			"unknown field: check its name, or remove it");
	return SPEC__COUNT;
}
