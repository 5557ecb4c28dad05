/* Reads files and variables straight into locked memory: no stdio, no buffer in between. */
#include "secret/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/limits.h"

static int read_all(int fd, char *into, size_t size, size_t *ret_len)
{
	size_t len = 0;

	while (len < size) {
		ssize_t got = read(fd, into + len, size - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	*ret_len = len;
	return 0;
}

static size_t without_line_end(const char *data, size_t len)
{
	if (len && data[len - 1] == '\n')
		len--;
	if (len && data[len] == '\n' && data[len - 1] == '\r')
		len--;
	return len;
}

static int check_content(const struct secret *s, const char *name, struct err *e)
{
	if (!s->len)
		return err_set(e, ERR_INVALID, "%s is empty", name);
	if (memchr(s->bytes, '\0', s->len))
		return err_set(e, ERR_INVALID, "%s holds a NUL byte: a secret is text", name);
	return 0;
}

int secret_read_fd(int fd, const char *name, struct secret **ret_secret, struct err *e)
{
	auto_secret struct secret *s = NULL;
	struct stat st;
	size_t len;

	if (fstat(fd, &st) < 0)
		return err_errno(e, errno, "cannot look at %s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INVALID, "%s is not a regular file", name);
	if (st.st_size > (off_t)LIMIT_SECRET_BYTES)
		return err_set(e, ERR_LIMIT, "%s has more than %u bytes, too many for a secret",
			name, LIMIT_SECRET_BYTES);

	s = secret_alloc((size_t)st.st_size);
	if (read_all(fd, s->bytes, s->len, &len) < 0)
		return err_errno(e, errno, "cannot read %s", name);
	secret_cut(s, without_line_end(s->bytes, len));
	if (check_content(s, name, e) < 0)
		return -ERR_INVALID;
	*ret_secret = TAKE(s);
	return 0;
}

int secret_read_variable(const char *name, struct secret **ret_secret, struct err *e)
{
	const char *value = getenv(name);

	if (!value)
		return err_set(e, ERR_NOT_FOUND,
			"environment variable %s is not set; set it where the program is started",
			name);
	if (!*value)
		return err_set(e, ERR_INVALID, "environment variable %s is empty", name);
	if (strlen(value) > LIMIT_SECRET_BYTES)
		return err_set(e, ERR_LIMIT,
			"environment variable %s has more than %u bytes, too many for a secret",
			name, LIMIT_SECRET_BYTES);
	*ret_secret = secret_new(value, strlen(value));
	return 0;
}
