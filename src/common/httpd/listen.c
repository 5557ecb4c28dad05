/* From "127.0.0.1:8480" to a socket that listens. */
#include "httpd/inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/text.h"

static int fail_address(const char *address, const char *why, struct err *e)
{
	return err_set(e, ERR_CONFIG,
		"\"%s\" is no address to listen on: %s; write HOST:PORT, as in 127.0.0.1:8480 or "
		"[::1]:8480",
		address, why);
}

/* NULL, or what is wrong. "[::1]:8480" has its host in brackets, because of the colons. */
static const char *split(const char *address, char **ret_host, char **ret_port)
{
	const char *colon = strrchr(address, ':');
	size_t len = colon ? (size_t)(colon - address) : 0;
	bool bracketed = len > 2 && address[0] == '[' && address[len - 1] == ']';
	uint64_t port;

	if (len == 0 || (!bracketed && memchr(address, ':', len)))
		return "it has no host and port";
	if (!text_parse_u64(colon + 1, &port) || port > 65535)
		return "its port is no number up to 65535";
	*ret_host = bracketed ? xmemdupz(address + 1, len - 2) : xmemdupz(address, len);
	*ret_port = xstrdup(colon + 1);
	return NULL;
}

/* What is written like a number is no name. */
static const char *check_host(const char *address, const char *host)
{
	struct in6_addr number;

	if (address[0] == '[')
		return strchr(host, '%') || inet_pton(AF_INET6, host, &number) == 1
			       ? NULL
			       : "what stands in brackets is no IPv6 address";
	if (!host[strspn(host, "0123456789.")] && inet_pton(AF_INET, host, &number) != 1)
		return "its host is no IPv4 address";
	return host[strcspn(host, "/@?# \t")] ? "its host holds what no name can" : NULL;
}

/* NULL, or what is wrong; both are the caller's to free, also then. */
static const char *parse(const char *address, char **ret_host, char **ret_port)
{
	const char *wrong = split(address, ret_host, ret_port);

	return wrong ? wrong : check_host(address, *ret_host);
}

int httpd_check_address(const char *address, struct err *e)
{
	auto_free char *host = NULL, *port = NULL;
	const char *wrong = parse(address, &host, &port);

	return wrong ? fail_address(address, wrong, e) : 0;
}

static int fail_bind(int errnum, const char *host, const char *port, struct err *e)
{
	switch (errnum) {
	case EADDRINUSE:
		return err_set(e, ERR_CONFLICT,
			"port %s of %s is in use; stop the program that has it, or choose another "
			"port "
			"(0 takes one that is free)",
			port, host);
	case EADDRNOTAVAIL:
		return err_set(e, ERR_CONFIG,
			"%s is no address of this machine; 127.0.0.1 is, and 0.0.0.0 means all of "
			"them",
			host);
	case EACCES:
		return err_set(e, ERR_DENIED,
			"port %s needs a privilege that this process has not; choose one above "
			"1023",
			port);
	default:
		return err_errno(e, errnum, "cannot listen on %s port %s", host, port);
	}
}

static char *make_url(const char *host, int fd)
{
	struct sockaddr_storage bound;
	socklen_t size = sizeof(bound);
	char port[NI_MAXSERV] = "";

	getsockname(fd, (struct sockaddr *)&bound, &size);
	getnameinfo((struct sockaddr *)&bound, size, NULL, 0, port, sizeof(port), NI_NUMERICSERV);
	bool is_ipv6 = strchr(host, ':');
	return xasprintf("http://%s%s%s:%s", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

/* A descriptor, or -errno. */
static int bind_socket(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1;

	/* A restart must not wait for the old connections' TIME_WAIT. */
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
		bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	int errnum = errno;
	close_fdp(&fd);
	return -errnum;
}

int listen_on(const char *address, int *ret_fd, char **ret_url, struct err *e)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	auto_free char *host = NULL, *port = NULL;
	struct addrinfo *found;
	const char *wrong = parse(address, &host, &port);

	if (wrong)
		return fail_address(address, wrong, e);
	int rc = getaddrinfo(host, port, &hints, &found);
	if (rc != 0)
		return fail_address(address, gai_strerror(rc), e);
	int fd = bind_socket(found);
	freeaddrinfo(found);
	if (fd < 0)
		return fail_bind(-fd, host, port, e);
	*ret_fd = fd;
	*ret_url = make_url(host, fd);
	return 0;
}

static int remove_stale(const char *path, struct err *e)
{
	struct stat found;

	if (lstat(path, &found) < 0)
		return 0;
	if (!S_ISSOCK(found.st_mode))
		return err_set(e, ERR_CONFLICT,
			"%s is in the way of a socket and is none; move it elsewhere", path);
	if (unlink(path) < 0)
		return err_errno(e, errno, "cannot remove %s", path);
	return 0;
}

int listen_unix(const char *path, int *ret_fd, char **ret_url, struct err *e)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(e, ERR_CONFIG,
			"the path of the socket %s has %zu bytes, and the system takes %zu; choose "
			"a shorter folder",
			path, strlen(path), sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path));
	int rc = remove_stale(path, e);
	if (rc < 0)
		return rc;
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The mode is set before there is a name: nobody else can come in between. */
	if (fd < 0 || fchmod(fd, 0600) < 0 ||
		bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		listen(fd, SOMAXCONN) < 0)
		return err_errno(e, errno, "cannot listen on %s", path);
	*ret_fd = fd_take(&fd);
	*ret_url = xstrdup(path);
	return 0;
}
