/* This header declares the endpoints of a few ranks in one segment of this
 * process, which a test drives from one thread or from several. */
#ifndef MPJ_TESTS_NET_ENDPOINTS_H
#define MPJ_TESTS_NET_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "net/cells/cells.h"

enum { ENDPOINTS_MAX = 4, TEST_HANDLER = MPJ_AM_FIRST_FREE + 2 };

struct endpoints {
  int n;
  struct mpj_segment *segment;
  struct mpj_net *net[ENDPOINTS_MAX]; /* NULL once closed */
  long allocations;                   /* of each endpoint */
};

void endpoints_open(struct endpoints *e, int n);

/* Close what is open, and see that this frees what opening allocated. */
void endpoints_close(struct endpoints *e);
/* Let `rank` be taken anew, as if nobody had taken it. */
void endpoints_vacate(struct endpoints *e, int rank);

static inline struct mpj_cells *cells_of_rank(struct endpoints *e, int rank)
{
  return (struct mpj_cells *)e->net[rank]->transport;
}

/* What a handler was given last, and what it answers. */
struct inbox {
  unsigned messages;
  struct mpj_am_arrival last; /* its header is the copy below */
  unsigned char header[MPJ_AM_SHORT_MAX];
  enum mpj_am_verdict verdict;
  struct mpj_am_dest dest; /* for MPJ_AM_DELIVER */
};

/* Let TEST_HANDLER's messages to this endpoint go to the inbox. */
void inbox_open(struct inbox *inbox, struct mpj_net *net);

/* How often a completion function was called, and the last status. */
struct outcome {
  int calls, status;
};
void outcome_note(void *arg, int status);

/* stderr in the meantime: what was written is cut to fit. */
struct warnings {
  int kept, file;
};
void warnings_begin(struct warnings *w);
void warnings_end(struct warnings *w, char *text, size_t size);

#endif
