/*
 * A source at the end of a pipe, for tests that bring their own server:
 *
 *	source_probe URL MIRROR TIMEOUT_MS [token_ref=…] [ca_file=…] [ssh_key=…] [known_hosts=…]
 *
 * reads commands, one a line, and answers each with one line of words separated by tabs: `ok …`, or
 * `error`, the error's name, whether it is retriable, and the message.
 *
 *	fetch KNOWN          ok, sha, relation, summary
 *	load SHA             ok, names
 *	note SHA TEXT        ok
 *	rss                  ok, resident kilobytes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "secret/secret.h"
#include "source/source.h"

#define NOTES_REF "refs/notes/weir/acme"
#define CONTEXT	  "weir/acme/sync"

static const char *const relations[] = {
	[SOURCE_FIRST] = "first",
	[SOURCE_SAME] = "same",
	[SOURCE_FORWARD] = "forward",
	[SOURCE_REWOUND] = "rewound",
};

static int run_fetch(struct source *s, const char *known, struct err *e)
{
	struct source_head head;
	int rc = source_fetch(s, known, &head, e);

	if (rc == 0)
		printf("ok\t%s\t%s\t%s\n", head.sha, relations[head.relation], head.summary);
	return rc;
}

static int run_load(struct source *s, const char *sha, struct err *e)
{
	struct catalog *c = NULL;
	int rc = source_load(s, sha, &c, e);

	if (rc < 0)
		return rc;
	printf("ok");
	for (size_t i = 0; i < map_size(&c->by_name); i++)
		printf("\t%s", map_key(&c->by_name, i));
	printf("\n");
	catalog_free(c);
	return 0;
}

static int run_note(struct source *s, const char *words, struct err *e)
{
	auto_free char *sha = xmemdupz(words, strcspn(words, " "));
	const char *text = words + strlen(sha) + (words[strlen(sha)] == ' ');
	auto_free char *line = xasprintf("success %s %s", CONTEXT, text);
	int rc = source_push_notes(s, NOTES_REF, &(struct source_note){sha, CONTEXT, line}, 1, e);

	if (rc == 0)
		printf("ok\n");
	return rc;
}

static int run_rss(struct source *s, const char *nothing, struct err *e)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	(void)s;
	(void)nothing;
	if (!f || fscanf(f, "%*u %lu", &pages) != 1)
		return err_set(e, ERR_IO, "/proc/self/statm");
	fclose(f);
	printf("ok\t%lu\n", pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct source *s, const char *rest, struct err *e);
} commands[] = {
	{"fetch", run_fetch},
	{"load", run_load},
	{"note", run_note},
	{"rss", run_rss},
};

static int run(struct source *s, const char *line, struct err *e)
{
	size_t len = strcspn(line, " ");
	const char *rest = line + len + (line[len] == ' ');

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strlen(commands[i].name) == len && text_has_prefix(line, commands[i].name))
			return commands[i].run(s, rest, e);
	return err_set(e, ERR_USAGE, "no such command: %s", line);
}

static void print_error(const struct err *e)
{
	printf("error\t%s\t%s\t%s\n", err_name(e->code), e->retriable ? "retriable" : "final",
		e->msg);
}

/* The value of NAME=VALUE among the words, or NULL. */
static const char *find_option(char *const words[], const char *name)
{
	size_t len = strlen(name);

	for (; *words; words++)
		if (text_has_prefix(*words, name) && (*words)[len] == '=')
			return *words + len + 1;
	return NULL;
}

int main(int argc, char **argv)
{
	struct source *s = NULL;
	struct err e = ERR_INIT;
	char line[4096];

	if (argc < 4)
		return 64;
	const struct source_options options = {
		.url = argv[1],
		.branch = "main",
		.path = "replicators",
		.mirror = argv[2],
		.timeout_ms = strtol(argv[3], NULL, 10),
		.token_ref = find_option(argv + 4, "token_ref"),
		.ca_file = find_option(argv + 4, "ca_file"),
		.ssh_key = find_option(argv + 4, "ssh_key"),
		.known_hosts = find_option(argv + 4, "known_hosts"),
	};
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (secret_setup(&e) < 0 || source_open(&options, &s, &e) < 0) {
		print_error(&e);
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		err_clear(&e);
		if (run(s, line, &e) < 0)
			print_error(&e);
	}
	source_free(s);
	return 0;
}
