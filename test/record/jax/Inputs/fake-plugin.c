/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A plugin for PJRT without a device: its buffers are sizes. -DPLATFORM, -DMAJOR. A program has two
   results, of 3,000 and 5,000 bytes, and takes the memory of its first argument. */

#include "pjrt.h"
#include <stdlib.h>
#include <string.h>

#ifndef MAJOR
#define MAJOR 0
#endif
struct buffer { size_t size; int device, is_deleted; };
static int live;

static struct buffer *make(size_t size, int device) {
  struct buffer *b = calloc(1, sizeof *b);
  b->size = size;
  b->device = device;
  ++live;
  return b;
}
static void *error_destroy(void *a) { free(((struct object *)a)->object); return NULL; }
static void *client_create(void *a) { ((struct create *)a)->client = &live; return NULL; }
static void *platform_name(void *a) {
  ((struct name *)a)->text = PLATFORM;
  ((struct name *)a)->text_size = strlen(PLATFORM);
  return NULL;
}
static void *from_host(void *a) {
  struct from_host *f = a;
  if (!f->data) return malloc(1); /* an error */
  size_t size = 4;
  for (size_t i = 0; i != f->num_dims; ++i) size *= (size_t)f->dims[i];
  f->buffer = make(size, 1);
  return NULL;
}
static void *buffer_size(void *a) {
  struct question *q = a;
  q->answer = ((struct buffer *)q->object)->size;
  return NULL;
}
static void *buffer_device(void *a) {
  struct question *q = a;
  q->answer = 1000 + ((struct buffer *)q->object)->device;
  return NULL;
}
static void *device_description(void *a) { struct question *q = a; q->answer = (uintptr_t)q->object; return NULL; }
static void *description_id(void *a) { struct question *q = a; *(int *)&q->answer = (int)((uintptr_t)q->object - 1000); return NULL; }
static void *get_executable(void *a) { struct question *q = a; q->answer = (uintptr_t)malloc(1); return NULL; }
static void *executable_destroy(void *a) { free(((struct object *)a)->object); return NULL; }
static void *num_outputs(void *a) { ((struct question *)a)->answer = 2; return NULL; }
static void *execute(void *a) {
  struct execute *e = a;
  for (size_t d = 0; d != e->num_devices; ++d) {
    ((struct buffer *)e->arguments[d][0])->is_deleted = 1;
    e->outputs[d][0] = make(3000, 1);
    e->outputs[d][1] = make(5000, 1);
  }
  return NULL;
}
static void *is_deleted(void *a) { struct question *q = a; *(char *)&q->answer = ((struct buffer *)q->object)->is_deleted; return NULL; }
static void *buffer_delete(void *a) { ((struct buffer *)((struct object *)a)->object)->is_deleted = 1; return NULL; }
static void *buffer_destroy(void *a) { free(((struct object *)a)->object); --live; return NULL; }
static void *copy_to_device(void *a) { struct copy *c = a; c->copy = make(((struct buffer *)c->buffer)->size, 0); return NULL; }

void *GetPjrtApi(void) {
  static struct table t = {sizeof t, NULL, 24, NULL, MAJOR, 90, {NULL}};
  function **of = t.of - 5;
  of[ERROR_DESTROY] = error_destroy;
  of[CLIENT_CREATE] = client_create;
  of[CLIENT_PLATFORM_NAME] = platform_name;
  of[FROM_HOST] = from_host;
  of[DESCRIPTION_ID] = description_id;
  of[DEVICE_DESCRIPTION] = device_description;
  of[EXECUTABLE_DESTROY] = executable_destroy;
  of[NUM_OUTPUTS] = num_outputs;
  of[GET_EXECUTABLE] = get_executable;
  of[EXECUTE] = execute;
  of[BUFFER_DESTROY] = buffer_destroy;
  of[BUFFER_SIZE] = buffer_size;
  of[BUFFER_DEVICE] = buffer_device;
  of[BUFFER_DELETE] = buffer_delete;
  of[IS_DELETED] = is_deleted;
  of[COPY_TO_DEVICE] = copy_to_device;
  return &t;
}
