/* This header names the eleven collectives, for tests that go through all of them. */
#ifndef MPJ_TESTS_COLL_OPERATIONS_H
#define MPJ_TESTS_COLL_OPERATIONS_H

enum operation {
  BARRIER,
  BCAST,
  GATHER,
  SCATTER,
  ALLGATHER,
  ALLTOALL,
  REDUCE,
  ALLREDUCE,
  REDUCE_SCATTER,
  SCAN,
  EXSCAN,
  OPERATIONS
};

#endif
