/* This file numbers the distinct types that one is built of. */
#include "types/serial/nodes.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/contents.h"

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

static int collect_olds(struct mpj_nodes *nodes, const struct mpj_type_spec *spec)
{
  const struct mpj_type_spec *olds[CHUNK], *before = NULL;
  const MPJ_Count n = mpj_contents_of(spec).types;
  int status = MPJ_SUCCESS;
  for (MPJ_Count first = 0; first < n && !status; first += CHUNK) {
    const MPJ_Count now = n - first < CHUNK ? n - first : CHUNK;
    mpj_contents_types(spec, first, now, olds);
    for (MPJ_Count i = 0; i < now && !status; before = olds[i++])
      if (olds[i] != before) status = mpj_nodes_collect(nodes, olds[i]);
  }
  return status;
}

/* Recursion: at most MPJ_DEPTH_MAX and the dimensions of the last array. */
int mpj_nodes_collect(struct mpj_nodes *nodes, const struct mpj_type_spec *spec)
{
  if (nodes->nslots > 0 && nodes->slots[find_slot(nodes, spec)]) return MPJ_SUCCESS;
  int status = collect_olds(nodes, spec);
  if (!status && nodes->n == nodes->capacity) status = grow(nodes);
  if (status) return status;
  const struct mpj_type_spec own = *spec;
  nodes->specs[nodes->n++] = own;
  nodes->slots[find_slot(nodes, spec)] = (uint32_t)nodes->n;
  return MPJ_SUCCESS;
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
