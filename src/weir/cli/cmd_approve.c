/* weir approve: what is held goes on, as it was shown and not otherwise. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/current.h"
#include "cli/daemon.h"

static bool all;
static bool rewind_too;
static bool brake_too;
static bool yes;
static const char *reason;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	{.name = "all",
		.type = OPT_FLAG,
		.value = &all,
		.help = "Everything that is held and can be approved."},
	{.name = "rewind",
		.type = OPT_FLAG,
		.value = &rewind_too,
		.help = "That the branch was rewound."},
	{.name = "brake",
		.type = OPT_FLAG,
		.value = &brake_too,
		.help = "That a commit goes on of which several ended in Error."},
	CLI_REASON_OPTION(&reason),
	{.name = "yes", .letter = 'y', .type = OPT_FLAG, .value = &yes, .help = "Do not ask."},
	{.name = NULL},
};

struct wish {
	size_t n_names;
	char **names;
};

/* What was chosen, for the order, and as it is shown. */
struct choice {
	struct arena arena;
	struct node *items; /* {name, digest, action} */
	struct buf shown;
};

static void choose(struct choice *c, const char *name, const char *digest, const char *action)
{
	struct node *item = node_map(&c->arena);
	node_map_set(&c->arena, item, "name", node_string(&c->arena, name));
	node_map_set(&c->arena, item, "digest", node_string(&c->arena, digest));
	node_map_set(&c->arena, item, "action", node_string(&c->arena, action));
	node_seq_add(&c->arena, c->items, item);
}

static bool can_be_approved(const struct node *item)
{
	return node_get_string(node_get(item, "hold"), "approval");
}

static void choose_item(struct choice *c, const struct node *item)
{
	const struct node *hold = node_get(item, "hold");
	choose(c, show_get(item, "name"), show_get(hold, "approval"), show_get(hold, "action"));
	show_approvable(item, cli_screen(), &c->shown);
}

static size_t count_braked(const struct node *items)
{
	size_t n = 0;
	for (size_t i = 0; i < items->u.seq.n; i++)
		n += !strcmp(show_get(node_get(items->u.seq.at[i], "hold"), "kind"), "brake");
	return n;
}

static int choose_brake(struct choice *c, const struct current *now, struct err *e)
{
	const char *digest = node_get_string(now->brake, "approval");
	if (!digest)
		return err_set(e, ERR_CONFLICT,
			"no commit is braked, so there is nothing to approve about it");
	choose(c, "", digest, "brake");
	buf_addf(&c->shown,
		"! nothing more of commit %.12s is begun: %s\n    %zu wait for that, and are begun "
		"few at a time\n",
		show_get(now->brake, "commit"), show_get(now->brake, "why"),
		count_braked(show_list(now->plan, "items")));
	return 0;
}

static void choose_items(struct choice *c, const struct current *now, bool but_braked)
{
	const struct node *items = show_list(now->plan, "items");
	for (size_t i = 0; i < items->u.seq.n; i++) {
		const struct node *item = items->u.seq.at[i];
		bool braked = !strcmp(show_get(node_get(item, "hold"), "kind"), "brake");
		if (can_be_approved(item) && !(but_braked && braked))
			choose_item(c, item);
	}
}

/* Those that wait for the brake come with it. */
static int choose_all(struct choice *c, const struct current *now, struct err *e)
{
	choose_items(c, now, now->brake);
	return now->brake && !brake_too ? choose_brake(c, now, e) : 0;
}

/* What is ordered is bound to the tree that is shown here: the daemon may not have seen it yet. */
static int choose_rewind(struct choice *c, const struct config *config, struct err *e)
{
	struct current then = {.plan = NULL};
	int rc = current_get_rewound(config, &c->arena, &then, e);
	if (rc < 0)
		return err_prefix(e, "what would follow cannot be shown");
	const char *digest = node_get_string(then.rewound, "approval");
	if (!digest)
		return err_set(e, ERR_CONFLICT,
			"the branch was not rewound, so there is nothing to approve about it");
	choose(c, "", digest, "rewind");
	buf_addf(&c->shown, "! the branch was rewound from %.12s to %.12s; what follows:\n",
		show_get(then.rewound, "from"), show_get(then.rewound, "to"));
	show_following(then.plan, cli_screen(), &c->shown);
	return 0;
}

static const struct node *find_item(const struct node *items, const char *name)
{
	for (size_t i = 0; i < items->u.seq.n; i++)
		if (!strcmp(show_get(items->u.seq.at[i], "name"), name))
			return items->u.seq.at[i];
	return NULL;
}

static int fail_unknown(const struct node *items, const char *name, struct err *e)
{
	VEC(const char *) names = VEC_INIT;
	for (size_t i = 0; i < items->u.seq.n; i++)
		vec_push(&names, show_get(items->u.seq.at[i], "name"));
	const char *near = text_suggest(name, names.at, names.n);
	err_set(e, ERR_NOT_FOUND, "the plan has no %s; %s%s%s", name,
		near ? "did you mean " : "`weir plan` shows what it has", near ? near : "",
		near ? "?" : "");
	vec_release(&names);
	return -ERR_NOT_FOUND;
}

/* Why there is nothing to approve about an item. */
static int fail_item(const struct node *item, struct err *e)
{
	const char *name = show_get(item, "name");
	const struct node *hold = node_get(item, "hold");
	bool approved = false;
	node_get_bool(item, "approved", &approved);
	if (hold && hold->type == NODE_MAP)
		return err_set(e, ERR_CONFLICT,
			"%s is held (%s), and no approval releases it; what does: %s", name,
			show_get(hold, "reason"), show_get(hold, "release"));
	if (approved)
		return err_set(e, ERR_CONFLICT, "%s is approved already, and under way", name);
	return err_set(
		e, ERR_CONFLICT, "%s is not held: there is nothing to approve about it", name);
}

static int choose_named(
	struct choice *c, const struct wish *w, const struct node *items, struct err *e)
{
	for (size_t i = 0; i < w->n_names; i++) {
		const struct node *item = find_item(items, w->names[i]);
		if (!item)
			return fail_unknown(items, w->names[i], e);
		if (!can_be_approved(item))
			return fail_item(item, e);
		choose_item(c, item);
	}
	return 0;
}

static int choose_wished(struct choice *c, const struct config *config, const struct wish *w,
	const struct current *now, struct err *e)
{
	const struct node *items = show_list(now->plan, "items");
	int rc = choose_named(c, w, items, e);
	if (rc == 0 && rewind_too)
		rc = choose_rewind(c, config, e);
	if (rc == 0 && brake_too)
		rc = choose_brake(c, now, e);
	if (rc == 0 && all)
		rc = choose_all(c, now, e);
	if (rc == 0 && !c->items->u.seq.n)
		rc = err_set(e, ERR_CONFLICT, "nothing is held that can be approved");
	return rc;
}

/* Nothing was wished for: what there is. */
static int list_choices(struct choice *c, const struct current *now)
{
	choose_items(c, now, false);
	size_t n = c->items->u.seq.n;
	fputs(buf_str(&c->shown), stdout);
	if (now->rewound)
		puts("The branch was rewound: `weir approve --rewind` if that is meant.");
	if (now->brake)
		puts("A commit is braked: `weir approve --brake` lets all of it go on.");
	if (n)
		printf("%zu can be approved: `weir approve NAME` for one, --all for all of them.\n",
			n);
	else
		puts("Nothing is held that can be approved.");
	return 0;
}

static int confirm(size_t n, struct err *e)
{
	char answer[8] = "";
	if (yes)
		return 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, ERR_USAGE,
			"this is no terminal to ask at: read what is above, and add --yes");
	printf("Approve %s as shown? [y/N] ", n == 1 ? "this" : "these");
	fflush(stdout);
	if (fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return 0;
	return err_set(e, ERR_CANCELLED, "nothing was approved");
}

static void tell_list(const struct node *answer, const char *list, const char *text)
{
	const struct node *names = show_list(answer, list);
	for (size_t i = 0; i < names->u.seq.n; i++) {
		const char *name = names->u.seq.at[i]->type == NODE_STRING
					   ? names->u.seq.at[i]->u.string.s
					   : "";
		printf("%s %s\n", name, text);
	}
}

static int order(const struct config *config, struct choice *c, struct err *e)
{
	struct arena *a = &c->arena;
	struct node *answer = NULL, *body = node_map(a);
	node_map_set(a, body, "items", c->items);
	if (reason)
		node_map_set(a, body, "reason", node_string(a, reason));
	int rc = daemon_order(config, "approve", body, a, &answer, e);
	if (rc < 0)
		return rc;
	tell_list(answer, "approved", "is approved");
	tell_list(answer, "already", "was approved before");
	tell_list(answer, "changed", "has changed since it was shown, and is not approved");
	if (show_list(answer, "changed")->u.seq.n)
		return err_set(e, ERR_CONFLICT, "look again at what has changed");
	return 0;
}

static int approve_with(
	const struct config *config, const struct wish *w, struct choice *c, struct err *e)
{
	struct current now = {.plan = NULL};
	int rc = current_get(config, &c->arena, &now, e);
	if (rc < 0)
		return rc;
	if (!w->n_names && !all && !rewind_too && !brake_too)
		return list_choices(c, &now);
	rc = choose_wished(c, config, w, &now, e);
	if (rc < 0)
		return rc;
	fputs(buf_str(&c->shown), stdout);
	fflush(stdout);
	rc = confirm(c->items->u.seq.n, e);
	return rc < 0 ? rc : order(config, c, e);
}

static int approve(const struct config *config, void *ctx)
{
	struct choice c = {.shown = BUF_INIT};
	struct err e = ERR_INIT;
	c.items = node_seq(&c.arena);
	int rc = approve_with(config, ctx, &c, &e);
	arena_release(&c.arena);
	buf_release(&c.shown);
	return rc < 0 ? cli_fail("approve", &e) : 0;
}

static int run(size_t n_args, char **args)
{
	struct wish w = {n_args, args};
	if (all && n_args) {
		struct err e = ERR_INIT;
		err_set(&e, ERR_USAGE, "name some, or say --all, not both");
		return cli_fail("approve", &e);
	}
	return cli_with_config(LOG_ERROR, approve, &w);
}

const struct command cmd_approve = {
	.name = "approve",
	.summary = "Let go on what is held",
	.args = "[NAME ...]",
	.help = "Shows what the current plan holds for a person to decide, with what would be "
		"changed or lost, and asks. What is approved is that action on that object with "
		"these values: if any of it changes before it is done, it is held again. Without "
		"names it lists what there is.",
	.opts = opts,
	.max_args = SIZE_MAX,
	.run = run,
};
