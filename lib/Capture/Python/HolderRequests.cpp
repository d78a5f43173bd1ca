// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of memrec for the names that hold memory.

#include "HolderRequests.h"

#include "Runtime/Syscall.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

// Each text defines no name in the program's module.

/// Waits for the interpreter's start: while one of its own modules is being
/// imported, the package would find half of the module.
static constexpr char Prepare[] = R"(exec('''
try:
    import sys
    own = getattr(sys, "stdlib_module_names", sys.modules)
    def starts(module):
        spec = getattr(module, "__spec__", None)
        return (getattr(spec, "_initializing", False)
                and spec.name.partition(".")[0] in own)
    if any(starts(module) for module in list(sys.modules.values())):
        sys.memrec_waits = True
    else:
        sys.__dict__.pop("memrec_waits", None)
        from memkit import _holders
        _holders.prepare(at_end)
except Exception:
    pass
''', {"at_end": )",
                      Asked[] = R"(exec('''
try:
    from memkit import _holders
    _holders.asked()
except Exception:
    pass
''', {}))";

void HolderRequests::begin(const Exports &E, wire::Control &C) {
  Ctl = &C;
  bool HasAll = E.find("PySys_GetObject", SysObject) && Calls.find(E);
  Wanted.store(HasAll && C.HoldersWanted, std::memory_order_relaxed);
}

void HolderRequests::prepare() {
  if (uint32_t Polls = Waits.load(std::memory_order_relaxed)) {
    Waits.store(Polls - 1, std::memory_order_relaxed);
    return;
  }
  Calls.ask(Wanted, runPrepare, this);
}

void HolderRequests::ask() {
  uint32_t Was = Ctl->Settings.Recording.fetch_and(~uint32_t(wire::RB_Holders),
                                                   std::memory_order_relaxed);
  // A full list of calls loses the request: the interpreter is busy elsewhere.
  if (Was & wire::RB_Holders && Calls.isThere())
    Calls.ask(runAsked, this);
}

// A limit of the address space refuses a search what the program was refused.

void HolderRequests::reserve() {
  if (Ctl->HoldersWanted & wire::HW_Oom && !Reserve)
    Reserve = sys::reserve(ReservedBytes);
}

void HolderRequests::release() {
  if (Reserve)
    sys::unmap(Reserve, ReservedBytes);
  Reserve = nullptr;
}

// Called by the interpreter, in its main thread, with its lock held. A child of
// fork inherits the calls, but has no functions of its own yet.

int HolderRequests::runPrepare(void *Self) {
  auto *H = static_cast<HolderRequests *>(Self);
  if (!H->Calls.isThere() || !H->Ctl)
    return 0;
  char Text[sizeof(Prepare) + sizeof("False})")];
  strcpy(stpcpy(Text, Prepare),
         H->Ctl->HoldersWanted & wire::HW_End ? "True})" : "False})");
  H->Calls.run(Text);
  if (H->SysObject("memrec_waits")) {
    constexpr uint32_t Polls = 64; // a look at all modules takes some 50 us
    H->Waits.store(Polls, std::memory_order_relaxed);
    H->Wanted.store(true, std::memory_order_release);
    return 0;
  }
  H->reserve();
  return 0;
}

int HolderRequests::runAsked(void *Self) {
  auto *H = static_cast<HolderRequests *>(Self);
  if (!H->Calls.isThere())
    return 0;
  H->release();
  H->Calls.run(Asked);
  H->reserve();
  return 0;
}
