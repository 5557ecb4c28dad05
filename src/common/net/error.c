/* What went wrong on the way, in words that name whom, which step, how long, and what to do. */
#include "net/call.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

/* A step is over once libcurl has a time for it; the first that is not is where it happened. */
static const struct step {
	CURLINFO over;
	const char *name;
} steps[] = {
	{CURLINFO_NAMELOOKUP_TIME_T, "looking up the name"},
	{CURLINFO_PRETRANSFER_TIME_T, "connecting"},
	{CURLINFO_STARTTRANSFER_TIME_T, "waiting for the answer"},
};

enum detail {
	NO_DETAIL,
	OF_SYSTEM, /* errno's text */
	OF_LIBRARY, /* what libcurl put into CURLOPT_ERRORBUFFER */
};

static const struct failure {
	CURLcode result;
	enum err_code code;
	bool retriable;
	const char *what;
	enum detail detail;
	const char *hint;
} failures[] = {
	{CURLE_COULDNT_RESOLVE_HOST, ERR_UNAVAILABLE, true, "its name cannot be resolved",
		NO_DETAIL, "check the name and this machine's DNS"},
	{CURLE_COULDNT_RESOLVE_PROXY, ERR_UNAVAILABLE, true,
		"the name of the proxy cannot be resolved", NO_DETAIL, "check the proxy setting"},
	{CURLE_COULDNT_CONNECT, ERR_UNAVAILABLE, true, "cannot be reached", OF_SYSTEM,
		"check the address, and that the server is running"},
	{CURLE_OPERATION_TIMEDOUT, ERR_TIMEOUT, true, "timed out", NO_DETAIL,
		"check the server and the network between"},
	{CURLE_PEER_FAILED_VERIFICATION, ERR_AUTH, false, "its certificate is refused", OF_LIBRARY,
		"correct it, or name a CA file that vouches for it"},
	{CURLE_SSL_CACERT_BADFILE, ERR_CONFIG, false, "the CA file cannot be used", OF_LIBRARY,
		"check that it exists and is in PEM form"},
	{CURLE_SSL_CONNECT_ERROR, ERR_UNAVAILABLE, true, "TLS failed", OF_LIBRARY,
		"check that the port speaks TLS"},
	{CURLE_GOT_NOTHING, ERR_UNAVAILABLE, true, "it closed the connection without an answer",
		NO_DETAIL, "see the server's log"},
	{CURLE_SEND_ERROR, ERR_UNAVAILABLE, true, "the connection broke", OF_LIBRARY,
		"see the server's log"},
	{CURLE_RECV_ERROR, ERR_UNAVAILABLE, true, "the connection broke", OF_LIBRARY,
		"see the server's log"},
	{CURLE_PARTIAL_FILE, ERR_UNAVAILABLE, true, "the answer ended before it was complete",
		NO_DETAIL, "see the server's log"},
	{CURLE_HTTP2, ERR_UNAVAILABLE, true, "HTTP/2 failed", OF_LIBRARY, "see the server's log"},
	{CURLE_HTTP2_STREAM, ERR_UNAVAILABLE, true, "HTTP/2 failed", OF_LIBRARY,
		"see the server's log"},
	{CURLE_PROXY, ERR_UNAVAILABLE, true, "the proxy refused", OF_LIBRARY,
		"check the proxy setting"},
	{CURLE_BAD_CONTENT_ENCODING, ERR_REMOTE, false, "the answer cannot be decompressed",
		OF_LIBRARY, "check what stands between"},
	/* This is also how libcurl says that a line is longer than it takes. */
	{CURLE_OUT_OF_MEMORY, ERR_LIMIT, false, "a header of the answer is too long", NO_DETAIL,
		"check what stands between"},
	{CURLE_WEIRD_SERVER_REPLY, ERR_REMOTE, false, "the answer is not HTTP", NO_DETAIL,
		"check the port"},
	{CURLE_UNSUPPORTED_PROTOCOL, ERR_REMOTE, false, "the answer is not HTTP", NO_DETAIL,
		"check the port"},
};

static const struct failure *find_failure(CURLcode result)
{
	static const struct failure other = {CURLE_OK, ERR_UNAVAILABLE, true, "the call failed",
		OF_LIBRARY, "see the server's log"};

	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		if (failures[i].result == result)
			return &failures[i];
	}
	return &other;
}

static const char *find_step(const struct call *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		curl_off_t time_us = 0;
		curl_easy_getinfo(c->easy, steps[i].over, &time_us);
		if (time_us > 0)
			continue;
		if (steps[i].over == CURLINFO_PRETRANSFER_TIME_T && c->tls_began)
			return "setting up TLS";
		return steps[i].name;
	}
	return "reading the answer";
}

static const char *find_detail(const struct call *c, enum detail detail)
{
	long errnum = 0;

	switch (detail) {
	case NO_DETAIL:
		return "";
	case OF_SYSTEM:
		curl_easy_getinfo(c->easy, CURLINFO_OS_ERRNO, &errnum);
		if (errnum)
			return strerrordesc_np((int)errnum);
		break;
	case OF_LIBRARY:
		break;
	}
	return c->detail[0] ? c->detail : curl_easy_strerror(c->result);
}

int call_fail(const struct call *c, struct err *e)
{
	const struct failure *f = find_failure(c->result);
	const char *detail = find_detail(c, f->detail);
	char time[CLOCK_TEXT_MAX];
	curl_off_t time_us = 0;

	if (c->over_limit)
		return err_set(e, ERR_LIMIT,
			"%s: the answer is larger than the %zu bytes that are taken", c->peer,
			c->over_limit);
	curl_easy_getinfo(c->easy, CURLINFO_TOTAL_TIME_T, &time_us);
	duration_format(time_us < 1000 ? 1 : time_us / 1000, time);
	auto_free char *text = xasprintf("%s: %s%s%s (%s, after %s); %s", c->peer, f->what,
		*detail ? ": " : "", detail, find_step(c), time, f->hint);
	return f->retriable ? err_retriable(e, f->code, "%s", text)
			    : err_set(e, f->code, "%s", text);
}
