// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers of the dynamic loader.

#include "Loader.h"

#include "Runtime/Symbols.h"

using namespace memkit;
using namespace memkit::capture;

LoaderState capture::Loader;

void capture::askLoader(FindObjectFn InList) {
  if (Loader.FindObject)
    return;
  Loader.FindObject =
      reinterpret_cast<FindObjectFn>(nextSymbol("_dl_find_object"));
  if (!Loader.FindObject) {
    Loader.Lists = static_cast<r_debug *>(nextSymbol("_r_debug"));
    Loader.FindObject = Loader.Lists ? InList : nullptr;
  }
  if (auto *End = static_cast<void **>(nextSymbol("__libc_stack_end")))
    Loader.StackEnd = uintptr_t(*End);
  FoundObject O;
  void *Function = nextSymbol("__tls_get_addr");
  if (Function && Loader.find(uintptr_t(Function), O)) {
    Loader.Start = uintptr_t(O.MapStart);
    Loader.Bytes = uintptr_t(O.MapEnd) - Loader.Start;
  }
}
