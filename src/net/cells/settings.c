/* This file digests the configuration variables that all ranks must share. */
#include "net/cells/settings.h"

#include <assert.h>
#include <stdio.h>

#include "base/config/config.h"
#include "base/file.h"
#include "base/memory.h"

static const char *const names[MPJ_SETTINGS] = {
    "MPJ_EAGER_BYTES",   "MPJ_EAGER_TOKENS", "MPJ_CHECK",
    "MPJ_COLL_NODES",    "MPJ_COLL_BARRIER", "MPJ_COLL_BCAST",
    "MPJ_COLL_GATHER",   "MPJ_COLL_SCATTER", "MPJ_COLL_ALLGATHER",
    "MPJ_COLL_ALLTOALL", "MPJ_COLL_REDUCE",  "MPJ_COLL_ALLREDUCE",
    "MPJ_COLL_SCAN",     "MPJ_COLL_EXSCAN",  "MPJ_COLL_REDUCE_SCATTER",
    "MPJ_COLL_FILE"};

static uint64_t mix(uint64_t digest, uint64_t value)
{
  digest ^= value + UINT64_C(0x9e3779b97f4a7c15) + (digest << 6) + (digest >> 2);
  return digest * UINT64_C(0xff51afd7ed558ccd);
}

static uint64_t mix_text(uint64_t digest, const char *text)
{
  for (; *text; text++)
    digest = mix(digest, (unsigned char)*text);
  return mix(digest, 256);
}

/* What is in the file, too: the ranks may see different ones under one name. */
static uint64_t mix_file(uint64_t digest, const char *path)
{
  char *text;
  if (path[0] == '\0' || !mpj_file_read(path, &text)) return digest;
  digest = mix_text(digest, text);
  mpj_free(text);
  return digest;
}

/* A digest of each, in the order of the names. */
static void digest_each(uint64_t digests[MPJ_SETTINGS])
{
  const struct mpj_config *c = mpj_config();
  const uint64_t numbers[] = {(uint64_t)c->eager_bytes, (uint64_t)c->eager_tokens,
                              (uint64_t)c->check,
                              mix((uint64_t)c->coll_nodes, (uint64_t)c->coll_nodes_order)};
  const char *const texts[] = {c->coll_barrier, c->coll_bcast,          c->coll_gather,
                               c->coll_scatter, c->coll_allgather,      c->coll_alltoall,
                               c->coll_reduce,  c->coll_allreduce,      c->coll_scan,
                               c->coll_exscan,  c->coll_reduce_scatter, c->coll_file};
  enum { NUMBERS = sizeof numbers / sizeof *numbers, TEXTS = sizeof texts / sizeof *texts };
  static_assert(NUMBERS + TEXTS == MPJ_SETTINGS, "a name each");
  for (int i = 0; i < NUMBERS; i++)
    digests[i] = mix(1, numbers[i]);
  for (int i = 0; i < TEXTS; i++)
    digests[NUMBERS + i] = mix_text(1, texts[i]);
  digests[MPJ_SETTINGS - 1] = mix_file(digests[MPJ_SETTINGS - 1], c->coll_file);
}

uint64_t mpj_settings_digest(void)
{
  uint64_t digests[MPJ_SETTINGS], all = 1;
  digest_each(digests);
  for (int i = 0; i < MPJ_SETTINGS; i++)
    all = mix(all, digests[i]);
  return all;
}

void mpj_settings_each(uint32_t each[MPJ_SETTINGS])
{
  uint64_t digests[MPJ_SETTINGS];
  digest_each(digests);
  for (int i = 0; i < MPJ_SETTINGS; i++)
    each[i] = (uint32_t)(digests[i] >> 32);
}

const char *mpj_settings_name(const uint32_t each[MPJ_SETTINGS], char text[MPJ_SETTINGS_TEXT])
{
  uint32_t own[MPJ_SETTINGS];
  size_t n = 0;
  mpj_settings_each(own);
  snprintf(text, MPJ_SETTINGS_TEXT, "MPJ_EAGER_, MPJ_CHECK or MPJ_COLL_");
  for (int i = 0; i < MPJ_SETTINGS && n < MPJ_SETTINGS_TEXT; i++)
    if (each[i] != own[i])
      n += (size_t)snprintf(text + n, MPJ_SETTINGS_TEXT - n, "%s%s", n > 0 ? ", " : "", names[i]);
  return text;
}
