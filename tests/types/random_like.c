/* This file makes types of the same signature as others, laid out in another way. */
#include <stdio.h>
#include <stdlib.h>

#include "types/basic.h"
#include "types/random_arguments.h"

enum { NESTED = 3 }; /* structs in one another, at most */

/* The pieces of a type made like another; arrays for as many as it has elements. */
struct pieces {
  MPJ_Count n;
  MPJ_Count *lens;
  MPJ_Aint *displs;
  MPJ_Datatype *types;
  struct mpj_ref **refs;
  MPJ_Aint up, down; /* the free bytes begin here, on either side of 0 */
};

/* How many of the n elements, at most `limit`, are of the first one's basic type. */
static MPJ_Count same_basic(const struct mpj_ref_entry map[], MPJ_Count n, MPJ_Count limit)
{
  MPJ_Count length = 1;
  while (length < n && length < limit && map[length].basic == map[0].basic)
    length++;
  return length;
}

/* A free place for len elements of the basic type, aligned for it. */
static MPJ_Aint place(struct mpj_random *rng, struct pieces *p, int basic, MPJ_Count len)
{
  enum { UNIT = 2 * MPJ_BASIC_ALIGN_MAX };
  MPJ_Aint bytes = (len * mpj_basics[basic].size + UNIT - 1) / UNIT * UNIT;
  MPJ_Aint gap = one_in(rng, 3) ? 0 : mpj_random_in(rng, 1, 3) * UNIT;
  if (one_in(rng, 4)) {
    p->down -= bytes + gap;
    return p->down;
  }
  if (gap == 0) bytes = len * mpj_basics[basic].size;
  MPJ_Aint alignment = mpj_basics[basic].alignment;
  MPJ_Aint displ = (p->up + alignment - 1) / alignment * alignment;
  p->up = displ + bytes + gap;
  return displ;
}

static void cut_pieces(struct mpj_random *rng, const struct mpj_ref_entry map[], MPJ_Count n,
                       struct pieces *p)
{
  for (MPJ_Count e = 0; e < n; e += p->lens[p->n++]) {
    int basic = map[e].basic;
    p->lens[p->n] = same_basic(map + e, n - e, mpj_random_in(rng, 1, 12));
    p->types[p->n] = MPJ_BASIC_(basic);
    p->refs[p->n] = mpj_ref_basic(basic);
    p->displs[p->n] = place(rng, p, basic, p->lens[p->n]);
  }
}

static void free_pieces(struct pieces *p)
{
  for (MPJ_Count i = 0; i < p->n; i++)
    mpj_ref_release(p->refs[i]);
  free(p->refs);
  free(p->types);
  free(p->displs);
  free(p->lens);
}

/* Pieces [first, end), from displacement `origin` on, as a struct: each a block, or some of them
 * together a struct in it, down to `depth` of such. */
static void join_pieces(struct mpj_random *rng, const struct pieces *p, MPJ_Count first,
                        MPJ_Count end, MPJ_Aint origin, int depth, struct mpj_random_type *out)
{
  const size_t room = (size_t)(end - first) + 1;
  MPJ_Count n = 0, *lens = calloc(room, sizeof *lens);
  MPJ_Aint *displs = calloc(room, sizeof *displs);
  MPJ_Datatype *types = calloc(room, sizeof *types);
  struct mpj_ref **refs = calloc(room, sizeof *refs);
  mpj_call_must(lens && displs && types && refs, out, "no memory");
  for (MPJ_Count i = first, m; i < end; i += m, n++) {
    m = depth > 0 && one_in(rng, 4) ? mpj_random_in(rng, 1, least(end - i, MAX_MANY)) : 1;
    struct mpj_random_type some = {p->types[i], p->refs[i], ""};
    if (m > 1) join_pieces(rng, p, i, i + m, p->displs[i], depth - 1, &some);
    lens[n] = m > 1 ? 1 : p->lens[i];
    displs[n] = p->displs[i] - origin;
    types[n] = some.type;
    refs[n] = m > 1 ? some.ref : mpj_ref_retain(some.ref);
  }
  out->ref = mpj_ref_struct(n, lens, displs, refs);
  mpj_call_must(MPJ_Type_create_struct(n, lens, displs, types, &out->type) == MPJ_SUCCESS, out,
                "constructor failed");
  for (MPJ_Count i = 0; i < n; i++) {
    struct mpj_random_type some = {types[i], refs[i], ""};
    mpj_random_type_free(&some);
  }
  free(refs);
  free(types);
  free(displs);
  free(lens);
}

void mpj_random_type_like(struct mpj_random *rng, const struct mpj_ref *ref,
                          struct mpj_random_type *out)
{
  size_t room = (size_t)mpj_ref_elements(ref) + 1;
  MPJ_Count n = 0;
  struct mpj_ref_entry *map = calloc(room, sizeof *map);
  struct pieces p = {.lens = calloc(room, sizeof *p.lens),
                     .displs = calloc(room, sizeof *p.displs),
                     .types = calloc(room, sizeof *p.types),
                     .refs = calloc(room, sizeof *p.refs)};
  snprintf(out->text, sizeof out->text, "like");
  mpj_call_must(map && p.lens && p.displs && p.types && p.refs, out, "no memory");
  for (MPJ_Count e = 0; e < ref->n; e++)
    if (ref->map[e].basic >= 0) map[n++] = ref->map[e];
  cut_pieces(rng, map, n, &p);
  join_pieces(rng, &p, 0, p.n, 0, one_in(rng, 2) ? 0 : NESTED, out);
  free_pieces(&p);
  free(map);
}
