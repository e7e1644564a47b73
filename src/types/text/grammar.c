/* This file is the table of the text form. */
#include "types/text/grammar.h"

#include <mpj/introspect.h>

const struct mpj_text_form mpj_text_forms[MPJ_TEXT_FORMS] = {
    [MPJ_COMBINER_DUP] = {"dup", "t"},
    [MPJ_COMBINER_CONTIGUOUS] = {"contiguous", "ct"},
    [MPJ_COMBINER_VECTOR] = {"vector", "ccct"},
    [MPJ_COMBINER_HVECTOR] = {"hvector", "ccat"},
    [MPJ_COMBINER_INDEXED] = {"indexed", "nCCt"},
    [MPJ_COMBINER_HINDEXED] = {"hindexed", "nCAt"},
    [MPJ_COMBINER_INDEXED_BLOCK] = {"indexed_block", "ncCt"},
    [MPJ_COMBINER_HINDEXED_BLOCK] = {"hindexed_block", "ncAt"},
    [MPJ_COMBINER_STRUCT] = {"struct", "nCAT"},
    [MPJ_COMBINER_SUBARRAY] = {"subarray", "nCCCot"},
    [MPJ_COMBINER_DARRAY] = {"darray", "ccnCDGCoBt"},
    [MPJ_COMBINER_RESIZED] = {"resized", "aat"},
    [MPJ_COMBINER_DISTRIBUTION] = {"distribution", "nCDGCoBt"},
    [MPJ_COMBINER_BUCKET_INDEX] = {"bucket_index", "nmKCCt"},
    [MPJ_COMBINER_HBUCKET_INDEX] = {"hbucket_index", "nmKCAt"},
    [MPJ_COMBINER_BUCKET_STRUCT] = {"bucket_struct", "nmKUCA"},
    [MPJ_COMBINER_SEGMENT] = {"segment", "nCt"},
    [MPJ_COMBINER_SLICE] = {"slice", "cct"},
    [MPJ_COMBINER_SPARSE] = {"sparse", "cnCAT"},
};

const struct mpj_text_word mpj_text_distributions[] = {{"block", MPJ_DISTRIBUTE_BLOCK},
                                                       {"cyclic", MPJ_DISTRIBUTE_CYCLIC},
                                                       {"none", MPJ_DISTRIBUTE_NONE},
                                                       {"general", MPJ_DISTRIBUTE_GENERAL},
                                                       {NULL, 0}};

const struct mpj_text_word mpj_text_distribution_arguments[] = {{"dflt", MPJ_DISTRIBUTE_DFLT_DARG},
                                                                {NULL, 0}};

const struct mpj_text_word mpj_text_orders[] = {
    {"C", MPJ_ORDER_C}, {"F", MPJ_ORDER_FORTRAN}, {NULL, 0}};

const char *mpj_text_word_of(const struct mpj_text_word words[], int64_t value)
{
  for (; words->word; words++)
    if (words->value == value) return words->word;
  return NULL;
}
