/* Opening and closing a source. */
#include "source/source.h"

#include <string.h>

#include "base/alloc.h"
#include "source/internal.h"

/* Slashes at either end are what people write; the tree has none. */
static char *trim_slashes(const char *path)
{
	path += strspn(path, "/");
	size_t len = strlen(path);
	while (len > 0 && path[len - 1] == '/')
		len--;
	return xmemdupz(path, len);
}

static int check_branch(const struct source *s, struct err *e)
{
	int valid = 0;

	if (git_reference_name_is_valid(&valid, s->ref) < 0 || !valid)
		return err_set(e, ERR_CONFIG, "'%s' is no name of a branch", s->branch);
	return 0;
}

int source_open(const struct source_options *options, struct source **ret_source, struct err *e)
{
	struct source *s = xcalloc(1, sizeof(*s));

	libgit_setup();
	s->branch = xstrdup(options->branch);
	s->ref = xasprintf("refs/heads/%s", options->branch);
	s->path = trim_slashes(options->path ? options->path : "");
	s->token_ref = xstrdup_opt(options->token_ref);
	s->user = xstrdup_opt(options->user);
	s->ssh_key = xstrdup_opt(options->ssh_key);
	s->known_hosts = xstrdup_opt(options->known_hosts);
	s->timeout_ms = options->timeout_ms;
	s->mirror.lock_fd = -1;
	int rc = location_parse(options->url, &s->location, e);
	if (rc == 0)
		rc = check_branch(s, e);
	if (rc == 0 && s->location.kind == LOCATION_HTTP)
		s->http = http_client_new(&(struct http_options){.ca_file = options->ca_file});
	if (rc == 0)
		rc = mirror_open(&s->mirror, options->mirror, e);
	if (rc < 0) {
		source_free(s);
		return rc;
	}
	*ret_source = s;
	return 0;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	source_drop_parsed(&s->parsed);
	mirror_close(&s->mirror);
	http_client_free(s->http);
	location_release(&s->location);
	free(s->branch);
	free(s->ref);
	free(s->path);
	free(s->token_ref);
	free(s->user);
	free(s->ssh_key);
	free(s->known_hosts);
	free(s);
}
