/* Repositories in a folder, where `git upload-pack` and `git receive-pack` are run, and at the
 * other end of ssh: programs on pipes, ended at the deadline. */
#include "source/wire.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/strv.h"
#include "source/filter.h"
#include "source/ssh.h"

struct program {
	git_smart_subtransport base;
	git_smart_subtransport_stream stream; /* one for the whole conversation */
	struct wire *wire;
	struct proc *proc;
};

/*
 * An empty GIT_PROTOCOL is version 0, the one that libgit2 speaks. Reading runs nothing that the
 * repository names, so it may belong to anybody; a push runs its hooks, so there git's own check of
 * the owner stands.
 */
static int start_git(struct program *p, struct err *e)
{
	auto_strv struct strv argv = VEC_INIT;
	auto_strv struct strv env = VEC_INIT;

	strv_push(&argv, "git");
	strv_push(&env, "GIT_PROTOCOL=");
	if (p->wire->pushing) {
		strv_push(&argv, "receive-pack");
	} else {
		strv_push(&argv, "-c");
		strv_push(&argv, "safe.directory=*");
		strv_push(&argv, "-c");
		strv_push(&argv, "uploadpack.allowFilter=true");
		strv_push(&argv, "upload-pack");
		strv_push(&env, "GIT_NO_LAZY_FETCH=1");
		strv_push(&env, "LC_ALL=C");
	}
	strv_push(&argv, p->wire->source->location.path);
	return proc_start(strv_argv(&argv), strv_argv(&env), &p->proc, e);
}

static int start_in_folder(struct program *p, struct err *e)
{
	struct stat st;

	if (stat(p->wire->source->location.path, &st) < 0 || !S_ISDIR(st.st_mode))
		return err_set(e, ERR_NOT_FOUND,
			"there is no such folder; check source.url, or make it with `git init "
			"--bare`");
	return start_git(p, e);
}

static int begin(struct program *p)
{
	const struct source *s = p->wire->source;
	struct err e = ERR_INIT;
	int rc = s->location.kind == LOCATION_SSH
			 ? ssh_start(s, p->wire->pushing, wire_ms_left(p->wire), &p->proc, &e)
			 : start_in_folder(p, &e);

	return rc < 0 ? wire_fail(p->wire, &e) : 0;
}

static int program_action(git_smart_subtransport_stream **ret, git_smart_subtransport *base,
	const char *url, git_smart_service_t service)
{
	struct program *p = (struct program *)base;

	(void)url;
	switch (service) {
	case GIT_SERVICE_UPLOADPACK_LS:
	case GIT_SERVICE_RECEIVEPACK_LS:
		if (begin(p) < 0)
			return -1;
		break;
	case GIT_SERVICE_UPLOADPACK:
		/* libgit2 says goodbye with this one after a push as well. */
		if (p->wire->pushing)
			return -1;
		p->wire->max_received = LIMIT_PACK_BYTES;
		break;
	case GIT_SERVICE_RECEIVEPACK:
		break;
	}
	*ret = &p->stream;
	return 0;
}

static int program_read(
	git_smart_subtransport_stream *stream, char *out, size_t size, size_t *ret_got)
{
	struct program *p = (struct program *)stream->subtransport;
	struct err e = ERR_INIT;

	*ret_got = 0;
	if (wire_check_deadline(p->wire) < 0)
		return -1;
	if (proc_read(p->proc, out, size, ret_got, p->wire->deadline_mono_ms, &e) < 0)
		return wire_fail(p->wire, &e);
	if (*ret_got == 0) {
		const char *said = proc_last_words(p->proc);

		wire_heard(p->wire, said, strlen(said));
	}
	return wire_received(p->wire, out, *ret_got);
}

static int program_write(git_smart_subtransport_stream *stream, const char *data, size_t len)
{
	struct program *p = (struct program *)stream->subtransport;
	auto_buf struct buf filtered = BUF_INIT;
	struct err e = ERR_INIT;

	if (filter_wants(p->wire, data, len, &filtered)) {
		data = buf_str(&filtered);
		len = filtered.len;
	}
	if (proc_write(p->proc, data, len, p->wire->deadline_mono_ms, &e) < 0)
		return wire_fail(p->wire, &e);
	return 0;
}

/* Its exit status says nothing that its answer did not. */
static void program_end(git_smart_subtransport_stream *stream)
{
	struct program *p = (struct program *)stream->subtransport;
	int status;

	if (!p->proc)
		return;
	if (p->wire->pushing)
		wire_drain(p->wire, stream);
	proc_finish(TAKE(p->proc), p->wire->deadline_mono_ms, &status, NULL);
}

static int program_close(git_smart_subtransport *base)
{
	program_end(&((struct program *)base)->stream);
	return 0;
}

static void program_free(git_smart_subtransport *base)
{
	program_close(base);
	free(base);
}

int wire_over_program(git_smart_subtransport **ret, git_transport *owner, void *wire)
{
	struct program *p = xcalloc(1, sizeof(*p));

	(void)owner;
	*p = (struct program){
		.base = {program_action, program_close, program_free},
		.stream = {&p->base, program_read, program_write, program_end},
		.wire = wire,
	};
	*ret = &p->base;
	return 0;
}
