/* Command lines: what is taken, what is refused, what is printed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/opt.h"

static bool flag, prune;
static const char *config, *path;

static const struct opt opts[] = {
	{"config", 'c', OPT_STRING, &config, "FILE", "The configuration."},
	{"path", 0, OPT_STRING, &path, "DIR",
		"A working tree instead of Git, whose explanation goes on for longer than one line "
		"has room."},
	{"verbose", 'v', OPT_FLAG, &flag, NULL, "Say more."},
	{"prune", 'p', OPT_FLAG, &prune, NULL, "Delete."},
	{.name = NULL},
};

static size_t ran_with;

static int run_plan(size_t n_args, char **args)
{
	(void)args;
	ran_with = n_args;
	return 2;
}

static const struct command plan = {"plan", "Show what would change", "[DIR]",
	"Shows it.\n\nSecond paragraph.", opts, 0, 1, run_plan};
static const struct command explain = {
	"explain", "Say why", "NAME", "Says why.", opts, 1, 1, run_plan};
static const struct command *const commands[] = {&plan, &explain, NULL};

/* The words of a line, split at spaces, as argv. */
struct line {
	char text[256];
	char *argv[16];
	int argc;
};

static void split(struct line *l, const char *text)
{
	char *rest;

	snprintf(l->text, sizeof(l->text), "%s", text);
	l->argc = 0;
	for (char *word = strtok_r(l->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		l->argv[l->argc++] = word;
	l->argv[l->argc] = NULL;
	flag = prune = false;
	config = path = NULL;
}

static int parse(struct line *l, const char *text, size_t *ret_n, struct err *e)
{
	split(l, text);
	err_clear(e);
	return opt_parse(opts, l->argc, l->argv, ret_n, e);
}

static void test_values_are_taken_in_all_four_forms(void **state)
{
	(void)state;
	static const char *const forms[] = {
		"-c x.yaml", "-cx.yaml", "--config x.yaml", "--config=x.yaml"};
	struct line l;
	struct err e;
	size_t n = 9;

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		assert_int_equal(parse(&l, forms[i], &n, &e), 0);
		assert_string_equal(config, "x.yaml");
		assert_int_equal(n, 0);
	}
	assert_int_equal(parse(&l, "--config=", &n, &e), 0);
	assert_string_equal(config, "");
}

static void test_other_words_are_gathered_in_order(void **state)
{
	(void)state;
	struct line l;
	struct err e;
	size_t n;

	assert_int_equal(parse(&l, "one -vp two --path d - -- -v --x", &n, &e), 0);
	assert_int_equal(n, 5);
	assert_string_equal(l.argv[0], "one");
	assert_string_equal(l.argv[1], "two");
	assert_string_equal(l.argv[2], "-");
	assert_string_equal(l.argv[3], "-v");
	assert_string_equal(l.argv[4], "--x");
	assert_true(flag);
	assert_true(prune);
	assert_string_equal(path, "d");
}

static void test_what_is_wrong_is_said(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"--confg x", "--confg: no such option; did you mean --config?"},
		{"--throttle", "--throttle: no such option"},
		{"-x", "-x: no such option"},
		{"-vx", "-x: no such option"},
		{"--config", "--config: needs a value: --config FILE"},
		{"-c", "-c: needs a value: -c FILE"},
		{"--prune=yes", "--prune: takes no value"},
		{"--conf x", "--conf: no such option"},
	};
	struct line l;
	struct err e;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse(&l, rows[i][0], &n, &e), -ERR_USAGE);
		assert_string_equal(e.msg, rows[i][1]);
	}
}

/* Runs a command line with standard output and error going to memory. */
static char printed_out[4096], printed_err[4096];

static void redirect(FILE *file, int to, int *ret_saved)
{
	fflush(file);
	*ret_saved = dup(fileno(file));
	dup2(to, fileno(file));
}

static void restore(FILE *file, int from, int saved, char *ret_text, size_t size)
{
	fflush(file);
	dup2(saved, fileno(file));
	close(saved);
	ssize_t n = pread(from, ret_text, size - 1, 0);
	ret_text[n > 0 ? n : 0] = '\0';
	close(from);
}

static int run(const char *text)
{
	struct line l;
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
	int saved_out, saved_err;

	split(&l, text);
	redirect(stdout, out, &saved_out);
	redirect(stderr, err, &saved_err);
	int status =
		command_main("weir", "Keeps replicators as Git says.", commands, l.argc, l.argv);
	restore(stdout, out, saved_out, printed_out, sizeof(printed_out));
	restore(stderr, err, saved_err, printed_err, sizeof(printed_err));
	return status;
}

static void test_a_command_gets_its_arguments_and_gives_its_status(void **state)
{
	(void)state;
	assert_int_equal(run("weir plan -v dir"), 2);
	assert_int_equal(ran_with, 1);
	assert_true(flag);
	assert_string_equal(printed_out, "");
}

static void test_help_is_aligned_and_wrapped(void **state)
{
	(void)state;
	static const char expected[] = "Usage: weir plan [OPTION…] [DIR]\n"
				       "\n"
				       "Shows it.\n"
				       "\n"
				       "Second paragraph.\n"
				       "\n"
				       "Options:\n"
				       "  -c, --config FILE  The configuration.\n"
				       "      --path DIR     A working tree instead of Git, whose "
				       "explanation goes on\n"
				       "                     for longer than one line has room.\n"
				       "  -v, --verbose      Say more.\n"
				       "  -p, --prune        Delete.\n"
				       "  -h, --help         Show this text.\n";

	assert_int_equal(run("weir plan --help"), 0);
	assert_string_equal(printed_out, expected);
	assert_int_equal(run("weir help plan"), 0);
	assert_string_equal(printed_out, expected);
	assert_int_equal(run("weir plan -h"), 0);
	assert_string_equal(printed_out, expected);
}

static void test_overview_lists_commands(void **state)
{
	(void)state;
	static const char expected[] =
		"Usage: weir COMMAND [OPTION…] [ARGUMENT…]\n"
		"\n"
		"Keeps replicators as Git says.\n"
		"\n"
		"Commands:\n"
		"  plan     Show what would change\n"
		"  explain  Say why\n"
		"\n"
		"`weir help COMMAND` explains one of them; `weir --version` prints the version.\n";

	assert_int_equal(run("weir --help"), 0);
	assert_string_equal(printed_out, expected);
	assert_int_equal(run("weir help"), 0);
	assert_string_equal(printed_out, expected);
	assert_int_equal(run("weir"), 64);
	assert_string_equal(printed_out, "");
	assert_string_equal(printed_err, expected);
}

static void test_version(void **state)
{
	(void)state;
	assert_int_equal(run("weir --version"), 0);
	assert_string_equal(printed_out, "weir " WEIR_VERSION "\n");
}

static void test_usage_errors_exit_64_and_say_what_was_meant(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"weir paln",
			"weir: paln: no such command; did you mean plan?\nTry `weir --help`.\n"},
		{"weir help xyz", "weir: xyz: no such command\nTry `weir --help`.\n"},
		{"weir -c x plan",
			"weir: -c: options stand behind a command\nTry `weir --help`.\n"},
		{"weir plan --pth x", "weir plan: --pth: no such option; did you mean --path?\n"
				      "Try `weir plan --help`.\n"},
		{"weir plan a b", "weir plan: b: one argument too many\nTry `weir plan --help`.\n"},
		{"weir explain",
			"weir explain: something is missing: NAME\nTry `weir explain --help`.\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(run(rows[i][0]), 64);
		assert_string_equal(printed_err, rows[i][1]);
		assert_string_equal(printed_out, "");
	}
}

static void test_help_behind_two_dashes_is_an_argument(void **state)
{
	(void)state;
	assert_int_equal(run("weir plan -- --help"), 2);
	assert_int_equal(ran_with, 1);
}

static void test_a_program_without_commands_takes_options_at_once(void **state)
{
	(void)state;
	static const struct command only = {"", "", "", "Serves.", opts, 0, 0, run_plan};
	static const struct command *const single[] = {&only, NULL};
	struct line l;

	split(&l, "replicatord -v");
	assert_int_equal(command_main("replicatord", "", single, l.argc, l.argv), 2);
	assert_true(flag);
	split(&l, "replicatord");
	assert_int_equal(command_main("replicatord", "", single, l.argc, l.argv), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_taken_in_all_four_forms),
		cmocka_unit_test(test_other_words_are_gathered_in_order),
		cmocka_unit_test(test_what_is_wrong_is_said),
		cmocka_unit_test(test_a_command_gets_its_arguments_and_gives_its_status),
		cmocka_unit_test(test_help_is_aligned_and_wrapped),
		cmocka_unit_test(test_overview_lists_commands),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_usage_errors_exit_64_and_say_what_was_meant),
		cmocka_unit_test(test_help_behind_two_dashes_is_an_argument),
		cmocka_unit_test(test_a_program_without_commands_takes_options_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
