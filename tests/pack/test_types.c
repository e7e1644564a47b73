/* This file packs, unpacks and copies random types of every constructor and
 * holds the results against the types' references. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "pack/guarded.h"
#include "pack/maps.h"
#include "pack/run/address.h"
#include "pack/run/cursor.h"
#include "types/random_type.h"
#include "types/type.h"
#include "types/wanted.h"

/* Memory for a type: exactly its true extent, random bytes. */
struct memory {
  struct guarded guarded;
  size_t bytes;
  char *base;
};

static struct memory memory_make(struct mpj_random *rng, const struct mpj_ref *ref)
{
  struct memory m;
  m.bytes = (size_t)(mpj_ref_true_ub(ref) - mpj_ref_true_lb(ref));
  m.guarded = guarded_make(m.bytes, (int)mpj_random_in(rng, 0, 1));
  m.base = mpj_at(m.guarded.at, -mpj_ref_true_lb(ref));
  fill_randomly(rng, m.guarded.at, m.bytes);
  return m;
}

/* A copy of the memory, and the base address in it. */
static char *memory_copy(const struct memory *m, char **base)
{
  char *copy = malloc(m->bytes + 1);
  memcpy(copy, m->guarded.at, m->bytes);
  *base = mpj_at(copy, m->base - m->guarded.at);
  return copy;
}

struct subject {
  struct mpj_random_type t;
  MPJ_Count bytes;
  struct memory memory;
  char *stream; /* what its memory packs to, by the reference */
};

static void subject_adopt(struct subject *s, struct mpj_random *rng)
{
  ck_assert_msg(MPJ_Type_commit(&s->t.type) == MPJ_SUCCESS, "%s", s->t.text);
  s->bytes = mpj_ref_bytes(s->t.ref);
  s->memory = memory_make(rng, s->t.ref);
  s->stream = malloc((size_t)s->bytes + 1);
  mpj_ref_pack(s->t.ref, s->memory.base, s->stream);
}

static void subject_make(struct subject *s, struct mpj_random *rng, bool receivable)
{
  struct mpj_random_options options = {
      .depth = (int)mpj_random_in(rng, 0, 5), .max_elements = 300, .receivable = receivable};
  mpj_random_type_make(rng, &options, &s->t);
  subject_adopt(s, rng);
}

static void subject_free(struct subject *s)
{
  free(s->stream);
  guarded_free(&s->memory.guarded);
  mpj_random_type_free(&s->t);
}

START_TEST(pack_gives_the_reference_stream)
{
  struct mpj_random rng = {51};
  for (int i = 0; i < types_wanted; i++) {
    struct subject s;
    subject_make(&s, &rng, false);
    struct guarded packed = guarded_make((size_t)s.bytes, i % 2);
    MPJ_Count position = 0;
    ck_assert_int_eq(MPJ_Pack(s.memory.base, s.t.type, packed.at, s.bytes, &position), MPJ_SUCCESS);
    ck_assert_int_eq(position, s.bytes);
    ck_assert_msg(memcmp(packed.at, s.stream, (size_t)s.bytes) == 0, "%s", s.t.text);
    for (int j = 0; j < 10; j++) {
      MPJ_Count offset = mpj_random_in(&rng, 0, s.bytes);
      MPJ_Count bytes = mpj_random_in(&rng, 0, s.bytes - offset);
      char *at = packed.at + (s.bytes - bytes);
      ck_assert_int_eq(MPJ_Pack_range(s.memory.base, s.t.type, offset, at, bytes), MPJ_SUCCESS);
      ck_assert_msg(memcmp(at, s.stream + offset, (size_t)bytes) == 0, "%s", s.t.text);
    }
    guarded_free(&packed);
    subject_free(&s);
  }
}
END_TEST

/* Every range of the stream of a small type, packed and unpacked. */
static void check_every_range(struct subject *s, struct mpj_random *rng)
{
  const bool receivable = !mpj_ref_overlaps(s->t.ref);
  for (MPJ_Count begin = 0; begin <= s->bytes; begin++) {
    for (MPJ_Count end = begin; end <= s->bytes; end++) {
      const MPJ_Count bytes = end - begin;
      struct guarded packed = guarded_make((size_t)bytes, (int)(end % 2));
      ck_assert_int_eq(MPJ_Pack_range(s->memory.base, s->t.type, begin, packed.at, bytes), 0);
      ck_assert_msg(memcmp(packed.at, s->stream + begin, (size_t)bytes) == 0, "%s", s->t.text);
      if (receivable) {
        char *base, *expected = memory_copy(&s->memory, &base);
        fill_randomly(rng, packed.at, (size_t)bytes);
        memcpy(s->stream + begin, packed.at, (size_t)bytes);
        mpj_ref_unpack(s->t.ref, s->stream, base);
        ck_assert_int_eq(MPJ_Unpack_range(packed.at, bytes, s->memory.base, s->t.type, begin), 0);
        ck_assert_msg(memcmp(s->memory.guarded.at, expected, s->memory.bytes) == 0, "%s",
                      s->t.text);
        free(expected);
      }
      guarded_free(&packed);
    }
  }
}

START_TEST(small_types_may_be_cut_anywhere)
{
  struct mpj_random rng = {55};
  int checked = 0;
  for (int i = 0; i < types_wanted / 5; i++) {
    struct subject s;
    struct mpj_random_options options = {
        .depth = 1 + i % 4, .max_elements = 12, .max_span = 300, .receivable = i % 4 != 0};
    mpj_random_type_make(&rng, &options, &s.t);
    subject_adopt(&s, &rng);
    if (s.bytes > 0 && s.bytes <= 60) {
      check_every_range(&s, &rng);
      checked++;
    }
    subject_free(&s);
  }
  ck_assert_int_gt(checked, types_wanted / 15);
}
END_TEST

/* New data, in one piece or two; all bytes outside the type map stay. */
static void check_unpack(struct subject *s, struct mpj_random *rng)
{
  char *base, *expected = memory_copy(&s->memory, &base);
  fill_randomly(rng, s->stream, (size_t)s->bytes);
  mpj_ref_unpack(s->t.ref, s->stream, base);
  MPJ_Count split = mpj_random_in(rng, 0, s->bytes);
  ck_assert_int_eq(
      MPJ_Unpack_range(s->stream + split, s->bytes - split, s->memory.base, s->t.type, split),
      MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Unpack_range(s->stream, split, s->memory.base, s->t.type, 0), MPJ_SUCCESS);
  ck_assert_msg(memcmp(s->memory.guarded.at, expected, s->memory.bytes) == 0, "%s", s->t.text);
  free(expected);
}

START_TEST(unpack_writes_what_the_reference_writes)
{
  struct mpj_random rng = {52};
  for (int i = 0; i < types_wanted; i++) {
    struct subject s;
    subject_make(&s, &rng, true);
    check_unpack(&s, &rng);
    subject_free(&s);
  }
}
END_TEST

/* Pack part i at `packed`; returns its bytes. */
static MPJ_Count pack_part(const struct subject *s, MPJ_Count i, char *packed)
{
  struct mpj_type *type;
  struct mpj_view view;
  struct mpj_cursor c;
  ck_assert_int_eq(mpj_type_resolve(s->t.type, "type", &type), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_type_part_view(type, i, &view), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, s->memory.base), MPJ_SUCCESS);
  mpj_cursor_pack(&c, packed, c.bytes);
  mpj_cursor_end(&c);
  return c.bytes;
}

/* At any address, in two stretches. */
START_TEST(packed_past_the_caches_it_is_the_same_stream)
{
  enum { ODD = 70 };
  struct mpj_random rng = {54};
  for (int i = 0; i < types_wanted * 2 / 3; i++) {
    struct subject s;
    struct mpj_type *type;
    struct mpj_cursor c;
    subject_make(&s, &rng, false);
    char *room = calloc((size_t)s.bytes + ODD + 1, 1), *packed = room + mpj_random_in(&rng, 0, ODD);
    ck_assert_int_eq(mpj_type_resolve(s.t.type, "type", &type), MPJ_SUCCESS);
    const struct mpj_view view = mpj_type_view(type);
    ck_assert_int_eq(mpj_cursor_begin(&c, &view, s.memory.base), MPJ_SUCCESS);
    const MPJ_Count first = mpj_random_in(&rng, 0, s.bytes);
    mpj_cursor_pack_past(&c, packed, first);
    ck_assert_int_eq(c.offset, first);
    mpj_cursor_pack_past(&c, packed + first, s.bytes - first);
    ck_assert_int_eq(mpj_cursor_remaining(&c), 0);
    ck_assert_msg(memcmp(packed, s.stream, (size_t)s.bytes) == 0, "%s", s.t.text);
    ck_assert_int_eq(packed[s.bytes], 0);
    mpj_cursor_end(&c);
    free(room);
    subject_free(&s);
  }
}
END_TEST

START_TEST(a_long_layout_is_packed_past_the_caches)
{
  enum { N = 1000 };
  static double from[2 * N], to[N];
  MPJ_Datatype every_second;
  struct mpj_type *type;
  struct mpj_cursor c;
  for (int i = 0; i < 2 * N; i++)
    from[i] = i;
  ck_assert_int_eq(MPJ_Type_vector(N, 1, 2, MPJ_DOUBLE, &every_second), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&every_second), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_type_resolve(every_second, "type", &type), MPJ_SUCCESS);
  const struct mpj_view view = mpj_type_view(type);
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, from), MPJ_SUCCESS);
  mpj_cursor_pack_past(&c, to, sizeof to);
  mpj_cursor_end(&c);
  for (int i = 0; i < N; i++)
    ck_assert_double_eq(to[i], 2 * i);
  ck_assert_int_eq(MPJ_Type_free(&every_second), MPJ_SUCCESS);
}
END_TEST

START_TEST(parts_in_order_give_the_stream_of_the_whole)
{
  struct mpj_random rng = {53};
  for (int i = 0; i < types_wanted * 2 / 3; i++) {
    struct subject s;
    MPJ_Count nparts, at = 0;
    subject_make(&s, &rng, false);
    char *packed = malloc((size_t)s.bytes + 1);
    ck_assert_int_eq(MPJ_Type_parts(s.t.type, &nparts), MPJ_SUCCESS);
    for (MPJ_Count part = 0; part < nparts; part++)
      at += pack_part(&s, part, packed + at);
    ck_assert_int_eq(at, s.bytes);
    ck_assert_msg(memcmp(packed, s.stream, (size_t)at) == 0, "%s", s.t.text);
    free(packed);
    subject_free(&s);
  }
}
END_TEST

/* From one to the other, which is another layout of the same signature. */
static void check_copy(const struct subject *from, const struct subject *to)
{
  char *base, *expected = memory_copy(&to->memory, &base);
  mpj_ref_unpack(to->t.ref, from->stream, base);
  int status = MPJ_Copy(from->memory.base, from->t.type, to->memory.base, to->t.type);
  ck_assert_msg(status == MPJ_SUCCESS, "%s", MPJ_Error_detail());
  ck_assert_msg(memcmp(to->memory.guarded.at, expected, to->memory.bytes) == 0, "%s to %s",
                from->t.text, to->t.text);
  free(expected);
}

START_TEST(copy_moves_the_stream_between_layouts_of_one_signature)
{
  struct mpj_random rng = {54};
  for (int i = 0; i < types_wanted * 2 / 3; i++) {
    struct subject s, like, twin;
    subject_make(&s, &rng, false);
    mpj_random_type_like(&rng, s.t.ref, &like.t);
    subject_adopt(&like, &rng);
    mpj_random_type_like(&rng, s.t.ref, &twin.t);
    subject_adopt(&twin, &rng);
    check_copy(&s, &like);
    check_copy(&twin, &like);
    if (!mpj_ref_overlaps(s.t.ref)) check_copy(&twin, &s);
    subject_free(&s);
    subject_free(&like);
    subject_free(&twin);
  }
}
END_TEST

START_TEST(commit_survives_every_failed_allocation)
{
  struct mpj_random rng = {57};
  int failures = 0;
  for (int i = 0; i < types_wanted / 10; i++) {
    struct mpj_random_options options = {.depth = 1 + i % 6, .max_elements = 300};
    struct mpj_random_type t;
    int status = MPJ_ERR_NO_MEM;
    mpj_random_type_make(&rng, &options, &t);
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      mpj_memory_fail_after(successes);
      status = MPJ_Type_commit(&t.type);
      mpj_memory_fail_after(-1);
      failures += status != MPJ_SUCCESS;
    }
    ck_assert_msg(status == MPJ_SUCCESS, "%s: %s", t.text, MPJ_Error_detail());
    mpj_random_type_free(&t);
  }
  ck_assert_int_gt(failures, types_wanted / 50);
  mpj_layout_forget_permanent();
  ck_assert_uint_eq(mpj_layout_live(), 0);
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 3000);
  return RUN_SUITE("pack/types", commit_survives_every_failed_allocation,
                   pack_gives_the_reference_stream, small_types_may_be_cut_anywhere,
                   unpack_writes_what_the_reference_writes,
                   packed_past_the_caches_it_is_the_same_stream,
                   a_long_layout_is_packed_past_the_caches,
                   parts_in_order_give_the_stream_of_the_whole,
                   copy_moves_the_stream_between_layouts_of_one_signature);
}
