// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looking up symbols.

#include "Symbols.h"

#include "Thread.h"

#include <dlfcn.h>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

/// Clears the message of a failed look-up, which the program might take for its
/// own: the first call of dlerror returns the message, the second frees the
/// message.
static void forgetError() {
  dlerror();
  dlerror();
}

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

static bool isOwn(const void *P) {
  return uintptr_t(P) - uintptr_t(__ehdr_start) <
         uintptr_t(_end) - uintptr_t(__ehdr_start);
}

static const link_map *binaryAt(void *P) {
  Dl_info Info;
  void *Map = nullptr;
  return dladdr1(P, &Info, &Map, RTLD_DL_LINKMAP)
             ? static_cast<const link_map *>(Map)
             : nullptr;
}

/// Whether an address is no code of a function but the executable's way to it:
/// without -fPIE the address of a function may be one in the executable's table
/// of calls.
static bool isWay(void *P) {
  Dl_info Info;
  void *Symbol = nullptr;
  return dladdr1(P, &Info, &Symbol, RTLD_DL_SYMENT) && Symbol &&
         static_cast<const Elf64_Sym *>(Symbol)->st_shndx == SHN_UNDEF;
}

static void *findIn(void *LinkMap, const char *Name, bool StaysLoaded);

/// The first definition of \p Name in the order of the global scope, behind the
/// executable. libc, which was loaded at the start, comes before what a thread
/// opens or closes meanwhile.
static void *definitionBehind(const link_map *Executable, const char *Name) {
  for (link_map *Map = Executable->l_next; Map; Map = Map->l_next) {
    if (isOwn(Map->l_ld) || !*Map->l_name)
      continue;
    void *P = findIn(Map, Name, /*StaysLoaded=*/true);
    if (P && binaryAt(P) == Map)
      return P;
  }
  return nullptr;
}

/// \p Name in the program's global scope, as the program's calls find it.
static void *calledSymbol(const char *Name) {
  void *P = dlsym(RTLD_DEFAULT, Name);
  const link_map *Executable = P && isWay(P) ? binaryAt(P) : nullptr;
  return Executable ? definitionBehind(Executable, Name) : P;
}

void *capture::nextSymbol(const char *Name) {
  Quiet Q;
  // RTLD_NEXT of a library that was loaded late searches its own dependencies
  // alone; the program's functions are in the global scope.
  void *P = Kept.IsLate ? calledSymbol(Name) : nullptr;
  if (!P || isOwn(P))
    P = dlsym(RTLD_NEXT, Name);
  if (!P)
    forgetError();
  return P;
}

void *capture::globalSymbol(const char *Name) {
  Quiet Q;
  void *P = dlsym(RTLD_DEFAULT, Name);
  if (!P)
    forgetError();
  return P;
}

void *capture::symbolOfLoaded(const char *Library, const char *Name) {
  Quiet Q;
  // Keeps the library loaded, because memkit forwards calls to the symbol.
  void *Handle = dlopen(Library, RTLD_LAZY | RTLD_NOLOAD);
  void *P = Handle ? dlsym(Handle, Name) : nullptr;
  if (!P)
    forgetError();
  return P;
}

static void *findIn(void *LinkMap, const char *Name, bool StaysLoaded) {
  Quiet Q;
  // A binary loaded as a dependency has no search list of its own until dlopen
  // makes one; dlsym on its link_map would crash.
  const char *Path = static_cast<link_map *>(LinkMap)->l_name;
  void *Handle = dlopen(*Path ? Path : nullptr, RTLD_LAZY | RTLD_NOLOAD);
  void *P = Handle ? dlsym(Handle, Name) : nullptr;
  if (!P)
    forgetError();
  if (Handle && !(P && StaysLoaded))
    dlclose(Handle);
  return P;
}

void *capture::symbolOfBinary(void *LinkMap, const char *Name) {
  return findIn(LinkMap, Name, /*StaysLoaded=*/true);
}

void *capture::symbolSeenBy(void *LinkMap, const char *Name) {
  return findIn(LinkMap, Name, /*StaysLoaded=*/false);
}
