/* libgit2's settings, which are the process's, and its last error, which is the thread's. */
#include "source/libgit.h"

#include <pthread.h>

#include "base/alloc.h"

/* Trees and commits that were read stay in memory up to here; blobs never do. */
#define OBJECT_CACHE_BYTES ((ssize_t)8 << 20)

static void set_up_once(void)
{
	static const int levels[] = {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
		GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_PROGRAMDATA};

	if (git_libgit2_init() < 0)
		BUG("libgit2: %s", libgit_says());
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
	/* The only repository it opens is our mirror, which is below our own lock. */
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, OBJECT_CACHE_BYTES);
}

void libgit_setup(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_up_once);
}

int libgit_class(void)
{
	const git_error *last = git_error_last();

	return last ? last->klass : GIT_ERROR_NONE;
}

const char *libgit_says(void)
{
	const git_error *last = git_error_last();

	return last && last->message ? last->message : "libgit2 gives no reason";
}
