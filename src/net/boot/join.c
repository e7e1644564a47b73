/* This file makes a job of ranks that a launcher has introduced to each other.
 *
 *   exchange 1   cards: who am I, on which node, with which settings
 *   exchange 2   where the node's segment is (its leader's descriptor), and each
 *                rank's network address, if there is a network between any, and
 *                rank 0's secret, by which the ranks know each other there
 *   exchange 3   everybody has attached, and each node has all addresses, or has failed
 *   exchange 4   everybody has connected, where a rank's carrier connects all at the start
 *
 * A rank that fails takes part all the same, so that all hear of it and nobody waits for it:
 * unless the launcher itself has failed. Where the first has failed, it has for all. */
#include "net/boot/join.h"

#include <string.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/boot/cards.h"
#include "net/boot/ways.h"
#include "net/far/far_connect.h"
#include "net/route/route.h"
#include "net/shm/create.h"
#include "net/shm/shm.h"

/* What a rank says when it knows who is on its node. */
struct place {
  int32_t failed;                        /* a status */
  int32_t pid, segment_fd, directory_fd; /* of a leader's segment and directory */
  uint32_t address_bytes;
  unsigned char secret[MPJ_SECRET_BYTES]; /* of the job: from rank 0, where it has an address */
  unsigned char address[MPJ_FAR_ADDRESS_MAX];
};
enum { PLACE_FIXED = offsetof(struct place, address) };

struct join {
  struct mpj_launch *launch;
  int rank, size;
  struct mpj_cards cards; /* none where a segment has introduced the ranks */
  int *members;           /* [nmembers] ranks that share this rank's segment, in order */
  int nmembers, seat;     /* this rank is members[seat] */
  bool shared;            /* they reach each other by it */
  bool cut;               /* the launcher has failed: nothing can be exchanged any more */
  bool connects_all;      /* some rank wants all to connect at the start */
  struct mpj_far *far;    /* with the node's directory, once it is there */
  int directory_fd;       /* the leader's, until all have attached */
  unsigned char secret[MPJ_SECRET_BYTES]; /* rank 0's; known to the others while they connect */
  char *rules; /* rank 0's, once it has said so (net.h); owned until the endpoint has them */
  int segment_fd;
  struct mpj_segment *segment; /* a leader's mapping, until all have attached */
  struct mpj_net *local;
};

/* Exchange 1 */

static void find_members(struct join *j)
{
  for (int rank = 0; rank < j->size; rank++) {
    if (rank == j->rank) j->seat = j->nmembers;
    if (mpj_cards_same_node(&j->cards, rank, j->rank)) j->members[j->nmembers++] = rank;
  }
}

/* A leader tells those who attach its segment; other nodes may be on the same machine. */
static int create_segment(struct join *j)
{
  int here;
  const int status = mpj_shm_create(j->nmembers, &j->segment_fd, &j->segment);
  if (status != MPJ_SUCCESS) return status;
  const int cores = mpj_cards_machine_cores(&j->cards, j->rank, &here);
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

static int open_far_by(struct join *j, struct mpj_carrier *carrier)
{
  int status = mpj_far_open(carrier, j->rank, j->size, &j->far);
  if (status == MPJ_SUCCESS && j->seat == 0)
    status = mpj_directory_create(j->size, &j->far->directory, &j->directory_fd);
  return status;
}

static int open_far(struct join *j)
{
  struct mpj_carrier *carrier;
  bool messages = j->cards.cards != NULL; /* of all ranks */
  if (j->shared && j->nmembers == j->size) return MPJ_SUCCESS;
  for (int rank = 0; rank < j->size && messages; rank++)
    messages &= j->cards.cards[rank].messages != 0;
  const int status = mpj_ways_open(j->launch, messages, &carrier);
  return status == MPJ_SUCCESS ? open_far_by(j, carrier) : status;
}

/* Exchange 2 */

/* Publish a blob, and wait until all have. */
static int exchange(struct join *j, const void *blob, size_t bytes)
{
  int status = mpj_launch_publish(j->launch, blob, bytes);
  if (status == MPJ_SUCCESS) status = mpj_launch_fence(j->launch);
  j->cut = status != MPJ_SUCCESS;
  return status;
}

/* `status`: whether this rank has got so far. */
static int exchange_places(struct join *j, int status)
{
  struct place own = {.failed = status,
                      .pid = (int32_t)getpid(),
                      .segment_fd = j->segment_fd,
                      .directory_fd = j->directory_fd};
  if (status == MPJ_SUCCESS && j->far && j->rank == 0)
    status = own.failed = mpj_random_draw(own.secret, sizeof own.secret);
  if (status == MPJ_SUCCESS && j->far) {
    size_t bytes;
    const void *address = j->far->carrier->ops->address(j->far->carrier, &bytes);
    memcpy(own.address, address, bytes);
    own.address_bytes = (uint32_t)bytes;
  }
  memcpy(j->secret, own.secret, sizeof j->secret);
  const int met = exchange(j, &own, PLACE_FIXED + own.address_bytes);
  explicit_bzero(own.secret, sizeof own.secret);
  return status == MPJ_SUCCESS ? met : status;
}

static int fetch_place(struct join *j, int rank, struct place *place)
{
  size_t bytes = 0;
  memset(place, 0, sizeof *place);
  const int status = mpj_launch_fetch(j->launch, rank, place, sizeof *place, &bytes);
  if (status != MPJ_SUCCESS) return status;
  if (bytes < PLACE_FIXED || place->address_bytes != bytes - PLACE_FIXED)
    return mpj_error(MPJ_ERR_FORMAT, "rank %d's place of %zu bytes makes no sense", rank, bytes);
  return place->failed == MPJ_SUCCESS ? MPJ_SUCCESS : mpj_cards_failed_at(rank, place->failed);
}

static int attach_segment(struct join *j, const struct place *leader)
{
  int fd = j->segment_fd;
  int status = MPJ_SUCCESS;
  if (j->seat > 0) status = mpj_shm_find(leader->pid, leader->segment_fd, &fd);
  if (status == MPJ_SUCCESS) status = mpj_shm_attach(fd, j->seat, j->shared, &j->local);
  if (status == MPJ_SUCCESS)
    j->segment_fd = -1;
  else if (j->seat > 0 && fd >= 0)
    close(fd);
  return status;
}

static int attach_directory(struct join *j, const struct place *leader)
{
  int fd;
  int status = mpj_shm_find(leader->pid, leader->directory_fd, &fd);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_directory_attach(fd, j->size, &j->far->directory);
  close(fd);
  return status;
}

/* What the node's leader has made. segment: it is not there yet. */
static int attach(struct join *j, bool segment)
{
  struct place leader = {0};
  int status = j->seat == 0 ? MPJ_SUCCESS : fetch_place(j, j->members[0], &leader);
  if (status == MPJ_SUCCESS && segment) status = attach_segment(j, &leader);
  if (status == MPJ_SUCCESS && j->far && j->seat > 0) status = attach_directory(j, &leader);
  return status;
}

/* Reached by the node's segment. */
static bool is_near(const struct join *j, int rank)
{
  for (int i = 0; i < j->nmembers && j->shared; i++)
    if (j->members[i] == rank) return true;
  return false;
}

/* Have the messages of the network believed by rank 0's secret. */
static int trust(struct join *j)
{
  struct place first;
  int status = j->rank == 0 ? MPJ_SUCCESS : fetch_place(j, 0, &first);
  if (status == MPJ_SUCCESS && j->rank != 0) memcpy(j->secret, first.secret, sizeof j->secret);
  if (status == MPJ_SUCCESS) status = mpj_far_trust(j->far, j->secret);
  explicit_bzero(j->secret, sizeof j->secret);
  if (j->rank != 0) explicit_bzero(first.secret, sizeof first.secret);
  return status;
}

/* Enter this rank's part of the addresses that the node needs; one that does not come is an error
 * everywhere. */
static int enter_addresses(struct join *j)
{
  int status = MPJ_SUCCESS;
  for (int rank = j->seat; rank < j->size && status == MPJ_SUCCESS; rank += j->nmembers) {
    struct place place;
    if (is_near(j, rank)) continue;
    status = fetch_place(j, rank, &place);
    if (status == MPJ_SUCCESS && place.address_bytes == 0)
      status = mpj_error(MPJ_ERR_FORMAT, "rank %d has no network address", rank);
    if (status == MPJ_SUCCESS)
      mpj_directory_enter(j->far->directory, rank, place.address, place.address_bytes);
  }
  return status;
}

static int prepare_far(struct join *j)
{
  const int status = trust(j);
  return status == MPJ_SUCCESS ? enter_addresses(j) : status;
}

/* Exchange 3 */

/* Close what this rank has opened, so that those who wait for it there see it go. */
static void undo(struct join *j)
{
  if (j->far) mpj_far_close(&j->far->head, MPJ_RANK_DEAD, 0);
  if (j->local) mpj_net_close(j->local, MPJ_RANK_DEAD, 0);
  j->far = NULL;
  j->local = NULL;
}

/* How it went at a rank, and whether its network library wants all to connect at the start; of rank
 * 0 what its machine's file says of algorithms as well. */
struct verdict {
  int32_t status, connects_all;
  char rules[MPJ_MEASURED_RULES];
};
enum { VERDICT_FIXED = offsetof(struct verdict, rules) };

static int keep_rules(struct join *j, const struct verdict *v, size_t bytes)
{
  if (bytes <= VERDICT_FIXED || v->rules[bytes - VERDICT_FIXED - 1] != '\0') return MPJ_SUCCESS;
  j->rules = mpj_alloc(bytes - VERDICT_FIXED);
  if (!j->rules) return mpj_error(MPJ_ERR_NO_MEM, "no memory for what rank 0's machine runs best");
  memcpy(j->rules, v->rules, bytes - VERDICT_FIXED);
  return MPJ_SUCCESS;
}

static int hear_all(struct join *j)
{
  int heard = MPJ_SUCCESS;
  for (int rank = 0; rank < j->size && heard == MPJ_SUCCESS; rank++) {
    struct verdict theirs = {.status = MPJ_SUCCESS};
    size_t bytes = 0;
    heard = mpj_launch_fetch(j->launch, rank, &theirs, sizeof theirs, &bytes);
    if (heard == MPJ_SUCCESS && theirs.status != MPJ_SUCCESS)
      heard = mpj_cards_failed_at(rank, theirs.status);
    j->connects_all |= theirs.connects_all != 0;
    if (heard == MPJ_SUCCESS && rank == 0 && !j->rules) heard = keep_rules(j, &theirs, bytes);
  }
  return heard;
}

/* Tell all how it went here; an error anywhere is one everywhere. */
static int agree(struct join *j, int status)
{
  char why[240];
  struct verdict own = {.status = status, .connects_all = j->far && j->far->carrier->connects_all};
  size_t bytes = VERDICT_FIXED;
  if (j->cut) return status;
  if (j->rank == 0 && status == MPJ_SUCCESS && j->local && j->local->rules) {
    const size_t text = strlen(j->local->rules) + 1;
    memcpy(own.rules, j->local->rules, text);
    bytes += text;
  }
  mpj_error_keep(why, sizeof why);
  if (status != MPJ_SUCCESS) undo(j);
  const int met = exchange(j, &own, bytes);
  if (status != MPJ_SUCCESS) return mpj_error(status, "%s", why);
  return met == MPJ_SUCCESS ? hear_all(j) : met;
}

/* Exchange 4, which follows the third as that does itself */

static int connect_all(struct join *j)
{
  return j->far && j->connects_all ? agree(j, mpj_far_greet(j->far)) : MPJ_SUCCESS;
}

/* The whole */

static int meet(struct join *j)
{
  int status = mpj_cards_exchange(j->launch, &j->cards);
  if (status != MPJ_SUCCESS) return status;
  find_members(j);
  status = check_transport(j);
  if (status == MPJ_SUCCESS) status = open_far(j);
  if (status == MPJ_SUCCESS && j->seat == 0) status = create_segment(j);
  status = exchange_places(j, status);
  if (status == MPJ_SUCCESS) status = attach(j, true);
  if (status == MPJ_SUCCESS && j->far) status = prepare_far(j);
  status = agree(j, status);
  if (status == MPJ_SUCCESS) status = connect_all(j);
  return status == MPJ_SUCCESS ? mpj_shm_watch(j->local) : status;
}

static int make_net(struct join *j, struct mpj_net **net)
{
  int *node_of = NULL, node_ranks = 0;
  j->local->node = j->members[0];
  if (!j->far) { /* one node, whose segment has said what rank 0's machine runs best */
    *net = j->local;
    return MPJ_SUCCESS;
  }
  int status = MPJ_SUCCESS;
  if (j->nmembers < j->size) status = mpj_cards_map_nodes(&j->cards, &node_of, &node_ranks);
  if (status == MPJ_SUCCESS)
    status = mpj_route_open(j->local, j->members, j->shared, j->far, j->rank, j->size,
                            mpj_cards_all_cores(&j->cards), net);
  if (status != MPJ_SUCCESS) {
    mpj_free(node_of);
    return status;
  }
  (*net)->node_of = node_of;
  (*net)->node_ranks = node_ranks;
  (*net)->rules = j->rules;
  j->rules = NULL;
  return MPJ_SUCCESS;
}

static void drop_leftovers(struct join *j)
{
  if (j->segment) mpj_shm_unmap(j->segment);
  if (j->segment_fd >= 0) close(j->segment_fd);
  if (j->directory_fd >= 0) close(j->directory_fd);
  mpj_free(j->rules);
  mpj_free(j->members);
  mpj_free(j->cards.cards);
}

static void allocate(struct join *j)
{
  j->cards = (struct mpj_cards){.rank = j->rank, .size = j->size};
  j->members = mpj_alloc_array((size_t)j->size, sizeof *j->members);
  if (j->members) j->cards.cards = mpj_alloc_array((size_t)j->size, sizeof *j->cards.cards);
}

int mpj_boot_join(struct mpj_launch *launch, struct mpj_net **net)
{
  struct join j = {.launch = launch,
                   .rank = launch->rank,
                   .size = launch->size,
                   .segment_fd = -1,
                   .directory_fd = -1};
  allocate(&j);
  int status = meet(&j);
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
  for (int i = 0; i < j->size; i++)
    j->members[i] = i;
  int status = exchange_places(j, open_far(j));
  if (status == MPJ_SUCCESS) status = attach(j, false);
  if (status == MPJ_SUCCESS) status = prepare_far(j);
  status = agree(j, status);
  return status == MPJ_SUCCESS ? connect_all(j) : status;
}

int mpj_boot_join_over_network(struct mpj_net *local, struct mpj_net **net)
{
  struct join j = {.rank = local->rank,
                   .size = local->size,
                   .nmembers = local->size,
                   .seat = local->rank,
                   .segment_fd = -1,
                   .directory_fd = -1};
  struct mpj_cells *cells = (struct mpj_cells *)local->transport;
  int status = mpj_launch_segment(cells->segment, j.rank, &j.launch);
  if (status != MPJ_SUCCESS) return status;
  j.members = mpj_alloc_array((size_t)j.size, sizeof *j.members);
  status = j.members ? meet_over_network(&j)
                     : mpj_error(MPJ_ERR_NO_MEM, "no memory for the routes of %d ranks", j.size);
  if (status == MPJ_SUCCESS)
    status = mpj_route_open(local, j.members, false, j.far, j.rank, j.size, local->cores, net);
  if (status == MPJ_SUCCESS) {
    (*net)->rules = local->rules;
    local->rules = NULL;
  }
  if (status != MPJ_SUCCESS) undo(&j);
  drop_leftovers(&j);
  mpj_launch_end(j.launch);
  return status;
}
