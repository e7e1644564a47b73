/* This file keeps maps from numbers to words. */
#include "base/map.h"

#include "base/memory.h"

enum { FIRST_ROOM = 4 };

/* Where a key's entry would be, if the map has room. */
static uint32_t place_of(const struct mpj_map *map, uint32_t key)
{
  return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->room - 1);
}

struct mpj_map_entry *mpj_map_search(const struct mpj_map *map, uint32_t key)
{
  if (map->room == 0) return NULL;
  for (uint32_t i = place_of(map, key);; i = (i + 1) & (map->room - 1)) {
    struct mpj_map_entry *e = &map->entries[i];
    if (!e->used) return NULL;
    if (e->key == key) return e;
  }
}

static struct mpj_map_entry *free_place(const struct mpj_map *map, uint32_t key)
{
  uint32_t i = place_of(map, key);
  while (map->entries[i].used)
    i = (i + 1) & (map->room - 1);
  return &map->entries[i];
}

static int grow(struct mpj_map *map)
{
  const uint32_t room = map->room ? 2 * map->room : FIRST_ROOM;
  struct mpj_map wider = {.entries = mpj_alloc_array(room, sizeof *map->entries), .room = room};
  if (!wider.entries) return 0;
  for (const struct mpj_map_entry *e = mpj_map_next(map, NULL); e; e = mpj_map_next(map, e))
    *free_place(&wider, e->key) = *e;
  wider.n = map->n;
  mpj_free(map->entries);
  *map = wider;
  return 1;
}

struct mpj_map_entry *mpj_map_add(struct mpj_map *map, uint32_t key)
{
  struct mpj_map_entry *e = mpj_map_find_recent(map, key);
  if (e) return e;
  if (4 * (uint64_t)(map->n + 1) > 3 * (uint64_t)map->room && !grow(map)) return NULL;
  e = free_place(map, key);
  *e = (struct mpj_map_entry){.used = 1, .key = key};
  map->n++;
  map->recent = e;
  return e;
}

void mpj_map_remove(struct mpj_map *map, uint32_t key)
{
  const uint32_t mask = map->room - 1;
  struct mpj_map_entry *e = mpj_map_find(map, key);
  if (!e) return;
  uint32_t hole = (uint32_t)(e - map->entries);
  for (uint32_t i = (hole + 1) & mask; map->entries[i].used; i = (i + 1) & mask) {
    const uint32_t place = place_of(map, map->entries[i].key);
    if (((i - place) & mask) < ((i - hole) & mask)) continue; /* it would lie before its place */
    map->entries[hole] = map->entries[i];
    hole = i;
  }
  map->entries[hole].used = 0;
  map->n--;
  map->recent = NULL; /* others may have moved */
}

void mpj_map_end(struct mpj_map *map)
{
  mpj_free(map->entries);
  *map = (struct mpj_map){0};
}

struct mpj_map_entry *mpj_map_next(const struct mpj_map *map, const struct mpj_map_entry *e)
{
  for (uint32_t i = e ? (uint32_t)(e - map->entries) + 1 : 0; i < map->room; i++)
    if (map->entries[i].used) return &map->entries[i];
  return NULL;
}
