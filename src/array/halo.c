/* This file makes halo exchanges: the ghosts of each rank get what the owners of their indices
 * hold.
 *
 * Along an axis a rank's indices are one piece [a, b), its ghosts are [a - low, a) and [b, b +
 * high), in indices that go on beyond the axis; on a ring index x is x modulo its size, and the
 * whole part of x / size is the lap. A region of ghosts is one choice an axis: what the rank holds,
 * or the ghosts on one side and in one lap. Both ends give a region the same key. */
#include <inttypes.h>

#include "array/describe/grid_ranks.h"
#include "array/ends.h"
#include "array/schedule_life.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

/* One choice along an axis, as a side of a box. */
struct choice {
  bool ghosts;
  int64_t key;
  struct mpj_axis one; /* the axis that the side's ghosts are on, if any */
  struct mpj_side side;
};

struct choices {
  size_t n, room;
  struct choice *list; /* owned */
};

struct halo {
  struct mpj_grid_array *from, *to;
  const MPJ_Count *low, *high;
  bool corners, inside;
  int own[MPJ_ARRAY_DIMS_MAX];
};

static int add(struct choices *c, struct choice choice)
{
  if (c->n == c->room) {
    const size_t room = c->room == 0 ? 4 : 2 * c->room;
    struct choice *list = mpj_alloc_array(room, sizeof *list);
    if (!list) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the ghosts of an axis");
    if (c->n > 0) memcpy(list, c->list, c->n * sizeof *list);
    mpj_free(c->list);
    c->list = list;
    c->room = room;
  }
  c->list[c->n++] = choice;
  return MPJ_SUCCESS;
}

/* The greatest whole number not over x / size. */
static MPJ_Count lap_of(MPJ_Count x, MPJ_Count size)
{
  return x >= 0 ? x / size : -((-x - 1) / size) - 1;
}

/* Laps count upwards from 0 on either side, in a range of `laps`. */
static int64_t key_of(bool upper, MPJ_Count lap, MPJ_Count laps)
{
  return 1 + (upper ? laps : 0) + (lap < 0 ? -lap : lap);
}

static MPJ_Count laps_of(const struct halo *h, int d)
{
  const MPJ_Count size = h->to->axes[d].size;
  const MPJ_Count most = h->low[d] > h->high[d] ? h->low[d] : h->high[d];
  return size == 0 ? 1 : most / size + 2;
}

/* My ghosts [x, end) on one side, which begin at local index `local`: from whom they come. */
static int add_wanted(const struct halo *h, struct choices *c, int d, const struct mpj_side *whole,
                      bool upper, MPJ_Count x, MPJ_Count end, MPJ_Count local)
{
  const struct mpj_axis *axis = &h->from->axes[d];
  int status = MPJ_SUCCESS;
  while (x < end && !status) {
    const MPJ_Count lap = lap_of(x, axis->size), next = (lap + 1) * axis->size;
    const MPJ_Count stop = next < end ? next : end;
    struct choice choice = {true, key_of(upper, lap, laps_of(h, d)), mpj_axis_of_one(0), *whole};
    choice.side.coord = 0;
    choice.side.section = (MPJ_Range){local, stop - x, 1};
    choice.side.their_section = (MPJ_Range){x - lap * axis->size, stop - x, 1};
    choice.side.origin = 0; /* ghosts count */
    if (h->to->axes[d].periodic || lap == 0) status = add(c, choice);
    local += stop - x;
    x = stop;
  }
  return status;
}

/* What I hold of [x, end), ghosts of coordinate `coord` where these indices are in `lap`. */
static int add_owed(const struct halo *h, struct choices *c, int d, const struct mpj_side *whole,
                    const struct mpj_stretch *mine, bool upper, MPJ_Count x, MPJ_Count end,
                    MPJ_Count lap, int coord)
{
  if (x < mine->start) x = mine->start;
  if (end > mine->end) end = mine->end;
  if (x >= end) return MPJ_SUCCESS;
  struct choice choice = {true, key_of(upper, lap, laps_of(h, d)), mpj_axis_of_one(coord), *whole};
  choice.side.section = (MPJ_Range){x, end - x, 1};
  choice.side.their_section = (MPJ_Range){0, end - x, 1};
  return add(c, choice);
}

/* Whose low ghosts I hold: of pieces that begin within (start, end + low], as indices go on. */
static int owed_to_upper(const struct halo *h, struct choices *c, int d,
                         const struct mpj_side *whole, const struct mpj_stretch *mine)
{
  const struct mpj_axis *axis = &h->to->axes[d];
  const MPJ_Count low = h->low[d], limit = mine->end + low;
  MPJ_Count lap = 0;
  struct mpj_stretch s = *mine;
  int status = MPJ_SUCCESS;
  while (!status) {
    MPJ_Count next = s.end;
    if (next == axis->size) {
      if (!axis->periodic) break;
      next = 0;
      lap++;
    }
    mpj_axis_at(axis, next, &s);
    const MPJ_Count start = s.start + lap * axis->size;
    if (start > limit) break;
    status = add_owed(h, c, d, whole, mine, false, start - low, start, -lap, s.coord);
  }
  return status;
}

/* Whose high ghosts I hold: of pieces that end within [start - high, end). */
static int owed_to_lower(const struct halo *h, struct choices *c, int d,
                         const struct mpj_side *whole, const struct mpj_stretch *mine)
{
  const struct mpj_axis *axis = &h->to->axes[d];
  const MPJ_Count high = h->high[d], limit = mine->start - high;
  MPJ_Count lap = 0;
  struct mpj_stretch s = *mine;
  int status = MPJ_SUCCESS;
  while (!status) {
    MPJ_Count before = s.start - 1;
    if (before < 0) {
      if (!axis->periodic) break;
      before = axis->size - 1;
      lap++;
    }
    mpj_axis_at(axis, before, &s);
    const MPJ_Count end = s.end - lap * axis->size;
    if (end < limit) break;
    status = add_owed(h, c, d, whole, mine, true, end, end + high, lap, s.coord);
  }
  return status;
}

/* The choices along an axis, of what I want or owe. */
static int choose(const struct halo *h, bool wanted, int d, const struct mpj_side *whole,
                  struct choices *c)
{
  const struct mpj_axis *axis = &h->to->axes[d];
  const int coord = mpj_array_coord(h->to, d, h->own);
  struct mpj_stretch mine;
  int status = add(c, (struct choice){.side = *whole});
  if (status || (h->low[d] == 0 && h->high[d] == 0)) return status;
  if (!mpj_axis_next(axis, coord, 0, 1, &mine)) return MPJ_SUCCESS;
  if (wanted) {
    status = add_wanted(h, c, d, whole, false, mine.start - h->low[d], mine.start,
                        axis->low - h->low[d]);
    if (!status)
      status = add_wanted(h, c, d, whole, true, mine.end, mine.end + h->high[d],
                          axis->low + mine.end - mine.start);
    return status;
  }
  if (h->low[d] > 0) status = owed_to_upper(h, c, d, whole, &mine);
  if (!status && h->high[d] > 0) status = owed_to_lower(h, c, d, whole, &mine);
  return status;
}

/* One region for each choice of the axes from number i on. */
struct walk {
  const struct halo *halo;
  const struct mpj_end *end;
  const struct choices *choices; /* [n] */
  MPJ_Datatype element;          /* of the array that is this side: layouts may be unlike */
  struct mpj_patches *patches;
  struct mpj_side sides[MPJ_ARRAY_DIMS_MAX];
};

static int descend(struct walk *w, int i, int64_t key, int sided)
{
  const struct halo *h = w->halo;
  const int n = h->to->ndims;
  int status = MPJ_SUCCESS;
  if (i == n) {
    struct mpj_in_copy copy = {h->to, h->own};
    if (sided == 0 && !h->inside) return MPJ_SUCCESS;
    return mpj_box(n, w->sides, w->element, mpj_peer_in_copy, &copy, key, w->patches);
  }
  for (size_t k = 0; k < w->choices[i].n && !status; k++) {
    struct choice *choice = &w->choices[i].list[k];
    if (choice->ghosts && sided > 0 && !h->corners) continue;
    w->sides[i] = choice->side;
    status = descend(w, i + 1, key * (2 * laps_of(h, w->end->axis[i]) + 1) + choice->key,
                     sided + choice->ghosts);
  }
  return status;
}

/* The patches that I want, or owe. */
static int list(const struct halo *h, bool wanted, struct mpj_patches *patches)
{
  struct choices choices[MPJ_ARRAY_DIMS_MAX] = {{0}};
  struct mpj_side whole[MPJ_ARRAY_DIMS_MAX];
  const struct mpj_end from = mpj_end_whole(h->from, h->from->order);
  const struct mpj_end to = mpj_end_whole(h->to, h->from->order);
  struct walk walk = {.halo = h,
                      .end = &from,
                      .choices = choices,
                      .element = wanted ? h->to->element : h->from->element,
                      .patches = patches};
  int status = MPJ_SUCCESS;
  if (wanted)
    mpj_sides(&to, &from, h->own, whole);
  else
    mpj_sides(&from, &to, h->own, whole);
  for (int i = 0; i < from.n && !status; i++) {
    status = choose(h, wanted, from.axis[i], &whole[i], &choices[i]);
    for (size_t k = 0; k < choices[i].n; k++) { /* the list stays where it is from now on */
      struct choice *c = &choices[i].list[k];
      if (c->ghosts && wanted) c->side.mine = &c->one;
      if (c->ghosts && !wanted) c->side.theirs = &c->one;
    }
  }
  if (!status) status = descend(&walk, 0, 0, 0);
  for (int i = 0; i < from.n; i++)
    mpj_free(choices[i].list);
  return status;
}

static int check_width(const char *name, int d, MPJ_Count width, MPJ_Count room)
{
  if (width >= 0 && width <= room) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG,
                   "%s[%d] is %" PRId64 ", the ghosts of that side of `to` are %" PRId64 " wide",
                   name, d, width, room);
}

/* from and to are distributed alike: but ghosts, order and storage may differ. */
static int check_arrays(const struct mpj_grid_array *from, const struct mpj_grid_array *to)
{
  MPJ_Count one[MPJ_AXIS_DIGEST], other[MPJ_AXIS_DIGEST];
  int result, status = mpj_elements_match(from->element, to->element);
  if (!status) status = MPJ_Comm_compare(from->comm, to->comm, &result);
  if (status) return status;
  if (result != MPJ_IDENT && result != MPJ_CONGRUENT)
    return mpj_error(MPJ_ERR_ARG, "from and to are over unlike communicators");
  if (from->ndims != to->ndims)
    return mpj_error(MPJ_ERR_ARG, "from has %d axes, to has %d", from->ndims, to->ndims);
  if (from->grid_ndims != to->grid_ndims)
    return mpj_error(MPJ_ERR_ARG, "the grid of from has %d dimensions, that of to %d",
                     from->grid_ndims, to->grid_ndims);
  for (int k = 0; k < to->grid_ndims; k++)
    if (from->grid[k] != to->grid[k])
      return mpj_error(MPJ_ERR_ARG, "grid[%d] is %d in from, %d in to", k, from->grid[k],
                       to->grid[k]);
  for (int i = 0; from->ranks != to->ranks && i < to->positions; i++) {
    const int one_rank = from->ranks ? from->ranks[i] : i, rank = to->ranks ? to->ranks[i] : i;
    if (one_rank != rank)
      return mpj_error(MPJ_ERR_ARG, "place %d of the grid is rank %d in from, rank %d in to", i,
                       one_rank, rank);
  }
  for (int d = 0; d < to->ndims; d++) {
    mpj_axis_digest(&from->axes[d], one);
    mpj_axis_digest(&to->axes[d], other);
    for (int k = 0; k < MPJ_AXIS_DIGEST; k++)
      if (one[k] != other[k] && k != MPJ_AXIS_DIGEST_LOW && k != MPJ_AXIS_DIGEST_HIGH &&
          k != MPJ_AXIS_DIGEST_PERIODIC)
        return mpj_axes_differ(d, one, other, k);
  }
  return MPJ_SUCCESS;
}

/* Keys are 64-bit numbers. */
static int check_keys(const struct halo *h)
{
  int64_t keys = 1;
  for (int d = 0; d < h->to->ndims; d++)
    if (__builtin_mul_overflow(keys, 2 * laps_of(h, d) + 1, &keys))
      return mpj_error(MPJ_ERR_UNSUPPORTED, "the halo of an array of %d axes has too many regions",
                       h->to->ndims);
  return MPJ_SUCCESS;
}

static int make(struct halo *h, struct mpj_array_schedule **schedule)
{
  int status = mpj_array_schedule_new("halo", h->to->comm, h->to->element, schedule);
  if (status) return status;
  struct mpj_array_schedule *s = *schedule;
  s->overlap = true;
  s->in_place = !h->inside;
  if (mpj_array_coords(h->to, s->rank, h->own)) {
    status = list(h, false, &s->out);
    if (!status) status = list(h, true, &s->in);
  }
  return status ? status : mpj_array_schedule_exchange(s, true);
}

int MPJ_Halo_create(MPJ_Array from, MPJ_Array to, const MPJ_Count low[], const MPJ_Count high[],
                    int corners, MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct halo h = {.corners = corners != 0, .inside = from != to};
  struct mpj_array_schedule *s = NULL;
  struct mpj_fact facts[3 + 2 * MPJ_ARRAY_DIMS_MAX];
  MPJ_Count widths[2][MPJ_ARRAY_DIMS_MAX];
  int status = mpj_array_resolve(from, "from", &h.from), n = 0;
  if (!status) status = mpj_array_resolve(to, "to", &h.to);
  if (status) return status;
  status = mpj_need(schedule, "schedule");
  if (!status) status = check_arrays(h.from, h.to);
  facts[n++] = (struct mpj_fact){.name = "the serial number of from", .value = h.from->serial};
  facts[n++] = (struct mpj_fact){.name = "the serial number of to", .value = h.to->serial};
  facts[n++] = (struct mpj_fact){.name = "corners", .value = corners};
  if (!status && corners != 0 && corners != 1)
    status = mpj_error(MPJ_ERR_ARG, "corners is %d, must be 0 or 1", corners);
  for (int d = 0; d < h.to->ndims && !status; d++) {
    const struct mpj_axis *axis = &h.to->axes[d];
    widths[0][d] = low ? low[d] : axis->low;
    widths[1][d] = high ? high[d] : axis->high;
    status = check_width("low", d, widths[0][d], axis->low);
    if (!status) status = check_width("high", d, widths[1][d], axis->high);
    facts[n++] = (struct mpj_fact){.name = "low", .value = widths[0][d], .index = d, .field = ""};
    facts[n++] = (struct mpj_fact){.name = "high", .value = widths[1][d], .index = d, .field = ""};
  }
  h.low = widths[0];
  h.high = widths[1];
  if (!status) status = check_keys(&h);
  if (!status) status = make(&h, &s);
  MPJ_Count serial;
  status = mpj_array_agree_new(h.from->comm, status, n, facts, &serial);
  if (status) {
    mpj_array_schedule_release(s);
    return status;
  }
  s->serial = serial;
  *schedule = s;
  return MPJ_SUCCESS;
}
