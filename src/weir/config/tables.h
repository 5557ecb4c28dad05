/*
 * What the files of this folder share.
 */
#ifndef CONFIG_TABLES_H
#define CONFIG_TABLES_H

#include "config/config.h"

extern const struct field config_fields[];

/* What the keys of `sync` say together; makes the windows. */
void config_check_sync(struct config *c, const struct node *root, struct problems *problems);
/* Keys that are of no use because of what others say. After the forge is known. */
void config_check_use(const struct config *c, const struct node *root, struct problems *problems);
/* Fills in the forge's type, address and repository. `ret_key` is the key of `forge` that an error
 * is about. */
int config_find_forge(struct config *c, const char **ret_key, struct err *e);

#endif
