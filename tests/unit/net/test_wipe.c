/* Once a call is over and its secret freed, the token is nowhere in this process's memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "net/http.h"
#include "peer.h"

#define TOKEN_LEN 40

/* By a rule, so that it stands nowhere in the program itself. */
static char token_at(size_t i)
{
	return (char)('A' + (i * 7 + 3) % 26);
}

static struct secret *new_token(void)
{
	char text[TOKEN_LEN];

	for (size_t i = 0; i < TOKEN_LEN; i++)
		text[i] = token_at(i);
	struct secret *token = secret_new(text, TOKEN_LEN);
	explicit_bzero(text, sizeof(text));
	return token;
}

static size_t count_tokens(const char *data, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i + TOKEN_LEN <= len; i++) {
		size_t k = 0;
		while (k < TOKEN_LEN && data[i + k] == token_at(k))
			k++;
		n += k == TOKEN_LEN;
	}
	return n;
}

/* How often it stands in all memory that can be written. */
static size_t count_in_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t begin, end;
	char line[512], mode[8];
	size_t n = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &begin, &end, mode) == 3 &&
			strncmp(mode, "rw", 2) == 0)
			n += count_tokens((const char *)begin, end - begin);
	}
	fclose(maps);
	return n;
}

/* 200 if the token came, else 403. */
static void serve_token(struct peer *p, int fd, void *ctx)
{
	auto_buf struct buf request = BUF_INIT;

	(void)p, (void)ctx;
	while (peer_read_request(fd, &request)) {
		bool found = count_tokens(request.data, request.len) == 1;
		peer_say(fd, found ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
				   : "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
	}
}

/* In a process of its own: its memory is not ours. */
static pid_t fork_peer(char url[64])
{
	struct peer p;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		/* Also when the test fails. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		peer_start(&p, serve_token, NULL);
		if (write(ends[1], p.url, sizeof(p.url)) != sizeof(p.url))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], url, 64), 64);
	close(ends[0]);
	close(ends[1]);
	return child;
}

static void call(const char *url)
{
	struct http_client *c = http_client_new(&(struct http_options){.proxy = ""});
	struct http_response response = {0};

	for (int i = 0; i < 3; i++) {
		struct http_request *r = http_request_new("POST", url);
		r->bearer = new_token();
		buf_adds(&r->body, "{}");
		assert_int_equal(http_perform(c, r, &response, NULL), 0);
		assert_int_equal(response.status, 200);
		http_response_release(&response);
		http_request_free(r);
	}
	http_client_free(c);
}

static void test_token_is_gone_after_the_call(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* their shadow memory is too large to look through */
#endif
	char url[64];
	pid_t child = fork_peer(url);

	struct secret *token = new_token();
	auto_free char *copy = xmemdupz(secret_reveal(token), TOKEN_LEN);
	assert_true(count_in_memory() >= 1);
	explicit_bzero(copy, TOKEN_LEN);
	secret_free(token);
	assert_int_equal(count_in_memory(), 0);

	call(url);
	assert_int_equal(count_in_memory(), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token_is_gone_after_the_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
