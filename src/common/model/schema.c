/* The JSON Schema of a spec, for editors: the table, and those rules between fields that a schema
 * can say. What is missing may stand in Defaults, which no schema of one document can see. */
#include <string.h>

#include "base/alloc.h"
#include "doc/yaml.h"
#include "model/advanced.h"
#include "model/schema_parts.h"

#define PROTOCOLS_WITH_LOGIN "[SASL_PLAINTEXT, SASL_SSL]"

struct node *schema_part(struct arena *a, const char *yaml)
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

void schema_set(struct arena *a, struct node *map, const char *key, const char *value)
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
		return schema_part(a, "{type: [array, string], minItems: 1, " TOPIC_LISTS
				      "'^(\\s*,)*" TOPIC "(," TOPIC ")*(,\\s*)*$'}");
	if (field == SPEC_TOPIC_BLACKLIST)
		return schema_part(a, "{type: [array, string, 'null'], " TOPIC_LISTS
				      "'^(\\s*,)*(" TOPIC "(," TOPIC ")*)?(,\\s*)*$'}");
	return schema_part(a, "{type: [array, string, 'null'], " GROUP_LISTS "}");
}

#define SERVER "\\s*[^\\s,@/]+:[0-9]{1,5}\\s*"

/* `whole`: nothing of it can stand elsewhere. */
static struct node *details_schema(struct arena *a, bool whole)
{
	struct node *schema = fields_schema(a, details_fields);

	node_map_set(a, schema, "type", schema_part(a, "[object, 'null']"));
	schema_set(a, node_get(node_get(schema, "properties"), "bootstrap_servers"), "pattern",
		"^" SERVER "(," SERVER ")*$");
	if (!whole) {
		node_map_set(a, schema, "if",
			schema_part(a, "{required: [security_protocol], properties: "
				       "{security_protocol: {enum: [PLAINTEXT, SSL]}}}"));
		node_map_set(a, schema, "then",
			schema_part(a, "{properties: {sasl_mechanism: {type: 'null'}}}"));
		return schema;
	}
	node_map_set(a, schema, "required", schema_part(a, "[bootstrap_servers]"));
	schema_set(
		a, node_get(node_get(schema, "properties"), "bootstrap_servers"), "type", "string");
	node_map_set(a, schema, "if",
		schema_part(a, "{required: [security_protocol], properties: {security_protocol: "
			       "{enum: " PROTOCOLS_WITH_LOGIN "}}}"));
	node_map_set(a, schema, "then",
		schema_part(a, "{required: [sasl_mechanism], properties: {sasl_mechanism: {type: "
			       "string}}}"));
	node_map_set(a, schema, "else",
		schema_part(a, "{properties: {sasl_mechanism: {type: 'null'}}}"));
	return schema;
}

static struct node *integer_schema(struct arena *a)
{
	struct node *schema = schema_part(a, "{type: [integer, 'null'], minimum: 0}");

	node_map_set(a, schema, "maximum", node_int(a, SPEC_THRESHOLD_MAX - 1));
	return schema;
}

static struct node *choice_schema(struct arena *a, const struct spec_field_info *info)
{
	struct node *schema = node_map(a);

	node_map_set(a, schema, "enum", choices_node(a, info->choices, true));
	if (info->def)
		schema_set(a, schema, "default", info->def);
	return schema;
}

static struct node *field_schema(struct arena *a, enum spec_field field, bool whole)
{
	const struct spec_field_info *info = &spec_fields[field];
	struct node *schema = NULL;

	switch (info->kind) {
	case SPEC_KIND_STRING:
		schema = schema_part(a, info->secret
						? "{type: [string, 'null']}"
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
		schema = details_schema(a, whole);
		break;
	case SPEC_KIND_CONFIG:
		schema = schema_part(a, "{type: [object, 'null']}");
		break;
	}
	schema_set(a, schema, "description", info->doc);
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
	struct node *schema = schema_part(a, setting_schemas[key->type]);

	if (key->choices)
		node_map_set(a, schema, "enum", choices_node(a, key->choices, true));
	if (key->type == ADVANCED_INT || key->type == ADVANCED_REPLICAS)
		node_map_set(a, schema, "minimum", node_int(a, key->min));
	if (key->max)
		node_map_set(a, schema, "maximum", node_int(a, key->max));
	if (key->max_length)
		node_map_set(a, schema, "maxLength", node_int(a, (int64_t)key->max_length));
	schema_set(a, schema, "description", key->doc);
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
	struct node *names = schema_part(a, "{not: {}}");
	auto_buf struct buf b = BUF_INIT;

	for (size_t i = 0; advanced_credential_parts[i]; i++)
		buf_addf(&b, "%s%s", i ? "|" : "", advanced_credential_parts[i]);
	schema_set(a, node_get(names, "not"), "pattern", buf_str(&b));
	return names;
}

static struct node *settings_schema(struct arena *a, const struct advanced_provider *provider)
{
	struct node *schema = schema_part(
		a, "{additionalProperties: false, properties: {}, patternProperties: {}}");

	for (const struct advanced_key *key = provider->keys; key->name; key++) {
		if (key->rule == ADVANCED_SET)
			node_map_set(a, node_get(schema, "properties"), key->name,
				setting_schema(a, key));
	}
	for (const struct advanced_prefix *p = provider->prefixes; p->name; p++) {
		struct node *value =
			schema_part(a, "{type: [string, number, boolean, array, 'null']}");

		if (p->rule != ADVANCED_SET)
			continue;
		schema_set(a, value, "description", p->doc);
		node_map_set(a, node_get(schema, "patternProperties"),
			prefix_expression(a, p->name), value);
	}
	node_map_set(a, schema, "propertyNames", no_credentials(a));
	return schema;
}

/* if provider is this one, then advanced_configuration is that. */
static struct node *provider_rule(struct arena *a, const struct advanced_provider *provider)
{
	struct node *rule = schema_part(
		a, arena_printf(a,
			   "{if: {required: [provider], properties: {provider: {const: %s}}}, "
			   "then: {properties: {}}}",
			   provider->name));

	node_map_set(a, node_get(node_get(rule, "then"), "properties"), "advanced_configuration",
		settings_schema(a, provider));
	return rule;
}

/* Adds a rule about the fields of one end, whose names begin with `prefix`: END_ in `form`. */
static void add_end_rule(struct arena *a, struct node *rules, const char *form, const char *prefix)
{
	static const char mark[] = "END_";
	auto_buf struct buf text = BUF_INIT;

	for (const char *at; (at = strstr(form, mark)); form = at + strlen(mark)) {
		buf_add(&text, form, (size_t)(at - form));
		buf_adds(&text, prefix);
	}
	buf_adds(&text, form);
	node_seq_add(a, rules, schema_part(a, buf_str(&text)));
}

/* One of the three ways to name an end; the secret path only with details. */
static const char *const end_rules[] = {
	"{not: {type: object, required: [END_kafka_id, END_connection_details], properties: "
	"{END_kafka_id: "
	"{type: string, minLength: 1}, END_connection_details: {type: object, minProperties: 1}}}}",
	"{not: {type: object, required: [END_kafka_id, END_secret_path], properties: "
	"{END_kafka_id: "
	"{type: string, minLength: 1}, END_secret_path: {type: string, minLength: 1}}}}",
	"{if: {required: [END_cluster], properties: {END_cluster: {type: string}}}, then: "
	"{properties: {END_kafka_id: {type: 'null'}, END_connection_details: {type: 'null'}, "
	"END_secret_path: {type: 'null'}}}}",
	NULL,
};

/* The same where nothing can stand elsewhere: and the secret path always where there is a login. */
static const char *const cluster_rules[] = {
	"{oneOf: [{required: [END_kafka_id], properties: {END_kafka_id: {type: string}, "
	"END_connection_details: {type: 'null'}}}, "
	"{required: [END_connection_details], properties: {END_connection_details: {type: object}, "
	"END_kafka_id: {type: 'null'}}}]}",
	"{if: {required: [END_secret_path], properties: {END_secret_path: {type: string}}}, "
	"then: {required: [END_connection_details], properties: {END_connection_details: "
	"{type: object}}}}",
	"{if: {required: [END_connection_details], properties: {END_connection_details: "
	"{type: object, required: [security_protocol], properties: {security_protocol: "
	"{enum: " PROTOCOLS_WITH_LOGIN "}}}}}, "
	"then: {required: [END_secret_path], properties: {END_secret_path: {type: string}}}}",
	NULL,
};

static void add_end_rules(
	struct arena *a, struct node *rules, const char *const *forms, const char *prefix)
{
	for (; *forms; forms++)
		add_end_rule(a, rules, *forms, prefix);
}

static struct node *cluster_name_schema(struct arena *a)
{
	struct node *schema = schema_part(a, "{type: [string, 'null']}");

	schema_set(a, schema, "description",
		"A KafkaCluster, by its metadata.name, instead of the id or the connection "
		"details.");
	return schema;
}

struct node *spec_schema(struct arena *a)
{
	struct node *schema =
		schema_part(a, "{type: object, additionalProperties: false, properties: {}}");
	struct node *properties = node_get(schema, "properties"), *rules = node_seq(a);

	for (enum spec_field f = SPEC_IDENTIFIER + 1; f < SPEC__COUNT; f++)
		node_map_set(a, properties, spec_fields[f].name, field_schema(a, f, false));
	for (enum end end = 0; end < END__COUNT; end++)
		node_map_set(a, properties, ends[end].cluster, cluster_name_schema(a));
	add_end_rules(a, rules, end_rules, "source_");
	add_end_rules(a, rules, end_rules, "destination_");
	node_seq_add(a, rules,
		schema_part(a, "{if: {required: [lag_alert_threshold_unit], properties: "
			       "{lag_alert_threshold_unit: {type: string}}}, "
			       "then: {properties: {lag_alert_threshold: {type: integer}}}}"));
	for (size_t i = 0; advanced_providers[i]; i++)
		node_seq_add(a, rules, provider_rule(a, advanced_providers[i]));
	node_map_set(a, schema, "allOf", rules);
	return schema;
}

struct node *cluster_spec_schema(struct arena *a)
{
	struct node *schema =
		schema_part(a, "{type: object, additionalProperties: false, properties: {}}");
	struct node *rules = node_seq(a);
	const enum spec_field fields[] = {
		SPEC_SOURCE_KAFKA_ID, SPEC_SOURCE_CONNECTION_DETAILS, SPEC_SOURCE_SECRET_PATH};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct node *one = field_schema(a, fields[i], true);

		schema_set(a, one, "description", cluster_fields[i].doc);
		node_map_set(a, node_get(schema, "properties"), cluster_fields[i].name, one);
	}
	add_end_rules(a, rules, cluster_rules, "");
	node_map_set(a, schema, "allOf", rules);
	return schema;
}
