/* This file lists the steps of a run of a schedule. */
#include "array/play.h"

#include "array/rounds.h"
#include "base/memory.h"
#include "base/status.h"

void mpj_play_note(struct mpj_play *play, int status)
{
  if (status == MPJ_SUCCESS || play->status != MPJ_SUCCESS) return;
  play->status = status;
  mpj_error_keep(play->why, sizeof play->why);
}

static struct mpj_play_step *add(struct mpj_play *play)
{
  struct mpj_play_step *step = &play->steps[play->nsteps++];
  *step = (struct mpj_play_step){.work = NULL};
  return step;
}

static void add_work(struct mpj_play *play, int (*work)(struct mpj_play *, int), int index)
{
  *add(play) = (struct mpj_play_step){.work = work, .index = index};
}

static void add_exchange(struct mpj_play *play, const void *send, MPJ_Datatype sendtype, void *recv,
                         MPJ_Datatype recvtype)
{
  add(play)->call = (struct mpj_arguments){.operation = MPJ_OPERATION_ALLTOALL,
                                           .root = -1,
                                           .sendbuf = send,
                                           .sendtype = sendtype,
                                           .recvbuf = recv,
                                           .recvtype = recvtype,
                                           .comm = play->schedule->comm};
}

static void add_bcast(struct mpj_play *play, const struct mpj_phase *phase, void *to)
{
  if (!phase->comm) return;
  add(play)->call = (struct mpj_arguments){.operation = MPJ_OPERATION_BCAST,
                                           .root = phase->root,
                                           .recvbuf = to,
                                           .recvtype = phase->recv,
                                           .comm = phase->comm};
}

static int zero(struct mpj_play *play, int index)
{
  const struct mpj_phase *phase = &play->schedule->phases[index];
  return MPJ_Copy(play->schedule->zeros, phase->send, (void *)(uintptr_t)play->to, phase->recv);
}

/* The phases from `first` on, into `to`. */
static void add_forward(struct mpj_play *play, int first, void *to)
{
  const struct mpj_array_schedule *s = play->schedule;
  for (int i = first; i < s->nphases; i++) {
    const struct mpj_phase *phase = &s->phases[i];
    switch (phase->kind) {
    case MPJ_PHASE_EXCHANGE:
      add_exchange(play, play->from, phase->send, to, phase->recv);
      break;
    case MPJ_PHASE_BCAST:
      add_bcast(play, phase, to);
      break;
    case MPJ_PHASE_SPREAD:
      if (!s->spread.uniques) break;
      add_work(play, play->direction == MPJ_FETCH ? mpj_spread_fetched : mpj_spread_forward, i);
      break;
    case MPJ_PHASE_ZERO:
      if (play->direction == MPJ_FORWARD) add_work(play, zero, i);
      break;
    }
  }
}

/* The ranks that replicate combine, unless the last one's values win, who sends for all. */
static int add_reduce(struct mpj_play *play, const struct mpj_phase *phase)
{
  MPJ_Aint lb, extent;
  if (!phase->comm || play->op == MPJ_REPLACE) return MPJ_SUCCESS;
  int status = MPJ_Type_get_true_extent(phase->recv, &lb, &extent);
  if (status) return status;
  const struct mpj_array_schedule *s = play->schedule;
  void *image = NULL;
  if (s->in.n > 0) { /* it is the one that sends for all */
    play->image = mpj_alloc((size_t)extent);
    if (!play->image) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %td bytes", extent);
    image = play->image - lb;
    play->sent = image;
  }
  add(play)->call = (struct mpj_arguments){.operation = MPJ_OPERATION_REDUCE,
                                           .root = phase->root,
                                           .sendbuf = play->to,
                                           .sendtype = phase->recv,
                                           .recvbuf = image,
                                           .recvtype = phase->recv,
                                           .op = play->op,
                                           .comm = phase->comm};
  return MPJ_SUCCESS;
}

static int combine(struct mpj_play *play, int index)
{
  return mpj_round_combine(play->schedule, &play->schedule->rounds[index], play->scratch,
                           (void *)(uintptr_t)play->from, play->op, play->direction == MPJ_FETCH);
}

static int allocate(char **memory, MPJ_Count bytes)
{
  *memory = mpj_alloc((size_t)bytes);
  if (*memory) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld bytes to be combined", (long long)bytes);
}

static int add_rounds(struct mpj_play *play)
{
  struct mpj_array_schedule *s = play->schedule;
  MPJ_Count most = 0;
  for (int i = 0; i < s->nrounds; i++)
    if (s->rounds[i].scratch_bytes > most) most = s->rounds[i].scratch_bytes;
  const int status = allocate(&play->scratch, most);
  for (int i = 0; i < s->nrounds && !status; i++) {
    const struct mpj_round *round = &s->rounds[i];
    add_exchange(play, play->sent, round->sent, play->scratch, round->scratch);
    add_work(play, combine, i);
    if (play->direction == MPJ_FETCH)
      add_exchange(play, play->scratch, round->scratch,
                   s->spread.uniques ? play->uniques : play->fetched, round->sent);
  }
  return status;
}

/* The exchange backwards: straight, where no place of `from` is met twice and nothing is combined.
 */
static int add_backward_exchange(struct mpj_play *play)
{
  struct mpj_array_schedule *s = play->schedule;
  if (play->direction == MPJ_BACKWARD && play->op == MPJ_REPLACE && !s->overlap) {
    add_exchange(play, play->sent, mpj_array_schedule_sent_back(s), (void *)(uintptr_t)play->from,
                 s->phases[0].send);
    return MPJ_SUCCESS;
  }
  return add_rounds(play);
}

static int add_backward(struct mpj_play *play)
{
  struct mpj_array_schedule *s = play->schedule;
  int status = MPJ_SUCCESS;
  play->sent = play->to;
  for (int i = s->nphases - 1; i >= 0 && !status; i--) {
    const struct mpj_phase *phase = &s->phases[i];
    switch (phase->kind) {
    case MPJ_PHASE_SPREAD:
      if (!s->spread.uniques) break;
      status = allocate(&play->uniques, s->spread.nunique * s->true_extent);
      play->sent = play->uniques;
      add_work(play, mpj_spread_backward, i);
      break;
    case MPJ_PHASE_BCAST:
      status = add_reduce(play, phase);
      break;
    case MPJ_PHASE_EXCHANGE:
      status = add_backward_exchange(play);
      break;
    case MPJ_PHASE_ZERO:
      break;
    }
  }
  if (!status && play->direction == MPJ_FETCH) add_forward(play, 1, play->fetched);
  return status;
}

int mpj_play_begin(struct mpj_play *play, struct mpj_array_schedule *s,
                   enum mpj_direction direction, const void *from, const void *to, void *fetched,
                   MPJ_Op op)
{
  int status = MPJ_SUCCESS;
  play->schedule = s;
  play->direction = direction;
  play->op = op;
  play->from = from;
  play->to = to;
  play->fetched = fetched;
  play->scratch = play->image = play->uniques = NULL;
  play->nsteps = 0;
  play->status = MPJ_SUCCESS;
  play->steps = play->inline_steps;
  if (direction == MPJ_FORWARD) {
    add_forward(play, 0, (void *)(uintptr_t)to);
    return MPJ_SUCCESS;
  }
  if (direction == MPJ_FETCH || op != MPJ_REPLACE || s->overlap) status = mpj_rounds_make(s);
  if (!status && s->nrounds > 1) {
    const size_t most = MPJ_STEPS_INLINE + 3 * (size_t)s->nrounds;
    play->steps = mpj_alloc_array(most, sizeof *play->steps);
    if (!play->steps) status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %d rounds", s->nrounds);
  }
  if (!status) status = add_backward(play);
  if (status) mpj_play_end(play);
  return status;
}

void mpj_play_end(struct mpj_play *play)
{
  mpj_free(play->scratch);
  mpj_free(play->image);
  mpj_free(play->uniques);
  if (play->steps != play->inline_steps) mpj_free(play->steps);
}
