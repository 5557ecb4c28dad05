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
	enum detail detail;
	bool retriable;
	const char *what;
	const char *hint;
} failures[] = {
	{.result = CURLE_COULDNT_RESOLVE_HOST,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "its name cannot be resolved",
		.hint = "check the name and this machine's DNS"},
	{.result = CURLE_COULDNT_RESOLVE_PROXY,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "the name of the proxy cannot be resolved",
		.hint = "check the proxy setting"},
	{.result = CURLE_COULDNT_CONNECT,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "cannot be reached",
		.detail = OF_SYSTEM,
		.hint = "check the address, and that the server is running"},
	{.result = CURLE_OPERATION_TIMEDOUT,
		.code = ERR_TIMEOUT,
		.retriable = true,
		.what = "timed out",
		.hint = "check the server and the network between"},
	{.result = CURLE_PEER_FAILED_VERIFICATION,
		.code = ERR_AUTH,
		.what = "its certificate is refused",
		.detail = OF_LIBRARY,
		.hint = "correct it, or name a CA file that vouches for it"},
	{.result = CURLE_SSL_CACERT_BADFILE,
		.code = ERR_CONFIG,
		.what = "the CA file cannot be used",
		.detail = OF_LIBRARY,
		.hint = "check that it exists and is in PEM form"},
	{.result = CURLE_SSL_CONNECT_ERROR,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "TLS failed",
		.detail = OF_LIBRARY,
		.hint = "check that the port speaks TLS"},
	{.result = CURLE_GOT_NOTHING,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "it closed the connection without an answer",
		.hint = "see the server's log"},
	{.result = CURLE_SEND_ERROR,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "the connection broke",
		.detail = OF_LIBRARY,
		.hint = "see the server's log"},
	{.result = CURLE_RECV_ERROR,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "the connection broke",
		.detail = OF_LIBRARY,
		.hint = "see the server's log"},
	{.result = CURLE_PARTIAL_FILE,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "the answer ended before it was complete",
		.hint = "see the server's log"},
	{.result = CURLE_HTTP2,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "HTTP/2 failed",
		.detail = OF_LIBRARY,
		.hint = "see the server's log"},
	{.result = CURLE_HTTP2_STREAM,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "HTTP/2 failed",
		.detail = OF_LIBRARY,
		.hint = "see the server's log"},
	{.result = CURLE_PROXY,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "the proxy refused",
		.detail = OF_LIBRARY,
		.hint = "check the proxy setting (https_proxy, no_proxy)"},
	{.result = CURLE_BAD_CONTENT_ENCODING,
		.code = ERR_REMOTE,
		.what = "the answer cannot be decompressed",
		.detail = OF_LIBRARY,
		.hint = "check what stands between"},
	/* This is also how libcurl says that a line is longer than it takes. */
	{.result = CURLE_OUT_OF_MEMORY,
		.code = ERR_LIMIT,
		.what = "a header of the answer is too long",
		.hint = "check what stands between"},
	{.result = CURLE_WEIRD_SERVER_REPLY,
		.code = ERR_REMOTE,
		.what = "the answer is not HTTP",
		.hint = "check the port"},
	{.result = CURLE_UNSUPPORTED_PROTOCOL,
		.code = ERR_REMOTE,
		.what = "the answer is not HTTP",
		.hint = "check the port"},
};

/* A proxy that answers CONNECT with a refusal is to libcurl a connection that broke. */
static CURLcode find_result(const struct call *c)
{
	long status = 0;

	curl_easy_getinfo(c->easy, CURLINFO_HTTP_CONNECTCODE, &status);
	return c->result == CURLE_RECV_ERROR && status >= 300 ? CURLE_PROXY : c->result;
}

static const struct failure *find_failure(CURLcode result)
{
	static const struct failure other = {.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "the call failed",
		.detail = OF_LIBRARY,
		.hint = "see the server's log"};

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
	const struct failure *f = find_failure(find_result(c));
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
