/* This file starts processes as ranks, and gives them areas of memory to move. */
#include "net/ranks.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/assert.h"
#include "base/memory.h"
#include "net/shm/create.h"
#include "net/shm/shm.h"
#include "types/type.h"

enum { GAP = 5, UNTOUCHED = 0xee };

static _Noreturn void be_rank(int fd, int rank, rank_fn *fn, struct common *common, void *arg)
{
  struct mpj_net *net;
  signal(SIGALRM, SIG_DFL); /* not the suite's, which kills all ranks */
  alarm(RANK_SECONDS);      /* a rank that hangs dies, and the test with it */
  EXPECT(mpj_shm_open(fd, rank, true, &net) == MPJ_SUCCESS);
  fn(net, common, arg);
  mpj_net_close(net, MPJ_RANK_FINALIZED, 0);
  _exit(0);
}

/* Reap all ranks, marking in the segment what became of them. */
static void reap(int n, const pid_t pid[], int status[], struct mpj_segment *segment)
{
  for (int reaped = 0; reaped < n; reaped++) {
    int how;
    const pid_t who = waitpid(-1, &how, 0);
    ck_assert_int_gt(who, 0);
    for (int i = 0; i < n; i++) {
      if (pid[i] != who) continue;
      status[i] = how;
      mpj_segment_mark(segment, i, MPJ_RANK_DEAD, how);
    }
  }
}

void run_ranks(int n, rank_fn *fn, void *arg, const int expected[])
{
  struct mpj_segment *segment;
  int fd, status[RANKS_MAX];
  pid_t pid[RANKS_MAX];
  struct common *common =
      mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ck_assert_int_le(n, RANKS_MAX);
  ck_assert_ptr_ne(common, MAP_FAILED);
  ck_assert_int_eq(mpj_shm_create(n, &fd, &segment), MPJ_SUCCESS);
  fflush(NULL);
  for (int i = 0; i < n; i++) {
    pid[i] = fork();
    ck_assert_int_ge(pid[i], 0);
    if (pid[i] == 0) be_rank(fd, i, fn, common, arg);
  }
  reap(n, pid, status, segment);
  mpj_shm_discard(fd, segment);
  munmap(common, sizeof *common);
  for (int i = 0; i < n; i++)
    ck_assert_msg(status[i] == (expected ? expected[i] : 0), "rank %d: status 0x%x", i, status[i]);
}

static void poll_once(struct mpj_net *net, unsigned *idle)
{
  if (mpj_net_poll(net))
    *idle = 0;
  else
    mpj_net_idle(net, idle);
}

void await_step(struct mpj_net *net, struct common *common, int rank, int step)
{
  unsigned idle = 0;
  while (atomic_load(&common->step[rank]) < step)
    poll_once(net, &idle);
}

void await_state(struct mpj_net *net, int peer, enum mpj_rank_state state)
{
  unsigned idle = 0;
  while (mpj_net_peer_state(net, peer, NULL) != state)
    mpj_net_idle(net, &idle);
}

void await_outcome(struct mpj_net *net, const struct outcome *outcome, int calls)
{
  unsigned idle = 0;
  while (outcome->calls < calls)
    poll_once(net, &idle);
}

void await_messages(struct mpj_net *net, const struct inbox *inbox, unsigned messages)
{
  unsigned idle = 0;
  while (inbox->messages < messages)
    poll_once(net, &idle);
}

void area_make(struct area *a, MPJ_Count bytes, MPJ_Count block)
{
  const MPJ_Count stride = block ? block + GAP : bytes, blocks = block ? bytes / block : 1;
  struct mpj_type *object;
  a->bytes = bytes;
  a->block = block;
  a->extent = (size_t)(blocks * stride);
  a->memory = mpj_alloc(a->extent);
  EXPECT(a->memory);
  memset(a->memory, UNTOUCHED, a->extent);
  EXPECT(MPJ_Type_vector(blocks, block ? block : bytes, stride, MPJ_BYTE, &a->type) == MPJ_SUCCESS);
  EXPECT(mpj_type_resolve(a->type, "type", &object) == MPJ_SUCCESS);
  a->view = mpj_type_view(object);
}

void area_free(struct area *a)
{
  EXPECT(MPJ_Type_free(&a->type) == MPJ_SUCCESS);
  mpj_free(a->memory);
}

static unsigned char pattern(MPJ_Count i, unsigned seed)
{
  return (unsigned char)((i + (MPJ_Count)seed) * 31 + i / 256 + i / 65536);
}

void area_fill(struct area *a, unsigned seed)
{
  const MPJ_Count block = a->block ? a->block : a->bytes;
  MPJ_Count i = 0;
  for (unsigned char *at = a->memory; i < a->bytes; at += block + GAP)
    for (MPJ_Count k = 0; k < block; k++, i++)
      at[k] = pattern(i, seed);
}

bool area_holds(const struct area *a, unsigned seed)
{
  const MPJ_Count block = a->block ? a->block : a->bytes;
  MPJ_Count i = 0;
  for (const unsigned char *at = a->memory; i < a->bytes; at += block + GAP) {
    for (MPJ_Count k = 0; k < block; k++, i++)
      if (at[k] != pattern(i, seed)) return false;
    for (int k = 0; a->block && k < GAP; k++)
      if (at[block + k] != UNTOUCHED) return false;
  }
  return true;
}

void offer_to(struct mpj_net *net, int peer, struct area *a, struct outcome *sent,
              struct mpj_am_remote *remote)
{
  EXPECT(mpj_net_expose(net, &a->view, a->memory, 1, outcome_note, sent, remote) == MPJ_SUCCESS);
  unsigned idle = 0;
  int status;
  while ((status = mpj_net_short(net, peer, OFFER_HANDLER, remote, sizeof *remote)) == MPJ_AM_AGAIN)
    poll_once(net, &idle);
  EXPECT(status == MPJ_SUCCESS);
}

static enum mpj_am_verdict note_offer(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest)
{
  (void)dest;
  struct offers *offers = ctx;
  const unsigned i = offers->came++ % OFFERS_MAX;
  EXPECT(offers->came - offers->taken <= OFFERS_MAX);
  EXPECT(arrival->header_bytes == sizeof offers->remote[i]);
  memcpy(&offers->remote[i], arrival->header, sizeof offers->remote[i]);
  offers->source[i] = arrival->source;
  return MPJ_AM_DONE;
}

void offers_open(struct offers *offers, struct mpj_net *net)
{
  offers->came = offers->taken = 0;
  mpj_net_register(net, OFFER_HANDLER, note_offer, offers);
}

struct mpj_am_remote take_offer(struct mpj_net *net, struct offers *offers, int *source)
{
  unsigned idle = 0;
  while (offers->taken == offers->came)
    poll_once(net, &idle);
  const unsigned i = offers->taken++ % OFFERS_MAX;
  if (source) *source = offers->source[i];
  return offers->remote[i];
}
