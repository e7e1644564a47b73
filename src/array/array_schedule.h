/* This header declares schedules: lists of phases, equally many and of the same kinds on all ranks.
 *
 *   EXCHANGE  an Alltoall of sparse types: from -> to
 *   BCAST     from one of the ranks that hold the same part of `to` to the others of them
 *   LOCAL     of a halo, what a rank has for itself: each region a copy of its own
 *   SPREAD    a local copy within `to`: from the first place of what was asked for repeatedly
 *   ZERO      zeros into places of `to`
 *
 * The first phase is the exchange; there is one. Backward runs them reversed, in rounds (rounds.h).
 * A joined schedule has members, whose exchanges go in one, and no phase of its own. */
#ifndef MPJ_SRC_ARRAY_ARRAY_SCHEDULE_H
#define MPJ_SRC_ARRAY_ARRAY_SCHEDULE_H

#include <stdatomic.h>

#include "array/patches.h"

enum mpj_phase_kind {
  MPJ_PHASE_EXCHANGE,
  MPJ_PHASE_BCAST,
  MPJ_PHASE_LOCAL,
  MPJ_PHASE_SPREAD,
  MPJ_PHASE_ZERO
};
enum { MPJ_SCHEDULE_MARK = 0x53504a4d, MPJ_PHASES_MAX = 4 };

/* An element that was asked for repeatedly. Its n places in `to`, in elements, are
 * places[first] .. places[first + n - 1] of the spread; the first is the exchange's. */
struct mpj_repeated {
  MPJ_Count first, n;
  MPJ_Count number; /* among all elements that come, in the order of the exchange */
  MPJ_Count at;     /* place in the image of its round */
};

/* All of these, by round and then by falling number of places. */
struct mpj_spread {
  MPJ_Count n;
  struct mpj_repeated *elements; /* [n] owned, as the following */
  MPJ_Count *places;
  MPJ_Count *begins; /* [rounds + 1] the first element of each round */
};

/* spread.c: room for n elements of so many places in all. Errors: MPJ_ERR_NO_MEM. */
int mpj_spread_new(struct mpj_spread *spread, MPJ_Count n, MPJ_Count places);
void mpj_spread_end(struct mpj_spread *spread);

struct mpj_phase {
  enum mpj_phase_kind kind;
  MPJ_Comm comm; /* borrowed of the schedule or an array */
  int root;
  MPJ_Datatype send, recv; /* owned; of a BCAST recv is what all have, send is null */
};

/* How many elements of a count (rounds.h) are a round's. */
struct mpj_window {
  MPJ_Count elements; /* at least 1; 0: all */
  MPJ_Count *starts;  /* [ranks of in] where the elements for each begin in its count; NULL: at 0 */
};

/* What backward receives at a time before it combines it. An image is a row of elements, those for
 * the first rank first: what was combined before it is sent. */
struct mpj_round {
  struct mpj_patches slices;  /* of `to` that belong to the round, sorted, as the following */
  struct mpj_patches image;   /* where these are in the image, if the schedule has one */
  struct mpj_patches scratch; /* where what comes is received: each rank's elements in a row */
  struct mpj_patches pieces;  /* of `from`: what is combined where */
  MPJ_Datatype slices_type, image_type, scratch_type; /* owned; a part for each rank */
  MPJ_Datatype pieces_type; /* owned; of several rounds that may go straight to their places */
  MPJ_Count image_bytes, scratch_bytes;
  MPJ_Count repeated, repeated_end; /* of the spread's elements */
  /* [ncuts][pieces.n] owned, or NULL: so many bytes of each piece belong to the windows of `from`
   * up to this one; what several ranks combine in a window is in the caches after the first. */
  MPJ_Count *cuts;
  MPJ_Count ncuts;
};

struct mpj_array_schedule {
  uint32_t mark; /* of the handle pool */
  mpj_refcount references;
  _Atomic bool freed; /* by the program: members of a joined one and those under way live on */
  _Atomic int runs;   /* and requests, that go by its rounds as these are now */
  MPJ_Comm comm;
  int size, rank;
  MPJ_Count serial;        /* in checking mode: see mpj_array_agree_new; else 0 */
  MPJ_Datatype element;    /* owned */
  MPJ_Datatype spaced;     /* owned: the same with the bounds of its data */
  MPJ_Count element_bytes; /* of data */
  MPJ_Aint extent, true_lb, true_extent;
  bool dense;               /* an element's memory is its packed form */
  bool rising;              /* each rank has one patch of `from`, in rising order of its places */
  int nrounds;              /* 0: backward has not needed any */
  struct mpj_window window; /* of several rounds; its starts are owned */
  MPJ_Count bound;          /* of the memory of a run backward, as it was given; 0: there is none */
  struct mpj_round
      *round; /* owned: the only one; or NULL: each run makes one of several at a time */
  MPJ_Count scratch_bytes, image_bytes; /* that a run needs: of the largest round */
  /* Scratch memory and image of a run backward that has ended, which the next one takes; owned, or
   * NULL. With a head (play.c). */
  _Atomic(char *) kept_scratch, kept_image;
  int nphases;
  struct mpj_phase phases[MPJ_PHASES_MAX];
  struct mpj_patches out, in; /* of the exchange, sorted; owned */
  bool receives;              /* `in` is received by this rank, not by another copy of it */
  bool overlap;               /* places of `from` are sent more than once: backward must combine */
  bool spreads;               /* it has a SPREAD phase */
  bool reduces;               /* it has a BCAST phase */
  bool in_place;              /* from and to are one buffer */
  struct mpj_spread spread;   /* of the SPREAD phase */
  void *zeros;                /* an element of them, owned: of a ZERO phase */
  MPJ_Datatype facts;         /* owned, or null: of what ranks say of a run (compare_runs.h) */
  struct mpj_grid_array *arrays[2];    /* shared, or NULL */
  int nmembers;                        /* of a joined one; else 0 */
  struct mpj_array_schedule **members; /* [nmembers] owned, each shared */
  const char *name;                    /* of what made it, for people */
};

/* The elements of patches [i, end). */
static inline MPJ_Count mpj_elements_of(const struct mpj_array_schedule *s,
                                        const struct mpj_patches *p, size_t i, size_t end)
{
  MPJ_Count bytes = 0;
  for (; i < end; i++)
    bytes += p->list[i].bytes;
  return s->element_bytes > 0 ? bytes / s->element_bytes : 0;
}

/* Its members, or itself. */
static inline int mpj_array_schedule_members(const struct mpj_array_schedule *s)
{
  return s->nmembers > 0 ? s->nmembers : 1;
}
static inline struct mpj_array_schedule *mpj_array_schedule_member(struct mpj_array_schedule *s,
                                                                   int i)
{
  return s->nmembers > 0 ? s->members[i] : s;
}

#endif
