/* This file keeps the names of datatypes. */
#include <inttypes.h>
#include <string.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/introspect/annex.h"
#include "types/type.h"

int mpj_annex_need(struct mpj_type *type, struct mpj_annex **out)
{
  if (!type->annex) type->annex = mpj_alloc_array(1, sizeof *type->annex);
  if (!type->annex) return mpj_error(MPJ_ERR_NO_MEM, "annex of a type could not be allocated");
  *out = type->annex;
  return MPJ_SUCCESS;
}

struct mpj_annex *mpj_annex_of_name(const struct mpj_type *type)
{
  const char *name = type->annex ? type->annex->name : NULL;
  const size_t bytes = name ? strlen(name) + 1 : 0;
  struct mpj_annex *annex = name ? mpj_alloc(sizeof *annex + bytes) : NULL;
  if (!annex) return NULL;
  *annex = (struct mpj_annex){.name = (char *)(annex + 1)};
  memcpy(annex->name, name, bytes);
  return annex;
}

int MPJ_Type_set_name(MPJ_Datatype type, const char *name)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  struct mpj_annex *annex = NULL;
  int status = mpj_need(name, "name");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  if (t->basic >= 0)
    return mpj_error(MPJ_ERR_TYPE, "type is %s, a basic type, whose name is its own",
                     mpj_basics[t->basic].name);
  const size_t n = strnlen(name, MPJ_TYPE_NAME_MAX);
  if (n == MPJ_TYPE_NAME_MAX)
    return mpj_error(MPJ_ERR_ARG, "name has %zu bytes or more, at most %d are kept", n,
                     MPJ_TYPE_NAME_MAX - 1);
  char *copy = mpj_alloc(n + 1);
  if (!copy) return mpj_error(MPJ_ERR_NO_MEM, "name of %zu bytes could not be allocated", n);
  memcpy(copy, name, n + 1);
  status = mpj_annex_need(t, &annex);
  if (status) {
    mpj_free(copy);
    return status;
  }
  mpj_free(annex->name);
  annex->name = copy;
  return MPJ_SUCCESS;
}

int MPJ_Type_get_name(MPJ_Datatype type, char name[MPJ_TYPE_NAME_MAX])
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_need(name, "name");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  const char *own = t->basic >= 0                ? mpj_basics[t->basic].name
                    : t->annex && t->annex->name ? t->annex->name
                                                 : "";
  memcpy(name, own, strlen(own) + 1);
  return MPJ_SUCCESS;
}
