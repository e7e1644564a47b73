/* This file tests the rounds in which blocks go along the circulant graph. */
#include "coll/algorithms/shapes/block_rounds.h"

#include "base/suite.h"

enum { PLACES_MAX = 4100 };

static struct mpj_block_rounds rounds[PLACES_MAX];
static bool has[PLACES_MAX][64];

static int rounds_least(int places, int blocks)
{
  int log = 0;
  for (int reach = 1; reach < places; reach *= 2)
    log++;
  return places == 1 ? 0 : blocks - 1 + log;
}

/* Give and take in one round; false if a giver lacks its block, a taker has it, or the two
 * do not mean each other. */
static bool play_round(int places, int i)
{
  for (int r = 0; r < places; r++) {
    const struct mpj_block_move out = mpj_block_given(&rounds[r], i);
    const struct mpj_block_move in = mpj_block_taken(&rounds[r], i);
    if (out.block >= 0) {
      const struct mpj_block_move there = mpj_block_taken(&rounds[out.peer], i);
      if (!has[r][out.block] || there.block != out.block || there.peer != r) return false;
    }
    if (in.block >= 0) {
      const struct mpj_block_move there = mpj_block_given(&rounds[in.peer], i);
      if (has[r][in.block] || there.block != in.block || there.peer != r) return false;
    }
  }
  for (int r = 0; r < places; r++) {
    const struct mpj_block_move in = mpj_block_taken(&rounds[r], i);
    if (in.block >= 0) has[r][in.block] = true;
  }
  return true;
}

/* Who has which block, round by round. */
static void play(int places, int blocks)
{
  for (int r = 0; r < places; r++) {
    mpj_block_rounds_find(places, r, blocks, &rounds[r]);
    for (int b = 0; b < blocks; b++)
      has[r][b] = r == 0;
  }
  ck_assert_int_eq(rounds[places - 1].rounds, rounds_least(places, blocks));
  for (int i = 0; i < rounds[0].rounds; i++)
    ck_assert_msg(play_round(places, i), "%d places, %d blocks: round %d", places, blocks, i);
  int lacking = 0;
  for (int r = 0; r < places; r++)
    for (int b = 0; b < blocks; b++)
      lacking += !has[r][b];
  ck_assert_msg(lacking == 0, "%d places, %d blocks: %d lacking", places, blocks, lacking);
}

START_TEST(every_place_takes_every_block_once_after_its_giver)
{
  for (int places = 1; places <= 70; places++)
    for (int blocks = 1; blocks <= 20; blocks += 1 + blocks / 6)
      play(places, blocks);
}
END_TEST

START_TEST(many_places_and_blocks)
{
  for (int places = 71; places <= 257; places += 31)
    play(places, 64);
  play(256, 63);
  play(257, 9);
  for (int log = 9; log <= 12; log++)
    for (int more = -1; more <= 1; more++)
      play((1 << log) + more, 20);
}
END_TEST

/* What one place of many does fits what its neighbours do, up to the most that there can be. */
START_TEST(neighbours_agree_in_any_size)
{
  static const int sizes[] = {65536, 100003, 1048575, 1 << 30, INT32_MAX};
  static struct mpj_block_rounds one, other;
  unsigned compared = 0;
  for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++)
    for (int place = 1; place < sizes[n] - sizes[n] / 37; place += sizes[n] / 37) {
      mpj_block_rounds_find(sizes[n], place, 5, &one);
      for (int i = 0; i < one.rounds; i++) {
        const struct mpj_block_move in = mpj_block_taken(&one, i);
        if (in.block < 0) continue;
        mpj_block_rounds_find(sizes[n], in.peer, 5, &other);
        const struct mpj_block_move out = mpj_block_given(&other, i);
        ck_assert_int_eq(out.block, in.block);
        ck_assert_int_eq(out.peer, place);
        compared++;
      }
    }
  ck_assert_uint_gt(compared, 4 * 37 * 5); /* each place takes each block */
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/block_rounds", every_place_takes_every_block_once_after_its_giver,
                   many_places_and_blocks, neighbours_agree_in_any_size);
}
