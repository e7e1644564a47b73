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
               "early-arrival slots that each receiver keeps for each sender on its machine")
MPJ_CONFIG_INT(spin, "SPIN", -1, -1, 1,
               "how an idle rank waits: 1 spins, 0 yields at the first miss, -1 spins if the local "
               "ranks fit the cores")
MPJ_CONFIG_INT(sleep_us, "SLEEP_US", 20000, 0, 60000000,
               "idle time after which a waiting rank sleeps until it is woken, in microseconds")
MPJ_CONFIG_WORD(single_copy, "SINGLE_COPY", 0, "auto|on|off",
                "long data between processes by process_vm calls: where permitted, or never")
MPJ_CONFIG_WORD(two_sided, "TWO_SIDED", 0, "auto|on|off",
                "whether both sides of a long transfer work at it: where the local ranks fit the "
                "cores, always, or never")
MPJ_CONFIG_WORD(coll_barrier, "COLL_BARRIER", 0, "auto|dissemination|flat",
                "algorithm of MPJ_Barrier")
MPJ_CONFIG_WORD(coll_bcast, "COLL_BCAST", 0, "auto|flat|binomial", "algorithm of MPJ_Bcast")
MPJ_CONFIG_WORD(coll_reduce, "COLL_REDUCE", 0, "auto|flat|segments", "algorithm of MPJ_Reduce")
MPJ_CONFIG_WORD(coll_allreduce, "COLL_ALLREDUCE", 0, "auto|flat|segments",
                "algorithm of MPJ_Allreduce")
MPJ_CONFIG_INT(
    stall_report_s, "STALL_REPORT_S", 0, 0, 86400,
    "after so many seconds in one wait, print to stderr where this rank is, in seconds; 0 never")
MPJ_CONFIG_INT(rank, "RANK", -1, -1, 1000000, "launcher: this process's rank")
MPJ_CONFIG_INT(size, "SIZE", -1, -1, 1000000, "launcher: number of ranks")
MPJ_CONFIG_INT(segment_fd, "SEGMENT_FD", -1, -1, 1000000,
               "launcher: descriptor of the job's shared segment")
MPJ_CONFIG_TEXT(topology, "TOPOLOGY", "",
                "launcher: the machine's topology, found once for all ranks")
