/*
 * From an HTTP answer to what it means: for the transport, and for tests that hand in answers of
 * their own.
 */
#ifndef API_ANSWER_H
#define API_ANSWER_H

#include "api/api.h"

struct api_raw_answer {
	int status;
	const char *content_type;
	const char *body;
	size_t body_len;
	int64_t retry_after_ms;
};

/* Never fails: an answer that cannot be read is API_NONSENSE with a message. The caller frees it.
 */
struct api_answer *api_answer_read(
	enum api_verb verb, uint64_t token, const struct api_raw_answer *raw);
/* For a page of the list that says what it said before. */
struct api_answer *api_answer_again(uint64_t token, struct api_page *page);
/* For a call that got no answer at all. */
struct api_answer *api_answer_failed(enum api_verb verb, uint64_t token, const struct err *err);

#endif
