/* This file holds the names and meanings of the error codes. */
#include <mpj/base.h>

#include "base/status.h"

static const struct {
  const char *name, *text;
} codes[] = {
#define CODE(code, meaning) [code] = {#code, #code ": " meaning}
    CODE(MPJ_SUCCESS, "no error"),
    CODE(MPJ_ERR_ARG, "an argument is outside its range"),
    CODE(MPJ_ERR_TYPE, "no datatype, a freed one, or one that is not committed"),
    CODE(MPJ_ERR_PARTS, "a datatype's parts do not fit the communicator"),
    CODE(MPJ_ERR_ROOT, "the root is no rank of the communicator, or not the same on all ranks"),
    CODE(MPJ_ERR_COMM, "no communicator, a freed one, or a broken one"),
    CODE(MPJ_ERR_OP, "the operation does not apply"),
    CODE(MPJ_ERR_SIGNATURE, "the two sides of a transfer disagree on the data"),
    CODE(MPJ_ERR_OVERFLOW, "a size or displacement does not fit 64 bits"),
    CODE(MPJ_ERR_TRUNCATE, "a buffer is too small for what it must hold"),
    CODE(MPJ_ERR_NO_MEM, "memory could not be had"),
    CODE(MPJ_ERR_PEER, "another rank died or left"),
    CODE(MPJ_ERR_REQUEST, "no request, or one in the wrong state"),
    CODE(MPJ_ERR_FORMAT, "bytes are not in the format that they claim"),
    CODE(MPJ_ERR_UNSUPPORTED, "legal, but beyond this build or version"),
    CODE(MPJ_ERR_INTERNAL, "the library is at fault, or was called out of order"),
#undef CODE
};

enum { NCODES = sizeof codes / sizeof codes[0] };

const char *mpj_error_name(int code)
{
  return code >= 0 && code < NCODES ? codes[code].name : "MPJ_ERR_?";
}

const char *MPJ_Error_string(int code)
{
  return code >= 0 && code < NCODES ? codes[code].text : "unknown error code";
}
