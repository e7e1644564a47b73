/* This file begins and ends runs of schedules, and does the work of their steps. */
#include "array/run/play.h"

#include "array/run/rounds_make.h"
#include "base/memory.h"
#include "base/status.h"

/* What the calls behind it send depends on this rank's work, on a reduction among some ranks and,
 * to fetch, on what has come; on a comparison whether they are called at all. */
static bool is_needed(const struct mpj_play *play, const struct mpj_play_step *step)
{
  return !mpj_step_is_call(step) || step->kind == MPJ_PLAY_REDUCE ||
         step->kind == MPJ_PLAY_COMPARE ||
         (step->kind == MPJ_PLAY_BACK && play->run.direction == MPJ_FETCH);
}

void mpj_play_note(struct mpj_play *play, const struct mpj_play_step *step, int status)
{
  if (status == MPJ_SUCCESS) return;
  play->refuses = play->refuses || (step && is_needed(play, step));
  if (play->status != MPJ_SUCCESS) return;
  play->status = status;
  mpj_error_untitle();
  mpj_error_keep(play->why, sizeof play->why);
}

int mpj_play_compare(const struct mpj_play *play, int status, int *step)
{
  if (status) return status; /* others may know more, and go on: so this rank refuses the rest */
  status = mpj_run_records_compare(&play->records);
  if (status) *step = play->nsteps;
  return status;
}

int mpj_play_outcome(const struct mpj_play *play)
{
  return play->status ? mpj_error(play->status, "%s", play->why) : MPJ_SUCCESS;
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

static void end_round(struct mpj_play_member *m)
{
  if (!m->own) return;
  mpj_round_end(m->own);
  mpj_free(m->own);
  m->own = NULL;
}

int mpj_play_round(struct mpj_play_member *m, int k)
{
  struct mpj_array_schedule *s = m->schedule;
  if (k >= mpj_rounds_of(s) || s->nrounds == 0) return MPJ_SUCCESS; /* it needs none */
  m->round = s->round;
  if (s->nrounds == 1 || (m->own && m->own_index == k)) {
    if (s->nrounds > 1) m->round = m->own;
    return MPJ_SUCCESS;
  }
  end_round(m);
  m->own = mpj_alloc_array(1, sizeof *m->own);
  m->own_index = k;
  const int status = m->own ? mpj_round_make(s, k, m->own)
                            : mpj_error(MPJ_ERR_NO_MEM, "no memory for a round of a schedule");
  if (status) end_round(m);
  m->round = m->own;
  return status;
}

int mpj_play_work(const struct mpj_play *play, const struct mpj_play_step *step)
{
  struct mpj_play_member *m = &play->members[step->member];
  const struct mpj_array_schedule *s = m->schedule;
  void *to = (void *)(uintptr_t)m->to;
  if (step->kind == MPJ_PLAY_LOCAL) return copy_regions(s, m->from, to);
  if (step->kind == MPJ_PLAY_SPREAD) return mpj_spread_forward(s, to);
  if (step->kind == MPJ_PLAY_ZERO)
    return MPJ_Copy(s->zeros, s->phases[step->index].send, to, s->phases[step->index].recv);
  const int status = mpj_play_round(m, step->index);
  if (status) return status;
  const struct mpj_round *r = m->round;
  if (step->kind == MPJ_PLAY_COLLECT) return mpj_spread_collect(s, r, to, m->image, play->run.op);
  if (step->kind == MPJ_PLAY_DISTRIBUTE) return mpj_spread_fetched(s, r, m->image, m->fetched);
  return mpj_round_combine(s, r, m->scratch, (void *)(uintptr_t)m->from, play->run.op,
                           play->run.direction == MPJ_FETCH);
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
  if (!status && s->in_place && m->from && m->to && m->from != m->to)
    status =
        mpj_error(MPJ_ERR_ARG, "from is %p and to is %p, must be one: the halo is within one array",
                  m->from, m->to);
  if (direction != MPJ_FETCH || status) return status;
  status = check_buffer(m->fetched, "fetched", comes);
  if (status || !comes) return status;
  if (m->fetched == m->to || (m->fetched == m->from && has_data(&s->out)))
    return mpj_error(MPJ_ERR_ARG, "fetched is %p, as %s is, must be another buffer", m->fetched,
                     m->fetched == m->to ? "to" : "from");
  return MPJ_SUCCESS;
}

/* Before a run's memory: how many bytes it has. */
enum { HEAD = 64 };

/* What a run before has left, if it is as large: another one may run, or the rounds be new. */
static int take_memory(_Atomic(char *) *kept, MPJ_Count bytes, char **memory)
{
  char *block = atomic_exchange(kept, NULL);
  if (block && memcmp(block, &bytes, sizeof bytes) != 0) {
    mpj_free(block);
    block = NULL;
  }
  if (!block) block = mpj_alloc_work((size_t)bytes + HEAD, 1);
  if (!block)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld bytes to be combined", (long long)bytes);
  memcpy(block, &bytes, sizeof bytes);
  *memory = block + HEAD;
  return MPJ_SUCCESS;
}

static void leave_memory(_Atomic(char *) *kept, char *memory)
{
  char *none = NULL;
  if (memory && !atomic_compare_exchange_strong(kept, &none, memory - HEAD))
    mpj_free(memory - HEAD);
}

/* What a member of a run backward needs. */
static int prepare(const struct mpj_play *play, struct mpj_play_member *m)
{
  struct mpj_array_schedule *s = m->schedule;
  if (play->run.direction == MPJ_FORWARD || mpj_run_is_straight(&play->run, s)) return MPJ_SUCCESS;
  int status = s->nrounds > 0 ? MPJ_SUCCESS : mpj_rounds_set(s, 1, (struct mpj_window){0});
  if (!status) status = take_memory(&s->kept_scratch, s->scratch_bytes, &m->scratch);
  if (!status && s->receives && (s->spreads || mpj_run_reduces(&play->run, s)))
    status = take_memory(&s->kept_image, s->image_bytes, &m->image);
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
  mpj_run_steps(&play->run, count, &n);
  if (n > MPJ_STEPS_INLINE) play->steps = mpj_alloc_array((size_t)n, sizeof *play->steps);
  if (!play->steps) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d steps", n);
  mpj_run_steps(&play->run, add, play);
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

int mpj_play_begin(struct mpj_play *play, const struct mpj_schedule_run *run, const void *from,
                   const void *to, void *fetched)
{
  struct mpj_array_schedule *s = run->schedule;
  const enum mpj_direction direction = run->direction;
  int status = direction == MPJ_FORWARD ? MPJ_SUCCESS : check_op(s, run->op);
  play->run = *run;
  play->nmembers = status ? 0 : mpj_array_schedule_members(s);
  play->nsteps = 0;
  play->status = MPJ_SUCCESS;
  play->refuses = false;
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
    atomic_fetch_add(&m->schedule->runs, 1);
    status = check_buffers(m, direction);
    if (!status) status = prepare(play, m);
  }
  if (!status) status = list_steps(play);
  if (!status && run->compares) status = mpj_run_records_say(run, &play->records);
  if (status) mpj_play_end(play);
  return status;
}

void mpj_play_end(struct mpj_play *play)
{
  for (int i = 0; i < play->nmembers; i++) {
    struct mpj_play_member *m = &play->members[i];
    if (!m->schedule) continue; /* it has not been come to */
    end_round(m);
    leave_memory(&m->schedule->kept_scratch, m->scratch);
    leave_memory(&m->schedule->kept_image, m->image);
    atomic_fetch_sub(&m->schedule->runs, 1);
  }
  if (play->members != play->inline_member) mpj_free(play->members);
  if (play->steps != play->inline_steps) mpj_free(play->steps);
}
