/* This file finds out how many cores this thread may keep busy.
 *
 * A control group may limit its members' cpu time to a quota per period: the
 * files cpu.cfs_quota_us and cpu.cfs_period_us in version 1 (-1: no limit), the
 * file cpu.max holding "quota period" in version 2 ("max": no limit). The limit
 * that binds is the least on the way from our group up to the root. A group
 * that is not visible (a container sees its own as the root) has no files and
 * is passed over. Source: the Linux kernel's documentation of both versions. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine/topology.h"
#include "base/memory.h"

enum { PATH_BYTES = 4096, VALUE_BYTES = 64 };

/* Read a small file as text; false if there is none or it does not fit. */
static bool read_small(const char *path, char *text, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  size_t length = 0;
  ssize_t n = 1;
  while (n > 0 && length < size) {
    n = read(fd, text + length, size - length);
    if (n > 0) length += (size_t)n;
  }
  close(fd);
  if (n < 0 || length >= size) return false;
  text[length] = '\0';
  return true;
}

static bool read_in(const char *directory, const char *file, char text[VALUE_BYTES])
{
  char path[PATH_BYTES];
  int n = snprintf(path, sizeof path, "%s/%s", directory, file);
  return n > 0 && (size_t)n < sizeof path && read_small(path, text, VALUE_BYTES);
}

/* quota / period rounded up; INT_MAX for what limits nothing. */
static int cores_of_quota(long long quota, long long period)
{
  if (quota <= 0 || period <= 0) return INT_MAX;
  long long cores = quota / period + (quota % period != 0);
  return cores > INT_MAX ? INT_MAX : (int)cores;
}

static int limit_v1(const char *directory)
{
  char quota[VALUE_BYTES], period[VALUE_BYTES];
  if (!read_in(directory, "cpu.cfs_quota_us", quota)) return INT_MAX;
  if (!read_in(directory, "cpu.cfs_period_us", period)) return INT_MAX;
  return cores_of_quota(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

static int limit_v2(const char *directory)
{
  char text[VALUE_BYTES];
  if (!read_in(directory, "cpu.max", text)) return INT_MAX;
  char *end; /* "max" reads as 0, which limits nothing */
  long long quota = strtoll(text, &end, 10);
  return cores_of_quota(quota, strtoll(end, NULL, 10));
}

/* The least limit from mount/group up to the mount itself.
 *   group  begins with '/'; cut short on the way */
static int least_on_path(const char *mount, char *group, int (*limit)(const char *directory))
{
  int least = INT_MAX;
  for (;;) {
    char directory[PATH_BYTES];
    int n = snprintf(directory, sizeof directory, "%s%s", mount, group);
    int here = n > 0 && (size_t)n < sizeof directory ? limit(directory) : INT_MAX;
    if (here < least) least = here;
    char *slash = strrchr(group, '/');
    if (!slash) return least;
    *slash = '\0';
  }
}

/* least_on_path with the mount point <root>/sys/fs/cgroup/<name>. */
static int least_in_mount(const char *root, const char *name, const char *group,
                          int (*limit)(const char *directory))
{
  char mount[PATH_BYTES], path[PATH_BYTES];
  int n = snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s%s", root, *name ? "/" : "", name);
  int m = snprintf(path, sizeof path, "%s", group);
  if (n < 0 || (size_t)n >= sizeof mount || m < 0 || (size_t)m >= sizeof path) return INT_MAX;
  return least_on_path(mount, path, limit);
}

/* Whether "cpu" is one of the comma-separated names. */
static bool names_cpu(const char *controllers)
{
  while (*controllers) {
    size_t length = strcspn(controllers, ",");
    if (length == 3 && !strncmp(controllers, "cpu", length)) return true;
    controllers += length + (controllers[length] == ',');
  }
  return false;
}

/* The limit that one line of /proc/self/cgroup, "number:controllers:group",
 * stands for; no controllers means version 2. The line is taken apart. */
static int limit_of_line(const char *root, char *line)
{
  char *controllers = strchr(line, ':');
  char *group = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!group || group[1] != '/') return INT_MAX;
  *controllers++ = '\0';
  *group++ = '\0';
  if (*controllers && !names_cpu(controllers)) return INT_MAX;
  const char *other = *controllers ? "cpu" : "unified"; /* where else it is mounted by custom */
  int (*limit)(const char *) = *controllers ? limit_v1 : limit_v2;
  int here = least_in_mount(root, controllers, group, limit);
  int there = least_in_mount(root, other, group, limit);
  return here < there ? here : there;
}

int mpj_usable_cores_under(const char *root, const char *proc_cgroup, int affinity)
{
  int least = affinity;
  while (*proc_cgroup) {
    size_t length = strcspn(proc_cgroup, "\n");
    char line[PATH_BYTES];
    if (length < sizeof line) {
      memcpy(line, proc_cgroup, length);
      line[length] = '\0';
      int limit = limit_of_line(root, line);
      if (limit < least) least = limit;
    }
    proc_cgroup += length + (proc_cgroup[length] == '\n');
  }
  return least < 1 ? 1 : least;
}

/* The size of this thread's affinity mask, whatever the kernel's mask size. */
static int affinity_cores(void)
{
  for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t *set = CPU_ALLOC((size_t)cpus);
    if (!set) break;
    size_t bytes = CPU_ALLOC_SIZE((size_t)cpus);
    int status = sched_getaffinity(0, bytes, set);
    int too_small = status != 0 && errno == EINVAL;
    int count = status == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
    if (!too_small) break;
  }
  return 1;
}

/* What is left of so many cores by the quota. */
static int within_quota(int affinity)
{
  enum { TEXT_BYTES = 65536 };
  char *text = mpj_alloc(TEXT_BYTES);
  if (!text) return affinity;
  int cores = affinity;
  if (read_small("/proc/self/cgroup", text, TEXT_BYTES))
    cores = mpj_usable_cores_under("", text, affinity);
  mpj_free(text);
  return cores;
}

int mpj_usable_cores(void)
{
  return within_quota(affinity_cores());
}

int mpj_quota_cores(void)
{
  return within_quota(INT_MAX);
}
