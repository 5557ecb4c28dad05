/* Editing the text of a note without touching what is not ours. */
#include "source/note_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/strv.h"
#include "base/text.h"

#define CONTEXT_PREFIX "weir/"

/* The second word of a line, "" if there is none. */
static const char *second_word(const char *line)
{
	const char *space = strchr(line, ' ');

	return space ? space + 1 : "";
}

static size_t word_len(const char *s)
{
	return strcspn(s, " ");
}

static bool is_about(const char *line, const char *context)
{
	const char *word = second_word(line);

	return word_len(word) == strlen(context) && text_has_prefix(word, context);
}

static bool is_status(const char *line)
{
	return text_has_prefix(second_word(line), CONTEXT_PREFIX);
}

static void split_lines(const char *text, struct strv *lines)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		strv_push_take(lines, xmemdupz(text, len));
		text += len + (text[len] == '\n');
	}
}

/* It stands there already, and nothing else about its context does. */
static bool stands(const struct strv *lines, const struct source_note *note)
{
	size_t about = 0;

	vec_each (it, lines)
		about += is_about(*it, note->context);
	return about == 1 && strv_contains(lines, note->line);
}

static bool is_replaced(
	const char *line, const char *sha, const struct source_note *notes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(notes[i].sha, sha) == 0 && is_about(line, notes[i].context))
			return true;
	return false;
}

static int compare_contexts(const void *a, const void *b)
{
	const char *one = *(char *const *)a;
	const char *other = *(char *const *)b;
	int order = strcmp(second_word(one), second_word(other));

	return order ? order : strcmp(one, other);
}

bool note_text_edit(const char *old, const char *sha, const struct source_note *notes, size_t n,
	struct buf *out)
{
	auto_strv struct strv lines = VEC_INIT;
	auto_strv struct strv statuses = VEC_INIT;
	bool changes = false;

	split_lines(old, &lines);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(notes[i].sha, sha) != 0)
			continue;
		changes |= !stands(&lines, &notes[i]);
		strv_push(&statuses, notes[i].line);
	}
	if (!changes)
		return false;
	vec_each (it, &lines) {
		if (is_replaced(*it, sha, notes, n))
			continue;
		if (is_status(*it))
			strv_push(&statuses, *it);
		else
			buf_addf(out, "%s\n", *it);
	}
	if (statuses.n > 1)
		qsort(statuses.at, statuses.n, sizeof(*statuses.at), compare_contexts);
	vec_each (it, &statuses)
		buf_addf(out, "%s\n", *it);
	return true;
}
