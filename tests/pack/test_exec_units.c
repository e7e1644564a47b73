/* This file tests lists of blocks that are regular but for some exceptions, and irregular ones:
 * that committing keeps them compressed, and that they are moved rightly, whether their units are
 * listed or decoded from the layout. */
#include <stdlib.h>
#include <string.h>

#include <mpj/pack.h>

#include "base/memory.h"
#include "base/suite.h"
#include "pack/program/program.h"
#include "pack/reduce/reduce.h"
#include "pack/run/cursor.h"
#include "types/made.h"
#include "types/random_type.h"
#include "types/wanted.h"

enum { MANY = 100000, SOME = 1500, RANGES = 12 };

enum form {
  ODD_LENGTHS,
  ODD_PLACES,
  ODD_LAST,
  JITTER,
  ELLPACK,
  ODD_PERIOD,
  SORTED,
  POINTS,
  EMPTY,
  ODD_LONG,
  ALTERNATING,
  SHUFFLED,
  FAR,
  FORMS
};

/* Blocks of lens[i] elements at displs[i] elements; none overlap. */
struct list {
  MPJ_Count n, elements, span;
  MPJ_Count lens[MANY], displs[MANY];
};

static void swap(MPJ_Count v[], MPJ_Count i, MPJ_Count j)
{
  const MPJ_Count x = v[i];
  v[i] = v[j];
  v[j] = x;
}

/* A block of at most 8 elements, in a place of at most 15 from 15 i on. */
static void draw_block(struct mpj_random *rng, enum form form, MPJ_Count i, struct list *list)
{
  const MPJ_Count any = mpj_random_in(rng, 1, 8);
  MPJ_Count len = 3, displ = 15 * i;
  if (form == JITTER || form == SHUFFLED || form == FAR) displ += any - 1;
  if (form == JITTER || form == SHUFFLED || form == FAR) len = 1;
  if (form == FAR) displ += i / 100 * (INT64_C(1) << 30);
  if (form == ELLPACK) len = any;
  if (form == ODD_PERIOD) len = 1 + i % 4;
  if (form == ODD_PERIOD) displ += i % 4;
  if (form == EMPTY) len = any > 3 ? 0 : 4;
  if (form == ODD_LONG) len = 1 + any / 8;
  if (form == ALTERNATING) len = 1 + i / 20 % 2;
  list->lens[i] = len;
  list->displs[i] = displ;
}

static void draw_list(struct mpj_random *rng, enum form form, MPJ_Count n, struct list *list)
{
  MPJ_Count at = 0, each = form == POINTS ? 3 : 1;
  list->n = n;
  for (MPJ_Count i = 0; i < n; i++) {
    draw_block(rng, form, i, list);
    if (form != SORTED && form != POINTS) continue;
    list->lens[i] = each;
    list->displs[i] = at;
    at += each * (mpj_random_in(rng, 0, 3) ? mpj_random_in(rng, 1, 9) : 1);
  }
  for (int k = 0; k < 3; k++) {
    const MPJ_Count i = mpj_random_in(rng, 0, n - 1);
    if (form == ODD_LENGTHS || form == ODD_PERIOD) list->lens[i] = mpj_random_in(rng, 0, 9);
    if (form == ODD_PLACES) list->displs[i] += mpj_random_in(rng, 0, 9);
    if (form == ODD_LAST) list->lens[n - 1] = 2;
    if (form == ODD_LONG) list->lens[i] = 15;
  }
  for (MPJ_Count i = n - 1; form == SHUFFLED && i > 0; i--)
    swap(list->displs, i, mpj_random_in(rng, 0, i));
  list->elements = list->span = 0;
  for (MPJ_Count i = 0; i < n; i++) {
    const MPJ_Count end = list->displs[i] + list->lens[i];
    list->elements += list->lens[i];
    list->span = end > list->span ? end : list->span;
  }
}

static MPJ_Count memory_of(MPJ_Datatype type)
{
  MPJ_Count bytes;
  must(MPJ_Type_memory(type, &bytes));
  return bytes;
}

/* Commit; by its own count and by the allocator's, no more than a tenth and 1 KiB is added. */
static void commit_within(MPJ_Datatype *type, const char *what, int form)
{
  const MPJ_Count before = memory_of(*type), most = before / 10 + 1024;
  mpj_memory_meter_start();
  must(MPJ_Type_commit(type));
  const long added = mpj_memory_meter_stop().now;
  ck_assert_msg(memory_of(*type) - before <= most && added <= most,
                "%s, form %d: %ld bytes before, commit adds %ld, %ld of the heap", what, form,
                (long)before, (long)(memory_of(*type) - before), added);
}

START_TEST(committing_a_list_keeps_it_compressed)
{
  static const MPJ_Count sizes[] = {20, 129, 260, 1000, 5000, MANY};
  struct mpj_random rng = {901};
  struct list *list = malloc(sizeof *list);
  MPJ_Datatype type;
  ck_assert_ptr_nonnull(list);
  for (int form = 0; form < FORMS; form++)
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
      draw_list(&rng, (enum form)form, sizes[s], list);
      type = indexed(list->n, list->lens, list->displs, MPJ_DOUBLE);
      commit_within(&type, "indexed", form);
      ck_assert_int_le(memory_of(type), 4 * list->n + 4096);
      must(MPJ_Type_free(&type));
      must(MPJ_Type_create_indexed_block(list->n, 1, list->displs, MPJ_INT, &type));
      commit_within(&type, "indexed_block", form);
      must(MPJ_Type_free(&type));
    }
  free(list);
  nothing_lives();
}
END_TEST

/* Blocks of four types, neighbours of which adjoin now and then, or mostly. */
START_TEST(committing_a_struct_of_few_types_keeps_it_compressed)
{
  const MPJ_Datatype kinds[] = {MPJ_DOUBLE, MPJ_INT, MPJ_CHAR, MPJ_FLOAT};
  const int gaps[] = {0, 2, 3, 9}; /* in so many of one more places */
  struct mpj_random rng = {902};
  MPJ_Count *lens = malloc(MANY * sizeof *lens);
  MPJ_Aint *displs = malloc(MANY * sizeof *displs), at = 0;
  MPJ_Datatype *types = malloc(MANY * sizeof *types), type;
  ck_assert(lens && displs && types);
  for (int round = 0; round < 4; round++) {
    for (MPJ_Count i = 0; i < MANY; i++) {
      const int kind = (int)mpj_random_in(&rng, 0, 3);
      lens[i] = 1 + kind % 2;
      types[i] = kinds[kind];
      displs[i] = at;
      at += lens[i] * extent_of(kinds[kind]);
      at += mpj_random_in(&rng, 0, gaps[round]) ? mpj_random_in(&rng, 1, 500) : 0;
    }
    must(MPJ_Type_create_struct(MANY, lens, displs, types, &type));
    commit_within(&type, "struct", round);
    ck_assert_msg(memory_of(type) <= 4 * MANY, "round %d: %ld", round, (long)memory_of(type));
    must(MPJ_Type_free(&type));
  }
  free(types);
  free(displs);
  free(lens);
  nothing_lives();
}
END_TEST

/* Whether byte `at` of the stream is in [from, to). */
static bool inside(MPJ_Count at, MPJ_Count from, MPJ_Count to)
{
  return from <= at && at < to;
}

/* Bytes [from, to) of the stream between memory and it, one by one. */
static void move_bytes(const struct list *list, MPJ_Count size, char *mem, char *stream,
                       MPJ_Count from, MPJ_Count to, bool unpack)
{
  MPJ_Count at = 0;
  for (MPJ_Count i = 0; i < list->n; i++)
    for (MPJ_Count k = 0; k < list->lens[i] * size; k++, at++) {
      char *byte = mem + list->displs[i] * size + k;
      if (!inside(at, from, to)) continue;
      if (unpack)
        *byte = stream[at];
      else
        stream[at] = *byte;
    }
}

struct memory {
  char *mem, *stream, *want_mem, *want_stream;
  size_t span, bytes;
};

static void scramble(struct mpj_random *rng, char *p, size_t n)
{
  for (size_t i = 0; i < n; i++)
    p[i] = (char)mpj_random_next(rng);
}

static void compare_ranges(struct mpj_random *rng, const struct list *list, MPJ_Count size,
                           MPJ_Datatype type, int form, struct memory *m)
{
  const MPJ_Count bytes = (MPJ_Count)m->bytes;
  for (int k = 0; k < RANGES; k++) {
    MPJ_Count from = k ? mpj_random_in(rng, 0, bytes - 1) : 0;
    MPJ_Count to = k ? mpj_random_in(rng, from + 1, bytes) : bytes;
    if (k > RANGES / 2) to = to < from + 3000 ? to : from + 3000;
    memset(m->stream, 1, m->bytes);
    memset(m->want_stream, 1, m->bytes);
    must(MPJ_Pack_range(m->mem, type, from, m->stream + from, to - from));
    move_bytes(list, size, m->mem, m->want_stream, from, to, false);
    ck_assert_msg(memcmp(m->stream, m->want_stream, m->bytes) == 0,
                  "form %d of %ld: packed %ld to %ld of %ld", form, (long)list->n, (long)from,
                  (long)to, (long)bytes);
    scramble(rng, m->stream, m->bytes);
    memcpy(m->want_mem, m->mem, m->span);
    move_bytes(list, size, m->want_mem, m->stream, from, to, true);
    must(MPJ_Unpack_range(m->stream + from, to - from, m->mem, type, from));
    ck_assert_msg(memcmp(m->mem, m->want_mem, m->span) == 0,
                  "form %d of %ld: unpacked %ld to %ld of %ld", form, (long)list->n, (long)from,
                  (long)to, (long)bytes);
  }
}

static void compare_copies(struct mpj_random *rng, const struct list *list, MPJ_Count size,
                           MPJ_Datatype old, MPJ_Datatype type, struct memory *m)
{
  MPJ_Datatype dense = contiguous(list->elements, old), sparse = vector(list->elements, 1, 2, old);
  char *spread = calloc(2 * m->bytes, 1);
  ck_assert_ptr_nonnull(spread);
  must(MPJ_Type_commit(&sparse));
  must(MPJ_Type_commit(&dense));
  scramble(rng, m->mem, m->span);
  move_bytes(list, size, m->mem, m->want_stream, 0, (MPJ_Count)m->bytes, false);
  must(MPJ_Copy(m->mem, type, m->stream, dense));
  ck_assert(memcmp(m->stream, m->want_stream, m->bytes) == 0);
  must(MPJ_Copy(m->mem, type, spread, sparse));
  memset(m->want_mem, 0, m->span);
  must(MPJ_Copy(m->mem, type, m->want_mem, type)); /* one program on both sides */
  must(MPJ_Copy(spread, sparse, m->mem, type));
  memset(m->stream, 0, m->bytes);
  move_bytes(list, size, m->want_mem, m->stream, 0, (MPJ_Count)m->bytes, false);
  ck_assert(memcmp(m->stream, m->want_stream, m->bytes) == 0);
  move_bytes(list, size, m->mem, m->stream, 0, (MPJ_Count)m->bytes, false);
  ck_assert(memcmp(m->stream, m->want_stream, m->bytes) == 0);
  free(spread);
  must(MPJ_Type_free(&sparse));
  must(MPJ_Type_free(&dense));
}

/* layout := stream + layout of ints, between two elements. */
static void compare_sums(struct mpj_random *rng, const struct list *list, MPJ_Datatype type,
                         struct memory *m)
{
  const struct mpj_piece *map = &object_of(type)->map;
  const struct mpj_view view = {map->layout, 1, 0, map->displ};
  const MPJ_Count from = mpj_random_in(rng, 0, list->elements - 1) * 4;
  const MPJ_Count bytes = mpj_random_in(rng, 0, list->elements - from / 4) * 4;
  struct mpj_cursor c;
  MPJ_Count at = 0;
  scramble(rng, m->mem, m->span);
  scramble(rng, m->stream, m->bytes);
  memcpy(m->want_mem, m->mem, m->span);
  for (MPJ_Count i = 0; i < list->n; i++)
    for (MPJ_Count k = 0; k < list->lens[i]; k++, at += 4) {
      uint32_t a, b;
      char *place = m->want_mem + (list->displs[i] + k) * 4;
      memcpy(&a, place, 4);
      memcpy(&b, m->stream + at, 4);
      a += inside(at, from, from + bytes) ? b : 0;
      memcpy(place, &a, 4);
    }
  must(mpj_cursor_begin(&c, &view, m->mem));
  mpj_cursor_seek(&c, from);
  must(mpj_cursor_reduce(&c, m->stream + from, bytes, MPJ_REDUCE_SUM));
  mpj_cursor_end(&c);
  ck_assert(memcmp(m->mem, m->want_mem, m->span) == 0);
}

static void compare_list(struct mpj_random *rng, const struct list *list, int form,
                         MPJ_Datatype old)
{
  const MPJ_Count size = extent_of(old);
  const size_t bytes = (size_t)(list->elements * size), span = (size_t)(list->span * size);
  struct memory m = {malloc(span), malloc(bytes), malloc(span), malloc(bytes), span, bytes};
  MPJ_Datatype type = indexed(list->n, list->lens, list->displs, old);
  ck_assert(m.mem && m.stream && m.want_mem && m.want_stream);
  must(MPJ_Type_commit(&type));
  scramble(rng, m.mem, span);
  compare_ranges(rng, list, size, type, form, &m);
  compare_copies(rng, list, size, old, type, &m);
  if (old == MPJ_INT) compare_sums(rng, list, type, &m);
  free(m.mem), free(m.stream), free(m.want_mem), free(m.want_stream);
  must(MPJ_Type_free(&type));
}

static void compare_lists(uint64_t seed)
{
  const MPJ_Datatype basics[] = {MPJ_CHAR, MPJ_SHORT, MPJ_INT, MPJ_DOUBLE, MPJ_C_DOUBLE_COMPLEX};
  struct mpj_random rng = {seed};
  struct list *list = malloc(sizeof *list);
  ck_assert_ptr_nonnull(list);
  for (int round = 0; round < types_wanted; round++) {
    const enum form form = (enum form)(round % FAR);
    draw_list(&rng, form, mpj_random_in(&rng, 2, SOME), list);
    if (list->elements > 0) compare_list(&rng, list, (int)form, basics[mpj_random_in(&rng, 0, 4)]);
  }
  free(list);
}

START_TEST(listed_units_are_moved_to_their_places)
{
  compare_lists(903);
  nothing_lives();
}
END_TEST

/* Lists of other programs take what all may take, so that none is left. */
START_TEST(decoded_units_are_moved_to_their_places)
{
  enum { UNITS = MPJ_PROGRAM_ONE_LIST / 4, TYPES = MPJ_PROGRAM_ALL_LISTS / MPJ_PROGRAM_ONE_LIST };
  struct mpj_random rng = {904};
  MPJ_Datatype types[TYPES];
  MPJ_Count *displs = malloc(UNITS * sizeof *displs);
  char *mem = calloc(4, UNITS), *packed = malloc(UNITS);
  ck_assert(displs && mem && packed);
  for (int t = 0; t < TYPES; t++) {
    for (MPJ_Count i = 0; i < UNITS; i++)
      displs[i] = 4 * i + mpj_random_in(&rng, 0, 2);
    must(MPJ_Type_create_indexed_block(UNITS, 1, displs, MPJ_CHAR, &types[t]));
    must(MPJ_Type_commit(&types[t]));
    const MPJ_Count before = memory_of(types[t]);
    must(MPJ_Pack_range(mem, types[t], 0, packed, UNITS));
    ck_assert_int_ge(memory_of(types[t]) - before, MPJ_PROGRAM_ONE_LIST);
  }
  compare_lists(905);
  free_types(TYPES, types);
  free(displs), free(mem), free(packed);
  nothing_lives();
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 240);
  return RUN_SUITE("pack/exec_units", committing_a_list_keeps_it_compressed,
                   committing_a_struct_of_few_types_keeps_it_compressed,
                   listed_units_are_moved_to_their_places, decoded_units_are_moved_to_their_places);
}
