// A program with glibc 2.31, whose threads come and go, and keep what libdl gives each of them until they end.
//
// REQUIRES: python, debian11
// RUN: mkdir -p %debian11/opt/attach && %cc -O1 -fno-pie -no-pie -nostartfiles %s -o %debian11/opt/attach/program -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2
// RUN: %python %S/Inputs/attach.py cycles:10,--no-census %t.fb -- chroot %debian11 /opt/attach/program | FileCheck %s
// CHECK: cycles: 10
// CHECK-NEXT: mappings left: 0
// CHECK-NEXT: the program: threads some, loads some, errors 0
// CHECK-NEXT: the program's status: 0
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// As old as all of these are.
__asm__(".symver __libc_start_main,__libc_start_main@GLIBC_2.2.5");
__asm__(".symver pthread_create,pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_join,pthread_join@GLIBC_2.2.5");
__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");
__asm__(".symver dlclose,dlclose@GLIBC_2.2.5");
int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
__asm__(".globl _start\n_start: xorl %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n hlt\n");

static volatile sig_atomic_t ends;
static long errors, threads, loads;
static void end(int signal) { ends = signal; }

static void *one(void *unused) {
  char *p = malloc(1000);
  memset(p, 7, 1000);
  for (int i = 0; i < 1000; i++)
    if (p[i] != 7)
      __sync_fetch_and_add(&errors, 1);
  free(p);
  return unused;
}

static void *make(void *unused) {
  while (!ends) {
    pthread_t made[4];
    for (int i = 0; i < 4; i++)
      if (pthread_create(&made[i], 0, one, 0))
        __sync_fetch_and_add(&errors, 1);
    for (int i = 0; i < 4; i++)
      pthread_join(made[i], 0);
    __sync_fetch_and_add(&threads, 4);
  }
  return unused;
}

static void *load(void *unused) {
  while (!ends) {
    void *library = dlopen("libm.so.6", RTLD_NOW);
    if (!library || !dlsym(library, "cos"))
      __sync_fetch_and_add(&errors, 1);
    else
      dlclose(library);
    __sync_fetch_and_add(&loads, 1);
    usleep(1000);
  }
  return unused;
}

static int run(int count, char **words, char **variables) {
  (void)count, (void)words, (void)variables;
  pthread_t made[4];
  signal(SIGTERM, end);
  for (int i = 0; i < 4; i++)
    pthread_create(&made[i], 0, i ? make : load, 0);
  puts("ready");
  fflush(stdout);
  while (!ends)
    usleep(10000);
  for (int i = 0; i < 4; i++)
    pthread_join(made[i], 0);
  printf("threads %s, loads %s, errors %ld\n", threads ? "some" : "none", loads ? "some" : "none", errors);
  return errors != 0;
}

__attribute__((used)) static void begin(long *stack) {
  __libc_start_main(run, (int)stack[0], (char **)(stack + 1), 0, 0, 0, 0);
}
