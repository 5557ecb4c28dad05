/* weir init: files to start from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "cli/cli.h"
#include "doc/json.h"

#define STATE_OF_SERVICE "/var/lib/weir"

static const struct opt opts[] = {
	{.name = NULL},
};

static const char config_text[] =
	"# weir's configuration; see weir.yaml(5).\n"
	"name: demo                      # stands in every commit status: weir/demo/sync\n"
	"source:\n"
	"  url: https://git.example.com/platform/replication.git   # or a path on this machine\n"
	"  branch: main\n"
	"  path: replicators             # every *.yaml below it is read\n"
	"  # token: env:GIT_TOKEN        # for a private repository\n"
	"api:\n"
	"  url: https://api.example.com\n"
	"  organization: acme\n"
	"  token: env:STREAMTIME_TOKEN   # never the token itself: env:NAME, file:PATH or "
	"systemd:NAME\n";

static const char replicator_text[] =
	"# A replicator copies topics from one Kafka cluster to another; see weir-replicators(5).\n"
	"apiVersion: weir/v1\n"
	"kind: KafkaReplicator\n"
	"metadata:\n"
	"  name: orders-dr\n"
	"spec:\n"
	"  provider: MirrorMaker2\n"
	"  source_kafka_id: prod-eu\n"
	"  destination_kafka_id: dr-eu\n"
	"  replication_mode: active-passive\n"
	"  topic_whitelist: [\"orders.*\"]\n"
	"  lag_alert_threshold: 10000\n"
	"  lag_alert_threshold_unit: messages\n";

/* The service's, or for whoever may not write there what the XDG Base Directory Specification
 * names. */
static char *choose_state(void)
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (xdg && xdg[0] == '/')
		return fs_join(xdg, "weir");
	if (geteuid() != 0 && home && home[0] == '/')
		return fs_join(home, ".local/state/weir");
	return xstrdup(STATE_OF_SERVICE);
}

static void write_state(struct buf *out)
{
	auto_free char *state = choose_state();
	if (!strcmp(state, STATE_OF_SERVICE)) {
		buf_adds(out, "state: " STATE_OF_SERVICE "            # what weir remembers\n");
		return;
	}
	buf_adds(out, "state: ");
	json_write_string(out, state);
	buf_adds(out, "   # what weir remembers; a service has " STATE_OF_SERVICE "\n");
}

struct template
{
	const char *name;
	const char *text;
	void (*end)(struct buf * out); /* what depends on who runs it; NULL: nothing */
};

static const struct template templates[] = {
	{"weir.yaml", config_text, write_state},
	{"replicators/example.yaml", replicator_text, NULL},
};

/* A file that is there is a user's: it stays as it is. */
static int write_template(const char *dir, const struct template *t, struct err *e)
{
	auto_free char *path = fs_join(dir, t->name);
	struct stat st;
	if (stat(path, &st) == 0) {
		printf("%s is there already and stays as it is\n", path);
		return 0;
	}
	auto_free char *folder = xmemdupz(path, (size_t)(strrchr(path, '/') - path));
	auto_buf struct buf text = BUF_INIT;
	buf_adds(&text, t->text);
	if (t->end)
		t->end(&text);
	int rc = fs_mkdirs(folder, 0755, e);
	if (rc == 0)
		rc = fs_write(path, buf_str(&text), text.len, 0644, e);
	if (rc == 0)
		printf("wrote %s\n", path);
	return rc;
}

static int run(size_t n_args, char **args)
{
	const char *dir = n_args ? args[0] : ".";
	struct err e = ERR_INIT;
	for (size_t i = 0; i < ARRAY_SIZE(templates); i++)
		if (write_template(dir, &templates[i], &e) < 0)
			return cli_fail("init", &e);
	puts("Next: write your addresses into weir.yaml, then `weir validate` and `weir plan`.");
	return 0;
}

const struct command cmd_init = {
	.name = "init",
	.summary = "Write a weir.yaml and a replicator to start from",
	.args = "[DIR]",
	.help = "Writes weir.yaml and replicators/example.yaml into DIR (default: here). Files "
		"that exist stay as they are. Its `state` is " STATE_OF_SERVICE
		" where root runs it, else a folder of your own "
		"($XDG_STATE_HOME/weir or ~/.local/state/weir).",
	.opts = opts,
	.max_args = 1,
	.run = run,
};
