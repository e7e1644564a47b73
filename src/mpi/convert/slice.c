/* This file makes MPI types of a stretch of a type map, which MPI has no constructor
 * for: a struct of the blocks that lie in it whole, and of what is left of the blocks at
 * its ends. */
#include "mpi/convert/blocks.h"

/* The struct's blocks so far, and the types among them that are to be freed. */
struct pieces {
  MPJ_Count n, room;
  MPJ_Count *lengths;
  MPJ_Aint *displs;
  MPI_Datatype *types;
  int (*make)(MPJ_Datatype type, MPI_Datatype *made); /* of whole types */
  MPJ_Count nowned, owned_room;
  MPI_Datatype *owned;
};

/* A range of elements, and where the map it is of begins. */
struct range {
  MPJ_Count first, count;
  MPJ_Aint at;
};

static int cut(MPJ_Datatype type, struct range range, struct pieces *out);

static int grow(void *array, MPJ_Count room, size_t size)
{
  void **at = array;
  void *grown = realloc(*at, (size_t)room * size);
  if (!grown)
    return mpi_report(MPJ_ERR_NO_MEM, "no memory for a slice of %lld blocks", (long long)room);
  *at = grown;
  return MPJ_SUCCESS;
}

static int append(struct pieces *out, MPJ_Aint displ, MPJ_Count length, MPI_Datatype type)
{
  if (out->n == out->room) {
    const MPJ_Count room = 2 * out->room + 16;
    int status = grow(&out->lengths, room, sizeof *out->lengths);
    if (!status) status = grow(&out->displs, room, sizeof *out->displs);
    if (!status) status = grow(&out->types, room, sizeof *out->types);
    if (status) return status;
    out->room = room;
  }
  out->displs[out->n] = displ;
  out->lengths[out->n] = length;
  out->types[out->n++] = type;
  return MPJ_SUCCESS;
}

/* The MPI type of a whole type, which `out` then owns. */
static int whole(MPJ_Datatype type, struct pieces *out, MPI_Datatype *made)
{
  if (out->nowned == out->owned_room) {
    const MPJ_Count room = 2 * out->owned_room + 16;
    const int status = grow(&out->owned, room, sizeof *out->owned);
    if (status) return status;
    out->owned_room = room;
  }
  const int status = out->make(type, made);
  if (status == MPJ_SUCCESS) out->owned[out->nowned++] = *made;
  return status;
}

/* One of a call's types, with what cutting it needs to know. */
struct child {
  MPJ_Datatype type;
  MPJ_Count elements;
  MPJ_Aint extent;
  MPI_Datatype mpi; /* of the whole; null until it is needed */
};

static int look_at(MPJ_Datatype type, struct child *child)
{
  MPJ_Aint lb;
  *child = (struct child){.type = type, .mpi = MPI_DATATYPE_NULL};
  const int status = MPJ_Type_get_element_count(type, &child->elements);
  return status ? status : MPJ_Type_get_extent(type, &lb, &child->extent);
}

/* Elements [first, first + count) of copies of a child, the first copy at `at`. */
static int cut_copies(struct child *child, struct range r, struct pieces *out)
{
  const MPJ_Count e = child->elements;
  int status = MPJ_SUCCESS;
  while (!status && r.count > 0) {
    const MPJ_Count copy = r.first / e, inside = r.first % e;
    const MPJ_Aint at = r.at + copy * child->extent;
    MPJ_Count taken;
    if (inside == 0 && r.count >= e) {
      taken = r.count / e * e;
      if (child->mpi == MPI_DATATYPE_NULL) status = whole(child->type, out, &child->mpi);
      if (!status) status = append(out, at, taken / e, child->mpi);
    } else {
      taken = r.count < e - inside ? r.count : e - inside;
      status = cut(child->type, (struct range){inside, taken, at}, out);
    }
    r.first += taken;
    r.count -= taken;
  }
  return status;
}

/* The part of `range` that lies in the next `elements` elements; `range` loses it. */
static struct range take(struct range *range, MPJ_Count elements, MPJ_Aint displ)
{
  struct range inside = {range->first, 0, range->at + displ};
  if (range->first >= elements) {
    range->first -= elements;
    return inside;
  }
  inside.count = elements - range->first;
  if (inside.count > range->count) inside.count = range->count;
  range->first = 0;
  range->count -= inside.count;
  return inside;
}

static int cut_blocks(const struct mpi_call *call, struct range range, struct pieces *out)
{
  struct mpi_blocks b;
  struct child *children = mpi_array(call->ntypes, sizeof *children);
  int status = mpi_blocks_of(call, &b);
  if (!status && !children) status = MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; !status && i < call->ntypes; i++)
    status = look_at(call->types[i], &children[i]);
  for (MPJ_Count i = 0; !status && i < b.n && range.count > 0; i++) {
    struct child *child = &children[b.child ? b.child[i] : 0];
    const struct range inside = take(&range, b.lengths[i] * child->elements, b.displs[i]);
    status = cut_copies(child, inside, out);
  }
  mpi_blocks_free(&b);
  free(children);
  return status;
}

/* Types whose parts are found more easily than their blocks. */
static int cut_parts(MPJ_Datatype type, struct range range, struct pieces *out)
{
  MPJ_Count n = 0;
  int status = MPJ_Type_parts(type, &n);
  for (MPJ_Count i = 0; !status && i < n && range.count > 0; i++) {
    MPJ_Datatype part;
    MPJ_Aint displ;
    MPJ_Count elements;
    status = MPJ_Type_part(type, i, &displ, &part);
    if (status) break;
    status = MPJ_Type_get_element_count(part, &elements);
    if (!status) status = cut(part, take(&range, elements, displ), out);
    mpi_release(&part);
  }
  return status;
}

/* A process's share of an array: a child at a time. */
static int cut_share(MPJ_Datatype type, MPJ_Datatype old, struct range range, struct pieces *out)
{
  struct child child;
  MPJ_Aint old_lb, at, extent;
  int status = look_at(old, &child);
  if (!status) status = MPJ_Type_get_true_extent(old, &old_lb, &extent);
  while (!status && range.count > 0) {
    const MPJ_Count inside = range.first % child.elements;
    const MPJ_Count left = child.elements - inside;
    const MPJ_Count taken = range.count < left ? range.count : left;
    MPJ_Datatype one;
    status = MPJ_Type_create_slice(type, range.first - inside, child.elements, &one);
    if (status) break;
    status = MPJ_Type_get_true_extent(one, &at, &extent);
    MPJ_Type_free(&one);
    if (!status)
      status = cut_copies(&child, (struct range){inside, taken, range.at + at - old_lb}, out);
    range.first += taken;
    range.count -= taken;
  }
  return status;
}

static int cut_call(MPJ_Datatype type, const struct mpi_call *call, struct range range,
                    struct pieces *out)
{
  switch (call->combiner) {
  case MPJ_COMBINER_DUP:
  case MPJ_COMBINER_RESIZED:
    return cut(call->types[0], range, out);
  case MPJ_COMBINER_SLICE:
    range.first += call->counts[0];
    return cut(call->types[0], range, out);
  case MPJ_COMBINER_SUBARRAY:
  case MPJ_COMBINER_DISTRIBUTION:
    return cut_parts(type, range, out);
  case MPJ_COMBINER_DARRAY:
    return cut_share(type, call->types[0], range, out);
  default:
    return cut_blocks(call, range, out);
  }
}

static int cut_type(MPJ_Datatype type, struct range range, struct pieces *out)
{
  struct mpi_call call;
  MPJ_Count elements;
  int status = MPJ_Type_get_element_count(type, &elements);
  if (status || range.count == 0) return status;
  status = mpi_call_read(type, &call);
  if (status) return status;
  if (range.count == elements && call.combiner != MPJ_COMBINER_DISTRIBUTION) {
    MPI_Datatype all;
    status = whole(type, out, &all);
    if (!status) status = append(out, range.at, 1, all);
  } else
    status = cut_call(type, &call, range, out);
  mpi_call_free(&call);
  return status;
}

/* Constructors over one another that are cut: they fit a stack of 64 KiB. */
enum { CUT_DEPTH_MAX = 32 };

/* Those that this thread is in, of slices inside slices too. */
static _Thread_local int depth;

static int cut(MPJ_Datatype type, struct range range, struct pieces *out)
{
  if (depth == CUT_DEPTH_MAX)
    return mpi_report(MPJ_ERR_UNSUPPORTED,
                      "a slice cuts more than %d constructors over one another, which cannot be "
                      "converted",
                      CUT_DEPTH_MAX);
  depth++;
  const int status = cut_type(type, range, out);
  depth--;
  return status;
}

int mpi_slice(MPJ_Datatype old, MPJ_Count first, MPJ_Count count,
              int (*make)(MPJ_Datatype type, MPI_Datatype *made), MPI_Datatype *made)
{
  struct pieces out = {.make = make};
  int status = cut(old, (struct range){first, count, 0}, &out);
  if (!status) status = mpi_wide_struct(out.n, out.lengths, out.displs, out.types, made);
  while (out.nowned > 0)
    mpi_drop(&out.owned[--out.nowned]);
  free(out.lengths);
  free(out.displs);
  free(out.types);
  free(out.owned);
  return status;
}
