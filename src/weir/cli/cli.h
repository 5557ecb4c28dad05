/*
 * The commands of weir: each is one file with one descriptor.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/log.h"
#include "base/opt.h"
#include "config/config.h"

extern const struct command cmd_apply;
extern const struct command cmd_init;
extern const struct command cmd_plan;
extern const struct command cmd_run;
extern const struct command cmd_status;
extern const struct command cmd_validate;

/* Options that commands share; the values stand here. */
struct cli_options {
	const char *config;
	const char *log_level;
	const char *log_format;
};
extern struct cli_options cli;

/* clang-format off */
#define CLI_CONFIG_OPTION \
	{.name = "config", .letter = 'c', .type = OPT_STRING, .value = &cli.config, \
		.value_name = "FILE", \
		.help = "The configuration (default ./weir.yaml)."}
#define CLI_LOG_OPTIONS \
	{.name = "log-level", .type = OPT_STRING, .value = &cli.log_level, \
		.value_name = "LEVEL", \
		.help = "The least that is logged: debug, info, warn or error."}, \
	{.name = "log-format", .type = OPT_STRING, .value = &cli.log_format, \
		.value_name = "FORMAT", \
		.help = "text or json."}
/* clang-format on */

/* Sets up the log and the secrets. 0, or the exit status of an error that was printed. */
int cli_setup(enum log_level least);
/* The configuration; NULL after its problems were printed. */
struct config *cli_config(void);
/* Prints "weir COMMAND: message" and returns the exit status. */
int cli_fail(const char *command, const struct err *e);
/* True if standard output is a terminal that takes colours (NO_COLOR is honoured). */
bool cli_colours(void);

#endif
