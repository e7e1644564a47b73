/* This file makes remaps: an array's section to a section of another, however both are distributed.
 *
 * Of a source that is replicated the copy sends whose coordinates in the dimensions that no axis
 * uses are the receiver's own; a receiver outside the source's grid counts as if the grid's places
 * were given out again. Every rank knows it of every other. Of a target that is replicated the last
 * copy in rank order receives, and broadcasts. */
#include "array/remap.h"

#include <inttypes.h>

#include "array/describe/grid_ranks.h"
#include "array/schedule_life.h"
#include "base/config/config.h"
#include "base/entry.h"
#include "base/hot.h"
#include "base/memory.h"
#include "base/status.h"

/* The rank that receives for all that hold what `coords` names of a target: the last one. */
static int last_copy(const struct mpj_grid_array *to, int coords[])
{
  int last = -1;
  for (int k = 0; k < to->grid_ndims; k++)
    if (to->axis_of[k] < 0) coords[k] = to->ranks ? 0 : to->grid[k] - 1;
  for (int k = 0; k >= 0;) { /* all copies, if the ranks stand in an order of their own */
    const int rank = mpj_array_rank_at(to, coords);
    if (rank > last) last = rank;
    if (!to->ranks) break;
    for (k = to->grid_ndims - 1; k >= 0; k--) {
      if (to->axis_of[k] >= 0) continue;
      if (++coords[k] < to->grid[k]) break;
      coords[k] = 0;
    }
  }
  return last;
}

struct peers {
  const struct mpj_grid_array *from, *to;
  int rank;
  const int *own; /* this rank's coordinates in the array that is its end */
};

static int receiver(void *ctx, int coords[])
{
  const struct peers *p = ctx;
  int copy[MPJ_ARRAY_DIMS_MAX];
  const int rank = last_copy(p->to, coords);
  mpj_nearest_copy(p->from, rank, copy);
  for (int k = 0; k < p->from->grid_ndims; k++)
    if (p->from->axis_of[k] < 0 && copy[k] != p->own[k]) return -1;
  return rank;
}

static int sender(void *ctx, int coords[])
{
  const struct peers *p = ctx;
  mpj_nearest_copy(p->from, p->rank, coords);
  return mpj_array_rank_at(p->from, coords);
}

/* What this rank, at its own coordinates, has in common with its peers. The sides are on the heap:
 * 128 of them on the stack are pages that a process may not have touched before. */
static int list(const struct mpj_end *mine, const struct mpj_end *theirs, mpj_peer_fn *peer,
                struct peers *peers, struct mpj_patches *patches)
{
  struct mpj_side *sides = mpj_alloc_array((size_t)mine->n, sizeof *sides);
  if (!sides) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d axes", mine->n);
  mpj_sides(mine, theirs, peers->own, sides);
  const int status = mpj_box(mine->n, sides, mine->array->element, peer, peers, 0, patches);
  mpj_free(sides);
  return status;
}

static int list_sent(struct mpj_array_schedule *s, const struct mpj_end *from,
                     const struct mpj_end *to)
{
  int own[MPJ_ARRAY_DIMS_MAX];
  struct peers peers = {from->array, to->array, s->rank, own};
  if (!mpj_array_coords(from->array, s->rank, own)) return MPJ_SUCCESS;
  return list(from, to, receiver, &peers, &s->out);
}

static int list_received(struct mpj_array_schedule *s, const struct mpj_end *from,
                         const struct mpj_end *to)
{
  int own[MPJ_ARRAY_DIMS_MAX], copy[MPJ_ARRAY_DIMS_MAX];
  struct peers peers = {from->array, to->array, s->rank, own};
  if (!mpj_array_coords(to->array, s->rank, own)) return MPJ_SUCCESS;
  memcpy(copy, own, sizeof copy);
  peers.rank = last_copy(to->array, copy); /* the others list what it receives, to combine theirs */
  s->receives = peers.rank == s->rank;
  return list(to, from, sender, &peers, &s->in);
}

int mpj_remap_list(struct mpj_array_schedule *s, const struct mpj_end *from,
                   const struct mpj_end *to)
{
  const int status = list_sent(s, from, to);
  return status ? status : list_received(s, from, to);
}

/* The ranks that hold the same part, in rank order; made once for an array. Collective. */
static int make_replicas(struct mpj_grid_array *a)
{
  int coords[MPJ_ARRAY_DIMS_MAX], color = MPJ_UNDEFINED;
  if (a->replicas_made) return MPJ_SUCCESS;
  if (mpj_array_coords(a, a->rank, coords)) {
    color = 0;
    for (int k = 0; k < a->grid_ndims; k++)
      if (a->axis_of[k] >= 0) color = color * a->grid[k] + coords[k];
  }
  const int status = MPJ_Comm_split(a->comm, color, a->rank, &a->replicas);
  a->replicas_made = !status;
  return status;
}

static int add_bcast(struct mpj_array_schedule *s, const struct mpj_end *to)
{
  int status = make_replicas(to->array);
  if (status) return status;
  struct mpj_phase *phase = &s->phases[s->nphases++];
  s->reduces = true;
  *phase = (struct mpj_phase){.kind = MPJ_PHASE_BCAST, .comm = to->array->replicas};
  if (!phase->comm) return MPJ_SUCCESS; /* outside the grid */
  status = MPJ_Comm_size(phase->comm, &phase->root);
  phase->root--;
  return status ? status : mpj_held_part(to, s->rank, &phase->recv);
}

static int check_range(const char *name, int d, const struct mpj_axis *axis, MPJ_Range *r)
{
  MPJ_Count last;
  if (r->count < 0)
    return mpj_error(MPJ_ERR_ARG, "%s[%d]: count is %" PRId64 ", must be at least 0", name, d,
                     r->count);
  if (r->count <= 1) r->step = 1;
  if (r->step == 0)
    return mpj_error(MPJ_ERR_ARG, "%s[%d]: step is 0, count is %" PRId64, name, d, r->count);
  if (r->count == 0) return MPJ_SUCCESS;
  if (__builtin_mul_overflow(r->count - 1, r->step, &last) ||
      __builtin_add_overflow(last, r->start, &last) || r->start < 0 || r->start >= axis->size ||
      last < 0 || last >= axis->size)
    return mpj_error(MPJ_ERR_ARG,
                     "%s[%d]: start %" PRId64 ", count %" PRId64 ", step %" PRId64
                     " leave the axis of %" PRId64 " indices",
                     name, d, r->start, r->count, r->step, axis->size);
  return MPJ_SUCCESS;
}

static int take_section(const char *name, const struct mpj_grid_array *a, const MPJ_Range section[],
                        MPJ_Range ranges[])
{
  for (int d = 0; d < a->ndims; d++) {
    ranges[d] = section ? section[d] : (MPJ_Range){0, a->axes[d].size, 1};
    const int status = check_range(name, d, &a->axes[d], &ranges[d]);
    if (status) return status;
  }
  return MPJ_SUCCESS;
}

/* The axis of `from` that belongs to axis d of `to`, or -1. */
static int partner(const int axis_of[], int d)
{
  return axis_of ? axis_of[d] : d;
}

static int check_axes(const struct mpj_grid_array *from, const struct mpj_grid_array *to,
                      const int axis_of[], int to_axis[])
{
  if (!axis_of && from->ndims != to->ndims)
    return mpj_error(MPJ_ERR_ARG, "axis_of is NULL, from has %d axes, to has %d", from->ndims,
                     to->ndims);
  for (int d = 0; d < from->ndims; d++)
    to_axis[d] = -1;
  for (int d = 0; d < to->ndims; d++) {
    const int e = partner(axis_of, d);
    if (e < -1 || e >= from->ndims)
      return mpj_error(MPJ_ERR_ARG, "axis_of[%d] is %d, from has %d axes", d, e, from->ndims);
    if (e < 0) continue;
    if (to_axis[e] >= 0)
      return mpj_error(MPJ_ERR_ARG, "axis_of[%d] is %d, as axis_of[%d] is", d, e, to_axis[e]);
    to_axis[e] = d;
  }
  return MPJ_SUCCESS;
}

static void add_dimension(struct mpj_end *from, struct mpj_end *to, int e, MPJ_Range r, int d,
                          MPJ_Range t)
{
  from->axis[from->n] = e;
  from->range[from->n++] = r;
  to->axis[to->n] = d;
  to->range[to->n++] = t;
}

/* Pair the axes, those of `from` in the order of its storage. */
static int pair_axes(struct mpj_end *from, const MPJ_Range section[], struct mpj_end *to,
                     const MPJ_Range to_section[], const int axis_of[])
{
  static const MPJ_Range one = {0, 1, 1};
  MPJ_Range f[MPJ_ARRAY_DIMS_MAX], t[MPJ_ARRAY_DIMS_MAX];
  int to_axis[MPJ_ARRAY_DIMS_MAX];
  int status = check_axes(from->array, to->array, axis_of, to_axis);
  if (!status) status = take_section("section", from->array, section, f);
  if (!status) status = take_section("to_section", to->array, to_section, t);
  for (int i = 0; i < from->array->ndims && !status; i++) {
    const int e = from->array->order == MPJ_ORDER_C ? i : from->array->ndims - 1 - i,
              d = to_axis[e];
    const MPJ_Count theirs = d < 0 ? 1 : t[d].count;
    if (f[e].count != theirs && d < 0)
      return mpj_error(MPJ_ERR_ARG,
                       "section[%d] has %" PRId64 " indices, must have 1, as no axis of to is its",
                       e, f[e].count);
    if (f[e].count != theirs)
      return mpj_error(MPJ_ERR_ARG,
                       "section[%d] has %" PRId64 " indices, axis %d of to_section %" PRId64, e,
                       f[e].count, d, theirs);
    add_dimension(from, to, e, f[e], d, d < 0 ? one : t[d]);
  }
  for (int d = 0; d < to->array->ndims && !status; d++) {
    if (partner(axis_of, d) >= 0) continue;
    if (t[d].count != 1)
      return mpj_error(MPJ_ERR_ARG,
                       "to_section[%d] has %" PRId64 " indices, must have 1, as axis_of[%d] is -1",
                       d, t[d].count, d);
    add_dimension(from, to, -1, one, d, t[d]);
  }
  return status;
}

static int check_arrays(const struct mpj_grid_array *from, const struct mpj_grid_array *to)
{
  int result, status = mpj_elements_match(from->element, to->element);
  if (!status) status = MPJ_Comm_compare(from->comm, to->comm, &result);
  if (!status && result != MPJ_IDENT && result != MPJ_CONGRUENT)
    status = mpj_error(MPJ_ERR_ARG, "from and to are over unlike communicators "
                                    "(MPJ_Remap_create_between takes such)");
  return status;
}

static int make(struct mpj_end *from, struct mpj_end *to, struct mpj_array_schedule **schedule)
{
  struct mpj_array_schedule *s;
  int status = mpj_array_schedule_new("remap", from->array->comm, from->array->element, &s);
  if (status) return status;
  s->arrays[0] = mpj_array_retain(from->array);
  s->arrays[1] = mpj_array_retain(to->array);
  status = mpj_remap_list(s, from, to);
  if (!status) status = mpj_array_schedule_exchange(s, false);
  if (status)
    mpj_array_schedule_release(s);
  else
    *schedule = s;
  return status;
}

/* What is said of a call in checking mode. Aside: in other modes the facts' memory is not touched,
 * and what is called beside them lies as deep on the stack as if they were not there. */
static MPJ_ASIDE int agree_on_facts(bool told, const struct mpj_end *from, const struct mpj_end *to,
                                    const int axis_of[], int status, MPJ_Count *serial)
{
  struct mpj_fact facts[MPJ_FACTS_MAX];
  int n = 0;
  if (!told) {
    facts[n++] =
        (struct mpj_fact){.name = "the serial number of from", .value = from->array->serial};
    facts[n++] = (struct mpj_fact){.name = "the serial number of to", .value = to->array->serial};
  }
  for (int d = 0; d < to->array->ndims; d++)
    facts[n++] =
        (struct mpj_fact){.name = "axis_of", .value = partner(axis_of, d), .index = d, .field = ""};
  n += mpj_facts_of_ranges("section", from->n, from->axis, from->range, facts + n);
  n += mpj_facts_of_ranges("to_section", to->n, to->axis, to->range, facts + n);
  return mpj_array_agree_new(from->array->comm, status, n, facts, serial);
}

int mpj_remap_make(bool told, struct mpj_grid_array *from, const MPJ_Range section[],
                   struct mpj_grid_array *to, const MPJ_Range to_section[], const int axis_of[],
                   MPJ_Schedule *schedule)
{
  struct mpj_end one = {.name = "from", .array = from}, other = {.name = "to", .array = to};
  struct mpj_array_schedule *s = NULL;
  int status = mpj_need(schedule, "schedule");
  if (!status) status = check_arrays(one.array, other.array);
  if (!status) status = pair_axes(&one, section, &other, to_section, axis_of);
  if (!status) status = make(&one, &other, &s);
  MPJ_Count serial;
  status = mpj_config()->check ? agree_on_facts(told, &one, &other, axis_of, status, &serial)
                               : mpj_array_agree_new(from->comm, status, 0, NULL, &serial);
  if (!status && mpj_array_replicated(other.array)) {
    status = add_bcast(s, &other);
    status = mpj_array_agree(from->comm, status, 0, NULL);
  }
  if (status) {
    mpj_array_schedule_release(s);
    return status;
  }
  s->serial = serial;
  *schedule = s;
  return MPJ_SUCCESS;
}

int MPJ_Remap_create(MPJ_Array from, const MPJ_Range section[], MPJ_Array to,
                     const MPJ_Range to_section[], const int axis_of[], MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct mpj_grid_array *one, *other;
  int status = mpj_array_resolve(from, "from", &one);
  if (!status) status = mpj_array_resolve(to, "to", &other);
  if (status) return status; /* no communicator to tell the others by */
  return mpj_remap_make(false, one, section, other, to_section, axis_of, schedule);
}
