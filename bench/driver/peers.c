/* This file reads --peers and finds another build's library. */
#include "peers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool bench_peers_read(const char *text, const char *const names[], int n, bool chosen[],
                      const char **prefix)
{
  const char *const mpj = names[n - 1];
  memset(chosen, 0, (size_t)n * sizeof *chosen);
  *prefix = NULL;
  if (!strcmp(text, "none")) return true;
  for (;; text++) {
    const size_t length = strcspn(text, ",");
    int peer = 0;
    while (peer < n - 1 && (strlen(names[peer]) != length || memcmp(names[peer], text, length)))
      peer++;
    chosen[peer] = true;
    if (peer == n - 1) { /* the last of the list, whose path may hold commas */
      *prefix = text + strlen(mpj);
      return !strncmp(text, mpj, strlen(mpj)) && **prefix;
    }
    text += length;
    if (*text == '\0') return true;
  }
}

bool bench_peers_library(const char *prefix, char folder[PATH_MAX], char *why, int size)
{
  static const char *const folders[] = {"lib", "lib64"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char library[PATH_MAX];
    const int n = snprintf(library, sizeof library, "%s/%s/" BENCH_LIBRARY, prefix, folders[i]);
    if (n >= PATH_MAX || access(library, R_OK)) continue;
    memcpy(folder, library, (size_t)n - sizeof BENCH_LIBRARY);
    folder[(size_t)n - sizeof BENCH_LIBRARY] = '\0';
    return true;
  }
  snprintf(why, (size_t)size, "there is no lib/" BENCH_LIBRARY " in %s", prefix);
  return false;
}
