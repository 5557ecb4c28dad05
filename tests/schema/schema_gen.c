/*
 * schema_gen schema: prints the JSON Schema of a document.
 * schema_gen config: prints that of weir.yaml.
 * schema_gen documents FILE: prints the documents of a YAML file as a JSON list, as weir reads
 * them; null if the file does not parse.
 */
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/limits.h"
#include "config/config.h"
#include "doc/json.h"
#include "doc/yaml.h"
#include "model/catalog.h"

static int print(const struct node *n, enum json_style style)
{
	auto_buf struct buf out = BUF_INIT;

	json_write(&out, n, style);
	puts(buf_str(&out));
	return 0;
}

static int print_schema(struct node *(*schema)(struct arena *))
{
	auto_arena struct arena arena = ARENA_INIT;

	return print(schema(&arena), JSON_STYLE_PRETTY);
}

static int print_documents(const char *path)
{
	auto_arena struct arena arena = ARENA_INIT;
	auto_buf struct buf text = BUF_LIMIT(LIMIT_YAML_FILE_BYTES);
	struct yaml_docs docs = YAML_DOCS_INIT;
	struct problems problems = PROBLEMS_INIT;
	struct node *list = node_seq(&arena);
	struct err e = ERR_INIT;

	if (fs_read(path, &text, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	if (yaml_parse(path, buf_str(&text), text.len, &docs, &problems) < 0)
		list = node_null(&arena);
	vec_each (it, &docs)
		node_seq_add(&arena, list, *it);
	print(list, JSON_STYLE_COMPACT);
	problems_release(&problems);
	yaml_docs_release(&docs);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "schema") == 0)
		return print_schema(document_schema);
	if (argc == 2 && strcmp(argv[1], "config") == 0)
		return print_schema(config_schema);
	if (argc == 3 && strcmp(argv[1], "documents") == 0)
		return print_documents(argv[2]);
	fprintf(stderr, "usage: schema_gen schema | config | documents FILE\n");
	return 64;
}
