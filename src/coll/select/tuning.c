/* This file reads tuning files: rules as JSON (spec/collectives.md). */
#include <stdio.h>
#include <string.h>

#include "coll/select/select.h"

#ifdef MPJ_HAVE_JANSSON
#include "base/library/jansson.h"

/* The operation of this name, or MPJ_OPERATION_NONE. */
static enum mpj_operation operation_of(const char *word)
{
  for (enum mpj_operation op = MPJ_OPERATION_BARRIER; word && op < MPJ_OPERATIONS; op++)
    if (strcmp(word, mpj_operation_word(op)) == 0) return op;
  return MPJ_OPERATION_NONE;
}

/* What a rule may say. A word that is none of these would make it fit more than is meant. */
static const struct {
  const char *key;
  json_type type; /* JSON_TRUE: either truth value */
} keys[] = {
    {"operation", JSON_STRING},    {"algorithm", JSON_STRING},    {"radix", JSON_INTEGER},
    {"segment", JSON_INTEGER},     {"least_ranks", JSON_INTEGER}, {"most_ranks", JSON_INTEGER},
    {"least_bytes", JSON_INTEGER}, {"below_bytes", JSON_INTEGER}, {"oversubscribed", JSON_TRUE},
    {"several_nodes", JSON_TRUE},  {"processes", JSON_TRUE}};
enum { NKEYS = sizeof keys / sizeof *keys };

static bool check_value(const char *key, const json_t *value, char *why, size_t size)
{
  int k = 0;
  while (k < NKEYS && strcmp(key, keys[k].key) != 0)
    k++;
  if (k == NKEYS) {
    snprintf(why, size, "%.40s is nothing that a rule says", key);
    return false;
  }
  const bool truth = keys[k].type == JSON_TRUE;
  const bool negative = json_is_integer(value) && json_integer_value(value) < 0;
  if (truth ? json_is_boolean(value) : json_typeof(value) == keys[k].type && !negative) return true;
  snprintf(why, size, "%s is not %s", key,
           truth                         ? "true or false"
           : keys[k].type == JSON_STRING ? "a text"
                                         : "a whole number that is at least 0");
  return false;
}

static bool check_values(json_t *object, char *why, size_t size)
{
  const char *key;
  json_t *value;
  snprintf(why, size, "it is no object");
  if (!json_is_object(object)) return false;
  json_object_foreach (object, key, value)
    if (!check_value(key, value, why, size)) return false;
  return true;
}

static bool has_algorithm(const json_t *object, struct mpj_rule *rule, char *why, size_t size)
{
  const char *operation = json_string_value(json_object_get(object, "operation"));
  const char *name = json_string_value(json_object_get(object, "algorithm"));
  if (!operation || !name) {
    snprintf(why, size, "it has no %s", operation ? "algorithm" : "operation");
    return false;
  }
  rule->operation = operation_of(operation);
  if (rule->operation == MPJ_OPERATION_NONE) {
    snprintf(why, size, "%.40s is no operation", operation);
    return false;
  }
  const struct mpj_algorithm *a = mpj_algorithm_find(rule->operation, name, strlen(name));
  if (!a) {
    snprintf(why, size, "%.40s is no algorithm of %s", name, operation);
    return false;
  }
  rule->name = a->name;
  return mpj_algorithm_takes_radix(a, rule->radix, why, size);
}

static MPJ_Count count_of(const json_t *object, const char *key)
{
  return (MPJ_Count)json_integer_value(json_object_get(object, key));
}

static int small_count_of(const json_t *object, const char *key)
{
  const MPJ_Count n = count_of(object, key);
  return n < INT32_MAX ? (int)n : INT32_MAX;
}

static bool read_rule(json_t *object, struct mpj_rule *rule, char *why, size_t size)
{
  const json_t *few = json_object_get(object, "oversubscribed");
  if (!check_values(object, why, size)) return false;
  *rule = (struct mpj_rule){.least_ranks = small_count_of(object, "least_ranks"),
                            .most_ranks = small_count_of(object, "most_ranks"),
                            .least_bytes = count_of(object, "least_bytes"),
                            .below_bytes = count_of(object, "below_bytes"),
                            .radix = small_count_of(object, "radix"),
                            .segment = count_of(object, "segment")};
  if (few) rule->cores = json_is_true(few) ? MPJ_FEW_CORES : MPJ_ENOUGH_CORES;
  rule->several_nodes = json_is_true(json_object_get(object, "several_nodes"));
  rule->processes = json_is_true(json_object_get(object, "processes"));
  return has_algorithm(object, rule, why, size);
}

static bool read_rules(const json_t *root, struct mpj_rule rules[], char *why, size_t size)
{
  const json_t *list = json_object_get(root, "rules");
  const size_t n = json_array_size(list);
  if (!json_is_array(list) || n > MPJ_FILE_RULES_MAX) {
    snprintf(why, size, "it has no array \"rules\" of at most %d rules", MPJ_FILE_RULES_MAX);
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    char reason[120];
    if (read_rule(json_array_get(list, i), &rules[i], reason, sizeof reason)) continue;
    snprintf(why, size, "rule %zu: %s", i, reason);
    return false;
  }
  rules[n].name = NULL;
  return true;
}

bool mpj_tuning_parse(const char *text, struct mpj_rule rules[], char *why, size_t size)
{
  json_error_t error;
  if (!mpj_jansson_load(why, size)) return false;
  json_t *root = json_loads(text, 0, &error);
  if (!root) {
    snprintf(why, size, "line %d: %s", error.line, error.text);
    return false;
  }
  const bool sound = read_rules(root, rules, why, size);
  json_delete(root);
  return sound;
}

#else

bool mpj_tuning_parse(const char *text, struct mpj_rule rules[], char *why, size_t size)
{
  (void)text;
  rules[0].name = NULL;
  snprintf(why, size, "this library was built without jansson, which reads such files");
  return false;
}

#endif
