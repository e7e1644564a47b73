/* This header declares what sequences of basic types are called in messages: "3 double,
 * then 6 float". For a peer's data, of which a message has the signature's digest alone,
 * the sequence is looked for: a digest of 64 bits tells the sequences that programs send
 * apart, so correct calls carry nothing for it. Only for errors: it may take a second. */
#ifndef MPJ_SRC_TYPES_INTROSPECT_LETTERS_H
#define MPJ_SRC_TYPES_INTROSPECT_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "types/basic.h"
#include "types/parts/view.h"

enum { MPJ_LETTERS_TRIES = 1 << 27, MPJ_LETTERS_UNKNOWN = -1 };
enum { MPJ_LETTERS_RUNS = 8, MPJ_LETTERS_TEXT = 400, MPJ_LETTERS_SUBJECT = 120 };

/* `times` times the runs, each `count` >= 1 elements of one basic type; no data: n = 0.
 * Neighbouring runs are of unlike letters, but for the last and the first. */
struct mpj_letters {
  struct mpj_letters_run {
    int basic; /* row of mpj_basics */
    MPJ_Count count;
  } runs[MPJ_LETTERS_RUNS];
  int n;
  MPJ_Count times;
  MPJ_Count bytes; /* of all; MPJ_LETTERS_UNKNOWN: nothing is known of them, but `about` */
  bool more;       /* others follow, which are not listed; times is then 1 */
  MPJ_Count about; /* how many bytes there are, nearly; 0: not even that is known */
};

/* Whether two basic types, rows of mpj_basics, have one letter. */
static inline bool mpj_letters_alike(int a, int b)
{
  return mpj_basics[a].letter == mpj_basics[b].letter;
}

/* Append a run; false if there is no room, which sets l->more. */
bool mpj_letters_add(struct mpj_letters *l, int basic, MPJ_Count count);

/* Of a view; of the layout alone. */
void mpj_letters_of_view(const struct mpj_view *view, struct mpj_letters *out);

/* The stretch of `bytes` bytes from byte `first` on; false: the listed runs do not tell it, or are
 * not enough for it. */
bool mpj_letters_cut(const struct mpj_letters *l, MPJ_Count first, MPJ_Count bytes,
                     struct mpj_letters *out);

/* Those of so many bytes whose signature has this digest: one basic type, two one after
 * another, a short pattern of two repeated, or what `own` is made of, cut or repeated, or
 * with some elements of another type. Where none is found, out->n is 0 and out->more is set.
 *   own  what was expected, whose names are preferred */
void mpj_letters_guess(MPJ_Count bytes, uint64_t digest, const struct mpj_letters *own,
                       struct mpj_letters *out);

/* The same for a signature's hash; whether any was found. `out` is only set then.
 *   tries  for two basic types and replaced elements, each of some nanoseconds; 0: these are not
 *          looked for. What is left comes back. */
bool mpj_letters_find(MPJ_Count bytes, uint64_t hash, const struct mpj_letters *own,
                      MPJ_Count *tries, struct mpj_letters *out);

/* "rank 0 sent 3 double, then 6 float; type describes 9 double: they differ at element 3",
 * where a_does is "rank 0 sent" and b_does "type describes". Elements count from 0. */
void mpj_letters_compare(const char *a_does, const struct mpj_letters *a, const char *b_does,
                         const struct mpj_letters *b, char *text, size_t size);

/* MPJ_ERR_SIGNATURE, with that sentence of two views. */
int mpj_letters_refuse(const char *a_does, const struct mpj_view *a, const char *b_does,
                       const struct mpj_view *b);

struct mpj_type;

/* "type", or "type 'column'" where the type has a name (NULL: it has not); returns text. */
const char *mpj_letters_argument(const char *argument, const struct mpj_type *type,
                                 char text[MPJ_LETTERS_SUBJECT]);
/* The same and what it does: "type describes", "type 'column' describes". */
const char *mpj_letters_subject(const char *argument, const struct mpj_type *type, const char *does,
                                char text[MPJ_LETTERS_SUBJECT]);

#endif
