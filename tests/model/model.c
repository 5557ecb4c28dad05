/* Fields and documents of the model, and how they are written. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

const char *const who_names[WHO__COUNT + 1] = {"billing", "orders", "payments", "sales", NULL};

const struct field_row field_rows[F__COUNT] = {
	[F_TOPICS] = {"topics", "topic_whitelist", VALUE_PATTERNS, .stays = true, .most = 4},
	[F_SOURCE] = {"source", "source_kafka_id", VALUE_CLUSTER, true, true, 2},
	[F_GROUPS] = {"groups", "groups_whitelist", VALUE_PATTERNS, .most = 4},
	[F_SKIPS] = {"skips", "topic_blacklist", VALUE_PATTERNS, .most = 4},
	[F_THRESHOLD] = {"threshold", "lag_alert_threshold", VALUE_NUMBER, .most = 9},
	[F_UNIT] = {"unit", "lag_alert_threshold_unit", VALUE_UNIT, .most = 3},
	[F_LINGER] = {"linger", "producer.linger.ms", VALUE_NUMBER, .most = 9},
	[F_TASKS] = {"tasks", "tasks.max", VALUE_NUMBER, .most = 9},
	[F_POLL] = {"poll", "consumer.max.poll.records", VALUE_NUMBER, .most = 9},
};

const char *const field_names[F__COUNT + 1] = {"topics", "source", "groups", "skips", "threshold",
	"unit", "linger", "tasks", "poll", NULL};

static const char *const units[] = {"", "messages", "bytes", "seconds"};

static int meaning(enum field_of f, int value)
{
	return f == F_UNIT && value == 0 ? 1 : value;
}

bool same_value(enum field_of f, int a, int b)
{
	return meaning(f, a) == meaning(f, b);
}

/* Values have one digit. No format strings: this is a twentieth of the time. */
void write_value(struct buf *out, enum field_of f, int who, int value)
{
	switch (field_rows[f].kind) {
	case VALUE_PATTERNS:
		buf_addc(out, '"');
		buf_adds(out, field_rows[f].name);
		buf_addc(out, '-');
		buf_adds(out, who_names[who]);
		buf_addc(out, '-');
		buf_addc(out, (char)('0' + value));
		buf_addc(out, '"');
		return;
	case VALUE_NUMBER:
		buf_addc(out, (char)('0' + value));
		return;
	case VALUE_UNIT:
		buf_addc(out, '"');
		buf_adds(out, units[value]);
		buf_addc(out, '"');
		return;
	case VALUE_CLUSTER:
		buf_adds(out, "\"cluster-");
		buf_addc(out, (char)('0' + value));
		buf_addc(out, '"');
		return;
	}
}

static void write_fields(
	struct buf *out, int who, const struct body *b, enum field_of from, enum field_of to)
{
	const char *comma = "";
	for (enum field_of f = from; f < to; f++) {
		if (!b->v[f])
			continue;
		buf_adds(out, comma);
		buf_addc(out, '"');
		buf_adds(out, field_rows[f].wire);
		buf_adds(out, "\": ");
		write_value(out, f, who, b->v[f]);
		comma = ", ";
	}
}

static bool has_keys(const struct body *b)
{
	for (enum field_of f = F_KEYS; f < F__COUNT; f++)
		if (b->v[f])
			return true;
	return false;
}

void write_body(struct buf *out, int who, const struct body *b)
{
	buf_adds(out, "\"provider\": \"MirrorMaker2\", \"destination_kafka_id\": \"dr\", "
		      "\"replication_mode\": \"active-passive\", ");
	write_fields(out, who, b, 0, F_KEYS);
	if (!has_keys(b))
		return;
	buf_adds(out, ", \"advanced_configuration\": {");
	write_fields(out, who, b, F_KEYS, F__COUNT);
	buf_addc(out, '}');
}

static int read_text(enum field_of f, const char *s)
{
	for (int i = 1; f == F_UNIT && i <= field_rows[f].most; i++)
		if (!strcmp(s, units[i]))
			return i;
	const char *dash = strrchr(s, '-');
	return dash ? atoi(dash + 1) : 0;
}

int read_value(enum field_of f, const struct node *n)
{
	if (!n || n->type == NODE_NULL)
		return 0;
	if (n->type == NODE_SEQ)
		return n->u.seq.n ? read_value(f, n->u.seq.at[0]) : 0;
	if (n->type == NODE_INT)
		return (int)n->u.integer;
	return n->type == NODE_STRING ? read_text(f, n->u.string.s) : 0;
}

unsigned read_body(const struct node *map, struct body *b)
{
	unsigned has = 0;
	*b = (struct body){0};
	const struct node *keys = node_get(map, "advanced_configuration");
	for (enum field_of f = 0; f < F__COUNT; f++) {
		const struct node *value = node_get(f < F_KEYS ? map : keys, field_rows[f].wire);
		b->v[f] = read_value(f, value);
		if (value || (f >= F_KEYS && keys))
			has |= 1u << f;
	}
	return has;
}

int doc_value(const struct doc *d, enum field_of f)
{
	return d->exists && d->v[f] > 0 ? d->v[f] : 0;
}

bool doc_loads(const struct doc *d)
{
	return d->breakage == LOADS && !(d->protect && d->replace) && doc_value(d, F_TOPICS) &&
	       doc_value(d, F_SOURCE) && (!doc_value(d, F_UNIT) || doc_value(d, F_THRESHOLD));
}

bool may_be_ignored(enum field_of f)
{
	return !field_rows[f].stays;
}

/* What it depends on must be declared. */
static bool depends_on_nobody(const struct tree *t, int who)
{
	for (int other = 0; other < WHO__COUNT; other++)
		if (t->doc[who].depends >> other & 1 && !t->doc[other].exists)
			return true;
	return false;
}

bool doc_counts(const struct tree *t, int who)
{
	return t->doc[who].exists && doc_loads(&t->doc[who]) && !depends_on_nobody(t, who);
}

bool tree_loads(const struct tree *t)
{
	for (int who = 0; who < WHO__COUNT; who++)
		if (t->doc[who].exists && !doc_counts(t, who))
			return false;
	return !t->path_gone;
}
