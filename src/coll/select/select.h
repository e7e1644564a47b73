/* This header declares how the algorithm of a call is chosen: by rules, from what
 * all ranks know alike. A rule names ranges and an algorithm; the first that fits and
 * whose algorithm is possible wins. Asked for by MPJ_COLL_<OPERATION>, an algorithm is
 * tried before all rules; the rules of MPJ_COLL_FILE come before those of the file of rank 0's
 * machine, and these before the library's own. */
#ifndef MPJ_SRC_COLL_SELECT_SELECT_H
#define MPJ_SRC_COLL_SELECT_SELECT_H

#include <stdio.h>

#include "base/hot.h"
#include "coll/select/algorithms.h"

/* What the rules go by besides the facts: the same on all ranks, as it follows from the call and
 * from its data's signature. */
struct mpj_agreed {
  enum mpj_operation operation;
  MPJ_Count bytes; /* of data, where all ranks' signatures are equal; else 0 */
  bool cuttable;   /* its packed stream can be cut into segments */
  bool ordered;    /* the operation does not commute */
  bool sparse;     /* an Alltoall of sparse types */
};

/* A call whose schedule is wanted. */
struct mpj_choice {
  struct mpj_agreed agreed;
  int root;       /* -1 where the operation has none */
  unsigned local; /* MPJ_VARIANT_ of this rank's buffers: how the schedule's steps copy */
  const struct mpj_part_list *lists[2]; /* of a sparse Alltoall: of the receive and the send type
                                           (NULL: in place); borrowed */
};

struct mpj_rule {
  enum mpj_operation operation;
  const char *name;                                              /* of the algorithm */
  int least_ranks, most_ranks;                                   /* most 0: any number */
  MPJ_Count least_bytes, below_bytes;                            /* below 0: any number */
  enum { MPJ_ANY_CORES, MPJ_ENOUGH_CORES, MPJ_FEW_CORES } cores; /* few: oversubscribed */
  bool several_nodes;                                            /* only where there are */
  bool processes;                                                /* only where ranks are such */
  int radix;                                                     /* 0: the algorithm's own */
  MPJ_Count segment;                                             /* bytes; 0: not cut */
};

/* The library's rules; the last has no name. */
extern const struct mpj_rule mpj_rules[];

enum { MPJ_FILE_RULES_MAX = 256 };

/* What the environment asks for. A name may be NULL: nothing. */
struct mpj_settings {
  struct mpj_rule asked[MPJ_OPERATIONS];
  struct mpj_rule file[MPJ_FILE_RULES_MAX + 1]; /* the last has no name */
};

/* The process's settings, read once; warns of what makes no sense. Threads: any. */
const struct mpj_settings *mpj_settings(void);

/* Read "name[:radix=R][,segment=BYTES]" (or name:R, name:segment=BYTES) as what is asked for
 * `operation`. Returns false, and a warning line in `why` (size bytes), if it makes no sense.
 * "auto" is nothing. */
bool mpj_setting_parse(enum mpj_operation operation, const char *text, struct mpj_rule *rule,
                       char *why, size_t size);

/* Read a tuning file's text (spec/collectives.md) into rules[MPJ_FILE_RULES_MAX + 1]; false,
 * and what is wrong with it, if it is none. */
bool mpj_tuning_parse(const char *text, struct mpj_rule rules[], char *why, size_t size);

/* *rules := those of a machine's file (base/machine/measured.h), the last without a name: the
 * caller's to free (mpj_free). NULL: `text` is NULL or has none; where it makes no sense, after a
 * warning if `warns`. Errors: MPJ_ERR_NO_MEM. */
int mpj_tuning_rules(const char *text, bool warns, struct mpj_rule **rules);

/* Those of this machine's own file, for who is in no job. Threads: any. */
const struct mpj_rule *mpj_tuning_here(void);

/* The outcome. */
struct mpj_selected {
  const struct mpj_algorithm *algorithm;
  int radix, segments;         /* 0 where it has none */
  const struct mpj_rule *rule; /* NULL: nothing else is possible */
  enum { MPJ_BY_VARIABLE, MPJ_BY_FILE, MPJ_BY_MACHINE, MPJ_BY_RULE, MPJ_BY_NEED } why;
};

/* A digest of all that choices go by besides the call: ranks with unequal ones may choose
 * otherwise, and must not communicate. */
uint32_t mpj_select_digest(const struct mpj_facts *facts, const struct mpj_settings *settings);

/* Print what would run for each operation, number of ranks and size, and why, on
 * a machine where `cores` are free. */
void mpj_select_print(FILE *out, int cores);

/* Say in a few lines which algorithm runs `call` where the facts are these, and why; which rules
 * were passed over; how each rank's data travels. */
void mpj_select_explain(FILE *out, const struct mpj_facts *facts, const struct mpj_agreed *call);

#endif
