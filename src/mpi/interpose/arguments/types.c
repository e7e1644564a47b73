/* This file finds the MPJ types of a call's arguments: those used lately are kept by each thread,
 * as programs repeat their calls, and lent to the calls. What gives way in the cache while
 * calls are under way is freed when none is. */
#include <pthread.h>
#include <string.h>

#include "mpi/interpose/arguments/committed.h"
#include "mpi/interpose/arguments/types.h"

/* What a type is made of. Equal bytes mean equal types. */
struct key {
  MPI_Datatype type; /* of the elements; unused where `types` has one a part */
  MPI_Count count;
  int parts; /* 0: one part */
  enum { ALONE, OF_INTS, OF_LARGE } lists;
};

enum { PIECES = 3 }; /* counts, displacements, types */

/* The key and what it refers to, of the caller. */
struct made_of {
  struct key key;
  const void *piece[PIECES]; /* NULL: none */
  size_t bytes[PIECES];
};

/* Valid while no derived type was freed, as handles are used again. */
struct entry {
  struct entry *next;       /* of those that have given way */
  unsigned long generation; /* FOR_GOOD: of named types alone */
  struct key key;
  MPJ_Datatype type; /* owned */
  size_t bytes;      /* of the pieces */
  char pieces[];
};

enum { ENTRIES = 64, FOR_GOOD = 1, LISTS_KEPT_BYTES = 1 << 16 };

static _Thread_local struct cache {
  unsigned calls; /* that borrow */
  struct entry *leaving;
  struct entry *at[ENTRIES];
} cache;

static void release(struct entry *e)
{
  mpi_release(&e->type);
  free(e);
}

static void release_leaving(struct cache *c)
{
  while (c->leaving) {
    struct entry *e = c->leaving;
    c->leaving = e->next;
    release(e);
  }
}

static void leave(struct entry *e)
{
  e->next = cache.leaving;
  cache.leaving = e;
}

void types_begin(void)
{
  cache.calls++;
}

void types_end(void)
{
  if (--cache.calls == 0 && cache.leaving) release_leaving(&cache);
}

/* --- the end of a thread --- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit;
static bool have_at_exit;

static void release_all(void *arg)
{
  struct cache *c = arg;
  release_leaving(c);
  for (int i = 0; i < ENTRIES; i++) {
    if (c->at[i]) release(c->at[i]);
    c->at[i] = NULL;
  }
}

static void make_at_exit(void)
{
  have_at_exit = pthread_key_create(&at_exit, release_all) == 0;
}

static void see_to_release(void)
{
  pthread_once(&once, make_at_exit);
  if (have_at_exit && !pthread_getspecific(at_exit)) pthread_setspecific(at_exit, &cache);
}

/* --- finding --- */

static uint64_t mixed(uint64_t h, uint64_t x)
{
  h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

static uint64_t hash_of_piece(uint64_t h, const char *at, size_t bytes)
{
  uint64_t word;
  for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
    memcpy(&word, at, sizeof word);
    h = mixed(h, word);
  }
  word = bytes;
  if (bytes > 0) memcpy(&word, at, bytes);
  return mixed(h, word);
}

static uint64_t hash_of(const struct key *k)
{
  const uint64_t other = (uint64_t)k->count + ((uint64_t)k->parts << 40 | (uint64_t)k->lists << 38);
  return mixed((uint64_t)(uintptr_t)k->type, other * UINT64_C(0xff51afd7ed558ccd));
}

static struct entry **slot_of(uint64_t hash)
{
  return &cache.at[hash >> 58];
}

static struct entry **slot_of_lists(const struct made_of *m)
{
  uint64_t h = hash_of(&m->key);
  for (int i = 0; i < PIECES; i++)
    h = hash_of_piece(h, m->piece[i], m->bytes[i]);
  return slot_of(h);
}

static bool same_pieces(const struct entry *e, const struct made_of *m)
{
  const char *at = e->pieces;
  if (e->bytes != m->bytes[0] + m->bytes[1] + m->bytes[2]) return false;
  for (int i = 0; i < PIECES; i++) {
    if (m->bytes[i] > 0 && memcmp(at, m->piece[i], m->bytes[i]) != 0) return false;
    at += m->bytes[i];
  }
  return true;
}

static bool has_key(const struct entry *e, const struct key *k)
{
  if (e->key.type != k->type || e->key.count != k->count || e->key.parts != k->parts) return false;
  if (e->key.lists != k->lists) return false;
  return e->generation == FOR_GOOD || e->generation == mpi_generation();
}

/* --- making --- */

static int build_alone(const struct key *k, MPJ_Datatype *made)
{
  MPJ_Datatype old, part = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_from_mpi(k->type, &old);
  if (status) return status;
  if (k->parts == 0 && k->count == 1) {
    *made = old;
    return MPJ_SUCCESS;
  }
  if (k->parts == 0)
    status = MPJ_Type_contiguous(k->count, old, made);
  else {
    status = MPJ_Type_contiguous(k->count, old, &part);
    if (!status) status = MPJ_Type_contiguous(k->parts, part, made);
    mpi_release(&part);
  }
  mpi_release(&old);
  return status ? status : MPJ_Type_commit(made);
}

/* Not one of no elements, which is not looked at. */
static bool committed(const struct made_of *m)
{
  const MPI_Datatype *types = m->piece[2];
  const int *ints = m->piece[0];
  const MPI_Count *large = m->piece[0];
  if (!types) return type_is_committed(m->key.type);
  for (int i = 0; i < m->key.parts; i++)
    if ((m->key.lists == OF_INTS ? ints[i] : large[i]) > 0 &&
        (types[i] == MPI_DATATYPE_NULL || !type_is_committed(types[i])))
      return false;
  return true;
}

static int build(const struct made_of *m, MPJ_Datatype *made)
{
  const int n = m->key.parts;
  const void *counts = m->piece[0], *displs = m->piece[1];
  const MPI_Datatype *types = m->piece[2];
  if (m->key.lists == ALONE) return build_alone(&m->key, made);
  if (m->key.lists == OF_INTS)
    return types ? MPJ_Type_from_mpi_parts_w(n, counts, displs, types, made)
                 : MPJ_Type_from_mpi_parts(n, counts, displs, m->key.type, made);
  return types ? MPJ_Type_from_mpi_parts_w_c(n, counts, displs, types, made)
               : MPJ_Type_from_mpi_parts_c(n, counts, displs, m->key.type, made);
}

static bool named_alone(const struct made_of *m)
{
  const MPI_Datatype *types = m->piece[2] ? m->piece[2] : &m->key.type;
  const int n = m->piece[2] ? m->key.parts : 1;
  for (int i = 0; i < n; i++)
    if (types[i] == MPI_DATATYPE_NULL || !mpi_named_find(types[i])) return false;
  return true;
}

/* A new entry, or NULL. */
static struct entry *make(const struct made_of *m)
{
  const unsigned long now = mpi_generation();
  const size_t bytes = m->bytes[0] + m->bytes[1] + m->bytes[2];
  struct entry *e = malloc(sizeof *e + bytes);
  if (!e) return NULL;
  if (!committed(m) || build(m, &e->type)) {
    free(e);
    return NULL;
  }
  e->generation = named_alone(m) ? FOR_GOOD : now;
  e->key = m->key;
  e->bytes = bytes;
  char *at = e->pieces;
  for (int i = 0; i < PIECES; i++) {
    if (m->bytes[i] > 0) memcpy(at, m->piece[i], m->bytes[i]);
    at += m->bytes[i];
  }
  return e;
}

/* Make it and put it in the slot, unless it is too long to be kept. */
static bool fill(struct entry **slot, const struct made_of *m, MPJ_Datatype *made)
{
  struct entry *e = make(m);
  if (!e) return false;
  *made = e->type;
  if (e->bytes > LISTS_KEPT_BYTES) {
    leave(e);
    return true;
  }
  if (*slot) leave(*slot);
  *slot = e;
  see_to_release();
  return true;
}

bool type_of_parts(int size, MPI_Count count, MPI_Datatype type, MPJ_Datatype *made)
{
  const struct key k = {type, count, size, ALONE};
  struct entry **slot = slot_of(hash_of(&k));
  if (*slot && has_key(*slot, &k)) {
    *made = (*slot)->type;
    return true;
  }
  const struct made_of m = {.key = k};
  return count >= 0 && type != MPI_DATATYPE_NULL && fill(slot, &m, made);
}

bool type_of(MPI_Count count, MPI_Datatype type, MPJ_Datatype *made)
{
  return type_of_parts(0, count, type, made);
}

static bool counts_are_right(int size, const struct lists *l)
{
  if (!l->counts && !l->large_counts) return false;
  for (int i = 0; i < size; i++)
    if ((l->counts ? l->counts[i] : l->large_counts[i]) < 0) return false;
  return true;
}

static void take(struct made_of *m, int piece, const void *at, size_t size)
{
  m->piece[piece] = at;
  m->bytes[piece] = at ? (size_t)m->key.parts * size : 0;
}

static bool find_lists(int size, const struct lists *l, MPI_Datatype type,
                       const MPI_Datatype types[], MPJ_Datatype *made)
{
  struct made_of m = {.key = {type, 0, size, l->counts ? OF_INTS : OF_LARGE}};
  if (l->counts) {
    take(&m, 0, l->counts, sizeof *l->counts);
    take(&m, 1, l->displs, sizeof *l->displs);
  } else {
    take(&m, 0, l->large_counts, sizeof *l->large_counts);
    take(&m, 1, l->large_displs, sizeof *l->large_displs);
  }
  take(&m, 2, types, sizeof *types);
  struct entry **slot = slot_of_lists(&m);
  if (!*slot || !has_key(*slot, &m.key) || !same_pieces(*slot, &m)) return fill(slot, &m, made);
  *made = (*slot)->type;
  return true;
}

bool type_of_lists(int size, const struct lists *l, MPI_Datatype type, MPJ_Datatype *made)
{
  return counts_are_right(size, l) && type != MPI_DATATYPE_NULL &&
         find_lists(size, l, type, NULL, made);
}

bool type_of_w_lists(int size, const struct lists *l, const MPI_Datatype types[],
                     MPJ_Datatype *made)
{
  if (!counts_are_right(size, l) || !types) return false;
  if (l->counts ? !l->displs : !l->large_displs) return false;
  return find_lists(size, l, MPI_DATATYPE_NULL, types, made);
}
