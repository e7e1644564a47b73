/* This file says in numbers what ranks compare in checking mode. */
#include <stdio.h>
#include <string.h>

#include "array/describe/grid_array.h"
#include "base/memory.h"
#include "types/parts/view.h"
#include "types/type.h"

enum { TEXT_WORDS = 16 };

/* What the element is, as text in words; of an array's own copy of it, what is copied. */
static MPJ_Count list_element(const void *of, MPJ_Count out[])
{
  static const char copy[] = "dup(";
  char text[TEXT_WORDS * sizeof *out];
  MPJ_Count needed;
  if (!out) return TEXT_WORDS;
  memset(out, 0, sizeof text);
  if (MPJ_Type_print((MPJ_Datatype)(uintptr_t)of, text, sizeof text, &needed)) return TEXT_WORDS;
  const size_t length = strlen(text), begin = strncmp(text, copy, sizeof copy - 1) ? 0 : 4;
  const size_t end = begin > 0 && text[length - 1] == ')' ? length - 1 : length;
  memcpy(out, text + begin, end - begin);
  return TEXT_WORDS;
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

int mpj_array_facts(const struct mpj_grid_array *a, struct mpj_fact facts[])
{
  static const char *const fields[MPJ_AXIS_DIGEST] = {
      ": size",  ": distribute", ": darg",       ": processes", ": grid_dim",
      ": first", ": ghost_low",  ": ghost_high", ": periodic",  ": lengths"};
  MPJ_Count values[MPJ_AXIS_DIGEST];
  int n = 0;
  facts[n++] = (struct mpj_fact){.name = "ndims", .value = a->ndims};
  facts[n++] = (struct mpj_fact){.name = "grid_ndims", .value = a->grid_ndims};
  for (int i = 0; i < a->grid_ndims; i++)
    facts[n++] = (struct mpj_fact){"grid", a->grid[i], i, "", NULL, NULL, false};
  facts[n++] = (struct mpj_fact){.name = "order", .value = a->order};
  facts[n++] = mpj_fact_of_element(a->element);
  facts[n++] = fact_of_ranks(a);
  for (int d = 0; d < a->ndims; d++) {
    mpj_axis_digest(&a->axes[d], values);
    for (int k = 0; k < MPJ_AXIS_DIGEST; k++)
      facts[n++] = (struct mpj_fact){"axes", values[k], d, fields[k], NULL, NULL, false};
    facts[n - 1].of = &a->axes[d];
    facts[n - 1].list = list_lengths;
  }
  return n;
}

int mpj_facts_of_ranges(const char *name, int n, const int axis[], const MPJ_Range ranges[],
                        struct mpj_fact facts[])
{
  for (int i = 0; i < n; i++) {
    facts[3 * i] = (struct mpj_fact){name, ranges[i].start, axis[i], ".start", NULL, NULL, false};
    facts[3 * i + 1] =
        (struct mpj_fact){name, ranges[i].count, axis[i], ".count", NULL, NULL, false};
    facts[3 * i + 2] = (struct mpj_fact){name, ranges[i].step, axis[i], ".step", NULL, NULL, false};
  }
  return 3 * n;
}
