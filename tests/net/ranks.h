/* This header declares jobs of a few processes on one shared segment, for tests
 * that are their launcher. */
#ifndef MPJ_TESTS_NET_RANKS_H
#define MPJ_TESTS_NET_RANKS_H

#include <stdio.h>
#include <unistd.h>

#include <mpj/datatype.h>

#include "net/endpoints.h"
#include "net/shm/state.h"

enum { RANKS_MAX = 4, RANK_SECONDS = 60 };

/* In a rank: end it with a sentence unless `condition` holds. */
#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, MPJ_Error_detail());     \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

/* Memory that all ranks of a job share; zeroed at the start. */
struct common {
  _Atomic int step[RANKS_MAX]; /* how far each rank has got, by its own count */
};

typedef void rank_fn(struct mpj_net *net, struct common *common, void *arg);

/* Fork n ranks, RANKS_MAX at most; each opens its endpoint, runs fn, and closes it unless fn did
 * (then it ends the process itself). Whoever dies is marked so in the segment.
 * The test fails unless rank i ends with the wait status expected[i] (NULL: 0). */
void run_ranks(int n, rank_fn *fn, void *arg, const int expected[]);

/* In a rank: poll, and wait as the library does, until a rank's step is reached. */
void await_step(struct mpj_net *net, struct common *common, int rank, int step);
void await_state(struct mpj_net *net, int peer, enum mpj_rank_state state);
void await_outcome(struct mpj_net *net, const struct outcome *outcome, int calls);
void await_messages(struct mpj_net *net, const struct inbox *inbox, unsigned messages);

static inline struct mpj_shm *shm_of(struct mpj_net *net)
{
  return (struct mpj_shm *)net->transport;
}

/* Memory with a type over it: `bytes` bytes, dense (block 0) or in blocks of
 * `block` bytes, which divides them, with gaps of 5. */
struct area {
  MPJ_Count bytes, block;
  size_t extent;
  unsigned char *memory;
  MPJ_Datatype type;
  struct mpj_view view;
};
void area_make(struct area *a, MPJ_Count bytes, MPJ_Count block);
void area_free(struct area *a);
void area_fill(struct area *a, unsigned seed);
/* Whether it holds what area_fill(seed) puts there, and its gaps what make did. */
bool area_holds(const struct area *a, unsigned seed);

/* Expose the area to `peer` and tell it. */
void offer_to(struct mpj_net *net, int peer, struct area *a, struct outcome *sent,
              struct mpj_am_remote *remote);

/* Offers in the order of their coming; so many at most may wait to be taken. */
enum { OFFER_HANDLER = TEST_HANDLER + 1, OFFERS_MAX = 16 };
struct offers {
  unsigned came, taken;
  struct mpj_am_remote remote[OFFERS_MAX];
  int source[OFFERS_MAX];
};
void offers_open(struct offers *offers, struct mpj_net *net);
/* The next one, for which it waits; *source (may be NULL) is who made it. */
struct mpj_am_remote take_offer(struct mpj_net *net, struct offers *offers, int *source);

#endif
