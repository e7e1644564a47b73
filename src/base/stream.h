/* This header declares a copy that goes past the caches. */
#ifndef MPJ_SRC_BASE_STREAM_H
#define MPJ_SRC_BASE_STREAM_H

#include <stddef.h>

/* From this many bytes on, what is written would push everything else out of the
 * caches and not be there when it is read: the reading of the lines that are only
 * written is then saved, by streaming stores. Below, memcpy is better. */
enum { MPJ_STREAM_LEAST = 16 << 20 };

/* As memcpy, with streaming stores where the processor has them; done when it
 * returns, for other cores too. Worth it for pieces of a few KiB and more. */
void mpj_stream_copy(void *to, const void *from, size_t bytes);

/* The same in parts: what was added is there for other cores after the end. Each end waits until
 * the stores have left the core (some 100 ns), so that there is one for all parts. */
void mpj_stream_add(void *to, const void *from, size_t bytes);
void mpj_stream_end(void);

#endif
