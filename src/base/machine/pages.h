/* This header declares mappings that large pages can back. A copy that walks along columns, or
 * over more than the caches hold, otherwise looks up a page for every few lines. */
#ifndef MPJ_SRC_BASE_MACHINE_PAGES_H
#define MPJ_SRC_BASE_MACHINE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MPJ_LARGE_PAGE = 2 << 20 }; /* bytes */

/* Map `bytes` > 0 bytes to read and write: of the file fd, shared, or zeroed private memory
 * where fd is -1. From MPJ_LARGE_PAGE bytes on they begin on a large page's border. NULL, with
 * errno, if that cannot be; else for munmap. Threads: any. */
void *mpj_pages_map(int fd, size_t bytes);

/* Take the memory of a new mapping of fd, of which there is none yet, in large pages as far as the
 * system has them to give, whatever is configured for such files; that is there at once then, and
 * sooner than page by page. What is left, of the last page or where free memory is short, comes
 * when touched. Contents stay zero. Threads: any. */
void mpj_pages_fill(void *base, size_t bytes);

/* Whether an address is in one of the process's mappings; never one in the first page. Threads:
 * any. */
bool mpj_page_is_mapped(uintptr_t address);

#endif
