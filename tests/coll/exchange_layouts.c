/* This file makes the parted types of the exchanges' plays. */
#include "coll/exchange_layouts.h"

#include <stdio.h>
#include <stdlib.h>

#include "types/basic.h"

static void must(int status, const char *what)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s failed: %s\n", what, MPJ_Error_detail());
  exit(2);
}

static void *array(int n, size_t size)
{
  void *p = calloc((size_t)n + 1, size);
  if (!p) exit(2);
  return p;
}

void piece_make(uint64_t seed, bool small, struct layout *out)
{
  struct mpj_random rng = {seed};
  const struct mpj_random_options few = {.depth = 2, .max_elements = 12, .receivable = true};
  if (!small) {
    layout_whole(&rng, out);
    return;
  }
  *out = (struct layout){0};
  mpj_random_type_make(&rng, &few, &out->t);
  must(MPJ_Type_commit(&out->t.type), "commit");
}

/* Places for n pieces: displs[i] is where piece i's displacement 0 goes. */
static void place(struct mpj_random *rng, int n, const struct layout pieces[], MPJ_Aint displs[])
{
  const int first = (int)mpj_random_in(rng, 0, n - 1);
  const bool backward = mpj_random_in(rng, 0, 1);
  MPJ_Aint at = 0;
  for (int k = 0; k < n; k++) {
    const int i = (first + (backward ? n - k : k)) % n;
    const struct mpj_ref *ref = pieces[i].t.ref;
    displs[i] = at - mpj_ref_true_lb(ref);
    at += mpj_ref_true_ub(ref) - mpj_ref_true_lb(ref) + mpj_random_in(rng, 0, 24);
  }
}

/* A struct of the pieces as they are, or a sparse type of those that are given; frees them. */
static void make_struct(struct mpj_random *rng, int n, struct layout pieces[], const bool given[],
                        struct layout *out)
{
  int m = 0;
  MPJ_Count *parts = array(n, sizeof *parts);
  MPJ_Count *lens = array(n, sizeof *lens);
  MPJ_Aint *displs = array(n, sizeof *displs);
  MPJ_Datatype *types = array(n, sizeof *types);
  struct mpj_ref **refs = array(n, sizeof *refs);
  place(rng, n, pieces, displs);
  for (int i = 0; i < n; i++) {
    if (given && !given[i]) continue;
    parts[m] = i;
    lens[m] = 1;
    displs[m] = displs[i];
    types[m] = pieces[i].t.type;
    refs[m++] = pieces[i].t.ref;
  }
  *out = (struct layout){.t.text = "struct of one piece a rank"};
  if (given) {
    snprintf(out->t.text, sizeof out->t.text, "sparse, %d pieces of %d", m, n);
    out->t.ref = mpj_ref_sparse(n, m, parts, displs, refs);
    must(MPJ_Type_create_sparse(n, m, parts, displs, types, &out->t.type), "sparse");
  } else {
    out->t.ref = mpj_ref_struct(n, lens, displs, refs);
    must(MPJ_Type_create_struct(n, lens, displs, types, &out->t.type), "struct of pieces");
  }
  must(MPJ_Type_commit(&out->t.type), "commit");
  for (int i = 0; i < n; i++)
    layout_free(&pieces[i]);
  free(refs);
  free(types);
  free(displs);
  free(lens);
  free(parts);
}

void parted_of_pieces(struct mpj_random *rng, int n, struct layout pieces[], struct layout *out)
{
  sparse_of_pieces(rng, n, pieces, NULL, out);
}

void sparse_of_pieces(struct mpj_random *rng, int n, struct layout pieces[], const bool given[],
                      struct layout *out)
{
  struct layout *anew = array(n, sizeof *anew);
  for (int i = 0; i < n; i++) {
    layout_retyped(rng, &pieces[i], -1, &anew[i]);
    layout_free(&pieces[i]);
  }
  make_struct(rng, n, anew, given, out);
  free(anew);
}

void parted_again(struct mpj_random *rng, int n, const struct layout *of, int part,
                  struct layout *out)
{
  struct layout *anew = array(n, sizeof *anew);
  for (int i = 0; i < n; i++)
    layout_retyped(rng, of, part >= 0 ? part : i, &anew[i]);
  make_struct(rng, n, anew, NULL, out);
  free(anew);
}
