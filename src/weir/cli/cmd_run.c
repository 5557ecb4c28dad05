/* weir run: the daemon. */
#include <stdio.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/control.h"
#include "cli/host.h"
#include "cli/http.h"

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	CLI_LOG_OPTIONS,
	{.name = NULL},
};

static int serve(const struct config *config, void *ctx)
{
	(void)ctx;
	const struct host_options options = {.config = config};
	struct host *h = NULL;
	struct control *control = NULL;
	struct http_pages *pages = NULL;
	struct err e = ERR_INIT;
	int rc = host_new(&options, &h, &e);
	if (rc == 0)
		rc = control_start(h, config, &control, &e);
	if (rc == 0 && config->http.listen[0])
		rc = http_pages_start(host_loop(h), config, host_engine(h), &pages, &e);
	if (rc == 0) {
		log_info("weir is running", "name", config->name, "source", config->source.url,
			"api", config->api.url, NULL);
		loop_notify("READY=1");
		rc = host_run(h, &e);
	}
	http_pages_stop(pages);
	control_stop(control);
	host_free(h);
	if (rc < 0)
		return cli_fail("run", &e);
	log_info("stopped", NULL);
	return 0;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	(void)args;
	return cli_with_config(LOG_INFO, serve, NULL);
}

const struct command cmd_run = {
	.name = "run",
	.summary = "Keep the API as Git says: the daemon",
	.args = "",
	.help = "Follows the branch, applies each new commit, repairs drift, and writes statuses "
		"on the commits. SIGTERM ends "
		"it at a safe point, SIGHUP makes it look at once.",
	.opts = opts,
	.run = run,
};
