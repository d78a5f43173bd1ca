/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the program `memkit` beside this file as the tool whose name this file
 * has: bin/memstat runs bin/memkit as memstat. A package of files that cannot
 * hold links has a copy of this program for each tool.
 *
 * No C library: so the program is a few KiB and runs with any.
 */
#include <stddef.h>
#include <sys/syscall.h>

static long call(long Number, long A, long B, long C, long D) {
  long Result;
  register long Fourth __asm__("r10") = D;
  __asm__ volatile("syscall"
                   : "=a"(Result)
                   : "a"(Number), "D"(A), "S"(B), "d"(C), "r"(Fourth)
                   : "rcx", "r11", "memory");
  return Result;
}

static void say(const char *Text) {
  size_t Size = 0;
  while (Text[Size])
    ++Size;
  call(SYS_write, 2, (long)Text, (long)Size, 0);
}

/* Without a C library there is nobody else to end the program. */
static _Noreturn void fail(const char *Tool, const char *What) {
  say(Tool);
  say(": error: ");
  say(What);
  say("\n");
  for (;;)
    call(SYS_exit_group, 1, 0, 0, 0);
}

enum { MaxPath = 4096 };

/* Stack: argc, argv, 0, environment, 0. */
__attribute__((used)) _Noreturn void launch(long *Stack) {
  static const char Name[] = "memkit";
  static char Self[MaxPath + sizeof(Name)], Program[MaxPath + sizeof(Name)];
  long Argc = Stack[0];
  char **Argv = (char **)(Stack + 1), **Environment = Argv + Argc + 1;
  enum { CurrentFolder = -100 };
  long Size = call(SYS_readlinkat, CurrentFolder, (long)"/proc/self/exe",
                   (long)Self, MaxPath);
  if (Size <= 0 || Size == MaxPath || Argc < 1)
    fail(Name, "the program's own path cannot be read from /proc");
  size_t Folder = (size_t)Size;
  while (Folder && Self[Folder - 1] != '/')
    --Folder;
  for (size_t I = 0; I != Folder; ++I)
    Program[I] = Self[I];
  for (size_t I = 0; I != sizeof(Name); ++I)
    Program[Folder + I] = Name[I];
  Argv[0] = Self + Folder;
  call(SYS_execve, (long)Program, (long)Argv, (long)Environment, 0);
  fail(Argv[0], "the program memkit is not beside this file");
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n"
        "\tand $-16, %rsp\n\tcall launch\n");
