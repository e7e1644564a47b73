/* This program puts to and gets from regions of all ranks, on threads or as the processes
 * of a job: random types, each side with a layout of its own, compared with what the
 * reference says byte by byte. It exits with 0 if everything was in place, no byte
 * between the elements was touched, and what is wrong was refused.
 *
 * am_regions [--threads N] [--rounds R] [--seed S] [--elements E] */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "types/basic.h"
#include "types/random_type.h"

enum { GAP = 0xee, SLACK = 64, RANKS_MOST = 64 };

static struct {
  int rounds;
  uint64_t seed;
  MPJ_Count elements;
} plan = {.rounds = 20, .seed = 1, .elements = 3000};

/* Memory around a type; `base` is what displacements count from. */
struct memory {
  unsigned char *all, *base;
  size_t bytes;
};

struct player {
  int rank, size, round, wrong;
};

static void complain(struct player *p, const char *what, const struct mpj_random_type *t)
{
  fprintf(stderr, "rank %d of %d, seed %llu, round %d: %s: %s (%s)\n", p->rank, p->size,
          (unsigned long long)plan.seed, p->round, what, t ? t->text : "", MPJ_Error_detail());
  p->wrong++;
}

static void make_memory(struct memory *m, MPJ_Datatype type)
{
  MPJ_Aint lb, extent;
  MPJ_Type_get_true_extent(type, &lb, &extent);
  m->bytes = (size_t)extent + 2 * SLACK;
  m->all = malloc(m->bytes);
  if (!m->all) exit(2);
  memset(m->all, GAP, m->bytes);
  m->base = m->all + SLACK - lb;
}

static size_t packed_bytes(const struct mpj_random_type *t)
{
  MPJ_Count bytes;
  MPJ_Type_size(t->type, &bytes);
  return (size_t)bytes;
}

static unsigned char value(unsigned key, size_t i)
{
  return (unsigned char)(key * 31 + i * 7 + i / 251);
}

/* Put what `key` says into the elements, one entry of the reference after the other. */
static void fill(const struct memory *m, const struct mpj_random_type *t, unsigned key)
{
  size_t at = 0;
  for (MPJ_Count i = 0; i < t->ref->n; i++) {
    const struct mpj_ref_entry *e = &t->ref->map[i];
    for (int k = 0; e->basic >= 0 && k < mpj_basics[e->basic].size; k++)
      m->base[e->displ + k] = value(key, at++);
  }
}

/* Whether memory is as if `key` had been filled in, and nothing else. */
static int is_filled(const struct memory *m, const struct mpj_random_type *t, unsigned key)
{
  struct memory expected = {malloc(m->bytes), NULL, m->bytes};
  if (!expected.all) exit(2);
  memset(expected.all, GAP, m->bytes);
  expected.base = expected.all + (m->base - m->all);
  fill(&expected, t, key);
  const int same = memcmp(expected.all, m->all, m->bytes) == 0;
  free(expected.all);
  return same;
}

struct ends {
  int n, failed;
};
static void note_end(void *arg, int status)
{
  struct ends *ends = arg;
  ends->n++;
  ends->failed += status != MPJ_SUCCESS;
}

/* What all ranks know of a round without asking. */
static struct mpj_random dice_of(const struct player *p, int rank)
{
  return (struct mpj_random){plan.seed * 1000003 + (uint64_t)p->round * 1009 + (uint64_t)rank};
}

static void draw_type(const struct player *p, int rank, struct mpj_random_type *t)
{
  struct mpj_random dice = dice_of(p, rank);
  static const MPJ_Count scale[] = {1, 8, 64, 512};
  const MPJ_Count most = plan.elements / scale[mpj_random_in(&dice, 0, 3)];
  const struct mpj_random_options options = {
      .depth = 3, .max_elements = most + 1, .max_span = 32 * (most + 64), .receivable = true};
  mpj_random_type_make(&dice, &options, t);
  MPJ_Type_commit(&t->type);
}

static unsigned key_of(const struct player *p, int owner)
{
  return (unsigned)(p->round * 131 + owner * 17 + 5);
}

/* Another layout of the same data. */
struct side {
  struct mpj_random_type theirs, mine;
  struct memory memory;
};
static void make_side(const struct player *p, int owner, struct side *s)
{
  struct mpj_random dice = dice_of(p, 100 + p->rank);
  draw_type(p, owner, &s->theirs);
  mpj_random_type_like(&dice, s->theirs.ref, &s->mine);
  MPJ_Type_commit(&s->mine.type);
  make_memory(&s->memory, s->mine.type);
}
static void free_side(struct side *s)
{
  free(s->memory.all);
  mpj_random_type_free(&s->mine);
  mpj_random_type_free(&s->theirs);
}

/* Get from everybody, at once or one after the other. */
static void get_all(struct player *p, const MPJ_Am_region regions[])
{
  struct side sides[RANKS_MOST];
  struct ends ends = {0, 0};
  const int waits = p->round % 2;
  for (int i = 0; i < p->size; i++) {
    struct side *s = &sides[i];
    make_side(p, i, s);
    if (MPJ_Am_get(s->memory.base, s->mine.type, &regions[i], waits ? NULL : note_end, &ends))
      complain(p, "a get failed", &s->mine);
  }
  if (MPJ_Am_flush()) complain(p, "a flush failed", NULL);
  if (!waits && (ends.n != p->size || ends.failed)) complain(p, "gets have not ended well", NULL);
  for (int i = 0; i < p->size; i++) {
    if (!is_filled(&sides[i].memory, &sides[i].mine, key_of(p, i)))
      complain(p, "a get brought something else", &sides[i].mine);
    free_side(&sides[i]);
  }
}

/* Put to the next rank, whose memory then says so. */
static void put_to_next(struct player *p, const MPJ_Am_region regions[])
{
  const int next = (p->rank + 1) % p->size;
  struct side s;
  struct ends ends = {0, 0};
  const int waits = p->round % 2;
  make_side(p, next, &s);
  fill(&s.memory, &s.mine, key_of(p, next) + 1);
  if (MPJ_Am_put(s.memory.base, s.mine.type, &regions[next], waits ? NULL : note_end, &ends))
    complain(p, "a put failed", &s.mine);
  if (MPJ_Am_flush()) complain(p, "a put was not dealt with", &s.mine);
  if (!waits && (ends.n != 1 || ends.failed)) complain(p, "a put has not ended well", &s.mine);
  free_side(&s);
}

/* Data of another signature, and a region that is no more, are refused; nothing changes. */
static void do_wrong(struct player *p, const MPJ_Am_region regions[], const MPJ_Am_region *old)
{
  const int next = (p->rank + 1) % p->size;
  struct side s;
  MPJ_Datatype longer;
  make_side(p, next, &s);
  MPJ_Type_contiguous((MPJ_Count)packed_bytes(&s.mine) + 1, MPJ_CHAR, &longer);
  MPJ_Type_commit(&longer);
  void *buf = calloc(1, packed_bytes(&s.mine) + 1);
  if (!buf) exit(2);
  if (MPJ_Am_put(buf, longer, &regions[next], NULL, NULL) || MPJ_Am_flush() != MPJ_ERR_SIGNATURE)
    complain(p, "a put of another signature", &s.mine);
  if (MPJ_Am_get(buf, longer, &regions[next], NULL, NULL) != MPJ_ERR_SIGNATURE || MPJ_Am_flush())
    complain(p, "a get of another signature", &s.mine);
  if (old->serial &&
      (MPJ_Am_put(s.memory.base, s.mine.type, old, NULL, NULL) || MPJ_Am_flush() != MPJ_ERR_ARG))
    complain(p, "a put to a region that is no more", NULL);
  if (old->serial && MPJ_Am_get(s.memory.base, s.mine.type, old, NULL, NULL) != MPJ_ERR_ARG)
    complain(p, "a get from a region that is no more", NULL);
  if (MPJ_Am_flush()) complain(p, "an error was told twice", NULL);
  free(buf);
  MPJ_Type_free(&longer);
  free_side(&s);
}

/* Everybody learns everybody's region. */
static void tell_all(const struct player *p, const MPJ_Am_region *mine, MPJ_Am_region regions[])
{
  MPJ_Datatype one, all;
  MPJ_Type_contiguous(sizeof *mine, MPJ_BYTE, &one);
  MPJ_Type_commit(&one);
  MPJ_Type_contiguous(p->size, one, &all);
  MPJ_Type_commit(&all);
  MPJ_Allgather(mine, one, regions, all, MPJ_COMM_WORLD);
  MPJ_Type_free(&all);
  MPJ_Type_free(&one);
}

static void play_round(struct player *p, MPJ_Am_region *old)
{
  struct mpj_random_type t;
  struct memory m;
  MPJ_Am_region mine, regions[RANKS_MOST];
  draw_type(p, p->rank, &t);
  make_memory(&m, t.type);
  fill(&m, &t, key_of(p, p->rank));
  if (MPJ_Am_expose(m.base, t.type, &mine)) complain(p, "a region was not exposed", &t);
  tell_all(p, &mine, regions);
  get_all(p, regions);
  MPJ_Barrier(MPJ_COMM_WORLD);
  put_to_next(p, regions);
  do_wrong(p, regions, old);
  MPJ_Barrier(MPJ_COMM_WORLD);
  if (!is_filled(&m, &t, key_of(p, p->rank) + 1)) complain(p, "a put brought something else", &t);
  *old = regions[(p->rank + 1) % p->size];
  if (MPJ_Am_withdraw(&mine)) complain(p, "a region was not withdrawn", &t);
  if (MPJ_Am_withdraw(&mine) != MPJ_ERR_ARG) complain(p, "it was withdrawn twice", &t);
  MPJ_Barrier(MPJ_COMM_WORLD);
  free(m.all);
  mpj_random_type_free(&t);
}

static int play(void *arg)
{
  struct player p = {.rank = -1};
  MPJ_Am_region old = {.serial = 0};
  (void)arg;
  MPJ_Init(NULL, NULL);
  MPJ_Comm_rank(MPJ_COMM_WORLD, &p.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &p.size);
  for (p.round = 0; p.round < plan.rounds && !p.wrong; p.round++)
    play_round(&p, &old);
  MPJ_Finalize();
  return p.wrong != 0;
}

int main(int argc, char **argv)
{
  int threads = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--threads")) threads = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--rounds")) plan.rounds = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--seed")) plan.seed = (uint64_t)atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--elements")) plan.elements = atoi(argv[i + 1]);
  }
  alarm(300);
  return threads > 0 ? MPJ_Run_threads(threads, play, NULL) : play(NULL);
}
