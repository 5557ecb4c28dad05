/*
 * One line per event on stderr, as text for people or as JSON for machines:
 *
 *	log_info("replicator is healthy", "replicator", name, "generation", text, NULL);
 *
 * The message is a constant; what varies stands in pairs of key and string behind it, ended by
 * NULL. A NULL value leaves its pair out. Control characters are escaped, so that a line cannot be
 * forged. Who handles an error logs it, once; libraries do not log above debug. May be called from
 * any thread.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG__COUNT };

enum log_format { LOG_TEXT, LOG_JSON };

void log_setup(enum log_level least, enum log_format format);
/* False if the word is none of debug, info, warn, error. */
bool log_level_parse(const char *word, enum log_level *ret_level);

void log_line(enum log_level level, const char *message, ...) __attribute__((sentinel));

#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)

#endif
