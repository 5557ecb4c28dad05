/* Steps as text, and back. */
#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static const char *const variant_words[] = {"no-observed", "no-uid", "no-created-at", "no-state",
	"no-if-match", "merges-maps", "pages", "more-generations", NULL};
static const char *const config_words[] = {"rewind", "concurrency", "adopt", "prune", "max",
	"grace", "max-updates", "window", "window-match", NULL};
static const char *const setting_words[] = {
	"mode", "protect", "suspend", "orphan", "replace", "ignore", "depends", NULL};
static const char *const order_words[] = {"suspend", "resume", "forget", "approve", "rewind", NULL};
static const char *const switch_words[] = {"down", "fails", "slow", "lag", "takes", "hides", NULL};
static const char *const verb_words[] = {
	"list", "get", "create", "patch", "reconcile", "delete", NULL};
const char *const mishap_words[MISHAP__COUNT + 1] = {"none", "lost", "unanswered", "late", "500",
	"429", "401", "403", "404", "409", "422", "refused", "html", NULL};

const struct step_row step_rows[STEP__COUNT] = {
	[STEP_VARIANT] = {"variant", ARG_WHAT, variant_words},
	[STEP_CONFIG] = {"config", ARG_WHAT | ARG_N, config_words},
	[STEP_START] = {"start", 0, NULL},
	[STEP_KILL] = {"kill", ARG_N, NULL},
	[STEP_STOP] = {"stop", 0, NULL},
	[STEP_LOSE_STORE] = {"lose-store", 0, NULL},
	[STEP_RUN] = {"run", ARG_N | ARG_M, NULL},
	[STEP_EVENTS] = {"events", ARG_N | ARG_M, NULL},
	[STEP_DECLARE] = {"declare", ARG_WHO, NULL},
	[STEP_WRITE] = {"write", ARG_WHO | ARG_WHAT | ARG_N, field_names},
	[STEP_REMOVE] = {"remove", ARG_WHO, NULL},
	[STEP_BREAK] = {"break", ARG_WHO | ARG_N, NULL},
	[STEP_MOVE] = {"move", ARG_WHO, NULL},
	[STEP_SETTING] = {"setting", ARG_WHO | ARG_WHAT | ARG_N, setting_words},
	[STEP_PATH] = {"path-gone", ARG_N, NULL},
	[STEP_PUSH] = {"push", 0, NULL},
	[STEP_REWIND] = {"rewind", ARG_N, NULL},
	[STEP_REWRITE] = {"rewrite", 0, NULL},
	[STEP_BRANCH] = {"branch-gone", ARG_N, NULL},
	[STEP_SAVE] = {"save", ARG_WHO | ARG_WHAT | ARG_N, field_names},
	[STEP_LAUNCH] = {"launch", ARG_WHO, NULL},
	[STEP_EDIT] = {"edit", ARG_WHO | ARG_WHAT | ARG_N, field_names},
	[STEP_DELETE] = {"delete", ARG_WHO, NULL},
	[STEP_MAKE] = {"make", ARG_WHO | ARG_N | ARG_M, NULL},
	[STEP_FAULT] = {"fault", ARG_WHAT | ARG_MISHAP | ARG_N, verb_words},
	[STEP_API] = {"api", ARG_WHAT | ARG_N, switch_words},
	[STEP_GIT] = {"git-down", ARG_N, NULL},
	[STEP_FORGE] = {"forge", ARG_N, NULL},
	[STEP_DISK] = {"disk-full", ARG_N, NULL},
	[STEP_CLOCK] = {"clock", ARG_N, NULL},
	[STEP_TWIN] = {"twin", ARG_N, NULL},
	[STEP_ORDER] = {"order", ARG_WHO | ARG_WHAT | ARG_N, order_words},
};

void history_release(struct history *h)
{
	vec_release(h);
}

static void write_step(const struct step *s, struct buf *out)
{
	const struct step_row *row = &step_rows[s->kind];
	buf_adds(out, row->word);
	if (row->args & ARG_WHO)
		buf_addf(out, " %s", who_names[s->who]);
	if (row->args & ARG_WHAT)
		buf_addf(out, " %s", row->whats[s->what]);
	if (row->args & ARG_MISHAP)
		buf_addf(out, " %s", mishap_words[s->m]);
	if (row->args & ARG_N)
		buf_addf(out, " %lld", (long long)s->n);
	if (row->args & ARG_M && s->m)
		buf_addf(out, " ~%lld", (long long)s->m);
	buf_addc(out, '\n');
}

void history_write(const struct history *h, struct buf *out)
{
	vec_each (s, h)
		write_step(s, out);
}

static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; word && words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static int find_kind(const char *word)
{
	for (int i = 0; i < STEP__COUNT; i++)
		if (!strcmp(step_rows[i].word, word))
			return i;
	return -1;
}

static bool read_arguments(struct step *s, char **save)
{
	const struct step_row *row = &step_rows[s->kind];
	if (row->args & ARG_WHO)
		s->who = find_word(who_names, strtok_r(NULL, " ", save));
	if (row->args & ARG_WHAT)
		s->what = find_word(row->whats, strtok_r(NULL, " ", save));
	if (row->args & ARG_MISHAP)
		s->m = find_word(mishap_words, strtok_r(NULL, " ", save));
	if (s->who < 0 || s->what < 0 || s->m < 0)
		return false;
	const char *n = row->args & ARG_N ? strtok_r(NULL, " ", save) : "0";
	if (!n)
		return false;
	s->n = strtoll(n, NULL, 10);
	const char *m = strtok_r(NULL, " ", save);
	if (m && *m == '~')
		s->m = strtoll(m + 1, NULL, 10);
	return true;
}

static bool read_step(struct history *h, char *line)
{
	char *save = NULL;
	const char *word = strtok_r(line, " ", &save);
	if (!word || *word == '#')
		return true;
	int kind = find_kind(word);
	if (kind < 0)
		return false;
	struct step s = {.kind = (enum step_kind)kind};
	if (!read_arguments(&s, &save))
		return false;
	vec_push(h, s);
	return true;
}

bool history_read(struct history *h, const char *text)
{
	auto_free char *copy = xstrdup(text);
	char *save = NULL;
	unsigned n = 0;
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		n++;
		if (read_step(h, line))
			continue;
		fprintf(stderr, "line %u of the history is no step\n", n);
		return false;
	}
	return true;
}
