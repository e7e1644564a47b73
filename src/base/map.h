/* This header declares maps from 32-bit numbers to words: what is known of the few of many that
 * have been met. Memory is 16 bytes for each place, of which at most 3/4 are taken, and none while
 * the map is empty.
 *
 * Invariant: an entry lies between the place that its key's hash names and the next free one. */
#ifndef MPJ_SRC_BASE_MAP_H
#define MPJ_SRC_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct mpj_map_entry {
  uint32_t used; /* 0: the place is free */
  uint32_t key;
  union {
    uint64_t number;
    void *pointer;
  };
};

/* One that is all zeros is empty. */
struct mpj_map {
  struct mpj_map_entry *entries; /* [room] owned */
  struct mpj_map_entry *recent;  /* found without a search; or NULL */
  uint32_t room;                 /* a power of two, or 0 */
  uint32_t n;                    /* entries in use */
};

/* The entry of a key, or NULL; borrowed until one is added or removed. */
struct mpj_map_entry *mpj_map_search(const struct mpj_map *map, uint32_t key);
static inline struct mpj_map_entry *mpj_map_find(const struct mpj_map *map, uint32_t key)
{
  return map->recent && map->recent->key == key ? map->recent : mpj_map_search(map, key);
}

/* The same; the next search for this key takes one load. */
static inline struct mpj_map_entry *mpj_map_find_recent(struct mpj_map *map, uint32_t key)
{
  struct mpj_map_entry *e = mpj_map_find(map, key);
  if (e && e != map->recent) map->recent = e;
  return e;
}

/* The pointer kept for a key, or NULL. */
static inline void *mpj_map_pointer(const struct mpj_map *map, uint32_t key)
{
  const struct mpj_map_entry *e = mpj_map_find(map, key);
  return e ? e->pointer : NULL;
}

/* The entry of a key, made with 0 when there is none; it is the recent one. NULL: there is no
 * memory. */
struct mpj_map_entry *mpj_map_add(struct mpj_map *map, uint32_t key);
/* Remove a key's entry, if there is one. */
void mpj_map_remove(struct mpj_map *map, uint32_t key);
/* Free its memory: it is empty. */
void mpj_map_end(struct mpj_map *map);

/* All entries, in no order: the first one, and the one after `e`; NULL at the end. */
struct mpj_map_entry *mpj_map_next(const struct mpj_map *map, const struct mpj_map_entry *e);

#endif
