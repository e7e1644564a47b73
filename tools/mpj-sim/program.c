/* This file makes the data of the simulated ranks, begins their calls, and checks the outcome. */
#include "program.h"

#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/sim/sim.h"

enum { PREFIXES_MOST = 64 << 20 }; /* bytes */

static bool reduces(const struct program *p)
{
  return p->operation >= MPJ_OPERATION_REDUCE;
}

static void add(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const uint64_t *a = in;
  uint64_t *b = inout;
  for (MPJ_Count i = 0; i < n; i++)
    b[i] += a[i];
  mpj_sim_reduces(ctx, 8 * n);
}

static void add_bytes(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const unsigned char *a = in;
  unsigned char *b = inout;
  for (MPJ_Count i = 0; i < n; i++)
    b[i] = (unsigned char)(b[i] + a[i]);
  mpj_sim_reduces(ctx, n);
}

/* Byte i of what a rank gives to `whom`, or to all (whom 0). */
static unsigned char given(int rank, int whom, MPJ_Count i)
{
  uint64_t z = (uint64_t)rank * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)whom * 0x10001 +
               (uint64_t)i * UINT64_C(0xbf58476d1ce4e5b9);
  z ^= z >> 29;
  return (unsigned char)((z * UINT64_C(0x94d049bb133111eb)) >> 56);
}

static void give(const struct program *p, int rank, int whom, unsigned char *stream)
{
  for (MPJ_Count i = 0; i < p->size; i++)
    stream[i] = given(rank, whom, i);
}

/* sum += what a rank gives. */
static void accumulate(const struct program *p, int rank, int whom, unsigned char *sum,
                       unsigned char *room)
{
  give(p, rank, whom, room);
  if (p->wide) {
    uint64_t *to = (uint64_t *)(void *)sum;
    const uint64_t *from = (const uint64_t *)(const void *)room;
    for (MPJ_Count i = 0; i < p->size / 8; i++)
      to[i] += from[i];
  } else {
    for (MPJ_Count i = 0; i < p->size; i++)
      sum[i] = (unsigned char)(sum[i] + room[i]);
  }
}

/* What ranks below `end` give to `whom`, summed. */
static int sum_up(const struct program *p, int end, int whom, unsigned char *sum)
{
  unsigned char *room = mpj_alloc((size_t)p->size + 1);
  if (!room) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld bytes", (long long)p->size);
  memset(sum, 0, (size_t)p->size);
  for (int rank = 0; rank < end; rank++)
    accumulate(p, rank, whom, sum, room);
  mpj_free(room);
  return MPJ_SUCCESS;
}

/* Else each rank's is summed up by itself. */
static int make_prefixes(struct program *p)
{
  const size_t n = (size_t)p->size, ranks = (size_t)p->ranks;
  if (n == 0 || ranks + 1 > PREFIXES_MOST / n) return MPJ_SUCCESS;
  unsigned char *room = mpj_alloc(n);
  p->sums = mpj_alloc_array(ranks + 1, n);
  for (size_t rank = 0; room && p->sums && rank < ranks; rank++) {
    unsigned char *sum = p->sums + (rank + 1) * n;
    memcpy(sum, sum - n, n);
    accumulate(p, (int)rank, 0, sum, room);
  }
  mpj_free(room);
  if (room && p->sums) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d sums", p->ranks);
}

/* What the first ranks give to all. */
static int prefix(const struct program *p, int end, unsigned char *sum)
{
  if (!p->sums) return sum_up(p, end, 0, sum);
  memcpy(sum, p->sums + (size_t)end * (size_t)p->size, (size_t)p->size);
  return MPJ_SUCCESS;
}

static int parse_part(struct program *p)
{
  char why[200];
  const int status = MPJ_Type_parse(p->text, &p->part);
  if (status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM) return status;
  mpj_error_keep(why, sizeof why);
  return mpj_error(MPJ_ERR_ARG, "--type is %s: %s", p->text, why);
}

static int make_part(struct program *p)
{
  p->wide = p->bytes % 8 == 0;
  if (p->text && reduces(p))
    return mpj_error(MPJ_ERR_ARG, "--type is %s, but %s goes by bytes", p->text,
                     mpj_operation_name(p->operation));
  if (p->text) return parse_part(p);
  if (reduces(p) && p->wide) return MPJ_Type_contiguous(p->bytes / 8, MPJ_UINT64, &p->part);
  return MPJ_Type_contiguous(p->bytes, MPJ_UINT8, &p->part);
}

/* Whether the bytes are virtual, and if so the buffers. */
static int choose_payload(struct program *p, struct mpj_sim *sim)
{
  enum { REAL_RANKS = 300, REAL_BYTES = 65536 };
  const bool can = p->operation == MPJ_OPERATION_BCAST && !p->text;
  const MPJ_Count eager = mpj_config()->eager_bytes;
  if (p->payload == PAYLOAD_VIRTUAL && can && p->size <= eager)
    return mpj_error(
        MPJ_ERR_ARG,
        "--payload is virtual, but %lld bytes go eagerly, which needs real ones: there "
        "must be more than %lld (MPJ_EAGER_BYTES)",
        (long long)p->size, (long long)eager);
  if (p->payload == PAYLOAD_VIRTUAL && !can)
    return mpj_error(MPJ_ERR_ARG,
                     "--payload is virtual, which only a Bcast of bytes can have, not %s%s",
                     mpj_operation_name(p->operation), p->text ? " of a datatype" : "");
  if (p->payload != PAYLOAD_VIRTUAL &&
      (p->payload == PAYLOAD_REAL || !can || p->ranks <= REAL_RANKS || p->size <= REAL_BYTES ||
       p->size <= eager))
    return MPJ_SUCCESS;
  p->virtual = mpj_sim_virtual(sim);
  return mpj_sim_virtual_begin(p->virtual, p->ranks, p->size);
}

int program_begin(struct program *p, struct mpj_sim *sim)
{
  if (p->bytes < 0) return mpj_error(MPJ_ERR_ARG, "--bytes is %lld", (long long)p->bytes);
  int status = make_part(p);
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(p->ranks, p->part, &p->whole);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&p->part);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&p->whole);
  if (status == MPJ_SUCCESS) status = MPJ_Type_size(p->part, &p->size);
  if (status == MPJ_SUCCESS && reduces(p))
    status =
        MPJ_Op_create(p->wide ? add : add_bytes, sim, p->wide ? MPJ_UINT64 : MPJ_UINT8, 1, &p->sum);
  if (status == MPJ_SUCCESS) status = choose_payload(p, sim);
  if (status != MPJ_SUCCESS) return status;
  if (p->operation == MPJ_OPERATION_SCAN || p->operation == MPJ_OPERATION_EXSCAN)
    return make_prefixes(p);
  if (p->operation != MPJ_OPERATION_REDUCE && p->operation != MPJ_OPERATION_ALLREDUCE)
    return MPJ_SUCCESS;
  p->sums = mpj_alloc((size_t)p->size + 1);
  if (!p->sums) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld bytes", (long long)p->size);
  return sum_up(p, p->ranks, 0, p->sums);
}

void program_end(struct program *p)
{
  if (p->part) MPJ_Type_free(&p->part);
  if (p->whole) MPJ_Type_free(&p->whole);
  if (p->sum) MPJ_Op_free(&p->sum);
  mpj_free(p->sums);
}

/* Parts of a buffer: 0, 1, or one a rank. */
static int parts_sent(const struct program *p, int rank)
{
  switch (p->operation) {
  case MPJ_OPERATION_BARRIER:
    return 0;
  case MPJ_OPERATION_BCAST:
    return 0; /* it is received in place */
  case MPJ_OPERATION_SCATTER:
    return rank == p->root ? p->ranks : 0;
  case MPJ_OPERATION_ALLTOALL:
  case MPJ_OPERATION_REDUCE_SCATTER:
    return p->ranks;
  default:
    return 1;
  }
}

static int parts_received(const struct program *p, int rank)
{
  switch (p->operation) {
  case MPJ_OPERATION_BARRIER:
    return 0;
  case MPJ_OPERATION_GATHER:
    return rank == p->root ? p->ranks : 0;
  case MPJ_OPERATION_REDUCE:
    return rank == p->root ? 1 : 0;
  case MPJ_OPERATION_ALLGATHER:
  case MPJ_OPERATION_ALLTOALL:
    return p->ranks;
  default:
    return 1;
  }
}

/* Bytes of a buffer of n parts, from its lowest byte on, and where that is. */
static MPJ_Count extent_of(const struct program *p, int n, MPJ_Aint *lowest)
{
  MPJ_Aint lb, extent;
  *lowest = 0;
  if (n == 0) return 0;
  MPJ_Type_get_true_extent(n == 1 ? p->part : p->whole, &lb, &extent);
  *lowest = lb;
  return extent;
}

MPJ_Count program_memory(const struct program *p, int rank)
{
  MPJ_Aint lowest;
  if (p->virtual) return 0;
  return extent_of(p, parts_sent(p, rank), &lowest) +
         extent_of(p, parts_received(p, rank), &lowest);
}

static int allocate(const struct program *p, int n, size_t shift, unsigned char **buffer)
{
  MPJ_Aint lowest;
  const MPJ_Count bytes = extent_of(p, n, &lowest);
  *buffer = NULL;
  if (n == 0) return MPJ_SUCCESS;
  unsigned char *memory = mpj_alloc_array((size_t)bytes + 1 + shift, 1);
  if (!memory)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a buffer of %lld bytes", (long long)bytes);
  *buffer = memory + shift;
  return MPJ_SUCCESS;
}

/* The base address of a buffer of n parts. */
static void *base_of(const struct program *p, int n, unsigned char *buffer)
{
  MPJ_Aint lowest;
  extent_of(p, n, &lowest);
  return buffer ? (void *)((uintptr_t)buffer - (uintptr_t)lowest) : NULL;
}

/* Put what a rank gives into its n parts, by their layout. */
static int fill(const struct program *p, int rank, int n, unsigned char *buffer)
{
  const bool shares = n > 1 || p->operation == MPJ_OPERATION_SCATTER ||
                      p->operation == MPJ_OPERATION_ALLTOALL ||
                      p->operation == MPJ_OPERATION_REDUCE_SCATTER;
  unsigned char *stream = mpj_alloc((size_t)p->size + 1);
  int status = stream ? MPJ_SUCCESS : mpj_error(MPJ_ERR_NO_MEM, "no memory for a part");
  void *base = base_of(p, n, buffer);
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++) {
    give(p, rank, shares ? i : 0, stream);
    status = MPJ_Unpack_range(stream, p->size, base, n == 1 ? p->part : p->whole, i * p->size);
  }
  mpj_free(stream);
  return status;
}

int program_fill(const struct program *p, int rank, struct buffers *b)
{
  const int sent = parts_sent(p, rank), received = parts_received(p, rank);
  if (p->virtual) {
    b->recv = (unsigned char *)mpj_sim_virtual_buffer(p->virtual, rank) + b->shift;
    return rank == p->root ? mpj_sim_virtual_fill(p->virtual, rank, (MPJ_Count)b->shift, p->size)
                           : MPJ_SUCCESS;
  }
  int status = allocate(p, sent, b->shift, &b->send);
  if (status == MPJ_SUCCESS) status = allocate(p, received, b->shift, &b->recv);
  if (status == MPJ_SUCCESS && sent > 0) status = fill(p, rank, sent, b->send);
  if (status == MPJ_SUCCESS && p->operation == MPJ_OPERATION_BCAST && rank == p->root)
    status = fill(p, rank, 1, b->recv);
  return status;
}

void program_drop(const struct program *p, int rank, struct buffers *b)
{
  if (b->recv && p->virtual) {
    mpj_sim_virtual_clear(p->virtual, rank);
    b->recv = NULL;
  }
  if (b->send) mpj_free(b->send - b->shift);
  if (b->recv) mpj_free(b->recv - b->shift);
  b->send = b->recv = NULL;
}

/* What part i of a rank's outcome should be. */
static int expect(const struct program *p, int rank, int i, unsigned char *stream)
{
  switch (p->operation) {
  case MPJ_OPERATION_BCAST:
    give(p, p->root, 0, stream);
    return MPJ_SUCCESS;
  case MPJ_OPERATION_SCATTER:
    give(p, p->root, rank, stream);
    return MPJ_SUCCESS;
  case MPJ_OPERATION_ALLTOALL:
    give(p, i, rank, stream);
    return MPJ_SUCCESS;
  case MPJ_OPERATION_REDUCE:
  case MPJ_OPERATION_ALLREDUCE:
    memcpy(stream, p->sums, (size_t)p->size);
    return MPJ_SUCCESS;
  case MPJ_OPERATION_REDUCE_SCATTER:
    return sum_up(p, p->ranks, rank, stream);
  case MPJ_OPERATION_SCAN:
    return prefix(p, rank + 1, stream);
  case MPJ_OPERATION_EXSCAN:
    return prefix(p, rank, stream);
  default:
    give(p, i, 0, stream);
    return MPJ_SUCCESS;
  }
}

static int compare(const struct program *p, int rank, int i, const unsigned char *is,
                   const unsigned char *should)
{
  for (MPJ_Count k = 0; k < p->size; k++)
    if (is[k] != should[k])
      return mpj_error(MPJ_ERR_INTERNAL, "%s left %u at byte %lld of part %d on rank %d, not %u",
                       mpj_operation_name(p->operation), is[k], (long long)k, i, rank, should[k]);
  return MPJ_SUCCESS;
}

int program_check(const struct program *p, int rank, const struct buffers *b)
{
  const int n = parts_received(p, rank);
  if (n == 0 || (p->operation == MPJ_OPERATION_EXSCAN && rank == 0)) return MPJ_SUCCESS;
  if (p->virtual)
    return mpj_sim_virtual_check(p->virtual, rank, (MPJ_Count)b->shift, p->size, p->root);
  unsigned char *is = mpj_alloc((size_t)p->size + 1), *should = mpj_alloc((size_t)p->size + 1);
  int status = is && should ? MPJ_SUCCESS : mpj_error(MPJ_ERR_NO_MEM, "no memory for a part");
  void *base = base_of(p, n, b->recv);
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++) {
    status = MPJ_Pack_range(base, n == 1 ? p->part : p->whole, i * p->size, is, p->size);
    if (status == MPJ_SUCCESS) status = expect(p, rank, i, should);
    if (status == MPJ_SUCCESS) status = compare(p, rank, i, is, should);
  }
  mpj_free(is);
  mpj_free(should);
  return status;
}

int program_start(const struct program *p, const struct buffers *b, MPJ_Request *request)
{
  const int sent = b->send ? 1 : 0;
  void *recv = NULL, *send = NULL;
  int rank;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  send = base_of(p, sent ? parts_sent(p, rank) : 0, b->send);
  recv = base_of(p, b->recv ? parts_received(p, rank) : 0, b->recv);
  const MPJ_Comm w = MPJ_COMM_WORLD;
  switch (p->operation) {
  case MPJ_OPERATION_BARRIER:
    return MPJ_Ibarrier(w, request);
  case MPJ_OPERATION_BCAST:
    return MPJ_Ibcast(recv, p->part, p->root, w, request);
  case MPJ_OPERATION_GATHER:
    return MPJ_Igather(send, p->part, recv, p->whole, p->root, w, request);
  case MPJ_OPERATION_SCATTER:
    return MPJ_Iscatter(send, p->whole, recv, p->part, p->root, w, request);
  case MPJ_OPERATION_ALLGATHER:
    return MPJ_Iallgather(send, p->part, recv, p->whole, w, request);
  case MPJ_OPERATION_ALLTOALL:
    return MPJ_Ialltoall(send, p->whole, recv, p->whole, w, request);
  case MPJ_OPERATION_REDUCE:
    return MPJ_Ireduce(send, p->part, recv, p->part, p->sum, p->root, w, request);
  case MPJ_OPERATION_ALLREDUCE:
    return MPJ_Iallreduce(send, p->part, recv, p->part, p->sum, w, request);
  case MPJ_OPERATION_REDUCE_SCATTER:
    return MPJ_Ireduce_scatter(send, p->whole, recv, p->part, p->sum, w, request);
  case MPJ_OPERATION_SCAN:
    return MPJ_Iscan(send, p->part, recv, p->part, p->sum, w, request);
  default:
    return MPJ_Iexscan(send, p->part, recv, p->part, p->sum, w, request);
  }
}
