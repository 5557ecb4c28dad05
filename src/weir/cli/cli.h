/*
 * The commands of weir: each is one file with one descriptor.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/log.h"
#include "base/opt.h"
#include "cli/show.h"
#include "config/config.h"

extern const struct command cmd_apply;
extern const struct command cmd_approve;
extern const struct command cmd_explain;
extern const struct command cmd_export;
extern const struct command cmd_forget;
extern const struct command cmd_init;
extern const struct command cmd_plan;
extern const struct command cmd_resume;
extern const struct command cmd_run;
extern const struct command cmd_state;
extern const struct command cmd_status;
extern const struct command cmd_suspend;
extern const struct command cmd_validate;

/* Options that commands share; the values stand here. */
struct cli_options {
	const char *config;
	const char *log_level;
	const char *log_format;
	const char *output; /* text or json, of the commands that have CLI_OUTPUT_OPTION */
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
#define CLI_OUTPUT_OPTION \
	{.name = "output", .letter = 'o', .type = OPT_STRING, .value = &cli.output, \
		.value_name = "FORMAT", \
		.help = "text or json."}
#define CLI_REASON_OPTION(where) \
	{.name = "reason", .type = OPT_STRING, .value = (where), \
		.value_name = "TEXT", \
		.help = "Why; it is kept with who ordered it."}
/* clang-format on */

#define CLI_LONGEST_MS (366 * INT64_C(86400000)) /* of what people wait for */

/* Sets up the log and the secrets. 0, or the exit status of an error that was printed. */
int cli_setup(enum log_level least);
/* The configuration; NULL after its problems were printed. */
struct config *cli_config(void);
/* Both, and then the command itself, whose exit status it returns. */
int cli_with_config(
	enum log_level least, int (*command)(const struct config *config, void *ctx), void *ctx);
/* Prints "weir COMMAND: message" and returns the exit status. */
int cli_fail(const char *command, const struct err *e);
/* An order about one replicator (cli/desk.h). `reason` may be NULL. */
struct node *cli_named_order(struct arena *a, const char *name, const char *reason);
/* What CLI_OUTPUT_OPTION says, and whether it can be done. */
int cli_output(bool *ret_json, struct err *e);
/* Where standard output goes: lines are wrapped for a terminal only, or where COLUMNS says so. */
struct screen cli_screen(void);
/* True if standard output is a terminal that takes colours (NO_COLOR is honoured). */
bool cli_colours(void);

#endif
