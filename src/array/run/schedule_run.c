/* This file lists the steps of a run of a schedule. */
#include "array/run/schedule_run.h"

static bool has_local(const struct mpj_array_schedule *s)
{
  return s->nphases > 1 && s->phases[1].kind == MPJ_PHASE_LOCAL;
}

bool mpj_run_has_copies(const struct mpj_array_schedule *s)
{
  bool copies = s->reduces;
  for (int i = 0; i < s->nmembers && !copies; i++)
    copies = s->members[i]->reduces;
  return copies;
}

bool mpj_run_is_single(const struct mpj_schedule_run *run)
{
  bool single = !run->compares && run->direction != MPJ_FETCH && !mpj_run_has_copies(run->schedule);
  for (int i = 0; i < mpj_array_schedule_members(run->schedule) && single; i++)
    single = run->direction == MPJ_FORWARD ||
             mpj_rounds_of(mpj_array_schedule_member(run->schedule, i)) == 1;
  return single;
}

struct shown {
  const struct mpj_schedule_run *run;
  mpj_step_fn *show;
  void *ctx;
};

static void show(const struct shown *w, enum mpj_play_kind kind, int member, int index)
{
  const struct mpj_play_step step = {kind, member, index};
  w->show(w->ctx, &step);
}

static void show_phases(const struct shown *w, const struct mpj_array_schedule *s, int member,
                        bool fetched)
{
  for (int i = 1; i < s->nphases; i++) {
    const struct mpj_phase *phase = &s->phases[i];
    if (phase->kind == MPJ_PHASE_BCAST && phase->comm) show(w, MPJ_PLAY_BCAST, member, i);
    if (phase->kind == MPJ_PHASE_SPREAD && !fetched) show(w, MPJ_PLAY_SPREAD, member, i);
    if (phase->kind == MPJ_PHASE_ZERO && !fetched) show(w, MPJ_PLAY_ZERO, member, i);
  }
}

static void show_round(const struct shown *w, int k)
{
  const struct mpj_schedule_run *run = w->run;
  const int n = mpj_array_schedule_members(run->schedule);
  for (int m = 0; m < n; m++) {
    const struct mpj_array_schedule *one = mpj_array_schedule_member(run->schedule, m);
    if (one->spreads && !mpj_run_is_straight(run, one) && k < mpj_rounds_of(one))
      show(w, MPJ_PLAY_COLLECT, m, k);
    if (one->reduces && one->phases[1].comm && k < mpj_rounds_of(one))
      show(w, MPJ_PLAY_REDUCE, m, k);
  }
  show(w, MPJ_PLAY_BACK, -1, k);
  for (int m = 0; m < n; m++) {
    const struct mpj_array_schedule *one = mpj_array_schedule_member(run->schedule, m);
    if (!mpj_run_is_straight(run, one) && k < mpj_rounds_of(one)) show(w, MPJ_PLAY_COMBINE, m, k);
  }
  if (run->direction != MPJ_FETCH) return;
  show(w, MPJ_PLAY_FETCH, -1, k);
  for (int m = 0; m < n; m++) {
    const struct mpj_array_schedule *one = mpj_array_schedule_member(run->schedule, m);
    if (one->spreads && k < mpj_rounds_of(one)) show(w, MPJ_PLAY_DISTRIBUTE, m, k);
  }
}

void mpj_run_steps(const struct mpj_schedule_run *run, mpj_step_fn *fn, void *ctx)
{
  const struct shown w = {run, fn, ctx};
  struct mpj_array_schedule *s = run->schedule;
  const int n = mpj_array_schedule_members(s);
  int rounds = 1;
  if (run->compares) show(&w, MPJ_PLAY_COMPARE, -1, 0);
  if (run->direction == MPJ_FORWARD && s->nmembers == 0 && has_local(s))
    show(&w, MPJ_PLAY_LOCAL, 0, 1);
  if (run->direction == MPJ_FORWARD) show(&w, MPJ_PLAY_EXCHANGE, -1, 0);
  for (int m = 0; m < n; m++) {
    const int own = mpj_rounds_of(mpj_array_schedule_member(s, m));
    if (own > rounds) rounds = own;
  }
  for (int k = 0; run->direction != MPJ_FORWARD && k < rounds; k++)
    show_round(&w, k);
  for (int m = 0; run->direction != MPJ_BACKWARD && m < n; m++)
    show_phases(&w, mpj_array_schedule_member(s, m), m, run->direction == MPJ_FETCH);
}
