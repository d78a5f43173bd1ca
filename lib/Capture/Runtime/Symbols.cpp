//===- Symbols.cpp - Looking up symbols -----------------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include "Thread.h"

#include <dlfcn.h>

using namespace memkit;
using namespace memkit::capture;

/// A failed look-up leaves a message that the program might take for its own:
/// one call takes it, the next lets it go.
static void forgetError() {
  dlerror();
  dlerror();
}

void *capture::nextSymbol(const char *Name) {
  Quiet Q(Quiet::Everything);
  void *P = dlsym(RTLD_NEXT, Name);
  if (!P)
    forgetError();
  return P;
}

void *capture::symbolOfLoaded(const char *Library, const char *Name) {
  Quiet Q(Quiet::Everything);
  // The library stays loaded from now on: what we forward to must not go.
  void *Handle = dlopen(Library, RTLD_LAZY | RTLD_NOLOAD);
  void *P = Handle ? dlsym(Handle, Name) : nullptr;
  if (!P)
    forgetError();
  return P;
}

void *capture::symbolOfModule(void *LinkMap, const char *Name) {
  Quiet Q(Quiet::Everything);
  void *P = dlsym(LinkMap, Name); // glibc's handles are its link_maps.
  if (!P)
    forgetError();
  return P;
}
