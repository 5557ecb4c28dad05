/*
 * One HTTP call as libcurl sees it: what client, stream and pool have in common.
 *
 *	call_start(&c, options, request, e);    // sets up c.easy; the request must outlive it
 *	curl_multi_add_handle(multi, c.easy);   // … until it is done with a CURLcode
 *	call_finish(&c, code, ret_response, e);
 *	call_release(&c);                       // in any case, after curl_multi_remove_handle
 */
#ifndef NET_CALL_H
#define NET_CALL_H

#include <curl/curl.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/http.h"

/* A copy of struct http_options with the defaults filled in. */
struct net_options {
	char *ca_file;
	char *proxy;
	char *socket;
	unsigned max_connections;
};

struct net_options net_options_dup(const struct http_options *options);
void net_options_release(struct net_options *options);

struct call {
	CURL *easy;
	struct curl_slist *headers;
	const char *const *wanted; /* as the request's */
	char *peer; /* "host:port" or the path of a socket, for messages */
	struct buf body; /* what came and was not taken yet */
	size_t header_bytes; /* that came so far */
	size_t body_bytes; /* after decoding */
	size_t max_body_bytes;
	bool tls_began;
	bool has_headers; /* those of the last answer, not of a "100 Continue", are complete */
	size_t over_limit; /* the limit that was passed, 0 if none */
	bool is_done;
	CURLcode result;
	char detail[CURL_ERROR_SIZE];
};

int call_start(struct call *c, const struct net_options *options, const struct http_request *r,
	struct err *e);
/* Everything but the body. */
void call_take_headers(struct call *c, struct http_response *ret_response);
/* 0 and the answer, or the error that `result` means. */
int call_finish(struct call *c, struct http_response *ret_response, struct err *e);
void call_release(struct call *c);
/* Sets is_done and result of the calls that ended; the call is found through CURLOPT_PRIVATE. */
void call_collect(CURLM *multi);

/* What went wrong, with whom, in which step and when. */
int call_fail(const struct call *c, struct err *e);

/* libcurl is told once, before its first use, to wipe what it frees. */
void net_setup(void);
void net_check_multi(CURLMcode code);

/* Parses; ERR_INVALID if it is no http or https URL or has credentials in it. */
int url_parse_http(const char *url, CURLU **ret_parsed, struct err *e);
/* "host:port" of a URL that url_parse_http took. */
char *url_peer(CURLU *parsed);

#endif
