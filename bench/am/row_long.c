/* This file times long data one way: both ranks in turn offer, and the other pulls;
 * contiguous, layout to layout, and the one system call or the packed detour that
 * it would be without. */
#include "am.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "pack/reduce/reduce.h"
#include "types/basic.h"
#include "types/type.h"

struct side {
  struct mpj_net_block block; /* where the library allocated it */
  void *memory;
  MPJ_Datatype type;
  struct mpj_view view;
};

struct play {
  struct am_rank *r;
  long bytes, block;
  bool rewritten;
  mpj_reduce_kernel *combine; /* of sums of doubles; NULL: copies */
  char *sum;                  /* of what is combined next */
  struct side from, to;
  struct side *source;               /* of the two: what is offered */
  unsigned came, sent, gone, pulled; /* counts: adverts, rounds, own data taken, data here */
  struct mpj_am_remote remote;
};

static enum mpj_am_verdict take(void *ctx, const struct mpj_am_arrival *arrival,
                                struct mpj_am_dest *dest)
{
  (void)dest;
  struct play *p = ctx;
  memcpy(&p->remote, arrival->header, sizeof p->remote);
  p->came++;
  return MPJ_AM_DONE;
}

static void count(void *arg, int status)
{
  if (status != MPJ_SUCCESS) {
    fprintf(stderr, "am: %s\n", MPJ_Error_detail());
    exit(1);
  }
  ++*(unsigned *)arg;
}

static void offer(struct play *p)
{
  struct mpj_am_remote remote;
  mpj_net_expose(p->r->net, &p->source->view, p->source->memory, 1, count, &p->gone, &remote);
  mpj_net_short(p->r->net, 1 - p->r->rank, AM_HANDLER, &remote, sizeof remote);
  am_poll_until(p->r->net, &p->gone, p->sent);
}

static void combine(void *arg, const void *data, MPJ_Count bytes)
{
  struct play *p = arg;
  p->combine(data, p->sum, bytes / (MPJ_Count)sizeof(double));
  p->sum += bytes;
}

static void pull(struct play *p)
{
  struct mpj_cursor dst;
  const struct mpj_pull_how combining = {.take = combine, .arg = p, .unit = sizeof(double)};
  am_poll_until(p->r->net, &p->came, p->sent);
  mpj_cursor_begin(&dst, &p->to.view, p->to.memory);
  p->sum = p->to.memory;
  const int status = mpj_net_pull(p->r->net, 1 - p->r->rank, &p->remote, &dst,
                                  p->combine ? &combining : NULL, count, &p->pulled);
  if (status != MPJ_AM_PENDING) count(&p->pulled, status);
  am_poll_until(p->r->net, &p->pulled, p->sent);
  mpj_cursor_end(&dst);
}

static void rewrite(struct play *p)
{
  if (p->rewritten) memset(p->from.memory, (int)p->sent, (size_t)p->bytes);
}

/* There and back; what the writing takes is measured apart and taken off. */
static void round_trip(void *arg)
{
  struct play *p = arg;
  p->sent++;
  if (p->r->rank == 0) {
    rewrite(p);
    offer(p);
    pull(p);
  } else {
    pull(p);
    rewrite(p);
    offer(p);
  }
}

static void only_rewrite(void *arg)
{
  struct play *p = arg;
  rewrite(p);
}

/* Blocks of `block` bytes with gaps of as much, or dense where block is 0. */
static void make_side(struct side *s, struct mpj_net *net, long bytes, long block, bool library)
{
  struct mpj_type *object;
  const long extent = block ? 2 * bytes : bytes;
  s->block.base = s->memory = NULL;
  if (library && mpj_net_alloc(net, (size_t)extent, &s->block) != MPJ_SUCCESS) exit(1);
  if (library)
    s->memory = s->block.base;
  else if (posix_memalign(&s->memory, 4096, (size_t)extent) != 0)
    exit(1);
  memset(s->memory, 1, (size_t)extent);
  if (block)
    MPJ_Type_vector(bytes / block, block, 2 * block, MPJ_BYTE, &s->type);
  else
    MPJ_Type_contiguous(bytes, MPJ_BYTE, &s->type);
  MPJ_Type_commit(&s->type);
  mpj_type_resolve(s->type, "type", &object);
  s->view = mpj_type_view(object);
}

static void free_side(struct side *s, struct mpj_net *net)
{
  MPJ_Type_free(&s->type);
  if (s->block.base)
    mpj_net_free(net, &s->block);
  else
    free(s->memory);
}

static void begin(struct play *p, struct am_rank *r, long bytes, long block, int how)
{
  *p = (struct play){.r = r, .bytes = bytes, .block = block, .rewritten = how & AM_REWRITTEN};
  make_side(&p->from, r->net, bytes, block, how & AM_LIBRARY);
  make_side(&p->to, r->net, bytes, block, how & AM_LIBRARY);
  p->source = how & AM_PASSED_ON ? &p->to : &p->from;
  if (how & AM_COMBINED)
    p->combine = mpj_reduce_kernel_of(MPJ_REDUCE_SUM, mpj_basic_of_handle(MPJ_DOUBLE));
  mpj_net_register(r->net, AM_HANDLER, take, p);
}

static void end(struct play *p)
{
  free_side(&p->from, p->r->net);
  free_side(&p->to, p->r->net);
}

static double one_way(struct play *p)
{
  const double ns = am_time(p->r, 2, round_trip, p);
  return p->rewritten ? ns / 2 - am_time(p->r, 2, only_rewrite, p) : ns / 2;
}

void am_long(struct am_rank *r, long param)
{
  struct play p;
  char row[64];
  const long bytes = param >> AM_HOW_BITS;
  const int how = (int)(param & ((1 << AM_HOW_BITS) - 1));
  begin(&p, r, bytes, 0, how);
  const double ns = one_way(&p);
  snprintf(row, sizeof row, "long_%ld%s%s%s%s", bytes, how & AM_REWRITTEN ? "_rewritten" : "",
           how & AM_LIBRARY ? "_library" : "", how & AM_PASSED_ON ? "_passed_on" : "",
           how & AM_COMBINED ? "_combined" : "");
  if (r->rank == 0) am_report(row, "mpj", ns / 1000);
  end(&p);
}

void am_network_long(struct am_rank *r, long bytes)
{
  struct play p;
  char row[32];
  if (!am_over_network(r)) return;
  begin(&p, r, bytes, 0, 0);
  snprintf(row, sizeof row, "network_%ld", bytes);
  const double ns = one_way(&p);
  if (r->rank == 0) am_report(row, "mpj", ns / 1000);
  end(&p);
}

/* The detour: pack, move the packed bytes, unpack. */
struct detour {
  struct play packed; /* of the dense transfer */
  struct side from, to;
};

static void pack_from(struct detour *d)
{
  MPJ_Count position = 0;
  MPJ_Pack(d->from.memory, d->from.type, d->packed.from.memory, d->packed.bytes, &position);
}

static void unpack_to(struct detour *d)
{
  MPJ_Count position = 0;
  MPJ_Unpack(d->packed.to.memory, d->packed.bytes, &position, d->to.memory, d->to.type);
}

static void detour_trip(void *arg)
{
  struct detour *d = arg;
  d->packed.sent++;
  if (d->packed.r->rank == 0) {
    pack_from(d);
    offer(&d->packed);
    pull(&d->packed);
    unpack_to(d);
  } else {
    pull(&d->packed);
    unpack_to(d);
    pack_from(d);
    offer(&d->packed);
  }
}

void am_layout(struct am_rank *r, long bytes)
{
  enum { BLOCK = 256 };
  struct play p;
  struct detour d;
  begin(&p, r, bytes, BLOCK, 0);
  const double ns = am_time(r, 2, round_trip, &p);
  if (r->rank == 0) am_report("layout_256_1048576", "mpj", ns / 2000);
  end(&p);
  begin(&d.packed, r, bytes, 0, 0);
  make_side(&d.from, r->net, bytes, BLOCK, false);
  make_side(&d.to, r->net, bytes, BLOCK, false);
  const double ns2 = am_time(r, 2, detour_trip, &d);
  if (r->rank == 0) am_report("layout_256_1048576", "detour", ns2 / 2000);
  free_side(&d.from, r->net);
  free_side(&d.to, r->net);
  end(&d.packed);
}

/* One side reads everything in one call. */
struct bare {
  struct play *p;
  struct am_rank *r;
  struct {
    int32_t pid;
    uint64_t address;
  } peer;
};

static void bare_turn(struct bare *b, bool mine)
{
  struct am_common *c = b->r->common;
  const unsigned turn = b->p->sent;
  if (mine) {
    rewrite(b->p);
    atomic_store(&c->flag[b->r->rank], 2 * turn);
    while ((int)(atomic_load(&c->flag[1 - b->r->rank]) - (2 * turn + 1)) < 0)
      __builtin_ia32_pause();
    return;
  }
  while ((int)(atomic_load(&c->flag[1 - b->r->rank]) - 2 * turn) < 0)
    __builtin_ia32_pause();
  const struct iovec local = {b->p->to.memory, (size_t)b->p->bytes};
  const struct iovec remote = {(void *)(uintptr_t)b->peer.address, (size_t)b->p->bytes};
  if (process_vm_readv(b->peer.pid, &local, 1, &remote, 1, 0) < 0) exit(1);
  atomic_store(&c->flag[b->r->rank], 2 * turn + 1);
}

static void bare_trip(void *arg)
{
  struct bare *b = arg;
  b->p->sent++;
  bare_turn(b, b->r->rank == 0);
  b->p->sent++;
  bare_turn(b, b->r->rank == 1);
}

void am_raw_read(struct am_rank *r, long param)
{
  struct play p;
  char row[64];
  const long bytes = param >> AM_HOW_BITS;
  const int how = (int)(param & ((1 << AM_HOW_BITS) - 1));
  begin(&p, r, bytes, 0, how);
  struct bare b = {.p = &p, .r = r};
  b.peer.pid = getpid();
  b.peer.address = (uint64_t)(uintptr_t)p.from.memory;
  memcpy(r->common->address[r->rank], &b.peer, sizeof b.peer);
  am_barrier(r, 2);
  memcpy(&b.peer, r->common->address[1 - r->rank], sizeof b.peer);
  double ns = am_time(r, 2, bare_trip, &b);
  if (p.rewritten) ns -= 2 * am_time(r, 2, only_rewrite, &p);
  snprintf(row, sizeof row, "long_%ld%s", bytes, how & AM_REWRITTEN ? "_rewritten" : "");
  if (r->rank == 0) am_report(row, "process_vm", ns / 2000);
  end(&p);
}
