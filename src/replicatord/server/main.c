/* The program replicatord: options, configuration, signals, the loop. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/opt.h"
#include "secret/secret.h"
#include "server/server.h"
#include "server/tokens.h"

#define DEFAULT_FILE   "replicatord.yaml"
#define DEMO_TOKEN_ENV "STREAMTIME_TOKEN"

static struct {
	const char *config;
	const char *listen;
	const char *compat;
	bool memory;
	bool check;
	bool version;
} options;

static const struct opt opts[] = {
	{.name = "config",
		.letter = 'c',
		.type = OPT_STRING,
		.value = &options.config,
		.value_name = "FILE",
		.help = "The configuration, see replicatord.yaml(5). Default: ./" DEFAULT_FILE "."},
	{.name = "memory",
		.type = OPT_FLAG,
		.value = &options.memory,
		.help = "Keep everything in memory and throw it away at the end. Needs no "
			"configuration."},
	{.name = "listen",
		.type = OPT_STRING,
		.value = &options.listen,
		.value_name = "ADDRESS",
		.help = "In place of the configuration's `listen`: 127.0.0.1:8480, [::1]:0, …"},
	{.name = "compat",
		.type = OPT_STRING,
		.value = &options.compat,
		.value_name = "LIST",
		.help = "In place of the configuration's `compat`: what to leave out, with commas "
			"between. "
			"no-uid, no-observed-generation, …, or minimal for all."},
	{.name = "check",
		.type = OPT_FLAG,
		.value = &options.check,
		.help = "Check the configuration and end."},
	{.name = "version",
		.letter = 'V',
		.type = OPT_FLAG,
		.value = &options.version,
		.help = "Print the version and end."},
	{.name = NULL},
};

struct program {
	const char *file; /* NULL: the built-in configuration of --memory */
	struct loop *loop;
	struct server *server;
};

static struct config *load(const char *file, struct problems *problems)
{
	struct config *config =
		file ? config_load(file, problems)
		     : config_parse("built-in", config_demo, strlen(config_demo), problems);

	problems_sort(problems);
	return config;
}

static struct config *load_again(const char *file)
{
	struct problems problems = PROBLEMS_INIT;
	struct config *config = load(file, &problems);

	vec_each (p, &problems) {
		auto_buf struct buf line = BUF_INIT;

		problem_format(p, &line);
		log_line(p->level == PROBLEM_ERROR ? LOG_ERROR : LOG_WARN, "configuration",
			"problem", buf_str(&line), NULL);
	}
	problems_release(&problems);
	return config;
}

static void reload(struct program *p)
{
	struct config *config = load_again(p->file);
	struct err e = ERR_INIT;

	if (!config)
		log_error("tokens stay as they were: the configuration does not load", NULL);
	else if (tokens_load(p->server->store, config, &e) < 0)
		log_error("tokens stay as they were", "error", e.msg, NULL);
	else
		log_info("tokens read anew; other changes need a restart", NULL);
	config_free(config);
}

static void take_signal(void *ctx, int signum)
{
	struct program *p = ctx;

	if (signum == SIGHUP) {
		reload(p);
		return;
	}
	log_info("ending", "signal", strsignal(signum), NULL);
	loop_notify("STOPPING=1");
	loop_stop(p->loop);
}

/* So that a newcomer needs nothing but `replicatord --memory`. */
static bool make_demo_token(char token[UUID_MAX])
{
	const char *given = getenv(DEMO_TOKEN_ENV);

	if (given && *given)
		return false;
	setenv(DEMO_TOKEN_ENV, uuid_random(&rng_real, token), 1);
	return true;
}

static void print_start(const struct program *p, const char *made_token)
{
	printf("listening on %s\n", httpd_url(p->server->httpd));
	if (!p->file)
		printf("organization demo, fleet dev (simulated: no data is moved)\n");
	if (made_token)
		printf("export " DEMO_TOKEN_ENV "=%s\n", made_token);
	fflush(stdout);
	loop_notify("READY=1");
}

static int serve(
	struct program *p, const struct config *config, const char *made_token, struct err *e)
{
	static const int signums[] = {SIGTERM, SIGINT, SIGHUP};
	const struct server_options server_options = {
		.config = config,
		.memory = options.memory,
		.loop = p->loop,
		.clock = &clock_real,
		.rng = &rng_real,
	};
	int rc;

	if ((rc = loop_on_signals(p->loop, signums, ARRAY_SIZE(signums), take_signal, p, e)) < 0 ||
		(rc = server_open(&server_options, &p->server, e)) < 0)
		return rc;
	print_start(p, made_token);
	rc = loop_run(p->loop, e);
	server_close(p->server);
	return rc;
}

static int fail(const struct err *e)
{
	fprintf(stderr, "replicatord: %s\n", e->msg);
	return err_exit_status(e->code);
}

static int run_configured(struct program *p, struct config *config)
{
	char token[UUID_MAX];
	struct err e = ERR_INIT;

	if (options.compat && compat_parse(options.compat, &config->compat, &e) < 0) {
		err_prefix(&e, "--compat");
		return fail(&e);
	}
	if (options.listen)
		config->listen = options.listen;
	if (options.check) {
		printf("%s is good\n", p->file ? p->file : "the built-in configuration");
		return 0;
	}
	log_setup((enum log_level)config->log.level, (enum log_format)config->log.format);
	const char *made_token = !p->file && make_demo_token(token) ? token : NULL;
	if (loop_new(&clock_real, &p->loop, &e) == 0)
		serve(p, config, made_token, &e);
	loop_free(p->loop);
	return e.code == ERR_OK ? 0 : fail(&e);
}

static int run(size_t n_args, char **args)
{
	struct program p = {.file = options.config};
	struct problems problems = PROBLEMS_INIT;
	struct err e = ERR_INIT;

	(void)n_args;
	(void)args;
	if (options.version) {
		printf("replicatord " WEIR_VERSION "\n");
		return 0;
	}
	if (!p.file && !options.memory)
		p.file = DEFAULT_FILE;
	if (secret_setup(&e) < 0)
		return fail(&e);
	struct config *config = load(p.file, &problems);
	problems_print(&problems, stderr);
	problems_release(&problems);
	int status = config ? run_configured(&p, config) : err_exit_status(ERR_CONFIG);
	config_free(config);
	return status;
}

static const struct command command = {
	.name = "",
	.summary = "serve the Kafka Replicator API",
	.args = "",
	.help = "Serves the Kafka Replicator API, and runs what is created through it.\n\n"
		"To try it: `replicatord --memory`. Without -c that serves the organization "
		"demo with one fleet, dev, which simulates (no data is moved), and takes every "
		"kafka id; the token is that of $" DEMO_TOKEN_ENV ", or one that is made and "
		"printed.\n\n"
		"It listens on the loopback interface unless told otherwise. SIGHUP reads the "
		"tokens anew; SIGTERM ends it once answers under way have left.",
	.opts = opts,
	.run = run,
};

int main(int argc, char **argv)
{
	const struct command *const commands[] = {&command, NULL};

	return command_main("replicatord", "", commands, argc, argv);
}
