/* A Unix socket instead of a port: who may open it, who is at the other end, and what stands in its
 * way. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "serving.h"

static void serve_peer(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	uid_t uid;

	(void)ctx;
	if (httpd_peer(r, &uid))
		buf_addf(&response->body, "uid %u", uid);
	else
		buf_adds(&response->body, "nobody knows");
}

static const struct httpd_route routes[] = {
	{"GET", "/", serve_peer, 0},
	{NULL, NULL, NULL, 0},
};

struct folder {
	char path[32];
	char *socket;
};

static int set_up(void **state)
{
	struct folder *f = xcalloc(1, sizeof(*f));

	strncpy(f->path, "/tmp/test_socket_XXXXXX", sizeof(f->path) - 1);
	assert_non_null(mkdtemp(f->path));
	f->socket = fs_join(f->path, "sock");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct folder *f = *state;
	int rc = fs_remove_tree(f->path, NULL);

	free(f->socket);
	free(f);
	return rc;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path, path, strlen(path));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void ask(const char *path, struct buf *answer)
{
	int fd = connect_to(path);

	assert_true(client_say(fd, "GET / HTTP/1.1\r\nHost: weir\r\n\r\n"));
	assert_true(client_read(fd, true, answer));
	close(fd);
}

static void test_only_its_user_may_open_it_and_is_known(void **state)
{
	const struct folder *f = *state;
	struct serving s = {.options = {.routes = routes, .socket = f->socket}};
	auto_buf struct buf answer = BUF_INIT;
	auto_free char *wanted = xasprintf("uid %u", getuid());
	struct stat found;

	serving_start(&s);
	assert_string_equal(s.url, f->socket);
	assert_int_equal(stat(f->socket, &found), 0);
	assert_int_equal(found.st_mode & 07777, 0600);
	ask(f->socket, &answer);
	assert_non_null(strstr(buf_str(&answer), wanted));
	serving_stop(&s);
	assert_int_equal(access(f->socket, F_OK), -1);
}

static void test_behind_a_port_nobody_is_known(void **state)
{
	struct serving s = {.options.routes = routes};
	auto_buf struct buf answer = BUF_INIT;

	(void)state;
	serving_start(&s);
	client_ask(s.port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", &answer);
	assert_non_null(strstr(buf_str(&answer), "nobody knows"));
	serving_stop(&s);
}

static void test_a_socket_that_was_left_behind_goes(void **state)
{
	const struct folder *f = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct serving s = {.options = {.routes = routes, .socket = f->socket}};
	auto_buf struct buf answer = BUF_INIT;

	memcpy(address.sun_path, f->socket, strlen(f->socket));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	serving_start(&s);
	ask(f->socket, &answer);
	assert_non_null(strstr(buf_str(&answer), "uid "));
	serving_stop(&s);
}

static void assert_fails(const char *path, enum err_code code, const char *words)
{
	const struct httpd_options options = {.routes = routes, .socket = path};
	struct loop *loop = NULL;
	struct httpd *h = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(loop_new(&clock_real, &loop, &e), 0);
	assert_int_equal(httpd_start(loop, &options, &h, &e), -(int)code);
	assert_non_null(strstr(e.msg, words));
	loop_free(loop);
}

static void test_what_is_no_socket_stays(void **state)
{
	const struct folder *f = *state;
	auto_buf struct buf content = BUF_INIT;

	assert_int_equal(fs_write(f->socket, "mine", 4, 0600, NULL), 0);
	assert_fails(f->socket, ERR_CONFLICT, "in the way of a socket");
	assert_int_equal(fs_read(f->socket, &content, NULL), 0);
	assert_string_equal(buf_str(&content), "mine");
}

static void test_a_path_that_is_too_long_is_refused(void **state)
{
	const struct folder *f = *state;
	char name[120];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	auto_free char *path = fs_join(f->path, name);
	assert_fails(path, ERR_CONFIG, "choose a shorter folder");
}

static void test_a_folder_that_is_not_there_is_an_error(void **state)
{
	(void)state;
	assert_fails("/nowhere/at/all/sock", ERR_NOT_FOUND, "cannot listen on /nowhere");
}

#define with_folder(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folder(test_only_its_user_may_open_it_and_is_known),
		cmocka_unit_test(test_behind_a_port_nobody_is_known),
		with_folder(test_a_socket_that_was_left_behind_goes),
		with_folder(test_what_is_no_socket_stays),
		with_folder(test_a_path_that_is_too_long_is_refused),
		cmocka_unit_test(test_a_folder_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
