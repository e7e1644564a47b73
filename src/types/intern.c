/* This file keeps the intern table: a hash of all layouts alive, chained,
 * under one mutex, and the references that decide how long they stay.
 *
 * Invariant: a layout in the table has references >= 1. A count goes from 1 to
 * 0 only under the lock, and the layout leaves the table before the lock is
 * released, so a lookup never revives a dying one. */
#include "types/intern.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "types/basic.h"

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

static uint64_t mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 32);
}

static uint64_t mix_words(uint64_t hash, const void *words, MPJ_Count count)
{
  const char *p = words;
  for (MPJ_Count i = 0; i < count; i++, p += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

static uint64_t hash_index(uint64_t hash, const struct mpj_layout *l)
{
  hash = mix(hash, l->u.index.child->id);
  hash = mix(hash, (uint64_t)l->u.index.stride);
  hash = mix(hash, (uint64_t)l->u.index.uniform);
  if (l->u.index.blocklens) hash = mix_words(hash, l->u.index.blocklens, l->u.index.nblocks);
  return mix_words(hash, l->u.index.displs, l->u.index.nblocks);
}

static uint64_t hash_seq(uint64_t hash, const struct mpj_layout *l)
{
  for (MPJ_Count i = 0; i < l->u.seq.npieces; i++) {
    hash = mix(hash, l->u.seq.pieces[i].layout->id);
    hash = mix(hash, (uint64_t)l->u.seq.pieces[i].displ);
  }
  return hash;
}

static uint64_t hash_node(const struct mpj_layout *l)
{
  uint64_t hash = mix(0, (uint64_t)l->kind);
  switch (l->kind) {
  case MPJ_LAYOUT_EMPTY:
    return hash;
  case MPJ_LAYOUT_RUN:
    return mix(mix(hash, (uint64_t)l->u.run.basic), (uint64_t)l->u.run.count);
  case MPJ_LAYOUT_LOOP:
    hash = mix(hash, l->u.loop.child->id);
    return mix(mix(hash, (uint64_t)l->u.loop.count), (uint64_t)l->u.loop.stride);
  case MPJ_LAYOUT_INDEX:
    return hash_index(hash, l);
  case MPJ_LAYOUT_SEQ:
    return hash_seq(hash, l);
  }
  return hash;
}

static bool equal_words(const void *a, const void *b, MPJ_Count count)
{
  return memcmp(a, b, (size_t)count * sizeof(uint64_t)) == 0;
}

static bool equal_index(const struct mpj_layout *a, const struct mpj_layout *b)
{
  if (a->u.index.child != b->u.index.child || a->u.index.stride != b->u.index.stride ||
      a->u.index.nblocks != b->u.index.nblocks || a->u.index.uniform != b->u.index.uniform)
    return false;
  MPJ_Count n = a->u.index.nblocks;
  if (!a->u.index.uniform && !equal_words(a->u.index.blocklens, b->u.index.blocklens, n))
    return false;
  return equal_words(a->u.index.displs, b->u.index.displs, n);
}

static bool equal_seq(const struct mpj_layout *a, const struct mpj_layout *b)
{
  if (a->u.seq.npieces != b->u.seq.npieces) return false;
  for (MPJ_Count i = 0; i < a->u.seq.npieces; i++) {
    if (a->u.seq.pieces[i].layout != b->u.seq.pieces[i].layout ||
        a->u.seq.pieces[i].displ != b->u.seq.pieces[i].displ)
      return false;
  }
  return true;
}

/* Children are interned, so comparing nodes needs no recursion. */
static bool equal_nodes(const struct mpj_layout *a, const struct mpj_layout *b)
{
  if (a->hash != b->hash || a->kind != b->kind) return false;
  switch (a->kind) {
  case MPJ_LAYOUT_EMPTY:
    return true;
  case MPJ_LAYOUT_RUN:
    return a->u.run.basic == b->u.run.basic && a->u.run.count == b->u.run.count;
  case MPJ_LAYOUT_LOOP:
    return a->u.loop.child == b->u.loop.child && a->u.loop.count == b->u.loop.count &&
           a->u.loop.stride == b->u.loop.stride;
  case MPJ_LAYOUT_INDEX:
    return equal_index(a, b);
  case MPJ_LAYOUT_SEQ:
    return equal_seq(a, b);
  }
  return false;
}

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
  node->hash = hash_node(node);
  insert(node);
}

static void make_permanents(void)
{
  pthread_mutex_lock(&table.lock);
  nothing.kind = MPJ_LAYOUT_EMPTY;
  nothing.depth = 1;
  nothing.signature = mpj_signature_empty;
  make_permanent(&nothing);
  for (int b = 0; b < MPJ_BASIC_COUNT; b++) {
    elements[b].kind = MPJ_LAYOUT_RUN;
    elements[b].depth = 1;
    elements[b].signature = mpj_signature_of_basic(b);
    elements[b].true_ub = mpj_basics[b].size;
    elements[b].u.run.basic = b;
    elements[b].u.run.count = 1;
    make_permanent(&elements[b]);
  }
  pthread_mutex_unlock(&table.lock);
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
  struct mpj_layout *node = mpj_alloc_array(1, sizeof *node);
  if (!node) return NULL;
  node->kind = kind;
  atomic_init(&node->references, 1);
  return node;
}

static struct mpj_layout *find_equal(const struct mpj_layout *node)
{
  for (struct mpj_layout *l = *bucket_of(node->hash); l; l = l->next)
    if (equal_nodes(l, node)) return l;
  return NULL;
}

void mpj_layout_intern(struct mpj_layout *node, MPJ_Aint displ, struct mpj_piece *out)
{
  pthread_once(&permanent_once, make_permanents);
  node->hash = hash_node(node);
  pthread_mutex_lock(&table.lock);
  struct mpj_layout *found = find_equal(node);
  if (found) {
    mpj_layout_retain(found);
  } else {
    table.live++;
    grow_if_full();
    insert(node);
  }
  pthread_mutex_unlock(&table.lock);
  if (found) mpj_layout_discard(node);
  *out = (struct mpj_piece){found ? found : node, displ};
}

struct mpj_layout *mpj_layout_retain(struct mpj_layout *layout)
{
  if (layout) atomic_fetch_add_explicit(&layout->references, 1, memory_order_relaxed);
  return layout;
}

/* Drop one reference; true if it was the last and the layout has left the table. */
static bool drop_reference(struct mpj_layout *layout)
{
  int64_t n = atomic_load_explicit(&layout->references, memory_order_relaxed);
  while (n > 1) {
    if (atomic_compare_exchange_weak_explicit(&layout->references, &n, n - 1, memory_order_release,
                                              memory_order_relaxed))
      return false;
  }
  pthread_mutex_lock(&table.lock);
  n = atomic_fetch_sub_explicit(&layout->references, 1, memory_order_acq_rel);
  assert(n >= 1);
  if (n == 1) remove_from_table(layout);
  pthread_mutex_unlock(&table.lock);
  return n == 1;
}

static void destroy_attachments(struct mpj_layout *layout)
{
  for (int slot = 0; slot < MPJ_ATTACH_SLOTS; slot++) {
    struct mpj_attachment *a = atomic_exchange(&layout->attachments[slot], NULL);
    if (a) a->destroy(a);
  }
}

static void free_seq(struct mpj_layout *node)
{
  if (node->u.seq.pieces) {
    for (MPJ_Count i = 0; i < node->u.seq.npieces; i++)
      mpj_layout_release(node->u.seq.pieces[i].layout);
  }
  mpj_free(node->u.seq.pieces);
  mpj_free(node->u.seq.starts);
}

/* Free one node; returns its only child, whose reference is now the caller's. */
static struct mpj_layout *free_node(struct mpj_layout *node)
{
  struct mpj_layout *child = NULL;
  destroy_attachments(node);
  if (node->kind == MPJ_LAYOUT_LOOP) child = node->u.loop.child;
  if (node->kind == MPJ_LAYOUT_INDEX) {
    child = node->u.index.child;
    mpj_free(node->u.index.blocklens);
    mpj_free(node->u.index.displs);
    mpj_free(node->u.index.starts);
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
  pthread_mutex_lock(&table.lock);
  size_t live = table.live;
  pthread_mutex_unlock(&table.lock);
  return live;
}
