/* This file tests memory that ranks of a machine share block by block. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/suite.h"
#include "net/ranks.h"
#include "net/shm/blocks.h"
#include "types/type.h"

enum { BYTES = 1040000, ROOM = 4 << 20 };

/* An area whose memory is a shared block. */
static void area_share(struct area *a, struct mpj_net *net, struct mpj_net_block *block,
                       MPJ_Count bytes, MPJ_Count gap)
{
  area_make(a, bytes, gap);
  EXPECT(mpj_net_alloc(net, ROOM, block) == MPJ_SUCCESS);
  EXPECT(block->shared >= 0 && a->extent <= block->bytes);
  memcpy(block->base, a->memory, a->extent);
  unsigned char *private_memory = a->memory;
  a->memory = block->base;
  mpj_free(private_memory);
}

static void area_unshare(struct area *a, struct mpj_net *net, struct mpj_net_block *block)
{
  a->memory = mpj_alloc(1); /* area_free frees it */
  mpj_net_free(net, block);
  area_free(a);
}

struct scene {
  bool from_shared, to_shared;
  MPJ_Count from_block, to_block;
};

static void move(struct mpj_net *net, struct common *common, void *arg)
{
  const struct scene *s = arg;
  const bool shared = net->rank == 0 ? s->from_shared : s->to_shared;
  const MPJ_Count gap = net->rank == 0 ? s->from_block : s->to_block;
  struct area a;
  struct mpj_net_block block;
  struct offers offers;
  struct outcome outcome = {0, -1};
  struct mpj_cursor dst;
  if (shared)
    area_share(&a, net, &block, BYTES, gap);
  else
    area_make(&a, BYTES, gap);
  offers_open(&offers, net);
  for (unsigned round = 0; round < 5; round++) {
    struct mpj_am_remote remote;
    outcome = (struct outcome){0, -1};
    if (net->rank == 0) {
      area_fill(&a, round);
      offer_to(net, 1, &a, &outcome, &remote);
      await_outcome(net, &outcome, 1);
      continue;
    }
    remote = take_offer(net, &offers, NULL);
    EXPECT(mpj_cursor_begin(&dst, &a.view, a.memory) == MPJ_SUCCESS);
    const int status = mpj_net_pull(net, 0, &remote, &dst, NULL, outcome_note, &outcome);
    if (status == MPJ_AM_PENDING) await_outcome(net, &outcome, 1);
    EXPECT(status == MPJ_SUCCESS || outcome.status == MPJ_SUCCESS);
    EXPECT(area_holds(&a, round));
  }
  /* The dense side was mapped by the other. */
  atomic_store(&common->step[net->rank], 1);
  await_step(net, common, 1 - net->rank, 1);
  if (shared)
    area_unshare(&a, net, &block);
  else
    area_free(&a);
}

START_TEST(data_moves_between_shared_and_private_memory_through_any_layouts)
{
  static const MPJ_Count blocks[][2] = {{0, 0}, {0, 8}, {8, 0}, {13, 8}, {8, 5200}, {650, 520}};
  for (int i = 0; i < 24; i++) {
    struct scene s = {i & 1, i & 2, blocks[i / 4][0], blocks[i / 4][1]};
    run_ranks(2, move, &s, NULL);
  }
}
END_TEST

enum { COLUMNS = 1100, COLUMN = 600, PADDING = 64 };

static double element(MPJ_Count row, MPJ_Count column, int round)
{
  return (double)(row * COLUMNS + column + round);
}

/* COLUMNS columns of a matrix of COLUMN rows. */
static MPJ_Datatype columns_type(void)
{
  MPJ_Datatype column, narrow, all;
  EXPECT(MPJ_Type_vector(COLUMN, 1, COLUMNS, MPJ_DOUBLE, &column) == MPJ_SUCCESS);
  EXPECT(MPJ_Type_create_resized(column, 0, sizeof(double), &narrow) == MPJ_SUCCESS);
  EXPECT(MPJ_Type_contiguous(COLUMNS, narrow, &all) == MPJ_SUCCESS);
  MPJ_Type_free(&column);
  MPJ_Type_free(&narrow);
  return all;
}

struct transposition {
  MPJ_Count row, padding; /* doubles, of the rows that take the columns */
  bool from_shared, to_shared;
};

static MPJ_Datatype rows_type(const struct transposition *t)
{
  MPJ_Datatype all;
  EXPECT(MPJ_Type_vector(COLUMNS * COLUMN / t->row, t->row, t->row + t->padding, MPJ_DOUBLE,
                         &all) == MPJ_SUCCESS);
  return all;
}

/* Rank 0 gives columns, rank 1 takes them as rows. */
static void transpose(struct mpj_net *net, struct common *common, void *arg)
{
  const struct transposition *t = arg;
  const MPJ_Count row = t->row, pitch = t->row + t->padding;
  const size_t most = (size_t)(COLUMNS * COLUMN / row * pitch) * sizeof(double);
  const bool shared = net->rank == 0 ? t->from_shared : t->to_shared;
  struct area a = {.type = net->rank == 0 ? columns_type() : rows_type(t)};
  struct mpj_type *object;
  struct mpj_net_block block;
  struct offers offers;
  EXPECT(mpj_type_resolve(a.type, "type", &object) == MPJ_SUCCESS);
  if (shared) EXPECT(mpj_net_alloc(net, most, &block) == MPJ_SUCCESS && block.shared >= 0);
  double *memory = shared ? block.base : mpj_alloc(most);
  EXPECT(memory);
  a.view = mpj_type_view(object);
  a.memory = (unsigned char *)memory;
  offers_open(&offers, net);
  for (int round = 0; round < 2; round++) {
    struct mpj_am_remote remote;
    struct outcome outcome = {0, -1};
    struct mpj_cursor dst;
    if (net->rank == 0) {
      for (MPJ_Count i = 0; i < COLUMN * COLUMNS; i++)
        memory[i] = element(i / COLUMNS, i % COLUMNS, round);
      offer_to(net, 1, &a, &outcome, &remote);
      await_outcome(net, &outcome, 1);
      continue;
    }
    remote = take_offer(net, &offers, NULL);
    memset(memory, 0xff, most);
    EXPECT(mpj_cursor_begin(&dst, &a.view, memory) == MPJ_SUCCESS);
    EXPECT(mpj_net_pull(net, 0, &remote, &dst, NULL, outcome_note, &outcome) == MPJ_AM_PENDING);
    await_outcome(net, &outcome, 1);
    EXPECT(outcome.status == MPJ_SUCCESS);
    for (MPJ_Count i = 0; i < COLUMN * COLUMNS; i++)
      EXPECT(memory[i / row * pitch + i % row] == element(i % COLUMN, i / COLUMN, round));
    for (MPJ_Count i = row; i < pitch; i++)
      EXPECT(memory[i] != memory[i]); /* a gap, still not a number */
  }
  atomic_store(&common->step[net->rank], 1);
  await_step(net, common, 1 - net->rank, 1);
  if (shared)
    mpj_net_free(net, &block);
  else
    mpj_free(memory);
  EXPECT(MPJ_Type_free(&a.type) == MPJ_SUCCESS);
}

START_TEST(columns_become_rows_in_shared_and_private_memory)
{
  static const MPJ_Count rows[] = {COLUMN, 2 * COLUMN, COLUMN / 3, 40};
  for (int i = 0; i < 20; i++) {
    struct transposition t = {rows[i / 4 % 4], i < 16 ? PADDING : 0, i & 1, i & 2};
    run_ranks(2, transpose, &t, NULL);
  }
}
END_TEST

/* Rank 1 looks up what rank 0 shares. */
static void look_up(struct mpj_net *net, struct common *common, void *arg)
{
  (void)arg;
  struct mpj_net_block block;
  struct mpj_segment *segment = shm_of(net)->cells.segment;
  struct mpj_shared_block *entry = mpj_segment_block(segment, 0, 0);
  if (net->rank == 0) {
    EXPECT(mpj_net_alloc(net, 8192, &block) == MPJ_SUCCESS);
    memset(block.base, 5, 8192);
    atomic_store(&common->step[0], 1);
    await_step(net, common, 1, 1);
    mpj_net_free(net, &block);
    atomic_store(&common->step[0], 2);
    await_step(net, common, 1, 2);
    return;
  }
  await_step(net, common, 0, 1);
  const uint64_t at = atomic_load(&entry->address);
  const unsigned char *seen = mpj_shm_mapped(shm_of(net), 0, at, 8192);
  EXPECT(seen && seen[0] == 5 && seen[8191] == 5);
  EXPECT(mpj_shm_mapped(shm_of(net), 0, at + 100, 8092) == seen + 100);
  EXPECT(!mpj_shm_mapped(shm_of(net), 0, at, 8193));
  EXPECT(!mpj_shm_mapped(shm_of(net), 0, at - 1, 1));
  EXPECT(!mpj_shm_mapped(shm_of(net), 0, at + 8192, 1));
  EXPECT(!mpj_shm_mapped(shm_of(net), 0, UINT64_MAX, 4096));
  EXPECT(!mpj_shm_mapped(shm_of(net), 0, at, INT64_MAX));
  atomic_store(&common->step[1], 1);
  await_step(net, common, 0, 2);
  EXPECT(!mpj_shm_mapped(shm_of(net), 0, at, 1)); /* freed */
  EXPECT(seen[0] == 0); /* its memory has gone back, and no harm is done */
  atomic_store(&common->step[1], 2);
}

START_TEST(lookup_finds_what_lies_within_a_block_that_is_still_shared)
{
  run_ranks(2, look_up, NULL, NULL);
}
END_TEST

/* Rank 0 writes entries that are not true. */
static void lie(struct mpj_net *net, struct common *common, void *arg)
{
  (void)arg;
  struct mpj_segment *segment = shm_of(net)->cells.segment;
  struct mpj_shared_block *e = mpj_segment_block(segment, 0, 0);
  if (net->rank == 0) {
    int pipes[2];
    EXPECT(pipe(pipes) == 0);
    const int unsealed = memfd_create("unsealed", 0);
    EXPECT(ftruncate(unsealed, 65536) == 0);
    const int lies[] = {pipes[0], unsealed, -1, 1 << 30, shm_of(net)->fd};
    for (int i = 0; i < 5; i++) {
      atomic_store(&e->fd, lies[i]);
      atomic_store(&e->address, 65536);
      atomic_store(&e->bytes, 65536);
      atomic_store(&e->generation, (uint32_t)(2 * i + 1));
      atomic_store(&mpj_segment_rank(segment, 0)->blocks, UINT32_MAX);
      atomic_store(&common->step[0], i + 1);
      await_step(net, common, 1, i + 1);
    }
    return;
  }
  for (int i = 0; i < 5; i++) {
    await_step(net, common, 0, i + 1);
    EXPECT(!mpj_shm_mapped(shm_of(net), 0, 65536, 65536));
    atomic_store(&common->step[1], i + 1);
  }
}

START_TEST(files_that_are_no_sealed_blocks_are_not_mapped)
{
  run_ranks(2, lie, NULL, NULL);
}
END_TEST

static void use_up(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  static struct mpj_net_block blocks[MPJ_SHARED_BLOCKS + 2];
  enum { ALL = MPJ_SHARED_BLOCKS + 2 };
  for (int i = 0; i < ALL; i++) {
    EXPECT(mpj_net_alloc(net, 4096, &blocks[i]) == MPJ_SUCCESS);
    EXPECT((blocks[i].shared >= 0) == (i < MPJ_SHARED_BLOCKS));
    memset(blocks[i].base, i, 4096);
  }
  mpj_net_free(net, &blocks[7]);
  EXPECT(mpj_net_alloc(net, 4096, &blocks[7]) == MPJ_SUCCESS && blocks[7].shared == 7);
  for (int i = 0; i < ALL; i++)
    mpj_net_free(net, &blocks[i]);
}

START_TEST(blocks_beyond_those_that_can_be_shared_are_private)
{
  run_ranks(1, use_up, NULL, NULL);
}
END_TEST

static void look_at_mode(struct mpj_net *net, struct common *common, void *arg)
{
  struct mpj_net_block block;
  struct stat st;
  (void)common;
  (void)arg;
  EXPECT(mpj_net_alloc(net, ROOM, &block) == MPJ_SUCCESS && block.shared >= 0);
  struct mpj_segment *segment = shm_of(net)->cells.segment;
  const int fd = atomic_load(&mpj_segment_block(segment, net->rank, (unsigned)block.shared)->fd);
  EXPECT(fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0600);
  mpj_net_free(net, &block);
}

START_TEST(blocks_are_their_users_alone)
{
  run_ranks(2, look_at_mode, NULL, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/blocks", data_moves_between_shared_and_private_memory_through_any_layouts,
                   lookup_finds_what_lies_within_a_block_that_is_still_shared,
                   columns_become_rows_in_shared_and_private_memory,
                   files_that_are_no_sealed_blocks_are_not_mapped, blocks_are_their_users_alone,
                   blocks_beyond_those_that_can_be_shared_are_private);
}
