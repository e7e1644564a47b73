/* This file lists the steps of a run of a schedule, and says what each is. */
#include "array/run/play.h"

#include "array/run/joined.h"
#include "array/run/rounds_make.h"
#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"

void mpj_play_note(struct mpj_play *play, int status)
{
  if (status == MPJ_SUCCESS || play->status != MPJ_SUCCESS) return;
  play->status = status;
  mpj_error_untitle();
  mpj_error_keep(play->why, sizeof play->why);
}

int mpj_play_outcome(const struct mpj_play *play)
{
  return play->status ? mpj_error(play->status, "%s", play->why) : MPJ_SUCCESS;
}

/* Backward need not combine: what comes goes straight to its place. */
static bool is_straight(const struct mpj_array_schedule *s, enum mpj_direction direction, MPJ_Op op)
{
  return direction == MPJ_BACKWARD && op == MPJ_REPLACE && !s->overlap;
}

/* The last one of the ranks that replicate sends for all; unless its values win the others' are
 * combined with them. */
static bool reduces(const struct mpj_array_schedule *s, MPJ_Op op)
{
  return s->reduces && op != MPJ_REPLACE;
}

static int rounds_of(const struct mpj_array_schedule *s, enum mpj_direction direction, MPJ_Op op)
{
  return is_straight(s, direction, op) || s->nrounds == 0 ? 1 : s->nrounds;
}

static bool has_local(const struct mpj_array_schedule *s)
{
  return s->nphases > 1 && s->phases[1].kind == MPJ_PHASE_LOCAL;
}

bool mpj_play_is_single(struct mpj_array_schedule *schedule, enum mpj_direction direction,
                        MPJ_Op op)
{
  bool single = true;
  for (int i = 0; i < mpj_array_schedule_members(schedule) && single; i++) {
    const struct mpj_array_schedule *s = mpj_array_schedule_member(schedule, i);
    single = direction == MPJ_FORWARD ? s->nphases == (has_local(s) ? 2 : 1)
                                      : is_straight(s, direction, op);
  }
  return single;
}

struct shown {
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

static void show_round(const struct shown *w, struct mpj_array_schedule *s, int k,
                       enum mpj_direction direction, MPJ_Op op)
{
  const int n = mpj_array_schedule_members(s);
  for (int m = 0; m < n; m++) {
    const struct mpj_array_schedule *one = mpj_array_schedule_member(s, m);
    if (is_straight(one, direction, op) || k >= rounds_of(one, direction, op)) continue;
    if (one->spreads) show(w, MPJ_PLAY_COLLECT, m, k);
    if (reduces(one, op) && one->phases[1].comm) show(w, MPJ_PLAY_REDUCE, m, k);
  }
  show(w, MPJ_PLAY_BACK, -1, k);
  for (int m = 0; m < n; m++) {
    const struct mpj_array_schedule *one = mpj_array_schedule_member(s, m);
    if (!is_straight(one, direction, op) && k < rounds_of(one, direction, op))
      show(w, MPJ_PLAY_COMBINE, m, k);
  }
  if (direction != MPJ_FETCH) return;
  show(w, MPJ_PLAY_FETCH, -1, k);
  for (int m = 0; m < n; m++) {
    const struct mpj_array_schedule *one = mpj_array_schedule_member(s, m);
    if (one->spreads && k < rounds_of(one, direction, op)) show(w, MPJ_PLAY_DISTRIBUTE, m, k);
  }
}

void mpj_play_steps(struct mpj_array_schedule *s, enum mpj_direction direction, MPJ_Op op,
                    mpj_step_fn *fn, void *ctx)
{
  const struct shown w = {fn, ctx};
  const int n = mpj_array_schedule_members(s);
  int rounds = 1;
  if (direction == MPJ_FORWARD && s->nmembers == 0 && has_local(s)) show(&w, MPJ_PLAY_LOCAL, 0, 1);
  if (direction == MPJ_FORWARD) show(&w, MPJ_PLAY_EXCHANGE, -1, 0);
  for (int m = 0; m < n; m++) {
    const int own = rounds_of(mpj_array_schedule_member(s, m), direction, op);
    if (own > rounds) rounds = own;
  }
  for (int k = 0; direction != MPJ_FORWARD && k < rounds; k++)
    show_round(&w, s, k, direction, op);
  for (int m = 0; direction != MPJ_BACKWARD && m < n; m++)
    show_phases(&w, mpj_array_schedule_member(s, m), m, direction == MPJ_FETCH);
}

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
  if (k >= rounds_of(s, play->direction, play->op)) {
    add_end(sent, NULL, &none, MPJ_DATATYPE_NULL);
    add_end(received, NULL, &none, MPJ_DATATYPE_NULL);
  } else if (is_straight(s, play->direction, play->op)) {
    add_end(sent, m->to, receives ? &s->in : &none, exchange->recv);
    add_end(received, m->from, &s->out, exchange->send);
  } else {
    const struct mpj_round *r = &s->rounds[k];
    if (!receives)
      add_end(sent, NULL, &none, exchange->recv);
    else if (s->spreads || reduces(s, play->op))
      add_end(sent, m->image, &r->image, r->image_type);
    else
      add_end(sent, m->to, &r->slices, r->slices_type);
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
  add_end(received, m->fetched, &s->rounds[k].slices, s->rounds[k].slices_type);
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
    const struct mpj_play_member *m = &play->members[i];
    struct mpj_array_schedule *s = m->schedule;
    static const struct mpj_patches none = {0};
    if (step->kind == MPJ_PLAY_BACK) add_back(play, m, step->index, &all[0][i], &all[1][i]);
    if (step->kind == MPJ_PLAY_FETCH) add_fetched(play, m, step->index, &all[0][i], &all[1][i]);
    if (step->kind != MPJ_PLAY_EXCHANGE) continue;
    add_end(&all[0][i], m->from, &s->out, s->phases[0].send);
    add_end(&all[1][i], m->to, s->receives ? &s->in : &none, s->phases[0].recv);
  }
  struct mpj_arguments *a = &call->arguments;
  a->operation = MPJ_OPERATION_ALLTOALL;
  if (n == 1 && !play->schedule->nmembers) {
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
    call->status = mpj_joined_type(n, all[side], play->schedule->size, &call->own[side]);
  a->sendtype = call->own[0];
  a->recvtype = call->own[1];
  for (int side = 0; side < 2 && n > 1; side++)
    mpj_free(all[side]);
}

static void reduce_call(const struct mpj_play *play, const struct mpj_play_step *step,
                        struct mpj_arguments *a)
{
  const struct mpj_play_member *m = &play->members[step->member];
  const struct mpj_round *r = &m->schedule->rounds[step->index];
  a->operation = MPJ_OPERATION_REDUCE;
  a->sendbuf = m->to;
  a->sendtype = r->slices_type;
  a->recvbuf = m->image;
  a->recvtype = r->image_type;
  a->op = play->op;
}

/* The call of a rank that cannot take part in it: the others hear of it. */
static struct mpj_arguments refusal_of(struct mpj_array_schedule *schedule,
                                       const struct mpj_play_step *step, MPJ_Op op, int status)
{
  struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLTOALL, .root = -1, .comm = schedule->comm, .refused = status};
  if (step->kind != MPJ_PLAY_BCAST && step->kind != MPJ_PLAY_REDUCE) return a;
  const struct mpj_array_schedule *s = mpj_array_schedule_member(schedule, step->member);
  const struct mpj_phase *phase = &s->phases[step->kind == MPJ_PLAY_BCAST ? step->index : 1];
  a.operation = step->kind == MPJ_PLAY_BCAST ? MPJ_OPERATION_BCAST : MPJ_OPERATION_REDUCE;
  a.comm = phase->comm;
  a.root = phase->root;
  if (step->kind == MPJ_PLAY_REDUCE) a.op = op;
  return a;
}

struct refusal {
  struct mpj_array_schedule *schedule;
  MPJ_Op op;
  int status;
  const char *why;
  mpj_refuse_fn *call;
};

static void refuse(void *ctx, const struct mpj_play_step *step)
{
  const struct refusal *r = ctx;
  const struct mpj_arguments a = refusal_of(r->schedule, step, r->op, r->status);
  mpj_error(r->status, "%s", r->why);
  if (mpj_step_is_call(step)) r->call(&a);
}

int mpj_play_refuse(struct mpj_array_schedule *s, enum mpj_direction direction, MPJ_Op op,
                    int status, mpj_refuse_fn *call)
{
  char why[512];
  struct refusal refusal = {s, op, status, why, call};
  mpj_error_keep(why, sizeof why);
  mpj_play_steps(s, direction, op, refuse, &refusal);
  return mpj_error(status, "%s", why);
}

void mpj_play_call(const struct mpj_play *play, const struct mpj_play_step *step,
                   struct mpj_step_call *call)
{
  *call = (struct mpj_step_call){.arguments = refusal_of(play->schedule, step, play->op, 0)};
  if (step->kind == MPJ_PLAY_BCAST) {
    const struct mpj_play_member *m = &play->members[step->member];
    call->arguments.recvbuf = play->direction == MPJ_FETCH ? m->fetched : (void *)(uintptr_t)m->to;
    call->arguments.recvtype = m->schedule->phases[step->index].recv;
  } else if (step->kind == MPJ_PLAY_REDUCE) {
    reduce_call(play, step, &call->arguments);
  } else {
    exchange_call(play, step, call);
  }
  if (call->status) call->arguments = refusal_of(play->schedule, step, play->op, call->status);
}

void mpj_step_call_end(struct mpj_step_call *call)
{
  for (int side = 0; side < 2; side++)
    if (call->own[side]) MPJ_Type_free(&call->own[side]);
}

/* Each region that this rank has for itself; a joined exchange has them in it. */
static int copy_regions(const struct mpj_array_schedule *s, const void *from, void *to)
{
  size_t i = 0, k = 0;
  int status = MPJ_SUCCESS;
  while (i < s->out.n && s->out.list[i].rank != s->rank)
    i++;
  while (k < s->in.n && s->in.list[k].rank != s->rank)
    k++;
  for (; i < s->out.n && k < s->in.n && s->out.list[i].rank == s->rank && !status; i++, k++)
    status = MPJ_Copy(from, s->out.list[i].type, to, s->in.list[k].type);
  return status;
}

int mpj_play_work(const struct mpj_play *play, const struct mpj_play_step *step)
{
  const struct mpj_play_member *m = &play->members[step->member];
  const struct mpj_array_schedule *s = m->schedule;
  void *to = (void *)(uintptr_t)m->to;
  if (step->kind == MPJ_PLAY_LOCAL) return copy_regions(s, m->from, to);
  if (step->kind == MPJ_PLAY_SPREAD) return mpj_spread_forward(s, to);
  if (step->kind == MPJ_PLAY_ZERO)
    return MPJ_Copy(s->zeros, s->phases[step->index].send, to, s->phases[step->index].recv);
  const struct mpj_round *r = &s->rounds[step->index];
  if (step->kind == MPJ_PLAY_COLLECT) return mpj_spread_collect(s, r, to, m->image, play->op);
  if (step->kind == MPJ_PLAY_DISTRIBUTE) return mpj_spread_fetched(s, r, m->image, m->fetched);
  return mpj_round_combine(s, r, m->scratch, (void *)(uintptr_t)m->from, play->op,
                           play->direction == MPJ_FETCH);
}

/* Bytes of patches: what a rank that has none need not have memory for. */
static bool has_data(const struct mpj_patches *p)
{
  for (size_t i = 0; i < p->n; i++)
    if (p->list[i].bytes > 0) return true;
  return false;
}

static int check_buffer(const void *buffer, const char *name, bool needed)
{
  if (buffer == MPJ_IN_PLACE)
    return mpj_error(MPJ_ERR_ARG, "%s is MPJ_IN_PLACE, which has no meaning here", name);
  return needed ? mpj_need(buffer, name) : MPJ_SUCCESS;
}

static int check_buffers(const struct mpj_play_member *m, enum mpj_direction direction)
{
  const struct mpj_array_schedule *s = m->schedule;
  const bool comes = has_data(&s->in);
  int status = check_buffer(m->from, "from", has_data(&s->out));
  if (!status) status = check_buffer(m->to, "to", comes);
  if (direction != MPJ_FETCH || status) return status;
  return check_buffer(m->fetched, "fetched", comes);
}

static int allocate(char **memory, MPJ_Count bytes)
{
  *memory = mpj_alloc((size_t)bytes);
  if (*memory) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld bytes to be combined", (long long)bytes);
}

/* What a member of a run backward needs. */
static int prepare(const struct mpj_play *play, struct mpj_play_member *m)
{
  struct mpj_array_schedule *s = m->schedule;
  MPJ_Count scratch = 0, image = 0;
  if (play->direction == MPJ_FORWARD || is_straight(s, play->direction, play->op))
    return MPJ_SUCCESS;
  int status = mpj_rounds_make(s, 1, NULL);
  for (int k = 0; k < s->nrounds && !status; k++) {
    if (s->rounds[k].scratch_bytes > scratch) scratch = s->rounds[k].scratch_bytes;
    if (s->rounds[k].image_bytes > image) image = s->rounds[k].image_bytes;
  }
  if (!status) status = allocate(&m->scratch, scratch);
  if (!status && s->receives && (s->spreads || reduces(s, play->op)))
    status = allocate(&m->image, image);
  return status;
}

static void count(void *ctx, const struct mpj_play_step *step)
{
  (void)step;
  ++*(int *)ctx;
}

static void add(void *ctx, const struct mpj_play_step *step)
{
  struct mpj_play *play = ctx;
  play->steps[play->nsteps++] = *step;
}

static int list_steps(struct mpj_play *play)
{
  int n = 0;
  mpj_play_steps(play->schedule, play->direction, play->op, count, &n);
  if (n > MPJ_STEPS_INLINE) play->steps = mpj_alloc_array((size_t)n, sizeof *play->steps);
  if (!play->steps) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d steps", n);
  mpj_play_steps(play->schedule, play->direction, play->op, add, play);
  return MPJ_SUCCESS;
}

/* Whether the op applies to the elements that this rank moves; of a user's that takes several at a
 * time the calls say. */
static int check_op(struct mpj_array_schedule *s, MPJ_Op op)
{
  const struct mpj_op *known;
  int status = mpj_op_resolve(op, &known);
  for (int i = 0; i < mpj_array_schedule_members(s) && !status; i++) {
    struct mpj_call unused = {0};
    const struct mpj_array_schedule *one = mpj_array_schedule_member(s, i);
    const bool known_there =
        known->predefined >= 0 || known->element.layout->signature.bytes <= one->element_bytes;
    if (known_there && (has_data(&one->in) || has_data(&one->out)))
      status = mpj_op_prepare(known, one->element, "element", &unused);
  }
  return status;
}

int mpj_play_agree(struct mpj_array_schedule *s, enum mpj_direction direction, MPJ_Op op,
                   int status)
{
  const struct mpj_op *known = NULL;
  if (!mpj_config()->check) return status;
  if (!status && direction != MPJ_FORWARD) status = mpj_op_resolve(op, &known);
  const struct mpj_fact facts[] = {{"the serial number of schedule", s->serial},
                                   {mpj_fact_op, !known                   ? -1
                                                 : known->predefined >= 0 ? known->predefined
                                                                          : -2}};
  return mpj_array_agree(s->comm, status, 2, facts);
}

int mpj_play_begin(struct mpj_play *play, struct mpj_array_schedule *s,
                   enum mpj_direction direction, const void *from, const void *to, void *fetched,
                   MPJ_Op op)
{
  int status = direction == MPJ_FORWARD ? MPJ_SUCCESS : check_op(s, op);
  play->schedule = s;
  play->direction = direction;
  play->op = op;
  play->nmembers = mpj_array_schedule_members(s);
  play->nsteps = 0;
  play->status = MPJ_SUCCESS;
  play->steps = play->inline_steps;
  play->members = play->inline_member;
  play->inline_member[0] = (struct mpj_play_member){.schedule = s};
  if (s->nmembers > 0 && !status) {
    play->members = mpj_alloc_array((size_t)play->nmembers, sizeof *play->members);
    if (!play->members) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d members", s->nmembers);
    status = check_buffer(from, "from", true);
    if (!status) status = check_buffer(to, "to", true);
    if (!status) status = check_buffer(fetched, "fetched", direction == MPJ_FETCH);
  }
  for (int i = 0; i < play->nmembers && !status; i++) {
    struct mpj_play_member *m = &play->members[i];
    *m = (struct mpj_play_member){.schedule = s, .from = from, .to = to, .fetched = fetched};
    if (s->nmembers > 0)
      *m = (struct mpj_play_member){.schedule = s->members[i],
                                    .from = ((const void *const *)from)[i],
                                    .to = ((const void *const *)to)[i],
                                    .fetched = fetched ? ((void *const *)fetched)[i] : NULL};
    status = check_buffers(m, direction);
    if (!status) status = prepare(play, m);
  }
  if (!status) status = list_steps(play);
  if (status) mpj_play_end(play);
  return status;
}

void mpj_play_end(struct mpj_play *play)
{
  for (int i = 0; i < play->nmembers; i++) {
    mpj_free(play->members[i].scratch);
    mpj_free(play->members[i].image);
  }
  if (play->members != play->inline_member) mpj_free(play->members);
  if (play->steps != play->inline_steps) mpj_free(play->steps);
}
