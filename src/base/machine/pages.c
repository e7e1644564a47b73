/* This file maps memory where large pages can back it, and asks for them.
 *
 * Linux gives shared files large pages by itself only where an administrator has said so, but
 * on request at any time (MADV_COLLAPSE, 6.1) where a small one is there already. 64 MiB then
 * take 18 ms, page by page 80. */
#include "base/machine/pages.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(MADV_COLLAPSE) && defined(__linux__)
#define MADV_COLLAPSE 25
#endif

static size_t padding(const char *base)
{
  return (MPJ_LARGE_PAGE - (uintptr_t)base % MPJ_LARGE_PAGE) % MPJ_LARGE_PAGE;
}

/* A place for so many bytes on a large page's border, or NULL: then any will do. */
static char *find_place(size_t bytes)
{
  if (bytes < MPJ_LARGE_PAGE || bytes > SIZE_MAX - MPJ_LARGE_PAGE) return NULL;
  const size_t room = bytes + MPJ_LARGE_PAGE;
  char *base = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return NULL;
  const size_t before = padding(base), page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t end = (before + bytes + page - 1) / page * page;
  if (before > 0) munmap(base, before);
  if (end < room) munmap(base + end, room - end);
  return base + before;
}

void *mpj_pages_map(int fd, size_t bytes)
{
  char *place = find_place(bytes);
  const int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void *base = mmap(place, bytes, PROT_READ | PROT_WRITE, place ? kind | MAP_FIXED : kind, fd, 0);
  if (base == MAP_FAILED) {
    if (place) munmap(place, bytes);
    return NULL;
  }
#ifdef MADV_HUGEPAGE
  if (fd < 0 && place) madvise(base, bytes, MADV_HUGEPAGE);
#endif
  return base;
}

/* Whether so many bytes that may never be touched can be taken for it. */
static bool is_little(size_t bytes)
{
  const long page = sysconf(_SC_PAGESIZE), unused = sysconf(_SC_AVPHYS_PAGES);
  return unused > 0 && page > 0 && bytes / (size_t)page <= (size_t)unused / 4;
}

void mpj_pages_fill(void *base, size_t bytes)
{
#ifdef MADV_COLLAPSE
  volatile char *at = base;
  if (padding(base) > 0 || !is_little(bytes)) return;
  for (; bytes >= MPJ_LARGE_PAGE; bytes -= MPJ_LARGE_PAGE, at += MPJ_LARGE_PAGE) {
    *at = 0;
    if (madvise((void *)(uintptr_t)at, MPJ_LARGE_PAGE, MADV_COLLAPSE) != 0) return;
  }
#else
  (void)base, (void)bytes;
#endif
}

bool mpj_page_is_mapped(uintptr_t address)
{
  unsigned char resident;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  if (address < page) return false;
  return mincore((void *)(address - address % page), 1, &resident) == 0 || errno != ENOMEM;
}
