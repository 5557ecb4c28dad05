/*
 * Command lines: a table of commands, each with a table of options. Parsing, usage and --help come
 * from it.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum opt_type {
	OPT_FLAG, /* bool * */
	OPT_STRING /* const char **, pointing into argv */
};

struct opt {
	const char *name; /* "config", without dashes */
	char letter; /* 'c', or 0 */
	enum opt_type type;
	void *value;
	const char *value_name; /* "FILE" */
	const char *help;
};

struct command {
	const char *name;
	const char *summary; /* one line, for the list of commands */
	const char *args; /* "[DIR]", or "" */
	const char *help; /* a paragraph or two */
	const struct opt *opts; /* ended by a row without a name */
	size_t min_args;
	size_t max_args; /* SIZE_MAX: any number */
	/* Gets the words that are not options; returns the exit status. */
	int (*run)(size_t n_args, char **args);
};

/*
 * Fills the values and gathers the other words at the front of `argv`, which begins behind the
 * command's name. `--` ends the options; --name=value, --name value, -n value and -nvalue all work,
 * and flags may share a dash (-vp). ERR_USAGE with a "did you mean" where there is a near name.
 */
int opt_parse(const struct opt *opts, int argc, char **argv, size_t *ret_n_args, struct err *e);
void opt_print_help(FILE *out, const char *program, const struct command *command);
/*
 * Finds argv[1] among the commands (ended by NULL), handles help, --help and --version, parses,
 * runs. Returns the exit status. A single command with the name "" is a program without commands.
 */
int command_main(const char *program, const char *about, const struct command *const *commands,
	int argc, char **argv);

#endif
