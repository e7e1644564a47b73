/* This file is a whole MPJ program: root reads a matrix, scatters it over a
 * process grid, every rank computes on its block in place, and root gathers and
 * writes the result.
 *
 * A transfer is named by base addresses and datatypes alone. One datatype,
 * `whole`, says for all ranks which elements of the matrix are whose: its part i
 * is rank i's. Another, `mine`, is the dense block of this rank. Ranks are
 * processes under mpjrun, or threads with --threads N; the program is the same. */
#include <mpj/mpj.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute.h"
#include "rank.h"
#include "report.h"

/* Root: read the matrix, and make room for the result. */
static int open_matrix(struct rank *r)
{
  char why[NPY_WHY];
  struct npy *m = &r->matrix;
  if (npy_read(r->options->in, m, why) != 0) return rank_say(r, r->options->in, why);
  r->result = *m;
  if (npy_alloc(&r->result, why) != 0) return rank_say(r, "result", why);
  r->job = (struct job){m->rows, m->cols, (int32_t)m->type, m->fortran, 0};
  return 0;
}

/* struct job as a datatype. */
static int create_job_type(MPJ_Datatype *type)
{
  const MPJ_Count lengths[2] = {2, 3};
  const MPJ_Aint displs[2] = {offsetof(struct job, rows), offsetof(struct job, type)};
  const MPJ_Datatype types[2] = {MPJ_INT64, MPJ_INT32};
  int rc = MPJ_Type_create_struct(2, lengths, displs, types, type);
  return rc == MPJ_SUCCESS ? MPJ_Type_commit(type) : rc;
}

/* Everybody learns the matrix's shape and type from root, or that there is none. */
static int agree_on_job(struct rank *r)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  if (r->number == ROOT) r->job.failed = open_matrix(r) != 0;
  int rc = create_job_type(&type);
  if (rc == MPJ_SUCCESS) rc = MPJ_Bcast(&r->job, type, ROOT, MPJ_COMM_WORLD);
  int failed = rank_check(r, "sharing the job", rc);
  rank_free_type(&type);
  return failed || r->job.failed ? -1 : 0;
}

/* The matrix's datatypes, and room for this rank's block. */
static int prepare(struct rank *r)
{
  static const MPJ_Datatype elements[NPY_TYPES] = {[NPY_F4] = MPJ_FLOAT,
                                                   [NPY_F8] = MPJ_DOUBLE,
                                                   [NPY_I4] = MPJ_INT32,
                                                   [NPY_I8] = MPJ_INT64,
                                                   [NPY_U1] = MPJ_UINT8,
                                                   [NPY_C8] = MPJ_C_FLOAT_COMPLEX,
                                                   [NPY_C16] = MPJ_C_DOUBLE_COMPLEX};
  MPJ_Count bytes = 0;
  int rc = rank_create_types(r, elements[r->job.type], &r->whole, &r->mine);
  if (rc == MPJ_SUCCESS) rc = MPJ_Type_size(r->mine, &bytes);
  if (rank_check(r, "types", rc) != 0) return -1;
  r->count = bytes / (MPJ_Count)npy_size((enum npy_type)r->job.type);
  r->block = malloc((size_t)bytes + 1);
  r->times = calloc((size_t)r->options->repeat, sizeof *r->times);
  if (r->block && r->times) return 0;
  rank_say(r, "block", "no memory");
  return -1;
}

/* The three steps of the work. */
static int scatter(struct rank *r)
{
  return MPJ_Scatter(r->matrix.data, r->whole, r->block, r->mine, ROOT, MPJ_COMM_WORLD);
}

static int compute_block(struct rank *r)
{
  compute((enum npy_type)r->job.type, r->block, r->count);
  return MPJ_SUCCESS;
}

static int gather(struct rank *r)
{
  return MPJ_Gather(r->block, r->mine, r->result.data, r->whole, ROOT, MPJ_COMM_WORLD);
}

/* A step, timed from when every rank is ready for it. */
static int timed(struct rank *r, int (*step)(struct rank *), const char *name, double *seconds)
{
  int rc = MPJ_Barrier(MPJ_COMM_WORLD);
  double start = MPJ_Wtime();
  if (rc == MPJ_SUCCESS) rc = step(r);
  *seconds = MPJ_Wtime() - start;
  return rank_check(r, name, rc);
}

static int work(struct rank *r)
{
  for (int i = 0; i < r->options->repeat; i++) {
    double *seconds = r->times[i].seconds;
    if (timed(r, scatter, "scatter", &seconds[SCATTER]) != 0 ||
        timed(r, compute_block, "compute", &seconds[COMPUTE]) != 0 ||
        timed(r, gather, "gather", &seconds[GATHER]) != 0)
      return -1;
  }
  return 0;
}

/* What was asked for besides the work; first what needs all ranks. */
static int report(struct rank *r)
{
  if (r->options->times && report_times(r) != 0) return -1;
  if (r->options->picture && report_picture(r) != 0) return -1;
  if (r->number != ROOT) return 0;
  if (r->options->check && report_check(r) != 0) return -1;
  return report_result(r);
}

/* Who am I, and is the command line sound? All ranks judge it alike; root speaks. */
static int enter(struct rank *r)
{
  char why[OPTIONS_WHY];
  int rc = MPJ_Comm_rank(MPJ_COMM_WORLD, &r->number);
  if (rc == MPJ_SUCCESS) rc = MPJ_Comm_size(MPJ_COMM_WORLD, &r->size);
  if (rank_check(r, "start", rc) != 0) return -1;
  const char *mistake = r->options->why;
  if (!*mistake && options_grid(r->options, r->size, r->grid, why) != 0) mistake = why;
  if (*mistake && r->number == ROOT) fprintf(stderr, "matrix_gather: %s\n", mistake);
  return *mistake ? -1 : 0;
}

/* One rank's life. Returns 0, or -1 after telling what went wrong. */
static int run_rank(void *options)
{
  struct rank r = {.options = options};
  int failed = rank_check(&r, "start", MPJ_Init(NULL, NULL));
  if (failed) return failed;
  if (enter(&r) != 0 || agree_on_job(&r) != 0 || prepare(&r) != 0 || work(&r) != 0 ||
      report(&r) != 0)
    failed = -1;
  rank_free_type(&r.mine);
  rank_free_type(&r.whole);
  free(r.block);
  free(r.times);
  npy_free(&r.matrix);
  npy_free(&r.result);
  return MPJ_Finalize() == MPJ_SUCCESS ? failed : -1;
}

int main(int argc, char **argv)
{
  struct options options;
  options_read(&options, argc, argv);
  if (options.help) {
    fputs(options_usage, stdout);
    return EXIT_SUCCESS;
  }
  int rc = options.threads > 0 ? MPJ_Run_threads(options.threads, run_rank, &options)
                               : run_rank(&options);
  if (rc > 0) fprintf(stderr, "matrix_gather: %s\n", MPJ_Error_detail());
  if (options.why[0] != '\0') return 2;
  return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
