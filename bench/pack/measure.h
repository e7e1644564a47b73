/* This header declares the timing of several ways to do one thing, in turn. */
#ifndef MPJ_BENCH_PACK_MEASURE_H
#define MPJ_BENCH_PACK_MEASURE_H

enum { PACK_SUBJECTS_MOST = 4 };

struct pack_subject {
  void (*run)(void *arg); /* once; NULL: nobody, and its times stay 0 */
  void *arg;
  double best_us, median_us; /* set: of one run */
};

/* Time the subjects batch by batch, A B C C B A A B C ..., so that none always comes
 * after the same other one, each for about `seconds` and at least 6 batches. A batch is as many
 * runs as take at least 0.2 ms; its time is the CPU time of this thread, which other programs on
 * the machine disturb least. subjects  [n], n <= PACK_SUBJECTS_MOST */
void pack_measure(struct pack_subject *subjects, int n, double seconds);

#endif
