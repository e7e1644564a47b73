/* This file is the table of rules by which algorithms are chosen. */
#include "coll/select.h"

#define RULE(op, ...)                                                                              \
  {                                                                                                \
    .operation = MPJ_OPERATION_##op, __VA_ARGS__                                                   \
  }

const struct mpj_rule mpj_rules[] = {
    /* Waiting once is what counts where ranks share cores. */
    RULE(BARRIER, .name = "flat", .cores = MPJ_FEW_CORES),
    RULE(BARRIER, .name = "dissemination"),

    RULE(BCAST, .name = "two_level", .several_nodes = true, .least_ranks = 3),
    RULE(BCAST, .name = "flat", .cores = MPJ_FEW_CORES),
    RULE(BCAST, .name = "flat", .most_ranks = 4),
    RULE(BCAST, .name = "binomial"),

    RULE(GATHER, .name = "flat"),
    RULE(SCATTER, .name = "flat"),
    RULE(ALLGATHER, .name = "flat"),
    RULE(ALLTOALL, .name = "flat"),

    /* From 8 KiB on halving the work pays a second phase. */
    RULE(REDUCE, .name = "segments", .least_bytes = 8192, .least_ranks = 2),
    RULE(REDUCE, .name = "flat"),
    RULE(ALLREDUCE, .name = "segments", .least_bytes = 8192, .least_ranks = 2),
    RULE(ALLREDUCE, .name = "flat"),
    RULE(REDUCE_SCATTER, .name = "flat"),
    RULE(SCAN, .name = "flat"),
    RULE(EXSCAN, .name = "flat"),
    {.name = NULL}};
