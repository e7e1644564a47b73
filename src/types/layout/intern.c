/* This file keeps the intern table: a hash of all layouts alive, chained,
 * under one mutex, and the references that decide how long they stay.
 *
 * Invariant: a layout in the table has references >= 1. A count goes from 1 to
 * 0 only under the lock, and the layout leaves the table before the lock is
 * released, so a lookup never revives a dying one. */
#include "types/layout/intern.h"

#include <assert.h>
#include <pthread.h>

#include "base/lock.h"
#include "base/memory.h"
#include "types/basic.h"
#include "types/layout/shapes.h"
#include "types/sequence/sequence.h"

enum { FIRST_BUCKETS = 256 };

static struct mpj_layout *first_buckets[FIRST_BUCKETS];

/* Starts on static buckets and returns to them when it is empty, so that an
 * idle library owns no memory. */
static struct {
  pthread_mutex_t lock;
  struct mpj_layout **buckets;
  size_t nbuckets; /* a power of two */
  size_t live;     /* layouts in it, the permanent ones apart */
  uint64_t last_id;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .buckets = first_buckets, .nbuckets = FIRST_BUCKETS};

static struct mpj_layout nothing;
static struct mpj_layout elements[MPJ_BASIC_COUNT];
static pthread_once_t permanent_once = PTHREAD_ONCE_INIT;

static struct mpj_layout **bucket_of(uint64_t hash)
{
  return &table.buckets[hash & (table.nbuckets - 1)];
}

static void insert(struct mpj_layout *node)
{
  struct mpj_layout **bucket = bucket_of(node->hash);
  node->id = ++table.last_id;
  node->next = *bucket;
  *bucket = node;
}

static void rehash(struct mpj_layout **buckets, size_t nbuckets)
{
  struct mpj_layout **old = table.buckets;
  size_t nold = table.nbuckets;
  table.buckets = buckets;
  table.nbuckets = nbuckets;
  for (size_t i = 0; i < nold; i++) {
    for (struct mpj_layout *l = old[i], *next; l; l = next) {
      next = l->next;
      l->next = *bucket_of(l->hash);
      *bucket_of(l->hash) = l;
    }
    old[i] = NULL;
  }
  if (old != first_buckets) mpj_free(old);
}

/* Longer chains are slower, not wrong: without memory the table stays as it is. */
static void grow_if_full(void)
{
  if (table.live <= table.nbuckets) return;
  struct mpj_layout **buckets = mpj_alloc_array(table.nbuckets * 4, sizeof *buckets);
  if (buckets) rehash(buckets, table.nbuckets * 4);
}

static void shrink_if_empty(void)
{
  if (table.live == 0 && table.buckets != first_buckets) rehash(first_buckets, FIRST_BUCKETS);
}

static void remove_from_table(struct mpj_layout *node)
{
  struct mpj_layout **link = bucket_of(node->hash);
  while (*link != node)
    link = &(*link)->next;
  *link = node->next;
  table.live--;
  shrink_if_empty();
}

static void make_permanent(struct mpj_layout *node)
{
  atomic_init(&node->references, 1);
  node->hash = mpj_layout_hash_node(node);
  insert(node);
}

static void make_permanents(void)
{
  bool taken = mpj_lock(&table.lock);
  nothing.kind = MPJ_LAYOUT_EMPTY;
  nothing.depth = 1;
  nothing.alignment = 1;
  nothing.signature = mpj_signature_empty;
  make_permanent(&nothing);
  for (int b = 0; b < MPJ_BASIC_COUNT; b++) {
    elements[b].kind = MPJ_LAYOUT_RUN;
    elements[b].depth = 1;
    elements[b].alignment = mpj_basics[b].alignment;
    elements[b].basics = UINT64_C(1) << b;
    elements[b].signature = mpj_signature_of_basic(b);
    elements[b].true_ub = mpj_basics[b].size;
    elements[b].u.run.basic = b;
    elements[b].u.run.count = 1;
    make_permanent(&elements[b]);
  }
  mpj_unlock(&table.lock, taken);
}

struct mpj_layout *mpj_layout_of_nothing(void)
{
  pthread_once(&permanent_once, make_permanents);
  return &nothing;
}

struct mpj_layout *mpj_layout_of_basic(int basic)
{
  pthread_once(&permanent_once, make_permanents);
  return &elements[basic];
}

struct mpj_layout *mpj_layout_new(enum mpj_layout_kind kind)
{
  struct mpj_layout *node = mpj_alloc(mpj_layout_node_bytes(kind) + mpj_layout_room_bytes(kind));
  if (!node) return NULL;
  mpj_zero(node, offsetof(struct mpj_layout, u) + sizeof node->u.run); /* all have that */
  if (kind == MPJ_LAYOUT_INDEX) mpj_zero(&node->u.index, sizeof node->u.index);
  if (kind == MPJ_LAYOUT_LOOP) mpj_zero(&node->u.loop, sizeof node->u.loop);
  if (kind == MPJ_LAYOUT_SEQ) mpj_zero(&node->u.seq, sizeof node->u.seq);
  node->has_room = true;
  node->kind = kind;
  atomic_init(&node->references, 1);
  return node;
}

static struct mpj_layout *find_equal(const struct mpj_layout *node)
{
  for (struct mpj_layout *l = *bucket_of(node->hash); l; l = l->next)
    if (mpj_layout_equal_nodes(l, node)) return l;
  return NULL;
}

void mpj_layout_intern(struct mpj_layout *node, MPJ_Aint displ, struct mpj_piece *out)
{
  pthread_once(&permanent_once, make_permanents);
  node->hash = mpj_layout_hash_node(node);
  bool taken = mpj_lock(&table.lock);
  struct mpj_layout *found = find_equal(node);
  if (found) {
    mpj_layout_retain(found);
  } else {
    table.live++;
    grow_if_full();
    insert(node);
  }
  mpj_unlock(&table.lock, taken);
  if (found) mpj_layout_discard(node);
  *out = (struct mpj_piece){found ? found : node, displ};
}

/* Drop one reference; true if it was the last and the layout has left the table. */
static bool drop_reference(struct mpj_layout *layout)
{
  int64_t n = atomic_load_explicit(&layout->references, memory_order_relaxed);
  if (n > 1 && mpj_single_threaded()) {
    atomic_store_explicit(&layout->references, n - 1, memory_order_relaxed);
    return false;
  }
  while (n > 1) {
    if (atomic_compare_exchange_weak_explicit(&layout->references, &n, n - 1, memory_order_release,
                                              memory_order_relaxed))
      return false;
  }
  bool taken = mpj_lock(&table.lock);
  n = mpj_refcount_down(&layout->references);
  assert(n >= 1);
  if (n == 1) remove_from_table(layout);
  mpj_unlock(&table.lock, taken);
  return n == 1;
}

/* Nobody else looks at the layout any more. */
static void destroy_attachments(struct mpj_layout *layout)
{
  for (int slot = 0; slot < MPJ_ATTACH_SLOTS; slot++) {
    struct mpj_attachment *a = mpj_layout_attachment(layout, slot);
    if (!a) continue;
    atomic_store_explicit(&layout->attachments[slot], NULL, memory_order_relaxed);
    if (a->destroy) a->destroy(a);
  }
}

void mpj_shapes_release(struct mpj_shapes *shapes)
{
  if (!shapes || mpj_refcount_down(&shapes->references) != 1) return;
  for (MPJ_Count i = 0; i < shapes->n; i++)
    mpj_layout_release(shapes->all[i]);
  mpj_free(shapes);
}

static void free_seq(struct mpj_layout *node)
{
  if (node->u.seq.pieces) {
    for (MPJ_Count i = 0; i < node->u.seq.npieces; i++)
      mpj_layout_release(node->u.seq.pieces[i].layout);
  }
  mpj_free(node->u.seq.pieces); /* and starts_of_short behind them */
  mpj_shapes_release(node->u.seq.shapes);
  mpj_sequence_release(node->u.seq.rows);
  mpj_sequence_release(node->u.seq.displs);
  mpj_sequence_release(node->u.seq.starts);
}

/* Free one node; returns its only child, whose reference is now the caller's. */
static struct mpj_layout *free_node(struct mpj_layout *node)
{
  struct mpj_layout *child = NULL;
  destroy_attachments(node);
  if (node->kind == MPJ_LAYOUT_LOOP) child = node->u.loop.child;
  if (node->kind == MPJ_LAYOUT_INDEX) {
    child = node->u.index.child;
    mpj_sequence_release(node->u.index.displs);
    mpj_sequence_release(node->u.index.lens);
    mpj_sequence_release(node->u.index.starts);
  }
  if (node->kind == MPJ_LAYOUT_SEQ) free_seq(node);
  mpj_free(node);
  return child;
}

void mpj_layout_release(struct mpj_layout *layout)
{
  while (layout && drop_reference(layout))
    layout = free_node(layout);
}

void mpj_layout_discard(struct mpj_layout *node)
{
  mpj_layout_release(free_node(node));
}

void mpj_layout_forget_permanent(void)
{
  pthread_once(&permanent_once, make_permanents);
  destroy_attachments(&nothing);
  for (int b = 0; b < MPJ_BASIC_COUNT; b++)
    destroy_attachments(&elements[b]);
}

size_t mpj_layout_live(void)
{
  bool taken = mpj_lock(&table.lock);
  size_t live = table.live;
  mpj_unlock(&table.lock, taken);
  return live;
}
