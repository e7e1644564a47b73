/* This file runs a fuzz target over every file of a folder: replay FOLDER. */
#include <dirent.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 20, PATH_LENGTH = 4096 };

static uint8_t input[INPUT_MAX];

static void run_file(const char *folder, const char *name)
{
  char path[PATH_LENGTH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  must_hold(file != NULL, path);
  const size_t size = fread(input, 1, sizeof input, file);
  fclose(file);
  LLVMFuzzerTestOneInput(input, size);
}

int main(int argc, char **argv)
{
  DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
  int files = 0;
  if (!folder) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    run_file(argv[1], entry->d_name);
    files++;
  }
  closedir(folder);
  printf("%d inputs\n", files);
  return files > 0 ? 0 : 1;
}
