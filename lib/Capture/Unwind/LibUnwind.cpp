//===- LibUnwind.cpp - The unwinder by libunwind.so -----------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unwinder by libunwind.so, opened at run time and kept out of the global
// scope: linked, it would replace _Unwind_* in the whole program. Without it
// every stack is the caller alone.
//
//===----------------------------------------------------------------------===//

#include "LibUnwindPipe.h"
#include "Unwinder.h"

#include "Runtime/Process.h"
#include "Runtime/Thread.h"

#include <cerrno>
#include <dlfcn.h>

using namespace memkit;
using namespace memkit::capture;

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

namespace {
struct Range {
  uintptr_t Start = 0, End = 0;
  bool has(uintptr_t Pc) const { return Pc - Start < End - Start; }
};
using BacktraceFn = int (*)(void **, int);
using FlushFn = void (*)(void *, uintptr_t, uintptr_t);
} // namespace

static std::atomic<BacktraceFn> Backtrace;
static Range UnwinderCode, LoaderCode;
static FlushFn Flush;
static void **LocalSpace;

static Range rangeOf(void *Pc) {
  FoundObject O;
  if (!Pc || !Kept.FindObject || Kept.FindObject(Pc, &O) != 0)
    return {};
  return {uintptr_t(O.MapStart), uintptr_t(O.MapEnd)};
}

void capture::prepareUnwinder() {
  Quiet Q(Quiet::Everything);
  void *Library = dlopen("libunwind.so.8", RTLD_LOCAL | RTLD_NOW);
  void *Function = Library ? dlsym(Library, "unw_backtrace") : nullptr;
  if (!Function) { // The program is to find no error of ours.
    dlerror();
    dlerror();
    return;
  }
  UnwinderCode = rangeOf(Function);
  LoaderCode = rangeOf(dlsym(RTLD_DEFAULT, "__tls_get_addr"));
  Flush = reinterpret_cast<FlushFn>(dlsym(Library, "_Ux86_64_flush_cache"));
  LocalSpace =
      static_cast<void **>(dlsym(Library, "_ULx86_64_local_addr_space"));
  avoidPipe(Library, reinterpret_cast<const void *>(UnwinderCode.Start));
  // Its lazy set-up happens here, not in a hook.
  void *First[4];
  auto Fn = reinterpret_cast<BacktraceFn>(Function);
  int Saved = errno;
  Fn(First, 4);
  errno = Saved;
  Backtrace.store(Fn, std::memory_order_release);
}

void capture::forgetCode() {
  if (Flush && LocalSpace)
    Flush(*LocalSpace, 0, 0);
}

bool capture::isOwnCode(uintptr_t Pc) {
  return Pc - uintptr_t(__ehdr_start) <
         uintptr_t(_end) - uintptr_t(__ehdr_start);
}

bool capture::isUnwindersCode(uintptr_t Pc) {
  return UnwinderCode.has(Pc) || LoaderCode.has(Pc) || isOwnCode(Pc);
}

unsigned capture::unwind(uintptr_t *Pcs, unsigned Max, const Frame &Caller,
                         bool &Cut) {
  BacktraceFn Fn = Backtrace.load(std::memory_order_acquire);
  Cut = false;
  Pcs[0] = Caller.Pc;
  if (!Fn || Proc.UnwinderUnsafe.load(std::memory_order_relaxed))
    return 1;
  int Saved = errno;
  int Got = Fn(reinterpret_cast<void **>(Pcs), int(Max));
  errno = Saved;
  unsigned N = Got > 0 ? unsigned(Got) : 0, From = 0, To = 0;
  while (From < N && Pcs[From] != Caller.Pc)
    ++From;
  if (From == N) {
    Pcs[0] = Caller.Pc;
    return 1;
  }
  for (unsigned I = From; I < N; ++I)
    if (Pcs[I] && !isOwnCode(Pcs[I]))
      Pcs[To++] = Pcs[I];
  Cut = N == Max;
  return To;
}
