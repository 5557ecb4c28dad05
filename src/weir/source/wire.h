/*
 * The bytes of one connection to a Git server, whichever way they travel: counted, limited, under
 * one deadline, and with the first error that they met. Underneath libgit2, which carries our
 * failures upwards only as a number.
 */
#ifndef SOURCE_WIRE_H
#define SOURCE_WIRE_H

#include <git2/sys/transport.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/internal.h"

struct wire {
	const struct source *source;
	bool pushing;
	int64_t deadline_mono_ms;
	uint64_t n_received;
	uint64_t max_received;
	struct err err; /* the first; what libgit2 says afterwards is a consequence */
	char greeting[16384]; /* how the server's first answer begins */
	size_t n_greeting;
	struct buf said; /* what the other side wrote for people to read */
};

void wire_init(struct wire *w, const struct source *source, bool pushing, int64_t deadline_mono_ms);
void wire_release(struct wire *w);

/* All return -1, for libgit2, or 0. */
int wire_received(struct wire *w, const char *data, size_t len);
int wire_fail(struct wire *w, const struct err *why);
int wire_check_deadline(struct wire *w);

/*
 * Reads what libgit2 left of an answer, up to a limit: a connection can be used again only when it
 * is read to its end, and hooks that run after a push should find somebody who listens.
 */
void wire_drain(struct wire *w, git_smart_subtransport_stream *stream);

int64_t wire_ms_left(const struct wire *w);
void wire_heard(struct wire *w, const char *text, size_t len);
bool wire_greeting_has(const struct wire *w, const char *text);

/* The two ways: callbacks for git_transport_smart, whose parameter is the wire. */
int wire_over_program(git_smart_subtransport **ret, git_transport *owner, void *wire);
int wire_over_http(git_smart_subtransport **ret, git_transport *owner, void *wire);

#endif
