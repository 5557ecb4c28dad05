/* JSON in, through jansson. */
#include "doc/json.h"

#include <string.h>

#include <jansson.h>

#include "base/alloc.h"
#include "base/limits.h"

/* Whole numbers that a double holds exactly. */
#define EXACT_INT ((int64_t)1 << 53)

struct converter {
	struct arena *arena;
	bool ints_are_reals;
	struct err *e;
};

static int convert(
	const struct converter *c, json_t *value, unsigned depth, struct node **ret_node);

static int convert_array(
	const struct converter *c, json_t *value, unsigned depth, struct node **ret_node)
{
	struct node *seq = node_seq(c->arena);

	for (size_t i = 0; i < json_array_size(value); i++) {
		struct node *item;
		int rc = convert(c, json_array_get(value, i), depth + 1, &item);

		if (rc < 0)
			return rc;
		node_seq_add(c->arena, seq, item);
	}
	*ret_node = seq;
	return 0;
}

static int convert_object(
	const struct converter *c, json_t *value, unsigned depth, struct node **ret_node)
{
	struct node *map = node_map(c->arena);

	for (void *it = json_object_iter(value); it; it = json_object_iter_next(value, it)) {
		struct node *item;
		int rc = convert(c, json_object_iter_value(it), depth + 1, &item);

		if (rc < 0)
			return rc;
		node_map_add(c->arena, map, node_string(c->arena, json_object_iter_key(it)), item);
	}
	*ret_node = map;
	return 0;
}

static struct node *convert_real(const struct converter *c, double real)
{
	int64_t whole;

	if (c->ints_are_reals && node_real_as_int(real, &whole) && whole >= -EXACT_INT &&
		whole <= EXACT_INT)
		return node_int(c->arena, whole);
	return node_real(c->arena, real);
}

static int convert(const struct converter *c, json_t *value, unsigned depth, struct node **ret_node)
{
	if (depth > LIMIT_JSON_DEPTH)
		return err_set(c->e, ERR_REMOTE, "JSON nested more than %d deep", LIMIT_JSON_DEPTH);
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return convert_object(c, value, depth, ret_node);
	case JSON_ARRAY:
		return convert_array(c, value, depth, ret_node);
	case JSON_STRING:
		*ret_node =
			node_stringn(c->arena, json_string_value(value), json_string_length(value));
		return 0;
	case JSON_INTEGER:
		*ret_node = node_int(c->arena, json_integer_value(value));
		return 0;
	case JSON_REAL:
		*ret_node = convert_real(c, json_real_value(value));
		return 0;
	case JSON_TRUE:
	case JSON_FALSE:
		*ret_node = node_bool(c->arena, json_is_true(value));
		return 0;
	case JSON_NULL:
		break;
	}
	*ret_node = node_null(c->arena);
	return 0;
}

/* In our own words, and without the piece of text that jansson repeats: it may be a secret. */
static const char *explain(enum json_error_code code)
{
	switch ((int)code) {
	case json_error_premature_end_of_input:
		return "it ends too early";
	case json_error_end_of_input_expected:
		return "something follows its end";
	case json_error_invalid_utf8:
		return "a byte that is not UTF-8";
	case json_error_null_character:
	case json_error_null_byte_in_key:
		return "a NUL character in a string";
	case json_error_duplicate_key:
		return "the same key twice in one object";
	case json_error_numeric_overflow:
		return "a number too large to hold";
	case json_error_stack_overflow:
		return "nested too deep";
	default:
		return "a character that does not belong there";
	}
}

static int not_json(const char *text, size_t len, const json_error_t *error, struct err *e)
{
	size_t blank = 0;

	while (blank < len && strchr(" \t\r\n", text[blank]))
		blank++;
	if (blank == len)
		return err_set(e, ERR_REMOTE, "empty where JSON was expected");
	if (text[blank] == '<')
		return err_set(e, ERR_REMOTE, "not JSON: it looks like HTML or XML");
	return err_set(e, ERR_REMOTE, "not JSON: line %d, column %d: %s", error->line,
		error->column, explain(json_error_code(error)));
}

int json_read(
	struct arena *arena, const char *text, size_t len, struct node **ret_node, struct err *e)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
	struct converter c = {arena, false, e};
	json_error_t error;
	json_t *root = json_loadb(text, len, flags, &error);

	/* jansson refuses whole numbers beyond 64 bits, or else makes reals of all. */
	if (!root && json_error_code(&error) == json_error_numeric_overflow) {
		c.ints_are_reals = true;
		root = json_loadb(text, len, flags | JSON_DECODE_INT_AS_REAL, &error);
	}
	if (!root)
		return not_json(text, len, &error, e);
	int rc = convert(&c, root, 1, ret_node);
	json_decref(root);
	return rc;
}

#define ESCAPE_LEN (sizeof("\\u0000") - 1)

static bool is_high_surrogate(long code)
{
	return code >= 0xD800 && code <= 0xDBFF;
}

static bool is_low_surrogate(long code)
{
	return code >= 0xDC00 && code <= 0xDFFF;
}

/* What \uXXXX stands for; -1 if none begins here. */
static long escaped_code(const char *at, const char *end)
{
	char digits[5] = "";

	if ((size_t)(end - at) < ESCAPE_LEN || at[0] != '\\' || at[1] != 'u')
		return -1;
	memcpy(digits, at + 2, 4);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

/* Puts \ufffd in place of escapes that stand for no character. Whether there were any. */
static bool repair_escapes(char *text, size_t len)
{
	char *end = text + len;
	bool any = false;

	for (char *at = text; (at = memchr(at, '\\', (size_t)(end - at)));) {
		long code = escaped_code(at, end);
		bool is_high = is_high_surrogate(code);

		if (is_high && is_low_surrogate(escaped_code(at + ESCAPE_LEN, end))) {
			at += 2 * ESCAPE_LEN;
		} else if (code == 0 || is_high || is_low_surrogate(code)) {
			memcpy(at, "\\ufffd", ESCAPE_LEN);
			at += ESCAPE_LEN;
			any = true;
		} else {
			at += end - at < 2 ? 1 : 2; /* the next one may itself be a backslash */
		}
	}
	return any;
}

int json_read_loose(
	struct arena *arena, const char *text, size_t len, struct node **ret_node, struct err *e)
{
	struct err first = ERR_INIT;
	int rc = json_read(arena, text, len, ret_node, &first);

	if (rc == 0)
		return 0;
	auto_free char *repaired = xmalloc(len + 1);
	memcpy(repaired, text, len);
	if (repair_escapes(repaired, len))
		return json_read(arena, repaired, len, ret_node, e);
	if (e)
		*e = first;
	return rc;
}
