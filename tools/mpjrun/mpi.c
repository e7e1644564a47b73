/* This file runs an MPI program under the interposer: it finds the program's MPI library, and
 * becomes that library's launcher. */
#include "mpjrun/mpi.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 16, FAILURE = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static const struct known {
  const char *name, *library, *launcher, *set; /* what sets a variable for the ranks alone */
  bool one_word;                               /* as NAME=VALUE, else in two */
  const char *more[4];
} known[] = {
    {"mpich", "libmpich.so", "mpiexec.mpich", "-genv", false, {NULL}},
    {"openmpi", "libmpi.so.40", "mpiexec.openmpi", "-x", true, {"--oversubscribe", NULL}},
};
enum { KNOWN = sizeof known / sizeof known[0] };

/* Which of them ldd names, among the libraries of the file. */
static const struct known *linked(const char *file)
{
  char line[PATH_MAX];
  const struct known *found = NULL;
  int ends[2];
  if (pipe(ends)) return NULL;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO); /* of a script, it says so there */
    execlp("ldd", "ldd", file, (char *)NULL);
    _exit(1);
  }
  close(ends[1]);
  FILE *text = fdopen(ends[0], "r");
  while (text && fgets(line, sizeof line, text))
    for (int i = 0; i < KNOWN && !found; i++)
      if (strstr(line, known[i].library)) found = &known[i];
  if (text) fclose(text);
  if (child > 0) waitpid(child, NULL, 0);
  return found;
}

/* The program's file, looked for as a shell does. 0, or the code to exit with. */
static int find_program(const char *name, char path[PATH_MAX])
{
  const char *folders = getenv("PATH");
  errno = ENOENT;
  if (strchr(name, '/')) {
    snprintf(path, PATH_MAX, "%s", name);
    if (access(path, X_OK) == 0) return 0;
    folders = NULL;
  }
  while (folders && *folders) {
    const size_t length = strcspn(folders, ":");
    snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folders, name);
    if (access(path, X_OK) == 0) return 0;
    folders += length + (folders[length] == ':');
  }
  fprintf(stderr, "mpjrun: cannot start '%s': %s\n", name, strerror(errno));
  return errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

static int choose(const struct options *options, const struct known **chosen)
{
  char path[PATH_MAX];
  *chosen = NULL;
  for (int i = 0; i < KNOWN && options->mpi_name; i++)
    if (strcmp(known[i].name, options->mpi_name) == 0) *chosen = &known[i];
  if (options->mpi_name && !*chosen) {
    fprintf(stderr, "mpjrun: --mpi is '%s': it must be mpich or openmpi\n", options->mpi_name);
    return EXIT_WRONG_USAGE;
  }
  const int code = find_program(options->command[0], path);
  if (code || *chosen) return code;
  *chosen = linked(path);
  if (*chosen) return 0;
  fprintf(stderr,
          "mpjrun: '%s' is linked with no MPI library that is known; --mpi=mpich or "
          "--mpi=openmpi says which it loads\n",
          options->command[0]);
  return EXIT_WRONG_USAGE;
}

/* The interposer lies where it was installed, or built, beside this program. */
static bool find_interposer(const char *name, char path[PATH_MAX])
{
  static const char *const folders[] = {MPJ_BIN_TO_LIB, "../src"};
  char own[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length < 0) return false;
  own[length] = '\0';
  const char *folder = dirname(own);
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    const int n =
        snprintf(path, PATH_MAX, "%s/%s/libmpj-interpose-%s.so", folder, folders[i], name);
    if (n < PATH_MAX && access(path, R_OK) == 0) return true;
  }
  fprintf(stderr, "mpjrun: there is no libmpj-interpose-%s.so beside this program\n", name);
  return false;
}

int mpi_become(const struct options *options)
{
  char interposer[PATH_MAX], preload[PATH_MAX + 16], ranks[16];
  int n = 0, given = 0;
  const struct known *mpi;
  const int code = choose(options, &mpi);
  if (code) return code;
  if (!find_interposer(mpi->name, interposer)) return FAILURE;
  while (options->command[given])
    given++;
  const char **words = calloc((size_t)given + WORDS, sizeof *words);
  if (!words) return FAILURE;
  snprintf(ranks, sizeof ranks, "%d", options->nranks);
  snprintf(preload, sizeof preload, "LD_PRELOAD=%s", interposer);
  words[n++] = mpi->launcher;
  for (int i = 0; mpi->more[i]; i++)
    words[n++] = mpi->more[i];
  words[n++] = "-n";
  words[n++] = ranks;
  words[n++] = mpi->set;
  words[n++] = mpi->one_word ? preload : "LD_PRELOAD";
  if (!mpi->one_word) words[n++] = interposer;
  memcpy(words + n, options->command, (size_t)given * sizeof *words);
  execvp(mpi->launcher, (char *const *)(void *)words);
  fprintf(stderr, "mpjrun: cannot start '%s': %s; is %s installed?\n", mpi->launcher,
          strerror(errno), mpi->name);
  free(words);
  return FAILURE;
}
