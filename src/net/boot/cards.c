/* This file exchanges the cards of a job's ranks, and reads them. */
#include "net/boot/cards.h"

#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/cells/settings.h"
#include "net/shm/shm.h"

enum { CARD_MAGIC = 0x436a706d, CARD_VERSION = 6 }; /* "mpjC" as bytes */

int mpj_cards_failed_at(int rank, int status)
{
  return mpj_error(status, "rank %d failed: %s", rank, mpj_error_name(status));
}

static void fill_card(const struct mpj_launch *launch, int failed, struct mpj_card *card)
{
  memset(card, 0, sizeof *card);
  card->magic = CARD_MAGIC;
  card->version = CARD_VERSION;
  card->failed = failed;
  card->settings = mpj_settings_digest();
  mpj_settings_each(card->settings_each);
  card->transport = mpj_config()->transport;
  card->messages = launch->messages != NULL;
  mpj_occupancy_mine(&card->occupancy);
  mpj_node_identify(&card->node);
}

static int check_card(const struct mpj_cards *c, int rank, size_t bytes)
{
  struct mpj_card *card = &c->cards[rank];
  if (bytes != sizeof *card || card->magic != CARD_MAGIC || card->version != CARD_VERSION)
    return mpj_error(MPJ_ERR_FORMAT, "rank %d runs another version of this library than rank %d",
                     rank, c->rank);
  if (card->failed != MPJ_SUCCESS) return mpj_cards_failed_at(rank, card->failed);
  card->node.text[sizeof card->node.text - 1] = 0;
  card->node.machine[sizeof card->node.machine - 1] = 0;
  char names[MPJ_SETTINGS_TEXT];
  if (card->settings != mpj_settings_digest())
    return mpj_error(MPJ_ERR_ARG, "rank %d has other %s settings than rank %d", rank,
                     mpj_settings_name(card->settings_each, names), c->rank);
  if (card->transport != mpj_config()->transport)
    return mpj_error(MPJ_ERR_ARG, "rank %d has other MPJ_TRANSPORT settings than rank %d", rank,
                     c->rank);
  if (card->occupancy.cores < 1) card->occupancy.cores = 1;
  return MPJ_SUCCESS;
}

int mpj_cards_exchange(struct mpj_launch *launch, const struct mpj_cards *c)
{
  struct mpj_card own;
  const int failed = c->cards ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  fill_card(launch, failed, &own);
  int status = mpj_launch_publish(launch, &own, sizeof own);
  if (status == MPJ_SUCCESS) status = mpj_launch_fence(launch);
  if (failed != MPJ_SUCCESS)
    return mpj_error(failed, "no memory for the cards of %d ranks", c->size);
  for (int rank = 0; rank < c->size && status == MPJ_SUCCESS; rank++) {
    size_t bytes = 0;
    status = mpj_launch_fetch(launch, rank, &c->cards[rank], sizeof own, &bytes);
    if (status == MPJ_SUCCESS) status = check_card(c, rank, bytes);
  }
  return status;
}

/* Nodes */

bool mpj_cards_same_node(const struct mpj_cards *c, int a, int b)
{
  return strcmp(c->cards[a].node.text, c->cards[b].node.text) == 0;
}

/* How many ranks a node has, if each is a block of so many, the last perhaps of fewer; or 0. */
static int block_of(const int node_of[], int size)
{
  int n = 1;
  while (n < size && node_of[n] == 0)
    n++;
  for (int rank = 0; rank < size; rank++)
    if (node_of[rank] != rank / n * n) return 0;
  return n;
}

int mpj_cards_map_nodes(const struct mpj_cards *c, int **map, int *node_ranks)
{
  int *node_of = mpj_alloc_array((size_t)c->size, sizeof *node_of);
  if (!node_of) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the nodes of %d ranks", c->size);
  for (int rank = 0; rank < c->size; rank++)
    while (!mpj_cards_same_node(c, node_of[rank], rank))
      node_of[rank]++;
  *node_ranks = block_of(node_of, c->size);
  if (*node_ranks > 0) {
    mpj_free(node_of);
    node_of = NULL;
  }
  *map = node_of;
  return MPJ_SUCCESS;
}

static bool same_machine(const struct mpj_cards *c, int a, int b)
{
  return strcmp(c->cards[a].node.machine, c->cards[b].node.machine) == 0;
}

int mpj_cards_machine_cores(const struct mpj_cards *c, int rank, int *n)
{
  const struct mpj_occupancy **here = mpj_alloc_array((size_t)c->size, sizeof *here);
  *n = 0;
  if (!here) return 0;
  for (int other = 0; other < c->size; other++)
    if (same_machine(c, other, rank)) here[(*n)++] = &c->cards[other].occupancy;
  const int cores = mpj_occupancy_cores(*n, here);
  mpj_free(here);
  return cores;
}

static bool is_first_on_machine(const struct mpj_cards *c, int rank)
{
  for (int other = 0; other < rank; other++)
    if (same_machine(c, other, rank)) return false;
  return true;
}

int mpj_cards_all_cores(const struct mpj_cards *c)
{
  int all = 0;
  bool crowded = false;
  for (int rank = 0; rank < c->size; rank++) {
    int here;
    if (!is_first_on_machine(c, rank)) continue;
    const int cores = mpj_cards_machine_cores(c, rank, &here);
    all += cores;
    if (here > cores) crowded = true;
  }
  return crowded && all >= c->size ? c->size - 1 : all;
}
