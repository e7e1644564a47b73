/* This file reads the text of a machine's file. It may come from anybody. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine/measured.h"
#include "base/machine/measured_find.h"

const char *const mpj_placement_names[MPJ_PLACEMENTS] = {"one_core", "cache", "package", "apart"};
const char *const mpj_pull_kind_names[MPJ_PULL_KINDS] = {"dense", "gaps", "combined",
                                                         "combined_gaps"};

#ifdef MPJ_HAVE_JANSSON
#include "base/library/jansson.h"

enum { SIZES_MOST = 16, LEAST_SIZE = 13, MOST_SIZE = 40, STATES_MOST = 16 };

/* What a file says of pulls. */
struct table {
  size_t nsizes;
  int64_t bytes[SIZES_MOST];
  struct cell {
    struct ratio { /* of two times, over the states of the pages */
      double product, least;
      int states;
    } faster[MPJ_PIECES_WAYS]; /* straight over pieces */
    struct ratio past;         /* pieces in the caches over those past them */
  } of[MPJ_PLACEMENTS][MPJ_PULL_KINDS][SIZES_MOST];
};

struct reader {
  char *why;
  size_t size;
};

#define REFUSE(reader, ...) (snprintf((reader)->why, (reader)->size, __VA_ARGS__), false)

static int index_of(const json_t *word, const char *const names[], int n)
{
  const char *text = json_string_value(word);
  for (int i = 0; text && i < n; i++)
    if (!strcmp(text, names[i])) return i;
  return -1;
}

static bool read_sizes(const json_t *root, struct table *t, const struct reader *r)
{
  const json_t *bytes = json_object_get(root, "bytes");
  t->nsizes = json_array_size(bytes);
  if (t->nsizes < 1 || t->nsizes > SIZES_MOST)
    return REFUSE(r, "it has no array \"bytes\" of 1 to %d sizes", SIZES_MOST);
  for (size_t i = 0; i < t->nsizes; i++) {
    const json_t *size = json_array_get(bytes, i);
    t->bytes[i] = json_integer_value(size);
    const int64_t least = i > 0 ? t->bytes[i - 1] + 1 : INT64_C(1) << LEAST_SIZE;
    if (t->bytes[i] < least || t->bytes[i] > INT64_C(1) << MOST_SIZE)
      return REFUSE(r, "size %zu of \"bytes\" is no number that is at least %lld", i,
                    (long long)least);
  }
  return true;
}

/* A time in microseconds, or 0 if there is none that makes sense. */
static double time_at(const json_t *row, const char *key, size_t i)
{
  const double us = json_number_value(json_array_get(json_object_get(row, key), i));
  return us >= 1e-3 && us <= 1e9 ? us : 0;
}

/* The times of a row that are not as many as there are sizes; NULL: all are. */
static const char *misfit(const json_t *row, size_t nsizes)
{
  static const char *const keys[] = {"straight_us", "stream_us", "past_us"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const json_t *times = json_object_get(row, keys[k]);
    if (times && json_array_size(times) != nsizes) return keys[k];
  }
  return NULL;
}

static void add_ratio(struct ratio *r, double ratio)
{
  if (r->states == 0 || ratio < r->least) r->least = ratio;
  r->product = r->states++ == 0 ? ratio : r->product * ratio;
}

/* past_us may be missing: files of the first version have none. */
static bool read_row(const json_t *row, size_t number, struct table *t, const struct reader *r)
{
  const int place =
      index_of(json_object_get(row, "placement"), mpj_placement_names, MPJ_PLACEMENTS);
  const int kind = index_of(json_object_get(row, "kind"), mpj_pull_kind_names, MPJ_PULL_KINDS);
  if (place < 0 || kind < 0)
    return REFUSE(r, "row %zu of \"movers\" has no %s that is known", number,
                  place < 0 ? "placement" : "kind");
  const char *other = misfit(row, t->nsizes);
  if (other)
    return REFUSE(r, "row %zu of \"movers\": %s has not as many times as \"bytes\" has sizes",
                  number, other);
  for (size_t i = 0; i < t->nsizes; i++) {
    struct cell *cell = &t->of[place][kind][i];
    const bool pasts = json_object_get(row, "past_us") != NULL;
    const double straight = time_at(row, "straight_us", i), stream = time_at(row, "stream_us", i),
                 past = time_at(row, "past_us", i);
    if (straight <= 0 || stream <= 0 || (pasts && past <= 0))
      return REFUSE(r, "row %zu of \"movers\": time %zu of %s_us is no number from .001 to 1e9",
                    number, i,
                    straight <= 0 ? "straight"
                    : stream <= 0 ? "stream"
                                  : "past");
    if (cell->faster[0].states == STATES_MOST)
      return REFUSE(r, "row %zu of \"movers\" is one of more than %d of its kind", number,
                    STATES_MOST);
    add_ratio(&cell->faster[MPJ_PIECES_CACHED], straight / stream);
    if (!pasts) continue;
    add_ratio(&cell->faster[MPJ_PIECES_PAST], straight / past);
    add_ratio(&cell->past, stream / past);
  }
  return true;
}

/* Whether the second way was faster, in geometric mean over what the pages were like, and nowhere
 * much slower. */
static bool is_faster(const struct ratio *r)
{
  double needed = 1;
  for (int i = 0; i < r->states; i++)
    needed *= 1.05;
  return r->states > 0 && r->product >= needed && r->least >= .7;
}

/* Each power of two goes by the largest size that was measured up to it, or by the first. */
static void set_bits(const struct table *t, int place, int kind, struct mpj_measured *m)
{
  const struct cell *cells = t->of[place][kind];
  size_t i = 0;
  for (int s = 0; s < 32; s++) {
    while (i + 1 < t->nsizes && t->bytes[i + 1] <= INT64_C(1) << (LEAST_SIZE + s))
      i++;
    for (int way = 0; way < MPJ_PIECES_WAYS; way++)
      m->faster[way][place][kind] |= (uint32_t)is_faster(&cells[i].faster[way]) << s;
    m->past[place][kind] |= (uint32_t)is_faster(&cells[i].past) << s;
  }
}

static bool read_movers(const json_t *root, struct mpj_measured *m, const struct reader *r)
{
  static const size_t ROWS_MOST = MPJ_PLACEMENTS * MPJ_PULL_KINDS * STATES_MOST;
  struct table *t = calloc(1, sizeof *t);
  const json_t *rows = json_object_get(root, "movers");
  if (!t) return REFUSE(r, "there is no memory to read it");
  bool sound = read_sizes(root, t, r);
  if (sound && (!json_is_array(rows) || json_array_size(rows) > ROWS_MOST))
    sound = REFUSE(r, "it has no array \"movers\" of at most %zu rows", ROWS_MOST);
  for (size_t i = 0; sound && i < json_array_size(rows); i++)
    sound = read_row(json_array_get(rows, i), i, t, r);
  memset(m->faster, 0, sizeof m->faster);
  memset(m->past, 0, sizeof m->past);
  for (int place = 0; sound && place < MPJ_PLACEMENTS; place++)
    for (int kind = 0; kind < MPJ_PULL_KINDS; kind++)
      set_bits(t, place, kind, m);
  free(t);
  return sound;
}

/* The rules go on as they are: who chooses algorithms reads them. */
static bool keep_rules(const json_t *root, struct mpj_measured *m, const struct reader *r)
{
  const json_t *rules = json_object_get(root, "rules");
  m->rules[0] = '\0';
  if (rules && !json_is_array(rules)) return REFUSE(r, "its \"rules\" are no array");
  if (!rules || json_array_size(rules) == 0) return true;
  json_t *alone = json_pack("{sO}", "rules", rules);
  char *text = alone ? json_dumps(alone, JSON_COMPACT) : NULL;
  const bool fits = text && strlen(text) < sizeof m->rules;
  if (fits) memcpy(m->rules, text, strlen(text) + 1);
  json_delete(alone);
  free(text);
  return fits ? true : REFUSE(r, "its \"rules\" take more than %zu bytes", sizeof m->rules - 1);
}

/* Whether it was made on such a machine. */
static bool is_for(const json_t *root, const struct mpj_machine_key *key, bool *foreign,
                   const struct reader *r)
{
  const struct {
    const char *name, *here;
  } words[] = {{"processor", key->processor}, {"mpj", key->version}, {"kernel", key->kernel}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *there = json_string_value(json_object_get(root, words[i].name));
    if (!there) return REFUSE(r, "it does not say its \"%s\"", words[i].name);
    for (const char *at = there; *at; at++)
      if ((unsigned char)*at < ' ' || *at == 127)
        return REFUSE(r, "its \"%s\" is no line of text", words[i].name);
    *foreign = strcmp(there, words[i].here) != 0;
    if (*foreign)
      return REFUSE(r, "it is for %s %.60s, here is %s", words[i].name, there, words[i].here);
  }
  const json_t *cores = json_object_get(root, "cores");
  if (!json_is_integer(cores)) return REFUSE(r, "it does not say its \"cores\"");
  *foreign = json_integer_value(cores) != key->cores;
  return !*foreign ? true
                   : REFUSE(r, "it is for %lld cores, here are %d",
                            (long long)json_integer_value(cores), key->cores);
}

bool mpj_measured_parse(const char *text, const struct mpj_machine_key *key, struct mpj_measured *m,
                        int64_t *made, bool *foreign, char *why, size_t size)
{
  const struct reader r = {why, size};
  json_error_t error;
  *foreign = false;
  if (!mpj_jansson_load(why, size)) return false;
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!root) return REFUSE(&r, "line %d: %s", error.line, error.text);
  *made = json_integer_value(json_object_get(root, "made"));
  const bool sound =
      is_for(root, key, foreign, &r) && read_movers(root, m, &r) && keep_rules(root, m, &r);
  json_delete(root);
  return sound;
}

#else

bool mpj_measured_parse(const char *text, const struct mpj_machine_key *key, struct mpj_measured *m,
                        int64_t *made, bool *foreign, char *why, size_t size)
{
  (void)text;
  (void)key;
  (void)m;
  (void)made;
  *foreign = false;
  snprintf(why, size, "this library was built without jansson, which reads such files");
  return false;
}

#endif
