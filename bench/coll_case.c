/* This file makes the calls of a case, with the stamps that coll_case.h
 * describes. */
#include "coll_case.h"

#include "coll_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

const char *coll_timing_name(enum coll_timing timing)
{
  static const char *const names[COLL_NTIMINGS] = {"back_to_back", "dependent", "rewritten",
                                                   "separate"};
  return names[timing];
}

const struct coll_places coll_places_of[COLL_NOPS] = {
    [COLL_BCAST] = {.from = COLL_BLOCK, .to = COLL_BLOCK, .has_root = true},
    [COLL_GATHER] = {.from = COLL_BLOCK, .to = COLL_WHOLE, .has_root = true},
    [COLL_SCATTER] = {.from = COLL_WHOLE, .to = COLL_BLOCK, .has_root = true},
    [COLL_ALLGATHER] = {.from = COLL_BLOCK, .to = COLL_WHOLE, .whole_everywhere = true},
    [COLL_ALLTOALL] = {.from = COLL_WHOLE,
                       .to = COLL_RESULT,
                       .whole_everywhere = true,
                       .long_result = true},
    [COLL_REDUCE] = {.from = COLL_BLOCK, .to = COLL_RESULT, .has_root = true},
    [COLL_ALLREDUCE] = {.from = COLL_BLOCK, .to = COLL_RESULT},
    [COLL_REDUCE_SCATTER] = {.from = COLL_WHOLE, .to = COLL_RESULT, .whole_everywhere = true},
    [COLL_SCAN] = {.from = COLL_BLOCK, .to = COLL_RESULT},
    [COLL_EXSCAN] = {.from = COLL_BLOCK, .to = COLL_RESULT}};

static bool uses(enum coll_op op, enum coll_place place)
{
  return coll_places_of[op].from == place || coll_places_of[op].to == place;
}

double coll_case_memory(enum coll_op op, enum coll_timing timing, const struct coll_shape *shape)
{
  const struct coll_places *places = &coll_places_of[op];
  const double nparts = (double)coll_shape_nparts(shape);
  const double block = (double)coll_shape_part(shape) * (double)sizeof(double);
  const bool everywhere = places->whole_everywhere || timing == COLL_DEPENDENT;
  double bytes = 0;
  if (op == COLL_BARRIER) return 0;
  if (!shape->transpose && shape->groups == 0) bytes += nparts * block;
  if (uses(op, COLL_WHOLE)) bytes += nparts * block * (everywhere ? nparts : 1);
  if (uses(op, COLL_RESULT)) bytes += nparts * block * (places->long_result ? nparts : 1);
  return shape->groups > 0 ? bytes * (double)shape->groups : bytes;
}

static double *new_buffer(const struct coll_case *c, long doubles)
{
  size_t bytes = (size_t)doubles * sizeof(double);
  double *buffer =
      c->shape.library ? shim_alloc(bytes) : aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
  if (buffer) memset(buffer, 0xff, bytes); /* NaN */
  return buffer;
}

static void free_buffer(const struct coll_case *c, double *buffer)
{
  if (!buffer) return;
  if (c->shape.library)
    shim_free(buffer);
  else
    free(buffer);
}

static void fill(struct coll_case *c)
{
  const struct coll_places *places = &coll_places_of[c->op];
  if (places->from == COLL_BLOCK && (c->op != COLL_BCAST || c->rank == 0)) coll_data_fill_block(c);
  if (places->from == COLL_WHOLE && c->whole) coll_data_fill_whole(c);
  if (c->timing == COLL_DEPENDENT && c->block && (c->op != COLL_BCAST || c->rank == 0))
    c->block[0] = 0;
}

static bool make_buffers(struct coll_case *c)
{
  const struct coll_places *places = &coll_places_of[c->op];
  const long part = coll_shape_part(&c->shape), whole = coll_shape_whole(&c->shape);
  const bool here = places->whole_everywhere || c->rank == 0 || c->timing == COLL_DEPENDENT;
  if (!c->shape.transpose && c->shape.groups == 0 && !(c->block = new_buffer(c, part)))
    return false;
  if (uses(c->op, COLL_WHOLE) && here && !(c->whole = new_buffer(c, whole))) return false;
  if (!uses(c->op, COLL_RESULT)) return true;
  return (c->result = new_buffer(c, places->long_result ? whole : part)) != NULL;
}

int coll_case_open(struct coll_case *c, enum coll_op op, enum coll_timing timing,
                   const struct coll_shape *shape)
{
  *c = (struct coll_case){
      .op = op, .timing = timing, .shape = *shape, .rank = shim_rank(), .nranks = shim_size()};
  c->npeers = c->nranks;
  if (shape->groups > 0) {
    c->npeers = (int)coll_shape_nparts(shape);
    c->first_peer = c->rank / c->npeers * c->npeers;
  }
  if (op == COLL_BARRIER) return 0;
  if (shim_types_create(shape, &c->types)) return 1;
  if (!make_buffers(c)) {
    fprintf(stderr, "rank %d has no memory for blocks of %ld doubles\n", c->rank,
            coll_shape_part(shape));
    coll_case_close(c);
    return 1;
  }
  fill(c);
  return 0;
}

void coll_case_close(struct coll_case *c)
{
  if (c->types) shim_types_free(c->types);
  free_buffer(c, c->block);
  free_buffer(c, c->whole);
  free_buffer(c, c->result);
  *c = (struct coll_case){0};
}

static int after(const struct coll_case *c, int rank)
{
  return rank + 1 == c->nranks ? 0 : rank + 1;
}

static int before(const struct coll_case *c, int rank)
{
  return rank == 0 ? c->nranks - 1 : rank - 1;
}

static int bcast(struct coll_case *c)
{
  if (c->rank == c->root) {
    if (c->timing == COLL_DEPENDENT)
      c->block[0] += 1;
    else
      coll_data_stamp(c, c->block, c->shape.cols, (double)(c->calls + 1));
  }
  return shim_bcast(c->block, c->types, c->root);
}

static int gather(struct coll_case *c)
{
  if (c->timing != COLL_DEPENDENT)
    coll_data_stamp(c, c->block, c->shape.cols, (double)(c->calls + 1));
  if (shim_gather(c->block, c->whole, c->types, c->root)) return 1;
  if (c->timing == COLL_DEPENDENT && c->rank == c->root)
    c->block[0] = c->whole[coll_shape_first(&c->shape, before(c, c->root))] + 1;
  return 0;
}

static void stamp_whole(struct coll_case *c, double stamp)
{
  for (int i = 0; i < c->npeers; i++)
    coll_data_stamp(c, c->whole + coll_shape_first(&c->shape, i), coll_shape_stride(&c->shape),
                    stamp);
}

static int scatter(struct coll_case *c)
{
  if (c->rank == c->root) {
    if (c->timing == COLL_DEPENDENT)
      c->whole[coll_shape_first(&c->shape, after(c, c->root))] = c->block[0] + 1;
    else
      stamp_whole(c, (double)(c->calls + 1));
  }
  return shim_scatter(c->whole, c->block, c->types, c->root);
}

/* The number of the call to come, if dependent by way of what the last one
 * brought here: every rank stamped that with its number. */
static double next_stamp(const struct coll_case *c)
{
  const bool here = c->op != COLL_REDUCE || c->rank == before(c, c->root);
  if (c->timing != COLL_DEPENDENT || c->calls == 0 || !here) return (double)(c->calls + 1);
  if (!coll_is_sum(c->op)) {
    const double *got = c->op == COLL_ALLGATHER ? c->whole : c->result;
    const struct coll_shape arrived = coll_shape_arrived(&c->shape);
    const int last = (c->rank - c->first_peer + c->npeers - 1) % c->npeers;
    return got[coll_shape_first(&arrived, last)] + 1;
  }
  const int summed = coll_data_summed(c, c->rank);
  return summed ? c->result[0] / summed + 1 : (double)(c->calls + 1);
}

/* The operations in which every rank sends news with every call. */
static int exchange(struct coll_case *c)
{
  const double stamp = next_stamp(c);
  if (coll_places_of[c->op].from == COLL_WHOLE)
    stamp_whole(c, stamp);
  else
    coll_data_stamp(c, c->block, c->shape.cols, stamp);
  switch (c->op) {
  case COLL_ALLGATHER:
    return shim_allgather(c->block, c->whole, c->types);
  case COLL_ALLTOALL:
    return shim_alltoall(c->whole, c->result, c->types);
  case COLL_REDUCE:
    return shim_reduce(c->block, c->result, c->types, c->root);
  case COLL_ALLREDUCE:
    return shim_allreduce(c->block, c->result, c->types);
  case COLL_REDUCE_SCATTER:
    return shim_reduce_scatter(c->whole, c->result, c->types);
  case COLL_SCAN:
    return shim_scan(c->block, c->result, c->types);
  default:
    return shim_exscan(c->block, c->result, c->types);
  }
}

static int call(struct coll_case *c)
{
  switch (c->op) {
  case COLL_BARRIER:
    return shim_barrier();
  case COLL_BCAST:
    return bcast(c);
  case COLL_GATHER:
    return gather(c);
  case COLL_SCATTER:
    return scatter(c);
  default:
    return exchange(c);
  }
}

int coll_case_step(struct coll_case *c)
{
  int failed = call(c);
  c->calls++;
  if (c->timing == COLL_DEPENDENT) c->root = after(c, c->root);
  return failed;
}
