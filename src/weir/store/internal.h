/*
 * What the files of the store share.
 */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include "db/db.h"
#include "store/store.h"

struct store {
	struct db *db;
	char *scope;
	int lock; /* -1: none */
};

/* Opens a file and brings its schema up to date. */
int store_open_file(const char *path, struct db **ret_db, struct err *e);

/* Only to look at it: an older one is brought up to date in memory. */
int store_look_at_file(const char *path, struct db **ret_db, struct err *e);

/* A column as a string of the caller's; NULL for NULL. */
char *store_text(struct db_stmt *s, int col);

#endif
