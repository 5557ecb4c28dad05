/* The reference of the fields, for the man page. */
#include <inttypes.h>

#include "base/alloc.h"
#include "model/advanced.h"
#include "model/internal.h"

static const char *const kind_words[] = {
	[SPEC_KIND_STRING] = "string",
	[SPEC_KIND_CHOICE] = "choice",
	[SPEC_KIND_PATTERNS] = "list of patterns",
	[SPEC_KIND_INTEGER] = "whole number",
	[SPEC_KIND_DETAILS] = "map",
	[SPEC_KIND_CONFIG] = "map of settings",
};

static const char *const type_words[] = {
	[ADVANCED_STRING] = "string",
	[ADVANCED_BOOL] = "true or false",
	[ADVANCED_INT] = "whole number",
	[ADVANCED_REPLICAS] = "whole number, at least 1, or -1 for the broker's default",
	[ADVANCED_REAL] = "number",
	[ADVANCED_CHOICE] = "choice",
	[ADVANCED_LIST] = "list",
	[ADVANCED_PATTERNS] = "list of patterns",
	[ADVANCED_CLASS] = "Java class",
	[ADVANCED_JSON] = "JSON in a string",
};

static void add_choices(struct buf *out, const char *const *choices)
{
	for (size_t i = 0; choices && choices[i]; i++)
		buf_addf(out, "%s%s", i == 0 ? ", " : choices[i + 1] ? ", " : " or ", choices[i]);
}

static void add_key(struct buf *out, const struct advanced_key *key)
{
	buf_addf(out, ".It Sy %s\n%s\nType: %s", key->name, key->doc, type_words[key->type]);
	add_choices(out, key->choices);
	if (key->type == ADVANCED_INT && key->max)
		buf_addf(out, ", %" PRId64 " to %" PRId64, key->min, key->max);
	else if (key->type == ADVANCED_INT)
		buf_addf(out, ", at least %" PRId64, key->min);
	buf_adds(out, ".\n");
}

static void add_provider(struct buf *out, const struct advanced_provider *provider)
{
	buf_addf(out, ".Pp\nWith provider\n.Cm %s :\n.Bl -tag -width Ds\n", provider->name);
	for (const struct advanced_key *key = provider->keys; key->name; key++) {
		if (key->rule == ADVANCED_SET)
			add_key(out, key);
	}
	for (const struct advanced_prefix *prefix = provider->prefixes; prefix->name; prefix++) {
		if (prefix->rule == ADVANCED_SET)
			buf_addf(out, ".It Sy %s*\n%s\n", prefix->name, prefix->doc);
	}
	buf_adds(out, ".El\n");
}

/* "Type: choice, messages, bytes or seconds. Immutable." */
static void add_facts(struct buf *out, const struct spec_field_info *info)
{
	buf_addf(out, "Type: %s", kind_words[info->kind]);
	add_choices(out, info->choices);
	buf_adds(out, ".");
	if (info->required)
		buf_adds(out, " Required.");
	if (info->immutable)
		buf_adds(out, " Immutable.");
	if (info->def)
		buf_addf(out, " Default: %s.", info->def);
	buf_addc(out, '\n');
}

void spec_mdoc(struct buf *out)
{
	buf_adds(out, ".Bl -tag -width Ds\n");
	for (enum spec_field f = SPEC_IDENTIFIER + 1; f < SPEC__COUNT; f++) {
		buf_addf(out, ".It Sy %s\n%s\n", spec_fields[f].name, spec_fields[f].doc);
		add_facts(out, &spec_fields[f]);
		if (spec_fields[f].kind == SPEC_KIND_DETAILS)
			fields_mdoc(details_fields, "", out);
		for (size_t i = 0; spec_fields[f].kind == SPEC_KIND_CONFIG && advanced_providers[i];
			i++)
			add_provider(out, advanced_providers[i]);
	}
	buf_adds(out, ".El\n");
}
