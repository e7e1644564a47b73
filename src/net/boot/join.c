/* This file makes a job of ranks that a launcher has introduced to each other.
 *
 *   exchange 1   cards: who am I, on which node, with which settings
 *   exchange 2   where the node's segment is (its leader's descriptor), and each
 *                rank's network address, if there is a network between any
 *   fence        everybody has attached and connected */
#include "net/boot/join.h"

#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/boot/node.h"
#include "net/boot/occupancy.h"
#include "net/boot/ways.h"
#include "net/route/route.h"
#include "net/shm/create.h"
#include "net/shm/shm.h"

enum { CARD_MAGIC = 0x436a706d, CARD_VERSION = 3 }; /* "mpjC" as bytes */

struct card {
  uint32_t magic, version;
  uint64_t settings;
  int32_t transport;
  int32_t messages; /* whether its launcher has messages for it */
  struct mpj_occupancy occupancy;
  struct mpj_node node;
};

/* What a rank says when it knows who is on its node. */
struct place {
  int32_t pid, segment_fd; /* of a leader's segment */
  uint32_t address_bytes;
  unsigned char address[MPJ_FAR_ADDRESS_MAX];
};
enum { PLACE_FIXED = offsetof(struct place, address) };

struct join {
  struct mpj_launch *launch;
  int rank, size;
  struct card *cards; /* [size] */
  int *members;       /* [nmembers] ranks that share this rank's segment, in order */
  int nmembers, seat; /* this rank is members[seat] */
  bool shared;        /* they reach each other by it */
  struct mpj_far *far;
  int segment_fd;
  struct mpj_segment *segment; /* a leader's mapping, until all have attached */
  struct mpj_net *local;
};

/* Exchange 1 */

static void fill_card(const struct join *j, struct card *card)
{
  memset(card, 0, sizeof *card);
  card->magic = CARD_MAGIC;
  card->version = CARD_VERSION;
  card->settings = mpj_settings_digest();
  card->transport = mpj_config()->transport;
  card->messages = j->launch->messages != NULL;
  mpj_occupancy_mine(&card->occupancy);
  mpj_node_identify(&card->node);
}

static int check_card(const struct join *j, int rank, size_t bytes)
{
  struct card *card = &j->cards[rank];
  if (bytes != sizeof *card || card->magic != CARD_MAGIC || card->version != CARD_VERSION)
    return mpj_error(MPJ_ERR_FORMAT, "rank %d runs another version of this library than rank %d",
                     rank, j->rank);
  card->node.text[sizeof card->node.text - 1] = 0;
  card->node.machine[sizeof card->node.machine - 1] = 0;
  if (card->settings != mpj_settings_digest() || card->transport != mpj_config()->transport)
    return mpj_error(
        MPJ_ERR_ARG,
        "rank %d has other MPJ_EAGER_, MPJ_COLL_ or MPJ_TRANSPORT settings than rank %d", rank,
        j->rank);
  if (card->occupancy.cores < 1) card->occupancy.cores = 1;
  return MPJ_SUCCESS;
}

static int exchange_cards(struct join *j)
{
  struct card own;
  fill_card(j, &own);
  int status = mpj_launch_publish(j->launch, &own, sizeof own);
  if (status == MPJ_SUCCESS) status = mpj_launch_fence(j->launch);
  for (int rank = 0; rank < j->size && status == MPJ_SUCCESS; rank++) {
    size_t bytes = 0;
    status = mpj_launch_fetch(j->launch, rank, &j->cards[rank], sizeof own, &bytes);
    if (status == MPJ_SUCCESS) status = check_card(j, rank, bytes);
  }
  return status;
}

/* Nodes */

static bool same_node(const struct join *j, int a, int b)
{
  return strcmp(j->cards[a].node.text, j->cards[b].node.text) == 0;
}

/* A node of more ranks than a segment takes counts as several. */
static void find_members(struct join *j)
{
  int before = 0, n = 0;
  for (int rank = 0; rank < j->rank; rank++)
    before += same_node(j, rank, j->rank);
  const int first = before / MPJ_SHM_RANKS_MAX * MPJ_SHM_RANKS_MAX;
  for (int rank = 0; rank < j->size; rank++) {
    if (!same_node(j, rank, j->rank)) continue;
    if (n >= first && n < first + MPJ_SHM_RANKS_MAX) j->members[j->nmembers++] = rank;
    n++;
  }
  j->seat = before - first;
}

/* The first of the ranks that share `rank`'s segment. */
static int first_beside(const struct join *j, int rank)
{
  int before = 0, n = 0, first = 0;
  for (int other = 0; other < rank; other++)
    before += same_node(j, other, rank);
  for (; n <= before / MPJ_SHM_RANKS_MAX * MPJ_SHM_RANKS_MAX; first++)
    n += same_node(j, first, rank);
  return first - 1;
}

/* Which node each rank is on; the same on all ranks, as the cards are. */
static int map_nodes(const struct join *j, int **map)
{
  int *node_of = mpj_alloc_array((size_t)j->size, sizeof *node_of);
  if (!node_of) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the nodes of %d ranks", j->size);
  for (int rank = 0; rank < j->size; rank++)
    node_of[rank] = first_beside(j, rank);
  *map = node_of;
  return MPJ_SUCCESS;
}

static bool same_machine(const struct join *j, int a, int b)
{
  return strcmp(j->cards[a].node.machine, j->cards[b].node.machine) == 0;
}

/* The cores that the ranks of rank's machine may keep busy; *n := how many ranks. 0: no memory. */
static int machine_cores(const struct join *j, int rank, int *n)
{
  const struct mpj_occupancy **here = mpj_alloc_array((size_t)j->size, sizeof *here);
  *n = 0;
  if (!here) return 0;
  for (int other = 0; other < j->size; other++)
    if (same_machine(j, other, rank)) here[(*n)++] = &j->cards[other].occupancy;
  const int cores = mpj_occupancy_cores(*n, here);
  mpj_free(here);
  return cores;
}

static bool is_first_on_machine(const struct join *j, int rank)
{
  for (int other = 0; other < rank; other++)
    if (same_machine(j, other, rank)) return false;
  return true;
}

/* The cores that all ranks together may keep busy; fewer than the ranks if that
 * is so on any machine. The same on all ranks. */
static int count_cores(const struct join *j)
{
  int all = 0;
  bool crowded = false;
  for (int rank = 0; rank < j->size; rank++) {
    int here;
    if (!is_first_on_machine(j, rank)) continue;
    const int cores = machine_cores(j, rank, &here);
    all += cores;
    if (here > cores) crowded = true;
  }
  return crowded && all >= j->size ? j->size - 1 : all;
}

/* A leader tells those who attach its segment, which may have part of the machine's ranks. */
static int create_segment(struct join *j)
{
  int here;
  const int status = mpj_shm_create(j->nmembers, &j->segment_fd, &j->segment);
  if (status != MPJ_SUCCESS) return status;
  const int cores = machine_cores(j, j->rank, &here);
  const bool crowded = here > cores && cores >= j->nmembers;
  if (cores > 0) j->segment->config.cores = crowded && j->nmembers > 1 ? j->nmembers - 1 : cores;
  return MPJ_SUCCESS;
}

static int check_transport(struct join *j)
{
  j->shared = mpj_ways_share_memory();
  if (!mpj_ways_need_one_node() || j->nmembers == j->size) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_UNSUPPORTED,
                   "MPJ_TRANSPORT is shm, but only %d of %d ranks share rank %d's node",
                   j->nmembers, j->size, j->rank);
}

static int open_far(struct join *j)
{
  struct mpj_carrier *carrier;
  bool messages = true; /* of all ranks */
  if (j->shared && j->nmembers == j->size) return MPJ_SUCCESS;
  for (int rank = 0; rank < j->size; rank++)
    messages &= j->cards[rank].messages != 0;
  const int status = mpj_ways_open(j->launch, messages, &carrier);
  return status == MPJ_SUCCESS ? mpj_far_open(carrier, j->rank, j->size, &j->far) : status;
}

/* Exchange 2 */

static int publish_place(struct join *j)
{
  struct place own = {.pid = (int32_t)getpid(), .segment_fd = j->segment_fd};
  if (j->far) {
    size_t bytes;
    const void *address = j->far->carrier->ops->address(j->far->carrier, &bytes);
    memcpy(own.address, address, bytes);
    own.address_bytes = (uint32_t)bytes;
  }
  return mpj_launch_publish(j->launch, &own, PLACE_FIXED + own.address_bytes);
}

static int fetch_place(struct join *j, int rank, struct place *place)
{
  size_t bytes = 0;
  memset(place, 0, sizeof *place);
  const int status = mpj_launch_fetch(j->launch, rank, place, sizeof *place, &bytes);
  if (status != MPJ_SUCCESS) return status;
  if (bytes >= PLACE_FIXED && place->address_bytes == bytes - PLACE_FIXED) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_FORMAT, "rank %d's place of %zu bytes makes no sense", rank, bytes);
}

static int attach(struct join *j)
{
  struct place leader;
  int fd = j->segment_fd;
  int status = j->seat == 0 ? MPJ_SUCCESS : fetch_place(j, j->members[0], &leader);
  if (status == MPJ_SUCCESS && j->seat > 0) {
    status = mpj_shm_find(leader.pid, leader.segment_fd, &fd);
  }
  if (status != MPJ_SUCCESS) return status;
  status = mpj_shm_attach(fd, j->seat, &j->local);
  if (status == MPJ_SUCCESS)
    j->segment_fd = -1;
  else if (j->seat > 0)
    close(fd);
  return status;
}

static bool is_near(const struct join *j, int rank)
{
  for (int i = 0; i < j->nmembers && j->shared; i++)
    if (j->members[i] == rank) return true;
  return rank == j->rank;
}

static int connect_all(struct join *j)
{
  int status = MPJ_SUCCESS;
  for (int rank = 0; j->far && rank < j->size && status == MPJ_SUCCESS; rank++) {
    struct place place;
    if (is_near(j, rank)) continue;
    status = fetch_place(j, rank, &place);
    if (status == MPJ_SUCCESS && place.address_bytes == 0)
      status = mpj_error(MPJ_ERR_FORMAT, "rank %d has no network address", rank);
    if (status == MPJ_SUCCESS)
      status = mpj_far_connect(j->far, rank, place.address, place.address_bytes);
  }
  if (status == MPJ_SUCCESS && j->far) mpj_far_greet(j->far);
  return status;
}

/* The whole */

static int meet(struct join *j)
{
  int status = exchange_cards(j);
  if (status != MPJ_SUCCESS) return status;
  find_members(j);
  status = check_transport(j);
  if (status == MPJ_SUCCESS) status = open_far(j);
  if (status == MPJ_SUCCESS && j->seat == 0) status = create_segment(j);
  if (status == MPJ_SUCCESS) status = publish_place(j);
  if (status == MPJ_SUCCESS) status = mpj_launch_fence(j->launch);
  if (status == MPJ_SUCCESS) status = attach(j);
  if (status == MPJ_SUCCESS) status = connect_all(j);
  if (status == MPJ_SUCCESS) status = mpj_launch_fence(j->launch);
  return status == MPJ_SUCCESS ? mpj_shm_watch(j->local) : status;
}

static int make_net(struct join *j, struct mpj_net **net)
{
  int *node_of = NULL;
  j->local->node = j->members[0];
  if (!j->far) {
    *net = j->local;
    return MPJ_SUCCESS;
  }
  int status = j->nmembers < j->size ? map_nodes(j, &node_of) : MPJ_SUCCESS;
  if (status == MPJ_SUCCESS)
    status = mpj_route_open(j->local, j->members, j->shared, j->far, j->rank, j->size,
                            count_cores(j), net);
  if (status == MPJ_SUCCESS)
    (*net)->node_of = node_of;
  else
    mpj_free(node_of);
  return status;
}

static void undo(struct join *j)
{
  if (j->far) mpj_far_close(&j->far->head, MPJ_RANK_DEAD, 0);
  if (j->local) mpj_net_close(j->local, MPJ_RANK_DEAD, 0);
}

static void drop_leftovers(struct join *j)
{
  if (j->segment) mpj_shm_unmap(j->segment);
  if (j->segment_fd >= 0) close(j->segment_fd);
  mpj_free(j->members);
  mpj_free(j->cards);
}

int mpj_boot_join(struct mpj_launch *launch, struct mpj_net **net)
{
  struct join j = {.launch = launch, .rank = launch->rank, .size = launch->size, .segment_fd = -1};
  int status = MPJ_SUCCESS;
  j.cards = mpj_alloc_array((size_t)j.size, sizeof *j.cards);
  j.members = mpj_alloc_array((size_t)j.size, sizeof *j.members);
  if (!j.cards || !j.members)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the cards of %d ranks", j.size);
  if (status == MPJ_SUCCESS) status = meet(&j);
  if (status == MPJ_SUCCESS) status = make_net(&j, net);
  if (status == MPJ_SUCCESS)
    (*net)->launch = launch;
  else
    undo(&j);
  drop_leftovers(&j);
  return status;
}

/* One node, one segment: only the addresses have to be exchanged. */
static int meet_over_network(struct join *j)
{
  int status = open_far(j);
  for (int i = 0; i < j->size; i++)
    j->members[i] = i;
  if (status == MPJ_SUCCESS) status = publish_place(j);
  if (status == MPJ_SUCCESS) status = mpj_launch_fence(j->launch);
  if (status == MPJ_SUCCESS) status = connect_all(j);
  return status == MPJ_SUCCESS ? mpj_launch_fence(j->launch) : status;
}

int mpj_boot_join_over_network(struct mpj_net *local, struct mpj_net **net)
{
  struct join j = {.rank = local->rank,
                   .size = local->size,
                   .nmembers = local->size,
                   .seat = local->rank,
                   .segment_fd = -1};
  struct mpj_cells *cells = (struct mpj_cells *)local->transport;
  int status = mpj_launch_segment(cells->segment, j.rank, &j.launch);
  if (status != MPJ_SUCCESS) return status;
  j.cards = mpj_alloc_array((size_t)j.size, sizeof *j.cards);
  j.members = mpj_alloc_array((size_t)j.size, sizeof *j.members);
  if (!j.cards || !j.members)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the cards of %d ranks", j.size);
  if (status == MPJ_SUCCESS) status = meet_over_network(&j);
  if (status == MPJ_SUCCESS)
    status = mpj_route_open(local, j.members, false, j.far, j.rank, j.size, local->cores, net);
  if (status != MPJ_SUCCESS) undo(&j);
  drop_leftovers(&j);
  mpj_launch_end(j.launch);
  return status;
}
