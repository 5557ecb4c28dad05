/* Real repositories in a temporary folder, made by the git program. */
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "secret/secret.h"

/* No settings of whoever runs the tests. */
static void set_environment(const char *dir)
{
	static const char *const names[] = {
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"};

	setenv("HOME", dir, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		setenv(names[i], "tester@example.com", 1);
}

static char *command_line(struct scratch *s, const char *fmt, va_list ap)
{
	auto_free char *line = xvasprintf(fmt, ap);

	return xasprintf("cd '%s' && { %s; }", s->dir, line);
}

void scratch_run(struct scratch *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	auto_free char *line = command_line(s, fmt, ap);
	va_end(ap);
	if (system(line) != 0)
		fail_msg("%s", line);
}

char *scratch_ask(struct scratch *s, const char *fmt, ...)
{
	char answer[1024] = "";
	va_list ap;

	va_start(ap, fmt);
	auto_free char *line = command_line(s, fmt, ap);
	va_end(ap);
	FILE *out = popen(line, "r");
	assert_non_null(out);
	if (!fgets(answer, sizeof(answer), out))
		answer[0] = '\0';
	if (pclose(out) != 0)
		fail_msg("%s", line);
	answer[strcspn(answer, "\n")] = '\0';
	return xstrdup(answer);
}

void scratch_put(struct scratch *s, const char *path, const char *fmt, ...)
{
	auto_free char *full = fs_join(s->work, path);
	auto_free char *dir = xmemdupz(full, (size_t)(strrchr(full, '/') - full));
	struct err e = ERR_INIT;
	va_list ap;

	va_start(ap, fmt);
	auto_free char *text = xvasprintf(fmt, ap);
	va_end(ap);
	if (fs_mkdirs(dir, 0700, &e) < 0 || fs_write(full, text, strlen(text), 0600, &e) < 0)
		fail_msg("%s", e.msg);
}

void scratch_put_replicator(struct scratch *s, const char *path, const char *name)
{
	scratch_put(s, path,
		"apiVersion: weir/v1\n"
		"kind: KafkaReplicator\n"
		"metadata:\n"
		"  name: %s\n"
		"spec:\n"
		"  provider: MirrorMaker2\n"
		"  source_kafka_id: prod-eu\n"
		"  destination_kafka_id: dr-eu\n"
		"  replication_mode: active-passive\n"
		"  topic_whitelist: [%s-orders]\n",
		name, name);
}

char *scratch_push(struct scratch *s, const char *branch)
{
	scratch_run(s,
		"cd work && git add -A && git commit -q --allow-empty -m 'a change' && "
		"git push -q origin +HEAD:refs/heads/%s",
		branch);
	return scratch_ask(s, "git -C work rev-parse HEAD");
}

int scratch_setup(void **state)
{
	struct scratch *s = xcalloc(1, sizeof(*s));
	struct err e = ERR_INIT;

	s->dir = mkdtemp(xstrdup("/tmp/weir-source-XXXXXX"));
	if (!s->dir || secret_setup(&e) < 0)
		return -1;
	s->origin = fs_join(s->dir, "origin.git");
	s->work = fs_join(s->dir, "work");
	s->mirror = fs_join(s->dir, "mirror");
	set_environment(s->dir);
	s->options = (struct source_options){
		.url = s->origin,
		.branch = "main",
		.path = "replicators",
		.mirror = s->mirror,
		.timeout_ms = 60000,
	};
	*state = s;
	/* Housekeeping after a push would outlive it, and write while the folder is removed. */
	scratch_run(s, "git init -q --bare -b main origin.git && "
		       "git -C origin.git config receive.autogc false && "
		       "git clone -q origin.git work 2>/dev/null");
	scratch_put_replicator(s, "replicators/a.yaml", "a");
	free(scratch_push(s, "main"));
	return 0;
}

int scratch_teardown(void **state)
{
	struct scratch *s = *state;
	struct err e = ERR_INIT;

	source_free(s->source);
	int rc = fs_remove_tree(s->dir, &e);
	free(s->dir);
	free(s->origin);
	free(s->work);
	free(s->mirror);
	free(s);
	return rc;
}

void scratch_open(struct scratch *s)
{
	struct err e = ERR_INIT;

	source_free(TAKE(s->source));
	if (source_open(&s->options, &s->source, &e) < 0)
		fail_msg("%s", e.msg);
}

struct source_head scratch_fetch(struct scratch *s, const char *known)
{
	struct source_head head = {.sha = ""};
	struct err e = ERR_INIT;

	if (source_fetch(s->source, known, &head, &e) < 0)
		fail_msg("%s: %s", err_name(e.code), e.msg);
	return head;
}

struct err scratch_fetch_error(struct scratch *s, enum err_code code)
{
	struct source_head head = {.sha = ""};
	struct err e = ERR_INIT;

	if (source_fetch(s->source, NULL, &head, &e) == 0)
		fail_msg("fetched %s, and should not have", head.sha);
	if (e.code != code)
		fail_msg("%s: %s", err_name(e.code), e.msg);
	return e;
}

int64_t scratch_now_ms(void)
{
	return clock_mono_ms(&clock_real);
}
