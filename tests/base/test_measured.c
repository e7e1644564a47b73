/* This file tests what is read from machines' files, recorded on two processors, and from texts
 * that are none. */
#include "base/machine/measured.h"

#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/machine/measured_find.h"
#include "base/memory.h"
#include "base/suite.h"

static const struct mpj_machine_key zen4 = {"AMD EPYC", "0.1", "6.18.44-fc-v595", 2};

static char *recorded(const char *name)
{
  char path[PATH_MAX], *text;
  snprintf(path, sizeof path, "%s/base/%s", TESTS_FOLDER, name);
  ck_assert_msg(mpj_file_read(path, &text), "%s cannot be read", path);
  return text;
}

static bool reads(const char *text, struct mpj_measured *m, char why[200])
{
  int64_t made;
  bool foreign;
  why[0] = '\0';
  return mpj_measured_parse(text, &zen4, m, &made, &foreign, why, 200);
}

static double time_of(const json_t *row, const char *key, size_t k)
{
  return json_number_value(json_array_get(json_object_get(row, key), k));
}

static bool is(const json_t *row, const char *key, const char *word)
{
  return !strcmp(json_string_value(json_object_get(row, key)), word);
}

/* The time of what the defaults choose over that of the fastest, in geometric mean over the states
 * of the pages. Tables that were recorded before pieces went past the caches lack those: they then
 * say nothing of a choice for them. */
static double loss_by_default(const json_t *root, const struct mpj_measured *m, int kind, size_t k)
{
  size_t i;
  json_t *row;
  double logs = 0;
  int n = 0;
  const uint32_t *through = m->faster[MPJ_PIECES_PAST][MPJ_PLACE_CACHE];
  const json_int_t bytes = json_integer_value(json_array_get(json_object_get(root, "bytes"), k));
  const bool past = mpj_measured_has(through, (unsigned)kind, bytes);
  json_array_foreach (json_object_get(root, "movers"), i, row)
    if (is(row, "placement", "cache") && is(row, "kind", mpj_pull_kind_names[kind])) {
      const bool known = json_object_get(row, "past_us") != NULL;
      double least = fmin(time_of(row, "straight_us", k), time_of(row, "stream_us", k));
      if (known) least = fmin(least, time_of(row, "past_us", k));
      if (past && !known) return 1;
      logs += log(time_of(row, past ? "past_us" : "straight_us", k) / least);
      n++;
    }
  return n > 0 ? exp(logs / n) : 1;
}

START_TEST(defaults_are_within_a_factor_of_1_3_on_both_recorded_processors)
{
  static const char *const files[][2] = {{"machine_zen4.json", "AuthenticAMD"},
                                         {"machine_zen4_apart.json", "AuthenticAMD"},
                                         {"machine_sapphire_rapids.json", "GenuineIntel"}};
  static struct mpj_measured m;
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    char *text = recorded(files[f][0]);
    json_t *root = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(root);
    mpj_measured_guess(&m, files[f][1]);
    for (int kind = 0; kind < MPJ_PULL_KINDS; kind++)
      for (size_t k = 0; k < json_array_size(json_object_get(root, "bytes")); k++) {
        const double loss = loss_by_default(root, &m, kind, k);
        ck_assert_msg(loss <= 1.3, "%s, %s, size %zu: %g", files[f][0], mpj_pull_kind_names[kind],
                      k, loss);
      }
    json_decref(root);
    mpj_free(text);
  }
}
END_TEST

START_TEST(what_was_faster_by_pieces_in_a_recorded_table_goes_by_pieces)
{
  static struct mpj_measured m;
  char why[200], *text = recorded("machine_zen4.json");
  ck_assert_msg(reads(text, &m, why), "%s", why);
  uint32_t(*cached)[MPJ_PULL_KINDS] = m.faster[MPJ_PIECES_CACHED];
  const uint32_t *one_core = cached[MPJ_PLACE_ONE_CORE], *cache = cached[MPJ_PLACE_CACHE];
  ck_assert(!mpj_measured_has(cache, 0, 65536) && !mpj_measured_has(cache, 0, 1 << 20));
  ck_assert(mpj_measured_has(one_core, MPJ_PULL_GAPS, 65536));
  ck_assert(mpj_measured_has(one_core, 0, 262144) && mpj_measured_has(one_core, 0, 300000));
  ck_assert(!mpj_measured_has(one_core, 0, 16384));
  ck_assert(mpj_measured_has(cache, MPJ_PULL_GAPS | MPJ_PULL_COMBINED, INT64_C(1) << 33));
  ck_assert_uint_eq(cached[MPJ_PLACE_PACKAGE][0], 0); /* not measured */
  mpj_free(text);
}
END_TEST

START_TEST(a_file_for_another_machine_is_told_from_a_malformed_one)
{
  static struct mpj_measured m;
  int64_t made;
  bool foreign;
  char why[200], *text = recorded("machine_zen4.json");
  struct mpj_machine_key key = zen4;
  key.cores = 64;
  ck_assert(!mpj_measured_parse(text, &key, &m, &made, &foreign, why, sizeof why) && foreign);
  ck_assert_str_eq(why, "it is for 2 cores, here are 64");
  snprintf(key.kernel, sizeof key.kernel, "7");
  ck_assert(!mpj_measured_parse(text, &key, &m, &made, &foreign, why, sizeof why) && foreign);
  ck_assert_str_eq(why, "it is for kernel 6.18.44-fc-v595, here is 7");
  ck_assert(!mpj_measured_parse("{}", &zen4, &m, &made, &foreign, why, sizeof why) && !foreign);
  mpj_free(text);
}
END_TEST

#define HEAD                                                                                       \
  "{\"processor\":\"AMD EPYC\",\"mpj\":\"0.1\",\"kernel\":\"6.18.44-fc-v595\",\"cores\":2,"
#define ROW "{\"placement\":\"cache\",\"kind\":\"dense\",\"state\":\"s\",\"straight_us\":[3],"

START_TEST(hostile_texts_are_refused_with_a_sentence)
{
  static const char *const wrong[][2] = {
      {"", "line 1: '[' or '{' expected near end of file"},
      {"[]", "it does not say its \"processor\""},
      {"{\"processor\":\"A\\u001b[2J\"}", "its \"processor\" is no line of text"},
      {HEAD "\"movers\":[]}", "it has no array \"bytes\" of 1 to 16 sizes"},
      {HEAD "\"bytes\":[8192,8192],\"movers\":[]}",
       "size 1 of \"bytes\" is no number that is at least 8193"},
      {HEAD "\"bytes\":[9e99],\"movers\":[]}",
       "size 0 of \"bytes\" is no number that is at least 8192"},
      {HEAD "\"bytes\":[8192],\"movers\":{}}", "it has no array \"movers\" of at most 256 rows"},
      {HEAD "\"bytes\":[8192],\"movers\":[7]}",
       "row 0 of \"movers\" has no placement that is known"},
      {HEAD "\"bytes\":[8192],\"movers\":[" ROW "\"stream_us\":[0]}]}",
       "row 0 of \"movers\": time 0 of stream_us is no number from .001 to 1e9"},
      {HEAD "\"bytes\":[8192],\"movers\":[" ROW "\"stream_us\":[-1e308]}]}",
       "row 0 of \"movers\": time 0 of stream_us is no number from .001 to 1e9"},
      {HEAD "\"bytes\":[8192],\"movers\":[" ROW "\"stream_us\":[1,2]}]}",
       "row 0 of \"movers\": stream_us has not as many times as \"bytes\" has sizes"},
      {HEAD "\"bytes\":[8192],\"movers\":[],\"rules\":7}", "its \"rules\" are no array"}};
  static struct mpj_measured m;
  char why[200];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_assert_msg(!reads(wrong[i][0], &m, why), "%s was read", wrong[i][0]);
    ck_assert_str_eq(why, wrong[i][1]);
  }
}
END_TEST

START_TEST(a_file_damaged_anywhere_is_read_or_refused_with_a_sentence)
{
  static struct mpj_measured m;
  char why[200], *text = recorded("machine_zen4.json");
  const size_t n = strlen(text);
  char *damaged = malloc(n + 1);
  uint32_t random = 1;
  for (int play = 0; play < 3000; play++) {
    memcpy(damaged, text, n + 1);
    for (int k = 0; k < 1 + play % 4; k++) {
      random = random * 1664525 + 1013904223;
      const size_t at = random % n;
      random = random * 1664525 + 1013904223;
      damaged[at] = (char)(random >> 24);
    }
    if (play % 3 == 0) damaged[random % n] = '\0';
    ck_assert(reads(damaged, &m, why) || why[0]);
  }
  free(damaged);
  mpj_free(text);
}
END_TEST

/* The recorded table, with rules, as `mpj-bench tune --machine` writes it; the caller's (mpj_free).
 */
static char *with_ready(struct mpj_measured *m, int64_t *made)
{
  bool foreign;
  char why[200], *text = recorded("machine_zen4_apart.json"), *ready;
  ck_assert_msg(mpj_measured_parse(text, &zen4, m, made, &foreign, why, sizeof why), "%s", why);
  snprintf(m->rules, sizeof m->rules, "{\"rules\":[1]}");
  ready = mpj_measured_make_ready(text, mpj_machine_digest(&zen4), m, *made);
  ck_assert_ptr_nonnull(ready);
  mpj_free(text);
  return ready;
}

START_TEST(what_is_ready_in_a_file_is_what_the_rest_says_and_the_whole_is_json)
{
  static struct mpj_measured m, read, parsed;
  int64_t made, made_read = 0;
  char why[200], *text = with_ready(&m, &made);
  ck_assert(mpj_measured_ready(text, mpj_machine_digest(&zen4), &read, &made_read));
  ck_assert_int_eq(made_read, made);
  ck_assert_mem_eq(read.faster, m.faster, sizeof m.faster);
  ck_assert_mem_eq(read.past, m.past, sizeof m.past);
  ck_assert_str_eq(read.rules, m.rules);
  ck_assert(!mpj_measured_ready(text, mpj_machine_digest(&zen4) + 1, &read, &made_read));
  ck_assert_msg(reads(text, &parsed, why), "%s", why);
  ck_assert_mem_eq(parsed.faster, m.faster, sizeof m.faster);
  mpj_free(text);
}
END_TEST

START_TEST(what_is_ready_is_not_used_if_a_byte_of_the_file_is_another_one_or_it_is_cut_off)
{
  static struct mpj_measured m, read;
  int64_t made;
  char *text = with_ready(&m, &made);
  const size_t n = strlen(text);
  for (size_t at = 0; at < n; at++) {
    const char was = text[at];
    text[at] = was == '7' ? '6' : '7';
    ck_assert_msg(!mpj_measured_ready(text, mpj_machine_digest(&zen4), &read, &made),
                  "byte %zu of %zu", at, n);
    text[at] = '\0';
    ck_assert(!mpj_measured_ready(text, mpj_machine_digest(&zen4), &read, &made));
    text[at] = was;
  }
  mpj_free(text);
}
END_TEST

START_TEST(rules_that_do_not_fit_are_not_read_as_ready)
{
  static struct mpj_measured read;
  static char text[8192] = "{\"ready\":\"";
  int64_t made;
  memset(text + strlen(text), '0', sizeof text - 1 - strlen(text));
  ck_assert(!mpj_measured_ready(text, 0, &read, &made));
  ck_assert_uint_le(strlen(read.rules), sizeof read.rules - 1);
}
END_TEST

START_TEST(rules_go_on_as_text_if_they_fit)
{
  static struct mpj_measured m;
  static char text[8192];
  char why[200];
  snprintf(text, sizeof text,
           HEAD "\"bytes\":[8192],\"movers\":[],\"rules\":[{\"operation\": 1}]}");
  ck_assert_msg(reads(text, &m, why), "%s", why);
  ck_assert_str_eq(m.rules, "{\"rules\":[{\"operation\":1}]}");
  snprintf(text, sizeof text, HEAD "\"bytes\":[8192],\"movers\":[],\"rules\":[\"%04000d\"]}", 0);
  ck_assert(!reads(text, &m, why));
  ck_assert_str_eq(why, "its \"rules\" take more than 2047 bytes");
}
END_TEST

START_TEST(ranks_that_share_cores_use_pieces_only_if_those_are_faster_on_one_core_and_on_two)
{
  static struct mpj_measured m;
  struct mpj_measured_row rows[2];
  for (int place = 0; place < MPJ_PLACEMENTS; place++)
    m.faster[MPJ_PIECES_CACHED][place][MPJ_PULL_COMBINED] = place == MPJ_PLACE_ONE_CORE ? 5 : 3;
  mpj_measured_rows(&m, rows);
  ck_assert_uint_eq(rows[0].streams[MPJ_PULL_COMBINED], 3);
  ck_assert_uint_eq(rows[1].streams[MPJ_PULL_COMBINED], 1);
  ck_assert_uint_eq(rows[0].streams[0] | rows[1].streams[0], 0);
  for (int place = 0; place < MPJ_PLACEMENTS; place++) {
    m.past[place][MPJ_PULL_COMBINED] = place == MPJ_PLACE_ONE_CORE ? 0 : 1;
    m.faster[MPJ_PIECES_PAST][place][MPJ_PULL_COMBINED] = place == MPJ_PLACE_ONE_CORE ? 4 : 1;
  }
  mpj_measured_rows(&m, rows);
  ck_assert_uint_eq(rows[0].past[MPJ_PULL_COMBINED], 1);
  ck_assert_uint_eq(rows[0].streams[MPJ_PULL_COMBINED],
                    3); /* one size past the caches, one in them */
  ck_assert_uint_eq(rows[1].past[MPJ_PULL_COMBINED], 1);
  ck_assert_uint_eq(rows[1].streams[MPJ_PULL_COMBINED], 0); /* past them it is slower on one core */
}
END_TEST

/* The path that an environment would give. */
START_TEST(the_file_lies_in_the_users_cache_folder_by_what_it_is_for)
{
  char path[PATH_MAX], other[PATH_MAX];
  struct mpj_machine_key key = zen4;
  setenv("XDG_CACHE_HOME", "/x", 1);
  ck_assert(mpj_machine_path(&key, path));
  ck_assert(!strncmp(path, "/x/mpj/machine-", 15));
  key.cores++;
  ck_assert(mpj_machine_path(&key, other) && strcmp(path, other));
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/h", 1);
  ck_assert(mpj_machine_path(&zen4, path) && !strncmp(path, "/h/.cache/mpj/", 14));
  unsetenv("HOME");
  ck_assert(!mpj_machine_path(&zen4, path));
}
END_TEST

static void write_file(const char *path, int made)
{
  struct mpj_machine_key key;
  mpj_machine_key(&key);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f,
          "{\"processor\":\"%s\",\"mpj\":\"%s\",\"kernel\":\"%s\",\"cores\":%d,\"made\":%d,"
          "\"bytes\":[8192],\"movers\":[]}",
          key.processor, key.version, key.kernel, key.cores, made);
  fclose(f);
}

/* A folder of our own is the user's: where the file is looked for in it. */
static void make_cache(char folder[], char sub[PATH_MAX], char path[PATH_MAX])
{
  struct mpj_machine_key key;
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("XDG_CACHE_HOME", folder, 1);
  unsetenv("MPJ_MACHINE_FILE");
  mpj_machine_key(&key);
  ck_assert(mpj_machine_path(&key, path));
  snprintf(sub, PATH_MAX, "%s/mpj", folder);
  ck_assert_int_eq(mkdir(sub, S_IRWXU), 0);
}

START_TEST(the_users_file_is_found_read_and_named)
{
  static struct mpj_measured m;
  static struct mpj_measured_source source;
  char folder[] = "/tmp/mpj-measured-XXXXXX", path[PATH_MAX], sub[PATH_MAX];
  make_cache(folder, sub, path);
  write_file(path, 77);
  mpj_measured_find(&m, &source);
  ck_assert_msg(source.read && !source.wrong, "%s", source.why);
  ck_assert_str_eq(source.path, path);
  ck_assert_int_eq(source.made, 77);
  FILE *f = fopen(path, "w");
  fclose(f);
  mpj_measured_find(&m, &source);
  ck_assert(!source.read && source.wrong && source.why[0]);
  unlink(path);
  rmdir(sub);
  rmdir(folder);
}
END_TEST

START_TEST(what_is_no_file_is_not_waited_for)
{
  static struct mpj_measured m;
  static struct mpj_measured_source source;
  char folder[] = "/tmp/mpj-measured-XXXXXX", path[PATH_MAX], sub[PATH_MAX];
  make_cache(folder, sub, path);
  ck_assert_int_eq(mkfifo(path, S_IRWXU), 0);
  mpj_measured_find(&m, &source);
  ck_assert(!source.read);
  if (access("/etc/mpj/machine.json", R_OK) != 0)
    ck_assert_str_eq(source.why, "it cannot be read: it is no regular file");
  unlink(path);
  rmdir(sub);
  rmdir(folder);
}
END_TEST

/* In a child with an /etc of its own, where the system lets us have one. */
START_TEST(a_users_file_that_cannot_be_read_does_not_hide_the_sites)
{
  char folder[] = "/tmp/mpj-measured-XXXXXX", path[PATH_MAX], sub[PATH_MAX];
  make_cache(folder, sub, path);
  ck_assert_int_eq(mkdir(path, S_IRWXU), 0);
  const pid_t child = fork();
  if (child == 0) {
    static struct mpj_measured m;
    static struct mpj_measured_source source;
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", "/etc", "tmpfs", 0, NULL))
      _exit(77);
    mkdir("/etc/mpj", S_IRWXU);
    write_file("/etc/mpj/machine.json", 78);
    mpj_measured_find(&m, &source);
    _exit(source.read && source.made == 78 && !strcmp(source.path, "/etc/mpj/machine.json") ? 0
                                                                                            : 1);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
  rmdir(path);
  rmdir(sub);
  rmdir(folder);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "base/measured", defaults_are_within_a_factor_of_1_3_on_both_recorded_processors,
      what_was_faster_by_pieces_in_a_recorded_table_goes_by_pieces,
      a_file_for_another_machine_is_told_from_a_malformed_one,
      hostile_texts_are_refused_with_a_sentence,
      a_file_damaged_anywhere_is_read_or_refused_with_a_sentence,
      what_is_ready_in_a_file_is_what_the_rest_says_and_the_whole_is_json,
      what_is_ready_is_not_used_if_a_byte_of_the_file_is_another_one_or_it_is_cut_off,
      rules_that_do_not_fit_are_not_read_as_ready, rules_go_on_as_text_if_they_fit,
      ranks_that_share_cores_use_pieces_only_if_those_are_faster_on_one_core_and_on_two,
      the_file_lies_in_the_users_cache_folder_by_what_it_is_for,
      the_users_file_is_found_read_and_named, what_is_no_file_is_not_waited_for,
      a_users_file_that_cannot_be_read_does_not_hide_the_sites);
}
