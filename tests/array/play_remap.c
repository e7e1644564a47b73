/* This file plays remaps between random arrays. */
#include "array/plays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct remap {
  struct model from, to;
  MPJ_Range section[MODEL_DIMS], to_section[MODEL_DIMS];
  int axis_of[MODEL_DIMS];
  MPJ_Count positions;
  MPJ_Schedule schedule;
  char *source, *target;
  bool named;
};

enum { UNTOUCHED = -7, OTHER = 1000 };

static MPJ_Range random_range(struct mpj_random *rng, MPJ_Count size, MPJ_Count count)
{
  MPJ_Range r = {0, count, 1};
  if (count == 0) return r;
  const MPJ_Count most = count > 1 ? (size - 1) / (count - 1) : 5;
  r.step = 1 + play_below(rng, (int)(most < 4 ? most : 4));
  const MPJ_Count span = (count - 1) * r.step;
  r.start = play_below(rng, (int)(size - span));
  if (play_below(rng, 3) == 0) {
    r.start += span;
    r.step = -r.step;
  }
  return r;
}

static void random_sections(struct remap *r, struct mpj_random *rng)
{
  const int n = r->from.ndims;
  for (int d = 0; d < n; d++)
    r->axis_of[d] = d;
  for (int d = n - 1; d > 0; d--) {
    const int other = play_below(rng, d + 1), axis = r->axis_of[d];
    r->axis_of[d] = r->axis_of[other];
    r->axis_of[other] = axis;
  }
  r->positions = 1;
  for (int d = 0; d < n; d++) {
    const int e = r->axis_of[d];
    const MPJ_Count a = r->from.axes[e].size, b = r->to.axes[d].size, most = a < b ? a : b;
    const MPJ_Count count = play_below(rng, 3) == 0 ? play_below(rng, (int)most + 1) : most;
    r->section[e] = random_range(rng, a, count);
    r->to_section[d] = random_range(rng, b, count);
    r->positions *= count;
  }
}

/* The indices of a position, numbered in any order. */
static void indices(const struct remap *r, MPJ_Count position, MPJ_Count from[], MPJ_Count to[])
{
  for (int d = 0; d < r->from.ndims; d++) {
    const int e = r->axis_of[d];
    const MPJ_Count s = position % r->section[e].count;
    position /= r->section[e].count;
    from[e] = r->section[e].start + s * r->section[e].step;
    to[d] = r->to_section[d].start + s * r->to_section[d].step;
  }
}

static void fill_source(struct remap *r)
{
  if (!r->from.inside) return;
  MPJ_Count index[MODEL_DIMS];
  for (MPJ_Count i = 0; i < model_total(&r->from); i++) {
    model_index(&r->from, i, index);
    if (model_holds(&r->from, r->from.rank, index))
      element_set(
          r->from.element,
          r->source + (size_t)model_offset(&r->from, index) * element_extent(r->from.element), i);
  }
}

/* What `to` holds after forward, if it was UNTOUCHED. */
static int check_forward(const struct remap *r)
{
  const size_t extent = element_extent(r->to.element);
  const size_t bytes = (size_t)model_room(&r->to) * extent;
  char *wanted = model_buffer(&r->to, UNTOUCHED);
  MPJ_Count from[MODEL_DIMS], to[MODEL_DIMS];
  for (MPJ_Count i = 0; i < r->positions; i++) {
    indices(r, i, from, to);
    if (model_holds(&r->to, r->to.rank, to))
      element_set(r->to.element, wanted + (size_t)model_offset(&r->to, to) * extent,
                  model_number(&r->from, from));
  }
  const int differs = memcmp(wanted, r->target, bytes) != 0;
  if (differs)
    fprintf(stderr, "rank %d: %lld positions, forward differs\n", r->to.rank,
            (long long)r->positions);
  free(wanted);
  return differs;
}

/* What copy `rank` of `to` has at an index, where backward is to add or replace it. */
static int64_t value_of(const struct remap *r, int rank, const MPJ_Count to[])
{
  return OTHER + 17 * model_number(&r->to, to) + 3 * rank;
}

static void fill_target(struct remap *r)
{
  MPJ_Count from[MODEL_DIMS], to[MODEL_DIMS];
  for (MPJ_Count i = 0; i < r->positions; i++) {
    indices(r, i, from, to);
    if (model_holds(&r->to, r->to.rank, to))
      element_set(r->to.element,
                  r->target + (size_t)model_offset(&r->to, to) * element_extent(r->to.element),
                  value_of(r, r->to.rank, to));
  }
}

/* Of a source that is replicated some copy has changed, and each has or has not. */
static int check_backward(const struct remap *r, MPJ_Op op)
{
  const size_t extent = element_extent(r->from.element);
  MPJ_Count from[MODEL_DIMS], to[MODEL_DIMS];
  for (MPJ_Count i = 0; i < r->positions; i++) {
    indices(r, i, from, to);
    int64_t wanted = op == MPJ_SUM ? model_number(&r->from, from) : 0;
    if (op == MPJ_SUM)
      for (int rank = 0; rank < r->to.size; rank++)
        wanted += model_holds(&r->to, rank, to) ? value_of(r, rank, to) : 0;
    else
      wanted = value_of(r, model_highest(&r->to, to), to);
    if (!model_holds(&r->from, r->from.rank, from)) continue;
    const int64_t found =
        element_get(r->from.element, r->source + (size_t)model_offset(&r->from, from) * extent);
    if (found == wanted) continue;
    if (model_copies(&r->from) > 1 && found == model_number(&r->from, from)) continue;
    fprintf(stderr, "rank %d: backward gives %lld, not %lld\n", r->from.rank, (long long)found,
            (long long)wanted);
    return 1;
  }
  return 0;
}

static int failed(const struct run *run, const char *what)
{
  fprintf(stderr, "rank %d: %s: %s\n", run->rank, what, MPJ_Error_detail());
  return 1;
}

/* Sections of random arrays; false: whole ones, which have unlike sizes. */
static bool draw_sections(struct remap *r, struct mpj_random *rng)
{
  bool fits = true;
  r->named = play_below(rng, 2);
  if (r->named) {
    random_sections(r, rng);
    return true;
  }
  r->positions = 1;
  for (int d = 0; d < r->from.ndims; d++) {
    r->axis_of[d] = d;
    r->section[d] = r->to_section[d] = (MPJ_Range){0, r->from.axes[d].size, 1};
    r->positions *= r->from.axes[d].size;
    fits = fits && r->from.axes[d].size == r->to.axes[d].size;
  }
  return fits;
}

static int play(const struct run *run, struct remap *r, struct mpj_random *rng)
{
  const size_t bytes = (size_t)model_room(&r->from) * element_extent(r->from.element);
  fill_source(r);
  char *before = malloc(bytes + 1);
  memcpy(before, r->source, bytes);
  int status = 0;
  if (play_forward(r->schedule, play_below(rng, 3), r->source, r->target))
    status = failed(run, "MPJ_Schedule_forward");
  if (!status) status = check_forward(r);
  if (!status && play_limit(rng, r->schedule)) status = failed(run, "MPJ_Schedule_limit");
  if (!status && play_backward(r->schedule, play_below(rng, 3), r->source, r->target, MPJ_REPLACE))
    status = failed(run, "MPJ_Schedule_backward");
  if (!status && memcmp(before, r->source, bytes) != 0) status = failed(run, "not the identity");
  fill_target(r);
  const MPJ_Op op = play_below(rng, 2) ? MPJ_SUM : MPJ_REPLACE;
  if (!status && play_backward(r->schedule, play_below(rng, 3), r->source, r->target, op))
    status = failed(run, "MPJ_Schedule_backward with an op");
  if (!status) status = check_backward(r, op);
  free(before);
  return status;
}

/* The parts of an array's type are what each rank holds, in the order of the global array. */
static int check_type(const struct model *m)
{
  const MPJ_Count total = model_total(m), bytes = total * (MPJ_Count)element_extent(m->element);
  MPJ_Count index[MODEL_DIMS], size, one, n = 0, at = 0;
  MPJ_Aint displ;
  MPJ_Datatype type, part;
  char *whole = malloc((size_t)bytes + 1), *packed = malloc((size_t)bytes + 1);
  char *wanted = malloc((size_t)bytes + 1);
  if (MPJ_Array_type(m->array, &type) || MPJ_Type_part(type, m->rank, &displ, &part)) return 1;
  MPJ_Datatype element = element_type(m->element);
  MPJ_Type_size(element, &one);
  for (MPJ_Count i = 0; i < total; i++)
    element_set(m->element, whole + (size_t)i * element_extent(m->element), i);
  for (MPJ_Count i = 0; i < total; i++) { /* in the order of storage */
    MPJ_Count left = i;
    for (int k = m->ndims - 1; k >= 0; k--) {
      const int d = m->order == MPJ_ORDER_C ? k : m->ndims - 1 - k;
      index[d] = left % m->axes[d].size;
      left /= m->axes[d].size;
    }
    if (!model_holds(m, m->rank, index)) continue;
    MPJ_Pack(whole + (size_t)i * element_extent(m->element), element, wanted, bytes, &n);
  }
  MPJ_Type_size(part, &size);
  int differs = size != n || MPJ_Pack(whole + displ, part, packed, bytes, &at) != 0;
  differs = differs || memcmp(packed, wanted, (size_t)n) != 0;
  if (differs) fprintf(stderr, "rank %d: the array's type differs\n", m->rank);
  MPJ_Type_free(&part);
  MPJ_Type_free(&type);
  MPJ_Type_free(&element);
  free(whole);
  free(packed);
  free(wanted);
  return differs;
}

static struct wanted draw_wanted(struct mpj_random *rng)
{
  struct wanted wanted = {.ndims = 1 + play_below(rng, MODEL_DIMS)};
  wanted.element = (enum element)play_below(rng, ELEMENTS);
  wanted.ghosts = play_below(rng, 4) == 0;
  return wanted;
}

static void begin(struct remap *r)
{
  r->source = model_buffer(&r->from, UNTOUCHED);
  r->target = model_buffer(&r->to, UNTOUCHED);
}

static void end(struct remap *r)
{
  free(r->source);
  free(r->target);
  model_free(&r->from);
  model_free(&r->to);
  if (r->schedule) MPJ_Schedule_free(&r->schedule);
}

static int create(struct remap *r)
{
  return MPJ_Remap_create(r->from.array, r->named ? r->section : NULL, r->to.array,
                          r->named ? r->to_section : NULL, r->named ? r->axis_of : NULL,
                          &r->schedule);
}

/* Random arrays; the schedule is null where the whole ones do not fit. */
static int make(const struct run *run, struct remap *r, struct mpj_random *rng)
{
  struct wanted wanted = draw_wanted(rng);
  int status = model_make(&r->from, rng, run->comm, &wanted);
  wanted.element = element_alike(wanted.element, rng);
  if (!status) status = model_make(&r->to, rng, run->comm, &wanted);
  if (status) return status;
  begin(r);
  if (draw_sections(r, rng) && create(r)) return failed(run, "MPJ_Remap_create");
  return 0;
}

int play_remap(const struct run *run, struct mpj_random *rng)
{
  struct remap *r = calloc(1, sizeof *r);
  int status = make(run, r, rng);
  if (!status && r->schedule) status = play(run, r, rng);
  if (!status) status = check_type(&r->from);
  end(r);
  free(r);
  return status;
}

/* A communicator of some of the ranks: all ranks know which. Returns their number; *own is this
 * rank's among them, or -1. */
static int some_ranks(const struct run *run, struct mpj_random *rng, bool reversed, MPJ_Comm *comm,
                      int *own)
{
  const uint64_t kind = (uint64_t)play_below(rng, 3), drawn = mpj_random_next(rng);
  const uint64_t always = (uint64_t)play_below(rng, run->size);
  int size = 0;
  *own = -1;
  for (int rank = 0; rank < run->size; rank++) {
    const uint64_t r = (uint64_t)rank;
    const bool in = r == always || (kind == 0 ? rank < run->size / 2 : (drawn >> r % 64 & 1) == 1);
    if (in && rank == run->rank) *own = size;
    size += in;
  }
  if (reversed && *own >= 0) *own = size - 1 - *own;
  MPJ_Comm_split(run->comm, *own >= 0 ? 0 : MPJ_UNDEFINED, *own, comm);
  return size;
}

/* Between arrays over some of the ranks each. */
int play_between(const struct run *run, struct mpj_random *rng)
{
  struct remap *r = calloc(1, sizeof *r);
  MPJ_Comm comms[2];
  int own[2];
  const struct wanted wanted = draw_wanted(rng);
  const int sizes[2] = {some_ranks(run, rng, true, &comms[0], &own[0]),
                        some_ranks(run, rng, false, &comms[1], &own[1])};
  model_draw(&r->from, rng, sizes[0], own[0], &wanted);
  model_draw(&r->to, rng, sizes[1], own[1], &wanted);
  int status = own[0] >= 0 ? model_create(&r->from, comms[0]) : 0;
  if (!status && own[1] >= 0) status = model_create(&r->to, comms[1]);
  begin(r);
  if (!status && draw_sections(r, rng)) {
    if (MPJ_Remap_create_between(r->from.array, r->named ? r->section : NULL, r->to.array,
                                 r->named ? r->to_section : NULL, r->named ? r->axis_of : NULL,
                                 run->comm, &r->schedule))
      status = failed(run, "MPJ_Remap_create_between");
    if (!status) status = play(run, r, rng);
  }
  end(r);
  free(r);
  for (int i = 0; i < 2; i++)
    if (comms[i] != MPJ_COMM_NULL) MPJ_Comm_free(&comms[i]);
  return status;
}

/* What play_join gathers beside its remaps: elements of the next ranks, one of them twice. */
enum { GRAPH = 6, ROOTS = 3, REMAPS = 2 };

static int make_graph(const struct run *run, MPJ_Schedule *schedule)
{
  int ranks[GRAPH];
  MPJ_Count offsets[GRAPH];
  for (int i = 0; i < GRAPH; i++) {
    ranks[i] = (run->rank + i / 4) % run->size;
    offsets[i] = i % ROOTS;
  }
  return MPJ_Graph_create(ROOTS, GRAPH, NULL, ranks, offsets, MPJ_INT64, run->comm, schedule);
}

static int check_graph(const struct run *run, const int64_t leaves[], const int64_t roots[])
{
  for (int i = 0; i < GRAPH; i++)
    if (leaves[i] != 100 * ((run->rank + i / 4) % run->size) + i % ROOTS) return 1;
  for (int k = 0; k < ROOTS; k++) {
    int64_t wanted = 100 * run->rank + k;
    for (int rank = 0; rank < run->size; rank++)
      for (int i = 0; i < GRAPH; i++)
        if ((rank + i / 4) % run->size == run->rank && i % ROOTS == k)
          wanted += 100 * run->rank + k;
    if (roots[k] != wanted) return 2;
  }
  return 0;
}

/* Several arrays in one exchange. */
int play_join(const struct run *run, struct mpj_random *rng)
{
  struct remap *remaps = calloc(REMAPS, sizeof *remaps);
  MPJ_Schedule parts[REMAPS + 1], joined = MPJ_SCHEDULE_NULL;
  const void *from[REMAPS + 1];
  void *to[REMAPS + 1];
  int64_t roots[ROOTS], leaves[GRAPH];
  bool joins[REMAPS] = {false};
  int n = 0, status = 0;
  for (int i = 0; i < REMAPS && !status; i++) {
    status = make(run, &remaps[i], rng);
    if (status || !remaps[i].schedule) continue;
    joins[i] = true;
    fill_source(&remaps[i]);
    from[n] = remaps[i].source;
    to[n] = remaps[i].target;
    parts[n++] = remaps[i].schedule;
  }
  for (int k = 0; k < ROOTS; k++)
    roots[k] = 100 * run->rank + k;
  from[n] = roots;
  to[n] = leaves;
  if (!status && make_graph(run, &parts[n++])) status = failed(run, "MPJ_Graph_create");
  if (!status && MPJ_Schedule_join(n, parts, &joined)) status = failed(run, "MPJ_Schedule_join");
  if (!status) MPJ_Schedule_free(&parts[n - 1]);
  for (int i = 0; i < REMAPS; i++)
    if (remaps[i].schedule) MPJ_Schedule_free(&remaps[i].schedule); /* the joined one lives */
  if (!status && play_forward(joined, play_below(rng, 3), from, (void *)to))
    status = failed(run, "forward, joined");
  for (int i = 0; i < REMAPS && !status; i++) {
    if (!joins[i]) continue;
    status = check_forward(&remaps[i]);
    fill_target(&remaps[i]);
  }
  if (!status && play_limit(rng, joined)) status = failed(run, "MPJ_Schedule_limit, joined");
  if (!status && play_backward(joined, play_below(rng, 2), (void *)from, to, MPJ_SUM))
    status = failed(run, "backward, joined");
  for (int i = 0; i < REMAPS && !status; i++)
    if (joins[i]) status = check_backward(&remaps[i], MPJ_SUM);
  if (!status) status = check_graph(run, leaves, roots);
  if (status) fprintf(stderr, "rank %d: joined schedules differ (%d)\n", run->rank, status);
  MPJ_Schedule_free(&joined);
  for (int i = 0; i < REMAPS; i++)
    end(&remaps[i]);
  free(remaps);
  return status;
}
