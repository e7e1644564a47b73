/* This file posts data for all ranks of a communicator at once, and takes what others have
 * posted.
 *
 * A post is a message (coll/run/control.h) in the control window of the rank that made it, in
 * the operation's slot: INLINE, or EAGER with the data in the published buffer
 * (coll/steps/published.h), in which case the message's data begins with the offset there. Its bit
 * means nothing. A slot is posted in again when all other ranks have ended the operation that had
 * it before. */
#include <string.h>

#include "coll/comm/context.h"
#include "coll/control/signals.h"
#include "coll/failure/difference.h"
#include "coll/failure/failure.h"
#include "coll/run/early.h"
#include "coll/run/tally.h"
#include "coll/steps/ends.h"
#include "coll/steps/posts.h"
#include "coll/steps/steps.h"

static_assert(sizeof(struct mpj_arrival_message) == MPJ_CELL_BODY, "a post holds a message");

/* Posting */

/* How many operations a member has ended, of those that this rank can know of. */
static uint64_t done_at(struct mpj_comm *comm, int rank)
{
  const uint64_t known = mpj_comm_known_done(comm, rank), done = mpj_comm_done_at(comm, rank);
  return done > known ? mpj_comm_note_done(comm, rank, done) : known;
}

static MPJ_ASIDE bool look_at_all(struct mpj_comm *comm, uint64_t sequence)
{
  uint64_t least = UINT64_MAX;
  for (int rank = 0; rank < comm->size; rank++) {
    if (rank == comm->rank) continue;
    const uint64_t done = done_at(comm, rank);
    if (sequence >= done + mpj_comm_slots(comm)) return false;
    if (done < least) least = done;
  }
  comm->posts_until = least + mpj_comm_slots(comm);
  return true;
}

/* Whether nobody can be reading what was posted in this operation's slot before. Ranks are looked
 * at once a window: for many operations from then on, as mostly all are near each other. */
static inline bool is_free(struct mpj_comm *comm, uint64_t sequence)
{
  return sequence < comm->posts_until || look_at_all(comm, sequence);
}

static MPJ_ASIDE void *place_on_board(struct mpj_comm *comm, uint64_t sequence,
                                      struct mpj_arrival_message *m)
{
  struct mpj_published *published = &comm->context->published;
  m->kind = MPJ_ARRIVAL_EAGER;
  const int64_t at = mpj_published_take(published, comm, sequence, (size_t)m->bytes);
  memcpy(m->data, &at, sizeof at);
  return at >= 0 ? published->memory + at : NULL;
}

/* Where the data of a post of m->bytes bytes goes, if it can ever be posted: in the message, whose
 * kind is set, in the published buffer, or NULL: it is full. */
static inline void *place_for(struct mpj_comm *comm, uint64_t sequence,
                              struct mpj_arrival_message *m)
{
  if (m->bytes > MPJ_INLINE_MAX) return place_on_board(comm, sequence, m);
  m->kind = MPJ_ARRIVAL_INLINE;
  return m->data;
}

/* Whether rank has posted for operation `sequence`; *m is what. */
static bool look(struct mpj_comm *comm, int rank, uint64_t sequence, struct mpj_arrival_message *m)
{
  if (!mpj_control_look(comm->windows, mpj_comm_world(comm, rank), mpj_comm_control_at(comm, rank),
                        mpj_slot_number(comm, sequence), sequence + 1, m))
    return false;
  m->comm = comm->id; /* as it goes here */
  return true;
}

/* This rank has posted: another one that has posted in a call that does not fit, or -1. Of two that
 * post, at least one sees the other's (mpj_control_look). *m is what it has posted. */
static MPJ_ASIDE int post_of_stranger(struct mpj_comm *comm, const struct mpj_slot *slot,
                                      struct mpj_arrival_message *m)
{
  for (int rank = 0; rank < comm->size; rank++)
    if (rank != comm->rank && look(comm, rank, slot->sequence, m) &&
        !mpj_called_fit(mpj_called_by(m), slot->schedule->called))
      return rank;
  return -1;
}

/* MPJ_AM_AGAIN: what was posted before has still to be read. What cannot be posted, for whatever
 * reason, is sent to each rank, and slot->posted stays: a message says why. */
static int post(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step)
{
  struct mpj_arrival_message m = {0};
  if (!is_free(comm, slot->sequence)) return MPJ_AM_AGAIN;
  if (slot->status != MPJ_SUCCESS || mpj_end_have(slot, &step->from) != MPJ_SUCCESS ||
      (step->bytes > MPJ_INLINE_MAX && (size_t)step->bytes > comm->context->published.bytes))
    return MPJ_SUCCESS;
  mpj_step_message(slot, step, comm->id, &m);
  void *place = place_for(comm, slot->sequence, &m);
  if (!place) return MPJ_AM_AGAIN;
  if (mpj_end_pack(comm, slot, &step->from, place, step->bytes) != MPJ_SUCCESS) return MPJ_SUCCESS;
  mpj_control_post(comm->windows, comm->control, mpj_slot_number(comm, slot->sequence),
                   slot->sequence + 1, &m);
  if (slot->noted) mpj_tally_sent(comm, slot->schedule, MPJ_SENT_POSTED);
  slot->posted = true;
  return MPJ_SUCCESS;
}

/* A walk waits for the place of the last post, and for room in the published buffer: those who have
 * still to read come for it in any case, and data sent to each costs the one who sends it as long a
 * wait. Who is listed sends instead. */
int mpj_post_run(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  struct mpj_arrival_message m;
  const int status = slot->posted ? MPJ_SUCCESS : post(comm, slot, &slot->plan->steps[i]);
  if (status == MPJ_AM_AGAIN && !slot->listed) return MPJ_AM_AGAIN;
  if (!slot->posted) return MPJ_SUCCESS;
  if (slot->schedule->operation != MPJ_OPERATION_BCAST) return MPJ_SUCCESS;
  const int stranger = post_of_stranger(comm, slot, &m);
  if (stranger < 0) return MPJ_SUCCESS;
  mpj_operation_stranger(comm, slot, stranger, &m);
  return MPJ_AM_PENDING;
}

/* Taking */

/* Where the data of a post by `world` lies, NULL: in the message; false if the message makes no
 * sense. */
static bool find_data(struct mpj_comm *comm, int world, const struct mpj_arrival_message *m,
                      const void **payload)
{
  uint64_t at;
  *payload = NULL;
  if (m->kind == MPJ_ARRIVAL_INLINE) return m->bytes <= MPJ_INLINE_MAX;
  if (m->kind != MPJ_ARRIVAL_EAGER) return false;
  const size_t room = comm->windows->board_bytes;
  memcpy(&at, m->data, sizeof at);
  if (at > room || (uint64_t)m->bytes > room - at) return false;
  *payload = mpj_control_published(comm->windows, world) + at;
  return true;
}

/* Whether a post is just what the step waits for, which then has only to be put. */
static inline bool is_expected(const struct mpj_slot *slot, const struct mpj_plan_step *step,
                               const struct mpj_arrival_message *m)
{
  uint64_t call;
  static_assert(offsetof(struct mpj_arrival_message, root) == 12, "rest[0] is what was called");
  memcpy(&call, (const char *)m + sizeof(uint64_t), sizeof call);
  return call == step->rest[0] && mpj_message_bytes(m) == step->bytes &&
         m->digest == step->rest[2] && slot->status == MPJ_SUCCESS &&
         step->to.buffer != MPJ_BUFFER_BUNDLE;
}

int mpj_post_take(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  struct mpj_plan_step *step = &slot->plan->steps[i];
  _Alignas(16) struct mpj_arrival_message m;
  const void *payload;
  const int peer = mpj_comm_peer(comm, step->peer);
  if (!look(comm, peer, slot->sequence, &m)) return MPJ_AM_AGAIN;
  const bool sound = find_data(comm, mpj_comm_world(comm, peer), &m, &payload);
  if (sound && is_expected(slot, step, &m)) {
    const int status = mpj_step_have_place(slot, step, m.kind);
    mpj_bits_set(&slot->seen, step->bit);
    if (status != MPJ_SUCCESS) return status;
    return mpj_step_put(comm, slot, step, payload ? payload : m.data, step->bytes);
  }
  m.bit = step->bit; /* a post is for many steps: what else it says must fit */
  if (!sound || mpj_early_step_of(comm, slot, &m, peer) != i) {
    mpj_operation_stranger(comm, slot, peer, sound ? &m : NULL);
    return MPJ_AM_PENDING;
  }
  mpj_bits_set(&slot->seen, step->bit);
  return mpj_step_take(comm, slot, i, peer, &m, payload);
}

bool mpj_posts_look(struct mpj_comm *comm, struct mpj_slot *slot)
{
  const struct mpj_schedule *s = slot->schedule;
  bool moved = false;
  for (unsigned k = slot->looked; k < s->nposted && !slot->abandoned; k++) {
    const unsigned i = s->posted[k];
    if (mpj_bits_test(&slot->seen, s->steps[i].bit)) {
      if (k == slot->looked) slot->looked++;
    } else if (slot->waits[i] == 1) {
      const int status = mpj_post_take(comm, slot, i);
      if (status == MPJ_AM_AGAIN) continue;
      moved = true;
      if (slot->abandoned) break;
      slot->waits[i] = 0;
      mpj_step_ended(slot, i, status);
    }
  }
  return moved;
}
