/* This header declares what each rank says of itself before anything else, its card, and what
 * follows from all cards together: who is on which node and machine, and what may be kept busy
 * there. The same on all ranks, as the cards are. */
#ifndef MPJ_SRC_NET_BOOT_CARDS_H
#define MPJ_SRC_NET_BOOT_CARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "net/boot/launch.h"
#include "net/boot/node.h"
#include "net/boot/occupancy.h"
#include "net/cells/settings.h"

struct mpj_card {
  uint32_t magic, version;
  uint64_t settings;                    /* their digest, */
  uint32_t settings_each[MPJ_SETTINGS]; /* and that of each */
  int32_t transport;
  int32_t messages; /* whether its launcher has messages for it */
  int32_t failed;   /* a status: it takes no further part */
  int32_t unused;
  struct mpj_occupancy occupancy;
  struct mpj_node node;
};

/* The cards of all ranks of a job, by rank: cards[size]. */
struct mpj_cards {
  int rank, size; /* this rank, of how many */
  struct mpj_card *cards;
};

/* Exchange the cards; c->cards has room for them, or is NULL: there was no memory, which all
 * are told. Errors, everywhere: MPJ_ERR_NO_MEM, MPJ_ERR_FORMAT (another version), MPJ_ERR_ARG
 * (other settings); and those of the launcher. */
int mpj_cards_exchange(struct mpj_launch *launch, const struct mpj_cards *c);

/* The error here where `rank` has said that it failed so. */
int mpj_cards_failed_at(int rank, int status);

bool mpj_cards_same_node(const struct mpj_cards *c, int a, int b);

/* *map := which node each rank is on, [size], by the first of the ranks that share its segment;
 * the caller's to free. Where each node is a block of as many ranks, the last perhaps of fewer,
 * *node_ranks is how many, and *map is NULL; else 0. Errors: MPJ_ERR_NO_MEM. */
int mpj_cards_map_nodes(const struct mpj_cards *c, int **map, int *node_ranks);

/* The cores that the ranks of rank's machine may keep busy; *n := how many ranks. 0: no memory. */
int mpj_cards_machine_cores(const struct mpj_cards *c, int rank, int *n);

/* The cores that all ranks together may keep busy; fewer than the ranks if that
 * is so on any machine. */
int mpj_cards_all_cores(const struct mpj_cards *c);

#endif
