/* This file reaches a PMIx launcher (Open MPI's mpiexec, prun) through the PMIx
 * client library, which is loaded when it is needed: a program that is launched
 * otherwise does without. A blob is a byte object under the key mpj-<exchange>. */
#include "net/boot/launch.h"

#include "base/status.h"

#ifndef MPJ_HAVE_PMIX

int mpj_launch_pmix(struct mpj_launch **launch)
{
  (void)launch;
  return mpj_error(MPJ_ERR_UNSUPPORTED,
                   "MPJ_BOOT is pmix, and this library was built without PMIx");
}

#else

#include <limits.h>
#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/library/library.h"
#include "base/memory.h"

/* The library's calls, as its header declares them. */
struct calls {
  __typeof__(PMIx_Init) *init;
  __typeof__(PMIx_Finalize) *finalize;
  __typeof__(PMIx_Put) *put;
  __typeof__(PMIx_Commit) *commit;
  __typeof__(PMIx_Fence) *fence;
  __typeof__(PMIx_Get) *get;
  __typeof__(PMIx_Error_string) *error_string;
  __typeof__(PMIx_Value_destruct) *value_destruct;
};

struct pmix {
  struct mpj_launch head; /* first */
  struct calls call;
  pmix_proc_t self;
  unsigned exchange;
};

static int failed(const struct pmix *p, const char *what, pmix_status_t code)
{
  return mpj_error(MPJ_ERR_PEER, "%s of rank %d failed: %s", what, p->head.rank,
                   p->call.error_string(code));
}

static void name_key(unsigned exchange, pmix_key_t key)
{
  snprintf(key, sizeof(pmix_key_t), "mpj-%u", exchange);
}

static void drop_value(const struct pmix *p, pmix_value_t *value)
{
  p->call.value_destruct(value);
  free(value); /* which the library allocated so */
}

static int pmix_publish(struct mpj_launch *launch, const void *blob, size_t bytes)
{
  struct pmix *p = (struct pmix *)launch;
  pmix_key_t key;
  pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
  value.data.bo.bytes = (char *)(uintptr_t)blob; /* copied by the call */
  value.data.bo.size = bytes;
  name_key(p->exchange, key);
  pmix_status_t code = p->call.put(PMIX_GLOBAL, key, &value);
  if (code == PMIX_SUCCESS) code = p->call.commit();
  return code == PMIX_SUCCESS ? MPJ_SUCCESS : failed(p, "PMIx_Put", code);
}

static int pmix_fence(struct mpj_launch *launch)
{
  struct pmix *p = (struct pmix *)launch;
  pmix_info_t collect = {.key = PMIX_COLLECT_DATA};
  collect.value.type = PMIX_BOOL;
  collect.value.data.flag = true;
  const pmix_status_t code = p->call.fence(NULL, 0, &collect, 1);
  p->exchange++;
  return code == PMIX_SUCCESS ? MPJ_SUCCESS : failed(p, "PMIx_Fence", code);
}

static int pmix_fetch(struct mpj_launch *launch, int rank, void *blob, size_t size, size_t *bytes)
{
  struct pmix *p = (struct pmix *)launch;
  pmix_key_t key;
  pmix_value_t *value = NULL;
  pmix_proc_t peer = p->self;
  peer.rank = (pmix_rank_t)rank;
  name_key(p->exchange - 1, key);
  const pmix_status_t code = p->call.get(&peer, key, NULL, 0, &value);
  if (code != PMIX_SUCCESS || !value) return failed(p, "PMIx_Get", code);
  const bool fits = value->type == PMIX_BYTE_OBJECT && value->data.bo.size <= size;
  if (fits) {
    *bytes = value->data.bo.size;
    memcpy(blob, value->data.bo.bytes, *bytes);
  }
  drop_value(p, value);
  if (fits) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_FORMAT, "PMIx gives rank %d a card of rank %d that makes no sense",
                   launch->rank, rank);
}

/* A process that a rank starts inherits the launcher's variables, and PMIx_Init, which two
 * processes have then called as the same rank, may never return. So a rank leaves a mark in its
 * environment: "PID NAMESPACE RANK". */

static const char mark[] = "_MPJ_PMIX_RANK";
enum { MARK_BYTES = sizeof(pmix_nspace_t) + 48 };

/* The mark of process `pid`, by the launcher's variables. */
static void write_mark(char text[MARK_BYTES], long pid)
{
  const char *job = getenv("PMIX_NAMESPACE"), *rank = getenv("PMIX_RANK");
  snprintf(text, MARK_BYTES, "%ld %s %s", pid, job ? job : "", rank ? rank : "");
}

static void leave_mark(void)
{
  char text[MARK_BYTES];
  write_mark(text, (long)getpid());
  setenv(mark, text, 1); /* without memory for it a child is not told */
}

/* An error if another process that is there still is this rank. */
static int check_mark(void)
{
  char text[MARK_BYTES];
  const char *found = getenv(mark);
  const long pid = found ? strtol(found, NULL, 10) : 0;
  if (pid <= 0 || pid == (long)getpid() || kill((pid_t)pid, 0) != 0) return MPJ_SUCCESS;
  write_mark(text, pid);
  if (strcmp(text, found) != 0) return MPJ_SUCCESS; /* of another job */
  return mpj_error(
      MPJ_ERR_INTERNAL,
      "process %ld has inherited the place of rank %s, which process %ld has taken: set "
      "MPJ_BOOT=single in its environment, and it is alone",
      (long)getpid(), getenv("PMIX_RANK"), pid);
}

static void pmix_end(struct mpj_launch *launch)
{
  struct pmix *p = (struct pmix *)launch;
  p->call.finalize(NULL, 0);
  unsetenv(mark);
  mpj_free(p);
}

static const struct mpj_launch_ops pmix_ops = {.name = "pmix",
                                               .publish = pmix_publish,
                                               .fence = pmix_fence,
                                               .fetch = pmix_fetch,
                                               .end = pmix_end};

/* Load the library; it stays. */
static int load(struct calls *call)
{
  static const char *const names[] = {"PMIx_Init",         "PMIx_Finalize",      "PMIx_Put",
                                      "PMIx_Commit",       "PMIx_Fence",         "PMIx_Get",
                                      "PMIx_Error_string", "PMIx_Value_destruct"};
  char why[MPJ_LIBRARY_WHY];
  const bool global = true; /* its plugins need its names */
  if (mpj_library_load(MPJ_PMIX_LIBRARY, global, names, sizeof names / sizeof *names, call, why))
    return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_UNSUPPORTED, "the launcher speaks PMIx, but: %s", why);
}

static int find_size(struct pmix *p)
{
  pmix_value_t *value = NULL;
  pmix_proc_t job = p->self;
  job.rank = PMIX_RANK_WILDCARD;
  const pmix_status_t code = p->call.get(&job, PMIX_JOB_SIZE, NULL, 0, &value);
  if (code != PMIX_SUCCESS || !value) return failed(p, "PMIx_Get of the job's size", code);
  const uint32_t size = value->type == PMIX_UINT32 ? value->data.uint32 : 0;
  drop_value(p, value);
  if (size == 0 || size > INT_MAX || p->self.rank >= size)
    return mpj_error(MPJ_ERR_FORMAT, "PMIx says that this is rank %u of %u", p->self.rank, size);
  p->head.rank = (int)p->self.rank;
  p->head.size = (int)size;
  return MPJ_SUCCESS;
}

int mpj_launch_pmix(struct mpj_launch **launch)
{
  int status = check_mark();
  if (status != MPJ_SUCCESS) return status;
  struct pmix *p = mpj_alloc_array(1, sizeof *p);
  if (!p) return mpj_error(MPJ_ERR_NO_MEM, "no memory for this rank's launcher");
  p->head.ops = &pmix_ops;
  status = load(&p->call);
  if (status != MPJ_SUCCESS) goto free_launch;
  const pmix_status_t code = p->call.init(&p->self, NULL, 0);
  if (code != PMIX_SUCCESS) {
    status = failed(p, "PMIx_Init", code);
    goto free_launch;
  }
  status = find_size(p);
  if (status != MPJ_SUCCESS) {
    p->call.finalize(NULL, 0);
    goto free_launch;
  }
  leave_mark();
  *launch = &p->head;
  return MPJ_SUCCESS;

free_launch:
  mpj_free(p);
  return status;
}

#endif
