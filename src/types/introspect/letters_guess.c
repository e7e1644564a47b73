/* This file finds a sequence of basic types by its digest. */
#include "types/introspect/letters_search.h"
#include "types/residues.h"

/* The longest run of a repeated pattern. */
enum { PATTERN = 8 };

static void add_row(struct mpj_letters_search *s, int basic)
{
  for (int i = 0; i < s->nrows; i++)
    if (mpj_letters_alike(s->rows[i], basic)) return;
  s->rows[s->nrows++] = basic;
}

/* The names that are met most come first of their letter. */
static void list_rows(struct mpj_letters_search *s, const struct mpj_letters *own)
{
  static const MPJ_Datatype usual[] = {MPJ_INT,  MPJ_DOUBLE, MPJ_FLOAT,
                                       MPJ_CHAR, MPJ_LONG,   MPJ_BYTE};
  for (int i = 0; i < own->n; i++)
    add_row(s, own->runs[i].basic);
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
    add_row(s, mpj_basic_of_handle(usual[i]));
  for (int b = 0; b < MPJ_BASIC_COUNT; b++)
    add_row(s, b);
}

/* All of one basic type. */
static bool find_one(const struct mpj_letters_search *s)
{
  for (int r = 0; r < s->nrows; r++) {
    const int size = mpj_basics[s->rows[r]].size;
    const struct mpj_letters l = {{{s->rows[r], s->bytes / size}}, 1, 1, 0, false, 0};
    if (mpj_letters_is_it(s, &l)) return true;
  }
  return false;
}

/* What was expected, more or less often, or its beginning. */
static bool find_own(const struct mpj_letters_search *s, const struct mpj_letters *own)
{
  struct mpj_letters l = *own;
  MPJ_Count unit = own->times > 0 ? own->bytes / own->times : 0;
  if (own->more || unit == 0) return false;
  l.times = s->bytes / unit;
  if (l.times > 0 && mpj_letters_is_it(s, &l)) return true;
  MPJ_Count left = s->bytes;
  l.times = 1;
  for (l.n = 0; left > 0 && l.n < own->n; l.n++) {
    const int size = mpj_basics[own->runs[l.n].basic].size;
    if (l.runs[l.n].count > left / size) l.runs[l.n].count = left / size;
    if (l.runs[l.n].count == 0) break;
    left -= l.runs[l.n].count * size;
  }
  return left == 0 && l.n > 0 && mpj_letters_is_it(s, &l);
}

/* What was expected but for run k, which is `bytes` bytes of one basic type, or not there. */
static bool find_other_run(const struct mpj_letters_search *s, const struct mpj_letters *own, int k,
                           MPJ_Count bytes)
{
  for (int r = 0; r < s->nrows; r++) {
    const int size = mpj_basics[s->rows[r]].size;
    struct mpj_letters l = {.times = own->times};
    if (bytes % size != 0) continue;
    for (int i = 0; i < own->n; i++) {
      const struct mpj_letters_run run =
          i == k ? (struct mpj_letters_run){s->rows[r], bytes / size} : own->runs[i];
      if (run.count > 0) mpj_letters_add(&l, run.basic, run.count);
    }
    if (l.n > 0 && mpj_letters_is_it(s, &l)) return true;
  }
  return false;
}

static bool find_altered(const struct mpj_letters_search *s, const struct mpj_letters *own)
{
  if (own->more || own->times <= 0 || s->bytes % own->times != 0) return false;
  const MPJ_Count more = s->bytes / own->times - own->bytes / own->times;
  for (int k = 0; k < own->n; k++) {
    const MPJ_Count bytes = own->runs[k].count * mpj_basics[own->runs[k].basic].size + more;
    if (bytes >= 0 && find_other_run(s, own, k, bytes)) return true;
  }
  return false;
}

/* i of a, then j of b, over and over. */
static bool find_pattern(struct mpj_letters_search *s, int a, int b)
{
  for (int i = 1; i <= PATTERN; i++) {
    for (int j = 1; j <= PATTERN; j++) {
      const MPJ_Count unit = i * mpj_basics[a].size + j * mpj_basics[b].size;
      const struct mpj_letters l = {{{a, i}, {b, j}}, 2, s->bytes / unit, 0, false, 0};
      if (s->bytes % unit == 0 && mpj_letters_is_it(s, &l)) return true;
    }
  }
  return false;
}

static bool find_pairs(struct mpj_letters_search *s,
                       bool (*find)(struct mpj_letters_search *, int, int))
{
  for (int a = 0; a < s->nrows; a++)
    for (int b = 0; b < s->nrows; b++)
      if (a != b && find(s, s->rows[a], s->rows[b])) return true;
  return false;
}

/* As often as what was expected is repeated: something of another kind. */
static bool find_repeated(struct mpj_letters_search *s, const struct mpj_letters *own)
{
  if (own->times <= 1) return false;
  s->times = own->times;
  const bool found = mpj_letters_find_replaced(s, own) || find_pairs(s, mpj_letters_find_two);
  s->times = 1;
  return found;
}

bool mpj_letters_find(MPJ_Count bytes, uint64_t hash, const struct mpj_letters *own,
                      MPJ_Count *tries, struct mpj_letters *out)
{
  const struct mpj_letters hint = *own; /* out may be own */
  struct mpj_letters_search s = {
      .bytes = bytes, .hash = hash, .times = 1, .tries = *tries, .out = out};
  if (bytes <= 0 || hash >= MPJ_RESIDUES) return false;
  list_rows(&s, &hint);
  if (find_one(&s) || find_own(&s, &hint) || find_altered(&s, &hint)) return true;
  const bool found =
      *tries > 0 && (find_pairs(&s, find_pattern) || find_repeated(&s, &hint) ||
                     mpj_letters_find_replaced(&s, &hint) || find_pairs(&s, mpj_letters_find_two));
  *tries = s.tries > 0 ? s.tries : 0;
  return found;
}

void mpj_letters_guess(MPJ_Count bytes, uint64_t digest, const struct mpj_letters *own,
                       struct mpj_letters *out)
{
  const struct mpj_letters unknown = {.bytes = bytes, .times = 1, .more = bytes > 0};
  MPJ_Count tries = MPJ_LETTERS_TRIES;
  if (!mpj_letters_find(bytes, mpj_signature_hash_of(digest, bytes), own, &tries, out))
    *out = unknown;
}
