/* This file reads a plan of chaos and throws its dice. */
#include "net/chaos/plan.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { KEY_LONGEST = 15, VALUE_LONGEST = 31 };

/* A key: a share at `offset` (a double), or a whole number (a long). */
static const struct key {
  const char *name;
  size_t offset;
  bool is_share;
  double least, most;
} keys[] = {
    {"delay", offsetof(struct mpj_chaos_plan, delay), true, 0, 1},
    {"again", offsetof(struct mpj_chaos_plan, again), true, 0, 0.9},
    {"stall", offsetof(struct mpj_chaos_plan, stall), true, 0, 1},
    {"seed", offsetof(struct mpj_chaos_plan, seed), false, 0, 1e15},
    {"polls", offsetof(struct mpj_chaos_plan, polls), false, 1, 1e6},
    {"stall_us", offsetof(struct mpj_chaos_plan, stall_us), false, 1, 6e7},
    {"kill", offsetof(struct mpj_chaos_plan, kill), false, -1, 1e6},
    {"after", offsetof(struct mpj_chaos_plan, after), false, 1, 1e9},
};

static const struct key *find_key(const char *name)
{
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i].name, name) == 0) return &keys[i];
  return NULL;
}

/* A number, whole where the key wants one. */
static bool parse_value(const struct key *key, const char *text, double *value)
{
  char *end;
  *value = key->is_share ? strtod(text, &end) : (double)strtol(text, &end, 10);
  return *text && *end == 0 && *value >= key->least && *value <= key->most;
}

static int set(struct mpj_chaos_plan *plan, const char *name, const char *text)
{
  const struct key *key = find_key(name);
  double value;
  if (!key) return mpj_error(MPJ_ERR_ARG, "MPJ_CHAOS names '%s', which is no part of a plan", name);
  if (!parse_value(key, text, &value))
    return mpj_error(MPJ_ERR_ARG, "MPJ_CHAOS has %s=%s, must be a%s number from %g to %g", name,
                     text, key->is_share ? "" : " whole", key->least, key->most);
  if (key->is_share)
    *(double *)((char *)plan + key->offset) = value;
  else
    *(long *)((char *)plan + key->offset) = (long)value;
  return MPJ_SUCCESS;
}

/* The next entry of the text, cut at its '='; moves *text behind it. */
static int read_entry(const char **text, struct mpj_chaos_plan *plan)
{
  char name[KEY_LONGEST + 1] = "", value[VALUE_LONGEST + 1] = "";
  const size_t length = strcspn(*text, ","), n = strcspn(*text, "=,");
  if (n == length || n > KEY_LONGEST || length - n - 1 > VALUE_LONGEST)
    return mpj_error(MPJ_ERR_ARG, "MPJ_CHAOS has '%.*s', must be key=value", (int)length, *text);
  memcpy(name, *text, n);
  memcpy(value, *text + n + 1, length - n - 1);
  *text += length;
  if (**text == ',') (*text)++;
  return set(plan, name, value);
}

int mpj_chaos_plan_read(const char *text, int rank, struct mpj_chaos_plan *plan)
{
  struct mpj_chaos_plan p = {.seed = 1, .polls = 64, .stall_us = 2000, .kill = -1, .after = 1000};
  int status = MPJ_SUCCESS;
  while (*text && status == MPJ_SUCCESS)
    status = read_entry(&text, &p);
  if (status != MPJ_SUCCESS) return status;
  p.state = (uint64_t)p.seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)rank;
  *plan = p;
  return MPJ_SUCCESS;
}

/* Source: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static uint64_t next(struct mpj_chaos_plan *plan)
{
  uint64_t x = plan->state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

long mpj_chaos_draw(struct mpj_chaos_plan *plan, long most)
{
  return 1 + (long)(next(plan) % (uint64_t)most);
}

bool mpj_chaos_strikes(struct mpj_chaos_plan *plan, double probability)
{
  return probability > 0 && (double)(next(plan) >> 11) * 0x1p-53 < probability;
}
