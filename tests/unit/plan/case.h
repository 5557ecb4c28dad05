/*
 * A case folder of tests/data/plan, loaded:
 *
 *	YAML files       what Git has
 *	accepted/        YAML files: the last versions that loaded, where there are any
 *	live.json        the API's list; none: empty
 *	records.json     the inventory, by the fields of struct plan_record; none: empty
 *	options.json     what weir.yaml and people say, by the fields of struct plan_input; sha,
 *	                 summary; `approve`: names; what the plan asks for them is given
 *
 *	plan.txt, plan.md, plan.json, actions.txt   what is expected, see test_plan.c
 */
#ifndef PLAN_TEST_CASE_H
#define PLAN_TEST_CASE_H

#include "base/arena.h"
#include "base/strv.h"
#include "base/vec.h"
#include "plan/plan.h"

struct plan_case {
	struct arena arena;
	struct catalog *catalog;
	struct catalog *accepted;
	struct {
		VEC_FIELDS(const struct replicator *);
	} accepted_list;
	struct {
		VEC_FIELDS(const struct live *);
	} live;
	struct {
		VEC_FIELDS(const struct plan_record *);
	} records;
	struct {
		VEC_FIELDS(struct plan_secret);
	} secrets;
	struct {
		VEC_FIELDS(struct plan_suspension);
	} suspensions;
	struct strv approvals;
	struct windows *windows;
	struct plan_input input;
	struct plan_header header;
};

/* Fails the test if the folder cannot be read. */
void plan_case_load(struct plan_case *c, const char *folder);
void plan_case_release(struct plan_case *c);

#endif
