/* Libraries with allocators of their own: one that works, one that crashes, one that hangs, one without
 * malloc, and one that returns no memory. A replay that dies is a row, and the others go on.
 *
 * RUN: memas -o %t.fb %S/basic.mas
 * RUN: %cc -shared -fPIC -O1 -fno-builtin -o %t.works.so %s
 * RUN: %cc -shared -fPIC -O1 -fno-builtin -DCRASH -o %t.crashes.so %s
 * RUN: %cc -shared -fPIC -O1 -fno-builtin -DEMPTY -o %t.empty.so %s
 * RUN: %cc -shared -fPIC -O1 -fno-builtin -DREFUSE -o %t.refuses.so %s
 * RUN: memsim --with=%t.works.so --format=json %t.fb | FileCheck %s --check-prefix=WORKS
 * WORKS: "library": "{{.*}}works.so"
 * WORKS: "failure": null
 * WORKS-NEXT: "messages": "a note of the library"
 *
 * RUN: not memsim --with=%t.crashes.so --with=glibc %t.fb | FileCheck %s
 * RUN: not memsim --with=%t.crashes.so %t.fb | FileCheck %s --check-prefix=ALONE
 * CHECK: prog: least with glibc, 56
 * CHECK: {{.*}}crashes.so {{ *}}killed by signal 11 (Segmentation fault)
 * CHECK-NEXT: {{^}}glibc {{ *}}56
 * ALONE: prog: no allocator served all requests
 *
 * RUN: not memsim --with=%t.empty.so %t.fb 2>&1 | FileCheck %s --check-prefix=EMPTY
 * EMPTY: memsim: error: --with={{.*}}empty.so: the dynamic linker did not load the library, or the library has no malloc
 *
 * RUN: memsim --with=%t.refuses.so %t.fb | FileCheck %s --check-prefix=REFUSES
 * REFUSES: prog: no allocator served all requests
 * REFUSES: {{.*}}refuses.so {{.*}} 1 request failed
 *
 * A replay that hangs is killed. The bound must be a time.
 * RUN: %cc -shared -fPIC -O1 -fno-builtin -DHANG -o %t.hangs.so %s
 * RUN: not memsim --stuck-after=300ms --with=%t.hangs.so --with=glibc %t.fb | FileCheck %s --check-prefix=HANGS
 * HANGS: prog: least with glibc, 56
 * HANGS: {{.*}}hangs.so {{ *}}killed: no progress for 300 ms
 * HANGS-NEXT: {{^}}glibc {{ *}}56
 * RUN: not memsim --stuck-after=soon --with=glibc %t.fb 2>&1 | FileCheck %s --check-prefix=SOON
 * SOON: memsim: error: --stuck-after: 'soon' is not a time
 *
 * The variables of the caller load and set no other allocator.
 * RUN: env MALLOC_ARENA_MAX=1 GLIBC_TUNABLES=glibc.malloc.arena_max=1 memsim --with=glibc --format=json %t.fb | \
 * RUN:   FileCheck %s --check-prefix=GLIBC
 * GLIBC: "library": "{{.*}}/libc.so.6"
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef EMPTY
/* Each block has mapped pages of its own, and its size before it. */
enum { Head = 4096 };

static void *take(size_t Bytes) {
  char *At = mmap(NULL, Bytes + Head, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (At == MAP_FAILED)
    return NULL;
  memcpy(At, &Bytes, sizeof(Bytes));
  return At + Head;
}

void *malloc(size_t Bytes) {
#ifdef CRASH
  if (Bytes == 8388608)
    *(volatile int *)1 = 1;
#endif
#ifdef HANG
  while (Bytes == 8388608)
    pause();
#endif
#ifdef REFUSE
  if (Bytes == 8388608)
    return NULL;
#endif
  static const char Note[] = "a note of the library\n";
  if (Bytes == 8388608)
    (void)!write(2, Note, sizeof(Note) - 1);
  return take(Bytes);
}
void free(void *Block) {
  if (!Block)
    return;
  char *At = (char *)Block - Head;
  size_t Bytes;
  memcpy(&Bytes, At, sizeof(Bytes));
  munmap(At, Bytes + Head);
}
void *realloc(void *Block, size_t Bytes) {
  void *New = take(Bytes);
  size_t Before = 0;
  if (Block && New) {
    memcpy(&Before, (char *)Block - Head, sizeof(Before));
    memcpy(New, Block, Before < Bytes ? Before : Bytes);
    free(Block);
  }
  return New;
}
void *calloc(size_t Count, size_t Bytes) { return take(Count * Bytes); }
#endif
