/* This file makes the calls of a run. */
#include "array/run/joined.h"
#include "array/run/play.h"
#include "base/memory.h"
#include "base/status.h"

/* One end of a member's exchange: in which memory which patches lie, and their type. */
static void add_end(struct mpj_joined_end *end, const void *base, const struct mpj_patches *patches,
                    MPJ_Datatype type)
{
  *end = (struct mpj_joined_end){base, patches, type};
}

/* What a member sends back in a round, and where that is received. */
static void add_back(const struct mpj_play *play, const struct mpj_play_member *m, int k,
                     struct mpj_joined_end *sent, struct mpj_joined_end *received)
{
  static const struct mpj_patches none = {0};
  struct mpj_array_schedule *s = m->schedule;
  const struct mpj_phase *exchange = &s->phases[0];
  const bool receives = s->receives;
  const bool straight = mpj_run_is_straight(&play->run, s);
  if (k >= mpj_rounds_of(s)) {
    add_end(sent, NULL, &none, MPJ_DATATYPE_NULL);
    add_end(received, NULL, &none, MPJ_DATATYPE_NULL);
  } else if (straight && mpj_rounds_of(s) == 1) {
    add_end(sent, m->to, receives ? &s->in : &none, exchange->recv);
    add_end(received, m->from, &s->out, exchange->send);
  } else {
    const struct mpj_round *r = m->round;
    if (!receives)
      add_end(sent, NULL, &none, exchange->recv);
    else if (!straight && (s->spreads || mpj_run_reduces(&play->run, s)))
      add_end(sent, m->image, &r->image, r->image_type);
    else
      add_end(sent, m->to, &r->slices, r->slices_type);
    if (straight)
      add_end(received, m->from, &r->pieces, r->pieces_type);
    else
      add_end(received, m->scratch, &r->scratch, r->scratch_type);
  }
}

/* Where a member's values from before arrive in a round, and whence. */
static void add_fetched(const struct mpj_play *play, const struct mpj_play_member *m, int k,
                        struct mpj_joined_end *sent, struct mpj_joined_end *received)
{
  const struct mpj_array_schedule *s = m->schedule;
  add_back(play, m, k, received, sent);
  if (s->spreads || !s->receives || k >= s->nrounds) return;
  add_end(received, m->fetched, &m->round->slices, m->round->slices_type);
}

static void exchange_call(const struct mpj_play *play, const struct mpj_play_step *step,
                          struct mpj_step_call *call)
{
  struct mpj_joined_end ends[2], *all[2] = {&ends[0], &ends[1]};
  const int n = play->nmembers;
  if (n > 1)
    for (int side = 0; side < 2; side++) {
      all[side] = mpj_alloc_array((size_t)n, sizeof **all);
      if (!all[side]) call->status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %d schedules", n);
    }
  for (int i = 0; i < n && !call->status; i++) {
    struct mpj_play_member *m = &play->members[i];
    struct mpj_array_schedule *s = m->schedule;
    if (step->kind != MPJ_PLAY_EXCHANGE) call->status = mpj_play_round(m, step->index);
    if (call->status) break;
    static const struct mpj_patches none = {0};
    if (step->kind == MPJ_PLAY_BACK) add_back(play, m, step->index, &all[0][i], &all[1][i]);
    if (step->kind == MPJ_PLAY_FETCH) add_fetched(play, m, step->index, &all[0][i], &all[1][i]);
    if (step->kind != MPJ_PLAY_EXCHANGE) continue;
    add_end(&all[0][i], m->from, &s->out, s->phases[0].send);
    add_end(&all[1][i], m->to, s->receives ? &s->in : &none, s->phases[0].recv);
  }
  struct mpj_arguments *a = &call->arguments;
  a->operation = MPJ_OPERATION_ALLTOALL;
  if (!call->status && n == 1 && !play->run.schedule->nmembers && ends[0].type && ends[1].type) {
    *a = (struct mpj_arguments){.operation = MPJ_OPERATION_ALLTOALL,
                                .root = -1,
                                .sendbuf = ends[0].base,
                                .sendtype = ends[0].type,
                                .recvbuf = (void *)(uintptr_t)ends[1].base,
                                .recvtype = ends[1].type,
                                .comm = a->comm};
    return;
  }
  for (int side = 0; side < 2 && !call->status; side++)
    call->status = mpj_joined_type(n, all[side], play->run.schedule->size, &call->own[side]);
  a->sendtype = call->own[0];
  a->recvtype = call->own[1];
  for (int side = 0; side < 2 && n > 1; side++)
    mpj_free(all[side]);
}

/* Where the last copy's values win nothing is reduced, but all copies call. */
static void reduce_call(const struct mpj_play *play, const struct mpj_play_step *step,
                        struct mpj_step_call *call)
{
  struct mpj_play_member *m = &play->members[step->member];
  struct mpj_arguments *a = &call->arguments;
  if (!mpj_run_reduces(&play->run, m->schedule)) {
    call->status = MPJ_Type_contiguous(0, MPJ_BYTE, &call->own[0]);
    if (!call->status) call->status = MPJ_Type_commit(&call->own[0]);
    a->sendtype = a->recvtype = call->own[0];
    return;
  }
  call->status = mpj_play_round(m, step->index);
  if (call->status) return;
  const struct mpj_round *r = m->round;
  a->sendbuf = m->to;
  a->sendtype = r->slices_type;
  a->recvbuf = m->image;
  a->recvtype = r->image_type;
}

/* A call without its data: that of a rank that cannot take part in it, if status is an error. */
static struct mpj_arguments empty_call(const struct mpj_schedule_run *run,
                                       const struct mpj_play_step *step, int status)
{
  struct mpj_arguments a = {.operation = MPJ_OPERATION_ALLTOALL,
                            .root = -1,
                            .comm = run->schedule->comm,
                            .refused = status};
  if (step->kind == MPJ_PLAY_COMPARE) a.operation = MPJ_OPERATION_ALLREDUCE;
  if (step->kind != MPJ_PLAY_BCAST && step->kind != MPJ_PLAY_REDUCE) return a;
  const struct mpj_array_schedule *s = mpj_array_schedule_member(run->schedule, step->member);
  const struct mpj_phase *phase = &s->phases[step->kind == MPJ_PLAY_BCAST ? step->index : 1];
  a.operation = step->kind == MPJ_PLAY_BCAST ? MPJ_OPERATION_BCAST : MPJ_OPERATION_REDUCE;
  a.comm = phase->comm;
  a.root = phase->root;
  if (step->kind == MPJ_PLAY_REDUCE) a.op = run->op;
  return a;
}

struct refusal {
  const struct mpj_schedule_run *run;
  int status;
  const char *why;
  mpj_refuse_fn *call;
};

static void refuse(void *ctx, const struct mpj_play_step *step)
{
  const struct refusal *r = ctx;
  if (!mpj_step_is_call(step)) return;
  const struct mpj_arguments a = empty_call(r->run, step, r->status);
  mpj_error(r->status, "%s", r->why);
  r->call(&a);
}

int mpj_run_refuse(const struct mpj_schedule_run *run, int status, mpj_refuse_fn *call)
{
  char why[512];
  struct refusal refusal = {run, status, why, call};
  mpj_error_keep(why, sizeof why);
  mpj_run_steps(run, refuse, &refusal);
  return mpj_error(status, "%s", why);
}

bool mpj_run_is_lost(const struct mpj_schedule_run *run, int status)
{
  return (status == MPJ_ERR_PEER || status == MPJ_ERR_COMM) && mpj_run_has_copies(run->schedule);
}

void mpj_play_call(struct mpj_play *play, const struct mpj_play_step *step,
                   struct mpj_step_call *call)
{
  *call = (struct mpj_step_call){.arguments = empty_call(&play->run, step, 0)};
  if (play->refuses) {
    call->status = mpj_play_outcome(play);
  } else if (step->kind == MPJ_PLAY_BCAST) {
    const struct mpj_play_member *m = &play->members[step->member];
    call->arguments.recvbuf =
        play->run.direction == MPJ_FETCH ? m->fetched : (void *)(uintptr_t)m->to;
    call->arguments.recvtype = m->schedule->phases[step->index].recv;
  } else if (step->kind == MPJ_PLAY_REDUCE) {
    reduce_call(play, step, call);
  } else if (step->kind == MPJ_PLAY_COMPARE) {
    mpj_run_records_fill(&play->run, &play->records, &call->arguments);
  } else {
    exchange_call(play, step, call);
  }
  if (call->status) call->arguments = empty_call(&play->run, step, call->status);
}

void mpj_step_call_end(struct mpj_step_call *call)
{
  for (int side = 0; side < 2; side++)
    if (call->own[side]) MPJ_Type_free(&call->own[side]);
}
