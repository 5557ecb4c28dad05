/* What the commands have in common. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "secret/secret.h"

#define NARROWEST 40 /* columns; a terminal of fewer is not written for */

struct cli_options cli = {
	.config = "weir.yaml", .log_level = NULL, .log_format = "text", .output = "text"};

int cli_fail(const char *command, const struct err *e)
{
	fprintf(stderr, "weir %s: %s\n", command, e->msg);
	return err_exit_status(e->code);
}

int cli_output(bool *ret_json, struct err *e)
{
	*ret_json = !strcmp(cli.output, "json");
	if (!*ret_json && strcmp(cli.output, "text") != 0)
		return err_set(e, ERR_USAGE, "-o %s: must be text or json", cli.output);
	return 0;
}

int cli_setup(enum log_level least)
{
	struct err e = ERR_INIT;
	enum log_level level = least;
	if (cli.log_level && !log_level_parse(cli.log_level, &level)) {
		err_set(&e, ERR_USAGE, "--log-level %s: must be debug, info, warn or error",
			cli.log_level);
	} else if (strcmp(cli.log_format, "text") != 0 && strcmp(cli.log_format, "json") != 0) {
		err_set(&e, ERR_USAGE, "--log-format %s: must be text or json", cli.log_format);
	} else {
		log_setup(level, cli.log_format[0] == 'j' ? LOG_JSON : LOG_TEXT);
		secret_setup(&e);
	}
	if (e.code == ERR_OK)
		return 0;
	fprintf(stderr, "weir: %s\n", e.msg);
	return err_exit_status(e.code);
}

struct config *cli_config(void)
{
	struct problems problems = PROBLEMS_INIT;
	struct config *c = config_load(cli.config, &problems);
	problems_sort(&problems);
	problems_print(&problems, stderr);
	problems_release(&problems);
	return c;
}

int cli_with_config(
	enum log_level least, int (*command)(const struct config *config, void *ctx), void *ctx)
{
	int status = cli_setup(least);
	if (status)
		return status;
	struct config *config = cli_config();
	if (!config)
		return 1;
	status = command(config, ctx);
	config_free(config);
	return status;
}

struct node *cli_named_order(struct arena *a, const char *name, const char *reason)
{
	struct node *body = node_map(a);
	node_map_set(a, body, "name", node_string(a, name));
	if (reason)
		node_map_set(a, body, "reason", node_string(a, reason));
	return body;
}

struct screen cli_screen(void)
{
	const char *columns = getenv("COLUMNS");
	struct screen screen = {.width = SIZE_MAX, .colour = cli_colours()};
	struct winsize size;
	uint64_t width;
	if (columns && text_parse_u64(columns, &width) && width >= NARROWEST)
		screen.width = (size_t)width;
	else if (isatty(STDOUT_FILENO))
		screen.width =
			ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST
				? size.ws_col
				: 80;
	return screen;
}

bool cli_colours(void)
{
	const char *no = getenv("NO_COLOR");
	return isatty(STDOUT_FILENO) && !(no && no[0]);
}
