/* This file finds what has been measured of this machine, or what is likely where nothing has. */
#include "base/machine/measured_find.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <mpj/base.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/config/config.h"
#include "base/file.h"
#include "base/memory.h"

/* The key */

#if defined(__x86_64__)

static void find_vendor(char vendor[16])
{
  unsigned leaf, words[4] = {0};
  __cpuid(0, leaf, words[0], words[2], words[1]);
  (void)leaf;
  memcpy(vendor, words, sizeof words);
}

/* Each leaf takes 7 to 20 us in a virtual machine; every x86-64 has these. */
static void find_processor(char name[64])
{
  static const unsigned first = 0x80000002, last = 0x80000004; /* leaves that tell the name */
  unsigned words[13] = {0}, *w = words;
  for (unsigned leaf = first; leaf <= last; leaf++, w += 4)
    __cpuid(leaf, w[0], w[1], w[2], w[3]);
  const char *text = (const char *)words;
  while (*text == ' ')
    text++;
  snprintf(name, 64, "%s", *text ? text : "x86-64");
  for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--)
    name[n - 1] = '\0';
}

#else

static void find_vendor(char vendor[16])
{
  vendor[0] = '\0';
}

static void find_processor(char name[64])
{
  snprintf(name, 64, "unknown");
}

#endif

void mpj_machine_key(struct mpj_machine_key *key)
{
  struct utsname system;
  int version = 0, subversion = 0;
  *key = (struct mpj_machine_key){.cores = (int)sysconf(_SC_NPROCESSORS_ONLN)};
  find_processor(key->processor);
  MPJ_Get_version(&version, &subversion);
  snprintf(key->version, sizeof key->version, "%d.%d", version, subversion);
  if (uname(&system) == 0)
    snprintf(key->kernel, sizeof key->kernel, "%.*s", (int)sizeof key->kernel - 1, system.release);
}

static uint32_t mix_text(uint32_t digest, const char *text) /* FNV-1a */
{
  for (; *text; text++)
    digest = (digest ^ (unsigned char)*text) * UINT32_C(16777619);
  return (digest ^ 256) * UINT32_C(16777619);
}

uint32_t mpj_machine_digest(const struct mpj_machine_key *key)
{
  char cores[16];
  snprintf(cores, sizeof cores, "%d", key->cores);
  const uint32_t digest = mix_text(mix_text(UINT32_C(2166136261), key->processor), cores);
  return mix_text(mix_text(digest, key->version), key->kernel);
}

bool mpj_machine_path(const struct mpj_machine_key *key, char path[PATH_MAX])
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const uint32_t digest = mpj_machine_digest(key);
  if (cache && cache[0] == '/')
    return snprintf(path, PATH_MAX, "%s/mpj/machine-%08x.json", cache, digest) < PATH_MAX;
  return home && home[0] == '/' &&
         snprintf(path, PATH_MAX, "%s/.cache/mpj/machine-%08x.json", home, digest) < PATH_MAX;
}

/* The file */

/* Whether the file is there and says what is to be used. */
static bool use(const struct mpj_machine_key *key, struct mpj_measured *m,
                struct mpj_measured_source *source, bool asked)
{
  char *text = NULL;
  bool foreign = false;
  if (!mpj_file_read(source->path, &text)) {
    const bool there = asked || (errno != ENOENT && errno != ENOTDIR);
    if (there) mpj_file_say_unread(source->why, sizeof source->why);
    source->wrong = asked;
    return false;
  }
  source->read =
      mpj_measured_ready(text, mpj_machine_digest(key), m, &source->made) ||
      mpj_measured_parse(text, key, m, &source->made, &foreign, source->why, sizeof source->why);
  source->wrong = !source->read && (asked || !foreign);
  mpj_free(text);
  return source->read;
}

/* A user's file that may not be read, or is for another machine, does not hide the site's. */
static bool use_found(const struct mpj_machine_key *key, struct mpj_measured *m,
                      struct mpj_measured_source *source)
{
  struct mpj_measured_source site = {.path = "/etc/mpj/machine.json"};
  if (mpj_machine_path(key, source->path) && use(key, m, source, false)) return true;
  if (source->wrong) return false;
  const bool used = use(key, m, &site, false);
  if (used || site.wrong || !source->why[0]) *source = site;
  if (!used && !source->why[0]) source->path[0] = '\0';
  return used;
}

void mpj_measured_find(struct mpj_measured *m, struct mpj_measured_source *source)
{
  const char *asked = mpj_config()->machine_file;
  struct mpj_machine_key key;
  *source = (struct mpj_measured_source){0};
  mpj_machine_key(&key);
  if (asked[0] && strcmp(asked, "none") != 0) {
    snprintf(source->path, sizeof source->path, "%s", asked);
    if (use(&key, m, source, true)) return;
  } else if (!asked[0] && use_found(&key, m, source)) {
    return;
  }
  char vendor[16];
  find_vendor(vendor);
  mpj_measured_guess(m, vendor);
}

/* Within a factor of 1.3 of the best on both families that have been measured
 * (tests/base/test_measured.c). Sapphire Rapids, 64 KiB and 1 MiB: process_vm 3.3 and 58 us, the
 * best MPI's pieces 3.9 and 59: straight. Two cores of a Zen 4 that share no cache, which no
 * register tells: straight 5.7 and 72; in the caches 41 and 612 (11 and 161 by where memory lies),
 * past them 6.1 and 76; of layouts with gaps or combined straight 9.5 to 21 and 128 to 524, past
 * the caches 8.1 to 9.8 and 107 to 147. Where they share one, pieces in the caches take 1.4 and 19:
 * to find that out, one measures. */
void mpj_measured_guess(struct mpj_measured *m, const char *vendor)
{
  static const uint32_t all = UINT32_MAX;
  static const uint32_t sizes[MPJ_PULL_KINDS] = {0x07, all, 0x3f, all}; /* below 64, 512 KiB */
  *m = (struct mpj_measured){0};
  if (strncmp(vendor, "AuthenticAMD", 12) != 0) return;
  for (int place = MPJ_PLACE_CACHE; place < MPJ_PLACEMENTS; place++)
    for (int kind = 0; kind < MPJ_PULL_KINDS; kind++) {
      m->past[place][kind] = all;
      m->faster[MPJ_PIECES_PAST][place][kind] = sizes[kind];
    }
}

/* The placement */

/* Whether every CPU of the set is in a list like "0-3,8" that a file holds; false: it does not say
 * so. */
static bool list_holds(const char *path, const cpu_set_t *set)
{
  char text[1024];
  cpu_set_t left = *set;
  FILE *f = fopen(path, "re");
  if (!f) return false;
  const bool got = fgets(text, sizeof text, f) != NULL;
  fclose(f);
  for (char *at = got ? text : NULL; at && *at >= '0' && *at <= '9';) {
    const long first = strtol(at, &at, 10), last = *at == '-' ? strtol(at + 1, &at, 10) : first;
    for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
      CPU_CLR((size_t)cpu, &left);
    at += *at == ',';
  }
  return got && CPU_COUNT(&left) == 0;
}

enum mpj_placement mpj_machine_placement(void)
{
  static const char *const lists[][2] = {
      {"cache/index3/shared_cpu_list", "cache/index2/shared_cpu_list"},
      {"topology/package_cpus_list", "topology/core_siblings_list"}};
  cpu_set_t set;
  int first = 0;
  if (sched_getaffinity(0, sizeof set, &set)) return MPJ_PLACE_APART;
  while (first < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)first, &set))
    first++;
  if (CPU_COUNT(&set) == 1) {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    for (long cpu = 0; cpu < n && cpu < CPU_SETSIZE; cpu++)
      CPU_SET((size_t)cpu, &set);
  }
  for (int far = 0; far < 2; far++)
    for (int i = 0; i < 2; i++) {
      char path[128];
      snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", first, lists[far][i]);
      if (access(path, R_OK) != 0) continue;
      if (list_holds(path, &set)) return far ? MPJ_PLACE_PACKAGE : MPJ_PLACE_CACHE;
      break;
    }
  return MPJ_PLACE_APART;
}

void mpj_measured_rows(const struct mpj_measured *m, struct mpj_measured_row rows[2])
{
  static const mpj_measured_sizes nothing;
  const bool any = memcmp(m->faster[MPJ_PIECES_CACHED], nothing, sizeof nothing) != 0 ||
                   memcmp(m->faster[MPJ_PIECES_PAST], nothing, sizeof nothing) != 0 ||
                   memcmp(m->past, nothing, sizeof nothing) != 0;
  const int apart = any ? (int)mpj_machine_placement() : MPJ_PLACE_APART;
  for (int kind = 0; kind < MPJ_PULL_KINDS; kind++) {
    const uint32_t past = m->past[apart][kind];
    for (int shared = 0; shared < 2; shared++) {
      uint32_t faster[MPJ_PIECES_WAYS];
      for (int way = 0; way < MPJ_PIECES_WAYS; way++)
        faster[way] = m->faster[way][apart][kind] &
                      (shared ? m->faster[way][MPJ_PLACE_ONE_CORE][kind] : UINT32_MAX);
      rows[shared].past[kind] = past;
      rows[shared].streams[kind] =
          (past & faster[MPJ_PIECES_PAST]) | (~past & faster[MPJ_PIECES_CACHED]);
    }
  }
}
