/* The command line of ssh. */
#include "source/ssh.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/strv.h"

#define CONNECT_SECONDS_MOST 30

/* What stands here wins over the user's configuration: no questions, nobody else's connection,
 * nothing forwarded, and a server that is gone is noticed after 45 seconds. */
static const char *const settings[] = {
	"BatchMode=yes",
	"ClearAllForwardings=yes",
	"ControlMaster=no",
	"ControlPath=none",
	"ForwardAgent=no",
	"ForwardX11=no",
	"LogLevel=ERROR",
	"PermitLocalCommand=no",
	"RemoteCommand=none",
	"RequestTTY=no",
	"ServerAliveInterval=15",
	"ServerAliveCountMax=3",
};

static void push_setting(struct strv *argv, const char *setting)
{
	strv_push(argv, "-o");
	strv_push(argv, setting);
}

/* `key` is the one of weir.yaml that names it. */
static int push_file(
	struct strv *argv, const char *setting, const char *key, const char *path, struct err *e)
{
	auto_free char *named = xasprintf("%s=\"%s\"", setting, path);

	if (access(path, R_OK) < 0)
		return err_set(e, ERR_AUTH, "%s: %s cannot be read: %s", key, path,
			strerrordesc_np(errno));
	push_setting(argv, named);
	return 0;
}

static int push_files(struct strv *argv, const struct source *s, struct err *e)
{
	int rc = 0;

	if (s->ssh_key) {
		push_setting(argv, "IdentitiesOnly=yes");
		rc = push_file(argv, "IdentityFile", "source.ssh_key", s->ssh_key, e);
	}
	if (rc == 0 && s->known_hosts) {
		push_setting(argv, "StrictHostKeyChecking=yes");
		push_setting(argv, "UpdateHostKeys=no");
		push_setting(argv, "GlobalKnownHostsFile=/dev/null");
		rc = push_file(argv, "UserKnownHostsFile", "source.known_hosts", s->known_hosts, e);
	}
	return rc;
}

/* A shell at the other end reads it. */
static char *make_command(const char *program, const char *path)
{
	auto_buf struct buf out = BUF_INIT;

	buf_addf(&out, "%s '", program);
	for (; *path; path++) {
		if (*path == '\'' || *path == '!')
			buf_addf(&out, "'\\%c'", *path);
		else
			buf_addc(&out, *path);
	}
	buf_addc(&out, '\'');
	return buf_take(&out);
}

static void push_connection(struct strv *argv, const struct source *s, int64_t ms_left)
{
	int64_t seconds = ms_left / 1000 + 1;
	int64_t most = seconds < CONNECT_SECONDS_MOST ? seconds : CONNECT_SECONDS_MOST;
	auto_free char *connecting = xasprintf("ConnectTimeout=%d", (int)most);

	push_setting(argv, connecting);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		push_setting(argv, settings[i]);
	if (s->location.port) {
		strv_push(argv, "-p");
		strv_push(argv, s->location.port);
	}
}

static int run_ssh(struct strv *argv, struct proc **ret_proc, struct err *e)
{
	/* Its words are looked up in a table. */
	char *const env[] = {(char[]){"LC_ALL=C"}, NULL};
	struct err low = ERR_INIT;

	if (proc_start(strv_argv(argv), env, ret_proc, &low) == 0)
		return 0;
	if (low.code != ERR_NOT_FOUND)
		return err_set(e, low.code, "%s", low.msg);
	return err_set(e, ERR_CONFIG, "there is no ssh; install OpenSSH's client");
}

int ssh_start(const struct source *s, bool pushing, int64_t ms_left, struct proc **ret_proc,
	struct err *e)
{
	const struct location *l = &s->location;
	auto_free char *command =
		make_command(pushing ? "git-receive-pack" : "git-upload-pack", l->path);
	auto_strv struct strv argv = VEC_INIT;

	strv_push(&argv, "ssh");
	push_connection(&argv, s, ms_left);
	int rc = push_files(&argv, s, e);
	if (rc < 0)
		return rc;
	strv_push(&argv, "--");
	strv_push(&argv, l->host);
	strv_push(&argv, command);
	return run_ssh(&argv, ret_proc, e);
}
