// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looking up symbols.

#include "Symbols.h"

#include "Thread.h"

#include <dlfcn.h>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

/// A failed look-up leaves a message that the program might take for its own:
/// one call takes it, the next lets it go.
static void forgetError() {
  dlerror();
  dlerror();
}

void *capture::nextSymbol(const char *Name) {
  Quiet Q;
  void *P = dlsym(RTLD_NEXT, Name);
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
  // The library stays loaded from now on: what we forward to must not go.
  void *Handle = dlopen(Library, RTLD_LAZY | RTLD_NOLOAD);
  void *P = Handle ? dlsym(Handle, Name) : nullptr;
  if (!P)
    forgetError();
  return P;
}

void *capture::symbolOfBinary(void *LinkMap, const char *Name) {
  Quiet Q;
  // A binary that came as another's dependency has no search list of its own
  // until dlopen gives it one; dlsym on its link_map would crash.
  const char *Path = static_cast<link_map *>(LinkMap)->l_name;
  void *Handle = dlopen(*Path ? Path : nullptr, RTLD_LAZY | RTLD_NOLOAD);
  void *P = Handle ? dlsym(Handle, Name) : nullptr;
  if (!P)
    forgetError();
  if (Handle && !P) // What we forward to must not go.
    dlclose(Handle);
  return P;
}
