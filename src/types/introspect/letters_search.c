/* This file finds long sequences of basic types by the hash of their signature: the equation that
 * the hash must satisfy (signature.h) is solved for a power of X, and this looked for among the
 * powers of all places.
 *
 *   G(n) = 1 + X + ... + X^(n-1) = (X^n - 1) / (X - 1), the hash of n letters 1 */
#include "types/introspect/letters_search.h"
#include "types/residues.h"

/* The most elements that replace others; comparisons in the time of a try. */
enum { REPLACED = 4, COMPARED = 8 };

struct mpj_signature mpj_letters_signature(const struct mpj_letters *l, int first, int end)
{
  struct mpj_signature all = mpj_signature_empty;
  for (int i = first; i < end; i++)
    all = mpj_signature_join(
        all, mpj_signature_repeat(mpj_signature_of_basic(l->runs[i].basic), l->runs[i].count));
  return all;
}

bool mpj_letters_is_it(const struct mpj_letters_search *s, const struct mpj_letters *l)
{
  const struct mpj_signature own =
      mpj_signature_repeat(mpj_letters_signature(l, 0, l->n), l->times);
  if (own.bytes != s->bytes || own.hash != s->hash) return false;
  *s->out = *l;
  s->out->bytes = s->bytes;
  return true;
}

static uint64_t power_of_x(MPJ_Count exponent)
{
  return mpj_residue_power(MPJ_RESIDUE_X, (uint64_t)exponent);
}

static uint64_t letter_of(int basic)
{
  return mpj_basics[basic].letter;
}

static uint64_t hash_of_run(int basic, MPJ_Count count)
{
  return mpj_signature_repeat(mpj_signature_of_basic(basic), count).hash;
}

/* Of one of s->times equal stretches of n letters each:
 * hash = one (X^(n times) - 1) / (X^n - 1). */
static uint64_t hash_of_one(const struct mpj_letters_search *s, MPJ_Count n)
{
  if (s->times == 1) return s->hash;
  const uint64_t all = mpj_residue_subtract(power_of_x(n * s->times), 1);
  return mpj_residue_multiply(s->hash, mpj_residue_multiply(mpj_residue_subtract(power_of_x(n), 1),
                                                            mpj_residue_inverse(all)));
}

static bool is_two(const struct mpj_letters_search *s, int a, MPJ_Count i, int b, MPJ_Count j)
{
  const struct mpj_letters l = {{{a, i}, {b, j}}, 2, s->times, 0, false, 0};
  return mpj_letters_is_it(s, &l);
}

static MPJ_Count common_divisor(MPJ_Count a, MPJ_Count b)
{
  while (b != 0) {
    const MPJ_Count rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* i of a, then j of b: A G(i) X^j + B G(j) = one, that is
 * A X^n + (B - A) X^j - B = one (X - 1), n = i + j; and with all stretches
 * (A X^n + (B - A) X^j - B) (X^(n times) - 1) = hash (X - 1) (X^n - 1). From one solution of
 * i |a| + j |b| = bytes to the next, j grows by |a| / g and i falls by |b| / g. */
struct two {
  uint64_t A, B, wanted;                 /* wanted: hash (X - 1) */
  uint64_t last, all, every;             /* (B - A) X^j, X^n, X^(n times) */
  uint64_t step_j, step_all, step_every; /* to the next solution */
};

static bool is_solved(const struct two *t, bool once)
{
  const uint64_t one =
      mpj_residue_subtract(mpj_residue_add(mpj_residue_multiply(t->A, t->all), t->last), t->B);
  if (once) return one == t->wanted;
  return mpj_residue_multiply(one, mpj_residue_subtract(t->every, 1)) ==
         mpj_residue_multiply(t->wanted, mpj_residue_subtract(t->all, 1));
}

static void go_on(struct two *t, bool once)
{
  t->all = mpj_residue_multiply(t->all, t->step_all);
  t->last = mpj_residue_multiply(t->last, t->step_j);
  if (!once) t->every = mpj_residue_multiply(t->every, t->step_every);
}

bool mpj_letters_find_two(struct mpj_letters_search *s, int a, int b)
{
  const MPJ_Count size_a = mpj_basics[a].size, size_b = mpj_basics[b].size;
  const MPJ_Count g = common_divisor(size_a, size_b), up = size_a / g, down = size_b / g;
  const MPJ_Count bytes = s->bytes / s->times;
  const bool once = s->times == 1;
  MPJ_Count j = 1;
  while (j <= size_a && (bytes - j * size_b) % size_a != 0)
    j++;
  MPJ_Count i = (bytes - j * size_b) / size_a;
  if (j > size_a || i < 1 || s->bytes % s->times != 0) return false;
  struct two t = {.A = letter_of(a), .B = letter_of(b)};
  t.wanted = mpj_residue_multiply(s->hash, mpj_residue_subtract(MPJ_RESIDUE_X, 1));
  t.last = mpj_residue_multiply(mpj_residue_subtract(t.B, t.A), power_of_x(j));
  t.all = power_of_x(i + j);
  t.every = mpj_residue_power(t.all, (uint64_t)s->times);
  t.step_j = power_of_x(up);
  t.step_all = mpj_residue_multiply(t.step_j, mpj_residue_inverse(power_of_x(down)));
  t.step_every = mpj_residue_power(t.step_all, (uint64_t)s->times);
  for (; i >= 1 && s->tries > 0; i -= down, j += up, s->tries--) {
    if (is_solved(&t, once) && is_two(s, a, i, b, j)) return true;
    go_on(&t, once);
  }
  return false;
}

/* Row b, `count` times, among `others` elements of a run; X to the number of these that follow is
 * `power`. */
struct replaced {
  int basic;
  MPJ_Count count, others;
  uint64_t power;
};

/* A run of `own` in which something is replaced, and what lies around it. */
struct place {
  const struct mpj_letters *own;
  int run;
  struct mpj_signature before, after;
  MPJ_Count bytes; /* of the run, in what is looked for */
};

/* The run has hash A G(n) + (B - A) G(count) X^l, n = others + count. */
static bool solve(const struct mpj_letters_search *s, const struct place *p, struct replaced *r)
{
  const int a = p->own->runs[p->run].basic;
  const MPJ_Count bytes = p->bytes - r->count * mpj_basics[r->basic].size;
  r->others = bytes / mpj_basics[a].size;
  if (bytes <= 0 || bytes % mpj_basics[a].size != 0) return false;
  const MPJ_Count n = r->others + r->count;
  const uint64_t one = hash_of_one(s, p->before.elements + n + p->after.elements);
  const uint64_t before =
      mpj_residue_multiply(mpj_residue_multiply(p->before.hash, power_of_x(n)), p->after.power);
  const uint64_t here =
      mpj_residue_multiply(mpj_residue_subtract(mpj_residue_subtract(one, p->after.hash), before),
                           mpj_residue_inverse(p->after.power));
  const uint64_t factor =
      mpj_residue_subtract(hash_of_run(r->basic, r->count), hash_of_run(a, r->count));
  if (factor == 0) return false;
  r->power = mpj_residue_multiply(mpj_residue_subtract(here, hash_of_run(a, n)),
                                  mpj_residue_inverse(factor));
  return true;
}

static bool is_replaced(const struct mpj_letters_search *s, const struct place *p,
                        const struct replaced *r, MPJ_Count follow)
{
  struct mpj_letters l = {.times = s->times};
  for (int i = 0; i < p->own->n; i++) {
    const struct mpj_letters_run run = p->own->runs[i];
    if (i != p->run) {
      if (!mpj_letters_add(&l, run.basic, run.count)) return false;
      continue;
    }
    if (r->others > follow) mpj_letters_add(&l, run.basic, r->others - follow);
    mpj_letters_add(&l, r->basic, r->count);
    if (follow > 0) mpj_letters_add(&l, run.basic, follow);
  }
  return !l.more && mpj_letters_is_it(s, &l);
}

static bool find_among(struct mpj_letters_search *s, const struct place *p,
                       const struct replaced all[], int n)
{
  MPJ_Count most = 0;
  for (int k = 0; k < n; k++)
    if (all[k].others > most) most = all[k].others;
  uint64_t power = 1;
  for (MPJ_Count follow = 0; follow <= most && s->tries > 0; follow++) {
    for (int k = 0; k < n; k++)
      if (all[k].power == power && follow <= all[k].others && is_replaced(s, p, &all[k], follow))
        return true;
    power = mpj_residue_multiply(power, MPJ_RESIDUE_X);
    s->tries -= 1 + n / COMPARED;
  }
  return false;
}

bool mpj_letters_find_replaced(struct mpj_letters_search *s, const struct mpj_letters *own)
{
  struct replaced all[REPLACED * MPJ_BASIC_COUNT];
  if (own->more || own->times != s->times || s->bytes % s->times != 0) return false;
  for (int run = 0; run < own->n; run++) {
    struct place p = {own, run, mpj_letters_signature(own, 0, run),
                      mpj_letters_signature(own, run + 1, own->n), 0};
    int n = 0;
    p.bytes = s->bytes / s->times - p.before.bytes - p.after.bytes;
    for (int k = 0; k < s->nrows * REPLACED; k++) {
      all[n] = (struct replaced){.basic = s->rows[k / REPLACED], .count = k % REPLACED + 1};
      if (solve(s, &p, &all[n])) n++;
    }
    if (find_among(s, &p, all, n)) return true;
  }
  return false;
}
