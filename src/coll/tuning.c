/* This file reads tuning files: rules as JSON (spec/collectives.md). */
#include <stdio.h>
#include <string.h>

#include "coll/select.h"

#ifdef MPJ_HAVE_JANSSON
#include <jansson.h>

/* The operation of this name, or MPJ_OPERATION_NONE. */
static enum mpj_operation operation_of(const char *word)
{
  for (enum mpj_operation op = MPJ_OPERATION_BARRIER; word && op < MPJ_OPERATIONS; op++)
    if (strcmp(word, mpj_operation_word(op)) == 0) return op;
  return MPJ_OPERATION_NONE;
}

static bool has_algorithm(const json_t *object, struct mpj_rule *rule)
{
  const char *name = json_string_value(json_object_get(object, "algorithm"));
  rule->operation = operation_of(json_string_value(json_object_get(object, "operation")));
  if (rule->operation == MPJ_OPERATION_NONE || !name) return false;
  const struct mpj_algorithm *a = mpj_algorithm_find(rule->operation, name, strlen(name));
  if (!a) return false;
  rule->name = a->name;
  return rule->radix == 0 || (a->radix > 0 && rule->radix >= a->least_radix && rule->radix < 256);
}

static MPJ_Count count_of(const json_t *object, const char *key)
{
  const json_int_t n = json_integer_value(json_object_get(object, key));
  return n > 0 ? (MPJ_Count)n : 0;
}

static int small_count_of(const json_t *object, const char *key)
{
  const MPJ_Count n = count_of(object, key);
  return n < INT32_MAX ? (int)n : INT32_MAX;
}

static bool read_rule(const json_t *object, struct mpj_rule *rule)
{
  const json_t *few = json_object_get(object, "oversubscribed");
  *rule = (struct mpj_rule){.least_ranks = small_count_of(object, "least_ranks"),
                            .most_ranks = small_count_of(object, "most_ranks"),
                            .least_bytes = count_of(object, "least_bytes"),
                            .below_bytes = count_of(object, "below_bytes"),
                            .radix = small_count_of(object, "radix"),
                            .segment = count_of(object, "segment")};
  if (json_is_boolean(few)) rule->cores = json_is_true(few) ? MPJ_FEW_CORES : MPJ_ENOUGH_CORES;
  rule->several_nodes = json_is_true(json_object_get(object, "several_nodes"));
  return has_algorithm(object, rule);
}

static bool read_rules(const json_t *root, struct mpj_rule rules[], char *why, size_t size)
{
  const json_t *list = json_object_get(root, "rules");
  const size_t n = json_array_size(list);
  if (!json_is_array(list) || n > MPJ_FILE_RULES_MAX) {
    snprintf(why, size, "it has no array \"rules\" of at most %d rules", MPJ_FILE_RULES_MAX);
    return false;
  }
  for (size_t i = 0; i < n; i++)
    if (!read_rule(json_array_get(list, i), &rules[i])) {
      snprintf(why, size, "rule %zu names no operation, algorithm of it, or sensible radix", i);
      return false;
    }
  rules[n].name = NULL;
  return true;
}

bool mpj_tuning_parse(const char *text, struct mpj_rule rules[], char *why, size_t size)
{
  json_error_t error;
  json_t *root = json_loads(text, 0, &error);
  if (!root) {
    snprintf(why, size, "line %d: %s", error.line, error.text);
    return false;
  }
  const bool sound = read_rules(root, rules, why, size);
  json_decref(root);
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
