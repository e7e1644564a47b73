/* This file compares what a job's ranks need with what this machine has for them. */
#include "mpjrun/resources.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/machine/file_limit.h"
#include "base/memory.h"
#include "mpjrun/proc.h"
#include "net/cells/segment.h"

/* Of a rank that does nothing but begin and end: its own pages, and those of the segment that it
 * touches (bench/README.md: mpj-bench scale). */
#define RANK_BYTES (384LL << 10)
enum { OWN_DESCRIPTORS = 24, OWN_PROCESSES = 1 };

static bool is_short(int nranks, const char *what, long long needed, long long there,
                     const char *limit)
{
  if (needed <= there) return false;
  fprintf(stderr, "mpjrun: %d ranks need %lld %s, and there are %lld (%s)\n", nranks, needed, what,
          there < 0 ? 0 : there, limit);
  return true;
}

/* Two pipes a rank are read at once, which poll refuses beyond the limit of descriptors. */
static bool lacks_descriptors(int nranks, struct rlimit *before)
{
  const long long needed = 2LL * nranks + OWN_DESCRIPTORS;
  if (getrlimit(RLIMIT_NOFILE, before)) return false;
  struct rlimit wanted = *before;
  if (wanted.rlim_cur >= (rlim_t)needed) return false;
  wanted.rlim_cur = (rlim_t)needed;
  if (wanted.rlim_max >= (rlim_t)needed && !setrlimit(RLIMIT_NOFILE, &wanted)) return false;
  return is_short(nranks, "descriptors", needed, (long long)before->rlim_max, "ulimit -n");
}

/* What is left below a limit, and which it is. */
struct room {
  long long left;
  char limit[PATH_MAX + 64];
};

static void narrow(struct room *room, long long left, const char *limit)
{
  if (left >= room->left) return;
  room->left = left;
  snprintf(room->limit, sizeof room->limit, "%s", limit);
}

/* The number in a file, behind `word` if there is one; -1: none is there ("max"). */
static long long number_in(const char *path, const char *word)
{
  char *text;
  if (!mpj_file_read(path, &text)) return -1;
  const char *at = *word ? strstr(text, word) : text;
  char *end;
  long long n = -1;
  if (at) {
    at += strlen(word);
    n = strtoll(at, &end, 10);
    if (end == at) n = -1;
  }
  mpj_free(text);
  return n;
}

/* Of a control group and all above it: one file has the limit, the other what is used. */
static void narrow_by_group(struct room *room, const char *mount, const char *group,
                            const char *limit, const char *used)
{
  char directory[PATH_MAX], path[PATH_MAX + 64];
  snprintf(directory, sizeof directory, "%s%s", mount, group);
  while (strlen(directory) >= strlen(mount)) {
    snprintf(path, sizeof path, "%s/%s", directory, used);
    const long long now = number_in(path, "");
    snprintf(path, sizeof path, "%s/%s", directory, limit);
    const long long most = number_in(path, "");
    if (now >= 0 && most >= 0) narrow(room, most - now, path);
    char *slash = strrchr(directory, '/');
    if (!slash) return;
    *slash = '\0';
  }
}

/* The same by this process's groups, of either version; of version 1, of one controller. */
static void narrow_by_groups(struct room *room, const char *controller, const char *limit,
                             const char *used, const char *limit_1, const char *used_1)
{
  char *text, mount[64];
  if (!mpj_file_read("/proc/self/cgroup", &text)) return;
  for (char *rest, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *name = strchr(line, ':'), *group = name ? strchr(name + 1, ':') : NULL;
    if (!group) continue;
    *group++ = '\0';
    if (name[1] == '\0')
      narrow_by_group(room, "/sys/fs/cgroup", strcmp(group, "/") ? group : "", limit, used);
    else if (!strcmp(name + 1, controller)) {
      snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controller);
      narrow_by_group(room, mount, strcmp(group, "/") ? group : "", limit_1, used_1);
    }
  }
  mpj_free(text);
}

/* Adds a process's threads, if they count as this user's. */
static void count_threads(pid_t pid, void *arg)
{
  long long *n = arg;
  char path[64];
  struct stat st;
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  if (stat(path, &st) == 0 && st.st_uid == getuid()) *n += (long long)st.st_nlink - 2;
}

/* With MPJ_PROGRESS=thread each rank has a thread of the library's, and threads count like
 * processes. */
static bool lacks_processes(int nranks)
{
  const char *progress = getenv("MPJ_PROGRESS");
  const bool threads_too = progress && !strcmp(progress, "thread");
  const long long needed = nranks * (threads_too ? 2LL : 1LL) + OWN_PROCESSES;
  struct room room = {.left = LLONG_MAX};
  struct rlimit own;
  long long threads = 0;
  if (geteuid() != 0 && !getrlimit(RLIMIT_NPROC, &own) && own.rlim_cur != RLIM_INFINITY) {
    proc_for_each(count_threads, &threads);
    narrow(&room, (long long)own.rlim_cur - threads, "ulimit -u");
  }
  const long long all = number_in("/proc/loadavg", "/");
  const long long pids = number_in("/proc/sys/kernel/pid_max", "");
  const long long tasks = number_in("/proc/sys/kernel/threads-max", "");
  if (all >= 0 && pids >= 0) narrow(&room, pids - all, "/proc/sys/kernel/pid_max");
  if (all >= 0 && tasks >= 0) narrow(&room, tasks - all, "/proc/sys/kernel/threads-max");
  narrow_by_groups(&room, "pids", "pids.max", "pids.current", "pids.max", "pids.current");
  return is_short(nranks, threads_too ? "processes and threads" : "processes", needed, room.left,
                  room.limit);
}

/* The segment is an anonymous file in memory, which no size of /dev/shm limits. */
static bool lacks_memory(int nranks)
{
  struct room room = {.left = LLONG_MAX};
  const long long kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  if (kilobytes >= 0) narrow(&room, kilobytes << 10, "MemAvailable in /proc/meminfo");
  narrow_by_groups(&room, "memory", "memory.max", "memory.current", "memory.limit_in_bytes",
                   "memory.usage_in_bytes");
  return is_short(nranks, "bytes of memory", nranks * RANK_BYTES, room.left, room.limit);
}

/* It is one file. */
static bool lacks_length(int nranks)
{
  const struct mpj_segment_config config = mpj_segment_config_for(nranks, true);
  const size_t needed = mpj_segment_bytes(&config);
  size_t most;
  return !mpj_file_may_have(needed, &most) &&
         is_short(nranks, "bytes in a file", (long long)needed, (long long)most, "ulimit -f");
}

bool resources_suffice(int nranks, struct rlimit *before)
{
  const bool descriptors = lacks_descriptors(nranks, before);
  const bool processes = lacks_processes(nranks);
  const bool memory = lacks_memory(nranks);
  const bool length = lacks_length(nranks);
  return !descriptors && !processes && !memory && !length;
}
