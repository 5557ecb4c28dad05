/*
 * A configuration with two fleets and an organization, fleets and a store over it, and time that
 * stands still until a test moves it.
 */
#ifndef TEST_SERVER_FIXTURE_H
#define TEST_SERVER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "doc/json.h"
#include "server/lifecycle.h"
#include "server/settings.h"

#define DELAY_MS 200

struct fixture {
	char folder[32];
	struct arena arena;
	struct config *config;
	struct fleets fleets;
	struct store *store;
	struct rng_seeded seeded;
	struct rng rng;
	int64_t now_ms; /* wall and monotonic */
	struct clock clock;
	struct lifecycle lifecycle;
};

static inline int64_t fixture_now(void *ctx)
{
	return ((struct fixture *)ctx)->now_ms;
}

/* As a start of the program does. */
static inline void fixture_open(struct fixture *f)
{
	fleets_init(&f->fleets, f->config);
	assert_int_equal(store_open(f->folder, &f->store, NULL), 0);
	f->lifecycle = (struct lifecycle){.config = f->config,
		.store = f->store,
		.fleets = &f->fleets,
		.clock = &f->clock,
		.rng = &f->rng};
	assert_int_equal(lifecycle_resume(&f->lifecycle, NULL), 0);
}

/* As a kill does: what is not in the store is gone. */
static inline void fixture_close(struct fixture *f)
{
	fleets_release(&f->fleets);
	store_close(f->store);
}

static inline int fixture_set_up(void **state)
{
	static const char text[] = "organizations: [{name: acme, tokens: []}]\n"
				   "fleets:\n"
				   "- {name: links, runner: simulate, capacity: 1, providers: "
				   "ClusterLink, simulate: {delay: 200ms}}\n"
				   "- {name: dev, runner: simulate, capacity: 3, simulate: {delay: "
				   "200ms, fail: [\"broken-*\"]}}\n"
				   "clusters:\n"
				   "- {id: prod-eu, bootstrap_servers: \"prod-eu:9092\"}\n"
				   "- {id: dr-eu, bootstrap_servers: \"dr-eu:9092\"}\n";
	struct problems problems = PROBLEMS_INIT;
	struct fixture *f = xcalloc(1, sizeof(*f));

	strncpy(f->folder, "/tmp/test_server_XXXXXX", sizeof(f->folder) - 1);
	assert_non_null(mkdtemp(f->folder));
	f->config = config_parse("test", text, strlen(text), &problems);
	assert_non_null(f->config);
	f->rng = rng_from_seed(&f->seeded, 1);
	f->now_ms = 1000000;
	f->clock = (struct clock){fixture_now, fixture_now, f};
	fixture_open(f);
	*state = f;
	return 0;
}

static inline int fixture_tear_down(void **state)
{
	struct fixture *f = *state;
	int rc;

	fixture_close(f);
	rc = fs_remove_tree(f->folder, NULL);
	config_free(f->config);
	arena_release(&f->arena);
	free(f);
	return rc;
}

static inline const struct node *fixture_json(struct fixture *f, const char *text)
{
	struct node *node;

	assert_int_equal(json_read(&f->arena, text, strlen(text), &node, NULL), 0);
	return node;
}

#define test_with_fixture(fn) cmocka_unit_test_setup_teardown(fn, fixture_set_up, fixture_tear_down)

#endif
