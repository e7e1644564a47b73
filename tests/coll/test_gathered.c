/* This file states what types built together are by examples: how they are kept,
 * and what is an error, on all ranks alike. */
#include "base/memory.h"
#include "coll/calls/gathered.h"
#include "coll/engine_play.h"
#include "types/encoded/encode.h"

#define WORLD MPJ_COMM_WORLD

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

/* How much there is to say of a type. */
static MPJ_Count encoded_bytes(MPJ_Datatype type)
{
  void *message;
  MPJ_Count bytes = -1;
  if (mpj_type_encode(type, &message, &bytes) != MPJ_SUCCESS) return -1;
  mpj_free(message);
  return bytes;
}

static int kept(void *arg)
{
  (void)arg;
  MPJ_Datatype row, part, made, regular;
  const int me = world()->rank, p = world()->size;
  MPJ_Count ncounts, naddresses, ntypes;
  int combiner;
  NEED(!MPJ_Type_vector(100, 1, 7, MPJ_DOUBLE, &row));
  NEED(!MPJ_Type_create_gathered(row, MPJ_ALL, WORLD, &made)); /* all equal */
  NEED(!MPJ_Type_get_envelope(made, &ncounts, &naddresses, &ntypes, &combiner));
  NEED(combiner == MPJ_COMBINER_CONTIGUOUS);
  NEED(!MPJ_Type_contiguous(p, row, &regular) && encoded_bytes(made) == encoded_bytes(regular));
  NEED(!MPJ_Type_free(&made) && !MPJ_Type_free(&regular));
  NEED(!MPJ_Type_contiguous(me == p - 1 ? 3 : 8, row, &part)); /* all but the last */
  NEED(!MPJ_Type_create_gathered(part, MPJ_ALL, WORLD, &made));
  NEED(!MPJ_Type_get_envelope(made, &ncounts, &naddresses, &ntypes, &combiner));
  NEED(combiner == MPJ_COMBINER_SEGMENT && encoded_bytes(made) < 120);
  NEED(!MPJ_Type_free(&made) && !MPJ_Type_free(&part));
  NEED(!MPJ_Type_create_gathered(MPJ_INT, 1, WORLD, &made)); /* a basic type; at the root */
  NEED((made != MPJ_DATATYPE_NULL) == (me == 1) && (me != 1 || !MPJ_Type_free(&made)));
  return MPJ_Type_free(&row);
}

START_TEST(equal_and_regular_parts_are_kept_small)
{
  play(16, kept, NULL);
  play(2, kept, NULL);
}
END_TEST

static int refused(void *arg)
{
  (void)arg;
  const int me = world()->rank;
  MPJ_Datatype made = MPJ_BYTE, null = MPJ_DATATYPE_NULL;
  NEED(MPJ_Type_create_gathered(me == 1 ? null : MPJ_INT, MPJ_ALL, WORLD, &made) == MPJ_ERR_TYPE);
  NEED(detail_has(me == 1 ? "part" : "rank 1 failed: MPJ_ERR_TYPE") && made == MPJ_BYTE);
  NEED(MPJ_Type_create_gathered(MPJ_INT, 0, WORLD, me == 2 ? NULL : &made) == MPJ_ERR_ARG);
  NEED(detail_has(me == 2 ? "newtype is NULL" : "rank 2 failed") && made == MPJ_BYTE);
  NEED(MPJ_Type_create_gathered(MPJ_INT, 3, WORLD, &made) == MPJ_ERR_ROOT &&
       detail_has("root is 3"));
  NEED(MPJ_Type_create_gathered(MPJ_INT, 0, MPJ_COMM_NULL, &made) == MPJ_ERR_COMM);
  return MPJ_Barrier(WORLD);
}

START_TEST(argument_error_of_one_is_an_error_of_all)
{
  play(3, refused, NULL);
}
END_TEST

/* One rank's message is damaged at byte *arg. */
static int damaged(void *arg)
{
  const MPJ_Count at = *(const MPJ_Count *)arg;
  const int me = world()->rank;
  void *message;
  MPJ_Count bytes;
  MPJ_Datatype part, made = MPJ_BYTE;
  NEED(!MPJ_Type_vector(3, 1, 4 + me, MPJ_INT, &part) && !mpj_type_encode(part, &message, &bytes));
  for (int bad = 0; bad < 3; bad++) {
    ((unsigned char *)message)[at % bytes] ^= me == bad ? 0x40 : 0;
    const int status = mpj_gather_types(world(), MPJ_ALL, MPJ_SUCCESS, message, bytes, &made);
    ((unsigned char *)message)[at % bytes] ^= me == bad ? 0x40 : 0;
    NEED((status == MPJ_ERR_FORMAT || status == MPJ_ERR_UNSUPPORTED) && made == MPJ_BYTE);
    NEED(detail_has(bad == 1 ? "the part of rank 1" : "the part of rank"));
  }
  NEED(!MPJ_Type_create_gathered(part, MPJ_ALL, WORLD, &made) && !MPJ_Type_free(&made));
  mpj_free(message);
  return MPJ_Type_free(&part);
}

START_TEST(damaged_bytes_of_one_are_an_error_of_all)
{
  for (MPJ_Count at = 0; at < 40; at++)
    play(3, damaged, &at);
}
END_TEST

struct famine {
  int rank;
  long successes;
  _Atomic int made;
};

static int starving(void *arg)
{
  struct famine *f = arg;
  const int me = world()->rank;
  MPJ_Datatype part, made = MPJ_DATATYPE_NULL;
  NEED(!MPJ_Type_vector(3, 1, 4 + me / 2, MPJ_INT, &part));
  if (me == f->rank) mpj_memory_fail_after(f->successes);
  const int status = MPJ_Type_create_gathered(part, MPJ_ALL, WORLD, &made);
  mpj_memory_fail_after(-1);
  NEED(!MPJ_Barrier(WORLD)); /* what comes early now finds memory */
  NEED(status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM || status == MPJ_ERR_TYPE);
  NEED((status == MPJ_SUCCESS) == (made != MPJ_DATATYPE_NULL));
  if (status == MPJ_SUCCESS) {
    atomic_fetch_add(&f->made, 1);
    NEED(!MPJ_Type_free(&made));
  }
  NEED(!MPJ_Type_create_gathered(part, MPJ_ALL, WORLD, &made) && !MPJ_Type_free(&made));
  return MPJ_Type_free(&part);
}

START_TEST(shortage_on_one_rank_leaves_all_in_step)
{
  enum { RANKS = 3 };
  for (int rank = 0; rank < RANKS; rank++) {
    struct famine f = {.rank = rank};
    for (; f.made < RANKS; f.successes++) {
      ck_assert_int_lt((int)f.successes, 400);
      f.made = 0;
      play(RANKS, starving, &f);
      mpj_layout_forget_permanent();
      ck_assert_int_eq(mpj_memory_outstanding(), 0);
    }
    ck_assert_int_gt((int)f.successes, 20);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "gathered", equal_and_regular_parts_are_kept_small, argument_error_of_one_is_an_error_of_all,
      damaged_bytes_of_one_are_an_error_of_all, shortage_on_one_rank_leaves_all_in_step);
}
