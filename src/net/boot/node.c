/* This file finds out which node a process is on. */
#include "net/boot/node.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void read_boot_id(char *text, size_t size)
{
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  snprintf(text, size, "?");
  if (!file) return;
  char line[MPJ_MACHINE_TEXT];
  if (fgets(line, sizeof line, file)) snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
  fclose(file);
}

static void read_namespace(const char *path, char *text, size_t size)
{
  const ssize_t n = readlink(path, text, size - 1);
  if (n < 0)
    snprintf(text, size, "?");
  else
    text[n] = 0;
}

void mpj_node_identify(struct mpj_node *node)
{
  char ipc[48], pid[48], host[65] = "?";
  memset(node, 0, sizeof *node); /* it is compared and sent as a whole */
  read_boot_id(node->machine, sizeof node->machine);
  read_namespace("/proc/self/ns/ipc", ipc, sizeof ipc);
  read_namespace("/proc/self/ns/pid", pid, sizeof pid);
  gethostname(host, sizeof host - 1);
  snprintf(node->text, sizeof node->text, "%s %s %s %s", node->machine, ipc, pid, host);
}
