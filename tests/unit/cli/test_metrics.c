/* What Prometheus gets is what Prometheus can read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/strv.h"
#include "base/text.h"
#include "cli/http.h"

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyz_"

static const struct config config = {.name = "acme"};

/* Every figure its own value, so that two that are mixed up show. */
static const struct engine_stats stats = {
	.ready = true,
	.passes = 1001,
	.reads = 1002,
	.posts = 1003,
	.post_failures = 1004,
	.calls = {[API_LIST] = 1010, [API_DELETE] = 1011},
	.outcomes = {[API_OK] = 1020, [API_NONSENSE] = 1021},
	.standing = {[STANDING_HEALTHY] = 1030,
		[STANDING_APPLYING] = 1031,
		[STANDING_WAITING] = 1032,
		[STANDING_FAILED] = 1033,
		[STANDING_HELD] = 1034,
		[STANDING_DRIFTED] = 1035,
		[STANDING_UNHEALTHY] = 1036,
		[STANDING_LEFT] = 1037},
	.load_problems = 1040,
	.last_pass_ms = 1050999,
};

static char *metrics(const struct engine_stats *of)
{
	struct buf out = BUF_INIT;

	metrics_write(&config, of, &out);
	return buf_take(&out);
}

static void assert_sample(const char *line)
{
	auto_free char *text = metrics(&stats);
	auto_free char *whole = xasprintf("\n%s\n", line);

	if (!strstr(text, whole))
		fail_msg("no %s in\n%s", line, text);
}

/* A page as it is read: families in the order they came, and every sample that was seen. */
struct page {
	char *family; /* of the last HELP */
	char *type; /* of it; NULL as long as there is none */
	bool has_samples;
	struct map families;
	struct map samples;
};

static void read_help(struct page *p, const char *rest)
{
	size_t len = strspn(rest, NAME_CHARS);

	assert_true(len > 0 && rest[len] == ' ');
	assert_true(text_has_suffix(rest, "."));
	assert_true(!p->family || p->has_samples); /* a family without samples is one too many */
	str_replace(&p->family, xmemdupz(rest, len));
	str_replace(&p->type, NULL);
	p->has_samples = false;
	if (map_put(&p->families, p->family, p))
		fail_msg("%s stands there twice", p->family);
}

static void read_type(struct page *p, const char *rest)
{
	size_t len = strspn(rest, NAME_CHARS);

	assert_non_null(p->family);
	assert_null(p->type);
	assert_int_equal(strncmp(rest, p->family, len), 0);
	assert_int_equal(rest[len], ' ');
	str_replace(&p->type, xstrdup(rest + len + 1));
	assert_true(!strcmp(p->type, "counter") || !strcmp(p->type, "gauge"));
	assert_true(!strcmp(p->type, "counter") == text_has_suffix(p->family, "_total"));
}

/* name="value", with commas between, up to the closing brace. */
static const char *skip_labels(const char *s)
{
	do {
		s++;
		size_t len = strspn(s, NAME_CHARS);
		assert_true(len > 0 && s[len] == '=' && s[len + 1] == '"');
		s += len + 2;
		s += strcspn(s, "\"\\\n");
		assert_int_equal(*s++, '"');
	} while (*s == ',');
	assert_int_equal(*s, '}');
	return s + 1;
}

static void read_sample(struct page *p, const char *line)
{
	size_t len = strspn(line, NAME_CHARS);
	uint64_t value;

	assert_non_null(p->type);
	assert_int_equal(len, strlen(p->family));
	assert_int_equal(strncmp(line, p->family, len), 0);
	assert_int_equal(line[len], '{');
	const char *end = skip_labels(line + len);
	assert_int_equal(*end, ' ');
	assert_true(text_parse_u64(end + 1, &value));
	auto_free char *labelled = xmemdupz(line, (size_t)(end - line));
	assert_non_null(strstr(labelled, "name=\"acme\""));
	if (map_put(&p->samples, labelled, p))
		fail_msg("%s stands there twice", labelled);
	p->has_samples = true;
}

static void read_line(struct page *p, const char *line)
{
	if (text_has_prefix(line, "# HELP "))
		read_help(p, line + strlen("# HELP "));
	else if (text_has_prefix(line, "# TYPE "))
		read_type(p, line + strlen("# TYPE "));
	else
		read_sample(p, line);
}

static void test_page_is_in_the_text_format(void **state)
{
	struct page p = {.families = MAP_INIT, .samples = MAP_INIT};
	auto_free char *text = metrics(&stats);
	char *rest = text;

	(void)state;
	assert_true(text_has_suffix(text, "\n"));
	text[strlen(text) - 1] = '\0';
	for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
		read_line(&p, line);
	assert_true(p.has_samples);
	for (size_t i = 0; i < map_size(&p.families); i++)
		assert_true(text_has_prefix(map_key(&p.families, i), "weir_"));
	free(p.family);
	free(p.type);
	map_release(&p.families);
	map_release(&p.samples);
}

static void test_every_figure_stands_where_it_belongs(void **state)
{
	(void)state;
	assert_sample("weir_passes_total{name=\"acme\"} 1001");
	assert_sample("weir_source_reads_total{name=\"acme\"} 1002");
	assert_sample("weir_status_posts_total{name=\"acme\"} 1003");
	assert_sample("weir_status_post_failures_total{name=\"acme\"} 1004");
	assert_sample("weir_api_calls_total{name=\"acme\",verb=\"list\"} 1010");
	assert_sample("weir_api_calls_total{name=\"acme\",verb=\"delete\"} 1011");
	assert_sample("weir_api_calls_total{name=\"acme\",verb=\"get\"} 0");
	assert_sample("weir_api_answers_total{name=\"acme\",outcome=\"ok\"} 1020");
	assert_sample("weir_api_answers_total{name=\"acme\",outcome=\"nonsense\"} 1021");
	assert_sample("weir_replicators{name=\"acme\",standing=\"healthy\"} 1030");
	assert_sample("weir_replicators{name=\"acme\",standing=\"applying\"} 1031");
	assert_sample("weir_replicators{name=\"acme\",standing=\"waiting\"} 1032");
	assert_sample("weir_replicators{name=\"acme\",standing=\"failed\"} 1033");
	assert_sample("weir_replicators{name=\"acme\",standing=\"held\"} 1034");
	assert_sample("weir_replicators{name=\"acme\",standing=\"drifted\"} 1035");
	assert_sample("weir_replicators{name=\"acme\",standing=\"unhealthy\"} 1036");
	assert_sample("weir_replicators{name=\"acme\",standing=\"left_alone\"} 1037");
	assert_sample("weir_replicators{name=\"acme\",standing=\"waits_for_a_window\"} 0");
	assert_sample("weir_replicators{name=\"acme\",standing=\"not_in_git\"} 0");
	assert_sample("weir_load_problems{name=\"acme\"} 1040");
	assert_sample("weir_ready{name=\"acme\"} 1");
	assert_sample("weir_last_pass_timestamp_seconds{name=\"acme\"} 1050");
}

static void test_every_verb_and_outcome_has_its_sample(void **state)
{
	(void)state;
	for (enum api_verb v = 0; v < API__COUNT; v++) {
		auto_free char *sample =
			xasprintf("weir_api_calls_total{name=\"acme\",verb=\"%s\"} %llu",
				api_verb_name(v), (unsigned long long)stats.calls[v]);
		assert_sample(sample);
	}
	for (enum api_outcome o = 0; o < API_OUTCOME__COUNT; o++) {
		auto_free char *sample =
			xasprintf("weir_api_answers_total{name=\"acme\",outcome=\"%s\"} %llu",
				api_outcome_name(o), (unsigned long long)stats.outcomes[o]);
		assert_sample(sample);
	}
}

static void test_every_standing_has_its_label(void **state)
{
	auto_free char *text = metrics(&stats);

	(void)state;
	assert_null(strstr(text, "(null)"));
	assert_null(strstr(text, "standing=\"\""));
}

static void test_nothing_has_happened_yet(void **state)
{
	const struct engine_stats nothing = {0};
	auto_free char *text = metrics(&nothing);

	(void)state;
	assert_non_null(strstr(text, "\nweir_ready{name=\"acme\"} 0\n"));
	assert_non_null(strstr(text, "\nweir_last_pass_timestamp_seconds{name=\"acme\"} 0\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_is_in_the_text_format),
		cmocka_unit_test(test_every_figure_stands_where_it_belongs),
		cmocka_unit_test(test_every_verb_and_outcome_has_its_sample),
		cmocka_unit_test(test_every_standing_has_its_label),
		cmocka_unit_test(test_nothing_has_happened_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
