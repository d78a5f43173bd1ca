// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A framework's own functions behind hooks of the same names.

#include "RealFunction.h"

#include "Loader.h"
#include "Runtime/Symbols.h"

using namespace memkit;
using namespace memkit::capture;

void *capture::findReal(const char *Library, const char *Name,
                        uintptr_t Caller) {
  void *P = symbolOfLoaded(Library, Name);
  FoundObject O = {};
  if (!P && Loader.find(Caller, O) && O.LinkMap)
    P = symbolOfBinary(O.LinkMap, Name);
  P = P ? P : nextSymbol(Name);
  if (!P)
    __builtin_trap();
  return P;
}
