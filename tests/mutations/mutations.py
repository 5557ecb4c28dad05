"""Ways to break the core: each is a mistake that somebody could make, or a guard that is off."""

import dataclasses

PLAN, RECONCILE = "src/weir/plan", "src/weir/reconcile"


@dataclasses.dataclass
class Mutation:
    name: str
    file: str
    old: str
    new: str


MUTATIONS = [
    Mutation(
        "key-without-attempt",
        f"{RECONCILE}/key.c",
        "hash_add(&h, &attempt, sizeof(attempt));",
        "(void)attempt;",
    ),
    Mutation(
        "key-without-generation",
        f"{RECONCILE}/key.c",
        "hash_add(&h, &generation, sizeof(generation));",
        "(void)generation;",
    ),
    Mutation(
        "no-latch",
        f"{RECONCILE}/statuses.c",
        "return entry && entry->row.latched;",
        "return entry && entry->row.latched && !entry;",
    ),
    Mutation(
        "call-before-journal",
        f"{RECONCILE}/engine.c",
        "	if (!flush(en, now)) {",
        "	if (!en->stopping)\n		send_ready(en);\n	if (!flush(en, now)) {",
    ),
    Mutation(
        "no-if-match",
        f"{RECONCILE}/calls.c",
        ".body = xstrdup(i->body),\n			.generation = i->base_generation,",
        ".body = xstrdup(i->body),",
    ),
    Mutation(
        "uid-not-compared",
        "src/common/model/live.c",
        "return strcmp(uid, live->uid) == 0;",
        "return true;",
    ),
    Mutation(
        "list-is-believed",
        f"{RECONCILE}/pass.c",
        "		if (ledger_is_ours(r) && !map_has(",
        "		if (ledger_is_ours(r) && !r && !map_has(",
    ),
    Mutation(
        "keys-of-others-dropped",
        f"{PLAN}/body.c",
        "if (pair->value->type != NODE_NULL && !node_get(changes, pair->key->u.string.s))",
        "if (pair->value->type == NODE_NULL && !node_get(changes, pair->key->u.string.s))",
    ),
    Mutation(
        "reset-while-broken",
        f"{PLAN}/judge.c",
        "if (s->change == PLAN_RESET && !rules->complete)",
        "if (s->change == PLAN_RESET && !rules->complete && !s)",
    ),
    Mutation(
        "report-heals",
        f"{PLAN}/judge.c",
        "if (s->change == PLAN_DRIFT && rules->report)",
        "if (s->change == PLAN_DRIFT && rules->report && !s)",
    ),
    Mutation(
        "ignore-ignored",
        f"{PLAN}/judge.c",
        "return sync->ignore && sync_ignores(",
        "return sync->ignore && !s && sync_ignores(",
    ),
    Mutation(
        "foreign-drafts-provisioned",
        f"{PLAN}/owned.c",
        "return d->exists && (d->unknown || d->n_foreign > 0);",
        "return d->exists && d->unknown && d->n_foreign > 0;",
    ),
    Mutation(
        "status-outvotes-failure",
        f"{PLAN}/owned.c",
        "return it->record->failed_generation > 0 &&",
        "return it->record->failed_generation < 0 &&",
    ),
    Mutation(
        "adopts-what-differs",
        f"{PLAN}/adopt.c",
        "	if (hold_difference(p, it, adopt)) {",
        "	if (hold_difference(p, it, adopt) && !p) {",
    ),
    Mutation(
        "prunes-although-off",
        f"{PLAN}/prune.c",
        "	if (!p->in->prune.enabled) {",
        "	if (!p->in->prune.enabled && !p) {",
    ),
    Mutation(
        "no-protection",
        f"{PLAN}/prune.c",
        "return it->remembered && it->remembered->sync.protect;",
        "return it->remembered && it->remembered->sync.protect && !it;",
    ),
    Mutation(
        "no-grace",
        f"{PLAN}/prune.c",
        "if (p->in->prune.grace_ms <= now - since)",
        "if (p->in->prune.grace_ms >= 0)",
    ),
    Mutation(
        "no-max",
        f"{PLAN}/prune.c",
        "static void hold_above_max(struct planner *p, struct plan_item *it, const struct candidates *c)\n{",
        "static void hold_above_max(struct planner *p, struct plan_item *it, const struct candidates *c)\n{\n"
        "	if (p)\n		return;",
    ),
    Mutation(
        "prunes-to-nothing",
        f"{PLAN}/prune.c",
        "	if (map_size(&p->in->catalog->by_name) > 0)",
        "	if (p)",
    ),
    Mutation(
        "deletes-while-broken",
        f"{PLAN}/prune.c",
        "	bool complete = p->in->catalog->complete;\n\n	if (!s->live) {",
        "	bool complete = true;\n\n	if (!s->live) {",
    ),
    Mutation(
        "suspended-is-touched",
        f"{PLAN}/suspend.c",
        "	if (document && document->sync.suspend.is_set) {",
        "	if (document && document->sync.suspend.is_set && !p) {",
    ),
    Mutation(
        "deletes-what-came-back",
        f"{RECONCILE}/removal.c",
        "	} else if (r->begun_by == en->dropped) {",
        "	} else if (r->begun_by == en->dropped && !r) {",
    ),
    Mutation(
        "rewind-not-held",
        f"{RECONCILE}/guards.c",
        "bool held = head->relation == SOURCE_REWOUND && en->config->source.rewind == REWIND_HOLD;",
        "bool held = false;",
    ),
    Mutation(
        "posts-before-outbox",
        f"{RECONCILE}/statuses.c",
        "	doubt_posted(en);\n	if (ledger_is_dirty(&en->ledger) && !en->store.times)\n		return now;",
        "	(void)doubt_posted;",
    ),
    Mutation(
        "newer-commit-waits",
        f"{RECONCILE}/turns.c",
        "	drop(&en->completing, reconciles_too);\n	drop(&en->beginning, reconciles_too);",
        "	(void)drop;\n	(void)reconciles_too;",
    ),
    Mutation(
        "windows-do-not-close",
        f"{PLAN}/window.c",
        "	if (state.open)\n		return;",
        "	if (state.open || p)\n		return;",
    ),
    Mutation(
        "leaves-after-its-window",
        f"{RECONCILE}/engine.c",
        "	return item && r->work != WORK_RECONCILE &&",
        "	return item && r->work != WORK_RECONCILE && !en &&",
    ),
    Mutation(
        "no-max-updates",
        f"{PLAN}/guard.c",
        "	if (p->in->max_updates <= 0 || n_changes",
        "	if (p->in->max_updates >= 0 || n_changes",
    ),
    Mutation(
        "orders-wait",
        f"{RECONCILE}/stats.c",
        "	pass_stop_begun(en); /* what waits for its turn may be what must not be done any more */\n",
        "",
    ),
    Mutation(
        "suspension-of-a-person-ignored",
        f"{PLAN}/suspend.c",
        "	if (!outside)",
        "	if (!outside || p)",
    ),
    Mutation(
        "suspension-without-end",
        f"{PLAN}/suspend.c",
        "	return has_until && until_ms <= p->in->now_ms;",
        "	return has_until && until_ms <= p->in->now_ms && !p;",
    ),
    Mutation(
        "approval-without-values",
        f"{PLAN}/approval.c",
        "	if (it->live)\n		add_values(&h, &it->live->spec);",
        "",
    ),
    Mutation(
        "approval-of-any-rewind",
        f"{RECONCILE}/guards.c",
        'return approval_of("rewind", en->ledger.head, head->tree);',
        'return approval_of("rewind", en->ledger.head, head ? "" : head->tree);',
    ),
    Mutation(
        "forgets-nothing",
        f"{RECONCILE}/orders.c",
        "	ledger_drop(l, r);\n	ledger_unaccept(l, r);",
        "",
    ),
    Mutation(
        "strangers-become-ours",
        f"{RECONCILE}/work.c",
        "	if (!live || !r->row.owned || !item->ours)\n		return;\n	if (has_ended_well",
        "	if (!live || !r->row.owned)\n		return;\n	if (has_ended_well",
    ),
    Mutation(
        "overwrites-while-others-are-at-it",
        f"{PLAN}/adopt.c",
        "if (hold_unfinished(p, it, PLAN_UPDATE) || (draft && hold_draft(p, it, PLAN_UPDATE)))",
        "if (draft && hold_draft(p, it, PLAN_UPDATE))",
    ),
    Mutation(
        "left-counts-as-done",
        f"{RECONCILE}/watch.c",
        "r->begun_by == en->plans && !item->leaves &&",
        "r->begun_by == en->plans &&",
    ),
    Mutation(
        "no-slow-start",
        f"{RECONCILE}/brake.c",
        "size_t most = BRAKE_AFTER + map_size(",
        "size_t most = BRAKE_AFTER + 1 + map_size(",
    ),
    Mutation(
        "what-is-in-doubt-makes-room",
        f"{RECONCILE}/brake.c",
        "!r || is_under_way(en, r) ||",
        "!r || r->work != WORK_NONE ||",
    ),
    Mutation(
        "each-daemon-has-its-keys",
        f"{RECONCILE}/calls.c",
        "idempotency_key(en->config->api.organization,",
        "idempotency_key(en->config->name,",
    ),
    Mutation(
        "a-refused-create-is-forgotten",
        f"{PLAN}/ours.c",
        "	if (r->has_last_applied && known)",
        "	if (r->has_last_applied && (known || !known))",
    ),
]
