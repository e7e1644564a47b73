/* This file tests what copy programs layouts compile to. */
#include "base/memory.h"
#include "base/suite.h"
#include "pack/maps.h"
#include "pack/program/compile.h"
#include "pack/program/program.h"
#include "types/basic.h"
#include "types/layout/layout_make.h"

static const struct mpj_program *program_of(struct mpj_piece piece)
{
  const struct mpj_program *p;
  ck_assert_int_eq(mpj_program_of(piece.layout, &p), MPJ_SUCCESS);
  ck_assert(mpj_program_check(p));
  return p;
}

static const struct mpj_program *typed_of(struct mpj_piece piece)
{
  const struct mpj_program *p;
  ck_assert_int_eq(mpj_program_typed_of(piece.layout, &p), MPJ_SUCCESS);
  ck_assert(mpj_program_check(p));
  return p;
}

/* One element of each of two basic types, the second at `displ`. */
static struct mpj_piece record_of(MPJ_Datatype a, MPJ_Datatype b, MPJ_Aint displ)
{
  struct mpj_piece pieces[2] = {run_of(a, 1), run_of(b, 1)}, out;
  pieces[1].displ = displ;
  ck_assert_int_eq(mpj_layout_seq(2, pieces, &out), MPJ_SUCCESS);
  mpj_layout_release(pieces[0].layout);
  mpj_layout_release(pieces[1].layout);
  return out;
}

static struct mpj_piece loop_of(MPJ_Count count, MPJ_Aint stride, struct mpj_piece child)
{
  struct mpj_piece out;
  ck_assert_int_eq(mpj_layout_loop(count, stride, child, &out), MPJ_SUCCESS);
  mpj_layout_release(child.layout);
  return out;
}

START_TEST(adjoining_elements_of_unlike_type_are_one_block_of_bytes)
{
  struct mpj_piece record = record_of(MPJ_INT, MPJ_FLOAT, 4);
  ck_assert_int_eq(program_of(record)->kind, MPJ_PROGRAM_DENSE);
  ck_assert_int_eq(program_of(record)->bytes, 8);
  mpj_layout_release(record.layout);
}
END_TEST

START_TEST(the_typed_form_keeps_elements_of_unlike_type_apart)
{
  struct mpj_piece record = record_of(MPJ_INT, MPJ_FLOAT, 4);
  const struct mpj_program *p = typed_of(record);
  ck_assert_int_eq(p->kind, MPJ_PROGRAM_SEQ);
  ck_assert_int_eq(p->u.seq.npieces, 2);
  ck_assert_int_eq(mpj_piece_basic(&p->u.seq.pieces[0]), mpj_basic_of_handle(MPJ_INT));
  ck_assert_int_eq(mpj_piece_basic(&p->u.seq.pieces[1]), mpj_basic_of_handle(MPJ_FLOAT));
  mpj_layout_release(record.layout);
}
END_TEST

START_TEST(a_record_with_a_gap_stays_two_moves)
{
  struct mpj_piece record = record_of(MPJ_INT, MPJ_DOUBLE, 8);
  const struct mpj_program *p = program_of(record);
  ck_assert_int_eq(p->kind, MPJ_PROGRAM_SEQ);
  ck_assert(p->u.seq.dense);
  ck_assert_int_eq(mpj_program_listed_bytes(p, 0), 4);
  ck_assert_int_eq(mpj_program_listed_bytes(p, 1), 8);
  mpj_layout_release(record.layout);
}
END_TEST

/* An int, a double and a float: one lies so far away that a list of 32-bit places cannot say
 * where. */
START_TEST(pieces_that_lie_far_stay_with_the_layout)
{
  const MPJ_Aint far = (MPJ_Aint)1 << 40;
  struct mpj_piece pieces[3] = {run_of(MPJ_INT, 1), run_of(MPJ_DOUBLE, 1), run_of(MPJ_FLOAT, 1)};
  struct mpj_piece record;
  pieces[1].displ = far;
  pieces[2].displ = 16;
  ck_assert_int_eq(mpj_layout_seq(3, pieces, &record), MPJ_SUCCESS);
  const struct mpj_program *forms[] = {program_of(record), typed_of(record)};
  for (int f = 0; f < 2; f++) {
    const struct mpj_program *p = forms[f];
    ck_assert_int_eq(p->kind, MPJ_PROGRAM_SEQ);
    ck_assert_ptr_null(p->u.seq.pieces);
    ck_assert(p->u.seq.dense);
    ck_assert_int_eq(p->runs, 3);
    const struct mpj_program_item item = mpj_program_item(p, 1);
    ck_assert_ptr_null(item.program);
    ck_assert_int_eq(item.displ, far);
    ck_assert_int_eq(item.bytes, 8);
    ck_assert_int_eq(item.basic, f ? mpj_basic_of_handle(MPJ_DOUBLE) : -1);
    MPJ_Count start;
    ck_assert_int_eq(mpj_program_find_piece(p, 12, &start), 2);
    ck_assert_int_eq(start, 12);
  }
  for (int i = 0; i < 3; i++)
    mpj_layout_release(pieces[i].layout);
  mpj_layout_release(record.layout);
}
END_TEST

START_TEST(loops_of_dense_records_collapse_to_loops_of_bytes)
{
  struct mpj_piece row = loop_of(10, 8, record_of(MPJ_INT, MPJ_FLOAT, 4));
  ck_assert_int_eq(program_of(row)->kind, MPJ_PROGRAM_DENSE);
  ck_assert_int_eq(program_of(row)->bytes, 80);
  struct mpj_piece rows = loop_of(5, 200, row);
  const struct mpj_program *p = program_of(rows);
  ck_assert_int_eq(p->kind, MPJ_PROGRAM_LOOP);
  ck_assert_int_eq(p->u.loop.count, 5);
  ck_assert_int_eq(p->u.loop.child->bytes, 80);
  ck_assert_int_eq(p->u.loop.child->kind, MPJ_PROGRAM_DENSE);
  mpj_layout_release(rows.layout);
}
END_TEST

/* Blocks of `copies` doubles, 24 bytes apart within a block. */
static struct mpj_piece blocks_of(MPJ_Count copies)
{
  const MPJ_Aint displs[3] = {0, 200, 300};
  struct mpj_piece element = run_of(MPJ_DOUBLE, 1), out;
  ck_assert_int_eq(mpj_layout_index(3, NULL, copies, displs, 24, element, &out), MPJ_SUCCESS);
  mpj_layout_release(element.layout);
  return out;
}

START_TEST(blocks_of_one_dense_copy_are_dense)
{
  struct mpj_piece single = blocks_of(1), several = blocks_of(3);
  ck_assert_int_eq(program_of(single)->kind, MPJ_PROGRAM_INDEX);
  ck_assert(program_of(single)->u.index.dense);
  ck_assert_int_eq(program_of(several)->kind, MPJ_PROGRAM_INDEX);
  ck_assert(!program_of(several)->u.index.dense);
  mpj_layout_release(single.layout);
  mpj_layout_release(several.layout);
}
END_TEST

/* Three blocks of doubles. */
static struct mpj_piece three_blocks(const MPJ_Count lengths[3], const MPJ_Aint displs[3])
{
  struct mpj_piece one = run_of(MPJ_DOUBLE, 1), out;
  ck_assert_int_eq(mpj_layout_index(3, lengths, 0, displs, 8, one, &out), MPJ_SUCCESS);
  mpj_layout_release(one.layout);
  return out;
}

START_TEST(merged_neighbours_of_a_list_are_whole_units)
{
  const MPJ_Count lengths[] = {3, 6, 3};
  const MPJ_Aint displs[] = {0, 100, 208};
  struct mpj_piece points = three_blocks(lengths, displs);
  const struct mpj_program *p = program_of(points);
  ck_assert_int_eq(p->kind, MPJ_PROGRAM_INDEX);
  ck_assert_int_eq(p->u.index.unit, 24);
  ck_assert_int_eq(p->u.index.nunits, 4);
  ck_assert_int_eq(mpj_program_flat(p)[1], 100);
  ck_assert_int_eq(mpj_program_flat(p)[2], 124);
  ck_assert_ptr_null(p->u.index.blocks);
  mpj_layout_release(points.layout);
}
END_TEST

START_TEST(a_few_long_blocks_are_kept_decoded)
{
  const MPJ_Count lengths[] = {100, 50, 37};
  const MPJ_Aint displs[] = {0, 3000, 1000};
  struct mpj_piece blocks = three_blocks(lengths, displs);
  const struct mpj_program *p = program_of(blocks);
  ck_assert_int_eq(p->kind, MPJ_PROGRAM_INDEX);
  ck_assert_ptr_null(mpj_program_flat(p));
  ck_assert_int_eq(p->u.index.blocks[1].displ, 3000);
  ck_assert_int_eq(p->u.index.blocks[2].start, 1200);
  ck_assert_int_eq(mpj_program_block_bytes(p, 1), 400);
  ck_assert_int_eq(mpj_program_block_bytes(p, 2), 296);
  for (MPJ_Count byte = 0; byte < p->bytes; byte++) {
    const MPJ_Count i = mpj_program_find_block(p, byte), start = p->u.index.blocks[i].start;
    ck_assert(start <= byte && byte < start + mpj_program_block_bytes(p, i));
  }
  mpj_layout_release(blocks.layout);
}
END_TEST

START_TEST(equal_layouts_share_one_program_of_each_form)
{
  struct mpj_piece a = loop_of(4, 100, run_of(MPJ_DOUBLE, 3));
  struct mpj_piece b = loop_of(4, 100, run_of(MPJ_DOUBLE, 3));
  ck_assert_ptr_eq(program_of(a), program_of(b));
  ck_assert_ptr_eq(typed_of(a), typed_of(b));
  ck_assert_ptr_ne(program_of(a), typed_of(a));
  mpj_layout_release(a.layout);
  mpj_layout_release(b.layout);
}
END_TEST

START_TEST(a_program_counts_the_dense_runs_that_it_moves)
{
  struct mpj_piece vector = loop_of(5, 24, run_of(MPJ_INT, 2));
  ck_assert_int_eq(program_of(vector)->runs, 5);
  struct mpj_piece rows = loop_of(3, 1000, vector);
  ck_assert_int_eq(program_of(rows)->runs, 15);
  ck_assert_int_eq(mpj_program_run(program_of(rows)), 8);
  struct mpj_piece record = record_of(MPJ_INT, MPJ_DOUBLE, 8);
  ck_assert_int_eq(program_of(record)->runs, 2);
  mpj_layout_release(record.layout);
  mpj_layout_release(rows.layout);
}
END_TEST

START_TEST(the_empty_layout_compiles_to_no_bytes)
{
  struct mpj_piece empty;
  ck_assert_int_eq(mpj_layout_empty(&empty), MPJ_SUCCESS);
  ck_assert_int_eq(program_of(empty)->bytes, 0);
  ck_assert_int_eq(program_of(empty)->kind, MPJ_PROGRAM_DENSE);
  mpj_layout_release(empty.layout);
}
END_TEST

START_TEST(find_piece_finds_every_byte)
{
  struct mpj_piece record = record_of(MPJ_INT, MPJ_DOUBLE, 8);
  for (MPJ_Count byte = 0; byte < 12; byte++) {
    MPJ_Count start;
    ck_assert_int_eq(mpj_program_find_piece(program_of(record), byte, &start), byte >= 4);
    ck_assert_int_eq(start, byte >= 4 ? 4 : 0);
  }
  mpj_layout_release(record.layout);
}
END_TEST

START_TEST(no_memory_is_reported_and_leaves_nothing_behind)
{
  struct mpj_random rng = {7};
  int failures = 0;
  mpj_layout_forget_permanent();
  long before = mpj_memory_outstanding();
  for (int i = 0; i < 200; i++) {
    struct mpj_piece piece = random_layout(&rng, 5, 2000);
    const struct mpj_program *p;
    for (long n = 0;; n++) {
      mpj_memory_fail_after(n);
      int status = mpj_program_of(piece.layout, &p);
      if (status == MPJ_SUCCESS) status = mpj_program_typed_of(piece.layout, &p);
      mpj_memory_fail_after(-1);
      if (status == MPJ_SUCCESS) break;
      ck_assert_int_eq(status, MPJ_ERR_NO_MEM);
      failures++;
    }
    mpj_layout_release(piece.layout);
    mpj_layout_forget_permanent();
    ck_assert_int_eq(mpj_memory_outstanding(), before);
  }
  ck_assert_int_gt(failures, 200);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "pack/compile", adjoining_elements_of_unlike_type_are_one_block_of_bytes,
      the_typed_form_keeps_elements_of_unlike_type_apart, pieces_that_lie_far_stay_with_the_layout,
      a_record_with_a_gap_stays_two_moves, loops_of_dense_records_collapse_to_loops_of_bytes,
      blocks_of_one_dense_copy_are_dense, merged_neighbours_of_a_list_are_whole_units,
      a_few_long_blocks_are_kept_decoded, equal_layouts_share_one_program_of_each_form,
      a_program_counts_the_dense_runs_that_it_moves, the_empty_layout_compiles_to_no_bytes,
      find_piece_finds_every_byte, no_memory_is_reported_and_leaves_nothing_behind);
}
