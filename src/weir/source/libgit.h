/*
 * libgit2 as this folder uses it: set up once, blind to the settings of users and machines, objects
 * freed by scope.
 */
#ifndef SOURCE_LIBGIT_H
#define SOURCE_LIBGIT_H

#include <git2.h>

/* Before anything else of libgit2's; from any thread, any number of times. */
void libgit_setup(void);

/* The class (git_error_t) and the words of the call that failed last on this thread. Some failures
 * have neither. */
int libgit_class(void);
const char *libgit_says(void);

#define LIBGIT_AUTO(name, type)                                                                    \
	static inline void name##_freep(type **p)                                                  \
	{                                                                                          \
		type##_free(*p);                                                                   \
	}

LIBGIT_AUTO(repository, git_repository)
LIBGIT_AUTO(odb, git_odb)
LIBGIT_AUTO(object, git_object)
LIBGIT_AUTO(commit, git_commit)
LIBGIT_AUTO(tree, git_tree)
LIBGIT_AUTO(blob, git_blob)
LIBGIT_AUTO(reference, git_reference)
LIBGIT_AUTO(signature, git_signature)

#define auto_repository __attribute__((cleanup(repository_freep)))
#define auto_odb	__attribute__((cleanup(odb_freep)))
#define auto_object	__attribute__((cleanup(object_freep)))
#define auto_commit	__attribute__((cleanup(commit_freep)))
#define auto_tree	__attribute__((cleanup(tree_freep)))
#define auto_blob	__attribute__((cleanup(blob_freep)))
#define auto_reference	__attribute__((cleanup(reference_freep)))
#define auto_signature	__attribute__((cleanup(signature_freep)))

#endif
