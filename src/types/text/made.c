/* This file keeps the types that a text has been read into, by their texts. */
#include "types/text/made.h"

#include <string.h>

#include <mpj/datatype.h>

#include "base/memory.h"
#include "base/status.h"

enum { FIRST_CAPACITY = 32 };

/* The slot that such a text has, or would have. */
static size_t find_slot(const struct mpj_made *made, const struct mpj_made_type *wanted)
{
  size_t at = wanted->hash & (made->capacity - 1);
  for (;; at = (at + 1) & (made->capacity - 1)) {
    const struct mpj_made_type *t = &made->slots[at];
    if (t->type == MPJ_DATATYPE_NULL) return at;
    if (t->hash == wanted->hash && t->length == wanted->length &&
        memcmp(t->start, wanted->start, t->length) == 0)
      return at;
  }
}

MPJ_Datatype mpj_made_find(const struct mpj_made *made, const struct mpj_made_type *wanted)
{
  return made->capacity ? made->slots[find_slot(made, wanted)].type : MPJ_DATATYPE_NULL;
}

static int grow(struct mpj_made *made)
{
  struct mpj_made larger = {.n = made->n,
                            .capacity = made->capacity ? 2 * made->capacity : FIRST_CAPACITY};
  larger.slots = mpj_alloc_array(larger.capacity, sizeof *larger.slots);
  if (!larger.slots)
    return mpj_error(MPJ_ERR_NO_MEM, "list of %zu types could not be allocated", larger.capacity);
  for (size_t i = 0; i < larger.capacity; i++)
    larger.slots[i].type = MPJ_DATATYPE_NULL;
  for (size_t i = 0; i < made->capacity; i++) {
    const struct mpj_made_type t = made->slots[i];
    if (t.type != MPJ_DATATYPE_NULL) larger.slots[find_slot(&larger, &t)] = t;
  }
  mpj_free(made->slots);
  *made = larger;
  return MPJ_SUCCESS;
}

int mpj_made_add(struct mpj_made *made, struct mpj_made_type type)
{
  const int status = 2 * made->n < made->capacity ? MPJ_SUCCESS : grow(made);
  if (status) {
    MPJ_Type_free(&type.type);
    return status;
  }
  made->slots[find_slot(made, &type)] = type;
  made->n++;
  return MPJ_SUCCESS;
}

void mpj_made_free(struct mpj_made *made)
{
  for (size_t i = 0; i < made->capacity; i++)
    if (made->slots[i].type != MPJ_DATATYPE_NULL) MPJ_Type_free(&made->slots[i].type);
  mpj_free(made->slots);
  *made = (struct mpj_made){0};
}
