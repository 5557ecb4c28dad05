/* What is made from field tables: the JSON Schema, and the reference of the man pages. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "doc/fields.h"
#include "doc/json.h"

static const char *const modes[] = {"heal", "report", NULL};

static const struct field inner_fields[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.doc = "What it is called."},
	{.name = NULL},
};

static const struct field all_fields[] = {
	{.name = "token",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED | FIELD_SECRET,
		.doc = "The token."},
	{.name = "branch", .type = FIELD_STRING, .def = "main", .doc = ".git\\refs"},
	{.name = "flag",
		.type = FIELD_BOOL,
		.flags = FIELD_NOT_BUILT,
		.def = "false",
		.doc = "A flag."},
	{.name = "number",
		.type = FIELD_INT,
		.flags = FIELD_NULL_OK,
		.min = 1,
		.max = 9,
		.def = "2"},
	{.name = "interval", .type = FIELD_DURATION, .min = 1000, .def = "30s"},
	{.name = "grace", .type = FIELD_DURATION},
	{.name = "until", .type = FIELD_TIME},
	{.name = "mode",
		.type = FIELD_CHOICE,
		.flags = FIELD_NULL_OK,
		.choices = modes,
		.def = "heal"},
	{.name = "inner", .type = FIELD_MAP, .sub = inner_fields, .doc = "A section."},
	{.name = "list", .type = FIELD_LIST, .sub = inner_fields, .sub_size = 8},
	{.name = "strings", .type = FIELD_STRINGS, .flags = FIELD_ONE_OK, .def = "[a]"},
	{.name = "labels", .type = FIELD_STRING_MAP},
	{.name = "share", .type = FIELD_COUNT_OR_PERCENT, .def = "10%"},
	{.name = "any", .type = FIELD_NODE},
	{.name = "moved", .flags = FIELD_REFUSED, .doc = "Belongs elsewhere."},
	{.name = NULL},
};

static void assert_schema(const struct node *schema, const char *name, const char *expected)
{
	auto_buf struct buf out = BUF_INIT;

	json_write(&out, node_get(node_get(schema, "properties"), name), JSON_STYLE_COMPACT);
	assert_string_equal(buf_str(&out), expected);
}

static void test_schema_of_every_type(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *schema = fields_schema(&a, all_fields);

	assert_schema(schema, "token",
		"{\"description\":\"The "
		"token.\",\"type\":\"string\",\"pattern\":\"^(env|file|systemd):.\"}");
	assert_schema(schema, "branch",
		"{\"description\":\".git\\\\refs\",\"type\":\"string\",\"default\":\"main\"}");
	assert_schema(schema, "flag",
		"{\"description\":\"Not built yet: only the default is accepted. A "
		"flag.\",\"type\":\"boolean\","
		"\"default\":false}");
	assert_schema(schema, "number",
		"{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"maximum\":9,\"default\":2}");
	assert_null(node_get(node_get(schema, "properties"), "moved"));
	static const char pattern[] = "^(0|(?=[0-9])([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)$";
	auto_free char *interval =
		xasprintf("{\"type\":\"string\",\"pattern\":\"%s\",\"default\":\"30s\"}", pattern);
	assert_schema(schema, "interval", interval);
	auto_free char *grace = xasprintf("{\"type\":[\"string\",\"integer\"],\"pattern\":\"%s\","
					  "\"minimum\":0,\"maximum\":0}",
		pattern);
	assert_schema(schema, "grace", grace);
	assert_schema(schema, "until", "{\"type\":\"string\",\"format\":\"date-time\"}");
	assert_schema(schema, "mode", "{\"enum\":[\"heal\",\"report\",null],\"default\":\"heal\"}");
	assert_schema(schema, "inner",
		"{\"description\":\"A "
		"section.\",\"type\":\"object\",\"additionalProperties\":false,"
		"\"properties\":{\"name\":{\"description\":\"What it is "
		"called.\",\"type\":\"string\"}},"
		"\"required\":[\"name\"]}");
	assert_schema(schema, "list",
		"{\"type\":\"array\",\"items\":{\"type\":\"object\",\"additionalProperties\":false,"
		"\"properties\":{\"name\":{\"description\":\"What it is "
		"called.\",\"type\":\"string\"}},"
		"\"required\":[\"name\"]}}");
	assert_schema(schema, "strings",
		"{\"type\":[\"array\",\"string\"],\"items\":{\"type\":\"string\"},\"default\":["
		"\"a\"]}");
	assert_schema(schema, "labels",
		"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}");
	assert_schema(schema, "share",
		"{\"type\":[\"integer\",\"string\"],\"pattern\":\"^[0-9]+%$\",\"minimum\":0,"
		"\"default\":\"10%\"}");
	assert_schema(schema, "any", "{}");
}

static void test_schema_of_the_map_itself(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf required = BUF_INIT;
	struct node *schema = fields_schema(&a, all_fields);
	bool additional = true;

	assert_string_equal(node_get_string(schema, "type"), "object");
	assert_true(node_get_bool(schema, "additionalProperties", &additional));
	assert_false(additional);
	json_write(&required, node_get(schema, "required"), JSON_STYLE_COMPACT);
	assert_string_equal(buf_str(&required), "[\"token\"]");
}

static void test_mdoc_names_the_whole_path_and_escapes_text(void **state)
{
	(void)state;
	auto_buf struct buf out = BUF_INIT;

	fields_mdoc(all_fields, "source", &out);
	const char *text = buf_str(&out);
	assert_memory_equal(text, ".Bl -tag -width Ds\n.It Sy source.token\nThe token.\n", 50);
	assert_non_null(strstr(text, "\nType: where a secret is. Required.\n"));
	assert_non_null(strstr(
		text, ".It Sy source.branch\n\\&.git\\erefs\nType: string. Default: main.\n"));
	assert_non_null(strstr(text,
		"Type: true or false. Default: false. Not built yet: only the default is "
		"accepted.\n"));
	assert_non_null(strstr(text, "Type: whole number, 1 to 9. Default: 2.\n"));
	assert_non_null(strstr(text, "Type: duration, at least 1s. Default: 30s.\n"));
	assert_non_null(strstr(text, "Type: choice, heal or report. Default: heal.\n"));
	assert_non_null(strstr(
		text, ".It Sy source.inner.name\nWhat it is called.\nType: string. Required.\n"));
	assert_non_null(strstr(text, ".It Sy source.list[].name\n"));
	assert_string_equal(text + strlen(text) - 5, "\n.El\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema_of_every_type),
		cmocka_unit_test(test_schema_of_the_map_itself),
		cmocka_unit_test(test_mdoc_names_the_whole_path_and_escapes_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
