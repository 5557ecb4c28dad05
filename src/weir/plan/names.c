/* What actions and holds are called. */
#include "plan/plan.h"

static const struct {
	const char *symbol;
	const char *name;
} actions[PLAN__COUNT] = {
	[PLAN_NONE] = {" ", "none"},
	[PLAN_CREATE] = {"+", "create"},
	[PLAN_UPDATE] = {"~", "update"},
	[PLAN_REPLACE] = {"-/+", "replace"},
	[PLAN_RECONCILE] = {">", "reconcile"},
	[PLAN_ADOPT] = {"=", "adopt"},
	[PLAN_DELETE] = {"-", "delete"},
	[PLAN_HOLD] = {"!", "hold"},
};

static const char *const hold_names[PLAN_HOLD__COUNT] = {
	[PLAN_HOLD_NOT] = "not",
	[PLAN_HOLD_ADOPT] = "adopt",
	[PLAN_HOLD_PRUNE] = "prune",
	[PLAN_HOLD_FOREIGN] = "foreign-draft",
	[PLAN_HOLD_IMMUTABLE] = "immutable",
	[PLAN_HOLD_SECRET] = "secret",
	[PLAN_HOLD_REPORT] = "report",
	[PLAN_HOLD_INCOMPLETE] = "incomplete",
	[PLAN_HOLD_NOT_KEPT] = "not-kept",
	[PLAN_HOLD_REWOUND] = "rewound",
	[PLAN_HOLD_BACKOFF] = "backoff",
	[PLAN_HOLD_DELETING] = "deleting",
	[PLAN_HOLD_BUSY] = "busy",
	[PLAN_HOLD_UNKNOWN] = "unknown",
	[PLAN_HOLD_PROTECT] = "protect",
	[PLAN_HOLD_GRACE] = "grace",
	[PLAN_HOLD_PRUNE_MAX] = "prune-max",
	[PLAN_HOLD_EMPTY] = "empty",
	[PLAN_HOLD_DEPENDANTS] = "dependants",
	[PLAN_HOLD_SUSPEND] = "suspend",
	[PLAN_HOLD_WINDOW] = "window",
	[PLAN_HOLD_DEPENDS] = "depends-on",
	[PLAN_HOLD_CONTESTED] = "contested",
	[PLAN_HOLD_BRAKE] = "brake",
	[PLAN_HOLD_MAX_UPDATES] = "max-updates",
};

const char *plan_action_symbol(enum plan_action action)
{
	return actions[action].symbol;
}

const char *plan_action_name(enum plan_action action)
{
	return actions[action].name;
}

const char *plan_hold_name(enum plan_hold hold)
{
	return hold_names[hold];
}
