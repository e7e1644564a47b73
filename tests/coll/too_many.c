/* In this program ranks make more persistent requests than there are windows in the first extent of
 * common memory, start some of them, complete these one by one, and free all, in a time that is
 * linear in their number.
 *
 *   coll_too_many [--threads N] [waitany | testany] */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "need.h"

enum { ROOM = 18000, STARTS = 4000, LAST = 500 };

struct data {
  MPJ_Request open[ROOM];
  int64_t x[ROOM], y[ROOM];
};

static int make(struct data *d)
{
  for (int i = 0; i < ROOM; i++)
    NEED(!MPJ_Allreduce_init(&d->x[i], MPJ_INT64, &d->y[i], MPJ_INT64, MPJ_SUM, MPJ_COMM_WORLD,
                             &d->open[i]));
  return 0;
}

static int complete(struct data *d, int size, bool test)
{
  for (int i = 0; i < STARTS; i++) {
    d->x[i] = i + 1;
    NEED(!MPJ_Start(&d->open[i]));
  }
  for (int done = 0; done < STARTS;) {
    int index = -1, found = 1;
    NEED(!(test ? MPJ_Testany(STARTS, d->open, &index, &found)
                : MPJ_Waitany(STARTS, d->open, &index)));
    if (!found) continue;
    NEED(index >= 0 && index < STARTS && d->y[index] == (int64_t)(index + 1) * size);
    done++;
  }
  return 0;
}

/* Those of the furthest windows. */
static int complete_last(struct data *d, int size)
{
  for (int i = ROOM - LAST; i < ROOM; i++) {
    d->x[i] = i + 1;
    NEED(!MPJ_Start(&d->open[i]) && !MPJ_Wait(&d->open[i]));
    NEED(d->y[i] == (int64_t)(i + 1) * size);
  }
  return 0;
}

static int play(struct data *d, bool test)
{
  int size = 0;
  NEED(!MPJ_Comm_size(MPJ_COMM_WORLD, &size));
  const int line = make(d);
  if (line != 0) return line;
  const int wrong = complete(d, size, test);
  if (wrong != 0) return wrong;
  NEED(!complete_last(d, size));
  for (int i = 0; i < ROOM; i++)
    NEED(!MPJ_Request_free(&d->open[i]));
  NEED(!MPJ_Finalize());
  return 0;
}

static int rank_main(void *arg)
{
  struct data *d = calloc(1, sizeof *d);
  const int line = d ? play(d, *(const bool *)arg) : 1;
  free(d);
  return line;
}

int main(int argc, char **argv)
{
  bool test = strcmp(argv[argc - 1], "testany") == 0;
  if (argc > 2 && strcmp(argv[1], "--threads") == 0)
    return MPJ_Run_threads(atoi(argv[2]), rank_main, &test) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(&test) != 0;
}
