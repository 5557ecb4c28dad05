/* TLS to a server whose certificate nobody vouches for, until we do. The server is openssl's. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/proc.h"
#include "base/strv.h"
#include "net/http.h"

#define DEADLINE_MS 20000

static int64_t deadline(void)
{
	return clock_mono_ms(&clock_real) + DEADLINE_MS;
}

struct fixture {
	char folder[32];
	char *key, *certificate;
	struct proc *server;
	char *url;
};

static struct proc *start_openssl(const char *const *words, size_t n)
{
	auto_strv struct strv argv = VEC_INIT;
	struct proc *p = NULL;

	strv_push(&argv, "openssl");
	for (size_t i = 0; i < n; i++)
		strv_push(&argv, words[i]);
	proc_start(strv_argv(&argv), NULL, &p, NULL);
	return p;
}

static int make_certificate(struct fixture *f, const char *name)
{
	const char *const words[] = {"req", "-x509", "-newkey", "ec", "-pkeyopt",
		"ec_paramgen_curve:P-256", "-nodes", "-keyout", f->key, "-out", f->certificate,
		"-days", "2", "-subj", "/CN=test", "-addext", name};
	struct proc *p = start_openssl(words, ARRAY_SIZE(words));
	int status;

	if (!p || proc_finish(p, deadline(), &status, NULL) < 0)
		return -1;
	return status;
}

/* The server says "ACCEPT 127.0.0.1:PORT" once it listens. */
static int start_server(struct fixture *f)
{
	const char *const words[] = {"s_server", "-accept", "127.0.0.1:0", "-cert", f->certificate,
		"-key", f->key, "-www"};
	auto_buf struct buf out = BUF_INIT;
	char part[256];
	size_t n;

	f->server = start_openssl(words, ARRAY_SIZE(words));
	if (!f->server)
		return -1;
	const char *line = NULL;
	while (!line || !strchr(line, '\n')) {
		if (proc_read(f->server, part, sizeof(part), &n, deadline(), NULL) < 0 || n == 0)
			return -1;
		buf_add(&out, part, n);
		line = strstr(buf_str(&out), "ACCEPT ");
	}
	f->url = xasprintf("https://127.0.0.1:%d/", atoi(strchr(line, ':') + 1));
	return 0;
}

static int set_up_with(void **state, const char *name)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	strcpy(f->folder, "/tmp/test_tls_XXXXXX");
	if (!mkdtemp(f->folder))
		return -1;
	f->key = fs_join(f->folder, "key.pem");
	f->certificate = fs_join(f->folder, "certificate.pem");
	*state = f;
	return make_certificate(f, name) == 0 ? start_server(f) : -1;
}

static int set_up(void **state)
{
	return set_up_with(state, "subjectAltName=IP:127.0.0.1");
}

static int set_up_with_other_name(void **state)
{
	return set_up_with(state, "subjectAltName=DNS:other.example");
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	proc_kill(f->server);
	fs_remove_tree(f->folder, NULL);
	free(f->key);
	free(f->certificate);
	free(f->url);
	free(f);
	return 0;
}

static int get(struct fixture *f, const char *ca_file, struct err *e)
{
	struct http_client *c =
		http_client_new(&(struct http_options){.proxy = "", .ca_file = ca_file});
	struct http_request *r = http_request_new("GET", f->url);
	struct http_response response = {0};

	int rc = http_perform(c, r, &response, e);
	if (rc == 0)
		assert_int_equal(response.status, 200);
	http_response_release(&response);
	http_request_free(r);
	http_client_free(c);
	return rc;
}

static void test_certificate_refused_when_nobody_vouches_for_it(void **state)
{
	struct err e = ERR_INIT;

	assert_int_equal(get(*state, NULL, &e), -ERR_AUTH);
	assert_false(e.retriable);
	assert_non_null(strstr(e.msg, "its certificate is refused"));
	assert_non_null(strstr(e.msg, "name a CA file"));
}

static void test_certificate_taken_when_the_ca_file_vouches_for_it(void **state)
{
	struct fixture *f = *state;
	struct err e = ERR_INIT;

	get(f, f->certificate, &e);
	assert_string_equal(e.msg, "");
}

static void test_certificate_refused_when_its_name_is_another(void **state)
{
	struct fixture *f = *state;
	struct err e = ERR_INIT;

	assert_int_equal(get(f, f->certificate, &e), -ERR_AUTH);
	assert_non_null(strstr(e.msg, "its certificate is refused"));
}

static void test_error_when_the_ca_file_is_missing(void **state)
{
	struct err e = ERR_INIT;

	assert_int_equal(get(*state, "/none/ca.pem", &e), -ERR_CONFIG);
	assert_non_null(strstr(e.msg, "/none/ca.pem"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_certificate_refused_when_nobody_vouches_for_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_certificate_taken_when_the_ca_file_vouches_for_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_certificate_refused_when_its_name_is_another,
			set_up_with_other_name, tear_down),
		cmocka_unit_test_setup_teardown(
			test_error_when_the_ca_file_is_missing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
