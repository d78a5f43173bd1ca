// A machine that refuses memfd_create: memrec says that it cannot record, and the
// program runs. One that refuses sockets to the program: likewise.
//
// RUN: %cc -O1 -g %s -o %t.exe
// RUN: %cc -O1 -g %S/Inputs/blocks.c -o %t.blocks
// RUN: %t.exe memfd memrec -o %t.fb %t.blocks > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --check-prefix=MEMFD < %t.err
// OUT: done
// MEMFD: is not recorded: memfd_create: Operation not permitted
// RUN: memrec -o %t.fb %t.exe socket %t.blocks > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=SOCKET
// SOCKET: not recorded

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int Count, char **Args) {
  (void)Count;
  unsigned Refused =
      strcmp(Args[1], "memfd") == 0 ? SYS_memfd_create : SYS_socket;
  struct sock_filter Filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, Refused, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog Program = {sizeof(Filter) / sizeof(*Filter), Filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program) != 0) {
    perror("seccomp");
    return 1;
  }
  execvp(Args[2], Args + 2);
  perror(Args[2]);
  return 1;
}
