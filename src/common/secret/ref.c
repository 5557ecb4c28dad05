/* References to secrets in configuration files: env:NAME, file:PATH, systemd:NAME. */
#include "secret/memory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/text.h"

struct ref_kind {
	const char *scheme;
	bool (*valid)(const char *name);
	int (*read)(const char *name, struct secret **ret_secret, struct err *e);
};

static bool is_variable(const char *name)
{
	if (!*name || isdigit((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

static bool is_path(const char *name)
{
	if (!*name)
		return false;
	for (; *name; name++)
		if (iscntrl((unsigned char)*name))
			return false;
	return true;
}

static bool is_credential(const char *name)
{
	return is_path(name) && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

static int read_file(const char *path, struct secret **ret_secret, struct err *e)
{
	/* Without O_NONBLOCK, opening a FIFO would wait for its writer. */
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return err_errno(e, errno, "cannot open %s", path);
	return secret_read_fd(fd, path, ret_secret, e);
}

static int read_credential(const char *name, struct secret **ret_secret, struct err *e)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	auto_free char *path = NULL;

	if (!dir || !*dir)
		return err_set(e, ERR_NOT_FOUND,
			"no systemd credential %s: CREDENTIALS_DIRECTORY is not set; add "
			"LoadCredential= to the service",
			name);
	path = fs_join(dir, name);
	return read_file(path, ret_secret, e);
}

static const struct ref_kind kinds[] = {
	{.scheme = "env:", .valid = is_variable, .read = secret_read_variable},
	{.scheme = "file:", .valid = is_path, .read = read_file},
	{.scheme = "systemd:", .valid = is_credential, .read = read_credential},
};

/* NULL if the text is not a reference. */
static const struct ref_kind *find_kind(const char *ref, const char **ret_name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *name = ref + strlen(kinds[i].scheme);

		if (!text_has_prefix(ref, kinds[i].scheme))
			continue;
		*ret_name = name;
		return kinds[i].valid(name) ? &kinds[i] : NULL;
	}
	return NULL;
}

bool secret_ref_valid(const char *ref)
{
	const char *name;

	return find_kind(ref, &name);
}

int secret_ref_read(const char *ref, struct secret **ret_secret, struct err *e)
{
	const char *name = NULL;
	const struct ref_kind *kind = find_kind(ref, &name);

	if (!kind)
		return err_set(e, ERR_CONFIG,
			"not a reference to a secret: write env:NAME, file:PATH or systemd:NAME");
	return kind->read(name, ret_secret, e);
}
