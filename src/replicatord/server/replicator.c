/* One replicator as requests meet it. */
#include "server/replicator.h"

#include <stdio.h>
#include <string.h>

#include "doc/json.h"

bool replicator_find(struct call *c, struct replicator_row *ret_row)
{
	const char *identifier = httpd_param(c->request, "identifier");
	struct err e = ERR_INIT;
	int rc =
		store_find_replicator(c->server->store, &c->arena, c->org, identifier, ret_row, &e);

	if (rc < 0)
		call_error(c, &e);
	else if (rc == 0)
		call_detail(c, 404, "there is no replicator %s", identifier);
	return rc > 0;
}

bool replicator_not_deleting(struct call *c, const struct replicator_row *row)
{
	if (row->status != LIVE_DELETING)
		return true;
	call_detail(c, 409, "%s is being deleted", row->identifier);
	return false;
}

/* One entity tag of a list: "3". A weak one (W/"3") never matches (RFC 9110, 13.1.1). */
static bool tag_matches(const char *tag, size_t len, int64_t generation)
{
	char wanted[24];

	snprintf(wanted, sizeof(wanted), "\"%lld\"", (long long)generation);
	return strlen(wanted) == len && !strncmp(tag, wanted, len);
}

bool replicator_match(struct call *c, const struct replicator_row *row)
{
	const char *list = httpd_header(c->request, "If-Match");
	bool ignored = c->server->config->compat & COMPAT_NO_IF_MATCH;
	bool matches = ignored || !list || !strcmp(list, "*");

	while (list && *list && !matches) {
		size_t len = strcspn(list, ", \t");

		matches = tag_matches(list, len, row->generation);
		list += len;
		list += strspn(list, ", \t");
	}
	if (!matches)
		call_detail(c, 412, "%s is at generation %lld, which If-Match does not name",
			row->identifier, (long long)row->generation);
	return matches;
}

static void write_string(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, ",\"%s\":", name);
	json_write_string(out, value);
}

void replicator_write(struct buf *out, const struct replicator_row *row, unsigned compat)
{
	char when[CLOCK_TEXT_MAX];

	/* The stored settings are a JSON object already: the rest goes before its closing brace. */
	buf_add(out, row->spec, strlen(row->spec) - 1);
	if (!(compat & COMPAT_NO_UID))
		write_string(out, "uid", row->uid);
	if (!(compat & COMPAT_NO_CREATED_AT))
		write_string(out, "created_at", clock_format(row->created_at_ms, when));
	buf_addf(out, ",\"generation\":%lld", (long long)row->generation);
	if (!(compat & COMPAT_NO_OBSERVED_GENERATION))
		buf_addf(out, ",\"observed_generation\":%lld", (long long)row->observed_generation);
	write_string(out, "status", live_status_name(row->status));
	write_string(out, "status_message", row->status_message);
	write_string(out, "fleet", row->fleet);
	buf_addf(out, ",\"endpoints\":%s}", row->endpoints);
}
