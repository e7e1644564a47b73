/* This file is the table of every configuration variable: one row each,
 *
 *   MPJ_CONFIG_INT (field, "NAME", default, least, most, "help")
 *   MPJ_CONFIG_TEXT(field, "NAME", default, "help")            any text
 *   MPJ_CONFIG_WORD(field, "NAME", default, "a|b|c", "help")   one of the words; kept as its index
 *
 * include it with the three macros defined. The environment sets MPJ_<NAME>.
 * Rows marked "launcher" in their help are set by mpjrun, not by people. */

MPJ_CONFIG_WORD(errors, "ERRORS", 0, "return|abort",
                "what an error does: return its code, or print it and end the process")
MPJ_CONFIG_WORD(cpu, "CPU", 0, "auto|portable|avx2|avx512",
                "instructions that kernels may use: the best the processor has, or at most these")
MPJ_CONFIG_INT(eager_bytes, "EAGER_BYTES", 8192, 64, 65536,
               "largest payload that is sent before the receiver asks for it; also the size of an "
               "early-arrival slot, in bytes")
MPJ_CONFIG_INT(eager_tokens, "EAGER_TOKENS", 16, 1, 32,
               "early-arrival slots that go with a ring (MPJ_RINGS)")
MPJ_CONFIG_INT(rings, "RINGS", 32, 0, 32,
               "rings of its own that a rank has at most for messages of those on its machine who "
               "send it many; the others share its inbox")
MPJ_CONFIG_INT(spin, "SPIN", -1, -1, 1,
               "how an idle rank waits: 1 spins, 0 yields at the first miss, -1 spins if the local "
               "ranks fit the cores")
MPJ_CONFIG_INT(
    sleep_us, "SLEEP_US", 20000, 0, 60000000,
    "idle time after which a waiting rank sleeps until it is woken, in microseconds; where "
    "ranks share cores with programs that compute they do so at once")
MPJ_CONFIG_WORD(progress, "PROGRESS", 0, "calls|thread",
                "who moves operations on: the threads that call the library, or also one of its "
                "own, which sleeps while there is nothing to do")
MPJ_CONFIG_WORD(boot, "BOOT", 0, "auto|mpjrun|pmi|pmix|single|mpi",
                "how the ranks find each other: what the environment shows, or this; single is one "
                "rank alone, mpi the MPI that runs in the process")
MPJ_CONFIG_WORD(
    transport, "TRANSPORT", 0, "auto|shm|ucx|mpi|shm+mpi",
    "how messages go: shared memory within a node and UCX between nodes, or where that is missing "
    "the MPI that has introduced the ranks to each other; one of these alone; or shared memory and "
    "MPI")
MPJ_CONFIG_WORD(connect, "CONNECT", 0, "auto|first|start",
                "when ranks connect over UCX: at the first message between them, or all at the "
                "start; auto: at the first message from UCX 1.14 on, before which a rank may be "
                "ended by UCX if its peer dies while they connect")
MPJ_CONFIG_TEXT(net_address, "NET_ADDRESS", "",
                "network interface that UCX uses: its name, its address, or a network that its "
                "address is in, such as 10.0.0.0/24; empty: as UCX chooses")
MPJ_CONFIG_WORD(
    single_copy, "SINGLE_COPY", 0, "auto|on|off",
    "long data between processes by process_vm calls: where permitted, and pieces in shared memory "
    "are not faster (tried while the job runs if each rank has a core, else by MPJ_MACHINE_FILE); "
    "wherever permitted; or never")
MPJ_CONFIG_WORD(
    pieces, "PIECES", 0, "auto|cached|past",
    "how such pieces, and early-arrival slots, are written: as is measured to be faster while "
    "the job runs; into the caches of who writes them; or past them, by streaming "
    "stores")
MPJ_CONFIG_TEXT(machine_file, "MACHINE_FILE", "",
                "JSON file of what has been measured of this machine, as mpj-bench tune --machine "
                "writes it; none: go by none; empty: the user's, else /etc/mpj/machine.json")
MPJ_CONFIG_WORD(two_sided, "TWO_SIDED", 0, "auto|on|off",
                "whether both sides of a long transfer work at it: where the local ranks fit the "
                "cores, and the longest between other processes; always, or never")
MPJ_CONFIG_TEXT(chaos, "CHAOS", "",
                "for tests: disturb this rank's messages by a plan, "
                "delay=0.1,again=0.1,stall=0.001,kill=2,seed=7 (spec/active-messages.md)")
MPJ_CONFIG_INT(
    stats, "STATS", 0, 0, 1,
    "1: print to stderr at MPJ_Finalize what this rank has sent, received and waited for")
MPJ_CONFIG_TEXT(trace, "TRACE", "",
                "file for a trace of all ranks' messages, in the format of Chrome's trace events; "
                "rank 0 empties it at the start")
MPJ_CONFIG_TEXT(coll_barrier, "COLL_BARRIER", "auto",
                "algorithm of MPJ_Barrier: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_bcast, "COLL_BCAST", "auto",
                "algorithm of MPJ_Bcast: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_gather, "COLL_GATHER", "auto",
                "algorithm of MPJ_Gather: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_scatter, "COLL_SCATTER", "auto",
                "algorithm of MPJ_Scatter: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_allgather, "COLL_ALLGATHER", "auto",
                "algorithm of MPJ_Allgather: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_alltoall, "COLL_ALLTOALL", "auto",
                "algorithm of MPJ_Alltoall: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_reduce, "COLL_REDUCE", "auto",
                "algorithm of MPJ_Reduce: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_allreduce, "COLL_ALLREDUCE", "auto",
                "algorithm of MPJ_Allreduce: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_reduce_scatter, "COLL_REDUCE_SCATTER", "auto",
                "algorithm of MPJ_Reduce_scatter: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_scan, "COLL_SCAN", "auto",
                "algorithm of MPJ_Scan: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_exscan, "COLL_EXSCAN", "auto",
                "algorithm of MPJ_Exscan: auto, or one of its own with parameters, "
                "name[:radix=R][,segment=BYTES]")
MPJ_CONFIG_TEXT(coll_file, "COLL_FILE", "",
                "JSON file of rules that choose algorithms, as mpj-bench tune writes it")
MPJ_CONFIG_INT(
    coll_nodes, "COLL_NODES", 0, 0, 2147483647,
    "pretend that the ranks are on so many nodes, or each on one of its own if these are "
    "more than ranks, to try algorithms for several; 0 as they are")
MPJ_CONFIG_WORD(
    coll_nodes_order, "COLL_NODES_ORDER", 0, "block|cyclic",
    "how ranks are dealt out to pretended nodes: consecutive ranks together, or in turn")
MPJ_CONFIG_INT(neighbourhood_us, "NEIGHBOURHOOD_US", 100, 0, 1000000000,
               "how long a sender of MPJ_COLL_BCAST=neighbourhood that has done all else waits for "
               "a late rank before it leaves the data in memory for it, in microseconds")
MPJ_CONFIG_INT(scratch_bytes, "SCRATCH_BYTES", 67108864, 0, 1099511627776,
               "memory for intermediate results that a rank keeps from one collective to the next, "
               "in bytes; and, as much again, for long data that it relays before it has called")
MPJ_CONFIG_INT(check, "CHECK", 0, 0, 1,
               "1: before each collective all ranks compare operation, root, op and signatures; "
               "receive types must not overlap themselves")
MPJ_CONFIG_INT(
    stall_report_s, "STALL_REPORT_S", 0, 0, 86400,
    "after so many seconds in one wait, print to stderr where this rank is, in seconds; 0 never")
MPJ_CONFIG_WORD(
    signatures, "SIGNATURES", 0, "exact|bytes|fit",
    "what the two sides of a transfer must agree on: the sequence of basic types; or the "
    "number of bytes alone; or that too where less comes in Gather, Scatter and Alltoall")
MPJ_CONFIG_TEXT(interpose, "INTERPOSE", "",
                "collectives of MPI that the interposer serves, such as bcast,alltoallw; empty for "
                "all")
MPJ_CONFIG_INT(interpose_report, "INTERPOSE_REPORT", 0, 0, 1,
               "1: the interposer prints at MPI_Finalize what it has served and passed on")
MPJ_CONFIG_INT(rank, "RANK", -1, -1, 1000000, "launcher: this process's rank")
MPJ_CONFIG_INT(size, "SIZE", -1, -1, 1000000, "launcher: number of ranks")
MPJ_CONFIG_INT(segment_fd, "SEGMENT_FD", -1, -1, 1000000,
               "launcher: descriptor of the job's shared segment")
MPJ_CONFIG_TEXT(topology, "TOPOLOGY", "",
                "launcher: the machine's topology, found once for all ranks")
