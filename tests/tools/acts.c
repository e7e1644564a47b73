/* This file is a program for mpjrun to start: its arguments are acts, done one
 * after another. It plays a rank without the library's collectives.
 *
 *   at R           do what follows only as rank R, up to the next at or all
 *   all            do what follows as any rank
 *   say T          print "T <rank> <pid>"
 *   print T        print T, without a newline
 *   warn T         print T and a newline on standard error
 *   environment    print "<rank>/<size> segment <valid> topology <valid>"
 *   attach         become ACTIVE in the segment, as MPJ_Init does
 *   finalize       become FINALIZED
 *   await R S      wait until rank R is in state S
 *   cause R        print "cause <rank R's wait status>"
 *   lines N        print N lines of 1 to 300 letters, all the rank's own
 *   long N         print N letters without a newline
 *   input          copy standard input to standard output
 *   catch S        from now on print "got <S>" on signal S
 *   ignore S       ignore signal S
 *   raise S        send signal S to this process
 *   fork T         start a process of this group that sleeps; print "T <rank> <its pid>"
 *   detach T       the same with a session of its own
 *   hang           sleep for ever
 *   exit N         exit with N, at once */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <signal.h>

#include "base/machine/topology.h"
#include "base/machine/topology_load.h"
#include "net/cells/segment.h"

static int rank;

static struct mpj_segment *segment(void)
{
  static struct mpj_segment *mapped;
  struct stat st;
  const char *fd = getenv("MPJ_SEGMENT_FD");
  if (mapped || !fd || fstat(atoi(fd), &st)) return mapped;
  size_t bytes = (size_t)st.st_size;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
  if (memory != MAP_FAILED && mpj_segment_valid(memory, bytes)) mapped = memory;
  return mapped;
}

static struct mpj_rank_line *line_of(const char *text)
{
  return mpj_segment_rank(segment(), atoi(text));
}

static void say(const char *text, int pid)
{
  printf("%s %d %d\n", text, rank, pid);
}

static void print_environment(void)
{
  struct mpj_topology topology;
  const char *text = getenv("MPJ_TOPOLOGY");
  printf("%d/%s segment %d topology %d\n", rank, getenv("MPJ_SIZE"), segment() != NULL,
         text && mpj_topology_decode(text, &topology));
}

static void attach(void)
{
  struct mpj_rank_line *line = mpj_segment_rank(segment(), rank);
  atomic_store(&line->pid, getpid());
  atomic_store(&line->state, MPJ_RANK_ACTIVE);
}

static void await_state(const char *other, const char *state)
{
  while (atomic_load(&line_of(other)->state) != (unsigned)atoi(state))
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void print_letters(int count)
{
  for (int i = 0; i < count; i++)
    putchar('a' + rank);
}

static void print_lines(int count)
{
  for (int i = 0; i < count; i++) {
    print_letters(1 + i * 37 % 300);
    putchar('\n');
    if (i % 5 == 0) fflush(stdout); /* also in the middle of what a pipe takes */
  }
}

static void copy_input(void)
{
  for (int c; (c = getchar()) != EOF;) {
    putchar(c);
    if (c == '\n') fflush(stdout);
  }
}

static void caught(int signal)
{
  char text[] = "got ??\n";
  text[4] = (char)('0' + signal / 10);
  text[5] = (char)('0' + signal % 10);
  ssize_t written = write(STDOUT_FILENO, text, sizeof text - 1);
  (void)written;
}

static _Noreturn void hang(void)
{
  for (;;)
    pause();
}

static void fork_sleeper(const char *text, bool detached)
{
  int ready[2]; /* closed by the child once it is where it shall be */
  char byte;
  if (pipe(ready)) exit(99);
  pid_t pid = fork();
  if (pid == 0) {
    if (detached) setsid();
    close(ready[0]);
    close(ready[1]);
    hang();
  }
  close(ready[1]);
  if (pid < 0 || read(ready[0], &byte, 1) != 0) exit(99);
  close(ready[0]);
  say(text, (int)pid);
}

/* Do one act with its arguments; returns how many it has, or -1 if unknown. */
static int act(char **words)
{
  const char *word = words[0], *one = words[1] ? words[1] : "";
#define IS(name) (strcmp(word, name) == 0)
  if (IS("environment")) return print_environment(), 0;
  if (IS("attach")) return attach(), 0;
  if (IS("finalize")) return mpj_segment_mark(segment(), rank, MPJ_RANK_FINALIZED, 0), 0;
  if (IS("input")) return copy_input(), 0;
  if (IS("hang")) hang();
  if (IS("say")) return say(one, (int)getpid()), 1;
  if (IS("print")) return fputs(one, stdout), 1;
  if (IS("warn")) return fprintf(stderr, "%s\n", one), 1;
  if (IS("cause")) return printf("cause %d\n", atomic_load(&line_of(one)->cause)), 1;
  if (IS("lines")) return print_lines(atoi(one)), 1;
  if (IS("long")) return print_letters(atoi(one)), 1;
  if (IS("catch")) return signal(atoi(one), caught), 1;
  if (IS("ignore")) return signal(atoi(one), SIG_IGN), 1;
  if (IS("raise")) return raise(atoi(one)), 1;
  if (IS("fork")) return fork_sleeper(one, false), 1;
  if (IS("detach")) return fork_sleeper(one, true), 1;
  if (IS("exit")) _exit(atoi(one));
  if (IS("await")) return await_state(one, words[2]), 2;
#undef IS
  return -1;
}

/* How many arguments an act that is not done has. */
static int arity(const char *word)
{
  static const char *const none[] = {"environment", "attach", "finalize", "input", "hang"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (strcmp(word, none[i]) == 0) return 0;
  return strcmp(word, "await") == 0 ? 2 : 1;
}

int main(int argc, char *argv[])
{
  bool mine = true;
  rank = getenv("MPJ_RANK") ? atoi(getenv("MPJ_RANK")) : -1;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "at") == 0) {
      mine = atoi(argv[++i]) == rank;
    } else if (strcmp(argv[i], "all") == 0) {
      mine = true;
    } else {
      int arguments = mine ? act(argv + i) : arity(argv[i]);
      if (arguments < 0) return 98;
      i += arguments;
      fflush(stdout);
    }
  }
  return 0;
}
