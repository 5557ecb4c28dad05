/* The JSON Schema of a document, for editors: the tables, and those rules between fields that a
 * schema can say. */
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "doc/yaml.h"
#include "model/advanced.h"
#include "model/internal.h"

#define NAME_EXPRESSION	     "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
#define PROTOCOLS_WITH_LOGIN "[SASL_PLAINTEXT, SASL_SSL]"

/* A part of the schema that no table holds, written as YAML. */
static struct node *part(struct arena *a, const char *yaml)
{
	struct yaml_docs docs = YAML_DOCS_INIT;
	struct problems problems = PROBLEMS_INIT;

	if (yaml_parse(NULL, yaml, strlen(yaml), &docs, &problems) < 0 || docs.n != 1)
		BUG("a part of the schema does not parse: %s", yaml);
	struct node *n = node_copy(a, docs.at[0]);
	yaml_docs_release(&docs);
	problems_release(&problems);
	return n;
}

static void set_string(struct arena *a, struct node *map, const char *key, const char *value)
{
	node_map_set(a, map, key, node_string(a, value));
}

static struct node *choices_node(struct arena *a, const char *const *choices, bool or_null)
{
	struct node *list = node_seq(a);

	for (size_t i = 0; choices[i]; i++)
		node_seq_add(a, list, node_string(a, choices[i]));
	if (or_null)
		node_seq_add(a, list, node_null(a));
	return list;
}

/* A list of patterns, or one string with commas. Topics have no white space inside, groups may. */
#define TOPIC	    "\\s*[^,\\s]+\\s*"
#define TOPIC_LISTS "items: {type: string, pattern: '^" TOPIC "$'}, pattern: "
#define GROUP_LISTS "items: {type: string, pattern: '^[^,]*[^,\\s][^,]*$'}"

static struct node *patterns_schema(struct arena *a, enum spec_field field)
{
	if (field == SPEC_TOPIC_WHITELIST)
		return part(a, "{type: [array, string], minItems: 1, " TOPIC_LISTS
			       "'^(\\s*,)*" TOPIC "(," TOPIC ")*(,\\s*)*$'}");
	if (field == SPEC_TOPIC_BLACKLIST)
		return part(a, "{type: [array, string, 'null'], " TOPIC_LISTS "'^(\\s*,)*(" TOPIC
			       "(," TOPIC ")*)?(,\\s*)*$'}");
	return part(a, "{type: [array, string, 'null'], " GROUP_LISTS "}");
}

#define SERVER "\\s*[^\\s,@/]+:[0-9]{1,5}\\s*"

static struct node *details_schema(struct arena *a)
{
	struct node *schema = fields_schema(a, details_fields);

	node_map_set(a, schema, "type", part(a, "[object, 'null']"));
	set_string(a, node_get(node_get(schema, "properties"), "bootstrap_servers"), "pattern",
		"^" SERVER "(," SERVER ")*$");
	node_map_set(a, schema, "if",
		part(a, "{required: [security_protocol], properties: {security_protocol: "
			"{enum: " PROTOCOLS_WITH_LOGIN "}}}"));
	node_map_set(a, schema, "then",
		part(a, "{required: [sasl_mechanism], properties: {sasl_mechanism: {type: "
			"string}}}"));
	node_map_set(a, schema, "else", part(a, "{properties: {sasl_mechanism: {type: 'null'}}}"));
	return schema;
}

static struct node *integer_schema(struct arena *a)
{
	struct node *schema = part(a, "{type: [integer, 'null'], minimum: 0}");

	node_map_set(a, schema, "maximum", node_int(a, SPEC_THRESHOLD_MAX - 1));
	return schema;
}

static struct node *choice_schema(struct arena *a, const struct spec_field_info *info)
{
	struct node *schema = node_map(a);

	node_map_set(a, schema, "enum", choices_node(a, info->choices, !info->required));
	if (info->def)
		set_string(a, schema, "default", info->def);
	return schema;
}

static struct node *field_schema(struct arena *a, enum spec_field field)
{
	const struct spec_field_info *info = &spec_fields[field];
	struct node *schema = NULL;

	switch (info->kind) {
	case SPEC_KIND_STRING:
		schema = part(a, info->secret ? "{type: [string, 'null']}"
					      : "{type: [string, 'null'], pattern: '^\\S*$'}");
		break;
	case SPEC_KIND_CHOICE:
		schema = choice_schema(a, info);
		break;
	case SPEC_KIND_PATTERNS:
		schema = patterns_schema(a, field);
		break;
	case SPEC_KIND_INTEGER:
		schema = integer_schema(a);
		break;
	case SPEC_KIND_DETAILS:
		schema = details_schema(a);
		break;
	case SPEC_KIND_CONFIG:
		schema = part(a, "{type: [object, 'null']}");
		break;
	}
	set_string(a, schema, "description", info->doc);
	return schema;
}

/* Numbers and switches may also be written as strings: to Kafka they are. */
static const char *const setting_schemas[] = {
	[ADVANCED_STRING] = "{type: [string, number, boolean, 'null']}",
	[ADVANCED_BOOL] = "{enum: [true, false, 'true', 'false', null]}",
	[ADVANCED_INT] = "{type: [integer, string, 'null'], pattern: '^-?[0-9]+$'}",
	[ADVANCED_REPLICAS] =
		"{type: [integer, string, 'null'], pattern: '^(-1|[1-9][0-9]*)$', not: {const: 0}}",
	[ADVANCED_REAL] = "{type: [number, 'null']}",
	[ADVANCED_CHOICE] = "{}",
	[ADVANCED_LIST] =
		"{type: [string, array, 'null'], items: {type: [string, number, boolean]}}",
	[ADVANCED_PATTERNS] = "{type: [string, array, 'null'], items: {type: string}}",
	[ADVANCED_CLASS] = "{type: [string, 'null']}",
	[ADVANCED_JSON] = "{type: [string, 'null']}",
};

static struct node *setting_schema(struct arena *a, const struct advanced_key *key)
{
	struct node *schema = part(a, setting_schemas[key->type]);

	if (key->choices)
		node_map_set(a, schema, "enum", choices_node(a, key->choices, true));
	if (key->type == ADVANCED_INT || key->type == ADVANCED_REPLICAS)
		node_map_set(a, schema, "minimum", node_int(a, key->min));
	if (key->max)
		node_map_set(a, schema, "maximum", node_int(a, key->max));
	if (key->max_length)
		node_map_set(a, schema, "maxLength", node_int(a, (int64_t)key->max_length));
	set_string(a, schema, "description", key->doc);
	return schema;
}

/* "producer.override." to "^producer\.override\.." */
static char *prefix_expression(struct arena *a, const char *prefix)
{
	auto_buf struct buf b = BUF_INIT;

	buf_addc(&b, '^');
	for (; *prefix; prefix++)
		buf_addf(&b, "%s%c", *prefix == '.' ? "\\" : "", *prefix);
	buf_addc(&b, '.');
	return arena_strdup(a, buf_str(&b));
}

static struct node *no_credentials(struct arena *a)
{
	struct node *names = part(a, "{not: {}}");
	auto_buf struct buf b = BUF_INIT;

	for (size_t i = 0; advanced_credential_parts[i]; i++)
		buf_addf(&b, "%s%s", i ? "|" : "", advanced_credential_parts[i]);
	set_string(a, node_get(names, "not"), "pattern", buf_str(&b));
	return names;
}

static struct node *settings_schema(struct arena *a, const struct advanced_provider *provider)
{
	struct node *schema =
		part(a, "{additionalProperties: false, properties: {}, patternProperties: {}}");

	for (const struct advanced_key *key = provider->keys; key->name; key++) {
		if (key->rule == ADVANCED_SET)
			node_map_set(a, node_get(schema, "properties"), key->name,
				setting_schema(a, key));
	}
	for (const struct advanced_prefix *p = provider->prefixes; p->name; p++) {
		struct node *value = part(a, "{type: [string, number, boolean, array, 'null']}");

		if (p->rule != ADVANCED_SET)
			continue;
		set_string(a, value, "description", p->doc);
		node_map_set(a, node_get(schema, "patternProperties"),
			prefix_expression(a, p->name), value);
	}
	node_map_set(a, schema, "propertyNames", no_credentials(a));
	return schema;
}

/* if provider is this one, then advanced_configuration is that. */
static struct node *provider_rule(struct arena *a, const struct advanced_provider *provider)
{
	struct node *rule =
		part(a, arena_printf(a,
				"{if: {required: [provider], properties: {provider: {const: %s}}}, "
				"then: {properties: {}}}",
				provider->name));

	node_map_set(a, node_get(node_get(rule, "then"), "properties"), "advanced_configuration",
		settings_schema(a, provider));
	return rule;
}

/* Either the cluster's id or the details; the secret path only with details, and always where there
 * is a login. END stands for source or destination. */
static void add_end_rules(struct arena *a, struct node *rules, const char *end)
{
	static const char *const forms[] = {
		"{oneOf: [{required: [END_kafka_id], properties: {END_kafka_id: {type: string}, "
		"END_connection_details: {type: 'null'}}}, "
		"{required: [END_connection_details], properties: {END_connection_details: {type: "
		"object}, "
		"END_kafka_id: {type: 'null'}}}]}",
		"{if: {required: [END_secret_path], properties: {END_secret_path: {type: "
		"string}}}, "
		"then: {required: [END_connection_details], properties: {END_connection_details: "
		"{type: object}}}}",
		"{if: {required: [END_connection_details], properties: {END_connection_details: "
		"{type: object, "
		"required: [security_protocol], properties: {security_protocol: "
		"{enum: " PROTOCOLS_WITH_LOGIN "}}}}}, "
		"then: {required: [END_secret_path], properties: {END_secret_path: {type: "
		"string}}}}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		auto_buf struct buf text = BUF_INIT;
		const char *rest = forms[i];

		for (const char *mark; (mark = strstr(rest, "END")); rest = mark + strlen("END")) {
			buf_add(&text, rest, (size_t)(mark - rest));
			buf_adds(&text, end);
		}
		buf_adds(&text, rest);
		node_seq_add(a, rules, part(a, buf_str(&text)));
	}
}

struct node *spec_schema(struct arena *a)
{
	struct node *schema = part(
		a, "{type: object, additionalProperties: false, required: [], properties: {}}");
	struct node *rules = node_seq(a);

	for (enum spec_field f = SPEC_IDENTIFIER + 1; f < SPEC__COUNT; f++) {
		node_map_set(
			a, node_get(schema, "properties"), spec_fields[f].name, field_schema(a, f));
		if (spec_fields[f].required)
			node_seq_add(a, node_get(schema, "required"),
				node_string(a, spec_fields[f].name));
	}
	add_end_rules(a, rules, "source");
	add_end_rules(a, rules, "destination");
	node_seq_add(a, rules,
		part(a, "{if: {required: [lag_alert_threshold_unit], properties: "
			"{lag_alert_threshold_unit: {type: string}}}, "
			"then: {required: [lag_alert_threshold], properties: {lag_alert_threshold: "
			"{type: integer}}}}"));
	for (size_t i = 0; advanced_providers[i]; i++)
		node_seq_add(a, rules, provider_rule(a, advanced_providers[i]));
	node_map_set(a, schema, "allOf", rules);
	return schema;
}

/* The fields that may be ignored, as alternatives of an expression. */
static const char *ignorable_expression(struct arena *a)
{
	auto_buf struct buf b = BUF_INIT;

	buf_adds(&b, "^/(");
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		if (sync_may_ignore(f))
			buf_addf(&b, "%s%s%s", b.len > strlen("^/(") ? "|" : "",
				spec_fields[f].name,
				spec_fields[f].kind == SPEC_KIND_CONFIG ? "(/([^/~]|~[01])+)?"
									: "");
	}
	buf_adds(&b, ")$");
	return arena_strdup(a, buf_str(&b));
}

static void refine_sync(struct arena *a, const struct node *sync)
{
	struct node *properties = node_get(sync, "properties");
	struct node *names = node_get(properties, "depends_on");
	struct node *pointers = node_get(properties, "ignore");
	struct node *reason =
		node_get(node_get(node_get(properties, "suspend"), "properties"), "reason");

	set_string(a, node_get(names, "items"), "pattern", NAME_EXPRESSION);
	node_map_set(a, names, "uniqueItems", node_bool(a, true));
	set_string(a, node_get(pointers, "items"), "pattern", ignorable_expression(a));
	node_map_set(a, pointers, "uniqueItems", node_bool(a, true));
	set_string(a, reason, "pattern", "[^ \t\r\n]");
	node_map_set(a, reason, "maxLength", node_int(a, LIMIT_REASON_LENGTH));
}

struct node *replicator_schema(struct arena *a)
{
	struct node *schema = part(a, "{$schema: 'https://json-schema.org/draft/2020-12/schema', "
				      "title: KafkaReplicator}");
	const struct node *fields = fields_schema(a, document_fields);
	struct node *properties = node_get(fields, "properties");
	struct node *name =
		node_get(node_get(node_get(properties, "metadata"), "properties"), "name");

	set_string(a, name, "pattern", NAME_EXPRESSION);
	refine_sync(a, node_get(properties, "sync"));
	node_map_set(a, properties, "spec", spec_schema(a));
	for (size_t i = 0; i < fields->u.map.n; i++)
		node_map_set(
			a, schema, fields->u.map.at[i].key->u.string.s, fields->u.map.at[i].value);
	return schema;
}
