/* This file shows what a schedule consists of. */
#include <inttypes.h>
#include <stdio.h>

#include "array/run/schedule_run.h"
#include "array/schedule_life.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

/* Of a joined one: those of all that it has been joined of, in their order. */
static int count_phases(struct mpj_array_schedule *s)
{
  int n = 0;
  for (int i = 0; i < mpj_array_schedule_members(s); i++)
    n += mpj_array_schedule_member(s, i)->nphases;
  return n;
}

int MPJ_Schedule_phases(MPJ_Schedule schedule, int *n)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  if (!status) status = mpj_need(n, "n");
  if (!status) *n = count_phases(s);
  return status;
}

/* A handle of its own of a type, or null. */
static int hand_out(MPJ_Datatype type, MPJ_Datatype *handle)
{
  *handle = MPJ_DATATYPE_NULL;
  return type ? MPJ_Type_dup(type, handle) : MPJ_SUCCESS;
}

int MPJ_Schedule_types(MPJ_Schedule schedule, int phase, MPJ_Datatype *send, MPJ_Datatype *recv,
                       MPJ_Comm *comm)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  MPJ_Datatype one = MPJ_DATATYPE_NULL, other = MPJ_DATATYPE_NULL;
  int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  if (!status) status = mpj_need(send, "send");
  if (!status) status = mpj_need(recv, "recv");
  if (!status) status = mpj_need(comm, "comm");
  if (status) return status;
  if (phase < 0 || phase >= count_phases(s))
    return mpj_error(MPJ_ERR_ARG, "phase is %d, the schedule has %d", phase, count_phases(s));
  const struct mpj_array_schedule *of = mpj_array_schedule_member(s, 0);
  for (int i = 1; phase >= of->nphases; i++) {
    phase -= of->nphases;
    of = mpj_array_schedule_member(s, i);
  }
  status = hand_out(of->phases[phase].send, &one);
  if (!status) status = hand_out(of->phases[phase].recv, &other);
  if (status) {
    if (one) MPJ_Type_free(&one);
    return status;
  }
  *send = one;
  *recv = other;
  *comm = of->phases[phase].comm;
  return MPJ_SUCCESS;
}

/* A text that may be longer than its room. */
struct text {
  char *at;
  MPJ_Count room, needed;
};

static void put(struct text *t, const char *line)
{
  for (; *line; line++, t->needed++)
    if (t->needed < t->room - 1) t->at[t->needed] = *line;
}

/* For a number of things. */
static const char *plural(MPJ_Count n)
{
  return n == 1 ? "" : "s";
}

static void put_side(struct text *t, const char *verb, const struct mpj_patches *p)
{
  char line[160];
  MPJ_Count bytes = 0, messages = 0;
  for (size_t i = 0; i < p->n; i++) {
    bytes += p->list[i].bytes;
    messages += i == 0 || p->list[i].rank != p->list[i - 1].rank;
  }
  snprintf(line, sizeof line, "  %s %" PRId64 " message%s, %" PRId64 " byte%s\n", verb, messages,
           plural(messages), bytes, plural(bytes));
  put(t, line);
  for (size_t i = 0, end; i < p->n; i = end) {
    MPJ_Count of = 0;
    end = mpj_patches_of(p, i);
    for (size_t k = i; k < end; k++)
      of += p->list[k].bytes;
    snprintf(line, sizeof line, "    rank %d: %" PRId64 " byte%s in %zu patch%s\n", p->list[i].rank,
             of, plural(of), end - i, end - i == 1 ? "" : "es");
    put(t, line);
  }
}

static int put_phases(struct text *t, const struct mpj_array_schedule *s)
{
  static const char *const names[] = {"exchange", "broadcast", "local copies", "spread", "zeros"};
  static const struct mpj_patches none;
  char line[160];
  int status = MPJ_SUCCESS;
  for (int i = 0; i < s->nphases; i++) {
    MPJ_Count bytes = 0;
    const MPJ_Datatype recv = s->phases[i].recv;
    if (recv) status = MPJ_Type_size(recv, &bytes);
    snprintf(line, sizeof line, "phase %d: %s, %" PRId64 " byte%s\n", i, names[s->phases[i].kind],
             bytes, bytes == 1 ? " arrives" : "s arrive");
    put(t, line);
    if (s->phases[i].kind != MPJ_PHASE_EXCHANGE) continue;
    put_side(t, "sends", &s->out);
    put_side(t, "receives", s->receives ? &s->in : &none);
  }
  if (s->nphases == 0) return status; /* a joined one: its members go in rounds */
  if (s->bound > 0)
    snprintf(line, sizeof line, "bound: %" PRId64 " byte%s, backward in %d round%s\n", s->bound,
             plural(s->bound), mpj_rounds_of(s), plural(mpj_rounds_of(s)));
  else
    snprintf(line, sizeof line, "no bound, backward in 1 round\n");
  put(t, line);
  return status;
}

int MPJ_Schedule_print(MPJ_Schedule schedule, char *text, MPJ_Count size, MPJ_Count *needed)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  char line[160];
  int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  if (!status && size < 0)
    status = mpj_error(MPJ_ERR_ARG, "size is %" PRId64 ", must be at least 0", size);
  if (!status && size > 0) status = mpj_need(text, "text");
  if (status) return status;
  struct text t = {text, size, 0};
  snprintf(line, sizeof line, "%s on rank %d of %d: ", s->name, s->rank, s->size);
  put(&t, line);
  if (s->nmembers > 0)
    snprintf(line, sizeof line, "%d schedule%s, whose exchanges go in one\n", s->nmembers,
             plural(s->nmembers));
  else
    snprintf(line, sizeof line, "%d phase%s\n", s->nphases, plural(s->nphases));
  put(&t, line);
  for (int i = 0; i < s->nmembers && !status; i++)
    status = put_phases(&t, s->members[i]);
  if (!status) status = put_phases(&t, s);
  if (size > 0) text[t.needed < size ? t.needed : size - 1] = '\0';
  if (needed) *needed = t.needed + 1;
  return status;
}
