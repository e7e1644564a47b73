/* This file tests segmented types and slices. */
#include <mpj/introspect.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/alike.h"
#include "types/encoded/encode.h"
#include "types/made.h"
#include "types/random_type.h"
#include "types/sequence/sequence_forms.h"
#include "types/walk.h"

enum { MOST = 600 };

START_TEST(segments_are_consecutive_parts)
{
  struct mpj_random rng = {41};
  for (int round = 0; round < 100; round++) {
    MPJ_Count n = mpj_random_in(&rng, 0, MOST), lens[MOST], displs[MOST], sum = 0;
    MPJ_Count constant = mpj_random_in(&rng, 1, 200);
    for (MPJ_Count i = 0; i < n; i++) {
      lens[i] = i % constant ? lens[i - 1] : mpj_random_in(&rng, 0, 9);
      displs[i] = sum;
      sum += lens[i];
    }
    MPJ_Datatype old = round % 2 ? vector(2, 1, 3, MPJ_INT) : contiguous(2, MPJ_INT), segments, all,
                 same;
    must(MPJ_Type_create_segment(n, lens, old, &segments));
    must(MPJ_Type_indexed(n, lens, displs, old, &same));
    all = contiguous(sum, old);
    ck_assert(mpj_type_check(object_of(segments)));
    ck_assert(same_map(segments, all) && same_map(segments, same));
    ck_assert(lb_of(segments) == lb_of(all) && extent_of(segments) == extent_of(all));
    ck_assert_int_eq(parts_of(segments), n);
    for (MPJ_Count i = 0; i < n; i++) {
      MPJ_Aint displ;
      MPJ_Datatype part, block = contiguous(lens[i], old);
      must(MPJ_Type_part(segments, i, &displ, &part));
      ck_assert(displ == displs[i] * extent_of(old) && same_map(part, block));
      must(MPJ_Type_free(&part));
      must(MPJ_Type_free(&block));
    }
    MPJ_Datatype types[] = {segments, all, same, old};
    free_types(4, types);
  }
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

START_TEST(wrong_lengths_are_named)
{
  const MPJ_Count lens[] = {3, -1}, huge[] = {INT64_MAX, 1}, wide[] = {INT64_MAX / 2};
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  must_fail(MPJ_Type_create_segment(2, lens, MPJ_INT, &made), MPJ_ERR_ARG, "lengths[1] is -1");
  must_fail(MPJ_Type_create_segment(-1, lens, MPJ_INT, &made), MPJ_ERR_ARG, "is -1");
  must_fail(MPJ_Type_create_segment(2, NULL, MPJ_INT, &made), MPJ_ERR_ARG, "lengths is NULL");
  must_fail(MPJ_Type_create_segment(2, huge, MPJ_BYTE, &made), MPJ_ERR_OVERFLOW, "lengths[1]");
  must_fail(MPJ_Type_create_segment(1, wide, MPJ_INT, &made), MPJ_ERR_OVERFLOW, "overflows");
  ck_assert_ptr_null(made);
  nothing_lives();
}
END_TEST

START_TEST(failed_allocations_leak_nothing)
{
  const MPJ_Count lens[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  int status = MPJ_ERR_NO_MEM;
  for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
    MPJ_Datatype type;
    mpj_memory_fail_after(successes);
    status = MPJ_Type_create_segment(11, lens, MPJ_INT, &type);
    mpj_memory_fail_after(-1);
    if (status == MPJ_SUCCESS) must(MPJ_Type_free(&type));
    ck_assert_int_eq(mpj_memory_outstanding(), 0);
  }
  ck_assert_int_eq(status, MPJ_SUCCESS);
}
END_TEST

/* The slice's elements are those of the whole's list. */
static void check_slice(MPJ_Datatype whole, const struct mpj_ref_entry all[], MPJ_Count first,
                        MPJ_Count count, const char *text)
{
  MPJ_Datatype slice;
  MPJ_Count n;
  must(MPJ_Type_create_slice(whole, first, count, &slice));
  ck_assert_msg(mpj_type_check(object_of(slice)), "%s: invariants", text);
  struct mpj_view view = mpj_type_view(object_of(slice));
  struct mpj_ref_entry *found = mpj_walk(&view, &n);
  ck_assert_int_eq(n, count);
  for (MPJ_Count e = 0; e < n; e++)
    if (found[e].basic != all[first + e].basic || found[e].displ != all[first + e].displ)
      ck_abort_msg("%s: element %ld of the slice from %ld", text, (long)e, (long)first);
  ck_assert_int_eq(parts_of(slice), 1);
  free(found);
  must(MPJ_Type_free(&slice));
}

START_TEST(slices_are_stretches_of_the_type_map)
{
  struct mpj_random rng = {42};
  struct mpj_random_options options = {.depth = 4};
  for (int round = 0; round < 400; round++) {
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    struct mpj_view view = mpj_type_view(object_of(t.type));
    MPJ_Count n;
    struct mpj_ref_entry *all = mpj_walk(&view, &n);
    for (int k = 0; k < 12; k++) {
      MPJ_Count first = mpj_random_in(&rng, 0, n);
      check_slice(t.type, all, first, mpj_random_in(&rng, 0, n - first), t.text);
    }
    check_slice(t.type, all, 0, n, t.text);
    free(all);
    mpj_random_type_free(&t);
  }
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

/* An index of blocks long enough for windows; every form of its sequences. */
static MPJ_Datatype long_index(struct mpj_random *rng, int kind)
{
  enum { BLOCKS = 1000 };
  MPJ_Count lens[BLOCKS], displs[BLOCKS], at = 0;
  for (int i = 0; i < BLOCKS; i++) {
    lens[i] = kind == 0 ? 2 : kind == 1 ? mpj_random_in(rng, 1, 5) : 1 + i / 500;
    displs[i] = at;
    at += lens[i] + (kind == 2 ? 1 : mpj_random_in(rng, 1, 300));
  }
  return indexed(BLOCKS, lens, displs, MPJ_SHORT);
}

START_TEST(slices_of_long_indices_share_them)
{
  struct mpj_random rng = {43};
  for (int kind = 0; kind < 3; kind++) {
    MPJ_Datatype index = long_index(&rng, kind), of_slice, slice;
    struct mpj_view view = mpj_type_view(object_of(index));
    MPJ_Count n;
    struct mpj_ref_entry *all = mpj_walk(&view, &n);
    for (int k = 0; k < 60; k++) {
      MPJ_Count first = mpj_random_in(&rng, 0, n);
      check_slice(index, all, first, mpj_random_in(&rng, 0, n - first), "index");
    }
    must(MPJ_Type_create_slice(index, 5, n - 11, &slice));
    must(MPJ_Type_free(&index)); /* the slice keeps what it needs */
    check_slice(slice, all + 5, 3, n - 17, "slice of a slice");
    must(MPJ_Type_create_slice(slice, 3, n - 17, &of_slice));
    must(MPJ_Type_free(&slice));
    ck_assert(mpj_type_check(object_of(of_slice)));
    must(MPJ_Type_free(&of_slice));
    free(all);
  }
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

/* Blocks of four shapes in random order. */
static MPJ_Datatype long_sequence(struct mpj_random *rng, MPJ_Count n)
{
  const MPJ_Count lens[] = {3, 2, 1, 2};
  MPJ_Datatype types[] = {MPJ_INT, vector(2, 1, 2, MPJ_DOUBLE), MPJ_FLOAT, NULL}, made;
  int *numbers = malloc((size_t)n * sizeof *numbers);
  MPJ_Aint *displs = malloc((size_t)n * sizeof *displs), at = -9;
  ck_assert(numbers && displs);
  types[3] = vector(2, 1, 3, MPJ_CHAR);
  for (MPJ_Count i = 0; i < n; i++) {
    numbers[i] = (int)mpj_random_in(rng, 0, 3);
    displs[i] = at;
    at += 100 + mpj_random_in(rng, 0, 1000);
  }
  must(MPJ_Type_create_bucket_struct(n, 4, lens, types, numbers, displs, &made));
  ck_assert_int_eq(layout_of(made)->u.seq.npieces, n);
  free(displs);
  free(numbers);
  must(MPJ_Type_free(&types[1]));
  must(MPJ_Type_free(&types[3]));
  return made;
}

START_TEST(slices_of_long_sequences_share_them)
{
  struct mpj_random rng = {45};
  MPJ_Datatype whole = long_sequence(&rng, 1000), of_slice, slice;
  struct mpj_view view = mpj_type_view(object_of(whole));
  MPJ_Count n;
  struct mpj_ref_entry *all = mpj_walk(&view, &n);
  for (int k = 0; k < 60; k++) {
    MPJ_Count first = mpj_random_in(&rng, 0, n);
    check_slice(whole, all, first, mpj_random_in(&rng, 0, n - first), "sequence");
  }
  must(MPJ_Type_create_slice(whole, 5, n - 11, &slice));
  must(MPJ_Type_free(&whole)); /* the slice keeps what it needs */
  for (int k = 0; k < 20; k++)
    check_slice(slice, all + 5, 3 * k, n - 17 - 7 * k, "slice of a slice");
  must(MPJ_Type_create_slice(slice, 3, n - 17, &of_slice));
  must(MPJ_Type_free(&slice));
  ck_assert(mpj_type_check(object_of(of_slice)));
  must(MPJ_Type_free(&of_slice));
  free(all);
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

/* Pieces of a layout, of those inside it as well, that are not a window's. */
static MPJ_Count own_pieces(const struct mpj_layout *l)
{
  MPJ_Count n = 0, nshapes;
  struct mpj_layout *const *shapes;
  if (l->kind != MPJ_LAYOUT_SEQ) return 0;
  shapes = mpj_layout_seq_shapes(l, &nshapes);
  if (!shapes) {
    for (MPJ_Count i = 0; i < l->u.seq.npieces; i++)
      n += 1 + own_pieces(l->u.seq.pieces[i].layout);
    return n;
  }
  for (MPJ_Count s = 0; s < nshapes; s++)
    n += own_pieces(shapes[s]);
  return n + (l->u.seq.displs->form == MPJ_SEQUENCE_WINDOW ? 0 : l->u.seq.npieces);
}

START_TEST(a_slice_of_a_long_sequence_takes_the_same_memory_however_long)
{
  struct mpj_random rng = {46};
  MPJ_Count pieces[2];
  long outstanding[2];
  for (int k = 0; k < 2; k++) {
    MPJ_Datatype whole = long_sequence(&rng, k ? 64000 : 4000), slice;
    MPJ_Count elements;
    must(MPJ_Type_get_element_count(whole, &elements));
    long before = mpj_memory_outstanding();
    must(MPJ_Type_create_slice(whole, 333, elements - 777, &slice));
    outstanding[k] = mpj_memory_outstanding() - before;
    pieces[k] = own_pieces(layout_of(slice));
    must(MPJ_Type_free(&slice));
    must(MPJ_Type_free(&whole));
  }
  ck_assert_int_lt(outstanding[1], 60);
  ck_assert(pieces[0] > 0 && pieces[0] < 3 * MPJ_LAYOUT_FRAME);
  ck_assert(pieces[1] > 0 && pieces[1] < 3 * MPJ_LAYOUT_FRAME);
  nothing_lives();
}
END_TEST

START_TEST(wrong_stretches_are_named)
{
  MPJ_Datatype pair = contiguous(2, MPJ_INT), made = MPJ_DATATYPE_NULL;
  must_fail(MPJ_Type_create_slice(pair, -1, 1, &made), MPJ_ERR_ARG, "first is -1");
  must_fail(MPJ_Type_create_slice(pair, 1, 2, &made), MPJ_ERR_ARG, "has 2 basic elements");
  must_fail(MPJ_Type_create_slice(pair, 0, -1, &made), MPJ_ERR_ARG, "count is -1");
  must_fail(MPJ_Type_create_slice(pair, 3, 0, &made), MPJ_ERR_ARG, "first is 3");
  must_fail(MPJ_Type_create_slice(pair, 0, 1, NULL), MPJ_ERR_ARG, "newtype is NULL");
  must_fail(MPJ_Type_create_slice(MPJ_DATATYPE_NULL, 0, 1, &made), MPJ_ERR_TYPE, "oldtype");
  ck_assert_ptr_null(made);
  must(MPJ_Type_free(&pair));
}
END_TEST

START_TEST(failed_allocations_of_slices_leak_nothing)
{
  struct mpj_random rng = {44};
  MPJ_Datatype index = long_index(&rng, 1), strided = vector(9, 2, 5, MPJ_INT);
  MPJ_Datatype sequence = long_sequence(&rng, 700);
  const MPJ_Datatype types[] = {index, strided, sequence};
  for (int k = 0; k < 3; k++) {
    int status = MPJ_ERR_NO_MEM;
    long outstanding = mpj_memory_outstanding();
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      MPJ_Datatype slice;
      mpj_memory_fail_after(successes);
      status = MPJ_Type_create_slice(types[k], 3, 13 + 1000 * (k != 1), &slice);
      mpj_memory_fail_after(-1);
      if (status == MPJ_SUCCESS) must(MPJ_Type_free(&slice));
      ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
    }
    ck_assert_int_eq(status, MPJ_SUCCESS);
  }
  must(MPJ_Type_free(&index));
  must(MPJ_Type_free(&strided));
  must(MPJ_Type_free(&sequence));
  nothing_lives();
}
END_TEST

/* Through bytes and through text. */
static void round_trip(MPJ_Datatype type)
{
  char text[4096];
  void *message;
  MPJ_Count bytes, length;
  MPJ_Datatype copies[2];
  must(mpj_type_encode(type, &message, &bytes));
  must(MPJ_Type_decode(message, bytes, &copies[0]));
  mpj_free(message);
  must(MPJ_Type_print(type, text, sizeof text, &length));
  must(MPJ_Type_parse(text, &copies[1]));
  must_be_alike(type, copies[0], text, 2);
  must_be_alike(type, copies[1], text, 2);
  free_types(2, copies);
}

START_TEST(segments_and_slices_are_written_and_read)
{
  const MPJ_Count lens[] = {3, 3, 3, 0, 1, 7};
  MPJ_Datatype column = vector(4, 1, 3, MPJ_INT), types[3], whole;
  MPJ_Count counts[8];
  must(MPJ_Type_create_segment(6, lens, column, &types[0]));
  must(MPJ_Type_create_slice(types[0], 5, 41, &types[1]));
  must(MPJ_Type_contiguous(2, types[1], &types[2]));
  for (int i = 0; i < 3; i++)
    round_trip(types[i]);
  must(MPJ_Type_get_contents(types[0], 8, 0, 1, counts, NULL, &whole));
  ck_assert_int_eq(counts[0], 6);
  ck_assert_mem_eq(counts + 1, lens, sizeof lens);
  ck_assert(same_map(whole, column));
  must(MPJ_Type_free(&whole));
  must(MPJ_Type_get_contents(types[1], 2, 0, 1, counts, NULL, &whole));
  ck_assert(counts[0] == 5 && counts[1] == 41 && same_map(whole, types[0]));
  must(MPJ_Type_free(&whole));
  must(MPJ_Type_free(&column));
  free_types(3, types);
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("segment", segments_are_consecutive_parts, wrong_lengths_are_named,
                   failed_allocations_leak_nothing, slices_are_stretches_of_the_type_map,
                   slices_of_long_indices_share_them, slices_of_long_sequences_share_them,
                   a_slice_of_a_long_sequence_takes_the_same_memory_however_long,
                   wrong_stretches_are_named, failed_allocations_of_slices_leak_nothing,
                   segments_and_slices_are_written_and_read);
}
