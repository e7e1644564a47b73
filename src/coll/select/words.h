/* This header declares how rules and choices are said in words, for people to read. */
#ifndef MPJ_SRC_COLL_SELECT_WORDS_H
#define MPJ_SRC_COLL_SELECT_WORDS_H

#include "coll/select/select.h"

/* A number of bytes, in the largest unit of which it is a whole number: "64 KiB". */
void mpj_say_bytes(FILE *out, MPJ_Count bytes);
/* What a rule is for: "any number of ranks, below 65536 bytes". */
void mpj_say_range(FILE *out, const struct mpj_rule *rule);
/* What runs, "knomial:4 in 8 segments"; and because of what. */
void mpj_say_selected(FILE *out, const struct mpj_selected *selected);
void mpj_say_reason(FILE *out, const struct mpj_selected *selected);

#endif
