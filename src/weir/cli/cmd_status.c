/* weir status: how things stand, from the store. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/host.h"
#include "doc/json.h"

static const char *format = "text";

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	{.name = "output",
		.letter = 'o',
		.type = OPT_STRING,
		.value = &format,
		.value_name = "FORMAT",
		.help = "text or json."},
	{.name = NULL},
};

struct view {
	char *head; /* that was taken last */
	char *seen; /* where the branch was seen last: another one if it was rewound */
	char *standings; /* JSON; see the engine's statuses */
	struct store_rows rows;
	struct outbox_rows outbox;
	struct events events;
};

#define EVENTS_SHOWN 5

static int load(struct store *s, struct view *v, struct err *e)
{
	int rc = store_get(s, "head", &v->head, e);
	if (rc == 0)
		rc = store_get(s, "seen-head", &v->seen, e);
	if (rc == 0)
		rc = store_get(s, "standings", &v->standings, e);
	if (rc == 0)
		rc = store_load_rows(s, &v->rows, e);
	if (rc == 0)
		rc = store_load_outbox(s, v->seen ? v->seen : "", &v->outbox, e);
	if (rc == 0)
		rc = store_load_events(s, NULL, EVENTS_SHOWN, &v->events, e);
	return rc;
}

static void view_release(struct view *v)
{
	free(v->head);
	free(v->seen);
	free(v->standings);
	store_rows_release(&v->rows);
	outbox_rows_release(&v->outbox);
	events_release(&v->events);
}

/* The replicators by name, those that are not Healthy with how they stand and why. */
static struct node *replicators(struct arena *a, const struct view *v)
{
	struct node *all = node_map(a);
	for (size_t i = 0; i < v->rows.n; i++) {
		if (!v->rows.at[i].owned)
			continue;
		struct node *row = node_map(a);
		node_map_set(a, row, "generation", node_int(a, v->rows.at[i].seen_generation));
		node_map_set(a, row, "standing", node_string(a, "healthy"));
		node_map_set(a, row, "why", node_string(a, ""));
		node_map_set(a, all, v->rows.at[i].name, row);
	}
	struct node *standings = NULL;
	if (v->standings)
		json_read(a, v->standings, strlen(v->standings), &standings, NULL);
	for (size_t i = 0; standings && standings->type == NODE_SEQ && i < standings->u.seq.n;
		i++) {
		struct node *said = standings->u.seq.at[i];
		const char *name = node_get_string(said, "name");
		struct node *row = name ? node_get(all, name) : NULL;
		if (!name)
			continue;
		if (!row) {
			row = node_map(a);
			node_map_set(a, row, "generation", node_int(a, 0));
			node_map_set(a, row, "why", node_string(a, ""));
			node_map_set(a, all, name, row);
		}
		node_map_set(a, row, "standing", node_get(said, "standing"));
		struct node *why = node_get(said, "why");
		if (why)
			node_map_set(a, row, "why", why);
	}
	return all;
}

static struct node *statuses(struct arena *a, const struct view *v)
{
	struct node *list = node_seq(a);
	vec_each (o, &v->outbox) {
		struct node *row = node_map(a);
		node_map_set(a, row, "commit", node_string(a, o->sha));
		node_map_set(a, row, "context", node_string(a, o->context));
		node_map_set(a, row, "state", node_string(a, status_state_name(o->state)));
		node_map_set(a, row, "text", node_string(a, o->text));
		node_map_set(a, row, "posted", node_bool(a, outbox_row_is_posted(o)));
		node_seq_add(a, list, row);
	}
	return list;
}

static void print_json(const struct config *c, const struct view *v)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *top = node_map(&a);
	node_map_set(&a, top, "name", node_string(&a, c->name));
	node_map_set(&a, top, "head", v->head ? node_string(&a, v->head) : node_null(&a));
	node_map_set(&a, top, "statuses", statuses(&a, v));
	node_map_set(&a, top, "replicators", replicators(&a, v));
	auto_buf struct buf out = BUF_INIT;
	json_write(&out, top, JSON_STYLE_PRETTY);
	puts(buf_str(&out));
}

static void print_statuses(const struct view *v)
{
	vec_each (o, &v->outbox) {
		printf("%.12s  %-8s %s  %s%s\n", o->sha, status_state_name(o->state), o->context,
			o->text, outbox_row_is_posted(o) ? "" : "  (not posted yet)");
	}
	if (!v->outbox.n)
		puts("no commit was taken yet");
}

static int widest_name(const struct node *all)
{
	size_t width = strlen("REPLICATOR");
	for (size_t i = 0; i < all->u.map.n; i++)
		if (all->u.map.at[i].key->u.string.len > width)
			width = all->u.map.at[i].key->u.string.len;
	return (int)width;
}

static void print_replicators(const struct view *v)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct node *all = replicators(&a, v);
	int width = widest_name(all);
	printf("%-*s  %-10s  %s\n", width, "REPLICATOR", "STANDING", "GENERATION");
	for (size_t i = 0; i < all->u.map.n; i++) {
		const struct node *row = all->u.map.at[i].value;
		const char *why = node_get_string(row, "why");
		int64_t generation = 0;
		node_get_int(row, "generation", &generation);
		printf("%-*s  %-10s  %10lld%s%s\n", width, all->u.map.at[i].key->u.string.s,
			node_get_string(row, "standing"), (long long)generation,
			why && why[0] ? "  " : "", why ? why : "");
	}
}

static void print_events(const struct view *v)
{
	for (size_t i = v->events.n; i-- > 0;) {
		const struct event *ev = &v->events.at[i];
		const char *subject = ev->name ? ev->name : "commit";
		char at[CLOCK_TEXT_MAX];
		printf("%s  %s: %s%s%s\n", clock_format(ev->at_ms / 1000 * 1000, at), subject,
			ev->what, ev->detail ? ": " : "", ev->detail ? ev->detail : "");
	}
}

static void print_text(const struct view *v)
{
	print_statuses(v);
	putchar('\n');
	print_replicators(v);
	if (v->events.n)
		putchar('\n');
	print_events(v);
}

static int show(const struct config *config)
{
	auto_free char *scope = host_scope(config);
	struct store *store = NULL;
	struct view v = {0};
	struct err e = ERR_INIT;
	int rc = store_open_shared(config->state, scope, &store, &e);
	if (rc == 0)
		rc = load(store, &v, &e);
	if (rc == 0 && !strcmp(format, "json"))
		print_json(config, &v);
	else if (rc == 0)
		print_text(&v);
	view_release(&v);
	store_close(store);
	return rc < 0 ? cli_fail("status", &e) : 0;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	(void)args;
	if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
		struct err e = ERR_INIT;
		err_set(&e, ERR_USAGE, "-o %s: must be text or json", format);
		return cli_fail("status", &e);
	}
	struct config *config = cli_config();
	if (!config)
		return 1;
	int status = show(config);
	config_free(config);
	return status;
}

const struct command cmd_status = {
	.name = "status",
	.summary = "How things stand",
	.args = "",
	.help = "Shows the statuses of the head, every replicator with how it stands and why, and "
		"the last events, from the store; "
		"a daemon may be running. The exit status is 0.",
	.opts = opts,
	.run = run,
};
