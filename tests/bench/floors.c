/*
 * What the parts of a first pass cost without weir, by the libraries alone: the floors that
 * tests/bench/run compares weir with.
 *
 *	API_TOKEN=… floors REPOSITORY COMMIT FOLDER LIST
 *
 * REPOSITORY is bare, FOLDER stands in its COMMIT, LIST is the URL of the API's list. Prints a line
 * for each floor: its name, CPU seconds, seconds. Of several runs the one that took least CPU
 * counts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <curl/curl.h>
#include <git2.h>
#include <jansson.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/vec.h"

#define RUNS 5

struct input {
	const char *repository, *commit, *folder, *list, *token;
	VEC(struct buf) blobs; /* filled by run_git */
	VEC(struct buf) pages; /* filled by run_list */
};

_Noreturn static void give_up(const char *what)
{
	fprintf(stderr, "floors: %s\n", what);
	exit(1);
}

static void drop_all(struct buf *bufs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_release(&bufs[i]);
}

/* ---- Git: a walk through the tree, and the blobs as they come ---- */

static void check_git(int rc)
{
	if (rc < 0)
		give_up(git_error_last() ? git_error_last()->message : "libgit2 fails");
}

static void read_blob(struct input *in, git_odb *odb, const git_oid *id)
{
	git_odb_object *object;
	struct buf text = BUF_INIT;

	check_git(git_odb_read(&object, odb, id));
	buf_add(&text, git_odb_object_data(object), git_odb_object_size(object));
	vec_push(&in->blobs, text);
	git_odb_object_free(object);
}

static void read_tree(struct input *in, git_repository *repo, git_odb *odb, const git_tree *tree)
{
	for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
		const git_oid *id = git_tree_entry_id(entry);
		git_tree *below;

		if (git_tree_entry_type(entry) != GIT_OBJECT_TREE) {
			read_blob(in, odb, id);
			continue;
		}
		check_git(git_tree_lookup(&below, repo, id));
		read_tree(in, repo, odb, below);
		git_tree_free(below);
	}
}

static void run_git(struct input *in)
{
	git_repository *repo;
	git_odb *odb;
	git_object *tree;
	auto_free char *path = xasprintf("%s:%s", in->commit, in->folder);

	drop_all(in->blobs.at, in->blobs.n);
	vec_clear(&in->blobs);
	check_git(git_repository_open_bare(&repo, in->repository));
	check_git(git_repository_odb(&odb, repo));
	check_git(git_revparse_single(&tree, repo, path));
	read_tree(in, repo, odb, (git_tree *)tree);
	git_object_free(tree);
	git_odb_free(odb);
	git_repository_free(repo);
}

/* ---- YAML: events, and nothing made of them ---- */

struct share {
	const struct input *in;
	size_t first, step;
};

static void parse_events(const struct buf *text)
{
	yaml_parser_t parser;
	yaml_event_t event;
	yaml_event_type_t type;

	if (!yaml_parser_initialize(&parser))
		give_up("out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)buf_str(text), text->len);
	do {
		if (!yaml_parser_parse(&parser, &event))
			give_up("a file that is no YAML");
		type = event.type;
		yaml_event_delete(&event);
	} while (type != YAML_STREAM_END_EVENT);
	yaml_parser_delete(&parser);
}

static void *parse_share(void *arg)
{
	const struct share *share = arg;

	for (size_t i = share->first; i < share->in->blobs.n; i += share->step)
		parse_events(&share->in->blobs.at[i]);
	return NULL;
}

static void run_yaml(struct input *in)
{
	parse_share(&(struct share){in, 0, 1});
}

static void run_yaml_twice(struct input *in)
{
	struct share even = {in, 0, 2}, odd = {in, 1, 2};
	pthread_t thread;

	if (pthread_create(&thread, NULL, parse_share, &odd) != 0)
		give_up("no thread");
	parse_share(&even);
	pthread_join(thread, NULL);
}

/* ---- the API: its list over HTTP, page by page, as bytes ---- */

static size_t take_bytes(char *data, size_t size, size_t n, void *page)
{
	buf_add(page, data, size * n);
	return size * n;
}

/* The link to the next page, found without a parser; NULL at the end. The caller frees. */
static char *next_link(const struct buf *page)
{
	static const char key[] = "\"next\":";
	const char *at = strstr(buf_str(page), key);

	if (!at)
		return NULL;
	at += strlen(key);
	at += strspn(at, " ");
	return *at == '"' ? xmemdupz(at + 1, strcspn(at + 1, "\"")) : NULL;
}

static void get_page(struct input *in, CURL *curl, const char *url)
{
	struct buf page = BUF_INIT;
	long status = 0;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &page);
	if (curl_easy_perform(curl) != CURLE_OK)
		give_up("the API does not answer");
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		give_up("the API does not answer with its list");
	vec_push(&in->pages, page);
}

static void run_list(struct input *in)
{
	CURL *curl = curl_easy_init();
	auto_free char *url = xstrdup(in->list);

	drop_all(in->pages.at, in->pages.n);
	vec_clear(&in->pages);
	if (!curl)
		give_up("libcurl fails");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
	curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, in->token);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	while (url) {
		get_page(in, curl, url);
		str_replace(&url, next_link(&in->pages.at[in->pages.n - 1]));
	}
	curl_easy_cleanup(curl);
}

/* ---- JSON: the pages as trees, one after the other ---- */

static void run_json(struct input *in)
{
	vec_each (page, &in->pages) {
		json_t *root = json_loadb(buf_str(page), page->len, JSON_REJECT_DUPLICATES, NULL);

		if (!root)
			give_up("a page that is no JSON");
		json_decref(root);
	}
}

/* ---- measuring ---- */

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double cpu_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

static double time_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure(struct input *in, const char *name, void (*run)(struct input *in))
{
	double least_cpu = 0, its_time = 0;

	for (int i = 0; i < RUNS; i++) {
		double cpu = cpu_now(), time = time_now();
		run(in);
		cpu = cpu_now() - cpu;
		time = time_now() - time;
		if (i == 0 || cpu < least_cpu) {
			least_cpu = cpu;
			its_time = time;
		}
	}
	printf("%s %.6f %.6f\n", name, least_cpu, its_time);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct input *in);
	} floors[] = {
		{"git", run_git},
		{"yaml", run_yaml},
		{"yaml2", run_yaml_twice},
		{"list", run_list},
		{"json", run_json},
	};
	struct input in = {.token = getenv("API_TOKEN")};

	if (argc != 5 || !in.token)
		give_up("usage: API_TOKEN=… floors REPOSITORY COMMIT FOLDER LIST");
	in.repository = argv[1];
	in.commit = argv[2];
	in.folder = argv[3];
	in.list = argv[4];
	git_libgit2_init();
	curl_global_init(CURL_GLOBAL_DEFAULT);
	for (size_t i = 0; i < ARRAY_SIZE(floors); i++)
		measure(&in, floors[i].name, floors[i].run);
	drop_all(in.blobs.at, in.blobs.n);
	drop_all(in.pages.at, in.pages.n);
	vec_release(&in.blobs);
	vec_release(&in.pages);
	curl_global_cleanup();
	git_libgit2_shutdown();
	return 0;
}
