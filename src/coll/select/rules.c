/* This file is the table of rules by which algorithms are chosen. */
#include "coll/select/select.h"

#define RULE(op, ...)                                                                              \
  {                                                                                                \
    .operation = MPJ_OPERATION_##op, __VA_ARGS__                                                   \
  }

/* Beyond, each rank would have too many messages at once. */
enum { FLAT_RANKS = 256 };

/* Times below are microseconds of `mpj-bench coll --transports shm`, dependent, best of 3 rounds
 * under chrt -f 10, on 2 cores of a busy machine; with more ranks than cores unless said
 * otherwise. Nothing could be measured with more than two ranks that have a core each: there
 * the rules follow the costs. */
const struct mpj_rule mpj_rules[] = {
    /* Between nodes a message costs what twenty cost in memory (3 us and .15): one a node and
     * step where the data is short. Gather, Scatter and Alltoall know no sizes: long data is
     * better not copied on the way. */
    RULE(BARRIER, .name = "two_level", .several_nodes = true, .least_ranks = 3),
    RULE(REDUCE, .name = "two_level", .several_nodes = true, .least_ranks = 3,
         .below_bytes = 65536),
    RULE(ALLREDUCE, .name = "two_level", .several_nodes = true, .least_ranks = 3,
         .below_bytes = 65536),
    /* Here each node sends to every other. */
    RULE(ALLGATHER, .name = "two_level", .several_nodes = true, .least_ranks = 3,
         .most_ranks = FLAT_RANKS, .below_bytes = 65536),
    RULE(REDUCE_SCATTER, .name = "two_level", .several_nodes = true, .least_ranks = 3,
         .most_ranks = FLAT_RANKS, .below_bytes = 65536),
    RULE(SCAN, .name = "two_level", .several_nodes = true, .least_ranks = 3, .below_bytes = 65536),
    RULE(EXSCAN, .name = "two_level", .several_nodes = true, .least_ranks = 3,
         .below_bytes = 65536),

    /* Waiting once is what counts where ranks share cores. */
    RULE(BARRIER, .name = "flat", .cores = MPJ_FEW_CORES),
    RULE(BARRIER, .name = "dissemination"),

    /* In segments that fit early-arrival slots: 2 ranks, 16 KiB: flat 5.0, in two 2.6; 32 KiB:
     * 9.0 and 4.8; 64 KiB: 8.9 and 9.8. 4 ranks, 64 KiB: 20 and 13. With more ranks the chain
     * follows the order in which ranks come to a core: 8 ranks, 1 KiB: flat 4.2, chain 3.9; 16
     * KiB: 30 and 12. 16 ranks, 1 KiB: 11.6, 7.5; 8 KiB: 59 and 11.5; 32 KiB: 80 and 65; 64 KiB:
     * 118 and 176. Circulant, 16 ranks, 64 KiB: 113; 1 MiB in blocks of 64 KiB: 2144, flat 1479:
     * it is for ranks that have cores, by its cost, with blocks near sqrt(n alpha / (q beta)). */
    RULE(BCAST, .name = "two_level", .several_nodes = true, .least_ranks = 3),
    /* Posted: 4 ranks, 64 KiB: 11; 8 ranks, 1 KiB: 2.6, 64 KiB: 12; 16 ranks, 16 KiB: 8.9, 64
     * KiB: 23. */
    RULE(BCAST, .name = "release", .most_ranks = FLAT_RANKS, .below_bytes = 131073),
    RULE(BCAST, .name = "kary", .radix = 1, .segment = 8192, .most_ranks = 2, .least_bytes = 8193,
         .below_bytes = 49153),
    RULE(BCAST, .name = "kary", .radix = 3, .segment = 8192, .cores = MPJ_FEW_CORES,
         .most_ranks = 4, .least_bytes = 8193, .below_bytes = 65537),
    RULE(BCAST, .name = "chain", .segment = 8192, .cores = MPJ_FEW_CORES, .least_ranks = 5,
         .least_bytes = 256, .below_bytes = 32769),
    /* All who copy the same pages by process_vm at once count themselves in and out of each page,
     * and each core waits for the other's line: 192 KiB take 38 us so, from several ranks 18. In
     * turn, flat, binomial, 4-nomial and 8-nomial, dependent, medians of 3, 2 cores of a Zen 5: 192
     * KiB: 4 ranks 93, 84, 83; 8 ranks 211, 178, 177, 178; 16 ranks 530, 407, 379, 411; 32 ranks
     * 2690, 2200, 1230, 1460; back to back: 86, 59, 53; 228, 138, 144, 159; 561, 305, 291, 255;
     * 1080, 649, 694, 626. 1 MiB, back to back: 8 ranks 738, 487, 486, 661; 16 ranks 1570, 980,
     * 1140, 966. */
    RULE(BCAST, .name = "knomial", .radix = 4, .cores = MPJ_FEW_CORES, .processes = true,
         .least_ranks = 3, .most_ranks = 8, .least_bytes = 131073),
    RULE(BCAST, .name = "knomial", .radix = 8, .cores = MPJ_FEW_CORES, .processes = true,
         .least_ranks = 9, .least_bytes = 131073),
    RULE(BCAST, .name = "flat", .cores = MPJ_FEW_CORES, .most_ranks = FLAT_RANKS),
    RULE(BCAST, .name = "flat", .most_ranks = 4),
    RULE(BCAST, .name = "circulant", .segment = 65536, .cores = MPJ_ENOUGH_CORES,
         .least_bytes = 262144),
    RULE(BCAST, .name = "binomial"),

    /* 16 ranks, 1 KiB: gather flat 55, k-nomial 172; 64 KiB: 288 and 2094. */
    RULE(GATHER, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(GATHER, .name = "knomial", .radix = 2),
    RULE(SCATTER, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(SCATTER, .name = "knomial", .radix = 2),

    /* 16 ranks, 64 KiB each: flat 2115, exchange 1669, Bruck 1918, ring 2746. */
    /* Posted, 16 ranks, 64 KiB each: 396. */
    RULE(ALLGATHER, .name = "release", .most_ranks = FLAT_RANKS, .below_bytes = (1 << 20) + 1),
    RULE(ALLGATHER, .name = "exchange", .radix = 2, .cores = MPJ_FEW_CORES, .least_ranks = 9,
         .least_bytes = 1 << 19),
    RULE(ALLGATHER, .name = "release", .most_ranks = FLAT_RANKS),
    RULE(ALLGATHER, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(ALLGATHER, .name = "exchange", .radix = 2),

    /* 16 ranks, 1 KiB each: flat 236, Bruck 512. */
    RULE(ALLTOALL, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(ALLTOALL, .name = "bruck", .radix = 2),

    /* 4 ranks, 64 KiB: flat 47, segments 75; 1 MiB: 1893 and 679. 16 ranks, 8 KiB: flat 106,
     * 4-nomial 100, segments 252; 64 KiB: 615, 390, 439; 1 MiB: segments 3725, trees 9000.
     * 2 ranks, 64 KiB: flat 11.7, segments 14.9; 1 MiB: 135 and 156. */
    /* In segments that fit early-arrival slots, 2 cores of a Zen 4 without a common cache, back to
     * back: 16 KiB: flat 3.2, in two 1.7; 32 KiB: 4.9 and 3.2; 64 KiB: 7.3 and 6.4; with one: 2.7
     * and 2.0, 4.0 and 4.0, 48 KiB 5.6 and 5.9. Between threads flat is one copy: 16 KiB 1.0. */
    RULE(REDUCE, .name = "kary", .radix = 1, .segment = 8192, .processes = true, .most_ranks = 2,
         .least_bytes = 8193, .below_bytes = 32769),
    RULE(REDUCE, .name = "flat", .most_ranks = 2),
    RULE(REDUCE, .name = "segments", .most_ranks = FLAT_RANKS / 2, .least_bytes = 1 << 18),
    RULE(REDUCE, .name = "knomial", .radix = 4, .cores = MPJ_FEW_CORES, .least_ranks = 5,
         .least_bytes = 16384),
    RULE(REDUCE, .name = "segments", .most_ranks = FLAT_RANKS / 2, .cores = MPJ_ENOUGH_CORES,
         .least_bytes = 8192),
    RULE(REDUCE, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(REDUCE, .name = "knomial", .radix = 4),

    /* 2 ranks, 64 KiB: flat 20, segments 41; 1 MiB: 199 and 377. 4 ranks, 16 KiB: flat 53,
     * segments 31. 16 ranks, 1 KiB: flat 211, binomial 112; 16 KiB: segments 470, binomial 297,
     * ring 320; 64 KiB: 687, 570, 487; 1 MiB: 7412, 10494, 10379. */
    RULE(ALLREDUCE, .name = "flat", .most_ranks = 2),
    /* Posted, all read p n bytes, p^2 n on the cores that they share; a tree moves 2 p n in as many
     * more turns as it has levels. 2 cores of a Zen 5 on which a rank's turn takes 10 us, medians
     * of 5: 8 bytes: 64 ranks 760, 16-nomial 970; 128 ranks 1910 and 2450; 4 KiB: 16 ranks 128 and
     * 120, 64 ranks 1110 and 1330, 128 ranks 6740 and 2430. 4 ranks, 64 KiB: 35, trees 82; 8
     * ranks, runs in turn: 16 KiB 147, 4-nomial cut 289; 64 KiB 222 and 371. */
    RULE(ALLREDUCE, .name = "release", .most_ranks = 8, .below_bytes = 65537),
    RULE(ALLREDUCE, .name = "release", .most_ranks = 64, .below_bytes = 8193),
    RULE(ALLREDUCE, .name = "release", .most_ranks = 128, .below_bytes = 25),
    /* 2 cores of a Zen 5, a guest, 16 ranks, dependent, medians of 3, twice: 64 KiB: 199 and 190
     * us, 4-nomial cut 273 and 296; 128 KiB 403 and 360, 359 and 470; 8 KiB 134 and 109, release
     * 114 and 116. */
    RULE(ALLREDUCE, .name = "gather_release", .radix = 16, .cores = MPJ_FEW_CORES, .least_ranks = 9,
         .most_ranks = 16, .least_bytes = 8193, .below_bytes = 65537),
    /* A turn of each rank for each step costs more than the bytes: two levels, so the radix is near
     * sqrt(p), in segments that fit early-arrival slots, so that nobody has to come back for them.
     * There, 64 KiB: 16 ranks: ring 1190, segments 436, 4-nomial 471, cut 380; 128 KiB: 8 ranks:
     * segments 440 to 540, 4-nomial cut 224; 16 ranks: binomial 803, 4-nomial cut 520. Runs in
     * turn, before and so: 16 ranks: 16 KiB 1270 and 810, 64 KiB 4990 and 970, 128 KiB 1930 and
     * 1170, not cut 256 KiB 4200 and 3010; 8 ranks, 128 KiB 800 and 430, not cut 256 KiB 980 and
     * 1140. 64 ranks: 16 KiB: 4-nomial 2170, 8-nomial 1900, cut 1030; 64 KiB: segments 6260,
     * 8-nomial 2230, cut 1780, at the price of eight slots of each child, which took 19000 as long
     * as they were new; 256 KiB: 4-nomial 6980, 8-nomial 7030; 512 KiB: segments 24700, 4-nomial
     * 12900. */
    RULE(ALLREDUCE, .name = "knomial", .radix = 16, .segment = 8192, .cores = MPJ_FEW_CORES,
         .least_ranks = 65, .below_bytes = 16385),
    RULE(ALLREDUCE, .name = "knomial", .radix = 8, .segment = 8192, .cores = MPJ_FEW_CORES,
         .least_ranks = 17, .least_bytes = 8193, .below_bytes = 16385),
    RULE(ALLREDUCE, .name = "knomial", .radix = 8, .cores = MPJ_FEW_CORES, .least_ranks = 17,
         .least_bytes = 16385, .below_bytes = 1 << 18),
    RULE(ALLREDUCE, .name = "knomial", .radix = 4, .segment = 8192, .cores = MPJ_FEW_CORES,
         .least_ranks = 5, .most_ranks = 16, .least_bytes = 8193, .below_bytes = 131073),
    RULE(ALLREDUCE, .name = "knomial", .radix = 4, .cores = MPJ_FEW_CORES, .least_ranks = 17,
         .least_bytes = 1 << 18, .below_bytes = 1 << 20),
    RULE(ALLREDUCE, .name = "knomial", .radix = 4, .cores = MPJ_FEW_CORES, .least_ranks = 9,
         .least_bytes = 131073, .below_bytes = 1 << 19),
    RULE(ALLREDUCE, .name = "segments", .most_ranks = FLAT_RANKS / 2, .least_bytes = 8192),
    RULE(ALLREDUCE, .name = "release", .most_ranks = FLAT_RANKS),
    RULE(ALLREDUCE, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(ALLREDUCE, .name = "knomial", .radix = 2),

    /* 16 ranks, 8 bytes each: flat 180, circulant 124; 1 KiB each: 342 and 233. */
    RULE(REDUCE_SCATTER, .name = "circulant", .cores = MPJ_FEW_CORES, .least_ranks = 9,
         .below_bytes = 32768),
    RULE(REDUCE_SCATTER, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(REDUCE_SCATTER, .name = "circulant"),

    /* 4 ranks, 8 B: exchange 1.4, chain .65; 1 KiB: 1.9 and 1.0; 64 KiB: 61, chain of 8 KiB
     * segments 47, whole 55; 1 MiB: 892, 624 and 316. 16 ranks, 8 B: 9.0 and 2.8; 16 KiB: 330,
     * 27 and 62; 64 KiB: 730, 130 and 147; 256 KiB: 3265, 678 and 423. 2 ranks, 64 KiB: flat 18,
     * exchange 22. */
    RULE(SCAN, .name = "chain", .segment = 8192, .cores = MPJ_FEW_CORES, .least_ranks = 3,
         .below_bytes = 131072),
    RULE(SCAN, .name = "chain", .cores = MPJ_FEW_CORES, .least_ranks = 3),
    RULE(SCAN, .name = "exchange", .radix = 2, .least_ranks = 4),
    RULE(SCAN, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(SCAN, .name = "exchange", .radix = 2),
    RULE(EXSCAN, .name = "chain", .segment = 8192, .cores = MPJ_FEW_CORES, .least_ranks = 3,
         .below_bytes = 131072),
    RULE(EXSCAN, .name = "chain", .cores = MPJ_FEW_CORES, .least_ranks = 3),
    RULE(EXSCAN, .name = "exchange", .radix = 2, .least_ranks = 4),
    RULE(EXSCAN, .name = "flat", .most_ranks = FLAT_RANKS),
    RULE(EXSCAN, .name = "exchange", .radix = 2),
    {.name = NULL}};
