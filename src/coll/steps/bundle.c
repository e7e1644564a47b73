/* This file packs data into bundles, and takes it out. */
#include "coll/steps/bundle.h"

#include <string.h>

#include "base/scratch.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/failure/mismatch.h"
#include "coll/steps/bundle_record.h"
#include "coll/steps/ends.h"
#include "coll/steps/steps.h"

enum { LEAST_ROOM = 256 };

struct bundle {
  bool lacking;               /* something that should be in it did not come */
  size_t bytes, room, behind; /* behind: the record that was last taken out */
  unsigned char data[];
};

static struct bundle **place_of(struct mpj_slot *slot, const struct mpj_end *end)
{
  return (struct bundle **)&slot->temporaries[end->number];
}

/* A bundle of at least `room` bytes, with what *at held, in its place. */
static int reserve(struct mpj_slot *slot, struct bundle **at, size_t room)
{
  struct bundle *old = *at;
  if (old && old->room >= room) return MPJ_SUCCESS;
  if (old && room < 2 * old->room) room = 2 * old->room;
  if (room < LEAST_ROOM) room = LEAST_ROOM;
  struct bundle *bigger = mpj_scratch_take(slot->scratch, sizeof *bigger + room);
  if (!bigger) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a bundle of %zu bytes", room);
  bigger->lacking = old && old->lacking;
  bigger->bytes = old ? old->bytes : 0;
  bigger->behind = old ? old->behind : 0;
  bigger->room = room;
  if (old) memcpy(bigger->data, old->data, old->bytes);
  mpj_scratch_give(slot->scratch, old);
  *at = bigger;
  return MPJ_SUCCESS;
}

/* What it holds, as one end of a step. */
static void bind(const struct mpj_comm *comm, const struct mpj_slot *slot,
                 const struct bundle *bundle, struct mpj_plan_step *step, struct mpj_end *end)
{
  const MPJ_Count bytes = (MPJ_Count)bundle->bytes;
  end->dense = true;
  end->at = offsetof(struct bundle, data);
  mpj_plan_head(comm, slot->schedule, bytes, mpj_bundle_digest(bundle->bytes), step);
}

int mpj_bundle_give(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_plan_step *step)
{
  struct bundle **at = place_of(slot, &step->from);
  const int status = reserve(slot, at, 0);
  if (status == MPJ_SUCCESS) bind(comm, slot, *at, step, &step->from);
  return status;
}

int mpj_bundle_expect(struct mpj_comm *comm, struct mpj_slot *slot, MPJ_Count bytes,
                      struct mpj_plan_step *step)
{
  struct bundle **at = place_of(slot, &step->to);
  if (bytes < 0)
    return mpj_error(MPJ_ERR_FORMAT, "a bundle of %lld bytes has arrived", (long long)bytes);
  const int status = reserve(slot, at, (size_t)bytes);
  if (status != MPJ_SUCCESS) return status;
  (*at)->bytes = (size_t)bytes;
  (*at)->behind = 0;
  bind(comm, slot, *at, step, &step->to);
  return MPJ_SUCCESS;
}

static bool record_at(const struct bundle *bundle, size_t at, struct mpj_bundle_record *record)
{
  return mpj_bundle_record_at(bundle->data, bundle->bytes, at, record);
}

static int damaged(const struct mpj_comm *comm, const struct mpj_slot *slot, unsigned tag)
{
  return mpj_error(MPJ_ERR_FORMAT, "%s on rank %d: a bundle is damaged, or lacks piece %u",
                   mpj_schedule_name(slot->schedule), comm->rank, tag);
}

bool mpj_bundle_is_whole(const struct mpj_slot *slot, const struct mpj_end *end)
{
  const struct bundle *b = slot->temporaries[end->number];
  return b && !b->lacking;
}

/* Without memory for an empty one it lacks all the same: there is none. */
static void note_lack(struct mpj_slot *slot, const struct mpj_end *end)
{
  struct bundle **at = place_of(slot, end);
  if (reserve(slot, at, 0) == MPJ_SUCCESS) (*at)->lacking = true;
}

/* Add a piece of data as a record. */
static int add(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  const struct mpj_step *laid = &slot->schedule->steps[i];
  struct bundle **to = place_of(slot, &step->to);
  struct mpj_bundle_record record = {.tag = (uint32_t)mpj_step_dst(slot->schedule, laid).segment,
                                     .bytes = step->bytes};
  memcpy(&record.digest, &step->rest[2], sizeof record.digest);
  const size_t size = mpj_bundle_record_bytes(record.bytes), at = *to ? (*to)->bytes : 0;
  int status = mpj_end_have(slot, &step->from);
  if (status == MPJ_SUCCESS) status = reserve(slot, to, at + size);
  if (status != MPJ_SUCCESS) return status;
  unsigned char *data = (*to)->data + at;
  memset(data + size - MPJ_BUNDLE_ALIGN, 0, MPJ_BUNDLE_ALIGN);
  memcpy(data, &record, sizeof record);
  status = mpj_end_pack(comm, slot, &step->from, data + sizeof record, record.bytes);
  if (status == MPJ_SUCCESS) (*to)->bytes = at + size;
  return status;
}

/* Whether an operand that names records names this one. */
static bool names(struct mpj_operand records, uint32_t tag)
{
  const int64_t behind = (int64_t)tag - records.segment;
  return records.nsegments == 0 || (behind >= 0 && behind < records.span);
}

/* Add records of one bundle to another. */
static int move(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  const struct mpj_operand src = mpj_step_src(slot->schedule, &slot->schedule->steps[i]);
  const struct bundle *from = *place_of(slot, &step->from);
  struct bundle **to = place_of(slot, &step->to);
  struct mpj_bundle_record record;
  const int begun = reserve(slot, to, 0); /* nothing to add is no lack */
  if (begun != MPJ_SUCCESS) return begun;
  for (size_t at = 0; from && at < from->bytes; at += mpj_bundle_record_bytes(record.bytes)) {
    if (!record_at(from, at, &record)) return damaged(comm, slot, (unsigned)src.segment);
    if (!names(src, record.tag)) continue;
    const size_t size = mpj_bundle_record_bytes(record.bytes), end = *to ? (*to)->bytes : 0;
    const int status = reserve(slot, to, end + size);
    if (status != MPJ_SUCCESS) return status;
    memcpy((*to)->data + end, from->data + at, size);
    (*to)->bytes = end + size;
  }
  return MPJ_SUCCESS;
}

static int unpack(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i,
                  const struct mpj_bundle_record *record, const unsigned char *data)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  const struct mpj_operand to = mpj_step_dst(slot->schedule, &slot->schedule->steps[i]);
  const int source = to.part != MPJ_WHOLE ? to.part : slot->schedule->root;
  if (!mpj_step_takes(slot, step, record->bytes, record->digest))
    return mpj_step_mismatch(comm, slot, i, source, record->bytes, record->digest);
  const int status = mpj_end_have(slot, &step->to);
  return status == MPJ_SUCCESS ? mpj_end_unpack(comm, slot, &step->to, data, record->bytes)
                               : status;
}

/* Take a record out to where it belongs. It mostly stands behind the one that was taken last. */
static int take(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  const struct mpj_operand src = mpj_step_src(slot->schedule, &slot->schedule->steps[i]);
  struct bundle *from = *place_of(slot, &slot->plan->steps[i].from);
  struct mpj_bundle_record record;
  bool again = false;
  for (size_t at = from ? from->behind : 0, end = from ? from->bytes : 0; from;) {
    if (at >= end && again) break;
    if (at >= end) { /* then those before the first */
      again = true;
      at = 0;
      end = from->behind;
      continue;
    }
    if (!record_at(from, at, &record)) break;
    const size_t data = at + sizeof record;
    at += mpj_bundle_record_bytes(record.bytes);
    if (!names(src, record.tag)) continue;
    from->behind = at;
    return unpack(comm, slot, i, &record, from->data + data);
  }
  return damaged(comm, slot, (unsigned)src.segment);
}

int mpj_bundle_copy(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  const bool from = step->from.buffer == MPJ_BUFFER_BUNDLE;
  const bool to = step->to.buffer == MPJ_BUFFER_BUNDLE;
  int status = MPJ_SUCCESS;
  if (slot->relayed && slot->forwarded[i]) return MPJ_SUCCESS; /* it goes nowhere any more */
  if (from && slot->status != MPJ_SUCCESS && !mpj_bundle_is_whole(slot, &step->from)) {
    if (to) note_lack(slot, &step->to);
    return MPJ_SUCCESS;
  }
  if (!from)
    status = add(comm, slot, i);
  else
    status = to ? move(comm, slot, i) : take(comm, slot, i);
  if (status != MPJ_SUCCESS && to) note_lack(slot, &step->to);
  return status;
}
