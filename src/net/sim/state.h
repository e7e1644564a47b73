/* This header declares what the files of the simulated machine share. */
#ifndef MPJ_SRC_NET_SIM_STATE_H
#define MPJ_SRC_NET_SIM_STATE_H

#include "net/net.h"
#include "net/sim/counts.h"
#include "net/sim/events.h"
#include "net/sim/fetch.h"
#include "net/sim/machine.h"
#include "net/sim/sim.h"
#include "net/sim/virtual.h"

/* What is on its way. MESSAGE and PULLED are for the receiver's core, SENT for the owner's;
 * REQUEST, of a pull, and DECLINE are for the owner's port alone. */
enum mpj_sim_kind_of_item {
  MPJ_SIM_MESSAGE,
  MPJ_SIM_REQUEST,
  MPJ_SIM_DECLINE,
  MPJ_SIM_PULLED,
  MPJ_SIM_SENT
};

struct mpj_sim_item {
  struct mpj_sim_item *next;
  enum mpj_sim_kind_of_item kind;
  int from, to;       /* ranks */
  int64_t begun;      /* ps: when the sender's core began */
  int64_t time;       /* ps: when it is there */
  int64_t leaves;     /* ps: its last byte has left its sender */
  int64_t wire_bytes; /* that travel */
  int status;         /* of a pull */
  /* Of a message: */
  unsigned handler, header_bytes;
  void *payload; /* owned; NULL: none */
  MPJ_Count bytes;
  union {
    unsigned char header[MPJ_AM_SHORT_MAX];
    struct {                       /* of a pull, from REQUEST to PULLED: */
      struct mpj_am_remote remote; /* of SENT, too */
      struct mpj_cursor *dst;      /* the puller's; borrowed */
      struct mpj_pull_how how;
      mpj_am_complete_fn *complete;
      void *arg;
    };
  };
};

/* Data that is offered; its id is generation << 32 | place in the table. */
struct mpj_sim_exposure {
  uint32_t generation;
  bool used;
  unsigned pulls; /* that are still to come; 0: the owner is about to hear that all have been */
  unsigned next;  /* of the free ones */
  int owner;
  struct mpj_view view; /* borrowed, as is what follows */
  void *base;
  mpj_am_complete_fn *sent; /* NULL: it has been called */
  void *arg;
  unsigned char *put; /* [its bytes] owned: what has been put, until its receiver takes it; of
                         virtual data one byte that means nothing, and: */
  struct mpj_sim_extents extents; /* of what was put, or was virtual where it was copied from */
};

struct mpj_sim_rank {
  struct mpj_transport head; /* first */
  struct mpj_net net;
  struct mpj_sim *sim;
  bool in_call;
  bool looks; /* as soon as its core is free */
  enum mpj_rank_state state;
  int cause;
  bool noticed; /* that it is gone: the others know of a death from noticed_ps on alone */
  int64_t died_ps, noticed_ps;
  int64_t now;      /* ps: its core is free */
  unsigned offers;  /* exposures of its that are used */
  unsigned putting; /* 1 + the place of the exposure that goes along with the next message */
  int64_t near_out; /* ps: what it has sent to ranks of its node is written */
  struct mpj_sim_item *first, *last; /* that are here; `last` unspecified if there are none */
  struct mpj_sim_rank_counts counts;
};

/* A node's port, both ways: when it is free. */
struct mpj_sim_port {
  int64_t out, in;
};

struct mpj_sim {
  struct mpj_sim_machine machine;
  struct mpj_sim_links links;
  struct mpj_sim_events events;
  struct mpj_sim_rank *ranks; /* [machine.ranks] */
  struct mpj_sim_port *ports; /* [nodes] */
  struct mpj_net_grid grid;   /* of ranks; ndims 0: there is none */
  struct mpj_sim_virtual virtual;
  struct mpj_sim_exposure *exposures;
  unsigned nexposures, free_exposure;
  struct {          /* virtual data that has been copied, for the next offer alone */
    const void *at; /* there */
    struct mpj_sim_extents extents;
  } kept;
  void (*serve)(struct mpj_sim *sim, struct mpj_sim_item *item); /* exposures.c's, below */
  struct mpj_sim_item *free_items;
  _Atomic uint32_t changes;
  uint64_t random;
  int64_t clock_ns; /* what the thread's clock says: the time of the rank that runs */
  struct mpj_sim_rank *running;
  bool out_of_memory;
  MPJ_Count eager_virtual; /* bytes of a virtual message that was to go eagerly, or 0 */
  struct mpj_sim_counts counts;
  mpj_sim_see_fn *see;
  void *see_ctx;
  mpj_sim_fetch_fn *fetch;
  void *fetch_ctx;
};

static inline struct mpj_sim_rank *mpj_sim_rank_of(struct mpj_transport *t)
{
  return (struct mpj_sim_rank *)t;
}

static inline int mpj_sim_node(const struct mpj_sim *sim, int rank)
{
  return rank / sim->machine.ranks_per_node;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64_t mpj_sim_draw(struct mpj_sim *sim)
{
  uint64_t z = sim->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* What a port sets in memory by itself. */
static inline bool mpj_sim_is_word(const struct mpj_sim_item *item)
{
  return item->kind == MPJ_SIM_MESSAGE && item->handler == MPJ_AM_WORD;
}

/* A zeroed item; NULL (noted in the machine): no memory. Give it back, with its payload. */
struct mpj_sim_item *mpj_sim_new_item(struct mpj_sim *sim);
void mpj_sim_drop_item(struct mpj_sim *sim, struct mpj_sim_item *item);
/* Send it (moved) from its sender's port, not before `time`. Returns when its last byte has left.
 */
int64_t mpj_sim_send(struct mpj_sim *sim, struct mpj_sim_item *item, int64_t time);
/* It (moved) is there at `time`, without having used a port. */
void mpj_sim_deliver_at(struct mpj_sim *sim, struct mpj_sim_item *item, int64_t time);
/* The rank's core is busy for so long. */
void mpj_sim_busy(struct mpj_sim_rank *r, int64_t ps);

/* exposures.c: the owner's port sees to a REQUEST or DECLINE (moved). */
void mpj_sim_serve(struct mpj_sim *sim, struct mpj_sim_item *item);
int mpj_sim_expose(struct mpj_transport *t, const struct mpj_view *view, void *base, unsigned pulls,
                   mpj_am_complete_fn *sent, void *arg, struct mpj_am_remote *remote);
int mpj_sim_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known);
int mpj_sim_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                 struct mpj_cursor *dst, const struct mpj_pull_how *how,
                 mpj_am_complete_fn *complete, void *arg);
/* What lies in virtual memory at `from` is to be exposed at `to`, which is not virtual, next.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_sim_keep(struct mpj_sim *sim, const void *from, const void *to, MPJ_Count bytes);
/* It is not, or has been, or other data lies there now. */
void mpj_sim_forget(struct mpj_sim *sim);
/* The bytes that go along with the rank's next message; then, that they have left at that time. */
MPJ_Count mpj_sim_put_bytes(const struct mpj_sim_rank *r);
void mpj_sim_put_left(struct mpj_sim_rank *r, int64_t left);
/* All has been pulled: tell the owner, by whose core. */
void mpj_sim_sent(struct mpj_sim *sim, const struct mpj_sim_item *item);
/* Take back all that the rank offers. */
void mpj_sim_withdraw_all(struct mpj_sim *sim, int rank);

#endif
