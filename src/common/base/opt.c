/* Command lines from tables: parsing, and the texts that explain them. */
#include "base/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "base/vec.h"

#define HELP_WIDTH 80

static const struct opt help_option = {.name = "help", .letter = 'h', .help = "Show this text."};

/* The words still to be read, and those that are no options, gathered at the front of the same
 * array. */
struct words {
	char **at;
	size_t n;
	size_t next;
	size_t n_args;
};

static const struct opt *find_by_name(const struct opt *opts, const char *name, size_t len)
{
	for (; opts->name; opts++)
		if (strlen(opts->name) == len && strncmp(opts->name, name, len) == 0)
			return opts;
	return NULL;
}

static const struct opt *find_by_letter(const struct opt *opts, char letter)
{
	for (; opts->name; opts++)
		if (opts->letter == letter)
			return opts;
	return NULL;
}

static int set_string(const struct opt *opt, const char *shown, const char *attached,
	struct words *w, struct err *e)
{
	if (!attached && w->next < w->n)
		attached = w->at[w->next++];
	if (!attached)
		return err_set(
			e, ERR_USAGE, "%s: needs a value: %s %s", shown, shown, opt->value_name);
	*(const char **)opt->value = attached;
	return 0;
}

static int unknown_option(const struct opt *opts, const char *name, struct err *e)
{
	VEC(const char *) names = VEC_INIT;

	for (; opts->name; opts++)
		vec_push(&names, opts->name);
	const char *near = text_suggest(name, names.at, names.n);
	vec_release(&names);
	if (near)
		return err_set(
			e, ERR_USAGE, "--%s: no such option; did you mean --%s?", name, near);
	return err_set(e, ERR_USAGE, "--%s: no such option", name);
}

/* --name, --name=value, --name value */
static int parse_long(const struct opt *opts, const char *word, struct words *w, struct err *e)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	const char *attached = name[len] ? name + len + 1 : NULL;
	const struct opt *opt = find_by_name(opts, name, len);
	auto_free char *shown = xasprintf("--%.*s", (int)len, name);

	if (!opt)
		return unknown_option(opts, shown + 2, e);
	if (opt->type == OPT_STRING)
		return set_string(opt, shown, attached, w, e);
	if (attached)
		return err_set(e, ERR_USAGE, "%s: takes no value", shown);
	*(bool *)opt->value = true;
	return 0;
}

/* -n, -n value, -nvalue, and several flags in one word */
static int parse_short(const struct opt *opts, const char *word, struct words *w, struct err *e)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct opt *opt = find_by_letter(opts, *letter);
		const char shown[] = {'-', *letter, '\0'};

		if (!opt)
			return err_set(e, ERR_USAGE, "%s: no such option", shown);
		if (opt->type == OPT_STRING)
			return set_string(opt, shown, letter[1] ? letter + 1 : NULL, w, e);
		*(bool *)opt->value = true;
	}
	return 0;
}

int opt_parse(const struct opt *opts, int argc, char **argv, size_t *ret_n_args, struct err *e)
{
	struct words w = {.at = argv, .n = (size_t)argc};
	bool options_ended = false;
	int rc = 0;

	while (rc == 0 && w.next < w.n) {
		char *word = w.at[w.next++];

		if (options_ended || word[0] != '-' || word[1] == '\0')
			w.at[w.n_args++] = word;
		else if (strcmp(word, "--") == 0)
			options_ended = true;
		else if (word[1] == '-')
			rc = parse_long(opts, word, &w, e);
		else
			rc = parse_short(opts, word, &w, e);
	}
	if (rc == 0)
		*ret_n_args = w.n_args;
	return rc;
}

/* Breaks lines between words; what follows the first line stands `indent` columns in. */
static void add_wrapped(struct buf *out, const char *text, size_t indent)
{
	size_t col = indent;

	while (*text) {
		size_t space = strspn(text, " ");
		size_t len = strcspn(text + space, " \n");
		auto_free char *word = xmemdupz(text + space, len);
		size_t width = text_length(word);

		if (col > indent && len > 0 && col + space + width > HELP_WIDTH) {
			buf_addf(out, "\n%*s", (int)indent, "");
			col = indent;
			space = 0;
		}
		buf_addf(out, "%*s%s", (int)space, "", word);
		col += space + width;
		text = text + strspn(text, " ") + len;
		if (*text == '\n') {
			buf_addf(out, text[1] && text[1] != '\n' ? "\n%*s" : "\n", (int)indent, "");
			col = indent;
			text++;
		}
	}
	buf_addc(out, '\n');
}

/* Two columns; the right one begins behind the longest of the left. */
struct help_row {
	char *left;
	const char *right;
};

struct help_rows {
	VEC_FIELDS(struct help_row);
};

static void print_rows(FILE *out, const char *title, struct help_rows *rows)
{
	auto_buf struct buf text = BUF_INIT;
	size_t widest = 0;

	vec_each (it, rows)
		if (text_length(it->left) > widest)
			widest = text_length(it->left);
	buf_addf(&text, "\n%s:\n", title);
	vec_each (it, rows) {
		int gap = (int)(widest - text_length(it->left)) + 2;

		buf_addf(&text, "  %s%*s", it->left, gap, "");
		add_wrapped(&text, it->right, widest + 4);
		free(it->left);
	}
	vec_release(rows);
	fputs(buf_str(&text), out);
}

static void add_option_row(struct help_rows *rows, const struct opt *opt)
{
	auto_buf struct buf left = BUF_INIT;

	if (opt->letter)
		buf_addf(&left, "-%c, --%s", opt->letter, opt->name);
	else
		buf_addf(&left, "    --%s", opt->name);
	if (opt->type == OPT_STRING)
		buf_addf(&left, " %s", opt->value_name);
	vec_push(rows, (struct help_row){buf_take(&left), opt->help});
}

/* "weir plan", or "replicatord" for a program without commands. */
static char *full_name(const char *program, const struct command *command)
{
	return *command->name ? xasprintf("%s %s", program, command->name) : xstrdup(program);
}

void opt_print_help(FILE *out, const char *program, const struct command *command)
{
	auto_free char *name = full_name(program, command);
	auto_buf struct buf text = BUF_INIT;
	struct help_rows rows = VEC_INIT;

	buf_addf(&text, "Usage: %s [OPTION…]%s%s\n\n", name, *command->args ? " " : "",
		command->args);
	add_wrapped(&text, command->help, 0);
	fputs(buf_str(&text), out);
	for (const struct opt *opt = command->opts; opt->name; opt++)
		add_option_row(&rows, opt);
	add_option_row(&rows, &help_option);
	print_rows(out, "Options", &rows);
}

static void print_overview(
	FILE *out, const char *program, const char *about, const struct command *const *commands)
{
	auto_buf struct buf text = BUF_INIT;
	struct help_rows rows = VEC_INIT;

	buf_addf(&text, "Usage: %s COMMAND [OPTION…] [ARGUMENT…]\n\n", program);
	add_wrapped(&text, about, 0);
	fputs(buf_str(&text), out);
	for (; *commands; commands++)
		vec_push(
			&rows, (struct help_row){xstrdup((*commands)->name), (*commands)->summary});
	print_rows(out, "Commands", &rows);
	fprintf(out,
		"\n`%s help COMMAND` explains one of them; `%s --version` prints the version.\n",
		program, program);
}

static int print_error(const char *name, const struct err *e)
{
	fprintf(stderr, "%s: %s\nTry `%s --help`.\n", name, e->msg, name);
	return err_exit_status(e->code);
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static int check_count(const struct command *command, size_t n_args, char **args, struct err *e)
{
	if (n_args > command->max_args)
		return err_set(e, ERR_USAGE, "%s: one argument too many", args[command->max_args]);
	if (n_args < command->min_args)
		return err_set(e, ERR_USAGE, "something is missing: %s", command->args);
	return 0;
}

static int run_command(const char *program, const struct command *command, int argc, char **argv)
{
	auto_free char *name = full_name(program, command);
	struct err e = ERR_INIT;
	size_t n_args = 0;

	if (asks_for_help(argc, argv)) {
		opt_print_help(stdout, program, command);
		return 0;
	}
	if (opt_parse(command->opts, argc, argv, &n_args, &e) < 0 ||
		check_count(command, n_args, argv, &e) < 0)
		return print_error(name, &e);
	return command->run(n_args, argv);
}

static const struct command *find_command(
	const struct command *const *commands, const char *name, struct err *e)
{
	VEC(const char *) names = VEC_INIT;

	for (; *commands; commands++) {
		if (strcmp((*commands)->name, name) == 0)
			break;
		vec_push(&names, (*commands)->name);
	}
	const char *near = *commands ? NULL : text_suggest(name, names.at, names.n);
	vec_release(&names);
	if (near)
		err_set(e, ERR_USAGE, "%s: no such command; did you mean %s?", name, near);
	else if (!*commands)
		err_set(e, ERR_USAGE,
			name[0] == '-' ? "%s: options stand behind a command"
				       : "%s: no such command",
			name);
	return *commands;
}

static bool is_any_of(const char *word, const char *a, const char *b, const char *c)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int run_help(const char *program, const char *about, const struct command *const *commands,
	const char *name)
{
	struct err e = ERR_INIT;

	if (!name) {
		print_overview(stdout, program, about, commands);
		return 0;
	}
	const struct command *command = find_command(commands, name, &e);
	if (!command)
		return print_error(program, &e);
	opt_print_help(stdout, program, command);
	return 0;
}

/* Where 0, 1 or 2 are closed, a file of ours would get that number, and what is printed with it. */
static void occupy_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static int run_words(const char *program, const char *about, const struct command *const *commands,
	int argc, char **argv)
{
	struct err e = ERR_INIT;
	const char *word = argc > 1 ? argv[1] : "";
	bool single = *commands[0]->name == '\0';

	if (is_any_of(word, "--version", "-V", "version")) {
		printf("%s %s\n", program, WEIR_VERSION);
		return 0;
	}
	if (single)
		return run_command(program, commands[0], argc - 1, argv + 1);
	if (argc < 2) {
		print_overview(stderr, program, about, commands);
		return err_exit_status(ERR_USAGE);
	}
	if (is_any_of(word, "--help", "-h", "help"))
		return run_help(program, about, commands, argc > 2 ? argv[2] : NULL);
	const struct command *command = find_command(commands, word, &e);
	return command ? run_command(program, command, argc - 2, argv + 2)
		       : print_error(program, &e);
}

int command_main(const char *program, const char *about, const struct command *const *commands,
	int argc, char **argv)
{
	occupy_standard_streams();
	int status = run_words(program, about, commands, argc, argv);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno != EPIPE) /* as of `| head`: whoever reads has seen enough */
		fprintf(stderr, "%s: what was printed did not arrive: %s\n", program,
			strerror(errno));
	return err_exit_status(ERR_IO);
}
