/* This file reads /proc. */
#include "mpjrun/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void proc_for_each(void (*visit)(pid_t pid, void *arg), void *arg)
{
  DIR *dir = opendir("/proc");
  if (!dir) return;
  for (const struct dirent *entry; (entry = readdir(dir));)
    if (isdigit((unsigned char)entry->d_name[0])) visit((pid_t)atoi(entry->d_name), arg);
  closedir(dir);
}

/* Read /proc/<pid>/<name> into text, ended by 0; false if it can't be read or
 * is empty. */
static bool read_text(pid_t pid, const char *name, char *text, size_t size)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, text, size - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  return n > 0;
}

bool proc_stat(pid_t pid, char *state, pid_t *parent)
{
  char text[512];
  if (!read_text(pid, "stat", text, sizeof text)) return false;
  const char *after_name = strrchr(text, ')'); /* the name may hold anything */
  int ppid;
  if (!after_name || sscanf(after_name, ") %c %d", state, &ppid) != 2) return false;
  *parent = (pid_t)ppid;
  return true;
}

static const char *state_word(char state)
{
  switch (state) {
  case 'R':
    return "running";
  case 'S':
    return "sleeping";
  case 'D':
    return "waiting in the kernel";
  case 'T':
    return "stopped";
  case 't':
    return "stopped by a debugger";
  case 'Z':
    return "dead";
  default:
    return "in another state";
  }
}

/* The kernel function in which the process waits: from wchan, else the top of
 * its kernel stack; false where neither tells. */
static bool waiting_in(pid_t pid, char *place, size_t size)
{
  if (read_text(pid, "wchan", place, size) && strcmp(place, "0") != 0) return true;
  char stack[256];
  if (!read_text(pid, "stack", stack, sizeof stack)) return false;
  const char *name = strchr(stack, ' '); /* "[<0>] name+0x1/0x2" */
  if (!name) return false;
  size_t length = strcspn(name + 1, "+\n");
  if (length >= size) length = size - 1;
  memcpy(place, name + 1, length);
  place[length] = '\0';
  return length > 0;
}

void proc_describe(pid_t pid, char *text, size_t size)
{
  char state, place[96];
  pid_t parent;
  if (!proc_stat(pid, &state, &parent))
    snprintf(text, size, "gone");
  else if (state != 'R' && waiting_in(pid, place, sizeof place))
    snprintf(text, size, "%s (%c) in %s", state_word(state), state, place);
  else
    snprintf(text, size, "%s (%c)", state_word(state), state);
}
