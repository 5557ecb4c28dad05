/*
 * The pages of the last list, so that a page that says the same again, which is nearly always so,
 * is not read again: a digest of its bytes costs a twentieth of that.
 */
#ifndef API_PAGES_H
#define API_PAGES_H

#include "api/answer.h"
#include "base/map.h"

struct api_pages { /* struct api_page * by the digest of the body */
	struct map last;
	struct map current;
};

/* A list begins anew: of the pages so far those of the last list count. */
void api_pages_begin(struct api_pages *p);
/* As api_answer_read, for an answer to API_LIST. */
struct api_answer *api_pages_read(
	struct api_pages *p, uint64_t token, const struct api_raw_answer *raw);
void api_pages_release(struct api_pages *p);

#endif
