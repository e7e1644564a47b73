/* This program makes every collective with more than 2^31 elements a part and more than 2^32
 * bytes in all, among ranks whose layouts differ, and checks what comes.
 *
 *   coll_vast [--threads N] [operation...]     as the job that it is started in, or N threads
 *
 * The buffers take a few MiB: all but the first and the last PERIOD of a region are one stretch of
 * memory of that length, mapped again and again. The data repeats there as the memory does; its
 * first and last H bytes are found nowhere else. PERIOD divides no power of two, so that what
 * loses the upper half of its offset lands on other data. Reductions take the greatest, which may
 * be taken more than once. */
#include <mpj/mpj.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coll/need.h"

static const size_t PERIOD = 257 * 4096, H = 257 * 2048;
enum { RANKS = 8, EACH = 8 /* bytes of a row's block */, APART = 16, UNTOUCHED = 0x5a };

/* A rank's job: its place in it, and which layout it uses where they may differ. */
struct job {
  int rank, p;
  int rows; /* 1: blocks of EACH bytes, APART from each other; 0: dense */
};

/* `parts` regions of n bytes of data each, one after the other with a page between that must not
 * be touched, and the type of all; the part type is one region's. */
struct area {
  char *base;
  size_t length, one, n;
  int parts, rows;
  MPJ_Datatype part, all;
};

/* The byte at k of the data of n bytes that comes from `who` and is for `whom`. */
static unsigned char value(size_t k, size_t n, int who, int whom)
{
  const int end = k < H ? 1 : k >= n - H ? 2 : 0;
  uint64_t x = (uint64_t)(k % H) * 0x9e3779b97f4a7c15u;
  x ^= (uint64_t)(who * 64 + whom * 4 + end + 1) * 0xc2b2ae3d27d4eb4fu;
  x *= 0xff51afd7ed558ccdu;
  return (unsigned char)(x >> 56);
}

static size_t place(const struct area *a, int part, size_t k)
{
  return (size_t)part * a->one + (a->rows ? k / EACH * APART + k % EACH : k);
}

static int map_region(char *at, size_t bytes, int stretch)
{
  const int fixed = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS;
  const size_t last = (bytes / PERIOD - 1) * PERIOD;
  NEED(mmap(at, PERIOD, PROT_READ | PROT_WRITE, fixed, -1, 0) != MAP_FAILED);
  for (size_t o = PERIOD; o < last; o += PERIOD)
    NEED(mmap(at + o, PERIOD, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_SHARED, stretch, 0) !=
         MAP_FAILED);
  NEED(mmap(at + last, bytes - last, PROT_READ | PROT_WRITE, fixed, -1, 0) != MAP_FAILED);
  return 0;
}

static int make_types(struct area *a)
{
  if (a->rows)
    NEED(!MPJ_Type_create_hvector((MPJ_Count)(a->n / EACH), EACH, APART, MPJ_UINT8, &a->part));
  else
    NEED(!MPJ_Type_contiguous((MPJ_Count)a->n, MPJ_UINT8, &a->part));
  NEED(!MPJ_Type_create_hvector(a->parts, 1, (MPJ_Aint)a->one, a->part, &a->all));
  NEED(!MPJ_Type_commit(&a->part) && !MPJ_Type_commit(&a->all));
  return 0;
}

static int make(struct area *a, int parts, size_t n, int rows)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t bytes = ((rows ? n / EACH * APART : n) + page - 1) / page * page;
  *a = (struct area){.parts = parts, .n = n, .rows = rows, .one = bytes + page};
  a->length = (size_t)parts * a->one;
  a->base = mmap(NULL, a->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  NEED(a->base != MAP_FAILED);
  for (int i = 0; i < parts; i++) {
    const int stretch = memfd_create("stretch", 0);
    NEED(stretch >= 0 && ftruncate(stretch, (off_t)PERIOD) == 0);
    if (map_region(a->base + (size_t)i * a->one, bytes, stretch)) return 1;
    close(stretch);
  }
  return make_types(a);
}

static int drop(struct area *a)
{
  NEED(!MPJ_Type_free(&a->part) && !MPJ_Type_free(&a->all));
  NEED(munmap(a->base, a->length) == 0);
  return 0;
}

/* The offsets of a region's data that stand for all: 0 .. 4H and n - 4H .. n. */
static size_t offset(const struct area *a, size_t i)
{
  return i < 4 * H ? i : a->n - 8 * H + i;
}

static void fill(struct area *a, int part, int who, int whom)
{
  for (size_t i = 0; i < 8 * H; i++) {
    const size_t k = offset(a, i);
    a->base[place(a, part, k)] = (char)value(k, a->n, who, whom);
  }
}

static void clear(struct area *a)
{
  for (int part = 0; part < a->parts; part++)
    for (size_t i = 0; i < 8 * H; i++)
      a->base[place(a, part, offset(a, i))] = UNTOUCHED;
}

/* What is there is the greatest of what ranks first .. last sent, and gaps are as they were. */
static int check(const struct area *a, int part, int first, int last, int whom)
{
  for (size_t i = 0; i < 8 * H; i++) {
    const size_t k = offset(a, i), at = place(a, part, k);
    unsigned char expected = 0;
    for (int who = first; who <= last; who++) {
      const unsigned char v = value(k, a->n, who, whom);
      if (v > expected) expected = v;
    }
    if ((unsigned char)a->base[at] != expected)
      fprintf(stderr, "part %d, byte %zu of %zu: %d, not %d\n", part, k, a->n,
              (unsigned char)a->base[at], expected);
    NEED((unsigned char)a->base[at] == expected);
    NEED(!a->rows || a->base[at + EACH] == 0);
  }
  return 0;
}

/* More than 2^32 bytes; and more than 2^31. */
static size_t most(void)
{
  return ((size_t)1 << 32) + 5 * H + 8 * 1001;
}

static size_t many(void)
{
  return ((size_t)1 << 31) + 3 * H + 8 * 77;
}

static int bcast(const struct job *j)
{
  struct area a;
  if (make(&a, 1, most(), j->rows)) return 1;
  if (j->rank == j->p - 1)
    fill(&a, 0, 0, 0);
  else
    clear(&a);
  NEED(!MPJ_Bcast(a.base, a.part, j->p - 1, MPJ_COMM_WORLD));
  if (check(&a, 0, 0, 0, 0)) return 1;
  return drop(&a);
}

static int gather(const struct job *j)
{
  struct area mine, all;
  if (make(&mine, 1, many(), j->rows) || make(&all, j->p, many(), !j->rows)) return 1;
  fill(&mine, 0, j->rank, 0);
  clear(&all);
  NEED(!MPJ_Gather(mine.base, mine.part, all.base, all.all, 0, MPJ_COMM_WORLD));
  for (int i = 0; j->rank == 0 && i < j->p; i++)
    if (check(&all, i, i, i, 0)) return 1;
  return drop(&mine) || drop(&all);
}

static int allgather(const struct job *j)
{
  struct area mine, all;
  if (make(&mine, 1, many(), j->rows) || make(&all, j->p, many(), !j->rows)) return 1;
  fill(&mine, 0, j->rank, 0);
  clear(&all);
  NEED(!MPJ_Allgather(mine.base, mine.part, all.base, all.all, MPJ_COMM_WORLD));
  for (int i = 0; i < j->p; i++)
    if (check(&all, i, i, i, 0)) return 1;
  return drop(&mine) || drop(&all);
}

static int scatter(const struct job *j)
{
  struct area mine, all;
  const int root = j->p - 1;
  if (make(&mine, 1, many(), j->rows) || make(&all, j->p, many(), !j->rows)) return 1;
  for (int i = 0; i < j->p; i++)
    fill(&all, i, j->rank, i);
  clear(&mine);
  NEED(!MPJ_Scatter(all.base, all.all, mine.base, mine.part, root, MPJ_COMM_WORLD));
  if (check(&mine, 0, root, root, j->rank)) return 1;
  return drop(&mine) || drop(&all);
}

static int alltoall(const struct job *j)
{
  struct area out, in;
  if (make(&out, j->p, many(), j->rows) || make(&in, j->p, many(), !j->rows)) return 1;
  for (int i = 0; i < j->p; i++)
    fill(&out, i, j->rank, i);
  clear(&in);
  NEED(!MPJ_Alltoall(out.base, out.all, in.base, in.all, MPJ_COMM_WORLD));
  for (int i = 0; i < j->p; i++)
    if (check(&in, i, i, i, j->rank)) return 1;
  return drop(&out) || drop(&in);
}

static int reduce(const struct job *j)
{
  struct area out, in;
  if (make(&out, 1, many(), j->rows) || make(&in, 1, many(), !j->rows)) return 1;
  fill(&out, 0, j->rank, 0);
  clear(&in);
  NEED(!MPJ_Reduce(out.base, out.part, in.base, in.part, MPJ_MAX, 0, MPJ_COMM_WORLD));
  if (j->rank == 0 && check(&in, 0, 0, j->p - 1, 0)) return 1;
  clear(&in);
  NEED(!MPJ_Allreduce(out.base, out.part, in.base, in.part, MPJ_MAX, MPJ_COMM_WORLD));
  if (check(&in, 0, 0, j->p - 1, 0)) return 1;
  return drop(&out) || drop(&in);
}

static int reduce_scatter(const struct job *j)
{
  struct area out, in;
  if (make(&out, j->p, many(), j->rows) || make(&in, 1, many(), !j->rows)) return 1;
  for (int i = 0; i < j->p; i++)
    fill(&out, i, j->rank, i);
  clear(&in);
  NEED(!MPJ_Reduce_scatter(out.base, out.all, in.base, in.part, MPJ_MAX, MPJ_COMM_WORLD));
  if (check(&in, 0, 0, j->p - 1, j->rank)) return 1;
  return drop(&out) || drop(&in);
}

static int scan(const struct job *j)
{
  struct area out, in;
  if (make(&out, 1, many(), j->rows) || make(&in, 1, many(), !j->rows)) return 1;
  fill(&out, 0, j->rank, 0);
  clear(&in);
  NEED(!MPJ_Scan(out.base, out.part, in.base, in.part, MPJ_MAX, MPJ_COMM_WORLD));
  if (check(&in, 0, 0, j->rank, 0)) return 1;
  clear(&in);
  NEED(!MPJ_Exscan(out.base, out.part, in.base, in.part, MPJ_MAX, MPJ_COMM_WORLD));
  if (j->rank > 0 && check(&in, 0, 0, j->rank - 1, 0)) return 1;
  return drop(&out) || drop(&in);
}

/* Small parts, 3 GiB from each other; the pages between are never touched. */
static int far_apart(const struct job *j)
{
  const MPJ_Aint gap = (MPJ_Aint)3 << 30;
  const int n = 100000;
  MPJ_Datatype part, all;
  double *mine = malloc((size_t)n * sizeof *mine);
  char *base = mmap(NULL, (size_t)j->p * (size_t)gap, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  NEED(mine && base != MAP_FAILED);
  NEED(!MPJ_Type_contiguous(n, MPJ_DOUBLE, &part) && !MPJ_Type_commit(&part));
  NEED(!MPJ_Type_create_hvector(j->p, 1, gap, part, &all) && !MPJ_Type_commit(&all));
  for (int i = 0; i < n; i++)
    mine[i] = i + 0.25 * j->rank;
  NEED(!MPJ_Allgather(mine, part, base, all, MPJ_COMM_WORLD));
  for (int r = 0; r < j->p; r++)
    for (int i = 0; i < n; i++)
      NEED(((double *)(base + r * gap))[i] == i + 0.25 * r);
  NEED(!MPJ_Alltoall(MPJ_IN_PLACE, all, base, all, MPJ_COMM_WORLD));
  for (int r = 0; r < j->p; r++)
    for (int i = 0; i < n; i++)
      NEED(((double *)(base + r * gap))[i] == i + 0.25 * j->rank);
  NEED(!MPJ_Type_free(&part) && !MPJ_Type_free(&all));
  munmap(base, (size_t)j->p * (size_t)gap);
  free(mine);
  return 0;
}

static const struct {
  const char *name;
  int (*play)(const struct job *j);
} plays[] = {
    {"bcast", bcast},
    {"gather", gather},
    {"allgather", allgather},
    {"scatter", scatter},
    {"alltoall", alltoall},
    {"reduce", reduce},
    {"reduce_scatter", reduce_scatter},
    {"scan", scan},
    {"apart", far_apart},
};

static char **wanted; /* names, up to NULL; none: all */

static int is_wanted(const char *name)
{
  for (char **w = wanted; *w; w++)
    if (strcmp(*w, name) == 0) return 1;
  return *wanted == NULL;
}

static int run(void *unused)
{
  (void)unused;
  struct job j;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &j.rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &j.p));
  NEED(j.p <= RANKS);
  j.rows = j.rank % 2;
  for (size_t i = 0; i < sizeof plays / sizeof *plays; i++) {
    if (!is_wanted(plays[i].name)) continue;
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
    const double start = MPJ_Wtime();
    if (plays[i].play(&j)) return 1;
    if (j.rank == 0) printf("%s: %.2f s\n", plays[i].name, MPJ_Wtime() - start);
    fflush(stdout);
  }
  return 0;
}

int main(int argc, char **argv)
{
  if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
    wanted = argv + 3;
    return MPJ_Run_threads(atoi(argv[2]), run, NULL) ? 1 : 0;
  }
  wanted = argv + 1;
  if (MPJ_Init(&argc, &argv)) return 2;
  const int status = run(NULL);
  return MPJ_Finalize() || status;
}
