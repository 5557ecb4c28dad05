#include "fixture.h"

#define GOOD                                                                                       \
	"\"identifier\":\"orders-dr\",\"provider\":\"MirrorMaker2\",\"source_kafka_id\":\"prod-"   \
	"eu\","                                                                                    \
	"\"destination_kafka_id\":\"dr-eu\",\"replication_mode\":\"active-passive\","              \
	"\"topic_whitelist\":\"orders.*\""

/* The paths of what is wrong with the body of a POST, "" if nothing is. */
static const char *create(struct fixture *f, const char *body, struct spec *ret_spec)
{
	struct problems problems = PROBLEMS_INIT;
	auto_buf struct buf paths = BUF_INIT;

	settings_create(f->config, &f->arena, fixture_json(f, body), ret_spec, &problems);
	vec_each (p, &problems)
		if (p->level == PROBLEM_ERROR)
			buf_addf(&paths, "%s%s", paths.len ? " " : "", p->path);
	problems_release(&problems);
	return arena_strdup(&f->arena, buf_str(&paths));
}

/* What comes of a PATCH on GOOD: "changed", "same", or the problem. */
static const char *change_from(
	struct fixture *f, const char *start, const char *body, struct spec *ret_spec)
{
	struct problems problems = PROBLEMS_INIT;
	const char *outcome;
	struct spec current;
	bool changed;

	assert_string_equal(create(f, start, &current), "");
	if (settings_change(f->config, &f->arena, &current, fixture_json(f, body), ret_spec,
		    &changed, &problems))
		outcome = changed ? "changed" : "same";
	else
		outcome = arena_printf(
			&f->arena, "%s: %s", problems.at[0].path, problems.at[0].message);
	problems_release(&problems);
	return outcome;
}

static const char *change(struct fixture *f, const char *body, struct spec *ret_spec)
{
	return change_from(f, "{" GOOD "}", body, ret_spec);
}

static void test_create_takes_what_holds_together(void **state)
{
	struct fixture *f = *state;
	struct spec spec;

	assert_string_equal(create(f, "{" GOOD "}", &spec), "");
	assert_string_equal(spec.value[SPEC_IDENTIFIER]->u.string.s, "orders-dr");
}

static void test_create_names_every_field_that_is_wrong(void **state)
{
	struct fixture *f = *state;
	struct spec spec;

	assert_string_equal(create(f, "{\"identifier\":\"a\"}", &spec),
		"provider replication_mode topic_whitelist source_kafka_id destination_kafka_id");
	assert_string_equal(
		create(f, "{" GOOD ",\"status\":\"Healthy\",\"colour\":\"red\"}", &spec),
		"status colour");
	assert_string_equal(create(f, "{" GOOD ",\"lag_alert_threshold_unit\":\"bytes\"}", &spec),
		"lag_alert_threshold_unit");
}

static void test_create_refuses_a_cluster_that_is_not_configured(void **state)
{
	struct fixture *f = *state;
	struct problems problems = PROBLEMS_INIT;
	struct spec spec;

	assert_false(settings_create(f->config, &f->arena,
		fixture_json(f, "{\"identifier\":\"a\",\"provider\":\"MirrorMaker2\",\"source_"
				"kafka_id\":\"prod-ue\","
				"\"destination_kafka_id\":\"elsewhere\",\"replication_mode\":"
				"\"active-passive\","
				"\"topic_whitelist\":\"a\"}"),
		&spec, &problems));
	assert_int_equal(problems.n, 2);
	assert_string_equal(problems.at[0].path, "source_kafka_id");
	assert_string_equal(problems.at[0].message,
		"no Kafka cluster has the id \"prod-ue\"; did you mean prod-eu");
	assert_string_equal(problems.at[1].path, "destination_kafka_id");
	assert_string_equal(problems.at[1].message,
		"no Kafka cluster has the id \"elsewhere\"; the server's "
		"configuration lists those there are");
	problems_release(&problems);
}

static void test_change_tells_whether_anything_means_something_else(void **state)
{
	struct fixture *f = *state;
	struct spec spec;

	assert_string_equal(change(f, "{}", &spec), "same");
	assert_string_equal(change(f, "{" GOOD "}", &spec), "same");
	assert_string_equal(
		change(f, "{\"groups_whitelist\":\"\",\"topic_blacklist\":null}", &spec), "same");
	assert_string_equal(
		change(f, "{\"topic_whitelist\":\" orders.* , orders.*\"}", &spec), "same");
	assert_string_equal(
		change(f, "{\"topic_whitelist\":\"orders.*,payments.*\"}", &spec), "changed");
	assert_string_equal(change(f, "{\"lag_alert_threshold\":5}", &spec), "changed");
	assert_int_equal(spec.value[SPEC_LAG_ALERT_THRESHOLD]->u.integer, 5);
	assert_string_equal(spec.value[SPEC_TOPIC_WHITELIST]->u.seq.at[0]->u.string.s, "orders.*");
}

static void test_change_refuses_what_is_immutable(void **state)
{
	struct fixture *f = *state;
	struct spec spec;

	assert_string_equal(change(f, "{\"identifier\":\"other\"}", &spec),
		"identifier: cannot be changed; delete the replicator and create it anew");
	assert_string_equal(change(f, "{\"provider\":\"ClusterLink\"}", &spec),
		"provider: cannot be changed; delete the replicator and create it anew");
	assert_string_equal(change(f, "{\"source_kafka_id\":null}", &spec),
		"source_kafka_id: cannot be changed; delete the replicator and create it anew");
	assert_string_equal(change(f, "{\"replication_mode\":\"active-active\"}", &spec),
		"replication_mode: cannot be changed; delete the replicator and create it anew");
}

static void test_change_takes_back_with_null_where_it_may(void **state)
{
	static const char start[] =
		"{" GOOD ",\"lag_alert_threshold\":5,\"groups_whitelist\":\"g\","
		"\"advanced_configuration\":{\"tasks.max\":4,\"sync.topic.acls.enabled\":false}}";
	struct fixture *f = *state;
	struct spec spec;

	assert_string_equal(
		change_from(f, start, "{\"lag_alert_threshold\":null,\"groups_whitelist\":null}",
			&spec),
		"changed");
	assert_non_null(strstr(settings_write(&f->arena, &spec), "\"lag_alert_threshold\":null"));
	assert_non_null(strstr(settings_write(&f->arena, &spec), "\"groups_whitelist\":null"));
	assert_string_equal(
		change_from(f, start, "{\"advanced_configuration\":null}", &spec), "changed");
	assert_non_null(
		strstr(settings_write(&f->arena, &spec), "\"advanced_configuration\":null"));
	assert_string_equal(change(f, "{\"topic_whitelist\":null}", &spec),
		"topic_whitelist: must not be null");
}

static void test_change_replaces_advanced_configuration_as_a_whole(void **state)
{
	static const char start[] = "{" GOOD ",\"advanced_configuration\":{\"tasks.max\":4,"
				    "\"sync.topic.acls.enabled\":false}}";
	struct fixture *f = *state;
	struct spec spec;

	assert_string_equal(
		change_from(f, start, "{\"advanced_configuration\":{\"tasks.max\":4}}", &spec),
		"changed");
	assert_non_null(strstr(
		settings_write(&f->arena, &spec), "\"advanced_configuration\":{\"tasks.max\":4}"));
	assert_string_equal(change_from(f, start,
				    "{\"advanced_configuration\":{\"tasks.max\":4,"
				    "\"sync.topic.acls.enabled\":null}}",
				    &spec),
		"changed");
	assert_null(strstr(settings_write(&f->arena, &spec), "sync.topic.acls.enabled"));
}

static void test_change_is_checked_together_with_what_stays(void **state)
{
	static const char start[] =
		"{" GOOD ",\"lag_alert_threshold\":5,\"lag_alert_threshold_unit\":\"bytes\"}";
	struct fixture *f = *state;
	struct spec spec;

	assert_int_equal(
		strncmp(change_from(f, start, "{\"lag_alert_threshold\":null}", &spec),
			"lag_alert_threshold_unit: ", strlen("lag_alert_threshold_unit: ")),
		0);
}

static void test_written_settings_read_back_the_same(void **state)
{
	struct fixture *f = *state;
	struct spec spec, back;

	assert_string_equal(
		create(f,
			"{\"identifier\":\"a\",\"provider\":\"MirrorMaker2\","
			"\"source_connection_details\":{\"bootstrap_servers\":\"x:9092\","
			"\"security_protocol\":\"SASL_SSL\",\"sasl_mechanism\":\"PLAIN\"},"
			"\"source_secret_path\":\"kafka/x\",\"destination_kafka_id\":\"dr-eu\","
			"\"replication_mode\":\"active-passive\",\"topic_whitelist\":[\"b\",\"a\"],"
			"\"lag_alert_threshold\":9007199254740991,\"lag_alert_threshold_unit\":"
			"\"bytes\","
			"\"advanced_configuration\":{\"tasks.max\":4}}",
			&spec),
		"");
	const char *json = settings_write(&f->arena, &spec);
	assert_int_equal(settings_read(&f->arena, json, &back, NULL), 0);
	for (enum spec_field i = 0; i < SPEC__COUNT; i++)
		assert_true(spec_value_equal(i, spec.value[i], back.value[i]));
	assert_string_equal(settings_write(&f->arena, &back), json);
	assert_string_equal(settings_endpoints(&f->arena, f->config, &spec),
		"{\"source\":\"x:9092\",\"destination\":\"dr-eu:9092\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_create_takes_what_holds_together),
		test_with_fixture(test_create_names_every_field_that_is_wrong),
		test_with_fixture(test_create_refuses_a_cluster_that_is_not_configured),
		test_with_fixture(test_change_tells_whether_anything_means_something_else),
		test_with_fixture(test_change_refuses_what_is_immutable),
		test_with_fixture(test_change_takes_back_with_null_where_it_may),
		test_with_fixture(test_change_replaces_advanced_configuration_as_a_whole),
		test_with_fixture(test_change_is_checked_together_with_what_stays),
		test_with_fixture(test_written_settings_read_back_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
