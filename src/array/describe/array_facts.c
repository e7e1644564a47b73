/* This file says in numbers what ranks compare in checking mode. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array/describe/grid_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/parts/view.h"
#include "types/type.h"

const char *mpj_number_text(enum mpj_number_kind kind, MPJ_Count value, char text[MPJ_NUMBER_BYTES])
{
  static const struct {
    enum mpj_number_kind kind;
    int value;
    const char *name;
  } constants[] = {{MPJ_NUMBER_ORDER, MPJ_ORDER_C, "MPJ_ORDER_C"},
                   {MPJ_NUMBER_ORDER, MPJ_ORDER_FORTRAN, "MPJ_ORDER_FORTRAN"},
                   {MPJ_NUMBER_FORMAT, 0, "MPJ_DISTRIBUTE_NONE"},
                   {MPJ_NUMBER_FORMAT, MPJ_DISTRIBUTE_BLOCK, "MPJ_DISTRIBUTE_BLOCK"},
                   {MPJ_NUMBER_FORMAT, MPJ_DISTRIBUTE_CYCLIC, "MPJ_DISTRIBUTE_CYCLIC"},
                   {MPJ_NUMBER_FORMAT, MPJ_DISTRIBUTE_GENERAL, "MPJ_DISTRIBUTE_GENERAL"},
                   {MPJ_NUMBER_FORMAT, MPJ_DISTRIBUTE_INDIRECT, "MPJ_DISTRIBUTE_INDIRECT"},
                   {MPJ_NUMBER_EDGE, MPJ_EDGE_KEEP, "MPJ_EDGE_KEEP"},
                   {MPJ_NUMBER_EDGE, MPJ_EDGE_ZERO, "MPJ_EDGE_ZERO"},
                   {MPJ_NUMBER_EDGE, MPJ_EDGE_CYCLIC, "MPJ_EDGE_CYCLIC"}};
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (constants[i].kind == kind && constants[i].value == value) return constants[i].name;
  snprintf(text, MPJ_NUMBER_BYTES, "%" PRId64, value);
  return text;
}

/* Of an array's own copy of it, what is copied. */
void mpj_element_text(MPJ_Datatype element, MPJ_Count words[MPJ_ELEMENT_WORDS])
{
  static const char copy[] = "dup(";
  char text[MPJ_ELEMENT_WORDS * sizeof *words];
  MPJ_Count needed;
  memset(words, 0, sizeof text);
  if (MPJ_Type_print(element, text, sizeof text, &needed)) return;
  const size_t length = strlen(text), begin = strncmp(text, copy, sizeof copy - 1) ? 0 : 4;
  const size_t end = begin > 0 && text[length - 1] == ')' ? length - 1 : length;
  memcpy(words, text + begin, end - begin);
}

static MPJ_Count list_element(const void *of, MPJ_Count out[])
{
  if (out) mpj_element_text((MPJ_Datatype)(uintptr_t)of, out);
  return MPJ_ELEMENT_WORDS;
}

static MPJ_Count list_lengths(const void *of, MPJ_Count out[])
{
  return mpj_axis_lengths(of, out);
}

static MPJ_Count list_ranks(const void *of, MPJ_Count out[])
{
  const struct mpj_grid_array *a = of;
  for (int i = 0; out && i < a->positions; i++)
    out[i] = a->ranks ? a->ranks[i] : i;
  return a->positions;
}

uint64_t mpj_element_digest(MPJ_Datatype element)
{
  struct mpj_type *type;
  if (mpj_type_resolve(element, "element", &type)) return 0;
  const struct mpj_view view = mpj_type_view(type);
  const struct mpj_signature signature = mpj_view_signature(&view);
  return mpj_signature_digest(&signature);
}

int mpj_elements_match(MPJ_Datatype from, MPJ_Datatype to)
{
  MPJ_Count one[MPJ_ELEMENT_WORDS], other[MPJ_ELEMENT_WORDS];
  int same, map;
  const int status = MPJ_Type_match(from, to, &same, &map);
  if (status || same) return status;
  mpj_element_text(from, one);
  mpj_element_text(to, other);
  return mpj_error(MPJ_ERR_SIGNATURE,
                   "the elements of from, %s, and of to, %s, have unlike signatures",
                   (const char *)one, (const char *)other);
}

struct mpj_fact mpj_fact_of_element(MPJ_Datatype element)
{
  return (struct mpj_fact){.name = "element",
                           .value = (MPJ_Count)(mpj_element_digest(element) >> 1),
                           .of = element,
                           .list = list_element,
                           .text = true};
}

static struct mpj_fact fact_of_ranks(const struct mpj_grid_array *a)
{
  uint64_t places = 0;
  for (int i = 0; i < a->positions; i++)
    places = places * 1000003 + (uint64_t)(a->ranks ? a->ranks[i] : i);
  return (struct mpj_fact){
      .name = "ranks", .value = (MPJ_Count)(places >> 1), .of = a, .list = list_ranks};
}

static const char *const axis_fields[MPJ_AXIS_DIGEST] = {
    ": size",  ": distribute", ": darg",       ": processes", ": grid_dim",
    ": first", ": ghost_low",  ": ghost_high", ": periodic",  ": lengths"};

int mpj_axes_differ(int d, const MPJ_Count from[], const MPJ_Count to[], int k)
{
  const enum mpj_number_kind kind =
      k == MPJ_AXIS_DIGEST_FORMAT ? MPJ_NUMBER_FORMAT : MPJ_NUMBER_PLAIN;
  char texts[2][MPJ_NUMBER_BYTES];
  if (k == MPJ_AXIS_DIGEST_LENGTHS)
    return mpj_error(MPJ_ERR_ARG, "axes[%d]: lengths of from and of to differ", d);
  return mpj_error(MPJ_ERR_ARG, "axes[%d]%s is %s in from, %s in to", d, axis_fields[k],
                   mpj_number_text(kind, from[k], texts[0]),
                   mpj_number_text(kind, to[k], texts[1]));
}

int mpj_array_facts(const struct mpj_grid_array *a, struct mpj_fact facts[])
{
  MPJ_Count values[MPJ_AXIS_DIGEST];
  int n = 0;
  facts[n++] = (struct mpj_fact){.name = "ndims", .value = a->ndims};
  facts[n++] = (struct mpj_fact){.name = "grid_ndims", .value = a->grid_ndims};
  for (int i = 0; i < a->grid_ndims; i++)
    facts[n++] = (struct mpj_fact){.name = "grid", .value = a->grid[i], .index = i, .field = ""};
  facts[n++] = (struct mpj_fact){.name = "order", .value = a->order, .kind = MPJ_NUMBER_ORDER};
  facts[n++] = mpj_fact_of_element(a->element);
  facts[n++] = fact_of_ranks(a);
  for (int d = 0; d < a->ndims; d++) {
    mpj_axis_digest(&a->axes[d], values);
    for (int k = 0; k < MPJ_AXIS_DIGEST; k++)
      facts[n++] = (struct mpj_fact){.name = "axes",
                                     .value = values[k],
                                     .index = d,
                                     .field = axis_fields[k],
                                     .kind = k == MPJ_AXIS_DIGEST_FORMAT ? MPJ_NUMBER_FORMAT
                                                                         : MPJ_NUMBER_PLAIN};
    facts[n - 1].of = &a->axes[d];
    facts[n - 1].list = list_lengths;
  }
  return n;
}

int mpj_facts_of_ranges(const char *name, int n, const int axis[], const MPJ_Range ranges[],
                        struct mpj_fact facts[])
{
  static const char *const fields[3] = {".start", ".count", ".step"};
  for (int i = 0; i < n; i++) {
    const MPJ_Count values[3] = {ranges[i].start, ranges[i].count, ranges[i].step};
    for (int k = 0; k < 3; k++)
      facts[3 * i + k] =
          (struct mpj_fact){.name = name, .value = values[k], .index = axis[i], .field = fields[k]};
  }
  return 3 * n;
}
