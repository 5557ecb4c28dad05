/*
 * A runner carries out replication for one fleet; a runner type is one way of doing so. The server
 * decides what is to run, the runner does it and reports:
 *
 *	runner->type->start(runner, &workload, now);   // later update, at last stop
 *	…
 *	while (runner->type->observe(runner, now, &report))   // from the loop, again at next_due
 *		…
 *
 * No call blocks and none fails: what goes wrong is reported. Each start, update and stop leads to
 * one report that carries its ticket. A later call for the same replicator takes precedence; the
 * report of the earlier one may still come or not, so the server looks at the ticket. After a
 * restart of the program, and after reports that could not be saved, the server repeats the calls
 * that had none, and has the runner forget those that are to come before. Time is monotonic
 * milliseconds.
 */
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "doc/node.h"
#include "model/spec.h"

/* What is to run for one replicator; everything in it is valid during the call only. */
struct workload {
	const char *uid; /* names it for as long as it lives */
	const char *identifier;
	int64_t generation;
	const struct spec *spec; /* NULL for stop */
	int64_t ticket; /* of the call; the server's */
};

enum runner_outcome {
	RUNNER_RUNNING, /* it runs at the generation that was asked for */
	RUNNER_FAILED,
	RUNNER_GONE /* stopped, and nothing of it is left */
};

#define RUNNER_MESSAGE_MAX 256

struct runner_report {
	int64_t ticket;
	enum runner_outcome outcome;
	char message[RUNNER_MESSAGE_MAX]; /* for people */
};

/* `simulate:` of a fleet. */
struct simulate_config {
	int64_t delay_ms;
	const struct node *fail; /* a list of shell patterns over identifiers, or NULL; must outlive
				    the runner */
};

struct runner;

struct runner_type {
	const char *name;
	const char *note; /* what a reader of a status has to know about this type, or "" */
	const char *const *providers; /* that it can serve, ended by NULL */
	struct runner *(*new)(const struct simulate_config *simulate);
	void (*free)(struct runner *r);
	void (*start)(struct runner *r, const struct workload *w, int64_t now_ms);
	void (*update)(struct runner *r, const struct workload *w, int64_t now_ms);
	void (*stop)(struct runner *r, const struct workload *w, int64_t now_ms);
	/* False when there is nothing to report now. */
	bool (*observe)(struct runner *r, int64_t now_ms, struct runner_report *ret_report);
	/* No call made so far leads to a report any more. */
	void (*forget)(struct runner *r);
	/* When observe may next have something; INT64_MAX: not before another call. */
	int64_t (*next_due)(const struct runner *r);
};

/* The first member of each type's own struct. */
struct runner {
	const struct runner_type *type;
};

/* Moves no data and says so: everything succeeds after `delay`, but for what `fail` names. */
extern const struct runner_type runner_simulate;

/* In the order of the names below. */
extern const struct runner_type *const runner_types[];
/* The words for `runner:` in the configuration, ended by NULL. */
extern const char *const runner_names[];

/* NULL is fine. */
void runner_free(struct runner *r);

#endif
