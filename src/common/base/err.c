/* Errors: one table of codes, one of the errno values that people meet. */
#include "base/err.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define EXIT_FAILED 1
#define EXIT_USAGE  64

static const struct {
	const char *name;
	int exit_status;
	int http_status;
} codes[ERR__COUNT] = {
	[ERR_OK] = {"ok", 0, 200},
	[ERR_USAGE] = {"usage", EXIT_USAGE, 400},
	[ERR_CONFIG] = {"config", EXIT_FAILED, 500},
	[ERR_INVALID] = {"invalid", EXIT_FAILED, 400},
	[ERR_NOT_FOUND] = {"not-found", EXIT_FAILED, 404},
	[ERR_CONFLICT] = {"conflict", EXIT_FAILED, 409},
	[ERR_AUTH] = {"auth", EXIT_FAILED, 401},
	[ERR_DENIED] = {"denied", EXIT_FAILED, 403},
	[ERR_LIMIT] = {"limit", EXIT_FAILED, 413},
	[ERR_UNAVAILABLE] = {"unavailable", EXIT_FAILED, 503},
	[ERR_TIMEOUT] = {"timeout", EXIT_FAILED, 504},
	[ERR_REMOTE] = {"remote", EXIT_FAILED, 502},
	[ERR_IO] = {"io", EXIT_FAILED, 500},
	[ERR_CANCELLED] = {"cancelled", EXIT_FAILED, 503},
	[ERR_INTERNAL] = {"internal", EXIT_FAILED, 500},
};

struct errno_row {
	int errnum;
	enum err_code code;
	bool retriable;
	const char *hint; /* NULL: the text says enough */
};

static const struct errno_row errno_rows[] = {
	{ENOENT, ERR_NOT_FOUND, false, NULL},
	{EEXIST, ERR_CONFLICT, false, NULL},
	{EACCES, ERR_IO, false, "check the owner and the mode"},
	{EPERM, ERR_IO, false, "check the owner and the mode"},
	{EROFS, ERR_IO, false, "choose a place that can be written to"},
	{ENOSPC, ERR_IO, true, "free some space on that disk"},
	{EDQUOT, ERR_IO, true, "free some space or raise the quota"},
	{EMFILE, ERR_IO, true, "raise the limit of open files (ulimit -n)"},
	{ENFILE, ERR_IO, true, "the machine has too many files open"},
	{EAGAIN, ERR_IO, true, NULL},
	{EADDRINUSE, ERR_CONFLICT, false, "another program listens there; choose another port"},
	{EADDRNOTAVAIL, ERR_IO, false, "this machine does not have that address"},
	{ECONNREFUSED, ERR_UNAVAILABLE, true, NULL},
	{ETIMEDOUT, ERR_TIMEOUT, true, NULL},
};

/* Fills the fixed message from a text of any length and content. */
static void fill_message(struct err *e, const char *text)
{
	text_escape_into(e->msg, sizeof(e->msg), text);
}

int err_vset(struct err *e, enum err_code code, const char *fmt, va_list ap)
{
	if (!e)
		return -(int)code;
	if (e->code != ERR_OK)
		return -(int)e->code;
	auto_free char *text = xvasprintf(fmt, ap);
	e->code = code;
	fill_message(e, text);
	return -(int)code;
}

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int rc = err_vset(e, code, fmt, ap);
	va_end(ap);
	return rc;
}

int err_retriable(struct err *e, enum err_code code, const char *fmt, ...)
{
	bool first = e && e->code == ERR_OK;
	va_list ap;

	va_start(ap, fmt);
	int rc = err_vset(e, code, fmt, ap);
	va_end(ap);
	if (first)
		e->retriable = true;
	return rc;
}

static const struct errno_row *find_errno(int errnum)
{
	static const struct errno_row other = {0, ERR_IO, false, NULL};

	for (size_t i = 0; i < ARRAY_SIZE(errno_rows); i++)
		if (errno_rows[i].errnum == errnum)
			return &errno_rows[i];
	return &other;
}

int err_errno(struct err *e, int errnum, const char *fmt, ...)
{
	const struct errno_row *row = find_errno(errnum);
	const char *description = strerrordesc_np(errnum);
	bool first = e && e->code == ERR_OK;
	va_list ap;

	va_start(ap, fmt);
	auto_free char *what = xvasprintf(fmt, ap);
	va_end(ap);
	if (!description)
		description = "unknown error";
	int rc = err_set(e, row->code, "%s: %c%s%s%s", what, tolower((unsigned char)description[0]),
		description + 1, row->hint ? "; " : "", row->hint ? row->hint : "");
	if (first)
		e->retriable = row->retriable;
	return rc;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -(int)ERR_INTERNAL;
	va_start(ap, fmt);
	auto_free char *words = xvasprintf(fmt, ap);
	va_end(ap);
	auto_free char *text = xasprintf("%s: %s", words, e->msg);
	fill_message(e, text);
	return -(int)e->code;
}

void err_clear(struct err *e)
{
	*e = (struct err)ERR_INIT;
}

const char *err_name(enum err_code code)
{
	return codes[code].name;
}

int err_exit_status(enum err_code code)
{
	return codes[code].exit_status;
}

int err_http_status(enum err_code code)
{
	return codes[code].http_status;
}
