#include "server/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MINIMAL                                                                                    \
	"organizations: [{name: acme, tokens: [{name: weir, token: \"env:T\"}]}]\n"                \
	"fleets: [{name: dev, runner: simulate}]\n"

static struct config *parse(const char *text, struct problems *problems)
{
	return config_parse("replicatord.yaml", text, strlen(text), problems);
}

/* Exactly one problem, and this is how it is shown. */
static void assert_refused(const char *text, const char *expected)
{
	struct problems problems = PROBLEMS_INIT;
	auto_buf struct buf shown = BUF_INIT;

	assert_null(parse(text, &problems));
	assert_int_equal(problems.n, 1);
	problem_format(&problems.at[0], &shown);
	assert_string_equal(buf_str(&shown), expected);
	problems_release(&problems);
}

static void test_parse_fills_in_defaults(void **state)
{
	struct problems problems = PROBLEMS_INIT;
	struct config *c = parse(MINIMAL, &problems);

	(void)state;
	assert_non_null(c);
	const struct fleet_config *fleet = c->fleets.at;
	const struct organization_config *organization = c->organizations.at;
	const struct token_config *token = organization->tokens.at;
	assert_string_equal(c->listen, "127.0.0.1:8480");
	assert_string_equal(c->data, "/var/lib/replicatord");
	assert_int_equal(c->log.level, LOG_INFO);
	assert_int_equal(c->log.format, LOG_TEXT);
	assert_int_equal(fleet->capacity, 100);
	assert_int_equal(fleet->simulate.delay_ms, 2000);
	assert_null(fleet->simulate.fail);
	assert_null(fleet->providers);
	assert_int_equal(token->access, ACCESS_READ);
	assert_int_equal(c->clusters.n, 0);
	assert_int_equal(c->compat, 0);
	config_free(c);
	problems_release(&problems);
}

static void test_compat_is_a_word_or_several(void **state)
{
	static const struct {
		const char *words;
		unsigned bits;
	} rows[] = {
		{"no-uid", COMPAT_NO_UID},
		{"no-created-at,no-if-match", COMPAT_NO_CREATED_AT | COMPAT_NO_IF_MATCH},
		{"no-uid,minimal", COMPAT_MINIMAL},
	};
	struct err e = ERR_INIT;
	unsigned bits;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct problems problems = PROBLEMS_INIT;
		auto_free char *text = xasprintf(MINIMAL "compat: [%s]\n", rows[i].words);
		struct config *c = parse(text, &problems);

		assert_int_equal(compat_parse(rows[i].words, &bits, &e), 0);
		assert_int_equal(bits, rows[i].bits);
		assert_int_equal(c->compat, rows[i].bits);
		config_free(c);
		problems_release(&problems);
	}
	assert_int_equal(compat_parse("no-uid,", &bits, &e), -ERR_INVALID);
	assert_string_equal(e.msg,
		"\"\" is nothing that can be left out; what can: minimal, no-created-at, "
		"no-if-match, no-observed-generation, no-operation-state, no-uid");
}

static void test_parse_reads_what_is_written(void **state)
{
	struct problems problems = PROBLEMS_INIT;
	struct config *c =
		parse("listen: \"[::1]:0\"\n"
		      "data: /tmp/x\n"
		      "log: {level: warn, format: json}\n"
		      "organizations:\n"
		      "- {name: acme, tokens: [{name: a, token: \"file:/a\", access: write},"
		      " {name: b, token: \"systemd:b\", access: read}]}\n"
		      "- {name: other, tokens: []}\n"
		      "fleets:\n"
		      "- {name: dev, runner: simulate, capacity: 7, providers: [ClusterLink],"
		      " simulate: {delay: 200ms, fail: \"broken-*\"}}\n"
		      "clusters: [{id: prod-eu, bootstrap_servers: \"broker-1:9092\"}]\n",
			&problems);

	(void)state;
	assert_non_null(c);
	const struct organization_config *organizations = c->organizations.at;
	const struct token_config *tokens = organizations[0].tokens.at;
	const struct fleet_config *fleet = c->fleets.at;
	assert_int_equal(c->organizations.n, 2);
	assert_int_equal(organizations[0].tokens.n, 2);
	assert_string_equal(tokens[0].token, "file:/a");
	assert_int_equal(tokens[0].access, ACCESS_WRITE);
	assert_int_equal(fleet->capacity, 7);
	assert_string_equal(fleet->providers->u.seq.at[0]->u.string.s, "ClusterLink");
	assert_int_equal(fleet->simulate.delay_ms, 200);
	assert_string_equal(fleet->simulate.fail->u.seq.at[0]->u.string.s, "broken-*");
	assert_int_equal(c->log.level, LOG_WARN);
	assert_int_equal(c->log.format, LOG_JSON);
	assert_string_equal(config_cluster(c, "prod-eu")->bootstrap_servers, "broker-1:9092");
	assert_null(config_cluster(c, "dr-eu"));
	config_free(c);
	problems_release(&problems);
}

static void test_parse_names_the_place_of_what_is_wrong(void **state)
{
	(void)state;
	assert_refused("organizations: [{name: Acme, tokens: []}]\nfleets: [{name: dev, runner: "
		       "simulate}]\n",
		"replicatord.yaml:1:24: organizations[0].name: \"Acme\" must be 1 to 63 lower-case "
		"letters, "
		"digits and dashes, beginning and ending with a letter or digit");
	assert_refused("organizations: [{name: acme, tokens: []}, {name: acme, tokens: []}]\n"
		       "fleets: [{name: dev, runner: simulate}]\n",
		"replicatord.yaml:1:50: organizations[1].name: acme is there twice; give each its "
		"own");
	assert_refused("organizations: [{name: acme, tokens: [{name: a, token: \"env:A\"}, {name: "
		       "a, token: "
		       "\"env:B\"}]}]\nfleets: [{name: dev, runner: simulate}]\n",
		"replicatord.yaml:1:73: organizations[0].tokens[1].name: a is there twice; give "
		"each its own");
	assert_refused(MINIMAL "clusters: [{id: \"\", bootstrap_servers: \"b:9092\"}]\n",
		"replicatord.yaml:3:17: clusters[0].id: must not be empty");
	assert_refused(MINIMAL "compat: [no-uid, no-uuid]\n",
		"replicatord.yaml:3:18: compat: \"no-uuid\" is nothing that can be left out; did "
		"you mean no-uid");
	assert_refused("organizations: []\nfleets: [{name: dev, runner: simulate}]\n",
		"replicatord.yaml:1:16: organizations: must not be empty");
	assert_refused("organizations: [{name: acme, tokens: []}]\nfleets: []\n",
		"replicatord.yaml:2:9: fleets: must not be empty");
	assert_refused("organizations: [{name: acme, tokens: []}]\n"
		       "fleets: [{name: dev, runner: simulate, providers: [Mirror]}]\n",
		"replicatord.yaml:2:52: fleets[0].providers: the runner simulate does not serve "
		"\"Mirror\"");
}

/* One problem whose path is this, whatever the table says about it. */
static void assert_problem_at(const char *text, unsigned line, const char *path)
{
	struct problems problems = PROBLEMS_INIT;

	assert_null(parse(text, &problems));
	assert_int_equal(problems.n, 1);
	assert_string_equal(problems.at[0].path, path);
	assert_int_equal(problems.at[0].line, line);
	problems_release(&problems);
}

static void test_parse_refuses_what_tables_do_not_know(void **state)
{
	(void)state;
	assert_problem_at(MINIMAL "lisen: 1\n", 3, "lisen");
	assert_problem_at(MINIMAL "secrets: {stores: []}\n", 3, "secrets");
	assert_problem_at("organizations: [{name: acme, tokens: []}]\nfleets: [{name: eu, runner: "
			  "connect}]\n",
		2, "fleets[0].runner");
	assert_problem_at("organizations: [{name: acme, tokens: []}]\n"
			  "fleets: [{name: eu, runner: simulate, connect: {urls: []}}]\n",
		2, "fleets[0].connect");
	assert_problem_at("organizations: [{name: acme, tokens: []}]\n"
			  "fleets: [{name: eu, runner: simulate, capacity: 0}]\n",
		2, "fleets[0].capacity");
	assert_problem_at("organizations: [{name: acme, tokens: [{name: a, token: hunter2}]}]\n"
			  "fleets: [{name: eu, runner: simulate}]\n",
		1, "organizations[0].tokens[0].token");
}

static void test_parse_never_repeats_a_token_written_by_mistake(void **state)
{
	struct problems problems = PROBLEMS_INIT;

	(void)state;
	assert_null(parse("organizations: [{name: acme, tokens: [{name: a, token: hunter2}]}]\n"
			  "fleets: [{name: eu, runner: simulate}]\n",
		&problems));
	assert_null(strstr(problems.at[0].message, "hunter2"));
	problems_release(&problems);
}

static void test_parse_refuses_an_empty_file_and_two_documents(void **state)
{
	(void)state;
	assert_refused("# nothing\n", "replicatord.yaml: must hold one document, and holds 0");
	assert_refused(
		"a: 1\n---\nb: 2\n", "replicatord.yaml: must hold one document, and holds 2");
}

static void test_load_says_what_to_do_when_there_is_no_file(void **state)
{
	struct problems problems = PROBLEMS_INIT;

	(void)state;
	assert_null(config_load("/nonexistent/replicatord.yaml", &problems));
	assert_int_equal(problems.n, 1);
	assert_non_null(strstr(problems.at[0].message, "/nonexistent/replicatord.yaml"));
	assert_non_null(strstr(problems.at[0].message, "-c FILE"));
	problems_release(&problems);
}

static void test_demo_and_example_are_good(void **state)
{
	struct problems problems = PROBLEMS_INIT;
	struct config *demo = parse(config_demo, &problems);
	struct config *example =
		config_load(TEST_DATA "/../../examples/quickstart/replicatord.yaml", &problems);

	(void)state;
	assert_non_null(demo);
	assert_non_null(example);
	assert_int_equal(problems.n, 0);
	config_free(demo);
	config_free(example);
}

static void test_mdoc_has_every_key(void **state)
{
	static const char *const keys[] = {"listen", "data", "log", "organizations", "fleets",
		"clusters", "capacity", "delay", "bootstrap_servers", "access"};
	auto_buf struct buf out = BUF_INIT;

	(void)state;
	config_mdoc(&out);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_non_null(strstr(buf_str(&out), keys[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_fills_in_defaults),
		cmocka_unit_test(test_compat_is_a_word_or_several),
		cmocka_unit_test(test_parse_reads_what_is_written),
		cmocka_unit_test(test_parse_names_the_place_of_what_is_wrong),
		cmocka_unit_test(test_parse_refuses_what_tables_do_not_know),
		cmocka_unit_test(test_parse_never_repeats_a_token_written_by_mistake),
		cmocka_unit_test(test_parse_refuses_an_empty_file_and_two_documents),
		cmocka_unit_test(test_load_says_what_to_do_when_there_is_no_file),
		cmocka_unit_test(test_demo_and_example_are_good),
		cmocka_unit_test(test_mdoc_has_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
