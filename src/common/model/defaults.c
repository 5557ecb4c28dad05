/* Defaults: those of a folder lie over those of the folders above it. */
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "model/catalog_parts.h"

#define WORD	  "Defaults"
#define FILE_WORD "defaults"

/* How a folder is called, whatever way leads there; "" is the one where all begins. */
static char *folder_of(const char *file)
{
	const char *slash;

	while (strncmp(file, "./", 2) == 0)
		file += 2;
	slash = strrchr(file, '/');
	return slash ? xmemdupz(file, (size_t)(slash - file)) : xstrdup("");
}

/* Cuts the last part off; false if there was none. */
static bool go_up(char *folder)
{
	char *slash = strrchr(folder, '/');

	if (!*folder)
		return false;
	*(slash ? slash : folder) = '\0';
	return true;
}

/* NULL: the first of its folder. */
static struct defaults *add(
	struct catalog *c, const char *file, const struct document *d, struct defaults **ret_added)
{
	auto_free char *folder = folder_of(file);
	struct defaults *made = arena_alloc(&c->arena, sizeof(*made));

	*made = (struct defaults){
		.document = d,
		.folder = arena_strdup(&c->arena, folder),
		.file = file,
		.line = d ? d->line : 0,
		.failed = !d || d->failed,
	};
	c->n_failed += d && d->failed;
	*ret_added = made;
	struct defaults *first = map_get(&c->parts->defaults, folder);
	if (!first)
		map_put(&c->parts->defaults, folder, made);
	return first;
}

/* Neither of two is used: nobody can tell which is meant to win. */
void defaults_add(struct catalog *c, const char *file, const struct document *d)
{
	struct defaults *made, *first = add(c, file, d, &made);

	if (!first)
		return;
	if (first->document) {
		auto_free char *what = xasprintf("the Defaults of %s%s stand",
			*made->folder ? "folder " : "this folder", made->folder);

		complain_of_twin(c, "", what, first->file, first->document, file, d);
		complain_of_twin(c, "", what, file, d, first->file, first->document);
		c->n_failed += (size_t)!first->failed + (size_t)!made->failed;
	}
	first->failed = true;
}

void defaults_add_unreadable(struct catalog *c, const char *file)
{
	struct defaults *made, *first = add(c, file, NULL, &made);

	if (first)
		first->failed = true;
}

bool defaults_mentioned(const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *line = text, *next; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		next = stop ? stop + 1 : end;
		if (memmem(line, (size_t)(next - line), WORD, strlen(WORD)) &&
			memmem(line, (size_t)(next - line), "kind", strlen("kind")))
			return true;
	}
	return false;
}

bool defaults_named(const char *file)
{
	const char *slash = strrchr(file, '/');

	return strncasecmp(slash ? slash + 1 : file, FILE_WORD, strlen(FILE_WORD)) == 0;
}

static struct defaults *find_above(const struct map *all, char *folder)
{
	while (go_up(folder)) {
		struct defaults *found = map_get(all, folder);

		if (found)
			return found;
	}
	return NULL;
}

static void join(struct catalog *c, struct defaults *d)
{
	auto_free char *folder = xstrdup(d->folder);

	if (d->joined)
		return;
	d->joined = true;
	d->up = find_above(&c->parts->defaults, folder);
	if (d->up)
		join(c, d->up);
	if (!d->failed)
		d->own = layer_copy(&c->arena, &d->document->layer,
			origin_add(c, ORIGIN_DEFAULTS, d->file, d->document));
	d->bad = d->failed ? d : d->up ? d->up->bad : NULL;
	d->layer = d->up ? layer_merge(&c->arena, &d->up->layer, &d->own) : d->own;
}

void defaults_join(struct catalog *c)
{
	const struct map *all = &c->parts->defaults;

	for (size_t i = 0; i < map_size(all); i++)
		join(c, map_value(all, i));
}

const struct defaults *defaults_find(struct catalog *c, const char *file)
{
	struct catalog_parts *parts = c->parts;
	struct defaults *found;

	if (map_size(&parts->defaults) == 0)
		return NULL;
	auto_free char *folder = folder_of(file);
	if (map_has(&parts->nearest, folder))
		return map_get(&parts->nearest, folder);
	found = map_get(&parts->defaults, folder);
	if (!found) {
		auto_free char *above = xstrdup(folder);

		found = find_above(&parts->defaults, above);
	}
	map_put(&parts->nearest, folder, found);
	return found;
}
