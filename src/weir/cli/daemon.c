/* Asking the daemon, and doing without one. */
#include "cli/daemon.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/limits.h"
#include "cli/control.h"
#include "cli/desk.h"
#include "doc/json.h"
#include "net/http.h"

int daemon_runs(const struct config *c, bool *ret_runs, struct err *e)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	auto_free char *path = fs_join(c->state, CONTROL_SOCKET);
	*ret_runs = false;
	if (strlen(path) >= sizeof(address.sun_path))
		return 0; /* no daemon can have one there */
	memcpy(address.sun_path, path, strlen(path));
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_errno(e, errno, "socket");
	*ret_runs = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	if (!*ret_runs && (errno == EACCES || errno == EPERM))
		return err_set(e, ERR_DENIED,
			"%s belongs to another user: run this as the user that the daemon runs as",
			path);
	return 0;
}

static enum err_code code_by_name(const char *name)
{
	enum err_code code = ERR_USAGE;
	while (code < ERR__COUNT && !(name && !strcmp(err_name(code), name)))
		code++;
	return code < ERR__COUNT ? code : ERR_REMOTE;
}

static int read_answer(const struct http_response *response, struct arena *a,
	struct node **ret_answer, struct err *e)
{
	struct node *answer;
	if (json_read(a, buf_str(&response->body), response->body.len, &answer, e) < 0)
		return err_prefix(e, "the daemon's answer");
	if (response->status < 300) {
		*ret_answer = answer;
		return 0;
	}
	const char *message = node_get_string(answer, "error");
	err_set(e, code_by_name(node_get_string(answer, "code")), "%s",
		message ? message : "the daemon refuses");
	e->retriable = response->status == 503;
	e->http = response->status;
	return -(int)e->code;
}

static int perform(const char *socket, struct http_request *request, struct arena *a,
	struct node **ret_answer, struct err *e)
{
	const struct http_options options = {.socket = socket};
	struct http_client *client = http_client_new(&options);
	struct http_response response = {0};
	int rc = http_perform(client, request, &response, e);
	if (rc < 0)
		rc = err_prefix(e, "the daemon");
	else
		rc = read_answer(&response, a, ret_answer, e);
	http_response_release(&response);
	http_client_free(client);
	return rc;
}

int daemon_ask(const struct config *c, const char *path, const struct node *body, struct arena *a,
	struct node **ret_answer, struct err *e)
{
	auto_free char *socket = fs_join(c->state, CONTROL_SOCKET);
	auto_free char *url = xasprintf("http://weir%s", path);
	struct http_request *request = http_request_new(body ? "POST" : "GET", url);
	request->max_answer_bytes = LIMIT_DAEMON_ANSWER_BYTES;
	if (body) {
		http_request_header(request, "Content-Type", "application/json", NULL);
		json_write(&request->body, body, JSON_STYLE_COMPACT);
	}
	int rc = perform(socket, request, a, ret_answer, e);
	http_request_free(request);
	return rc;
}

/* A store that was never there is not made for an order that then finds nothing. */
static int open_store(const struct config *c, struct store **ret_store, struct err *e)
{
	auto_free char *scope = host_scope(c);
	struct store *there = NULL;
	int rc = host_open_shared(c, &there, e);
	store_close(there);
	if (rc < 0)
		return err_prefix(e, "no daemon runs, and there is nothing to work on");
	return store_open(c->state, scope, ret_store, e);
}

static int order_here(const struct config *c, const char *order, const struct node *body,
	struct arena *a, struct node **ret_answer, struct err *e)
{
	struct store *store = NULL;
	struct ledger ledger = {.store = NULL};
	auto_free char *by = desk_user_name(getuid());
	const struct desk desk = {
		.ledger = &ledger, .by = by, .now_ms = clock_wall_ms(&clock_real)};
	int rc = open_store(c, &store, e);
	if (rc == 0)
		rc = ledger_load(&ledger, store, e);
	if (rc == 0)
		rc = desk_take(&desk, order, body, a, ret_answer, e);
	if (rc == 0)
		rc = ledger_flush(&ledger, e);
	ledger_release(&ledger);
	store_close(store);
	return rc;
}

int daemon_order(const struct config *c, const char *order, const struct node *body,
	struct arena *a, struct node **ret_answer, struct err *e)
{
	bool runs;
	auto_free char *path = xasprintf("/v1/orders/%s", order);
	int rc = daemon_runs(c, &runs, e);
	if (rc < 0)
		return rc;
	return runs ? daemon_ask(c, path, body, a, ret_answer, e)
		    : order_here(c, order, body, a, ret_answer, e);
}
