/* This header declares how an endpoint finds out which way of moving long data is the fastest: it
 * tries them, in the transfers that it has to make anyway.
 *
 * What a way takes depends on the processor, on the caches that the two cores share (on a virtual
 * machine from one minute to the next), on sizes, and on whether data goes one way or both ways at
 * once. So times are kept by these, as ns a byte. Both sides of an exchange must go the same way
 * at the same time, else one of them measures what the other does. When a way is tried follows from
 * `turn`, the number of the operation, which all ranks know alike; and which is the best of those
 * that were tried, and which are hardly worth it, the lower one of the two ranks says.
 *
 * Invariant: a way that has not been tried SAMPLES times is never the best one. */
#ifndef MPJ_SRC_NET_PULL_TRIED_H
#define MPJ_SRC_NET_PULL_TRIED_H

#include <stdbool.h>
#include <stdint.h>

/* The ways between two processes: the receiver alone reads; the owner writes a part meanwhile;
 * pieces that are written into the caches; or past them. */
enum mpj_try { MPJ_TRY_ALONE, MPJ_TRY_BOTH, MPJ_TRY_CACHED, MPJ_TRY_PAST, MPJ_TRIES };

/* What the times of one kind and size are. */
struct mpj_tried {
  float ns[MPJ_TRIES];        /* a byte: of the best way the median, else less */
  uint8_t samples[MPJ_TRIES]; /* SAMPLES at most */
  uint8_t refused[MPJ_TRIES]; /* in a row, another way gone instead; SAMPLES at most */
  uint8_t best;               /* 1 + the way that is taken; 0: the one that was likely */
  uint8_t begun;              /* transfers so far, TRIED_FIRST at most */
  /* Where turns are timed, the last transfer, whose time is not known before the next operation
   * begins: */
  uint8_t last;         /* 1 + its way; 0: there is none */
  uint32_t turn;        /* its operation's */
  uint32_t took;        /* ns, by itself, UINT32_MAX at most; 0: it has not ended */
  int64_t since, bytes; /* ns, when it began; its size */
};

/* Sizes from 8 KiB on, by powers of two, up to MPJ_TRIED_MOST: a trial with more would hold up the
 * program for longer than it is worth. Kinds as in base/machine/measured.h, and three times as
 * many: data goes one way, or one way while either side copies for itself, or both ways at once. */
enum { MPJ_TRIED_SIZES = 10, MPJ_TRIED_KINDS = 12, MPJ_TRIED_MOST = (8 << 20) - 1 };
struct mpj_tried_table {
  struct mpj_tried of[MPJ_TRIED_KINDS][MPJ_TRIED_SIZES];
};

unsigned mpj_tried_size(int64_t bytes);
static inline struct mpj_tried *mpj_tried_at(struct mpj_tried_table *table, unsigned kind,
                                             int64_t bytes)
{
  return &table->of[kind % MPJ_TRIED_KINDS][mpj_tried_size(bytes)];
}

/* What is likely for what has not been tried: the best way of what is not less than a quarter as
 * large, if that can carry it, else `likely`: what fits into the caches says little of what does
 * not. */
enum mpj_try mpj_tried_likely(const struct mpj_tried_table *table, unsigned kind, int64_t bytes,
                              unsigned can, enum mpj_try likely);

/* What a rank says of a kind and size: 1 + the best way, or 0; and MPJ_TRIED_RARE << way for each
 * one that takes twice as long as that, or while there is none as the least, or is refused. */
enum { MPJ_TRIED_RARE = 8 };
uint8_t mpj_tried_says(const struct mpj_tried *tried);

/* The way for the next transfer.
 *   can     the ways that can carry it: a set bit each, one at least
 *   likely  one of them, taken until there is reason to take another one
 *   said    what decides, of this rank or from a peer; or any other number
 *   turn    see above */
enum mpj_try mpj_tried_choose(struct mpj_tried *tried, unsigned can, enum mpj_try likely,
                              unsigned said, uint32_t turn);

/* A transfer of so many bytes has taken so long. */
void mpj_tried_note(struct mpj_tried *tried, enum mpj_try way, int64_t bytes, int64_t ns);

/* The transfer has gone otherwise: its time says nothing of this way. */
void mpj_tried_refuse(struct mpj_tried *tried, enum mpj_try way);

/* The same where turns are timed: in exchanges, and where a side copies for itself meanwhile. A
 * rank that takes its part in no time may have held up the other side, which it then waits for, or
 * has its own copy still to make: so what counts is the time from this operation to the next one,
 * if nothing comes between them and the program does little else. */
void mpj_tried_begin(struct mpj_tried *tried, enum mpj_try way, int64_t bytes, uint32_t turn,
                     int64_t now);
void mpj_tried_end(struct mpj_tried *tried, uint32_t turn, int64_t now);

#endif
