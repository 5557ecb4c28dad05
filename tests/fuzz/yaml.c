/* A YAML file: from its text to replicators, to what the store keeps of them, and back. */
#include <stdlib.h>

#include "base/text.h"
#include "fuzz.h"
#include "model/catalog.h"

static void check_round_trip(const struct replicator *r)
{
	struct arena a = ARENA_INIT;
	struct replicator back = {0};
	struct err e = ERR_INIT;
	auto_buf struct buf first = BUF_INIT;
	auto_buf struct buf second = BUF_INIT;
	replicator_write_json(r, &first);
	if (replicator_read_json(buf_str(&first), &a, &back, &e) < 0)
		abort();
	replicator_write_json(&back, &second);
	if (first.len != second.len || strcmp(buf_str(&first), buf_str(&second)) != 0)
		abort();
	arena_release(&a);
}

/* What is printed about it can be printed anywhere. */
static void check_problem(const struct problem *p)
{
	auto_buf struct buf line = BUF_INIT;
	problem_format(p, &line);
	if (!line.len || !text_is_utf8(line.data, line.len))
		abort();
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.data[i] < ' ' || line.data[i] == 0x7f)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parsed_file *parsed = parsed_file_new((const char *)data, size);
	struct catalog *c = catalog_new();
	catalog_add(c, "fuzz.yaml", parsed);
	parsed_file_unref(parsed);
	catalog_finish(c);
	for (size_t i = 0; i < map_size(&c->by_name); i++) {
		const struct replicator *r = map_value(&c->by_name, i);
		if (!r->failed)
			check_round_trip(r);
		else if (c->complete)
			abort();
	}
	vec_each (p, &c->problems)
		check_problem(p);
	catalog_free(c);
	return 0;
}
