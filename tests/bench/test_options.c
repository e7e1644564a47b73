/* This file tests the command line of `mpj-bench coll`. */
#include "driver/options.h"

#include "coll_options.h"

#include "base/suite.h"

enum { ARGS_MOST = 4 };

static bool reads(struct bench_options *o, const char *const args[ARGS_MOST])
{
  char *argv[ARGS_MOST];
  int argc = 0;
  while (argc < ARGS_MOST && args[argc]) {
    argv[argc] = (char *)(uintptr_t)args[argc];
    argc++;
  }
  return bench_options_read(argc, argv, o);
}

START_TEST(nothing_given_means_everything)
{
  struct bench_options o;
  ck_assert(reads(&o, (const char *const[ARGS_MOST]){0}));
  ck_assert_int_eq(o.rounds, 5);
  ck_assert_int_eq(o.p.n, 4);
  ck_assert_str_eq(o.ops, COLL_FAMILIES_TEXT);
  ck_assert_str_eq(o.sizes, "8,1024,65536,1048576,16777216");
  ck_assert(o.peers[BENCH_PEER_MPICH] && o.peers[BENCH_PEER_OPENMPI]);
  ck_assert(o.peers[BENCH_PEER_OPENMPI_SM]);
  ck_assert_str_eq(o.timings, COLL_TIMINGS_DEFAULT);
  ck_assert_str_eq(o.buffers, "private");
  ck_assert(o.transports[BENCH_SHM] && o.transports[BENCH_THREADS]);
  ck_assert_double_eq(o.timeout_s, 60);
  ck_assert(!o.json && !o.help);
}
END_TEST

START_TEST(quick_yields_to_what_is_said)
{
  struct bench_options o;
  ck_assert(reads(&o, (const char *const[ARGS_MOST]){"--rounds", "3", "--quick"}));
  ck_assert_int_eq(o.rounds, 3);
  ck_assert_str_eq(o.sizes, "8,65536");
  ck_assert(reads(&o, (const char *const[ARGS_MOST]){"--quick", "--p", "16"}));
  ck_assert_int_eq(o.p.n, 1);
  ck_assert_int_eq(o.p.at[0], 16);
  ck_assert_int_eq(o.rounds, 1);
}
END_TEST

START_TEST(transports_and_peers_are_chosen_by_name)
{
  struct bench_options o;
  ck_assert(
      reads(&o, (const char *const[ARGS_MOST]){"--transports", "threads", "--peers", "none"}));
  ck_assert(!o.transports[BENCH_SHM] && o.transports[BENCH_THREADS]);
  ck_assert(!o.peers[BENCH_PEER_MPICH] && !o.peers[BENCH_PEER_OPENMPI]);
  ck_assert(reads(&o, (const char *const[ARGS_MOST]){"--peers", "openmpi"}));
  ck_assert(!o.peers[BENCH_PEER_MPICH] && o.peers[BENCH_PEER_OPENMPI]);
  ck_assert(!o.peers[BENCH_PEER_MPJ] && !o.prefix[BENCH_PEER_MPJ][0]);
}
END_TEST

START_TEST(another_build_of_mpj_is_a_peer)
{
  struct bench_options o;
  ck_assert(reads(&o, (const char *const[ARGS_MOST]){"--peers", "mpich,mpj:/opt/a,b"}));
  ck_assert(o.peers[BENCH_PEER_MPICH] && o.peers[BENCH_PEER_MPJ] && !o.peers[BENCH_PEER_OPENMPI]);
  ck_assert_str_eq(o.prefix[BENCH_PEER_MPJ], "/opt/a,b");
  ck_assert(!reads(&o, (const char *const[ARGS_MOST]){"--peers", "mpj:"}));
  ck_assert(!reads(&o, (const char *const[ARGS_MOST]){"--peers", "mpj"}));
}
END_TEST

START_TEST(mpi_libraries_are_peers_by_their_folders)
{
  struct bench_options o;
  ck_assert(reads(&o, (const char *const[ARGS_MOST]){
                          "--peers", "ompi:/opt/main,openmpi,mpich:/opt/5,mpj:/tmp/a"}));
  ck_assert(o.peers[BENCH_PEER_OPENMPI_AT] && o.peers[BENCH_PEER_OPENMPI]);
  ck_assert(o.peers[BENCH_PEER_MPICH_AT] && !o.peers[BENCH_PEER_MPICH]);
  ck_assert_str_eq(o.prefix[BENCH_PEER_OPENMPI_AT], "/opt/main");
  ck_assert_str_eq(o.prefix[BENCH_PEER_MPICH_AT], "/opt/5");
  ck_assert_str_eq(o.prefix[BENCH_PEER_MPJ], "/tmp/a");
  ck_assert(!reads(&o, (const char *const[ARGS_MOST]){"--peers", "ompi:"}));
  ck_assert(!reads(&o, (const char *const[ARGS_MOST]){"--peers", "ompi:,mpich"}));
  ck_assert(!reads(&o, (const char *const[ARGS_MOST]){"--peers", "mpich:/opt/5,"}));
  ck_assert(!reads(&o, (const char *const[ARGS_MOST]){"--peers", "openmpi:/opt/main"}));
}
END_TEST

START_TEST(wrong_options_are_refused)
{
  static const char *const wrong[][ARGS_MOST] = {
      {"--ops", "alltoallw"},
      {"--p", "0"},
      {"--p", "257"},
      {"--sizes", "9"},
      {"--sizes", "1073741832"},
      {"--orders", "0"},
      {"--timings", "hot"},
      {"--buffers", "borrowed"},
      {"--rounds", "0"},
      {"--rounds", "1,2"},
      {"--peers", "none,mpich"},
      {"--transports", "ib"},
      {"--seconds", "0"},
      {"--timeout", "soon"},
      {"--json"},
      {"--json", ""},
      {"--quickly"},
      {"coll"},
  };
  struct bench_options o;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_msg(!reads(&o, wrong[i]), "%s was accepted", wrong[i][0]);
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_options", nothing_given_means_everything, quick_yields_to_what_is_said,
                   transports_and_peers_are_chosen_by_name, another_build_of_mpj_is_a_peer,
                   mpi_libraries_are_peers_by_their_folders, wrong_options_are_refused);
}
