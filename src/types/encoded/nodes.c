/* This file numbers the distinct types that one is built of. */
#include "types/encoded/nodes.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/introspect/contents.h"
#include "types/introspect/contents_read.h"

enum { FIRST_CAPACITY = 16, CHUNK = 16 };

static uint64_t mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 29);
}

static uint64_t hash_spec(const struct mpj_type_spec *spec)
{
  uint64_t hash = mix(spec->map.layout->id, (uint64_t)spec->map.displ);
  hash = mix(hash, (uint64_t)(uintptr_t)spec->parts);
  hash = mix(hash, (uint64_t)(uintptr_t)spec->form);
  hash = mix(hash, (uint64_t)spec->lb);
  hash = mix(hash, (uint64_t)spec->ub);
  return mix(hash, spec->combiner);
}

/* The slot that spec has, or would have. */
static size_t find_slot(const struct mpj_nodes *nodes, const struct mpj_type_spec *spec)
{
  size_t slot = hash_spec(spec) & (nodes->nslots - 1);
  while (nodes->slots[slot] && !mpj_spec_same(&nodes->specs[nodes->slots[slot] - 1], spec))
    slot = (slot + 1) & (nodes->nslots - 1);
  return slot;
}

static int grow(struct mpj_nodes *nodes)
{
  const size_t capacity = nodes->capacity ? 2 * nodes->capacity : FIRST_CAPACITY;
  if (capacity > INT32_MAX) return mpj_error(MPJ_ERR_UNSUPPORTED, "type has 2^31 old types");
  struct mpj_type_spec *specs = mpj_alloc_array(capacity, sizeof *specs);
  uint32_t *slots = mpj_alloc_array(2 * capacity, sizeof *slots);
  if (!specs || !slots) {
    mpj_free(specs);
    mpj_free(slots);
    return mpj_error(MPJ_ERR_NO_MEM, "list of %zu types could not be allocated", capacity);
  }
  if (nodes->n > 0) memcpy(specs, nodes->specs, nodes->n * sizeof *specs);
  mpj_free(nodes->specs);
  mpj_free(nodes->slots);
  nodes->specs = specs;
  nodes->slots = slots;
  nodes->capacity = capacity;
  nodes->nslots = 2 * capacity;
  for (size_t i = 0; i < nodes->n; i++)
    slots[find_slot(nodes, &specs[i])] = (uint32_t)i + 1;
  return MPJ_SUCCESS;
}

static int add(struct mpj_nodes *nodes, const struct mpj_type_spec *spec)
{
  int status = nodes->n == nodes->capacity ? grow(nodes) : MPJ_SUCCESS;
  if (status) return status;
  const struct mpj_type_spec own = *spec;
  nodes->specs[nodes->n++] = own;
  nodes->slots[find_slot(nodes, spec)] = (uint32_t)nodes->n;
  return MPJ_SUCCESS;
}

static bool is_in(const struct mpj_nodes *nodes, const struct mpj_type_spec *spec)
{
  return nodes->nslots > 0 && nodes->slots[find_slot(nodes, spec)];
}

/* A type whose old types are being collected: those before `next` are. */
struct open {
  const struct mpj_type_spec *spec, *last; /* last: the old type before `next`, or NULL */
  MPJ_Count next, n;
};

/* The types that are open, each an old type of the one before. */
struct stack {
  struct open *all; /* [capacity], owned */
  size_t n, capacity;
};

static int push(struct stack *stack, const struct mpj_type_spec *spec)
{
  if (stack->n == stack->capacity) {
    const size_t capacity = stack->capacity ? 2 * stack->capacity : FIRST_CAPACITY;
    struct open *all = mpj_alloc_array(capacity, sizeof *all);
    if (!all)
      return mpj_error(MPJ_ERR_NO_MEM, "list of %zu types could not be allocated", capacity);
    if (stack->n > 0) memcpy(all, stack->all, stack->n * sizeof *all);
    mpj_free(stack->all);
    stack->all = all;
    stack->capacity = capacity;
  }
  stack->all[stack->n++] = (struct open){spec, NULL, 0, mpj_contents_of(spec).types};
  return MPJ_SUCCESS;
}

/* The next old type that is not in yet, or NULL. */
static const struct mpj_type_spec *next_old(const struct mpj_nodes *nodes, struct open *open)
{
  const struct mpj_type_spec *olds[CHUNK];
  while (open->next < open->n) {
    const MPJ_Count left = open->n - open->next, now = left < CHUNK ? left : CHUNK;
    mpj_contents_types(open->spec, open->next, now, olds);
    for (MPJ_Count i = 0; i < now; i++) {
      open->next++;
      if (olds[i] == open->last) continue;
      open->last = olds[i];
      if (!is_in(nodes, olds[i])) return olds[i];
    }
  }
  return NULL;
}

/* No recursion: types nest deeper than small stacks are. */
int mpj_nodes_collect(struct mpj_nodes *nodes, const struct mpj_type_spec *spec)
{
  struct stack stack = {NULL, 0, 0};
  int status = is_in(nodes, spec) ? MPJ_SUCCESS : push(&stack, spec);
  while (stack.n > 0 && !status) {
    struct open *top = &stack.all[stack.n - 1];
    const struct mpj_type_spec *old = next_old(nodes, top);
    if (old) {
      status = push(&stack, old);
    } else {
      status = add(nodes, top->spec);
      stack.n--;
    }
  }
  mpj_free(stack.all);
  return status;
}

size_t mpj_nodes_number(const struct mpj_nodes *nodes, const struct mpj_type_spec *spec)
{
  return nodes->slots[find_slot(nodes, spec)] - 1;
}

void mpj_nodes_free(struct mpj_nodes *nodes)
{
  mpj_free(nodes->specs);
  mpj_free(nodes->slots);
  *nodes = (struct mpj_nodes){.specs = NULL};
}
