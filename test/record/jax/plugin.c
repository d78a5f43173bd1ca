// Buffers of a plugin for PJRT are a heap of the plugin's device: made from the host, as results, as
// copies; they end when they are deleted, destroyed or donated. (A fake plugin without a device.)
//
// RUN: %cc -g -O1 %s -I %S/Inputs -o %t -ldl
// RUN: %cc -shared -fPIC -DPLATFORM='"tpu"' %S/Inputs/fake-plugin.c -o %t.so
// RUN: %t %t.so | FileCheck %s --check-prefix=SAME
// RUN: memrec -q -o %t.fb --force -- %t %t.so | FileCheck %s --check-prefix=SAME
// SAME: 7 buffers made
// RUN: memdump --heap='jax.*' --format=csv --columns=heap,kind,size,stack %t.fb | FileCheck %s
//      CHECK: heap,kind,size,stack
// CHECK-NEXT: jax.tpu:1,alloc,4000,{{.*}}main;upload
// CHECK-NEXT: jax.tpu:1,free,4000,
// CHECK-NEXT: jax.tpu:1,alloc,3000,{{.*}}main;run
// CHECK-NEXT: jax.tpu:1,alloc,5000,{{.*}}main;run
// CHECK-NEXT: jax.tpu:0,alloc,5000,{{.*}}main
// CHECK-NEXT: jax.tpu:1,free,3000,
// CHECK-NEXT: jax.tpu:1,free,5000,
// CHECK-NEXT: jax.tpu:1,alloc,8000,{{.*}}main;upload
//  CHECK-NOT: {{.}}
// RUN: memstat --show=heaps %t.fb | FileCheck %s --check-prefix=HEAPS
// HEAPS-DAG: {{^}}tpu:1 {{ *}}7.81 KiB
// HEAPS-DAG: {{^}}tpu:0 {{ *}}4.88 KiB
// RUN: memdump --check %t.fb
//
// A table of another major version is left alone, and so is a short one.
// RUN: %cc -shared -fPIC -DPLATFORM='"tpu"' -DMAJOR=1 %S/Inputs/fake-plugin.c -o %t.so
// RUN: memrec -q -o %t.fb --force -- %t %t.so | FileCheck %s --check-prefix=SAME
// RUN: memstat --show=heaps %t.fb | FileCheck %s --check-prefix=NONE --implicit-check-not=jax
// NONE: host.malloc
//
// A platform that memkit does not know.
// RUN: %cc -shared -fPIC -DPLATFORM='"new"' %S/Inputs/fake-plugin.c -o %t.so
// RUN: memrec -q -o %t.fb --force -- %t %t.so | FileCheck %s --check-prefix=SAME
// RUN: memstat --show=heaps %t.fb | FileCheck %s --check-prefix=NEW
// NEW: plugin:1

#include "pjrt.h"
#include <dlfcn.h>
#include <stdio.h>

static struct table *api;
static int made;

__attribute__((noinline)) static void *upload(const int64_t *dims, size_t count) {
  struct from_host f = {sizeof f};
  f.data = &made;
  f.dims = dims;
  f.num_dims = count;
  void *error = CALL(api, FROM_HOST, &f);
  ++made;
  return error ? NULL : f.buffer;
}

__attribute__((noinline)) static void run(void *argument, void **outputs) {
  void *const list[] = {argument};
  void *const *const arguments[] = {list};
  void **const out[] = {outputs};
  struct execute e = {sizeof e, NULL, &made, NULL, arguments, 1, 1, out};
  CALL(api, EXECUTE, &e);
  made += 2;
}

static void end(int how, void *buffer) {
  struct object o = {sizeof o, NULL, buffer};
  CALL(api, how, &o);
}

int main(int argc, char **argv) {
  void *plugin = dlopen(argv[argc - 1], RTLD_NOW);
  void *(*get)(void) = (void *(*)(void))dlsym(plugin, "GetPjrtApi");
  api = get();
  struct create c = {sizeof c};
  CALL(api, CLIENT_CREATE, &c);
  const int64_t dims[] = {20, 50}, more[] = {2000};
  void *outputs[2], *first = upload(dims, 2);
  run(first, outputs); // takes the memory of its argument
  struct copy k = {sizeof k, NULL, outputs[1], &made, NULL};
  CALL(api, COPY_TO_DEVICE, &k);
  ++made;
  end(BUFFER_DESTROY, first);
  end(BUFFER_DELETE, outputs[0]);
  end(BUFFER_DESTROY, outputs[0]);
  end(BUFFER_DESTROY, outputs[1]);
  upload(more, 1);
  // An error makes no buffer.
  struct from_host f = {sizeof f};
  void *error = CALL(api, FROM_HOST, &f);
  end(ERROR_DESTROY, error);
  made += error != NULL;
  // The second look-up gives the same table.
  made += get() == (void *)api && ((void *(*)(void))dlsym(plugin, "GetPjrtApi"))() == (void *)api;
  printf("%d buffers made\n", made);
}
