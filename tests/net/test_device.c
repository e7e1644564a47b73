/* This file tests what MPJ_NET_ADDRESS means: loopback is a network that all machines have. */
#include <mpj/base.h>

#include <stdbool.h>
#include <string.h>

#include "base/suite.h"
#include "net/ucx/device.h"

START_TEST(an_interface_is_found_by_name_address_or_network)
{
  static const char *const texts[] = {"lo",          "127.0.0.1",     "127.0.0.1/32",
                                      "127.0.0.0/8", "127.128.0.0/9", "126.0.0.0/7"};
  char name[64];
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const bool is_in = strcmp(texts[i], "127.128.0.0/9") != 0;
    const int status = mpj_device_find(texts[i], name, sizeof name);
    ck_assert_msg(status == (is_in ? MPJ_SUCCESS : MPJ_ERR_ARG), "%s: %d", texts[i], status);
    if (is_in) ck_assert_str_eq(name, "lo");
  }
}
END_TEST

START_TEST(what_is_no_interface_is_named_in_the_error)
{
  static const char *const texts[] = {"203.0.113.77",
                                      "203.0.113.0/24",
                                      "nothere0",
                                      "127.0.0.1/33",
                                      "127.0.0.1/",
                                      "127.0.0.1/8x",
                                      "127.0.0.256",
                                      "2001:db8::/32",
                                      "/",
                                      "/8"};
  char name[64];
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ck_assert_msg(mpj_device_find(texts[i], name, sizeof name) == MPJ_ERR_ARG, "%s", texts[i]);
    ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), texts[i]));
    ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "MPJ_NET_ADDRESS"));
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("device", an_interface_is_found_by_name_address_or_network,
                   what_is_no_interface_is_named_in_the_error);
}
