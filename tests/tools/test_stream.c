/* This file tests how streams cut what ranks write into lines. */
#include "mpjrun/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suite.h"

static struct sink sink;
static struct stream streams[2];
static int writers[2];

static void open_streams(bool label)
{
  sink_open(&sink, -1);
  for (int i = 0; i < 2; i++) {
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    writers[i] = ends[1];
    stream_open(&streams[i], ends[0], label ? i : -1, &sink);
  }
}

static void give(int i, const char *bytes, size_t count)
{
  ck_assert_int_eq(write(writers[i], bytes, count), (ssize_t)count);
  stream_read(&streams[i]);
}

static void give_text(int i, const char *text)
{
  give(i, text, strlen(text));
}

static void end(int i)
{
  close(writers[i]);
  stream_read(&streams[i]);
  ck_assert(stream_done(&streams[i]));
}

static void check_sink(const char *expected)
{
  size_t length = sink.end - sink.start;
  ck_assert_msg(length == strlen(expected) && !memcmp(sink.bytes + sink.start, expected, length),
                "the sink holds '%.*s', not '%s'", (int)length, sink.bytes + sink.start, expected);
}

START_TEST(a_line_waits_for_its_newline)
{
  open_streams(false);
  give_text(0, "one");
  give_text(1, "two\nthr");
  check_sink("two\n");
  give_text(0, " more\n");
  check_sink("two\none more\n");
  end(0);
  end(1);
  check_sink("two\none more\nthr");
}
END_TEST

START_TEST(labels_begin_lines_and_end_the_last)
{
  open_streams(true);
  give_text(0, "a\n\nb");
  end(0);
  check_sink("[0] a\n[0] \n[0] b\n");
  end(1);
  check_sink("[0] a\n[0] \n[0] b\n");
}
END_TEST

/* A line of more than STREAM_BYTES, in two writes that a pipe takes. */
static void give_long(int i, size_t count)
{
  static char letters[STREAM_BYTES];
  memset(letters, 'x', sizeof letters);
  for (size_t n; count > 0; count -= n) {
    n = count < sizeof letters / 2 ? count : sizeof letters / 2;
    give(i, letters, n);
  }
}

START_TEST(a_long_line_goes_in_pieces_with_one_label)
{
  open_streams(true);
  give_long(0, STREAM_BYTES - 1);
  check_sink("");
  give_long(0, 2);
  ck_assert_uint_eq(sink.end - sink.start, STREAM_BYTES + 4);
  give_text(0, "y\n");
  ck_assert_uint_eq(sink.end - sink.start, STREAM_BYTES + 4 + 3);
  ck_assert_int_eq(memcmp(sink.bytes + sink.end - 4, "xxy\n", 4), 0);
  end(0);
  end(1);
}
END_TEST

START_TEST(an_interrupted_long_line_goes_on_under_its_label)
{
  open_streams(true);
  give_long(0, STREAM_BYTES);
  give_text(1, "short\n");
  give_text(0, "rest\n");
  const char expected[] = "x\n[1] short\n[0] rest\n";
  size_t length = sizeof expected - 1;
  ck_assert_int_eq(memcmp(sink.bytes + sink.end - length, expected, length), 0);
  end(0);
  end(1);
}
END_TEST

START_TEST(a_full_sink_blocks_and_resumes_without_loss)
{
  open_streams(false);
  size_t given = 0;
  while (!streams[0].blocked) {
    give_long(0, 1000);
    give_text(0, "\n");
    given += 1001;
  }
  ck_assert(!stream_wants_input(&streams[0]));
  size_t queued = sink.end - sink.start;
  ck_assert_uint_lt(queued, given);
  sink.start = sink.end; /* as if all had been written */
  stream_resume(&streams[0]);
  ck_assert(stream_wants_input(&streams[0]));
  ck_assert_uint_eq(queued + sink.end - sink.start, given);
  end(0);
  end(1);
}
END_TEST

/* Every cut of a text into two reads gives the same output. */
START_TEST(reads_may_end_anywhere)
{
  static const char text[] = "first\n\nsecond line\n\0binary\n\nlast";
  static const char expected[] = "[0] first\n[0] \n[0] second line\n[0] \0binary\n[0] \n[0] last\n";
  for (size_t cut = 1; cut < sizeof text - 1; cut++) {
    open_streams(true);
    give(0, text, cut);
    give(0, text + cut, sizeof text - 1 - cut);
    end(0);
    end(1);
    ck_assert_uint_eq(sink.end, sizeof expected - 1);
    ck_assert_int_eq(memcmp(sink.bytes, expected, sizeof expected - 1), 0);
  }
}
END_TEST

START_TEST(a_sink_writes_up_to_the_end_of_a_line)
{
  int ends[2];
  char got[2 * STREAM_BYTES];
  ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
  sink_open(&sink, ends[1]);
  for (int i = 0; i < 10; i++) {
    memset(got, 'z', 999);
    got[999] = '\n';
    sink_put(&sink, NULL, got, 1000);
  }
  sink_write(&sink);
  ck_assert_int_eq(read(ends[0], got, sizeof got), 4000);
  close(ends[0]);
  close(ends[1]);
}
END_TEST

int main(void)
{
  return RUN_SUITE("mpjrun_stream", a_line_waits_for_its_newline,
                   labels_begin_lines_and_end_the_last, a_long_line_goes_in_pieces_with_one_label,
                   an_interrupted_long_line_goes_on_under_its_label,
                   a_full_sink_blocks_and_resumes_without_loss, reads_may_end_anywhere,
                   a_sink_writes_up_to_the_end_of_a_line);
}
