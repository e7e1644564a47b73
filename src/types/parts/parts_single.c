/* This file is the part table of types that are one part: basic types, and one
 * process's share of a distribution. */
#include <pthread.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/layout/footprint.h"
#include "types/layout/intern.h"
#include "types/make/form.h"
#include "types/parts/tables.h"

struct single {
  struct mpj_parts head;
  struct mpj_type_spec spec; /* map owned; parts NULL, standing for this table */
};

static struct single basics[MPJ_BASIC_COUNT];

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct single *t = (const struct single *)parts;
  (void)i;
  *out = (struct mpj_view){t->spec.map.layout, 1, 0, t->spec.map.displ};
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct single *t = (const struct single *)parts;
  (void)i;
  *origin = 0;
  *spec = mpj_spec_retain(&t->spec);
  spec->parts = mpj_parts_retain((struct mpj_parts *)&t->head);
  return MPJ_SUCCESS;
}

static void measure(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct single *t = (const struct single *)parts;
  if (t >= basics && t < basics + MPJ_BASIC_COUNT) return; /* never allocated */
  if (mpj_footprint_add(f, t)) mpj_footprint_spec(f, &t->spec);
}

static void destroy(struct mpj_parts *parts)
{
  struct single *t = (struct single *)parts;
  mpj_spec_release(&t->spec);
  mpj_free(t);
}

static const struct mpj_parts_ops single_ops = {"single", view,    describe, NULL,
                                                measure,  destroy, true};

int mpj_parts_single(const struct mpj_type_spec *spec, struct mpj_parts **out)
{
  struct single *t = mpj_alloc_array(1, sizeof *t);
  if (!t)
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %zu bytes could not be allocated", sizeof *t);
  t->head.ops = &single_ops;
  t->head.count = 1;
  atomic_init(&t->head.references, 1);
  t->spec = *spec;
  t->spec.parts = NULL;
  mpj_layout_retain(t->spec.map.layout);
  mpj_form_retain(t->spec.form);
  *out = &t->head;
  return MPJ_SUCCESS;
}

static pthread_once_t basics_once = PTHREAD_ONCE_INIT;

static void make_basics(void)
{
  for (int b = 0; b < MPJ_BASIC_COUNT; b++) {
    basics[b].head.ops = &single_ops;
    basics[b].head.count = 1;
    atomic_init(&basics[b].head.references, 1);
    basics[b].spec = (struct mpj_type_spec){.map = {mpj_layout_of_basic(b), 0},
                                            .ub = mpj_basics[b].size,
                                            .alignment = mpj_basics[b].alignment};
  }
}

struct mpj_parts *mpj_parts_of_basic(int basic)
{
  pthread_once(&basics_once, make_basics);
  return &basics[basic].head;
}
