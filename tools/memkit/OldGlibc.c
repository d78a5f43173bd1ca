/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lets a program that was built with a newer glibc run with an older one, from
 * glibc 2.31 on.
 *
 * glibc 2.34 merged libpthread and libdl into libc and gave their functions a
 * new version beside the old one, which a linker takes. The functions here have
 * the names that the static libraries ask for, and go on to the old versions.
 * What older glibcs lack is made of what they have. utils/check_glibc finds
 * symbols that need an entry here.
 */
#include <features.h>

#if __GLIBC_PREREQ(2, 34)

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* A function that jumps to an old version of the same function: so the caller
 * stays the caller, which dlopen() and dlsym() look at. */
#define OLD(Name, Version)                                                     \
  __asm__(".pushsection .text.old_" #Name ",\"ax\",@progbits\n"                \
          ".globl " #Name "\n.hidden " #Name "\n.type " #Name                  \
          ",@function\n" #Name ":\n\tjmp *old_" #Name "@GOTPCREL(%rip)\n"      \
          ".size " #Name ",.-" #Name "\n"                                      \
          ".symver old_" #Name "," #Name "@" Version "\n.popsection\n")

OLD(dladdr, "GLIBC_2.2.5");
OLD(dlclose, "GLIBC_2.2.5");
OLD(dlerror, "GLIBC_2.2.5");
OLD(dlopen, "GLIBC_2.2.5");
OLD(dlsym, "GLIBC_2.2.5");
OLD(__pthread_key_create, "GLIBC_2.2.5");
OLD(pthread_attr_setstacksize, "GLIBC_2.2.5");
OLD(pthread_cond_clockwait, "GLIBC_2.30");
OLD(pthread_create, "GLIBC_2.2.5");
OLD(pthread_detach, "GLIBC_2.2.5");
OLD(pthread_getspecific, "GLIBC_2.2.5");
OLD(pthread_join, "GLIBC_2.2.5");
OLD(pthread_key_create, "GLIBC_2.2.5");
OLD(pthread_kill, "GLIBC_2.2.5");
OLD(pthread_mutex_trylock, "GLIBC_2.2.5");
OLD(pthread_mutexattr_destroy, "GLIBC_2.2.5");
OLD(pthread_mutexattr_init, "GLIBC_2.2.5");
OLD(pthread_mutexattr_settype, "GLIBC_2.2.5");
OLD(pthread_once, "GLIBC_2.2.5");
OLD(pthread_setspecific, "GLIBC_2.2.5");
OLD(pthread_sigmask, "GLIBC_2.2.5");
OLD(sem_init, "GLIBC_2.2.5");
OLD(sem_post, "GLIBC_2.2.5");
OLD(sem_wait, "GLIBC_2.2.5");

/* 2.33 made functions of what were calls with the version of struct stat. */
int oldXstat(int Version, const char *Path, struct stat *To);
int oldLxstat(int Version, const char *Path, struct stat *To);
int oldFxstat(int Version, int Fd, struct stat *To);
__asm__(".symver oldXstat,__xstat@GLIBC_2.2.5");
__asm__(".symver oldLxstat,__lxstat@GLIBC_2.2.5");
__asm__(".symver oldFxstat,__fxstat@GLIBC_2.2.5");
int oldFxstatat(int Version, int Fd, const char *Path, struct stat *To,
                int Flags);
__asm__(".symver oldFxstatat,__fxstatat@GLIBC_2.4");
enum { StatVersion = 1 }; /* of x86-64 */

HIDDEN int stat(const char *restrict Path, struct stat *restrict To) {
  return oldXstat(StatVersion, Path, To);
}
HIDDEN int lstat(const char *restrict Path, struct stat *restrict To) {
  return oldLxstat(StatVersion, Path, To);
}
HIDDEN int fstat(int Fd, struct stat *To) {
  return oldFxstat(StatVersion, Fd, To);
}
HIDDEN int fstatat(int Fd, const char *restrict Path, struct stat *restrict To,
                   int Flags) {
  return oldFxstatat(StatVersion, Fd, Path, To, Flags);
}
/* The same functions on x86-64, by the names that SQLite was built with. */
HIDDEN int stat64(const char *restrict Path, struct stat64 *restrict To) {
  return oldXstat(StatVersion, Path, (struct stat *)To);
}
HIDDEN int lstat64(const char *restrict Path, struct stat64 *restrict To) {
  return oldLxstat(StatVersion, Path, (struct stat *)To);
}
HIDDEN int fstat64(int Fd, struct stat64 *To) {
  return oldFxstat(StatVersion, Fd, (struct stat *)To);
}

/* 2.32: whether libstdc++ may do without atomic operations; it may not. */
HIDDEN char __libc_single_threaded = 0;

/* 2.36: libstdc++'s std::random_device. */
HIDDEN uint32_t arc4random(void) {
  uint32_t Value = 0;
  size_t Have = 0;
  while (Have < sizeof(Value)) {
    ssize_t Bytes = getrandom((char *)&Value + Have, sizeof(Value) - Have, 0);
    Have += Bytes > 0 ? (size_t)Bytes : 0;
  }
  return Value;
}

/* 2.35: the unwinder of libgcc finds the frames of an address. */
struct Wanted {
  uintptr_t Address;
  struct dl_find_object *To;
};

static int findIn(struct dl_phdr_info *Info, size_t Size, void *Of) {
  struct Wanted *W = Of;
  const ElfW(Phdr) *Frames = NULL, *Load = NULL;
  (void)Size;
  for (size_t I = 0; I != Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) *P = &Info->dlpi_phdr[I];
    uintptr_t Begin = Info->dlpi_addr + P->p_vaddr;
    if (P->p_type == PT_GNU_EH_FRAME)
      Frames = P;
    if (P->p_type == PT_LOAD && W->Address - Begin < P->p_memsz)
      Load = P;
  }
  if (!Load || !Frames)
    return 0;
  uintptr_t Begin = Info->dlpi_addr + Load->p_vaddr;
  W->To->dlfo_flags = 0;
  W->To->dlfo_map_start = (void *)Begin;
  W->To->dlfo_map_end = (void *)(Begin + Load->p_memsz);
  W->To->dlfo_link_map = NULL;
  W->To->dlfo_eh_frame = (void *)(Info->dlpi_addr + Frames->p_vaddr);
  return 1;
}

HIDDEN int _dl_find_object(void *Address, struct dl_find_object *To) {
  struct Wanted W = {(uintptr_t)Address, To};
  return dl_iterate_phdr(findIn, &W) ? 0 : -1;
}

/* Before 2.34 the start files of a program ran its constructors; since then
 * libc does, unless the program passes a function that does. */
extern void (*__preinit_array_start[])(int, char **, char **) HIDDEN;
extern void (*__preinit_array_end[])(int, char **, char **) HIDDEN;
extern void (*__init_array_start[])(int, char **, char **) HIDDEN;
extern void (*__init_array_end[])(int, char **, char **) HIDDEN;
extern void _init(void);

static void construct(int Argc, char **Argv, char **Environment) {
  size_t Early = (size_t)(__preinit_array_end - __preinit_array_start);
  for (size_t I = 0; I != Early; ++I)
    __preinit_array_start[I](Argc, Argv, Environment);
  _init();
  size_t Count = (size_t)(__init_array_end - __init_array_start);
  for (size_t I = 0; I != Count; ++I)
    __init_array_start[I](Argc, Argv, Environment);
}

typedef int MainFunction(int, char **, char **);
typedef void InitFunction(int, char **, char **);
int oldStart(MainFunction *Main, int Argc, char **Argv, InitFunction *Init,
             void (*Fini)(void), void (*LoaderFini)(void), void *StackEnd);
__asm__(".symver oldStart,__libc_start_main@GLIBC_2.2.5");

HIDDEN int __libc_start_main(MainFunction *Main, int Argc, char **Argv,
                             InitFunction *Init, void (*Fini)(void),
                             void (*LoaderFini)(void), void *StackEnd) {
  return oldStart(Main, Argc, Argv, Init ? Init : construct, Fini, LoaderFini,
                  StackEnd);
}

#endif
