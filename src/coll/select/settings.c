/* This file reads what the environment asks for: the MPJ_COLL_ variables. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/file.h"
#include "base/machine/measured.h"
#include "base/machine/measured_find.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/select/select.h"

/* Names of the operation's algorithms: "flat, knomial". */
static void list_choices(enum mpj_operation operation, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (const struct mpj_algorithm *a = mpj_algorithms; a->name && used < size; a++)
    if (a->operation == operation)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", a->name);
}

/* A whole number up to `most` at *text, which moves on past it; -1 if there is none. */
static long long number(const char **text, long long most)
{
  char *end;
  if (**text < '0' || **text > '9') return -1;
  const long long n = strtoll(*text, &end, 10);
  *text = end;
  return n <= most ? n : -1;
}

/* One of "R", "radix=R", "segment=BYTES"; each once. */
static bool parse_parameter(const char **text, struct mpj_rule *rule)
{
  long long n;
  if (strncmp(*text, "segment=", 8) == 0) {
    const bool again = rule->segment != 0;
    *text += 8;
    n = number(text, INT64_C(1) << 40);
    rule->segment = n;
    return n >= 1 && !again;
  }
  const bool again = rule->radix != 0;
  if (strncmp(*text, "radix=", 6) == 0) *text += 6;
  n = number(text, MPJ_RADIX_MOST);
  rule->radix = (int)n;
  return n >= 1 && !again;
}

static bool parse_parameters(const char *text, struct mpj_rule *rule)
{
  while (*text) {
    text++; /* the colon or comma */
    if (!parse_parameter(&text, rule)) return false;
    if (*text != '\0' && *text != ',') return false;
  }
  return true;
}

static bool takes_segment(const struct mpj_algorithm *a, MPJ_Count segment, char *why, size_t size)
{
  if (segment == 0 || a->segmented) return true;
  snprintf(why, size, "%s has no segments", a->name);
  return false;
}

bool mpj_setting_parse(enum mpj_operation operation, const char *text, struct mpj_rule *rule,
                       char *why, size_t size)
{
  char choices[256];
  const size_t length = strcspn(text, ":,");
  const struct mpj_algorithm *a = mpj_algorithm_find(operation, text, length);
  *rule = (struct mpj_rule){.operation = operation};
  if (strcmp(text, "auto") == 0) return true;
  list_choices(operation, choices, sizeof choices);
  if (!a) {
    snprintf(why, size, "%.64s is no algorithm; there are auto, %s", text, choices);
    return false;
  }
  char sentence[160] = "";
  const bool sound = parse_parameters(text + length, rule);
  if (sound && mpj_algorithm_takes_radix(a, rule->radix, sentence, sizeof sentence) &&
      takes_segment(a, rule->segment, sentence, sizeof sentence)) {
    rule->name = a->name;
    return true;
  }
  if (sentence[0])
    snprintf(why, size, "%.64s: %s", text, sentence);
  else
    snprintf(why, size, "%.64s is not of the form name[:radix=R][,segment=BYTES], from 1 on", text);
  *rule = (struct mpj_rule){.operation = operation};
  return false;
}

/* The process */

static struct mpj_settings process_settings;

static void read_variables(void)
{
  const struct mpj_config *c = mpj_config();
  const char *const texts[MPJ_OPERATIONS] = {NULL,
                                             c->coll_barrier,
                                             c->coll_bcast,
                                             c->coll_gather,
                                             c->coll_scatter,
                                             c->coll_allgather,
                                             c->coll_alltoall,
                                             c->coll_reduce,
                                             c->coll_allreduce,
                                             c->coll_reduce_scatter,
                                             c->coll_scan,
                                             c->coll_exscan};
  for (enum mpj_operation op = MPJ_OPERATION_BARRIER; op < MPJ_OPERATIONS; op++) {
    char why[400], name[MPJ_VARIABLE_BYTES];
    if (!mpj_setting_parse(op, texts[op], &process_settings.asked[op], why, sizeof why) &&
        mpj_config_warns())
      mpj_warn("%s: %s; using auto", mpj_operation_variable(op, name), why);
  }
}

static void read_file(void)
{
  char why[200];
  char *text = NULL;
  const char *path = mpj_config()->coll_file;
  if (path[0] == '\0') return;
  const bool sound = mpj_file_read(path, &text)
                         ? mpj_tuning_parse(text, process_settings.file, why, sizeof why)
                         : mpj_file_say_unread(why, sizeof why);
  mpj_free(text);
  if (sound) return;
  process_settings.file[0].name = NULL;
  if (mpj_config_warns())
    mpj_warn("MPJ_COLL_FILE=%s: %s; using the library's own rules", path, why);
}

static void read_settings(void)
{
  read_variables();
  read_file();
}

const struct mpj_settings *mpj_settings(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_settings);
  return &process_settings;
}

/* The machine */

int mpj_tuning_rules(const char *text, bool warns, struct mpj_rule **rules)
{
  char why[200];
  size_t n = 0;
  *rules = NULL;
  if (!text || !text[0]) return MPJ_SUCCESS;
  struct mpj_rule *all = mpj_alloc_array(MPJ_FILE_RULES_MAX + 1, sizeof *all);
  const bool sound = all && mpj_tuning_parse(text, all, why, sizeof why);
  while (sound && all[n].name)
    n++;
  if (sound) *rules = mpj_alloc_array(n + 1, sizeof **rules);
  if (*rules) memcpy(*rules, all, (n + 1) * sizeof **rules);
  if (all && !sound && warns)
    mpj_warn("the rules of the machine's file: %s; using the library's own", why);
  const bool lacking = !all || (sound && !*rules);
  mpj_free(all);
  return lacking ? mpj_error(MPJ_ERR_NO_MEM, "no memory for the machine's rules") : MPJ_SUCCESS;
}

static struct mpj_rule *rules_here;

static void read_here(void)
{
  struct mpj_measured *m = mpj_alloc_array(1, sizeof *m);
  struct mpj_measured_source *source = mpj_alloc_array(1, sizeof *source);
  if (m && source) {
    mpj_measured_find(m, source);
    mpj_tuning_rules(m->rules, true, &rules_here);
  }
  mpj_free(m);
  mpj_free(source);
}

const struct mpj_rule *mpj_tuning_here(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_here);
  return rules_here;
}
