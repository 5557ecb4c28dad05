/* Where settings come from, layer by layer. */
#include "tree.h"

#include "base/alloc.h"
#include "model/explain.h"

#define ABOVE                                                                                      \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: Defaults\n"                                                                         \
	"metadata: {labels: {team: platform}}\n"                                                   \
	"spec:\n"                                                                                  \
	"  lag_alert_threshold: 1\n"                                                               \
	"  advanced_configuration: {tasks.max: 2, producer.linger.ms: 3}\n"                        \
	"sync: {timeout: 5m}\n"
#define NEARER                                                                                     \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: Defaults\n"                                                                         \
	"spec: {lag_alert_threshold: 4, source_cluster: prod}\n"
#define CLUSTER                                                                                    \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaCluster\n"                                                                     \
	"metadata: {name: prod}\n"                                                                 \
	"spec: {connection_details: {bootstrap_servers: 'a:9092'}}\n"
#define DOCUMENT                                                                                   \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaReplicator\n"                                                                  \
	"metadata: {name: a, labels: {team: null}}\n"                                              \
	"spec:\n"                                                                                  \
	"  provider: MirrorMaker2\n"                                                               \
	"  destination_kafka_id: b\n"                                                              \
	"  replication_mode: active-passive\n"                                                     \
	"  topic_whitelist: [t]\n"                                                                 \
	"  lag_alert_threshold: 5\n"                                                               \
	"  lag_alert_threshold_unit: null\n"                                                       \
	"  advanced_configuration: {tasks.max: null}\n"                                            \
	"sync: {timeout: null, mode: report}\n"

static void add(struct catalog *c, const char *path, const char *text)
{
	struct parsed_file *parsed = parsed_file_new(text, strlen(text));

	catalog_add(c, path, parsed);
	parsed_file_unref(parsed);
}

static struct catalog *load(const char *above)
{
	struct catalog *c = catalog_new();

	add(c, "d.yaml", above);
	add(c, "clusters.yaml", CLUSTER);
	add(c, "eu/d.yaml", NEARER);
	add(c, "eu/a.yaml", DOCUMENT);
	catalog_finish(c);
	return c;
}

static const struct explained *find(const struct explanation *x, const char *name)
{
	vec_each (it, x) {
		if (strcmp(it->name, name) == 0)
			return it;
	}
	return NULL;
}

/* "5 eu/a.yaml:9, 4 eu/d.yaml:3" */
static void assert_said(const struct explanation *x, const char *name, const char *wanted)
{
	const struct explained *s = find(x, name);
	auto_buf struct buf said = BUF_INIT;

	for (size_t i = 0; s && i < s->n; i++) {
		const struct node *value = s->at[i].value;

		buf_adds(&said, i ? ", " : "");
		if (value->type == NODE_INT)
			buf_addf(&said, "%lld", (long long)value->u.integer);
		else
			buf_adds(&said, value->type == NODE_NULL ? "null" : value->u.string.s);
		buf_addf(&said, " %s:%u", s->at[i].origin.file, s->at[i].origin.line);
	}
	assert_string_equal(buf_str(&said), wanted);
}

static void test_each_layer_has_its_say(void **state)
{
	struct catalog *c = load(ABOVE);
	const struct replicator *r = map_get(&c->by_name, "a");
	struct explanation x;

	(void)state;
	assert_true(c->complete);
	replicator_explain(r, &x);
	assert_said(&x, "spec.provider", "MirrorMaker2 eu/a.yaml:5");
	assert_said(&x, "spec.lag_alert_threshold", "5 eu/a.yaml:9, 4 eu/d.yaml:3, 1 d.yaml:5");
	assert_said(&x, "spec.source_cluster", "prod eu/d.yaml:3");
	assert_said(
		&x, "spec.source_connection_details.bootstrap_servers", "a:9092 clusters.yaml:4");
	assert_said(&x, "spec.advanced_configuration.tasks.max", "null eu/a.yaml:11, 2 d.yaml:6");
	assert_said(&x, "spec.advanced_configuration.producer.linger.ms", "3 d.yaml:6");
	assert_said(&x, "metadata.labels.team", "null eu/a.yaml:3, platform d.yaml:3");
	assert_said(&x, "sync.timeout", "null eu/a.yaml:12, 5m d.yaml:7");
	assert_said(&x, "sync.mode", "report eu/a.yaml:12");
	assert_null(find(&x, "spec.lag_alert_threshold_unit"));
	assert_null(find(&x, "spec.identifier"));
	const struct explained *of_map = find(&x, "spec.advanced_configuration.tasks.max");
	assert_string_equal(of_map ? of_map->key : "", "tasks.max");
	explanation_release(&x);
	catalog_free(c);
}

static void test_a_failed_one_is_explained_by_what_can_be_read(void **state)
{
	struct catalog *c = load("apiVersion: weir/v1\nkind: Defaults\nspec: {topics: [a]}\n");
	const struct replicator *r = map_get(&c->by_name, "a");
	struct explanation x;

	(void)state;
	assert_true(r->failed);
	replicator_explain(r, &x);
	assert_said(&x, "spec.lag_alert_threshold", "5 eu/a.yaml:9, 4 eu/d.yaml:3");
	explanation_release(&x);
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_layer_has_its_say),
		cmocka_unit_test(test_a_failed_one_is_explained_by_what_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
