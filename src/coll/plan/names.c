/* This file knows the names of operations. */
#include "coll/plan/schedule.h"

const char *mpj_operation_name(unsigned operation)
{
  static const char *const names[MPJ_OPERATIONS] = {
      "a failed call", "MPJ_Barrier",        "MPJ_Bcast",    "MPJ_Gather",
      "MPJ_Scatter",   "MPJ_Allgather",      "MPJ_Alltoall", "MPJ_Reduce",
      "MPJ_Allreduce", "MPJ_Reduce_scatter", "MPJ_Scan",     "MPJ_Exscan"};
  if (operation == MPJ_OPERATION_CHECK) return "the exchange of MPJ_CHECK=1";
  if (operation == MPJ_OPERATION_INIT) return "an init";
  if (operation == MPJ_OPERATION_COMM_FREE) return "MPJ_Comm_free";
  if (operation == MPJ_OPERATION_REQUEST_FREE) return "MPJ_Request_free";
  if (operation == MPJ_OPERATION_FINALIZE) return "MPJ_Finalize";
  return operation < MPJ_OPERATIONS ? names[operation] : "an unknown operation";
}

const char *mpj_call_name(unsigned operation, int root)
{
  static const char *const names[] = {
      "MPJ_Comm_dup",    "MPJ_Comm_split",           "MPJ_Comm_split_node",
      "MPJ_Comm_create", "MPJ_Type_create_gathered", "MPJ_Comm_create_torus"};
  const int whole = MPJ_PART_OF_COMM_DUP - root;
  const bool may = operation == MPJ_OPERATION_ALLGATHER || operation == MPJ_OPERATION_ALLREDUCE;
  const bool is_part = may && whole >= 0 && whole < (int)(sizeof names / sizeof *names);
  return is_part ? names[whole] : mpj_operation_name(operation);
}

static const char *init_name(unsigned operation)
{
  static const char *const names[MPJ_OPERATIONS] = {
      "a failed init",      "MPJ_Barrier_init",        "MPJ_Bcast_init",    "MPJ_Gather_init",
      "MPJ_Scatter_init",   "MPJ_Allgather_init",      "MPJ_Alltoall_init", "MPJ_Reduce_init",
      "MPJ_Allreduce_init", "MPJ_Reduce_scatter_init", "MPJ_Scan_init",     "MPJ_Exscan_init"};
  return operation < MPJ_OPERATIONS ? names[operation] : "an unknown init";
}

const char *mpj_called_name(struct mpj_called c)
{
  return c.operation == MPJ_OPERATION_INIT ? init_name(c.algorithm)
                                           : mpj_call_name(c.operation, c.root);
}
