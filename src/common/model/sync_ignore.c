/* JSON Pointers of sync.ignore: which name something that may be ignored. */
#include "model/sync_ignore.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/text.h"
#include "model/internal.h"

#define WHOLE_CONFIG "/advanced_configuration"

/* Settings: no configuration has so many, and each pointer would be held against all of them. */
#define COMPARED_MAX 200

struct pointer_check {
	const struct spec *spec; /* NULL: not known */
	const struct field_place *place; /* of sync */
	struct problems *problems;
	struct map seen; /* pointers, and the item of each */
	const struct node *item; /* the pointer that is looked at */
	size_t index;
};

static void tell(const struct pointer_check *c, enum problem_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void tell(const struct pointer_check *c, enum problem_level level, const char *fmt, ...)
{
	auto_free char *name = xasprintf("ignore[%zu]", c->index);
	auto_free char *what = NULL;
	auto_buf struct buf shown = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	what = xvasprintf(fmt, ap);
	va_end(ap);
	problem_at(c->problems, level, c->place, name, c->item, "\"%s\" %s",
		shorten(c->item->u.string.s, &shown), what);
}

#define complain(c, ...) tell((c), PROBLEM_ERROR, __VA_ARGS__)
#define warn(c, ...)	 tell((c), PROBLEM_WARNING, __VA_ARGS__)

bool sync_may_ignore(enum spec_field field)
{
	return !spec_fields[field].immutable && !spec_fields[field].required;
}

/* "~1" is a slash and "~0" a tilde. */
static bool escapes_valid(const char *pointer)
{
	for (const char *p = pointer; (p = strchr(p, '~')); p++) {
		if (p[1] != '0' && p[1] != '1')
			return false;
	}
	return true;
}

static char *unescape(const char *part, size_t len)
{
	auto_buf struct buf out = BUF_INIT;

	for (size_t i = 0; i < len; i++) {
		if (part[i] != '~')
			buf_addc(&out, part[i]);
		else
			buf_addc(&out, part[++i] == '1' ? '/' : '~');
	}
	return xstrdup(buf_str(&out));
}

static void add_escaped(struct buf *out, const char *part)
{
	for (; *part; part++) {
		if (*part == '~' || *part == '/')
			buf_adds(out, *part == '~' ? "~0" : "~1");
		else
			buf_addc(out, *part);
	}
}

static bool check_form(const struct pointer_check *c, const char *pointer)
{
	if (!*pointer)
		complain(c, "is all of spec: to leave all of it alone, write sync.suspend");
	else if (*pointer != '/')
		complain(c, "is no JSON Pointer: it begins with a slash and the name of a field, "
			    "such as /topic_blacklist");
	else if (!escapes_valid(pointer))
		complain(c, "is no JSON Pointer: write ~0 for ~, and ~1 for a slash in a name");
	else
		return true;
	return false;
}

static void complain_unknown(const struct pointer_check *c, const char *name, const char *rest)
{
	const char *names[SPEC__COUNT];

	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		names[f] = spec_fields[f].name;
	const char *near = suggest(c->problems, name, names, SPEC__COUNT);

	if (strcmp(name, "spec") == 0)
		complain(c, "begins with spec, where pointers begin anyway: write %s",
			*rest ? rest : "the name of a field behind the slash");
	else if (near)
		complain(c, "names no field of spec; did you mean /%s?", near);
	else
		complain(c, "names no field of spec: check its name, or remove it");
}

static bool check_field(const struct pointer_check *c, enum spec_field field)
{
	if (field == SPEC_IDENTIFIER)
		complain(
			c, "is the replicator's name, which tells what is meant at all: remove it");
	else if (spec_fields[field].immutable)
		complain(c, "is immutable: it cannot change once the replicator exists, so there "
			    "is nothing to ignore; remove it");
	else if (spec_fields[field].required)
		complain(c, "is required, and says what is replicated: left to others, Git would "
			    "say nothing of it; remove it");
	else
		return true;
	return false;
}

/* What stands behind the field: `rest` is "", or begins with a slash. */
static bool check_depth(const struct pointer_check *c, enum spec_field field, const char *rest)
{
	auto_free char *dotted = xstrdup(rest);

	for (char *p = dotted + 1; *rest && *p; p++)
		*p = *p == '/' ? '.' : *p;
	if (!*rest)
		return true;
	if (spec_fields[field].kind != SPEC_KIND_CONFIG)
		complain(c, "is deeper than a field, which is ignored as a whole: write /%s",
			spec_fields[field].name);
	else if (!rest[1])
		complain(c, "names no setting: write " WHOLE_CONFIG " for all of them");
	else if (strchr(rest + 1, '/'))
		complain(c,
			"is deeper than a setting, whose name has dots: write " WHOLE_CONFIG "%s",
			dotted);
	else
		return true;
	return false;
}

static const char *near_setting(
	const struct pointer_check *c, const struct node *config, const char *key)
{
	const char *names[COMPARED_MAX];
	size_t n = config && config->type == NODE_MAP ? config->u.map.n : 0;

	if (n > COMPARED_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++)
		names[i] = config->u.map.at[i].key->u.string.s;
	return suggest(c->problems, key, names, n);
}

static void warn_of_absent_setting(
	const struct pointer_check *c, const struct node *config, const char *key)
{
	const char *near = near_setting(c, config, key);

	if (near)
		warn(c, "is not in spec; did you mean " WHOLE_CONFIG "/%s?", near);
	else
		warn(c, "changes nothing: it is not in spec, and what is not written there is left "
			"alone anyway; remove it");
}

static void warn_if_idle(const struct pointer_check *c, enum spec_field field, const char *key)
{
	const struct node *value = c->spec ? c->spec->value[field] : NULL;

	if (!c->spec || c->spec->undecoded & 1u << field)
		return;
	if (key && map_has(&c->seen, WHOLE_CONFIG))
		warn(c, "changes nothing: " WHOLE_CONFIG
			" stands in the list too, and covers it; remove one of them");
	else if (key && !node_get(value, key))
		warn_of_absent_setting(c, value, key);
	else if (!key && !value)
		warn(c, "changes nothing: it is not in spec, and what is not written there is left "
			"alone anyway; remove it");
}

static void check_pointer(const struct pointer_check *c)
{
	const char *pointer = c->item->u.string.s;
	auto_free char *name = NULL, *key = NULL;
	const char *rest;
	enum spec_field field;

	if (map_get(&c->seen, pointer) != c->item) {
		complain(c, "stands in the list already: remove one of them");
		return;
	}
	if (!check_form(c, pointer))
		return;
	rest = pointer + 1 + strcspn(pointer + 1, "/");
	name = unescape(pointer + 1, (size_t)(rest - pointer) - 1);
	field = spec_field_find(name);
	if (field == SPEC__COUNT) {
		complain_unknown(c, name, rest);
		return;
	}
	if (!check_field(c, field) || !check_depth(c, field, rest))
		return;
	if (*rest)
		key = unescape(rest + 1, strlen(rest + 1));
	warn_if_idle(c, field, key);
}

void sync_check_ignore(const struct sync_settings *sync, const struct spec *spec,
	const struct field_place *place, struct problems *problems)
{
	struct pointer_check c = {.spec = spec, .place = place, .problems = problems};
	const struct node *list = sync->ignore;
	size_t n = list ? list->u.seq.n : 0;

	for (size_t i = 0; i < n; i++) {
		if (!map_has(&c.seen, list->u.seq.at[i]->u.string.s))
			map_put(&c.seen, list->u.seq.at[i]->u.string.s, list->u.seq.at[i]);
	}
	for (c.index = 0; c.index < n; c.index++) {
		c.item = list->u.seq.at[c.index];
		check_pointer(&c);
	}
	map_release(&c.seen);
}

static bool list_has(const struct node *list, const char *pointer)
{
	for (size_t i = 0; i < list->u.seq.n; i++) {
		if (strcmp(list->u.seq.at[i]->u.string.s, pointer) == 0)
			return true;
	}
	return false;
}

bool sync_ignores(const struct sync_settings *sync, enum spec_field field, const char *key)
{
	auto_buf struct buf pointer = BUF_INIT;

	if (!sync->ignore || !sync->ignore->u.seq.n)
		return false;
	buf_addf(&pointer, "/%s", spec_fields[field].name);
	if (list_has(sync->ignore, buf_str(&pointer)))
		return true;
	if (!key)
		return false;
	buf_addc(&pointer, '/');
	add_escaped(&pointer, key);
	return list_has(sync->ignore, buf_str(&pointer));
}
