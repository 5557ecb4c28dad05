#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fixture.h"

static struct spec spec_of(struct fixture *f, const char *identifier)
{
	const char *json = arena_printf(&f->arena,
		"{\"identifier\":\"%s\",\"provider\":\"MirrorMaker2\",\"source_kafka_id\":\"prod-"
		"eu\","
		"\"destination_kafka_id\":\"dr-eu\",\"replication_mode\":\"active-passive\","
		"\"topic_whitelist\":\"orders.*\"}",
		identifier);
	struct problems problems = PROBLEMS_INIT;
	struct spec spec;

	assert_true(settings_create(f->config, &f->arena, fixture_json(f, json), &spec, &problems));
	problems_release(&problems);
	return spec;
}

static struct replicator_row create(struct fixture *f, const char *identifier)
{
	const struct spec spec = spec_of(f, identifier);
	struct replicator_row row;

	assert_int_equal(lifecycle_create(&f->lifecycle, &f->arena, "acme", &spec,
				 fleets_find(&f->fleets, "dev"), &row, NULL),
		0);
	return row;
}

static struct operation_row reconcile(
	struct fixture *f, struct replicator_row *row, const char *key)
{
	struct operation_row op;

	assert_int_equal(lifecycle_reconcile(&f->lifecycle, &f->arena, row, key, &op, NULL), 0);
	return op;
}

static void save(struct fixture *f, struct replicator_row *row, const char *topics)
{
	const char *json = arena_printf(&f->arena, "{\"topic_whitelist\":\"%s\"}", topics);
	struct problems problems = PROBLEMS_INIT;
	struct spec current, next;
	bool changed;

	assert_int_equal(settings_read(&f->arena, row->spec, &current, NULL), 0);
	assert_true(settings_change(
		f->config, &f->arena, &current, fixture_json(f, json), &next, &changed, &problems));
	assert_true(changed);
	assert_int_equal(lifecycle_save(&f->lifecycle, &f->arena, row, &next, NULL), 0);
	problems_release(&problems);
}

static int find(struct fixture *f, const char *identifier, struct replicator_row *ret_row)
{
	return store_find_replicator(f->store, &f->arena, "acme", identifier, ret_row, NULL);
}

static struct replicator_row must_find(struct fixture *f, const char *identifier)
{
	struct replicator_row row;

	assert_int_equal(find(f, identifier, &row), 1);
	return row;
}

static struct operation_row operation(
	struct fixture *f, const struct replicator_row *row, const char *key)
{
	struct operation_row op;

	assert_int_equal(store_find_operation(f->store, &f->arena, row->id, key, &op, NULL), 1);
	return op;
}

/* Returns when the runners next want to be asked. */
static int64_t pass_time(struct fixture *f, int64_t ms)
{
	f->now_ms += ms;
	return lifecycle_due(&f->lifecycle, f->now_ms);
}

static void assert_status(
	struct fixture *f, const char *identifier, enum live_status status, int64_t observed)
{
	const struct replicator_row row = must_find(f, identifier);

	assert_int_equal(row.status, status);
	assert_int_equal(row.observed_generation, observed);
}

static void test_create_makes_a_draft(void **state)
{
	struct fixture *f = *state;
	const struct replicator_row row = create(f, "orders-dr");
	const struct replicator_row stored = must_find(f, "orders-dr");

	assert_int_equal(stored.generation, 1);
	assert_int_equal(stored.observed_generation, 0);
	assert_int_equal(stored.status, LIVE_PENDING);
	assert_string_equal(stored.status_message, "saved; reconcile generation 1 to provision it");
	assert_string_equal(stored.uid, row.uid);
	assert_string_equal(stored.fleet, "dev");
	assert_string_equal(
		stored.endpoints, "{\"source\":\"prod-eu:9092\",\"destination\":\"dr-eu:9092\"}");
	assert_int_equal(stored.created_at_ms, f->now_ms);
	assert_int_equal(fleets_find(&f->fleets, "dev")->n_used, 1);
	assert_int_equal(pass_time(f, 0), INT64_MAX);
}

static void test_create_conflicts_when_the_identifier_exists(void **state)
{
	struct fixture *f = *state;
	const struct spec spec = spec_of(f, "orders-dr");
	struct replicator_row row;
	struct err e = ERR_INIT;

	create(f, "orders-dr");
	assert_int_equal(lifecycle_create(&f->lifecycle, &f->arena, "acme", &spec,
				 fleets_find(&f->fleets, "dev"), &row, &e),
		-ERR_CONFLICT);
	assert_string_equal(e.msg, "a replicator named orders-dr exists");
	assert_int_equal(fleets_find(&f->fleets, "dev")->n_used, 1);
	assert_int_equal(lifecycle_create(&f->lifecycle, &f->arena, "other", &spec,
				 fleets_find(&f->fleets, "dev"), &row, NULL),
		0);
}

static void test_reconcile_ends_healthy(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");
	const struct operation_row op = reconcile(f, &row, "k1");

	assert_int_equal(op.state, OPERATION_RUNNING);
	assert_status(f, "orders-dr", LIVE_PROVISIONING, 0);
	assert_string_equal(must_find(f, "orders-dr").status_message,
		"provisioning generation 1 on fleet dev; simulated: no data is moved");
	int64_t next = pass_time(f, DELAY_MS - 1);
	assert_int_equal(next, f->now_ms + 1);
	assert_status(f, "orders-dr", LIVE_PROVISIONING, 0);
	assert_int_equal(pass_time(f, 1), INT64_MAX);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 1);
	assert_string_equal(
		must_find(f, "orders-dr").status_message, "simulated: no data is moved");
	assert_int_equal(must_find(f, "orders-dr").status_at_ms, f->now_ms);
	assert_int_equal(operation(f, &row, "k1").state, OPERATION_SUCCEEDED);
	assert_string_equal(operation(f, &row, "k1").id, op.id);
}

static void test_reconcile_ends_in_error_when_the_runner_fails(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "broken-eu");

	reconcile(f, &row, "k1");
	pass_time(f, DELAY_MS);
	assert_status(f, "broken-eu", LIVE_ERROR, 1);
	assert_int_equal(operation(f, &row, "k1").state, OPERATION_FAILED);
	assert_non_null(strstr(operation(f, &row, "k1").error, "broken-*"));
	assert_string_equal(
		operation(f, &row, "k1").error, must_find(f, "broken-eu").status_message);
}

static void test_save_leaves_the_status_until_reconcile(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");

	save(f, &row, "a");
	assert_string_equal(row.status_message, "saved; reconcile generation 2 to provision it");
	reconcile(f, &row, "k1");
	pass_time(f, DELAY_MS);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 2);
	row = must_find(f, "orders-dr");
	save(f, &row, "a,b");
	assert_int_equal(row.generation, 3);
	row = must_find(f, "orders-dr");
	assert_int_equal(row.generation, 3);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 2);
	reconcile(f, &row, "k2");
	assert_status(f, "orders-dr", LIVE_UPDATING, 2);
	pass_time(f, DELAY_MS);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 3);
}

static void test_newer_reconcile_supersedes_the_older(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");

	reconcile(f, &row, "k1");
	pass_time(f, DELAY_MS / 2);
	save(f, &row, "a");
	row = must_find(f, "orders-dr");
	reconcile(f, &row, "k2");
	assert_int_equal(operation(f, &row, "k1").state, OPERATION_SUPERSEDED);
	assert_string_equal(operation(f, &row, "k1").error, "a newer reconcile took its place");
	/* The runner still reports the first one, which must change nothing. */
	pass_time(f, DELAY_MS / 2);
	assert_status(f, "orders-dr", LIVE_PROVISIONING, 0);
	assert_int_equal(operation(f, &row, "k2").state, OPERATION_RUNNING);
	pass_time(f, DELAY_MS / 2);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 2);
	assert_int_equal(operation(f, &row, "k1").state, OPERATION_SUPERSEDED);
	assert_int_equal(operation(f, &row, "k2").state, OPERATION_SUCCEEDED);
}

static void test_operation_goes_on_after_a_kill(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");

	reconcile(f, &row, "k1");
	/* The draft that follows is not what the operation provisions. */
	save(f, &row, "a");
	fixture_close(f);
	fixture_open(f);
	assert_status(f, "orders-dr", LIVE_PROVISIONING, 0);
	assert_int_equal(fleets_find(&f->fleets, "dev")->n_used, 1);
	pass_time(f, DELAY_MS);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 1);
	assert_int_equal(must_find(f, "orders-dr").generation, 2);
	assert_int_equal(operation(f, &row, "k1").state, OPERATION_SUCCEEDED);
	assert_int_equal(pass_time(f, DELAY_MS), INT64_MAX);
}

static void test_operations_that_ended_are_not_resumed(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");

	reconcile(f, &row, "k1");
	pass_time(f, DELAY_MS);
	fixture_close(f);
	fixture_open(f);
	assert_int_equal(pass_time(f, 0), INT64_MAX);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 1);
	assert_int_equal(operation(f, &row, "k1").state, OPERATION_SUCCEEDED);
}

/* As each second while nothing can be saved: what waits must not grow. */
static void test_resumed_again_and_again_each_call_has_one_report(void **state)
{
	struct fixture *f = *state;
	struct runner *runner = fleets_find(&f->fleets, "dev")->runner;
	struct replicator_row row = create(f, "orders-dr");
	struct replicator_row doomed = create(f, "payments-dr");
	struct runner_report report;
	bool gone;

	reconcile(f, &row, "k1");
	reconcile(f, &doomed, "k2");
	assert_int_equal(lifecycle_delete(&f->lifecycle, &f->arena, &doomed, &gone, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(lifecycle_resume(&f->lifecycle, NULL), 0);
	f->now_ms += DELAY_MS;
	assert_true(runner->type->observe(runner, f->now_ms, &report));
	assert_int_equal(report.outcome, RUNNER_RUNNING);
	assert_true(runner->type->observe(runner, f->now_ms, &report));
	assert_int_equal(report.outcome, RUNNER_GONE);
	assert_false(runner->type->observe(runner, f->now_ms, &report));
}

static void test_delete_removes_a_draft_at_once(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");
	bool gone = false;

	assert_int_equal(lifecycle_delete(&f->lifecycle, &f->arena, &row, &gone, NULL), 0);
	assert_true(gone);
	assert_int_equal(find(f, "orders-dr", &row), 0);
	assert_int_equal(fleets_find(&f->fleets, "dev")->n_used, 0);
}

static void test_delete_takes_down_what_runs(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");
	struct operation_row op;
	struct err e = ERR_INIT;
	bool gone = true;

	reconcile(f, &row, "k1");
	assert_int_equal(lifecycle_delete(&f->lifecycle, &f->arena, &row, &gone, NULL), 0);
	assert_false(gone);
	assert_status(f, "orders-dr", LIVE_DELETING, 0);
	assert_int_equal(operation(f, &row, "k1").state, OPERATION_SUPERSEDED);
	const struct spec spec = spec_of(f, "orders-dr");
	assert_int_equal(lifecycle_create(&f->lifecycle, &f->arena, "acme", &spec,
				 fleets_find(&f->fleets, "dev"), &row, &e),
		-ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "is being deleted"));
	fixture_close(f);
	fixture_open(f);
	pass_time(f, DELAY_MS - 1);
	assert_status(f, "orders-dr", LIVE_DELETING, 0);
	pass_time(f, 1);
	assert_int_equal(find(f, "orders-dr", &row), 0);
	assert_int_equal(fleets_find(&f->fleets, "dev")->n_used, 0);
	/* The keys went with it. */
	row = create(f, "orders-dr");
	assert_int_equal(store_find_operation(f->store, &f->arena, row.id, "k1", &op, NULL), 0);
}

/* No file of this process may grow: what a full disk looks like. */
static void set_disk_full(bool full)
{
	static rlim_t before;
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	if (full) {
		before = limit.rlim_cur;
		limit.rlim_cur = 1;
	} else {
		limit.rlim_cur = before;
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_reports_are_asked_for_again_when_they_cannot_be_saved(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");
	struct replicator_row doomed = create(f, "payments-dr");
	bool gone;

	reconcile(f, &row, "k1");
	reconcile(f, &doomed, "k2");
	assert_int_equal(lifecycle_delete(&f->lifecycle, &f->arena, &doomed, &gone, NULL), 0);
	set_disk_full(true);
	int64_t again = pass_time(f, DELAY_MS);
	set_disk_full(false);
	assert_int_equal(again, f->now_ms + 1000);
	assert_int_equal(pass_time(f, 999), again);
	assert_status(f, "orders-dr", LIVE_PROVISIONING, 0);
	pass_time(f, 1);
	pass_time(f, DELAY_MS);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 1);
	assert_int_equal(operation(f, &row, "k1").state, OPERATION_SUCCEEDED);
	assert_int_equal(find(f, "payments-dr", &row), 0);
	assert_int_equal(fleets_find(&f->fleets, "dev")->n_used, 1);
}

/* What the log says from here on goes into a pipe. */
static int catch_log(int *ret_stderr)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	*ret_stderr = dup(STDERR_FILENO);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	log_setup(LOG_INFO, LOG_TEXT);
	return ends[0];
}

static void let_log_go(int fd, int old_stderr, struct buf *out)
{
	char block[4096];
	ssize_t n;

	log_setup(LOG__COUNT, LOG_TEXT);
	assert_int_equal(dup2(old_stderr, STDERR_FILENO), STDERR_FILENO);
	close(old_stderr);
	while ((n = read(fd, block, sizeof(block))) > 0)
		buf_add(out, block, (size_t)n);
	close(fd);
}

static int count(const char *text, const char *word)
{
	int n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

static void test_what_cannot_be_saved_is_not_in_the_log(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");
	struct replicator_row other = create(f, "payments-dr");
	auto_buf struct buf log = BUF_INIT;
	int old_stderr;

	reconcile(f, &row, "k1");
	reconcile(f, &other, "k2");
	int fd = catch_log(&old_stderr);
	set_disk_full(true);
	pass_time(f, DELAY_MS);
	set_disk_full(false);
	pass_time(f, 1000);
	pass_time(f, DELAY_MS);
	let_log_go(fd, old_stderr, &log);
	assert_status(f, "orders-dr", LIVE_HEALTHY, 1);
	assert_int_equal(count(buf_str(&log), "cannot save what the fleets report"), 1);
	assert_int_equal(count(buf_str(&log), "is Healthy"), 2);
	assert_non_null(strstr(buf_str(&log), "organization=acme identifier=payments-dr"));
}

static void test_changes_that_cannot_be_saved_leave_everything_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "orders-dr");
	const struct spec spec = spec_of(f, "payments-dr");
	struct replicator_row other = row;
	struct operation_row op;
	bool gone;

	set_disk_full(true);
	assert_int_equal(lifecycle_create(&f->lifecycle, &f->arena, "acme", &spec,
				 fleets_find(&f->fleets, "dev"), &other, NULL),
		-ERR_IO);
	assert_int_equal(lifecycle_save(&f->lifecycle, &f->arena, &row, &spec, NULL), -ERR_IO);
	assert_int_equal(
		lifecycle_reconcile(&f->lifecycle, &f->arena, &row, "k1", &op, NULL), -ERR_IO);
	assert_int_equal(lifecycle_delete(&f->lifecycle, &f->arena, &row, &gone, NULL), -ERR_IO);
	set_disk_full(false);
	assert_int_equal(row.generation, 1);
	assert_status(f, "orders-dr", LIVE_PENDING, 0);
	assert_int_equal(fleets_find(&f->fleets, "dev")->n_used, 1);
	assert_int_equal(pass_time(f, 0), INT64_MAX);
	assert_int_equal(store_find_operation(f->store, &f->arena, row.id, "k1", &op, NULL), 0);
}

static void count_line(void *ctx, const struct log_row *row)
{
	struct strv *lines = ctx;

	strv_pushf(lines, "%s %s: %s", row->level, row->identifier, row->message);
}

static void test_log_tells_the_story(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = create(f, "broken-eu");
	auto_strv struct strv lines = VEC_INIT;
	const struct window all = {0, 100};

	reconcile(f, &row, "k1");
	pass_time(f, DELAY_MS);
	assert_int_equal(
		store_list_log(f->store, "dev", "acme", 0, all, count_line, &lines, NULL), 0);
	assert_int_equal(lines.n, 3);
	assert_string_equal(lines.at[0], "info broken-eu: created");
	assert_string_equal(lines.at[1], "info broken-eu: provisioning generation 1 on fleet dev; "
					 "simulated: no data is moved");
	assert_string_equal(lines.at[2],
		"error broken-eu: generation 1 is Error; simulated failure: the identifier "
		"matches \"broken-*\" in simulate.fail of its fleet");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_create_makes_a_draft),
		test_with_fixture(test_create_conflicts_when_the_identifier_exists),
		test_with_fixture(test_reconcile_ends_healthy),
		test_with_fixture(test_reconcile_ends_in_error_when_the_runner_fails),
		test_with_fixture(test_save_leaves_the_status_until_reconcile),
		test_with_fixture(test_newer_reconcile_supersedes_the_older),
		test_with_fixture(test_operation_goes_on_after_a_kill),
		test_with_fixture(test_operations_that_ended_are_not_resumed),
		test_with_fixture(test_resumed_again_and_again_each_call_has_one_report),
		test_with_fixture(test_delete_removes_a_draft_at_once),
		test_with_fixture(test_delete_takes_down_what_runs),
		test_with_fixture(test_reports_are_asked_for_again_when_they_cannot_be_saved),
		test_with_fixture(test_what_cannot_be_saved_is_not_in_the_log),
		test_with_fixture(test_changes_that_cannot_be_saved_leave_everything_as_it_was),
		test_with_fixture(test_log_tells_the_story),
	};

	log_setup(LOG__COUNT, LOG_TEXT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
