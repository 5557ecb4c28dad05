/* Time zones, from GLib. */
#include "calendar/zone.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/fs.h"

/* More than there are in a year: finding one costs some forty look-ups. */
#define KNOWN 8

#define FOLDER	"/usr/share/zoneinfo"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct zone {
	GTimeZone *tz;
	size_t next; /* to be forgotten */
	struct zone_span known[KNOWN];
};

/* Where GLib looks. */
static const char *database(void)
{
	const char *folder = getenv("TZDIR");

	return folder && *folder ? folder : FOLDER;
}

/* GLib also takes offsets, rules of POSIX and "" for the zone of this machine: a name of the
 * database is a file of it. right/ counts leap seconds, which nothing else here does. */
static bool is_in_database(const char *name)
{
	auto_free char *path = fs_join(database(), name);
	struct stat st;

	if (!strchr(LETTERS, name[0]) || strspn(name, LETTERS "0123456789/_+-") != strlen(name) ||
		strncmp(name, "right/", strlen("right/")) == 0)
		return false;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int zone_new(const char *name, struct zone **ret_zone, struct err *e)
{
	struct stat st;
	GTimeZone *tz = *name && is_in_database(name) ? g_time_zone_new_identifier(name) : NULL;

	if (!tz && strcmp(name, "UTC") == 0)
		tz = g_time_zone_new_utc();
	if (!tz && stat(database(), &st) < 0)
		return err_set(e, ERR_INVALID,
			"\"%s\" cannot be looked up: %s is not there; install tzdata, or write UTC",
			name, database());
	if (!tz)
		return err_set(e, ERR_INVALID,
			"\"%s\" is not in the tz database: write a name of it as it is spelled, "
			"such as Europe/Berlin or UTC",
			name);
	*ret_zone = xcalloc(1, sizeof(**ret_zone));
	(*ret_zone)->tz = tz;
	return 0;
}

void zone_free(struct zone *z)
{
	if (!z)
		return;
	g_time_zone_unref(z->tz);
	free(z);
}

static int interval_at(const struct zone *z, int64_t time_s)
{
	return g_time_zone_find_interval(z->tz, G_TIME_TYPE_UNIVERSAL, time_s);
}

/* The first time in (from, to] that is in another interval than `from`; `to` if there is none. */
static int64_t find_change(const struct zone *z, int64_t from, int64_t to)
{
	int interval = interval_at(z, from);

	if (interval_at(z, to) == interval)
		return to;
	while (to - from > 1) {
		int64_t middle = from + (to - from) / 2;

		if (interval_at(z, middle) == interval)
			from = middle;
		else
			to = middle;
	}
	return to;
}

/* The first time in [from, to] that is in the interval of `to`. */
static int64_t find_begin(const struct zone *z, int64_t from, int64_t to)
{
	int interval = interval_at(z, to);

	if (interval_at(z, from) == interval)
		return from;
	while (to - from > 1) {
		int64_t middle = from + (to - from) / 2;

		if (interval_at(z, middle) == interval)
			to = middle;
		else
			from = middle;
	}
	return to;
}

static void find_span(const struct zone *z, int64_t time_s, struct zone_span *ret_span)
{
	ret_span->from_s = find_begin(z, time_s - ZONE_SPAN_S, time_s);
	ret_span->to_s = find_change(z, time_s, time_s + ZONE_SPAN_S);
	ret_span->ahead_s = g_time_zone_get_offset(z->tz, interval_at(z, time_s));
	ret_span->ahead_before_s =
		g_time_zone_get_offset(z->tz, interval_at(z, ret_span->from_s - 1));
}

struct zone_span zone_span_at(struct zone *z, int64_t time_s)
{
	struct zone_span *s;

	for (size_t i = 0; i < KNOWN; i++) {
		s = &z->known[i];
		if (time_s >= s->from_s && time_s < s->to_s)
			return *s;
	}
	s = &z->known[z->next++ % KNOWN];
	find_span(z, time_s, s);
	return *s;
}
