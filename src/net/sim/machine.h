/* This header declares what a simulated machine is: how its nodes are joined, and what a message
 * takes at its ends and on its way. Times are integer picoseconds, times a byte integer
 * femtoseconds, so that equal descriptions give equal times everywhere.
 *
 * A message of k bytes, LogGP (Alexandrov, Ionescu, Schauser, Scheiman 1995) at the ends:
 *   the sender's core is busy for o; then the bytes leave its node's port, one after another, G
 *   apart, and the port is free again g after the last
 *   the first byte is there `latency` later, and `hop` for each link of its route, which it waits
 *   for while others' bytes pass over it; the rest follow at the slowest G of the way
 *   the port of the receiver's node takes one message at a time, by its G, with g between; the
 *   receiver's core is busy for o once the last byte is there
 * Long data that is pulled goes from port to port: it costs the owner's core nothing. */
#ifndef MPJ_SRC_NET_SIM_MACHINE_H
#define MPJ_SRC_NET_SIM_MACHINE_H

#include <stdint.h>

enum { MPJ_SIM_DIMS_MAX = 8, MPJ_SIM_NAME_MAX = 64 };

/* MESH: a torus that does not wrap around. FATTREE: full bisection, one way up for each receiver.
 */
enum mpj_sim_kind { MPJ_SIM_FLAT, MPJ_SIM_TORUS, MPJ_SIM_MESH, MPJ_SIM_FATTREE, MPJ_SIM_KINDS };

struct mpj_sim_machine {
  char name[MPJ_SIM_NAME_MAX];
  enum mpj_sim_kind kind;
  int ndims;                  /* of FLAT: 0 */
  int dims[MPJ_SIM_DIMS_MAX]; /* nodes along each, row-major; of a fat tree: children of a switch,
                                 the lowest level first */
  int ranks, ranks_per_node;  /* consecutive ranks share a node */
  int64_t o_ps, g_ps, latency_ps, hop_ps;
  int64_t byte_fs, link_byte_fs;         /* G of the ports, and of the links */
  int64_t node_latency_ps, node_byte_fs; /* between ranks of a node, which use no port */
  int64_t copy_byte_fs, reduce_byte_fs;  /* of the core */
  int align_bytes;                       /* data is put to multiples of this alone; 0: anywhere */
  int64_t jitter_ps;                     /* a message leaves up to so much later, by the seed */
  int64_t notice_ps;                     /* from a rank's death until the others know */
};

/* Whether such a machine can be: MPJ_SUCCESS or MPJ_ERR_ARG with a sentence. */
int mpj_sim_machine_check(const struct mpj_sim_machine *m);
/* Nodes that there are places for; of FLAT those that the ranks take. */
int64_t mpj_sim_nodes(const struct mpj_sim_machine *m);

/* When a link is idle before the last that has been promised of it: rising, apart, before free_at.
 */
struct mpj_sim_gaps {
  int n, room;
  struct mpj_sim_gap {
    int64_t begin, end;
  } at[];
};

/* The links, and until when each is taken. A message takes all of its way when it sets out; one
 * that sets out later and comes to a link earlier passes in the gap before it, if it fits. */
struct mpj_sim_links {
  const struct mpj_sim_machine *machine; /* borrowed */
  int64_t nlinks;
  int64_t *free_at;           /* [nlinks] ps; owned */
  struct mpj_sim_gaps **gaps; /* [nlinks] owned, NULL: none */
  int64_t *carried;           /* [nlinks] bytes; owned */
  int64_t now;                /* ps: the last message that set out */
  int64_t waited_ps;          /* that heads of messages have waited for links, in all */
  int64_t hops;               /* that messages have made, in all */
};

/* Errors: MPJ_ERR_NO_MEM. */
int mpj_sim_links_begin(struct mpj_sim_links *links, const struct mpj_sim_machine *m);
void mpj_sim_links_end(struct mpj_sim_links *links);

/* Take the way of `bytes` bytes from node to node whose head sets out at `at`, not before the `at`
 * of the last call: when it is there. */
int64_t mpj_sim_route(struct mpj_sim_links *links, int64_t from, int64_t to, int64_t bytes,
                      int64_t at);

/* Links between two nodes. */
int mpj_sim_distance(const struct mpj_sim_machine *m, int64_t from, int64_t to);

/* From a message's first byte to its last at `byte_fs` a byte. */
static inline int64_t mpj_sim_tail_ps(int64_t bytes, int64_t byte_fs)
{
  return bytes > 1 ? (bytes - 1) * byte_fs / 1000 : 0;
}

#endif
