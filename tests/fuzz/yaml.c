/* A YAML file: from its text to replicators, to what the store keeps of them, and back. */
#include <stdlib.h>

#include "base/text.h"
#include "fuzz.h"
#include "model/explain.h"

static void check_round_trip(const struct replicator *r)
{
	struct arena a = ARENA_INIT;
	struct replicator back = {0};
	struct err e = ERR_INIT;
	auto_buf struct buf first = BUF_INIT;
	auto_buf struct buf second = BUF_INIT;
	replicator_write_json(r, &first);
	if (replicator_read_json(buf_str(&first), &a, &back, &e) < 0)
		abort();
	replicator_write_json(&back, &second);
	if (first.len != second.len || strcmp(buf_str(&first), buf_str(&second)) != 0)
		abort();
	arena_release(&a);
}

/* What is printed about it can be printed anywhere. */
static void check_problem(const struct problem *p)
{
	auto_buf struct buf line = BUF_INIT;
	problem_format(p, &line);
	if (!fuzz_is_printable(buf_str(&line), line.len))
		abort();
}

static void explain(const struct replicator *r)
{
	struct explanation x;
	replicator_explain(r, &x);
	vec_each (it, &x) {
		vec_each (value, it)
			if (!value->origin.file || !value->origin.line)
				abort();
	}
	explanation_release(&x);
}

/* With one file above it, unless that is NULL. */
static void load(struct parsed_file *parsed, struct parsed_file *above)
{
	struct catalog *c = catalog_new();
	if (above)
		catalog_add(c, "above.yaml", above);
	catalog_add(c, "below/fuzz.yaml", parsed);
	catalog_finish(c);
	for (size_t i = 0; i < map_size(&c->by_name); i++) {
		const struct replicator *r = map_value(&c->by_name, i);
		explain(r);
		if (!r->failed)
			check_round_trip(r);
		else if (c->complete)
			abort();
	}
	vec_each (p, &c->problems)
		check_problem(p);
	catalog_free(c);
}

/* All that Defaults can say. */
static const char above_text[] =
	"apiVersion: weir/v1\nkind: Defaults\nmetadata: {labels: {team: a}}\n"
	"spec:\n  provider: MirrorMaker2\n  source_cluster: orders\n  replication_mode: "
	"active-passive\n"
	"  destination_connection_details: {bootstrap_servers: 'a:9092'}\n  topic_whitelist: [a, "
	"b]\n"
	"  lag_alert_threshold: 5\n  lag_alert_threshold_unit: seconds\n"
	"  advanced_configuration: {tasks.max: 4, producer.linger.ms: 5}\n"
	"sync: {timeout: 5m, suspend: {reason: a}, depends_on: [orders-dr], ignore: "
	"[/topic_blacklist]}\n"
	"---\napiVersion: weir/v1\nkind: KafkaCluster\nmetadata: {name: orders}\nspec: {kafka_id: "
	"a}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parsed_file *parsed = parsed_file_new((const char *)data, size);
	struct parsed_file *above = parsed_file_new(above_text, strlen(above_text));
	load(parsed, NULL);
	load(parsed, above);
	parsed_file_unref(parsed);
	parsed_file_unref(above);
	return 0;
}
