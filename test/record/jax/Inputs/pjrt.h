/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   The parts of PJRT's C interface that the fake plugin and its program use: tables and structs with
   the places of versions 0.40 to 0.90. */

#include <stddef.h>
#include <stdint.h>

typedef void *function(void *);
enum {
  ERROR_DESTROY = 5, CLIENT_CREATE = 15, CLIENT_PLATFORM_NAME = 17, FROM_HOST = 27, DESCRIPTION_ID = 28,
  DEVICE_DESCRIPTION = 34, EXECUTABLE_DESTROY = 45, NUM_OUTPUTS = 49, GET_EXECUTABLE = 56, EXECUTE = 60,
  BUFFER_DESTROY = 63, BUFFER_SIZE = 69, BUFFER_DEVICE = 70, BUFFER_DELETE = 72, IS_DELETED = 73,
  COPY_TO_DEVICE = 74, COPY_TO_MEMORY = 97, WORDS = 133
};
struct table {
  size_t size;
  void *extensions;
  size_t version_size;
  void *version_extensions;
  int32_t major, minor;
  function *of[WORDS - 5]; /* the word ERROR_DESTROY comes first */
};
#define CALL(T, WORD, ...) ((T)->of[(WORD) - 5](__VA_ARGS__))

struct question { size_t size; void *extensions, *object; uintptr_t answer; };
struct name { size_t size; void *extensions, *object; const char *text; size_t text_size; };
struct object { size_t size; void *extensions, *object; };
struct create { size_t size; void *unused[7]; void *client; };
struct from_host {
  size_t size;
  void *extensions, *client;
  const void *data;
  int type;
  const int64_t *dims;
  size_t num_dims;
  void *unused[6];
  void *done, *buffer;
};
struct execute {
  size_t size;
  void *extensions, *program, *options;
  void *const *const *arguments;
  size_t num_devices, num_arguments;
  void **const *outputs;
};
struct copy { size_t size; void *extensions, *buffer, *to, *copy; };
