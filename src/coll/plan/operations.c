/* This file knows the names of operations. */
#include "coll/plan/operations.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ROW(name_, small, big, buffers, op, root, sends, receives, only)                           \
  [MPJ_OPERATION_##big] = {.name = "MPJ_" #name_,                                                  \
                           .init = "MPJ_" #name_ "_init",                                          \
                           .word = #small,                                                         \
                           .has_op = op,                                                           \
                           .has_root = root,                                                       \
                           .used = {MPJ_USED_##receives, MPJ_USED_##sends},                        \
                           .only_root = MPJ_##only},

enum { NO_OP, OP };
enum { NO_ROOT, ROOT };

const struct mpj_operation_row mpj_operation_rows[MPJ_OPERATIONS] = {
    [MPJ_OPERATION_NONE] = {.name = "a failed call",
                            .init = "a failed init",
                            .word = "none",
                            .only_root = MPJ_NO_SIDE},
    MPJ_OPERATIONS_TABLE(ROW)};

const char *mpj_operation_name(unsigned operation)
{
  switch (operation) {
  case MPJ_OPERATION_CHECK:
    return "the exchange of MPJ_CHECK=1";
  case MPJ_OPERATION_INIT:
    return "an init";
  case MPJ_OPERATION_COMM_FREE:
    return "MPJ_Comm_free";
  case MPJ_OPERATION_REQUEST_FREE:
    return "MPJ_Request_free";
  case MPJ_OPERATION_FINALIZE:
    return "MPJ_Finalize";
  default:
    return operation < MPJ_OPERATIONS ? mpj_operation_rows[operation].name : "an unknown operation";
  }
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

const char *mpj_init_name(unsigned operation)
{
  return operation < MPJ_OPERATIONS ? mpj_operation_rows[operation].init : "an unknown init";
}

const char *mpj_operation_word(enum mpj_operation operation)
{
  return mpj_operation_rows[operation].word;
}

enum mpj_operation mpj_operation_of_word(const char *word)
{
  enum mpj_operation op = MPJ_OPERATIONS;
  while (--op > MPJ_OPERATION_NONE && strcmp(mpj_operation_word(op), word) != 0) {
  }
  return op;
}

const char *mpj_operation_variable(enum mpj_operation operation, char name[MPJ_VARIABLE_BYTES])
{
  snprintf(name, MPJ_VARIABLE_BYTES, "MPJ_COLL_%s", mpj_operation_word(operation));
  for (char *c = name; *c; c++)
    *c = (char)toupper((unsigned char)*c);
  return name;
}
