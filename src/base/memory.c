/* This file allocates memory, counts what is out, and fails when a test asks. */
#include "base/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/checked.h"
#include "base/machine/pages.h"

/* The leak checker looks for pointers in such memory only if it is told of it. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define KNOW_ROOTS(p, bytes) __lsan_register_root_region(p, bytes)
#define FORGET_ROOTS(p, bytes) __lsan_unregister_root_region(p, bytes)
#else
#define KNOW_ROOTS(p, bytes) ((void)0)
#define FORGET_ROOTS(p, bytes) ((void)0)
#endif

/* What a thread allocated less what it freed. Only its thread writes it, so that
 * counting needs no locked instruction. When the thread ends another one goes on
 * with it: only the sum of all means something. */
struct account {
  atomic_long n;
  struct account *next;      /* in the list of all */
  struct account *next_free; /* in the list of those without a thread */
};

/* Two words of static thread storage, found without a call. */
#define FAST_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
static FAST_THREAD_LOCAL long successes_left = -1; /* -1: no injection */
static FAST_THREAD_LOCAL bool metering;
static FAST_THREAD_LOCAL struct mpj_memory_meter meter;
static FAST_THREAD_LOCAL struct account *own;
static FAST_THREAD_LOCAL unsigned long made;

static struct {
  pthread_mutex_t lock;
  pthread_once_t once;
  pthread_key_t key; /* its destructor gives a thread's account back */
  struct account *all, *unused;
  struct account shared; /* of threads that could not get one; added to atomically */
} accounts = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void give_back(void *value)
{
  struct account *account = value;
  pthread_mutex_lock(&accounts.lock);
  account->next_free = accounts.unused;
  accounts.unused = account;
  pthread_mutex_unlock(&accounts.lock);
  own = NULL;
}

static void make_key(void)
{
  pthread_key_create(&accounts.key, give_back); /* without one, accounts stay taken */
}

/* An account for this thread, or NULL. Cold: once a thread. */
static __attribute__((noinline)) struct account *open_account(void)
{
  pthread_once(&accounts.once, make_key);
  pthread_mutex_lock(&accounts.lock);
  struct account *account = accounts.unused;
  if (account) {
    accounts.unused = account->next_free;
  } else if ((account = calloc(1, sizeof *account))) {
    account->next = accounts.all;
    accounts.all = account;
  }
  pthread_mutex_unlock(&accounts.lock);
  own = account;
  if (account) pthread_setspecific(accounts.key, account);
  return account;
}

static void add_to_account(long change)
{
  struct account *account = own ? own : open_account();
  if (!account) {
    atomic_fetch_add_explicit(&accounts.shared.n, change, memory_order_relaxed);
    return;
  }
  long n = atomic_load_explicit(&account->n, memory_order_relaxed);
  atomic_store_explicit(&account->n, n + change, memory_order_relaxed);
}

/* Every allocation asks here first. */
static bool failure_is_due(void)
{
  made++;
  if (successes_left < 0) return false;
  if (successes_left == 0) return true;
  successes_left--;
  return false;
}

size_t mpj_memory_size(const void *p)
{
  return malloc_usable_size((void *)p);
}

static void meter_bytes(size_t bytes)
{
  if (!metering) return;
  meter.now += (long)bytes;
  if (meter.now > meter.peak) meter.peak = meter.now;
}

static void meter_alloc(void *p)
{
  if (p) meter_bytes(mpj_memory_size(p));
}

static void *counted(void *p)
{
  if (p) add_to_account(1);
  return p;
}

/* Up to this many bytes glibc's malloc is served from the thread's own cache, while
 * its calloc is not before 2.41: small types are made and freed a third faster. */
enum { SMALL = 1024 };

/* Zeroed, checked, not counted. */
static void *zeroed_array(size_t count, size_t size)
{
  size_t bytes;
  if (!mpj_mul_size(count, size, &bytes) || failure_is_due()) return NULL;
  void *p = bytes > SMALL ? calloc(bytes, 1) : malloc(bytes ? bytes : 1);
  meter_alloc(p);
  return p && bytes <= SMALL ? memset(p, 0, bytes) : p;
}

void *mpj_alloc(size_t bytes)
{
  if (failure_is_due()) return NULL;
  void *p = malloc(bytes ? bytes : 1);
  meter_alloc(p);
  return counted(p);
}

void *mpj_alloc_array(size_t count, size_t size)
{
  return counted(zeroed_array(count, size));
}

/* The last large page is taken only if more than half of it is used. */
void *mpj_alloc_work(size_t count, size_t size)
{
  const size_t page = MPJ_LARGE_PAGE;
  size_t bytes;
  void *p = NULL;
  if (!mpj_mul_size(count, size, &bytes)) return NULL;
  if (bytes <= page / 2 || bytes > SIZE_MAX / 2) return mpj_alloc(bytes);
  const size_t large = (bytes + page / 2) / page * page;
  if (failure_is_due() || posix_memalign(&p, page, bytes > large ? bytes : large) != 0) return NULL;
#ifdef MADV_HUGEPAGE
  madvise(p, large, MADV_HUGEPAGE);
#endif
  meter_alloc(p);
  return counted(p);
}

/* From so many bytes on, a table is mapped; the allocator would write it to zero it. */
enum { TABLE_LEAST = 8192 };

void *mpj_alloc_table(size_t count, size_t size)
{
  size_t bytes;
  if (!mpj_mul_size(count, size, &bytes) || bytes < TABLE_LEAST)
    return mpj_alloc_array(count, size);
  if (failure_is_due()) return NULL;
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  KNOW_ROOTS(p, bytes);
  meter_bytes(bytes);
  return counted(p);
}

void mpj_free_table(void *p, size_t count, size_t size)
{
  if (p && count * size >= TABLE_LEAST) {
    add_to_account(-1);
    if (metering) meter.now -= (long)(count * size);
    FORGET_ROOTS(p, count * size);
    munmap(p, count * size);
  } else {
    mpj_free(p);
  }
}

void *mpj_alloc_permanent(size_t count, size_t size)
{
  return zeroed_array(count, size);
}

void *mpj_alloc_permanent_aligned(size_t bytes)
{
  if (failure_is_due()) return NULL;
  void *p = aligned_alloc(bytes, bytes);
  meter_alloc(p);
  return p;
}

void mpj_free_permanent(void *p)
{
  if (p && metering) meter.now -= (long)mpj_memory_size(p);
  free(p);
}

void mpj_free(void *p)
{
  if (!p) return;
  add_to_account(-1);
  if (metering) meter.now -= (long)mpj_memory_size(p);
  free(p);
}

void mpj_memory_meter_start(void)
{
  meter = (struct mpj_memory_meter){0, 0};
  metering = true;
}

struct mpj_memory_meter mpj_memory_meter_stop(void)
{
  metering = false;
  return meter;
}

void mpj_memory_fail_after(long successes)
{
  successes_left = successes < 0 ? -1 : successes;
}

unsigned long mpj_memory_made(void)
{
  return made;
}

long mpj_memory_outstanding(void)
{
  pthread_mutex_lock(&accounts.lock);
  long sum = atomic_load_explicit(&accounts.shared.n, memory_order_relaxed);
  for (struct account *account = accounts.all; account; account = account->next)
    sum += atomic_load_explicit(&account->n, memory_order_relaxed);
  pthread_mutex_unlock(&accounts.lock);
  return sum;
}
