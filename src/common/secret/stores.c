/* Which store a secret path belongs to, and the way there. */
#include "secret/store.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"

struct secret_stores {
	struct secret_store_config *configs;
	size_t n;
	struct arena arena; /* the configs' strings */
};

static const struct secret_store_ops *const store_types[] = {
	[SECRET_DIRECTORY] = &secret_store_directory,
	[SECRET_ENV] = &secret_store_env,
};

static const char *copy_string(struct arena *a, const char *s)
{
	return arena_strdup(a, s ? s : "");
}

static size_t prefix_len(const char *prefix)
{
	size_t len = strlen(prefix);

	while (len && prefix[len - 1] == '/')
		len--;
	return len;
}

bool secret_prefix_same(const char *a, const char *b)
{
	size_t len = prefix_len(a);

	return len == prefix_len(b) && strncmp(a, b, len) == 0;
}

struct secret_stores *secret_stores_new(const struct secret_store_config *configs, size_t n)
{
	struct secret_stores *s = xcalloc(1, sizeof(*s));

	s->configs = xcalloc(n, sizeof(*s->configs));
	s->n = n;
	for (size_t i = 0; i < n; i++) {
		const struct secret_store_config *from = &configs[i];

		s->configs[i] = (struct secret_store_config){
			.type = from->type,
			.prefix = arena_memdupz(&s->arena, from->prefix, prefix_len(from->prefix)),
			.root = copy_string(&s->arena, from->root),
			.variable_prefix = copy_string(&s->arena, from->variable_prefix),
		};
	}
	return s;
}

void secret_stores_free(struct secret_stores *s)
{
	if (!s)
		return;
	arena_release(&s->arena);
	free(s->configs);
	free(s);
}

/* By whole segments. */
static bool begins_with(const char *path, const char *prefix, const char **ret_below)
{
	size_t len = strlen(prefix);

	if (strncmp(path, prefix, len) != 0 || (len && path[len] && path[len] != '/'))
		return false;
	*ret_below = path + len + (len && path[len] == '/');
	return true;
}

static const struct secret_store_config *find_store(
	const struct secret_stores *s, const char *path, const char **ret_below)
{
	const struct secret_store_config *best = NULL;
	const char *below;

	for (size_t i = 0; i < s->n; i++) {
		const struct secret_store_config *config = &s->configs[i];

		if (!begins_with(path, config->prefix, &below))
			continue;
		if (best && strlen(config->prefix) <= strlen(best->prefix))
			continue;
		best = config;
		*ret_below = below;
	}
	return best;
}

static bool segment_is_plain(const char *segment, size_t len)
{
	if (!len || (len == 1 && segment[0] == '.') || (len == 2 && memcmp(segment, "..", 2) == 0))
		return false;
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)segment[i]))
			return false;
	return true;
}

static int check_segments(const char *path, const char *below, struct err *e)
{
	while (*below) {
		size_t len = strcspn(below, "/");

		if (!segment_is_plain(below, len) || (below[len] && !below[len + 1]))
			return err_set(e, ERR_INVALID,
				"secret path \"%s\" must be names with one slash between them, "
				"without . and ..",
				path);
		below += len + (below[len] == '/');
	}
	return 0;
}

int secret_check(const struct secret_stores *s, const char *path, const char *const *keys,
	size_t n_keys, struct secret_status *ret_status, struct err *e)
{
	struct secret_status status = {.checked = true, .missing = VEC_INIT};
	const char *below = NULL;
	const struct secret_store_config *config = find_store(s, path, &below);

	if (!config) {
		*ret_status = (struct secret_status){.checked = false, .missing = VEC_INIT};
		return 0;
	}
	if (check_segments(path, below, e) < 0)
		return -ERR_INVALID;
	if (store_types[config->type]->check(config, below, keys, n_keys, &status, e) < 0) {
		secret_status_release(&status);
		return err_prefix(e, "secret path \"%s\"", path);
	}
	*ret_status = status;
	return 0;
}

void secret_status_release(struct secret_status *s)
{
	strv_release(&s->missing);
}

int secret_fetch(const struct secret_stores *s, const char *path, const char *key,
	struct secret **ret_secret, struct err *e)
{
	const char *below = NULL;
	const struct secret_store_config *config = find_store(s, path, &below);

	if (!config)
		return err_set(e, ERR_NOT_FOUND,
			"no secret store serves the path \"%s\": add one to secrets.stores", path);
	if (check_segments(path, below, e) < 0)
		return -ERR_INVALID;
	if (store_types[config->type]->fetch(config, below, key, ret_secret, e) < 0)
		return err_prefix(e, "secret path \"%s\"", path);
	return 0;
}
