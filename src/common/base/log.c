/* One line per event on standard error. */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"

static const char *const level_names[LOG__COUNT] = {
	[LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn", [LOG_ERROR] = "error"};

static atomic_int least_level = LOG_INFO;
static atomic_int line_format = LOG_TEXT;
static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;

void log_setup(enum log_level least, enum log_format format)
{
	atomic_store(&least_level, (int)least);
	atomic_store(&line_format, (int)format);
}

bool log_level_parse(const char *word, enum log_level *ret_level)
{
	for (int i = 0; i < LOG__COUNT; i++) {
		if (strcmp(word, level_names[i]) == 0) {
			*ret_level = (enum log_level)i;
			return true;
		}
	}
	return false;
}

static void add_text_value(struct buf *line, const char *value)
{
	if (*value && !strpbrk(value, " \"=\\"))
		text_escape(line, value, strlen(value));
	else
		text_quote_json(line, value, strlen(value));
}

static void add_text(struct buf *line, enum log_level level, const char *message, va_list ap)
{
	char when[CLOCK_TEXT_MAX];
	const char *key;

	buf_addf(line, "%s %-5s ", clock_format(clock_wall_ms(&clock_real), when),
		level_names[level]);
	text_escape(line, message, strlen(message));
	while ((key = va_arg(ap, const char *))) {
		const char *value = va_arg(ap, const char *);

		if (!value)
			continue;
		buf_addf(line, " %s=", key);
		add_text_value(line, value);
	}
}

static void add_json_pair(struct buf *line, const char *key, const char *value)
{
	buf_addc(line, line->len ? ',' : '{');
	text_quote_json(line, key, strlen(key));
	buf_addc(line, ':');
	text_quote_json(line, value, strlen(value));
}

static void add_json(struct buf *line, enum log_level level, const char *message, va_list ap)
{
	char when[CLOCK_TEXT_MAX];
	const char *key;

	add_json_pair(line, "time", clock_format(clock_wall_ms(&clock_real), when));
	add_json_pair(line, "level", level_names[level]);
	add_json_pair(line, "message", message);
	while ((key = va_arg(ap, const char *))) {
		const char *value = va_arg(ap, const char *);

		if (value)
			add_json_pair(line, key, value);
	}
	buf_addc(line, '}');
}

/* A log that cannot be written has nowhere to say so. */
static void write_all(const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		data += n;
		len -= (size_t)n;
	}
}

void log_line(enum log_level level, const char *message, ...)
{
	auto_buf struct buf line = BUF_INIT;
	va_list ap;

	if ((int)level < atomic_load(&least_level))
		return;
	va_start(ap, message);
	if (atomic_load(&line_format) == LOG_JSON)
		add_json(&line, level, message, ap);
	else
		add_text(&line, level, message, ap);
	va_end(ap);
	buf_addc(&line, '\n');
	pthread_mutex_lock(&write_lock);
	write_all(line.data, line.len);
	pthread_mutex_unlock(&write_lock);
}
