/*
 * The tables of weir.yaml, for config.c alone.
 */
#ifndef CONFIG_TABLES_H
#define CONFIG_TABLES_H

#include "doc/fields.h"

extern const struct field config_fields[];

#endif
