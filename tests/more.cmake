# What the short run (scripts/test) leaves to the long one (scripts/test all). The short run starts
# every test program once, with the settings that tell most; the entries named here start one of
# them again, with other numbers of ranks, seeds, algorithms or transports, or take long for what
# they tell.
#
# mpj_more(REGEX...): all tests of such a name get the label "more".
# mpj_more_plain(REGEX...): and the label "plain": they run the same code as others with other
# numbers alone.
# mpj_soak(REGEX...): and the label "soak": too long for what they tell, so the long run, too, leaves
# them to scripts/soak.
function(mpj_more_labelled labels)
  get_property(all DIRECTORY PROPERTY TESTS)
  foreach(regex ${ARGN})
    set(chosen ${all})
    list(FILTER chosen INCLUDE REGEX "^(${regex})$")
    foreach(name ${chosen})
      set_property(TEST ${name} APPEND PROPERTY LABELS ${labels})
    endforeach()
  endforeach()
endfunction()
function(mpj_more)
  mpj_more_labelled("more" ${ARGN})
endfunction()
function(mpj_more_plain)
  mpj_more_labelled("more;plain" ${ARGN})
endfunction()
function(mpj_soak)
  mpj_more_labelled("more;soak" ${ARGN})
endfunction()

# The protocols' models; more than 2^32 bytes.
mpj_more(net_model_.*)
mpj_soak("net_model_(cells|circle|closing|inbox|neighbourhood|share|sleep)" coll_vast_processes) # minutes

# The matrix as threads, in settings in which processes go over it, too.
mpj_soak("matrix_gather_threads_(no_elements|every_size|every_form)")

# The kernels of a lower level, of which each has tests of its own that go over all levels.
mpj_more_plain(pack_.*_avx2 fuzz_pack_corpus_avx2)

# Each algorithm plays on threads; again with few tokens, as requests, and as processes.
mpj_more(coll_algorithm_.*_short)
mpj_more_plain(coll_algorithm_.*_requests coll_algorithm_.*_processes)
mpj_more_plain("coll_alone_(knomial_2|kary_2|chain|two_level|rabenseifner|ring|exchange_2)")

# Numbers of ranks, and longer plays.
mpj_more_plain("coll_every_algorithm.*_processes_([12346789]|16)"
  "coll_processes_every_root_(3|4|6|7|9|1[0-6])"
  "coll_(exchanges|reductions)_processes_(1|3|4|6|7|8|1[0-6])"
  "coll_requests_processes_(1|3|5|8|17)" "coll_comms_requests_processes_(1|2|3|5|8|17)"
  "coll_comms_exchanges_processes_(2|7)" coll_comms_reductions_processes_5
  "coll_gathered_processes_(1|2|5|8|17)" "coll_mismatches_processes_(2|5|8)"
  "coll_checks_processes_[2346789]" "coll_processes_(barrier|bcast)_.*_(2|5|8|17)"
  "coll_processes_delays_(3|4|17)" "coll_processes_streamed_(2|9)" "coll_processes_few_tokens_(2|17)"
  coll_processes_few_tokens_streamed_9 "coll_processes_wrong_(2|3|9)" "coll_misuse_processes_(2|5)"
  "coll_.*_few_tokens_processes_9" "coll_.*_streamed_processes_5"
  "coll_reductions_(flat|segments)_processes_(2|9)" coll_choosers_6 coll_checked_rooted_processes_5)
mpj_more_plain("coll_orders_processes_(1|2|3|5|6|7|9)" "mpi_shorter_(2|ALLTOALL_.*|GATHER_.*)_openmpi" "mpi_first_looks_[0-8]_openmpi")
mpj_more_plain(coll_threads_.*_again coll_threads_64_again "coll_threads_wrong_(2|3|7|17)"
  "coll_misuse_threads_(2|4|7)" coll_.*_threads_more coll_.*_threads_.*_more
  "coll_(exchanges|reductions)_threads_64" coll_checked_64 coll_checks_threads_few_tokens
  "coll_hosts_(exchanges|reductions|requests|every_root|delays)")

# Every message on the network again, and what goes there when a rank does.
mpj_more(coll_order_network coll_processes_deaths_network coll_reduction_deaths_processes_network
  coll_am_deaths_network coll_am_stops_network)
mpj_more_plain("coll_processes_every_root_network_(2|4|5)" "coll_processes_delays_network_5"
  "coll_processes_barrier_.*_network_5" "coll_(exchanges|reductions)_network_processes_(2|4|5)"
  coll_requests_network_processes_5 coll_misuse_network_processes_5 coll_processes_wrong_network_4
  coll_multiple_network coll_late_over_network)

# One rank astray: other random programs, and over the network.
mpj_more(mpi_astray_mpich_3 "mpi_astray_openmpi_." "coll_astray_(progress_|far_|far_progress_)?[23]_processes_." coll_surplus_far_calls)

# A rank that goes inside other algorithms than those that the rules choose.
mpj_more(coll_deaths_in_.* coll_checked_deaths coll_checked_deaths_threads coll_am_deaths_streamed
  coll_am_stops)

# Transports under MPI, of both MPIs; the interposer at other numbers of ranks.
mpj_more_plain("mpi_comms_mpich_[1239]" "mpi_comms_openmpi_[1249]" "mpi_interposed_mpich_[1249]"
  "mpi_interposed_openmpi_[1239]")
mpj_soak("mpi_(comms|interposed)_(mpich|openmpi)_[5-8]")
mpj_more("mpi_(plays|requests|comms_over_mpi|hosts|hosts_alone|hosts_exchanges|chaos)_openmpi_."
  "mpi_(exchanges|reductions|hosts_am|hosts_plays|plays_progress|requests_progress)_mpich_."
  "mpi_(hosts_regions|hosts_progress|chaos_hosts|chaos_am|chaos_regions)_openmpi_."
  mpi_multiple_progress_.* mpi_stopped_.* mpi_kill_alone_.* mpi_network_parted mpi_scalapack_xdqr
  mpi_irregular_1)

# Launchers and hosts again.
mpj_more(net_hosts_4_.* net_shm_two_sided_off net_shm_failure_two_sided_off)
mpj_more_plain("net_launch_(mpich_1|openmpi_1|mpich_over_network_lack)")

# Examples at other numbers of ranks.
mpj_more_plain("example_.*_(1|2|6|40)" matrix_gather_.*_every_size)

# Persistent requests come and go: other seeds and numbers of ranks.
mpj_more_plain("coll_renewed_[23]_processes_[2345]" "coll_renewed_1_processes_[35]"
  "coll_renewed_threads_[235]")
mpj_more_plain(coll_too_many_waitany_processes_3 coll_too_many_testany_processes_5)
mpj_more_plain("coll_forgets_.*_[25]")
mpj_more(coll_forgets_far coll_renewed_far_processes_3 coll_renewed_progress_processes_3)

# Distributed arrays over each number of ranks; the short run has the least, the most and some.
mpj_more(array_threads_wide)
mpj_more_plain("array_processes_(1|3|4|6|7|8)" "array_kills_.*_9000" "array_leaves_.*")
