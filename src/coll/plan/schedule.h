/* This header declares schedules: one rank's steps of one collective, as an
 * algorithm lays them down.
 *
 * A schedule knows ranks, buffers and parts, and nothing of types, addresses or
 * transports. The same schedule serves every call with the same (operation,
 * root, algorithm) on a communicator.
 *
 * Steps (the number that a function returns names the step in later `deps`):
 *   signal  set `bit` in the peer's control window
 *   await   wait for a peer's signal
 *   meet    wait until every rank of the communicator has come to this step; all
 *           count at one rank's control window, so all must share its memory
 *   post    leave a part of a buffer where all ranks can take it at any time,
 *           if there is room: then the sends that depend on it for that have nothing to
 *           do; a schedule has one at most
 *   send    move a part of a buffer to the peer, where it arrives as `bit`
 *   recv    take what arrives as `bit` from the peer into a part of a buffer
 *           or, if it has a source (a temporary), combine it: dst := arrival (op) dst;
 *           what does not come within a message waits in the temporary
 *   copy    a part of one buffer to a part of another, on this rank
 *   reduce  dst := src (op) dst; src is dense, e.g. a temporary
 *   judge   a verdict, of its source: whether a buffer qualifies (steps/verdict.h); the
 *           conjunction with another verdict; or true, of none
 * A step runs when all its dependencies have completed and, for await and recv,
 * the arrival is here. A schedule is complete when all steps are.
 *
 * Bits. An arrival is named by a bit of the receiver's operation slot; each await or recv of
 * a schedule has a bit of its own, at most MPJ_ARRIVALS_MOST, that of an await below
 * MPJ_BITS_MAX. A slot's bits are as many as the schedule's arrivals. Bit 0 is
 * the own call's. Sender and receiver name the same bit by construction of the
 * algorithm; where one arrival comes from each rank, it is the distance from the
 * receiver, mpj_distance_bit. */
#ifndef MPJ_SRC_COLL_PLAN_SCHEDULE_H
#define MPJ_SRC_COLL_PLAN_SCHEDULE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "coll/plan/operations.h"
#include "types/sparse/part_list.h"

/* What a rank calls as an operation, as messages say it. */
struct mpj_called {
  uint8_t operation, algorithm, radix, segments; /* enum mpj_operation; 0: it has none */
  int32_t root;                                  /* negative: it has none (enum mpj_part_of) */
};
/* In place of `segments`, in what one says to another: on another communicator, or of another
 * persistent request. */
enum { MPJ_SEGMENTS_ELSEWHERE = 255 };
/* The function's name; of an init "MPJ_Gather_init", by the operation that is its algorithm. */
static inline const char *mpj_called_name(struct mpj_called c)
{
  return c.operation == MPJ_OPERATION_INIT ? mpj_init_name(c.algorithm)
                                           : mpj_call_name(c.operation, c.root);
}

enum mpj_step_kind {
  MPJ_STEP_SIGNAL,
  MPJ_STEP_AWAIT,
  MPJ_STEP_MEET,
  MPJ_STEP_POST,
  MPJ_STEP_SEND,
  MPJ_STEP_RECV,
  MPJ_STEP_COPY,
  MPJ_STEP_REDUCE,
  MPJ_STEP_JUDGE
};

enum mpj_buffer {
  MPJ_BUFFER_NONE,
  MPJ_BUFFER_SEND,
  MPJ_BUFFER_RECV,
  MPJ_BUFFER_TEMP,
  MPJ_BUFFER_BUNDLE,
  MPJ_BUFFER_VERDICT
};
enum { MPJ_ARRIVALS_BITS = 20, MPJ_ARRIVALS_MOST = (1 << MPJ_ARRIVALS_BITS) - 1 };
enum { MPJ_WHOLE = -1, MPJ_STEPS_MAX = INT32_MAX, MPJ_TEMPORARIES_MAX = (1 << 23) - 1 };
#define MPJ_NO_STEP UINT32_MAX

/* The bit by which what `source` sends arrives at `receiver`: 1 .. size - 1. */
static inline unsigned mpj_distance_bit(int source, int receiver, int size)
{
  return (unsigned)((source - receiver + size) % size);
}

/* A part of one of the call's buffers, the whole of it, or a temporary; of that,
 * if nsegments > 0, only `span` consecutive stretches of the packed stream from
 * the segment'th on, where the stream is cut
 *   into nsegments stretches between elements, as equal as can be; or
 *   by_parts: into the parts of the buffer (that the temporary is like), of
 *   which there are nsegments.
 * A stretch that is sent or received is of an operand whose data is dense.
 *
 * Of a bundle: the records with the tags segment .. segment + span - 1; all, if
 * nsegments is 0. See mpj_schedule_bundle. */
struct mpj_operand {
  uint16_t buffer;   /* enum mpj_buffer */
  uint16_t by_parts; /* 0 or 1 */
  int32_t part;      /* MPJ_WHOLE, a part's number, or a temporary's */
  int32_t segment, span, nsegments;
};
static_assert(sizeof(struct mpj_operand) == 20, "nothing lies between its fields");

static inline struct mpj_operand mpj_operand_segments(struct mpj_operand whole, int first, int span,
                                                      int nsegments)
{
  whole.segment = first;
  whole.span = span;
  whole.nsegments = nsegments;
  return whole;
}

static inline struct mpj_operand mpj_operand_segment(struct mpj_operand whole, int segment,
                                                     int nsegments)
{
  return mpj_operand_segments(whole, segment, 1, nsegments);
}

/* The stretch of parts first .. first + span - 1 of nparts. */
static inline struct mpj_operand mpj_operand_parts(struct mpj_operand whole, int first, int span,
                                                   int nparts)
{
  whole = mpj_operand_segments(whole, first, span, nparts);
  whole.by_parts = true;
  return whole;
}

static inline struct mpj_operand mpj_operand_none(void)
{
  return (struct mpj_operand){.buffer = MPJ_BUFFER_NONE, .part = MPJ_WHOLE};
}
static inline struct mpj_operand mpj_operand_part(enum mpj_buffer buffer, int part)
{
  return (struct mpj_operand){.buffer = (uint16_t)buffer, .part = part};
}
static inline struct mpj_operand mpj_operand_whole(enum mpj_buffer buffer)
{
  return (struct mpj_operand){.buffer = (uint16_t)buffer, .part = MPJ_WHOLE};
}
/* The records of a bundle with tags first .. first + n - 1. */
static inline struct mpj_operand mpj_operand_records(struct mpj_operand bundle, int first, int n)
{
  return mpj_operand_segments(bundle, first, n, 1);
}

/* Operands are named by their places in the schedule's list: most are used more than once. */
struct mpj_step {
  uint32_t kind : 7;   /* enum mpj_step_kind */
  uint32_t posted : 1; /* send: nothing to do if the post was made; recv: may come so */
  uint32_t bit : MPJ_ARRIVALS_BITS; /* of signal, await, send, recv */
  int32_t peer;                     /* rank (mpj_comm_peer, if shared); -1 where there is none */
  uint32_t src, dst;
  uint32_t
      first_next; /* steps that depend on this one: next[first_next ..] up to the next step's */
};

/* Variants of a schedule, a sum of what this rank's buffers are like: */
enum {
  MPJ_VARIANT_IN_PLACE = 1,   /* the input lies where the output goes */
  MPJ_VARIANT_SEND_DENSE = 2, /* the data of the whole send buffer is dense */
  MPJ_VARIANT_RECV_DENSE = 4, /* that of the whole receive buffer is */
  /* and of what all ranks know: */
  MPJ_VARIANT_ORDERED = 8,       /* the operation does not commute */
  MPJ_VARIANT_RADIX = 16,        /* times the algorithm's radix, below 256 */
  MPJ_VARIANT_SEGMENTS = 1 << 16 /* times the number of segments, below 256 */
};
enum { MPJ_RADIX_MOST = 255 };
static inline int mpj_variant_radix(unsigned variant)
{
  return (int)(variant / MPJ_VARIANT_RADIX & 0xff);
}
static inline int mpj_variant_segments(unsigned variant)
{
  return (int)(variant / MPJ_VARIANT_SEGMENTS & 0xff);
}

/* What a step waits for. */
struct mpj_expected {
  uint32_t bit;
  uint32_t step;
};

struct mpj_plan;
struct mpj_shared;
struct mpj_schedule {
  enum mpj_operation operation;
  unsigned algorithm;       /* of that operation; 0..255 */
  int root;                 /* negative where there is none (enum mpj_part_of) */
  unsigned variant;         /* a sum of MPJ_VARIANT_ */
  struct mpj_called called; /* the same, as others are told */
  struct mpj_part_list
      lists[2]; /* of a sparse Alltoall: which parts it receives and sends; owned */
  uint32_t nsteps, nnext, noperands, ntemporaries;
  struct mpj_step *steps; /* owned, with the arrays that follow in the same piece of memory */
  uint32_t *next;
  uint32_t *waits;              /* [nsteps] dependencies, plus 1 for an arrival */
  struct mpj_operand *operands; /* [noperands]; the first is none */
  /* A temporary is packed bytes of the same signature as another operand, or a bundle
   * (like none). It is borrowed when first used and given back when the operation ends, so
   * that what an operation holds at most does not depend on when its messages come. */
  uint32_t *temporaries;         /* [ntemporaries] the operand that each is like */
  struct mpj_expected *expected; /* [nexpected] by bits, which rise */
  unsigned nexpected;
  unsigned arrivals; /* bits, those below it */
  uint32_t *posted;  /* [nposted] the recv steps whose data may be posted */
  uint32_t nposted;
  unsigned await_words; /* 64-bit words that hold the bits of awaits; 0 if there are none */
  bool meets;           /* some step is a meeting */
  bool judges;          /* there are verdicts */
  bool gives_up;        /* verdicts that do not come for long are taken to be against */
  /* Owned by the cache that keeps it: */
  struct mpj_plan *plans; /* bound to types (plan.h), the last used first; owned */
  uint64_t last_used;
  /* Of one that ranks share (shared.h); else 0 and NULL: */
  unsigned sharers;
  struct mpj_schedule *chain;
  struct mpj_shared *set;
};

/* Behind the last of the steps that depend on step i, in `next`. */
static inline unsigned mpj_step_next_end(const struct mpj_schedule *s, unsigned i)
{
  return i + 1 < s->nsteps ? s->steps[i + 1].first_next : s->nnext;
}

/* The step that waits for `bit`, or MPJ_NO_STEP. Mostly the bits follow one another. */
static inline unsigned mpj_schedule_step_of(const struct mpj_schedule *s, unsigned bit)
{
  const struct mpj_expected *e = s->expected;
  if (bit >= s->arrivals || s->nexpected == 0 || bit < e[0].bit) return MPJ_NO_STEP;
  unsigned least = 0, beyond = s->nexpected, at = bit - e[0].bit;
  if (at >= beyond) at = beyond - 1;
  while (e[at].bit != bit) {
    if (e[at].bit < bit)
      least = at + 1;
    else
      beyond = at;
    if (least == beyond) return MPJ_NO_STEP;
    at = least + (beyond - least) / 2;
  }
  return e[at].step;
}

static inline struct mpj_operand mpj_step_src(const struct mpj_schedule *s,
                                              const struct mpj_step *step)
{
  return s->operands[step->src];
}
static inline struct mpj_operand mpj_step_dst(const struct mpj_schedule *s,
                                              const struct mpj_step *step)
{
  return s->operands[step->dst];
}
/* Whether a recv step combines what comes with what is there. */
static inline bool mpj_step_combines(const struct mpj_schedule *s, const struct mpj_step *step)
{
  return mpj_step_src(s, step).buffer != MPJ_BUFFER_NONE;
}
static inline struct mpj_operand mpj_temporary_like(const struct mpj_schedule *s, int number)
{
  return s->operands[s->temporaries[number]];
}
/* The public function that has been called. */
static inline const char *mpj_schedule_name(const struct mpj_schedule *s)
{
  return mpj_call_name(s->operation, s->root);
}

/* Building. Steps come to stand in the order laid down, but those that wait for other ranks, or
 * depend on such, behind all others. An error (no memory, too many steps) is remembered: functions
 * then return 0, and finish reports it. Dependencies are steps laid down before. */
struct mpj_schedule_builder;

/* What an algorithm uses besides steps. */

const struct mpj_part_list *mpj_schedule_list(const struct mpj_schedule_builder *b, int k);
/* n things of `size` bytes, zeros, that last until the schedule is finished. NULL: there is no
 * memory, which has been remembered. */
void *mpj_schedule_room(struct mpj_schedule_builder *b, int n, size_t size);
/* Let the operation not wait for ever for verdicts of others. */
void mpj_schedule_gives_up(struct mpj_schedule_builder *b);
/* Let the recv laid down last look for what its peer may have posted. */
void mpj_schedule_may_be_posted(struct mpj_schedule_builder *b, int recv);
/* Let `step`, the one laid down last, also depend on `before`. */
void mpj_schedule_after(struct mpj_schedule_builder *b, int step, int before);
/* A new temporary, sized and signed like an operand that is not one itself. */
struct mpj_operand mpj_schedule_temporary(struct mpj_schedule_builder *b, struct mpj_operand like);
/* A new bundle: data of any sizes, each piece under a tag, that travels as one
 * message, so that a rank can pass on what it does not know the sizes of.
 *   copy  from a buffer to mpj_operand_records(bundle, tag, 1): adds a record
 *   copy  from records of a bundle to another bundle: adds them
 *   copy  from a bundle's record to a buffer: the signatures are compared
 *   send, recv  the whole bundle */
struct mpj_operand mpj_schedule_bundle(struct mpj_schedule_builder *b);
/* A new verdict: yes or no, that judge steps set, and messages bring. */
struct mpj_operand mpj_schedule_verdict(struct mpj_schedule_builder *b);
/* Make the building fail with this code (its detail has been set), or with MPJ_TOO_MANY_NAMES. */
void mpj_schedule_fail(struct mpj_schedule_builder *b, int status);

/* What a building ends with whose algorithm has more messages than there are names, on all ranks
 * alike: another algorithm is to run. */
enum { MPJ_TOO_MANY_NAMES = -3 };

#endif
